/* protocol_fit.c - constants of collectives from measured times: what they are sums of */
#include "cmd/import/protocol_fit.h"

#include "files/status.h"
#include "import/import.h"
#include "sgdperf_fit.h"

#include <math.h>
#include <string.h>

/* What a time is a sum of. */
enum { BASE = 0, LOCAL_HOPS, HOPS, LOCAL_BYTES, BYTES, TERMS };

static const double no_limit = 1e300;

/* Bounds between the ranges of the protocols that NCCL chooses among: low latency, the one of 128
 * bytes, the simple one; and where pipelines fill. */
static const double bounds[] = {65536.0, 1048576.0, 16777216.0, 134217728.0};

/* Of a collective on one machine or several. */
typedef struct fit_class {
    const nccl_points *points;
    const sgdpar_topology *left_out;
    sgdpar_protocol form;     /* collective, algorithm, form                        */
    int several;              /* machines                                           */
    int joint;                /* with those of one machine, for what happens inside */
} fit_class;

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
static void terms_of(const fit_class *c, const nccl_point *at, double term[TERMS])
{
    sgdpar_protocol local = c->form, hop = c->form, rate = c->form;
    local.cost.local_latency_s = hop.cost.latency_s = rate.cost.most_bytes_per_s = 1.0;
    memset(term, 0, TERMS * sizeof *term);
    term[BASE] = 1.0;
    if (c->joint || at->machines == 1) term[LOCAL_HOPS] = time_by(&local, at, 0.0);
    if (at->machines > 1) term[HOPS] = time_by(&hop, at, 0.0);
    term[at->machines > 1 ? BYTES : LOCAL_BYTES] = time_by(&rate, at, at->bytes);
}

static int is_of(const fit_class *c, const nccl_point *p)
{
    const int out = c->left_out->machines == p->machines && c->left_out->gpus == p->gpus;
    return !out && p->collective == c->form.collective &&
           (c->joint || (p->machines > 1) == c->several);
}

static void add_row(protocol_rows *to, const fit_class *c, const sgdfit_range *range,
                    const double x[TERMS])
{
    const double rate = x[c->several ? BYTES : LOCAL_BYTES];
    sgdpar_protocol *p = IMPORT_ADD(to->protocol, to->count, to->room);
    *p = c->form;
    p->range.from_bytes = range->from;
    p->range.below_bytes = range->below;
    p->range.from_machines = c->several ? 2 : 1;
    p->range.below_machines = c->several ? 0 : 2;
    p->cost.base_s = x[BASE];
    p->cost.local_latency_s = x[LOCAL_HOPS];
    p->cost.latency_s = c->several ? x[HOPS] : 0.0;
    p->cost.most_bytes_per_s = rate > 0.0 ? 1.0 / rate : 0.0;
}

/* Rows of a ring, and of an all-reduce also of a double tree. */
static void fit_class_of(protocol_rows *to, fit_class *c)
{
    static const sgdpar_algorithm how[] = {SGDPAR_ALGORITHM_RING, SGDPAR_ALGORITHM_DOUBLE_TREE};
    enum { MOST = COUNT_OF(how) * (COUNT_OF(bounds) + 1) };
    const size_t ways = c->form.collective == SGDPAR_COLLECTIVE_ALL_REDUCE ? 2 : 1;
    const size_t count = c->points->count;
    double *size = (double *)tool_alloc(count, sizeof *size);
    double *time_s = (double *)tool_alloc(count, sizeof *time_s);
    double *term = (double *)tool_alloc(ways * count, TERMS * sizeof *term), x[MOST * TERMS];
    unsigned char *extra = (unsigned char *)tool_alloc(count, 1);
    sgdfit_range range[MOST];
    size_t n = 0, bytes = 0, ranges = 0;
    for (size_t f = 0; f < ways; f++) {
        n = 0;
        c->form.algorithm = how[f];
        for (size_t i = 0; i < count; i++) {
            const nccl_point *p = &c->points->point[i];
            if (!is_of(c, p)) continue;
            size[n] = p->bytes;
            time_s[n] = p->time_s;
            extra[n++] = (p->machines > 1) != c->several;
            terms_of(c, p, term);
            term += TERMS;
        }
    }
    if (n == 0) return;
    const sgdfit_times of = {.points = n, .formulas = ways, .terms = TERMS,
                             .bounds = COUNT_OF(bounds), .size = size, .time_s = time_s,
                             .term = term - ways * n * TERMS, .bound = bounds, .extra = extra};
    tool_check_fit(sgdfit_ranges_bytes(&of, &bytes), "import nccl");
    tool_check_fit(sgdfit_ranges(&of, tool_alloc(bytes, 1), bytes, range, x, &ranges),
                   "import nccl");
    for (size_t i = 0; i < ranges; i++) {
        c->form.algorithm = how[range[i].formula];
        add_row(to, c, &range[i], x + i * TERMS);
    }
}

/* Are all points of several machines of one number of machines? */
static int is_one_number(const fit_class *c)
{
    uint32_t first = 0;
    for (size_t i = 0; i < c->points->count; i++) {
        const nccl_point *p = &c->points->point[i];
        if (!is_of(c, p)) continue;
        if (first == 0) first = p->machines;
        if (p->machines != first) return 0;
    }
    return first > 0;
}

void protocols_fit(protocol_rows *to, const nccl_points *points, const sgdpar_topology *left_out)
{
    memset(to, 0, sizeof *to);
    for (int k = 0; k < SGDPAR_COLLECTIVE_COUNT; k++) {
        fit_class c = {.points = points, .left_out = left_out};
        c.form.collective = (sgdpar_collective)k;
        c.form.form = SGDPAR_FORM_STREAMED;
        fit_class_of(to, &c);
        c.several = 1;
        c.joint = is_one_number(&c);
        fit_class_of(to, &c);
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
