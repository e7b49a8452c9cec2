/* print.c - what calibrate prints */
#include "base/columns.h"
#include "cmd/calibrate/calibrate.h"
#include "files/status.h"

static const char *word_name(const calibration *c, size_t i)
{
    return calibrate_words[c->unknown[i]].name;
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
            json_number(out, NULL, g->fit.low[i]);
            json_number(out, NULL, g->fit.high[i]);
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

/* The point or job like which a run is suggested. */
static const char *suggested_name(const calibration *c, const suggestion *s)
{
    if (c->name) return c->name[s->job];
    return c->jobs.name ? c->jobs.name[c->job[s->job]] : NULL;
}

static void print_suggestions(output *out, const calibration *c)
{
    columns t;
    size_t i;
    output_print(out, "\nruns that would tell most, and how unsure the prediction is there, in "
                      "deviations of a run\n");
    columns_open(&t, out, SCREEN | JSON, "suggested");
    for (i = 0; i < c->groups * c->wanted; i++) {
        const suggestion *s = &c->suggested[i];
        const char *group = c->of[s->group].name, *like = suggested_name(c, s);
        columns_row(&t);
        column_text(&t, group ? ALL : SCREEN, "group", group);
        column_text(&t, like ? ALL : SCREEN, "like", like);
        column_whole(&t, ALL, "workers", s->workers);
        column_round(&t, ALL, "spread", 3, s->spread);
    }
    columns_close(&t);
}

/* In CSV, where nothing else is printed, every row carries the fitted values. */
static void print_points(output *out, const calibration *c)
{
    const point_set *points = &c->points;
    columns t;
    size_t i, k;
    columns_open(&t, out, ALL, "points");
    for (i = 0; i < points->count; i++) {
        const sgdfit_calibration *fit = &c->of[c->group[i]].fit;
        columns_row(&t);
        if (c->jobs.name) column_text(&t, ALL, "job", c->jobs.name[c->job[i]]);
        if (c->name) column_text(&t, ALL, "point", c->name[i]);
        column_whole(&t, ALL, "workers", points->workers[i]);
        column_text(&t, ALL, "role", point_role_text(points->role[i]));
        column_number(&t, ALL, "batches_per_s", points->batches_per_s[i]);
        column_number(&t, ALL, "predicted_batches_per_s", c->predicted[i]);
        column_round(&t, ALL, "error", 3, point_error(points, i, c->predicted[i]));
        for (k = 0; k < c->count; k++)
            column_number(&t, CSV, word_name(c, k), known_if(fit->kept[k], fit->value[k]));
    }
    columns_close(&t);
}

static void print_values(output *out, const calibration *c)
{
    columns t;
    size_t group, i;
    columns_open(&t, out, SCREEN, NULL);
    for (group = 0; group < c->groups; group++)
        for (i = 0; i < c->count; i++) {
            const calibrated_group *g = &c->of[group];
            columns_row(&t);
            if (c->groups > 1) column_text(&t, ALL, "group", g->name ? g->name : "");
            column_text(&t, ALL, "fitted", word_name(c, i));
            column_round(&t, ALL, "value", 6, known_if(g->fit.kept[i], g->fit.value[i]));
            column_round(&t, ALL, "low", 4, known_if(g->intervals, g->fit.low[i]));
            column_round(&t, ALL, "high", 4, known_if(g->intervals, g->fit.high[i]));
        }
    columns_close(&t);
}

static void json_groups(output *out, const calibration *c)
{
    size_t i;
    if (c->groups == 1) {
        json_group(out, c, &c->of[0]);
        return;
    }
    json_array(out, "groups");
    for (i = 0; i < c->groups; i++) {
        json_object(out, NULL);
        json_string(out, "group", c->of[i].name ? c->of[i].name : "");
        json_group(out, c, &c->of[i]);
        json_end(out);
    }
    json_end(out);
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
        tool_note("few-points",
                  "%lu point%s for %lu unknown%s: none is left to tell how sure the value is, "
                  "which may lie anywhere from low 0 to no high; fit one more",
                  (unsigned long)first->points, first->points == 1 ? "" : "s",
                  (unsigned long)first->fit.fitted, first->fit.fitted == 1 ? "" : "s");
    else
        tool_note("few-points",
                  "%lu of %lu groups, the first %s, %s no more points than unknowns: none is "
                  "left to tell how sure their values are, which have low 0 and no high",
                  (unsigned long)count, (unsigned long)c->groups,
                  first->name ? first->name : "of no pool", count == 1 ? "has" : "have");
}

void calibrate_print(output *out, const calibration *c, sgdp_status status)
{
    const size_t points = c->groups == 1 ? c->of[0].points : c->points.in_role[POINT_FIT];
    const char *mode = mode_words[c->jobs.mode], *model = sgdp_model_text(c->jobs.model);
    size_t evaluations = 0, i;
    int determined = 1;
    for (i = 0; i < c->groups; i++) {
        determined = determined && c->of[i].fit.determined;
        evaluations += c->of[i].fit.evaluations;
    }
    note_unsure(c);
    json_object(out, NULL);
    json_string(out, "mode", mode);
    json_string(out, "model", model);
    json_string(out, "status", tool_status_word(status));
    json_groups(out, c);
    output_print(out, "%s, model %s, fitted to %lu point%s\n", mode, model,
                 (unsigned long)points, points == 1 ? "" : "s");
    if (status != SGDP_OK) output_print(out, "not converged: the best that was found\n");
    print_values(out, c);
    if (!determined)
        output_print(out, "these points do not determine them: other values fit as well\n");
    output_print(out, "\nrelative errors of batches_per_s\n");
    print_errors(out, c->errors, POINT_ROLES);
    json_bool(out, "determined", determined);
    json_integer(out, "evaluations", evaluations);
    if (c->wanted > 0) print_suggestions(out, c);
    output_print(out, "\n");
    print_points(out, c);
    json_end(out);
}
