/* streams.c - recorded streams of HTTP/2, and the window by which their ends are predicted */
#include "model/streams.h"
#include "files/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const stream_rule_words[STREAM_RULES] = {"whole", "once", "turns"};

/* ---- Files ----------------------------------------------------------------- */

int streams_are_in(const char *path)
{
    const csv_table *t = csv_read(path, 0);
    return csv_find(t, "bytes") != CSV_NONE && csv_find(t, "start_s") != CSV_NONE
        && csv_find(t, "end_s") != CSV_NONE && csv_find(t, "dataset") == CSV_NONE;
}

/* A row before it has its place. */
typedef struct stream_row {
    size_t row, group, set;   /* row of the file; set: number of its connection     */
    double start_s;
} stream_row;

static int row_compare(const void *a, const void *b)
{
    const stream_row *x = (const stream_row *)a, *y = (const stream_row *)b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->set != y->set) return x->set < y->set ? -1 : 1;
    if (x->start_s < y->start_s || x->start_s > y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows in the order of groups, connections and starts. */
static stream_row *sorted_rows(stream_file *f, const csv_table *t)
{
    const int run = csv_column(t, "run"), step = csv_column(t, "step");
    const int direction = csv_column(t, "direction"), group = csv_column(t, "group");
    const int start = csv_require(t, "start_s");
    stream_row *rows = (stream_row *)tool_alloc(t->rows, sizeof *rows);
    name_index sets = {0};
    for (size_t i = 0; i < t->rows; i++) {
        const char *key = tool_text("%s\n%s\n%s", csv_text_or(t, i, run, ""),
                                    csv_text_or(t, i, step, ""), csv_text_or(t, i, direction, ""));
        rows[i].row = i;
        rows[i].group = names_number(&f->names, csv_text_or(t, i, group, ""));
        rows[i].set = names_number(&sets, key);
        rows[i].start_s = csv_number(t, i, start, NUMBER_ANY);
    }
    names_free(&sets);
    qsort(rows, t->rows, sizeof *rows, row_compare);
    return rows;
}

static double bandwidth_of(const csv_table *t, size_t row, double bandwidth)
{
    if (bandwidth > 0.0) return bandwidth;
    return csv_number(t, row, csv_require(t, "bandwidth_bytes_per_s"), NUMBER_POSITIVE);
}

/* A row takes its place behind those before it, in their set or in a new one. */
static void place_row(stream_file *f, const stream_row *rows, size_t i, double bandwidth)
{
    const csv_table *t = f->file;
    const stream_row *r = &rows[i];
    const int end = csv_require(t, "end_s"), role = csv_column(t, "role");
    const int is_new = i == 0 || r->group != rows[i - 1].group || r->set != rows[i - 1].set;
    const double from = is_new ? r->start_s : rows[f->set[f->sets - 1].first].start_s;
    const double end_s = csv_number(t, r->row, end, NUMBER_ANY);
    const point_role its = point_role_of(t, r->row, role);
    if (is_new)
        f->set[f->sets++] = (stream_set){.first = i, .group = r->group, .role = its,
                            .bandwidth_bytes_per_s = bandwidth_of(t, r->row, bandwidth)};
    stream_set *set = &f->set[f->sets - 1];
    set->count++;
    if (fabs(bandwidth_of(t, r->row, bandwidth) - set->bandwidth_bytes_per_s) > 0.0)
        csv_fail(t, r->row, csv_column(t, "bandwidth_bytes_per_s"),
                 "another stream of this connection has another bandwidth");
    if (its != set->role)
        csv_fail(t, r->row, role, "another stream of this step has another role");
    if (!(end_s > r->start_s)) csv_fail(t, r->row, end, "the stream ends before it starts");
    f->stream[i].bytes = csv_number(t, r->row, csv_require(t, "bytes"), NUMBER_POSITIVE);
    f->stream[i].start_s = r->start_s - from;
    f->end_s[i] = end_s - from;
}

/* The window that was in force in each group, if a file says it. */
static void read_told(stream_file *f, const stream_row *rows)
{
    const int window = csv_column(f->file, "window_bytes");
    f->told = (double *)tool_alloc(f->names.count, sizeof *f->told);
    for (size_t i = 0; i < f->names.count; i++) f->told[i] = (double)NAN;
    for (size_t i = 0; i < f->rows; i++) {
        double *told = &f->told[rows[i].group];
        const double bytes = csv_number_or(f->file, rows[i].row, window, NUMBER_POSITIVE, *told);
        if (fabs(bytes - *told) > 0.0)
            csv_fail(f->file, rows[i].row, window, "%s, but %.17g in another row: the streams of a "
                     "group have one window; tell windows apart by column 'group'",
                     csv_text(f->file, rows[i].row, window), *told);
        *told = bytes;
    }
}

const char *streams_group(const stream_file *f, size_t group)
{
    const char *name = names_text(&f->names, group);
    return *name ? tool_text("group '%s'", name) : "the file";
}

int streams_overhead(const args *a, sgdsim_overhead *to)
{
    double *overhead = NULL;
    if (!args_given(a, OPTION_OVERHEAD)) return 0;
    if (args_numbers(a, OPTION_OVERHEAD, &overhead) != 2)
        args_fail(OPTION_OVERHEAD, args_text(a, OPTION_OVERHEAD, ""), "is not two numbers A,B");
    *to = (sgdsim_overhead){overhead[0], overhead[1]};
    return 1;
}

void streams_open(stream_file *f, const args *a, const char *path)
{
    const csv_table *t = csv_read(path, 0);
    const double bandwidth = args_number(a, OPTION_BANDWIDTH, 0.0);
    memset(f, 0, sizeof *f);
    (void)streams_overhead(a, &f->overhead);
    f->file = t;
    f->rows = t->rows;
    f->stream = (sgdpar_stream *)tool_alloc(t->rows, sizeof *f->stream);
    f->end_s = (double *)tool_alloc(t->rows, sizeof *f->end_s);
    f->set = (stream_set *)tool_alloc(t->rows, sizeof *f->set);
    const stream_row *rows = sorted_rows(f, t);
    for (size_t i = 0; i < t->rows; i++) place_row(f, rows, i, bandwidth);
    read_told(f, rows);
}

static int is_of(const stream_set *set, size_t group, point_role role)
{
    return set->group == group && set->role == role;
}

int streams_have(const stream_file *f, size_t group, point_role role)
{
    size_t i = 0;
    while (i < f->sets && !is_of(&f->set[i], group, role)) i++;
    return i < f->sets;
}

/* ---- Predictions ----------------------------------------------------------- */

/* The sets of a group and a role, for sgdfit_robust. */
typedef struct stream_search {
    const stream_file *file;
    size_t      group;
    stream_rule rule;
} stream_search;

static sgdpar_status predict_set(const stream_file *f, const stream_set *set, stream_rule rule,
                                 double window, void *work, double *end_s)
{
    const sgdpar_connection c = {
        .bandwidth_bytes_per_s = set->bandwidth_bytes_per_s,
        .window_bytes = rule == STREAMS_WHOLE ? 0.0 : window,
        .every_turn = rule == STREAMS_TURNS, .parsing_s_per_byte = f->overhead.s_per_byte,
        .parsing_s = f->overhead.s};
    size_t bytes = 0;
    sgdpar_status status = sgdpar_stream_ends_bytes(set->count, &bytes);
    if (status != SGDPAR_OK) return status;
    return sgdpar_stream_ends(f->stream + set->first, set->count, &c, work, bytes, end_s);
}

/* sgdfit_response */
static int predict_fitted(const void *ctx, double window, void *work, double *predicted)
{
    const stream_search *s = (const stream_search *)ctx;
    for (size_t i = 0; i < s->file->sets; i++) {
        const stream_set *set = &s->file->set[i];
        if (!is_of(set, s->group, POINT_FIT)) continue;
        const sgdpar_status status = predict_set(s->file, set, s->rule, window, work, predicted);
        if (status != SGDPAR_OK) return (int)status;
        predicted += set->count;
    }
    return SGDFIT_OK;
}

static void fail_sizes(const stream_file *f)
{
    tool_fail("%s: sizes, times or numbers of turns are too large", f->file->name);
}

static void *set_work(const stream_file *f, size_t *bytes)
{
    (void)sgdpar_stream_ends_bytes(f->rows, bytes);
    return tool_alloc(*bytes, 1);
}

void streams_predict(const stream_file *f, size_t group, stream_rule rule, double window,
                     double *predicted)
{
    size_t bytes = 0;
    void *work = set_work(f, &bytes);
    for (size_t i = 0; i < f->sets; i++)
        if (f->set[i].group == group &&
            predict_set(f, &f->set[i], rule, window, work, predicted + f->set[i].first) !=
                SGDPAR_OK)
            fail_sizes(f);
}

/* Windows from a 200th of the largest stream that is fitted to twice its size. */
static void set_range(sgdfit_robust_problem *of, const stream_file *f, size_t group)
{
    double largest = 0.0;
    for (size_t i = 0; i < f->sets; i++)
        for (size_t k = 0; k < f->set[i].count && is_of(&f->set[i], group, POINT_FIT); k++)
            largest = fmax(largest, f->stream[f->set[i].first + k].bytes);
    of->low = largest / 200.0;
    of->high = 2.0 * largest;
}

sgdfit_robust_result streams_fit(const stream_file *f, size_t group, stream_rule rule)
{
    double *measured = (double *)tool_alloc(f->rows, sizeof *measured);
    uint32_t *set = (uint32_t *)tool_alloc(f->rows, sizeof *set), sets = 0;
    const stream_search search = {f, group, rule};
    sgdfit_robust_problem of = {.predict = predict_fitted, .ctx = &search, .measured = measured,
                                .set = set, .level = STREAMS_LEVEL};
    sgdfit_robust_result found = {0};
    size_t bytes = 0;
    for (size_t i = 0; i < f->sets; i++) {
        const stream_set *s = &f->set[i];
        if (!is_of(s, group, POINT_FIT)) continue;
        for (size_t k = 0; k < s->count; k++, of.n++) {
            measured[of.n] = f->end_s[s->first + k];
            set[of.n] = sets;
        }
        sets++;
    }
    if (of.n == 0 || rule == STREAMS_WHOLE) return found;
    set_range(&of, f, group);
    (void)set_work(f, &of.work_bytes);
    if (sgdfit_robust_bytes(&of, &bytes) != SGDFIT_OK ||
        sgdfit_robust(&of, tool_alloc(bytes, 1), bytes, &found) != SGDFIT_OK)
        fail_sizes(f);
    return found;
}

double streams_window(const stream_file *f, size_t group, stream_rule rule)
{
    if (streams_have(f, group, POINT_FIT)) return streams_fit(f, group, rule).value;
    if (rule != STREAMS_WHOLE && !(f->told[group] > 0.0))
        tool_fail("%s: %s has neither rows of role fit nor column 'window_bytes'", f->file->name,
                  streams_group(f, group));
    return f->told[group];
}

sgdfit_error_statistics streams_errors(const stream_file *f, size_t group, point_role role,
                                       const double *predicted)
{
    double *of = (double *)tool_alloc(f->rows, sizeof *of);
    double *measured = (double *)tool_alloc(f->rows, sizeof *measured);
    sgdfit_rows rows = {.predicted = of, .measured = measured};
    for (size_t i = 0; i < f->sets; i++)
        for (size_t k = 0; k < f->set[i].count && is_of(&f->set[i], group, role); k++) {
            of[rows.n] = predicted[f->set[i].first + k];
            measured[rows.n++] = f->end_s[f->set[i].first + k];
        }
    return errors_over(&rows, f->file->name);
}
