/* print.c - what calibrate prints */
#include "base/table.h"
#include "cmd/calibrate/calibrate.h"
#include "files/status.h"

#include <float.h>
#include <string.h>

static const char *word_name(const calibration *c, size_t i)
{
    return calibrate_words[c->unknown[i]].name;
}

/* ---- JSON ------------------------------------------------------------------ */

static void json_limit(output *out, double value)
{
    if (value <= DBL_MAX) json_number(out, NULL, value);
    else json_null(out, NULL);
}

static void json_group(output *out, const calibration *c, const calibrated_group *g)
{
    size_t i;
    json_object(out, "fitted");
    for (i = 0; i < c->count; i++)
        if (g->fit.kept[i]) json_number(out, word_name(c, i), g->fit.value[i]);
    json_end(out);
    if (g->intervals) {
        json_object(out, "intervals");
        for (i = 0; i < c->count; i++) {
            json_array(out, word_name(c, i));
            json_limit(out, g->fit.low[i]);
            json_limit(out, g->fit.high[i]);
            json_end(out);
        }
        json_end(out);
        json_number(out, "level", CALIBRATE_LEVEL);
    }
    json_array(out, "left_out");
    for (i = 0; i < c->count; i++)
        if (!g->fit.kept[i]) json_string(out, NULL, word_name(c, i));
    json_end(out);
}

static void json_points(output *out, const calibration *c)
{
    const point_set *points = &c->points;
    size_t i;
    json_array(out, "points");
    for (i = 0; i < points->count; i++) {
        json_object(out, NULL);
        if (c->jobs.name) json_string(out, "job", c->jobs.name[c->job[i]]);
        if (c->name) json_string(out, "point", c->name[i]);
        json_integer(out, "workers", points->workers[i]);
        json_string(out, "role", point_role_text(points->role[i]));
        json_number(out, "batches_per_s", points->batches_per_s[i]);
        json_number(out, "predicted_batches_per_s", c->predicted[i]);
        json_number(out, "error", point_error(points, i, c->predicted[i]));
        json_end(out);
    }
    json_end(out);
}

/* The point or job like which a run is suggested. */
static const char *suggested_name(const calibration *c, const suggestion *s)
{
    if (c->name) return c->name[s->job];
    return c->jobs.name ? c->jobs.name[c->job[s->job]] : NULL;
}

static void json_suggestions(output *out, const calibration *c)
{
    size_t i;
    json_array(out, "suggested");
    for (i = 0; i < c->groups * c->wanted; i++) {
        const suggestion *s = &c->suggested[i];
        const char *group = c->of[s->group].name, *like = suggested_name(c, s);
        json_object(out, NULL);
        if (group) json_string(out, "group", group);
        if (like) json_string(out, "like", like);
        json_integer(out, "workers", s->workers);
        json_number(out, "spread", s->spread);
        json_end(out);
    }
    json_end(out);
}

static void print_json(output *out, const calibration *c, sgdp_status status)
{
    size_t evaluations = 0, i;
    int determined = 1;
    json_object(out, NULL);
    json_string(out, "mode", mode_words[c->jobs.mode]);
    json_string(out, "model", sgdp_model_text(c->jobs.model));
    json_string(out, "status", tool_status_word(status));
    for (i = 0; i < c->groups; i++) {
        determined = determined && c->of[i].fit.determined;
        evaluations += c->of[i].fit.evaluations;
    }
    if (c->groups == 1) {
        json_group(out, c, &c->of[0]);
    } else {
        json_array(out, "groups");
        for (i = 0; i < c->groups; i++) {
            json_object(out, NULL);
            json_string(out, "group", c->of[i].name ? c->of[i].name : "");
            json_group(out, c, &c->of[i]);
            json_end(out);
        }
        json_end(out);
    }
    for (i = 0; i < POINT_ROLES; i++)
        json_errors(out, point_role_text((point_role)i), &c->errors[i]);
    json_bool(out, "determined", determined);
    json_integer(out, "evaluations", evaluations);
    if (c->wanted > 0) json_suggestions(out, c);
    json_points(out, c);
    json_end(out);
}

/* ---- Tables ---------------------------------------------------------------- */

/* In CSV, where nothing else is printed, every row carries the fitted values. */
static void print_points(output *out, const calibration *c, output_format format)
{
    table_column columns[6 + CALIBRATE_MOST];
    const point_set *points = &c->points;
    const size_t values = format == FORMAT_CSV ? c->count : 0;
    result_table *t;
    size_t n = 0, i, k;
    memset(columns, 0, sizeof columns);
    if (c->jobs.name) columns[n++].name = "job";
    if (c->name) columns[n++].name = "point";
    columns[n++].name = "workers";
    columns[n++].name = "role";
    columns[n++].name = "batches_per_s";
    columns[n++].name = "predicted_batches_per_s";
    columns[n].digits = 3;
    columns[n++].name = "error";
    for (i = 0; i < values; i++) columns[n++].name = word_name(c, i);
    t = table_new(columns, n);
    for (i = 0; i < points->count; i++) {
        const sgdp_pooled *fit = &c->of[c->group[i]].fit;
        if (c->jobs.name) table_text(t, c->jobs.name[c->job[i]]);
        if (c->name) table_text(t, c->name[i]);
        table_integer(t, points->workers[i]);
        table_text(t, point_role_text(points->role[i]));
        table_number(t, points->batches_per_s[i]);
        table_number(t, c->predicted[i]);
        table_number(t, point_error(points, i, c->predicted[i]));
        for (k = 0; k < values; k++)
            if (fit->kept[k]) table_number(t, fit->value[k]); else table_empty(t);
    }
    table_print(t, out, format);
}

static void print_values(output *out, const calibration *c)
{
    static const table_column columns[] = {
        {"group", 0}, {"fitted", 0}, {"value", 6}, {"low", 4}, {"high", 4}
    };
    const size_t first = c->groups == 1;
    result_table *t = table_new(columns + first, COUNT_OF(columns) - first);
    size_t group, i;
    for (group = 0; group < c->groups; group++)
        for (i = 0; i < c->count; i++) {
            const calibrated_group *g = &c->of[group];
            if (!first) table_text(t, g->name ? g->name : "");
            table_text(t, word_name(c, i));
            if (g->fit.kept[i]) table_number(t, g->fit.value[i]); else table_empty(t);
            if (g->intervals) table_number(t, g->fit.low[i]); else table_empty(t);
            if (g->intervals && g->fit.high[i] <= DBL_MAX) table_number(t, g->fit.high[i]);
            else table_empty(t);
        }
    table_print(t, out, FORMAT_TABLE);
}

static void print_suggestions(output *out, const calibration *c)
{
    static const table_column columns[] = {
        {"group", 0}, {"like", 0}, {"workers", 0}, {"spread", 3}
    };
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    for (i = 0; i < c->groups * c->wanted; i++) {
        const suggestion *s = &c->suggested[i];
        const char *group = c->of[s->group].name, *like = suggested_name(c, s);
        if (group) table_text(t, group); else table_empty(t);
        if (like) table_text(t, like); else table_empty(t);
        table_integer(t, s->workers);
        table_number(t, s->spread);
    }
    output_print(out, "\nruns that would tell most, and how unsure the prediction is there, in "
                      "deviations of a run\n");
    table_print(t, out, FORMAT_TABLE);
}

static void print_human(output *out, const calibration *c, sgdp_status status)
{
    const size_t points = c->groups == 1 ? c->of[0].points : c->points.in_role[POINT_FIT];
    int determined = 1;
    size_t i;
    output_print(out, "%s, model %s, fitted to %lu point%s\n", mode_words[c->jobs.mode],
                 sgdp_model_text(c->jobs.model), (unsigned long)points, points == 1 ? "" : "s");
    if (status != SGDP_OK) output_print(out, "not converged: the best that was found\n");
    print_values(out, c);
    for (i = 0; i < c->groups; i++) determined = determined && c->of[i].fit.determined;
    if (!determined)
        output_print(out, "these points do not determine them: other values fit as well\n");
    output_print(out, "\nrelative errors of batches_per_s\n");
    print_errors(out, c->errors);
    if (c->wanted > 0) print_suggestions(out, c);
    output_print(out, "\n");
    print_points(out, c, FORMAT_TABLE);
}

/* Where all points went into the values, none is left to say how far these are off. */
static void note_unsure(const calibration *c)
{
    const calibrated_group *first = NULL;
    size_t count = 0, i;
    for (i = c->groups; i-- > 0;)
        if (c->of[i].intervals && c->of[i].points <= c->of[i].fit.fitted) {
            first = &c->of[i];
            count++;
        }
    if (!first) return;
    if (c->groups == 1)
        tool_note("%lu point%s for %lu unknown%s: none is left to tell how sure the value is, "
                  "which may lie anywhere from low 0 to no high; fit one more",
                  (unsigned long)first->points, first->points == 1 ? "" : "s",
                  (unsigned long)first->fit.fitted, first->fit.fitted == 1 ? "" : "s");
    else
        tool_note("%lu of %lu groups, the first %s, %s no more points than unknowns: none is "
                  "left to tell how sure their values are, which have low 0 and no high",
                  (unsigned long)count, (unsigned long)c->groups,
                  first->name ? first->name : "of no pool", count == 1 ? "has" : "have");
}

void calibrate_print(output *out, const calibration *c, sgdp_status status,
                     output_format format)
{
    note_unsure(c);
    if (format == FORMAT_JSON) print_json(out, c, status);
    else if (format == FORMAT_CSV) print_points(out, c, FORMAT_CSV);
    else print_human(out, c, status);
}
