/* print.c - what sgdperf mva prints */
#include "base/table.h"
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

static void print_by_station(output *out, const mva_network *n, const char *key,
                             const double *value)
{
    size_t l;
    json_object(out, key);
    for (l = 0; l < n->net.stations; l++) json_number(out, n->station_name[l], value[l]);
    json_end(out);
}

static void print_json(output *out, const mva_network *n, const char *method,
                       sgdp_status status, const sgdp_mva_result *r)
{
    const size_t C = n->net.classes, L = n->net.stations;
    size_t c, l;
    json_object(out, NULL);
    json_string(out, "method", method);
    json_string(out, "status", tool_status_word(status));
    json_number(out, "throughput_per_s", sum(r->throughput_per_s, C));
    json_string(out, "solver", solver_name(r->method));
    json_integer(out, "iterations", r->iterations);
    json_number(out, "residual", r->residual);
    json_array(out, "classes");
    for (c = 0; c < C; c++) {
        json_object(out, NULL);
        json_string(out, "class", n->class_name[c]);
        json_integer(out, "population", n->population[c]);
        json_number(out, "throughput_per_s", r->throughput_per_s[c]);
        print_by_station(out, n, "response_s", r->response_s + c * L);
        print_by_station(out, n, "queue", r->class_queue + c * L);
        print_by_station(out, n, "utilization", r->class_utilization + c * L);
        json_end(out);
    }
    json_end(out);
    json_array(out, "stations");
    for (l = 0; l < L; l++) {
        json_object(out, NULL);
        json_string(out, "station", n->station_name[l]);
        json_number(out, "queue", r->queue[l]);
        json_number(out, "utilization", r->utilization[l]);
        if (n->discipline[l] == SGDP_HYBRID) json_number(out, "gamma", r->gamma[l]);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

static void print_csv(output *out, const mva_network *n, const sgdp_mva_result *r)
{
    static const table_column columns[] = {
        {"class", 0}, {"population", 0}, {"throughput_per_s", 0}, {"station", 0},
        {"response_s", 0}, {"queue", 0}, {"utilization", 0}
    };
    const size_t L = n->net.stations;
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t c, l;
    for (c = 0; c < n->net.classes; c++)
        for (l = 0; l < L; l++) {
            table_text(t, n->class_name[c]);
            table_integer(t, n->population[c]);
            table_number(t, r->throughput_per_s[c]);
            table_text(t, n->station_name[l]);
            table_number(t, r->response_s[c * L + l]);
            table_number(t, r->class_queue[c * L + l]);
            table_number(t, r->class_utilization[c * L + l]);
        }
    table_print(t, out, FORMAT_CSV);
}

static result_table *class_table(const mva_network *n, const sgdp_mva_result *r)
{
    const size_t L = n->net.stations;
    table_column *columns = (table_column *)tool_alloc(L + 3, sizeof *columns);
    result_table *t;
    size_t c, l;
    columns[0].name = "class";
    columns[1].name = "population";
    columns[2].name = "throughput_per_s";
    for (l = 0; l < L; l++) columns[l + 3].name = n->station_name[l];
    t = table_new(columns, L + 3);
    for (c = 0; c < n->net.classes; c++) {
        table_text(t, n->class_name[c]);
        table_integer(t, n->population[c]);
        table_number(t, r->throughput_per_s[c]);
        for (l = 0; l < L; l++) table_number(t, r->response_s[c * L + l]);
    }
    return t;
}

/* A row a class, a column a station. */
static void print_classes(output *out, const mva_network *n, const char *title,
                          const double *value)
{
    const size_t L = n->net.stations;
    table_column *columns = (table_column *)tool_alloc(L + 1, sizeof *columns);
    result_table *t;
    size_t c, l;
    columns[0].name = "class";
    for (l = 0; l < L; l++) columns[l + 1].name = n->station_name[l];
    t = table_new(columns, L + 1);
    for (c = 0; c < n->net.classes; c++) {
        table_text(t, n->class_name[c]);
        for (l = 0; l < L; l++) table_number(t, value[c * L + l]);
    }
    output_print(out, "\n%s\n", title);
    table_print(t, out, FORMAT_TABLE);
}

static void print_human(output *out, const mva_network *n, const char *method,
                        sgdp_status status, const sgdp_mva_result *r)
{
    static const table_column columns[] = {{"station", 0}, {"queue", 0}, {"utilization", 0}};
    const char *solver = solver_name(r->method);
    result_table *stations = table_new(columns, COUNT_OF(columns));
    size_t l;
    output_print(out, "%s", method);
    if (strcmp(method, solver) != 0) output_print(out, " (%s)", solver);
    output_print(out, ": %.5g cycles per second\n\n", sum(r->throughput_per_s, n->net.classes));
    if (status != SGDP_OK)
        output_print(out, "not converged: residual %.2g after %lu iterations\n\n", r->residual,
                     (unsigned long)r->iterations);
    output_print(out, "response times at each station, seconds\n");
    table_print(class_table(n, r), out, FORMAT_TABLE);
    for (l = 0; l < n->net.stations; l++) {
        table_text(stations, n->station_name[l]);
        table_number(stations, r->queue[l]);
        table_number(stations, r->utilization[l]);
    }
    output_print(out, "\n");
    table_print(stations, out, FORMAT_TABLE);
    if (n->net.classes == 1) return;
    print_classes(out, n, "tasks of each class at each station", r->class_queue);
    print_classes(out, n, "utilization by each class", r->class_utilization);
}

void mva_print(output *out, const mva_network *n, const char *method, sgdp_status status,
               const sgdp_mva_result *r, output_format format)
{
    if (format == FORMAT_JSON) print_json(out, n, method, status, r);
    else if (format == FORMAT_CSV) print_csv(out, n, r);
    else print_human(out, n, method, status, r);
}

/* ---- Bounds -------------------------------------------------------------------- */

static void print_bounds_json(output *out, const mva_network *n, const double *lower,
                              const double *upper)
{
    size_t c;
    json_object(out, NULL);
    json_string(out, "method", "bounds");
    json_string(out, "status", "ok");
    json_array(out, "classes");
    for (c = 0; c < n->net.classes; c++) {
        json_object(out, NULL);
        json_string(out, "class", n->class_name[c]);
        json_integer(out, "population", n->population[c]);
        json_number(out, "lower_per_s", lower[c]);
        json_number(out, "upper_per_s", upper[c]);
        json_end(out);
    }
    json_end(out);
    json_end(out);
}

void mva_print_bounds(output *out, const mva_network *n, output_format format)
{
    static const table_column columns[] = {
        {"class", 0}, {"population", 0}, {"lower_per_s", 0}, {"upper_per_s", 0}
    };
    const size_t C = n->net.classes;
    double *lower = (double *)tool_alloc(C, sizeof *lower);
    double *upper = (double *)tool_alloc(C, sizeof *upper);
    result_table *t = table_new(columns, COUNT_OF(columns));
    size_t c;
    tool_check(sgdp_mva_bounds(&n->net, lower, upper), n->file->name);
    if (format == FORMAT_JSON) { print_bounds_json(out, n, lower, upper); return; }
    for (c = 0; c < C; c++) {
        table_text(t, n->class_name[c]);
        table_integer(t, n->population[c]);
        table_number(t, lower[c]);
        table_number(t, upper[c]);
    }
    table_print(t, out, format);
}
