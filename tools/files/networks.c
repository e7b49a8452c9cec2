/* networks.c - kinds of networks and of software by name */
#include "files/networks.h"

#include "base/words.h"
#include "files/modes.h"
#include "files/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NETWORK(name, kind, line, share, flows, cap, latency, known, source, date, note, use) \
    {name, kind, line, share, flows, cap, latency, known, source, date, note, use},
const network networks_all[] = {
#include "files/networks.def"
};
#undef NETWORK
const size_t networks_count = COUNT_OF(networks_all);

#define STACK(name, exposure, growth, growth_between, rows, spread, source) \
    {name, exposure, growth, growth_between, rows, spread, source},
const stack stacks_all[] = {
#include "files/stacks.def"
};
#undef STACK
const size_t stacks_count = COUNT_OF(stacks_all);

enum { CARDS_MOST = 1000 };

/* A table whose rows begin with their names. */
typedef struct kind_table {
    const char *first;
    size_t      count, bytes; /* of a row                                           */
    const char *what, *command;
} kind_table;

static const kind_table networks = {
    (const char *)networks_all, COUNT_OF(networks_all), sizeof *networks_all,
    "network", "networks"
};
static const kind_table stacks = {
    (const char *)stacks_all, COUNT_OF(stacks_all), sizeof *stacks_all,
    "software", "stacks"
};

static const char *name_at(const kind_table *of, size_t i)
{
    return *(const char *const *)(const void *)(of->first + i * of->bytes);
}

static const void *find(const kind_table *of, const char *name)
{
    size_t i = 0;
    while (i < of->count && strcmp(name_at(of, i), name) != 0) i++;
    return i < of->count ? of->first + i * of->bytes : NULL;
}

const network *network_find(const char *name) { return (const network *)find(&networks, name); }

/* Why a word is no kind; a word for several kinds of network, or the beginning of their names, has
 * these. */
static void tell_kinds(const kind_table *of, const char *name, char *why, size_t bytes)
{
    words_guess guess = {name, NULL, 0};
    char names[240] = "";
    for (size_t i = 0; i < of->count; i++) {
        const size_t used = strlen(names);
        words_consider(&guess, name_at(of, i));
        if (of == &networks && (strcmp(networks_all[i].kind, name) == 0 ||
                                (name[0] != '\0' &&
                                 strncmp(networks_all[i].name, name, strlen(name)) == 0)))
            snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? " or " : "",
                     networks_all[i].name);
    }
    if (names[0] == '\0' && guess.nearest) snprintf(names, sizeof names, "%s", guess.nearest);
    snprintf(why, bytes, "is not a kind of %s%s%s%s; sgdperf %s lists the kinds", of->what,
             names[0] != '\0' ? ", did you mean " : "", names, names[0] != '\0' ? "?" : "",
             of->command);
}

const network *network_read(option_id id, const char *name)
{
    const network *found = network_find(name);
    char why[400];
    if (found) return found;
    tell_kinds(&networks, name, why, sizeof why);
    args_fail(id, name, "%s", why);
}

/* Of the option, or the column. */
static const void *read_kind(const kind_table *of, const args *a, option_id id, const char *column,
                             const csv_table *t, size_t row)
{
    const char *name = a ? args_text(a, id, NULL) : NULL;
    const int at = !name && t ? csv_column(t, column) : CSV_NONE;
    char why[400];
    if (at != CSV_NONE && !csv_is_empty(t, row, at)) name = csv_text(t, row, at);
    if (!name || find(of, name)) return name ? find(of, name) : NULL;
    tell_kinds(of, name, why, sizeof why);
    if (at == CSV_NONE) args_fail(id, name, "%s", why);
    csv_fail(t, row, at, "'%s' %s", name, why);
}

job_kinds kinds_read(const args *a, const csv_table *t, size_t row)
{
    job_kinds k = {0};
    k.between = (const network *)read_kind(&networks, a, OPTION_NETWORK, "network", t, row);
    k.inside = (const network *)read_kind(&networks, a, OPTION_LOCAL_NETWORK, "local_network", t,
                                          row);
    k.stack = (const stack *)read_kind(&stacks, a, OPTION_STACK, "stack", t, row);
    k.cards = (uint32_t)(a ? args_integer(a, OPTION_CARDS, 1, CARDS_MOST, 0) : 0);
    if (t && k.cards == 0)
        k.cards = (uint32_t)csv_integer_or(t, row, csv_column(t, "cards"), 1, CARDS_MOST, 0);
    return k;
}

void cards_apply(uint32_t cards, int allreduce, sgdp_job *job)
{
    sgdp_links *links = &job->links;
    const double one = links->bandwidth_bytes_per_s, cap = links->flow_cap_bytes_per_s;
    uint32_t *rings = &job->collective.rings;
    if (cards < 2) return;
    links->bandwidth_bytes_per_s = one * cards;
    if (!allreduce && !(cap > 0.0 && cap < one)) links->flow_cap_bytes_per_s = one;
    if (*rings == 0) *rings = 1;
    if (allreduce) *rings = *rings < UINT32_MAX / cards ? *rings * cards : UINT32_MAX;
}

void cards_note(const args *a, const job_kinds *of)
{
    const uint32_t gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    const network *kind = of->between;
    uint32_t *workers = NULL;
    size_t n = args_workers(a, OPTION_WORKERS, &workers), i = 0;
    while (i < n && workers[i] <= gpus) i++;
    if (n > 0 && i == n) return;       /* one machine is enough                         */
    if (!network_has_cards(kind) || gpus < 2 || of->cards > 0 || args_given(a, OPTION_BANDWIDTH))
        return;
    tool_note("one-card", "%s %s: a machine of %lu accelerators is taken to have one network card "
              "of %g Gbit/s: give the number of cards by %s", NAME_OF(NETWORK), kind->name,
              (unsigned long)gpus, 8e-9 * kind->line_bytes_per_s, NAME_OF(CARDS));
}

double network_line(const network *of, double declared)
{
    return declared > 0.0 || !of ? declared : of->line_bytes_per_s;
}

double network_carries(const network *of, double declared)
{
    const double line = network_line(of, declared);
    const double cap = of->flows * of->flow_cap_bytes_per_s;
    return cap > 0.0 && line > 0.0 && cap < of->share * line ? cap : of->share * line;
}

int network_is_inside(const network *of)
{
    return strcmp(of->kind, "nvlink") == 0 || strcmp(of->kind, "pcie") == 0;
}

int network_has_cards(const network *of)
{
    return of && (strcmp(of->kind, "infiniband") == 0 || strcmp(of->kind, "roce") == 0);
}

double network_doubled(const network *of, double carried)
{
    const double cap = of ? of->flows * of->flow_cap_bytes_per_s : 0.0;
    if (!(cap > 0.0) || cap >= 2.0 * carried) return 2.0;
    return cap > carried * (1.0 + 1e-9) ? cap / carried : 1.0;
}

const network *network_slowest(double line)
{
    const network *least = NULL;
    for (size_t i = 0; i < networks_count; i++) {
        const network *of = &networks_all[i];
        if (network_is_inside(of) || fabs(of->line_bytes_per_s - line) > 1e-3 * line) continue;
        if (!least || network_carries(of, line) < network_carries(least, line)) least = of;
    }
    return least;
}

const network *network_better(const network *of, double line)
{
    const size_t place = strcspn(of->name, "-");
    const network *best = of;
    for (size_t i = 0; i < networks_count; i++) {
        const network *other = &networks_all[i];
        if (strcspn(other->name, "-") != place || strncmp(other->name, of->name, place) != 0 ||
            other->line_bytes_per_s > 0.0) continue;
        if (network_carries(other, line) > network_carries(best, line)) best = other;
    }
    return best != of ? best : NULL;
}

const network *kinds_apply(const job_kinds *of, int allreduce, sgdp_job *job)
{
    const double exposed = of->stack ? of->stack->exposure : 1.25;
    double *bandwidth = &job->links.bandwidth_bytes_per_s;
    double *local = &job->machine.local_bandwidth_bytes_per_s;
    if (of->inside && !((*local = network_carries(of->inside, *local)) > 0.0)) return of->inside;
    if (of->between && !((*bandwidth = network_carries(of->between, *bandwidth)) > 0.0))
        return of->between;
    cards_apply(of->cards, allreduce, job);
    if (!allreduce) return NULL;
    if (of->between && !(job->links.latency_s > 0.0)) job->links.latency_s = of->between->latency_s;
    if (of->stack && !(fabs(job->machine.growth) > 0.0)) job->machine.growth = of->stack->growth;
    if (of->stack && !(fabs(job->machine.growth_between) > 0.0))
        job->machine.growth_between = of->stack->growth_between;
    if ((of->stack || of->between) && !mode_overlaps(job) && !(fabs(job->overlap.exposure) > 0.0))
        tool_check(sgdp_set_input(job, SGDP_INPUT_EXPOSURE, exposed * (of->between ? 0.8 : 1.0)),
                   "exposure");
    return NULL;
}

static uint64_t traced_machine(const csv_table *t, size_t row)
{
    return t ? csv_integer_or(t, row, csv_column(t, "machine_accelerators"), 1, UINT32_MAX, 0) : 0;
}

static double traced_rate(const csv_table *t, size_t row)
{
    return csv_number_or(t, row, csv_column(t, "bandwidth_bytes_per_s"), NUMBER_POSITIVE, 0.0);
}

double kinds_traced(const args *a, const csv_table *t, size_t row)
{
    const uint64_t gpus = args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    return gpus > 1 && traced_machine(t, row) == gpus ? traced_rate(t, row) : 0.0;
}

void kinds_take_traced(job_kinds *of, const args *a, const csv_table *t, size_t row,
                       double *local)
{
    const double traced = kinds_traced(a, t, row);
    const unsigned long gpus = (unsigned long)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    const double declared = args_number(a, OPTION_LOCAL_BANDWIDTH, 0.0);
    const double kind = of->inside ? network_carries(of->inside, declared) : 0.0;
    const unsigned long machine = (unsigned long)traced_machine(t, row);
    if (kind > 0.0 && machine > 1 && !(traced > 0.0) && traced_rate(t, row) > 0.0)
        tool_note("link-kind", "%s: exchanges ran at %.4g B/s inside a machine of %lu "
                  "accelerators; with %s %lu the %.4g B/s of kind %s are used", t->name,
                  traced_rate(t, row), machine, NAME_OF(GPUS), gpus, kind, of->inside->name);
    if (!(traced > 0.0)) return;
    if (declared > 0.0) {
        tool_note("option-before-column", "%s: %s is used in place of the %.4g B/s at which "
                  "exchanges ran inside a machine of %lu accelerators", t->name,
                  NAME_OF(LOCAL_BANDWIDTH), traced, machine);
        return;
    }
    if (kind > 0.0)
        tool_note("option-without-effect", "%s: exchanges ran at %.4g B/s inside a machine of %lu "
                  "accelerators, which is used: %s %s, %.4g B/s, has no effect; to try another "
                  "rate give it by %s", t->name, traced, machine, NAME_OF(LOCAL_NETWORK),
                  of->inside->name, kind, NAME_OF(LOCAL_BANDWIDTH));
    else
        tool_note("link-kind", "%s: exchanges ran at %.4g B/s inside a machine of %lu "
                  "accelerators: this rate is used there, but does not tell that of the "
                  "link between machines", t->name, traced, machine);
    of->inside = NULL;
    *local = traced;
}

job_kinds kinds_links(const args *a, sgdp_job *job)
{
    const job_kinds k = kinds_read(a, NULL, 0);
    job->machine.gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    job->machine.local_bandwidth_bytes_per_s = args_number(a, OPTION_LOCAL_BANDWIDTH, 0.0);
    job->links.bandwidth_bytes_per_s = args_number(a, OPTION_BANDWIDTH, 0.0);
    const network *lacks = kinds_apply(&k, 1, job);
    if (lacks)
        args_fail(lacks == k.between ? OPTION_NETWORK : OPTION_LOCAL_NETWORK, NULL,
                  NETWORK_HAS_NO_LINE, lacks->name);
    job->links.latency_s = args_number(a, OPTION_LATENCY, job->links.latency_s);
    return k;
}

void stacks_exposures(const network *of, double *least, double *most)
{
    *least = *most = stacks_all[0].exposure;
    for (size_t i = 1; i < stacks_count; i++) {
        *least = fmin(*least, stacks_all[i].exposure);
        *most = fmax(*most, stacks_all[i].exposure);
    }
    *least *= of ? 0.8 : 1.0;
    *most *= of ? 0.8 : 1.0;
}

int network_note_untested(const network *of)
{
    if (!of || (strcmp(of->kind, "rented") != 0 && strcmp(of->kind, "efa") != 0)) return 0;
    tool_note("rented-untested",
              "no rented machine was measured: with network %s low and high come from the errors "
              "of one InfiniBand cluster; measure a run on two machines and use sgdperf calibrate",
              of->name);
    return 1;
}

void stack_note(const stack *of)
{
    tool_note("stack-spread",
              "stack %s: a step takes its compute time and %.3g times its exchange time; compute "
              "grows by %.3g %% per doubling of accelerators in a machine, by %.3g %% per doubling "
              "of machines. 90 %% of the %u measured rows of this stack were within %.0f %% of a "
              "prediction fitted to rows of other sources. On another cluster trust columns low "
              "and high, which do not use this stack's error", of->name,
              of->exposure, 100.0 * of->growth, 100.0 * of->growth_between, of->rows,
              100.0 * of->spread);
}
