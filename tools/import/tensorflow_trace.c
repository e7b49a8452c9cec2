/* tensorflow_trace.c - traces of TensorFlow 2: what the streams of an accelerator ran, and its
 * steps */
#include "import/tensorflow.h"

#include <stdlib.h>
#include <string.h>

typedef struct tf_steps { double *start_us, *end_us; size_t count; } tf_steps;

static int is_same(double a, double b) { return !(a < b) && !(b < a); }

/* The first process with kernels; -1: there is none. */
static double accelerator(const tf_line *process, size_t processes)
{
    double pid = -1.0;
    size_t i;
    for (i = 0; i < processes; i++) {
        const char *title = process[i].title;
        if (strncmp(title, "/device:GPU", 11) != 0 && strncmp(title, "/device:TPU", 11) != 0)
            continue;
        if (pid < 0.0 || process[i].pid < pid) pid = process[i].pid;
    }
    return pid;
}

static const char *title_of(const tf_line *thread, size_t threads, double pid, uint64_t lane)
{
    size_t i;
    for (i = 0; i < threads; i++)
        if (is_same(thread[i].pid, pid) && is_same(thread[i].tid, (double)lane))
            return thread[i].title;
    return "";
}

/* Kernels stand on streams; other lines show the same once more. */
static int runs_kernels(const char *title)
{
    return strncmp(title, "stream", 6) == 0 || strncmp(title, "Stream", 6) == 0 ||
           strcmp(title, "XLA Ops") == 0;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the start of one event of the line "Steps" to its end; without any, all is one. */
static void find_steps(const tf_profile *p, double pid, const tf_line *thread, size_t threads,
                       tf_steps *s)
{
    size_t i;
    memset(s, 0, sizeof *s);
    s->start_us = (double *)tool_alloc(p->events + 1, sizeof *s->start_us);
    s->end_us = (double *)tool_alloc(p->events + 1, sizeof *s->end_us);
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        if (!is_same((double)e->device, pid)) continue;
        if (strcmp(title_of(thread, threads, pid, e->lane), "Steps") != 0) continue;
        s->start_us[s->count] = e->start_us;
        s->end_us[s->count++] = e->end_us;
    }
    qsort(s->start_us, s->count, sizeof *s->start_us, compare);
    qsort(s->end_us, s->count, sizeof *s->end_us, compare);
    if (s->count > 0) return;
    s->start_us[0] = 1e300;
    s->end_us[0] = -1e300;
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        if (!is_same((double)e->device, pid)) continue;
        if (e->start_us < s->start_us[0]) s->start_us[0] = e->start_us;
        if (e->end_us > s->end_us[0]) s->end_us[0] = e->end_us;
    }
    s->count = 1;
    tool_note("%s: no line of steps: all of it is taken for one", p->name);
}

/* The last step that began before; s->count: none, or it was over. */
static size_t step_at(const tf_steps *s, double time_us)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->start_us[middle] <= time_us) low = middle + 1; else high = middle;
    }
    return low > 0 && time_us < s->end_us[low - 1] ? low - 1 : s->count;
}

static void add_kernel(const tf_profile *p, const tf_event *e, size_t step, double origin_us,
                       import_found *found)
{
    const char *name = names_text(&p->names, e->op);
    import_op op;
    memset(&op, 0, sizeof op);
    op.step = (uint32_t)step;
    op.start_s = (e->start_us - origin_us) * 1e-6;
    op.end_s = (e->end_us - origin_us) * 1e-6;
    if (strstr(name, "nccl") || strncmp(name, "all-", 4) == 0) {
        op.kind = IMPORT_COLLECTIVE;
        op.collective = import_collective_named(name);
        op.bytes = -1.0;
    }
    import_add_op(found, &op, name, strlen(name));
}

void tf_trace(const tf_profile *p, const tf_line *process, size_t processes,
              const tf_line *thread, size_t threads, import_found *found)
{
    const double pid = accelerator(process, processes);
    tf_steps s;
    size_t i, kernels = 0;
    if (pid < 0.0)
        tool_fail("%s: a trace without an accelerator: nothing in it is known to be a step's "
                  "computation", p->name);
    find_steps(p, pid, thread, threads, &s);
    for (i = 0; i < s.count; i++)
        import_add_step(found, i, (s.start_us[i] - s.start_us[0]) * 1e-6,
                        (s.end_us[i] - s.start_us[0]) * 1e-6);
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        const size_t step = step_at(&s, e->start_us);
        if (!is_same((double)e->device, pid) ||
            !runs_kernels(title_of(thread, threads, pid, e->lane)))
            continue;
        kernels++;
        if (step < s.count) add_kernel(p, e, step, s.start_us[0], found);
        else import_drop(found, "kernels outside of steps", 1);
    }
    if (kernels == 0) tool_fail("%s: its accelerator has run nothing", p->name);
    if (found->ops == 0) tool_fail("%s: no kernel within any of its steps", p->name);
    found->events = p->events;
    found->timed = 1;
}
