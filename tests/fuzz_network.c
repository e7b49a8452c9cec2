/* fuzz_network.c - bytes become a network, options and a solver; each solver gets a
 * block of exactly the bytes that it asks for. Nothing may crash or read what is not
 * its own; what is refused is not written; what is solved obeys the laws. */
#include "../sgdperf.h"

#include "fuzz.h"
#include "networks.h"
#include "test.h"

static size_t next_below(fuzz_bytes *from, size_t n) { return fuzz_byte(from) % n; }

static double next_raw(fuzz_bytes *from)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; i++) bits = bits << 8 | fuzz_byte(from);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Mostly moderate times, at times 0, extreme, or any eight bytes. */
static double next_time(fuzz_bytes *from)
{
    const unsigned kind = fuzz_byte(from);
    if (kind < 160) return (double)(kind + 1) / 32.0;
    if (kind < 200) return 0.0;
    if (kind < 250) return ldexp(1.0 + (double)fuzz_byte(from) / 256.0, 4 * ((int)kind - 225));
    return kind < 254 ? (double)fuzz_byte(from) * DBL_MAX : next_raw(from);
}

/* Valid with few exceptions. */
static double next_capacity(fuzz_bytes *from)
{
    const unsigned kind = fuzz_byte(from);
    if (kind < 150) return 1.0;
    if (kind < 220) return 1.0 + (double)(kind - 150) / 8.0;
    return kind < 250 ? HUGE_VAL : next_raw(from);
}

static double next_gamma(void *ctx, double utilization)
{
    const double limit = *(const double *)ctx;
    return limit > 1.0 ? limit : limit * (utilization < 1.0 ? utilization : 1.0);
}

static box next_box(fuzz_bytes *from)
{
    const size_t classes = 1 + next_below(from, 5), stations = 1 + next_below(from, 4);
    box b = box_new(classes, stations);
    size_t i;
    for (i = 0; i < classes; i++) {
        const unsigned kind = fuzz_byte(from);
        b.population[i] = kind < 200 ? kind % 4u + 1u : kind % 61u;
        if (kind == 255) b.population[i] = UINT32_MAX;
        b.think_s[i] = next_time(from);
    }
    for (i = 0; i < classes * stations; i++) b.demand_s[i] = next_time(from);
    for (i = 0; i < stations; i++) b.capacity[i] = next_capacity(from);
    for (i = 0; i < stations; i++) {
        const unsigned kind = fuzz_byte(from);
        b.discipline[i] = (sgdp_discipline)(kind < 252 ? kind % 4 : kind);
    }
    i = fuzz_byte(from);
    if (i % 8 == 1) b.net.population = NULL;
    if (i % 8 == 2) b.net.think_s = NULL;
    if (i % 8 == 3) b.net.capacity = NULL;
    if (i % 8 >= 4) b.net.discipline = NULL;
    return b;
}

/* Small budgets keep every run short. */
static sgdp_mva_options next_options(fuzz_bytes *from, double *limit)
{
    const unsigned kind = fuzz_byte(from);
    sgdp_mva_options o = {.method = (sgdp_method)(kind % 16 < 12 ? 0 : kind % 16 - 11),
                          .max_operations = 2e5, .max_bytes = 1u << 20,
                          .gamma_rule = (sgdp_gamma_rule)(kind / 16 % 4 < 3 ? kind / 16 % 4 : 0)};
    *limit = (double)fuzz_byte(from) / 250.0;
    if (fuzz_byte(from) % 2) {
        o.gamma = next_gamma;
        o.gamma_ctx = limit;
    }
    o.max_iterations = 200;
    if (fuzz_byte(from) % 16 == 15) o.tolerance = next_raw(from);
    if (fuzz_byte(from) % 16 == 15) o.max_iterations = 1;
    return o;
}

static int is_moderate(double x) { return x <= 0.0 || (x >= 1e-100 && x <= 1e100); }

/* Far larger or smaller numbers may overflow or lose digits in sums and products. */
static int is_tame(const sgdp_network *net)
{
    for (size_t i = 0; i < net->classes; i++)
        if (!is_moderate(think_of(net, i))) return 0;
    for (size_t i = 0; i < net->classes * net->stations; i++)
        if (!is_moderate(net->demand_s[i])) return 0;
    for (size_t i = 0; i < net->stations; i++)
        if (!is_delay(net, i) && !is_moderate(capacity_of(net, i))) return 0;
    return 1;
}

static void check_answer(solver s, const sgdp_network *net, const answer *a,
                         int converged)
{
    static const double limit[SOLVERS] = {1e-11, 1e-9, 1e-6};
    for (size_t i = 0; i < a->values; i++) require(a->value[i] >= 0.0);
    for (size_t i = 0; i < net->stations; i++) require(a->out.gamma[i] <= 1.0);
    if (!is_tame(net)) return;
    for (size_t i = 0; i < a->values; i++) require(a->value[i] <= DBL_MAX);
    if (converged) require(lawlessness(net, &a->out, s == EXACT) <= limit[s]);
}

static void check_bounds(const sgdp_network *net, const answer *a)
{
    double lower[8], upper[8];
    require(sgdp_mva_bounds(net, lower, upper) == SGDP_OK);
    if (!is_tame(net)) return;
    for (size_t c = 0; c < net->classes; c++) {
        require(lower[c] <= a->out.throughput_per_s[c] * (1.0 + 1e-11));
        require(upper[c] >= a->out.throughput_per_s[c] * (1.0 - 1e-11));
    }
}

static void check_solver(solver s, const sgdp_network *net, const sgdp_mva_options *o)
{
    answer a = answer_new(net);
    for (size_t i = 0; i < a.values; i++) a.value[i] = -3.0;
    sgdp_status status = solve(s, net, o, &a);
    require((unsigned)status < (unsigned)SGDP_STATUS_COUNT);
    if (status == SGDP_OK || status == SGDP_NOT_CONVERGED) {
        check_answer(s, net, &a, status == SGDP_OK);
        if (s == EXACT) check_bounds(net, &a);
    } else {
        for (size_t i = 0; i < a.values; i++) require(same(a.value[i], -3.0));
    }
    answer_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes from = fuzz_read(data, size);
    double limit = 0.0;
    sgdp_mva_options options = next_options(&from, &limit);
    box b = next_box(&from);
    for (int s = 0; s < (int)SOLVERS; s++) check_solver((solver)s, &b.net, &options);
    box_free(&b);
    return 0;
}

FUZZ_MAIN("fuzz_network", "");
