/* times.c - which times of sgdperf simulate are too large, for a number or beside others */
#include "cmd/simulate/simulate.h"

#include <stdio.h>

/* What a link carries of one worker of a type, at most. */
static double rate_of(const simulation *s, size_t type)
{
    const sgdsim_config *c = &s->config;
    const double cap = c->flow_cap > 0.0 ? c->flow_cap : 1.0;
    double rate = c->bandwidth_bytes_per_s * cap;
    if (c->worker_bandwidth_bytes_per_s && c->worker_bandwidth_bytes_per_s[type] < rate)
        rate = c->worker_bandwidth_bytes_per_s[type];
    return rate;
}

static double time_of(const simulation *s, size_t type, const sgdsim_op *op)
{
    const int sent = op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK;
    const sgdsim_overhead *o = s->config.overhead;
    if (!sent) return op->duration_s;
    if (!(op->bytes > 0.0)) return 0.0;
    return op->bytes / rate_of(s, type) + (o ? o->s_per_byte * op->bytes + o->s : 0.0);
}

/* The option, or the row of a trace, of the longest time that there is. */
static void find_longest(const simulation *s, char *text, size_t bytes)
{
    double longest_s = s->config.stagger_s;
    size_t type, k, i;
    snprintf(text, bytes, "--stagger is %g s", longest_s);
    for (type = 0; type < s->config.types; type++) {
        const trace_file *t = &s->traces[type];
        if (s->config.delay_s && s->config.delay_s[type] > longest_s) {
            longest_s = s->config.delay_s[type];
            snprintf(text, bytes, "--delay is %g s", longest_s);
        }
        for (k = 0; k < t->trace.steps; k++)
            for (i = 0; i < t->trace.step[k].ops; i++) {
                const sgdsim_op *op = &t->trace.step[k].op[i];
                const double time_s = time_of(s, type, op);
                const unsigned long line =
                    (unsigned long)csv_line(t->file, t->row[t->first[k] + i]);
                if (!(time_s > longest_s)) continue;
                longest_s = time_s;
                if (op->resource == SGDSIM_WORKER || op->resource == SGDSIM_SERVER)
                    snprintf(text, bytes, "%s:%lu takes %g s", t->file->name, line, time_s);
                else
                    snprintf(text, bytes, "%s:%lu is %g bytes at %g B/s%s", t->file->name, line,
                             op->bytes, rate_of(s, type),
                             s->config.overhead ? " with --overhead" : "");
            }
    }
}

void simulate_fail_large(const simulation *s, const char *who)
{
    char longest[600];
    if (s->collectives) tool_fail("%s: times are too large", who);
    find_longest(s, longest, sizeof longest);
    tool_fail("%s: times are too large to be added up: of those of --steps %lu the longest, %s",
              who, (unsigned long)s->config.steps, longest);
}

/* The longest of a worker's steps, were nothing done beside anything else. */
static double longest_step_s(const simulation *s)
{
    double longest_s = 0.0, sum_s;
    size_t type, k, i;
    for (type = 0; type < s->config.types; type++)
        for (k = 0; k < s->traces[type].trace.steps; k++) {
            const sgdsim_step *step = &s->traces[type].trace.step[k];
            for (i = 0, sum_s = 0.0; i < step->ops; i++)
                sum_s += time_of(s, type, &step->op[i])
                         + (s->config.delay_s ? s->config.delay_s[type] : 0.0);
            if (sum_s > longest_s) longest_s = sum_s;
        }
    return longest_s;
}

void simulate_check_stagger(const simulation *s, const args *a)
{
    const double most = 1e9;           /* steps, of which a double keeps six digits   */
    double step_s;
    if (!(s->config.stagger_s > 0.0)) return;
    step_s = longest_step_s(s);
    if (s->config.stagger_s > most * step_s)
        args_fail("--stagger", args_text(a, "--stagger", ""),
                  "is more than %g steps of %s, the longest of which takes %.4g s: nothing would "
                  "be left of them", most, s->traces[0].file->name, step_s);
}
