/* tensorflow_devices.c - the devices of a TensorFlow profile: machines with clocks of their
 * own, and the steps that began on each */
#include "import/tensorflow_graph.h"

#include <stdlib.h>
#include <string.h>

const char *tf_text(const tf_graph *g, uint32_t name) { return names_text(&g->p->names, name); }

size_t tf_machine_of(const tf_graph *g, size_t event)
{
    return g->place[g->p->event[event].device].machine;
}

double tf_time(const tf_graph *g, size_t event, double time_us)
{
    return time_us - g->machine[tf_machine_of(g, event)].late_us;
}

/* ---- Devices --------------------------------------------------------------- */

/* "/job:ps/replica:0/task:1" of a device's name; "" of one without a job. */
static size_t machine_length(const char *device)
{
    const char *task = strstr(device, "/task:");
    if (strncmp(device, "/job:", 5) != 0 || !task) return 0;
    task += 6;
    return (size_t)(task - device) + strspn(task, "0123456789");
}

static int is_stream(const char *device)
{
    return strstr(device, "/stream:") || strstr(device, "/memcpy");
}

static uint32_t server_number(const tf_graph *g, const char *digits)
{
    const unsigned long number = strtoul(digits, NULL, 10);
    if (number >= IMPORT_MOST_SERVERS)
        tool_fail("%s: parameter server %.20s: a replay takes %d", g->p->name, digits,
                  (int)IMPORT_MOST_SERVERS);
    return (uint32_t)number;
}

/* Streams without a job are those of the worker that was asked. */
static void place_devices(tf_graph *g)
{
    const size_t devices = g->p->devices.count;
    static name_index tasks;           /* what a run that failed has left is released */
    size_t i, all = 0;
    names_free(&tasks);
    g->place = (tf_place *)tool_alloc(devices, sizeof *g->place);
    g->machine = (tf_machine *)tool_alloc(devices + 1, sizeof *g->machine);
    for (i = 0; i < devices; i++)
        all += strstr(names_text(&g->p->devices, i), "/stream:all") != NULL;
    for (i = 0; i < devices; i++) {
        const char *name = names_text(&g->p->devices, i);
        const size_t length = machine_length(name);
        const int server = length > 0 && strncmp(name, "/job:ps/", 8) == 0;
        const char *task = length > 0 ? strstr(name, "/task:") : NULL;
        if (names_add(&tasks, name, length, &g->place[i].machine) == NAMES_FULL)
            tool_fail("%s: out of memory", g->p->name);
        g->place[i].host = !is_stream(name);
        g->place[i].unused = all > 0 && strstr(name, "/stream:") && !strstr(name, "/stream:all");
        g->machine[g->place[i].machine].role = server ? TF_SERVER : TF_WORKER;
        if (server) g->machine[g->place[i].machine].server = server_number(g, task + 6);
    }
    g->machines = tasks.count;
    names_free(&tasks);
}

/* Of several workers the one with most ops; what has no job is its own. */
static void choose_worker(tf_graph *g)
{
    size_t chosen = TF_NONE, none = TF_NONE, i;
    uint64_t others = 0;
    for (i = 0; i < g->p->events; i++)
        g->machine[g->place[g->p->event[i].device].machine].events++;
    for (i = 0; i < g->p->devices.count; i++)
        if (machine_length(names_text(&g->p->devices, i)) == 0) none = g->place[i].machine;
    for (i = 0; i < g->machines; i++)
        if (g->machine[i].role == TF_WORKER && i != none &&
            (chosen == TF_NONE || g->machine[i].events > g->machine[chosen].events))
            chosen = i;
    for (i = 0; i < g->machines; i++) {
        if (g->machine[i].role != TF_WORKER || i == chosen || i == none) continue;
        g->machine[i].role = TF_OTHER;
        others += g->machine[i].events;
    }
    for (i = 0; i < g->p->devices.count && chosen != TF_NONE; i++)
        if (g->place[i].machine == none) g->place[i].machine = chosen;
    import_drop(g->found, "operations of other workers", others);
}

/* ---- Steps ----------------------------------------------------------------- */

static const tf_event *sorted_events;

static int compare_starts(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const double s = sorted_events[x].start_us, t = sorted_events[y].start_us;
    if (s < t || t < s) return s < t ? -1 : 1;
    return (x > y) - (x < y);
}

static void add_begin(tf_machine *m, double begin_us)
{
    if (m->steps == m->room)
        m->begin_us = (double *)tool_grow(m->begin_us, m->steps, &m->room, m->steps + 1,
                                          sizeof *m->begin_us);
    m->begin_us[m->steps++] = begin_us;
}

/* A step begins on a machine with the op _SOURCE of the first of its devices. */
static void find_steps(tf_graph *g)
{
    size_t *order = (size_t *)tool_alloc(g->p->events, sizeof *order), i;
    size_t *seen = (size_t *)tool_alloc(g->p->devices.count, sizeof *seen);
    for (i = 0; i < g->p->events; i++) order[i] = i;
    sorted_events = g->p->event;
    qsort(order, g->p->events, sizeof *order, compare_starts);
    for (i = 0; i < g->p->events; i++) {
        const tf_event *e = &g->p->event[order[i]];
        tf_machine *m = &g->machine[g->place[e->device].machine];
        if (strcmp(tf_text(g, e->node), "_SOURCE") != 0) continue;
        if (m->steps == 0 || seen[e->device] == m->steps) add_begin(m, e->start_us);
        seen[e->device] = m->steps;
    }
}

/* The last step that began on the event's machine before it. */
static uint32_t step_of(const tf_graph *g, const tf_event *e)
{
    const tf_machine *m = &g->machine[g->place[e->device].machine];
    size_t low = 0, high = m->steps;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (m->begin_us[middle] <= e->start_us) low = middle; else high = middle;
    }
    return (uint32_t)low;
}

/* ---- Clocks ---------------------------------------------------------------- */

/* A machine's part of the first step begins with the worker's. A clock that puts it more
 * than a tenth of the step away is wrong. */
static void set_clocks(tf_graph *g)
{
    double *begin_us = (double *)tool_alloc(g->machines, sizeof *begin_us);
    double *end_us = (double *)tool_alloc(g->machines, sizeof *end_us), late_us;
    size_t *seen = (size_t *)tool_alloc(g->machines, sizeof *seen), worker, i;
    for (i = 0; i < g->p->events; i++) {
        const tf_event *e = &g->p->event[i];
        const size_t m = tf_machine_of(g, i);
        if (g->step[i] > 0) continue;
        if (seen[m] == 0 || e->start_us < begin_us[m]) begin_us[m] = e->start_us;
        if (seen[m]++ == 0 || e->end_us > end_us[m]) end_us[m] = e->end_us;
    }
    for (worker = 0; worker < g->machines; worker++)
        if (g->machine[worker].role == TF_WORKER && seen[worker] > 0) break;
    for (i = 0; i < g->machines && worker < g->machines; i++) {
        if (g->machine[i].role != TF_SERVER || seen[i] == 0) continue;
        late_us = begin_us[i] - begin_us[worker];
        if (late_us < 0.0 ? -late_us <= 0.1 * (end_us[worker] - begin_us[worker])
                          : late_us <= 0.1 * (end_us[worker] - begin_us[worker]))
            continue;
        g->machine[i].late_us = late_us;
        tool_note("%s: the clock of parameter server %lu is taken to be %.6g s %s", g->p->name,
                  (unsigned long)g->machine[i].server, (late_us < 0.0 ? -late_us : late_us) * 1e-6,
                  late_us < 0.0 ? "slow" : "fast");
    }
}

void tf_place_events(tf_graph *g)
{
    size_t i;
    place_devices(g);
    choose_worker(g);
    find_steps(g);
    g->step = (uint32_t *)tool_alloc(g->p->events, sizeof *g->step);
    for (i = 0; i < g->p->events; i++) g->step[i] = step_of(g, &g->p->event[i]);
    set_clocks(g);
}
