/* Steps of pipelines against an event-driven run of the same schedules, against the formulas of
 * their papers, and against bounds of the closed network that a pipeline is. */
#include "../sgdperf.h"
#include "../sgdperf_parallel.h"

#include <float.h>
#include <math.h>

#include "oracle_pipeline.h"
#include "chance.h"
#include "test.h"

static uint32_t random_to(uint32_t most) { return 1 + (uint32_t)random_below(most); }

static sgdpar_stage stage[LINE_S];
static sgdpar_device device[LINE_P];
static double work[4 * LINE_S * LINE_M];

static sgdpar_pipeline pipeline_of(sgdpar_pipelining schedule, uint32_t P, uint32_t v, uint32_t m)
{
    return (sgdpar_pipeline){.schedule = schedule, .stage = stage, .devices = P, .chunks = v,
                             .micro_batches = m};
}

static sgdpar_pipeline_step run(const sgdpar_pipeline *p)
{
    sgdpar_pipeline_step step = {0};
    size_t bytes = 0;
    CHECK_STATUS(sgdpar_pipeline_time_bytes(p, &bytes), SGDPAR_OK);
    CHECK(bytes <= sizeof work);
    CHECK_STATUS(sgdpar_pipeline_time(p, work, bytes, device, &step), SGDPAR_OK);
    return step;
}

static void alike(size_t stages, double f, double b, double w)
{
    memset(stage, 0, sizeof stage);
    for (size_t i = 0; i < stages; i++) {
        stage[i].forward_s = f;
        stage[i].backward_s = b;
        stage[i].weight_s = w;
        stage[i].activations_bytes = 1.0;
    }
}

/* Many times are 0 or alike, so that much happens at once. */
static double random_time(void)
{
    const double kind = random_below(1.0);
    return kind < 0.1 ? 0.0 : kind < 0.3 ? floor(random_below(4.0)) : random_below(3.0);
}

static void random_stages(double sends)
{
    for (size_t i = 0; i < LINE_S; i++) {
        stage[i].forward_s = random_time();
        stage[i].backward_s = random_time();
        stage[i].weight_s = random_below(1.0) * stage[i].backward_s;
        stage[i].send_s = random_below(1.0) < sends ? 0.5 * random_time() : 0.0;
        stage[i].exchange_s = sends > 0.0 ? 4.0 * random_time() : 0.0;
        stage[i].update_s = sends > 0.0 ? random_time() : 0.0;
        stage[i].activations_bytes = floor(random_below(100.0));
    }
}

static sgdpar_pipeline random_pipeline(void)
{
    const sgdpar_pipelining how =
        (sgdpar_pipelining)random_below((double)SGDPAR_PIPELINING_COUNT);
    const uint32_t P = random_to(LINE_P);
    if (how != SGDPAR_PIPELINING_INTERLEAVED) return pipeline_of(how, P, 1, random_to(LINE_M));
    return pipeline_of(how, P, 1 + random_to(LINE_V - 1), P * random_to(LINE_M / P));
}

TEST(a_step_is_that_of_an_event_driven_run)
{
    const size_t cases = TEST_SIZE(400, 10000);
    for (size_t i = 0; i < cases; i++) {
        const sgdpar_pipeline p = random_pipeline();
        double last_s = 0.0, busy_s = 0.0;
        random_stages(i % 3 == 0 ? 0.0 : 0.7);
        sgdpar_pipeline_step step = run(&p);
        CHECK_REL(step.step_s, line_step_s(&p), 1e-12);
        for (size_t d = 0; d < p.devices; d++) {
            CHECK_REL(device[d].passes_s, tandem.busy_s[d], 1e-12);
            CHECK_REL(device[d].activations_bytes, tandem.most_kept[d], 0.0);
            last_s = fmax(last_s, tandem.passes_end_s[d]);
            busy_s += tandem.busy_s[d];
        }
        CHECK_REL(step.passes_s, last_s, 1e-12);
        CHECK(fabs(step.bubble_share - (last_s > 0.0 ? 1.0 - busy_s / p.devices / last_s : 0.0))
              < 1e-12);
        CHECK_REL(step.exposed_s, step.step_s - step.passes_s, 0.0);
    }
}

TEST(gpipe_is_its_formula)
{
    for (size_t i = 0; i < 200; i++) {
        const sgdpar_pipeline p = pipeline_of(SGDPAR_PIPELINING_GPIPE, random_to(LINE_P), 1,
                                              random_to(LINE_M));
        double f = 0.0, b = 0.0, most_f = 0.0, most_b = 0.0;
        random_stages(0.0);
        for (size_t s = 0; s < p.devices; s++) {
            f += stage[s].forward_s;
            b += stage[s].backward_s;
            most_f = fmax(most_f, stage[s].forward_s);
            most_b = fmax(most_b, stage[s].backward_s);
        }
        CHECK_REL(run(&p).step_s, f + b + (p.micro_batches - 1.0) * (most_f + most_b), 1e-12);
    }
}

/* Returns the formula of 1F1B over the step. */
static double over_1f1b(const sgdpar_pipeline *p)
{
    double sum = 0.0, most = 0.0;
    for (size_t s = 0; s < p->devices; s++) {
        const double t = stage[s].forward_s + stage[s].backward_s;
        sum += t;
        most = fmax(most, t);
    }
    return (sum + (p->micro_batches - 1.0) * most) / run(p).step_s;
}

TEST(one_forward_one_backward_is_its_formula_if_the_last_stage_is_slowest)
{
    for (size_t i = 0; i < 200; i++) {
        const sgdpar_pipeline p = pipeline_of(SGDPAR_PIPELINING_1F1B, random_to(LINE_P), 1,
                                              random_to(LINE_M));
        random_stages(0.0);
        stage[0].forward_s += 0.01;
        if (i % 2 > 0) {
            for (size_t s = 0; s < p.devices; s++)
                stage[s].backward_s = 2.0 * stage[s].forward_s;
            CHECK(over_1f1b(&p) >= 1.0 - 1e-12 && over_1f1b(&p) < 1.5);
        }
        for (size_t s = 0; s + 1 < p.devices; s++) {
            stage[p.devices - 1].forward_s = fmax(stage[p.devices - 1].forward_s,
                                                  stage[s].forward_s);
            stage[p.devices - 1].backward_s = fmax(stage[p.devices - 1].backward_s,
                                                   stage[s].backward_s);
        }
        CHECK_REL(over_1f1b(&p), 1.0, 1e-12);
    }
}

TEST(alike_stages_wait_as_their_papers_say)
{
    for (uint32_t P = 1; P <= LINE_P; P++) {
        const uint32_t m = LINE_M / P * P;
        const double f = 1.0 + random_below(1.0), b = 1.0 + random_below(2.0);
        const double w = random_below(b), t = f + b, all = m * t;
        sgdpar_pipeline p = pipeline_of(SGDPAR_PIPELINING_1F1B, P, 1, m);
        alike(P, f, b, w);
        CHECK_REL(run(&p).step_s, all + (P - 1.0) * t, 1e-12);
        CHECK(fabs(run(&p).bubble_share - (P - 1.0) / (m + P - 1.0)) < 1e-12);
        CHECK_REL(device[0].activations_bytes, fmin(m, P), 0.0);
        CHECK_REL(device[P - 1].activations_bytes, 1.0, 0.0);
        p.schedule = SGDPAR_PIPELINING_ZB;
        CHECK_REL(run(&p).step_s, all + (P - 1.0) * fmax(fmax(f, b - w), f + b - 2.0 * w), 1e-12);
        for (uint32_t d = 0; d < P; d++) CHECK_REL(device[d].activations_bytes, P, 0.0);
        p.schedule = SGDPAR_PIPELINING_GPIPE;
        CHECK_REL(run(&p).step_s, all + (P - 1.0) * t, 1e-12);
        CHECK_REL(device[P - 1].activations_bytes, m, 0.0);
        p.schedule = SGDPAR_PIPELINING_INTERLEAVED;
        p.chunks = 4;
        alike(4 * (size_t)P, f / 4.0, b / 4.0, 0.0);
        CHECK_REL(run(&p).step_s, all + (P - 1.0) * t / 4.0, 1e-12);
    }
}

/* An exchange is hidden behind the passes of other stages; the first stage ends last. */
TEST(exchanges_are_exposed_as_far_as_no_pass_hides_them)
{
    sgdpar_pipeline p = pipeline_of(SGDPAR_PIPELINING_1F1B, 4, 1, 8);
    alike(4, 1.0, 2.0, 0.0);
    stage[3].exchange_s = 6.0;         /* the last stage ends three backward passes sooner */
    CHECK_REL(run(&p).step_s, 33.0, 0.0);
    stage[3].exchange_s = 7.0;
    CHECK_REL(run(&p).exposed_s, 1.0, 0.0);
    CHECK_REL(device[3].done_s, 34.0, 0.0);
    stage[0].exchange_s = 3.0;
    stage[0].update_s = 0.5;
    CHECK_REL(run(&p).step_s, 36.5, 0.0);
    alike(4, 0.0, 0.0, 0.0);
    stage[2].exchange_s = 2.0;         /* no pass takes time */
    CHECK_REL(run(&p).step_s, 2.0, 0.0);
    CHECK_REL(run(&p).bubble_share, 0.0, 0.0);
}

/* ---- Copies on machines ------------------------------------------------------------ */

static sgdpar_protocol ways[3];

/* D copies of four stages on machines of 4 devices: 1 GB/s between them, 10 GB/s inside. */
static sgdpar_copies copies_of(uint32_t D, sgdpar_sharding sharding)
{
    static const double gradient_bytes[4] = {1e9, 2e9, 3e9, 4e9},
                        output_bytes[4] = {1e9, 1e9, 2e9, 0};
    memset(ways, 0, sizeof ways);
    ways[0].form = ways[1].form = ways[2].form = SGDPAR_FORM_SPLIT;
    ways[1].collective = SGDPAR_COLLECTIVE_REDUCE_SCATTER;
    ways[2].collective = SGDPAR_COLLECTIVE_ALL_GATHER;
    return (sgdpar_copies){.network.protocol = ways, .network.protocols = 3,
                           .network.topology.gpus = 4, .network.topology.latency_s = 0.125,
                           .network.topology.bandwidth_bytes_per_s = 1e9,
                           .network.topology.local_bandwidth_bytes_per_s = 1e10, .copies = D,
                           .sharding = sharding, .gradient_bytes = gradient_bytes,
                           .output_bytes = output_bytes};
}

TEST(copies_that_cannot_be_are_refused_and_nothing_is_written)
{
    const sgdpar_copies good = copies_of(2, SGDPAR_SHARDING_NONE);
    const double bad[4] = {1.0, 1.0, (double)NAN, 1.0};
    sgdpar_copies of = good;
    sgdpar_stage before[4];
    alike(4, 1.0, 2.0, 0.0);
    memcpy(before, stage, sizeof before);
#define NOT_SET(call)                                      \
    do {                                                   \
        CHECK_STATUS(call, SGDPAR_BAD_ARGUMENT);           \
        CHECK(memcmp(stage, before, sizeof before) == 0);  \
        of = good;                                         \
    } while (0)
    NOT_SET(sgdpar_pipeline_transfers(NULL, 4, 1, stage));
    NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, NULL));
    NOT_SET(sgdpar_pipeline_transfers(&of, 0, 1, stage));
    NOT_SET(sgdpar_pipeline_transfers(&of, 4, 0, stage));
    of.copies = 0; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.copies = 3; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.copies = 6; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.sharding = SGDPAR_SHARDING_GRADIENTS; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.gradient_bytes = NULL; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.gradient_bytes = bad; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.output_bytes = bad; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    for (size_t i = 0; i < 4; i++) {
        double vast[4] = {1.0, 1.0, 1.0, 1.0};
        vast[i] = DBL_MAX;
        of.output_bytes = vast;
        of.network.topology.bandwidth_bytes_per_s = 0.5;
        of.network.topology.local_bandwidth_bytes_per_s = 0.5;
        NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    }
    of.network.protocols = 0; NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.network.topology.bandwidth_bytes_per_s = 0.0;
    NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
    of.network.topology.local_bandwidth_bytes_per_s = 0.0;
    NOT_SET(sgdpar_pipeline_transfers(&of, 4, 1, stage));
}

/* A pipeline is a closed network with at most P circulating micro-batches. Its times do not
 * vary, so that it is at least as fast as the network whose times are exponential. */
TEST(a_step_lies_between_bounds_of_the_closed_network)
{
    for (size_t i = 0; i < 200; i++) {
        const uint32_t P = random_to(8), m = random_to(LINE_M), population[1] = {P};
        const sgdpar_pipeline p = pipeline_of(SGDPAR_PIPELINING_1F1B, P, 1, m);
        double demand_s[8], X = 0.0, least = 0.0, sum = 0.0, most = 0.0, step_s;
        double mva[4096];
        sgdp_mva_result out = {0};
        random_stages(0.0);
        stage[0].forward_s += 0.01;
        for (size_t s = 0; s < P; s++) {
            demand_s[s] = stage[s].forward_s + stage[s].backward_s;
            sum += demand_s[s];
            most = fmax(most, demand_s[s]);
        }
        sgdp_network net = {.stations = P, .classes = 1, .demand_s = demand_s,
                            .population = population};
        out.throughput_per_s = &X;
        CHECK_STATUS(sgdp_mva_exact(&net, NULL, mva, sizeof mva, &out), SGDP_OK);
        CHECK_STATUS(sgdp_mva_bounds(&net, &least, NULL), SGDP_OK);
        step_s = run(&p).step_s;
        CHECK(X <= 1.0 / most * (1.0 + 1e-12) && step_s >= m * most * (1.0 - 1e-12));
        CHECK(step_s >= sum * (1.0 - 1e-12) && step_s <= sum + m / X);
        CHECK(least <= X * (1.0 + 1e-12));
    }
}

TEST(bad_input_is_refused_and_writes_nothing)
{
    static const double bad[] = {-1.0, -DBL_MIN, HUGE_VAL, -HUGE_VAL, (double)NAN};
    const sgdpar_pipeline good = pipeline_of(SGDPAR_PIPELINING_1F1B, 4, 1, 8);
    sgdpar_pipeline p = good;
    sgdpar_pipeline_step step, before;
    size_t bytes = 77;
    memset(&step, 0x5a, sizeof step);
    before = step;
    alike(16, 1.0, 2.0, 1.0);
#define REFUSED(status)                                                             \
    do {                                                                            \
        CHECK_STATUS(sgdpar_pipeline_time(&p, work, sizeof work, NULL, &step), status); \
        CHECK(memcmp(&step, &before, sizeof step) == 0);                            \
        p = good;                                                                   \
    } while (0)
    p.stage = NULL; REFUSED(SGDPAR_BAD_ARGUMENT);
    p.devices = 0; REFUSED(SGDPAR_BAD_ARGUMENT);
    p.micro_batches = 0; REFUSED(SGDPAR_BAD_ARGUMENT);
    p.schedule = SGDPAR_PIPELINING_COUNT; REFUSED(SGDPAR_BAD_ARGUMENT);
    p.chunks = 2; REFUSED(SGDPAR_BAD_ARGUMENT);
    p.schedule = SGDPAR_PIPELINING_INTERLEAVED; REFUSED(SGDPAR_BAD_ARGUMENT);
    p.schedule = SGDPAR_PIPELINING_INTERLEAVED; p.chunks = 2; p.micro_batches = 6;
    REFUSED(SGDPAR_BAD_ARGUMENT);
    stage[1].weight_s = 2.5; p.schedule = SGDPAR_PIPELINING_ZB; REFUSED(SGDPAR_BAD_ARGUMENT);
    stage[1].weight_s = 1.0;
    for (size_t field = 0; field < sizeof(sgdpar_stage) / sizeof(double); field++)
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            memcpy((char *)&stage[3] + field * sizeof(double), &bad[i], sizeof(double));
            REFUSED(SGDPAR_BAD_ARGUMENT);
            alike(16, 1.0, 2.0, 1.0);
        }
    stage[2].forward_s = DBL_MAX; REFUSED(SGDPAR_BAD_ARGUMENT);
    stage[2].forward_s = 1.0; stage[2].activations_bytes = DBL_MAX; REFUSED(SGDPAR_BAD_ARGUMENT);
    alike(16, 1.0, 2.0, 1.0);
    CHECK_STATUS(sgdpar_pipeline_time(NULL, work, sizeof work, NULL, &step), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pipeline_time(&p, work, sizeof work, NULL, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pipeline_time(&p, NULL, sizeof work, NULL, &step), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pipeline_time_bytes(&p, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pipeline_time_bytes(&p, &bytes), SGDPAR_OK);
    CHECK_STATUS(sgdpar_pipeline_time(&p, work, bytes - 1, NULL, &step), SGDPAR_SMALL_WORKSPACE);
    CHECK(memcmp(&step, &before, sizeof step) == 0);
    CHECK_STATUS(sgdpar_pipeline_time(&p, work, bytes, NULL, &step), SGDPAR_OK);
    CHECK_TEXT(sgdpar_pipelining_text(SGDPAR_PIPELINING_ZB), "zb");
    CHECK_TEXT(sgdpar_pipelining_text(SGDPAR_PIPELINING_COUNT), "no such value");
}

/* ---- Replay on shared links */

static double replay_work[8 * LINE_S * LINE_M];

/* Spans of a replay, checked as they come. */
typedef struct told { double busy_s[LINE_P], end_s[LINE_P], last_s; size_t passes; } told;

static void on_span(void *ctx, const sgdpar_span *span)
{
    told *t = (told *)ctx;
    CHECK(span->end_s >= span->start_s && span->device < LINE_P);
    CHECK(span->stage % LINE_P < LINE_P && strcmp(sgdpar_activity_text(span->what), "") != 0);
    t->last_s = fmax(t->last_s, span->end_s);
    if (span->what > SGDPAR_ACTIVITY_WEIGHT) return;
    CHECK(span->start_s >= t->end_s[span->device]);
    t->end_s[span->device] = span->end_s;
    t->busy_s[span->device] += span->end_s - span->start_s;
    t->passes++;
}

static sgdpar_pipeline_step replay(const sgdpar_pipeline *p, const uint32_t *machine, int between,
                                   told *t)
{
    const sgdpar_shared links = {machine, between, on_span, t};
    sgdpar_pipeline_step step = {0};
    size_t bytes = 0;
    memset(t, 0, sizeof *t);
    CHECK_STATUS(sgdpar_pipeline_replay_bytes(p, &bytes), SGDPAR_OK);
    CHECK(bytes <= sizeof replay_work);
    CHECK(bytes == (40 * (size_t)p->chunks * p->micro_batches + 352) * p->devices
          || sizeof(size_t) != 8);
    CHECK_STATUS(sgdpar_pipeline_replay(p, &links, replay_work, bytes, device, &step), SGDPAR_OK);
    CHECK_REL(t->last_s, step.step_s, 0.0);
    return step;
}

TEST(a_replay_without_shared_links_is_the_step)
{
    const size_t cases = TEST_SIZE(300, 10000);
    for (size_t i = 0; i < cases; i++) {
        const sgdpar_pipeline p = random_pipeline();
        const size_t kinds = p.schedule == SGDPAR_PIPELINING_ZB ? 3 : 2;
        sgdpar_pipeline_step want, step, shared;
        uint32_t machine[LINE_P];
        told t;
        random_stages(i % 3 == 0 ? 0.0 : 0.7);
        want = run(&p);
        step = replay(&p, NULL, 0, &t);
        CHECK_REL(step.step_s, want.step_s, 1e-12);
        CHECK_REL(step.passes_s, want.passes_s, 1e-12);
        CHECK(fabs(step.bubble_share - want.bubble_share) < 1e-12);
        CHECK(t.passes == kinds * p.devices * p.chunks * p.micro_batches);
        for (size_t d = 0; d < p.devices; d++) {
            CHECK_REL(device[d].passes_s, t.busy_s[d], 1e-9);
            machine[d] = (uint32_t)(d / 2);
        }
        shared = replay(&p, machine, (int)(i % 2), &t);    /* who waits longer ends later */
        CHECK(shared.step_s >= want.step_s * (1.0 - 1e-12));
    }
}

/* Stage 1 sends back and exchanges at once, from 4 s on: its transfer takes 2 s instead of 1, and
 * its exchange 3 instead of 2. */
TEST(transfers_and_exchanges_share_a_link)
{
    const uint32_t apart[2] = {0, 1}, together[2] = {0, 0}, wrong[2] = {0, 2};
    const sgdpar_pipeline p = pipeline_of(SGDPAR_PIPELINING_1F1B, 2, 1, 1);
    const sgdpar_shared bad = {wrong, 0, NULL, NULL}, none = {NULL, 0, NULL, NULL};
    sgdpar_pipeline_step step;
    told t;
    alike(2, 1.0, 1.0, 0.0);
    for (size_t i = 0; i < 2; i++) stage[i].exchange_s = 2.0;
    stage[0].send_s = 1.0;
    CHECK_REL(run(&p).step_s, 8.0, 0.0);
    CHECK_REL(replay(&p, NULL, 1, &t).step_s, 8.0, 0.0);
    CHECK_REL(replay(&p, apart, 1, &t).step_s, 9.0, 1e-12);
    CHECK_REL(replay(&p, apart, 0, &t).step_s, 8.0, 1e-12);     /* two links */
    CHECK_REL(replay(&p, together, 0, &t).step_s, 9.0, 1e-12);
    CHECK_REL(replay(&p, together, 1, &t).step_s, 8.0, 1e-12);
    CHECK_STATUS(sgdpar_pipeline_replay(&p, &bad, replay_work, sizeof replay_work, NULL, &step),
                 SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pipeline_replay(&p, NULL, replay_work, sizeof replay_work, NULL, &step),
                 SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_pipeline_replay(&p, &none, replay_work, 8, NULL, &step),
                 SGDPAR_SMALL_WORKSPACE);
    CHECK_STATUS(sgdpar_pipeline_replay_bytes(NULL, NULL), SGDPAR_BAD_ARGUMENT);
}

TEST_MAIN("test_pipeline");
