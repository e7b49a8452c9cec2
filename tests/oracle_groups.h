/* oracle_groups.h - groups of workers that share links, once more, straightforwardly: each
 * worker is followed by itself, from one moment to the next at which anything ends. */
#ifndef TESTS_ORACLE_GROUPS_H
#define TESTS_ORACLE_GROUPS_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "../sgdperf_sim.h"

enum { TEAM_OPS = 24, TEAM_WORKERS = 6, TEAMS = 3, TEAM_STEPS = 4, TEAM_STAGES = 3 };

typedef struct team_op {
    int    started, done;
    double ready_s, start_s, end_s;
    unsigned long turn;                /* when it ended                                */
} team_op;

typedef struct team_worker {
    size_t type, profile;              /* of its trace                                 */
    const sgdsim_step *step;
    team_op op[TEAM_STEPS][TEAM_OPS];
    sgdsim_waiting spent;
    double updating_s;
} team_worker;

typedef struct team_collective {
    sgdsim_resource what;
    size_t   member[TEAM_OPS], members; /* which exchanges of a step, by op numbers    */
    size_t   closed;                   /* how many exchanges had joined when it closed */
    double   bytes, ready_s, start_s;
    int      ready, started, done;
    sgdsim_cost cost;
    int      stage;
    double   wait_s[SGDSIM_LEVELS], left_s[SGDSIM_LEVELS], share[SGDSIM_LEVELS];
} team_collective;

typedef struct team {
    const sgdsim_group *of;
    uint32_t W;
    team_worker worker[TEAM_WORKERS];
    team_collective collective[TEAM_OPS];
    size_t   collectives, turns;       /* turns: told to the test                      */
    uint64_t step, events;
    double   begin_s, step_end_s[TEAM_STEPS], sent_s[SGDSIM_RESOURCES];
} team;

typedef struct team_world {
    team   of[TEAMS];
    size_t teams;
    double now_s, carried_s[SGDSIM_LEVELS];
    unsigned long turn;
} team_world;

static int team_exchanges(const team *t, const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK || (op->resource == SGDSIM_DOWNLINK && t->of->gathers);
}

/* The op that is the k-th exchange of a step. */
static size_t team_exchange(const team *t, const sgdsim_step *step, size_t k)
{
    size_t i = 0;
    for (; i < step->ops; i++)
        if (team_exchanges(t, step->op + i) && k-- == 0) break;
    return i;
}

/* ---- Collectives ----------------------------------------------------------------- */

/* When the exchanges of the first step are ready, if none takes time. */
static size_t team_offers(const team *t, const sgdsim_step *step, double *ready_s)
{
    double end_s[TEAM_OPS], free_s[SGDSIM_RESOURCES] = {0.0};
    size_t n = 0;
    for (size_t i = 0; i < step->ops; i++) {
        const sgdsim_op *op = step->op + i;
        const int computes = op->resource == SGDSIM_WORKER || op->resource == SGDSIM_SERVER;
        end_s[i] = computes ? free_s[op->resource] : 0.0;
        for (size_t k = 0; k < op->waits; k++) end_s[i] = fmax(end_s[i], end_s[op->waits_for[k]]);
        if (computes) free_s[op->resource] = end_s[i] += op->duration_s;
        if (team_exchanges(t, op)) ready_s[n++] = end_s[i];
    }
    return n;
}

static int team_form(team *t)
{
    const sgdsim_step *first = t->of->workers.trace[0].step;
    double ready_s[TEAM_OPS];
    double limit = t->of->first_bucket_bytes > 0.0 ? t->of->first_bucket_bytes : 1048576.0;
    const size_t n = team_offers(t, first, ready_s);
    team_collective *open = NULL;
    int good = 1;
    for (size_t joined = 0; joined < n; joined++) {
        size_t best = 0;
        for (size_t k = 1; k < n; k++) if (ready_s[k] < ready_s[best]) best = k;
        ready_s[best] = HUGE_VAL;
        const sgdsim_op *op = first->op + team_exchange(t, first, best);
        team_collective *c = op->resource == SGDSIM_UPLINK && open ? open
                           : &t->collective[t->collectives++];
        c->what = op->resource;
        c->member[c->members++] = best;
        c->closed = joined;
        c->bytes += op->bytes;
        if (op->resource != SGDSIM_UPLINK) continue;
        open = c;
        if (!(t->of->bucket_bytes > 0.0)) {
            open = NULL;
        } else if (c->bytes >= limit) {
            open = NULL;
            limit = t->of->bucket_bytes;
        }
    }
    for (size_t c = 0; c < t->collectives; c++)
        good &= t->of->cost(t->of->cost_ctx, t->collective[c].what, t->collective[c].bytes,
                            &t->collective[c].cost);
    return good;
}

/* A stage of a collective: half of the work inside that is not beside the work between
 * machines; that between, and the rest of that inside; the other half. */
static void team_stage(team_collective *c)
{
    const sgdsim_cost *cost = &c->cost;
    const double in_s = cost->latency_s[0] + cost->busy_s[0];
    const double out_s = cost->latency_s[1] + cost->busy_s[1];
    const double over_s = fmax(0.0, in_s + out_s - cost->alone_s);
    const double inside_s = c->stage == 1 ? over_s : (in_s - over_s) / 2.0;
    const double part[SGDSIM_LEVELS] = {in_s > 0.0 ? inside_s / in_s : 0.0, c->stage == 1};
    for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
        c->wait_s[l] = part[l] * cost->latency_s[l];
        c->left_s[l] = part[l] * cost->busy_s[l] * (cost->share[l] > 0.0 ? cost->share[l] : 1.0);
    }
    if (c->stage == 1) c->wait_s[1] += fmax(0.0, cost->alone_s - in_s - out_s);
}

static int team_stage_is_over(const team_collective *c)
{
    return c->wait_s[0] <= 0.0 && c->wait_s[1] <= 0.0 && c->left_s[0] <= 0.0 && c->left_s[1] <= 0.0;
}

/* ---- Workers --------------------------------------------------------------------- */

static team_op *team_state(team *t, team_worker *w, size_t op) { return &w->op[t->step][op]; }

static void team_end_op(team_world *world, team *t, team_worker *w, size_t op, double end_s)
{
    team_op *state = team_state(t, w, op);
    state->done = 1;
    state->end_s = end_s;
    state->turn = ++world->turn;
}

static void team_begin_step(team *t)
{
    for (size_t c = 0; c < t->collectives; c++) {
        team_collective *of = t->collective + c;
        of->ready = of->started = of->done = of->stage = 0;
        of->ready_s = t->begin_s;
    }
    for (uint32_t i = 0; i < t->W; i++) {
        team_worker *w = t->worker + i;
        const sgdsim_trace *trace = t->of->workers.trace + w->type;
        const uint64_t bits = sgdsim_random(t->of->seed, i, t->step, 0);
        w->profile = (size_t)((double)(bits >> 11) * 0x1p-53 * (double)trace->steps);
        w->step = trace->step + w->profile;
        memset(w->op[t->step], 0, sizeof w->op[t->step]);
    }
}

/* Is an op's last prerequisite done? If so, sets when it was. */
static int team_is_ready(team *t, team_worker *w, size_t i)
{
    const sgdsim_op *op = w->step->op + i;
    team_op *state = team_state(t, w, i);
    state->ready_s = t->begin_s;
    for (size_t k = 0; k < op->waits; k++) {
        const team_op *before = team_state(t, w, op->waits_for[k]);
        if (!before->done) return 0;
        state->ready_s = fmax(state->ready_s, before->end_s);
    }
    return 1;
}

/* Ends and starts what a worker does by itself at this moment; did anything? */
static int team_move_worker(team_world *world, team *t, team_worker *w)
{
    int went = 0, taken[SGDSIM_RESOURCES] = {0};
    for (size_t i = 0; i < w->step->ops; i++) {
        const sgdsim_op *op = w->step->op + i;
        team_op *state = team_state(t, w, i);
        if (state->done || team_exchanges(t, op)) continue;
        if (op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK) {
            if (!team_is_ready(t, w, i)) continue;
            state->start_s = state->ready_s;
            team_end_op(world, t, w, i, state->ready_s);
            went = 1;
            continue;
        }
        if (taken[op->resource]) continue;         /* the next one waits              */
        taken[op->resource] = 1;
        if (!state->started && team_is_ready(t, w, i)) {
            state->started = 1;
            state->start_s = world->now_s;
            state->end_s = world->now_s + op->duration_s;
            t->events++;
            if (op->resource == SGDSIM_WORKER) w->spent.computing_s += op->duration_s;
            else w->updating_s += op->duration_s;
        }
        if (state->started && state->end_s <= world->now_s * (1.0 + 1e-13)) {
            team_end_op(world, t, w, i, state->end_s);
            went = 1;
        }
    }
    return went;
}

/* ---- What a worker waits for ----------------------------------------------------- */

static const team_collective *team_collective_of(const team *t, const team_worker *w, size_t op)
{
    for (size_t c = 0; c < t->collectives; c++)
        for (size_t k = 0; k < t->collective[c].members; k++)
            if (team_exchange(t, w->step, t->collective[c].member[k]) == op)
                return t->collective + c;
    return NULL;
}

/* From from_s to to_s it waits for the last of those ops. */
static void team_blame(team *t, team_worker *w, const uint32_t *ops, size_t n, double from_s,
                       double to_s)
{
    double *const spent_s[SGDSIM_RESOURCES] = {&w->spent.downlink_s, &w->spent.computing_s,
                                               &w->spent.uplink_s, &w->spent.server_s};
    size_t last = 0;
    if (!(to_s > from_s) || n == 0) return;
    for (size_t k = 1; k < n; k++)
        if (team_state(t, w, ops[k])->turn > team_state(t, w, ops[last])->turn) last = k;
    const sgdsim_op *op = w->step->op + ops[last];
    const team_collective *c = team_collective_of(t, w, ops[last]);
    const double since_s = fmin(to_s, fmax(from_s, team_state(t, w, ops[last])->ready_s));
    const double all_s = c ? fmin(to_s, fmax(since_s, c->ready_s)) : since_s;
    w->spent.barrier_s += all_s - since_s;
    *spent_s[op->resource] += to_s - all_s;
    team_blame(t, w, op->waits_for, op->waits, from_s, since_s);
}

static void team_end_step(team_world *world, team *t)
{
    for (uint32_t i = 0; i < t->W; i++) {
        team_worker *w = t->worker + i;
        uint32_t all[TEAM_OPS];
        double free_s = t->begin_s, end_s = t->begin_s;
        for (size_t k = 0; k < w->step->ops; k++) {
            const sgdsim_op *op = w->step->op + k;
            const team_op *state = team_state(t, w, k);
            all[k] = (uint32_t)k;
            end_s = fmax(end_s, state->end_s);
            if (op->resource != SGDSIM_WORKER) continue;
            team_blame(t, w, op->waits_for, op->waits, free_s, state->start_s);
            free_s = state->end_s;
        }
        team_blame(t, w, all, w->step->ops, free_s, end_s);
        w->spent.barrier_s += world->now_s - end_s;
    }
    t->begin_s = t->step_end_s[t->step++] = world->now_s;
    if (t->step < t->of->length.steps) team_begin_step(t);
}

/* ---- Moments --------------------------------------------------------------------- */

/* A collective for which all are ready can start; one whose stages are over ends. */
static int team_move_collective(team_world *world, team *t, team_collective *c)
{
    int waits = 0;
    for (uint32_t i = 0; i < t->W && !c->ready; i++)
        for (size_t k = 0; k < c->members; k++) {
            team_worker *w = t->worker + i;
            const size_t op = team_exchange(t, w->step, c->member[k]);
            if (!team_is_ready(t, w, op)) waits = 1;
            else c->ready_s = fmax(c->ready_s, team_state(t, w, op)->ready_s);
        }
    if (!waits) c->ready = 1;
    if (!c->started || c->done) return 0;
    while (team_stage_is_over(c) && ++c->stage < TEAM_STAGES) team_stage(c);
    if (c->stage < TEAM_STAGES) return 0;
    c->done = 1;
    t->events++;
    for (uint32_t i = 0; i < t->W; i++)
        for (size_t k = 0; k < c->members; k++) {
            const size_t op = team_exchange(t, t->worker[i].step, c->member[k]);
            team_state(t, t->worker + i, op)->start_s = c->start_s;
            team_end_op(world, t, t->worker + i, op, world->now_s);
        }
    return 1;
}

/* Starts the collective that is next, if a stream is free. */
static int team_start(team_world *world, team *t)
{
    team_collective *best = NULL;
    uint32_t running = 0;
    for (size_t i = 0; i < t->collectives; i++) {
        team_collective *c = t->collective + i;
        running += c->started && !c->done;
        if (!c->ready || c->started) continue;
        if (!best || c->ready_s < best->ready_s
            || (c->ready_s <= best->ready_s && c->closed < best->closed)) best = c;
    }
    if (!best || running >= (t->of->streams > 1 ? t->of->streams : 1)) return 0;
    best->started = 1;
    best->start_s = world->now_s;
    team_stage(best);
    return 1;
}

static int team_is_over(const team *t)
{
    for (uint32_t i = 0; i < t->W; i++)
        for (size_t k = 0; k < t->worker[i].step->ops; k++)
            if (!t->worker[i].op[t->step][k].done) return 0;
    return 1;
}

/* All that happens at this moment. */
static void team_settle(team_world *world)
{
    int went = 1;
    while (went) {
        went = 0;
        for (size_t j = 0; j < world->teams; j++) {
            team *t = world->of + j;
            if (t->step == t->of->length.steps) continue;
            for (uint32_t i = 0; i < t->W; i++) went |= team_move_worker(world, t, t->worker + i);
            for (size_t c = 0; c < t->collectives; c++)
                went |= team_move_collective(world, t, t->collective + c);
        }
        for (size_t j = 0; j < world->teams && !went; j++) {
            team *t = world->of + j;
            if (t->step == t->of->length.steps) continue;
            went = team_start(world, t);
            if (went || !team_is_over(t)) continue;
            team_end_step(world, t);
            went = 1;
        }
    }
}

/* All that send on a link rise together, each to what it can use, until the link is full. */
static void team_share(team_world *world, size_t l)
{
    team_collective *sends[TEAMS * TEAM_OPS];
    double left = 1.0;
    size_t n = 0;
    for (size_t j = 0; j < world->teams; j++)
        for (size_t c = 0; c < world->of[j].collectives; c++) {
            team_collective *of = world->of[j].collective + c;
            of->share[l] = 0.0;
            if (of->started && !of->done && of->wait_s[l] <= 0.0 && of->left_s[l] > 0.0)
                sends[n++] = of;
        }
    while (n > 0) {                                /* the one that can use least      */
        size_t least = 0;
        for (size_t i = 0; i < n; i++) {
            const double most = sends[i]->cost.share[l], than = sends[least]->cost.share[l];
            if ((most > 0.0 ? most : 1.0) < (than > 0.0 ? than : 1.0)) least = i;
        }
        team_collective *of = sends[least];
        of->share[l] = fmin(of->cost.share[l] > 0.0 ? of->cost.share[l] : 1.0, left / (double)n);
        left -= of->share[l];
        sends[least] = sends[--n];
    }
}

/* Seconds until anything ends. */
static double team_next(const team_world *world)
{
    double next_s = HUGE_VAL;
    for (size_t j = 0; j < world->teams; j++) {
        const team *t = world->of + j;
        if (t->step == t->of->length.steps) continue;
        for (uint32_t i = 0; i < t->W; i++)
            for (size_t k = 0; k < t->worker[i].step->ops; k++) {
                const team_op *state = &t->worker[i].op[t->step][k];
                if (state->started && !state->done)
                    next_s = fmin(next_s, state->end_s - world->now_s);
            }
        for (size_t c = 0; c < t->collectives; c++)
            for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
                const team_collective *of = t->collective + c;
                if (!of->started || of->done) continue;
                if (of->wait_s[l] > 0.0) next_s = fmin(next_s, of->wait_s[l]);
                else if (of->left_s[l] > 0.0) next_s = fmin(next_s, of->left_s[l] / of->share[l]);
            }
    }
    return next_s;
}

static void team_pass(team_world *world, double passed_s)
{
    const double least_s = 1e-13 * (world->now_s + passed_s);  /* rounding             */
    for (size_t j = 0; j < world->teams; j++) {
        team *t = world->of + j;
        int sends[SGDSIM_RESOURCES] = {0};
        for (size_t c = 0; c < t->collectives; c++) {
            team_collective *of = t->collective + c;
            if (!of->started || of->done) continue;
            sends[of->what] = 1;
            for (size_t l = 0; l < SGDSIM_LEVELS; l++) {
                double *rest_s = of->wait_s[l] > 0.0 ? &of->wait_s[l] : &of->left_s[l];
                const double rate = of->wait_s[l] > 0.0 ? 1.0 : of->share[l];
                if (rest_s == &of->left_s[l]) world->carried_s[l] += passed_s * rate;
                *rest_s -= passed_s * rate;
                if (*rest_s <= least_s) *rest_s = 0.0;
            }
        }
        for (int r = 0; r < SGDSIM_RESOURCES; r++) t->sent_s[r] += sends[r] ? passed_s : 0.0;
    }
    world->now_s += passed_s;
}

/* How many ops are told of: of a bucket only the one that closes it. */
static size_t team_told(const team *t)
{
    size_t n = 0;
    for (uint32_t i = 0; i < t->W; i++)
        for (uint64_t k = 0; k < t->of->length.steps; k++) n += t->of->workers.trace[0].step[0].ops;
    for (size_t c = 0; c < t->collectives; c++)
        n -= (t->collective[c].members - 1) * t->W * t->of->length.steps;
    return n;
}

/* 0: a bucket waits for itself. */
static int team_run(team_world *world, const sgdsim_group *group, size_t groups)
{
    memset(world, 0, sizeof *world);
    world->teams = groups;
    for (size_t j = 0; j < groups; j++) {
        team *t = world->of + j;
        t->of = group + j;
        for (size_t type = 0; type < group[j].workers.types; type++)
            for (uint32_t i = 0; i < group[j].workers.count[type]; i++)
                t->worker[t->W++].type = type;
        if (!team_form(t)) return 0;
        team_begin_step(t);
    }
    for (;;) {
        int left = 0;
        team_settle(world);
        for (size_t l = 0; l < SGDSIM_LEVELS; l++) team_share(world, l);
        for (size_t j = 0; j < groups; j++) left |= world->of[j].step < group[j].length.steps;
        if (!left) return 1;
        if (!(team_next(world) <= DBL_MAX)) return 0;
        team_pass(world, team_next(world));
    }
}

#endif /* TESTS_ORACLE_GROUPS_H */
