/* job.h - jobs described by options and profiles, as predict and calibrate take them
 *
 * A command adds JOB_USES to its own options, then
 *     job_set jobs;
 *     job_read(&jobs, &a, 0);
 *     status = job_predict(&jobs, 0, workers, &point);
 * Whatever is wrong or contradicts itself ends the program as in tool.h. */
#ifndef TOOLS_MODEL_JOB_H
#define TOOLS_MODEL_JOB_H

#include "base/csv.h"
#include "files/modes.h"
#include "files/networks.h"
#include "options/args.h"
#include "options/options.h"

/* Of a command that takes a job, which has --mode: its other options, under the headings of
 * --help, their units, and what does not fit behind them. */
#define JOB_USES JOB_STEP_USES, USE(BACKUP), JOB_CLUSTER_USES
#define JOB_STEP_USES                                                                 \
    ABOUT("\nThe job\n"),                                                             \
    USE(FORWARD), USE(BACKWARD), USE(COMPUTE), USE(STEP), USE(UPDATE),                \
    USE(MODEL_SIZE), USE(ALLTOALL_SIZE), USE(TOKENS), USE(TOKEN_SIZE),                \
    USE(UPLINK), USE(DOWNLINK), USE(BATCH), USE(PROFILE), USE(MEASURED_ON),           \
    USE(WORKER_TYPE), USE(VARY), USE(VARY_SHAPE), USE(VARY_SAMPLE)
#define JOB_CLUSTER_USES                                                              \
    ABOUT("\nThe cluster\n"),                                                         \
    USE(BANDWIDTH), USE(SERVERS), USE(SHARES), USE(LAYERS), USE(UPDATES),             \
    USE(SERVER_COST),                                                                 \
    USE(LATENCY), USE(GPUS), USE(LOCAL_BANDWIDTH), USE(FLOW_CAP), USE(RINGS),         \
    USE(NETWORK), USE(CARDS), USE(LOCAL_NETWORK), USE(JOBS_ON_NETWORK),               \
    USE(CPU_MACHINES),                                                                \
    USE(WORKER_BANDWIDTH), USE(DELAY), USE(PORT_BUFFER), USE(INPUT_RATE),             \
    ABOUT("\nThe model\n"),                                                           \
    USE(MODEL), USE(THRESHOLD), USE(STACK), USE(OVERLAP), USE(OVERLAP_EXPONENT),      \
    USE(OVERLAP_ITERATE), USE(EXPOSURE), USE(GROWTH), USE(GROWTH_BETWEEN),            \
    USE(SWITCH_ANEW)

#define JOB_UNITS \
    "\nUnits\n" TIME_UNITS SIZE_UNITS BANDWIDTH_UNITS \
    "  N     numbers of examples and tokens may end in k, M or G: 1e3, 1e6, 1e9\n"

/* Of the headings Files. */
#define JOB_PROFILE \
    "  profile    columns forward_s, backward_s, update_s, model_bytes,\n" \
    "             alltoall_bytes, bandwidth_bytes_per_s, uplink_s, downlink_s,\n" \
    "             batch, step_s, overlap_exponent, exposure, growth, growth_between,\n" \
    "             measured_on, input_rate, network, cards, local_network, stack;\n" \
    "             job names the rows. An option replaces its column; transfer times\n" \
    "             replace size and bandwidth. fixed_s: part of the computation that\n" \
    "             does not grow with --batch. overlap_part: part of the computation\n" \
    "             that can hide an exchange, with overlap_exponent. vary: as --vary.\n"

#define JOB_LAYERS \
    "  layers     columns layer,bytes,forward_s,backward_s,update_s,tensors. bytes:\n" \
    "             of the gradients, 4 per parameter. tensors: bytes of each tensor of\n" \
    "             the layer, as 8192+32. activations_bytes: replaces --activations.\n" \
    "             traced_workers, bandwidth_bytes_per_s, machine_accelerators: of a\n" \
    "             trace, as import writes them: exchanges overlap as traced.\n"

#define JOB_BACKUP_NOTE \
    "  backup     The late gradients of --backup workers are dropped. An all-reduce\n" \
    "             passes through all workers; late ones add nothing.\n"
#define JOB_NOTES \
    "\n" \
    "Notes on the job\n" \
    "  step       Compute time is --step minus transfers and update, divided in the\n" \
    "             ratio of --forward and --backward [1:2].\n" \
    "  transfers  Allreduce needs --uplink or --downlink; of both, the longer one\n" \
    "             counts.\n" \
    "  gpus       With --gpus above 1, ring and doubling reduce inside a machine and\n" \
    "             exchange the whole model. flat is one ring of all accelerators.\n" \
    "             hierarchical has a ring for each accelerator of a machine, each\n" \
    "             with a link of --bandwidth.\n" \
    "  types      --worker-type replaces --forward, --backward and --delay; it may\n" \
    "             end in ,delay=5ms. A synchronous step waits for the slowest type.\n" \
    "  vary       A barrier waits for the slowest worker; asynchronous workers lose\n" \
    "             their rhythm. --vary-sample sets the spread, not the mean.\n" \
    "  delay      A step has the delay twice. Models rhythm and staggered also count\n" \
    "             the waiting that windows of TCP cause.\n" \
    "  stack      Takes exposure and growth as measured with this software. It\n" \
    "             replaces an overlap.\n" \
    "  input      Mini-batches are prepared ahead. A step starts when all\n" \
    "             mini-batches of a machine are ready. --input-rate needs --batch.\n" \
    "  memory     Copies of gradients in buckets (4 bytes/parameter) do not count.\n"
#define JOB_NOTES_END \
    "docs/models.md tells the models and how far off they are.\n"

typedef struct job_set {
    train_mode         mode;
    sgdp_model       model;
    int                chosen; /* the model, by auto                                 */
    job_kinds         *kinds;  /* [count] of the links and the software               */
    int                declared; /* links are known as their makers declare them      */
    int                traced; /* exchanges overlap as in a trace of workers together */
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

/* The bit of an input that is to be fitted; its name in results, "latency_s". */
#define JOB_FITTED(input) (1u << (unsigned)(input))
const char *job_input_name(sgdp_input input);

/* The jobs that the options describe. Inputs in `fitted` may be left out, are refused
 * as options and not read from a profile, but bandwidths: these are what is declared, beside
 * which they are fitted. Where the bandwidth is fitted, that of a profile of several workers is
 * left so: its measured step is one more point. */
void job_read(job_set *set, const args *a, unsigned fitted);

/* Fails over a log of phases, of which sgdperf profile makes a profile. */
void job_refuse_log(const csv_table *t);

/* The same with a profile that was read, in place of --profile; NULL: as that says. */
void job_read_profile(job_set *set, const args *a, unsigned fitted, const csv_table *profile);

/* Notes whose step a step is, and whose links, where machines have several accelerators. */
void job_note_machines(const job_set *set);

/* Notes which all-reduce auto takes there, and how long one ring of all accelerators takes. */
void job_note_flat(const job_set *set, size_t i, uint32_t workers);

/* sgdp_predict with work of its own, and each status. */
sgdp_status job_answer(const sgdp_job *job, sgdp_model model, uint32_t workers,
                       sgdp_prediction *out);

/* sgdp_predict, sgdp_elasticity and sgdp_remedies of job i, with scratch: SGDP_OK or
 * SGDP_NOT_CONVERGED; for any other status they fail and say why. */
sgdp_status job_predict(job_set *set, size_t i, uint32_t workers, sgdp_prediction *out);
sgdp_status job_elasticity(job_set *set, size_t i, uint32_t workers, double *elasticity);
sgdp_status job_remedies(job_set *set, size_t i, uint32_t workers, double *gain);

/* sgdp_predict_curve of job i, likewise; without types, and with each status. */
sgdp_status job_predict_curve(job_set *set, size_t i, const sgdp_curve *curve);

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

/* Notes what the slowest kind of network of a bare bandwidth between machines carries, and what a
 * rented node, where that changes the throughput of so many workers by more than 1 %. */
void job_note_kinds(job_set *set, size_t i, uint32_t workers, double batches_per_s);

/* Notes what is assumed of all-to-alls, where so many workers are not those that were traced. */
void job_note_even(double bytes, uint64_t traced);
void job_note_alltoall(const job_set *set, size_t i, uint32_t workers);

/* Notes a kind of network whose flows carry less than its line, where more would be faster, and
 * what helps. */
void job_note_capped(job_set *set, size_t i, uint32_t workers);

/* Notes what --overlap assumes of declared links, and how far the default is below it. */
void job_note_overlap(job_set *set, size_t i, uint32_t workers, double batches_per_s);

/* Fails unless a step waits for one of the workers; notes that it waits for equal ones. */
void job_check_backup(const args *a, uint32_t backup, uint32_t workers);
void job_note_backup(void);

/* Notes normal times so wide that those below 0 count. */
void job_note_normal(const sgdp_variation *vary);

/* The job of one worker alone from one as measured with several, see job_fit.h. */
sgdp_status job_take_waiting_out(const sgdp_job *job, sgdp_model model, uint32_t workers,
                                 sgdp_job *out);

#endif /* TOOLS_MODEL_JOB_H */
