/* test_recorded.c - steps as they were recorded become traces that run so again; streams of
 * HTTP/2 end as the simulator ends the transfers of a worker, by another engine. */
#include "chance.h"
#include "test.h"
#include "sgdperf_parallel.h"
#include "sgdperf_sim.h"

#include <float.h>
#include <math.h>

enum { MOST = 64, MOST_WAITS = 8 };

typedef struct step_record {
    sgdsim_record record[MOST];
    uint32_t      wait[MOST][MOST_WAITS];
    size_t        n;
    sgdsim_op     op[MOST];
    uint32_t      waits[MOST * (MOST_WAITS + 1)], from[MOST];
    sgdsim_fault  fault;
} step_record;

static double work[4096];

/* A record from start to end, or of so many bytes. */
static sgdsim_record *add(step_record *s, sgdsim_resource resource, double start_s,
                          double end_s)
{
    sgdsim_record *r = &s->record[s->n];
    *r = (sgdsim_record){.resource = resource, .start_s = start_s, .end_s = end_s,
                         .waits_for = s->wait[s->n++]};
    return r;
}

static void wait_for(step_record *s, size_t i, uint32_t other)
{
    s->wait[i][s->record[i].waits++] = other;
}

static sgdsim_status convert(step_record *s, uint32_t servers)
{
    size_t bytes = 0;
    const sgdsim_status status =
        sgdsim_trace_recorded_bytes(&(sgdsim_records){s->record, s->n, servers}, &bytes);
    if (status != SGDSIM_OK) return status;
    CHECK(bytes <= sizeof work);
    return sgdsim_trace_recorded(&(sgdsim_records){s->record, s->n, servers}, work, bytes,
                                 &(sgdsim_draft){s->op, s->waits, s->from}, &s->fault);
}

/* ---- Times ----------------------------------------------------------------- */

TEST(records_that_overlap_count_once)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 10.0, 18.0);
    add(&s, SGDSIM_WORKER, 11.0, 13.0);
    add(&s, SGDSIM_WORKER, 12.0, 17.0);
    CHECK_STATUS(convert(&s, 1), SGDSIM_OK);
    CHECK(s.from[0] == 1 && s.from[1] == 2 && s.from[2] == 0);
    CHECK_REL(s.op[0].duration_s, 3.0, 0.0);
    CHECK_REL(s.op[1].duration_s, 4.0, 0.0);
    CHECK_REL(s.op[2].duration_s, 1.0, 0.0);
    CHECK(s.op[0].waits == 0 && s.op[0].waits_for == NULL);
    CHECK(s.op[1].waits == 1 && s.op[1].waits_for[0] == 0);
    CHECK(s.op[2].waits == 1 && s.op[2].waits_for[0] == 1);
}

TEST(a_gap_is_time_of_the_worker_but_not_of_a_server)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0);
    add(&s, SGDSIM_WORKER, 3.0, 4.0);
    add(&s, SGDSIM_SERVER, 0.5, 1.0);
    add(&s, SGDSIM_SERVER, 3.0, 4.0)->server = 0;
    CHECK_STATUS(convert(&s, 1), SGDSIM_OK);
    CHECK(s.from[2] == 1 && s.from[3] == 3);
    CHECK_REL(s.op[2].duration_s, 3.0, 0.0);
    CHECK_REL(s.op[3].duration_s, 1.0, 0.0);
}

TEST(a_gap_that_a_transfer_explains_is_none)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0);
    add(&s, SGDSIM_DOWNLINK, 0.0, 5.0)->bytes = 7.0;
    add(&s, SGDSIM_WORKER, 5.5, 6.0);
    wait_for(&s, 2, 1);
    wait_for(&s, 2, 0);
    CHECK_STATUS(convert(&s, 1), SGDSIM_OK);
    CHECK(s.from[1] == 1 && s.from[2] == 2);
    CHECK_REL(s.op[1].bytes, 7.0, 0.0);
    CHECK_REL(s.op[1].duration_s, 5.0, 0.0);
    CHECK_REL(s.op[2].duration_s, 1.0, 0.0);
    CHECK(s.op[2].waits == 2 && s.op[2].waits_for[0] == 0 && s.op[2].waits_for[1] == 1);
}

/* Uploads that were asked for early had the link only from when there was something to
 * send, and one after the other. */
TEST(a_transfer_has_the_link_from_the_last_of_three_times)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 4.0);
    add(&s, SGDSIM_UPLINK, 0.0, 6.0)->bytes = 1.0;
    add(&s, SGDSIM_UPLINK, 0.0, 9.0)->bytes = 2.0;
    add(&s, SGDSIM_UPLINK, 10.0, 12.0)->bytes = 3.0;
    add(&s, SGDSIM_UPLINK, 0.0, 11.0)->server = 1;
    wait_for(&s, 1, 0);
    wait_for(&s, 2, 0);
    CHECK_STATUS(convert(&s, 2), SGDSIM_OK);
    CHECK_REL(s.op[1].duration_s, 2.0, 0.0);
    CHECK_REL(s.op[2].duration_s, 3.0, 0.0);
    CHECK_REL(s.op[3].duration_s, 11.0, 0.0);
    CHECK_REL(s.op[4].duration_s, 2.0, 0.0);
    CHECK(s.op[1].waits == 1 && s.op[3].waits == 0);
}

/* Of several ops of the worker, what a transfer waits for is the last. */
TEST(what_others_come_before_anyway_is_not_waited_for)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0);
    add(&s, SGDSIM_WORKER, 1.0, 2.0);
    add(&s, SGDSIM_UPLINK, 2.0, 3.0);
    add(&s, SGDSIM_SERVER, 3.0, 4.0);
    add(&s, SGDSIM_SERVER, 3.0, 5.0)->server = 1;
    wait_for(&s, 1, 0);
    wait_for(&s, 2, 1);
    wait_for(&s, 2, 0);
    wait_for(&s, 3, 2);
    wait_for(&s, 4, 1);
    wait_for(&s, 4, 3);
    CHECK_STATUS(convert(&s, 2), SGDSIM_OK);
    CHECK(s.op[1].waits == 1 && s.op[1].waits_for[0] == 0);
    CHECK(s.op[2].waits == 1 && s.op[2].waits_for[0] == 1);
    CHECK(s.op[3].waits == 1 && s.op[3].waits_for[0] == 2);
    CHECK(s.op[4].waits == 2 && s.op[4].waits_for[0] + s.op[4].waits_for[1] == 4);
    CHECK(s.op[4].server == 1 && s.op[2].server == 0);
}

/* Clocks of two machines: what is waited for seems to end later. */
TEST(a_dependency_counts_more_than_a_clock)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 2.0);
    add(&s, SGDSIM_DOWNLINK, 0.0, 3.0);
    wait_for(&s, 0, 1);
    CHECK_STATUS(convert(&s, 1), SGDSIM_OK);
    CHECK(s.from[0] == 1 && s.from[1] == 0);
    CHECK_REL(s.op[1].duration_s, 0.0, 0.0);
}

/* ---- Runs again ------------------------------------------------------------ */

/* What a run of one step on one worker recorded. */
static step_record *recorded;

static void record_op(void *ctx, const sgdsim_event *event)
{
    sgdsim_record *r = &recorded->record[event->op];
    (void)ctx;
    r->start_s = event->start_s;
    r->end_s = event->end_s;
}

static double run_step(const sgdsim_op *op, size_t n, uint32_t servers,
                       void (*on_op)(void *ctx, const sgdsim_event *event))
{
    static double scratch[1 << 15];
    const uint32_t workers[1] = {1};
    size_t bytes = 0;
    sgdsim_result result = {0};
    sgdsim_step step = {.op = op, .ops = n};
    sgdsim_trace trace = {.step = &step, .steps = 1};
    sgdsim_config config = {.workers.types = 1, .workers.trace = &trace, .workers.count = workers,
                            .servers.count = servers, .links.rule = SGDSIM_LINK_FCFS,
                            .links.bandwidth_bytes_per_s = 1.0, .length.steps = 1,
                            .watch.on_op = on_op};
    CHECK_STATUS(sgdsim_run_bytes(&config, &bytes), SGDSIM_OK);
    CHECK(bytes <= sizeof scratch);
    CHECK_STATUS(sgdsim_run(&config, scratch, bytes, &result), SGDSIM_OK);
    return result.makespan_s;
}

static double ends[MOST];

static void keep_end(void *ctx, const sgdsim_event *event)
{
    (void)ctx;
    ends[event->op] = event->end_s;
}

/* A random step, recorded while it runs. */
static void random_step(step_record *s, uint64_t seed, sgdsim_op *op)
{
    s->n = 0;
    for (size_t i = 0; i < 40; i++) {
        const sgdsim_resource what = (sgdsim_resource)(int)(4.0 * test_uniform(seed, i, 0));
        const double amount = 1.0 + test_uniform(seed, i, 1);
        sgdsim_record *r = add(s, what, 0.0, 0.0);
        for (uint32_t k = 0; k < i && r->waits < MOST_WAITS; k++)
            if (test_uniform(seed, i, 10 + k) < 2.0 / (double)i) wait_for(s, i, k);
        r->server = (uint32_t)(2.0 * test_uniform(seed, i, 2));
        r->bytes = amount;
        op[i].resource = what;
        op[i].server = r->server;
        op[i].duration_s = op[i].bytes = amount;
        op[i].waits_for = r->waits_for;
        op[i].waits = r->waits;
    }
}

TEST(what_was_recorded_runs_so_again)
{
    static step_record s;
    sgdsim_op op[MOST];
    recorded = &s;
    for (uint64_t seed = 0; seed < (uint64_t)TEST_SIZE(200, 5000); seed++) {
        random_step(&s, seed, op);
        double makespan_s = run_step(op, s.n, 2, record_op);
        CHECK_STATUS(convert(&s, 2), SGDSIM_OK);
        /* A worker that waits for a server, or a server for a worker, waits. */
        CHECK_REL(run_step(s.op, s.n, 2, keep_end), makespan_s, 1e-12);
        for (size_t i = 0; i < s.n; i++) CHECK_REL(ends[i], s.record[s.from[i]].end_s, 1e-12);
    }
}

/* ---- What is no step ------------------------------------------------------- */

static void check_fault(const sgdsim_record *bad, const char *field, const char *reason)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0);
    s.record[1] = *bad;
    s.n = 2;
    memset(&s.op, 0x5A, sizeof s.op);
    CHECK_STATUS(convert(&s, 2), SGDSIM_BAD_TRACE);
    CHECK(s.fault.op == 1);
    CHECK_TEXT(s.fault.field, field);
    CHECK_TEXT(s.fault.reason, reason);
    CHECK(s.op[0].server == 0x5A5A5A5Au);          /* nothing is written */
}

TEST(bad_records_are_blamed)
{
    static const uint32_t missing[] = {2}, self[] = {1}, twice[] = {0, 0};
    const double nan = (double)NAN;
    const struct { sgdsim_record bad; const char *field, *reason; } row[] = {
        {{(sgdsim_resource)7, 1, 0.0, 1.0, 5.0, NULL, 0}, "resource", "is no resource"},
        {{SGDSIM_UPLINK, 2, 0.0, 1.0, 5.0, NULL, 0}, "server",
         "is not below the number of servers"},
        {{SGDSIM_UPLINK, 1, 0.0, -1.0, 5.0, NULL, 0}, "duration_s", "is negative"},
        {{SGDSIM_UPLINK, 1, 0.0, HUGE_VAL, 5.0, NULL, 0}, "duration_s", "is not a finite number"},
        {{SGDSIM_UPLINK, 1, -DBL_MAX, DBL_MAX, 5.0, NULL, 0}, "duration_s",
         "is not a finite number"},
        {{SGDSIM_UPLINK, 1, nan, nan, 5.0, NULL, 0}, "duration_s", "is not a finite number"},
        {{SGDSIM_UPLINK, 1, 0.0, 1.0, -1.0, NULL, 0}, "bytes", "is negative"},
        {{SGDSIM_UPLINK, 1, 0.0, 1.0, nan, NULL, 0}, "bytes", "is not a finite number"},
        {{SGDSIM_UPLINK, 1, 0.0, 1.0, 5.0, NULL, 1}, "waits_for", "is missing"},
        {{SGDSIM_UPLINK, 1, 0.0, 1.0, 5.0, missing, 1}, "waits_for",
         "names an op that is not there"},
        {{SGDSIM_UPLINK, 1, 0.0, 1.0, 5.0, self, 1}, "waits_for", "names the op itself"},
        {{SGDSIM_UPLINK, 1, 0.0, 1.0, 5.0, twice, 2}, "waits_for", "names an op twice"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        check_fault(&row[i].bad, row[i].field, row[i].reason);
}

TEST(a_cycle_is_found)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0);
    add(&s, SGDSIM_UPLINK, 1.0, 2.0);
    add(&s, SGDSIM_DOWNLINK, 2.0, 3.0);
    wait_for(&s, 1, 2);
    wait_for(&s, 2, 1);
    CHECK_STATUS(convert(&s, 1), SGDSIM_BAD_TRACE);
    CHECK(s.fault.op == 1);
    CHECK_TEXT(s.fault.reason, "leads into a cycle");
}

TEST(bad_arguments_are_refused)
{
    static step_record s;
    size_t bytes = 0, *const told = &bytes;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0);
#define BYTES(record, n, servers, to) \
    sgdsim_trace_recorded_bytes(&(sgdsim_records){record, n, servers}, to)
#define CONVERT(bytes, op, waits, from)                                                 \
    sgdsim_trace_recorded(&(sgdsim_records){s.record, 1, 1}, work, bytes,               \
                          &(sgdsim_draft){op, waits, from}, NULL)
    CHECK_STATUS(BYTES(NULL, 1, 1, told), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(BYTES(s.record, 0, 1, told), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(BYTES(s.record, 1, 0, told), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(BYTES(s.record, 1, 1, NULL), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(BYTES(s.record, 65533, 1, told), SGDSIM_TOO_LARGE);
    CHECK_STATUS(BYTES(s.record, 1, 1, told), SGDSIM_OK);
    CHECK_STATUS(CONVERT(bytes - 1, s.op, s.waits, s.from), SGDSIM_SMALL_WORKSPACE);
    CHECK_STATUS(CONVERT(bytes, NULL, s.waits, s.from), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(CONVERT(bytes, s.op, NULL, s.from), SGDSIM_BAD_ARGUMENT);
    CHECK_STATUS(CONVERT(bytes, s.op, s.waits, NULL), SGDSIM_BAD_ARGUMENT);
#undef BYTES
#undef CONVERT
}

/* An op cannot wait for more than all. An op that was recorded before the one that it waits
 * for takes no time; who is late counts on. */
TEST(records_against_the_clock_keep_the_latest_end)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 10.0);
    add(&s, SGDSIM_WORKER, 1.0, 5.0);
    add(&s, SGDSIM_WORKER, 10.0, 12.0);
    wait_for(&s, 1, 0);
    wait_for(&s, 2, 1);
    CHECK_STATUS(convert(&s, 1), SGDSIM_OK);
    CHECK(s.from[0] == 0 && s.from[1] == 1 && s.from[2] == 2);
    CHECK_REL(s.op[0].duration_s, 10.0, 0.0);
    CHECK_REL(s.op[1].duration_s, 0.0, 0.0);
    CHECK_REL(s.op[2].duration_s, 2.0, 0.0);
    s.record[0].waits = 4;
    CHECK_STATUS(sgdsim_trace_recorded(&(sgdsim_records){s.record, 3, 1}, work, sizeof work,
                                       &(sgdsim_draft){s.op, s.waits, s.from}, NULL),
                                           SGDSIM_TOO_LARGE);
    CHECK_REL(s.op[2].duration_s, 2.0, 0.0);
}

/* A worker has no server, whatever number its record has. */
TEST(what_a_worker_does_is_at_no_server)
{
    static step_record s;
    s.n = 0;
    add(&s, SGDSIM_WORKER, 0.0, 1.0)->server = 7;
    add(&s, SGDSIM_SERVER, 1.0, 2.0)->server = 1;
    CHECK_STATUS(convert(&s, 2), SGDSIM_OK);
    CHECK(s.op[0].resource == SGDSIM_WORKER && s.op[0].server == 0);
    CHECK(s.op[1].resource == SGDSIM_SERVER && s.op[1].server == 1);
}

/* ---- Streams --------------------------------------------------------------- */

enum { STREAMS = 12, STREAM_OPS = 2 * STREAMS };

/* Streams as ops: a chain of WORKER ops ends at their starts, and releases the DOWNLINK ops of
 * each. */
typedef struct stream_step {
    sgdsim_op op[STREAM_OPS];
    uint32_t  wait[STREAM_OPS];
    size_t    n;
    double    end_s[STREAM_OPS];
} stream_step;

static void add_op(stream_step *s, sgdsim_resource resource, double seconds, double bytes,
                   size_t before)
{
    s->wait[s->n] = (uint32_t)before;
    s->op[s->n] = (sgdsim_op){.resource = resource, .duration_s = seconds, .bytes = bytes,
                              .waits_for = &s->wait[s->n], .waits = before < s->n};
    s->n++;
}

static void note_end(void *ctx, const sgdsim_event *e)
{
    ((stream_step *)ctx)->end_s[e->op] = e->end_s;
}

static void lay_streams(stream_step *s, const sgdpar_stream *stream, size_t n)
{
    s->n = 0;
    for (size_t i = 0; i < n; i++)
        add_op(s, SGDSIM_WORKER, stream[i].start_s - (i > 0 ? stream[i - 1].start_s : 0.0), 0.0,
               i > 0 ? i - 1 : STREAM_OPS);
    for (size_t i = 0; i < n; i++) add_op(s, SGDSIM_DOWNLINK, 0.0, stream[i].bytes, i);
}

static sgdsim_status simulate(stream_step *s, const sgdpar_connection *c)
{
    static double room[20000];
    const sgdsim_step step = {.op = s->op, .ops = s->n};
    const sgdsim_trace trace = {.step = &step, .steps = 1};
    const uint32_t one = 1;
    sgdsim_config run = {.workers = {.types = 1, .trace = &trace, .count = &one},
                         .links.bandwidth_bytes_per_s = c->bandwidth_bytes_per_s,
                         .length.steps = 1, .watch = {note_end, s}};
    sgdsim_result out = {0};
    size_t bytes = 0;
    run.transfers.window_bytes = c->window_bytes;
    run.transfers.every_turn = c->every_turn;
    const sgdsim_status status = sgdsim_run_bytes(&run, &bytes);
    CHECK(bytes <= sizeof room);
    return status != SGDSIM_OK ? status : sgdsim_run(&run, room, bytes, &out);
}

TEST(streams_end_when_the_simulator_ends_them)
{
    static stream_step s;
    sgdpar_stream stream[STREAMS];
    double end_s[STREAMS];
    uint32_t room[STREAMS];
    for (int round = 0; round < 400; round++) {
        const size_t n = 1 + draw(STREAMS);
        const int turns = draw(2) == 1;
        const sgdpar_connection c = {.bandwidth_bytes_per_s = between(0.5, 2.0),
                                     .window_bytes = between(0.3, 3.0), .every_turn = turns};
        double now_s = 0.0;
        for (size_t i = 0; i < n; i++) {
            stream[i] = (sgdpar_stream){.bytes = between(0.1, 9.0), .start_s = now_s};
            now_s += round % 3 == 0 ? 0.0 : random_below(6.0);
        }
        lay_streams(&s, stream, n);
        CHECK_STATUS(simulate(&s, &c), SGDSIM_OK);
        CHECK_STATUS(sgdpar_stream_ends(stream, n, &c, room, n * sizeof *room + 4, end_s),
                     SGDPAR_OK);
        for (size_t i = 0; i < n; i++) CHECK_REL(end_s[i], s.end_s[n + i], 1e-12);
    }
}

TEST(a_window_within_the_rounding_of_a_stream_ends)
{
    static const sgdpar_stream stream[] = {{1e30, 0.0}};
    const sgdpar_connection c = {.bandwidth_bytes_per_s = 1.0, .window_bytes = 1.0};
    double end_s;
    CHECK_STATUS(sgdpar_stream_ends(stream, 1, &c, work, sizeof work, &end_s), SGDPAR_OK);
    CHECK_REL(end_s, 1e30, 1e-15);
}

TEST(streams_that_are_none_are_refused)
{
    const sgdpar_stream good[] = {{1.0, 0.0}, {1.0, 1.0}}, late[] = {{1.0, 1.0}, {1.0, 0.0}};
    const sgdpar_stream many[] = {{5e6, 0.0}}, minus[] = {{-1.0, 0.0}};
    const sgdpar_stream huge[] = {{DBL_MAX, 0.0}, {DBL_MAX, 0.0}};
    const sgdpar_stream vast[] = {{1e308, 0.0}}, vast_then_none[] = {{1e308, 0.0}, {0.0, 0.0}};
    const sgdpar_connection c = {.bandwidth_bytes_per_s = 1.0, .window_bytes = 1.0};
    sgdpar_connection other = c;
    double end_s[2] = {9.0, 9.0};
    size_t bytes = 0;
#define ENDS(stream, n, c, bytes, to) sgdpar_stream_ends(stream, n, c, work, bytes, to)
    CHECK_STATUS(sgdpar_stream_ends_bytes(0, &bytes), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(sgdpar_stream_ends_bytes(2, NULL), SGDPAR_BAD_ARGUMENT);
    if (sizeof(size_t) > 4)
        CHECK_STATUS(sgdpar_stream_ends_bytes((size_t)UINT32_MAX + 1, &bytes), SGDPAR_TOO_LARGE);
    CHECK_STATUS(sgdpar_stream_ends_bytes(2, &bytes), SGDPAR_OK);
    CHECK_STATUS(ENDS(good, 2, &c, bytes - 1, end_s), SGDPAR_SMALL_WORKSPACE);
    CHECK_STATUS(ENDS(NULL, 2, &c, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(ENDS(good, 2, NULL, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(ENDS(good, 2, &c, bytes, NULL), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(ENDS(late, 2, &c, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(ENDS(minus, 1, &c, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(ENDS(huge, 2, &c, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    other.bandwidth_bytes_per_s = 0.0;
    CHECK_STATUS(ENDS(good, 2, &other, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    other = c;
    other.window_bytes = (double)NAN;
    CHECK_STATUS(ENDS(good, 2, &other, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    other.window_bytes = 1e-9;
    other.every_turn = 1;
    CHECK_STATUS(ENDS(good, 2, &other, bytes, end_s), SGDPAR_OVER_BUDGET);
    other.window_bytes = 2.0 / 10000000.5;         /* so many windows                  */
    CHECK_STATUS(ENDS(good, 2, &other, bytes, end_s), SGDPAR_OVER_BUDGET);
    other = c;
    other.parsing_s_per_byte = (double)NAN;
    CHECK_STATUS(ENDS(good, 2, &other, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    other = c;
    other.parsing_s = DBL_MAX;             /* a time itself, but not after the last byte */
    CHECK_STATUS(ENDS(vast, 1, &other, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    CHECK_STATUS(ENDS(vast_then_none, 2, &other, bytes, end_s), SGDPAR_BAD_ARGUMENT);
    CHECK_REL(end_s[0], 9.0, 0.0);
    other = c;
    other.every_turn = 1;
    other.window_bytes = 0.5;                      /* 10^7 turns, and no more          */
    CHECK_STATUS(ENDS(many, 1, &other, bytes, end_s), SGDPAR_OK);
    CHECK_REL(end_s[0], 5e6, 1e-12);
#undef ENDS
}

TEST_MAIN("test_recorded");
