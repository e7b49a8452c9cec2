/* fuzz_network.c - bytes become a network, options and a solver; each solver gets a
 * block of exactly the bytes that it asks for. Nothing may crash or read what is not
 * its own; what is refused is not written; what is solved obeys the laws.
 *
 *     fuzz_network [runs | file]       8000 runs of random bytes by default, 40000 in full
 *
 * Under clang -fsanitize=fuzzer the engine finds the bytes. */
#include "../sgdperf.h"

#include "networks.h"
#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes not yet decoded; zeros after the last one. */
typedef struct source { const uint8_t *data; size_t left; } source;

static uint8_t next_byte(source *s)
{
    if (s->left == 0) return 0;
    s->left--;
    return *s->data++;
}

static size_t next_below(source *s, size_t n) { return next_byte(s) % n; }

static double next_raw(source *s)
{
    uint64_t bits = 0;
    double value;
    int i;
    for (i = 0; i < 8; i++) bits = bits << 8 | next_byte(s);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Mostly moderate times, at times 0, extreme, or any eight bytes. */
static double next_time(source *s)
{
    const uint8_t kind = next_byte(s);
    if (kind < 160) return (double)(kind + 1) / 32.0;
    if (kind < 200) return 0.0;
    if (kind < 250) return ldexp(1.0 + (double)next_byte(s) / 256.0, 4 * (kind - 225));
    return kind < 254 ? (double)next_byte(s) * DBL_MAX : next_raw(s);
}

/* Valid with few exceptions. */
static double next_capacity(source *s)
{
    const uint8_t kind = next_byte(s);
    if (kind < 150) return 1.0;
    if (kind < 220) return 1.0 + (double)(kind - 150) / 8.0;
    return kind < 250 ? HUGE_VAL : next_raw(s);
}

static double next_gamma(void *ctx, double utilization)
{
    const double limit = *(const double *)ctx;
    return limit > 1.0 ? limit : limit * (utilization < 1.0 ? utilization : 1.0);
}

static box next_box(source *s)
{
    const size_t classes = 1 + next_below(s, 5), stations = 1 + next_below(s, 4);
    box b = box_new(classes, stations);
    size_t i;
    for (i = 0; i < classes; i++) {
        const uint8_t kind = next_byte(s);
        b.population[i] = kind < 200 ? kind % 4u + 1u : kind % 61u;
        if (kind == 255) b.population[i] = UINT32_MAX;
        b.think_s[i] = next_time(s);
    }
    for (i = 0; i < classes * stations; i++) b.demand_s[i] = next_time(s);
    for (i = 0; i < stations; i++) b.capacity[i] = next_capacity(s);
    for (i = 0; i < stations; i++) {
        const uint8_t kind = next_byte(s);
        b.discipline[i] = (sgdp_discipline)(kind < 252 ? kind % 4 : kind);
    }
    i = next_byte(s);
    if (i % 8 == 1) b.net.population = NULL;
    if (i % 8 == 2) b.net.think_s = NULL;
    if (i % 8 == 3) b.net.capacity = NULL;
    if (i % 8 >= 4) b.net.discipline = NULL;
    return b;
}

/* Small budgets keep every run short. */
static sgdp_mva_options next_options(source *s, double *limit)
{
    sgdp_mva_options o;
    const uint8_t kind = next_byte(s);
    memset(&o, 0, sizeof o);
    o.method = (sgdp_method)(kind % 16 < 12 ? 0 : kind % 16 - 11);
    o.max_operations = 2e5;
    o.max_bytes = 1u << 20;
    o.gamma_rule = (sgdp_gamma_rule)(kind / 16 % 4 < 3 ? kind / 16 % 4 : 0);
    *limit = (double)next_byte(s) / 250.0;
    if (next_byte(s) % 2) {
        o.gamma = next_gamma;
        o.gamma_ctx = limit;
    }
    o.max_iterations = 200;
    if (next_byte(s) % 16 == 15) o.tolerance = next_raw(s);
    if (next_byte(s) % 16 == 15) o.max_iterations = 1;
    return o;
}

static void require(int condition)
{
    if (!condition) abort();
}

static int is_moderate(double x) { return x <= 0.0 || (x >= 1e-100 && x <= 1e100); }

/* Far larger or smaller numbers may overflow or lose digits in sums and products. */
static int is_tame(const sgdp_network *net)
{
    size_t i;
    for (i = 0; i < net->classes; i++)
        if (!is_moderate(think_of(net, i))) return 0;
    for (i = 0; i < net->classes * net->stations; i++)
        if (!is_moderate(net->demand_s[i])) return 0;
    for (i = 0; i < net->stations; i++)
        if (!is_delay(net, i) && !is_moderate(capacity_of(net, i))) return 0;
    return 1;
}

static void check_answer(solver s, const sgdp_network *net, const answer *a,
                         int converged)
{
    static const double limit[SOLVERS] = {1e-11, 1e-9, 1e-6};
    size_t i;
    for (i = 0; i < a->values; i++) require(a->value[i] >= 0.0);
    for (i = 0; i < net->stations; i++) require(a->out.gamma[i] <= 1.0);
    if (!is_tame(net)) return;
    for (i = 0; i < a->values; i++) require(a->value[i] <= DBL_MAX);
    if (converged) require(lawlessness(net, &a->out, s == EXACT) <= limit[s]);
}

static void check_bounds(const sgdp_network *net, const answer *a)
{
    double lower[8], upper[8];
    size_t c;
    require(sgdp_mva_bounds(net, lower, upper) == SGDP_OK);
    if (!is_tame(net)) return;
    for (c = 0; c < net->classes; c++) {
        require(lower[c] <= a->out.throughput_per_s[c] * (1.0 + 1e-11));
        require(upper[c] >= a->out.throughput_per_s[c] * (1.0 - 1e-11));
    }
}

static void check_solver(solver s, const sgdp_network *net, const sgdp_mva_options *o)
{
    answer a = answer_new(net);
    sgdp_status status;
    size_t i;
    for (i = 0; i < a.values; i++) a.value[i] = -3.0;
    status = solve(s, net, o, &a);
    require((unsigned)status < (unsigned)SGDP_STATUS_COUNT);
    if (status == SGDP_OK || status == SGDP_NOT_CONVERGED) {
        check_answer(s, net, &a, status == SGDP_OK);
        if (s == EXACT) check_bounds(net, &a);
    } else {
        for (i = 0; i < a.values; i++) require(same(a.value[i], -3.0));
    }
    answer_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source from;
    double limit = 0.0;
    sgdp_mva_options options;
    box b;
    int s;
    from.data = data;
    from.left = size;
    options = next_options(&from, &limit);
    b = next_box(&from);
    for (s = 0; s < (int)SOLVERS; s++) check_solver((solver)s, &b.net, &options);
    box_free(&b);
    return 0;
}

#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static void run_random(unsigned long runs)
{
    uint64_t state = 1;
    uint8_t data[160];
    unsigned long run;
    size_t i;
    for (run = 0; run < runs; run++) {
        const size_t size = random_size(&state, 0, sizeof data);
        const int tame = random_unit(&state) < 0.8;   /* fewer bytes of rare meaning  */
        for (i = 0; i < size; i++)
            data[i] = (uint8_t)(random_bits(&state) % (tame && i > 4 ? 240 : 256));
        LLVMFuzzerTestOneInput(data, size);
    }
}

static int run_file(const char *path)
{
    static uint8_t data[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, file));
    fclose(file);
    return 1;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    const unsigned long runs = argc > 1 ? strtoul(argv[1], &end, 10)
                                        : TEST_SIZE(8000, 40000);
    int well = 1;
    if (end && *end) well = run_file(argv[1]);
    else run_random(runs);
    printf("fuzz_network: %d passed, %d failed\n", well, !well);
    return !well;
}
#endif
