/* predict.c - sgdperf balance predict, and series: the speeds of a worker */
#include "base/columns.h"
#include "cmd/balance/balance.h"
#include "files/status.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf balance predict SERIES.csv [option ...]\n"
    "\n"
    "Predicts the speed of a worker in each iteration from those before.\n"
    "\n"
    "SERIES.csv (- is stdin) has one row per iteration:\n"
    "  speed   samples/s\n"
    "  cpu     part of the machine, or any measure >= 0, that the worker has\n"
    "  memory  the same; narx and arx need both, known as the iteration begins\n"
    "\n"
    "How to predict\n"),
    USE(PREDICTOR), USE(TRAIN), USE(SMOOTHING), USE(EPOCHS), USE(NO_LINE), USE(UNCLAMPED),
    USE_HELP(SEED, "seed of the initial weights and shuffles of networks", "1"),
    USE(WEIGHTS_FROM),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (speed and prediction of all rows) or json",
         "table"),
    SECTION("Results",
    "  rmse     root of the mean squared error of the rows from --train + 10 on,\n"
    "           counted from 0, of which there must be 10; memoryless and ema also\n"
    "           take fewer rows, and then score all but the first\n"
    "  epochs   epochs that were run, of arima steps\n"
    "  clamped  rows in which a network read numbers beyond those of its training,\n"
    "           set to their limits\n"),
    SECTION("Example",
    "  $ printf '%s\\n' speed 100 104 98 97 130 | sgdperf balance predict - \\\n"
    "      --predictor ema\n"
    "  predictor    rmse  rows_scored  first_scored  epochs  clamped\n"
    "  ema        15.484            4             1       0        0\n")
};

static const option_rule rules[] = {
    PREDICTOR_RULES, NEEDS(ONE(WEIGHTS_FROM), IS(PREDICTOR, "arima rnn lstm narx"))
};

/* ---- Predicting ------------------------------------------------------------ */

typedef struct speeds {
    const csv_table *file;
    series           rows;
    sgdfc_series     column;  /* the same                                           */
} speeds;

static void speeds_read(speeds *s, const char *path, const sgdfc_config *f)
{
    const uint64_t need = sgdfc_rows(f);
    s->file = series_read(&s->rows, path, NUMBER_NON_NEGATIVE,
                          predictor_reads_uses(f->kind));
    size_t n = s->rows.rows;
    if (n < need)
        csv_fail(s->file, n - 1, CSV_NONE, "the series has %lu row%s, but predictor %s with "
                                           "--train %lu needs %lu rows",
                 (unsigned long)n, n == 1 ? "" : "s", predictor_names[f->kind],
                 (unsigned long)f->train, (unsigned long)need);
    double *column = (double *)tool_alloc(3 * n, sizeof *column);
    for (size_t i = 0; i < n; i++) {
        column[i] = s->rows.row[i].speed;
        column[n + i] = s->rows.row[i].cpu;
        column[2 * n + i] = s->rows.row[i].memory;
    }
    s->column.speed = column;
    s->column.cpu = column + n;
    s->column.memory = column + 2 * n;
    s->column.rows = n;
}

static void predict(const sgdfc_config *f, const speeds *s, sgdfc_result *p)
{
    size_t bytes = 0, bad_row = 0;
    p->predicted = (double *)tool_alloc(s->column.rows, sizeof *p->predicted);
    p->weights = (double *)tool_alloc(sgdfc_weights(f->kind), sizeof *p->weights);
    tool_check_forecast(sgdfc_bytes(f, &bytes), predictor_names[f->kind]);
    sgdfc_status status = sgdfc_run(f, &s->column, tool_alloc(bytes, 1), bytes, &bad_row, p);
    if (status == SGDFC_BAD_ROW)
        csv_fail(s->file, bad_row, CSV_NONE, "%s", sgdfc_status_text(status));
    tool_check_forecast(status, s->file->name);
}

/* ---- Printing -------------------------------------------------------------- */

static void print(output *out, const sgdfc_config *f, const sgdfc_result *p,
                  const sgdfc_series *s)
{
    json_object(out, NULL);
    columns c = columns_open(out, SCREEN | JSON, NULL);
    columns_row(&c);
    column_text(&c, ALL, "predictor", predictor_names[f->kind]);
    column_number(&c, ALL, "rmse", known_if(p->rows_scored > 0, p->rmse));
    column_whole(&c, ALL, "rows_scored", p->rows_scored);
    column_whole(&c, ALL, "first_scored", p->first_scored);
    column_whole(&c, JSON, "train", f->train);
    column_whole(&c, JSON, "seed", f->seed);
    column_whole(&c, ALL, "epochs", p->epochs);
    column_whole(&c, ALL, "clamped", p->clamped);
    columns_close(&c);
    json_numbers(out, "predictions", p->predicted, s->rows);
    json_numbers(out, "weights", p->weights, sgdfc_weights(f->kind));
    json_end(out);
    c = columns_open(out, CSV, NULL);
    for (size_t i = 0; columns_next(&c, i < s->rows); i++) {
        column_whole(&c, ALL, "row", i);
        column_number(&c, ALL, "speed", s->speed[i]);
        column_number(&c, ALL, "predicted", p->predicted[i]);
    }
}

static int run(args *a)
{
    sgdfc_config f;
    sgdfc_result p = {0}, other = {0};
    speeds s = {0}, from = {0};
    output out = {.form = args_form(a)};
    predictor_read(&f, a);
    f.seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 1);
    if (args_given(a, OPTION_WEIGHTS_FROM)) {
        speeds_read(&from, args_text(a, OPTION_WEIGHTS_FROM, ""), &f);
        predict(&f, &from, &other);
    }
    speeds_read(&s, a->files[0], &f);
    f.start = other.weights;
    predict(&f, &s, &p);
    print(&out, &f, &p, &s.column);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_predict = {
    "predict", NULL, run, uses, COUNT_OF(uses), rules, COUNT_OF(rules), 1, 1, NULL, 0,
    EACH(OPTION_PREDICTOR, OPTION_TRAIN, OPTION_SEED)};

/* ---- Series ---------------------------------------------------------------- */

static const option_use series_uses[] = {
    ABOUT(
    "usage: sgdperf balance series [option ...]\n"
    "\n"
    "Prints the speeds of a worker on a machine that it shares with seeded tasks, and\n"
    "what they leave of it; csv is a file for sgdperf balance predict and run.\n"
    "\n"
    "In an iteration a task comes with probability 0.02, stays 5 iterations and an\n"
    "exponential time of mean 60 more, and takes U(0.05, 0.35) of the CPU and U(0.05,\n"
    "0.3) of the memory. With --task-length N tasks stay N / 65 times as long, and\n"
    "come as many times less often. What is left, with normal noise of deviation\n"
    "0.06 and 0.01 and at least 0.08, are cpu and memory. speed is V cpu^0.9 min(1,\n"
    "memory / 0.45)^0.5 with noise of deviation 4 V / 110. Of the speeds 3 % are\n"
    "spikes, U(0.75, 0.95) of that; V / 20 is the least. Row 0 is the 301st\n"
    "iteration.\n"
    "\n"
    "What to print\n"),
    USE_HELP(ITERATIONS, "number of rows to print", "2000"),
    USE(SPEED), USE(TASK_LENGTH),
    USE_HELP(SEED, "seed of the random tasks and of the random noise", "1"),
    HEADING("Output"), USE(FORMAT),
    SECTION("Example",
    "  $ sgdperf balance series --seed 1 --iterations 2\n"
    "   speed      cpu   memory\n"
    "  42.045  0.42125  0.29984\n"
    "  46.572  0.42473  0.31245\n")
};

static int run_series(args *a)
{
    series s = {0};
    output out = {.form = args_form(a)};
    uint64_t rows = args_integer(a, OPTION_ITERATIONS, 1, 1000000, 2000);
    series_generate(&s, args_integer(a, OPTION_SEED, 0, UINT64_MAX, 1),
                    args_number(a, OPTION_SPEED, SERIES_IDLE_SPEED), task_length_read(a));
    columns c = columns_open(&out, TABLES, NULL);
    for (uint64_t k = 0; columns_next(&c, k < rows); k++) {
        const series_row *row = series_at(&s, k);
        column_number(&c, ALL, "speed", row->speed);
        column_number(&c, ALL, "cpu", row->cpu);
        column_number(&c, ALL, "memory", row->memory);
    }
    json_object(&out, NULL);
    json_array(&out, "rows");
    for (uint64_t k = 0; k < rows; k++) {
        const double cells[3] = {s.row[k].speed, s.row[k].cpu, s.row[k].memory};
        json_numbers(&out, NULL, cells, 3);
    }
    json_end(&out);
    json_end(&out);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_balance_series = {"series", NULL, run_series, series_uses,
                                             COUNT_OF(series_uses), NULL, 0, 0, 0, NULL, 0,
                                             EACH(OPTION_ITERATIONS, OPTION_SPEED, OPTION_SEED)};
