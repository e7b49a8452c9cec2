/* balance.h - batches of uneven workers: what the subcommands of balance share */
#ifndef TOOLS_CMD_BALANCE_BALANCE_H
#define TOOLS_CMD_BALANCE_BALANCE_H

#include "base/names.h"
#include "sgdperf_balance.h"
#include "cmd/rules.h"
#include "files/series.h"

/* ---- Subcommands: argv[0] is "balance NAME" -------------------------------- */

int balance_cpu(int argc, char **argv);
int balance_gpu(int argc, char **argv);
int balance_predict(int argc, char **argv);
int balance_run(int argc, char **argv);
int balance_fit(int argc, char **argv);
int balance_series(int argc, char **argv);

/* ---- Alg. 2: the options that gpu and run share ----------------------------- */

#define PAIRS_OPTIONS                                                                      \
    {"--step", ARGS_VALUE}, {"--window", ARGS_VALUE}, {"--fine-step", ARGS_VALUE},         \
    {"--fine-window", ARGS_VALUE}, {"--history", ARGS_VALUE}, {"--tolerance", ARGS_VALUE}, \
    {"--memory-limit", ARGS_VALUE}, {"--cut-to-memory", ARGS_FLAG},                        \
    {"--hysteresis", ARGS_VALUE}, {"--restart", ARGS_VALUE},                               \
    {"--restart-each", ARGS_FLAG}, {"--project", ARGS_FLAG}, {"--advised", ARGS_FLAG}

#define PAIRS_HELP                                                                         \
    "  --step N, --window N  samples of a move, and iterations in which the fastest must have\n" \
    "                        been faster than the slowest before one [5, 5]\n"             \
    "  --fine-step N, --fine-window N\n"                                                   \
    "                        the same once the slowest was the faster one [1, 20]\n"       \
    "  --history N           iterations that are remembered [64]\n"                        \
    "  --tolerance E         shorter means by more than this part; 0: by anything [1e-9]\n" \
    "  --memory-limit M      who uses more than this part of max_batch takes none [0.95]\n" \
    "beyond the published rule, all off:\n"                                                \
    "  --cut-to-memory       moves end at max_batch and --memory-limit\n"                  \
    "  --hysteresis H        only moves after which the longer of the two times is below\n" \
    "                        1 - H of the slowest worker's now, 0 < H < 1\n"               \
    "  --restart R           starts again when the longest time changed by more than this\n" \
    "                        part with the same batches\n"                                 \
    "  --restart-each        when that of any worker did\n"                                \
    "  --project             moves what makes the two times equal, to the worker whose time\n" \
    "                        is the shortest after one sample more\n"                      \
    "  --advised             --cut-to-memory --project --restart 0.05 --restart-each\n"    \
    "                        --fine-window 10, where these are not given\n"

/* Sets what the options say; the rule, workers and batches are the caller's. */
void pairs_read(sgdbal_balance *rules, const args *a);

/* ---- balance_read.c -------------------------------------------------------- */

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

extern const char *const predictor_names[SGDBAL_FORECAST_METHODS];

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

void predictor_read(sgdbal_forecast *forecast, const args *a);

int predictor_reads_uses(sgdbal_forecast_method method);

#endif /* TOOLS_CMD_BALANCE_BALANCE_H */
