/* predict.h - the parts of sgdperf predict: what is asked for and predicted, and printed */
#ifndef TOOLS_CMD_PREDICT_H
#define TOOLS_CMD_PREDICT_H

#include "options/args.h"
#include "base/fields.h"
#include "base/output.h"
#include "files/bands.h"
#include "files/job.h"

typedef struct curve_set {
    job_set          jobs;
    uint32_t        *workers;     /* [points] of each job                           */
    size_t           points;
    int              contiguous;  /* workers are 1, 2, ...: the curve has a knee    */
    sgdp_prediction *prediction;  /* [jobs][points]                                 */
    sgdp_status     *status;      /* [jobs][points]                                 */
    double          *elasticity;  /* [jobs][points][SGDP_INPUT_COUNT], NULL: none   */
    sgdp_resource    resource[SGDP_RESOURCE_COUNT]; /* those that are printed       */
    size_t           resources;
    band             band;        /* of all points                                  */
    double          *spread;      /* [jobs][points] that of the profile; NULL: none */
    double          *low, *high;  /* [jobs][points] of the band; NULL: none         */
    int              shown[SGDP_INPUT_COUNT]; /* inputs whose elasticity is printed */
    size_t           processes;   /* at work                                        */
} curve_set;

/* By sgdp_input; empty: has no elasticity. */
enum { CURVES_INPUT_NAME = 20 };
extern const char curves_input_names[SGDP_INPUT_COUNT][CURVES_INPUT_NAME];

/* The option --workers, or the workers of the types. */
void curves_read_workers(curve_set *c, const args *a);

/* Notes a barrier of more workers than a sample has times. */
void curves_note_sample(const curve_set *c);

/* The part of a step in which a worker's own link is busy, each way, at prediction `at`, where
 * that is more than the bottleneck is; else 0. */
double curves_own_link(const curve_set *c, size_t at);

/* Notes what the bottleneck and the speedup could be taken for and are not. */
void curves_note_limits(const curve_set *c);

/* Of so many points, of so many operations: whether these or their printing take long. */
void curves_note_points(const curve_set *c, double operations);

/* The band of --inputs and --bands; none where the rows shipped say nothing of the model. */
void curves_read_band(curve_set *c, const args *a);

/* A ring's server and the exchange inside machines are shown where there are any. */
void curves_choose_resources(curve_set *c);

/* Elasticities of inputs that some job has. */
void curves_choose_inputs(curve_set *c);

/* All points of all jobs; the worst status of any. */
sgdp_status curves_predict(curve_set *c, int elasticity);

/* Workers beyond which no more gain more than 1 %; 0: none within the curve. */
size_t curves_knee(const curve_set *c, size_t job);

void curves_print_json(output *out, const curve_set *c, sgdp_status status);
void curves_print_csv(output *out, curve_set *c);
void curves_print_tables(output *out, const curve_set *c);

/* Half-width of the band of prediction `at` joined with its profile's; 0: not known. */
double curves_half_width(const curve_set *c, const sgdp_prediction *p);

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

#endif /* TOOLS_CMD_PREDICT_H */
