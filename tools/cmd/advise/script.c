/* script.c - advice as the head of a job script: Slurm's and SkyPilot's; whose price a cost is */
#include "cmd/advise/advise.h"

#include <math.h>
#include <stdio.h>

/* ---- Whose price ----------------------------------------------------------- */

void advice_print_price(output *out, const advice_set *s, uint32_t gpus)
{
    const int servers = s->curves.jobs.mode != MODE_ALLREDUCE;
    if (!s->priced) return;
    output_print(out, "cost: %s for each machine", s->offer[0].name ? "the price of the offer"
                                                                     : NAME_OF(PRICE));
    if (gpus > 1)
        output_print(out, " of %lu accelerators, in full also where some are not used",
                     (unsigned long)gpus);
    else output_print(out, ", one a worker");
    if (servers && s->server_price_per_s > 0.0)
        output_print(out, "; %s for each parameter server", NAME_OF(SERVER_PRICE));
    else if (servers) output_print(out, "; parameter servers count as free");
    output_print(out, "\n");
    if (gpus > 1)
        tool_note("price-of-machine", "the price is taken for a machine with its %lu accelerators: "
                  "if yours is of one accelerator, give %lu times as much", (unsigned long)gpus,
                  (unsigned long)gpus);
}

/* ---- Job scripts ----------------------------------------------------------- */

enum { SLURM = 3, SKYPILOT = 4 };      /* words of --format                          */

typedef struct job_script {
    const advice_set *s;
    const sgdsched_choice *choice;
    const sgdsched_outlay *outlay;
    uint32_t gpus;            /* of each machine that the job has                   */
    double   machines;
    double   limit_s;         /* the wall time, whole minutes                       */
    int      banded;          /* it is the upper end of the interval                */
} job_script;

/* "# TEXT", in one line whatever the text holds: YAML ends lines at some other characters too. */
static void comment(output *out, const char *head, const char *text)
{
    output_print(out, "# %s", head);
    for (; *text != '\0'; text++)
        if (((unsigned char)*text & 0xC0) != 0x80)      /* begins a character          */
            output_print(out, "%c", *text >= ' ' && *text <= '~' ? *text : '?');
    output_print(out, "\n");
}

static void print_comments(output *out, const job_script *j)
{
    const advice_set *s = j->s;
    const sgdp_job *job = &s->curves.jobs.job[0];
    const unsigned long servers = job->servers.count > 0 ? job->servers.count : 1;
    comment(out, "sgdperf advise: ", s->kind->name(s, s->advice.recommended));
    comment(out, "why: ", advice_reason(s));
    if (j->banded)
        comment(out, "", "Numbers in parentheses are intervals that hold 90 % of unseen jobs. The "
                         "wall time is the upper end of time.");
    else
        comment(out, "", "Time has no interval: the wall time is the predicted time, without a "
                         "margin. Add one.");
    if (s->curves.jobs.mode != MODE_ALLREDUCE)
        output_print(out, "# Beside the workers %lu parameter server%s: on machines of %s own, or "
                          "on these.\n", servers, servers == 1 ? " runs" : "s run",
                     servers == 1 ? "its" : "their");
    if (j->machines * j->gpus > j->choice->workers)
        output_print(out, "# Start %lu workers, not %.0f: the other accelerators stay unused.\n",
                     (unsigned long)j->choice->workers, j->machines * j->gpus);
}

static void print_slurm(output *out, const job_script *j)
{
    const double minutes = floor(j->limit_s / 60.0 + 0.5), hours = floor(minutes / 60.0);
    output_print(out, "#!/bin/sh\n");
    print_comments(out, j);
    if (j->machines * j->gpus > j->choice->workers)
        output_print(out, "#SBATCH --ntasks=%lu\n", (unsigned long)j->choice->workers);
    output_print(out, "#SBATCH --nodes=%.0f\n#SBATCH --ntasks-per-node=%lu\n"
                      "#SBATCH --gpus-per-node=%lu\n#SBATCH --time=%.0f-%02.0f:%02.0f:00\n",
                 j->machines, (unsigned long)j->gpus, (unsigned long)j->gpus,
                 floor(hours / 24.0), hours - 24.0 * floor(hours / 24.0),
                 minutes - 60.0 * hours);
}

/* Begins with a letter: YAML reads 4090:8 as a number, 4090 x 60 + 8. */
static int is_plain(const char *name)
{
    const char *at = name;
    if (!((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z'))) return 0;
    while ((*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
           (*at >= 'a' && *at <= 'z') || *at == '-' || *at == '_' || *at == '.') at++;
    return *at == '\0';
}

static void print_skypilot(output *out, const job_script *j)
{
    const char *name = j->s->offer[j->s->advice.recommended / j->s->curves.points].name;
    const int known = name && is_plain(name);
    print_comments(out, j);
    output_print(out, "name: sgdperf\nnum_nodes: %.0f\nresources:\n  accelerators: %s:%lu%s\n"
                      "run: |\n  # in place of train.sh: your program\n"
                      "  timeout %.0f sh train.sh\n",
                 j->machines, known ? name : "GPU", (unsigned long)j->gpus,
                 known ? "" : "  # name the accelerator, as in A100:8", j->limit_s);
}

void advice_refuse_script(const args *a)
{
    if (args_word(a, OPTION_FORMAT, 0) >= SLURM)
        args_fail(OPTION_FORMAT, args_text(a, OPTION_FORMAT, ""),
                  "needs a recommendation, but no way to train fits into --memory");
}

int advice_print_script(output *out, const advice_set *s, const args *a, uint32_t gpus)
{
    const size_t form = args_word(a, OPTION_FORMAT, 0), r = s->advice.recommended;
    job_script j = {s, &s->choice[r], &s->outlay[r], gpus > 0 ? gpus : 1, 0.0, 0.0, 0};
    if (form < SLURM) return 0;
    if (!s->timed)
        args_fail(OPTION_FORMAT, args_text(a, OPTION_FORMAT, ""), "needs %s or --epochs: a job "
                  "script has a wall time", NAME_OF(STEPS));
    j.machines = advice_machines(j.gpus, j.choice->workers);
    if (j.choice->workers < j.gpus) j.gpus = j.choice->workers;
    j.banded = advice_has_band(j.choice) && j.outlay->time_high_s - j.outlay->time_high_s <= 0.0;
    j.limit_s = ceil((j.banded ? j.outlay->time_high_s : j.outlay->time_s) / 60.0) * 60.0;
    if (!(j.limit_s <= INT32_MAX))
        args_fail(OPTION_FORMAT, args_text(a, OPTION_FORMAT, ""), "has wall times up to %ld s, "
                  "but the job takes %.3g s", (long)INT32_MAX, j.limit_s);
    if (form == SLURM) print_slurm(out, &j);
    else print_skypilot(out, &j);
    return 1;
}
