/* slices.c - timeline.h for the page, which draws it: in place of JSON, the operations of the
 * first steps of the first workers as numbers, SLICE_NUMBERS doubles each, in the order in
 * which they end */
#include "base/file.h"
#include "cmd/simulate/simulate.h"
#include "options/options.h"

#include <stdio.h>

enum { SLICE_WORKERS = 16, SLICE_STEPS = 4, SLICE_NUMBERS = 8 };

struct timeline { out_file *out; };

timeline *timeline_open(const char *path, const simulation *s)
{
    timeline *t = (timeline *)tool_alloc(1, sizeof *t);
    (void)s;
    t->out = out_open(option_name(OPTION_TIMELINE), path);
    return t;
}

/* The page has no pipelines. */
timeline *timeline_open_devices(const char *path, uint32_t devices)
{
    (void)devices;
    return timeline_open(path, NULL);
}

void timeline_span(void *ctx, const sgdpar_span *span)
{
    (void)ctx;
    (void)span;
}

void timeline_op(void *ctx, const sgdsim_event *e)
{
    timeline *t = (timeline *)ctx;
    const double slice[SLICE_NUMBERS] = {
        (double)e->worker, (double)e->resource, (double)e->server, (double)e->step,
        (double)e->traced_step, (double)e->op, e->start_s, e->end_s
    };
    if (e->worker < SLICE_WORKERS && e->step < SLICE_STEPS)
        fwrite(slice, sizeof slice, 1, out_stream(t->out));
}

void timeline_close(timeline *t) { out_commit(t->out); }
