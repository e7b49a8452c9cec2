/* plan.h - a network, the machines it is to run on, and the search for how to split it */
#ifndef TOOLS_CMD_PLAN_PLAN_H
#define TOOLS_CMD_PLAN_PLAN_H

#include "sgdperf_plan.h"

#include "options/args.h"
#include "base/csv.h"
#include "base/output.h"

/* ---- What is given: read.c -------------------------------------------------- */

typedef struct plan_layers {
    const csv_table *file;
    int            name;      /* its column                                         */
    sgdplan_layer *layer;     /* [count] one a row                                  */
    size_t         count;
} plan_layers;

const char *plan_layer_name(const plan_layers *layers, size_t l);

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

/* ---- Parts of the command ------------------------------------------------------ */

extern const args_command command_plan_order, command_plan_measure, command_plan_stages;

#endif /* TOOLS_CMD_PLAN_PLAN_H */
