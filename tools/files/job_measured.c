/* job_measured.c - profiles of several workers at work, and how sure a profile is */
#include "files/job_cluster.h"

#include <string.h>

/* ---- Measured with several workers ------------------------------------------ */

uint32_t job_read_measured_on(const job_set *set, const args *a, size_t i)
{
    const int column = set->file ? csv_column(set->file, "measured_on") : CSV_NONE;
    if (column != CSV_NONE && args_given(a, "--measured-on"))
        args_fail("--measured-on", NULL, "not with the column 'measured_on' of %s",
                  set->file->name);
    if (column != CSV_NONE)
        return (uint32_t)csv_integer_or(set->file, i, column, 1, UINT32_MAX, 0);
    return (uint32_t)args_integer(a, "--measured-on", 1, UINT32_MAX, 0);
}

/* What the transfers of several workers were taken for. */
static void note_found(const job_set *set, size_t i)
{
    const sgdp_job *job = &set->job[i];
    const char *name = set->name ? set->name[i] : "the profile";
    const unsigned long workers = (unsigned long)set->measured_on[i];
    const double step_s = set->measured_step_s[i];
    if (job->model_bytes > 0.0)
        tool_note("%s: measured on %lu workers: with a bandwidth of %.4g B/s model %s takes their "
                  "step of %.4g s", name, workers, job->bandwidth_bytes_per_s,
                  sgdp_model_text(set->model), step_s);
    else
        tool_note("%s: measured on %lu workers: with transfers of %.4g s up and %.4g s down, one "
                  "worker alone, model %s takes their step of %.4g s", name, workers,
                  job->uplink_s, job->downlink_s, sgdp_model_text(set->model), step_s);
}

void job_convert_measured(job_set *set, size_t i, int kept)
{
    sgdp_job alone, *job = &set->job[i];
    const uint32_t workers = set->measured_on[i];
    sgdp_status status = sgdp_measured_step(job, set->model, &alone, &set->measured_step_s[i]);
    size_t bytes = 0;
    if (status != SGDP_OK)
        job_fail(set, i, "--measured-on: update and transfers leave no time of the step to compute "
                 "(with an overlap the step must be given)");
    if (kept) {
        alone.uplink_s = alone.downlink_s = 0.0;
        *job = alone;
        return;
    }
    status = sgdp_measured_on_bytes(job, set->model, workers, &bytes);
    if (status == SGDP_OK)
        status = sgdp_measured_on(job, set->model, workers, tool_alloc(bytes, 1), bytes, &alone);
    if (status == SGDP_BAD_ARGUMENT)
        job_fail(set, i, "--measured-on: of %lu worker%s no transfer counts in model %s",
                 (unsigned long)workers, workers == 1 ? "" : "s", sgdp_model_text(set->model));
    if (status == SGDP_NOT_CONVERGED)
        job_fail(set, i, "--measured-on: whatever the bandwidth, %lu workers do not take the "
                 "measured step of %.4g s in model %s", (unsigned long)workers,
                 set->measured_step_s[i], sgdp_model_text(set->model));
    if (status != SGDP_OK) job_fail(set, i, "--measured-on: %s", sgdp_status_text(status));
    *job = alone;
    note_found(set, i);
}

/* ---- How sure a profile is --------------------------------------------------- */

void job_read_unsure(job_set *set, size_t i)
{
    sgdp_uncertainty *of = &set->unsure[i];
    const csv_table *t = set->file;
    const struct { const char *column; double *half_width; } all[] = {
        {"forward_ci95_half_width_s", &of->forward_s},
        {"backward_ci95_half_width_s", &of->backward_s},
        {"update_ci95_half_width_s", &of->update_s},
        {"uplink_ci95_half_width_s", &of->uplink_s},
        {"downlink_ci95_half_width_s", &of->downlink_s},
        {"step_ci95_half_width_s", &of->one_worker_step_s}
    };
    size_t k;
    if (!t) return;
    for (k = 0; k < COUNT_OF(all); k++)
        *all[k].half_width = csv_number_or(t, i, csv_column(t, all[k].column),
                                           NUMBER_NON_NEGATIVE, 0.0);
    of->cycles = csv_integer_or(t, i, csv_column(t, "steps"), 0, UINT64_MAX, 0);
    if (of->cycles == 1) of->cycles = 0;
    if (set->measured_on[i] > 0) {     /* what was found is of the step, not of its parts   */
        of->uplink_s = of->downlink_s = of->one_worker_step_s = 0.0;
    }
}

double job_spread(job_set *set, size_t i, uint32_t workers)
{
    const sgdp_uncertainty *of = &set->unsure[i];
    const sgdp_job *job = &set->job[i];
    double spread = 0.0;
    size_t bytes = 0;
    if (!set->file) return 0.0;
    if (sgdp_predict_bytes(job, set->model, workers, &bytes) != SGDP_OK) return 0.0;
    if (bytes > set->work_bytes)
        set->work = tool_grow(NULL, 0, &set->work_bytes, bytes, 1);
    switch (sgdp_profile_spread(job, set->model, workers, of, set->work, set->work_bytes,
                                &spread)) {
    case SGDP_OK:
    case SGDP_NOT_CONVERGED: return spread;
    default:                 return 0.0;
    }
}
