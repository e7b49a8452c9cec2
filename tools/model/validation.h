/* validation.h - measured rows, predicted by every model that has what it needs, and their errors:
 * what sgdperf validate and report print */
#ifndef TOOLS_MODEL_VALIDATION_H
#define TOOLS_MODEL_VALIDATION_H

#include "files/bands.h"
#include "files/points.h"
#include "model/replay.h"

#define VALIDATE_FOLDER "validation/datasets"
#define VALIDATE_LEVEL 0.9             /* of the bands                              */

/* Models: those of a profile, then black boxes, then the simulator. */
enum {
    VALIDATE_REPLAYED = (int)SGDP_MODEL_COUNT + (int)SGDFIT_BLACKBOX_COUNT,
    VALIDATE_MODELS = VALIDATE_REPLAYED + (int)REPLAY_COUNT
};

const char *validate_model_name(size_t model);

/* The job that a model sees of a row, less what is fitted. */
sgdp_job validate_job(const dataset_row *r, sgdp_model model);

typedef struct fitted_value {
    size_t group, model;
    const char *quantity;     /* a word of dataset_fit_names, or an input's name    */
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
    row_list        *of_dataset, *of_group, *of_curve;
    size_t          *source;    /* [rows] number of a row's source                            */
    size_t          *curve;     /* [rows] number of a row's curve, below those of of_curve     */
    double          *predicted; /* [rows][VALIDATE_MODELS] batches per second, 0: not         */
    replay          *replayed;  /* [rows][REPLAY_COUNT]                                       */
    fitted_value    *fitted;
    size_t           fitted_count, fitted_room;
    validate_result *result;
    size_t           results, result_room;
    int              with_bounds;
    sgdp_status      status;    /* SGDP_NOT_CONVERGED if any prediction was          */
} validation;

/* The files, or all of VALIDATE_FOLDER. */
void validate_read(validation *v, const args *a);

/* Every row by every model that has what it needs; replays in so many processes, none if 0. */
void validate_predict(validation *v, size_t processes);

/* Batches per second; 0: not predicted. */
static inline double validate_predicted(const validation *v, size_t row, size_t model)
{
    return v->predicted[row * VALIDATE_MODELS + model];
}

int validate_is_predicted(const validation *v, size_t row);
int validate_is_scored(const validation *v, size_t row);

/* How many rows of a dataset that are to be scored nothing predicts, and the first of them;
 * and why nothing predicts a row, in words. */
size_t validate_unpredicted(const validation *v, size_t dataset, const dataset_row **first);
const char *validate_why(const dataset_row *r);

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

/* Does predict take the model by itself for one of the rows of a mode? */
int validate_is_usual(const validation *v, train_mode mode, size_t model);

/* The errors of a model over all scored rows of a mode, from *sets datasets; rows 0: none. */
enum { VALIDATE_USUAL = VALIDATE_MODELS }; /* the model that predict takes for each row      */
typedef struct validate_pool {
    train_mode  mode;
    size_t      model;        /* or VALIDATE_USUAL                                   */
    const char *class;        /* of rows of this architecture alone; NULL: of all    */
    int         uncorrected;  /* as if no transfer hid behind computation            */
} validate_pool;

sgdfit_error_statistics validate_pooled(const validation *v, const validate_pool *of,
                                        size_t *sets);

/* The class of a row; BAND_CLASSES: predict has no band for it. */
band_class validate_class(const validation *v, const dataset_row *r);

/* The band that predict prints around what it says of the row, and whether the measured value lies
 * in this band. */
band validate_band_at(const validation *v, size_t row);
int validate_in_band(const validation *v, size_t row);

/* Of the rows of a class, by the models that predict takes by itself: the band of all, and how
 * they lie in those of the other sources' rows. */
typedef struct validate_band {
    size_t                 rows, sources;
    size_t                 inside;  /* rows in the band that predict prints                  */
    sgdfit_band            band;
    int                    bounded; /* the rows are enough for a band                        */
    int                    tested;  /* so are those of the other sources                     */
    sgdfit_coverage_result left_out;
    double                 covered; /* share of its rows                                     */
} validate_band;

validate_band validate_band_of(validation *v, band_class of);

#endif /* TOOLS_MODEL_VALIDATION_H */
