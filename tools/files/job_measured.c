/* job_measured.c - profiles of several workers at work, and how sure a profile is */
#include "files/job_cluster.h"
#include "files/job_fit.h"

#include <string.h>

/* ---- Measured with several workers ------------------------------------------ */

uint32_t job_read_measured_on(const job_set *set, const args *a, size_t i)
{
    const int column = set->file ? csv_column(set->file, "measured_on") : CSV_NONE;
    if (column != CSV_NONE && !args_given(a, OPTION_MEASURED_ON))
        return (uint32_t)csv_integer_or(set->file, i, column, 1, UINT32_MAX, 0);
    return (uint32_t)args_integer(a, OPTION_MEASURED_ON, 1, UINT32_MAX, 0);
}

/* What the transfers of several workers were taken for. */
static void note_found(const job_set *set, size_t i)
{
    const sgdp_job *job = &set->job[i];
    const char *name = set->name ? set->name[i] : "the profile";
    const unsigned long workers = (unsigned long)set->measured_on[i];
    const char *plural = workers == 1 ? "" : "s";
    const double step_s = set->measured_step_s[i];
    if (job->model_bytes > 0.0)
        tool_note("measured-transfers",
                  "%s: measured on %lu worker%s: with a bandwidth of %.4g B/s model %s takes their "
                  "step of %.4g s", name, workers, plural, job->bandwidth_bytes_per_s,
                  sgdp_model_text(set->model), step_s);
    else
        tool_note("measured-transfers",
                  "%s: measured on %lu worker%s: with transfers of %.4g s up and %.4g s down, one "
                  "worker alone, model %s takes their step of %.4g s", name, workers, plural,
                  job->uplink_s, job->downlink_s, sgdp_model_text(set->model), step_s);
}

sgdp_status job_take_waiting_out(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                 sgdp_job *out)
{
    job_alone of;
    size_t bytes = 0;
    sgdp_status status = job_alone_open(&of, job, model, workers, &bytes);
    if (status == SGDP_OK) status = job_alone_find(&of, tool_alloc(bytes, 1), bytes);
    if (status == SGDP_OK) *out = of.job;
    return status;
}

void job_convert_measured(job_set *set, size_t i, int kept)
{
    sgdp_job alone, *job = &set->job[i];
    const uint32_t workers = set->measured_on[i];
    sgdp_status status = sgdp_measured_step(job, set->model, &alone, &set->measured_step_s[i]);
    if (status != SGDP_OK)
        job_fail(set, i, "--measured-on: update and transfers leave no time of the step to compute "
                 "(with an overlap the step must be given)");
    if (kept) {
        alone.uplink_s = alone.downlink_s = 0.0;
        *job = alone;
        return;
    }
    status = job_take_waiting_out(job, set->model, workers, &alone);
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

/* ---- A measured step ------------------------------------------------------- */

/* A step whose phases, as of training on one machine, leave no room for the transfers that size
 * and bandwidth tell: the phases count as measured. */
static int lacks_transfers(const job_set *set, const sgdp_job *job, const job_given *given,
                           double sent_s, const char *name)
{
    const double phases_s = job->forward_s + job->backward_s + job->update_s;
    const double step_s = job->one_worker_step_s, sum_s = phases_s + 2.0 * sent_s;
    if (set->mode == MODE_ALLREDUCE || !given->step_column) return 0;
    if (given->uplink) return 0;       /* and with it the other one */
    if (!(step_s > 1.02 * phases_s)) return 1;
    if (job->overlap != SGDP_OVERLAP_NONE || !(sum_s > 1.02 * step_s)) return 0;
    tool_note("step-too-short",
              "%s: its step of %.4g s has no room for transfers of %.4g s beside phases of %.4g s: "
              "taken to be without them, which come on top", name, step_s, 2.0 * sent_s, phases_s);
    return 1;
}

/* A measured step beside its phases. What no phase explains is the worker's, as a host
 * that prepares the next mini-batch; phases that overlap add up to more than the step. */
void job_check_step(const job_set *set, size_t row, sgdp_job *job, const job_given *given)
{
    const int several = set->measured_on[row] > 0;
    const double sent_s = job->model_bytes > 0.0 && job->bandwidth_bytes_per_s > 0.0
                              ? job->model_bytes / job->bandwidth_bytes_per_s : 0.0;
    const double compute_s = job->forward_s + job->backward_s, step_s = job->one_worker_step_s;
    const char *name = set->name ? set->name[row] : "the profile";
    double sum_s = compute_s + job->update_s;
    if (!(step_s > 0.0) || !given->forward || job->gpus > 1) return;
    if (set->mode != MODE_ALLREDUCE) {
        sum_s += given->uplink ? job->uplink_s : sent_s;
        sum_s += given->downlink ? job->downlink_s : sent_s;
    } else if (several) {
        sum_s += job->uplink_s;
    }
    if (several && !given->uplink && !given->downlink) return;
    if (!several && lacks_transfers(set, job, given, sent_s, name)) job->one_worker_step_s = 0.0;
    if (!(job->one_worker_step_s > 0.0)) return;
    if (sum_s < 0.9 * step_s)
        tool_note("phases-leave-gap",
                  "%s: the phases cover %.0f %% of the step of %.4g s: the other %.4g s are taken "
                  "for the worker's", name, 100.0 * sum_s / step_s, step_s, step_s - sum_s);
    if (!(sum_s > 1.02 * step_s)) return;
    if (several && (job->overlap != SGDP_OVERLAP_NONE || job->overlap_exponent > 0.0)) return;
    if (job->overlap != SGDP_OVERLAP_NONE) {
        job->one_worker_step_s = 0.0;
        tool_note("phases-overlap",
                  "%s: the phases overlap, %.4g s in a step of %.4g s: with --overlap each counts "
                  "as measured, the step does not", name, sum_s, step_s);
    } else {
        tool_note("phases-overlap",
                  "%s: the phases overlap, %.4g s in a step of %.4g s: compute is taken to be "
                  "what transfers and update leave of the step", name, sum_s, step_s);
    }
}

/* ---- A sample of compute times --------------------------------------------- */

/* Its mean is not taken: a sample of whole steps, which vary by less, would not be noticed. */
void job_check_sample(const job_set *set)
{
    const sgdp_variation *vary = &set->job[0].vary;
    double mean_s = 0.0;
    size_t i;
    for (i = 0; i < vary->samples; i++) mean_s += vary->sample[i] / (double)vary->samples;
    for (i = 0; i < set->count && vary->samples > 0; i++) {
        const sgdp_job *job = &set->job[i];
        const double compute_s = job->forward_s + job->backward_s;
        if (job->types > 0 || job->one_worker_step_s > 0.0 || !(compute_s > 0.0)) continue;
        if (mean_s > 0.9 * compute_s && mean_s < 1.1 * compute_s) continue;
        tool_note("sample-mean-differs",
                  "--vary-sample: the mean is %.4g s, but forward and backward are %.4g s%s%s: its "
                  "spread alone is taken, which should be that of computation", mean_s, compute_s,
                  set->name ? " of job " : "", set->name ? set->name[i] : "");
        return;
    }
}

/* ---- How sure a profile is --------------------------------------------------- */

void job_read_unsure(job_set *set, const args *a, size_t i)
{
    sgdp_uncertainty *of = &set->unsure[i];
    const csv_table *t = set->file;
    const struct { const char *column; option_id option; double *half_width; } all[] = {
        {"forward_ci95_half_width_s", OPTION_FORWARD, &of->forward_s},
        {"backward_ci95_half_width_s", OPTION_BACKWARD, &of->backward_s},
        {"update_ci95_half_width_s", OPTION_UPDATE, &of->update_s},
        {"uplink_ci95_half_width_s", OPTION_UPLINK, &of->uplink_s},
        {"downlink_ci95_half_width_s", OPTION_DOWNLINK, &of->downlink_s},
        {"step_ci95_half_width_s", OPTION_STEP, &of->one_worker_step_s}
    };
    uint64_t steps;
    size_t k, some = 0;
    if (!t) return;
    for (k = 0; k < COUNT_OF(all); k++) {
        *all[k].half_width = csv_number_or(t, i, csv_column(t, all[k].column),
                                           NUMBER_NON_NEGATIVE, 0.0);
        if (args_given(a, all[k].option)) *all[k].half_width = 0.0;
        some += *all[k].half_width > 0.0;
    }
    steps = csv_integer_or(t, i, csv_column(t, "steps"), 0, UINT64_MAX, 0);
    if (steps < 2) steps = UINT64_MAX; /* of 95 %, to 90 %                          */
    if (some > 0)
        of->part = sgdfit_student(0.9, steps - 1) / sgdfit_student(0.95, steps - 1);
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
