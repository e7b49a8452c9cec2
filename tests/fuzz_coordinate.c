/* fuzz_coordinate.c - any scheme with any times is run or refused, within the work area that
 * it asks for and the events that it is allowed, and twice alike. */
#define FUZZ_RUNS 1500
#include "foresee.h"
#include "fuzz.h"

enum { WORKERS = 8, ITERATIONS = 6, EVENTS = 600, TIMES = 32 };

typedef struct input {
    sgdbal_scheme_config config;
    uint32_t batch[WORKERS + 1];
    double   time_s[TIMES];
    sgdbal_worker worker[WORKERS];
    sgdbal_balancer_config  balance;
    foresight foresight;
    uint64_t calls, pulls, pushes, updates, samples;
    int      failed;                               /* a callback answered badly       */
} input;

static double answer(input *in, uint32_t worker, uint64_t iteration, double scale)
{
    const double time_s = in->time_s[(worker * 5 + iteration * 3) % TIMES] * scale;
    require(!in->failed && worker < in->config.workers.count && iteration < 1 << 20);
    in->calls++;
    in->failed = !(time_s >= 0.0 && time_s <= DBL_MAX);
    return time_s;
}

static double batch_time(void *ctx, uint32_t worker, uint64_t iteration, double start_s,
                         uint32_t samples)
{
    require(start_s >= 0.0 && start_s <= DBL_MAX);
    return answer((input *)ctx, worker, iteration, (double)samples);
}

static double sample_time(void *ctx, uint32_t worker, uint64_t iteration, double now_s,
                          uint32_t samples)
{
    require(now_s >= 0.0 && now_s <= DBL_MAX && samples == 1);
    return answer((input *)ctx, worker, iteration, 1.0);
}

static void usage(void *ctx, uint32_t worker, uint64_t iteration, double start_s, double *cpu,
                  double *memory)
{
    input *in = (input *)ctx;
    require(start_s >= 0.0 && start_s <= DBL_MAX && worker < in->config.workers.count);
    *cpu = in->time_s[(worker + iteration) % TIMES];
    *memory = in->time_s[(worker + 2 * iteration) % TIMES];
}

/* Hands all batches on to the next worker; sometimes none is left. */
static void rebalance(void *ctx, const sgdbal_barrier *barrier, uint32_t *next)
{
    const input *in = (const input *)ctx;
    require(barrier->workers == in->config.workers.count);
    require(barrier->next == barrier->iteration + (in->config.balance.non_blocking ? 2 : 1));
    for (uint32_t w = 0; w < barrier->workers; w++)
        next[w] = barrier->batch[(w + 1) % barrier->workers]
                  / (barrier->time_s[w] > 1000.0 ? 2 : 1);
}

static void on_event(void *ctx, const sgdbal_model_event *event)
{
    input *in = (input *)ctx;
    if (event->op == SGDBAL_PULL) in->pulls++;
    if (event->op == SGDBAL_PUSH) in->pushes++;
    if (event->op == SGDBAL_UPDATE) in->updates++;
    require(in->pushes <= in->pulls && in->updates <= in->pushes);
    require(event->op == SGDBAL_UPDATE ? event->version == in->updates
                                       : event->version <= in->updates);
    in->samples += event->samples;
}

/* A balancer instead of the callback, curves instead of times. */
static void read_balance(fuzz_bytes *b, input *in)
{
    sgdbal_scheme_config *c = &in->config;
    const unsigned flags = fuzz_byte(b), more = fuzz_byte(b);
    if (flags & 1) c->workers.curve = in->worker;
    for (size_t i = 0; i < WORKERS; i++) {
        in->worker[i].launch_s = in->time_s[i];
        in->worker[i].slope_s = in->time_s[WORKERS + i];
        in->worker[i].max_batch = flags & 2 ? 2 * in->batch[i] : 0;
    }
    if (!(flags & 4)) return;
    c->balance.config = &in->balance;
    if (!(flags & 8)) c->balance.rebalance = NULL;
    in->balance.method = (sgdbal_method)(flags / 16 % 2);
    (void)sgdbal_pairs_preset((sgdbal_rule)(flags / 32 % 2), &in->balance.pairs);
    if (flags & 128) in->balance.least_batch = in->batch + 1;
    if (more & 1) c->balance.forecast.speed = foresee;
    c->balance.forecast.speed_ctx = &in->foresight;
    in->foresight.config.kind = (sgdfc_kind)(more / 2 % 8);
    in->foresight.config.train = 10;
    in->foresight.config.epochs = 1;
    c->balance.forecast.score_from = more / 16 % 4;
    if (more & 64) c->balance.forecast.usage = usage;
    c->balance.forecast.usage_ctx = in;
}

static void read_input(fuzz_bytes *b, input *in)
{
    sgdbal_scheme_config *c = &in->config;
    c->scheme = (sgdbal_scheme)(fuzz_byte(b) % (SGDBAL_SCHEME_COUNT + 1));
    c->workers.count = fuzz_byte(b) % (WORKERS + 1);
    c->length.iterations = fuzz_byte(b) % (ITERATIONS + 1);
    c->staleness = fuzz_byte(b) % 4;
    c->spare = fuzz_byte(b) % 4;
    c->flexrr.checks = fuzz_byte(b);
    unsigned flags = fuzz_byte(b);
    c->barrier_s = flags & 1 ? fuzz_number(b) : 0.0;
    c->balance.update_s = flags & 2 ? fuzz_number(b) : 0.0;
    c->flexrr.migrate_s = flags & 4 ? fuzz_number(b) / 16.0 : 0.0;
    c->flexrr.trigger = flags & 8 ? fuzz_number(b) : 0.0;
    c->flexrr.shed = flags & 16 ? fuzz_number(b) / 4.0 : 0.0;
    c->balance.non_blocking = (flags & 32) != 0;
    c->against_bsp = (flags & 64) != 0;
    c->flexrr.sample_s = flags & 128 ? sample_time : NULL;
    c->workers.batch = in->batch;
    c->workers.time_s = batch_time;
    c->balance.rebalance = rebalance;
    c->workers.ctx = c->flexrr.ctx = c->balance.ctx = c->watch.ctx = in;
    c->length.max_events = EVENTS;
    for (size_t i = 0; i < WORKERS; i++) in->batch[i] = fuzz_byte(b);
    if (fuzz_byte(b) > 250) in->batch[1] = UINT32_MAX;
    for (size_t i = 0; i < TIMES; i++) in->time_s[i] = fuzz_number(b);
    read_balance(b, in);
}

static void require_result(const input *in, const sgdbal_scheme_result *out)
{
    const sgdbal_scheme_config *c = &in->config;
    uint64_t pushed = 0, sum = 0, last = 0;
    require(out->total_s > 0.0 && out->total_s <= DBL_MAX && out->events <= EVENTS);
    for (uint32_t w = 0; w < c->workers.count; w++) {
        require(out->workers.waiting_share[w] >= -1e-9 &&
                out->workers.waiting_share[w] <= 1.0 + 1e-9);
        pushed += out->workers.pushed[w];
        sum += c->workers.batch[w];
        last += out->workers.last_batch[w];
    }
    require(pushed == out->updates && in->pushes == pushed);
    require(out->staleness.mean <= (double)out->staleness.max);
    require(out->predictions.rmse >= 0.0);
    require(out->predictions.count <= c->workers.count * c->length.iterations);
    require(c->balance.config || out->predictions.count == 0);
    if (c->scheme == SGDBAL_LB_BSP && c->balance.config && in->balance.method == SGDBAL_BY_SPEED)
        require(last == sum);
    if (c->scheme == SGDBAL_FLEXRR)
        require(last == sum && in->samples == sum * c->length.iterations);
    if (c->scheme == SGDBAL_ASP || c->scheme == SGDBAL_SSP)
        require(in->updates == c->workers.count * c->length.iterations);
    else
        require(in->updates == c->length.iterations);
}

/* Behind a warm-up: what counts is no more than all. */
static void try_steady(const uint8_t *data, size_t size)
{
    fuzz_bytes b = fuzz_read(data, size);
    const uint64_t warmup = size % 4;
    double waiting[WORKERS];
    size_t need = 0;
    input in = {0};
    sgdbal_scheme_result out = {.workers.waiting_share = waiting};
    read_input(&b, &in);
    if (sgdbal_scheme_run_steady_bytes(&in.config, warmup, &need) != SGDBAL_OK) return;
    void *work = fuzz_area(need, 0xff);
    if (need > 0)
        require(sgdbal_scheme_run_steady(&in.config, warmup, work, need - 1, &out) != SGDBAL_OK);
    if (sgdbal_scheme_run_steady(&in.config, warmup, work, need, &out) == SGDBAL_OK) {
        require(out.total_s >= 0.0 && out.total_s <= DBL_MAX);
        for (uint32_t w = 0; w < in.config.workers.count; w++)
            require(waiting[w] >= -1e-9 && waiting[w] <= 1.0 + 1e-9);
    }
    foresee_close(&in.foresight);
    free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sgdbal_scheme_result out[2];
    double waiting[2][WORKERS];
    uint32_t batch[2][WORKERS];
    uint64_t pushed[2][WORKERS];
    sgdbal_status status[2];
    memset(out, 0, sizeof out);
    try_steady(data, size);
    for (int i = 0; i < 2; i++) {
        fuzz_bytes b = fuzz_read(data, size);
        sgdbal_refusal why = {SGDBAL_FAULT_NONE, 0};
        size_t need = 0;
        input in = {0};
        read_input(&b, &in);
        status[i] = sgdbal_scheme_check(&in.config, &why);
        require((status[i] == SGDBAL_OK) == (why.reason == SGDBAL_FAULT_NONE));
        if (sgdbal_scheme_bytes(&in.config, &need) != SGDBAL_OK) return 0;
        require(status[i] == SGDBAL_OK);
        void *work = fuzz_area(need, i ? 0xff : 0);
        out[i].workers.waiting_share = waiting[i];
        out[i].workers.last_batch = batch[i];
        out[i].workers.pushed = pushed[i];
        in.config.watch.on_event = on_event;
        status[i] = sgdbal_scheme_run(&in.config, work, need, out + i);
        foresee_close(&in.foresight);
        free(work);
        require(!in.failed || status[i] == SGDBAL_BAD_TIME);
        require(in.failed || in.config.workers.curve || status[i] != SGDBAL_BAD_TIME);
        if (status[i] == SGDBAL_OK) require_result(&in, out + i);
    }
    require(status[0] == status[1]);
    if (status[0] != SGDBAL_OK) return 0;
    require(memcmp(waiting[0], waiting[1], sizeof waiting[0][0]) == 0);
    out[1].workers.waiting_share = out[0].workers.waiting_share;
    out[1].workers.last_batch = out[0].workers.last_batch;
    out[1].workers.pushed = out[0].workers.pushed;
    require(memcmp(out, out + 1, sizeof out[0]) == 0);
    return 0;
}

/* Scheme, workers, iterations, gap, spare, checks and flags; batches; times. Printable
 * characters stand for the schemes by their code modulo 7: F G H I J K; last the flags of
 * a balancer and of its predictors;
 * of workers and iterations G and E are the most. */
FUZZ_MAIN("fuzz_coordinate",
    "F8EAAd AAAA*AAAPQR1234567890abcdefghijklmnopqrstuvwxyz",
    "GGEBAd AAAABBBBPQR1a2b3c4d5e6f7g8h9i0jAkBlCmDnEoFpGqHr",
    "HGEBAd 0AZzkqTfPQRq1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8",
    "IGEBBd AAAAAAAAPQRzaxscdvfbgnhmjklpoiuytrewqZAXSCDVFBG",
    "JGEBBd\"!AAAAAAAPQRplokmijnuhbygvtfcrdxeszwaq0987654321",
    "JGEBBd  AAAAAAAA0plokmijnuhbygvtfcrdxeszwaq098765D ",
    "JGEBBd  AAAAAAAA0plokmijnuhbygvtfcrdxeszwaq098765DM",
    "JGEBBd  AAAAAAAA0plokmijnuhbygvtfcrdxeszwaq098765TM",
    "JGEBBd@ AAAAAAAA0plokmijnuhbygvtfcrdxeszwaq098765ES",
    "JGEBB  AAAAAAAA0plokmijnuhbygvtfcrdxeszwaq0987654ut",
    "HGEBB  AAAAAAAA0plokmijnuhbygvtfcrdxeszwaq0987654A ",
    "KGEBBd PPPPPPPPPQR9281736455647382910zmxncbvalskdjfhgq",
    "KGEBB2\xA0PPPPPPPPPQR!2928173645564738291#zmxncbvalskdjfh",
    "KGEBB2\xDC!PPPPPPPPPQR19281736455647382910zmxncbvalskdjfh",
    "");
