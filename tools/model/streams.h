/* streams.h - recorded streams of HTTP/2, and the window by which their ends are predicted
 *
 * Rows bytes,start_s,end_s[,run][,step][,direction][,role][,group][,bandwidth_bytes_per_s]
 * [,window_bytes]. The rows of a step of a run, in one direction, were sent over one
 * connection. Rows of a group share a window [all rows]. */
#ifndef TOOLS_MODEL_STREAMS_H
#define TOOLS_MODEL_STREAMS_H

#include "base/names.h"
#include "files/points.h"
#include "sgdperf_parallel.h"
#include "sgdperf_sim.h"

#define STREAMS_LEVEL 0.9              /* of the intervals                          */

/* What a stream sends at its turns; see docs/measuring.md. */
typedef enum stream_rule {
    STREAMS_WHOLE = 0,        /* all, so there is no window                         */
    STREAMS_ONCE,             /* a window, and at the second turn the rest [LYPG20] */
    STREAMS_TURNS,            /* a window at each turn                              */
    STREAM_RULES
} stream_rule;

extern const char *const stream_rule_words[STREAM_RULES];

/* Streams of one connection: rows first to first + count - 1, in the order of starts. */
typedef struct stream_set {
    size_t     first, count, group;
    double     bandwidth_bytes_per_s;
    point_role role;
} stream_set;

typedef struct stream_file {
    const csv_table *file;
    sgdpar_stream   *stream;  /* [rows] by set; starts since the first one          */
    double          *end_s;   /* [rows] measured, since the first start of the set  */
    stream_set      *set;     /* [sets] by group                                    */
    size_t           sets, rows;
    name_index       names;   /* of groups; "" for the only one without a name      */
    double          *told;    /* [names.count] mean of window_bytes; NAN: not told  */
    sgdsim_overhead  overhead;
} stream_file;

/* Is the file one of streams? */
int streams_are_in(const char *path);

/* Has a group rows of a role? */
int streams_have(const stream_file *f, size_t group, point_role role);

/* --overhead; 0: it is not given. */
int streams_overhead(const args *a, sgdsim_overhead *to);

/* With --bandwidth in place of the column, and --overhead. */
void streams_open(stream_file *f, const args *a, const char *path);

/* The window by a group's rows of role fit. WHOLE has none. */
sgdfit_robust_result streams_fit(const stream_file *f, size_t group, stream_rule rule);

/* "group 'a'", or "the file" that names no groups. */
const char *streams_group(const stream_file *f, size_t group);

/* The window by which validate predicts: fitted to the rows of role fit, as recorded without
 * such rows. */
double streams_window(const stream_file *f, size_t group, stream_rule rule);

/* Predicted ends of a group's rows, in predicted[f->rows]; those of others stay. */
void streams_predict(const stream_file *f, size_t group, stream_rule rule, double window,
                     double *predicted);

/* Errors of a group's rows of a role. */
sgdfit_error_statistics streams_errors(const stream_file *f, size_t group, point_role role,
                                       const double *predicted);

#endif /* TOOLS_MODEL_STREAMS_H */
