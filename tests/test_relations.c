/* test_relations.c - what must hold between answers, over random jobs of all models and
 * options: each draw is a job and one relation of the table below.
 *
 *     test_relations [draws [seed]]      2,000 draws, 20,000 at full size; seed 1
 *
 * RELATIONS_SEED names another seed. The seed is printed, and with each failure the draw. */
#define _XOPEN_SOURCE 700              /* fork, mkdtemp */

#include "../sgdperf.h"
#include "../sgdperf_sched.h"
#include "../sgdperf_sim.h"
#include "child.h"
#include "command.h"
#include "exchange.h"
#include "files/bands.h"
#include "test.h"

#include <float.h>
#include <math.h>

/* ---- Draws ----------------------------------------------------------------- */

typedef struct draw {
    uint64_t         seed, number, rolled;
    sgdp_job         job;
    sgdp_worker_type type[4];
    double           share[4];
    sgdp_model       model;
    uint32_t         workers;
    sgdp_prediction  p;                /* of the job, with types_per_s              */
    double           types_per_s[4];
} draw;

static double unit(draw *d) { return test_uniform(d->seed, d->number, d->rolled++); }
static size_t below(draw *d, size_t n) { return (size_t)(unit(d) * (double)n); }
static int chance(draw *d, double p) { return unit(d) < p; }

/* From low to high, by its logarithm. */
static double between(draw *d, double low, double high)
{
    return low * exp(unit(d) * log(high / low));
}

static int is_allreduce(sgdp_model m) { return m >= SGDP_ALLREDUCE_RING; }
static int is_sync(sgdp_model m) { return m >= SGDP_SYNC_PS && m < SGDP_ALLREDUCE_RING; }
static int has_windows(sgdp_model m) { return m == SGDP_ASYNC_RHYTHM || m == SGDP_SYNC_STAGGERED; }

static int is_network(sgdp_model m)
{
    return !is_sync(m) && !is_allreduce(m) && m != SGDP_ASYNC_CYNTHIA;
}

static void draw_types(draw *d)
{
    sgdp_workers *workers = &d->job.workers;
    size_t i;
    workers->types = 1 + below(d, 4);
    workers->type = d->type;
    d->workers = 0;
    for (i = 0; i < workers->types; i++) {
        d->type[i].count = 1 + (uint32_t)below(d, 4);
        d->type[i].forward_s = between(d, 1e-3, 1.0);
        d->type[i].backward_s = between(d, 1e-3, 1.0);
        d->type[i].delay_s = chance(d, 0.8) || is_allreduce(d->model) ? 0.0
                                                                      : between(d, 1e-4, 0.1);
        d->workers += d->type[i].count;
    }
}

static void draw_servers(draw *d)
{
    sgdp_servers *servers = &d->job.servers;
    double sum = 0.0;
    size_t i;
    servers->count = 1 + (uint32_t)below(d, 4);
    servers->separate_updates = chance(d, 0.2);
    if (chance(d, 0.2)) servers->message_s = between(d, 1e-4, 1e-2);
    if (chance(d, 0.5)) return;
    for (i = 0; i < servers->count; i++) sum += d->share[i] = 0.01 + unit(d);
    for (i = 0; i < servers->count; i++) d->share[i] /= sum;
    servers->shares = d->share;
}

static void draw_exchange(draw *d)
{
    sgdp_job *job = &d->job;
    if (chance(d, 0.3)) job->links.latency_s = between(d, 1e-6, 1e-3);
    if (chance(d, 0.2)) job->collective.jobs = 1 + (uint32_t)below(d, 4);
    if (chance(d, 0.3)) job->machine.growth = between(d, 1e-3, 0.3);
    if (chance(d, 0.3)) job->machine.growth_between = between(d, 1e-3, 0.3);
    if (chance(d, 0.2)) job->overlap.exponent = 1.0 + 3.0 * unit(d);
    else if (chance(d, 0.3)) job->overlap.exposure = 2.0 * unit(d) + 1e-3;
    job->collective.alltoall = alltoall_of;
    if (chance(d, 0.3)) job->collective.alltoall_bytes = between(d, 1e5, 1e8);
}

static void draw_job(draw *d)
{
    sgdp_job *job = &d->job;
    d->model = (sgdp_model)below(d, SGDP_MODEL_COUNT);
    d->workers = 1 + (uint32_t)below(d, 12);
    job->model_bytes = between(d, 1e5, 1e8);
    job->compute.forward_s = between(d, 1e-3, 1.0);
    job->compute.backward_s = between(d, 1e-3, 1.0);
    job->compute.update_s = chance(d, 0.2) ? 0.0 : between(d, 1e-4, 0.1);
    job->links.bandwidth_bytes_per_s = between(d, 1e7, 1e10);
    job->collective.exchange = exchange_of;
    if (chance(d, 0.3)) job->compute.batch = between(d, 0.1, 512.0);
    if (chance(d, 0.2)) job->links.flow_cap_bytes_per_s = between(d, 1e7, 1e10);
    if (chance(d, 0.2)) job->machine.input_examples_per_s = between(d, 10.0, 1e4);
    if (is_allreduce(d->model)) draw_exchange(d);
    else draw_servers(d);
    if (d->model == SGDP_ASYNC_CYNTHIA) return;
    if (chance(d, 0.3)) {
        job->machine.gpus = 1 + (uint32_t)below(d, 8);
        job->machine.local_bandwidth_bytes_per_s = between(d, 1e9, 1e11);
    }
    if (!(job->overlap.exponent > 0.0) && !(job->overlap.exposure > 0.0) && chance(d, 0.4))
        job->overlap.rule = (sgdp_overlap_rule)(1 + below(d, 2));
    if (chance(d, 0.3)) job->compute.vary.cv = between(d, 1e-3, 0.5);
    job->compute.vary.shape = (sgdp_shape)below(d, SGDP_SHAPE_COUNT);
    if (chance(d, 0.3)) job->links.worker_bandwidth_bytes_per_s = between(d, 1e7, 1e10);
    if (chance(d, 0.2) && !is_allreduce(d->model)) job->links.delay_s = between(d, 1e-4, 0.1);
    if (chance(d, 0.3)) draw_types(d);
}

/* ---- Answers --------------------------------------------------------------- */

static char answer_work[1 << 23];

/* Does it predict with these fields of the job? Else the relation says nothing. */
static int answer(const sgdp_job *job, sgdp_model model, uint32_t workers, double *types_per_s,
                  sgdp_prediction *p)
{
    memset(p, 0, sizeof *p);
    p->types.batches_per_s = types_per_s;
    return sgdp_predict(job, model, workers, answer_work, sizeof answer_work, p) == SGDP_OK;
}

static int step_of(const draw *d, const sgdp_job *job, double *step_s)
{
    sgdp_prediction p;
    const int answers = answer(job, d->model, d->workers, NULL, &p);
    *step_s = p.step_s;
    return answers;
}

/* How near equal problems are solved: a fixed point ends within 1e-12 of a step each. */
static double near_of(const draw *d)
{
    return is_network(d->model) || has_windows(d->model) ? 1e-7 : 1e-11;
}

/* The same step of another way to say the job. */
static void same_step(const draw *d, const sgdp_job *job)
{
    double step_s;
    CHECK(step_of(d, job, &step_s));
    CHECK_REL(step_s, d->p.step_s, near_of(d));
}

static int is_far(const draw *d)
{
    double delay_s = d->job.links.delay_s;
    size_t i;
    for (i = 0; i < d->job.workers.types; i++) delay_s = fmax(delay_s, d->type[i].delay_s);
    return has_windows(d->model) && delay_s > 0.0;
}

/* ---- Relations ------------------------------------------------------------- */

/* Each answers 0 if it says nothing of this draw. */

static int times_scale(draw *d)
{
    sgdp_job job = d->job;
    sgdp_worker_type type[4];
    sgdp_prediction p;
    size_t i;
    if (is_far(d)) return 0;           /* a timeout of TCP is in seconds              */
    for (i = 0; i < 4; i++) {
        type[i] = d->type[i];
        type[i].forward_s *= 8.0;
        type[i].backward_s *= 8.0;
        type[i].delay_s *= 8.0;
    }
    job.workers.type = type;
    job.compute.forward_s *= 8.0;
    job.compute.backward_s *= 8.0;
    job.compute.update_s *= 8.0;
    job.links.bandwidth_bytes_per_s /= 8.0;
    job.links.worker_bandwidth_bytes_per_s /= 8.0;
    job.links.flow_cap_bytes_per_s /= 8.0;
    job.links.delay_s *= 8.0;
    job.links.latency_s *= 8.0;
    job.machine.local_bandwidth_bytes_per_s /= 8.0;
    job.machine.input_examples_per_s /= 8.0;
    job.servers.message_s *= 8.0;
    CHECK(answer(&job, d->model, d->workers, NULL, &p));
    CHECK_REL(p.step_s, 8.0 * d->p.step_s, near_of(d));
    CHECK_REL(p.scaling.speedup, d->p.scaling.speedup, near_of(d));
    CHECK(p.bottleneck == d->p.bottleneck);
    return 1;
}

static int bytes_scale(draw *d)
{
    sgdp_job job = d->job;
    if (is_far(d)) return 0;           /* a window of TCP is in bytes                 */
    job.model_bytes *= 8.0;
    job.collective.alltoall_bytes *= 8.0;
    job.links.bandwidth_bytes_per_s *= 8.0;
    job.links.worker_bandwidth_bytes_per_s *= 8.0;
    job.links.flow_cap_bytes_per_s *= 8.0;
    job.machine.local_bandwidth_bytes_per_s *= 8.0;
    same_step(d, &job);
    return 1;
}

/* Types in the opposite order. */
static int types_permute(draw *d)
{
    const size_t n = d->job.workers.types;
    sgdp_job job = d->job;
    sgdp_worker_type type[4];
    sgdp_prediction p;
    double per_s[4];
    size_t i;
    if (n < 2) return 0;
    for (i = 0; i < n; i++) type[i] = d->type[n - 1 - i];
    job.workers.type = type;
    if (!answer(&job, d->model, d->workers, per_s, &p)) return 0;
    CHECK_REL(p.step_s, d->p.step_s, near_of(d));
    for (i = 0; i < n; i++) CHECK_REL(per_s[i], d->types_per_s[n - 1 - i], near_of(d));
    return 1;
}

/* Two types that are alike are one. Machines hold workers of one type. */
static int types_split(draw *d)
{
    const size_t n = d->job.workers.types;
    sgdp_job job = d->job;
    sgdp_worker_type type[5];
    if (n == 0 || d->type[0].count < 2 || job.machine.gpus > 1) return 0;
    memcpy(type, d->type, n * sizeof *type);
    type[n] = type[0];
    type[n].count = 1;
    type[0].count -= 1;
    job.workers.type = type;
    job.workers.types = n + 1;
    same_step(d, &job);
    return 1;
}

/* Equal workers are one type. */
static int types_of_one(draw *d)
{
    sgdp_job job = d->job;
    sgdp_worker_type type = {0, 0.0, 0.0, 0.0};
    if (d->job.workers.types > 0 || d->model == SGDP_ASYNC_CYNTHIA) return 0;
    type.count = d->workers;
    type.forward_s = job.compute.forward_s;
    type.backward_s = job.compute.backward_s;
    type.delay_s = is_allreduce(d->model) ? 0.0 : job.links.delay_s;
    job.workers.types = 1;
    job.workers.type = &type;
    same_step(d, &job);
    return 1;
}

/* Whatever the header calls a default may be said. */
static int defaults_named(draw *d)
{
    static const double whole = 1.0;
    sgdp_job job = d->job;
    const double B = job.links.bandwidth_bytes_per_s;
    if (job.servers.count == 0) job.servers.count = 1;
    if (job.servers.count == 1) job.servers.shares = &whole;
    if (job.machine.gpus == 0) job.machine.gpus = 1;
    if (job.collective.jobs == 0) job.collective.jobs = 1;
    if (job.collective.rings == 0) job.collective.rings = 1;
    if (has_windows(d->model) && !(job.links.worker_bandwidth_bytes_per_s > 0.0))
        job.links.worker_bandwidth_bytes_per_s = B;
    job.links.port_buffer_bytes = 500e3;
    job.links.uplink_s = job.links.downlink_s = job.model_bytes / B;
    if (is_network(d->model)) job.threshold = d->model == SGDP_ASYNC_HYBRID ? 0.8 : 0.6;
    if (d->model == SGDP_ALLREDUCE_CLUSTER && !(job.machine.growth > 0.0))
        job.machine.growth = 0.025;
    same_step(d, &job);
    return 1;
}

/* One worker has the speedup 1, and the step of the profile if nothing overlaps. */
static int one_worker(draw *d)
{
    sgdp_job job = d->job;
    sgdp_prediction p;
    job.workers.types = 0;
    job.collective.jobs = 0;
    if (!answer(&job, d->model, 1, NULL, &p)) return 0;
    CHECK_REL(p.scaling.speedup, 1.0, 1e-9);
    CHECK_REL(p.scaling.efficiency, 1.0, 1e-9);
    return 1;
}

/* A measured step that is that of one worker predicts what its parts predict. */
static int step_measured(draw *d)
{
    sgdp_job job = d->job;
    sgdp_prediction p;
    double step_s;
    job.workers.types = 0;
    job.machine.gpus = 0;
    job.overlap.rule = SGDP_OVERLAP_NONE;
    job.machine.input_examples_per_s = 0.0;
    job.collective.jobs = 0;
    if (!is_allreduce(d->model) || d->model == SGDP_ALLREDUCE_CLUSTER) return 0;
    if (!step_of(d, &job, &step_s)) return 0;
    if (!answer(&job, d->model, 1, NULL, &p)) return 0;
    job.compute.one_worker_step_s = p.step_s;
    if (!answer(&job, d->model, d->workers, NULL, &p)) return 0;
    CHECK_REL(p.step_s, step_s, 1e-9);
    return 1;
}

/* Services, waiting and the barrier add up to the step; rates are those of the step. */
static int parts_add_up(draw *d)
{
    const sgdp_prediction *p = &d->p;
    double sum_s = p->time.barrier_s, per_s = 0.0;
    size_t i;
    for (i = 0; i < SGDP_RESOURCE_COUNT; i++) {
        CHECK(p->time.service_s[i] >= 0.0 && p->time.waiting_s[i] >= 0.0);
        CHECK(p->utilization[i] >= 0.0);
        sum_s += p->time.service_s[i] + p->time.waiting_s[i];
    }
    CHECK_REL(sum_s, p->step_s, 1e-6);
    CHECK_REL(p->batches_per_s * p->step_s, d->workers, 1e-9);
    CHECK_REL(p->examples_per_s,
              p->batches_per_s * (d->job.compute.batch > 0.0 ? d->job.compute.batch : 1.0), 1e-12);
    for (i = 0; i < d->job.workers.types; i++) per_s += d->types_per_s[i];
    if (d->job.workers.types > 0) CHECK_REL(per_s, p->batches_per_s, 1e-9);
    return 1;
}

/* The parts of the step at the barrier: their mean over all workers is that of the job. */
static int barrier_is_shared(draw *d)
{
    const sgdp_model model = is_sync(d->model) ? d->model : SGDP_SYNC_PS;
    double share[4], sum = 0.0;
    sgdp_prediction p = {0};
    size_t i;
    p.types.waiting_share = share;
    draw_types(d);
    if (chance(d, 0.5)) d->job.servers.message_s = between(d, 1e-3, 0.1);
    if (sgdp_predict(&d->job, model, d->workers, answer_work, sizeof answer_work, &p) != SGDP_OK)
        return 0;
    for (i = 0; i < d->job.workers.types; i++) {
        CHECK(share[i] >= 0.0 && share[i] <= 1.0);
        sum += share[i] * d->type[i].count / d->workers;
    }
    CHECK(fabs(sum - p.time.barrier_s / p.step_s) <= 1e-6);
    return 1;
}

/* Alone on its links a worker or an exact network does no more than a resource can. */
static int resources_are_bounds(draw *d)
{
    size_t i;
    if (d->model != SGDP_ASYNC_EXACT && d->model != SGDP_SYNC_PS && !is_allreduce(d->model))
        return 0;
    for (i = 0; i < SGDP_RESOURCE_COUNT; i++) CHECK(d->p.utilization[i] <= 1.0 + 1e-9);
    CHECK(d->p.scaling.speedup >= 0.0);
    return 1;
}

/* low <= value <= high: a cap leaves the prediction within its band. */
static int band_holds(draw *d)
{
    const double spread = chance(d, 0.5) ? 0.0 : 0.3 * unit(d);
    const band_point at = {&d->job, d->p.workers, d->p.batches_per_s, is_allreduce(d->model),
                           spread};
    const band_class of = is_allreduce(d->model) ? band_of_links(&d->job, d->p.workers, NULL)
                        : d->job.servers.count > 1 ? BAND_SERVERS : BAND_MEASURED;
    const band shipped = band_shipped(of), b = band_around(shipped, of, &at);
    CHECK(b.low >= 0.0 && b.low < 1.0 && b.high >= 0.0);
    CHECK(b.low >= spread && b.high <= hypot(shipped.high, spread) * (1.0 + 1e-15));
    return 1;
}

/* A point of a curve is the point alone, to the last bit. */
static int curve_is_points(draw *d)
{
    uint32_t workers[3] = {1, 1, 1};
    sgdp_prediction out[3], p;
    sgdp_curve curve = {workers, 3, out, NULL};
    size_t i;
    if (d->job.workers.types > 0) return 0;
    memset(out, 0, sizeof out);
    workers[1] = 1 + d->workers / 2;
    workers[2] = d->workers;
    if (sgdp_predict_curve(&d->job, d->model, &curve, answer_work, sizeof answer_work) != SGDP_OK)
        return 0;
    for (i = 0; i < 3; i++) {
        if (!answer(&d->job, d->model, workers[i], NULL, &p)) return 0;
        CHECK_REL(out[i].step_s, p.step_s, 0.0);
        CHECK_REL(out[i].scaling.speedup, p.scaling.speedup, 0.0);
        CHECK(out[i].bottleneck == p.bottleneck);
    }
    return 1;
}

/* More of a resource never makes a step longer. docs/models.md names the models that break
 * this. */
static int more_is_no_less(draw *d)
{
    sgdp_job job = d->job;
    double step_s;
    if (d->model != SGDP_ASYNC_EXACT && !is_sync(d->model) && !is_allreduce(d->model)) return 0;
    if (d->model == SGDP_SYNC_STAGGERED) return 0;
    switch (below(d, 5)) {
    case 0: job.links.bandwidth_bytes_per_s *= 1.5; break;
    case 1: job.compute.update_s *= 0.5; break;
    case 2: job.machine.local_bandwidth_bytes_per_s *= 2.0; break;
    case 3: job.machine.input_examples_per_s *= 2.0; break;
    default: job.links.latency_s *= 0.5; break;
    }
    if (job.links.worker_bandwidth_bytes_per_s > 0.0 || job.links.flow_cap_bytes_per_s > 0.0)
        return 0;                      /* they stand for parts of the bandwidth       */
    if (!step_of(d, &job, &step_s)) return 0;
    CHECK(step_s <= d->p.step_s * (1.0 + 1e-7));
    return 1;
}

/* A delay, latency, message and growth of next to nothing changes next to nothing. */
static int nothing_is_little(draw *d)
{
    sgdp_job job = d->job;
    double step_s;
    if (is_far(d)) return 0;
    if (!(job.links.latency_s > 0.0)) job.links.latency_s = 1e-15;
    if (!(job.servers.message_s > 0.0)) job.servers.message_s = 1e-15;
    if (!is_allreduce(d->model) && !(job.links.delay_s > 0.0) && !has_windows(d->model))
        job.links.delay_s = 1e-15;
    if (!step_of(d, &job, &step_s)) return 0;
    CHECK_REL(step_s, d->p.step_s, 1e-6);
    return 1;
}

/* ---- Relations to slopes and remedies ---------------------------------------- */

/* Half of all times and twice all bandwidths are twice the throughput, and twice the bytes at
 * twice the bandwidths are the same: so slopes add up. */
static int slopes_add_up(draw *d)
{
    const sgdp_links *links = &d->job.links;
    double slope[SGDP_INPUT_COUNT], rates;
    size_t i;
    if (is_far(d) || d->job.machine.input_examples_per_s > 0.0) return 0;
    if (d->job.collective.alltoall_bytes > 0.0) return 0; /* bytes that no slope is of  */
    if (links->delay_s > 0.0 || links->worker_bandwidth_bytes_per_s > 0.0) return 0;
    for (i = 0; i < d->job.workers.types; i++) if (d->type[i].delay_s > 0.0) return 0;
    if (sgdp_elasticity(&d->job, d->model, d->workers, answer_work, sizeof answer_work, slope)
        != SGDP_OK) return 0;
    rates = slope[SGDP_INPUT_BANDWIDTH] + slope[SGDP_INPUT_FLOW_CAP]
          + slope[SGDP_INPUT_LOCAL_BANDWIDTH];
    CHECK(fabs(slope[SGDP_INPUT_TRANSFER] + rates) <= 1e-3);
    CHECK(fabs(slope[SGDP_INPUT_FORWARD] + slope[SGDP_INPUT_BACKWARD] + slope[SGDP_INPUT_UPDATE]
               + slope[SGDP_INPUT_LATENCY] + slope[SGDP_INPUT_MESSAGE] - rates + 1.0) <= 1e-3);
    return 1;
}

/* Changes a job by hand; 0 if the remedy does not suit it. */
static int take_remedy(sgdp_remedy remedy, sgdp_model model, sgdp_job *job, sgdp_worker_type *type)
{
    const double scale = remedy == SGDP_REMEDY_BATCH ? 2.0
                       : remedy == SGDP_REMEDY_COMPUTE ? 0.5 : 1.0;
    size_t i;
    job->compute.forward_s *= scale;
    job->compute.backward_s *= scale;
    for (i = 0; i < job->workers.types; i++) {
        type[i].forward_s *= scale;
        type[i].backward_s *= scale;
    }
    job->workers.type = type;
    switch (remedy) {
    case SGDP_REMEDY_BANDWIDTH:
        job->links.bandwidth_bytes_per_s *= 2.0;
        job->links.worker_bandwidth_bytes_per_s *= 2.0;
        break;
    case SGDP_REMEDY_SERVER:
        job->servers.count = job->servers.count > 0 ? job->servers.count + 1 : 2;
        job->servers.shares = NULL;
        return !is_allreduce(model);
    case SGDP_REMEDY_BATCH:
        job->machine.input_examples_per_s /= 2.0;
        job->collective.alltoall_bytes *= 2.0;
        break;
    case SGDP_REMEDY_OVERLAP:
        if (job->overlap.rule || job->overlap.exponent > 0.0 ||
            (job->overlap.exposure > 0.0 && job->overlap.exposure < 1.0)) return 0;
        job->overlap.exposure = 0.0;
        job->overlap.rule = SGDP_OVERLAP_ONE_PASS;
        return model != SGDP_ASYNC_CYNTHIA;
    case SGDP_REMEDY_BYTES:
        job->model_bytes /= 2.0;
        job->collective.alltoall_bytes /= 2.0;
        break;
    case SGDP_REMEDY_UPDATE: job->compute.update_s /= 2.0; break;
    case SGDP_REMEDY_LOCAL: job->machine.local_bandwidth_bytes_per_s *= 2.0; break;
    case SGDP_REMEDY_INPUT: job->machine.input_examples_per_s *= 2.0; break;
    case SGDP_REMEDY_COMPUTE: case SGDP_REMEDY_COUNT: break;
    }
    return 1;
}

/* A gain is that of the job changed by hand, and else 0. */
static int remedies_are_jobs(draw *d)
{
    double gain[SGDP_REMEDY_COUNT];
    size_t i;
    if (d->model == SGDP_ASYNC_SWITCH) return 0;
    if (sgdp_remedies(&d->job, d->model, d->workers, answer_work, sizeof answer_work, gain)
        != SGDP_OK) return 0;
    for (i = 0; i < SGDP_REMEDY_COUNT; i++) {
        sgdp_job job = d->job;
        sgdp_worker_type type[4];
        sgdp_prediction p;
        memcpy(type, d->type, sizeof type);
        if (!take_remedy((sgdp_remedy)i, d->model, &job, type)) CHECK_REL(gain[i], 0.0, 0.0);
        else if (answer(&job, d->model, d->workers, NULL, &p))
            CHECK_REL(d->p.examples_per_s * (1.0 + gain[i]),
                      p.examples_per_s * (i == SGDP_REMEDY_BATCH ? 2.0 : 1.0), near_of(d));
    }
    return 1;
}

/* ---- Relations to networks and replays -------------------------------------- */

/* The job with the options alone that a relation knows: sizes, times and servers. */
static sgdp_job plain_job(const draw *d)
{
    sgdp_job job = {0};
    job.model_bytes = d->job.model_bytes;
    job.compute.forward_s = d->job.compute.forward_s;
    job.compute.backward_s = d->job.compute.backward_s;
    job.compute.update_s = d->job.compute.update_s;
    job.links.bandwidth_bytes_per_s = d->job.links.bandwidth_bytes_per_s;
    return job;
}

/* sgdp_predict is the network that its model names, solved by itself. A class without
 * tasks and a station that nobody visits change nothing. */
static int predict_is_mva(draw *d)
{
    const int fcfs = d->model == SGDP_ASYNC_FCFS, hybrid = d->model == SGDP_ASYNC_HYBRID;
    sgdp_job job = plain_job(d);
    const double count = 1.0 + (double)below(d, 4), message_s = between(d, 1e-4, 1e-2);
    const double sent_s = job.model_bytes / job.links.bandwidth_bytes_per_s / count;
    const double demand_s[8] = {sent_s, job.compute.update_s / count + message_s, sent_s, 0.0,
                                0.7, 0.2, 0.3, 0.4};
    const double thinks_s[2] = {job.compute.forward_s + job.compute.backward_s + 0.02, 0.1};
    const uint32_t tasks[2] = {d->workers, 0};
    sgdp_discipline discipline[4] = {SGDP_PS, SGDP_PS, SGDP_PS, SGDP_PS};
    sgdp_network net = {0};
    sgdp_mva_result out = {0};
    sgdp_prediction p;
    double per_s[2];
    int i;
    if (!fcfs && !hybrid && d->model != SGDP_ASYNC_EXACT) return 0;
    job.servers.count = (uint32_t)count;
    job.servers.message_s = message_s;
    job.links.delay_s = 0.01;
    for (i = 0; i < 3 && (fcfs || hybrid); i += 2)
        discipline[i] = fcfs ? SGDP_FCFS : SGDP_HYBRID;
    net.classes = 2;
    net.stations = 4;
    net.population = tasks;
    net.think_s = thinks_s;
    net.demand_s = demand_s;
    net.discipline = discipline;
    out.throughput_per_s = per_s;
    CHECK(answer(&job, d->model, d->workers, NULL, &p));
    CHECK_STATUS((fcfs || hybrid ? sgdp_mva_hybrid_approx : sgdp_mva_exact)(
                     &net, NULL, answer_work, sizeof answer_work, &out), SGDP_OK);
    CHECK_REL(per_s[0], p.batches_per_s, hybrid ? 1e-9 : 1e-11);
    CHECK(per_s[1] <= 0.0);
    return 1;
}

/* Stations in another order, with whatever disciplines. */
static int stations_permute(draw *d)
{
    enum { STATIONS = 3 };
    const size_t classes = 1 + below(d, 2);
    const uint32_t tasks[2] = {1 + (uint32_t)below(d, 5), 1 + (uint32_t)below(d, 3)};
    const double think_s[2] = {between(d, 1e-2, 1.0), between(d, 1e-2, 1.0)};
    sgdp_mva_options options = {.rhythm_lost = unit(d)};
    double demand_s[2][2 * STATIONS], per_s[2][2];
    sgdp_discipline discipline[2][STATIONS];
    size_t i, c, turned;
    for (i = 0; i < STATIONS; i++) {
        discipline[0][i] = (sgdp_discipline)below(d, SGDP_INTERLEAVED + 1);
        discipline[1][STATIONS - 1 - i] = discipline[0][i];
        for (c = 0; c < classes; c++)
            demand_s[1][c * STATIONS + STATIONS - 1 - i] = demand_s[0][c * STATIONS + i] =
                between(d, 1e-3, 0.3);
    }
    for (turned = 0; turned < 2; turned++) {
        const sgdp_network net = {.classes = classes, .stations = STATIONS, .population = tasks,
                                  .think_s = think_s, .demand_s = demand_s[turned],
                                  .discipline = discipline[turned]};
        sgdp_mva_result out = {.throughput_per_s = per_s[turned]};
        CHECK_STATUS(sgdp_mva_hybrid_approx(&net, &options, answer_work, sizeof answer_work, &out),
                     SGDP_OK);
    }
    for (c = 0; c < classes; c++) CHECK_REL(per_s[1][c], per_s[0][c], 1e-7);
    return 1;
}

static double ring_s(void *ctx, const sgdsim_config *config, double bytes)
{
    const double K = *config->workers.count;
    (void)ctx;
    return 2.0 * (K - 1.0) / K * bytes / config->links.bandwidth_bytes_per_s;
}

/* One synchronous step on links shared equally, replayed, is that of model ps: K T + C + K T
 * + S. An all-reduce by a ring, replayed, is that of model ring. */
static int replay_is_predict(draw *d)
{
    const sgdp_job *job = &d->job;
    const int ring = d->model == SGDP_ALLREDUCE_RING;
    const double C = job->compute.forward_s + job->compute.backward_s;
    const uint32_t before[3] = {0, 1, 2};
    sgdsim_op op[4];
    sgdsim_step step = {op, 4};
    sgdsim_trace trace = {0};
    sgdsim_config config = {0};
    sgdsim_result out = {0};
    sgdp_prediction p;
    const sgdp_job plain = plain_job(d);
    int i;
    if (!ring && d->model != SGDP_SYNC_PS) return 0;
    CHECK(answer(&plain, d->model, d->workers, NULL, &p));
    memset(op, 0, sizeof op);
    for (i = 0; i < 4; i++) {
        op[i].resource = (sgdsim_resource[]){SGDSIM_DOWNLINK, SGDSIM_WORKER, SGDSIM_UPLINK,
                                             SGDSIM_SERVER}[i];
        op[i].waits_for = before + (i > 0 ? i - 1 : 0);
        op[i].waits = i > 0;
    }
    op[0].bytes = op[2].bytes = job->model_bytes;
    op[1].duration_s = C;
    op[3].duration_s = job->compute.update_s;
    trace.step = &step;
    trace.steps = 1;
    config.mode = SGDSIM_SYNC;
    if (ring) config.links.rule = SGDSIM_LINK_EXCHANGE;
    config.links.exchange_s = ring_s;
    config.links.bandwidth_bytes_per_s = job->links.bandwidth_bytes_per_s;
    config.workers.types = 1;
    config.workers.trace = &trace;
    config.workers.count = &d->workers;
    config.servers.updates = SGDSIM_UPDATES_SEPARATE;
    config.length.steps = 3;
    CHECK_STATUS(sgdsim_run(&config, answer_work, sizeof answer_work, &out), SGDSIM_OK);
    CHECK_REL(out.makespan_s, 3.0 * p.step_s, 1e-9);
    return 1;
}

enum { MOST_LAYERS = 12 };

/* Layers in buckets: a step that is predicted and one that is replayed, by the same exchange.
 * A replay updates each bucket as it comes, so that updates count for one bucket alone. */
static int layers_are_replayed(draw *d)
{
    const double bandwidth = d->job.links.bandwidth_bytes_per_s;
    const size_t n = 1 + below(d, MOST_LAYERS);
    const uint64_t cap = (uint64_t)between(d, 1e5, 1e8);
    const sgdpar_protocol ring = {.form = SGDPAR_FORM_FLAT};
    sgdsim_layer layer[MOST_LAYERS];
    sgdpar_tensor tensor[MOST_LAYERS];
    sgdsim_op op[5 * MOST_LAYERS];
    uint32_t each[5 * MOST_LAYERS], waits[2 * MOST_LAYERS];
    const sgdsim_draft draft = {.op = op, .waits = waits};
    size_t closing[MOST_LAYERS], buckets, i;
    sgdpar_replica of = {.layers = {.tensor = tensor, .tensors = n}, .buckets.cap_bytes = cap,
                         .network = {.protocol = &ring, .protocols = 1}};
    sgdpar_replica_step step;
    sgdsim_result out = {0};
    if (d->workers < 2) return 0;
    for (i = 0; i < n; i++) {
        sgdpar_tensor *t = &tensor[n - 1 - i];     /* as the backward pass reaches them   */
        t->bytes = (uint64_t)between(d, 1e3, 1e8);
        t->backward_s = between(d, 1e-4, 0.1);
        layer[i] = (sgdsim_layer){(double)t->bytes, between(d, 1e-4, 0.1), t->backward_s, 0.0};
        of.compute.forward_s += layer[i].forward_s;
    }
    of.network.topology.machines = d->workers;
    of.network.topology.bandwidth_bytes_per_s = bandwidth;
    CHECK_STATUS(sgdsim_trace_layers(layer, n, 0, op, each), SGDSIM_OK);
    CHECK_STATUS(sgdsim_trace_buckets(layer, n, (double)cap, &draft, closing, &buckets),
                 SGDSIM_OK);
    if (buckets == 1) {
        of.compute.update_s = d->job.compute.update_s;
        op[3 * n + 1].duration_s = d->job.compute.update_s;
    }
    CHECK_STATUS(sgdpar_replica_time(&of, NULL, 0, &step), SGDPAR_OK);
    CHECK(step.exchanges == buckets);
    const sgdsim_step whole = {op, 3 * n + 2 * buckets};
    const sgdsim_trace trace = {&whole, 1};
    const sgdsim_config config = {
        .mode = SGDSIM_SYNC, .length.steps = 3,
        .links = {.rule = SGDSIM_LINK_EXCHANGE, .exchange_s = ring_s,
                  .bandwidth_bytes_per_s = bandwidth},
        .workers = {.types = 1, .trace = &trace, .count = &d->workers}};
    CHECK_STATUS(sgdsim_run(&config, answer_work, sizeof answer_work, &out), SGDSIM_OK);
    CHECK_REL(out.makespan_s, 3.0 * step.step_s, 1e-9);
    return 1;
}

/* ---- Relations to advice ------------------------------------------------------ */

/* Whether a choice keeps the limits of a goal. */
static int keeps(const sgdsched_outlay *o, const sgdsched_goal *goal)
{
    return (!(goal->deadline_s > 0.0) || o->time_s <= goal->deadline_s) &&
           (!(goal->budget > 0.0) || o->cost <= goal->budget);
}

/* No choice that keeps the limits is better than the one that is recommended: cheaper with a
 * deadline, else faster with a budget, else of less time x cost, unless it has the most
 * workers. Where none keeps them, none exceeds them by less. */
static int none_is_better(draw *d)
{
    enum { CHOICES = 6 };
    sgdsched_choice choice[CHOICES];
    sgdsched_outlay outlay[CHOICES];
    sgdsched_goal goal = {.batches = 1e4, .tolerance = 1e-9};
    sgdsched_advice advice;
    size_t i, kept = 0;
    if (d->job.workers.types > 0) return 0;
    for (i = 0; i < CHOICES; i++) {
        sgdp_prediction p;
        if (!answer(&d->job, d->model, (uint32_t)(i + 1), NULL, &p)) return 0;
        choice[i] = (sgdsched_choice){.workers = (uint32_t)(i + 1),
                                      .batches_per_s = p.batches_per_s,
                                      .price_per_s = p.workers * between(d, 0.5, 2.0)};
    }
    if (chance(d, 0.6)) goal.deadline_s = 1e4 / choice[below(d, CHOICES)].batches_per_s * 1.01;
    if (chance(d, 0.6)) goal.budget = 1e4 * between(d, 0.1, 10.0) / d->p.batches_per_s;
    CHECK_STATUS(sgdsched_advise(choice, CHOICES, &goal, outlay, &advice), SGDSCHED_OK);
    const sgdsched_outlay best = outlay[advice.recommended];
    const double far = 1.0 + advice.excess;
    for (i = 0; i < CHOICES; i++) {
        const sgdsched_outlay *o = &outlay[i];
        const double room = 1.0 + 1e-8;
        if (!keeps(o, &goal)) {
            CHECK(advice.rule != SGDSCHED_RULE_NEAREST ||
                  fmax(goal.deadline_s > 0.0 ? o->time_s / goal.deadline_s : 0.0,
                       goal.budget > 0.0 ? o->cost / goal.budget : 0.0) * room >= far);
            continue;
        }
        kept++;
        if (goal.deadline_s > 0.0) CHECK(best.cost <= o->cost * room);
        else if (goal.budget > 0.0) CHECK(best.time_s <= o->time_s * room);
        else if (advice.rule != SGDSCHED_RULE_KNEE)
            CHECK(best.time_s * best.cost <= o->time_s * o->cost * room * room);
        else CHECK(i == CHOICES - 1 || outlay[CHOICES - 1].time_s * outlay[CHOICES - 1].cost <=
                                       o->time_s * o->cost * room * room);
    }
    CHECK((kept == 0) == (advice.rule == SGDSCHED_RULE_NEAREST));
    CHECK(kept == 0 || keeps(&best, &goal));
    return 1;
}

/* ---- Relations to commands ------------------------------------------------------ */

static char said_text[1 << 20];        /* what the last command said on stdout          */

/* Does that command line, whose words are separated by blanks, end well? */
static int runs(const char *line)
{
    char words[2048], *argv[80];
    int argc = 0, status = -1;
    snprintf(words, sizeof words, "sgdperf %s", line);
    for (char *word = strtok(words, " "); word && argc < 79; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) command_run(argc, argv, ".out", ".err");
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    FILE *file = fopen(".out", "rb");
    const size_t length = file ? fread(said_text, 1, sizeof said_text - 1, file) : 0;
    said_text[length] = '\0';
    if (file) fclose(file);
    if (status != 0) fprintf(stderr, "    %s\n    %s", line, file_text(".err"));
    return status == 0;
}

/* The nth number of that key in JSON; NaN if there is none. */
static double said_number(const char *key, int nth)
{
    char quoted[64];
    const char *at = said_text;
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    for (; (at = strstr(at, quoted)) != NULL; at += strlen(quoted))
        if (nth-- == 0) return strtod(at + strlen(quoted), NULL);
    return (double)NAN;
}

/* The options that say that job. */
static void say_job(const sgdp_job *job, char *words, size_t room)
{
    snprintf(words, room, "--forward %.17gs --backward %.17gs --update %.17gs --model-size %.17gB "
             "--bandwidth %.17gB/s --servers %lu", job->compute.forward_s,
             job->compute.backward_s, job->compute.update_s, job->model_bytes,
             job->links.bandwidth_bytes_per_s, (unsigned long)job->servers.count);
}

/* A command takes far longer than a draw: one draw of ten has it. */
static int has_turn(const draw *d) { return d->number / 20 % 10 == 0; }

/* `predict` says what the header predicts, and `mva` the same of the exact network. Where it
 * chooses the model, its prediction is within its band. */
static int command_is_header(draw *d)
{
    const int is_sync_job = chance(d, 0.5);
    const sgdp_model model = is_sync_job ? SGDP_SYNC_PS : SGDP_ASYNC_EXACT;
    sgdp_job job = plain_job(d);
    char words[1024], line[1280], rows[512];
    sgdp_prediction p;
    if (!has_turn(d)) return 0;
    job.servers.count = 1 + (uint32_t)below(d, 4);
    say_job(&job, words, sizeof words);
    CHECK(answer(&job, model, d->workers, NULL, &p));
    snprintf(line, sizeof line, "predict --mode %s --workers %lu %s --format json",
             is_sync_job ? "sync" : "async", (unsigned long)d->workers, words);
    CHECK(runs(line));
    const double per_s = said_number("batches_per_s", 0);
    CHECK(said_number("low", 0) < per_s && per_s < said_number("high", 0));
    snprintf(line + strlen(line), sizeof line - strlen(line), " --model %s",
             sgdp_model_text(model));
    CHECK(runs(line));
    CHECK_REL(said_number("batches_per_s", 0), p.batches_per_s, 1e-9);
    CHECK_REL(said_number("step_s", 0), p.step_s, 1e-9);
    if (is_sync_job) return 1;
    const double sent_s = job.model_bytes / job.links.bandwidth_bytes_per_s / job.servers.count;
    snprintf(rows, sizeof rows, "class,population,think_s,uplink,server,downlink\n"
             "w,%lu,%.17g,%.17g,%.17g,%.17g\n", (unsigned long)d->workers,
             job.compute.forward_s + job.compute.backward_s, sent_s,
             job.compute.update_s / job.servers.count, sent_s);
    put_file("net.csv", rows);
    CHECK(runs("mva net.csv --method exact --format json"));
    CHECK_REL(said_number("throughput_per_s", 0), p.batches_per_s, 1e-9);
    return 1;
}

/* What several processes print, and what shards print once they are merged, is what one
 * process prints. */
static int parts_are_whole(draw *d)
{
    static const char *const mode[] = {"async --overlap", "sync"};
    static char whole[sizeof said_text];
    const unsigned shards = 2 + (unsigned)below(d, 2);
    sgdp_job job = plain_job(d);
    char words[1024], job_line[1280], line[1400];
    unsigned i;
    if (!has_turn(d)) return 0;
    job.servers.count = 1;
    say_job(&job, words, sizeof words);
    snprintf(job_line, sizeof job_line, "predict --mode %s --workers 1-%u %s --format %s",
             mode[below(d, 2)], 16 + (unsigned)below(d, 24), words,
             chance(d, 0.5) ? "csv" : "json");
    CHECK(runs(job_line) && said_text[0] != '\0');
    strcpy(whole, said_text);
    snprintf(line, sizeof line, "%s --processes %u", job_line, 2 + (unsigned)below(d, 3));
    CHECK(runs(line));
    CHECK_TEXT(said_text, whole);
    for (i = 1; i <= shards; i++) {
        snprintf(line, sizeof line, "%s --shard %u/%u --journal part.%u", job_line, i, shards, i);
        CHECK(runs(line));
    }
    snprintf(line, sizeof line, "merge part.1 part.2%s --format %s", shards > 2 ? " part.3" : "",
             strstr(job_line, "csv") ? "csv" : "json");
    CHECK(runs(line));
    CHECK_TEXT(said_text, whole);
    for (i = 1; i <= shards; i++) {
        snprintf(line, sizeof line, "part.%u", i);
        CHECK(remove(line) == 0);
    }
    return 1;
}

/* ---- The table --------------------------------------------------------------- */

static const struct {
    const char *name;
    int       (*holds)(draw *d);
} relations[] = {
    {"scaling of times", times_scale},
    {"scaling of bytes", bytes_scale},
    {"permutation of types", types_permute},
    {"splitting a type", types_split},
    {"equal workers as a type", types_of_one},
    {"defaults named", defaults_named},
    {"one worker alone", one_worker},
    {"a measured step", step_measured},
    {"parts of a step", parts_add_up},
    {"parts at the barrier", barrier_is_shared},
    {"bounds of resources", resources_are_bounds},
    {"low <= value <= high", band_holds},
    {"points of a curve", curve_is_points},
    {"more of a resource", more_is_no_less},
    {"next to nothing", nothing_is_little},
    {"slopes", slopes_add_up},
    {"remedies", remedies_are_jobs},
    {"predict = mva, idle class", predict_is_mva},
    {"permutation of stations", stations_permute},
    {"replay = predict", replay_is_predict},
    {"replay = predict by layers", layers_are_replayed},
    {"recommendation", none_is_better},
    {"command = header, band", command_is_header},
    {"processes, shards = whole", parts_are_whole}
};
enum { RELATIONS = sizeof relations / sizeof relations[0] };

static uint64_t relations_seed = 1, relations_draws;

TEST(relations_hold_between_answers)
{
    uint64_t held[RELATIONS] = {0}, k;
    size_t r;
    enter_folder();
    for (k = 0; k < relations_draws; k++) {
        const unsigned failures = test_failures;
        draw d = {0};
        r = (size_t)(k % RELATIONS);
        d.seed = relations_seed;
        d.number = k;
        draw_job(&d);
        if (!answer(&d.job, d.model, d.workers, d.types_per_s, &d.p)) continue;
        d.workers = d.p.workers;
        held[r] += (uint64_t)relations[r].holds(&d);
        if (test_failures > failures)
            fprintf(stderr, "    in '%s', draw %lu of seed %lu: model %s, %lu workers, %lu types, "
                    "overlap %d, gpus %lu\n", relations[r].name, (unsigned long)k,
                    (unsigned long)relations_seed, sgdp_model_text(d.model),
                    (unsigned long)d.workers, (unsigned long)d.job.workers.types,
                    (int)d.job.overlap.rule, (unsigned long)d.job.machine.gpus);
    }
    leave_folder();
    for (r = 0; r < RELATIONS; r++) {
        printf("    %-26s %lu draws\n", relations[r].name, (unsigned long)held[r]);
        CHECK(held[r] > 0);
    }
}

int main(int argc, char **argv)
{
    const char *seed = getenv("RELATIONS_SEED");
    relations_draws = TEST_SIZE(2000, 20000);
    if (argc > 1) relations_draws = strtoull(argv[1], NULL, 10);
    if (argc > 2) seed = argv[2];
    if (seed && seed[0] != '\0') relations_seed = strtoull(seed, NULL, 10);
    printf("    seed %lu\n", (unsigned long)relations_seed);
    return test_all("test_relations");
}
