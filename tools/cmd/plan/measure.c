/* measure.c - sgdperf plan measure: the constants of this machine, by the canonical
 * program of [YRHC15, fig. 5] */
#include "jobs/parallel.h"
#include "cmd/plan/measure.h"
#include "cmd/plan/plan.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf plan measure [--threads K] [--largest 512MiB] [--shared 4MiB] [--quick]\n"
    "                            [--format table|csv|json]\n"
    "\n"
    "Measures the constants of computation that sgdperf plan needs, on this machine: neurons\n"
    "y_i = sum of w_ij a_j, a_i = tanh(y_i), over weights of 4 bytes, in five numbers of neurons\n"
    "for each size of the weights.\n"
    "  C_muladd  time of a connection, over the bytes of weights: 16 KiB, 32 KiB, ...\n"
    "  C_act     time of a neuron beside its connections, from the sizes up to 1 MiB\n"
    "  C_err     the same with y_i (1 - a_i^2), the derivative, in the place of tanh\n"
    "  C_interf  how many times longer H threads take that share weights and have samples of\n"
    "            their own, H = 1, 2, 4, ... and K\n"
    "Medians of seven runs, each the best of three parts, after one that does not count, in\n"
    "processor time. spread: by how much the middle runs differ, over the median. Above 0.03 the\n"
    "seven are made again, up to three times, and the least spread counts; where it stays above\n"
    "0.05 another program was in the way, and a second time will differ. --format csv prints\n"
    "what --constants of sgdperf plan reads; C_ncost and C_nbw, of the network, are not measured.\n"
    "\n"),
    USE(THREADS), USE(LARGEST), USE(SHARED), USE(QUICK),
    USE_AS(FORMAT, AS_TABLE, "table|csv|json", NULL, "of the result", NULL),
    ABOUT(
    "\n"
    "Example: measure once, then plan with it\n"
    "  $ sgdperf plan measure --format csv > constants.csv\n"
    "  $ sgdperf plan layers.csv --constants constants.csv --machines 20 --cores 16 \\\n"
    "      --c-ncost 50us --c-nbw 10Gbps --n-sample 60000\n")
};

/* ---- Printing -------------------------------------------------------------- */

typedef struct printer { output *out; result_table *table; } printer;

static void print_value(const printer *p, plan_constant constant, double at, estimate e,
                        const char *unit)
{
    if (p->table) {
        table_text(p->table, plan_constant_text(constant));
        if (at > 0.0) table_number(p->table, at);
        else table_empty(p->table);
        table_number(p->table, e.value);
        table_text(p->table, unit);
        table_number(p->table, e.spread);
        return;
    }
    json_object(p->out, NULL);
    json_string(p->out, "constant", plan_constant_text(constant));
    if (at > 0.0) json_number(p->out, "at", at);
    else json_null(p->out, "at");
    json_number(p->out, "value", e.value);
    json_string(p->out, "unit", unit);
    json_number(p->out, "spread", e.spread);
    json_end(p->out);
}

static void print_all(const printer *p, const measurement *m)
{
    size_t i;
    for (i = 0; i < m->sizes; i++) print_value(p, PLAN_C_MULADD, m->at[i], m->muladd[i], "s");
    print_value(p, PLAN_C_ACT, 0.0, m->activation, "s");
    print_value(p, PLAN_C_ERR, 0.0, m->error, "s");
    for (i = 0; i < m->interfs; i++)
        print_value(p, PLAN_C_INTERF, m->interf_at[i], m->interf[i], "");
}

static void print_measured(output *out, const measurement *m, output_format format)
{
    static const table_column columns[] = {{"constant", 0}, {"at", 10}, {"value", 4},
                                           {"unit", 0}, {"spread", 2}};
    printer p = {0};
    p.out = out;
    if (format != FORMAT_JSON) p.table = table_new(columns, COUNT_OF(columns));
    if (format == FORMAT_JSON) {
        json_object(out, NULL);
        json_array(out, "constants");
    }
    print_all(&p, m);
    if (format == FORMAT_JSON) {
        json_end(out);
        json_end(out);
    } else {
        table_print(p.table, out, format);
    }
}

/* ---- The command ----------------------------------------------------------- */

static size_t size_option(const args *a, const char *name, size_t fallback)
{
    const double bytes = args_number(a, name, UNIT_SIZE, NUMBER_POSITIVE, (double)fallback);
    size_t size = MEASURE_LEAST_BYTES;
    while ((double)size < bytes && size <= SIZE_MAX / 4) size *= 2;
    if ((double)size < bytes || (double)size > bytes)
        args_fail(name, args_text(a, name, ""), "is no power of two from 16KiB up");
    return size;
}

static int run(args *a)
{
    const size_t quick_bytes = MEASURE_CACHED_BYTES;
    measurement m = {0};
    output out = {0};
    size_t i, most;
    int quick;
    quick = args_given(a, "--quick");
    m.runs = quick ? 3 : MEASURE_RUNS;
    m.attempts = quick ? 1 : 3;
    m.run_s = quick ? 0.0005 : 0.02;
    m.threads = (size_t)args_integer(a, "--threads", 1, MEASURE_THREADS, parallel_processors());
    m.largest = size_option(a, "--largest", quick ? quick_bytes : (size_t)1 << 29);
    m.shared = size_option(a, "--shared", quick ? quick_bytes : (size_t)1 << 22);
    most = m.largest > m.shared ? m.largest : m.shared;
    m.weights = (float *)tool_alloc(most / sizeof *m.weights, sizeof *m.weights);
    for (i = 0; i < most / sizeof *m.weights; i++)
        m.weights[i] = 0.001f * (float)(i % 31) - 0.015f;
    measure_computation(&m);
    measure_threads(&m);
    print_measured(&out, &m, args_format(a));
    return output_flush(&out, EXIT_DONE);
}

const args_command command_plan_measure = {"measure", NULL, run, uses,
                                           COUNT_OF(uses), 0, 0, NULL, 0};
