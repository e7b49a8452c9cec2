/* options.c - the command line of sgdperf simulate */
#include "cmd/simulate/simulate.h"
#include "model/job.h"
#include "model/streams.h"
#include "jobs/parallel.h"
#include "files/exchange.h"
#include "files/networks.h"

#include <float.h>
#include <math.h>

enum {
    SIMULATE_MOST_SERVERS = 10000,
    SIMULATE_MOST_INTERVALS = 1000000,
    SIMULATE_MOST_RUNS = 1000000
};

const char *const link_names[LINK_COUNT] = {"ps", "fcfs", "average", "tcp"};

static const sgdsim_link sim_links[LINK_COUNT] = {
    SGDSIM_LINK_EQUAL, SGDSIM_LINK_FCFS, SGDSIM_LINK_EQUAL, SGDSIM_LINK_TCP
};

/* The files of traces, or of layers; what is in them is read later. */
static void read_files(simulation *s, const args *a)
{
    if (s->traces) return;
    s->traces = (trace_file *)tool_alloc(a->file_count, sizeof *s->traces);
    for (size_t i = 0; i < a->file_count; i++) s->traces[i].file = csv_read(a->files[i], 0);
}

/* Do traces of several workers tell how exchange and computation overlap? */
static int is_traced(simulation *s, const args *a)
{
    if (s->jobs) return 0;
    read_files(s, a);
    for (size_t i = 0; i < a->file_count; i++)
        if (declared_is_traced(s->traces[i].file)) return 1;
    return 0;
}

/* The table of layers, or the trace that may tell the link inside a machine; NULL: none. */
static const csv_table *machine_trace(simulation *s, const args *a)
{
    if (s->jobs || !(args_given(a, OPTION_GPUS) || args_given(a, OPTION_LAYERS))) return NULL;
    read_files(s, a);
    return s->traces[0].file;
}

static void read_mode(simulation *s, const args *a)
{
    s->mode = s->jobs ? MODE_ASYNC : mode_read(a);
    s->link = (link_choice)args_choice(a, OPTION_LINK, link_names, LINK_COUNT, LINK_PS);
    if (s->mode == MODE_ALLREDUCE) s->links = declared_read(a, is_traced(s, a));
    const csv_table *trace = machine_trace(s, a);
    if (collectives_wanted(a))
        s->collectives = collectives_read(a, trace, s->links.stretches || is_traced(s, a));
    s->config.mode = s->mode == MODE_ASYNC ? SGDSIM_ASYNC : SGDSIM_SYNC;
    s->config.links.rule = s->mode == MODE_ALLREDUCE ? SGDSIM_LINK_EXCHANGE : sim_links[s->link];
    s->config.links.exchange_s = exchange_ring_s;
    s->gpus = 1;
    if (s->mode == MODE_ALLREDUCE || !args_given(a, OPTION_GPUS)) return;
    sgdpar_topology on = {0};
    s->gpus = topology_read(&on, a, trace);
    s->local_bandwidth_bytes_per_s = on.local_bandwidth_bytes_per_s;
}

static void read_tcp(simulation *s, const args *a)
{
    if (s->link != LINK_TCP) return;
    s->tcp.two_way = args_number(a, OPTION_TCP_TWO_WAY, SGDSIM_TCP_TWO_WAY);
    s->tcp.spread = args_number(a, OPTION_TCP_SPREAD, SGDSIM_TCP_SPREAD);
    s->config.links.tcp = &s->tcp;
}

/* The types of workers: a sweep, which may yet be refused, is of one. */
static size_t count_types(const args *a)
{
    return args_given(a, OPTION_SWEEP) ? 1 : a->file_count;
}

/* A number for all workers, or one a type; NULL: not given. */
static double *read_types(const args *a, option_id name, number_unit unit, number_rule rule)
{
    const size_t types = count_types(a);
    double *given = NULL, *value;
    const size_t count = args_quantities(a, name, unit, rule, &given);
    if (count == 0) return NULL;
    if (count != 1 && count != types)
        args_fail(name, args_text(a, name, ""), "has %lu numbers for %lu trace file%s: give one "
                  "for all, or one for each", (unsigned long)count, COUNTED(types));
    value = (double *)tool_alloc(types, sizeof *value);
    for (size_t i = 0; i < types; i++) value[i] = given[count > 1 ? i : 0];
    return value;
}

static double *for_all_types(const args *a, double value)
{
    double *of = (double *)tool_alloc(count_types(a), sizeof *of);
    for (size_t i = 0; i < count_types(a); i++) of[i] = value;
    return of;
}

/* The links of the workers' own, and how late what they send arrives. */
static void read_ends(simulation *s, const args *a, const network *of, double cap)
{
    sgdsim_config *c = &s->config;
    double *own = read_types(a, OPTION_WORKER_BANDWIDTH, UNIT_BANDWIDTH, NUMBER_POSITIVE);
    if (c->links.rule == SGDSIM_LINK_EXCHANGE && !s->collectives
        && cap < c->links.bandwidth_bytes_per_s) {                   /* a link's only stream */
        if (!own) own = for_all_types(a, cap);
        for (size_t i = 0; i < count_types(a); i++) own[i] = own[i] < cap ? own[i] : cap;
    }
    for (size_t i = 0; own && i < count_types(a); i++)
        if (!(own[i] / c->links.bandwidth_bytes_per_s >= DBL_MIN))
            args_fail(OPTION_WORKER_BANDWIDTH, args_text(a, OPTION_WORKER_BANDWIDTH, ""),
                      "is too small beside %s", NAME_OF(BANDWIDTH));
    c->links.worker_bandwidth_bytes_per_s = own;
    c->links.delay_s = read_types(a, OPTION_DELAY, UNIT_TIME, NUMBER_NON_NEGATIVE);
    if (of && !c->links.delay_s && !s->collectives)
        c->links.delay_s = for_all_types(a, of->latency_s);
    c->variation.stagger_s = args_number(a, OPTION_STAGGER, 0.0);
}

/* What a link of this kind carries of many flows. */
static double read_line(const network *of, double bandwidth)
{
    const double line = bandwidth > 0.0 ? bandwidth : of->line_bytes_per_s;
    if (!(line > 0.0)) args_fail(OPTION_NETWORK, NULL, NETWORK_HAS_NO_LINE, of->name);
    return of->share * line;
}

/* The bandwidth that all files tell; fails where they do not. */
static double traced_bandwidth(simulation *s, const args *a)
{
    double bandwidth = 0.0;
    read_files(s, a);
    for (size_t i = 0; i < a->file_count; i++) {
        const double told = trace_bandwidth(s->traces[i].file);
        if (!(told > 0.0)) tool_fail("%s or %s is missing", NAME_OF(BANDWIDTH), NAME_OF(NETWORK));
        if (i > 0 && (told < bandwidth || told > bandwidth))
            args_fail(OPTION_BANDWIDTH, NULL, "is needed, as the traces were recorded at different "
                      "bandwidths: %.9g and %.9g B/s",
                      bandwidth, told);
        bandwidth = told;
    }
    return bandwidth;
}

/* What the rings of several jobs lack. */
static void check_rings(const args *a, uint32_t cards)
{
    if (cards > 1)
        args_fail(OPTION_CARDS, NULL, "cannot be used with jobs of mode allreduce, whose rings use "
                  "one card only");
    if (declared_links(a, 0.0))
        tool_note("rings-undeclared", "all-reduces of several jobs get the whole declared "
                  "bandwidth, and look too fast: for one job, 0.8 of it is assumed");
}

static void read_links(simulation *s, const args *a)
{
    const job_kinds kinds = kinds_read(a, NULL, 0);
    const network *of = kinds.between;
    const uint32_t cards = kinds.cards > 1 ? kinds.cards : 1;
    sgdsim_config *c = &s->config;
    if (s->jobs && jobs_have_rings(s->jobs)) check_rings(a, cards);
    c->links.bandwidth_bytes_per_s = s->collectives || of || args_given(a, OPTION_BANDWIDTH)
                                         ? args_number(a, OPTION_BANDWIDTH, 0)
                                         : traced_bandwidth(s, a);
    if (of) c->links.bandwidth_bytes_per_s = read_line(of, c->links.bandwidth_bytes_per_s);
    double cap = args_number(a, OPTION_FLOW_CAP, c->links.bandwidth_bytes_per_s);
    if (of && of->flow_cap_bytes_per_s > 0.0) cap = of->flows * of->flow_cap_bytes_per_s;
    if (cap > c->links.bandwidth_bytes_per_s) cap = c->links.bandwidth_bytes_per_s;
    c->links.bandwidth_bytes_per_s *= cards;       /* a ring has a flow on each card       */
    if (s->mode == MODE_ALLREDUCE) cap *= cards;
    c->links.flow_cap = cap < c->links.bandwidth_bytes_per_s ? cap / c->links.bandwidth_bytes_per_s
        : 1.0;
    if (!(c->links.flow_cap >= DBL_MIN))
        args_fail(OPTION_FLOW_CAP, args_text(a, OPTION_FLOW_CAP, ""), "is too small beside %s",
                  NAME_OF(BANDWIDTH));
    c->transfers.window_bytes = args_number(a, OPTION_HTTP2_WINDOW, 0.0);
    c->transfers.every_turn = (int)args_word(a, OPTION_HTTP2_RULE, 0);
    if (streams_overhead(a, &s->overhead)) c->transfers.overhead = &s->overhead;
    c->servers.count = (uint32_t)args_integer(a, OPTION_SERVERS, 1, SIMULATE_MOST_SERVERS, 1);
    c->servers.updates = (sgdsim_updates)args_word(a, OPTION_UPDATES, 0);
    c->variants.reappend_at_selection = (int)args_word(a, OPTION_REAPPEND, 0);
    c->variants.two_servers_unit = (int)args_word(a, OPTION_TWO_PS, 0);
    c->variants.fcfs_spill = args_given(a, OPTION_FCFS_SPILL)  /* each card has a flow     */
        || (cards > 1 && (s->link == LINK_FCFS || s->link == LINK_AVERAGE));
    read_tcp(s, a);
    read_ends(s, a, of, cap);
}

/* What all-reduces get of declared links, as predict has it of the profile of a trace. */
static void take_traced(simulation *s, const args *a)
{
    sgdpar_topology *on = s->collectives ? &s->collectives->topology : NULL;
    double none = 0.0;
    if (s->mode != MODE_ALLREDUCE || s->links.stretches || !is_traced(s, a)) return;
    declared_take_file(a, s->traces[0].file, on ? s->collectives->gpus : 1,
                       on ? &on->bandwidth_bytes_per_s : &s->config.links.bandwidth_bytes_per_s,
                       on ? &on->local_bandwidth_bytes_per_s : &none);
}

static void read_run(simulation *s, const args *a)
{
    sgdsim_config *c = &s->config;
    c->length.steps = args_integer(a, OPTION_STEPS, 1, UINT32_MAX,
                                   SIMULATE_STEPS);
    c->length.warmup = args_integer(a, OPTION_WARMUP, 0, UINT64_MAX, SIMULATE_WARMUP);
    s->warmup_given = args_given(a, OPTION_WARMUP);
    c->variation.seed = args_integer(a, OPTION_SEED, 0, UINT64_MAX, 1);
    c->variation.service = args_word(a, OPTION_SERVICE, 0) ? SGDSIM_EXPONENTIAL
                                                                  : SGDSIM_TRACED;
    c->variants.steady_window = (int)args_word(a, OPTION_WINDOW, 0);
    s->batch = args_number(a, OPTION_BATCH, 0.0);
    s->backup = (uint32_t)args_integer(a, OPTION_BACKUP, 0, UINT32_MAX, 0);
    if (s->backup > 0 && a->file_count > 1)
        args_fail(OPTION_BACKUP, NULL, "needs one trace file: workers must be alike");
    s->runs = args_integer(a, OPTION_RUNS, 1, SIMULATE_MOST_RUNS, 1);
    s->processes = parallel_read(a);
    s->step_ends = args_given(a, OPTION_STEP_ENDS);
    s->intervals = (size_t)args_integer(a, OPTION_OVER_TIME, 1, SIMULATE_MOST_INTERVALS, 0);
    s->timeline = args_text(a, OPTION_TIMELINE, NULL);
}

/* ---- Workers --------------------------------------------------------------- */

/* Steps of synchronous workers end at barriers, K completions each. */
uint64_t simulate_warmup(const simulation *s, uint64_t workers)
{
    const uint64_t warmup = s->config.length.warmup, into = warmup % workers;
    if (s->warmup_given || s->mode == MODE_ASYNC || into == 0) return warmup;
    if (warmup - into + workers < workers * s->config.length.steps) return warmup - into + workers;
    return warmup - into;
}

static void check_workers(const simulation *s, const args *a, uint64_t workers)
{
    if (s->collectives) collectives_check(s->collectives, (uint32_t)workers);
    job_check_backup(a, s->backup, (uint32_t)workers);
    if (s->collectives && s->warmup_given && s->config.length.warmup % workers != 0)
        args_fail(OPTION_WARMUP, NULL,
                  "is not a multiple of the %lu workers, whose steps end together",
                  (unsigned long)workers);
    if (s->config.length.warmup >= workers * s->config.length.steps)
        args_fail(OPTION_WARMUP, NULL, "%lu%s is not below the %lu step completions of the run, so "
                  "none counts: give fewer, or %s 0", (unsigned long)s->config.length.warmup,
                  s->warmup_given ? "" : ", the default,",
                  (unsigned long)(workers * s->config.length.steps), NAME_OF(WARMUP));
}

/* The least machine in which a trace was taken, if its link is used; else 0. */
static uint32_t traced_machine(const simulation *s, const args *a)
{
    uint32_t least = 0;
    for (size_t i = 0; s->traces && i < a->file_count; i++) {
        const uint32_t most = topology_machine(s->traces[i].file, a);
        if (args_given(a, OPTION_BANDWIDTH) || args_given(a, OPTION_NETWORK))
            trace_note_made_up(s->traces[i].file);
        if (most > 0 && (least == 0 || most < least)) least = most;
    }
    return least;
}

/* --sweep: the numbers of workers of one type. */
static void read_sweep(simulation *s, const args *a)
{
    if (a->file_count > 1) args_fail(OPTION_SWEEP, NULL, "needs one trace file");
    s->points = args_workers(a, OPTION_SWEEP, &s->sweep);
    s->points = topology_keep_inside(s->traces ? s->traces[0].file : NULL, traced_machine(s, a),
                                     OPTION_SWEEP, s->sweep, s->points);
    s->points = topology_keep_full(OPTION_SWEEP, s->sweep, s->points,
                                   s->collectives ? s->collectives->gpus : s->gpus);
    for (size_t i = 0; i < s->points; i++) {
        simulation point = *s;
        simulate_set_workers(&point, &s->sweep[i], 1);
        check_workers(s, a, point.workers);
        if (point.workers > s->workers) s->workers = point.workers;
    }
    s->config.workers.types = 1;
    s->config.workers.count = s->sweep;
}

/* Machines of parameter servers' workers must be full, but for one alone: of several types none. */
static void check_full(const simulation *s, uint32_t *workers, size_t types)
{
    if (types == 1) (void)topology_keep_full(OPTION_WORKERS, workers, 1, s->gpus);
    for (size_t i = 0; types > 1 && i < types; i++)
        if (workers[i] % s->gpus != 0)
            args_fail(OPTION_WORKERS, NULL, "%lu workers do not fill machines of %lu accelerators: "
                      "give a multiple of %s", (unsigned long)workers[i], (unsigned long)s->gpus,
                      NAME_OF(GPUS));
}

void simulate_set_workers(simulation *point, uint32_t *workers, size_t types)
{
    sgdsim_workers *of = &point->config.workers;
    uint32_t *count = (uint32_t *)tool_alloc(types, sizeof *count);
    of->accelerators = types == 1 && workers[0] < point->gpus ? workers[0] : point->gpus;
    point->workers = 0;
    for (size_t i = 0; i < types; i++)
        point->workers += count[i] = workers[i] / of->accelerators;
    of->types = types;
    of->count = count;
}

static void read_workers(simulation *s, const args *a)
{
    uint32_t *workers;
    const size_t count = args_workers(a, OPTION_WORKERS, &workers);
    uint64_t sum = 0;
    if (count != a->file_count)
        args_fail(OPTION_WORKERS, args_text(a, OPTION_WORKERS, ""),
                  "has %lu number%s for %lu trace file%s: give one for each%s", COUNTED(count),
                  COUNTED(a->file_count),
                  a->file_count == 1 ? "; --sweep runs it for each number" : "");
    for (size_t i = 0; i < count; i++) sum += workers[i];
    if (sum > UINT32_MAX)
        args_fail(OPTION_WORKERS, args_text(a, OPTION_WORKERS, ""), "is too large");
    s->workers = (uint32_t)sum;
    (void)topology_keep_inside(s->traces ? s->traces[0].file : NULL, traced_machine(s, a),
                               OPTION_WORKERS, &s->workers, 1);
    s->points = 1;
    check_full(s, workers, count);
    simulate_set_workers(s, workers, count);
    check_workers(s, a, s->workers);
}

/* Are other numbers of workers asked for than were traced? */
static void note_late(const simulation *s, const args *a)
{
    for (size_t i = 0; s->traces && i < a->file_count; i++) {
        const csv_table *file = s->traces[i].file;
        const double workers = trace_workers(file);
        if (s->points == 1 && !(s->workers < workers) && !(s->workers > workers)) continue;
        trace_note_late(file);
    }
}

void simulate_options(simulation *s, const args *a)
{
    read_mode(s, a);
    read_links(s, a);
    take_traced(s, a);
    read_run(s, a);
    if (s->jobs) jobs_workers(s);
    else if (args_given(a, OPTION_SWEEP)) read_sweep(s, a);
    else read_workers(s, a);
    note_late(s, a);
}
