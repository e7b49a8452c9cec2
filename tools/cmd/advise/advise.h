/* advise.h - the parts of sgdperf advise
 *
 * read.c reads what is asked for, epochs.c the epochs to a loss, command.c predicts, chooses and
 * prints, words.c says it in sentences. Where there are layers, ways.c compares ways to train with
 * them, pipelines.c splits over groups, stages and copies. */
#ifndef TOOLS_CMD_ADVISE_ADVISE_H
#define TOOLS_CMD_ADVISE_ADVISE_H

#include "base/columns.h"
#include "options/args.h"
#include "base/csv.h"
#include "base/output.h"
#include "base/tool.h"
#include "model/curve_set.h"
#include "model/replica.h"
#include "sgdperf_fit.h"
#include "sgdperf_sched.h"

/* A kind of machine: of --offer, or the one of the profile. */
typedef struct machine_offer {
    const char *name;         /* NULL: that of the profile                          */
    double      price_per_s;  /* of a machine                                       */
    replica_scale scale;
    job_kinds   kinds;
} machine_offer;

/* The low end of a choice whose interval is not known: it keeps no limit surely. */
#define ADVICE_NO_BAND 1.0
static inline int advice_has_band(const sgdsched_choice *c)
{
    return c->low < ADVICE_NO_BAND || c->high > 0.0;
}

/* Sizes of buckets that are tried, and what a step then takes. */
enum { ADVICE_BUCKETS = 7 };
typedef struct advice_bucket { double bytes, step_s; } advice_bucket;

typedef struct advice_set advice_set;

/* What is chosen from, numbers of workers or ways to train: the columns of a choice, its name,
 * and the words for a remedy. */
typedef struct advice_kind {
    void        (*print)(columns *t, const advice_set *s, size_t choice);
    const char *(*name)(const advice_set *s, size_t choice);
    const char *(*remedy)(size_t remedy);
} advice_kind;

struct advice_set {
    const advice_kind *kind;
    curve_set      curves;    /* a job for each offer                               */
    machine_offer *offer;     /* [curves.jobs.count]                                */
    int            priced;    /* else the cost is in machine seconds, not printed   */
    double         server_price_per_s;
    int            timed;     /* the work is known; else one batch, not printed     */
    double         host_share; /* of compute what the profile says is the host's     */
    uint32_t       one_machine; /* workers beyond which no link is known; 0: all known */
    sgdsched_goal  goal;
    sgdfit_epochs  epochs;    /* of --epochs-table; 0 points: not given             */
    double         epoch_batches; /* mini-batches of an epoch                       */
    size_t         count;     /* of choices: jobs x points                          */
    sgdsched_choice *choice;  /* [count], point i of job j at j * points + i        */
    sgdsched_outlay *outlay;  /* [count]                                            */
    sgdsched_advice advice;
    double         gain[SGDP_REMEDY_COUNT]; /* of the recommended choice            */
    size_t         remedy[SGDP_REMEDY_COUNT]; /* those that gain, most first        */
    size_t         remedies;
    advice_bucket  bucket[ADVICE_BUCKETS]; /* the last is the usual size            */
    size_t         buckets, best_bucket; /* 0: not asked for                        */
};

/* The file, or that of --profile, read once; NULL: none. */
const csv_table *advice_file(const args *a);

/* The same as a profile: itself, or made of a trace; NULL: none. */
const csv_table *advice_profile(const args *a);

/* Everything but the file: the job, the workers, the work, its limits and prices. */
void advice_read(advice_set *s, const args *a);

/* The same of an all-reduce of layers on machines as `job` has them; returns the number of
 * offers. Fails over one whose kind of network is another one. */
size_t advice_read_cluster(advice_set *s, const args *a, const sgdp_job *job, sgdp_model model);

/* The share of column host_s in the profile's compute; 0 without the column, or if an option
 * gives the compute. */
double advice_host_share(const job_set *jobs, const args *a);

/* How many times as long compute takes if all but the host's part takes `scale` times as long. */
double advice_with_host(double host_share, double scale);

/* --epochs-table, where it is given: what of the work depends on the choice. */
void advice_read_epochs(advice_set *s, const args *a);

/* The epochs that so many workers need, each update of so many mini-batches; 0: the table does not
 * tell. The mini-batches of an update of theirs without micro-batches. Is the work known? */
double advice_epochs(const advice_set *s, uint32_t workers, double batches);
double advice_update(const advice_set *s, uint32_t workers);
int advice_knows(const advice_set *s, uint32_t workers, double batches);

/* Do the epochs of the table depend on the total batch of workers that wait for each other? */
int advice_counts_batch(const advice_set *s);

/* The gain of twice the batch, whose epochs a table by batch may tell; 0: they are not known. */
double advice_batch_gain(const advice_set *s, uint32_t workers, double batches, double gain);

/* Notes, or if none is kept fails over, what is left out as the table does not tell. */
void advice_note_unknown(const advice_set *s, size_t left, size_t kept, const char *what);

/* Machines that so many workers fill, the last perhaps in part. */
double advice_machines(uint32_t gpus, uint32_t workers);

/* Room for `count` choices; and the advice on n of them. Fails over times or costs that are no
 * numbers, with what they come from. */
void advice_take_room(advice_set *s);
void advice_among(const advice_set *s, const sgdsched_choice *choice, size_t n,
                  sgdsched_outlay *outlay, sgdsched_advice *advice);

/* The remedies that gain, most first; of equal ones the first of the table. */
void advice_sort_remedies(advice_set *s);

/* Notes of what the recommendation could be taken for: of the most of `several` numbers of workers;
 * of prices that leave out machines beside the workers, which only sum gradients; of so many
 * micro-batches a step. */
void advice_note_limits(const advice_set *s, int several, uint32_t beside, uint32_t passes);

/* Sentences, in fresh memory; what is added to them is cut at ADVICE_TEXT bytes. */
enum { ADVICE_TEXT = 1024 };
char *advice_new_text(void);
void say(char *text, const char *format, ...) TOOL_PRINTF(2, 3);
const char *advice_reason(const advice_set *s);  /* why this choice                 */
const char *advice_word(const advice_set *s);    /* how sure; "" if there is no doubt */
const char *advice_stop(const advice_set *s);    /* what stops it                   */
const char *advice_help(const advice_set *s);    /* what would help most            */
const char *advice_buckets(const advice_set *s); /* how large; "" if not asked for  */
const char *advice_choice(const advice_set *s, size_t i); /* "8 workers of a100, 5 h" */

/* Which way to train, by layers: is it asked for, and the answer. */
int advice_ways_wanted(const args *a);
void advice_refuse_options(const args *a); /* that layers have no use for              */
int advice_ways(const args *a, size_t processes);

/* The same of pipelines: groups, stages, copies, micro-batches and sharding. */
int advice_pipelines(const args *a);

/* What is said of the recommended way to train, or of the nearest if nothing fits; NULL: no
 * word of that. */
typedef struct advice_words {
    int nothing_fits;
    const char *reason, *against, *stop, *help;
} advice_words;

/* Words for sgdsched_advice_rule, in JSON; members of a choice; those of a way to train; those of
 * the cheapest, the fastest and the surest one, and remedies. */
extern const char *const advice_rules[];
void advice_json_choice(output *out, const advice_set *s, size_t choice);
void advice_json_fit(output *out, const advice_set *s, const advice_words *of);
void advice_json_others(output *out, const advice_set *s);

/* The cheapest and the fastest choice, where they are others than the recommended one. */
void advice_print_others(output *out, const advice_set *s);

/* The head of a job script of the recommended choice, if --format asks for one; and in a line
 * whose price the costs are. gpus: accelerators of a machine. */
#define ADVICE_FORMATS "table csv json slurm skypilot"
int advice_print_script(output *out, const advice_set *s, const args *a, uint32_t gpus);
void advice_refuse_script(const args *a); /* where nothing is recommended            */
void advice_print_price(output *out, const advice_set *s, uint32_t gpus);

/* Columns: examples/s, if the batch is known; epochs and time, in the unit of the recommended one,
 * with its interval, if that is known; whether goals are met. */
void advice_print_examples(columns *t, const advice_set *s, double batches_per_s);
void advice_print_times(columns *t, unsigned in, const advice_set *s, const sgdsched_choice *c,
                        const sgdsched_outlay *o, int known);
void advice_print_verdicts(columns *t, const advice_set *s, const sgdsched_outlay *o);

#endif /* TOOLS_CMD_ADVISE_ADVISE_H */
