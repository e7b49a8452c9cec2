/* test_relations.c - what must hold between answers, over random jobs of all models and
 * options: each draw is a job and one relation of the table below.
 *
 *     test_relations [draws [seed]]      2,000 draws, 20,000 at full size; seed 1
 *
 * RELATIONS_SEED names another seed. The seed is printed, and with each failure the draw. */
#include "../sgdperf.h"
#include "../sgdperf_sim.h"
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
    if (chance(d, 0.3)) job->compute.batch = 1.0 + (double)below(d, 512);
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

/* ---- Relations to networks and replays -------------------------------------- */

/* The job with the options alone that a relation knows: sizes, times and servers. */
static sgdp_job plain_job(const draw *d)
{
    sgdp_job job;
    memset(&job, 0, sizeof job);
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
    sgdsim_trace trace;
    sgdsim_config config;
    sgdsim_result out;
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
    memset(&trace, 0, sizeof trace);
    trace.step = &step;
    trace.steps = 1;
    memset(&config, 0, sizeof config);
    memset(&out, 0, sizeof out);
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
    {"bounds of resources", resources_are_bounds},
    {"low <= value <= high", band_holds},
    {"points of a curve", curve_is_points},
    {"more of a resource", more_is_no_less},
    {"next to nothing", nothing_is_little},
    {"predict = mva, idle class", predict_is_mva},
    {"replay = predict", replay_is_predict}
};
enum { RELATIONS = sizeof relations / sizeof relations[0] };

static uint64_t relations_seed = 1, relations_draws;

TEST(relations_hold_between_answers)
{
    uint64_t held[RELATIONS] = {0}, k;
    size_t r;
    for (k = 0; k < relations_draws; k++) {
        const unsigned failures = test_failures;
        draw d;
        r = (size_t)(k % RELATIONS);
        memset(&d, 0, sizeof d);
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
