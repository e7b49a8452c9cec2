/* balance.h - batches of uneven workers: what the subcommands of balance share */
#ifndef TOOLS_CMD_BALANCE_BALANCE_H
#define TOOLS_CMD_BALANCE_BALANCE_H

#include "base/csv.h"
#include "base/names.h"
#include "base/output.h"
#include "cmd/rules.h"
#include "files/series.h"
#include "options/args.h"
#include "sgdperf_balance.h"
#include "sgdperf_forecast.h"

extern const args_command command_balance_cpu, command_balance_gpu, command_balance_predict,
    command_balance_run, command_balance_fit, command_balance_series;

/* ---- Alg. 2: the options that gpu and run share ----------------------------- */

#define PAIRS_OPTIONS                                          \
    OPTION_RULE, OPTION_STEP, OPTION_WINDOW, OPTION_FINE_STEP, \
    OPTION_FINE_WINDOW

/* Sets what the options say. */
void pairs_read(sgdbal_pairs *pairs, const args *a);

/* ---- read.c ---------------------------------------------------------------- */

/* A list of whole numbers, one for each of `count` workers; one alone is for all. NULL
 * if it was not given. */
uint32_t *whole_list(const args *a, option_id name, uint64_t min, size_t count);

/* The columns launch_s, slope_s, floor_s, communication_s and, if there, max_batch. */
void worker_read(const csv_table *t, size_t row, sgdbal_worker *worker);

/* t(x), also beyond max_batch, of the worker in this row; fails where it is no number. */
double worker_time_s(const sgdbal_worker *worker, uint32_t batch, const csv_table *t,
                     size_t row);

TOOL_NORETURN void time_is_too_long(const csv_table *t, size_t row, uint32_t batch);

/* Adds the text of a cell, or what is made of it, and gives its number; fails over an empty
 * cell. Is the name new? */
int name_add(name_index *names, const csv_table *t, size_t row, int column, const char *text,
             size_t *number);

/* The same, of a name that must be new. */
void name_read(name_index *names, const csv_table *t, size_t row, int column, const char *text);

/* --format ranks: rows rank,batch,gradient_weight, if it is asked for. */
#define RANKS_FORMAT(text) USE_AS(FORMAT, CHOICE, NULL, "table csv json ranks", text, "table")
int ranks_print(output *out, const args *a, const uint32_t *batch, size_t workers);

void json_batches(output *out, const char *key, const uint32_t *batch, size_t count);

/* Rows speed[,cpu,memory] of a file, all but speed 0 where its column is not there;
 * uses != 0: they must be. */
const csv_table *series_read(series *s, const char *path, number_rule speed, int uses);

/* --task-length: mean number of iterations, 2 or more, that a seeded task stays. */
double task_length_read(const args *a);

/* ---- Predictors ------------------------------------------------------------ */

extern const char *const predictor_names[SGDFC_KIND_COUNT];

#define PREDICTOR_OPTIONS                                            \
    OPTION_PREDICTOR, OPTION_TRAIN, OPTION_SMOOTHING, OPTION_EPOCHS, \
    OPTION_NO_LINE, OPTION_UNCLAMPED

#define PREDICTOR_RULES                                                       \
    EXCLUDES(ONE(SMOOTHING), IS(PREDICTOR, "memoryless")),                    \
    NEEDS(ONE(EPOCHS), IS(PREDICTOR, "arima rnn lstm narx")),                 \
    NEEDS(EACH(OPTION_NO_LINE, OPTION_UNCLAMPED), IS(PREDICTOR, "rnn lstm narx"))

void predictor_read(sgdfc_config *predictor, const args *a);

int predictor_reads_uses(sgdfc_kind kind);

#endif /* TOOLS_CMD_BALANCE_BALANCE_H */
