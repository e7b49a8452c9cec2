/* predict.h - the parts of sgdperf predict: what is asked for and predicted, and printed */
#ifndef TOOLS_CMD_PREDICT_H
#define TOOLS_CMD_PREDICT_H

#include "base/columns.h"
#include "base/fields.h"
#include "base/output.h"
#include "files/bands.h"
#include "model/curve_set.h"
#include "model/replica.h"
#include "model/job.h"
#include "options/args.h"

void curves_print_json(output *out, const curve_set *c, sgdp_status status);
void curves_print_csv(output *out, curve_set *c);
void curves_print_tables(output *out, const curve_set *c);

/* ---- Fields of a job's points: see base/fields.h --------------------------------- */

enum { COLUMN_NAME = 48, MOST_COLUMNS = 16 + 3 * SGDP_RESOURCE_COUNT + SGDP_INPUT_COUNT };

typedef struct field_list {
    unsigned form;                /* SCREEN or CSV                                  */
    field  field[MOST_COLUMNS];
    char   name[MOST_COLUMNS][COLUMN_NAME];
    size_t count;
} field_list;

/* These values, in a column called as the three texts joined. */
void curves_add_field(field_list *list, const char *before, const char *name,
                      const char *after, field values);

/* The columns of the first table, and of the CSV, which is all of them. */
void curves_list_rates(const curve_set *c, size_t job, unsigned form, field_list *list);

/* The job's first point. */
const sgdp_prediction *curves_first(const curve_set *c, size_t job);

/* Numbers of a prediction; examples of a job without a batch are empty. */
field curves_number(const char *name, const double *first);
field curves_workers(const curve_set *c, size_t job);
field curves_examples(const curve_set *c, size_t job);
field curves_low(const curve_set *c, size_t job);
field curves_high(const curve_set *c, size_t job);
field curves_elasticity(const curve_set *c, size_t job, sgdp_input input);

/* Words. */
field curves_bottleneck(const curve_set *c, size_t job);
field curves_branch(const curve_set *c, size_t job);
field curves_status(const curve_set *c, size_t job);

/* ---- Steps by layers ---------------------------------------------------------- */

/* Words for the ways of a step, "ring:flat+tree:flat", in fresh memory; "": there is nothing
 * to exchange. */
const char *replica_ways_text(uint64_t ways);

/* Columns of a point that are more than its workers and throughput. */
void replica_print_members(columns *t, const replica_set *s, const replica_point *p);

/* Reads, predicts and prints; returns the status to exit with. */
int replica_predict(const args *a, size_t processes);

#endif /* TOOLS_CMD_PREDICT_H */
