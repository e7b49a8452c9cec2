/* busy.h - the speed of a worker on a machine that it shares with seeded tasks
 *
 * In place of the traces that [CWWLL20] replayed. All constants are ours. In an iteration a
 * task comes with probability 0.02, stays 5 iterations and an exponential time of mean 60
 * more, and takes U(0.05, 0.35) of the CPU and U(0.05, 0.3) of the memory (at most
 * BUSY_TASKS at once, where 1.3 are usual: beyond, none comes). What is left, with normal
 * noise of deviation 0.06 and 0.01 and at least 0.08, are cpu and memory. The speed is
 * busy_speed of them, with noise of deviation 4/110 of the idle speed; 3 % are spikes,
 * U(0.75, 0.95) of that; a twentieth of the idle speed is the least, as at none at all an
 * iteration would never end. */
#ifndef TOOLS_FILES_BUSY_H
#define TOOLS_FILES_BUSY_H

#include <stddef.h>
#include <stdint.h>

#define BUSY_TASK_LENGTH 65.0
#define BUSY_SHORTEST    2.0
#define BUSY_LONGEST     1e9

enum { BUSY_TASKS = 64 };

typedef struct busy_machine {
    uint64_t seed, drawn;          /* random numbers                                  */
    uint64_t iteration;            /* 300 before the first that is told               */
    double   idle_speed;
    double   slower;               /* tasks come and go than usual: task length / 65  */
    size_t   tasks;                /* under way                                       */
    double   end[BUSY_TASKS], cpu[BUSY_TASKS], memory[BUSY_TASKS];
} busy_machine;

/* Samples a second, and the parts of the machine, >= 0, that tasks leave. */
typedef struct busy_row {
    double speed, cpu, memory;
} busy_row;

/* idle_speed: what the machine computes without tasks. task_length: mean number of
 * iterations that a task stays. Longer tasks come less often, so that nearly as many run at
 * once: with N iterations both times are N / 65 of those above. A task takes part in whole
 * iterations, so that 1.3 run at once from N = 20 on, but 1.6 with N = 2. Tasks gather in
 * 300 iterations before the first, and what is left of them is then stretched by N / 65.
 * Returns 0, and writes nothing, unless idle_speed is in 1e-70 .. 1e70 and task_length in
 * 2 .. 1e9: with less than 1.3 more than one task an iteration would have to come. */
int busy_start(busy_machine *machine, uint64_t seed, double idle_speed, double task_length);

/* The next iteration. */
busy_row busy_next(busy_machine *machine);

/* idle_speed cpu^0.9 min(1, memory / 0.45)^0.5: the speed without noise. */
double busy_speed(double idle_speed, double cpu, double memory);

#endif /* TOOLS_FILES_BUSY_H */
