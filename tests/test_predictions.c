/* test_predictions.c - what sgdp_predict says of any job, in each of its numbers, is what the
 * formulas of its declaration give, written down again here. Networks are solved by
 * sgdp_mva_exact and sgdp_mva_hybrid_approx, the slowest worker is that of sgdp_kth_fastest. */
#include "../sgdperf.h"
#include "test.h"
#define CHANCE_SEED 8
#include "chance.h"

#include <float.h>
#include <math.h>

enum { TYPES = 3, CLASSES = 2 * TYPES, STATIONS = 3 };

/* A job, and what it comes to before any model: all as in the comments on sgdp_job. */
typedef struct cluster {
    sgdp_job job;
    sgdp_model model;
    sgdp_worker_type given[TYPES], type[TYPES]; /* of the job; as the model reads them */
    double share[4], sample[8];
    uint32_t K, n, g, counted, fullest, emptiest;
    size_t types;
    int ring, allreduce, of_machine;
    double flows, up_s, down_s, update_s, peer_s, local_s, input_s, batch;
    double exposure, growth, told_full_s, alltoall_link_s;
    int is_told;
    sgdp_exchange told, alltoall;
} cluster;

static double mean_of(const sgdp_variation *v)
{
    double sum = 0.0;
    for (size_t i = 0; i < v->samples; i++) sum += v->sample[i];
    return sum / (double)v->samples;
}

/* Deviation over mean. */
static double cv_of(const sgdp_variation *v)
{
    double squares = 0.0;
    if (v->samples == 0) return v->cv;
    for (size_t i = 0; i < v->samples; i++) squares += v->sample[i] * v->sample[i];
    const double mean = mean_of(v), square = squares / (double)v->samples - mean * mean;
    return v->samples > 1 && square > 0.0 ? sqrt(square) / mean : 0.0;
}

static double at_least_0(double x) { return x > 0.0 ? x : 0.0; }

static int has_windows(const cluster *c)
{
    return c->model == SGDP_ASYNC_RHYTHM || c->model == SGDP_SYNC_STAGGERED;
}

/* ---- Draws ------------------------------------------------------------------- */

/* Exchanges that depend on each number told, of two machines too. */
static int exchange(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out)
{
    (void)ctx;
    if (model == SGDP_ALLREDUCE_RING || model == SGDP_ALLREDUCE_DOUBLING) return 0;
    out->local_s = on->local_transfer_s * (0.3 * on->fullest + 0.1 * on->emptiest);
    out->link_s = on->transfer_s * (2.0 - 1.0 / on->machines) + on->latency_s * on->workers;
    out->carried_s = 0.5 * on->transfer_s / on->gpus;
    out->growth_s = 0.01 * on->transfer_s + on->latency_s;
    return 1;
}

static int alltoall(void *ctx, sgdp_model model, const sgdp_machines *on, sgdp_exchange *out)
{
    (void)ctx, (void)model;
    out->local_s = 0.2 * on->local_transfer_s * on->fullest;
    out->link_s = 0.4 * on->flow_transfer_s + 0.1 * on->transfer_s * on->machines;
    out->carried_s = 0.1 * on->transfer_s;
    out->growth_s = 0.02 * on->flow_transfer_s;
    return 1;
}

static void draw_links(cluster *c)
{
    sgdp_job *job = &c->job;
    job->model_bytes = between(1e7, 2e8);
    job->links.bandwidth_bytes_per_s = between(5e8, 5e9);
    if (draw(4) == 0) job->links.uplink_s = between(0.01, 0.2);
    if (draw(4) == 0) job->links.downlink_s = between(0.01, 0.2);
    if (draw(3) == 0) job->links.flow_cap_bytes_per_s = between(3e8, 2e9);
    if (draw(4) == 0) job->links.worker_bandwidth_bytes_per_s = between(3e8, 5e9);
    if (draw(2)) job->links.latency_s = between(1e-5, 1e-2);
    if (draw(3) == 0) job->links.delay_s = between(1e-3, 0.05);
    if (draw(3) == 0) job->links.port_buffer_bytes = between(1e5, 1e7);
    if (draw(3)) return;
    job->servers.count = 1 + draw(4);
    job->servers.separate_updates = draw(3) == 0;
    if (draw(2)) job->servers.message_s = between(1e-4, 0.02);
    if (draw(2)) return;
    double sum = 0.0;
    for (uint32_t i = 0; i < job->servers.count; i++) sum += c->share[i] = between(0.1, 1.0);
    for (uint32_t i = 0; i < job->servers.count; i++) c->share[i] /= sum;
    job->servers.shares = c->share;
}

static void draw_collective(cluster *c)
{
    sgdp_job *job = &c->job;
    job->collective.exchange = exchange;
    job->collective.alltoall = alltoall;
    job->collective.rings = draw(4);
    if (draw(4) == 0) job->collective.jobs = 1 + draw(5);
    if (draw(3) == 0) job->collective.alltoall_bytes = between(1e6, 1e8);
    if (draw(2)) job->machine.growth = draw(4) ? between(0.01, 0.2) : -0.1;
    if (draw(2)) job->machine.growth_between = draw(4) ? between(0.01, 0.2) : -0.1;
    switch (draw(5)) {
    case 0: job->overlap.exponent = between(1.0, 5.0); break;
    case 1: job->overlap.exposure = draw(4) ? between(0.05, 2.0) : -1.0; return;
    default: break;
    }
    if (draw(3) == 0) job->overlap.rule = (sgdp_overlap_rule)(1 + draw(2));
}

static void draw_workers(cluster *c)
{
    sgdp_job *job = &c->job;
    c->K = 1 + draw(9);
    if (c->model == SGDP_ASYNC_CYNTHIA) return;
    if (draw(3) == 0) {
        job->machine.gpus = 2 + draw(3) * draw(8);
        job->machine.local_bandwidth_bytes_per_s = between(2e9, 2e10);
    }
    if (draw(4) == 0) {
        job->compute.one_worker_step_s = between(0.8, 2.0);
        if (has_windows(c)) job->links.delay_s = 0.0;
    } else if (draw(3) == 0) {
        job->workers.types = 1 + draw(TYPES);
        job->workers.type = c->given;
        for (c->K = 0, c->types = 0; c->types < job->workers.types; c->types++) {
            sgdp_worker_type *type = &c->given[c->types];
            *type = (sgdp_worker_type){.count = 1 + draw(4), .forward_s = between(0.01, 0.5),
                                       .backward_s = between(0.01, 0.5)};
            if (draw(3) == 0) type->delay_s = between(1e-3, 0.05);
            c->K += type->count;
        }
    }
    const int staggers = c->model == SGDP_SYNC_STAGGERED;
    if (staggers && job->workers.types == 0 && draw(6) == 0) c->K = 1 + draw(150);
    if (c->model >= SGDP_SYNC_PS && job->machine.gpus <= 1 && job->workers.types == 0 && !staggers
        && draw(3) == 0) job->workers.backup = draw(c->K);
    if ((staggers || job->workers.types <= 1) && draw(3) == 0)
        job->compute.vary.cv = between(0.02, 0.6);
    job->compute.vary.shape = (sgdp_shape)draw(SGDP_SHAPE_COUNT);
    if (!(job->compute.vary.cv > 0.0) || draw(3)) return;
    job->compute.vary.sample = c->sample;
    job->compute.vary.samples = 1 + draw(8);
    for (size_t i = 0; i < job->compute.vary.samples; i++)
        c->sample[i] = (i > 0 ? c->sample[i - 1] : between(0.5, 5.0)) + between(0.0, 2.0);
}

static void draw_cluster(cluster *c, sgdp_model model)
{
    sgdp_job *job = &c->job;
    memset(c, 0, sizeof *c);
    c->model = model;
    c->allreduce = model >= SGDP_ALLREDUCE_RING;
    job->compute.forward_s = between(0.01, 0.5);
    job->compute.backward_s = between(0.01, 0.5);
    if (draw(4)) job->compute.update_s = between(0.001, 0.1);
    if (draw(2)) job->compute.batch = between(1.0, 64.0);
    if (draw(3) == 0) job->threshold = draw(4) ? between(0.05, 0.99) : -1.0;
    if (draw(3) == 0) job->machine.input_examples_per_s = between(2.0, 300.0);
    draw_links(c);
    draw_workers(c);
    if (c->allreduce) draw_collective(c);
    else if (model != SGDP_ASYNC_CYNTHIA && draw(3) == 0) {
        job->overlap.rule = (sgdp_overlap_rule)(1 + draw(2));
        job->switch_anew = draw(2) == 0;
    }
}

/* ---- What a job comes to ------------------------------------------------------- */

/* Transfers and update of one task alone. */
static void read_links(cluster *c)
{
    const sgdp_links *links = &c->job.links;
    const double B = links->bandwidth_bytes_per_s, A = links->worker_bandwidth_bytes_per_s;
    double cap = links->flow_cap_bytes_per_s, share = 1.0;
    if (c->job.servers.count > 0) share = 1.0 / c->job.servers.count;
    for (uint32_t i = 0; c->job.servers.shares && i < c->job.servers.count; i++)
        share = i == 0 ? c->share[0] : fmax(share, c->share[i]);
    if (c->allreduce) {
        share = 1.0;
        if (c->job.collective.rings > 1) cap *= c->job.collective.rings;
    }
    c->flows = cap > 0.0 ? fmax(1.0, B / cap) : 1.0;
    if (A > 0.0 || has_windows(c))
        c->flows = fmax(c->flows, (A > 0.0 ? B / A : 1.0) / share);
    const double once_s = c->job.model_bytes / B;
    const double up_s = (links->uplink_s > 0.0 ? links->uplink_s : once_s) * c->flows;
    const double down_s = (links->downlink_s > 0.0 ? links->downlink_s : once_s) * c->flows;
    c->update_s = c->job.compute.update_s;
    if (c->allreduce) { c->peer_s = fmax(up_s, down_s); return; }
    c->up_s = up_s * share;
    c->down_s = down_s * share;
    c->update_s = c->update_s * share + c->job.servers.message_s;
}

/* Equal workers are a type; 0 if the step that was measured leaves no compute. */
static int read_types(cluster *c)
{
    const sgdp_compute *compute = &c->job.compute;
    const double F = compute->forward_s, step_s = compute->one_worker_step_s;
    c->g = c->job.machine.gpus > 0 ? c->job.machine.gpus : 1;
    c->of_machine = step_s > 0.0 && c->g > 1;
    if (c->g > 1 && !c->of_machine)
        c->local_s = c->job.model_bytes / c->job.machine.local_bandwidth_bytes_per_s;
    memcpy(c->type, c->given, sizeof c->type);
    if (c->job.workers.types == 0) {
        c->types = 1;
        c->type[0] = (sgdp_worker_type){c->K, F, compute->backward_s, c->job.links.delay_s};
        if (step_s > 0.0) {
            const double rest_s = step_s - c->up_s - c->down_s - c->update_s
                                - (c->allreduce ? 0.0 : 2.0 * c->job.links.delay_s);
            if (rest_s < 0.0) return 0;
            c->type[0].forward_s = rest_s * F / (F + compute->backward_s);
            c->type[0].backward_s = rest_s - c->type[0].forward_s;
        }
    }
    c->fullest = 1;
    c->emptiest = c->g;
    for (size_t i = 0; i < c->types; i++) {
        const uint32_t count = c->type[i].count, rest = count % c->g;
        if (c->allreduce) c->type[i].delay_s = 0.0;
        c->n += count / c->g + (rest > 0);
        if (rest > 0 && rest < c->emptiest) c->emptiest = rest;
        if (count > c->fullest) c->fullest = count < c->g ? count : c->g;
    }
    return 1;
}

/* Growth and exposure of an all-reduce. */
static void read_stretch(cluster *c)
{
    const sgdp_overlap *overlap = &c->job.overlap;
    const double step_s = c->job.compute.one_worker_step_s;
    const double alone_s = c->job.compute.forward_s + c->job.compute.backward_s
                         + c->job.compute.update_s;
    double inside = c->job.machine.growth, among = c->job.machine.growth_between;
    const int own = c->model == SGDP_ALLREDUCE_CLUSTER;
    c->growth = 1.0;
    if (!c->allreduce) return;
    if (own && fabs(inside) <= 0.0) inside = 0.025;
    if (own && c->of_machine && fabs(among) <= 0.0) among = 0.01;
    const double most = c->g > 1 && c->g < 16 ? c->g : 16.0;
    if (inside > 0.0 && !c->of_machine) c->growth += inside * log2(fmin(c->K, most));
    if (among > 0.0 && c->g > 1) c->growth += among * log2(c->n);
    c->exposure = overlap->exposure;
    if (!own || overlap->rule != SGDP_OVERLAP_NONE || overlap->exponent > 0.0
        || fabs(overlap->exposure) > 0.0) return;
    c->exposure = 1.25;
    if (c->of_machine && fabs(step_s / alone_s - 1.0) > 1e-6)
        c->exposure = 0.5 + 8.0 * fmin(0.3, at_least_0(step_s / alone_s - 1.0));
}

static void read_exchange(cluster *c)
{
    const double B = c->job.links.bandwidth_bytes_per_s, S = c->job.collective.alltoall_bytes;
    const double b = c->job.machine.local_bandwidth_bytes_per_s;
    sgdp_machines on = {c->K, c->n, c->g, c->fullest, c->emptiest, c->peer_s, c->local_s,
                        c->job.links.latency_s, 0.0};
    sgdp_exchange full = {0};
    if (!c->allreduce) return;
    c->is_told = exchange(NULL, c->model, &on, &c->told);
    on.machines = 2;
    on.workers = 2 * c->g;
    on.fullest = on.emptiest = c->g;
    (void)exchange(NULL, c->model, &on, &full);
    c->told_full_s = full.local_s;
    if (!(S > 0.0)) return;
    on = (sgdp_machines){c->K, c->n, c->g, c->fullest, c->emptiest, S / B, 0.0,
                         c->job.links.latency_s, S / B * c->flows};
    if (b > 0.0 && !c->of_machine) on.local_transfer_s = S / b;
    (void)alltoall(NULL, c->model, &on, &c->alltoall);
    c->alltoall_link_s = S / B * fmax(1.0, c->flows / c->g);
}

static int read_cluster(cluster *c)
{
    read_links(c);
    if (!read_types(c)) return 0;
    c->ring = c->model == SGDP_ALLREDUCE_RING || c->model == SGDP_ALLREDUCE_CLUSTER;
    c->counted = c->K - c->job.workers.backup;
    c->batch = c->job.compute.batch > 0.0 ? c->job.compute.batch : 1.0;
    if (c->job.machine.input_examples_per_s > 0.0)
        c->input_s = c->batch / c->job.machine.input_examples_per_s;
    read_stretch(c);
    read_exchange(c);
    return 1;
}

/* ---- Parts of a step ------------------------------------------------------------- */

typedef struct parts { double up_s, down_s, local_s, exchange_s, apart_s; } parts;

/* All-reduce inside, then broadcast. */
static double inside_s(const cluster *c, uint32_t group)
{
    return group > 1 ? c->local_s * (2.0 * (group - 1.0) / group + 1.0) : 0.0;
}

/* Compute, times `factor`, that transfers leave exposed, and both delays. */
static double own_s(const cluster *c, const sgdp_worker_type *type, const parts *t, double factor)
{
    const double F = type->forward_s * factor, B = type->backward_s * factor;
    const double p = c->allreduce ? c->job.overlap.exponent : 0.0;
    const int overlaps = c->job.overlap.rule != SGDP_OVERLAP_NONE;
    const double E = t->local_s + t->exchange_s;
    if (p > 0.0) return (overlaps ? F : 0.0)
                      + pow(pow(overlaps ? B : F + B, p) + pow(E, p), 1.0 / p) - E;
    if (!overlaps) return F + B + 2.0 * type->delay_s;
    return at_least_0(F - t->down_s - type->delay_s) + 2.0 * type->delay_s
        + at_least_0(B - (c->allreduce ? E - t->apart_s : t->up_s + type->delay_s));
}

/* Scales an exchange by what is exposed of it beside that compute; all-to-alls are never hidden. */
static double expose(const cluster *c, double compute_s, parts *t)
{
    const double E = t->local_s + t->exchange_s - t->apart_s;
    double factor = 1.0;
    if (fabs(c->exposure) > 0.0) {
        factor = at_least_0(c->exposure);
        if (compute_s + factor * E < E) factor = (E - compute_s) / E;
    }
    t->local_s *= factor;
    t->exchange_s *= factor;
    *(c->n > 1 ? &t->exchange_s : &t->local_s) += t->apart_s * (fmax(1.0, c->exposure) - factor);
    return factor;
}

/* What windows add, up (0) and down (1): seconds, and the round trips that halvings cost. */
typedef struct late { double rounds[2], s[2]; } late;

/* A machine of `group` accelerators alone, with an exchange of among_s. */
static double alone_s(const cluster *c, const sgdp_worker_type *type, uint32_t group,
                      double among_s, const late *more)
{
    parts t = {c->up_s + more->s[0], c->down_s + more->s[1], 0.0, among_s, 0.0};
    t.local_s = c->is_told && group > 1 ? c->told_full_s : inside_s(c, group);
    const double compute_s = own_s(c, type, &t, 1.0);
    (void)expose(c, compute_s, &t);
    return compute_s + t.local_s + t.exchange_s + t.up_s + t.down_s + c->update_s;
}

/* ---- Windows of far workers (docs/models.md) ----------------------------------------- */

static int is_far(const cluster *c)
{
    for (size_t i = 0; i < c->types; i++)
        if (has_windows(c) && c->type[i].delay_s > 0.0) return 1;
    return 0;
}

/* A transfer takes its round trips, a quarter of one at least, or what its stream gets of a path
 * on which several meet. */
static double late_s(const cluster *c, int way, double delay_s, double rounds, double streams)
{
    const double sends_s = way ? c->down_s : c->up_s, R = 2.0 * delay_s;
    const double Q = c->job.links.port_buffer_bytes > 0.0 ? c->job.links.port_buffer_bytes : 5e5;
    const double path = R / (R + Q / c->job.links.bandwidth_bytes_per_s);
    double least_s = fmax(rounds, 0.25) * R;
    if (!(delay_s > 0.0)) return 0.0;
    if (streams > c->flows) least_s = fmax(least_s, sends_s / c->flows * streams / 0.7 * path);
    return at_least_0(least_s - sends_s);
}

/* Windows of new connections: 10 segments, doubled by each round trip. */
static late first_late(const cluster *c, double delay_s)
{
    late l = {{0.0, 0.0}, {0.0, 0.0}};
    for (int way = 0; way < 2 && has_windows(c) && delay_s > 0.0; way++) {
        const double bytes =
            (way ? c->down_s : c->up_s) / c->flows * c->job.links.bandwidth_bytes_per_s;
        l.rounds[way] = floor(log2(1.0 + bytes / 14480.0));
        l.s[way] = late_s(c, way, delay_s, l.rounds[way], 1.0);
    }
    return l;
}

/* After cycles of cycle_s: windows are halved by each timeout of 200 ms + R in which they idle. */
static double next_late(const cluster *c, double delay_s, double streams, double cycle_s,
                        const double *sends_s, late *l)
{
    double most = 0.0;
    for (int way = 0; way < 2; way++) {
        const double was_s = l->s[way], idle_s = at_least_0(cycle_s - sends_s[way] - was_s);
        l->rounds[way] = fmin(l->rounds[way], floor(idle_s / (2.0 * delay_s + 0.2)));
        l->s[way] = late_s(c, way, delay_s, l->rounds[way], way ? 1.0 : streams);
        most = fmax(most, fabs(l->s[way] - was_s) / cycle_s);
    }
    return most;
}

static late late_alone(const cluster *c, const sgdp_worker_type *type)
{
    const double sends_s[2] = { c->up_s, c->down_s };
    late l = first_late(c, type->delay_s);
    double change = has_windows(c) && type->delay_s > 0.0;
    while (change > 0.0)
        change = next_late(c, type->delay_s, 1.0, alone_s(c, type, 1, 0.0, &l), sends_s, &l);
    return l;
}

/* Scaling, which all models have alike. */
static void expect_scaling(const cluster *c, const sgdp_prediction *p)
{
    const late first = late_alone(c, &c->type[0]);
    const double one_s = fmax(c->input_s, alone_s(c, &c->type[0], 1, 0.0, &first));
    const double U = c->up_s / c->flows, D = c->down_s / c->flows;
    double growth_s = fmax(U, D), sum_s = 0.0;
    if (!c->job.servers.separate_updates) growth_s = fmax(growth_s, c->update_s);
    if (c->model >= SGDP_SYNC_PS) growth_s = D + c->job.servers.message_s;
    if (c->model == SGDP_SYNC_PS || c->model == SGDP_SYNC_STAGGERED) growth_s += U;
    if (c->model == SGDP_SYNC_AVERAGE) growth_s += 0.5 * U;
    if (c->allreduce) growth_s = c->ring ? 2.0 * c->job.links.latency_s : 0.0;
    if (c->is_told) growth_s = c->told.growth_s;
    growth_s = (growth_s + c->alltoall.growth_s) * fmax(1.0, c->exposure);
    for (size_t i = 0; i < c->types; i++) {
        const late l = late_alone(c, &c->type[i]);
        sum_s += c->type[i].count * fmax(c->input_s * c->g, alone_s(
            c, &c->type[i], c->g, 2.0 * c->peer_s + c->g * c->alltoall_link_s, &l));
    }
    CHECK_REL(p->examples_per_s, p->batches_per_s * c->batch, 1e-12);
    CHECK_REL(p->scaling.speedup, one_s / p->step_s * c->counted, 1e-9);
    CHECK_REL(p->scaling.efficiency, one_s / p->step_s * c->counted / c->K, 1e-9);
    if (growth_s > 0.0)
        CHECK_REL(p->scaling.saturation_workers, c->g * sum_s / c->K / growth_s, 1e-9);
    else CHECK(p->scaling.saturation_workers > DBL_MAX);
    for (size_t r = 0; r < SGDP_RESOURCE_COUNT; r++)
        if (r != SGDP_HOST || p->time.service_s[r] > 0.0)
            CHECK(p->utilization[p->bottleneck] >= p->utilization[r] * (1.0 - 2e-12));
    CHECK(p->workers == c->K);
}

static int is_near(double got, double want, double step_s)
{
    return fabs(got - want) <= 1e-8 * step_s;
}

/* All of the times and utilizations that are wanted; no resource has others. */
static void expect_parts(const sgdp_prediction *got, const sgdp_prediction *want)
{
    CHECK_REL(got->step_s, want->step_s, 1e-8);
    CHECK(is_near(got->time.barrier_s, want->time.barrier_s, want->step_s));
    for (size_t r = 0; r < SGDP_RESOURCE_COUNT; r++) {
        CHECK(is_near(got->time.service_s[r], want->time.service_s[r], want->step_s));
        CHECK(is_near(got->time.waiting_s[r], want->time.waiting_s[r], want->step_s));
        CHECK(is_near(got->utilization[r], want->utilization[r], 1.0));
    }
}

/* ---- Synchronous steps ------------------------------------------------------------ */

static double sync_exchange_s(const cluster *c)
{
    const double n = c->n;
    if (!c->allreduce) return 0.0;
    if (c->is_told) return c->told.link_s;
    if (c->ring) return 2.0 * (n - 1.0) * (c->peer_s / n + c->job.links.latency_s);
    return ceil(log2(n) - 1e-9) * (c->peer_s + c->job.links.latency_s);
}

static parts sync_parts(const cluster *c)
{
    const double crowd = fmax(1.0, c->n / c->flows);
    parts t = {c->up_s, c->down_s * crowd, inside_s(c, c->fullest), sync_exchange_s(c), 0.0};
    if (c->model == SGDP_SYNC_PS) t.up_s *= crowd;
    if (c->model == SGDP_SYNC_AVERAGE) t.up_s *= 0.5 * (crowd + 1.0);
    if (c->allreduce && c->n == 1) t.local_s = c->local_s * 2.0 * (c->K - 1.0) / c->K;
    if (c->is_told) t.local_s = c->told.local_s;
    t.local_s += c->alltoall.local_s;
    t.exchange_s += c->alltoall.link_s;
    if (!(c->job.overlap.exponent > 0.0)) t.apart_s = c->alltoall.local_s + c->alltoall.link_s;
    return t;
}

/* Own part of the worker for which all wait. */
static double slowest_s(const cluster *c, const parts *t)
{
    double most_s = 0.0, factor = 1.0, inside = 1.0;
    if (c->types == 1) {
        CHECK_STATUS(sgdp_kth_fastest(&c->job.compute.vary, c->K, c->counted, &factor), SGDP_OK);
        const uint32_t group = c->of_machine ? c->g < c->K ? c->g : c->K : 1;
        CHECK_STATUS(sgdp_slowest(&c->job.compute.vary, group, &inside), SGDP_OK);
    }
    for (size_t i = 0; i < c->types; i++)
        most_s = fmax(most_s, own_s(c, &c->type[i], t, c->growth * factor / inside));
    return most_s;
}

static double work[1 << 18];

/* Time of one of several jobs on the links, off which it is for off_s: tasks of a closed network
 * of a delay and a station that serves `flows` tasks at full speed. */
static double shared_s(const cluster *c, double off_s, double alone_s)
{
    const sgdp_network net = {.classes = 1, .stations = 1, .population = &c->job.collective.jobs,
                              .think_s = &off_s, .demand_s = &alone_s, .capacity = &c->flows};
    double on_s = 0.0;
    sgdp_mva_result out = {.response_s = &on_s};
    CHECK_STATUS(sgdp_mva_exact(&net, NULL, work, sizeof work, &out), SGDP_OK);
    return on_s;
}

/* The time on the links that agrees with the step which it makes. */
static void crowd(const cluster *c, double carried_s, parts *t)
{
    const double rest_s = t->exchange_s - carried_s;
    double low_s = carried_s, high_s = carried_s * c->job.collective.jobs;
    for (int halving = 0; halving < 60; halving++) {
        const double on_s = 0.5 * (low_s + high_s);
        parts exposed;
        t->exchange_s = rest_s + on_s;
        exposed = *t;
        const double compute_s = slowest_s(c, t);
        (void)expose(c, compute_s, &exposed);
        const double step_s = compute_s + exposed.local_s + exposed.exchange_s + c->update_s;
        if (shared_s(c, at_least_0(step_s - on_s), carried_s) > on_s) low_s = on_s;
        else high_s = on_s;
    }
}

static double carried_s(const cluster *c)
{
    const double n = c->n, rounds = c->ring ? 2.0 * (n - 1.0) / n : ceil(log2(n) - 1e-9);
    return (c->is_told ? c->told.carried_s : rounds * c->peer_s) + c->alltoall.carried_s;
}

static void expect_types(const cluster *c, const sgdp_prediction *p, const double *barrier_s)
{
    CHECK_REL(p->batches_per_s, c->counted / p->step_s, 1e-8);
    for (size_t i = 0; i < c->types; i++) {
        const double part = (double)c->type[i].count / c->K;
        CHECK_REL(p->types.batches_per_s[i], p->batches_per_s * part, 1e-8);
        CHECK(is_near(p->types.waiting_share[i], barrier_s[i] / p->step_s, 1.0));
    }
}

static void expect_sync(const cluster *c, const sgdp_prediction *p)
{
    const int many = c->job.collective.jobs > 1 && carried_s(c) > 0.0;
    const double held = fmax(1.0, c->exposure), K = c->K;
    parts at_first = sync_parts(c);
    const double exchange_s = at_first.exchange_s;
    if (many) crowd(c, carried_s(c), &at_first);
    const double compute_s = slowest_s(c, &at_first);
    const double messages_s = c->allreduce ? 0.0 : (c->n - 1.0) * c->job.servers.message_s;
    const double apart_s = c->n > 1 ? at_first.apart_s : 0.0;
    sgdp_prediction want = {0};
    double *service = want.time.service_s, *waits = want.time.waiting_s, *busy = want.utilization;
    double delay_s = 0.0, mean_s = 0.0, barrier_s[TYPES];
    parts t = at_first;
    const double factor = expose(c, compute_s, &t);
    for (size_t i = 0; i < c->types; i++) {
        const sgdp_worker_type *type = &c->type[i];
        const double part = type->count / K;
        barrier_s[i] = at_least_0(compute_s - own_s(c, type, &at_first, c->growth));
        want.time.barrier_s += part * barrier_s[i];
        delay_s += part * type->delay_s;
        mean_s += part * (type->forward_s + type->backward_s) * c->growth;
    }
    const double sent_s = compute_s + t.local_s + t.exchange_s + t.up_s + t.down_s + c->update_s;
    service[SGDP_HOST] = at_least_0(c->input_s * c->fullest - sent_s - messages_s);
    const double all_s = want.step_s = sent_s + messages_s + service[SGDP_HOST];
    service[SGDP_WORKER] = at_least_0(compute_s - want.time.barrier_s - 2.0 * delay_s);
    service[SGDP_UPLINK] = c->up_s + delay_s;
    service[SGDP_DOWNLINK] = c->down_s + delay_s;
    service[SGDP_SERVER] = c->update_s;
    service[SGDP_LINK] = exchange_s * factor + apart_s * (held - factor);
    service[SGDP_LOCAL] = t.local_s;
    waits[SGDP_LINK] = t.exchange_s - service[SGDP_LINK];
    waits[SGDP_UPLINK] = t.up_s - c->up_s;
    waits[SGDP_DOWNLINK] = t.down_s - c->down_s;
    waits[SGDP_SERVER] = messages_s;
    busy[SGDP_WORKER] = (c->counted < c->K ? fmin(mean_s, sent_s) : mean_s) / all_s;
    busy[SGDP_UPLINK] = c->up_s * c->n / c->flows / all_s;
    busy[SGDP_DOWNLINK] = c->down_s * c->n / c->flows / all_s;
    busy[SGDP_SERVER] = (c->update_s + messages_s) / all_s;
    busy[SGDP_LINK] = exchange_s * held / all_s;
    if (c->job.collective.jobs > 1)
        busy[SGDP_LINK] = c->job.collective.jobs * carried_s(c) / c->flows / all_s;
    busy[SGDP_LOCAL] = at_first.local_s * held / all_s;
    busy[SGDP_HOST] = fmin(1.0, c->input_s * c->fullest / all_s);
    expect_parts(p, &want);
    expect_types(c, p, barrier_s);
}

/* ---- Staggered steps -------------------------------------------------------------------- */

enum { FLOWS = 128 };

/* A flow, and its step: it receives (0), computes (1), sends (2), or has ended (3). */
typedef struct flow {
    size_t type;
    int    phase;
    double machines, workers, cap[2], factor, weight[2], left_s[2], rate;
    double begin_s, computed_s, end_s;
} flow;

typedef struct course {
    size_t n;
    flow   of[FLOWS];
    double step_s, download_s, compute_s, upload_s, wait_s[TYPES];
} course;

static void shuffle(uint32_t *order, size_t n, uint64_t seed, uint64_t what)
{
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        const size_t j = (size_t)(test_uniform(seed, what, i) * (double)i);
        const uint32_t held = order[i - 1];
        order[i - 1] = order[j];
        order[j] = held;
    }
}

/* Quantile of the factor on compute; of the normal distribution by [AS64, 26.2.23]. */
static double factor_at(const sgdp_variation *v, double p)
{
    const double t = sqrt(-2.0 * log(fmin(p, 1.0 - p)));
    const double w = log(1.0 + v->cv * v->cv);
    double z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t)
                 / (1.0 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
    if (p < 0.5) z = -z;
    if (v->samples > 0) return v->sample[(size_t)(p * (double)v->samples)] / mean_of(v);
    if (v->shape == SGDP_SHAPE_EXPONENTIAL) return 1.0 - v->cv - v->cv * log(1.0 - p);
    return v->shape == SGDP_SHAPE_LOGNORMAL ? exp(sqrt(w) * z - 0.5 * w)
                                            : at_least_0(1.0 + v->cv * z);
}

/* Types by their times; at most 64 machines are flows of their own. */
static void make_flows(const cluster *c, const late *l, course *s)
{
    size_t order[TYPES] = { 0, 1, 2 };
    s->n = 0;
    for (size_t i = 0; i < c->types; i++)
        for (size_t k = i; k > 0 && c->type[order[k]].forward_s < c->type[order[k - 1]].forward_s;
             k--) {
            const size_t held = order[k];
            order[k] = order[k - 1];
            order[k - 1] = held;
        }
    for (size_t i = 0; i < c->types; i++) {
        const uint32_t count = c->type[order[i]].count, machines = (count + c->g - 1) / c->g;
        const double flows = c->n > 64 ? ceil((double)machines / c->n * 64.0) : machines;
        const double *more = l[order[i]].s, cap = machines / flows / c->flows;
        for (double k = 0.0; k < flows; k += 1.0)
            s->of[s->n++] = (flow){.type = order[i], .machines = machines / flows,
                                   .workers = count / flows,
                                   .cap = {cap * c->down_s / (c->down_s + more[1]),
                                           cap * c->up_s / (c->up_s + more[0])}};
    }
}

/* Rank k, from the fastest, of all n pairings; or of the one that stands for all. */
static double rank_factor(const cluster *c, size_t n, size_t pairings, size_t k)
{
    const sgdp_variation *v = &c->job.compute.vary;
    double p = ((double)k + 0.5) / (double)(n * pairings), slowest = 1.0;
    if (!(cv_of(v) > 0.0)) return 1.0;
    if (n > 32) p = (((double)k + 0.5) * c->n / (double)n + 0.5 - 0.375) / (c->n + 0.25);
    if (n > 32 && k + 1 == n) {
        CHECK_STATUS(sgdp_slowest(v, c->K, &slowest), SGDP_OK);
        return slowest;
    }
    return factor_at(v, pow(p, 1.0 / c->g));
}

static void pair_flows(const cluster *c, course *s, size_t pairings, size_t pairing)
{
    static uint32_t all[2048], order[FLOWS];
    const size_t n = s->n;
    if (n > 32) shuffle(order, n, pairing, 2);
    else shuffle(all, n * pairings, 0, 2);
    for (size_t k = 0; k < n; k++) {
        const size_t i = n > 32 ? order[k] : k;
        s->of[i].factor = rank_factor(c, n, pairings, n > 32 ? k : all[pairing * n + k]);
    }
    for (int way = 0; way < 2; way++) {
        shuffle(order, n, pairing, (uint64_t)way);
        for (size_t k = 0; k < n; k++) {
            flow *f = &s->of[order[k]];
            const double u = ((double)k + 1.0) / ((double)n + 1.0);
            f->weight[way] = f->machines * exp(0.2 * sqrt(3.0) * (2.0 * u - 1.0));
            f->left_s[way] = (way ? c->up_s : c->down_s) / c->flows * f->machines;
            f->phase = 0;
        }
    }
}

/* Streams of a direction share what those of the other leave, by weight, up to their caps: the
 * level of all that are not at theirs is found by bisection. */
static void share_link(course *s, int phase)
{
    double ours = 0.0, theirs = 0.0, caps = 0.0, low = 0.0, high = 0.0;
    const int way = phase == 2;
    for (size_t i = 0; i < s->n; i++) {
        const flow *f = &s->of[i];
        if (f->phase == 2 - phase) theirs += f->machines;
        if (f->phase != phase) continue;
        ours += f->machines;
        caps += f->cap[way];
        high = fmax(high, f->cap[way] / f->weight[way]);
    }
    const double room = fmin(caps, ours < theirs ? sqrt(ours / theirs) : 1.0);
    for (int halving = 0; halving < 56; halving++) {
        const double level = 0.5 * (low + high);
        double sum = 0.0;
        for (size_t i = 0; i < s->n; i++) {
            const flow *f = &s->of[i];
            if (f->phase == phase) sum += fmin(f->cap[way], level * f->weight[way]);
        }
        if (sum < room) low = level;
        else high = level;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->of[i].phase == phase)
            s->of[i].rate = fmin(s->of[i].cap[way], high * s->of[i].weight[way]);
}

/* A download has ended: compute, and when the upload begins. */
static void compute(const cluster *c, course *s, flow *f, double now_s, double part)
{
    const double F = f->factor * c->type[f->type].forward_s;
    const double B = f->factor * c->type[f->type].backward_s;
    const double d = c->type[f->type].delay_s, there_s = now_s + d;
    const int overlaps = c->job.overlap.rule != SGDP_OVERLAP_NONE;
    const double ready_s = overlaps ? fmax(there_s, F) : there_s + F + B;
    f->begin_s = ready_s + d;
    f->computed_s = overlaps ? f->begin_s + B : 0.0;
    f->phase = 1;
    s->download_s += part * f->workers / c->K * there_s;
    s->compute_s += part * f->workers / c->K * (ready_s - there_s);
}

/* One step from event to event, which counts as that part of all. */
static void follow(const cluster *c, course *s, double part)
{
    double now_s = 0.0, step_s = 0.0;
    for (size_t ended = 0; ended < s->n;) {
        double next_s = HUGE_VAL;
        share_link(s, 0);
        share_link(s, 2);
        for (size_t i = 0; i < s->n; i++) {
            const flow *f = &s->of[i];
            if (f->phase == 1) next_s = fmin(next_s, f->begin_s);
            if (f->phase % 2 == 0)
                next_s = fmin(next_s, now_s + f->left_s[f->phase / 2] / f->rate);
        }
        for (size_t i = 0; i < s->n; i++) {
            flow *f = &s->of[i];
            if (f->phase == 1 && f->begin_s <= next_s) { f->phase = 2; continue; }
            if (f->phase % 2) continue;
            double *left_s = &f->left_s[f->phase / 2];
            *left_s -= f->rate * (next_s - now_s);
            if (*left_s > 1e-12 * f->rate * next_s) continue;
            if (f->phase == 0) { compute(c, s, f, next_s, part); continue; }
            f->phase = 3;
            f->end_s = fmax(next_s, f->computed_s);
            s->upload_s += part * f->workers / c->K
                         * (f->end_s - f->begin_s + c->type[f->type].delay_s);
            step_s = fmax(step_s, f->end_s);
            ended++;
        }
        now_s = next_s;
    }
    s->step_s += part * step_s;
    for (size_t i = 0; i < s->n; i++)
        s->wait_s[s->of[i].type] += part * s->of[i].workers / c->type[s->of[i].type].count
                                  * (step_s - s->of[i].end_s);
}

/* The mean of all pairings, with what windows add. */
static void follow_all(const cluster *c, const late *l, course *s)
{
    memset(s, 0, sizeof *s);
    make_flows(c, l, s);
    size_t pairings = s->n > 32 ? 4 : s->n > 8 ? 128 / s->n : 16;
    if (cv_of(&c->job.compute.vary) > 0.0 && s->n <= 32) pairings = 512 / s->n;
    for (size_t k = 0; k < pairings; k++) {
        pair_flows(c, s, pairings, k);
        follow(c, s, 1.0 / (double)pairings);
    }
}

/* Windows of all types after steps of step_s: behind a barrier all far machines send at once. */
static double set_windows(const cluster *c, double step_s, late *l)
{
    const double sends_s[2] = { c->up_s, c->down_s };
    double streams = 0.0, most = 0.0;
    for (size_t i = 0; i < c->types; i++)
        if (c->type[i].delay_s > 0.0) streams += (c->type[i].count + c->g - 1) / c->g;
    for (size_t i = 0; i < c->types; i++)
        most = fmax(most, next_late(c, c->type[i].delay_s, fmax(1.0, streams), step_s, sends_s,
                                    &l[i]));
    return most;
}

static void expect_staggered(const cluster *c, const sgdp_prediction *p)
{
    static course s;
    sgdp_prediction want = {0};
    double *service = want.time.service_s, *waits = want.time.waiting_s, *busy = want.utilization;
    const double messages_s = (c->n - 1.0) * c->job.servers.message_s;
    const double inside = inside_s(c, c->fullest);
    late next[TYPES], l[TYPES];
    double change = 1.0;
    for (size_t i = 0; i < c->types; i++) next[i] = first_late(c, c->type[i].delay_s);
    (void)set_windows(c, HUGE_VAL, next);
    while (change > 0.0) {
        memcpy(l, next, sizeof l);
        follow_all(c, l, &s);
        change = set_windows(c, s.step_s + inside + c->update_s, next);
    }
    const double sent_s = s.step_s + inside + c->update_s + messages_s;
    service[SGDP_HOST] = at_least_0(c->input_s * c->fullest - sent_s);
    const double all_s = want.step_s = sent_s + service[SGDP_HOST];
    service[SGDP_WORKER] = s.compute_s;
    service[SGDP_LOCAL] = inside;
    service[SGDP_UPLINK] = c->up_s;
    service[SGDP_DOWNLINK] = c->down_s;
    service[SGDP_SERVER] = c->update_s;
    for (size_t i = 0; i < c->types; i++) {
        const sgdp_worker_type *type = &c->type[i];
        const double part = type->count / (double)c->K;
        service[SGDP_UPLINK] += part * (type->delay_s + l[i].s[0]);
        service[SGDP_DOWNLINK] += part * (type->delay_s + l[i].s[1]);
        busy[SGDP_WORKER] += part / all_s * (type->forward_s + type->backward_s);
    }
    waits[SGDP_UPLINK] = at_least_0(s.upload_s - service[SGDP_UPLINK]);
    waits[SGDP_DOWNLINK] = at_least_0(s.download_s - service[SGDP_DOWNLINK]);
    waits[SGDP_SERVER] = messages_s;
    want.time.barrier_s = at_least_0(s.step_s - s.compute_s
                                     - fmax(s.upload_s, service[SGDP_UPLINK])
                                     - fmax(s.download_s, service[SGDP_DOWNLINK]));
    busy[SGDP_LOCAL] = inside / all_s;
    busy[SGDP_UPLINK] = c->up_s * c->n / c->flows / all_s;
    busy[SGDP_DOWNLINK] = c->down_s * c->n / c->flows / all_s;
    busy[SGDP_SERVER] = (c->update_s + messages_s) / all_s;
    busy[SGDP_HOST] = fmin(1.0, c->input_s * c->fullest / all_s);
    expect_parts(p, &want);
    expect_types(c, p, s.wait_s);
}

/* A machine whose windows lengthen its transfers; links are busy as long as they were. */
static void expect_far_alone(const cluster *c, const sgdp_prediction *p)
{
    const late l = late_alone(c, &c->type[0]);
    cluster longer = *c;
    sgdp_prediction alike = *p;
    longer.up_s += l.s[0];
    longer.down_s += l.s[1];
    CHECK(is_near(p->utilization[SGDP_UPLINK], c->up_s / c->flows / p->step_s, 1.0));
    CHECK(is_near(p->utilization[SGDP_DOWNLINK], c->down_s / c->flows / p->step_s, 1.0));
    alike.utilization[SGDP_UPLINK] = longer.up_s / c->flows / p->step_s;
    alike.utilization[SGDP_DOWNLINK] = longer.down_s / c->flows / p->step_s;
    expect_sync(&longer, &alike);
}

/* ---- Asynchronous networks ---------------------------------------------------------- */

typedef struct tasks {
    size_t classes, of_type[CLASSES];
    uint32_t count[CLASSES], group[CLASSES];
    double think_s[CLASSES], D[CLASSES * STATIONS], T[CLASSES * STATIONS], cycle_s[CLASSES];
    double cycles_per_s, batches_per_s;
    late   late[CLASSES];
} tasks;

/* 1 - exp(-8 s/D), s the deviation of a step alone over steps and workers. */
static double rhythm_lost(const cluster *c)
{
    const double longest_s = fmax(c->update_s, fmax(c->up_s, c->down_s)), K = c->K;
    const double cv = cv_of(&c->job.compute.vary);
    const late none = {{0.0, 0.0}, {0.0, 0.0}};
    double mean_s = 0.0, square = 0.0;
    if (c->model != SGDP_ASYNC_RHYTHM) return 0.0;
    for (size_t i = 0; i < c->types; i++)
        mean_s += c->type[i].count / K * alone_s(c, &c->type[i], c->g, 0.0, &none);
    for (size_t i = 0; i < c->types; i++) {
        const double varies_s = cv * (c->type[i].forward_s + c->type[i].backward_s);
        const double off_s = alone_s(c, &c->type[i], c->g, 0.0, &none) - mean_s;
        square += c->type[i].count / K * (varies_s * varies_s + off_s * off_s);
    }
    return 1.0 - exp(-8.0 * sqrt(square) / longest_s);
}

static void solve_as(const cluster *c, sgdp_model as, tasks *k)
{
    const double server = c->job.servers.separate_updates ? HUGE_VAL : 1.0;
    const double capacity[STATIONS] = { c->flows, server, c->flows };
    double threshold = c->job.threshold > 0.0 ? c->job.threshold : 0.8;
    if (c->job.threshold < 0.0) threshold = 0.0;
    const sgdp_mva_options options = {
        .gamma = sgdp_gamma_threshold, .gamma_ctx = &threshold, .rhythm_lost = rhythm_lost(c),
        .rhythm_spare = c->job.servers.count > 1 ? 0.0 : c->flows - 1.0};
    sgdp_discipline link = SGDP_PS, all[STATIONS];
    if (as == SGDP_ASYNC_FCFS) link = SGDP_FCFS;
    if (as == SGDP_ASYNC_HYBRID) link = SGDP_HYBRID;
    if (as == SGDP_ASYNC_INTERLEAVED || as == SGDP_ASYNC_RHYTHM) link = SGDP_INTERLEAVED;
    all[0] = all[2] = link;
    all[1] = link == SGDP_INTERLEAVED ? link : SGDP_PS;
    const sgdp_network net = {.classes = k->classes, .stations = STATIONS, .population = k->count,
                              .think_s = k->think_s, .demand_s = k->D, .capacity = capacity,
                              .discipline = all};
    sgdp_mva_result out = {.response_s = k->T};
    CHECK_STATUS(as == SGDP_ASYNC_EXACT
                     ? sgdp_mva_exact(&net, NULL, work, sizeof work, &out)
                     : sgdp_mva_hybrid_approx(&net, &options, work, sizeof work, &out), SGDP_OK);
    k->cycles_per_s = k->batches_per_s = 0.0;
    for (size_t i = 0; i < k->classes; i++) {
        const double *T = k->T + STATIONS * i;
        k->cycle_s[i] = fmax(k->think_s[i] + T[0] + T[1] + T[2], c->input_s * k->group[i]);
        k->cycles_per_s += k->count[i] / k->cycle_s[i];
        k->batches_per_s += k->count[i] / k->cycle_s[i] * k->group[i];
    }
}

/* Compute beside transfers of these times; at first they hide nothing. */
static void set_think(const cluster *c, tasks *k, int at_first)
{
    for (size_t i = 0; i < k->classes; i++) {
        const sgdp_worker_type *type = &c->type[k->of_type[i]];
        const double *T = k->T + STATIONS * i;
        sgdp_worker_type near = *type;
        const double *more = k->late[i].s;
        parts t = {T[0] + type->delay_s + more[0], T[2] + type->delay_s + more[1], 0.0, 0.0, 0.0};
        near.delay_s = 0.0;
        if (at_first) t.up_s = t.down_s = 0.0;
        if (!(c->up_s > 0.0)) t.up_s = 0.0;
        k->think_s[i] = own_s(c, &near, &t, 1.0) + inside_s(c, k->group[i]) + more[0] + more[1]
                      + 2.0 * type->delay_s;
    }
}

static sgdp_model solve_branch(const cluster *c, tasks *k)
{
    const double limit = c->job.threshold > 0.0 ? c->job.threshold
        : c->job.threshold < 0.0 ? 0.0 : 0.6;
    if (c->model != SGDP_ASYNC_SWITCH) { solve_as(c, c->model, k); return c->model; }
    solve_as(c, SGDP_ASYNC_FCFS, k);
    if (k->cycles_per_s * fmax(c->up_s, c->down_s) / c->flows <= limit) return SGDP_ASYNC_FCFS;
    solve_as(c, SGDP_ASYNC_EXACT, k);
    return SGDP_ASYNC_EXACT;
}

/* Solves the network, with overlap, for the present windows; returns the branch. */
static sgdp_model solve_windows(const cluster *c, tasks *k)
{
    double before = 0.0;
    set_think(c, k, 1);
    sgdp_model branch = solve_branch(c, k);
    if (c->job.overlap.rule == SGDP_OVERLAP_ONE_PASS) {
        set_think(c, k, 0);
        if (c->model == SGDP_ASYNC_SWITCH && c->job.switch_anew) branch = solve_branch(c, k);
        else solve_as(c, branch, k);
    }
    if (c->job.overlap.rule != SGDP_OVERLAP_FIXED_POINT) return branch;
    for (int turn = 0; turn < 1000 && fabs(k->batches_per_s - before) > 1e-13 * before; turn++) {
        before = k->batches_per_s;
        set_think(c, k, 0);
        solve_as(c, branch, k);
    }
    return branch;
}

/* Mean number of far workers that send at once, and two deviations more. */
static double streams_of(const cluster *c, const tasks *k)
{
    double far = 0.0, mean = 0.0, variance = 0.0;
    for (size_t i = 0; i < k->classes; i++) {
        const double part = fmin(1.0, (c->up_s + k->late[i].s[0]) / k->cycle_s[i]);
        if (!(c->type[k->of_type[i]].delay_s > 0.0)) continue;
        far += k->count[i];
        mean += k->count[i] * part;
        variance += k->count[i] * part * (1.0 - part);
    }
    return fmax(1.0, fmin(far, mean + 2.0 * sqrt(variance)));
}

/* Makes the tasks, and solves their network until windows change no more. */
static sgdp_model solve_tasks(const cluster *c, tasks *k)
{
    memset(k, 0, sizeof *k);
    for (size_t at = 0; at < 2 * c->types; at++) {
        const uint32_t count = c->type[at / 2].count, rest = count % c->g;
        const uint32_t machines = at % 2 ? rest > 0 : count / c->g;
        double *D = k->D + STATIONS * k->classes;
        if (machines == 0) continue;
        k->count[k->classes] = machines;
        k->group[k->classes] = at % 2 ? rest : c->g;
        k->late[k->classes] = first_late(c, c->type[at / 2].delay_s);
        k->of_type[k->classes++] = at / 2;
        D[0] = c->up_s;
        D[1] = c->update_s;
        D[2] = c->down_s;
    }
    sgdp_model branch = solve_windows(c, k);
    for (int turn = 0; turn < 100 && is_far(c); turn++) {
        const double streams = streams_of(c, k);
        double change = 0.0;
        for (size_t i = 0; i < k->classes; i++) {
            const double sends_s[2] = { k->T[STATIONS * i], k->T[STATIONS * i + 2] };
            change = fmax(change, next_late(c, c->type[k->of_type[i]].delay_s, streams,
                                            k->cycle_s[i], sends_s, &k->late[i]));
        }
        if (change < 1e-10) break;
        branch = solve_windows(c, k);
    }
    return branch;
}

static void expect_async(const cluster *c, const sgdp_prediction *p, const double *rate)
{
    tasks k;
    const sgdp_model branch = solve_tasks(c, &k);
    sgdp_prediction want = {.step_s = c->K / k.batches_per_s};
    double *service = want.time.service_s, *busy = want.utilization, of_type[TYPES] = { 0.0 };
    for (size_t i = 0; i < k.classes; i++) {
        const sgdp_worker_type *type = &c->type[k.of_type[i]];
        const double each = k.count[i] / k.cycle_s[i] * k.group[i], part = each / k.batches_per_s;
        const double inside = inside_s(c, k.group[i]), *T = k.T + STATIONS * i;
        const double *more = k.late[i].s;
        of_type[k.of_type[i]] += each;
        service[SGDP_WORKER] += part * at_least_0(k.think_s[i] - inside - more[0] - more[1]
                                                  - 2.0 * type->delay_s);
        service[SGDP_LOCAL] += part * inside;
        service[SGDP_HOST] += part * (k.cycle_s[i] - k.think_s[i] - T[0] - T[1] - T[2]);
        service[SGDP_UPLINK] += part * (type->delay_s + more[0] + c->up_s);
        service[SGDP_DOWNLINK] += part * (type->delay_s + more[1] + c->down_s);
        service[SGDP_SERVER] += part * c->update_s;
        want.time.waiting_s[SGDP_UPLINK] += part * (T[0] - c->up_s);
        want.time.waiting_s[SGDP_SERVER] += part * (T[1] - c->update_s);
        want.time.waiting_s[SGDP_DOWNLINK] += part * (T[2] - c->down_s);
        busy[SGDP_WORKER] += part * (type->forward_s + type->backward_s) / want.step_s;
        busy[SGDP_HOST] = fmax(busy[SGDP_HOST], c->input_s * k.group[i] / k.cycle_s[i]);
    }
    busy[SGDP_LOCAL] = service[SGDP_LOCAL] / want.step_s;
    busy[SGDP_UPLINK] = k.cycles_per_s * c->up_s / c->flows;
    busy[SGDP_DOWNLINK] = k.cycles_per_s * c->down_s / c->flows;
    busy[SGDP_SERVER] = k.cycles_per_s * c->update_s
        / (c->job.servers.separate_updates ? c->n : 1.0);
    CHECK(p->solution.branch == branch);
    expect_parts(p, &want);
    for (size_t i = 0; i < c->types; i++) CHECK_REL(rate[i], of_type[i], 1e-8);
}

/* Beyond full links compute is stretched. */
static void expect_cynthia(const cluster *c, const sgdp_prediction *p)
{
    const double U = c->up_s, D = c->down_s, delay_s = c->type[0].delay_s, K = c->K;
    const double C = c->type[0].forward_s + c->type[0].backward_s + c->update_s;
    const double more_s = C * at_least_0(K * (U + D) / c->flows / (C + U + D) - 1.0);
    sgdp_prediction want = {0};
    double *service = want.time.service_s, *busy = want.utilization;
    const double sent_s = C + U + D + 2.0 * delay_s + more_s;
    service[SGDP_HOST] = at_least_0(c->input_s - sent_s);
    const double all_s = want.step_s = sent_s + service[SGDP_HOST];
    service[SGDP_WORKER] = C - c->update_s;
    service[SGDP_SERVER] = c->update_s;
    service[SGDP_UPLINK] = U + delay_s;
    service[SGDP_DOWNLINK] = D + delay_s;
    want.time.waiting_s[SGDP_UPLINK] = more_s * U / (U + D);
    want.time.waiting_s[SGDP_DOWNLINK] = more_s * D / (U + D);
    busy[SGDP_WORKER] = service[SGDP_WORKER] / all_s;
    busy[SGDP_SERVER] = K * c->update_s / all_s;
    busy[SGDP_UPLINK] = K * U / c->flows / all_s;
    busy[SGDP_DOWNLINK] = K * D / c->flows / all_s;
    busy[SGDP_HOST] = fmin(1.0, c->input_s / all_s);
    expect_parts(p, &want);
}

TEST(predictions_are_their_formulas)
{
    size_t seen[SGDP_MODEL_COUNT] = { 0 };
    for (int trial = 0; trial < TEST_SIZE(4800, 48000) && test_failures == 0; trial++) {
        const sgdp_model model = (sgdp_model)(trial % SGDP_MODEL_COUNT);
        double rate[TYPES], share[TYPES];
        sgdp_prediction p = {.types = {rate, share}};
        cluster c;
        draw_cluster(&c, model);
        if (!read_cluster(&c)) continue;
        if (sgdp_predict(&c.job, model, c.K, work, sizeof work, &p) != SGDP_OK) continue;
        seen[model]++;
        if (c.allreduce && c.job.workers.types == 0) {
            sgdp_stretch stretch;
            CHECK_STATUS(sgdp_stretch_of(&c.job, model, c.K, &stretch), SGDP_OK);
            CHECK_REL(stretch.growth, c.growth, 1e-14);
            CHECK_REL(stretch.exposure, c.exposure, 1e-12);
        }
        if (model == SGDP_ASYNC_CYNTHIA) expect_cynthia(&c, &p);
        else if (model == SGDP_SYNC_STAGGERED && c.n > 1) expect_staggered(&c, &p);
        else if (model == SGDP_SYNC_STAGGERED && is_far(&c)) expect_far_alone(&c, &p);
        else if (model >= SGDP_SYNC_PS) expect_sync(&c, &p);
        else expect_async(&c, &p, rate);
        expect_scaling(&c, &p);
        if (test_failures > 0) fprintf(stderr, "    trial %d, %s\n", trial, sgdp_model_text(model));
    }
    for (size_t m = 0; m < SGDP_MODEL_COUNT; m++)
        CHECK(seen[m] > TEST_SIZE(200, 2000));
}

/* ---- Beside predictions --------------------------------------------------------------- */

static double operations(const sgdp_job *job, sgdp_model model, uint32_t workers)
{
    double found = 0.0;
    const sgdp_status status = sgdp_predict_operations(job, model, workers, &found);
    return status == SGDP_OK ? found : HUGE_VAL;
}

/* 100 operations a type, and those of a network as often as it is solved: once a branch, again
 * with an overlap, as if 98 times more up to its fixed point, and 20 times for windows. */
TEST(operations_are_those_of_all_solutions)
{
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(600, 6000); trial++) {
        const sgdp_model model = (sgdp_model)draw(SGDP_ASYNC_CYNTHIA);
        const double branches = model == SGDP_ASYNC_SWITCH ? 2.0 : 1.0;
        double times = branches;
        cluster c;
        draw_cluster(&c, model);
        sgdp_job plain = c.job;
        plain.overlap.rule = SGDP_OVERLAP_NONE;
        if (c.job.workers.types == 0) plain.links.delay_s = c.job.links.delay_s = 0.0;
        const size_t types = c.job.workers.types > 0 ? c.job.workers.types : 1;
        for (size_t i = 0; i < c.job.workers.types; i++) c.given[i].delay_s = 0.0;
        const double once = operations(&plain, model, c.K) - 100.0 * (double)types;
        if (c.job.overlap.rule == SGDP_OVERLAP_ONE_PASS)
            times = c.job.switch_anew ? 2.0 * branches : branches + 1.0;
        if (c.job.overlap.rule == SGDP_OVERLAP_FIXED_POINT) times = branches + 100.0;
        if (model == SGDP_ASYNC_RHYTHM && draw(2)) {
            times *= 20.0;
            if (c.job.workers.types == 0) c.job.links.delay_s = 0.01;
            else c.given[types - 1].delay_s = 0.01;
        }
        if (!(once < HUGE_VAL)) continue;
        CHECK(once > 0.0);
        CHECK_REL(operations(&c.job, model, c.K), 100.0 * (double)types + once / branches * times,
                  1e-12);
        seen++;
    }
    CHECK(seen > TEST_SIZE(400, 4000));
}

/* A step that was measured is the compute that it leaves, on other machines and with remedies. */
TEST(a_measured_step_is_the_compute_that_it_leaves)
{
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(1500, 15000); trial++) {
        const sgdp_model model = (sgdp_model)draw(SGDP_MODEL_COUNT);
        const double slower = between(0.3, 3.0), faster = between(0.3, 3.0);
        double gain[2][SGDP_REMEDY_COUNT];
        sgdp_prediction p = {0}, q = {0};
        sgdp_job moved;
        cluster c;
        draw_cluster(&c, model);
        if (!(c.job.compute.one_worker_step_s > 0.0) || !read_cluster(&c) || c.of_machine) continue;
        sgdp_job plain = c.job;
        plain.compute.one_worker_step_s = 0.0;
        plain.compute.forward_s = c.type[0].forward_s;
        plain.compute.backward_s = c.type[0].backward_s;
        CHECK_STATUS(sgdp_remedies(&c.job, model, c.K, work, sizeof work, gain[0]), SGDP_OK);
        CHECK_STATUS(sgdp_remedies(&plain, model, c.K, work, sizeof work, gain[1]), SGDP_OK);
        for (size_t i = 0; i < SGDP_REMEDY_COUNT; i++)
            CHECK(fabs(gain[0][i] - gain[1][i]) < 1e-8);
        CHECK_STATUS(sgdp_move_job(&c.job, model, slower, faster, &moved), SGDP_OK);
        plain.compute.forward_s *= slower;
        plain.compute.backward_s *= slower;
        plain.links.bandwidth_bytes_per_s *= faster;
        plain.links.worker_bandwidth_bytes_per_s *= faster;
        plain.links.uplink_s /= faster;
        plain.links.downlink_s /= faster;
        CHECK_STATUS(sgdp_predict(&moved, model, c.K, work, sizeof work, &p), SGDP_OK);
        CHECK_STATUS(sgdp_predict(&plain, model, c.K, work, sizeof work, &q), SGDP_OK);
        CHECK_REL(p.step_s, q.step_s, 1e-8);
        seen++;
    }
    CHECK(seen > TEST_SIZE(80, 800));
}

/* The fields of inputs, in the order of sgdp_input; a transfer is of bytes or of seconds. */
static double *input_of(sgdp_job *job, size_t input)
{
    sgdp_links *links = &job->links;
    double *const field[SGDP_INPUT_COUNT] = {
        &job->compute.forward_s, &job->compute.backward_s, &job->compute.update_s,
        &job->model_bytes, &links->bandwidth_bytes_per_s, &links->latency_s,
        &links->flow_cap_bytes_per_s, &job->machine.local_bandwidth_bytes_per_s,
        &job->overlap.exponent, &job->threshold, &job->servers.message_s, &job->overlap.exposure,
        &job->machine.growth, &job->machine.growth_between};
    return field[input];
}

/* Scales an input; both transfers in seconds if any is. Types have the scale of compute. */
static void scale_input(cluster *c, size_t input, double scale)
{
    sgdp_links *links = &c->job.links;
    if (input == SGDP_INPUT_TRANSFER && links->uplink_s + links->downlink_s > 0.0) {
        links->uplink_s *= scale;
        links->downlink_s *= scale;
        return;
    }
    *input_of(&c->job, input) *= scale;
    for (size_t i = 0; i < c->job.workers.types; i++) {
        if (input == SGDP_INPUT_FORWARD) c->given[i].forward_s *= scale;
        if (input == SGDP_INPUT_BACKWARD) c->given[i].backward_s *= scale;
    }
}

/* By differences of 1e-5 on both sides; those of a run are those of its job, of which each unknown
 * has the value given. */
TEST(elasticities_are_differences_of_predictions)
{
    static const sgdp_input unknown[3] = { SGDP_INPUT_UPDATE, SGDP_INPUT_BANDWIDTH,
                                           SGDP_INPUT_FORWARD };
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(400, 4000); trial++) {
        const sgdp_model model = (sgdp_model)draw(SGDP_MODEL_COUNT);
        static cluster c, varied;
        double e[SGDP_INPUT_COUNT], of_run[3], rate[2] = { 0.0, 0.0 };
        draw_cluster(&c, model);
        if (model == SGDP_ASYNC_SWITCH || model == SGDP_SYNC_STAGGERED) continue;
        if (sgdp_elasticity(&c.job, model, c.K, work, sizeof work, e) != SGDP_OK) continue;
        for (size_t i = 0; i < SGDP_INPUT_COUNT; i++) {
            const int of_types = c.job.workers.types > 0 && i <= SGDP_INPUT_BACKWARD;
            if (i == SGDP_INPUT_THRESHOLD || (!of_types && !(*input_of(&c.job, i) > 0.0))) {
                CHECK(!(fabs(e[i]) > 0.0));
                continue;
            }
            for (int side = 0; side < 2; side++) {
                sgdp_prediction p = {0};
                varied = c;
                if (c.job.workers.types > 0) varied.job.workers.type = varied.given;
                scale_input(&varied, i, side ? 1.0 + 1e-5 : 1.0 - 1e-5);
                CHECK_STATUS(sgdp_predict(&varied.job, model, c.K, work, sizeof work, &p), SGDP_OK);
                rate[side] = p.batches_per_s;
            }
            CHECK(fabs(e[i] - log(rate[1] / rate[0]) / log((1.0 + 1e-5) / (1.0 - 1e-5))) < 1e-7);
        }
        varied = c;
        for (size_t j = 0; j < 3; j++) scale_input(&varied, unknown[j], 1.5);
        const sgdp_measurement run = {&varied.job, c.K, 1.0};
        sgdp_runs runs = {.model = model, .run = &run, .n = 1, .unknown = unknown, .unknowns = 3};
        const double value[3] = { c.job.compute.update_s, c.job.links.bandwidth_bytes_per_s,
                                  c.job.compute.forward_s };
        seen++;
        if (c.job.workers.types > 0 || sgdp_runs_open(&runs, NULL) != SGDP_OK) continue;
        CHECK(sgdp_runs_elasticity(&runs, value, 0, work, of_run) == SGDP_OK);
        for (size_t j = 0; j < 3; j++) CHECK_REL(of_run[j], e[unknown[j]], 0.0);
    }
    CHECK(seen > TEST_SIZE(250, 2500));
}

/* Runs of which some share a job, with values in place of two of its inputs. */
TEST(rates_of_runs_are_those_of_their_jobs)
{
    enum { RUNS = 6 };
    static const sgdp_input unknown[2] = { SGDP_INPUT_UPDATE, SGDP_INPUT_BANDWIDTH };
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(300, 3000); trial++) {
        const sgdp_model model = (sgdp_model)draw(SGDP_MODEL_COUNT);
        const double value[2] = { draw(3) ? between(0.01, 0.1) : -1.0, between(5e8, 5e9) };
        static cluster c[RUNS];
        sgdp_measurement run[RUNS];
        double rate[RUNS];
        sgdp_runs runs = {.model = model, .run = run, .n = RUNS, .unknown = unknown, .unknowns = 2};
        if (model == SGDP_SYNC_STAGGERED) continue;
        for (size_t i = 0; i < RUNS; i++) {
            const size_t as = i > 0 && draw(3) ? i - 1 : i;
            draw_cluster(&c[i], model);
            run[i] = (sgdp_measurement){&c[i].job, c[i].K, 1.0};
            if (as < i && run[as].job->workers.types == 0 && run[as].job->workers.backup == 0)
                run[i].job = run[as].job;
        }
        if (sgdp_runs_open(&runs, NULL) != SGDP_OK || runs.work_bytes > sizeof work) continue;
        const size_t first = draw(RUNS), count = draw((uint32_t)(RUNS - first) + 1);
        if (sgdp_runs_predict(&runs, value, first, count, work, rate) != SGDP_OK) continue;
        for (size_t i = 0; i < count; i++) {
            sgdp_job job = *run[first + i].job;
            sgdp_prediction p = {0};
            if (value[0] >= 0.0) job.compute.update_s = value[0];
            job.links.bandwidth_bytes_per_s = value[1];
            CHECK_STATUS(sgdp_predict(&job, model, run[first + i].workers, work, sizeof work, &p),
                         SGDP_OK);
            CHECK_REL(rate[i], p.batches_per_s, 0.0);
        }
        seen++;
    }
    CHECK(seen > TEST_SIZE(150, 1500));
}

/* What several workers measured together: a step, of which transfers and update are no compute. */
TEST(a_measured_step_is_compute_transfers_and_update)
{
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(1000, 10000); trial++) {
        const sgdp_model model = (sgdp_model)draw(SGDP_MODEL_COUNT);
        double step_s = -1.0;
        sgdp_job out;
        cluster c;
        draw_cluster(&c, model);
        sgdp_job *job = &c.job;
        job->workers.types = 0;
        job->servers.message_s = 0.0;
        if (draw(2)) job->links.uplink_s = between(0.01, 0.2);
        if (draw(2)) job->model_bytes = 0.0;
        const double F = job->compute.forward_s, B = job->compute.backward_s;
        const double U = job->links.uplink_s, D = job->links.downlink_s;
        const double h = job->overlap.exposure, sent_s = c.allreduce ? fmax(U, D) : U + D;
        const int hides = job->overlap.rule != SGDP_OVERLAP_NONE || job->overlap.exponent > 0.0
            || (fabs(h) > 0.0 && h < 1.0);
        double all_s = job->compute.one_worker_step_s, left_s = F + B;
        const int known = all_s > 0.0 || (!hides && sent_s > 0.0);
        if (!(all_s > 0.0)) all_s = F + B + job->compute.update_s + sent_s;
        if (sent_s > 0.0) {
            left_s = all_s - job->compute.update_s - sent_s;
            if (hides) left_s = fmax(left_s, F + B);
        }
        CHECK_STATUS(sgdp_measured_step(job, model, &out, &step_s),
                     known && left_s >= 0.0 ? SGDP_OK : SGDP_BAD_ARGUMENT);
        if (!known || left_s < 0.0) continue;
        CHECK_REL(step_s, all_s, 1e-12);
        CHECK_REL(out.compute.forward_s, left_s * F / (F + B), 1e-9);
        CHECK_REL(out.compute.backward_s, left_s * B / (F + B), 1e-9);
        CHECK(!(out.compute.one_worker_step_s > 0.0));
        CHECK_REL(out.links.uplink_s, job->model_bytes > 0.0 ? 0.0 : U, 0.0);
        CHECK_REL(out.links.downlink_s, job->model_bytes > 0.0 ? 0.0 : D, 0.0);
        seen++;
    }
    CHECK(seen > TEST_SIZE(400, 4000));
}

TEST(a_knee_is_the_first_that_none_behind_exceeds)
{
    for (int trial = 0; trial < TEST_SIZE(2000, 20000); trial++) {
        const size_t n = 1 + draw(8);
        const double tolerance = draw(3) ? between(0.0, 0.6) : 0.0;
        double x[8];
        size_t want = 0, got = 0;
        for (size_t i = 0; i < n; i++) x[i] = 1.0 + draw(9) / 4.0;
        for (size_t w = 1; w <= n && want == 0; w++) {
            int exceeded = 0;
            for (size_t i = w; i < n; i++) exceeded |= x[i] > x[w - 1] * (1.0 + tolerance);
            if (!exceeded) want = w;
        }
        CHECK_STATUS(sgdp_knee(x, n, tolerance, &got), SGDP_OK);
        CHECK(got == want);
    }
}

/* Each time that is not 0 is raised by its half-width, and the changes of ln X add in squares. */
TEST(a_spread_is_that_of_each_time_raised)
{
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(600, 6000); trial++) {
        const sgdp_model model = (sgdp_model)draw(SGDP_MODEL_COUNT);
        double half_s[6], sum = 0.0, got = -1.0;
        cluster c;
        draw_cluster(&c, model);
        if (model == SGDP_SYNC_STAGGERED || model == SGDP_ASYNC_SWITCH) continue;
        for (int i = 0; i < 6; i++) half_s[i] = draw(3) ? between(1e-4, 0.02) : 0.0;
        const sgdp_uncertainty unsure = {half_s[0], half_s[1], half_s[2], half_s[3], half_s[4],
                                         half_s[5], draw(2) ? between(0.1, 2.0) : 0.0};
        const sgdp_profile profile = {&c.job, &unsure};
        const double part = unsure.part > 0.0 ? unsure.part : 1.0;
        sgdp_prediction p = {0}, q = {0};
        if (sgdp_predict(&c.job, model, c.K, work, sizeof work, &p) != SGDP_OK) continue;
        for (int i = 0; i < 6; i++) {
            sgdp_job job = c.job;
            double *const field[6] = {
                &job.compute.forward_s, &job.compute.backward_s, &job.compute.update_s,
                &job.links.uplink_s, &job.links.downlink_s, &job.compute.one_worker_step_s};
            if (i < 2 && (job.compute.one_worker_step_s > 0.0 || job.workers.types > 0)) continue;
            if (!(*field[i] > 0.0)) continue;
            *field[i] += part * half_s[i];
            CHECK_STATUS(sgdp_predict(&job, model, c.K, work, sizeof work, &q), SGDP_OK);
            sum += pow(log(q.batches_per_s / p.batches_per_s), 2.0);
        }
        CHECK_STATUS(sgdp_profile_spread(&profile, model, c.K, work, sizeof work, &got), SGDP_OK);
        CHECK(fabs(got - sqrt(sum)) < 1e-9);
        seen++;
    }
    CHECK(seen > TEST_SIZE(400, 4000));
}

/* A job whose transfers take a time given in seconds (`timed`), or have a size, or both. */
static sgdp_job *draw_run(cluster *c, int timed, int sized)
{
    sgdp_job *job = &c->job;
    draw_cluster(c, SGDP_SYNC_PS);
    job->overlap.rule = SGDP_OVERLAP_NONE;
    job->links.uplink_s = timed ? between(0.01, 0.2) : 0.0;
    job->links.downlink_s = timed ? between(0.01, 0.2) : 0.0;
    if (!sized) job->model_bytes = 0.0;
    return job;
}

/* Times from a thousandth of the shortest gap between mini-batches to twice the longest step,
 * times the servers that divide it; bytes and bandwidths that take such a time. */
TEST(ranges_of_inputs_are_those_of_the_runs)
{
    enum { UNKNOWNS = 6, RUNS = 3 };
    size_t seen = 0;
    for (int trial = 0; trial < TEST_SIZE(600, 6000); trial++) {
        const int last = (int)draw(2);
        const sgdp_input unknown[UNKNOWNS] = {
            SGDP_INPUT_FORWARD, SGDP_INPUT_TRANSFER, SGDP_INPUT_BANDWIDTH, SGDP_INPUT_LATENCY,
            SGDP_INPUT_GROWTH, last ? SGDP_INPUT_OVERLAP : SGDP_INPUT_EXPOSURE};
        static cluster c[RUNS];
        sgdp_measurement run[RUNS];
        sgdp_range range[UNKNOWNS];
        const size_t n = 1 + draw(RUNS);
        const int timed = (int)draw(2), sized = !timed || draw(2);
        double short_s = HUGE_VAL, long_s = 0.0, small = HUGE_VAL, large = 0.0;
        double slow = HUGE_VAL, fast = 0.0;
        for (size_t i = 0; i < n; i++) {
            const sgdp_job *job = draw_run(&c[i], timed, sized);
            const double each = between(0.1, 10.0), B = job->links.bandwidth_bytes_per_s;
            run[i] = (sgdp_measurement){job, c[i].K, each};
            const double bytes = sized ? job->model_bytes
                : fmax(job->links.uplink_s, job->links.downlink_s) * B;
            const double servers = job->servers.count > 0 ? job->servers.count : 1.0;
            short_s = fmin(short_s, 1e-3 / each);
            long_s = fmax(long_s, 2.0 * servers * c[i].K / each);
            small = fmin(small, bytes);
            large = fmax(large, bytes);
            slow = fmin(slow, B);
            fast = fmax(fast, B);
        }
        sgdp_runs runs = {.model = SGDP_SYNC_PS, .run = run, .n = n, .unknown = unknown,
                          .unknowns = UNKNOWNS};
        if (sgdp_runs_open(&runs, range) != SGDP_OK) continue;
        const double of_bytes[2] = { timed ? 1.0 : slow, timed ? 1.0 : fast };
        const sgdp_range want[UNKNOWNS] = {
            {0.0, short_s, long_s},
            {1e-6 * short_s * of_bytes[0], short_s * of_bytes[0], long_s * of_bytes[1]},
            {1e-6 * short_s / large, short_s / large, long_s / small}, {0.0, short_s, long_s},
            {1e-9, 1e-3, 100.0}, {last ? 0.02 : 0.0, last ? 0.02 : 1e-3, last ? 1.0 : 100.0}};
        for (size_t j = 0; j < UNKNOWNS; j++) {
            CHECK_REL(range[j].least, want[j].least, 1e-12);
            CHECK_REL(range[j].low, want[j].low, 1e-12);
            CHECK_REL(range[j].high, want[j].high, 1e-12);
        }
        seen++;
    }
    CHECK(seen > TEST_SIZE(400, 4000));
}

TEST_MAIN("test_predictions");
