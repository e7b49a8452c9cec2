/* simulate.h - sgdperf simulate: what its parts share
 *
 * options.c reads the command line, read.c the traces and the sequence, order.c finds the
 * order of transmission, collectives.c is for machines of
 * accelerators; run.c simulates, times.c says which times are too large,
 * notes.c what a result is not, print.c prints it. */
#ifndef TOOLS_CMD_SIMULATE_SIMULATE_H
#define TOOLS_CMD_SIMULATE_SIMULATE_H

#include "base/file.h"
#include "base/output.h"
#include "cmd/simulate/collectives.h"

typedef enum link_choice { LINK_PS = 0, LINK_FCFS, LINK_AVERAGE, LINK_TCP, LINK_COUNT } link_choice;

extern const char *const link_names[LINK_COUNT];

/* What --order asks for, and does. */
typedef struct order_report {
    const char   *given;      /* the rule or the file; NULL: no order               */
    out_file     *out;        /* of --order-out, or NULL                            */
    double        step_s;     /* mean of the profiled steps of one worker alone,    */
    double        unordered_step_s; /* and without the order                        */
} order_report;

typedef struct simulation {
    sgdsim_config config;
    sgdsim_tcp    tcp;
    sgdsim_overhead overhead;
    order_report  order;
    collectives  *collectives; /* NULL: not asked for                               */
    trace_file   *traces;     /* [types]                                            */
    uint32_t      workers;    /* of all types                                       */
    uint32_t     *sweep;      /* [points] numbers of workers, NULL: --workers       */
    size_t        points;
    train_mode    mode;
    link_choice   link;
    int           warmup_given;
    double        batch;      /* examples of a mini-batch; 0: not given             */
    uint64_t      runs;
    size_t        processes;
    int           step_ends;
    const char   *timeline;   /* NULL: none                                         */
    /* results: means of all runs, events their sum */
    double        batches_per_s;
    double        ci95_half_width; /* infinite: one run, or nothing is drawn        */
    sgdsim_rates  rates;
    double        makespan_s;
    uint64_t      events;
    double        utilization[SGDSIM_RESOURCES];
    sgdsim_waiting *spent;    /* [types] of one worker                              */
    collectives_report exchanged;
    double       *step_end_s; /* [workers][steps] of the first run, NULL: not asked */
} simulation;

/* All options but those that name a file to be read. */
void simulate_options(simulation *s, const args *a);

/* The warm-up of so many workers: the one that was given, or the default, which ends at
 * a barrier where there is one. */
uint64_t simulate_warmup(const simulation *s, uint64_t workers);

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

/* A run for each point; they differ in the number of workers and the warm-up alone. */
simulation *simulate_run(const simulation *s);

/* Do runs with different seeds differ? */
int simulate_is_drawn(const simulation *s);

/* Notes what the results of points could be taken for and are not. */
void simulate_notes(const simulation *point, size_t points);

void simulate_print(output *out, const simulation *point, size_t points);

#endif /* TOOLS_CMD_SIMULATE_SIMULATE_H */
