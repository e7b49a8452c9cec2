/* fuzz_sgd.c - any job, model and workers: predictions, curves, what they depend on, and advice
 * are told or refused, and what is told adds up */
#define FUZZ_RUNS 2500
#include "../sgdperf_sched.h"
#include "fuzz_job.h"

enum { POINTS = 4, LAYERS = 5, CHOICES = 4 };

static struct {
    fuzz_job    of;
    sgdp_model  model;
    uint32_t    workers, at[POINTS], k;
    size_t      points, n;
    sgdp_input  input;
    sgdp_uncertainty off;
    sgdsched_choice choice[CHOICES];
    sgdsched_goal   goal;
    double      x[LAYERS], value, other;
} in;

static struct {
    sgdp_prediction point[POINTS];
    double      type_x[POINTS][FUZZ_TYPES], type_wait[POINTS][FUZZ_TYPES];
    sgdp_status status[POINTS];
    double      value, by[SGDP_INPUT_COUNT + SGDP_REMEDY_COUNT], shares[FUZZ_SERVERS];
    uint32_t    server[LAYERS];
    size_t      knee;
    sgdp_stretch stretch;
    sgdp_job    job;
    sgdsched_outlay outlay[CHOICES];
    sgdsched_advice advice;
} out;

static void read_all(fuzz_bytes *b)
{
    double *const off[] = {&in.off.forward_s, &in.off.backward_s, &in.off.update_s,
                           &in.off.uplink_s, &in.off.downlink_s, &in.off.one_worker_step_s};
    in.model = fuzz_model(b);
    in.workers = fuzz_count(b, 7);
    in.value = fuzz_number(b);
    in.other = fuzz_number(b);
    in.points = fuzz_byte(b) % (POINTS + 1);
    in.n = fuzz_byte(b) % (LAYERS + 1);
    in.k = fuzz_count(b, 5);
    in.input = (sgdp_input)(fuzz_byte(b) % (SGDP_INPUT_COUNT + 1));
    fuzz_read_job(b, &in.of);
    for (size_t i = 0; i < POINTS; i++) in.at[i] = fuzz_count(b, 7);
    for (size_t i = 0; i < LAYERS; i++) in.x[i] = fuzz_number(b);
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) *off[i] = fuzz_number(b) / 16.0;
    in.off.part = (fuzz_byte(b) % 8) / 7.0;
    for (size_t i = 0; i < CHOICES; i++) {
        in.choice[i].workers = fuzz_count(b, 9);
        in.choice[i].batches_per_s = fuzz_number(b);
        in.choice[i].low = fuzz_number(b) / 3.0;
        in.choice[i].high = fuzz_number(b) / 3.0;
        in.choice[i].price_per_s = fuzz_number(b);
        in.choice[i].batches = fuzz_byte(b) % 4 ? 0.0 : fuzz_number(b);
    }
    in.goal.batches = 8.0 * fuzz_number(b);
    in.goal.deadline_s = 8.0 * fuzz_number(b);
    in.goal.budget = 8.0 * fuzz_number(b);
    in.goal.tolerance = fuzz_number(b) / 32.0;
}

static void prepare(void)
{
    for (size_t i = 0; i < POINTS; i++) {
        out.point[i].types.batches_per_s = out.type_x[i];
        out.point[i].types.waiting_share = out.type_wait[i];
    }
}

/* ---- Predictions ------------------------------------------------------------------- */

static int is_quick(double most)
{
    return fuzz_is_quick(&in.of.job, in.model, in.workers, most);
}

static unsigned predict_need(size_t *need)
{
    const unsigned status = sgdp_predict_bytes(&in.of.job, in.model, in.workers, need);
    return status == SGDP_OK && !is_quick(1e7) ? FUZZ_TOO_COSTLY : status;
}

static unsigned predict(void *work, size_t bytes)
{
    return sgdp_predict(&in.of.job, in.model, in.workers, work, bytes, out.point);
}

static unsigned operations(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_predict_operations(&in.of.job, in.model, in.workers, &out.value);
}

/* In seconds that are neither tiny nor huge, what is told adds up. */
static void require_parts(const sgdp_prediction *p)
{
    double sum = p->time.barrier_s;
    for (int i = 0; i < (int)SGDP_RESOURCE_COUNT; i++) {
        require(p->time.service_s[i] >= 0.0 && p->time.waiting_s[i] >= 0.0);
        sum += p->time.service_s[i] + p->time.waiting_s[i];
    }
    require(p->step_s > 1e100 || p->step_s < 1e-100
            || fabs(sum - p->step_s) <= 1e-6 * p->step_s);
}

static void require_prediction(const sgdp_prediction *p)
{
    require(p->batches_per_s > 0.0 && p->batches_per_s <= DBL_MAX && p->workers > 0);
    require(fuzz_is_size(p->step_s) && p->time.barrier_s >= 0.0 && p->scaling.efficiency >= 0.0);
    require(p->bottleneck < SGDP_RESOURCE_COUNT && p->solution.branch < SGDP_MODEL_COUNT);
    require(p->scaling.saturation_workers >= 0.0);
    require_parts(p);
}

static void check_prediction(void) { require_prediction(out.point); }

static void check_value(void) { require(out.value >= 0.0); }

static sgdp_curve curve_of_input(void)
{
    const sgdp_curve of = {in.at, in.points, out.point, out.status};
    return of;
}

static unsigned curve_need(size_t *need)
{
    const sgdp_curve of = curve_of_input();
    for (size_t i = 0; i < in.points; i++)
        if (!fuzz_is_quick(&in.of.job, in.model, in.at[i], 1e6)) return FUZZ_TOO_COSTLY;
    return sgdp_predict_curve_bytes(&in.of.job, in.model, &of, need);
}

static unsigned curve(void *work, size_t bytes)
{
    const sgdp_curve of = curve_of_input();
    return sgdp_predict_curve(&in.of.job, in.model, &of, work, bytes);
}

/* Each point is what it is alone, to the last bit. */
static void check_curve(void)
{
    size_t need = 0;
    sgdp_prediction alone = {0};
    for (size_t i = 0; i < in.points; i++) {
        require(out.status[i] == SGDP_OK);
        require_prediction(&out.point[i]);
        require(sgdp_predict_bytes(&in.of.job, in.model, in.at[i], &need) == SGDP_OK);
        void *work = fuzz_area(need, 0xff);
        require(sgdp_predict(&in.of.job, in.model, in.at[i], work, need, &alone) == SGDP_OK);
        free(work);
        require(fuzz_same(alone.step_s, out.point[i].step_s));
        require(fuzz_same(alone.utilization[SGDP_UPLINK], out.point[i].utilization[SGDP_UPLINK]));
    }
}

static unsigned curve_operations(void *work, size_t bytes)
{
    const sgdp_curve of = curve_of_input();
    (void)work, (void)bytes;
    return sgdp_predict_curve_operations(&in.of.job, in.model, &of, &out.value);
}

/* ---- What a prediction depends on -------------------------------------------------- */

static unsigned set_input(void *work, size_t bytes)
{
    sgdp_job job = in.of.job;
    const unsigned status = sgdp_set_input(&job, in.input, in.value);
    (void)work, (void)bytes;
    if (status == SGDP_OK) out.job = job;
    return status;
}

static unsigned stretch_of(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_stretch_of(&in.of.job, in.model, in.workers, &out.stretch);
}

static void check_stretch(void)
{
    const double h = out.stretch.exposure, C = fabs(in.value), E = fabs(in.other);
    require(out.stretch.growth >= 1.0 && out.stretch.growth <= DBL_MAX && fuzz_finite(h));
    if (!(C <= DBL_MAX && E <= DBL_MAX)) return;
    require(sgdp_exposed(h, C, E) >= 0.0 && sgdp_exposed(h, C, E) <= (h > 1.0 ? h : 1.0));
}

static unsigned more_need(size_t *need)
{
    const unsigned status = sgdp_predict_bytes(&in.of.job, in.model, in.workers, need);
    return status == SGDP_OK && !is_quick(1e7) ? FUZZ_TOO_COSTLY : status;
}

static unsigned elasticity(void *work, size_t bytes)
{
    return sgdp_elasticity(&in.of.job, in.model, in.workers, work, bytes, out.by);
}

static void check_elasticity(void)
{
    for (int i = 0; i < (int)SGDP_INPUT_COUNT; i++) require(fuzz_finite(out.by[i]));
    require(out.by[SGDP_INPUT_THRESHOLD] >= 0.0 && out.by[SGDP_INPUT_THRESHOLD] <= 0.0);
}

static unsigned spread(void *work, size_t bytes)
{
    const sgdp_profile of = {&in.of.job, &in.off};
    return sgdp_profile_spread(&of, in.model, in.workers, work, bytes, &out.value);
}

/* Neither work nor a prediction where no number counts. */
static unsigned spread_need(size_t *need)
{
    const sgdp_profile of = {&in.of.job, &in.off};
    double none = -1.0;
    if (sgdp_profile_spread(&of, in.model, in.workers, NULL, 0, &none) != SGDP_OK)
        return more_need(need);
    *need = 0;
    return SGDP_OK;
}

static unsigned remedies_need(size_t *need)
{
    const unsigned status = sgdp_remedies_bytes(&in.of.job, in.model, in.workers, need);
    return status == SGDP_OK && !is_quick(1e7) ? FUZZ_TOO_COSTLY : status;
}

static unsigned remedies(void *work, size_t bytes)
{
    return sgdp_remedies(&in.of.job, in.model, in.workers, work, bytes, out.by);
}

static void check_remedies(void)
{
    for (int i = 0; i < (int)SGDP_REMEDY_COUNT; i++)
        require(out.by[i] >= -1.0 && out.by[i] <= DBL_MAX);
}

static unsigned move(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_move_job(&in.of.job, in.model, in.value, in.other, &out.job);
}

/* ---- Without a job ----------------------------------------------------------------- */

static unsigned slowest(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_slowest(&in.of.job.compute.vary, in.workers, &out.value);
}

static void check_slowest(void)
{
    double last = -1.0;
    require(out.value >= 1.0 && out.value <= DBL_MAX);
    require(sgdp_kth_fastest(&in.of.job.compute.vary, in.workers, in.workers, &last) == SGDP_OK);
    require(fuzz_same(last, out.value));
}

static unsigned kth(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_kth_fastest(&in.of.job.compute.vary, in.workers, in.k, &out.value);
}

static void check_kth(void)
{
    require(fuzz_is_size(out.value) && (in.k > 1 || out.value <= 1.0 + 1e-9));
}

static unsigned knee(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    return sgdp_knee(in.x, in.n, in.value, &out.knee);
}

static void check_knee(void)
{
    require(out.knee >= 1 && out.knee <= in.n);
    for (size_t i = out.knee; i < in.n; i++)
        require(in.x[i] <= in.x[out.knee - 1] * (1.0 + in.value) * (1.0 + 1e-12));
}

static unsigned greedy(void *work, size_t bytes)
{
    (void)work, (void)bytes;
    if (in.k > FUZZ_SERVERS) return SGDP_BAD_ARGUMENT;
    return sgdp_greedy_shares(in.x, in.n, in.k, out.shares, out.server);
}

static void check_greedy(void)
{
    double sum = 0.0;
    for (size_t i = 0; i < in.k; i++) {
        require(out.shares[i] >= 0.0);
        sum += out.shares[i];
    }
    for (size_t i = 0; i < in.n; i++) require(out.server[i] < in.k);
    require(fabs(sum - 1.0) < 1e-12);
}

static unsigned advise(void *work, size_t bytes)
{
    sgdsched_advice got = out.advice;
    const sgdsched_status status =
        sgdsched_advise(in.choice, in.points, &in.goal, out.outlay, &got);
    (void)work, (void)bytes;
    if (memcmp(&got, &out.advice, sizeof got) == 0) return status;
    memset(&out.advice, 0, sizeof out.advice);  /* what lies between its fields is no answer */
    out.advice.recommended = got.recommended;
    out.advice.rule = got.rule;
    out.advice.cheapest = got.cheapest;
    out.advice.fastest = got.fastest;
    out.advice.surest = got.surest;
    out.advice.excess = got.excess;
    return status;
}

static void check_advice(void)
{
    const sgdsched_advice *a = &out.advice;
    const int is_limited = in.goal.deadline_s > 0.0 || in.goal.budget > 0.0;
    require(a->recommended < in.points && a->excess >= 0.0);
    require(a->cheapest <= in.points && a->fastest <= in.points && a->surest <= in.points);
    for (size_t i = 0; i < in.points; i++) {
        const sgdsched_outlay *o = &out.outlay[i];
        require(o->time_low_s <= o->time_s && o->time_s <= o->time_high_s && o->time_low_s >= 0.0);
        require(o->cost_low <= o->cost && o->cost <= o->cost_high && o->cost_low >= 0.0);
        require(in.goal.deadline_s > 0.0 || o->in_time == SGDSCHED_VERDICT_YES);
    }
    require(a->rule != SGDSCHED_RULE_KNEE || !is_limited);
    require(a->rule != SGDSCHED_RULE_NEAREST || is_limited);
}

enum { ITERATE = 1 << SGDP_NOT_CONVERGED, ANY = (1 << SGDP_STATUS_COUNT) - 1 };

static fuzz_call calls[] = {
    {"predict", predict_need, predict, check_prediction, ITERATE, 0},
    {"predict_operations", NULL, operations, check_value, 0, 0},
    {"predict_curve", curve_need, curve, check_curve, ANY, 0},
    {"predict_curve_operations", NULL, curve_operations, check_value, 0, 0},
    {"set_input", NULL, set_input, NULL, 0, 0},
    {"stretch_of", NULL, stretch_of, check_stretch, 0, 0},
    {"elasticity", more_need, elasticity, check_elasticity, ITERATE, 0},
    {"profile_spread", spread_need, spread, check_value, ITERATE, 0},
    {"remedies", remedies_need, remedies, check_remedies, 0, 0},
    {"move_job", NULL, move, NULL, 0, 0},
    {"slowest", NULL, slowest, check_slowest, 0, 0},
    {"kth_fastest", NULL, kth, check_kth, 0, 0},
    {"knee", NULL, knee, check_knee, 0, 0},
    {"greedy_shares", NULL, greedy, check_greedy, 0, 0},
    {"advise", NULL, advise, check_advice, 0, 0},
};
static const fuzz_chapter chapter = FUZZ_CHAPTER(calls, read_all, prepare, in, out);
FUZZ_CALLS("fuzz_sgd", chapter);
