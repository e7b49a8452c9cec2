/* fields.c - the points of predict as fields: see base/fields.h */
#include "cmd/predict/predict.h"
#include "files/status.h"

#include <assert.h>
#include <stdio.h>

void curves_add_field(field_list *list, const char *before, const char *name,
                      const char *after, field values)
{
    char *text = list->name[list->count];
    const int length = snprintf(text, COLUMN_NAME, "%s%s%s", before, name, after);
    assert(length > 0 && length < COLUMN_NAME && list->count < MOST_COLUMNS);
    (void)length;
    values.name = text;
    list->field[list->count++] = values;
}

const sgdp_prediction *curves_first(const curve_set *c, size_t job)
{
    return &c->prediction[job * c->points];
}

/* ---- Numbers --------------------------------------------------------------- */

field curves_number(const char *name, const double *first)
{
    return field_number(name, first, sizeof(sgdp_prediction));
}

field curves_workers(const curve_set *c, size_t job)
{
    return field_whole("workers", &curves_first(c, job)->workers, sizeof(sgdp_prediction));
}

field curves_examples(const curve_set *c, size_t job)
{
    static const char name[] = "examples_per_s";
    if (!(c->jobs.job[job].compute.batch > 0.0)) return field_empty(name);
    return curves_number(name, &curves_first(c, job)->examples_per_s);
}

static field band_field(const curve_set *c, size_t job, const char *name, const double *of)
{
    return of ? field_number(name, of + job * c->points, sizeof *of) : field_empty(name);
}

field curves_low(const curve_set *c, size_t job) { return band_field(c, job, "low", c->low); }

field curves_high(const curve_set *c, size_t job) { return band_field(c, job, "high", c->high); }

field curves_elasticity(const curve_set *c, size_t job, sgdp_input input)
{
    const double *first = c->elasticity + job * c->points * SGDP_INPUT_COUNT + input;
    return field_number(curves_input_names[input], first, SGDP_INPUT_COUNT * sizeof *first);
}

/* ---- Words ----------------------------------------------------------------- */

field curves_bottleneck(const curve_set *c, size_t job)
{
    static const char *words[SGDP_RESOURCE_COUNT];
    size_t i;
    assert(sizeof(sgdp_resource) == sizeof(unsigned));
    for (i = 0; i < COUNT_OF(words); i++) words[i] = sgdp_resource_text((sgdp_resource)i);
    return field_word("bottleneck", &curves_first(c, job)->bottleneck, sizeof(sgdp_prediction),
                      words, COUNT_OF(words));
}

field curves_branch(const curve_set *c, size_t job)
{
    static const char *words[SGDP_MODEL_COUNT];
    size_t i;
    assert(sizeof(sgdp_model) == sizeof(unsigned));
    for (i = 0; i < COUNT_OF(words); i++) words[i] = sgdp_model_text((sgdp_model)i);
    return field_word("branch", &curves_first(c, job)->solution.branch, sizeof(sgdp_prediction),
                      words, COUNT_OF(words));
}

field curves_status(const curve_set *c, size_t job)
{
    static const char *words[SGDP_STATUS_COUNT];
    size_t i;
    assert(sizeof(sgdp_status) == sizeof(unsigned));
    for (i = 0; i < COUNT_OF(words); i++) words[i] = tool_status_word((sgdp_status)i);
    return field_word("status", &c->status[job * c->points], sizeof(sgdp_status), words,
                      COUNT_OF(words));
}
