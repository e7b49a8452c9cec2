/* measure.c - what the operations of a trace add up to, by the headers */
#include "cmd/import/run.h"

#include "files/status.h"
#include "files/exchange.h"

#include <math.h>
#include <string.h>

int import_is_sent(const import_op *op)
{
    return op->kind == IMPORT_UPLINK || op->kind == IMPORT_DOWNLINK;
}

int import_is_moved(const sgdsim_op *op)
{
    return op->resource == SGDSIM_UPLINK || op->resource == SGDSIM_DOWNLINK;
}

int import_goes_on(const import_run *r, const import_op *op)
{
    const import_step *s = &r->found.step[op->step];
    return s->end_s > s->start_s && op->start_s < s->start_s;
}

import_layer import_sum(const import_found *f)
{
    import_layer sum = {0};
    for (size_t i = 0; i < f->layers; i++) {
        sum.forward_s += f->layer[i].forward_s;
        sum.backward_s += f->layer[i].backward_s;
        sum.bytes += f->layer[i].bytes;
    }
    return sum;
}

/* ---- Parts of steps -------------------------------------------------------- */

/* The activities of a step: those of `work`, for op i of by[first..]. Server time is not
 * the worker's. */
static size_t activities(const import_run *r, size_t step, sgdfit_activity *a, uint32_t *of)
{
    const import_found *f = &r->found;
    size_t n = 0;
    for (size_t i = r->first[step]; i < r->first[step + 1]; i++) {
        const import_op *op = &f->op[r->by[i]];
        if (op->kind == IMPORT_UPDATE || (r->view == IMPORT_VIEW_GPU && op->kind == IMPORT_WAIT))
            continue;
        a[n].start_s = op->start_s;
        a[n].end_s = op->end_s;
        a[n].kind = op->kind == IMPORT_COMPUTE ? SGDFIT_ACTIVITY_COMPUTE
                  : op->kind == IMPORT_WAIT    ? SGDFIT_ACTIVITY_WAIT
                                               : SGDFIT_ACTIVITY_COMMUNICATION;
        of[n++] = r->by[i];
    }
    return n;
}

/* Of the accelerator alone: what nothing runs in is left out. */
static void leave_out_gaps(sgdfit_step_parts *p)
{
    p->exposed_s = p->communication_s - p->overlap_s;
    p->step_s = p->compute_s + p->exposed_s;
    p->host_s = 0.0;
}

static void add_parts(sgdfit_step_parts *sum, const sgdfit_step_parts *p, double weight)
{
    sum->step_s += p->step_s * weight;
    sum->compute_s += p->compute_s * weight;
    sum->communication_s += p->communication_s * weight;
    sum->overlap_s += p->overlap_s * weight;
    sum->host_s += p->host_s * weight;
    sum->exposed_s += p->exposed_s * weight;
}

/* Activities of steps, each in turn. */
typedef struct activity_list {
    sgdfit_traced_step step;
    sgdfit_activity *at;      /* those of the step                                  */
    uint32_t *of;             /* which ops they are                                 */
    size_t    bytes;
    void     *work;
} activity_list;

static activity_list open_activities(const import_run *r, size_t most)
{
    activity_list list = {.at = tool_alloc(most, sizeof *list.at),
                          .of = tool_alloc(most, sizeof *list.of)};
    list.step.activity = list.at;
    list.step.n = most;
    tool_check_fit(sgdfit_profile_activity_bytes(&list.step, &list.bytes), r->found.file);
    list.work = tool_alloc(list.bytes, 1);
    return list;
}

static void take_step(const import_run *r, activity_list *list, size_t step)
{
    list->step.n = activities(r, step, list->at, list->of);
    list->step.start_s = r->found.step[step].start_s;
    list->step.end_s = r->found.step[step].end_s;
}

static void add_up(const import_run *r, const activity_list *list, sgdfit_step_parts *parts,
                   double *from_s)
{
    tool_check_fit(sgdfit_profile_activity(&list->step, list->work, list->bytes, parts, from_s),
                   r->found.file);
}

static size_t most_ops(const import_run *r)
{
    size_t most = 0;
    for (size_t i = 0; i < r->found.steps; i++)
        if (r->first[i + 1] - r->first[i] > most) most = r->first[i + 1] - r->first[i];
    return most;
}

void import_parts(import_run *r)
{
    const import_found *f = &r->found;
    const size_t most = most_ops(r);
    activity_list list = open_activities(r, most);
    double *from_s = tool_alloc(most, sizeof *from_s);
    memset(&r->mean, 0, sizeof r->mean);
    r->parts = tool_alloc(f->steps, sizeof *r->parts);
    r->stalled_from_s = tool_alloc(f->ops, sizeof *r->stalled_from_s);
    for (size_t s = 0; s < f->steps; s++) {
        take_step(r, &list, s);
        add_up(r, &list, &r->parts[s], from_s);
        for (size_t i = 0; i < list.step.n; i++) r->stalled_from_s[list.of[i]] = from_s[i];
        if (r->view == IMPORT_VIEW_GPU) leave_out_gaps(&r->parts[s]);
        if (r->view == IMPORT_VIEW_GPU && !(r->parts[s].step_s > 0.0))
            tool_fail("%s: no kernel runs in step %.0f, so --view gpu gives it no time: use --view "
                      "host, or leave the step out by %s", f->file, (double)f->step[s].number,
                      NAME_OF(WARMUP));
        add_parts(&r->mean, &r->parts[s], 1.0 / (double)f->steps);
    }
}

void import_busy(const import_run *r, size_t step, double *time_s, size_t n)
{
    activity_list list = open_activities(r, r->first[step + 1] - r->first[step]);
    take_step(r, &list, step);
    for (size_t i = 0; i < n; i++) {
        sgdfit_step_parts parts;
        list.step.end_s = time_s[i] > list.step.start_s ? time_s[i] : list.step.start_s;
        add_up(r, &list, &parts, NULL);
        time_s[i] = parts.compute_s + parts.communication_s - parts.overlap_s;
    }
}

double import_idle_s(const import_run *r)
{
    const double idle_s = r->mean.step_s - r->mean.compute_s - r->mean.exposed_s;
    return !r->parts || r->sends || r->view == IMPORT_VIEW_GPU || !(idle_s > 0.0) ? 0.0 : idle_s;
}

const char *import_bound_text(const import_run *r)
{
    const sgdfit_bound bound = sgdfit_profile_bound(&r->mean);
    return bound == SGDFIT_BOUND_ACCELERATOR
        && r->processor ? "processor" : sgdfit_bound_text(bound);
}

static int is_processor(const import_found *f)
{
    for (size_t i = 0; i < f->ops; i++)
        if (f->op[i].kind == IMPORT_COMPUTE && !f->op[i].host) return 0;
    return 1;
}

/* ---- Bytes ----------------------------------------------------------------- */

/* Of an all-reduce over a ring each link carries twice what it carries of a gathering,
 * a scattering or a broadcast [sgdfit_profile_traced]. */
double import_exchanged(const import_op *op)
{
    if (op->kind != IMPORT_COLLECTIVE || op->collective == IMPORT_BARRIER) return 0.0;
    return op->collective == IMPORT_ALLREDUCE ? op->bytes : 0.5 * op->bytes;
}

/* Does an op have bytes that count, and here? */
static int is_sized(const import_run *r, const import_op *op)
{
    return (op->kind == IMPORT_COLLECTIVE || import_is_sent(op)) && !import_goes_on(r, op) &&
           op->collective != IMPORT_BARRIER;
}

/* The exchanges of each step: found.op[of[first[s] + k]] is the k-th of step s. */
typedef struct exchange_list { size_t *first; uint32_t *of; } exchange_list;

static exchange_list list_exchanges(const import_run *r)
{
    const import_found *f = &r->found;
    exchange_list x = {tool_alloc(f->steps + 1, sizeof *x.first), tool_alloc(f->ops, sizeof *x.of)};
    size_t n = 0;
    for (size_t s = 0; s < f->steps; s++) {
        for (size_t i = r->first[s]; i < r->first[s + 1]; i++)
            if (is_sized(r, &f->op[r->by[i]])) x.of[n++] = r->by[i];
        x.first[s + 1] = n;
    }
    return x;
}

/* The k-th exchange of a step in another step of as many, in which it has a size and the same kind,
 * if that is known; NULL: there is none. */
static const import_op *same_elsewhere(const import_run *r, const exchange_list *x, size_t step,
                                       size_t k)
{
    const size_t count = x->first[step + 1] - x->first[step];
    const import_op *of = &r->found.op[x->of[x->first[step] + k]];
    for (size_t s = 0; s < r->found.steps; s++) {
        if (x->first[s + 1] - x->first[s] != count) continue;
        const import_op *op = &r->found.op[x->of[x->first[s] + k]];
        if (!(op->bytes < 0.0) && op->kind == of->kind && op->server == of->server &&
            (op->collective == of->collective || of->collective == IMPORT_OTHER_COLLECTIVE))
            return op;
    }
    return NULL;
}

/* An exchange without a size has that of the same exchange in another step. */
static void fill_sizes(import_run *r)
{
    const import_found *f = &r->found;
    const exchange_list x = list_exchanges(r);
    const size_t n = x.first[f->steps];
    size_t known = 0, filled = 0;
    for (size_t i = 0; i < n; i++) known += !(f->op[x.of[i]].bytes < 0.0);
    for (size_t s = 0; s < f->steps && known > 0 && known < n; s++)
        for (size_t i = x.first[s]; i < x.first[s + 1]; i++) {
            import_op *op = &f->op[x.of[i]];
            if (!(op->bytes < 0.0)) continue;
            const import_op *same = same_elsewhere(r, &x, s, i - x.first[s]);
            if (!same) continue;
            op->bytes = same->bytes;
            op->collective = same->collective;
            op->name = same->name;
            filled++;
        }
    if (filled > 0)
        tool_note("size-filled",
                  "%s: the sizes of %lu of its %lu exchanges are missing, and are taken from the "
                  "same exchanges of other steps",
                  f->file, (unsigned long)filled, (unsigned long)n);
}

/* The rate of a ring if each exchange took its least time of all steps, which waits least for
 * other workers; 0: steps have different exchanges. */
static double least_waiting_rate(const import_run *r)
{
    const exchange_list x = list_exchanges(r);
    const size_t n = x.first[1];
    double time_s = 0.0;
    for (size_t s = 0; s < r->found.steps; s++)
        if (x.first[s + 1] != n * (s + 1)) return 0.0;
    for (size_t k = 0; k < n; k++) {
        double least_s = HUGE_VAL;
        for (size_t s = 0; s < r->found.steps; s++) {
            const import_op *op = &r->found.op[x.of[n * s + k]];
            least_s = fmin(least_s, op->end_s - op->start_s);
        }
        time_s += least_s;
    }
    return time_s > 0.0 ? exchange_ring_share(r->workers) * r->exchanged_bytes / time_s : 0.0;
}

/* One file does not tell waiting from transfer, but what takes longer at times may wait. */
static void note_waiting(const import_run *r)
{
    const double used = r->job.links.bandwidth_bytes_per_s;
    if (r->sends || r->ranks || r->workers < 2 || !(r->exchanged_bytes > 0.0)) return;
    const double rate = least_waiting_rate(r);
    if (rate > 1.25 * used)
        tool_note("waiting-in-exchanges",
                  "%s: in their quickest steps its exchanges reach %.4g B/s, but %.4g B/s is used: "
                  "longer ones may have waited for a late worker, and the link may be faster: "
                  "traces of all ranks tell waiting from transfer", r->found.file, rate, used);
}

/* All-reduces and all-to-alls get one rate, though each kind may have its own. */
static void note_kinds(const import_run *r)
{
    const double share = exchange_ring_share(r->workers), steps = (double)r->found.steps;
    const double bytes[] = {r->reduced_bytes, r->exchanged_bytes - r->reduced_bytes};
    double time_s[] = {0.0, 0.0};
    if (r->sends || r->workers < 2 || !(r->alltoall_bytes > 0.0)) return;
    for (size_t i = 0; i < r->found.ops; i++) {
        const import_op *op = &r->found.op[i];
        if (op->kind == IMPORT_COLLECTIVE)
            time_s[import_is_alltoall(op)] += (op->end_s - op->start_s) / steps;
    }
    if (!(bytes[0] > 0.0 && time_s[0] > 0.0 && time_s[1] > 0.0)) return;
    const double rate[] = {share * bytes[0] / time_s[0], share * bytes[1] / time_s[1]};
    if (fmax(rate[0], rate[1]) > 1.5 * fmin(rate[0], rate[1]))
        tool_note("two-rates", "%s: all-reduces ran at %.4g B/s, all-to-alls at %.4g B/s, but "
                  "%.4g B/s is used for both: predictions are off where their shares of a step "
                  "differ from the trace", r->found.file, rate[0], rate[1],
                  r->job.links.bandwidth_bytes_per_s);
}

int import_is_alltoall(const import_op *op)
{
    return op->kind == IMPORT_COLLECTIVE &&
           (op->collective == IMPORT_ALLTOALL || op->collective == IMPORT_SENDRECV);
}

static void measure_bytes(import_run *r)
{
    const import_found *f = &r->found;
    double sum = 0.0, alltoall = 0.0, reduced = 0.0;
    size_t unknown = 0, all = 0, alltoalls = 0;
    fill_sizes(r);
    r->bytes = tool_alloc(f->steps, sizeof *r->bytes);
    for (size_t i = 0; i < f->ops; i++) {
        const import_op *op = &f->op[i];
        if (op->kind != IMPORT_COLLECTIVE && !import_is_sent(op)) continue;
        all++;
        alltoalls += (size_t)import_is_alltoall(op);
        if (op->kind == IMPORT_COLLECTIVE) r->collectives++;
        else r->sends = 1;
        if (!is_sized(r, op)) continue;
        if (op->bytes < 0.0) {
            r->bytes[op->step] = -1.0;
            unknown++;
        } else if (r->bytes[op->step] >= 0.0) {
            r->bytes[op->step] += op->bytes;
        }
        sum += import_exchanged(op);
        if (import_is_alltoall(op)) alltoall += op->bytes;
        else reduced += import_exchanged(op);
    }
    r->alltoall_bytes = unknown > 0 ? 0.0 : alltoall / (double)f->steps;
    r->reduced_bytes = reduced / (double)f->steps;
    if (unknown > 0 && alltoalls > 0)
        tool_note("exchanges-pairwise",
                  "%s: %lu exchanges are all-to-all or send and receive, and without all sizes "
                  "they count as all-reduces: predictions for several machines are too fast, by "
                  "up to the number of accelerators in a machine", f->file,
                  (unsigned long)alltoalls);
    r->exchanged_bytes = unknown > 0 ? -1.0 : sum / (double)f->steps;
    if (unknown > 0)
        tool_note("size-unknown",
                  "%s: the sizes of %lu of its %lu exchanges are missing, so that the bytes of a "
                  "step are unknown", f->file, (unsigned long)unknown, (unsigned long)all);
}

/* ---- Phases, where there are parameter servers ------------------------------ */

static const sgdfit_phase phases[IMPORT_KINDS] = { /* without collectives                */
    [IMPORT_COMPUTE] = SGDFIT_PHASE_FORWARD, [IMPORT_UPLINK] = SGDFIT_PHASE_UPLINK,
    [IMPORT_DOWNLINK] = SGDFIT_PHASE_DOWNLINK, [IMPORT_UPDATE] = SGDFIT_PHASE_UPDATE,
    [IMPORT_WAIT] = SGDFIT_PHASE_FORWARD
};

/* Transfers alone: the gaps between them are what the worker and the server do. */
static sgdfit_phase_record *add_gaps(import_run *r, sgdfit_phase_record *record, size_t *n)
{
    sgdfit_phase_record *all = tool_alloc(3 * *n, sizeof *all);
    size_t bytes = 0, gaps = 0;
    memcpy(all, record, *n * sizeof *all);
    tool_check_fit(sgdfit_profile_phases_bytes(*n, &bytes), r->found.file);
    if (sgdfit_profile_gaps(record, *n, tool_alloc(bytes, 1), bytes, all + *n, &gaps) != SGDFIT_OK)
        tool_fail("%s: the transfers overlap, so the gaps between them do not tell the times of "
                  "the worker and the server: log the other phases too", r->found.file);
    *n += gaps;
    return all;
}

/* What no transfer tells. */
static void note_unknown(const import_run *r)
{
    const size_t up = r->phase[SGDFIT_PHASE_UPLINK].steps,
        down = r->phase[SGDFIT_PHASE_DOWNLINK].steps;
    const char *const there = up > 0 ? "uploads" : "downloads";
    const char *const other = up > 0 ? "downloads" : "uploads";
    if (up == 0 || down == 0)
        tool_note("phase-unknown",
                  "%s: the file has %s but no %s, so the time of the missing transfers%s is "
                  "unknown; %s", r->found.file, there, other,
                  r->gaps ? ", of computation and of updates" : "",
                  up > 0 ? "it counts as 0" : "the length of a whole step is unknown, too");
    else if (r->gaps && r->phase[SGDFIT_PHASE_UPDATE].steps == 0)
        tool_note("update-unknown",
                  "%s: the update time of the server is unknown, as no step follows another: the "
                  "time counts as 0", r->found.file);
}

static void measure_phases(import_run *r)
{
    const import_found *f = &r->found;
    sgdfit_phase_record *record = tool_alloc(f->ops, sizeof *record);
    size_t n = 0, bytes = 0, i;
    for (i = 0, r->gaps = 1; i < f->ops; i++) {
        const import_op *op = &f->op[i];
        if (op->kind == IMPORT_COLLECTIVE) continue;
        record[n++] = (sgdfit_phase_record){
            .step = f->step[op->step].number, .phase = phases[op->kind], .start_s = op->start_s,
            .end_s = op->end_s
        };
        if (!import_is_sent(op)) r->gaps = 0;
    }
    if (r->gaps) record = add_gaps(r, record, &n);
    tool_check_fit(sgdfit_profile_phases_bytes(n, &bytes), f->file);
    tool_check_fit(sgdfit_profile_phases(record, n, tool_alloc(bytes, 1), bytes, r->phase, NULL),
                   f->file);
    note_unknown(r);
}

/* What follows the start of a step, which hides nothing, takes the longer of computing and
 * exchange. */
static void take_longer(import_run *r)
{
    const double compute_s = r->mean.step_s - r->mean.exposed_s;
    double *alone_s = &r->job.compute.forward_s;
    if (r->mean.exposed_s > 0.0) *alone_s = r->mean.step_s - r->mean.communication_s;
    r->job.compute.backward_s = compute_s - *alone_s;
    r->job.overlap.exponent = 1e9;
}

/* During alone_s of the step's computation no exchange can run. */
static void take_traced(import_run *r, double bytes, double alone_s)
{
    sgdfit_step_parts rest = r->mean;
    sgdfit_traced of = {.forward_s = alone_s > 0.0 ? 0.0 : 1.0,
                        .backward_s = alone_s > 0.0 ? 1.0 : 2.0};
    rest.step_s -= alone_s;
    tool_check_fit(sgdfit_profile_traced(&rest, r->workers, bytes, &of), r->found.file);
    r->job.compute.forward_s = alone_s + of.forward_s;
    r->job.compute.backward_s = of.backward_s;
    r->job.overlap.rule = alone_s > 0.0 ? SGDP_OVERLAP_ONE_PASS : SGDP_OVERLAP_NONE;
    r->job.model_bytes = r->alltoall_bytes > 0.0 ? r->reduced_bytes : of.model_bytes;
    r->job.collective.alltoall_bytes = r->alltoall_bytes;
    r->job.collective.alltoall = exchange_alltoall;
    r->job.links.bandwidth_bytes_per_s = of.bandwidth_bytes_per_s;
    r->job.overlap.exponent = of.overlap_exponent;
    r->job.compute.update_s = r->job.links.latency_s = r->job.compute.one_worker_step_s = 0.0;
}

void import_exchange(import_run *r, double alone_s)
{
    const double most = 64.0;          /* of the exponent, which then says no more       */
    const int unknown = !(r->exchanged_bytes > 0.0) && r->workers > 1
                        && r->mean.communication_s > 0.0;
    take_traced(r, unknown ? 1.0 : r->exchanged_bytes > 0.0 ? r->exchanged_bytes : 0.0, alone_s);
    if (alone_s > 0.0 && (!(r->mean.exposed_s > 0.0) || r->job.overlap.exponent >= most))
        take_longer(r);
    if (!unknown) return;
    r->job.links.uplink_s = r->job.links.downlink_s =
        r->mean.communication_s / exchange_ring_share(r->workers);
    r->job.model_bytes = r->job.links.bandwidth_bytes_per_s = 0.0;
}

/* ---- All ------------------------------------------------------------------- */

/* The job that was traced, for predict. */
static void find_job(import_run *r)
{
    const sgdfit_phase_statistics *p = r->phase;
    if (r->sends) {
        r->job.compute.forward_s = p[SGDFIT_PHASE_FORWARD].mean_s;
        r->job.compute.update_s = p[SGDFIT_PHASE_UPDATE].mean_s;
        r->job.links.uplink_s = p[SGDFIT_PHASE_UPLINK].mean_s;
        r->job.links.downlink_s = p[SGDFIT_PHASE_DOWNLINK].mean_s;
        r->has_job = 1;
        return;
    }
    if (!r->parts) return;
    if (r->workers == 0) {
        if (r->collectives > 0)
            tool_note("workers-unknown", "%s: the file does not give the number of workers: add %s",
                      r->found.file, NAME_OF(MEASURED_ON));
        else
            r->workers = 1;
    }
    if (r->workers == 0) return;
    import_exchange(r, 0.0);
    r->has_job = 1;
}

/* Is there a step of a length? A file without a clock has none. */
static int has_length(const import_found *f)
{
    for (size_t i = 0; i < f->steps; i++)
        if (f->step[i].end_s > f->step[i].start_s) return 1;
    return 0;
}

void import_measure(import_run *r)
{
    const import_found *f = &r->found;
    if (f->steps == 0) return;
    import_group(f, &r->first, &r->by);
    measure_bytes(r);
    r->processor = is_processor(f);
    if (f->timed && has_length(f)) import_parts(r);
    if (r->sends && f->timed) measure_phases(r);
    if (f->timed) find_job(r);
    if (r->has_job) note_waiting(r);
    if (r->has_job) note_kinds(r);
    r->bandwidth_bytes_per_s = r->job.links.bandwidth_bytes_per_s;
    if (!(r->bandwidth_bytes_per_s > 0.0)) r->bandwidth_bytes_per_s = IMPORT_ANY_BANDWIDTH;
}
