/* plans.h - layers, networks and configurations for the tests of sgdperf_plan.h */
#ifndef TESTS_PLANS_H
#define TESTS_PLANS_H

#include "../sgdperf_plan.h"
#include "chance.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double NOT_A_NUMBER = (double)NAN;
static const double INFINITE = (double)INFINITY;

enum { LAYERS = 64 };

static inline double uniform(double low, double high)
{
    return low + (high - low) * (draw(1u << 30) / (double)(1u << 30));
}

/* Mostly as it is, else anything that a double holds. */
static inline double any_size(double plain)
{
    if (draw(3) > 0) return plain;
    return ldexp(1.0 + uniform(0, 1), (int)draw(2090) - 1073);
}

static inline sgdplan_layer image(sgdplan_layer_kind kind, uint32_t c_in, uint32_t in,
                                  uint32_t c_out, uint32_t kernel, uint32_t stride, uint32_t pad)
{
    const uint32_t out = (in + 2 * pad - kernel) / stride + 1;
    return (sgdplan_layer){.kind = kind, .in = {c_in, in, in}, .out = {c_out, out, out},
                           .kernel = kernel, .stride = stride, .pad = pad};
}

static inline sgdplan_layer full(sgdplan_layer_kind kind, uint32_t n_in, uint32_t n_out,
                                 uint32_t steps)
{
    return (sgdplan_layer){.kind = kind, .n_in = n_in, .n_out = n_out, .steps = steps};
}

static inline sgdplan_split cut(uint32_t P, uint32_t R, uint32_t H)
{
    return (sgdplan_split){.partitions = P, .replications = R, .threads = H};
}

static inline sgdplan_configuration cluster(uint32_t servers, uint32_t replicas,
                                            uint32_t workers, const sgdplan_split *split)
{
    return (sgdplan_configuration){.servers = servers, .replicas = replicas, .workers = workers,
                                   .split = split};
}

/* Reads a network of validation/networks; the tests run in the root of the tree. */
static inline size_t read_network(const char *name, sgdplan_layer layer[LAYERS])
{
    char path[256], line[256];
    size_t n = 0;
    snprintf(path, sizeof path, "validation/networks/%s.csv", name);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file) return 0;
    while (n < LAYERS && fgets(line, sizeof line, file)) {
        uint32_t *field[12], i;
        char *at = line;
        sgdplan_layer *z = layer + n;
        if (line[0] == '#' || strncmp(line, "name,", 5) == 0) continue;
        memset(z, 0, sizeof *z);
        at = strchr(at, ',') + 1;
        while (strncmp(sgdplan_layer_text(z->kind), at, strcspn(at, ",")) != 0)
            z->kind = (sgdplan_layer_kind)(z->kind + 1);
        field[0] = &z->in.channels;   field[1] = &z->in.rows;    field[2] = &z->in.columns;
        field[3] = &z->out.channels;  field[4] = &z->out.rows;   field[5] = &z->out.columns;
        field[6] = &z->kernel; field[7] = &z->stride;  field[8] = &z->pad;
        field[9] = &z->n_in;   field[10] = &z->n_out;  field[11] = &z->steps;
        for (i = 0; i < 12; i++) {
            at = strchr(at, ',') + 1;
            *field[i] = (uint32_t)strtoul(at, NULL, 10);
        }
        n++;
    }
    fclose(file);
    return n;
}

#endif /* TESTS_PLANS_H */
