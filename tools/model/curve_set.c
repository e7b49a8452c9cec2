/* curve_set.c - the points of predict, predicted */
#include "base/printers.h"
#include "model/curve_set.h"
#include "jobs/parallel.h"
#include "files/exchange.h"

#include <math.h>
#include <string.h>

/* ---- What is asked for -------------------------------------------------------- */

void curves_read_workers(curve_set *c, const args *a)
{
    const int types = c->jobs.job[0].workers.types > 0;
    size_t i;
    c->points = args_workers(a, OPTION_WORKERS, &c->workers);
    if (types) {                       /* one point, its workers are the types'     */
        c->points = 1;
        c->workers = (uint32_t *)tool_alloc(1, sizeof *c->workers);
    }
    if (c->points == 0) tool_fail("--workers is missing");
    for (i = 0; i < c->points; i++)
        job_check_backup(a, c->jobs.job[0].workers.backup, c->workers[i]);
    for (i = 0; i < c->points && c->workers[i] == i + 1; i++) {}
    c->contiguous = i == c->points && c->points > 1;
}

void curves_read_bands(curve_set *c, const args *a)
{
    const int calibrated = strcmp(args_text(a, OPTION_INPUTS, ""), "calibrated") == 0;
    const int cluster = c->jobs.model == SGDP_ALLREDUCE_CLUSTER && calibrated;
    c->known_as = band_read_class(a, c->jobs.mode != MODE_ALLREDUCE &&
                                     c->jobs.job[0].servers.count > 1, c->jobs.declared);
    band_read(a, c->bands);
    /* The rows shipped were judged by the usual models, and are of one job. */
    if (!args_given(a, OPTION_BANDS) &&
        (c->jobs.model != mode_usual_model(c->jobs.mode, c->jobs.declared || cluster) ||
         c->jobs.job[0].collective.jobs > 1 ||
         c->jobs.job[0].collective.alltoall_bytes > 0.0 ||
         c->jobs.job[0].workers.backup > 0 || exchange_beside(&c->jobs.job[0]) > 0))
        memset(c->bands, 0, sizeof c->bands);
    c->bands_file = args_text(a, OPTION_BANDS, NULL);
}

double curves_own_link(const curve_set *c, size_t at)
{
    const sgdp_job *of = &c->jobs.job[at / c->points];
    const sgdp_prediction *p = &c->prediction[at];
    double own = of->links.worker_bandwidth_bytes_per_s, share;
    if (!(own > 0.0) && of->servers.count > 1 &&
        (c->jobs.model == SGDP_ASYNC_RHYTHM || c->jobs.model == SGDP_SYNC_STAGGERED))
        own = of->links.bandwidth_bytes_per_s;
    if (!(own > 0.0)) return 0.0;
    share = of->model_bytes / own / p->step_s;
    return share > p->utilization[p->bottleneck] ? share : 0.0;
}

/* ---- Predicting ------------------------------------------------------------ */

static sgdp_status predict_types(curve_set *c, size_t job)
{
    const size_t types = c->jobs.job[job].workers.types;
    sgdp_prediction *p = &c->prediction[job];
    p->types.batches_per_s = (double *)tool_alloc(types, sizeof(double));
    p->types.waiting_share = (double *)tool_alloc(types, sizeof(double));
    return c->status[job] = job_predict(&c->jobs, job, c->workers[0], p);
}

static sgdp_status predict_elasticities(curve_set *c, size_t job, size_t from, size_t to)
{
    sgdp_status worst = SGDP_OK;
    for (size_t i = from; i < to; i++) {
        const size_t at = job * c->points + i;
        const sgdp_status last = job_elasticity(&c->jobs, job, c->workers[i],
                                                c->elasticity + at * SGDP_INPUT_COUNT);
        if (last != SGDP_OK) worst = last;
    }
    return worst;
}

/* Operations of points[from] to points[to - 1] of a job, estimated, of about a nanosecond. */
static double count_operations(curve_set *c, size_t job, size_t from, size_t to)
{
    double sum = job_curve_operations(&c->jobs, job, c->workers + from, to - from), each = 0.0;
    for (size_t i = 0; i < SGDP_INPUT_COUNT && c->elasticity; i++) each += c->shown[i] ? 2.0 : 0.0;
    for (size_t i = from; i < to && c->elasticity; i++)
        sum += each * job_operations(&c->jobs, job, c->workers[i]);
    return sum;
}

/* Points of a job, of which points[from] to points[to - 1] share their pass. */
static sgdp_status predict_points(curve_set *c, size_t job, size_t from, size_t to)
{
    const size_t at = job * c->points + from;
    const sgdp_curve curve = {c->workers + from, to - from, &c->prediction[at], &c->status[at]};
    sgdp_status status, last;
    for (size_t i = from; i < to; i++)
        c->spread[job * c->points + i] = job_spread(&c->jobs, job, c->workers[i]);
    if (c->jobs.job[job].workers.types > 0) status = predict_types(c, job);
    else status = job_predict_curve(&c->jobs, job, &curve);
    if (!c->elasticity) return status;
    last = predict_elasticities(c, job, from, to);
    return last != SGDP_OK ? last : status;
}

/* What the profiles tell of how sure they are: nothing, or all points. */
static void check_spreads(curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    size_t at;
    for (at = 0; at < total && !(c->spread[at] > 0.0); at++) {}
    if (at == total) c->spread = NULL;
}

/* The class of each point: a curve may cross from inside one machine to several. */
static void set_classes(curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    c->of_class = (band_class *)tool_alloc(total, sizeof *c->of_class);
    for (size_t at = 0; at < total; at++)
        c->of_class[at] = c->known_as != BAND_CLASSES ? c->known_as
            : band_of_links(&c->jobs.job[at / c->points], c->prediction[at].workers,
                            c->jobs.kinds[at / c->points].between);
}

band curves_band(const curve_set *c, size_t at)
{
    const band_point p = {&c->jobs.job[at / c->points], c->prediction[at].workers,
                          c->prediction[at].batches_per_s, c->jobs.mode == MODE_ALLREDUCE,
                          c->spread ? c->spread[at] : 0.0};
    const band none = {0.0, 0.0};
    return c->low ? band_around(c->bands[c->of_class[at]], c->of_class[at], &p) : none;
}

/* Who says that transfers overlap: the profile, or an option. */
static const char *overlap_text(const job_set *jobs)
{
    const csv_table *t = jobs->file;
    const int column = t ? csv_find(t, "overlap_exponent") : CSV_NONE;
    const double told = csv_number_or(t, 0, column, NUMBER_POSITIVE, 0.0);
    if (told > 0.0 && fabs(told - jobs->job[0].overlap.exponent) <= 0.0)
        return tool_text("the overlap of column 'overlap_exponent' of %s over declared links",
                         t->name);
    return "a job with a stated overlap over declared links (without it, intervals are known)";
}

int curves_note_bands(const curve_set *c)
{
    const sgdp_job *job = &c->jobs.job[0];
    if (c->low || c->bands_file || !c->jobs.chosen || c->jobs.mode != MODE_ALLREDUCE) return 0;
    tool_note("band-missing", "intervals are missing: %s was not measured often enough; %s FILE "
              "takes them from your own runs",
              job->workers.backup > 0 ? "training with backup workers"
              : exchange_beside(job) > 0 ? "training with machines that only sum"
              : job->collective.jobs > 1 ? "a network that several jobs share"
              : job->collective.alltoall_bytes > 0.0 ? "a job with all-to-alls"
              : c->jobs.traced ? "a traced overlap over declared links"
              : job->overlap.rule != SGDP_OVERLAP_NONE || job->overlap.exponent > 0.0
                  ? overlap_text(&c->jobs)
                  : "a job of this kind",
              NAME_OF(BANDS));
    return 1;
}

/* All points have a band, or none. */
static void set_bands(curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    size_t at = 0;
    while (at < total && band_is_known(c->bands[c->of_class[at]])) at++;
    if (at < total && c->bands_file)
        tool_note("band-missing",
                  "%s: columns low and high have no values for class '%s', so predictions have no "
                  "interval: make the table by sgdperf validate --coverage from more measured rows",
                  c->bands_file, band_words[c->of_class[at]]);
    if (at < total) return;
    c->low = (double *)tool_alloc(total, sizeof *c->low);
    c->high = (double *)tool_alloc(total, sizeof *c->high);
    for (at = 0; at < total; at++) {
        const band b = curves_band(c, at);
        const double X = c->prediction[at].batches_per_s;
        c->low[at] = X * (1.0 - b.low);
        c->high[at] = X * (1.0 + b.high);
    }
}

/* Intervals that reach down to nothing. */
static void note_wide(const curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    size_t wide = 0;
    for (size_t at = 0; at < total; at++) wide += curves_band(c, at).low >= 1.0;
    if (wide > 0)
        tool_note("wide-interval",
                  "the interval%s of %lu of %lu points %s: the profile has too few steps, or steps "
                  "that differ too much; measure more steps",
                  wide == 1 ? "" : "s", (unsigned long)wide,
                  (unsigned long)total,
                  wide == 1 ? "is wider than its mean" : "are wider than their mean");
}

/* What answers in place of the model asked for, where that would take too much. */
static void note_other_model(curve_set *c)
{
    const size_t total = c->jobs.count * c->points;
    const char *model = sgdp_model_text(c->jobs.model);
    int branch = 0, approximated = 0;
    for (size_t at = 0; at < total; at++) {
        const sgdp_prediction *p = &c->prediction[at];
        if (p->solution.method == SGDP_METHOD_LINEARIZER) approximated = 1;
        if (c->jobs.model == SGDP_ASYNC_SWITCH || p->solution.branch == c->jobs.model) continue;
        branch = 1;
        memset(c->bands, 0, sizeof c->bands); /* which are of the model asked for      */
    }
    if (branch)
        tool_note("model-replaced",
                  "model %s handles at most 64 types of workers: model ps predicts these points, "
                  "without a band; give fewer types", model);
    if (approximated)
        tool_note("approximated",
                  "with this many workers the equations of model %s are approximated by the "
                  "Linearizer; on small networks its error was 0.5 %% on average and 10 %% at most",
                  model);
}

/* ---- Parts, which are dealt ---------------------------------------------------- */

typedef struct curve_part { size_t job, from, to; } curve_part;

typedef struct part_list {
    curve_set  *curves;
    curve_part *part;         /* [count]                                            */
    double     *operations;   /* [count]                                            */
    size_t      count, capacity;
    double      sum;
} part_list;

static void add_part(part_list *l, size_t job, size_t from, size_t to, double operations)
{
    if (l->count == l->capacity) {
        const size_t room = 2 * l->capacity + 16;
        l->part = (curve_part *)tool_resize(l->part, room, sizeof *l->part);
        l->operations = (double *)tool_resize(l->operations, room, sizeof *l->operations);
        l->capacity = room;
    }
    l->part[l->count].job = job;
    l->part[l->count].from = from;
    l->part[l->count].to = to;
    l->operations[l->count++] = operations;
    l->sum += operations;
}

/* A job in parts of some 20 ms, and in some where a point is not next to nothing, unless
 * these cannot share a pass and so take longer than the whole. A curve that would take for
 * ever is refused. */
static void add_job(part_list *l, size_t job)
{
    const double most = 1e11, worth = 2e7, longer = 1.1, little = 500.0, some = 32.0;
    curve_set *c = l->curves;
    const size_t points = c->points, before = l->count;
    const double whole = count_operations(c, job, 0, points), sum = l->sum;
    double parts = 1.0 + whole / worth;
    if (whole > little * (double)points && parts < some) parts = some;
    size_t wanted = parts < (double)points ? (size_t)parts : points;
    if (sum + whole > most)
        tool_fail("these points take about %.3g hours to solve: give fewer points, as --workers "
                  "1-1000:50",
                  (sum + whole) / 3.6e12);
    for (size_t i = 0; i < wanted && l->sum - sum <= longer * whole; i++) {
        const size_t from = points * i / wanted, to = points * (i + 1) / wanted;
        add_part(l, job, from, to, count_operations(c, job, from, to));
    }
    if (l->sum - sum <= longer * whole) return;
    l->count = before;
    l->sum = sum;
    add_part(l, job, 0, points, whole);
}

/* What a part hands over, in this order; types: of its one point. */
typedef struct part_sizes { size_t points, statuses, spreads, elasticities, types; } part_sizes;

static size_t measure_part(const curve_set *c, const curve_part *p, part_sizes *bytes)
{
    const size_t n = p->to - p->from;
    bytes->points = n * sizeof(sgdp_prediction);
    bytes->statuses = n * sizeof(sgdp_status);
    bytes->spreads = n * sizeof(double);
    bytes->elasticities = c->elasticity ? n * SGDP_INPUT_COUNT * sizeof(double) : 0;
    bytes->types = c->jobs.job[p->job].workers.types * sizeof(double);
    return sizeof(sgdp_status) + bytes->points + bytes->statuses + bytes->spreads +
           bytes->elasticities + 2 * bytes->types;
}

/* All of it; worst: of the part. */
static void move_part(curve_set *c, const curve_part *part, char *at, sgdp_status *worst, int out)
{
    const size_t first = part->job * c->points + part->from;
    sgdp_prediction *p = &c->prediction[first];
    part_sizes bytes;
    (void)measure_part(c, part, &bytes);
    at = parallel_move(at, worst, sizeof *worst, out);
    at = parallel_move(at, p, bytes.points, out);
    at = parallel_move(at, &c->status[first], bytes.statuses, out);
    at = parallel_move(at, &c->spread[first], bytes.spreads, out);
    if (c->elasticity)
        at = parallel_move(at, c->elasticity + first * SGDP_INPUT_COUNT, bytes.elasticities, out);
    if (bytes.types == 0) return;
    if (!out) {                        /* pointers of another process mean nothing    */
        p->types.batches_per_s = (double *)tool_alloc(bytes.types, 1);
        p->types.waiting_share = (double *)tool_alloc(bytes.types, 1);
    }
    at = parallel_move(at, p->types.batches_per_s, bytes.types, out);
    (void)parallel_move(at, p->types.waiting_share, bytes.types, out);
}

/* parallel_task */
static void predict_part(void *ctx, size_t i, void *result)
{
    const part_list *l = (const part_list *)ctx;
    curve_set *c = l->curves;
    const curve_part *p = &l->part[i];
    parallel_blob *blob = (parallel_blob *)result;
    part_sizes bytes;
    c->jobs.work = NULL;               /* that of another task has ended with it      */
    c->jobs.work_bytes = 0;
    sgdp_status worst = predict_points(c, p->job, p->from, p->to);
    blob->length = measure_part(c, p, &bytes);
    blob->data = (char *)tool_alloc(blob->length, 1);
    move_part(c, p, blob->data, &worst, 1);
}

static sgdp_status deal_parts(part_list *l)
{
    const double worth = 1e8;          /* 0.1 s, of rough estimates                   */
    curve_set *c = l->curves;
    parallel_blob *done = (parallel_blob *)tool_alloc(l->count, sizeof *done);
    sgdp_status worst = SGDP_OK, of_part;
    parallel_expect(l->operations);
    if (l->sum < worth) parallel_begin_here();
    parallel_gather(l->count, c->processes, predict_part, l, done, "points");
    c->jobs.work = NULL;
    c->jobs.work_bytes = 0;
    for (size_t i = 0; i < l->count; i++) {
        move_part(c, &l->part[i], done[i].data, &of_part, 0);
        tool_free(done[i].data);
        if (of_part != SGDP_OK) worst = SGDP_NOT_CONVERGED;
    }
    return worst;
}

/* Of so many points, of so many operations: whether these or their printing take long. */
static void note_points(const curve_set *c, double operations)
{
    const double quick = 1e9, slow = 5e9; /* 1 s and 5 s                              */
    const unsigned long points = (unsigned long)c->points;
    const unsigned long from = c->workers[0], to = c->workers[c->points - 1];
    if (points >= 1000 && operations >= slow)
        tool_note("long-run",
                  "%lu points of model %s take about %.0f s on one processor: --workers "
                  "%lu-%lu:100 predicts every hundredth", points, sgdp_model_text(c->jobs.model),
                  operations / 1e9, from, to);
    else if (points >= 100000 && operations < quick)
        tool_note("many-points",
                  "%lu points take longer to print than to predict: --workers %lu-%lu:100 prints "
                  "every hundredth", points, from, to);
}

sgdp_status curves_predict(curve_set *c, int elasticity)
{
    const size_t total = c->jobs.count * c->points;
    part_list parts = {0};
    sgdp_status worst = SGDP_OK;
    c->prediction = (sgdp_prediction *)rows_alloc(total, sizeof *c->prediction);
    c->status = (sgdp_status *)tool_alloc(total, sizeof *c->status);
    c->spread = (double *)tool_alloc(total, sizeof *c->spread);
    if (elasticity)
        c->elasticity = (double *)tool_alloc(total, SGDP_INPUT_COUNT * sizeof(double));
    parts.curves = c;
    for (size_t job = 0; job < c->jobs.count; job++) add_job(&parts, job);
    note_points(c, parts.sum);
    if (parts.count > 1) worst = deal_parts(&parts);
    else if (predict_points(c, 0, 0, c->points) != SGDP_OK) worst = SGDP_NOT_CONVERGED;
    check_spreads(c);
    note_other_model(c);
    set_classes(c);
    set_bands(c);
    note_wide(c);
    job_note_overlap(&c->jobs, 0, c->prediction[c->points - 1].workers,
                     c->prediction[c->points - 1].batches_per_s);
    job_note_alltoall(&c->jobs, 0, c->prediction[c->points - 1].workers);
    job_note_flat(&c->jobs, 0, c->prediction[c->points - 1].workers);
    job_note_kinds(&c->jobs, 0, c->prediction[c->points - 1].workers,
                   c->prediction[c->points - 1].batches_per_s);
    return worst;
}
