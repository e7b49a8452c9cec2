/* trace.c - the steps of a trace as sgdperf simulate replays them, and what it gives */
#include "cmd/import/run.h"

#include "files/status.h"
#include "files/exchange.h"

enum { MOST_EXCHANGES = 21843 };       /* of a step, of sgdsim_trace_exchanges        */

static const import_op *op_of(const import_run *r, size_t step, size_t i)
{
    return &r->found.op[r->by[r->first[step] + i]];
}

static const char *name_of(const import_run *r, const import_op *op)
{
    return names_text(&r->found.names, op->name);
}

static import_traced *begin_trace(import_traced *t, size_t ops)
{
    t->op = tool_alloc(ops, sizeof *t->op);
    t->name = tool_alloc(ops, sizeof *t->name);
    t->alltoall = tool_alloc(ops, 1);
    t->ops = ops;
    return t;
}

/* What op i of a traced step is made of. */
static void take_source(const import_run *r, import_traced *t, size_t i, const import_op *op)
{
    t->name[i] = name_of(r, op);
    t->alltoall[i] = import_is_alltoall(op) && !(op->bytes < 0.0);
}

/* ---- Exchanges among workers ----------------------------------------------- */

/* The exchanges of a step, clipped to it, and their ops; returns how many. */
static size_t exchanges(const import_run *r, size_t step, sgdsim_exchange *x, const import_op **of)
{
    const import_step *s = &r->found.step[step];
    const size_t all = r->first[step + 1] - r->first[step];
    size_t n = 0;
    for (size_t i = 0; i < all; i++) {
        const import_op *op = op_of(r, step, i);
        if (op->kind != IMPORT_COLLECTIVE) continue;
        of[n] = op;
        x[n++] = (sgdsim_exchange){
            .start_s = op->start_s > s->start_s ? op->start_s : s->start_s,
            .end_s = op->end_s < s->end_s ? op->end_s : s->end_s,
            .bytes = import_goes_on(r, op) || op->bytes < 0.0 ? 0.0 : import_exchanged(op),
            .stalled_from_s = r->stalled_from_s[r->by[r->first[step] + i]]
        };
    }
    return n;
}

/* --view gpu: the same on a clock that stands still while nothing runs. */
static void leave_out_gaps(const import_run *r, size_t step, sgdsim_exchange *x, size_t n,
                           import_step *s)
{
    double *time_s = tool_alloc(3 * n + 1, sizeof *time_s);
    for (size_t i = 0; i < n; i++) {
        time_s[3 * i] = x[i].start_s;
        time_s[3 * i + 1] = x[i].end_s;
        time_s[3 * i + 2] = x[i].stalled_from_s;
    }
    time_s[3 * n] = s->end_s;
    import_busy(r, step, time_s, 3 * n + 1);
    for (size_t i = 0; i < n; i++) {
        x[i].start_s = time_s[3 * i];
        x[i].end_s = time_s[3 * i + 1];
        x[i].stalled_from_s = time_s[3 * i + 2];
    }
    s->start_s = 0.0;
    s->end_s = time_s[3 * n];
}

/* An exchange has the bytes that a ring of all-reduce would carry of it. If sizes are missing, each
 * exchange keeps the time it took: its bytes are those that a ring carries in it. */
static void trace_exchanges(import_run *r, size_t step)
{
    import_step s = r->found.step[step];
    const size_t all = r->first[step + 1] - r->first[step];
    sgdsim_exchange *x = tool_alloc(all, sizeof *x);
    const import_op **of = tool_alloc(all, sizeof *of);
    const double per_s =
        r->bandwidth_bytes_per_s / exchange_ring_share(r->workers > 1 ? r->workers : 2.0);
    const size_t n = exchanges(r, step, x, of);
    import_traced *t = begin_trace(&r->traced[step], 3 * n + 1);
    sgdsim_exchanges in;
    sgdsim_draft out = {.op = t->op};
    size_t bytes = 0;
    if (r->view == IMPORT_VIEW_GPU) leave_out_gaps(r, step, x, n, &s);
    out.waits = tool_alloc(5 * n + 2, sizeof *out.waits);
    out.from = tool_alloc(3 * n + 1, sizeof *out.from);
    if (n > MOST_EXCHANGES)
        tool_fail("%s: step %.0f has %lu exchanges, but a step is replayed with at most %d: mark "
                  "shorter steps in the trace", r->found.file, (double)s.number, (unsigned long)n,
                  (int)MOST_EXCHANGES);
    tool_check_sim(sgdsim_trace_exchanges_bytes(n, &bytes), r->found.file);
    in.exchange = x;
    in.exchanges = n;
    in.start_s = s.start_s;
    in.end_s = s.end_s;
    tool_check_sim(sgdsim_trace_exchanges(&in, tool_alloc(bytes, 1), bytes, &out, &t->ops),
                   r->found.file);
    for (size_t i = 0; i < t->ops; i++) {
        t->name[i] = "compute";
        if (out.from[i] < n && r->exchanged_bytes > 0.0) take_source(r, t, i, of[out.from[i]]);
        else if (out.from[i] < n) t->name[i] = name_of(r, of[out.from[i]]);
        if (out.from[i] < n && !(r->exchanged_bytes > 0.0))
            t->op[i].bytes = t->op[i].duration_s * per_s;
    }
}

/* ---- Operations that say what they wait for -------------------------------- */

/* The ops of a step, [n]; place[op of the file]: where it is. None is an IMPORT_WAIT. */
static sgdsim_record *records(const import_run *r, size_t step, uint32_t *place, size_t n)
{
    sgdsim_record *record = tool_alloc(n, sizeof *record);
    for (size_t i = 0; i < n; i++) place[r->by[r->first[step] + i]] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        const import_op *op = op_of(r, step, i);
        const double bytes = op->kind == IMPORT_COLLECTIVE ? import_exchanged(op) : op->bytes;
        uint32_t *list = tool_alloc(op->waits, sizeof *list);
        for (size_t k = 0; k < op->waits; k++) list[k] = place[r->found.wait[op->first_wait + k]];
        record[i] = (sgdsim_record){
            .resource = import_resource(op->kind), .server = op->server, .start_s = op->start_s,
            .end_s = op->end_s, .bytes = bytes > 0.0 ? bytes : 0.0, .waits_for = list,
            .waits = op->waits
        };
    }
    return record;
}

static uint32_t servers_of(const import_found *f)
{
    uint32_t servers = 1;
    for (size_t i = 0; i < f->ops; i++)
        if (f->op[i].server >= servers) servers = f->op[i].server + 1;
    return servers;
}

/* Recorded ops, on one clock. Transfers of no known size have one that takes their time:
 * without a bandwidth in seconds, which is no size to be written. */
enum { NOMINAL = 1 };         /* byte a second                                       */

/* Why a step cannot be written, with its size. */
static const char *fail_text(const import_run *r, size_t step, size_t ops, sgdsim_status status)
{
    return tool_text("step %.0f of %s, of %lu operation%s: %s",
                     (double)r->found.step[step].number, r->found.file, COUNTED(ops),
                     sgdsim_status_text(status));
}

static void trace_recorded(import_run *r, size_t step, uint32_t *place, const char **why)
{
    const double rate = r->given_bytes_per_s > 0.0 ? r->given_bytes_per_s : NOMINAL;
    const size_t n = r->first[step + 1] - r->first[step];
    import_traced *t = begin_trace(&r->traced[step], n);
    size_t edges = 0, bytes = 0;
    sgdsim_record *record = records(r, step, place, n);
    uint32_t *from = tool_alloc(n, sizeof *from), *waits;
    sgdsim_records in;
    sgdsim_fault fault = {0};
    for (size_t i = 0; i < n; i++) edges += record[i].waits;
    waits = tool_alloc(n + edges, sizeof *waits);
    in = (sgdsim_records){record, n, r->servers};
    sgdsim_status status = sgdsim_trace_recorded_bytes(&in, &bytes);
    if (status == SGDSIM_OK)
        status = sgdsim_trace_recorded(&in, tool_alloc(bytes, 1), bytes,
                                       &(sgdsim_draft){t->op, waits, from}, &fault);
    if (status == SGDSIM_BAD_TRACE)
        tool_fail("%s: '%s' of operation %lu of step %lu %s", r->found.file, fault.field,
                  (unsigned long)fault.op, (unsigned long)step, fault.reason);
    if (status != SGDSIM_OK) {
        *why = fail_text(r, step, n, status);
        return;
    }
    t->of = tool_alloc(n, sizeof *t->of);
    for (size_t i = 0; i < n; i++) {
        const import_op *op = op_of(r, step, from[i]);
        t->of[i] = r->by[r->first[step] + from[i]];
        take_source(r, t, i, op);
        if (op->bytes < 0.0) t->op[i].bytes = t->op[i].duration_s * rate;
    }
}

/* A graph without a clock: ops as they are. */
static void trace_graph(import_run *r, size_t step, uint32_t *place)
{
    const size_t n = r->first[step + 1] - r->first[step];
    const sgdsim_record *record = records(r, step, place, n);
    import_traced *t = begin_trace(&r->traced[step], n);
    for (size_t i = 0; i < n; i++) {
        t->op[i] = (sgdsim_op){
            .resource = record[i].resource, .server = record[i].server,
            .duration_s = record[i].end_s - record[i].start_s, .bytes = record[i].bytes,
            .waits_for = record[i].waits_for, .waits = record[i].waits
        };
        take_source(r, t, i, op_of(r, step, i));
    }
}

/* ---- Transfers alone ------------------------------------------------------- */

/* Of transfers between which nothing is recorded: the worker computes between the last
 * download and the first upload, and the server updates behind the last upload, for the
 * mean time of all updates. */
static void trace_transfers(import_run *r, size_t step)
{
    const size_t all = r->first[step + 1] - r->first[step];
    import_traced *t = begin_trace(&r->traced[r->traces++], all + 2);
    uint32_t *waits = tool_alloc(2 * all + 2, sizeof *waits), worker;
    double down_s = -1e300, up_s = 1e300;
    size_t n = 0;
    int pass;
    for (pass = 0, worker = 0;; pass++) {
        const import_kind kind = pass == 0 ? IMPORT_DOWNLINK : IMPORT_UPLINK;
        for (size_t i = 0; i < all; i++) {
            const import_op *op = op_of(r, step, i);
            if (op->kind != kind) continue;
            if (pass == 0 && op->end_s > down_s) down_s = op->end_s;
            if (pass == 1 && op->start_s < up_s) up_s = op->start_s;
            t->op[n].resource = import_resource(op->kind);
            t->op[n].bytes = op->bytes < 0.0 ? (op->end_s - op->start_s) * r->given_bytes_per_s
                                             : op->bytes;
            t->op[n].server = op->server;
            if (pass == 1) { t->op[n].waits_for = &waits[worker]; t->op[n].waits = 1; }
            t->name[n++] = name_of(r, op);
        }
        if (pass == 1) break;
        worker = (uint32_t)n;
        for (size_t i = 0; i < n; i++) waits[i] = (uint32_t)i;
        waits[worker] = worker;
        t->op[n].resource = SGDSIM_WORKER;
        t->op[n].waits_for = waits;
        t->op[n].waits = n;
        t->name[n++] = "compute";
    }
    if (up_s > down_s && up_s < 1e299 && down_s > -1e299)
        t->op[worker].duration_s = up_s - down_s;
    t->op[n].resource = SGDSIM_SERVER;
    t->op[n].duration_s = r->job.compute.update_s;
    for (size_t i = worker + 1; i < n; i++) waits[i] = (uint32_t)i;
    t->op[n].waits_for = &waits[worker + 1];
    t->op[n].waits = n - worker - 1;
    t->name[n++] = "update";
    t->ops = n;
}

static int has_kind(const import_run *r, size_t step, import_kind kind)
{
    for (size_t i = r->first[step]; i < r->first[step + 1]; i++)
        if (r->found.op[r->by[i]].kind == kind) return 1;
    return 0;
}

/* Without those that lack a direction which three of four others have, as sgdfit_profile_steps
 * has it: a worker that computes nothing, an update that waits for nobody. */
static void trace_whole(import_run *r)
{
    static const import_kind kinds[] = {IMPORT_DOWNLINK, IMPORT_UPLINK};
    const size_t steps = r->found.steps;
    size_t has[2] = {0, 0}, s, k;
    for (s = 0; s < steps; s++)
        for (k = 0; k < 2; k++) has[k] += has_kind(r, s, kinds[k]) ? 1U : 0U;
    for (s = 0; s < steps; s++) {
        int lacks = 0;
        for (k = 0; k < 2; k++)
            lacks |= has[k] > 0 && 4 * has[k] >= 3 * (steps - 1) && !has_kind(r, s, kinds[k]);
        if (!lacks) trace_transfers(r, s);
    }
}

/* ---- All ------------------------------------------------------------------- */

/* Is there no transfer to or from a server of a known size? */
static int is_unsized(const import_run *r)
{
    for (size_t i = 0; i < r->found.ops; i++)
        if (import_is_sent(&r->found.op[i]) && !(r->found.op[i].bytes < 0.0)) return 0;
    return r->sends;
}

static const char *reason_against(const import_run *r)
{
    const import_found *f = &r->found;
    const int sizeable = f->timed && (f->linked || r->sends); /* by --bandwidth      */
    if (f->steps == 0) return "the file has no steps";
    if (r->view == IMPORT_VIEW_GPU && (r->sends || f->linked))
        return "cannot be combined with --view gpu if the file records what operations wait for: "
               "the waiting contains the gaps between operations";
    if (!r->sends && f->timed && !f->linked) return NULL;
    for (size_t i = 0; i < f->ops; i++)
        if ((import_is_sent(&f->op[i]) || f->op[i].kind == IMPORT_COLLECTIVE) &&
            f->op[i].bytes < 0.0 && !(r->given_bytes_per_s > 0.0 && sizeable))
            return sizeable
                       ? tool_text("the file does not give the sizes of its transfers: add %s, the "
                                   "bandwidth of the traced network", NAME_OF(BANDWIDTH))
                       : "needs the sizes of all exchanges, but some sizes are missing in the file";
    return NULL;
}

/* Sizes that were made of times and a bandwidth may pass what numbers hold. */
static void check_sizes(const import_run *r)
{
    for (size_t s = 0; s < r->traces; s++)
        for (size_t i = 0; i < r->traced[s].ops; i++)
            if (!(r->traced[s].op[i].bytes <= IMPORT_MOST_BYTES))
                tool_fail("%s: at this %s a transfer has too many bytes: give a smaller bandwidth",
                          r->found.file, NAME_OF(BANDWIDTH));
}

void import_trace(import_run *r, const char **why)
{
    const import_found *f = &r->found;
    *why = reason_against(r);
    r->nominal = *why && f->timed && f->linked && is_unsized(r) && r->view == IMPORT_VIEW_HOST;
    if (*why && !r->nominal) return;
    r->servers = servers_of(f);
    uint32_t *place = tool_alloc(f->ops, sizeof *place);
    r->traced = tool_alloc(f->steps, sizeof *r->traced);
    r->traces = f->timed && !f->linked && r->sends ? 0 : f->steps;
    if (r->traces == 0) trace_whole(r);
    else for (size_t s = 0; s < f->steps && (!*why || r->nominal); s++) {
        if (!f->timed) trace_graph(r, s, place);
        else if (f->linked) trace_recorded(r, s, place, why);
        else trace_exchanges(r, s);
    }
    if (r->traces == 0) *why = "the file has no complete step";
    if (*why && !r->nominal) r->traced = NULL;
    else check_sizes(r);
}
