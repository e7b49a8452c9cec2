/* print.c - what sgdperf fit prints */
#include "base/table.h"
#include "cmd/fit/fit.h"

/* Names of the parameters, in the order of sgdp_fit.parameter. */
static const char *const parameter_names[SGDP_BLACKBOX_COUNT][SGDP_FIT_PARAMETERS] = {
    [SGDP_ERNEST] = {"constant_s", "parallel_s", "logarithmic_s", "linear_s"},
    [SGDP_OPTIMUS_ASYNC] = {"constant_s", "linear_s"},
    [SGDP_OPTIMUS_SYNC] = {"parallel_s", "constant_s", "linear_s"},
    [SGDP_AMDAHL] = {"rate_per_s", "serial"},
    [SGDP_USL] = {"rate_per_s", "contention", "coherency"},
    [SGDP_OPTIMUS_ASYNC_SERVERS] = {"constant_s", "shared_s", "linear_s", "servers_s"},
    [SGDP_OPTIMUS_SYNC_SERVERS] = {"parallel_s", "constant_s", "shared_s", "linear_s",
                                   "servers_s"},
};

int fit_knows_servers(const fit_result *r)
{
    return r->model == SGDP_OPTIMUS_ASYNC_SERVERS || r->model == SGDP_OPTIMUS_SYNC_SERVERS;
}

/* ---- Printing -------------------------------------------------------------- */

/* Beyond it the points before say nothing of the prediction. */
static int is_spread(double spread) { return spread < 100.0; }

static void json_configuration(output *out, const fit_result *r, const sgdp_curve_point *at)
{
    json_object(out, NULL);
    json_number(out, "workers", at->workers);
    if (fit_knows_servers(r)) json_number(out, "servers", at->servers);
}

static void print_json(output *out, const fit_result *r)
{
    size_t i;
    json_object(out, NULL);
    json_string(out, "model", sgdp_blackbox_text(r->model));
    if (r->fitted) json_object(out, "parameters");
    else json_null(out, "parameters");
    for (i = 0; i < r->fit.parameters; i++)
        json_number(out, parameter_names[r->model][i], r->fit.parameter[i]);
    if (r->fitted) json_end(out);
    for (i = 0; i < POINT_ROLES; i++)
        json_errors(out, point_role_text((point_role)i), &r->errors[i]);
    json_array(out, "curve");
    for (i = 0; i < r->count && r->fitted; i++) {
        json_configuration(out, r, &r->curve[i]);
        if (r->curve[i].batches_per_s > 0.0)
            json_number(out, "batches_per_s", r->curve[i].batches_per_s);
        else json_null(out, "batches_per_s");
        json_end(out);
    }
    json_end(out);
    if (r->wanted > 0) json_array(out, "suggested");
    for (i = 0; i < r->wanted; i++) {
        json_configuration(out, r, &r->suggested[i].at);
        if (is_spread(r->suggested[i].spread))
            json_number(out, "spread", r->suggested[i].spread);
        else json_null(out, "spread");
        json_end(out);
    }
    if (r->wanted > 0) json_end(out);
    json_end(out);
}

static void table_configuration(result_table *t, const fit_result *r, const sgdp_curve_point *at)
{
    table_integer(t, (uint64_t)at->workers);
    if (fit_knows_servers(r)) table_integer(t, (uint64_t)at->servers);
}

static void print_curve(output *out, const fit_result *r, output_format format)
{
    static const table_column one[] = {{"workers", 0}, {"batches_per_s", 0}, {"step_s", 0}};
    static const table_column several[] = {{"workers", 0}, {"servers", 0}, {"batches_per_s", 0},
                                           {"step_s", 0}};
    result_table *t = fit_knows_servers(r) ? table_new(several, COUNT_OF(several))
                                       : table_new(one, COUNT_OF(one));
    size_t i;
    for (i = 0; i < r->count; i++) {
        const double X = r->curve[i].batches_per_s;
        table_configuration(t, r, &r->curve[i]);
        if (X > 0.0) table_number(t, X); else table_empty(t);
        if (X > 0.0) table_number(t, r->curve[i].workers / X); else table_empty(t);
    }
    table_print(t, out, format);
}

static void print_suggested(output *out, const fit_result *r, output_format format)
{
    static const table_column one[] = {{"workers", 0}, {"spread", 3}};
    static const table_column several[] = {{"workers", 0}, {"servers", 0}, {"spread", 3}};
    result_table *t = fit_knows_servers(r) ? table_new(several, COUNT_OF(several))
                                       : table_new(one, COUNT_OF(one));
    size_t i;
    for (i = 0; i < r->wanted; i++) {
        const suggested_point *s = &r->suggested[i];
        table_configuration(t, r, &s->at);
        if (is_spread(s->spread)) table_number(t, s->spread); else table_empty(t);
    }
    table_print(t, out, format);
}

static void print_fit(output *out, const fit_result *r)
{
    static const table_column columns[] = {{"parameter", 0}, {"value", 6}};
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t i;
    output_print(out, "%s, fitted to %lu points\n", sgdp_blackbox_text(r->model),
                 (unsigned long)r->points.in_role[POINT_FIT]);
    for (i = 0; i < r->fit.parameters; i++) {
        table_text(t, parameter_names[r->model][i]);
        table_number(t, r->fit.parameter[i]);
    }
    table_print(t, out, FORMAT_TABLE);
    output_print(out, "\nrelative errors of batches_per_s\n");
    print_errors(out, r->errors);
    output_print(out, "\n");
    print_curve(out, r, FORMAT_TABLE);
}

static void print_human(output *out, const fit_result *r)
{
    if (r->fitted) print_fit(out, r);
    if (r->wanted == 0) return;
    output_print(out, "%spoints that would tell most of %s, and how unsure the prediction is\n"
                      "there, in deviations of a measurement (empty: it cannot be told yet)\n",
                 r->fitted ? "\n" : "", sgdp_blackbox_text(r->model));
    print_suggested(out, r, FORMAT_TABLE);
}

void fit_print(output *out, const fit_result *r, output_format format)
{
    if (format == FORMAT_JSON) print_json(out, r);
    else if (format == FORMAT_CSV && r->wanted > 0) print_suggested(out, r, FORMAT_CSV);
    else if (format == FORMAT_CSV) print_curve(out, r, FORMAT_CSV);
    else print_human(out, r);
}
