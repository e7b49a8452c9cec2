/* simulate.h - sgdperf simulate: what its parts share
 *
 * options.c reads the command line, read.c the traces, the sequence and the order of
 * transmission; stretch.c makes steps over declared links; run.c simulates, collectives.c on
 * machines of accelerators; timeline.c draws a run, notes.c says what a result is not, print.c
 * prints it. */
#ifndef TOOLS_CMD_SIMULATE_SIMULATE_H
#define TOOLS_CMD_SIMULATE_SIMULATE_H

#include "base/csv.h"
#include "base/file.h"
#include "base/columns.h"
#include "files/layers.h"
#include "files/modes.h"
#include "files/trace.h"
#include "model/declared.h"
#include "model/topology.h"
#include "options/args.h"

/* ---- Collectives ----------------------------------------------------------- */

/* Machines of accelerators, in every mode. */
#define MACHINES_OPTIONS OPTION_GPUS, OPTION_LOCAL_BANDWIDTH, OPTION_LOCAL_NETWORK

/* Of an all-reduce any of them, or of machines, asks for collectives; the options of one name in
 * predict mean the same. */
#define COLLECTIVES_OPTIONS                                                  \
    OPTION_LAYERS, OPTION_LATENCY, OPTION_LOCAL_LATENCY, OPTION_COLLECTIVE,  \
    OPTION_PROTOCOLS, OPTION_RINGS, OPTION_BUCKET, OPTION_FIRST_BUCKET,      \
    OPTION_STREAMS, OPTION_SHARDING, OPTION_UNIT, OPTION_PREFETCH, OPTION_ACCUMULATE, \
    OPTION_CPU_MACHINES, OPTION_ALLTOALL_SIZE, OPTION_TOKENS

typedef struct collectives {
    topology_ways   ways;
    sgdpar_topology   topology;   /* but for its machines and accelerators             */
    uint32_t        gpus;         /* of a machine that is full                         */
    sgdpar_sharding   sharding;
    double          bucket_bytes, first_bucket_bytes; /* 0: none; the default          */
    uint32_t        streams;
    const csv_table *file;        /* of --layers, or NULL                              */
    sgdsim_layer   *unit;         /* [units] what is gathered at once; or tensors, in  */
    size_t          units;        /*   the order of the backward pass                  */
    uint32_t        prefetch, accumulate;
    double          forward_s, tail_s, update_s;
    double          alltoall_bytes; /* of a worker's mini-batch; 0: none               */
    int             in_turn;      /* steps of a joint trace run in turn: of one type   */
} collectives;

/* What is told of a run beside what all runs tell. */
typedef struct collectives_report {
    uint64_t count;               /* collectives of a step                             */
    double   exchange_s;          /* of a step: all of them, each alone                */
    double   longest_bytes;       /* of that which takes longest alone, or too long    */
    double   longest_s;           /*   for a number: infinite                          */
    double   link_utilization[SGDSIM_LEVELS];
} collectives_report;

/* ---- A simulation ---------------------------------------------------------- */

typedef enum link_choice { LINK_PS = 0, LINK_FCFS, LINK_AVERAGE, LINK_TCP, LINK_COUNT } link_choice;

extern const char *const link_names[LINK_COUNT];

/* What --order asks for, and does. */
typedef struct order_report {
    const char   *given;      /* the rule or the file; NULL: no order               */
    out_file     *out;        /* of --order-out, or NULL                            */
    double        step_s;     /* mean of the profiled steps of one worker alone,    */
    double        unordered_step_s; /* and without the order                        */
} order_report;

/* A job of --jobs. */
typedef struct sim_job {
    const char *name;
    train_mode  mode;
    uint32_t    workers, lead; /* lead: as in sgdsim_workers                        */
    size_t      first, types; /* rows of the table: types of workers                */
} sim_job;

typedef struct sim_jobs {
    sim_job    *job;          /* [jobs]                                             */
    size_t      jobs;
    uint32_t   *of, *count, *lead; /* for sgdsim_workers                            */
} sim_jobs;

typedef struct simulation {
    sgdsim_config config;
    sgdsim_tcp    tcp;
    sgdsim_overhead overhead;
    order_report  order;
    collectives  *collectives; /* NULL: not asked for                               */
    sim_jobs      *jobs;       /* NULL: one job. Else a point has all jobs, and one  */
                              /*   behind it each of them alone                     */
    trace_file   *traces;     /* [types]                                            */
    declared      links;      /* as their makers declare them?                      */
    sgdp_stretch  stretch;    /* of steps over them                                 */
    double        held;       /* by what an exchange is longer than alone           */
    int           alltoalls;  /* downlinks of its steps are all-to-alls             */
    uint32_t      gpus;       /* of a full machine of parameter servers' workers    */
    double        local_bandwidth_bytes_per_s; /* inside it                         */
    uint32_t      workers;    /* of all types, simulated: machines, if gpus > 1     */
    uint32_t     *sweep;      /* [points] numbers of workers, NULL: --workers       */
    size_t        points;
    uint32_t      backup;     /* workers for which a step does not wait              */
    train_mode    mode;
    link_choice   link;
    int           warmup_given;
    double        batch;      /* examples of a mini-batch; 0: not given             */
    uint64_t      runs;
    size_t        processes;
    int           step_ends;
    size_t        intervals;  /* of --over-time; 0: not asked                       */
    const char   *timeline;   /* NULL: none                                         */
    /* results: means of all runs, events their sum */
    double        batches_per_s;
    double        ci95_half_width; /* infinite: one run, or nothing is drawn        */
    sgdsim_rates  rates;
    double        makespan_s;
    uint64_t      events;
    double        utilization[SGDSIM_RESOURCES], contended[SGDSIM_RESOURCES];
    sgdsim_waiting *spent;    /* [types] of one worker                              */
    double       *job_batches_per_s, *job_ci95_half_width; /* [jobs]                */
    collectives_report exchanged;
    double       *step_end_s; /* [workers][steps] of the first run, NULL: not asked */
    double        first_makespan_s; /* of that run                                  */
} simulation;

/* All options but those that name a file to be read. */
void simulate_options(simulation *s, const args *a);

/* The warm-up of so many workers: the one that was given, or the default, which ends at
 * a barrier where there is one. */
uint64_t simulate_warmup(const simulation *s, uint64_t workers);

/* So many accelerators as simulated workers of the run: the machines of a parameter server. Full
 * machines, but for one alone, as topology_keep_full has it. */
void simulate_set_workers(simulation *point, uint32_t *workers, size_t types);

/* The workers of an all-reduce run one step at a time, all of them the same, if the traces are
 * joint: what a worker waited for the others is in its exchanges already. */
void simulate_in_turn(simulation *s);

/* The traces, and the sequence if there is one. */
void simulate_read(simulation *s, const args *a);

/* Fails over times that are too large, with the longest, which may be an exchange of
 * *exchanged (NULL: there are none); `who` is in front. */
TOOL_NORETURN void simulate_fail_large(const simulation *s, const collectives_report *exchanged,
                                       const char *who);

/* Fails over a --stagger beside which steps are too short to be told apart. */
void simulate_check_stagger(const simulation *s, const args *a);

/* --order and --order-out: the order, what it does for one worker, and the file, which
 * order_commit writes. */
void order_take(simulation *s, const args *a);
void order_commit(const simulation *s);

/* Makes the steps of a point those of machines, or longer as declared links do; fails where times
 * are too large. */
void simulate_stretch(simulation *point);

enum { SIMULATE_STEPS = 1000, SIMULATE_WARMUP = 50 }; /* by default */

/* A run for each point; they differ in the number of workers and the warm-up alone. */
simulation *simulate_run(const simulation *s);

/* Do runs with different seeds differ? */
int simulate_is_drawn(const simulation *s);

/* Notes what the results of points could be taken for and are not. */
void simulate_notes(const simulation *point, size_t points);

void simulate_print(output *out, const simulation *point, size_t points);

/* ---- collectives.c: --mode allreduce on machines of accelerators: gradients in buckets,
 * parameters perhaps in shards, exchanged by collectives that share two links --------- */

/* Are collectives asked for? Else none of their options may be given: fails. */
int collectives_wanted(const args *a);

/* The options, and the table of layers, if file is one and no trace; fails where other options do
 * not go with them. stretches: as in `declared`. */
collectives *collectives_read(const args *a, const csv_table *file, int stretches);

/* Fails unless so many workers fill their machines, and have a link if they are several. */
void collectives_check(const collectives *c, uint32_t workers);

/* Makes the all-to-alls of a trace what `price` takes for them, and adds those of
 * --alltoall-size behind each step. Returns 1 if there are any. */
int collectives_add_alltoalls(const collectives *c, trace_file *trace);

/* The trace of the table of layers for so many workers, or a check of one that was read. Units of
 * shards take `growth` times as long, and overlap nothing if `exposed`; 1: that is left to do. */
int collectives_trace(const collectives *c, uint32_t workers, double growth, int exposed,
                      trace_file *trace);

/* Do workers of one type run the steps of a trace one after another, all of them the same? */
int collectives_in_turn(const simulation *point);

/* The run of a point's configuration, whose link is not read: SGDSIM_OK, or SGDSIM_BAD_ARGUMENT
 * where times are too large, with the longest exchange alone in *more; else it fails. */
sgdsim_status collectives_run(const simulation *point, const sgdsim_config *config,
                              sgdsim_result *out, collectives_report *more);

/* Notes what the result could be taken for and is not. */
void collectives_note(const collectives *c, uint32_t workers,
                      const collectives_report *more);

/* ---- backup.c: --backup ----------------------------------------------------------------- */

/* The sequence of a run in which each step waits for all but its slowest workers, in fresh
 * memory; or why there is none. */
sgdsim_status backup_sequence(const simulation *s, sgdsim_config *config);

/* ---- jobs.c: --jobs, several jobs that share the links --------------------------------- */

/* The table of --jobs, whose traces become the files of *a; NULL: it is not given. */
sim_jobs *jobs_read(args *a);

/* The workers of all jobs, their warm-up and delays. */
void jobs_workers(simulation *s);

/* What a type of workers replays: a ring is what it sends and gets on the link of a machine. */
sgdsim_trace jobs_trace(const sim_jobs *set, size_t type, const sgdsim_trace *trace);

/* The op of the trace that op i of a step is in what jobs_trace made of it: a ring receives what
 * its uplinks send. */
size_t jobs_op(const sgdsim_step *step, size_t i);

/* Is any job an all-reduce? */
int jobs_have_rings(const sim_jobs *set);

/* Leaves one job of a point with all. */
void jobs_alone(simulation *point, size_t job);

/* A row for each job of point[0]. */
void jobs_print(columns *t, const simulation *point);

/* ---- timeline.c: a run as Chrome trace-event JSON, which Perfetto opens --------------
 *
 * One process a worker, one thread a resource, an arrow for each dependency. Events are
 * written as they come: a run of any length needs no memory. */

typedef struct timeline timeline;

/* Opens the file and names the processes. `s`, whose operations are replayed, must outlive the
 * timeline. */
timeline *timeline_open(const char *path, const simulation *s);

/* For sgdsim_watch; ctx is the timeline. */
void timeline_op(void *ctx, const sgdsim_event *event);

/* The same of one step of a pipeline of so many devices: timeline_span is sgdpar_shared.on_span. */
timeline *timeline_open_devices(const char *path, uint32_t devices);
void timeline_span(void *ctx, const sgdpar_span *span);

/* Ends the file, which output_flush gives its name; fails if it could not be written. */
void timeline_close(timeline *t);

#endif /* TOOLS_CMD_SIMULATE_SIMULATE_H */
