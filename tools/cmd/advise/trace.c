/* trace.c - the profile that a trace of operations holds */
#include "cmd/advise/advise.h"
#include "files/trace.h"

#include <stdio.h>
#include <string.h>

/* Means over the steps of a trace, in seconds and bytes. */
typedef struct trace_profile { double forward, backward, update, up, down; } trace_profile;

static int has_column(const csv_table *t, const char *name)
{
    int i;
    for (i = 0; i < t->columns; i++)
        if (strcmp(t->header[i], name) == 0) return 1;
    return 0;
}

/* Where the first gradient is ready: the first worker's operation that an uplink waits
 * for begins the backward pass; all of them where none does. */
static size_t first_gradient(const sgdsim_step *step)
{
    size_t first = step->ops, i, j;
    for (i = 0; i < step->ops; i++) {
        if (step->op[i].resource != SGDSIM_UPLINK) continue;
        for (j = 0; j < step->op[i].waits; j++) {
            const size_t on = step->op[i].waits_for[j];
            if (step->op[on].resource == SGDSIM_WORKER && on < first) first = on;
        }
    }
    return first;
}

static void add_step(trace_profile *p, const sgdsim_step *step, double share)
{
    const size_t first = first_gradient(step);
    size_t i;
    for (i = 0; i < step->ops; i++) {
        const sgdsim_op *op = &step->op[i];
        switch (op->resource) {
        case SGDSIM_DOWNLINK: p->down += share * op->bytes; break;
        case SGDSIM_UPLINK:   p->up += share * op->bytes; break;
        case SGDSIM_SERVER:   p->update += share * op->duration_s; break;
        default:
            if (i < first) p->forward += share * op->duration_s;
            else p->backward += share * op->duration_s;
        }
    }
}

/* The larger way counts where they differ: a job has one size. */
static double model_bytes(const csv_table *t, const trace_profile *p)
{
    const double larger = p->up > p->down ? p->up : p->down;
    const double smaller = p->up > p->down ? p->down : p->up;
    if (smaller < 0.99 * larger)
        tool_note("%s: %.4g bytes up and %.4g down in a step: the larger counts for both",
                  t->name, p->up, p->down);
    return larger;
}

/* A profile file of one row, as if it had been read from the trace's. */
static const csv_table *make_profile(const csv_table *t, const trace_profile *p)
{
    static const char header[] = "forward_s,backward_s,update_s,model_bytes";
    char number[4][NUMBER_BYTES], text[sizeof header + 4 * NUMBER_BYTES + 8], message[256];
    csv_table *profile = (csv_table *)tool_alloc(1, sizeof *profile);
    number_write(p->forward, number[0]);
    number_write(p->backward, number[1]);
    number_write(p->update, number[2]);
    number_write(model_bytes(t, p), number[3]);
    snprintf(text, sizeof text, "%s\n%s,%s,%s,%s\n", header, number[0], number[1], number[2],
             number[3]);
    if (!csv_parse(profile, t->name, text, strlen(text), 0, message, sizeof message))
        tool_fail("%s", message);
    return profile;
}

const csv_table *advice_profile(const args *a)
{
    const char *path = a->file_count > 0 ? a->files[0] : args_text(a, "--profile", NULL);
    const csv_table *t = path ? csv_read(path, 0) : NULL;
    const uint32_t servers = (uint32_t)args_integer(a, "--servers", 1, 1000000, 1);
    trace_profile p = {0.0, 0.0, 0.0, 0.0, 0.0};
    trace_file trace;
    size_t i;
    if (!t) return NULL;
    if (a->file_count > 0 && args_given(a, "--profile"))
        args_fail("--profile", NULL, "not with %s", t->name);
    if (has_column(t, "phase") && has_column(t, "start_s"))
        tool_fail("%s:%lu: a log of phases, not a profile: first sgdperf profile %s --format csv",
                  t->name, (unsigned long)t->header_line, t->name);
    if (!has_column(t, "resource") || !has_column(t, "waits_for")) {
        if (t->rows > 1)
            csv_fail(t, 1, CSV_NONE, "a second job, advise takes one: leave out the others");
        return t;
    }
    trace_parse(&trace, t, servers);
    for (i = 0; i < trace.trace.steps; i++)
        add_step(&p, &trace.trace.step[i], 1.0 / (double)trace.trace.steps);
    tool_note("%s: a trace of %lu step%s, taken for its mean profile: forward %.4g s, backward "
              "%.4g s, update %.4g s, %.4g bytes each way; sgdperf simulate replays what overlaps",
              t->name, (unsigned long)trace.trace.steps, trace.trace.steps == 1 ? "" : "s",
              p.forward, p.backward, p.update, p.up > p.down ? p.up : p.down);
    return make_profile(t, &p);
}
