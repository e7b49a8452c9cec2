/* series.c - workers beside seeded tasks */
#include "files/series.h"

#include <math.h>

#include "sgdperf_sched.h"

enum {
    SERIES_BEFORE    = 300,       /* iterations before row 0, for tasks to gather     */
    SERIES_MOST_ROWS = 10000000
};

typedef struct series_task { double end, cpu, memory; } series_task;

struct series_tasks {
    uint64_t     seed, drawn;
    double       speed;           /* of the idle machine                              */
    uint64_t     iteration;       /* from SERIES_BEFORE before row 0                  */
    series_task *task;            /* [count] under way                                */
    size_t       count, room;
};

static double uniform(series_tasks *g, double low, double high)
{
    const uint64_t bits = sgdsched_random(g->seed, 0x5eed, g->drawn++) >> 11;
    return low + (high - low) * (double)bits / 9007199254740992.0;
}

/* Box and Muller's, one of the pair */
static double normal(series_tasks *g)
{
    const double u = 1.0 - uniform(g, 0.0, 1.0);
    const double angle = 6.283185307179586 * uniform(g, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

double series_speed(double speed, double cpu, double memory)
{
    return speed * pow(cpu, 0.9) * sqrt(fmin(1.0, memory / 0.45));
}

/* A task comes with probability 0.02, stays 5 iterations and an exponential time more, of
 * mean 60, and takes U(0.05, 0.35) of the CPU and U(0.05, 0.3) of the memory. */
static void tasks_come_and_go(series_tasks *g, double *cpu, double *memory)
{
    const double now = (double)g->iteration;
    size_t kept = 0, i;
    if (uniform(g, 0.0, 1.0) < 0.02) {
        if (g->count == g->room)
            g->task = (series_task *)tool_grow(g->task, g->count, &g->room, g->count + 1,
                                               sizeof *g->task);
        g->task[g->count].end = now + 5.0 - 60.0 * log(1.0 - uniform(g, 0.0, 1.0));
        g->task[g->count].cpu = uniform(g, 0.05, 0.35);
        g->task[g->count++].memory = uniform(g, 0.05, 0.3);
    }
    for (i = 0; i < g->count; i++) {
        if (g->task[i].end <= now) continue;
        *cpu -= g->task[i].cpu;
        *memory -= g->task[i].memory;
        g->task[kept++] = g->task[i];
    }
    g->count = kept;
}

/* What is left has noise of deviation 0.06 and 0.01 and is at least 0.08; the speed has
 * one of 4 in 110, and 3 % of spikes, U(0.75, 0.95) of it. A twentieth of the idle speed
 * is the least: at none at all an iteration would never end. */
static series_row next_row(series_tasks *g)
{
    series_row row;
    row.cpu = row.memory = 1.0;
    tasks_come_and_go(g, &row.cpu, &row.memory);
    row.cpu = fmax(0.08, row.cpu + 0.06 * normal(g));
    row.memory = fmax(0.08, row.memory + 0.01 * normal(g));
    row.speed = series_speed(g->speed, row.cpu, row.memory)
              + g->speed * (4.0 / SERIES_IDLE_SPEED) * normal(g);
    if (uniform(g, 0.0, 1.0) < 0.03) row.speed *= uniform(g, 0.75, 0.95);
    row.speed = fmax(0.05 * g->speed, row.speed);
    g->iteration++;
    return row;
}

void series_generate(series *s, uint64_t seed, double speed)
{
    int i;
    s->tasks = (series_tasks *)tool_alloc(1, sizeof *s->tasks);
    s->tasks->seed = seed;
    s->tasks->speed = speed;
    for (i = 0; i < SERIES_BEFORE; i++) (void)next_row(s->tasks);
}

void series_add(series *s, const series_row *row)
{
    if (s->rows == SERIES_MOST_ROWS)
        tool_fail("a series of more than %d rows", (int)SERIES_MOST_ROWS);
    if (s->rows == s->room)
        s->row = (series_row *)tool_grow(s->row, s->rows, &s->room, s->rows + 1,
                                         sizeof *s->row);
    s->row[s->rows++] = *row;
}

const series_row *series_at(series *s, uint64_t k)
{
    if (!s->tasks) return &s->row[k % s->rows];
    while (s->rows <= k) {
        const series_row row = next_row(s->tasks);
        series_add(s, &row);
    }
    return &s->row[k];
}
