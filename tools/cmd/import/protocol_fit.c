/* protocol_fit.c - constants of collectives from measured times, by non-negative least squares */
#include "cmd/import/protocol_fit.h"

#include "files/status.h"
#include "import/import.h"
#include "sgdperf_fit.h"

#include <math.h>
#include <string.h>

/* What a time is a sum of. */
enum { BASE = 0, LOCAL_HOPS, HOPS, LOCAL_BYTES, BYTES, TERMS };

/* Points of one collective that a row is to hold for. */
typedef struct fit_task {
    const nccl_points *points;
    const unsigned char *in;  /* [points->count]                                    */
    sgdpar_protocol form;     /* collective, algorithm, form, range                 */
    int    joint;             /* with those of one machine, for what happens inside */
    size_t count;
} fit_task;

typedef struct fit_found { sgdpar_protocol protocol; double error; } fit_found;

static const double no_limit = 1e300;

/* ---- A row ----------------------------------------------------------------- */

static double time_by(const sgdpar_protocol *by, const nccl_point *at, double bytes)
{
    sgdpar_topology on = {0};
    double s = 0.0;
    on.machines = at->machines;
    on.gpus = at->gpus;
    on.bandwidth_bytes_per_s = on.local_bandwidth_bytes_per_s = no_limit;
    tool_check_parallel(sgdpar_collective_time(at->collective, by, &on, bytes, &s), "import nccl");
    return s;
}

/* How often each constant counts in the time of a point. */
static void terms_of(const fit_task *t, const nccl_point *at, double term[TERMS])
{
    sgdpar_protocol local = t->form, hop = t->form, rate = t->form;
    local.cost.local_latency_s = hop.cost.latency_s = rate.cost.most_bytes_per_s = 1.0;
    memset(term, 0, TERMS * sizeof *term);
    term[BASE] = 1.0;
    if (t->joint || at->machines == 1) term[LOCAL_HOPS] = time_by(&local, at, 0.0);
    if (at->machines > 1) term[HOPS] = time_by(&hop, at, 0.0);
    term[at->machines > 1 ? BYTES : LOCAL_BYTES] = time_by(&rate, at, at->bytes);
}

/* The mean relative error of the constants x over the points of the task. */
static double error_of(const fit_task *t, const double x[TERMS])
{
    double sum = 0.0, term[TERMS];
    for (size_t i = 0; i < t->points->count; i++) {
        const nccl_point *at = &t->points->point[i];
        double s = 0.0;
        if (!t->in[i]) continue;
        terms_of(t, at, term);
        for (size_t k = 0; k < TERMS; k++) s += term[k] * x[k];
        sum += fabs(s - at->time_s) / at->time_s;
    }
    return sum / (double)t->count;
}

/* The row of least squares; `several`: it is for several machines. */
static fit_found fit_row(const fit_task *t, int several)
{
    sgdfit_system of = {0};
    double *a = (double *)tool_alloc(t->count * TERMS, sizeof *a);
    double *b = (double *)tool_alloc(t->count, sizeof *b), x[TERMS] = {0}, rate;
    size_t bytes = 0, n = 0;
    fit_found found = {t->form, 0.0};
    for (size_t i = 0; i < t->points->count; i++) {
        if (!t->in[i]) continue;
        terms_of(t, &t->points->point[i], a + n * TERMS);
        for (size_t k = 0; k < TERMS; k++) a[n * TERMS + k] /= t->points->point[i].time_s;
        b[n++] = 1.0;
    }
    of.a = a;
    of.b = b;
    of.rows = n;
    of.columns = TERMS;
    tool_check_fit(sgdfit_nnls_bytes(&of, &bytes), "import nccl");
    tool_check_fit(sgdfit_nnls(&of, tool_alloc(bytes, 1), bytes, x, NULL), "import nccl");
    found.error = error_of(t, x);
    rate = x[several ? BYTES : LOCAL_BYTES];
    found.protocol.cost.base_s = x[BASE];
    found.protocol.cost.local_latency_s = x[LOCAL_HOPS];
    found.protocol.cost.latency_s = several ? x[HOPS] : 0.0;
    found.protocol.cost.most_bytes_per_s = rate > 0.0 ? 1.0 / rate : 0.0;
    return found;
}

/* ---- Ranges of sizes ------------------------------------------------------- */

/* A ring, and of an all-reduce a double tree: the better one, and one that is hardly worse. */
static void fit_range(protocol_rows *to, fit_task *t, int several)
{
    static const sgdpar_algorithm how[] = {SGDPAR_ALGORITHM_RING, SGDPAR_ALGORITHM_DOUBLE_TREE};
    const size_t ways = t->form.collective == SGDPAR_COLLECTIVE_ALL_REDUCE ? 2 : 1;
    const double hardly = 1.3, rounding = 0.002;
    fit_found found[2];
    double least = HUGE_VAL;
    for (size_t i = 0; i < ways; i++) {
        t->form.algorithm = how[i];
        found[i] = fit_row(t, several);
        if (found[i].error < least) least = found[i].error;
    }
    for (size_t i = 0; i < ways; i++)
        if (found[i].error <= hardly * least + rounding)
            *IMPORT_ADD(to->protocol, to->count, to->room) = found[i].protocol;
}

/* Bounds between the ranges of the protocols that NCCL chooses among: low latency, the one of 128
 * bytes, the simple one; and where pipelines fill. */
static const double bounds[] = {65536.0, 1048576.0, 16777216.0, 134217728.0};

typedef struct fit_class {
    const nccl_points *points;
    const sgdpar_topology *left_out;
    sgdpar_collective collective;
    int several;              /* machines                                           */
    int joint;
} fit_class;

/* A point between two ranges counts in both, so that their rows agree there. */
static int is_of(const fit_class *c, const nccl_point *p, double from, double to)
{
    const int out = c->left_out->machines == p->machines && c->left_out->gpus == p->gpus;
    return !out && p->collective == c->collective && p->bytes >= from && p->bytes <= to &&
           (c->joint || (p->machines > 1) == c->several);
}

/* Marks those of a range; how many of them are of the class itself. */
static size_t mark(const fit_class *c, double from, double to, unsigned char *in, size_t *all)
{
    size_t own = 0;
    *all = 0;
    for (size_t i = 0; i < c->points->count; i++) {
        const nccl_point *p = &c->points->point[i];
        in[i] = (unsigned char)is_of(c, p, from, to);
        *all += in[i];
        own += in[i] && (p->machines > 1) == c->several;
    }
    return own;
}

/* A range with too few points is part of the next, the last one of the one before. */
static void fit_class_of(protocol_rows *to, const fit_class *c)
{
    enum { FEW = 3 };
    unsigned char *in = (unsigned char *)tool_alloc(c->points->count, 1);
    double from = 0.0;
    size_t all;
    for (size_t i = 0; i <= COUNT_OF(bounds); i++) {
        const double below = i < COUNT_OF(bounds) ? bounds[i] : HUGE_VAL;
        const int last = i == COUNT_OF(bounds) || mark(c, below, HUGE_VAL, in, &all) < FEW;
        fit_task t = {0};
        const size_t own = mark(c, from, last ? HUGE_VAL : below, in, &t.count);
        if (own == 0 || (own < FEW && !last)) continue;
        t.points = c->points;
        t.in = in;
        t.joint = c->joint;
        t.form.collective = c->collective;
        t.form.form = SGDPAR_FORM_STREAMED;
        t.form.range.from_bytes = from;
        t.form.range.below_bytes = last ? 0.0 : below;
        t.form.range.from_machines = c->several ? 2 : 1;
        t.form.range.below_machines = c->several ? 0 : 2;
        fit_range(to, &t, c->several);
        from = below;
        if (last) break;
    }
    tool_free(in);
}

/* Numbers of machines above 1: 0, 1, or 2 where there are more. */
static int numbers_of_machines(const fit_class *c)
{
    uint32_t first = 0;
    for (size_t i = 0; i < c->points->count; i++) {
        const nccl_point *p = &c->points->point[i];
        if (p->machines < 2 || !is_of(c, p, 0.0, HUGE_VAL)) continue;
        if (first == 0) first = p->machines;
        if (p->machines != first) return 2;
    }
    return first > 0;
}

void protocols_fit(protocol_rows *to, const nccl_points *points, const sgdpar_topology *left_out)
{
    memset(to, 0, sizeof *to);
    for (int c = 0; c < SGDPAR_COLLECTIVE_COUNT; c++) {
        fit_class of = {points, left_out, (sgdpar_collective)c, 0, 0};
        fit_class_of(to, &of);
        of.several = 1;
        of.joint = numbers_of_machines(&of) == 1;
        fit_class_of(to, &of);
    }
}

double protocols_time(const protocol_rows *rows, const nccl_point *at)
{
    sgdpar_network on = {0};
    double s = 0.0;
    on.topology.machines = at->machines;
    on.topology.gpus = at->gpus;
    on.topology.bandwidth_bytes_per_s = on.topology.local_bandwidth_bytes_per_s = no_limit;
    on.protocol = rows->protocol;
    on.protocols = rows->count;
    if (sgdpar_best_protocol(at->collective, &on, at->bytes, NULL, &s) == SGDPAR_OK) return s;
    return (double)NAN;
}
