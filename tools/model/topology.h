/* topology.h - the machines that exchange, and the ways in which they do it, as options tell */
#ifndef TOOLS_MODEL_TOPOLOGY_H
#define TOOLS_MODEL_TOPOLOGY_H

#include "base/csv.h"
#include "options/args.h"
#include "sgdperf_parallel.h"

/* ---- How a library does its collectives, and at what cost ------------------------ */

typedef struct protocol_list {
    sgdpar_protocol *protocol; /* [count]                                            */
    const char   **name;      /* [count] of the column protocol; "" where there is none */
    size_t         count;
} protocol_list;

/* The rows of a table, in its order. Columns collective and algorithm; if they are there
 * protocol, inside, form, chunks, from_bytes, below_bytes, from_machines, below_machines, base_s,
 * latency_s, local_latency_s, fraction and most_bytes_per_s, whose empty cells are the defaults
 * of sgdpar_protocol. Fails like all that reads files. */
protocol_list protocols_of(const csv_table *table);

/* The words of the enumerations, in their order, for csv_choice and args_choice. */
extern const char *const protocol_collectives[SGDPAR_COLLECTIVE_COUNT];
extern const char *const protocol_algorithms[SGDPAR_ALGORITHM_COUNT];
extern const char *const protocol_forms[SGDPAR_FORM_COUNT];
extern const char *const topology_shardings[SGDPAR_SHARDING_COUNT];

/* ---- Machines -------------------------------------------------------------------- */

/* The links of --latency, --bandwidth, --local-latency, --local-bandwidth, --flow-cap, --rings,
 * --network, --local-network and --cpu-machines, which needs --collective byteps, into `on`, but
 * for its machines and accelerators; the rate inside a machine of `file` (kinds_take_traced) goes
 * before a kind of link. Bandwidths that are not given are 0. Returns --gpus, the accelerators of a
 * machine that is full; fails where there are several and their bandwidth is not known. */
uint32_t topology_read(sgdpar_topology *on, const args *a, const csv_table *file);

/* The machines of so many workers, with `gpus` accelerators each if they are full. */
sgdpar_topology topology_on(const sgdpar_topology *links, uint32_t gpus, uint32_t workers);

/* What all-to-alls of so many bytes take on these links, by PAIRWISE. */
double topology_alltoall_s(const sgdpar_topology *on, double bytes);

/* What --alltoall-size says, or else --tokens and --token-size. */
#define TOKEN_RULES                                                                 \
    NEEDS(ONE(TOKENS), ONE(TOKEN_SIZE)), NEEDS(ONE(TOKEN_SIZE), ONE(TOKENS)),       \
    EXCLUDES(ONE(TOKENS), ONE(ALLTOALL_SIZE)), NEEDS(ONE(TOKENS), IS(MODE, "allreduce"))
double topology_alltoall_bytes(const args *a, double otherwise);

/* The same ways, at no cost but their messages, on the same machines with links on which no time
 * is too large for a number. */
sgdpar_network topology_quick(const sgdpar_network *on);

/* Writes the options of the links that have a part in times, with their values, and the file of
 * --protocols, which may be NULL; returns it. */
const char *topology_text(const sgdpar_topology *on, const char *protocols, char *text,
                          size_t bytes);

/* Do so many workers fill machines of `gpus` accelerators each, or share one? */
int topology_fills(uint32_t gpus, uint32_t workers);

/* Machines must be full, but for one alone: keeps of workers[count] those that fill them, and
 * notes which are left out. Returns how many are kept; fails where none is. */
size_t topology_keep_full(option_id option, uint32_t *workers, size_t count, uint32_t gpus);

/* The accelerators of the machine in which the job of a file was traced (column
 * machine_accelerators, of several rows the least), if only the link inside it is known; else 0. */
uint32_t topology_machine(const csv_table *file, const args *a);

/* Keeps of workers[count] those that such a machine has room for, if most > 0, and notes where it
 * stops. Returns how many are kept; fails where none is. */
size_t topology_keep_inside(const csv_table *file, uint32_t most, option_id option,
                            uint32_t *workers, size_t count);

/* Collectives by one of --collective. */
typedef struct topology_ways {
    const char   *text;        /* as it was given                                      */
    const char   *file;        /* of --protocols; may be NULL                          */
    protocol_list list;
} topology_ways;

/* What --collective is where it is not given: "auto"; "cluster", as model cluster has it, of steps
 * that are stretched as there. */
const char *topology_usual_ways(const args *a, int stretches);

/* Of "auto", "cluster", "byteps", or one of --collective as "halving:split", those of --protocols,
 * or without a file all that cost nothing. Fails where none is left. */
topology_ways topology_read_ways(const args *a, const char *text);

/* "--collective 'halving' of --protocols", for messages. */
const char *topology_ways_text(const topology_ways *ways);

/* Does a message cost time of its own by one of the list, whatever the links do? */
int topology_ways_cost(const protocol_list *list);

/* Says that without any latency small messages look too good. */
void topology_note_free(void);

#endif /* TOOLS_MODEL_TOPOLOGY_H */
