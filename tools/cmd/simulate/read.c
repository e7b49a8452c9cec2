/* read.c - what sgdperf simulate reads: traces, the sequence, and the order of transmission, with
 * what that does for one worker */
#include "base/words.h"
#include "cmd/simulate/simulate.h"

#include <stdio.h>
#include <string.h>

/* ---- Traces ---------------------------------------------------------------- */

/* Parsing may take time where nothing else does. */
static void check_times(const simulation *s, const trace_file *trace)
{
    size_t i;
    for (size_t k = 0; k < trace->trace.steps && !s->config.transfers.overhead; k++) {
        const sgdsim_step *step = &trace->trace.step[k];
        for (i = 0; i < step->ops; i++)
            if (step->op[i].bytes > 0.0 || step->op[i].duration_s > 0.0) break;
        if (i == step->ops)
            csv_fail(trace->file, trace->row[trace->first[k]], CSV_NONE,
                     "step %lu takes no time", (unsigned long)k);
    }
}

/* A window at each turn makes as many events. */
static void check_turns(const simulation *s, const args *a, const trace_file *trace)
{
    const double most = 1e6, window = s->config.transfers.window_bytes;
    for (size_t k = 0; k < trace->trace.steps && s->config.transfers.every_turn; k++)
        for (size_t i = 0; i < trace->trace.step[k].ops; i++)
            if (window > 0.0 && trace->trace.step[k].op[i].bytes > most * window)
                args_fail(OPTION_HTTP2_WINDOW, args_text(a, OPTION_HTTP2_WINDOW, ""),
                          "is too small: a transfer of %g bytes takes more than %g turns",
                          trace->trace.step[k].op[i].bytes, most);
}

static void read_traces(simulation *s, const args *a)
{
    sgdsim_trace *trace = (sgdsim_trace *)tool_alloc(a->file_count, sizeof *trace);
    const int read = s->traces != NULL;
    if (!read) s->traces = (trace_file *)tool_alloc(a->file_count, sizeof *s->traces);
    for (size_t i = 0; i < a->file_count; i++) {
        if (!s->collectives || !s->collectives->file) {
            trace_parse(&s->traces[i], read ? s->traces[i].file : csv_read(a->files[i], 0),
                        s->config.servers.count);
            check_times(s, &s->traces[i]);
            check_turns(s, a, &s->traces[i]);
        }
        if (s->collectives)
            (void)collectives_trace(s->collectives, s->workers, 1.0, 0, &s->traces[i]);
        trace[i] = s->jobs ? jobs_trace(s->jobs, i, &s->traces[i].trace) : s->traces[i].trace;
    }
    s->config.workers.trace = trace;
}

/* ---- Sequence -------------------------------------------------------------- */

static size_t type_of(const simulation *s, uint64_t worker)
{
    size_t type = 0;
    while (worker >= s->config.workers.count[type]) worker -= s->config.workers.count[type++];
    return type;
}

static void read_sequence(simulation *s, const char *path)
{
    const csv_table *t = csv_read(path, CSV_ALLOW_EMPTY);
    const int worker = csv_require(t, "worker"), k = csv_require(t, "k");
    const int step = csv_require(t, "step");
    const uint64_t steps = s->config.length.steps;
    uint32_t *sequence;
    if (steps > (size_t)-1 / sizeof *sequence / s->workers) tool_fail("out of memory");
    sequence = (uint32_t *)tool_alloc((size_t)(s->workers * steps), sizeof *sequence);
    for (size_t i = 0; i < s->workers * steps; i++) sequence[i] = UINT32_MAX;
    for (size_t i = 0; i < t->rows; i++) {
        const uint64_t w = csv_integer(t, i, worker, 0, UINT32_MAX);
        const uint64_t at = csv_integer(t, i, k, 0, UINT32_MAX);
        const uint64_t value = csv_integer(t, i, step, 0, UINT32_MAX);
        if (w >= s->workers)
            csv_fail(t, i, worker, "%s is not below the number of workers, %lu: workers count from "
                                   "0",
                     csv_text(t, i, worker),
                     (unsigned long)s->workers);
        if (at >= steps)
            csv_fail(t, i, k, "%s is not below --steps, %lu: k counts from 0", csv_text(t, i, k),
                     (unsigned long)steps);
        if (value >= s->config.workers.trace[type_of(s, w)].steps)
            csv_fail(t, i, step, "%s is not a step of %s", csv_text(t, i, step),
                     s->traces[type_of(s, w)].file->name);
        if (sequence[w * steps + at] != UINT32_MAX)
            csv_fail(t, i, k, "%s occurs twice for worker %s", csv_text(t, i, k),
                     csv_text(t, i, worker));
        sequence[w * steps + at] = (uint32_t)value;
    }
    s->config.variation.sequence = sequence;
}

void simulate_in_turn(simulation *s)
{
    const uint64_t steps = s->config.length.steps;
    uint32_t *sequence;
    int joint = 0;
    for (size_t i = 0; i < s->config.workers.types; i++) joint |= s->traces[i].joint;
    if (!joint || s->mode != MODE_ALLREDUCE || s->collectives) return;
    if (steps > (size_t)-1 / sizeof *sequence / s->workers) tool_fail("out of memory");
    sequence = (uint32_t *)tool_alloc((size_t)(s->workers * steps), sizeof *sequence);
    for (size_t w = 0; w < s->workers; w++)
        trace_in_turn(sequence + w * steps, steps,
                      s->config.workers.trace[s->sweep ? 0 : type_of(s, w)].steps);
    s->config.variation.sequence = sequence;
}

void simulate_read(simulation *s, const args *a)
{
    read_traces(s, a);
    simulate_in_turn(s);
    if (args_given(a, OPTION_SEQUENCE)) read_sequence(s, args_text(a, OPTION_SEQUENCE, NULL));
}

/* ---- Order of transmission ------------------------------------------------- */

enum { SEARCH_OPERATIONS = 20000000, SEARCH_LEAST = 100, SEARCH_MOST = 10000 };

static void check_order(const simulation *s, sgdsim_status status)
{
    if (status == SGDSIM_NO_WINDOW) tool_fail("--order: the steps take no time");
    if (status == SGDSIM_BAD_ARGUMENT) simulate_fail_large(s, NULL, NAME_OF(ORDER));
    if (status != SGDSIM_OK) tool_fail("--order: %s", sgdsim_status_text(status));
}

/* The downloads of the first profiled step, exchanged until SEARCH_OPERATIONS ran. */
static void search(simulation *s, uint32_t *order)
{
    uint64_t tries = SEARCH_OPERATIONS / (uint64_t)s->traces[0].file->rows;
    size_t bytes = 0;
    if (tries < SEARCH_LEAST) tries = SEARCH_LEAST;
    if (tries > SEARCH_MOST) tries = SEARCH_MOST;
    check_order(s, sgdsim_order_search_bytes(&s->config, &bytes));
    check_order(s, sgdsim_order_search(&s->config, tries, tool_alloc(bytes, 1), bytes, order,
                                 &s->config.transfers.ordered));
}

static const char *const rules[] = {"reverse", "random", "tic", "tac", "search"};

/* A word that is neither a rule nor a file is a rule that is misspelt. */
static void check_is_there(const char *name)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    char list[64];
    if (!file)
        args_fail(OPTION_ORDER, name, "is neither a file nor one of %s",
                  words_join(rules, COUNT_OF(rules), list, sizeof list));
    if (file != stdin) fclose(file);
}

/* The downloads of the first profiled step by a rule; 0: it is none. */
static int order_by_rule(simulation *s, const char *name)
{
    static const sgdsim_order rule[] = {
        SGDSIM_ORDER_REVERSE, SGDSIM_ORDER_RANDOM, SGDSIM_ORDER_TIC, SGDSIM_ORDER_TAC
    };
    const sgdsim_step *step = s->config.workers.trace[0].step;
    const size_t i = words_find(rules, COUNT_OF(rules), name);
    sgdsim_ordering by;
    size_t bytes = 0;
    if (i == COUNT_OF(rules)) return 0;
    uint32_t *order = (uint32_t *)tool_alloc(step->ops, sizeof *order);
    if (i == COUNT_OF(rule)) {
        search(s, order);
    } else {
        check_order(s, sgdsim_order_transfers_bytes(step, rule[i], &bytes));
        by.rule = rule[i];
        by.seed = s->config.variation.seed;
        by.bandwidth_bytes_per_s = s->config.links.bandwidth_bytes_per_s;
        check_order(s, sgdsim_order_transfers(step, &by, tool_alloc(bytes, 1), bytes, order,
                                        &s->config.transfers.ordered));
    }
    s->config.transfers.order = order;
    return 1;
}

/* Op numbers of the file's column "op"; the first line may do without the name. */
static void read_order(simulation *s, const char *path)
{
    const csv_table *t = csv_read(path, CSV_ALLOW_EMPTY);
    const int column = t->columns == 1 && *t->header[0] >= '0' && *t->header[0] <= '9'
                     ? 0 : csv_require(t, "op");
    const size_t above = strcmp(t->header[column], "op") != 0; /* ops in the header */
    uint32_t *order = (uint32_t *)tool_alloc(t->rows + 1, sizeof *order);
    size_t ops = 0;
    for (size_t type = 0; type < s->config.workers.types; type++)
        for (size_t i = 0; i < s->config.workers.trace[type].steps; i++)
            if (s->config.workers.trace[type].step[i].ops > ops)
                ops = s->config.workers.trace[type].step[i].ops;
    for (size_t i = 0; i < t->rows + above; i++) {
        const char *text = i < above ? t->header[column] : csv_text(t, i - above, column);
        const unsigned long line = (unsigned long)(i < above ? t->header_line
                                                             : csv_line(t, i - above));
        uint64_t op = 0;
        const char *wrong = number_whole(text, 0, UINT32_MAX, &op);
        if (!wrong && op >= ops) wrong = "is not an op of any step";
        for (size_t k = 0; !wrong && k < i; k++)
            if (order[k] == op) wrong = "occurs twice";
        if (wrong) tool_fail("%s:%lu: column 'op': '%s' %s", t->name, line, text, wrong);
        order[i] = (uint32_t)op;
    }
    s->config.transfers.order = order;
    s->config.transfers.ordered = t->rows + above;
}

/* Mean of the profiled steps of the first trace on one worker alone, with the order or
 * without it. */
static double lone_step_s(const simulation *s, int ordered)
{
    static const uint32_t one = 1;
    sgdsim_config config = s->config;
    sgdsim_result out = {0};
    size_t steps = config.workers.trace[0].steps, bytes = 0, i;
    uint32_t *sequence = (uint32_t *)tool_alloc(steps, sizeof *sequence);
    for (i = 0; i < steps; i++) sequence[i] = (uint32_t)i;
    config.workers.types = 1;
    config.workers.count = &one;
    config.length.steps = steps;
    config.variation.sequence = sequence;
    config.length.warmup = 0;
    config.variation.stagger_s = 0.0;
    config.variation.service = SGDSIM_TRACED;
    if (!ordered) config.transfers.ordered = 0;
    check_order(s, sgdsim_run_bytes(&config, &bytes));
    check_order(s, sgdsim_run(&config, tool_alloc(bytes, 1), bytes, &out));
    return out.makespan_s / (double)steps;
}

void order_take(simulation *s, const args *a)
{
    const char *path = args_text(a, OPTION_ORDER_OUT, NULL);
    s->order.given = args_text(a, OPTION_ORDER, NULL);
    if (!s->order.given) return;
    if (s->links.stretches)
        args_fail(OPTION_ORDER, NULL, "needs %s or %s measured: over declared links nothing "
                  "overlaps", NAME_OF(OVERLAP), NAME_OF(INPUTS));
    if (!order_by_rule(s, s->order.given)) {
        check_is_there(s->order.given);
        read_order(s, s->order.given);
    }
    s->order.step_s = lone_step_s(s, 1);
    s->order.unordered_step_s = lone_step_s(s, 0);
    if (path) s->order.out = out_open(NAME_OF(ORDER_OUT), path);
}

void order_commit(const simulation *s)
{
    if (!s->order.out) return;
    FILE *file = out_stream(s->order.out);
    fprintf(file, "op\n");
    for (size_t i = 0; i < s->config.transfers.ordered; i++)
        fprintf(file, "%lu\n", (unsigned long)s->config.transfers.order[i]);
    out_commit(s->order.out);
}
