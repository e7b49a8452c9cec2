/* fuzz_balance.c - any workers, batches, times and options are answered or refused, within
 * the work area that is asked for and twice alike; what is answered adds up, is within its
 * limits, and is the optimum where that is claimed. */
#include "../sgdperf_balance.h"

#include "files/busy.h"
#include "fuzz.h"

enum { WORKERS = 8, ITERATIONS = 40, POINTS = 12, GREEDY = 200 };

static uint32_t whole(fuzz_bytes *b)
{
    const unsigned code = fuzz_byte(b);
    return code < 250 ? code : code == 255 ? UINT32_MAX : (code - 249) * 858993459u;
}

static uint64_t sum_of(const uint32_t *x, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* The largest that is allowed, 0 standing for any. */
static uint32_t limit_of(const uint32_t *most, size_t i)
{
    return most && most[i] > 0 ? most[i] : UINT32_MAX;
}

typedef struct input {
    size_t          workers;
    uint64_t        total;
    uint32_t        batch[WORKERS], least[WORKERS], most[WORKERS];
    double          speed[WORKERS];
    sgdbal_worker worker[WORKERS];
    unsigned        flags;
} input;

static void read_input(fuzz_bytes *b, input *in)
{
    *in = (input){.workers = fuzz_byte(b) % (WORKERS + 1)};
    in->flags = fuzz_byte(b);
    in->total = whole(b);
    if (in->flags & 128) in->total *= 1 + (uint64_t)whole(b);
    for (size_t i = 0; i < in->workers; i++) {
        sgdbal_worker *w = in->worker + i;
        in->batch[i] = whole(b);
        in->least[i] = fuzz_byte(b) % 64 / 16;
        in->most[i] = whole(b) / 2;
        in->speed[i] = fuzz_number(b);
        w->launch_s = fuzz_number(b) / 4.0;
        w->slope_s = fuzz_number(b) / 16.0;
        w->floor_s = fuzz_number(b);
        w->communication_s = fuzz_number(b) / 4.0;
        if (in->flags & 1) w->max_batch = in->most[i];
    }
}

/* ---- Shares ------------------------------------------------------------------ */

/* Where no limit binds: within one sample of X v / sum v. */
static void require_near(const input *in, const uint32_t *batch)
{
    double most = 0.0, sum = 0.0;
    for (size_t i = 0; i < in->workers; i++) most = fmax(most, in->speed[i]);
    for (size_t i = 0; i < in->workers; i++)
        sum += most > 0.0 ? fmax(0.0, in->speed[i]) / most : 1.0;
    for (size_t i = 0; i < in->workers; i++) {
        const double v = most > 0.0 ? fmax(0.0, in->speed[i]) / most : 1.0;
        const double share = (double)in->total * v / sum;
        require(fabs((double)batch[i] - share) < 1.0 + 1e-12 * (double)in->total + 1e-8);
    }
}

static void try_split(const input *in)
{
    const uint32_t *least = in->flags & 2 ? in->least : NULL;
    const uint32_t *most = in->flags & 4 ? in->most : NULL;
    uint32_t got[2][WORKERS];
    uint64_t from = 0, to = 0;
    sgdbal_status status[2];
    int bad = 0, bound = 0, run;
    size_t need = 0, i;
    const sgdbal_shares shares = {in->speed, least, most, in->workers, in->total};
    if (sgdbal_batches_proportional_bytes(&shares, &need) != SGDBAL_OK) return;
    for (i = 0; i < in->workers; i++) {
        from += least ? least[i] : 0;
        to += limit_of(most, i);
        bad |= !(fabs(in->speed[i]) <= DBL_MAX);
        bad |= least && least[i] > limit_of(most, i);
    }
    for (run = 0; run < 2; run++) {
        void *work = fuzz_area(need, run ? 0xff : 0);
        status[run] = sgdbal_batches_proportional(&shares, work, need, got[run]);
        free(work);
    }
    require(status[0] == status[1]);
    require(status[0] == (bad ? SGDBAL_BAD_WORKER : in->total < from || in->total > to
                          ? SGDBAL_NO_ROOM : SGDBAL_OK));
    if (status[0] != SGDBAL_OK) return;
    require(memcmp(got[0], got[1], in->workers * sizeof got[0][0]) == 0);
    require(sum_of(got[0], in->workers) == in->total);
    for (i = 0; i < in->workers; i++) {
        const uint32_t low = least ? least[i] : 0, high = limit_of(most, i);
        require(got[0][i] >= low && got[0][i] <= high);
        bound |= (low > 0 && got[0][i] == low) || got[0][i] == high;
    }
    if (!bound && in->total < (uint64_t)1 << 40) require_near(in, got[0]);
}

/* ---- The optimum --------------------------------------------------------------- */

/* t(x), also where it is more than a double holds: the order of equal times counts. */
static double time_of(const sgdbal_worker *w, uint32_t x)
{
    const double line = w->launch_s + w->slope_s * (double)x;
    return (line > w->floor_s ? line : w->floor_s) + w->communication_s;
}

/* One sample after the other to the worker that has it done first. */
static void require_greedy(const input *in, uint32_t least, const uint32_t *batch)
{
    uint32_t x[WORKERS];
    uint64_t left = in->total - least * in->workers;
    for (size_t i = 0; i < in->workers; i++) x[i] = least;
    for (; left > 0; left--) {
        size_t best = in->workers;
        for (size_t i = 0; i < in->workers; i++)
            if (x[i] < limit_of(&in->worker[i].max_batch, 0) &&
                (best == in->workers || time_of(in->worker + i, x[i] + 1) <
                                            time_of(in->worker + best, x[best] + 1)))
                best = i;
        require(best < in->workers);
        x[best]++;
    }
    require(memcmp(x, batch, in->workers * sizeof *x) == 0);
}

static void try_optimum(const input *in)
{
    const uint32_t least = in->flags & 2 ? 1 : 0;
    uint32_t batch[WORKERS];
    double time_s = -1.0, longest_s = 0.0;
    const sgdbal_status status =
        sgdbal_batches_optimal(in->worker, in->workers, in->total, least, batch, &time_s);
    int tight = 0;
    if (status != SGDBAL_OK) {
        require(time_s < 0.0);
        return;
    }
    require(sum_of(batch, in->workers) == in->total);
    for (size_t i = 0; i < in->workers; i++) {
        double t = -1.0;
        require(batch[i] >= least && batch[i] <= limit_of(&in->worker[i].max_batch, 0));
        require(sgdbal_worker_time(in->worker + i, batch[i], &t, NULL) == SGDBAL_OK);
        if (batch[i] > 0) longest_s = fmax(longest_s, t);
        tight |= batch[i] > least && t >= time_s;
    }
    require(time_s >= longest_s && time_s <= longest_s);
    if (in->total <= GREEDY) require_greedy(in, least, batch);
    for (size_t i = 0; tight && i < in->workers; i++)
        require(batch[i] == limit_of(&in->worker[i].max_batch, 0) ||
                time_of(in->worker + i, batch[i] + 1) >= time_s);
}

static void try_fit(fuzz_bytes *b)
{
    const size_t points = fuzz_byte(b) % (POINTS + 1);
    const double communication_s = fuzz_number(b) / 8.0;
    uint32_t batch[POINTS];
    double time_s[POINTS], deviation_s = -1.0, t = -1.0;
    for (size_t i = 0; i < points; i++) {
        batch[i] = whole(b);
        time_s[i] = fuzz_number(b);
    }
    sgdbal_worker w = {0};
    if (sgdbal_worker_fit(batch, time_s, points, communication_s, &w, &deviation_s) !=
        SGDBAL_OK) {
        require(deviation_s < 0.0);
        return;
    }
    require(deviation_s >= 0.0 && deviation_s <= DBL_MAX && w.max_batch == 0);
    require(sgdbal_worker_time(&w, 0, &t, NULL) == SGDBAL_OK && t >= communication_s);
}

/* ---- From iteration to iteration ------------------------------------------------- */

static void predict(void *ctx, const double *speed, double *predicted)
{
    const input *in = (const input *)ctx;
    for (size_t i = 0; i < in->workers; i++)
        predicted[i] = in->flags & 8 ? in->speed[i] : 0.5 * (speed[i] + in->speed[i]);
}

static void read_rules(fuzz_bytes *b, input *in, sgdbal_balancer_config *r)
{
    const unsigned more = fuzz_byte(b);
    *r = (sgdbal_balancer_config){.method = (sgdbal_method)(more % 16 < 15 ? more % 2 : 2),
                                  .workers = in->workers};
    if (in->flags & 16) r->start = in->batch;
    else r->total = in->total;
    if (in->flags & 4) r->max_batch = in->most;
    if (in->flags & 2) r->least_batch = in->least;
    if (in->flags & 32) r->predict = predict;
    r->predict_ctx = in;
    if (in->flags & 64) r->curve = in->worker;
    if (more & 16) (void)sgdbal_pairs_preset(SGDBAL_ADVISED, &r->pairs);
    if (!(more & 32)) return;
    r->pairs.coarse.step = fuzz_byte(b) % 8;
    r->pairs.coarse.window = fuzz_byte(b) % 8;
    r->pairs.fine.step = fuzz_byte(b) % 4;
    r->pairs.fine.window = fuzz_byte(b) % 8;
    r->pairs.history = fuzz_byte(b) % 16;
    r->pairs.memory_limit = fuzz_number(b) / 2.0;
    r->pairs.tolerance = fuzz_number(b) / 16.0;
    r->pairs.cut_to_memory = fuzz_byte(b) % 2;
    r->pairs.hysteresis = fuzz_number(b) / 8.0;
    r->pairs.restart = fuzz_number(b) / 8.0;
    r->pairs.restart_each = fuzz_byte(b) % 2;
    r->pairs.project = fuzz_byte(b) % 2;
}

static void require_action(const input *in, const sgdbal_balancer_config *r, const uint32_t *before,
                           const uint32_t *now, const sgdbal_decision *did)
{
    const int bounded = r->method == SGDBAL_BY_SPEED || r->pairs.cut_to_memory;
    uint64_t moved = 0;
    require(sum_of(now, in->workers) == sum_of(before, in->workers));
    for (size_t i = 0; i < in->workers; i++) {
        if (now[i] > before[i]) moved += now[i] - before[i];
        require(!bounded || now[i] <= limit_of(r->max_batch, i));
        if (r->method == SGDBAL_BY_SPEED && r->least_batch)
            require(now[i] >= r->least_batch[i]);
    }
    require(did->moved == moved && (did->verdict == SGDBAL_BATCHES_MOVED) == (moved > 0));
    require(did->leader <= in->workers && did->straggler < in->workers);
    if (r->method == SGDBAL_BY_PAIRS && moved > 0) {
        require(did->leader < in->workers && did->leader != did->straggler);
        require(now[did->leader] == before[did->leader] + moved);
        require(now[did->straggler] == before[did->straggler] - moved);
    }
}

/* Times by the curves, or whatever comes. */
static void read_measured(fuzz_bytes *b, const input *in, const uint32_t *batch,
                          double *time_s, double *memory, double *speed, sgdbal_iteration *m)
{
    const unsigned code = fuzz_byte(b);
    for (size_t i = 0; i < in->workers; i++) {
        time_s[i] = code % 4 ? time_of(in->worker + i, batch[i]) : fuzz_number(b);
        memory[i] = code % 16 == 5 ? fuzz_number(b) / 2.0 : (double)batch[i] / 300.0;
        speed[i] = code % 16 == 6 ? fuzz_number(b) : in->speed[i];
    }
    *m = (sgdbal_iteration){.time_s = time_s};
    m->batch = code & 128 ? in->batch : NULL;      /* those before, if they have moved */
    m->memory = code & 64 ? memory : NULL;
    m->predicted = code & 32 ? speed : NULL;
}

static void try_balance(fuzz_bytes *b, input *in)
{
    sgdbal_balancer_config rules;
    sgdbal_balancer *balancer[2] = { NULL, NULL };
    void *work[2] = { NULL, NULL };
    size_t need = 0;
    read_rules(b, in, &rules);
    if (sgdbal_balancer_bytes(&rules, &need) != SGDBAL_OK) return;
    for (int run = 0; run < 2; run++) {
        work[run] = fuzz_area(need, run ? 0xff : 0);
        if (sgdbal_balancer_open(&rules, work[run], need, balancer + run) != SGDBAL_OK)
            require(!balancer[run]);
    }
    require(!balancer[0] == !balancer[1]);
    for (int k = 0; balancer[0] && k < ITERATIONS && fuzz_more(b); k++) {
        uint32_t before[WORKERS], now[2][WORKERS];
        double time_s[WORKERS], memory[WORKERS], speed[WORKERS];
        sgdbal_decision did[2];
        sgdbal_iteration m;
        sgdbal_status status[2];
        memset(did, 0, sizeof did);
        memcpy(before, sgdbal_balancer_batches(balancer[0]), in->workers * sizeof *before);
        read_measured(b, in, before, time_s, memory, speed, &m);
        for (int run = 0; run < 2; run++) {
            status[run] = sgdbal_balancer_step(balancer[run], &m, now[run], did + run);
            if (status[run] != SGDBAL_OK)
                memcpy(now[run], before, sizeof before);
            require(memcmp(sgdbal_balancer_batches(balancer[run]), now[run],
                           in->workers * sizeof *before) == 0);
        }
        require(status[0] == status[1]);
        require(memcmp(now[0], now[1], in->workers * sizeof *before) == 0);
        require(did[0].verdict == did[1].verdict && did[0].fine == did[1].fine);
        if (status[0] == SGDBAL_OK) require_action(in, &rules, before, now[0], did);
    }
    free(work[0]);
    free(work[1]);
}

static void try_weights(const input *in)
{
    double weight[WORKERS], gradient[WORKERS][2], out[2] = { 0.0, 0.0 }, sum = 0.0;
    const double *of[WORKERS];
    for (size_t i = 0; i < in->workers; i++) {
        gradient[i][0] = gradient[i][1] = 3.0;
        of[i] = in->batch[i] > 0 ? gradient[i] : NULL;
    }
    if (sgdbal_gradient_weights(in->batch, in->workers, 0, weight) != SGDBAL_OK) {
        require(sum_of(in->batch, in->workers) == 0);
        return;
    }
    for (size_t i = 0; i < in->workers; i++) sum += weight[i];
    require(fabs(sum - 1.0) < 1e-12);
    require(sgdbal_gradient_aggregate(of, in->batch, in->workers, 2, out) == SGDBAL_OK);
    require(fabs(out[0] - 3.0) < 1e-11 && fabs(out[1] - 3.0) < 1e-11);
}

/* ---- Partitions ---------------------------------------------------------------- */

static void require_partitions(const sgdbal_partitions *p, const input *in, uint64_t sum)
{
    uint64_t now = 0;
    for (size_t i = 0; i < in->workers; i++) {
        require(sgdbal_partitions_samples(p, i) >= 1);
        require(sgdbal_partitions_traversals(p, i) >= 0.0);
        now += sgdbal_partitions_samples(p, i);
    }
    require(now == sum);
}

static void try_partitions(fuzz_bytes *b, const input *in)
{
    sgdbal_partitions *p = NULL;
    uint32_t batch[WORKERS];
    size_t need = 0, i;
    int k, moving = 0;
    sgdbal_partitions_config rules = {.workers = in->workers, .samples = in->most,
                                      .gap = fuzz_number(b)};
    rules.sample_bytes = fuzz_number(b);
    rules.bandwidth_bytes_per_s = fuzz_number(b);
    if (sgdbal_partitions_bytes(&rules, &need) != SGDBAL_OK) return;
    void *work = fuzz_area(need, 0xff);
    if (sgdbal_partitions_open(&rules, work, need, &p) != SGDBAL_OK) require(!p);
    for (k = 0; p && k < ITERATIONS && fuzz_more(b); k++) {
        sgdbal_migration did;
        for (i = 0; i < in->workers; i++) batch[i] = k % 8 ? in->batch[i] : whole(b);
        if (sgdbal_partitions_step(p, batch, fuzz_number(b), &did) != SGDBAL_OK) continue;
        require(!moving || !did.started);
        require(moving || did.started || !did.ended);
        if (did.started || did.ended)
            require(did.from < in->workers && did.to < in->workers && did.from != did.to &&
                    did.samples > 0 && did.transfer_s >= 0.0);
        moving = (moving || did.started) && !did.ended;
        require_partitions(p, in, sum_of(in->most, in->workers));
        for (i = 0; did.ended && i < in->workers; i++)
            require(sgdbal_partitions_traversals(p, i) <= 0.0);
    }
    free(work);
}

/* ---- Shared machines ------------------------------------------------------------- */

/* From a seed the same speeds twice, none of them nothing. */
static void try_shared(fuzz_bytes *b)
{
    static busy_machine machine[2];
    const uint64_t seed = whole(b);
    const double idle_speed = fuzz_number(b);
    const int good = idle_speed >= 1e-70 && idle_speed <= 1e70;
    busy_row row[2];
    for (int run = 0; run < 2; run++)
        require(busy_start(machine + run, seed, idle_speed, BUSY_TASK_LENGTH) == good);
    for (int k = 0; good && k < ITERATIONS; k++) {
        for (int run = 0; run < 2; run++) row[run] = busy_next(machine + run);
        require(memcmp(row, row + 1, sizeof *row) == 0);
        require(row->cpu >= 0.08 && row->memory >= 0.08);
        require(row->speed >= 0.049 * idle_speed && row->speed <= 4.0 * idle_speed);
        require(busy_speed(idle_speed, row->cpu, row->memory) > 0.0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static input in;
    fuzz_bytes b = fuzz_read(data, size);
    unsigned what = fuzz_byte(&b) % 7;
    if (what == 6) {
        try_shared(&b);
        return 0;
    }
    if (what == 5) {
        try_fit(&b);
        return 0;
    }
    read_input(&b, &in);
    if (what == 0) try_split(&in);
    else if (what == 1) try_optimum(&in);
    else if (what == 2) try_partitions(&b, &in);
    else try_balance(&b, &in);
    try_weights(&in);
    return 0;
}

/* What, workers, flags, total; 8 a worker; then rules and iterations. H is a split, I the
 * optimum, J partitions, K and L balance, M fits curves; L M C D E G: 4 5 4 5 6 8 workers. */
FUZZ_MAIN("fuzz_balance",
    "HL @4 2ABCD4 3BCDE4 4CDEF4 5DEFG",
    "HG&z4S2ABCD4S3BCDE4A4CDEF4B5DEFG4 2ABCD4 3BCDE4Z4CDEF4 5DEFG",
    "ID@x4 ~AbCd4 ~bcDe4 ~CdEf4 ~dEfG",
    "ICA~4 ~AbCd4 ~bcDe4 ~CdEf4 ~dEfG",
    "JC@~  PAbCdp PbcDe0 PCdEf@ PdEfG!{{~~~~QR~~~QR~~~QR~~~~QR~~~~QR~~~~QR~~~~QR~~~~QR",
    "JC@~  PAbCdp PbcDe0 PCdEf@ PdEfG!QC123456789012345678901234567890123456789012345",
    "LM@x4 ~AHCd4 ~bRDe4 ~C`Ef4 ~hjfGAaaaaaaaaaabbbbbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "LMDx4 ~AHCd4 ~bRDe4 ~C`Ef4 ~hjfGQaaaaaaaaaabbbbbbbbbbaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "LMTx@ ~AHCd@ ~bRDe@ ~C`Ef@ ~hjfGa45AHPB#0!!01aaaaaaaaaabbbbbbbbbbaaaaaaaaaaaaaaaa",
    "KM@x4 ~AHCd4 ~bRDe4 ~C`Ef4 ~hjfG@aaaaaaaaaabbbbbbb~~~aaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "KMvx@ ~AHCd@ ~bRDe@ ~C`Ef@ ~hjfG@aaaaaaaaaabbbbbbb~~~aaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "MK(1A2B3C4D5E6F7G8H9I0J",
    "M, AHBPCXD`EhFp",
    "");
