/* jobtrace.h - public traces of the jobs of a cluster
 *
 *   swf     Standard Workload Format of the Parallel Workloads Archive: 18 numbers a
 *           line, comments behind ';'; further fields and a row of names are left out
 *   philly  cluster_job_log of Philly: a JSON array of jobs with their attempts
 *   helios  cluster_log.csv of Helios
 *   pai     pai_task_table of Alibaba's PAI (2020), CSV with or without its header
 *   sacct   what Slurm's sacct -P lists, a header row and cells between bars
 *   sia     workloads of Pollux and Sia: name,time,application,num_replicas,batch_size, or
 *           the jobs that they are drawn from: timestamp,duration,num_gpus
 *   gavel   traces of Gavel and Shockwave: 7 to 12 fields between tabs, no header row
 *   csv     any table, of which jobtrace_columns says what is where */
#ifndef TOOLS_IMPORT_JOBTRACE_H
#define TOOLS_IMPORT_JOBTRACE_H

#include "base/names.h"
#include "base/stream.h"

#include <stddef.h>
#include <stdint.h>

typedef enum jobtrace_format {
    JOBTRACE_SWF = 0, JOBTRACE_PHILLY, JOBTRACE_HELIOS, JOBTRACE_PAI, JOBTRACE_SACCT,
    JOBTRACE_SIA, JOBTRACE_GAVEL, JOBTRACE_CSV, JOBTRACE_FORMATS
} jobtrace_format;

/* "swf", "philly", "helios", "pai", "sacct", "sia", "gavel", "csv" */
extern const char *const jobtrace_format_names[JOBTRACE_FORMATS];

typedef struct jobtrace_job {
    size_t   name;            /* into names                                         */
    size_t   line;            /* in the file, from 1, where it begins               */
    double   submit_s;
    double   run_s;           /* > 0: sum over its attempts                         */
    double   wait_s;          /* observed, from submission to its first start;      */
                              /*   -1: not recorded                                 */
    double   walltime_s;      /* that was asked for; 0: not recorded                */
    uint32_t nodes;           /* >= 1: GPUs, processors                             */
    int      preceded;        /* of SWF: it names a preceding job                   */
} jobtrace_job;

typedef struct jobtrace {
    jobtrace_job *job;        /* [jobs] by submit_s, which starts at 0; then as in  */
    size_t   jobs, room;      /*   the file                                         */
    name_index names;         /* also of jobs left out                              */
    size_t   not_run;         /* left out: never ran, or no time of it is recorded  */
    size_t   no_nodes;        /*   ran without GPUs or processors                   */
    uint32_t processors;      /* of the cluster, as SWF's header says; 0: it does   */
                              /*   not                                              */
    size_t   lines, records;  /* lines of SWF, and how many its header promises; 0  */
    size_t   parted;          /* jobs that had parts of GPUs, of which they have    */
    double   parts, wholes;   /*   `parts` in the log and `wholes` here             */
    size_t   steps;           /* rows of sacct left out, which are steps of jobs    */
    size_t   requeued;        /*   that are further attempts of a job               */
    size_t   joined;          /*   that are further parts of a heterogeneous job    */
    const char *unit;         /* what sacct's nodes are: "GPUs", ...; NULL: other   */
} jobtrace;

/* ---- What a reader may be told beside the log */

/* Of sacct: what counts as a node. */
typedef enum jobtrace_unit {
    JOBTRACE_GPUS = 0, JOBTRACE_PROCESSORS, JOBTRACE_NODES,
    JOBTRACE_WHATEVER         /* GPUs, if any job has some; else processors, if any */
} jobtrace_unit;

/* Of csv: the column that says so, by its name or, from 1, its place. */
enum jobtrace_role {
    JOBTRACE_JOB = 0, JOBTRACE_SUBMIT, JOBTRACE_START, JOBTRACE_END, JOBTRACE_DURATION,
    JOBTRACE_WAIT, JOBTRACE_WALLTIME, JOBTRACE_WIDTH, JOBTRACE_ROLES
};

typedef struct jobtrace_column {
    const char *name;         /* NULL, and 0: there is none                         */
    size_t      place;
    double      scale;        /* of its numbers: seconds, or nodes                  */
} jobtrace_column;

typedef struct jobtrace_columns { jobtrace_column role[JOBTRACE_ROLES]; } jobtrace_columns;

/* Adds "submit=submit_time:ms", which is written to and must outlive *columns: of 'job',
 * 'submit', 'start', 'end', 'duration', 'wait', 'walltime' and 'nodes' one, a column or its
 * place as #3, and the unit of its numbers or a factor. NULL, or what is wrong, as the end
 * of a sentence about it. */
const char *jobtrace_add_column(jobtrace_columns *columns, char *word);

/* NULL, or what is missing for a trace: "needs nodes=COLUMN". */
const char *jobtrace_columns_miss(const jobtrace_columns *columns);

typedef struct jobtrace_options {
    stream *submits;          /* of pai or NULL: pai_job_table, which says when jobs */
                              /*   were submitted; without it, when they started    */
    stream *times;            /* of sia and gavel or NULL: rows curve,nodes and    */
                              /*   duration_s, or of gavel throughput, in steps      */
    const jobtrace_columns *columns; /* of csv                                       */
    jobtrace_unit unit;       /* of sacct                                            */
} jobtrace_options;

/* Fills *trace, whose names names_free releases, or fails: "name:3: column 'duration': 'x' is
 * not a number". A stream that is cut off
 * fails, too. Comments are not held in memory. O(n log n). */
void jobtrace_read(jobtrace *trace, jobtrace_format format, stream *text,
                   const jobtrace_options *options);

/* Do these first bytes begin a log of jobs? 1, its format and in words what it is; 0: it is
 * something else, PAI without a header, or one of unknown columns. */
int jobtrace_guess(const char *head, size_t length, jobtrace_format *format,
                   const char **title);

#endif /* TOOLS_IMPORT_JOBTRACE_H */
