/* plan.h - a network, the machines it is to run on, and the search for how to split it */
#ifndef TOOLS_CMD_PLAN_PLAN_H
#define TOOLS_CMD_PLAN_PLAN_H

#include "sgdperf_plan.h"
#include "sgdperf_plan.h"
#include "base/tool.h"

/* ---- Layers: plan_layers.c ------------------------------------------------- */

typedef struct plan_layers {
    const csv_table *file;
    int         name;         /* its column                                         */
    sgdplan_layer *layer;        /* [count] one a row                                  */
    size_t      count;
} plan_layers;

/* Columns name, kind, c_in, h_in, w_in, c_out, h_out, w_out, kernel, stride [1], pad [0],
 * n_in, n_out, steps [1]: those that a row's kind needs. Names differ. */
void plan_layers_read(plan_layers *layers, const char *path);

const char *plan_layer_name(const plan_layers *layers, size_t l);

/* Fails unless each layer fits the one below. */
void plan_layers_check(const plan_layers *layers, int biases);

/* ---- Constants: plan_constants.c ------------------------------------------- */

/* The constants by the paper's names, and what they are in sgdplan_layered. */
#define PLAN_CONSTANT_TABLE(X)                                                        \
    X(PLAN_C_MULADD, "C_muladd", UNIT_TIME,      UNIT_SIZE)  /* over bytes          */ \
    X(PLAN_C_ACT,    "C_act",    UNIT_TIME,      UNIT_NONE)                            \
    X(PLAN_C_ERR,    "C_err",    UNIT_TIME,      UNIT_NONE)                            \
    X(PLAN_C_INTERF, "C_interf", UNIT_NONE,      UNIT_NONE)  /* over threads        */ \
    X(PLAN_C_NCOST,  "C_ncost",  UNIT_TIME,      UNIT_NONE)  /* over threads        */ \
    X(PLAN_C_NBW,    "C_nbw",    UNIT_BANDWIDTH, UNIT_NONE)                            \
    X(PLAN_C_BITS,   "C_bits",   UNIT_NONE,      UNIT_NONE)                            \
    X(PLAN_N_SAMPLE, "N_sample", UNIT_NONE,      UNIT_NONE)                            \
    X(PLAN_N_READ,   "N_read",   UNIT_NONE,      UNIT_NONE)                            \
    X(PLAN_N_WRITE,  "N_write",  UNIT_NONE,      UNIT_NONE)

#define PLAN_X(name, text, unit, at) name,
typedef enum plan_constant { PLAN_CONSTANT_TABLE(PLAN_X) PLAN_CONSTANTS } plan_constant;
#undef PLAN_X

const char *plan_constant_text(plan_constant constant);

/* Sets the constants of net from the file at `path`, NULL for none, and from the options
 * of the same names, which come first. The file has rows constant, at, value: `at` is
 * empty, or the point of a table. Bandwidths are in bit/s there. */
void plan_constants_read(sgdplan_layered *net, const args *a, const char *path);

/* Computation and network that many times as fast. */
void plan_constants_scale(sgdplan_layered *net, double compute, double bandwidth);

/* ---- Search: plan_search.c ------------------------------------------------- */

typedef struct plan_problem {
    plan_layers  layers;
    sgdplan_layered net;
    sgdplan_split  *fixed;       /* [layers] what is given of a split; 0: free         */
    int          threads_differ;
    uint32_t     max_replications; /* 0: any                                        */
    sgdplan_objective objective;
    const sgdplan_resources *given; /* [givens] NULL: all                          */
    size_t       givens;
    size_t       room;        /* how many of the best                               */
    int          keep_all;
} plan_problem;

typedef struct plan_answer {
    size_t         looked_at; /* configurations                                     */
    sgdplan_plan *ranked;    /* [ranks] best first, with states                    */
    size_t         ranks;
    sgdplan_plan *all;       /* [count] best first, if keep_all                    */
    size_t         count;
} plan_answer;

/* Where the segments of a plan go, layer by layer, the first layer's on the first workers.
 * What is least for the activations of one layer after the other may make others and the
 * error terms dearer: then they stay where the search had them. */
typedef struct plan_mapping {
    sgdplan_split       *split;  /* [layers] with places                               */
    sgdplan_mapping *cost;   /* [layers] remote activations; of the first layer 0  */
    sgdplan_epoch        epoch;
    int               contiguous; /* they stay, cost is what had been thought of    */
} plan_mapping;

/* Fails where no configuration is allowed; `what` is the file, for messages. */
void plan_search(const plan_problem *p, plan_answer *answer);

/* The parts of a plan's epoch, and of its layers: by_layer[layers], NULL: not wanted. */
void plan_evaluate(const plan_problem *p, const sgdplan_plan *plan, sgdplan_epoch *by_layer,
                   sgdplan_epoch *out);

void plan_map(const plan_problem *p, const sgdplan_plan *plan, plan_mapping *mapping);

/* ---- Commands of their own ------------------------------------------------- */

int plan_measure(int argc, char **argv);
int plan_trials(const args *a);

#endif /* TOOLS_CMD_PLAN_PLAN_H */
