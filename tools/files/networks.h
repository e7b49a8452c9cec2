/* networks.h - kinds of networks and of software by name: what a declared link carries of an
 * all-reduce, and what a step loses to it */
#ifndef TOOLS_FILES_NETWORKS_H
#define TOOLS_FILES_NETWORKS_H

#include "base/csv.h"
#include "options/args.h"
#include "sgdperf.h"

typedef struct network {
    const char *name, *kind;
    double line_bytes_per_s;  /* 0: as the machine declares                         */
    double share;             /* of the line that an all-reduce reaches             */
    double flows;             /* that a library keeps on a link                     */
    double flow_cap_bytes_per_s; /* of one; 0: none                                 */
    double latency_s;
    const char *known, *source, *date, *note, *use;
} network;

typedef struct stack {
    const char *name;
    double exposure;          /* see sgdp_overlap, of links as declared             */
    double growth, growth_between; /* see sgdp_machine                              */
    unsigned rows;            /* on several machines that tell                      */
    double spread;            /* 90 % of them are within this                       */
    const char *source;
} stack;

extern const network networks_all[];
extern const size_t networks_count;
extern const stack stacks_all[];
extern const size_t stacks_count;

/* What a job runs on; NULL: not said. */
typedef struct job_kinds {
    const network *between, *inside;
    const stack   *stack;
    uint32_t       cards;     /* of a machine, each of the bandwidth; 0: not said   */
    double         line_bytes_per_s; /* between machines, as declared, by who applies them  */
} job_kinds;

/* The kind of this name, NULL where there is none. */
const network *network_find(const char *name);

/* The same; fails over another word of the option. */
const network *network_read(option_id id, const char *name);

/* What --network, --local-network, --stack and --cards say, or else the cells of these columns in
 * row `row`; a: NULL, no options; t: NULL, no columns. Fails over another word. */
job_kinds kinds_read(const args *a, const csv_table *t, size_t row);

/* The declared line rate, or else the kind's own; 0: there is none. of: may be NULL. */
double network_line(const network *of, double declared);

/* Bytes/s that an all-reduce gets of a link of declared bytes/s; declared 0: of the kind's own
 * line. 0: that has none. */
double network_carries(const network *of, double declared);

/* Does this kind of link stand inside machines? */
int network_is_inside(const network *of);

/* May a machine have several cards of this kind, each with the bandwidth? of: may be NULL. */
int network_has_cards(const network *of);

/* By how many times, 1 to 2, an all-reduce that gets `carried` gets more of twice the line; 1: the
 * cap of the flows binds. */
double network_doubled(const network *of, double carried);

/* The kind of network between machines of this line rate that carries least of it; NULL: none has
 * it. */
const network *network_slowest(double line);

/* The kind with a line as declared, of the same place (ec2, gce), that carries most of this line;
 * NULL: none carries more. */
const network *network_better(const network *of, double line);

/* A machine of several cards: the link of a server or machine has the bandwidth of all. A flow, of
 * a worker, has that of one at most; an all-reduce has as many flows on each card. */
void cards_apply(uint32_t cards, int allreduce, sgdp_job *job);

/* Gives the job links of these kinds, and, in an all-reduce, what the software loses, unless the
 * job says it itself. A share of a link that is known replaces 0.8, which is in any exposure of a
 * declared link. Returns the kind of network that needs a bandwidth; NULL: none. */
const network *kinds_apply(const job_kinds *of, int allreduce, sgdp_job *job);

/* The same of the options, with the links that --bandwidth, --latency and --local-bandwidth give of
 * machines of --gpus. Fails where a kind of network needs a bandwidth. */
job_kinds kinds_links(const args *a, sgdp_job *job);

/* The rate at which exchanges ran inside the machine of --gpus, in which row `row` of t was traced:
 * its bandwidth, which is then none between machines; 0: it was not. t: may be NULL. */
double kinds_traced(const args *a, const csv_table *t, size_t row);

/* Takes that rate for the link inside: it goes before a kind of link, and behind --local-bandwidth.
 * Notes it, and what a kind says of machines of another size. */
void kinds_take_traced(job_kinds *of, const args *a, const csv_table *t, size_t row,
                       double *local);

/* The least and the most exposure of all stacks, over links of a kind that is known or not. */
void stacks_exposures(const network *of, double *least, double *most);

/* Notes that no row of a rented machine was tested, and returns 1, if this is one; of: may be
 * NULL. */
int network_note_untested(const network *of);

/* Notes that one card is assumed where accelerators share a kind of link whose bandwidth is that of
 * one card. */
void cards_note(const args *a, const job_kinds *of);

/* Notes what a stack says, and how far its rows were off. */
void stack_note(const stack *of);

#define NETWORK_HAS_NO_LINE "'%s' names no bandwidth: give the bandwidth of the machine, too"

#endif /* TOOLS_FILES_NETWORKS_H */
