/* declared.h - links as their makers declare them: when they are, and what steps over them take */
#ifndef TOOLS_MODEL_DECLARED_H
#define TOOLS_MODEL_DECLARED_H

#include "files/networks.h"
#include "sgdperf.h"

/* Are links between machines known as their makers declare them? --inputs tells, or else a kind of
 * network, machines of several accelerators, or a --bandwidth, else one of so many bytes/s, that
 * nobody measures by a stream or two. */
int declared_links(const args *a, double bandwidth);

/* Says what an all-reduce over such links is taken to get; stepped: a step was
 * measured, with --gpus that of a full machine. */
void declared_note(const args *a, const job_kinds *of, int stepped);

/* Rates that were traced with a job, whose exchanges overlap as traced; 0: of another link. */
typedef struct traced_links { double between, inside; } traced_links;

/* The links of such a job: of a link that is declared an all-reduce gets 0.8, which the bandwidths
 * of the job become, or what its kind carries. --inputs tells which links are declared, or else
 * they are those that options give, as declared_links has it, but at the traced rate. Returns
 * whether one is. */
int declared_take_traced(const args *a, const job_kinds *of, const traced_links *traced,
                         sgdp_job *job);

/* Does the table, a trace or layers, or NULL, tell of several workers that were traced? */
int declared_is_traced(const csv_table *t);

/* The links of the job of such a table by that rule, which may be those traced; and says so. */
void declared_take_file(const args *a, const csv_table *t, uint32_t gpus, double *bandwidth,
                        double *local);

/* Says so. */
void declared_note_traced(const network *between);

/* Says by how much a replay of a trace, or of its layers, is off it: columns of these files. */
void declared_note_replay(const csv_table *t);

/* Do options tell how the exchanges of layers and computation overlap? */
int declared_overlaps(const args *a);

/* Of steps that are followed by layers or replayed: exposure and growth as told, or else of model
 * cluster, unless links are not declared or it is said how exchange and computation overlap. */
typedef struct declared {
    int      stretches, told;
    int      declared;        /* as --network, --inputs and the like tell            */
    sgdp_job job;             /* its machine and overlap                            */
} declared;

/* Reads the options, and notes what is assumed. traced: a trace tells how exchange and computation
 * overlap. */
declared declared_read(const args *a, int traced);

/* By model cluster, or 1 and 0. */
sgdp_stretch declared_stretch(const declared *of, uint32_t workers);

#endif /* TOOLS_MODEL_DECLARED_H */
