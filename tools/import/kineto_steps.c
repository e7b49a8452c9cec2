/* kineto_steps.c - what a Kineto trace holds, put together: kernels and the calls that
 * launched them, collectives and their sizes, and the steps in which all of it ran */
#include "import/kineto.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static int compare(double a, double b) { return (a > b) - (a < b); }

/* Of those that start together the longest comes first. */
static int compare_steps(const void *a, const void *b)
{
    const import_step *p = (const import_step *)a, *q = (const import_step *)b;
    const int order = compare(p->start_s, q->start_s);
    return order != 0 ? order : compare(q->end_s, p->end_s);
}

static int compare_launches(const void *a, const void *b)
{
    return compare(((const kineto_launch *)a)->correlation,
                   ((const kineto_launch *)b)->correlation);
}

static int compare_calls(const void *a, const void *b)
{
    return compare(((const kineto_call *)a)->start_s, ((const kineto_call *)b)->start_s);
}

static int compare_spans(const void *a, const void *b)
{
    return compare(((const kineto_span *)a)->start_s, ((const kineto_span *)b)->start_s);
}

static int compare_devices(const void *a, const void *b)
{
    return compare(((const kineto_device *)a)->start_s, ((const kineto_device *)b)->start_s);
}

static void sort(void *array, size_t count, size_t size,
                 int (*order)(const void *a, const void *b))
{
    if (count > 1) qsort(array, count, size, order);
}

/* ---- Steps ----------------------------------------------------------------- */

static void widen(kineto_span *all, double start_s, double end_s)
{
    if (start_s < all->start_s) all->start_s = start_s;
    if (end_s > all->end_s) all->end_s = end_s;
}

/* Without annotations all of the trace is one step. */
static void take_all(kineto *k)
{
    kineto_span all = {1e300, -1e300};
    size_t i;
    for (i = 0; i < k->devices; i++) widen(&all, k->device[i].start_s, k->device[i].end_s);
    for (i = 0; i < k->hosts; i++) widen(&all, k->host[i].start_s, k->host[i].end_s);
    for (i = 0; i < k->launches; i++) widen(&all, k->launch[i].start_s, k->launch[i].end_s);
    if (!(all.end_s > all.start_s))
        tool_fail("%s: no events of a processor or an accelerator", k->file);
    import_add_step(k->found, 0, all.start_s, all.end_s);
    tool_note("%s: no 'ProfilerStep#' annotation, so that all of it counts as one step: in the "
              "profiled loop call profiler.step()", k->file);
}

/* Several threads may annotate one step: the first annotation counts, of those that start
 * together the longest. */
static void hand_over_steps(kineto *k)
{
    const import_step *last = NULL;
    size_t i, again = 0;
    sort(k->step, k->steps, sizeof *k->step, compare_steps);
    for (i = 0; i < k->steps; i++) {
        const import_step *s = &k->step[i];
        const int overlaps = last && s->start_s < last->end_s - 1e-6;
        if (overlaps && s->number == last->number) { again++; continue; }
        if (overlaps)
            tool_fail("%s: ProfilerStep#%lu begins before ProfilerStep#%lu ends", k->file,
                      (unsigned long)s->number, (unsigned long)last->number);
        import_add_step(k->found, s->number, s->start_s, s->end_s);
        last = s;
    }
    import_drop(k->found, "annotations of a step that has one already", again);
    if (k->steps == 0) take_all(k);
}

/* The first step that ends behind a time. */
static size_t step_at(const import_found *f, double time_s)
{
    size_t low = 0, high = f->steps;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->step[middle].end_s > time_s) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* To each step in which some of it lies; 0: to none. Only the first has the bytes. */
static int add_to_steps(kineto *k, import_op *op, const char *name)
{
    import_found *f = k->found;
    size_t s = step_at(f, op->start_s);
    int added = 0;
    for (; s < f->steps && f->step[s].start_s < op->end_s; s++, added = 1) {
        op->step = (uint32_t)s;
        import_add_op(f, op, name, strlen(name));
        op->bytes = op->bytes > 0.0 ? 0.0 : op->bytes;
    }
    return added;
}

/* ---- Operations ------------------------------------------------------------ */

static const kineto_launch *launch_of(const kineto *k, double correlation)
{
    kineto_launch wanted;
    if (correlation < 0.0 || k->launches == 0) return NULL;
    wanted.start_s = wanted.end_s = 0.0;
    wanted.correlation = correlation;
    return (const kineto_launch *)bsearch(&wanted, k->launch, k->launches, sizeof wanted,
                                          compare_launches);
}

/* Bytes of all workers; < 0: not known. */
static double bytes_of(const kineto *k, kineto_size size)
{
    if (!size.is_part || size.bytes < 0.0) return size.bytes;
    return k->found->workers > 0 ? size.bytes * k->found->workers : -1.0;
}

/* Of a collective whose kernel does not tell its size: that of the call around its launch. */
static double bytes_of_call(const kineto *k, const kineto_launch *launch)
{
    size_t low = 0, high = k->calls, tries;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->call[middle].start_s > launch->start_s) high = middle;
        else low = middle + 1;
    }
    for (tries = 0; low-- > 0 && tries < 64; tries++)
        if (k->call[low].end_s >= launch->start_s && k->call[low].size.bytes >= 0.0)
            return bytes_of(k, k->call[low].size);
    return -1.0;
}

/* Of kernels that wait for their turn, and of calls that wait for kernels. */
static void add_wait(kineto *k, double start_s, double end_s)
{
    k->blocked = (kineto_span *)import_grow(k->blocked, k->blockeds, &k->blocked_room,
                                            sizeof *k->blocked);
    k->blocked[k->blockeds].start_s = start_s;
    k->blocked[k->blockeds++].end_s = end_s;
}

/* ---- What follows an exchange ---------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    return compare(*(const double *)a, *(const double *)b);
}

static void sort_ends(kineto *k)
{
    size_t i;
    k->end_s = (double *)tool_alloc(k->devices, sizeof *k->end_s);
    for (i = 0; i < k->devices; i++)
        if (k->device[i].collective >= 0) k->end_s[k->ends++] = k->device[i].end_s;
    sort(k->end_s, k->ends, sizeof *k->end_s, compare_times);
}

/* What the clock can be off by between an end and what began there: of times in whole
 * microseconds one of them, else a nanosecond, or what digits are left of a long time. */
static double resolution_s(const kineto *k)
{
    const double digits_s = 1e-6 * k->origin * DBL_EPSILON;
    const double clock_s = k->has_nanoseconds ? 1e-9 : 1e-6;
    return 1.001 * (digits_s > clock_s ? digits_s : clock_s);
}

/* A time, or the end of an exchange that it is too close before to be told from it: such an
 * overlap would hide the whole exchange. */
static double settled(const kineto *k, double time_s)
{
    size_t low = 0, high = k->ends;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (k->end_s[middle] < time_s) low = middle + 1;
        else high = middle;
    }
    return low < k->ends && k->end_s[low] - time_s <= resolution_s(k) ? k->end_s[low] : time_s;
}

static void settle(kineto *k)
{
    size_t i;
    sort_ends(k);
    for (i = 0; i < k->devices; i++) {
        kineto_device *d = &k->device[i];
        if (d->collective >= 0) continue;
        d->start_s = settled(k, d->start_s);
        if (d->start_s > d->end_s) d->start_s = d->end_s;
    }
    for (i = 0; i < k->blockeds; i++) k->blocked[i].end_s = settled(k, k->blocked[i].end_s);
}

static void hand_over_devices(kineto *k)
{
    size_t i, outside = 0;
    settle(k);
    sort(k->launch, k->launches, sizeof *k->launch, compare_launches);
    sort(k->call, k->calls, sizeof *k->call, compare_calls);
    sort(k->device, k->devices, sizeof *k->device, compare_devices);
    for (i = 0; i < k->devices; i++) {
        const kineto_device *d = &k->device[i];
        const kineto_launch *launch = launch_of(k, d->correlation);
        const char *name = "";
        import_op op;
        memset(&op, 0, sizeof op);
        op.start_s = d->start_s;
        op.end_s = d->end_s;
        if (d->collective >= 0) {
            op.kind = IMPORT_COLLECTIVE;
            op.collective = (import_collective)d->collective;
            op.bytes = d->size.bytes < 0.0 && launch ? bytes_of_call(k, launch)
                                                     : bytes_of(k, d->size);
            name = import_collective_text(op.collective);
        } else if (launch && launch->end_s < d->start_s) {
            add_wait(k, launch->end_s, d->start_s);
        }
        if (!add_to_steps(k, &op, name)) outside++;
    }
    import_drop(k->found, "kernels outside of the steps", outside);
}

/* Waits that overlap are one. */
static void hand_over_waits(kineto *k)
{
    size_t i = 0;
    sort(k->blocked, k->blockeds, sizeof *k->blocked, compare_spans);
    while (i < k->blockeds) {
        import_op op;
        memset(&op, 0, sizeof op);
        op.kind = IMPORT_WAIT;
        op.start_s = k->blocked[i].start_s;
        op.end_s = k->blocked[i].end_s;
        for (i++; i < k->blockeds && k->blocked[i].start_s <= op.end_s; i++)
            if (k->blocked[i].end_s > op.end_s) op.end_s = k->blocked[i].end_s;
        (void)add_to_steps(k, &op, "");
    }
}

/* Without an accelerator the processor computes, and exchanges by gloo or MPI. */
static void hand_over_host(kineto *k)
{
    size_t i;
    import_op op;
    for (i = 0; i < k->hosts; i++) {
        memset(&op, 0, sizeof op);
        op.host = 1;
        op.start_s = k->host[i].start_s;
        op.end_s = k->host[i].end_s;
        (void)add_to_steps(k, &op, "");
    }
    for (i = 0; i < k->calls; i++) {
        if (!k->call[i].gloo) continue;
        memset(&op, 0, sizeof op);
        op.kind = IMPORT_COLLECTIVE;
        op.collective = (import_collective)k->call[i].collective;
        op.start_s = k->call[i].start_s;
        op.end_s = k->call[i].end_s;
        op.bytes = bytes_of(k, k->call[i].size);
        (void)add_to_steps(k, &op, import_collective_text(op.collective));
    }
}

static void say_workers(const kineto *k)
{
    import_found *f = k->found;
    if (k->accelerators_differ)
        tool_note("%s: kernels of several accelerators: all of them count as one worker's",
                  k->file);
    if (f->workers == 0 && k->group > 1.0 && k->group <= IMPORT_MOST_WORKERS) {
        f->workers = (uint32_t)k->group;
        tool_note("%s: it does not say how many workers there were: taken to be the %lu of the "
                  "largest group that exchanged", k->file, (unsigned long)f->workers);
    } else if (k->group > 1.0 && k->group < f->workers) {
        tool_note("%s: exchanges are among groups of at most %.0f of the %lu workers", k->file,
                  k->group, (unsigned long)f->workers);
    }
}

void kineto_hand_over(kineto *k)
{
    k->found->timed = 1;
    say_workers(k);                    /* parts of a gathering are of so many         */
    hand_over_steps(k);
    if (k->devices > 0) {
        hand_over_devices(k);
        hand_over_waits(k);
    } else {
        hand_over_host(k);
    }
}
