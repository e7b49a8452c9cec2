/* print.c - what sgdperf mva prints */
#include "base/columns.h"
#include "cmd/mva/mva.h"
#include "files/status.h"

#include <string.h>

static const char *solver_name(sgdp_method method)
{
    switch (method) {
    case SGDP_METHOD_AUTO:       break;
    case SGDP_METHOD_LATTICE:    return "lattice";
    case SGDP_METHOD_POLYNOMIAL: return "polynomial";
    case SGDP_METHOD_SCHWEITZER: return "schweitzer";
    case SGDP_METHOD_LINEARIZER: return "linearizer";
    }
    return "auto";
}

static double sum(const double *x, size_t count)
{
    double total = 0.0;
    size_t i;
    for (i = 0; i < count; i++) total += x[i];
    return total;
}

/* A column a station, in JSON together an object. */
static void by_station(columns *c, const mva_network *n, const char *key, const double *value)
{
    size_t l;
    json_object(c->out, key);
    for (l = 0; l < n->net.stations; l++) column_number(c, ALL, n->station_name[l], value[l]);
    json_end(c->out);
}

static void print_class(columns *c, const mva_network *n, const sgdp_mva_result *r, size_t class)
{
    columns_row(c);
    column_text(c, ALL, "class", n->class_name[class]);
    column_whole(c, ALL, "population", n->population[class]);
    column_number(c, ALL, "throughput_per_s", r->throughput_per_s[class]);
}

static void print_csv(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    const size_t L = n->net.stations;
    columns table;
    size_t c, l;
    columns_open(&table, out, CSV, NULL);
    for (c = 0; c < n->net.classes; c++)
        for (l = 0; l < L; l++) {
            print_class(&table, n, r, c);
            column_text(&table, ALL, "station", n->station_name[l]);
            column_number(&table, ALL, "response_s", r->response_s[c * L + l]);
            column_number(&table, ALL, "queue", r->class_queue[c * L + l]);
            column_number(&table, ALL, "utilization", r->class_utilization[c * L + l]);
        }
    columns_close(&table);
}

static void print_classes(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    const size_t L = n->net.stations;
    columns table;
    size_t c;
    output_print(out, "response times at each station, seconds\n");
    columns_open(&table, out, SCREEN | JSON, "classes");
    for (c = 0; c < n->net.classes; c++) {
        print_class(&table, n, r, c);
        by_station(&table, n, "response_s", r->response_s + c * L);
        if (out->form != JSON) continue;
        by_station(&table, n, "queue", r->class_queue + c * L);
        by_station(&table, n, "utilization", r->class_utilization + c * L);
    }
    columns_close(&table);
    output_print(out, "\n");
}

static void print_stations(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    columns c;
    size_t l;
    columns_open(&c, out, SCREEN | JSON, "stations");
    for (l = 0; l < n->net.stations; l++) {
        columns_row(&c);
        column_text(&c, ALL, "station", n->station_name[l]);
        column_number(&c, ALL, "queue", r->queue[l]);
        column_number(&c, ALL, "utilization", r->utilization[l]);
        if (n->discipline[l] == SGDP_HYBRID) column_number(&c, JSON, "gamma", r->gamma[l]);
    }
    columns_close(&c);
}

/* For a human: a row a class, a column a station. */
static void print_by_class(output *out, const mva_network *n, const char *title,
                           const double *value)
{
    columns table;
    size_t c;
    output_print(out, "\n%s\n", title);
    columns_open(&table, out, SCREEN, NULL);
    for (c = 0; c < n->net.classes; c++) {
        columns_row(&table);
        column_text(&table, ALL, "class", n->class_name[c]);
        by_station(&table, n, NULL, value + c * n->net.stations);
    }
    columns_close(&table);
}

static void print_heading(output *out, const char *method, const char *solver, double rate_per_s,
                          sgdp_status status, const sgdp_mva_result *r)
{
    json_string(out, "method", method);
    json_string(out, "status", tool_status_word(status));
    json_number(out, "throughput_per_s", rate_per_s);
    json_string(out, "solver", solver);
    json_integer(out, "iterations", r->iterations);
    json_number(out, "residual", r->residual);
    output_print(out, "%s", method);
    if (strcmp(method, solver) != 0) output_print(out, " (%s)", solver);
    output_print(out, ": %.5g cycles per second\n\n", rate_per_s);
    if (status != SGDP_OK)
        output_print(out, "not converged: residual %.2g after %lu iterations\n\n", r->residual,
                     (unsigned long)r->iterations);
}

void mva_print(output *out, const mva_network *n, const char *method, sgdp_status status,
               const sgdp_mva_result *r)
{
    json_object(out, NULL);
    print_heading(out, method, solver_name(r->method), sum(r->throughput_per_s, n->net.classes),
                  status, r);
    print_csv(out, n, r);
    print_classes(out, n, r);
    print_stations(out, n, r);
    json_end(out);
    if (n->net.classes == 1 || out->form != SCREEN) return;
    print_by_class(out, n, "tasks of each class at each station", r->class_queue);
    print_by_class(out, n, "utilization by each class", r->class_utilization);
}

void mva_print_bounds(output *out, const mva_network *n)
{
    const size_t C = n->net.classes;
    double *lower = (double *)tool_alloc(C, sizeof *lower);
    double *upper = (double *)tool_alloc(C, sizeof *upper);
    columns table;
    size_t c;
    tool_check(sgdp_mva_bounds(&n->net, lower, upper), n->file->name);
    json_object(out, NULL);
    json_string(out, "method", "bounds");
    json_string(out, "status", "ok");
    columns_open(&table, out, ALL, "classes");
    for (c = 0; c < C; c++) {
        columns_row(&table);
        column_text(&table, ALL, "class", n->class_name[c]);
        column_whole(&table, ALL, "population", n->population[c]);
        column_number(&table, ALL, "lower_per_s", lower[c]);
        column_number(&table, ALL, "upper_per_s", upper[c]);
    }
    columns_close(&table);
    json_end(out);
}
