/* print.c - what sgdperf fit prints */
#include "base/columns.h"
#include "cmd/fit/fit.h"

/* Names of the parameters, in the order of sgdfit_curve.parameter. */
static const char *const parameter_names[SGDFIT_BLACKBOX_COUNT][SGDFIT_PARAMETERS] = {
    [SGDFIT_ERNEST] = {"constant_s", "parallel_s", "logarithmic_s", "linear_s"},
    [SGDFIT_OPTIMUS_ASYNC] = {"constant_s", "linear_s"},
    [SGDFIT_OPTIMUS_SYNC] = {"parallel_s", "constant_s", "linear_s"},
    [SGDFIT_AMDAHL] = {"rate_per_s", "serial"},
    [SGDFIT_USL] = {"rate_per_s", "contention", "coherency"},
    [SGDFIT_OPTIMUS_ASYNC_SERVERS] = {"constant_s", "shared_s", "linear_s", "servers_s"},
    [SGDFIT_OPTIMUS_SYNC_SERVERS] = {"parallel_s", "constant_s", "shared_s", "linear_s",
                                   "servers_s"},
};

int fit_knows_servers(const fit_result *r)
{
    return r->model == SGDFIT_OPTIMUS_ASYNC_SERVERS || r->model == SGDFIT_OPTIMUS_SYNC_SERVERS;
}

/* ---- Printing -------------------------------------------------------------- */

/* Beyond it the points before say nothing of the prediction. */
static int is_spread(double spread) { return spread < 100.0; }

static void print_configuration(columns *c, const fit_result *r, const sgdfit_point *at)
{
    columns_row(c);
    column_whole(c, ALL, "workers", (uint64_t)at->workers);
    if (fit_knows_servers(r)) column_whole(c, ALL, "servers", (uint64_t)at->servers);
}

static void print_parameters(output *out, const fit_result *r)
{
    columns c;
    size_t i;
    output_print(out, "%s, fitted to %lu points\n", sgdfit_blackbox_text(r->model),
                 (unsigned long)r->points.in_role[POINT_FIT]);
    json_object(out, "parameters");
    columns_open(&c, out, SCREEN, NULL);
    for (i = 0; i < r->fit.parameters; i++) {
        const char *name = parameter_names[r->model][i];
        json_number(out, name, r->fit.parameter[i]);
        columns_row(&c);
        column_text(&c, ALL, "parameter", name);
        column_round(&c, ALL, "value", 6, r->fit.parameter[i]);
    }
    columns_close(&c);
    json_end(out);
}

static void print_curve(output *out, const fit_result *r)
{
    columns c;
    size_t i;
    columns_open(&c, out, r->wanted > 0 ? SCREEN | JSON : ALL, "curve");
    for (i = 0; i < r->count && r->fitted; i++) {
        const double X = r->curve[i].batches_per_s;
        print_configuration(&c, r, &r->curve[i]);
        column_number(&c, ALL, "batches_per_s", known_if(X > 0.0, X));
        column_number(&c, TABLES, "step_s", known_if(X > 0.0, r->curve[i].workers / X));
    }
    columns_close(&c);
}

static void print_suggested(output *out, const fit_result *r)
{
    columns c;
    size_t i;
    output_print(out, "%spoints that would tell most of %s, and how unsure the prediction is\n"
                      "there, in deviations of a measurement (empty: it cannot be told yet)\n",
                 r->fitted ? "\n" : "", sgdfit_blackbox_text(r->model));
    columns_open(&c, out, ALL, "suggested");
    for (i = 0; i < r->wanted; i++) {
        const double spread = r->suggested[i].spread;
        print_configuration(&c, r, &r->suggested[i].at);
        column_round(&c, ALL, "spread", 3, known_if(is_spread(spread), spread));
    }
    columns_close(&c);
}

void fit_print(output *out, const fit_result *r)
{
    json_object(out, NULL);
    json_string(out, "model", sgdfit_blackbox_text(r->model));
    if (r->fitted) print_parameters(out, r);
    else json_null(out, "parameters");
    output_print(out, r->fitted ? "\nrelative errors of batches_per_s\n" : "");
    if (r->fitted || out->form == JSON) print_errors(out, r->errors, POINT_ROLES);
    output_print(out, r->fitted ? "\n" : "");
    if (r->fitted || out->form == JSON) print_curve(out, r);
    if (r->wanted > 0) print_suggested(out, r);
    json_end(out);
}
