/* bench_sched.c - jobs a second of the cluster simulation on 100 nodes, microseconds of a
 * decision of the live scheduler, and bytes a job, beside the form that the papers print */
#include "bench.h"

#define SGDPERF_IMPLEMENTATION
#include "../sgdperf.h"
#define SGDPERF_SCHED_IMPLEMENTATION
#include "../sgdperf_sched.h"

#include "../tools/cmd/cluster/table_iii.h"

enum {
    NETWORK_NODES = 1000,          /* far on the plateau of all four                  */
    FAMILY = 50, FAMILY_NODES = 100, SHORT_NODES = 8,
    EVENTS = 200                   /* of one run, as a rule                           */
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_sched: %s\n", what);
    exit(EXIT_FAILURE);
}

static void *get_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) fail("out of memory");
    return memory;
}

#include "naive_sched.h"

static double uniform(uint64_t a, uint64_t b)
{
    return ((double)(sgdsched_random(1, a, b) >> 11) + 0.5) / 9007199254740992.0;
}

/* ---- Curves ------------------------------------------------------------------ */

typedef struct curves { sgdsched_curve *curve; size_t count; } curves;

static double network_throughput[TABLE_III_NETWORKS][NETWORK_NODES];
static sgdsched_curve network_curve[TABLE_III_NETWORKS];
static sgdsched_job_kind network_kind[TABLE_III_NETWORKS];

/* table_iii_model: Eqs. 1-4 of [LPCG18]. */
static double throughput_of(void *ctx, const table_iii_step *step, uint32_t workers)
{
    static const sgdp_discipline discipline[3] = { SGDP_HYBRID, SGDP_PS, SGDP_HYBRID };
    static double work[64 * NETWORK_NODES];
    const double demand_s[3] = { step->uplink_s, step->update_s, step->downlink_s };
    double throughput_per_s = 0.0;
    sgdp_mva_options options;
    sgdp_mva_result out;
    sgdp_network net;
    (void)ctx;
    memset(&net, 0, sizeof net);
    memset(&options, 0, sizeof options);
    memset(&out, 0, sizeof out);
    net.classes = 1;
    net.stations = 3;
    net.population = &workers;
    net.think_s = &step->compute_s;
    net.demand_s = demand_s;
    net.discipline = discipline;
    options.gamma_rule = SGDP_GAMMA_EXPLICIT;
    out.throughput_per_s = &throughput_per_s;
    return sgdp_mva_hybrid_approx(&net, &options, work, sizeof work, &out) == SGDP_OK
               ? throughput_per_s : 0.0;
}

static curves make_networks(void)
{
    curves made = { network_curve, TABLE_III_NETWORKS };
    size_t i;
    for (i = 0; i < TABLE_III_NETWORKS; i++) {
        if (!table_iii_curve(table_iii_at(i), throughput_of, NULL, NETWORK_NODES, 0,
                             network_throughput[i]))
            fail("curve");
        network_kind[i] = table_iii_kind(table_iii_at(i), i);
        network_curve[i].throughput_per_s = network_throughput[i];
        network_curve[i].nodes = NETWORK_NODES;
    }
    return made;
}

/* Steps of 1 s of work that divides, and of some that grows with the workers. */
static curves make_family(size_t count, uint32_t nodes)
{
    double *x = (double *)get_memory(count * nodes, sizeof *x);
    curves made;
    size_t i, w;
    made.curve = (sgdsched_curve *)get_memory(count, sizeof *made.curve);
    made.count = count;
    for (i = 0; i < count; i++) {
        const double fixed_s = 0.1 * uniform(i, 0), growing_s = 0.01 * uniform(i, 1);
        made.curve[i].throughput_per_s = x + i * nodes;
        made.curve[i].nodes = nodes;
        for (w = 1; w <= nodes; w++)
            x[i * nodes + w - 1] = 1.0 / (1.0 / (double)w + fixed_s + growing_s * (double)w);
    }
    return made;
}

static void free_family(curves made)
{
    free((void *)(uintptr_t)made.curve->throughput_per_s);
    free(made.curve);
}

/* ---- Simulations ------------------------------------------------------------- */

typedef struct simulation {
    sgdsched_cluster config;
    sgdsched_cluster_report  out;
    void            *work;
    size_t           work_bytes;
} simulation;

/* The first jobs of a run, to be given again. */
typedef struct given { sgdsched_arrival *arrival; size_t jobs, next; } given;

static void note_departure(void *ctx, const sgdsched_departure *departure)
{
    given *g = (given *)ctx;
    if (departure->job >= g->jobs) return;
    g->arrival[departure->job].time_s = departure->arrival_s;
    g->arrival[departure->job].size = departure->size;
    g->arrival[departure->job].curve = departure->curve;
}

static int next_arrival(void *ctx, sgdsched_arrival *next)
{
    given *g = (given *)ctx;
    if (g->next == g->jobs) return 0;
    *next = g->arrival[g->next++];
    return 1;
}

static void run_simulation(void *ctx)
{
    simulation *s = (simulation *)ctx;
    const sgdsched_status status =
        sgdsched_cluster_run(&s->config, s->work, s->work_bytes, &s->out);
    if (status != SGDSCHED_OK && status != SGDSCHED_NOT_CONVERGED) fail("simulation");
    if (s->out.outcome == SGDSCHED_UNSTABLE) fail("unstable");
}

/* Seconds a job of the papers' form, on the first jobs of the run. */
static double naive_s_per_job(simulation s, size_t jobs)
{
    given g;
    naive_job *present = (naive_job *)get_memory(jobs, sizeof *present);
    double start, mean_s;
    g.arrival = (sgdsched_arrival *)get_memory(jobs, sizeof *g.arrival);
    g.jobs = jobs;
    g.next = 0;
    s.config.watch.on_departure = note_departure;
    s.config.watch.ctx = &g;
    run_simulation(&s);
    start = bench_now();
    mean_s = naive_cluster(&s.config, g.arrival, jobs, present);
    start = bench_now() - start;
    s.config.watch.on_departure = NULL;
    s.config.workload.source = next_arrival;
    s.config.workload.source_ctx = &g;
    s.config.workload.kind = NULL;
    s.config.stop.warmup_jobs = 0;
    run_simulation(&s);
    if (!(fabs(mean_s - s.out.response.mean_s.value) <= 1e-6 * mean_s)) fail("reference differs");
    free(present);
    free(g.arrival);
    return start / (double)jobs;
}

static void bench_simulation(const char *what, sgdsched_policy policy, int fill, double load,
                             uint32_t chunk)
{
    const double jobs = 51000.0;
    simulation s;
    bench_time t;
    char size[32];
    memset(&s, 0, sizeof s);
    s.config.rules.policy = policy;
    s.config.rules.nodes = 100;
    s.config.rules.fill = fill;
    s.config.rules.alpha_by_load = 1;
    s.config.rules.load = s.config.workload.load = load;
    s.config.curve = network_curve;
    s.config.workload.kind = network_kind;
    s.config.curves = s.config.workload.kinds = TABLE_III_NETWORKS;
    s.config.stop.warmup_jobs = 1000;
    s.config.stop.max_jobs = 50000;
    s.config.stop.precision = 1e-9;
    s.config.chunk = chunk;
    if (sgdsched_cluster_run_bytes(&s.config, &s.work_bytes) != SGDSCHED_OK) fail("bytes");
    s.work = get_memory(s.work_bytes, 1);
    t = bench_measure(run_simulation, &s);
    snprintf(size, sizeof size, "W=100 load %g", load);
    bench_print(what, size, t, naive_s_per_job(s, 2000) * jobs, jobs, "job", 0);
    printf("%56.0f jobs/s %8.1f jobs present on average\n", jobs / t.median_s,
           s.out.jobs_present);
    free(s.work);
}

static void bench_simulations(double load)
{
    bench_simulation("simulation HELL+fill", SGDSCHED_HELL, 1, load, 0);
    bench_simulation("simulation KNEE+fill", SGDSCHED_KNEE, 1, load, 0);
    bench_simulation("simulation moldable KNEE", SGDSCHED_MOLDABLE_KNEE, 0, load, 0);
    bench_simulation("simulation JSQ", SGDSCHED_JSQ, 0, load, load < 0.5 ? 4 : 1);
}

/* ---- Decisions --------------------------------------------------------------- */

/* A live cluster: one of the jobs that run leaves, and it arrives again. */
typedef struct cluster {
    sgdsched_rules      rules;
    curves              kinds;
    sgdsched_job       *job;       /* [room]                                          */
    size_t              jobs, room;
    sgdsched_live *scheduler;
    sgdsched_change    *change;    /* [room]                                          */
    size_t             *running;   /* [runs]                                          */
    size_t             *place;     /* [room] in running                               */
    size_t              runs;
    uint64_t            turn;
    size_t              events;    /* of one run                                      */
    int                 progress;
    void               *work;
    size_t              work_bytes;
} cluster;

static void follow(cluster *c, size_t job, int runs)
{
    if (runs) {
        c->place[job] = c->runs;
        c->running[c->runs++] = job;
    } else {
        c->running[c->place[job]] = c->running[--c->runs];
        c->place[c->running[c->place[job]]] = c->place[job];
    }
}

static void decide(cluster *c)
{
    size_t changes = 0, i;
    for (i = 0; i < c->runs && c->progress; i++)
        (void)sgdsched_live_progress(c->scheduler, c->running[i], c->job[c->running[i]].remaining);
    if (sgdsched_live_decide(c->scheduler, c->change, &changes) != SGDSCHED_OK) fail("decide");
    for (i = 0; i < changes; i++)
        if ((c->change[i].before > 0) != (c->change[i].nodes > 0))
            follow(c, c->change[i].job, c->change[i].nodes > 0);
}

static void arrive(cluster *c, size_t job)
{
    if (sgdsched_live_submit(c->scheduler, job, c->job + job) != SGDSCHED_OK) fail("arrive");
}

static void run_events(void *ctx)
{
    cluster *c = (cluster *)ctx;
    size_t i;
    for (i = 0; i < c->events; i += 2) {
        const size_t job = c->running[sgdsched_random(3, c->turn++, 0) % c->runs];
        if (sgdsched_live_leave(c->scheduler, job) != SGDSCHED_OK) fail("leave");
        follow(c, job, 0);
        decide(c);
        arrive(c, job);
        decide(c);
    }
}

/* Jobs come until so many wait (or a few more, where the last ones displace several), or
 * are present where `waiting` is 0. */
static void populate(cluster *c, size_t present, size_t waiting)
{
    const size_t most = waiting > 0 ? c->room : present;
    while (c->jobs < most && (waiting == 0 || c->jobs - c->runs < waiting)) {
        size_t least = waiting > 0 ? waiting - (c->jobs - c->runs) : present;
        for (; least > 0 && c->jobs < most; least--) arrive(c, c->jobs++);
        decide(c);
    }
    if (c->jobs - c->runs < waiting) fail("too few jobs wait");
}

static cluster make_cluster(sgdsched_policy policy, uint32_t nodes, size_t room, curves kinds)
{
    cluster c;
    size_t i;
    memset(&c, 0, sizeof c);
    c.rules.policy = policy;
    c.rules.nodes = nodes;
    c.rules.fill = 1;
    c.kinds = kinds;
    c.room = room;
    c.events = EVENTS;
    c.job = (sgdsched_job *)get_memory(room, sizeof *c.job);
    c.change = (sgdsched_change *)get_memory(room, sizeof *c.change);
    c.running = (size_t *)get_memory(room, sizeof *c.running);
    c.place = (size_t *)get_memory(room, sizeof *c.place);
    for (i = 0; i < room; i++) {
        c.job[i].curve = i % kinds.count;
        c.job[i].size = 1000.0 * (0.5 + uniform(i, 2));
        c.job[i].remaining = c.job[i].size * uniform(i, 3);
    }
    if (sgdsched_live_open_bytes(&c.rules, &(sgdsched_jobs){kinds.curve, kinds.count, NULL, room},
                                 &c.work_bytes) !=
        SGDSCHED_OK)
        fail("bytes");
    c.work = get_memory(c.work_bytes, 1);
    if (sgdsched_live_open(&c.rules, &(sgdsched_jobs){kinds.curve, kinds.count, NULL, room}, c.work,
                           c.work_bytes, &c.scheduler) != SGDSCHED_OK)
        fail("open");
    return c;
}

static void free_cluster(cluster *c)
{
    free(c->job);
    free(c->change);
    free(c->running);
    free(c->place);
    free(c->work);
}

/* Seconds of one decision of the papers' form, which looks at as many node counts of as
 * many jobs for every job that gets nodes; 0 where that would take long. */
static double naive_s_per_decision(const cluster *c)
{
    const uint32_t length = c->kinds.curve->nodes;
    const double counts = length < c->rules.nodes ? length : c->rules.nodes;
    naive_job *job;
    double start;
    size_t i;
    if ((double)c->jobs * counts * (double)c->runs > 3e8) return 0.0;
    job = (naive_job *)get_memory(c->jobs, sizeof *job);
    for (i = 0; i < c->jobs; i++) {
        job[i].curve = c->kinds.curve + c->job[i].curve;
        job[i].remaining = c->job[i].remaining;
    }
    start = bench_now();
    (void)naive_decide(&c->rules, job, c->jobs);
    start = bench_now() - start;
    for (i = 0; i < c->jobs; i++)
        if (job[i].nodes != sgdsched_live_job_nodes(c->scheduler, i)) fail("reference differs");
    free(job);
    return start;
}

/* The same with the progress of all jobs that run told before every decision; and how long
 * all but one of a hundred of such events take at most. */
static void print_progress(cluster *c)
{
    enum { SAMPLES = 1000 };
    static double sample[SAMPLES];
    bench_time t;
    char text[32];
    size_t i;
    c->progress = 1;
    t = bench_measure(run_events, c);
    c->events = 2;
    for (i = 0; i < SAMPLES; i++) {
        const double start = bench_now();
        run_events(c);
        sample[i] = 0.5 * (bench_now() - start);
    }
    qsort(sample, SAMPLES, sizeof sample[0], bench_compare);
    printf("%30s %lu run, %lu wait; with progress of all that run %.0f decisions/s, 99 %% "
           "within %s\n", "", (unsigned long)c->runs, (unsigned long)(c->jobs - c->runs),
           EVENTS / t.median_s, bench_text(text, sizeof text, sample[SAMPLES * 99 / 100]));
}

static void bench_events(const char *what, uint32_t nodes, size_t waiting, curves kinds)
{
    cluster c = make_cluster(SGDSCHED_HELL, nodes, waiting + nodes, kinds);
    double naive_s;
    bench_time t;
    char size[32];
    populate(&c, 0, waiting);
    naive_s = naive_s_per_decision(&c);
    t = bench_measure(run_events, &c);
    snprintf(size, sizeof size, "W=%lu J=%lu", (unsigned long)nodes, (unsigned long)waiting);
    bench_print(what, size, t, naive_s * EVENTS, EVENTS, "event", 0);
    print_progress(&c);
    free_cluster(&c);
}

static void bench_all_events(uint32_t nodes, size_t waiting, curves networks, curves family)
{
    curves own = make_family(waiting + nodes, SHORT_NODES);
    bench_events("event 4 curves", nodes, waiting, networks);
    bench_events("event 50 curves", nodes, waiting, family);
    bench_events("event a curve each", nodes, waiting, own);
    free_family(own);
}

static void run_allocate(void *ctx)
{
    cluster *c = (cluster *)ctx;
    static uint32_t nodes[100];
    if (sgdsched_allocate(&c->rules,
                          &(sgdsched_jobs){c->kinds.curve, c->kinds.count, c->job, c->jobs},
                              c->work, c->work_bytes, nodes, NULL) != SGDSCHED_OK)
        fail("allocate");
}

/* 100 jobs that are present: what one of them costs a decision. */
static void bench_job(const char *what, sgdsched_policy policy, curves kinds)
{
    cluster c = make_cluster(policy, 100, 100, kinds);
    double naive_s;
    bench_time t;
    populate(&c, 100, 0);
    naive_s = naive_s_per_decision(&c);
    c.progress = 1;
    t = bench_measure(run_events, &c);
    bench_print(what, "live 100 jobs", t, naive_s * EVENTS, EVENTS * 100.0, "job", 0);
    t = bench_measure(run_allocate, &c);
    bench_print(what, "once 100 jobs", t, naive_s, 100.0, "job", 0);
    free_cluster(&c);
}

/* ---- Queues of rigid jobs ------------------------------------------------------ */

typedef struct rigid {
    sgdsched_rigid in;
    sgdsched_rigid_job *job;
    sgdsched_stay *stay;
    void  *work;
    size_t work_bytes;
} rigid;

static void run_rigid(void *ctx)
{
    rigid *r = (rigid *)ctx;
    if (sgdsched_rigid_run(&r->in, r->work, r->work_bytes, r->stay, NULL) != SGDSCHED_OK)
        fail("rigid jobs");
}

/* Widths from 1 to the widest and run times from 1 minute to 7 hours, each as likely in
 * every octave; users ask for up to six times as long. */
static rigid make_rigid(sgdsched_queueing policy, uint32_t nodes, uint32_t widest, size_t jobs,
                        double load)
{
    rigid r;
    double at_s = 0.0, work_s = 0.0;
    size_t i;
    memset(&r, 0, sizeof r);
    r.job = (sgdsched_rigid_job *)get_memory(jobs, sizeof *r.job);
    r.stay = (sgdsched_stay *)get_memory(jobs, sizeof *r.stay);
    for (i = 0; i < jobs; i++) {
        r.job[i].nodes = (uint32_t)pow((double)widest, uniform(i, 10));
        r.job[i].run_s = 60.0 * exp(6.0 * uniform(i, 11));
        r.job[i].walltime_s = r.job[i].run_s * (1.0 + 5.0 * uniform(i, 12));
        work_s += r.job[i].run_s * r.job[i].nodes;
    }
    for (i = 0; i < jobs; i++) {
        at_s -= log(uniform(i, 13)) * work_s / ((double)jobs * nodes * load);
        r.job[i].arrival_s = at_s;
    }
    r.in.nodes = nodes;
    r.in.policy = policy;
    r.in.job = r.job;
    r.in.jobs = jobs;
    if (sgdsched_rigid_run_bytes(&r.in, &r.work_bytes) != SGDSCHED_OK) fail("bytes");
    r.work = get_memory(r.work_bytes, 1);
    return r;
}

/* Seconds a job of the textbook's form, on the first jobs. */
static double naive_s_per_rigid_job(const rigid *r, size_t jobs)
{
    rigid few = *r;
    double *start_s = (double *)get_memory(jobs, sizeof *start_s), start;
    size_t i;
    few.in.jobs = jobs;
    run_rigid(&few);
    start = bench_now();
    naive_rigid(&few.in, start_s);
    start = bench_now() - start;
    for (i = 0; i < jobs; i++)
        if (!(fabs(start_s[i] - r->stay[i].start_s) <= 1e-9 * start_s[i]))
            fail("reference differs");
    free(start_s);
    return start / (double)jobs;
}

static void bench_rigid(const char *what, rigid r, size_t few)
{
    const size_t jobs = r.in.jobs;
    char size[32];
    const double naive_s = few > 0 ? naive_s_per_rigid_job(&r, few) : 0.0;
    const bench_time t = bench_measure(run_rigid, &r);
    snprintf(size, sizeof size, "W=%u J=%zu", (unsigned)r.in.nodes, jobs);
    bench_print(what, size, t, naive_s * (double)jobs, (double)jobs, "job",
                r.work_bytes);
    free(r.work);
    free(r.stay);
    free(r.job);
}

/* ---- Memory ------------------------------------------------------------------ */

static void print_memory(void)
{
    simulation s;
    size_t live[2] = { 0, 0 }, run[2] = { 0, 0 }, i;
    memset(&s, 0, sizeof s);
    s.config.rules.nodes = 100;
    s.config.rules.fill = 1;
    s.config.workload.load = 0.5;
    s.config.curve = network_curve;
    s.config.workload.kind = network_kind;
    s.config.curves = s.config.workload.kinds = TABLE_III_NETWORKS;
    for (i = 0; i < 2; i++) {
        s.config.stop.max_present = (i + 1) * 10000;
        if (sgdsched_cluster_run_bytes(&s.config, run + i) != SGDSCHED_OK ||
            sgdsched_live_open_bytes(&s.config.rules,
                                     &(sgdsched_jobs){network_curve, TABLE_III_NETWORKS, NULL,
                                                      s.config.stop.max_present},
                                                          live + i) != SGDSCHED_OK)
            fail("bytes");
    }
    printf("\nmemory: %.0f bytes a job of the live scheduler, %.0f of the simulation\n",
           (double)(live[1] - live[0]) / 1e4, (double)(run[1] - run[0]) / 1e4);
}

int main(int argc, char **argv)
{
    static const size_t waiting[] = { 10, 100, 1000, 10000 };
    const curves networks = make_networks(), family = make_family(FAMILY, FAMILY_NODES);
    size_t i;
    bench_start(argc, argv, "bench_sched");
    bench_simulations(0.3);
    bench_simulations(0.7);
    bench_job("decision HELL 4 curves", SGDSCHED_HELL, networks);
    bench_job("decision KNEE 4 curves", SGDSCHED_KNEE, networks);
    bench_job("decision HELL 50 curves", SGDSCHED_HELL, family);
    bench_job("decision KNEE 50 curves", SGDSCHED_KNEE, family);
    for (i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
        bench_all_events(100, waiting[i], networks, family);
    for (i = 0; i < sizeof waiting / sizeof waiting[0]; i++)
        bench_all_events(10000, waiting[i], networks, family);
    bench_rigid("EASY, wide jobs", make_rigid(SGDSCHED_EASY, 10000, 10000, 100000, 0.9), 20000);
    bench_rigid("EASY, jobs up to 100, backlog",
                make_rigid(SGDSCHED_EASY, 10000, 100, 100000, 1.1), 20000);
    bench_rigid("CONSERVATIVE, wide jobs",
                make_rigid(SGDSCHED_CONSERVATIVE, 10000, 10000, 20000, 0.9), 2000);
    bench_rigid("CONSERVATIVE, overloaded",
                make_rigid(SGDSCHED_CONSERVATIVE, 512, 128, 4000, 3.0), 0);
    print_memory();
    free_family(family);
    return bench_end();
}
