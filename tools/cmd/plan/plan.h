/* plan.h - a network, the machines it is to run on, and the search for how to split it */
#ifndef TOOLS_CMD_PLAN_PLAN_H
#define TOOLS_CMD_PLAN_PLAN_H

#include "sgdperf_plan.h"

#include "options/args.h"
#include "base/csv.h"
#include "base/numbers.h"
#include "base/output.h"
#include "base/output.h"

/* ---- Layers: layers.c ------------------------------------------------------ */

typedef struct plan_layers {
    const csv_table *file;
    int            name;      /* its column                                         */
    sgdplan_layer *layer;     /* [count] one a row                                  */
    size_t         count;
} plan_layers;

/* Columns name, kind, c_in, h_in, w_in, c_out, h_out, w_out, kernel, stride [1], pad [0],
 * n_in, n_out, steps [1]: those that a row's kind needs. Names differ. */
void plan_layers_read(plan_layers *layers, const char *path);

const char *plan_layer_name(const plan_layers *layers, size_t l);

/* Fails unless each layer fits the one below. */
void plan_layers_check(const plan_layers *layers, int biases);

/* ---- Constants: constants.c ------------------------------------------------ */

/* The constants by the paper's names, their options, and what they are in sgdplan_job:
 * the units of value and point. */
#define PLAN_CONSTANT_TABLE(X)                                                      \
    X(PLAN_C_MULADD, "C_muladd", OPTION_C_MULADD, UNIT_TIME,      UNIT_SIZE)           \
    X(PLAN_C_ACT,    "C_act",    OPTION_C_ACT,    UNIT_TIME,      UNIT_NONE)           \
    X(PLAN_C_ERR,    "C_err",    OPTION_C_ERR,    UNIT_TIME,      UNIT_NONE)           \
    X(PLAN_C_INTERF, "C_interf", OPTION_C_INTERF, UNIT_NONE,      UNIT_NONE)           \
    X(PLAN_C_NCOST,  "C_ncost",  OPTION_C_NCOST,  UNIT_TIME,      UNIT_NONE)           \
    X(PLAN_C_NBW,    "C_nbw",    OPTION_C_NBW,    UNIT_BANDWIDTH, UNIT_NONE)           \
    X(PLAN_C_BITS,   "C_bits",   OPTION_C_BITS,   UNIT_NONE,      UNIT_NONE)           \
    X(PLAN_N_SAMPLE, "N_sample", OPTION_N_SAMPLE, UNIT_NONE,      UNIT_NONE)           \
    X(PLAN_N_READ,   "N_read",   OPTION_N_READ,   UNIT_NONE,      UNIT_NONE)           \
    X(PLAN_N_WRITE,  "N_write",  OPTION_N_WRITE,  UNIT_NONE,      UNIT_NONE)

#define PLAN_X(name, text, option, unit, at) name,
typedef enum plan_constant { PLAN_CONSTANT_TABLE(PLAN_X) PLAN_CONSTANTS } plan_constant;
#undef PLAN_X

const char *plan_constant_text(plan_constant constant);

/* Sets the constants of a job from the file at `path`, NULL for none, and from the
 * options of the same names, which come first. The file has rows constant, at, value:
 * `at` is empty, or the point of a table; in s, B, B/s, bit and samples, which a column
 * `unit` may say again. */
void plan_constants_read(sgdplan_job *job, const args *a, const char *path);

/* Computation and network that many times as fast. */
void plan_constants_scale(sgdplan_job *job, double compute, double bandwidth);

/* ---- Options: read.c ------------------------------------------------------- */

typedef struct plan_problem {
    plan_layers       layers;
    sgdplan_problem   in;
    sgdplan_objective objective;
    size_t            room;   /* how many of the best                               */
    int               keep_all;
    uint32_t         *machines; /* [scenarios] numbers to try                       */
    size_t            scenarios;
} plan_problem;

/* From LAYERS.csv and all options but --format and --by-layer. */
void plan_problem_read(plan_problem *p, const args *a);

/* Fails where what is given breaks a constraint on the machines of p->in. */
void plan_problem_check(const plan_problem *p);

/* ---- Search: search.c ------------------------------------------------------ */

typedef struct plan_answer {
    size_t        looked_at;  /* configurations                                     */
    sgdplan_plan *ranked;     /* [ranks] best first, with splits                    */
    size_t        ranks;
    sgdplan_plan *all;        /* [count] best first: with keep_all all that there are */
    size_t        count;
} plan_answer;

/* answer[scenarios]; fails where one is no problem, or allows no configuration. */
plan_answer *plan_search(plan_problem *p, size_t processes);

/* The parts of a plan's epoch, and of its layers: by_layer[layers], NULL: not wanted. */
void plan_evaluate(const plan_problem *p, const sgdplan_plan *plan, sgdplan_epoch *by_layer,
                   sgdplan_epoch *out);

sgdplan_mapping plan_place(const plan_problem *p, const sgdplan_plan *plan);

/* ---- Results: print.c ------------------------------------------------------ */

/* What was found for each number of machines; by_layer: the CSV is the layers of the best. */
void plan_print(output *out, plan_problem *p, const plan_answer *found, int by_layer);

/* ---- plan order: trials.c -------------------------------------------------- */

extern const args_command command_plan_order, command_plan_measure;

/* Which configuration to try first: order[n], by epoch, the first among equals. */
void trials_order(const double *epoch_s, size_t n, size_t *order);

/* What is spent until a configuration turns out accurate [YRHC15, 3]: in random order, in
 * expectation the mean of the g accurate epochs plus 1/(g + 1) of each inaccurate one,
 * and in that order. accurate[n]: 0 or not; if none is, all are tried. */
void trials_cost(const double *epoch_s, const unsigned char *accurate, size_t n,
                 double *random_s, double *ordered_s);

/* ---- plan measure: measure.c, canonical.c, threads.c ----------------------- */


#endif /* TOOLS_CMD_PLAN_PLAN_H */
