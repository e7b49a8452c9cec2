/* fuzz_predict.c - any short series is predicted or refused, whatever the options: within
 * the work area that is asked for, row by row as all at once, and from learned weights
 * again. */
#include "../sgdperf_forecast.h"

#include "fuzz.h"

enum { ROWS = 48, WEIGHTS = 1172, RUNS = 2 };

/* Mostly an ordinary value, sometimes one that is not. */
static double value(fuzz_bytes *b)
{
    const double odd[] = {
        0.0,  -0.0,    -1.0,     5e-324,   DBL_MIN,   1e-300,
        1e30, DBL_MAX, 1e70,     HUGE_VAL, 1e-70,     (double)NAN};
    return fuzz_pick(b, odd, sizeof odd / sizeof odd[0]);
}

typedef struct input {
    sgdfc_config forecast;
    sgdfc_series   series;
    double speed[ROWS], cpu[ROWS], memory[ROWS];
} input;

/* Rows past the end of the data repeat earlier ones, a little changed. */
static void read_column(fuzz_bytes *b, double *column, size_t rows)
{
    for (size_t k = 0; k < rows; k++)
        column[k] = fuzz_more(b) || k < 7 ? value(b)
                                          : column[k - 7] + 0.01 * (double)(k % 5);
}

static void read_input(fuzz_bytes *b, input *in)
{
    sgdfc_config *f = &in->forecast;
    memset(in, 0, sizeof *in);
    f->kind = (sgdfc_kind)(fuzz_byte(b) % (SGDFC_KIND_COUNT + 1));
    unsigned flags = fuzz_byte(b);
    f->train = flags & 1 ? fuzz_byte(b) % 24 : 10 + flags / 64;
    f->epochs = 1 + fuzz_byte(b) % 2;
    f->seed = fuzz_byte(b);
    f->smoothing = flags & 2 ? value(b) : 0.0;
    f->no_line = (flags & 4) != 0;
    f->unclamped = (flags & 8) != 0;
    in->series.rows = fuzz_byte(b) % (ROWS + 1);
    in->series.speed = in->speed;
    if (!(flags & 16)) in->series.cpu = in->cpu;
    if (!(flags & 32)) in->series.memory = in->memory;
    read_column(b, in->speed, in->series.rows);
    read_column(b, in->cpu, in->series.rows);
    read_column(b, in->memory, in->series.rows);
}

static int is_measure(double x) { return x >= 0.0 && x <= 1e70; }

/* The first row with a number out of domain, in columns that are there. */
static size_t first_bad(const input *in)
{
    for (size_t k = 0; k < in->series.rows; k++)
        if (!is_measure(in->speed[k]) || (in->series.cpu && !is_measure(in->cpu[k])) ||
            (in->series.memory && !is_measure(in->memory[k])))
            return k;
    return in->series.rows;
}

typedef struct answer {
    sgdfc_result out;
    sgdfc_status     status;
    size_t              bad_row;
    double              predicted[ROWS], weights[WEIGHTS];
} answer;

static void predict(const input *in, int dirt, answer *a)
{
    size_t need = 0;
    memset(a, 0, sizeof *a);
    a->out.predicted = a->predicted;
    a->out.weights = a->weights;
    a->bad_row = SIZE_MAX;
    a->status = sgdfc_bytes(&in->forecast, &need);
    if (a->status != SGDFC_OK) return;
    void *work = fuzz_area(need, dirt);
    a->status = sgdfc_run(&in->forecast, &in->series, work, need, &a->bad_row, &a->out);
    free(work);
}

static void require_result(const input *in, const answer *a)
{
    const size_t rows = in->series.rows, weights = sgdfc_weights(in->forecast.kind);
    double squares = 0.0;
    for (size_t k = 0; k < rows; k++) require(fabs(a->predicted[k]) <= DBL_MAX);
    for (size_t k = 0; k < weights; k++) require(fabs(a->weights[k]) <= DBL_MAX);
    require(memcmp(a->predicted, in->speed, sizeof in->speed[0]) == 0);
    for (size_t k = a->out.first_scored; k < rows; k++)
        squares += (a->predicted[k] - in->speed[k]) * (a->predicted[k] - in->speed[k]);
    require(a->out.rows_scored == (rows > a->out.first_scored ? rows - a->out.first_scored : 0));
    require(a->out.rmse >= 0.0 && a->out.clamped <= rows);
    if (a->out.rows_scored > 0) {
        const double want = sqrt(squares / (double)a->out.rows_scored);
        require(fabs(a->out.rmse - want) <= 1e-12 * want || want > DBL_MAX);
    }
}

/* As a training loop asks, and in memory of other contents. */
static void require_steps(const input *in, const answer *a)
{
    static double weights[WEIGHTS];
    sgdfc_forecaster *p = NULL;
    size_t need = 0, clamped = 0;
    uint32_t epochs = 0;
    require(sgdfc_bytes(&in->forecast, &need) == SGDFC_OK);
    void *work = fuzz_area(need, 0xff);
    require(sgdfc_open(&in->forecast, work, need, &p) == SGDFC_OK);
    for (size_t k = 0; k < in->series.rows; k++) {
        const double c = in->series.cpu ? in->cpu[k] : 0.0;
        const double m = in->series.memory ? in->memory[k] : 0.0;
        double v = in->speed[k];
        const sgdfc_status status = sgdfc_predict(p, c, m, &v);
        require(status == (k > 0 ? SGDFC_OK : SGDFC_SHORT_SERIES));
        require(memcmp(&v, &a->predicted[k], sizeof v) == 0);
        require(sgdfc_observe(p, in->speed[k], c, m) == SGDFC_OK);
    }
    if (sgdfc_learned(p, weights, &epochs, &clamped) == SGDFC_OK) {
        require(epochs == a->out.epochs && clamped == a->out.clamped);
        for (size_t k = 0; k < sgdfc_weights(in->forecast.kind); k++)
            require(memcmp(&weights[k], &a->weights[k], sizeof weights[k]) == 0);
    } else {
        require(a->out.epochs == 0);
    }
    free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    static answer a[RUNS];
    fuzz_bytes b = fuzz_read(data, size);
    read_input(&b, &in);
    predict(&in, 0, &a[0]);
    uint64_t need = sgdfc_rows(&in.forecast);
    if (need == 0) require(a[0].status == SGDFC_BAD_ARGUMENT);
    else if (a[0].status != SGDFC_BAD_ARGUMENT && in.series.rows < need)
        require(a[0].status == SGDFC_SHORT_SERIES);
    if (a[0].status == SGDFC_BAD_ROW) require(a[0].bad_row == first_bad(&in));
    if (a[0].status != SGDFC_OK) return 0;
    require(first_bad(&in) == in.series.rows);
    require_result(&in, &a[0]);
    require_steps(&in, &a[0]);
    if (in.forecast.kind < SGDFC_ARIMA || in.forecast.kind == SGDFC_ARX) return 0;
    in.forecast.start = a[0].weights;   /* as another worker learned them              */
    predict(&in, 0xff, &a[1]);
    if (a[1].status == SGDFC_OK) require_result(&in, &a[1]);
    else require(a[1].status == SGDFC_BAD_ARGUMENT);  /* weights too large to start from */
    return 0;
}

/* Method, flags, epochs, seed, rows, and the columns. H is memoryless, I EMA, J ARIMA,
 * K RNN, L LSTM, M NARX, N ARX; flags A have the number of rows to learn from too. */
FUZZ_MAIN("fuzz_predict",
    "H@AA01a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "IBAA<Q1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "J@CAQ1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "J@BAP000000000000000000000000000000000000000000000000000000000000000000000000000",
    "K@DAQ1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "L@DAR1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "MAZBAZ1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "MLBAZ1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "N@AAZ1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "N@AAR1111111111111111111111111111111111111111111111111111111111111111111111111",
    "");
