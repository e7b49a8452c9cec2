/* ranks.c - traces of several ranks of one job: an exchange begins when its last rank arrives, so
 * that waiting is told from transfer */
#include "cmd/import/run.h"

#include "files/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, NEAR = 256 };  /* exchanges of one may be so many places apart */

/* Ends of one exchange on two ranks, on one clock, are as close, in seconds; closer where exchanges
 * follow each other sooner, so that others do not count as the same. */
#define TOGETHER_S 2e-4
#define LEAST_TOGETHER_S 1e-5

static import_found *found_of(const import_ranks *all, size_t i) { return &all->rank[i].run.found; }

static const char *file_of(const import_ranks *all, size_t i) { return found_of(all, i)->file; }

/* ---- One job ---------------------------------------------------------------- */

static void check_ranks(import_ranks *all)
{
    for (size_t i = 0; i < all->count; i++) {
        import_rank *r = &all->rank[i];
        const unsigned long rank = (unsigned long)found_of(all, i)->rank - 1;
        if (found_of(all, i)->rank == 0)
            tool_fail("%s: the file does not name its rank: trace a job of torch.distributed",
                      file_of(all, i));
        r->rank = (uint32_t)rank;
        if (rank >= r->run.workers)
            tool_fail("%s: the file is of rank %lu, but the job has only %lu ranks, from rank 0",
                      file_of(all, i), rank, (unsigned long)r->run.workers);
        if (r->run.workers != all->rank[0].run.workers)
            tool_fail("%s: the job has %lu ranks, but that of %s has %lu: give ranks of one job",
                      file_of(all, i), (unsigned long)r->run.workers, file_of(all, 0),
                      (unsigned long)all->rank[0].run.workers);
        for (size_t k = 0; k < i; k++)
            if (all->rank[k].rank == r->rank)
                tool_fail("%s: the file is of rank %lu, and so is %s: give each rank once",
                          file_of(all, i), rank, file_of(all, k));
    }
}

/* The numbers of its steps, ascending. */
static uint64_t *numbers_of(const import_found *f)
{
    uint64_t *number = tool_alloc(f->steps, sizeof *number);
    for (size_t s = 0; s < f->steps; s++) number[s] = f->step[s].number;
    qsort(number, f->steps, sizeof *number, import_compare_ids);
    return number;
}

/* Leaves out of each file the steps that another one lacks. */
static void keep_common(import_ranks *all)
{
    uint64_t **number = tool_alloc(all->count, sizeof *number);
    size_t *steps = tool_alloc(all->count, sizeof *steps), i, k, s;
    for (i = 0; i < all->count; i++) {
        number[i] = numbers_of(found_of(all, i));
        steps[i] = found_of(all, i)->steps;
    }
    for (i = 0; i < all->count; i++) {
        import_found *f = found_of(all, i);
        unsigned char *out = tool_alloc(f->steps, 1);
        size_t kept = 0;
        for (s = 0; s < f->steps; s++) {
            for (k = 0; k < all->count; k++)
                out[s] |= !bsearch(&f->step[s].number, number[k], steps[k], sizeof *number[k],
                                   import_compare_ids);
            kept += !out[s];
        }
        if (kept == 0)
            tool_fail("%s: the file has no whole step that is in all other files", f->file);
        import_drop(f, "steps that another rank's file lacks", f->steps - kept);
        import_leave_out(f, out);
        for (s = 0; s < kept; s++)
            if (kept != found_of(all, 0)->steps ||
                f->step[s].number != found_of(all, 0)->step[s].number)
                tool_fail("%s: the steps are in another order than in %s", f->file,
                          file_of(all, 0));
    }
}

/* ---- Exchanges that ranks share ----------------------------------------------- */

static import_op *exchange_of(const import_ranks *all, size_t i, size_t x)
{
    return &found_of(all, i)->op[all->rank[i].of[x]];
}

/* Exchanges of each step, in the order of their starts: of[first[s]] and on. */
static void list_exchanges(import_ranks *all, size_t i)
{
    import_rank *r = &all->rank[i];
    const import_found *f = found_of(all, i);
    size_t n = 0;
    import_group(f, &r->run.first, &r->run.by);
    r->first = tool_alloc(f->steps + 1, sizeof *r->first);
    r->of = tool_alloc(f->ops, sizeof *r->of);
    for (size_t s = 0; s < f->steps; s++) {
        for (size_t k = r->run.first[s]; k < r->run.first[s + 1]; k++) {
            const import_op *op = &f->op[r->run.by[k]];
            if (op->kind == IMPORT_COLLECTIVE && !import_goes_on(&r->run, op))
                r->of[n++] = r->run.by[k];
        }
        r->first[s + 1] = n;
    }
    r->partner = tool_alloc(n, sizeof *r->partner);
    for (size_t k = 0; k < n; k++) r->partner[k] = NONE;
    if (n == 0) tool_fail("%s: the file has no exchange with other ranks", file_of(all, i));
}

/* Ranks may send and receive, and exchange all to all, different sizes. */
static int are_alike(const import_op *a, const import_op *b)
{
    const int sized = !(a->bytes < 0.0) && !(b->bytes < 0.0) &&
                      a->collective != IMPORT_ALLTOALL && a->collective != IMPORT_SENDRECV &&
                      a->collective != IMPORT_OTHER_COLLECTIVE;
    return a->collective == b->collective &&
           !(sized && (a->bytes < b->bytes || a->bytes > b->bytes));
}

/* Are the exchanges of rank i those of rank 0, one by one? */
static int is_same_sequence(const import_ranks *all, size_t i)
{
    const import_rank *a = &all->rank[0], *b = &all->rank[i];
    const size_t steps = found_of(all, 0)->steps;
    for (size_t s = 0; s < steps; s++)
        if (a->first[s + 1] != b->first[s + 1]) return 0;
    for (size_t x = 0; x < a->first[steps]; x++)
        if (!are_alike(exchange_of(all, 0, x), exchange_of(all, i, x))) return 0;
    return 1;
}

/* How much later exchange y ends on rank i than x on rank 0. */
static double later_s(const import_ranks *all, size_t i, size_t x, size_t y)
{
    return exchange_of(all, i, y)->end_s - exchange_of(all, 0, x)->end_s;
}

/* Differences of the ends of exchanges that could be the same; returns how many. A file that lacks
 * some is taken to lack them evenly. */
static size_t differences(const import_ranks *all, size_t i, double *later)
{
    const import_rank *a = &all->rank[0], *b = &all->rank[i];
    size_t n = 0;
    for (size_t s = 0; s < found_of(all, 0)->steps; s++)
        for (size_t x = a->first[s]; x < a->first[s + 1]; x++) {
            const double part = (double)(x - a->first[s]) / (double)(a->first[s + 1] - a->first[s]);
            const size_t at = (size_t)(part * (double)(b->first[s + 1] - b->first[s]));
            for (size_t y = b->first[s] + (at > NEAR ? at - NEAR : 0); y < b->first[s + 1]; y++) {
                if (y - b->first[s] > at + NEAR) break;
                if (!are_alike(exchange_of(all, 0, x), exchange_of(all, i, y))) continue;
                if (later) later[n] = later_s(all, i, x, y);
                n++;
            }
        }
    return n;
}

static double median(const double *sorted, size_t n)
{
    return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

/* Half the median time from the end of one exchange to that of the next, within limits. */
static double together_s(const import_ranks *all)
{
    const size_t n = all->rank[0].first[found_of(all, 0)->steps];
    double *gap = tool_alloc(n, sizeof *gap);
    for (size_t x = 1; x < n; x++)
        gap[x - 1] = fabs(exchange_of(all, 0, x)->end_s - exchange_of(all, 0, x - 1)->end_s);
    if (n < 2) return TOGETHER_S;
    qsort(gap, n - 1, sizeof *gap, number_compare);
    return fmin(TOGETHER_S, fmax(LEAST_TOGETHER_S, 0.5 * median(gap, n - 1)));
}

/* The difference of clocks at which most ends of exchanges meet; *met of them do. */
static double clock_of_ends(const import_ranks *all, size_t i, double close_s, size_t *met)
{
    const size_t n = differences(all, i, NULL);
    double *later = tool_alloc(n, sizeof *later), found_s = 0.0;
    size_t from = 0, to;
    (void)differences(all, i, later);
    qsort(later, n, sizeof *later, number_compare);
    for (to = 0, *met = 0; to < n; to++) {
        while (later[to] - later[from] > close_s) from++;
        if (to + 1 - from <= *met) continue;
        *met = to + 1 - from;
        found_s = median(later + from, *met);
    }
    return found_s;
}

/* Ranks of several groups, or of files that lack some events, share some exchanges. */
static void pair_by_ends(import_ranks *all, size_t i)
{
    import_rank *a = &all->rank[0], *b = &all->rank[i];
    const size_t steps = found_of(all, 0)->steps;
    const size_t fewer = a->first[steps] < b->first[steps] ? a->first[steps] : b->first[steps];
    const double close_s = together_s(all);
    size_t met = 0, x, y;
    b->clock_s = clock_of_ends(all, i, close_s, &met);
    if (met < 3 || 4 * met < fewer)
        tool_fail("%s: the exchanges do not end when those of %s end: give ranks of one job, "
                  "traced in the same run", file_of(all, i), file_of(all, 0));
    for (size_t s = 0; s < steps; s++)
        for (x = a->first[s], y = b->first[s]; x < a->first[s + 1]; x++) {
            while (y < b->first[s + 1] && later_s(all, i, x, y) - b->clock_s < -close_s) y++;
            if (y < b->first[s + 1] && later_s(all, i, x, y) - b->clock_s <= close_s &&
                are_alike(exchange_of(all, 0, x), exchange_of(all, i, y)))
                b->partner[y++] = (int64_t)x;
        }
}

/* Ends of the same exchanges differ by the clocks, and by little else; 0: they do not. */
static int pair_in_order(import_ranks *all, size_t i)
{
    import_rank *b = &all->rank[i];
    const size_t n = b->first[found_of(all, i)->steps];
    double *later = tool_alloc(n, sizeof *later), busy_s = 0.0, off_s;
    for (size_t x = 0; x < n; x++) {
        b->partner[x] = (int64_t)x;
        later[x] = later_s(all, i, x, x);
        busy_s += (exchange_of(all, i, x)->end_s - exchange_of(all, i, x)->start_s) / (double)n;
    }
    qsort(later, n, sizeof *later, number_compare);
    b->clock_s = median(later, n);
    for (size_t x = 0; x < n; x++) later[x] = fabs(later[x] - b->clock_s);
    qsort(later, n, sizeof *later, number_compare);
    off_s = median(later, n);
    if (!(off_s > TOGETHER_S && off_s > 0.25 * busy_s)) return 1;
    for (size_t x = 0; x < n; x++) b->partner[x] = NONE;
    return 0;
}

/* ---- Who is waited for -------------------------------------------------------- */

typedef struct meeting { double latest_s; size_t who, ranks; } meeting;

/* When the last rank arrived at each exchange of rank 0, by its clock. */
static meeting *meet(import_ranks *all)
{
    const size_t steps = found_of(all, 0)->steps, n = all->rank[0].first[steps];
    meeting *m = tool_alloc(n, sizeof *m);
    for (size_t y = 0; y < n; y++) all->rank[0].partner[y] = (int64_t)y;
    for (size_t i = 0; i < all->count; i++)
        for (size_t y = 0; y < all->rank[i].first[steps]; y++) {
            const int64_t x = all->rank[i].partner[y];
            const double start_s = exchange_of(all, i, y)->start_s - all->rank[i].clock_s;
            if (x == NONE) continue;
            if (m[x].ranks++ > 0 && !(start_s > m[x].latest_s)) continue;
            m[x].latest_s = start_s;
            m[x].who = i;
        }
    return m;
}

/* From here on an exchange begins with its last rank; what goes on in the next step, too. */
static void begin_with_last(import_ranks *all, size_t i, const meeting *m)
{
    import_rank *r = &all->rank[i];
    const import_found *f = found_of(all, i);
    const size_t steps = f->steps;
    for (size_t s = 0; s < steps; s++)
        for (size_t y = r->first[s]; y < r->first[s + 1]; y++) {
            import_op *op = exchange_of(all, i, y);
            const double was_s = op->start_s;
            if (r->partner[y] == NONE || m[r->partner[y]].ranks < 2) continue;
            all->met++;
            double start_s = m[r->partner[y]].latest_s + r->clock_s;
            if (start_s > op->end_s) start_s = op->end_s;
            if (!(start_s > was_s)) continue;
            all->rank[m[r->partner[y]].who].caused_s += start_s - was_s;
            op->start_s = start_s;
            if (s + 1 == steps || !(op->end_s > f->step[s + 1].start_s)) continue;
            for (size_t k = r->run.first[s + 1]; k < r->run.first[s + 2]; k++) {
                import_op *on = &found_of(all, i)->op[r->run.by[k]];
                if (on->kind == IMPORT_COLLECTIVE && !(on->start_s > was_s) &&
                    !(on->end_s < op->end_s) && !(on->end_s > op->end_s))
                    on->start_s = start_s;
            }
        }
}

/* How the times that ranks take themselves vary, a coefficient of variation. */
static double spread_of(const import_ranks *all)
{
    double sum = 0.0, squares = 0.0, n = 0.0, mean;
    for (size_t i = 0; i < all->count; i++)
        for (size_t s = 0; s < found_of(all, i)->steps; s++, n++) sum += all->rank[i].own_s[s];
    mean = sum / n;
    for (size_t i = 0; i < all->count; i++)
        for (size_t s = 0; s < found_of(all, i)->steps; s++)
            squares += (all->rank[i].own_s[s] - mean) * (all->rank[i].own_s[s] - mean);
    const double cv = n > 1.0 && mean > 0.0 ? sqrt(squares / (n - 1.0)) / mean : 0.0;
    return cv > 1e-12 ? cv : 0.0;           /* sums that are equal but for rounding */
}

/* Parts of the steps before and behind: what is exposed no longer was waiting. */
static void take_parts(import_ranks *all, size_t i, const meeting *m)
{
    import_rank *r = &all->rank[i];
    const size_t steps = found_of(all, i)->steps;
    import_parts(&r->run);
    sgdfit_step_parts whole = r->run.mean;
    const sgdfit_step_parts *each = r->run.parts;
    begin_with_last(all, i, m);
    import_parts(&r->run);
    r->mean = whole;
    r->mean.exposed_s = r->run.mean.exposed_s;
    r->waiting_s = whole.exposed_s - r->run.mean.exposed_s;
    if (r->waiting_s < 1e-12 * whole.step_s) r->waiting_s = 0.0;
    r->own_s = tool_alloc(steps, sizeof *r->own_s);
    for (size_t s = 0; s < steps; s++)      /* two sums: what is 0 may come out below it */
        r->own_s[s] = fmax(each[s].step_s - each[s].exposed_s, 0.0);
}

double import_slowest(const import_run *r)
{
    const sgdp_variation vary = {.cv = r->ranks ? r->ranks->cv : 0.0};
    double factor = 1.0;
    tool_check(sgdp_slowest(&vary, r->workers > 0 ? r->workers : 1, &factor), r->found.file);
    return factor;
}

void import_meet(import_ranks *all)
{
    check_ranks(all);
    keep_common(all);
    size_t steps = found_of(all, 0)->steps;
    for (size_t i = 0; i < all->count; i++) list_exchanges(all, i);
    for (size_t i = 1; i < all->count; i++) {
        if (!is_same_sequence(all, i) || !pair_in_order(all, i)) pair_by_ends(all, i);
        all->exchanges += all->rank[i].first[steps];
    }
    all->exchanges += all->rank[0].first[steps];
    meeting *m = meet(all);
    for (size_t x = 0; x < all->rank[0].first[steps]; x++)
        if (m[x].ranks > 1) all->rank[m[x].who].last++;
    for (size_t i = 0; i < all->count; i++) take_parts(all, i, m);
    for (size_t i = 1; i < all->count; i++) {
        const import_rank *r = &all->rank[i], *late = &all->rank[all->late];
        const double more_s = r->caused_s - late->caused_s;
        if (more_s > 1e-9 || (!(more_s < -1e-9) && r->rank < late->rank)) all->late = i;
    }
    all->cv = spread_of(all);
}
