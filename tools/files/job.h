/* job.h - jobs described by options and profiles, as predict and calibrate take them
 *
 * A command adds JOB_OPTIONS to its own options and job_help to its help, then
 *     job_set jobs;
 *     job_read(&jobs, &a, 0);
 *     status = job_predict(&jobs, 0, workers, &point);
 * Whatever is wrong or contradicts itself ends the program as in tool.h. */
#ifndef TOOLS_FILES_JOB_H
#define TOOLS_FILES_JOB_H

#include "base/csv.h"
#include "files/modes.h"

#define JOB_OPTIONS                                                                      \
    {"--mode", ARGS_VALUE}, {"--model", ARGS_VALUE}, {"--profile", ARGS_VALUE},          \
    {"--forward", ARGS_VALUE}, {"--backward", ARGS_VALUE}, {"--update", ARGS_VALUE},     \
    {"--model-size", ARGS_VALUE}, {"--bandwidth", ARGS_VALUE}, {"--uplink", ARGS_VALUE}, \
    {"--downlink", ARGS_VALUE}, {"--batch", ARGS_VALUE}, {"--servers", ARGS_VALUE},      \
    {"--shares", ARGS_VALUE}, {"--layers", ARGS_VALUE}, {"--updates", ARGS_VALUE},       \
    {"--overlap", ARGS_FLAG}, {"--overlap-iterate", ARGS_FLAG},                          \
    {"--threshold", ARGS_VALUE}, {"--latency", ARGS_VALUE}, {"--gpus", ARGS_VALUE},      \
    {"--local-bandwidth", ARGS_VALUE}, {"--flow-cap", ARGS_VALUE},                       \
    {"--rings", ARGS_VALUE}, {"--overlap-exponent", ARGS_VALUE}, {"--step", ARGS_VALUE}, \
    {"--worker-type", ARGS_REPEAT}, {"--worker-bandwidth", ARGS_VALUE},                  \
    {"--delay", ARGS_VALUE}, {"--port-buffer", ARGS_VALUE}, {"--vary", ARGS_VALUE},      \
    {"--vary-shape", ARGS_VALUE}, {"--vary-sample", ARGS_VALUE},                         \
    {"--switch-anew", ARGS_FLAG}, {"--measured-on", ARGS_VALUE},                          \
    {"--jobs-on-network", ARGS_VALUE}, {"--backup", ARGS_VALUE},     \
    {"--cpu-machines", ARGS_VALUE}

typedef struct job_set {
    train_mode         mode;
    sgdp_model       model;
    int                chosen; /* the model, by auto                                 */
    const csv_table *file;    /* of --profile; NULL: one job, of options alone      */
    size_t           count;   /* of jobs, >= 1: row i of the file is job i          */
    sgdp_job        *job;     /* [count]                                            */
    const char     **name;    /* [count]; NULL: one job without a name              */
    uint32_t        *measured_on; /* [count] workers then; 0: one alone             */
    double          *measured_step_s; /* [count] of each of them, if measured_on    */
    sgdp_uncertainty *unsure; /* [count] of what a profile's columns give           */
    void            *work;    /* of the predictions, grows with what they need      */
    size_t           work_bytes;
} job_set;

/* The bit of an input that is to be fitted. */
#define JOB_FITTED(input) (1u << (unsigned)(input))

/* The jobs that the options describe. Inputs in `fitted` may be left out, are refused
 * as options and not read from a profile. Where the bandwidth is fitted, that of a profile
 * of several workers is left so: its measured step is one more point. */
void job_read(job_set *set, const args *a, unsigned fitted);

/* The same with a profile that was read, in place of --profile; NULL: as that says. */
void job_read_profile(job_set *set, const args *a, unsigned fitted, const csv_table *profile);

/* sgdp_predict, sgdp_elasticity and sgdp_remedies of job i, with scratch: SGDP_OK or
 * SGDP_NOT_CONVERGED; for any other status they fail and say why. */
sgdp_status job_predict(job_set *set, size_t i, uint32_t workers, sgdp_prediction *out);
sgdp_status job_elasticity(job_set *set, size_t i, uint32_t workers, double *elasticity);
sgdp_status job_remedies(job_set *set, size_t i, uint32_t workers, double *gain);

/* sgdp_predict_curve of job i, likewise; without types. */
sgdp_status job_predict_curve(job_set *set, size_t i, const uint32_t *workers, size_t points,
                              sgdp_prediction *out, sgdp_status *status);

/* sgdp_profile_spread of job i, 0 where its profile tells no intervals. */
double job_spread(job_set *set, size_t i, uint32_t workers);

/* Estimated operations of job_predict, of about a nanosecond each, or fails as that. */
double job_operations(job_set *set, size_t i, uint32_t workers);
double job_curve_operations(job_set *set, size_t i, const uint32_t *workers, size_t points);

/* Does input have a part in what the model predicts for the job? */
int job_uses(const job_set *set, size_t i, sgdp_input input);

/* Writes which of a job's numbers are so large or small that they may be what is wrong, as
 * ": --bandwidth is 1e-300", or nothing; returns it. */
const char *job_far_numbers(const job_set *set, size_t i, char *text, size_t bytes);

/* Fails over job i: "FILE:LINE: reason", without a profile the reason alone. */
TOOL_NORETURN void job_fail(const job_set *set, size_t i, const char *reason, ...)
    TOOL_PRINTF(3, 4);

/* Notes normal times so wide that those below 0 count. */
void job_note_normal(const sgdp_variation *vary);

/* The help of a command: `usage`, then JOB_OPTIONS explained, then `rest`. */
const char *job_help(const char *usage, const char *rest);

#endif /* TOOLS_FILES_JOB_H */
