/* balance.h - batches of uneven workers: what the subcommands of balance share */
#ifndef TOOLS_CMD_BALANCE_BALANCE_H
#define TOOLS_CMD_BALANCE_BALANCE_H

#include "base/args.h"
#include "base/csv.h"
#include "base/names.h"
#include "base/numbers.h"
#include "base/tool.h"
#include "cmd/rules.h"
#include "files/series.h"
#include "sgdperf_balance.h"
#include "sgdperf_forecast.h"

/* ---- Subcommands: argv[0] is "balance NAME" -------------------------------- */

int balance_cpu(int argc, char **argv);
int balance_gpu(int argc, char **argv);
int balance_predict(int argc, char **argv);
int balance_run(int argc, char **argv);
int balance_fit(int argc, char **argv);
int balance_series(int argc, char **argv);

/* ---- Alg. 2: the options that gpu and run share ----------------------------- */

#define PAIRS_OPTIONS                                                                      \
    {"--rule", ARGS_VALUE}, {"--step", ARGS_VALUE}, {"--window", ARGS_VALUE},              \
    {"--fine-step", ARGS_VALUE}, {"--fine-window", ARGS_VALUE}

#define PAIRS_HELP                                                                         \
    "  --rule R              published: as printed; advised: moves what makes the two times\n" \
    "                        equal, to the worker whose time is the shortest after one sample\n" \
    "                        more, ends at its memory, and starts again when the times of\n" \
    "                        workers change [published]\n"                                  \
    "  --step N              samples of a move [5]\n"                                       \
    "  --window N            iterations in which the fastest must have been faster than the\n" \
    "                        slowest before a move [5]\n"                                   \
    "  --fine-step N         --step once the slowest was the faster one [1]\n"              \
    "  --fine-window N       --window then, as --fine-step [20; advised 10]\n"

/* Sets what the options say. */
void pairs_read(sgdbal_pairs *pairs, const args *a);

/* ---- read.c ---------------------------------------------------------------- */

/* A list of whole numbers, one for each of `count` workers; one alone is for all. NULL
 * if it was not given. */
uint32_t *whole_list(const args *a, const char *name, uint64_t min, size_t count);

/* The columns launch_s, slope_s, floor_s, communication_s and, if there, max_batch. */
void worker_read(const csv_table *t, size_t row, sgdbal_worker *worker);

/* t(x), also beyond max_batch, of the worker in this row; fails where it is no number. */
double worker_time_s(const sgdbal_worker *worker, uint32_t batch, const csv_table *t,
                     size_t row);

TOOL_NORETURN void time_is_too_long(const csv_table *t, size_t row, uint32_t batch);

/* Adds the text of a cell; fails over an empty one, and over a second of the same name. */
void name_read(name_index *names, const csv_table *t, size_t row, int column);

/* Rows speed[,cpu,memory] of a file, all but speed 0 where its column is not there;
 * uses != 0: they must be. */
const csv_table *series_read(series *s, const char *path, number_rule speed, int uses);

/* ---- Predictors ------------------------------------------------------------ */

extern const char *const predictor_names[SGDFC_KIND_COUNT];

#define PREDICTOR_OPTIONS                                                               \
    {"--predictor", ARGS_VALUE}, {"--train", ARGS_VALUE}, {"--smoothing", ARGS_VALUE},  \
    {"--epochs", ARGS_VALUE}, {"--no-line", ARGS_FLAG}, {"--unclamped", ARGS_FLAG}

#define PREDICTOR_HELP                                                                     \
    "  --predictor P         memoryless: the last speed; ema: their exponential mean; arima:\n" \
    "                        ARIMA(2,2,1); rnn, lstm: networks of the last two speeds; narx: a\n" \
    "                        network of these and the use of CPU and memory now and in the\n" \
    "                        last two iterations; arx: a line of the same [memoryless]\n"  \
    "  --train N             iterations that arima, rnn, lstm, narx and arx learn from; until\n" \
    "                        then they predict as ema does [500]\n"                        \
    "  --smoothing A         weight of the newest speed in ema, up to 1 [0.2]\n"           \
    "  --epochs N            of networks, steps of arima, at most [200]\n"                 \
    "  --no-line             networks alone, without a line beside them\n"                 \
    "  --unclamped           networks read numbers beyond those that they were trained on\n"

void predictor_read(sgdfc_config *predictor, const args *a);

int predictor_reads_uses(sgdfc_kind kind);

#endif /* TOOLS_CMD_BALANCE_BALANCE_H */
