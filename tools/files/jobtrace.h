/* jobtrace.h - public traces of the jobs of a cluster
 *
 *   swf     Standard Workload Format of the Parallel Workloads Archive: 18 numbers a
 *           line, comments behind ';'; further fields and a row of names are left out
 *   philly  cluster_job_log of Philly: a JSON array of jobs with their attempts
 *   helios  cluster_log.csv of Helios
 *   pai     pai_task_table of Alibaba's PAI (2020), CSV with or without its header */
#ifndef TOOLS_FILES_JOBTRACE_H
#define TOOLS_FILES_JOBTRACE_H

#include "base/names.h"

#include <stddef.h>
#include <stdint.h>

typedef enum jobtrace_format {
    JOBTRACE_SWF = 0, JOBTRACE_PHILLY, JOBTRACE_HELIOS, JOBTRACE_PAI, JOBTRACE_FORMATS
} jobtrace_format;

/* "swf", "philly", "helios", "pai" */
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
} jobtrace_job;

typedef struct jobtrace {
    jobtrace_job *job;        /* [jobs] by submit_s, which starts at 0; then as in  */
    size_t   jobs, room;      /*   the file                                         */
    name_index names;         /* also of jobs left out                              */
    size_t   not_run;         /* left out: never ran, or no time of it is recorded  */
    size_t   no_nodes;        /*   ran without GPUs or processors                   */
    uint32_t processors;      /* of the cluster, as SWF's header says; 0: it does   */
                              /*   not                                              */
} jobtrace;

/* Bytes in memory; `name` is that of their file, for messages. */
typedef struct jobtrace_text { const char *name, *data; size_t length; } jobtrace_text;

/* 1 and the trace, which jobtrace_free releases, or 0 and in `message` what is wrong and
 * where: "name:3: column 'duration': 'x' is not a number". `submits`, of PAI alone or NULL,
 * is pai_job_table, which says when jobs were submitted; without it they are when they
 * started. O(n log n). */
int jobtrace_parse(jobtrace *trace, jobtrace_format format, const jobtrace_text *text,
                   const jobtrace_text *submits, char *message, size_t message_bytes);
void jobtrace_free(jobtrace *trace);

/* Do these first bytes begin a log of jobs? 1, its format (JOBTRACE_FORMATS: one that is
 * not read) and in words what it is; 0: it is something else, or PAI without a header. */
int jobtrace_guess(const char *head, size_t length, jobtrace_format *format,
                   const char **title);

#endif /* TOOLS_FILES_JOBTRACE_H */
