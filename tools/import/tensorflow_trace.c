/* tensorflow_trace.c - traces of TensorFlow 2: what the streams of an accelerator ran, and its
 * steps */
#include "import/tensorflow.h"

#include <stdlib.h>
#include <string.h>

typedef struct tf_steps { double *start_us, *end_us; size_t count; } tf_steps;

static int is_same(double a, double b) { return !(a < b) && !(b < a); }

/* Kernels stand on streams; other lines show the same once more. */
static int runs_kernels(const char *title)
{
    return strncmp(title, "stream", 6) == 0 || strncmp(title, "Stream", 6) == 0 ||
           strcmp(title, "XLA Ops") == 0;
}

/* Where a line of this process and thread stands, in the order of the file; events come in
 * the order of their lines, so that *last, where the one before stood, is it mostly. */
static size_t line_of(const tf_lines *list, double pid, double tid, size_t *last)
{
    size_t i;
    if (*last < list->count && is_same(list->line[*last].pid, pid) &&
        is_same(list->line[*last].tid, tid))
        return *last;
    for (i = 0; i < list->count; i++)
        if (is_same(list->line[i].pid, pid) && is_same(list->line[i].tid, tid)) break;
    *last = i;
    return i;
}

/* The titles of the events' threads: [events]. */
static const char **titles(const tf_profile *p, const tf_lines *thread)
{
    const char **title = (const char **)tool_alloc(p->events, sizeof *title);
    size_t last = 0, i;
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        const size_t at = line_of(thread, (double)e->device, (double)e->lane, &last);
        title[i] = at < thread->count ? thread->line[at].title : "";
    }
    return title;
}

static int is_accelerator(const char *title)
{
    return strncmp(title, "/device:GPU", 11) == 0 || strncmp(title, "/device:TPU", 11) == 0;
}

/* The accelerator with most kernels, of several the one of the lowest number: a program may
 * see more than it uses. */
static double accelerator(const tf_profile *p, const tf_lines *process, const char *const *title)
{
    size_t *kernels = (size_t *)tool_alloc(process->count, sizeof *kernels), last = 0, i;
    size_t best = process->count;
    for (i = 0; i < p->events; i++) {
        const double pid = (double)p->event[i].device;
        if (!runs_kernels(title[i])) continue;
        if (last >= process->count || !is_same(process->line[last].pid, pid))
            for (last = 0; last < process->count; last++)
                if (is_same(process->line[last].pid, pid)) break;
        if (last < process->count) kernels[last]++;
    }
    for (i = 0; i < process->count; i++) {
        if (!is_accelerator(process->line[i].title)) continue;
        if (best == process->count || kernels[i] > kernels[best] ||
            (kernels[i] == kernels[best] && process->line[i].pid < process->line[best].pid))
            best = i;
    }
    if (best == process->count)
        tool_fail("%s: a trace without an accelerator: nothing in it is known to be a step's "
                  "computation", p->name);
    if (kernels[best] == 0) tool_fail("%s: its accelerator has run nothing", p->name);
    return process->line[best].pid;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From the start of one event of the line "Steps" to its end; without any, all is one. */
static void find_steps(const tf_profile *p, double pid, const char *const *title, tf_steps *s)
{
    size_t i;
    memset(s, 0, sizeof *s);
    s->start_us = (double *)tool_alloc(p->events + 1, sizeof *s->start_us);
    s->end_us = (double *)tool_alloc(p->events + 1, sizeof *s->end_us);
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        if (!is_same((double)e->device, pid)) continue;
        if (strcmp(title[i], "Steps") != 0) continue;
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
        if (!is_same((double)e->device, pid) || !runs_kernels(title[i])) continue;
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

/* Of NCCL, or an instruction of XLA: "all-reduce.7", "%reduce-scatter.3 = ...". */
static int is_collective(const char *name)
{
    const char *word = name[0] == '%' ? name + 1 : name;
    return strstr(name, "nccl") || strncmp(word, "all-", 4) == 0 ||
           strncmp(word, "reduce-scatter", 14) == 0 || strncmp(word, "collective-", 11) == 0;
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
    if (is_collective(name)) {
        op.kind = IMPORT_COLLECTIVE;
        op.collective = import_collective_named(name);
        op.bytes = -1.0;
    }
    import_add_op(found, &op, name, strlen(name));
}

void tf_trace(const tf_profile *p, const tf_lines *process, const tf_lines *thread,
              import_found *found)
{
    const char **title = titles(p, thread);
    const double pid = accelerator(p, process, title);
    tf_steps s;
    size_t i;
    find_steps(p, pid, title, &s);
    for (i = 0; i < s.count; i++)
        import_add_step(found, i, (s.start_us[i] - s.start_us[0]) * 1e-6,
                        (s.end_us[i] - s.start_us[0]) * 1e-6);
    for (i = 0; i < p->events; i++) {
        const tf_event *e = &p->event[i];
        const size_t step = step_at(&s, e->start_us);
        if (!is_same((double)e->device, pid) || !runs_kernels(title[i])) continue;
        if (step < s.count) add_kernel(p, e, step, s.start_us[0], found);
        else import_drop(found, "kernels outside of steps", 1);
    }
    if (found->ops == 0) tool_fail("%s: no kernel within any of its steps", p->name);
    found->events = p->events;
    found->timed = 1;
}
