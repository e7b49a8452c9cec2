/* test_shares.c - links to several servers, each with a clock or line of its own, against
 * the form in which every event looks at every flow: the same ops end in the same order at
 * the same times. Other tests hold few flows against the straightforward simulator. */
#define SGDPERF_SIM_STATIC
#define SGDPERF_SIM_IMPLEMENTATION
#define SGDSIM_PRIV_FEW_FLOWS 0u                   /* clocks and lines also for few   */
#include "../sgdperf_sim.h"

#include "scene.h"
#include "test.h"

enum { MOST_OPS = 40, MOST_EVENTS = 40000 };

/* Workers of two types that run the same steps. */
typedef struct job {
    sgdsim_config config;
    sgdsim_trace  trace[2];
    sgdsim_step   step;
    sgdsim_op     op[MOST_OPS];
    uint32_t      waits[MOST_OPS][3], workers[2];
    sgdsim_tcp    tcp;
    double        own[2];
} job;

typedef struct outcome {
    sgdsim_result out;
    sgdsim_event *event;
    size_t        events;
} outcome;

/* The old form's rules. `uneven`: how often flows at one server had different shares. */
typedef struct rule {
    double     cap;
    const job *of;
    size_t     calls, uneven;
} rule;

static void keep_event(void *ctx, const sgdsim_event *event)
{
    outcome *o = (outcome *)ctx;
    if (o->events < MOST_EVENTS) o->event[o->events] = *event;
    o->events++;
}

static outcome run_all(const sgdsim_config *config)
{
    sgdsim_config told = *config;
    size_t bytes = 0;
    outcome o = {0};
    o.event = (sgdsim_event *)get_memory(MOST_EVENTS, sizeof *o.event);
    told.watch.on_op = keep_event;
    told.watch.ctx = &o;
    CHECK_STATUS(sgdsim_run_bytes(&told, &bytes), SGDSIM_OK);
    void *work = get_memory(bytes, 1);
    memset(work, 0xa5, bytes);
    CHECK_STATUS(sgdsim_run(&told, work, bytes, &o.out), SGDSIM_OK);
    CHECK(o.events > 0 && o.events <= MOST_EVENTS);
    free(work);
    return o;
}

static double uniform(uint64_t seed, uint64_t a) { return test_uniform(seed, a, 0); }
static size_t below(uint64_t seed, uint64_t a, size_t n)
{
    return (size_t)(uniform(seed, a) * (double)n);
}

/* ---- The old form --------------------------------------------------------- */

static void count_uneven(rule *r, const sgdsim_flow *flow, size_t flows)
{
    r->calls++;
    for (size_t i = 0; i < flows; i++)
        for (size_t k = 0; k < i; k++)
            if (flow[i].server == flow[k].server && flow[i].share > 0.0
                && flow[k].share > 0.0 && fabs(flow[i].share - flow[k].share) > 1e-9) {
                r->uneven++;
                return;
            }
}

static void share_all(void *ctx, sgdsim_flow *flow, size_t flows)
{
    rule *r = (rule *)ctx;
    sgdsim_share_max_min(&r->cap, flow, flows);
    count_uneven(r, flow, flows);
}

/* Of a server's link, or of flow i's worker's: what it can carry, and what it does. */
static double room_at(const rule *r, const sgdsim_flow *flow, size_t flows, size_t i,
                      int at_worker, const int *rising)
{
    const sgdsim_config *c = &r->of->config;
    const size_t type = flow[i].worker >= r->of->workers[0];
    double room = 1.0, open = 0.0;
    if (at_worker) room = r->of->own[type] / c->links.bandwidth_bytes_per_s;
    for (size_t k = 0; k < flows; k++) {
        if (at_worker ? flow[k].worker != flow[i].worker : flow[k].server != flow[i].server)
            continue;
        room -= flow[k].share;
        open += rising[k];
    }
    return open > 0.0 ? room / open : room;
}

/* Shares rise together; each flow stops at the cap, or when a link at one end is full. */
static void share_ends(void *ctx, sgdsim_flow *flow, size_t flows)
{
    rule *r = (rule *)ctx;
    int rising[256], any = 0;
    size_t i, k;
    for (i = 0; i < flows; i++) {
        flow[i].share = 0.0;
        rising[i] = 1;
        for (k = 0; k < i && r->of->config.links.rule == SGDSIM_LINK_FCFS; k++)
            if (flow[k].server == flow[i].server) rising[i] = 0;
        any |= rising[i];
    }
    while (any) {
        double by = HUGE_VAL;
        for (i = 0; i < flows; i++) {
            if (!rising[i]) continue;
            by = fmin(by, r->cap - flow[i].share);
            by = fmin(by, room_at(r, flow, flows, i, 0, rising));
            by = fmin(by, room_at(r, flow, flows, i, 1, rising));
        }
        for (i = 0; i < flows; i++) flow[i].share += rising[i] ? by : 0.0;
        for (i = 0, any = 0; i < flows; i++) {
            if (r->cap - flow[i].share < 1e-13
                || room_at(r, flow, flows, i, 0, rising) < 1e-13
                || room_at(r, flow, flows, i, 1, rising) < 1e-13)
                rising[i] = 0;
            any |= rising[i];
        }
    }
    count_uneven(r, flow, flows);
}

/* Each server's first flow has the link. */
static void share_first(void *ctx, sgdsim_flow *flow, size_t flows)
{
    rule *r = (rule *)ctx;
    for (size_t i = 0; i < flows; i++) {
        flow[i].share = r->cap;
        for (size_t k = 0; k < i; k++)
            if (flow[i].server == flow[k].server) flow[i].share = 0.0;
    }
    count_uneven(r, flow, flows);
}

static outcome run_old(const job *j, rule *r)
{
    static const double plenty[2] = {1e30, 1e30};
    sgdsim_config config = j->config;
    r->cap = config.links.flow_cap;
    if (!(r->cap > 0.0 && r->cap < 1.0)) r->cap = 1.0;
    r->of = j;
    if (config.links.rule == SGDSIM_LINK_TCP) {
        config.links.worker_bandwidth_bytes_per_s = plenty;      /* holds no one back       */
        r->calls++;
        return run_all(&config);
    }
    config.links.share = config.links.rule == SGDSIM_LINK_FCFS ? share_first : share_all;
    if (config.links.worker_bandwidth_bytes_per_s) config.links.share = share_ends;
    config.links.worker_bandwidth_bytes_per_s = NULL;
    config.links.share_ctx = r;
    return run_all(&config);
}

/* ---- Random jobs ---------------------------------------------------------- */

/* A graph whose ops are mostly transfers, so that workers use several servers at once,
 * and with `load` 1 all of them all the time. */
static void new_job(job *j, uint64_t seed, uint32_t servers)
{
    const size_t n = 4 + below(seed, 1, MOST_OPS - 4);
    const double load = uniform(seed, 2);
    memset(j, 0, sizeof *j);
    for (size_t i = 0; i < n; i++) {
        sgdsim_op *op = j->op + i;
        const double kind = test_uniform(seed, 3, i);
        op->resource = kind < 0.4 ? SGDSIM_DOWNLINK : kind < 0.8 ? SGDSIM_UPLINK
                     : kind < 0.9 ? SGDSIM_WORKER : SGDSIM_SERVER;
        op->server = (uint32_t)(test_uniform(seed, 4, i) * servers);
        op->bytes = 1.0 + test_uniform(seed, 5, i);
        op->duration_s = (1.0 + test_uniform(seed, 6, i)) * 8.0 * (1.0 - load);
        op->waits_for = j->waits[i];
        for (size_t k = 0; k < 3 && k < i && test_uniform(seed, 7 + k, i) < 0.4; k++)
            j->waits[i][op->waits++] = (uint32_t)(i - k - 1);
    }
    j->step.op = j->op;
    j->step.ops = n;
    for (size_t i = 0; i < 2; i++) {
        j->trace[i].step = &j->step;
        j->trace[i].steps = 1;
        j->workers[i] = (uint32_t)(1 + below(seed, 30 + i, 8));
        j->own[i] = test_uniform(seed, 32, i) < 0.2 ? 1.0
                                                    : 0.05 + 1.2 * test_uniform(seed, 33, i);
    }
    j->config.workers.types = 2;
    j->config.workers.trace = j->trace;
    j->config.workers.count = j->workers;
    j->config.servers.count = servers;
    j->config.links.bandwidth_bytes_per_s = 1.0;
    j->config.length.steps = 3;
    j->config.variation.seed = seed;
    j->config.mode = (sgdsim_mode)below(seed, 10, 2);
    j->config.variation.service = SGDSIM_EXPONENTIAL;        /* no two chunks are alike         */
    if (below(seed, 11, 3) == 0) j->config.transfers.window_bytes = uniform(seed, 12);
    if (below(seed, 13, 3) == 0) j->config.variation.stagger_s = 10.0 * uniform(seed, 14);
    if (below(seed, 15, 3) == 0) j->config.links.flow_cap = 0.05 + uniform(seed, 16);
    j->config.servers.updates = (sgdsim_updates)below(seed, 17, 3);
}

/* Largest difference of a time, in parts of the run's; the order must be the same. */
static double compare(const job *j, rule *r)
{
    outcome now = run_all(&j->config), old = run_old(j, r);
    double worst = 0.0;
    CHECK(now.events == old.events && now.out.events == old.out.events);
    for (size_t i = 0; i < now.events && i < old.events; i++) {
        const sgdsim_event *a = now.event + i, *b = old.event + i;
        CHECK(a->worker == b->worker && a->step == b->step && a->op == b->op);
        if (test_failures > 0) break;
        worst = fmax(worst, fabs(a->end_s - b->end_s) / old.out.makespan_s);
        worst = fmax(worst, fabs(a->start_s - b->start_s) / old.out.makespan_s);
        worst = fmax(worst, fabs(a->ready_s - b->ready_s) / old.out.makespan_s);
    }
    CHECK_REL(now.out.makespan_s, old.out.makespan_s, 1e-9);
    for (size_t i = 0; i < (size_t)SGDSIM_RESOURCES; i++)
        CHECK_REL(now.out.utilization[i], old.out.utilization[i], 1e-9);
    free(now.event);
    free(old.event);
    return worst;
}

static void compare_many(sgdsim_link link, int own, size_t jobs, uint64_t seeds, rule *r)
{
    double worst = 0.0;
    r->calls = r->uneven = 0;
    for (size_t i = 0; i < jobs; i++) {
        const uint64_t seed = seeds + i;
        const size_t least = own ? 1 : 2;
        const uint32_t servers =
            (uint32_t)(least + below(seed, 20, i % 10 == 0 ? 14 : 7));
        job j;
        new_job(&j, seed, servers);
        if (own) j.config.links.worker_bandwidth_bytes_per_s = j.own;
        j.config.links.rule = link;
        j.config.links.tcp = &j.tcp;
        j.tcp.two_way = below(seed, 22, 3) == 0 ? 0.0 : uniform(seed, 23);
        j.tcp.spread = uniform(seed, 24);
        if (link == SGDSIM_LINK_TCP) j.config.links.flow_cap = 0.0;
        worst = fmax(worst, compare(&j, r));
        if (test_failures == 0) continue;
        fprintf(stderr, "    in job %lu: %u servers, %u and %u workers\n",
                (unsigned long)i, (unsigned)servers, (unsigned)j.workers[0],
                (unsigned)j.workers[1]);
        return;
    }
    printf("    %lu jobs, largest difference %.2e, uneven %lu of %lu\n",
           (unsigned long)jobs, worst, (unsigned long)r->uneven, (unsigned long)r->calls);
    CHECK(worst <= 1e-9 && r->calls > 0);
}

TEST(equal_shares_of_several_servers_are_max_min_fair)
{
    rule r;
    compare_many(SGDSIM_LINK_EQUAL, 0, TEST_SIZE(20, 120), 1000, &r);
    CHECK(r.uneven > r.calls / 100);               /* workers' links did hold back    */
}

TEST(each_server_serves_its_first_flow)
{
    rule r;
    compare_many(SGDSIM_LINK_FCFS, 0, TEST_SIZE(30, 250), 5000, &r);
}

TEST(each_server_shares_among_streams_of_tcp)
{
    rule r;
    compare_many(SGDSIM_LINK_TCP, 0, TEST_SIZE(30, 250), 9000, &r);
}

TEST(links_of_workers_hold_equal_shares_back)
{
    rule r;
    compare_many(SGDSIM_LINK_EQUAL, 1, TEST_SIZE(20, 120), 13000, &r);
    CHECK(r.uneven > r.calls / 100);
}

TEST(links_of_workers_hold_the_first_flows_back)
{
    rule r;
    compare_many(SGDSIM_LINK_FCFS, 1, TEST_SIZE(30, 250), 17000, &r);
}

/* Times that are small integers, so that much ends at once: a worker that runs ahead where
 * nobody watches comes to the same bits. */
TEST(runs_are_the_same_when_watched)
{
    const size_t jobs = TEST_SIZE(120, 3000);
    for (size_t i = 0; i < jobs; i++) {
        const uint64_t seed = 30000 + i;
        double end_s[16 * 3], told_s[16 * 3] = {0.0};
        size_t bytes = 0;
        job j;
        new_job(&j, seed, (uint32_t)(1 + below(seed, 20, 4)));
        for (size_t k = 0; k < j.step.ops; k++) {
            j.op[k].bytes = floor(3.0 * test_uniform(seed, 40, k));
            j.op[k].duration_s = floor(3.0 * test_uniform(seed, 41, k));
        }
        j.config.variation.service = SGDSIM_TRACED;
        j.config.variation.stagger_s = 0.0;
        j.config.links.flow_cap = below(seed, 42, 3) == 0 ? 0.5 : 0.0;
        j.config.links.rule = i % 4 == 2 ? SGDSIM_LINK_TCP : i % 2 ? SGDSIM_LINK_FCFS
            : SGDSIM_LINK_EQUAL;
        j.config.links.tcp = &j.tcp;
        for (size_t k = 0; k < 2; k++) j.own[k] = 0.5 * (double)(1 + below(seed, 43 + k, 3));
        if (below(seed, 45, 2)) j.config.links.worker_bandwidth_bytes_per_s = j.own;
        sgdsim_result bare = {.step_end_s = end_s};
        CHECK_STATUS(sgdsim_run_bytes(&j.config, &bytes), SGDSIM_OK);
        void *work = get_memory(bytes, 1);
        sgdsim_status status = sgdsim_run(&j.config, work, bytes, &bare);
        free(work);
        if (status == SGDSIM_NO_WINDOW) continue; /* all takes no time                */
        CHECK_STATUS(status, SGDSIM_OK);
        outcome o = run_all(&j.config);
        bare.step_end_s = NULL;
        CHECK(memcmp(&bare, &o.out, sizeof bare) == 0);
        for (size_t k = 0; k < o.events && k < MOST_EVENTS; k++)
            told_s[3 * o.event[k].worker + o.event[k].step] = o.event[k].end_s;
        CHECK(memcmp(end_s, told_s, 3 * (j.workers[0] + j.workers[1]) * sizeof *end_s) == 0);
        free(o.event);
        if (test_failures == 0) continue;
        fprintf(stderr, "    in job %lu\n", (unsigned long)i);
        return;
    }
}

/* ---- From inside ---------------------------------------------------------- */

/* A run, how often it has been looked at, and the workers' links that had been looked at. */
typedef struct looker {
    sgdsim_priv_run run;
    size_t          looks, sides;
} looker;

/* Who has how many flows, how many workers have several, and the sum of even shares are what
 * the links tell; the last look at workers' links was at no one's who had left. */
static void look(void *ctx, const sgdsim_event *event)
{
    looker *l = (looker *)ctx;
    const sgdsim_priv_run *run = &l->run;
    size_t i, m, k;
    (void)event;
    for (i = 0; i < 2; i++) {
        const sgdsim_priv_station *hub = run->station + i;
        uint64_t crowd = 0;
        size_t several = 0;
        CHECK(hub->kind == SGDSIM_PRIV_LINKS && hub->flows_of);
        for (m = 0; m < run->servers; m++)
            if (hub->link[m].busy > 0) crowd += sgdsim_priv_crowd_of(hub->link[m].busy);
        for (uint32_t w = 0; w < run->workers; w++) {
            size_t flows = 0;
            for (m = 0; m < run->servers; m++) flows += (size_t)sgdsim_priv_uses(run, hub, w, m);
            several += flows > 1;
            CHECK(hub->flows_of[w] == flows);
        }
        CHECK(hub->crowd == crowd && hub->several == several);
        if ((several == 0 && hub->least_own >= 1.0)
            || !((double)crowd > hub->least_own * 1099511627776.0)) continue;
        for (k = 0; k < hub->worker_sides; k++)
            CHECK(hub->flows_of[hub->worker_side[k].worker] > 0);
        l->sides += hub->worker_sides;
    }
    l->looks++;
}

TEST(what_is_kept_of_flows_is_what_the_links_tell)
{
    for (uint64_t seed = 0; seed < 20 && test_failures == 0; seed++) {
        static looker l;
        static job j;
        sgdsim_priv_arena state;
        size_t bytes = 0;
        new_job(&j, 900 + seed, 4);
        j.config.transfers.window_bytes = j.config.variation.stagger_s = 0.0;
        j.config.links.worker_bandwidth_bytes_per_s = seed % 2 ? j.own : NULL;
        j.config.watch.on_op = look;
        j.config.watch.ctx = &l;
        sgdsim_result out = {0};
        memset(&l, 0, sizeof l);
        CHECK_STATUS(sgdsim_run_bytes(&j.config, &bytes), SGDSIM_OK);
        void *work = get_memory(bytes, 1);
        CHECK_STATUS(sgdsim_priv_ready(&j.config, work, bytes, &l.run, &state), SGDSIM_OK);
        CHECK_STATUS(sgdsim_priv_go_with(&l.run, state, 0, &out), SGDSIM_OK);
        CHECK(l.looks == out.operations && (l.sides > 0 || seed % 2 == 0));
        free(work);
    }
}

/* ---- By hand -------------------------------------------------------------- */

/* Downloads of as many bytes from each of so many servers. */
static const sgdsim_op *downloads(uint32_t servers, double bytes)
{
    static sgdsim_op op[8];
    for (uint32_t i = 0; i < servers; i++) op[i] = (sgdsim_op){DOWN(bytes), AT(i)};
    return op;
}

/* Worker 0 has flows at servers 0, 1 and 2, a third of its link each, so that worker 1
 * has two thirds at server 0: 2 bytes in 3 s, of which worker 0 gets 1 of its 3 each; then
 * 1 more at server 0 at a third alone, as before. All end after 9 s. */
TEST(a_worker_of_three_servers_is_held_back_by_its_link)
{
    const sgdsim_op op[4] = {{DOWN(3.0)}, {DOWN(3.0), AT(1)}, {DOWN(3.0), AT(2)}, {DOWN(2.0)}};
    scene s;
    SET_SCENE(&s, op, 3, 1);
    s.config.servers.count = 3;
    outcome o = run_all(&s.config);
    CHECK(o.events == 4 && o.event[0].worker == 1);
    CHECK_REL(o.event[0].end_s, 3.0, 1e-12);
    for (size_t i = 1; i < 4 && i < o.events; i++) CHECK_REL(o.event[i].end_s, 9.0, 1e-12);
    free(o.event);
}

/* A worker whose link carries 1/2 has 2 bytes, one of 1/4 has 1: both end after 4 s, first
 * the one whose download entered service first, in whatever order the links are given. */
TEST(flows_held_back_that_end_at_once_end_as_they_came)
{
    static const double own[2][2] = {{0.25, 0.5}, {0.5, 0.25}};
    const sgdsim_op op[2][2] = {{{DOWN(1.0)}, {DOWN(2.0)}}, {{DOWN(2.0)}, {DOWN(1.0)}}};
    for (uint32_t first = 0; first < 2; first++) {
        scene s;
        SET_SCENE(&s, op[first], 1, 1);
        s.config.links.worker_bandwidth_bytes_per_s = own[first];
        outcome o = run_all(&s.config);
        CHECK(o.events == 2 && o.event[0].worker == 0 && o.event[1].worker == 1);
        for (size_t i = 0; i < 2; i++) CHECK_REL(o.event[i].end_s, 4.0, 0.0);
        free(o.event);
    }
}

/* One download is all that a server sends, one upload after the other all that it gets: the
 * download goes on by one rate, and ends to the bit when its bytes say. */
TEST(a_download_beside_many_uploads_ends_in_time)
{
    static const sgdsim_tcp half = {0.5, 0.0};
    sgdsim_op op[1 + MOST_OPS] = {{DOWN(64.0)}};
    scene s;
    for (size_t i = 0; i < MOST_OPS; i++) op[1 + i] = (sgdsim_op){UP(1.3)};
    SET_SCENE(&s, op, 1, MOST_OPS);
    s.config.servers.count = 2;
    s.config.links.rule = SGDSIM_LINK_TCP;
    s.config.links.tcp = &half;
    outcome o = run_all(&s.config);
    CHECK(o.events == MOST_OPS + 1 && o.event[MOST_OPS].worker == 0);
    CHECK_REL(o.event[MOST_OPS].end_s, 64.0, 0.0);
    free(o.event);
}

/* Workers alike keep in step to the bit, however many they are: each of W gets its bytes
 * of M servers in W times the time that one link takes, and all at once. */
TEST(workers_alike_end_at_once)
{
    for (uint32_t servers = 2; servers <= 8; servers++) {
        scene s;
        SET_SCENE(&s, downloads(servers, 1.1), servers);
        s.workers[0] = 300;
        s.config.servers.count = servers;
        s.config.length.steps = 5;
        outcome o = run_all(&s.config);
        for (size_t i = 0; i < o.events; i++) {
            const size_t same = i - i % (300u * servers);
            CHECK_REL(o.event[i].end_s, o.event[same].end_s, 0.0);
            CHECK(o.event[i].step == i / (300u * servers));
        }
        CHECK_REL(o.out.makespan_s, 5.0 * 300.0 * 1.1, 1e-12);
        free(o.event);
    }
}

/* A thousand workers on eight servers, an event counting once. */
TEST(an_event_of_many_flows_counts_once)
{
    sgdsim_op op[8];
    scene s;
    for (uint32_t i = 0; i < 8; i++) op[i] = (sgdsim_op){DOWN(1.0 + i), AT(i)};
    SET_SCENE(&s, op, 8);
    s.workers[0] = 1000;
    s.config.servers.count = 8;
    s.config.length.steps = 2;
    s.config.max_events = 16000;
    outcome o = run_all(&s.config);
    CHECK(o.out.events == 16000);
    free(o.event);
}

/* Alone on both of two servers a worker has half of each link, or all of it. */
TEST(a_worker_alone_on_two_servers_has_half_of_each_or_all)
{
    for (int unit = 0; unit < 2; unit++) {
        scene s;
        SET_SCENE(&s, downloads(2, 1.0), 2);
        s.config.servers.count = 2;
        s.config.length.steps = 3;
        s.config.variants.two_servers_unit = unit;
        outcome o = run_all(&s.config);
        CHECK_REL(o.out.makespan_s, unit ? 3.0 : 6.0, 1e-15);
        free(o.event);
    }
}

/* Flows that a worker's link holds back end never, in as far as a double can tell. */
TEST(times_past_the_largest_double_are_refused_of_flows_held_back)
{
    double own = 1e-10;
    scene s;
    SET_SCENE(&s, downloads(3, 1e300), 3);
    s.config.links.worker_bandwidth_bytes_per_s = &own;
    s.config.servers.count = 3;
    CHECK_STATUS(run_in_dirt(&s.config, 0, &s.out), SGDSIM_BAD_ARGUMENT);
    own = 1e-7;
    play(&s);
    CHECK_REL(s.out.makespan_s, 3e307, 1e-12);
}

/* The second of two servers is done at the largest double, the first has nothing to do. */
TEST(a_download_may_end_at_the_largest_double)
{
    const sgdsim_op op = {DOWN(DBL_MAX), AT(1)};
    scene s;
    SET_SCENE(&s, &op, 1);
    s.config.servers.count = 2;
    outcome o = run_all(&s.config);
    CHECK(o.events == 1);
    CHECK_REL(o.out.makespan_s, DBL_MAX, 0.0);
    free(o.event);
}

TEST_MAIN("test_shares");
