/* busy.c - the speed of a worker on a machine that it shares with seeded tasks */
#include "files/busy.h"
#include "sgdperf_sched.h"

#include <math.h>
#include <string.h>

static double draw(busy_machine *machine, double low, double high)
{
    const uint64_t random = sgdsched_random(machine->seed, 0x5eed, machine->drawn++);
    return low + (high - low) * ((double)(random >> 11) / 9007199254740992.0);
}

/* Box and Muller's, one of the pair. */
static double normal(busy_machine *machine)
{
    const double u = 1.0 - draw(machine, 0.0, 1.0);
    const double angle = 6.283185307179586 * draw(machine, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

double busy_speed(double idle_speed, double cpu, double memory)
{
    return idle_speed * pow(cpu, 0.9) * sqrt(fmin(1.0, memory / 0.45));
}

/* Takes what the tasks of this iteration use off *cpu and *memory. */
static void take_tasks(busy_machine *machine, double *cpu, double *memory)
{
    const double now = (double)machine->iteration, slower = machine->slower;
    size_t kept = 0;
    if (draw(machine, 0.0, 1.0) < 0.02 / slower && machine->tasks < BUSY_TASKS) {
        const size_t new_task = machine->tasks++;
        const double stay = draw(machine, 0.0, 1.0);
        machine->end[new_task] = now + 5.0 * slower - 60.0 * slower * log(1.0 - stay);
        machine->cpu[new_task] = draw(machine, 0.05, 0.35);
        machine->memory[new_task] = draw(machine, 0.05, 0.3);
    }
    for (size_t i = 0; i < machine->tasks; i++) {
        if (machine->end[i] <= now) continue;
        *cpu -= machine->cpu[i];
        *memory -= machine->memory[i];
        machine->end[kept] = machine->end[i];
        machine->cpu[kept] = machine->cpu[i];
        machine->memory[kept++] = machine->memory[i];
    }
    machine->tasks = kept;
}

busy_row busy_next(busy_machine *machine)
{
    double c = 1.0, m = 1.0, v;
    busy_row row;
    take_tasks(machine, &c, &m);
    c = fmax(0.08, c + 0.06 * normal(machine));
    m = fmax(0.08, m + 0.01 * normal(machine));
    v = busy_speed(machine->idle_speed, c, m)
      + machine->idle_speed * (4.0 / 110.0) * normal(machine);
    if (draw(machine, 0.0, 1.0) < 0.03) v *= draw(machine, 0.75, 0.95);
    machine->iteration++;
    row.speed = fmax(0.05 * machine->idle_speed, v);
    row.cpu = c;
    row.memory = m;
    return row;
}

int busy_start(busy_machine *machine, uint64_t seed, double idle_speed, double task_length)
{
    if (!(idle_speed >= 1e-70 && idle_speed <= 1e70)) return 0;
    if (!(task_length >= BUSY_SHORTEST && task_length <= BUSY_LONGEST)) return 0;
    memset(machine, 0, sizeof *machine);
    machine->seed = seed;
    machine->idle_speed = idle_speed;
    machine->slower = 1.0;
    for (int i = 0; i < 300; i++) (void)busy_next(machine);
    machine->slower = task_length / BUSY_TASK_LENGTH;
    for (size_t i = 0; i < machine->tasks; i++)
        machine->end[i] += (machine->slower - 1.0) * (machine->end[i] - (double)machine->iteration);
    return 1;
}
