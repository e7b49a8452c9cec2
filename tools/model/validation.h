/* validation.h - the parts of sgdperf validate: rows, predictions, errors and bounds, printed */
#ifndef TOOLS_MODEL_VALIDATION_H
#define TOOLS_MODEL_VALIDATION_H

#include "base/columns.h"
#include "base/output.h"
#include "files/bands.h"
#include "model/replay.h"
#include "sgdperf_fit.h"

#define VALIDATE_FOLDER "validation/datasets"
#define VALIDATE_TARGETS "validation/paper_targets.csv"
#define VALIDATE_LEVEL 0.9             /* of the bands                              */

/* Models: those of a profile, then black boxes, then the simulator. */
enum {
    VALIDATE_REPLAYED = (int)SGDP_MODEL_COUNT + (int)SGDFIT_BLACKBOX_COUNT,
    VALIDATE_MODELS = VALIDATE_REPLAYED + (int)REPLAY_COUNT
};

const char *validate_model_name(size_t model);

/* Rows by dataset or by group: row[start[i]] up to row[start[i + 1]] in file order. */
typedef struct row_index { size_t *start, *row; } row_index;

typedef struct fitted_value {
    size_t group, model;
    double value;
} fitted_value;

typedef struct validate_result {
    size_t dataset, model;
    sgdfit_error_statistics errors;
    int    bounded, ok;
    double bound_mean, bound_max;
} validate_result;

typedef struct validation {
    dataset_list     data;
    row_index        of_dataset, of_group;
    double          *predicted; /* [rows][VALIDATE_MODELS] batches per second, 0: not         */
    replay          *replayed;  /* [rows][REPLAY_COUNT]                                       */
    fitted_value    *fitted;
    size_t           fitted_count, fitted_room;
    validate_result *result;
    size_t           results, result_room;
    int              with_bounds;
    sgdp_status      status;    /* SGDP_NOT_CONVERGED if any prediction was          */
    void            *work;
    size_t           work_bytes;
} validation;

/* The files, or all of VALIDATE_FOLDER. */
void validate_read(validation *v, const args *a);

/* The row's job as a model sees it: with the variation that it takes where nobody says. */
sgdp_job validate_job(const dataset_row *r, sgdp_model model);

/* Every row by every model that has what it needs; replays in so many processes, none if 0. */
void validate_predict(validation *v, size_t processes);

int validate_is_predicted(const validation *v, size_t row);
int validate_is_scored(const validation *v, size_t row);

/* Why nothing predicts a row that lacks nothing and is of a kind that models know. */
const char *validate_reason(const dataset_row *r);

/* How many rows of a dataset that are to be scored nothing predicts, and the first of them;
 * and why nothing predicts a row, in words. */
size_t validate_unpredicted(const validation *v, size_t dataset, const dataset_row **first);
const char *validate_why(const dataset_row *r);

/* Relative, with its sign. */
double validate_error(double predicted, double measured);

/* The replays of a row by a model if they are several, else NULL. */
const replay *validate_replays(const validation *v, size_t row, size_t model);

/* The errors per dataset and model. Where there is nothing to print, the first reason is
 * what is wrong. */
void validate_score(validation *v);

/* The bounds in the file at `path`; all: of the default folder. */
void validate_apply_bounds(validation *v, const char *path, int all);

size_t validate_count_exceeded(const validation *v);

/* Is it of the model that predict takes by itself (--model auto)? */
int validate_is_default(const validation *v, const validate_result *r);

/* Scratch of at least `bytes`, which the next call takes back. */
void *validate_scratch(validation *v, size_t bytes);

/* The class of a row by what is known of its inputs; of its rows, by the models that predict
 * takes by itself, the band of all and how they lie in those of the other datasets' rows. */
typedef struct validate_band {
    size_t               rows, sets;
    sgdfit_band            band;
    int                  bounded; /* the rows are enough for a band                         */
    int                  tested;  /* so are those of the other datasets                     */
    sgdfit_coverage_result left_out;
    double               covered; /* share of its rows                                      */
} validate_band;

band_class validate_class(const validation *v, const dataset_row *r);
validate_band validate_band_of(validation *v, band_class of);

/* By class of what is known: the half-width of the band that holds a row, and how many rows
 * of a dataset lie in the band of the others. */
void validate_print_coverage(output *out, validation *v);

/* The errors of a model over all scored rows of a mode, from *sets datasets; rows 0: none. */
sgdfit_error_statistics validate_pooled(const validation *v, train_mode mode, size_t model,
                                        size_t *sets);

/* Errors over all rows of a mode, whatever their datasets; the table where these are two or
 * more. */
void validate_json_pooled(output *out, const validation *v);
void validate_print_pooled(output *out, const validation *v);

/* Errors over the rows of a class, beside those that papers print (VALIDATE_TARGETS). */
void validate_print_targets(output *out, const validation *v);

void validate_print(output *out, const validation *v, int with_rows);

/* Rows, and their errors. */
void validate_print_errors(columns *t, const sgdfit_error_statistics *e);

#endif /* TOOLS_MODEL_VALIDATION_H */
