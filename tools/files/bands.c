/* bands.c - bands of predictions by class */
#include "files/bands.h"

#include "base/csv.h"

#include <math.h>
#include <string.h>

const char *const band_words[BAND_CLASSES] = {
    "measured", "declared", "calibrated", "inside", "network", "machine", "servers", "layered"
};

#define BAND(class, low, high) [class] = {low, high},
static const band shipped[BAND_CLASSES] = {
#include "files/bands.def"
};
#undef BAND

band band_shipped(band_class of)
{
    const band none = {0.0, 0.0};
    return of < BAND_CLASSES ? shipped[of] : none;
}

/* ---- Classes ------------------------------------------------------------------- */

/* No port of a network has more, in bytes/s: 400 Gbit/s. */
#define FASTEST_PORT 50e9

static int is_inside(const sgdp_job *job, uint32_t workers, const network *between)
{
    if (job->machine.gpus > 1) return workers <= job->machine.gpus;
    if (between) return network_is_inside(between);
    return workers == 1 || job->links.bandwidth_bytes_per_s > FASTEST_PORT;
}

band_class band_of_links(const sgdp_job *job, uint32_t workers, const network *between)
{
    if (is_inside(job, workers, between)) return BAND_INSIDE;
    if (job->machine.gpus > 1 && job->compute.one_worker_step_s > 0.0) return BAND_MACHINE;
    return between ? BAND_NETWORK : BAND_DECLARED;
}

band_class band_read_class(const args *a, int several_servers, int declared)
{
    const size_t given = args_choice(a, OPTION_INPUTS, band_words, BAND_INSIDE, BAND_MEASURED);
    if (declared) return BAND_CLASSES;
    return several_servers && !args_given(a, OPTION_INPUTS) ? BAND_SERVERS : (band_class)given;
}

/* ---- What no band reaches -------------------------------------------------------- */

/* The step that was measured, of so many workers; 0: none was. */
static double profile_step_s(const sgdp_job *job, uint32_t *workers)
{
    const sgdp_compute *of = &job->compute;
    *workers = of->one_worker_step_s > 0.0 && job->machine.gpus > 1 ? job->machine.gpus : 1;
    if (job->workers.types > 0) return 0.0;
    if (of->one_worker_step_s > 0.0) return of->one_worker_step_s;
    return of->forward_s + of->backward_s + of->update_s;
}

/* Is the point the one that the profile of an all-reduce was measured at? Its throughput is then
 * no prediction. */
static int is_profile(const band_point *p)
{
    uint32_t workers;
    const double step_s = profile_step_s(p->job, &workers);
    return p->allreduce && step_s > 0.0 && p->workers == workers &&
           fabs(step_s * p->batches_per_s - workers) <= 1e-9 * workers;
}

static double capped_at(double high, const band_point *p, double most)
{
    return fmax(0.0, fmin(high, most / p->batches_per_s - 1.0));
}

band band_around(band b, band_class of, const band_point *p)
{
    const band none = {0.0, 0.0};
    const sgdp_machine *m = &p->job->machine;
    const double gpus = m->gpus > 1 ? m->gpus : 1.0;
    const int measured = is_profile(p);
    uint32_t workers;
    const double step_s = profile_step_s(p->job, &workers);
    if (measured) b = none;
    if (p->spread > 0.0) b.low = hypot(b.low, p->spread);
    if (p->spread > 0.0) b.high = hypot(b.high, p->spread);
    b.low = fmin(b.low, 1.0); /* no throughput is below 0 */
    if (measured) return b;
    if (m->input_examples_per_s > 0.0 && p->job->compute.batch > 0.0)
        b.high = capped_at(b.high, p, ceil(p->workers / gpus) * m->input_examples_per_s
                                          / p->job->compute.batch);
    if (p->allreduce && step_s > 0.0 && of != BAND_MEASURED)
        b.high = capped_at(b.high, p, p->workers / step_s);
    return b;
}

/* ---- Files --------------------------------------------------------------------- */

static void read_file(const char *path, band bands[BAND_CLASSES])
{
    const csv_table *t = csv_read(path, 0);
    const int column = csv_require(t, "class");
    const int low = csv_require(t, "low"), high = csv_require(t, "high");
    csv_unique(t, &column, 1);
    memset(bands, 0, BAND_CLASSES * sizeof *bands);
    for (size_t row = 0; row < t->rows; row++) {
        band *b = &bands[csv_choice(t, row, column, band_words, BAND_CLASSES)];
        b->low = csv_number_or(t, row, low, NUMBER_NON_NEGATIVE, 0.0);
        b->high = csv_number_or(t, row, high, NUMBER_NON_NEGATIVE, 0.0);
    }
}

void band_read(const args *a, band bands[BAND_CLASSES])
{
    const char *file = args_text(a, OPTION_BANDS, NULL);
    if (file) read_file(file, bands);
    else memcpy(bands, shipped, sizeof shipped);
}
