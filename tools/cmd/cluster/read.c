/* read.c - options of sgdperf cluster */
#include "jobs/parallel.h"
#include "base/words.h"
#include "cmd/cluster/cluster.h"
#include "cmd/rules.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Policies -------------------------------------------------------------- */

/* By sgdsched_queueing. */
#define WORD(name, word, line, plans) word,
static const char *const rigid_names[SGDSCHED_QUEUEING_COUNT] = {SGDSCHED_QUEUEING_TABLE(WORD)};
#undef WORD

static cluster_policy policy_of(option_id option, const char *word)
{
    const size_t queueing = words_find(rigid_names, SGDSCHED_QUEUEING_COUNT, word);
    const size_t sharing = words_find(rules_policy_names, SGDSCHED_POLICY_COUNT, word);
    char list[400], rigid_list[256];
    cluster_policy p;
    if (queueing == SGDSCHED_QUEUEING_COUNT && sharing == SGDSCHED_POLICY_COUNT)
        args_fail(option, word, "is not one of %s, nor, for rigid jobs, of %s",
                  words_join(rules_policy_names, SGDSCHED_POLICY_COUNT, list, sizeof list),
                  words_join(rigid_names, SGDSCHED_QUEUEING_COUNT, rigid_list, sizeof rigid_list));
    p.name = word;
    p.is_rigid = queueing < SGDSCHED_QUEUEING_COUNT;
    p.queueing = (sgdsched_queueing)queueing;
    p.sharing = (sgdsched_policy)sharing;
    return p;
}

void cluster_read_policies(cluster *c, const args *a)
{
    const char *usual = args_given(a, OPTION_RIGID) ? rigid_names[0]
                                                    : rules_policy_names[SGDSCHED_HELL];
    const char *only = args_text(a, OPTION_POLICY, usual);
    char **word;
    const size_t words = args_words(a, OPTION_POLICIES, &word);
    c->processes = parallel_read(a);
    c->policies = words > 0 ? words : 1;
    c->policy = (cluster_policy *)tool_alloc(c->policies, sizeof *c->policy);
    c->policy[0] = policy_of(OPTION_POLICY, only);
    for (size_t i = 0; i < words; i++) c->policy[i] = policy_of(OPTION_POLICIES, word[i]);
    for (size_t i = 0; i < c->policies; i++) c->rigid += c->policy[i].is_rigid != 0;
}

/* ---- Runs ------------------------------------------------------------------ */

static void read_quits(sgdsched_quits *quits, const args *a)
{
    const size_t count = args_count(a, OPTION_QUIT);
    double *fraction = (double *)tool_alloc(count, sizeof *fraction), sum = 0.0;
    double *probability = (double *)tool_alloc(count, sizeof *probability);
    for (size_t i = 0; i < count; i++) {
        const char *text = args_at(a, OPTION_QUIT, i);
        char **part;
        if (args_split(text, ':', &part) != 2 ||
            number_parse(part[0], NUMBER_FRACTION, &fraction[i]) ||
            number_parse(part[1], NUMBER_FRACTION, &probability[i]) ||
            !(fraction[i] > 0.0 && fraction[i] < 1.0))
            args_fail(OPTION_QUIT, text, "is not FRACTION:PROBABILITY, each between 0 and 1");
        sum += probability[i];
    }
    if (sum > 1.0 + 1e-12) args_fail(OPTION_QUIT, NULL, "the probabilities add up to more than 1");
    quits->count = count;
    quits->fraction = fraction;
    quits->probability = probability;
}

void cluster_read_run(cluster *s, const args *a)
{
    sgdsched_cluster *c = &s->base;
    cluster_check_nodes(s, a);
    rules_read(&c->rules, a, s->trace.processors);
    c->restart_s = args_number(a, OPTION_RESTART_COST, 0.0);
    c->chunk = (uint32_t)args_integer(a, OPTION_CHUNK, 1, UINT32_MAX, 0);
    if (c->chunk > c->rules.nodes)
        args_fail(OPTION_CHUNK, args_text(a, OPTION_CHUNK, ""), "is more than the %lu node%s",
                  (unsigned long)c->rules.nodes, c->rules.nodes == 1 ? "" : "s");
    read_quits(&c->workload.quits, a);
    c->workload.seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 1);
    c->stop.precision = args_quantity(a, OPTION_PRECISION, UNIT_NONE, NUMBER_POSITIVE, 0.05);
    c->stop.max_jobs = args_integer(a, OPTION_MAX_JOBS, 1, UINT64_MAX, 1000000);
    c->stop.min_jobs = args_integer(a, OPTION_MIN_JOBS, 1, UINT64_MAX,
                               c->stop.max_jobs < 10000 ? c->stop.max_jobs : 10000);
    if (c->stop.min_jobs > c->stop.max_jobs)
        args_fail(OPTION_MIN_JOBS, NULL, "%lu is more than --max-jobs, %lu",
                  (unsigned long)c->stop.min_jobs, (unsigned long)c->stop.max_jobs);
    c->stop.warmup_jobs = args_integer(a, OPTION_WARMUP_JOBS, 1, UINT64_MAX, s->given ? 0 : 1000);
}

/* ---- Points ---------------------------------------------------------------- */

/* 0.1 and 2 * 0.1 add up to the 0.3 that --load 0.3 is. */
static double rounded(double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", x);
    return strtod(text, NULL);
}

/* "0.1:0.9:0.1", or "0.1,0.5" */
static size_t read_loads(const args *a, double **load)
{
    const char *text = args_text(a, OPTION_SWEEP, "");
    double range[3] = {0};
    char **part;
    size_t count = args_split(text, ':', &part), i;
    if (count == 1) return args_numbers(a, OPTION_SWEEP, load);
    if (count != 3) args_fail(OPTION_SWEEP, text, "is not FROM:TO:STEP");
    for (i = 0; i < 3; i++) {
        const char *wrong = number_parse(part[i], NUMBER_POSITIVE, &range[i]);
        if (wrong) args_fail(OPTION_SWEEP, part[i], "%s", wrong);
    }
    if (range[1] < range[0]) args_fail(OPTION_SWEEP, text, "runs backwards: write the smaller load "
                                                           "first");
    if ((range[1] - range[0]) / range[2] >= CLUSTER_MOST_POINTS)
        args_fail(OPTION_SWEEP, text, "is too long");
    count = (size_t)((range[1] - range[0]) / range[2] + 1e-9) + 1;
    *load = (double *)tool_alloc(count, sizeof **load);
    for (i = 0; i < count; i++) (*load)[i] = rounded(range[0] + (double)i * range[2]);
    return count;
}

/* What points have, beside each other. */
typedef struct point_axes {
    double          *load, *gamma;
    sgdsched_policy *policy;  /* those that change the nodes of jobs                */
    size_t           loads, gammas, policies, queues;
    size_t           room;
} point_axes;

static void read_axes(point_axes *x, const cluster *c, const args *a)
{
    x->policy = (sgdsched_policy *)tool_alloc(c->policies, sizeof *x->policy);
    for (size_t i = 0; i < c->policies; i++) {
        if (c->policy[i].is_rigid) continue;
        x->queues += rules_have_queues(c->policy[i].sharing) != 0;
        x->policy[x->policies++] = c->policy[i].sharing;
    }
    x->loads = args_given(a, OPTION_SWEEP) ? read_loads(a, &x->load) : 1;
    x->gammas = args_numbers(a, OPTION_GAMMA, &x->gamma);
    if (c->rigid > 0 && x->queues > 0 && !args_given(a, OPTION_CHUNK))
        args_fail(OPTION_POLICIES, "jsq", "needs --chunk if there are policies of rigid jobs");
    if (c->rigid > 0 && x->gammas > 1)
        args_fail(OPTION_GAMMA, args_text(a, OPTION_GAMMA, ""),
                  "is a list: give one value if there are policies of rigid jobs");
    rules_refuse(a, x->policy, x->policies, !c->given);
}

/* The points of a load under a policy: one for each gamma, or one for each chunk of JSQ,
 * which has no use for gammas. */
static void add_points(cluster *c, point_axes *x, double load, sgdsched_policy policy)
{
    const int queues = rules_have_queues(policy);
    const size_t gammas = queues ? 1 : x->gammas;
    uint32_t chunk = c->base.chunk, last = c->base.chunk;
    if (queues && chunk == 0) (void)sgdsched_chunk_range(c->base.rules.nodes, &chunk, &last);
    if (!queues) chunk = last = 0;
    for (; chunk <= last; chunk++)
        for (size_t k = 0; k < gammas; k++) {
            if (c->points == CLUSTER_MOST_POINTS)
                args_fail(x->gammas > 1 ? OPTION_GAMMA : OPTION_SWEEP, NULL, "has too many points: "
                    "give a larger step");
            c->point = tool_one_more(c->point, c->points, &x->room, sizeof *c->point);
            cluster_point *to = &c->point[c->points++];
            to->load = load;
            to->policy = policy;
            to->chunk = chunk;
            to->gamma = queues ? 0.0 : x->gamma[k];
        }
}

void cluster_read_points(cluster *c, const args *a)
{
    double load = c->base.rules.load, no_gamma = 0.0;
    point_axes x = {.load = &load};
    read_axes(&x, c, a);
    c->gammas = x.gammas;
    if (x.gammas == 0) {
        x.gammas = 1;
        x.gamma = &no_gamma;
    }
    for (size_t i = 0; i < x.loads; i++)
        for (size_t k = 0; k < x.policies; k++) add_points(c, &x, x.load[i], x.policy[k]);
}

/* ---- Parts of jobs --------------------------------------------------------- */

enum { MOST_PARTS = 1000 };            /* a megabyte each                               */

static void read_parts(cluster *c, const args *a)
{
    const double least = 1e-6;         /* of a job, far from errors of rounding      */
    double *fraction;
    const size_t fractions = args_numbers(a, OPTION_FRACTIONS, &fraction);
    const size_t classes = args_given(a, OPTION_BY_CURVE) ? c->base.curves + 1 : 1;
    if (fractions == 0) return;
    for (size_t i = 0; i < fractions; i++)
        if (!(fraction[i] >= least))
            args_fail(OPTION_FRACTIONS, args_text(a, OPTION_FRACTIONS, ""), "has a fraction below "
                                                                            "%g, the smallest that "
                                                                            "is allowed",
                      least);
    if (classes > MOST_PARTS / fractions)
        args_fail(OPTION_FRACTIONS, NULL, "%lu fractions of %lu curves are more than %d: give "
                                          "fewer",
                  (unsigned long)fractions, (unsigned long)(classes - 1), MOST_PARTS);
    sgdsched_part *part = (sgdsched_part *)tool_alloc(fractions * classes, sizeof *part);
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < fractions; i++) {
            part[k * fractions + i].fraction = fraction[i];
            part[k * fractions + i].curve = k - 1;     /* all of them first           */
        }
    c->base.part = part;
    c->base.parts = fractions * classes;
    c->cdf = args_given(a, OPTION_CDF);
}

/* ---- All ------------------------------------------------------------------- */

void cluster_read(cluster *c, const args *a)
{
    c->given = args_given(a, OPTION_JOBS);
    if (c->given && args_given(a, OPTION_TRACE_FORMAT)) cluster_read_trace(c, a);
    cluster_read_run(c, a);
    if (c->given) cluster_read_given(c, a);
    else cluster_read_workload(c, a);
    cluster_read_sharing(c, a);
    c->base.curve = curves_list(&c->curves, 0);
    c->base.curves = c->curves.names.count;
    cluster_read_points(c, a);
    read_parts(c, a);
    cluster_limit_all(c, a);
    cluster_check_points(c);
}
