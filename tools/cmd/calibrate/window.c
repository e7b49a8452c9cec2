/* window.c - calibrate --fit window: what HTTP/2 sends of a stream at a time [LYPG20, 3.2.2] */
#include "base/columns.h"
#include "cmd/calibrate/calibrate.h"
#include "model/streams.h"

/* ---- Results --------------------------------------------------------------- */

static void print_role(columns *c, const stream_file *f, size_t group, stream_rule rule,
                       const sgdfit_robust_result *found, point_role role, const double *predicted)
{
    const sgdfit_error_statistics e = streams_errors(f, group, role, predicted);
    const int known = rule != STREAMS_WHOLE;
    if (e.rows == 0) return;
    columns_row(c);
    if (f->names.count > 1) column_text(c, ALL, "group", names_text(&f->names, group));
    column_text(c, ALL, "rule", stream_rule_words[rule]);
    column_round(c, ALL, "window_bytes", 6, known_if(known, found->value));
    column_round(c, ALL, "low", 4, known_if(known && found->low > 0.0, found->low));
    column_round(c, ALL, "high", 4, known_if(known, found->high));
    column_round(c, ALL, "recorded", 6, f->told[group]);
    column_text(c, ALL, "role", point_role_text(role));
    column_whole(c, ALL, "rows", e.rows);
    column_round(c, ALL, "mean_error", 3, e.mean);
    column_round(c, ALL, "median_error", 3, e.median);
    column_round(c, ALL, "p95_error", 3, e.p95);
    column_round(c, ALL, "max_error", 3, e.max);
}

static void note_window(const stream_file *f, size_t group, stream_rule rule,
                        const sgdfit_robust_result *found)
{
    const char *name = names_text(&f->names, group);
    if (rule == STREAMS_WHOLE || found->determined) return;
    tool_note("window-not-determined",
              "%s%s%s: the ends of these streams do not determine a window by the rule '%s': "
              "record longer streams that overlap", f->file->name, *name ? ": group " : "", name,
              stream_rule_words[rule]);
}

static void print_windows(output *out, const stream_file *f)
{
    double *predicted = (double *)tool_alloc(f->rows, sizeof *predicted);
    columns c = columns_open(out, ALL, "windows");
    for (size_t group = 0; group < f->names.count; group++)
        for (size_t rule = 0; rule < STREAM_RULES; rule++) {
            const sgdfit_robust_result found = streams_fit(f, group, (stream_rule)rule);
            note_window(f, group, (stream_rule)rule, &found);
            streams_predict(f, group, (stream_rule)rule, found.value, predicted);
            for (size_t role = 0; role < POINT_ROLES; role++)
                print_role(&c, f, group, (stream_rule)rule, &found, (point_role)role, predicted);
        }
    columns_close(&c);
}

/* A window is fitted to rows of each group. */
static void check_groups(const stream_file *f)
{
    for (size_t group = 0; group < f->names.count; group++)
        if (!streams_have(f, group, POINT_FIT))
            tool_fail("%s: %s has no streams to fit: give some rows role fit", f->file->name,
                      streams_group(f, group));
}

int calibrate_window(const args *a)
{
    stream_file f;
    output out = {.form = args_form(a)};
    streams_open(&f, a, a->files[0]);
    check_groups(&f);
    output_print(&out, "windows of HTTP/2, fitted to the ends of streams\n");
    json_object(&out, NULL);
    print_windows(&out, &f);
    names_free(&f.names);
    json_end(&out);
    output_print(&out, "\nwhole: streams are sent whole; once: a window, then the rest;\n"
                       "turns: a window at each turn (simulate --http2-window, --http2-rule)\n");
    return output_flush(&out, EXIT_DONE);
}
