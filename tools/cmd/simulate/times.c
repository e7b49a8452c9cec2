/* times.c - which times of sgdperf simulate are too large, for a number or beside others */
#include "cmd/simulate/simulate.h"

#include <stdio.h>

/* What a link carries of one worker of a type, at most, and the option that says so. */
static double rate_of(const simulation *s, size_t type, option_id *option)
{
    const sgdsim_config *c = &s->config;
    const double rate = c->links.bandwidth_bytes_per_s * c->links.flow_cap;
    *option = c->links.flow_cap < 1.0 ? OPTION_FLOW_CAP : OPTION_BANDWIDTH;
    if (!c->links.worker_bandwidth_bytes_per_s ||      /* which rounds what a cap has left */
        c->links.worker_bandwidth_bytes_per_s[type] >= rate * (1.0 - 1e-12))
        return rate;
    *option = OPTION_WORKER_BANDWIDTH;
    return c->links.worker_bandwidth_bytes_per_s[type];
}

static double time_of(const simulation *s, size_t type, const sgdsim_op *op)
{
    const int sent = op->resource == SGDSIM_DOWNLINK || op->resource == SGDSIM_UPLINK;
    const sgdsim_overhead *o = s->config.transfers.overhead;
    option_id option;
    if (!sent) return op->duration_s;
    if (s->collectives || !(op->bytes > 0.0)) return 0.0;
    return op->bytes / rate_of(s, type, &option) + (o ? o->s_per_byte * op->bytes + o->s : 0.0);
}

/* An operation of step k, in the row of its trace. */
static void print_op(const simulation *s, size_t type, size_t k, size_t i, char *text, size_t bytes)
{
    const trace_file *t = &s->traces[type];
    const sgdsim_op *op = &t->trace.step[k].op[i];
    const unsigned long line = (unsigned long)csv_line(t->file, t->row[t->first[k] + i]);
    option_id option;
    const double rate = rate_of(s, type, &option);
    if (op->resource == SGDSIM_WORKER || op->resource == SGDSIM_SERVER)
        snprintf(text, bytes, "%s:%lu takes %g s", t->file->name, line, op->duration_s);
    else
        snprintf(text, bytes, "%s:%lu is %g bytes at %g B/s, %s%s", t->file->name, line, op->bytes,
                 rate, option_name(option),
                 s->config.transfers.overhead ? ", with --overhead" : "");
}

/* An exchange of collectives. */
static double print_exchange(const simulation *s, const collectives_report *exchanged, char *text,
                             size_t bytes)
{
    const collectives *c = s->collectives;
    const sgdpar_topology on = topology_on(&c->topology, c->gpus, s->workers);
    char links[300];
    snprintf(text, bytes, "an exchange of %g bytes on these links: %s", exchanged->longest_bytes,
             topology_text(&on, c->ways.file, links, sizeof links));
    return exchanged->longest_s;
}

/* The option, or the row of a trace, of the longest time that there is. */
static void find_longest(const simulation *s, const collectives_report *exchanged, char *text,
                         size_t bytes)
{
    double longest_s = s->config.variation.stagger_s;
    size_t type, k, i;
    snprintf(text, bytes, "--stagger is %g s", longest_s);
    if (exchanged) longest_s = print_exchange(s, exchanged, text, bytes);
    for (type = 0; type < s->config.workers.types; type++) {
        const sgdsim_trace *t = &s->traces[type].trace;
        if (s->config.links.delay_s && s->config.links.delay_s[type] > longest_s) {
            longest_s = s->config.links.delay_s[type];
            snprintf(text, bytes, "--delay is %g s", longest_s);
        }
        if (!s->traces[type].row) continue;      /* made of layers: the exchanges are longer */
        for (k = 0; k < t->steps; k++)
            for (i = 0; i < t->step[k].ops; i++) {
                const double time_s = time_of(s, type, &t->step[k].op[i]);
                if (!(time_s > longest_s)) continue;
                longest_s = time_s;
                print_op(s, type, k, i, text, bytes);
            }
    }
}

void simulate_fail_large(const simulation *s, const collectives_report *exchanged, const char *who)
{
    char longest[600];
    find_longest(s, exchanged, longest, sizeof longest);
    tool_fail("%s: times are too large to be added up: of those of --steps %lu the longest, %s",
              who, (unsigned long)s->config.length.steps, longest);
}

/* The longest of a worker's steps, were nothing done beside anything else. */
static double longest_step_s(const simulation *s)
{
    double longest_s = 0.0, sum_s;
    size_t type, k, i;
    for (type = 0; type < s->config.workers.types; type++)
        for (k = 0; k < s->traces[type].trace.steps; k++) {
            const sgdsim_step *step = &s->traces[type].trace.step[k];
            for (i = 0, sum_s = 0.0; i < step->ops; i++)
                sum_s += time_of(s, type, &step->op[i])
                         + (s->config.links.delay_s ? s->config.links.delay_s[type] : 0.0);
            if (sum_s > longest_s) longest_s = sum_s;
        }
    return longest_s;
}

void simulate_check_stagger(const simulation *s, const args *a)
{
    const double most = 1e9;           /* steps, of which a double keeps six digits   */
    double step_s;
    if (!(s->config.variation.stagger_s > 0.0)) return;
    step_s = longest_step_s(s);
    if (s->config.variation.stagger_s > most * step_s)
        args_fail(OPTION_STAGGER, args_text(a, OPTION_STAGGER, ""),
                  "is more than %g steps of %s, the longest of which takes %.4g s: nothing would "
                  "be left of them", most, s->traces[0].file->name, step_s);
}
