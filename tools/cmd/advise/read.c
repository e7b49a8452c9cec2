/* read.c - what is asked for: work, limits, prices and offers */
#include "base/words.h"
#include "cmd/advise/advise.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* ---- Prices ---------------------------------------------------------------- */

/* "2.48/h" to a price per second. A number alone could be of any unit, unless it is 0. */
static double read_price(option_id option, const char *text)
{
    const char *slash = strchr(text, '/');
    const size_t length = slash ? (size_t)(slash - text) : strlen(text);
    double amount = 0.0, time_s = 1.0;
    char number[64] = "", unit[16];
    const char *wrong = "is too long";
    if (length < sizeof number) {
        memcpy(number, text, length);
        number[length] = '\0';
        wrong = number_parse(number, NUMBER_NON_NEGATIVE, &amount);
    }
    if (wrong) args_fail(option, text, "%s", wrong);
    if (!slash && !(amount > 0.0)) return 0.0;
    if (!slash)
        args_fail(option, text, "is a price of how long? %s/h, or /s /min /d", text);
    snprintf(unit, sizeof unit, "1%s", slash + 1);
    if (slash[1] == '\0' || number_quantity(unit, UNIT_TIME, NUMBER_POSITIVE, &time_s))
        args_fail(option, text, "has no unit of time behind the / (s min h d)");
    if (amount > 0.0 && !(amount / time_s >= DBL_MIN && amount / time_s <= DBL_MAX))
        args_fail(option, text, "is too %s", amount > time_s ? "large" : "small");
    return amount / time_s;
}

/* ---- Offers ---------------------------------------------------------------- */

/* Times of other machines so many times as long are still numbers. */
static int is_scale(double scale) { return scale >= 1e-30 && scale <= 1e30; }

/* How much faster a link of so many bytes per second is than that of the job. */
static double link_scale(const sgdp_job *job, const char *text)
{
    double bandwidth = 0.0;
    const char *wrong;
    if (*text == '\0') return 1.0;
    wrong = number_quantity(text, UNIT_BANDWIDTH, NUMBER_POSITIVE, &bandwidth);
    if (wrong) args_fail(OPTION_OFFER, text, "%s", wrong);
    args_note_unit(OPTION_OFFER, text, UNIT_BANDWIDTH, bandwidth);
    if (!(job->links.bandwidth_bytes_per_s > 0.0))
        args_fail(OPTION_OFFER, text, "is a bandwidth, but the job has transfer times: without its "
                  "own --bandwidth they tell nothing of another one");
    if (!is_scale(bandwidth / job->links.bandwidth_bytes_per_s))
        args_fail(OPTION_OFFER, text, "is too far from the job's bandwidth of %g B/s",
                  job->links.bandwidth_bytes_per_s);
    return bandwidth / job->links.bandwidth_bytes_per_s;
}

/* A name that tables, CSV and pictures can show. */
static void check_name(const char *name, const char *text)
{
    enum { LONGEST = 100 };
    const char *at = name;
    size_t length = 1;
    while (*at != '\0' && length > 0) {
        const unsigned char c = (unsigned char)*at;
        length = c < ' ' || c == 0x7F ? 0 : utf8_length(at);
        at += length;
    }
    if (*name == '\0') args_fail(OPTION_OFFER, text, "has no name");
    if (length == 0) args_fail(OPTION_OFFER, text, "has a name that is no text of UTF-8");
    if (at - name > LONGEST)
        args_fail(OPTION_OFFER, text, "has a name of more than %d bytes", (int)LONGEST);
}

/* NAME,PRICE,FORWARD-SCALE,BANDWIDTH */
static machine_offer read_offer(const sgdp_job *job, const char *text)
{
    machine_offer offer;
    const char *wrong;
    char **part;
    if (args_split(text, ',', &part) != 4)
        args_fail(OPTION_OFFER, text, "is not NAME,PRICE,FORWARD-SCALE,BANDWIDTH");
    offer.name = part[0];
    check_name(offer.name, text);
    offer.price_per_s = read_price(OPTION_OFFER, part[1]);
    offer.compute_scale = 1.0;
    wrong = *part[2] == '\0' ? NULL
                             : number_parse(part[2], NUMBER_POSITIVE, &offer.compute_scale);
    if (wrong) args_fail(OPTION_OFFER, part[2], "%s", wrong);
    if (!is_scale(offer.compute_scale))
        args_fail(OPTION_OFFER, part[2], "is not within 1e-30 .. 1e30");
    offer.link_scale = link_scale(job, part[3]);
    return offer;
}

/* What is known of a profile's own intervals is known of a move, as of its times. */
static sgdp_uncertainty move_unsure(sgdp_uncertainty unsure, const sgdp_job *from,
                                    const sgdp_job *to, const machine_offer *offer)
{
    unsure.forward_s *= offer->compute_scale;
    unsure.backward_s *= offer->compute_scale;
    unsure.uplink_s /= offer->link_scale;
    unsure.downlink_s /= offer->link_scale;
    if (from->compute.one_worker_step_s > 0.0)
        unsure.one_worker_step_s *= to->compute.one_worker_step_s / from->compute.one_worker_step_s;
    return unsure;
}

size_t advice_read_offers(advice_set *s, const args *a, const sgdp_job *profiled)
{
    const size_t given = args_count(a, OPTION_OFFER), n = given > 0 ? given : 1;
    size_t i, j;
    s->offer = (machine_offer *)tool_alloc(n, sizeof *s->offer);
    s->priced = given > 0 || args_given(a, OPTION_PRICE);
    if (given == 0) {
        s->offer[0].compute_scale = s->offer[0].link_scale = 1.0;
        if (s->priced)
            s->offer[0].price_per_s = read_price(OPTION_PRICE, args_text(a, OPTION_PRICE, NULL));
        return n;
    }
    if (args_given(a, OPTION_PRICE))
        args_fail(OPTION_PRICE, NULL, "not with --offer, which has its own");
    for (i = 0; i < n; i++) {
        s->offer[i] = read_offer(profiled, args_at(a, OPTION_OFFER, i));
        for (j = 0; j < i; j++)
            if (strcmp(s->offer[j].name, s->offer[i].name) == 0)
                args_fail(OPTION_OFFER, s->offer[i].name, "occurs twice");
    }
    return n;
}

/* A job for each offer in place of the one there is. */
static void read_offers(advice_set *s, const args *a)
{
    job_set *jobs = &s->curves.jobs;
    const sgdp_job profiled = jobs->job[0];
    const sgdp_uncertainty unsure = jobs->unsure[0];
    const size_t n = advice_read_offers(s, a, &profiled);
    size_t i;
    if (!s->offer[0].name) return;
    jobs->job = (sgdp_job *)tool_alloc(n, sizeof *jobs->job);
    jobs->name = (const char **)tool_alloc(n, sizeof *jobs->name);
    jobs->unsure = (sgdp_uncertainty *)tool_alloc(n, sizeof *jobs->unsure);
    jobs->count = n;
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, OPTION_OFFER, i);
        jobs->name[i] = s->offer[i].name;
        if (sgdp_move_job(&profiled, jobs->model, s->offer[i].compute_scale,
                          s->offer[i].link_scale, &jobs->job[i]) != SGDP_OK)
            args_fail(OPTION_OFFER, text, "makes a job of no numbers");
        jobs->unsure[i] = move_unsure(unsure, &profiled, &jobs->job[i], &s->offer[i]);
    }
}

/* ---- Work and limits ------------------------------------------------------- */

/* Mini-batches of all workers together; 0: not known. */
static double read_work(const args *a, const sgdp_job *job)
{
    const int epochs = args_given(a, OPTION_EPOCHS), examples = args_given(a, OPTION_EXAMPLES);
    double work;
    if (args_given(a, OPTION_STEPS)) {
        if (epochs) args_fail(OPTION_EPOCHS, NULL, "not with --steps");
        if (examples) args_fail(OPTION_EXAMPLES, NULL, "not with --steps");
        return args_quantity(a, OPTION_STEPS, UNIT_NONE, NUMBER_POSITIVE, 0.0);
    }
    if (!epochs && !examples) return 0.0;
    if (!epochs) args_fail(OPTION_EXAMPLES, NULL, "needs --epochs");
    if (!examples) args_fail(OPTION_EPOCHS, NULL, "needs --examples, those of one epoch");
    if (!(job->compute.batch > 0.0))
        args_fail(OPTION_EPOCHS, NULL, "needs --batch or the column 'batch': the examples of a "
                  "mini-batch");
    work = args_quantity(a, OPTION_EPOCHS, UNIT_NONE, NUMBER_POSITIVE, 0.0) *
           args_number(a, OPTION_EXAMPLES, 0.0) / job->compute.batch;
    if (!(work > 0.0 && work <= DBL_MAX))
        args_fail(OPTION_EPOCHS, args_text(a, OPTION_EPOCHS, ""),
                  "with --examples %s and batches of %g "
                  "is no number of mini-batches", args_text(a, OPTION_EXAMPLES, ""),
                  job->compute.batch);
    return work;
}

void advice_read_goal(advice_set *s, const args *a)
{
    static const option_id of_work[] = {OPTION_DEADLINE, OPTION_BUDGET, OPTION_PRICE, OPTION_OFFER};
    const double work = read_work(a, &s->curves.jobs.job[0]);
    s->timed = work > 0.0;
    if (!s->timed)
        args_refuse(a, of_work, COUNT_OF(of_work),
                    "how much work? --steps, or --epochs and --examples");
    s->goal.batches = s->timed ? work : 1.0;
    s->goal.deadline_s = args_number(a, OPTION_DEADLINE, 0.0);
    s->goal.budget = args_number(a, OPTION_BUDGET, 0.0);
    if (args_given(a, OPTION_BUDGET) && !s->priced)
        args_fail(OPTION_BUDGET, NULL, "needs --price or --offer");
    if (args_given(a, OPTION_SERVER_PRICE)) {
        if (s->curves.jobs.mode == MODE_ALLREDUCE)
            args_fail(OPTION_SERVER_PRICE, NULL, "not with --mode allreduce");
        if (!s->priced) args_fail(OPTION_SERVER_PRICE, NULL, "needs --price or --offer");
        s->server_price_per_s =
            read_price(OPTION_SERVER_PRICE, args_text(a, OPTION_SERVER_PRICE, NULL));
    }
}

/* Of the profile's compute what its column host_s says; 0: it does not say, or not of what an
 * option gives. */
static double read_host_share(const job_set *jobs, const args *a)
{
    const csv_table *t = jobs->file;
    const int column = t ? csv_column(t, "host_s") : CSV_NONE;
    const double compute_s = jobs->job[0].compute.forward_s + jobs->job[0].compute.backward_s;
    double host_s;
    if (column == CSV_NONE) return 0.0;
    if (args_given(a, OPTION_FORWARD) || args_given(a, OPTION_BACKWARD) ||
        args_given(a, OPTION_STEP))
        return 0.0;
    host_s = csv_number_or(t, 0, column, NUMBER_NON_NEGATIVE, 0.0);
    if (host_s > compute_s * (1.0 + 1e-9))
        csv_fail(t, 0, column, "%s is more than forward and backward take", csv_text(t, 0, column));
    return compute_s > 0.0 ? host_s / compute_s : 0.0;
}

void advice_read(advice_set *s, const args *a)
{
    curve_set *c = &s->curves;
    if (args_given(a, OPTION_WORKER_TYPE))
        args_fail(OPTION_WORKER_TYPE, NULL, "not with advise, whose workers are alike");
    job_read_profile(&c->jobs, a, 0, advice_profile(a));
    s->host_share = read_host_share(&c->jobs, a);
    read_offers(s, a);
    advice_read_goal(s, a);
    curves_read_band(c, a);
    if (args_given(a, OPTION_WORKERS)) {
        curves_read_workers(c, a);
    } else {
        c->workers = (uint32_t *)tool_alloc(64, sizeof *c->workers);
        while (c->points + s->curves.jobs.job[0].workers.backup < 64) {
            c->workers[c->points] = (uint32_t)c->points + 1 + s->curves.jobs.job[0].workers.backup;
            c->points++;
        }
        if (c->points == 0) args_fail(OPTION_BACKUP, NULL, "needs --workers, more than these");
    }
}

double advice_machines(uint32_t gpus, uint32_t workers)
{
    return (double)((workers - 1) / (gpus > 0 ? gpus : 1) + 1);
}

void advice_fail_large(const advice_set *s, const sgdp_choice *choice, size_t n)
{
    const sgdp_choice *slowest = choice, *dearest = choice;
    char far[400];
    size_t i;
    for (i = 1; i < n; i++) {
        if (choice[i].batches_per_s < slowest->batches_per_s) slowest = &choice[i];
        if (choice[i].price_per_s > dearest->price_per_s) dearest = &choice[i];
    }
    tool_fail("the work, its times or its cost are too large for a number, or too small: %g "
              "mini-batches, at least %g of them and up to a cost of %g in a second%s",
              s->goal.batches, slowest->batches_per_s, dearest->price_per_s,
              job_far_numbers(&s->curves.jobs, 0, far, sizeof far));
}
