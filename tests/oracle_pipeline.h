/* oracle_pipeline.h - a step of a pipeline, event by event: devices with lists of passes, links
 * with queues of messages, and a clock that goes from one end to the next. It shares no code
 * with sgdperf_parallel.h. */
#ifndef ORACLE_PIPELINE_H
#define ORACLE_PIPELINE_H

#include "../sgdperf_parallel.h"

#include <math.h>
#include <string.h>

enum { LINE_P = 16, LINE_V = 4, LINE_M = 64, LINE_N = LINE_V * LINE_M, LINE_S = LINE_P * LINE_V };

typedef struct line_pass { char kind; unsigned stage, micro; } line_pass; /* 'F', 'B', 'W' */

/* Something that serves passes or messages one at a time; end_s < 0: idle. */
typedef struct line_server {
    line_pass list[3 * LINE_N];
    unsigned  count, next;
    double    end_s, idle_since_s;
} line_server;

typedef struct line_run {
    const sgdpar_pipeline *of;
    unsigned    P, v, m;
    double      now_s;
    line_server device[LINE_P], link[2][LINE_P], exchange[LINE_P]; /* link: next, previous */
    char        has_input[2][LINE_S][LINE_M];
    double      busy_s[LINE_P], passes_end_s[LINE_P], kept[LINE_P], most_kept[LINE_P];
} line_run;

static line_run tandem;

static void line_add(line_server *to, char kind, unsigned stage, unsigned micro)
{
    const line_pass pass = {kind, stage, micro};
    to->list[to->count++] = pass;
}

/* The k-th forward or backward pass of a device with v stages. */
static void line_add_at(unsigned p, char kind, unsigned k)
{
    const unsigned P = tandem.P, v = tandem.v;
    const unsigned chunk = v > 1 ? k % (P * v) / P : 0;
    const unsigned micro = v > 1 ? k / (P * v) * P + k % P : k;
    line_add(&tandem.device[p], kind, (kind == 'B' ? v - 1 - chunk : chunk) * P + p, micro);
}

/* Three loops, as training programs have them: warm up, one of each in turn, cool down. */
static void line_order(unsigned p)
{
    const sgdpar_pipelining how = tandem.of->schedule;
    const unsigned n = tandem.m * tandem.v, zero = how == SGDPAR_PIPELINING_ZB;
    unsigned warm = tandem.P - p - 1, i, weights = 0;
    if (how == SGDPAR_PIPELINING_GPIPE) warm = n;
    if (how == SGDPAR_PIPELINING_INTERLEAVED) warm = 2 * warm + (tandem.v - 1) * tandem.P;
    if (warm > n) warm = n;
    for (i = 0; i < warm; i++) line_add_at(p, 'F', i);
    for (i = 0; i < n - warm; i++) {
        line_add_at(p, 'F', warm + i);
        line_add_at(p, 'B', i);
        if (zero && i >= p) line_add_at(p, 'W', weights++);
    }
    for (i = n - warm; i < n; i++) {
        line_add_at(p, 'B', i);
        if (zero && i >= p) line_add_at(p, 'W', weights++);
    }
    while (zero && weights < n) line_add_at(p, 'W', weights++);
}

static double line_pass_s(line_pass pass)
{
    const sgdpar_stage *s = &tandem.of->stage[pass.stage];
    if (pass.kind == 'F') return s->forward_s;
    if (pass.kind == 'W') return s->weight_s;
    return s->backward_s - (tandem.of->schedule == SGDPAR_PIPELINING_ZB ? s->weight_s : 0.0);
}

/* Begins what a server does next, if it is idle and may. */
static void line_begin(line_server *on, double time_s)
{
    if (on->end_s >= 0.0) return;
    on->end_s = tandem.now_s + time_s;
}

static void line_begin_all(void)
{
    for (unsigned p = 0; p < tandem.P; p++) {
        line_server *d = &tandem.device[p], *e = &tandem.exchange[p];
        if (d->next < d->count) {
            const line_pass pass = d->list[d->next];
            if (pass.kind == 'W' || tandem.has_input[pass.kind == 'B'][pass.stage][pass.micro])
                line_begin(d, line_pass_s(pass));
        }
        for (unsigned way = 0; way < 2; way++) {
            line_server *l = &tandem.link[way][p];
            if (l->next >= l->count) continue;
            line_begin(l, tandem.P == 1 ? 0.0
                                      : tandem.of->stage[l->list[l->next].stage - way].send_s);
        }
        if (e->next < e->count)
            line_begin(e, tandem.of->stage[e->list[e->next].stage].exchange_s);
    }
}

/* A pass has ended: its output is sent, its activations are kept or dropped. */
static void line_pass_ended(unsigned p, line_pass pass)
{
    const char last = tandem.of->schedule == SGDPAR_PIPELINING_ZB ? 'W' : 'B';
    const double bytes = tandem.of->stage[pass.stage].activations_bytes;
    tandem.busy_s[p] += line_pass_s(pass);
    tandem.passes_end_s[p] = tandem.now_s;
    if (pass.kind == 'F' && pass.stage + 1 == tandem.P * tandem.v)
        tandem.has_input[1][pass.stage][pass.micro] = 1;
    else if (pass.kind == 'F')
        line_add(&tandem.link[0][p], 'F', pass.stage, pass.micro);
    else if (pass.kind == 'B' && pass.stage > 0)
        line_add(&tandem.link[1][p], 'B', pass.stage, pass.micro);
    if (pass.kind == 'F') tandem.kept[p] += bytes;
    tandem.most_kept[p] = fmax(tandem.most_kept[p], tandem.kept[p]);
    if (pass.kind != last) return;
    tandem.kept[p] -= bytes;
    if (pass.micro + 1 == tandem.m) line_add(&tandem.exchange[p], 'X', pass.stage, 0);
}

static int line_ends(line_server *of, line_pass *pass)
{
    if (of->end_s < 0.0 || of->end_s > tandem.now_s) return 0;
    *pass = of->list[of->next++];
    of->end_s = -1.0;
    of->idle_since_s = tandem.now_s;
    return 1;
}

static void line_end_all(void)
{
    for (unsigned p = 0; p < tandem.P; p++) {
        line_pass pass;
        if (line_ends(&tandem.device[p], &pass)) line_pass_ended(p, pass);
        if (line_ends(&tandem.link[0][p], &pass))
            tandem.has_input[0][pass.stage + 1][pass.micro] = 1;
        if (line_ends(&tandem.link[1][p], &pass))
            tandem.has_input[1][pass.stage - 1][pass.micro] = 1;
        (void)line_ends(&tandem.exchange[p], &pass);
    }
}

static double line_sooner(double t, const line_server *of)
{
    return of->end_s >= 0.0 && of->end_s < t ? of->end_s : t;
}

/* Runs until nothing is left. Returns the time of the step. */
static double line_step_s(const sgdpar_pipeline *of)
{
    double step_s = 0.0;
    memset(&tandem, 0, sizeof tandem);
    tandem.of = of;
    tandem.P = of->devices;
    tandem.v = of->chunks > 1 ? of->chunks : 1;
    tandem.m = of->micro_batches;
    for (unsigned p = 0; p < tandem.P; p++) {
        tandem.device[p].end_s = tandem.exchange[p].end_s = -1.0;
        tandem.link[0][p].end_s = tandem.link[1][p].end_s = -1.0;
        line_order(p);
    }
    memset(tandem.has_input[0][0], 1, sizeof tandem.has_input[0][0]);
    for (;;) {
        double soonest = HUGE_VAL;
        line_begin_all();
        for (unsigned p = 0; p < tandem.P; p++) {
            soonest = line_sooner(soonest, &tandem.device[p]);
            soonest = line_sooner(soonest, &tandem.exchange[p]);
            soonest = line_sooner(line_sooner(soonest, &tandem.link[0][p]), &tandem.link[1][p]);
        }
        if (!(soonest < HUGE_VAL)) break;
        tandem.now_s = soonest;
        line_end_all();
    }
    for (unsigned p = 0; p < tandem.P; p++) {
        double end_s = fmax(tandem.passes_end_s[p], tandem.exchange[p].idle_since_s);
        for (unsigned c = 0; c < tandem.v; c++) end_s += of->stage[c * tandem.P + p].update_s;
        step_s = fmax(step_s, end_s);
    }
    return step_s;
}

#endif /* ORACLE_PIPELINE_H */
