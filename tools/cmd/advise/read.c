/* read.c - what is asked for: the profile, perhaps of a trace, work, limits, prices and offers */
#include "base/digits.h"
#include "base/words.h"
#include "cmd/advise/advise.h"
#include "files/status.h"
#include "files/trace.h"
#include "model/declared.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* ---- The profile, and that of a trace -------------------------------------- */

static int has_column(const csv_table *t, const char *name)
{
    return csv_find(t, name) != CSV_NONE;
}

/* The larger way counts where they differ: a job has one size. An exchange among workers
 * has uplinks alone. */
static double model_bytes(const csv_table *t, const sgdsim_means *m, int exchanges)
{
    const double up = m->uplink_bytes, down = m->downlink_bytes;
    const double larger = up > down ? up : down, smaller = up > down ? down : up;
    if (smaller < 0.99 * larger && !(exchanges && !(down > 0.0)))
        tool_note("sizes-differ",
                  "%s: a step sends %.4g bytes up and %.4g bytes down: the larger number is used "
                  "for both directions",
                  t->name, up, down);
    return larger;
}

/* Bytes of a step's all-to-alls, half of which the means have. */
static double alltoall_bytes(const trace_file *trace)
{
    double sum = 0.0;
    for (size_t s = 0; s < trace->trace.steps; s++)
        for (size_t i = 0; i < trace->trace.step[s].ops; i++)
            if (trace_is_alltoall(trace, s, i)) sum += 2.0 * trace->trace.step[s].op[i].bytes;
    return sum / (double)trace->trace.steps;
}

/* A profile file of one row, as if it had been read from the trace's. */
static const csv_table *make_profile(const csv_table *t, const sgdsim_means *m, int exchanges,
                                     double alltoall)
{
    static const char header[] = "forward_s,backward_s,update_s,model_bytes,alltoall_bytes";
    char number[5][NUMBER_BYTES], text[sizeof header + 5 * NUMBER_BYTES + 8], message[256];
    csv_table *profile = (csv_table *)tool_alloc(1, sizeof *profile);
    number_write(m->forward_s, number[0]);
    number_write(m->backward_s, number[1]);
    number_write(m->update_s, number[2]);
    const double all = model_bytes(t, m, exchanges), reduced = all - 0.5 * alltoall;
    number_write(reduced, number[3]);
    number_write(alltoall, number[4]);
    if (alltoall > 0.0 && !(reduced > 1e-12 * all)) number[3][0] = '\0'; /* but rounding */
    if (!(alltoall > 0.0)) number[4][0] = '\0';
    snprintf(text, sizeof text, "%s\n%s,%s,%s,%s,%s\n", header, number[0], number[1], number[2],
             number[3], number[4]);
    if (!csv_parse(profile, t->name, text, strlen(text), 0, message, sizeof message))
        tool_fail("%s", message);
    return profile;
}

const csv_table *advice_file(const args *a)
{
    static const csv_table *file;
    const char *path = a->file_count > 0 ? a->files[0] : args_text(a, OPTION_PROFILE, NULL);
    if (path && !file) file = csv_read(path, 0);
    return file;
}

static int is_given(const csv_table *t, const args *a, const char *column, option_id option)
{
    return has_column(t, column) || args_given(a, option);
}

/* What any job needs: a table of something else has rows enough, but no job. */
static void check_columns(const csv_table *t, const args *a)
{
    static const struct { const char *column; option_id option; } needed[] = {
        {"forward_s", OPTION_FORWARD}, {"backward_s", OPTION_BACKWARD}, {"update_s", OPTION_UPDATE}
    };
    const int step = is_given(t, a, "step_s", OPTION_STEP);
    const int reduces = strcmp(args_text(a, OPTION_MODE, ""), "allreduce") == 0;
    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        if (i < 2 ? step : reduces) continue;
        if (!is_given(t, a, needed[i].column, needed[i].option))
            tool_fail("%s:%lu: column '%s' is missing, and %s is not given",
                      t->name, (unsigned long)t->header_line,
                      needed[i].column, option_name(needed[i].option));
    }
}

const csv_table *advice_profile(const args *a)
{
    const csv_table *t = advice_file(a);
    const uint32_t servers = (uint32_t)args_integer(a, OPTION_SERVERS, 1, 1000000, 1);
    sgdsim_means m;
    trace_file trace;
    if (!t) return NULL;
    if (a->file_count > 0 && args_given(a, OPTION_PROFILE))
        args_fail(OPTION_PROFILE, NULL, "cannot be combined with %s", t->name);
    job_refuse_log(t);
    if (declared_is_traced(t) && (layers_are(t) || has_column(t, "resource")))
        tool_fail("%s: the mean of a trace of several workers leaves out its overlap: give the "
                  "profile that sgdperf import writes with %s", t->name, NAME_OF(PROFILE));
    if (layers_are(t) && !has_column(t, "resource"))
        tool_fail("%s:%lu: only %s allreduce takes a table of layers: for another mode run sgdperf "
                  "trace-from-layers %s | sgdperf advise -", t->name, (unsigned long)t->header_line,
                  NAME_OF(MODE), t->name);
    if (!has_column(t, "resource") || !has_column(t, "waits_for")) {
        if (t->rows > 1) check_columns(t, a);
        if (t->rows > 1)
            csv_fail(t, 1, CSV_NONE, "the profile has a second job, but advise takes one job: "
                                     "remove the other rows");
        return t;
    }
    trace_parse(&trace, t, servers);
    tool_check_sim(sgdsim_trace_means(&trace.trace, &m), t->name);
    tool_note("mean-profile",
              "%s: the trace of %lu step%s is replaced by its mean profile: forward %.4g s, "
              "backward %.4g s, update %.4g s, %.4g bytes each way; sgdperf simulate accounts for "
              "overlap", t->name,
              COUNTED(trace.trace.steps), m.forward_s, m.backward_s, m.update_s,
              m.uplink_bytes > m.downlink_bytes ? m.uplink_bytes : m.downlink_bytes);
    return make_profile(t, &m, strcmp(args_text(a, OPTION_MODE, ""), "allreduce") == 0,
                        alltoall_bytes(&trace));
}

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
        args_fail(option, text, "has no unit of time: write %s/h for a price per hour; also /s, "
                                "/min, /d", text);
    snprintf(unit, sizeof unit, "1%s", slash + 1);
    if (slash[1] == '\0' || number_quantity(unit, UNIT_TIME, NUMBER_POSITIVE, &time_s))
        args_fail(option, text, "has an unknown unit of time after the /: use s, min, h or d");
    if (amount > 0.0 && !(amount / time_s >= DBL_MIN && amount / time_s <= DBL_MAX))
        args_fail(option, text, "is too %s", amount > time_s ? "large" : "small");
    return amount / time_s;
}

/* ---- Offers ---------------------------------------------------------------- */

/* Times of other machines so many times as long are still numbers. */
static int is_scale(double scale) { return scale >= 1e-30 && scale <= 1e30; }

/* The links of an offer: its kind of network, or that of the profile, and its line rate, or that of
 * the kind, or that of the profile. */
static job_kinds read_link(const job_kinds *profiled, const char *bandwidth, const char *kind)
{
    job_kinds link = *profiled;
    const char *wrong;
    if (kind && *kind != '\0') {
        if (!profiled->between)
            args_fail(OPTION_OFFER, kind, "names a kind of network, but the network of the profile "
                      "is unknown: add %s", NAME_OF(NETWORK));
        link.between = network_read(OPTION_OFFER, kind);
        if (link.between->line_bytes_per_s > 0.0)
            link.line_bytes_per_s = link.between->line_bytes_per_s;
    }
    if (*bandwidth == '\0') return link;
    wrong = number_quantity(bandwidth, UNIT_BANDWIDTH, NUMBER_POSITIVE, &link.line_bytes_per_s);
    if (wrong) args_fail(OPTION_OFFER, bandwidth, "%s", wrong);
    args_note_unit(OPTION_OFFER, bandwidth, UNIT_BANDWIDTH, link.line_bytes_per_s);
    return link;
}

/* How much faster such a link is than that of the job, whose overlap may be `traced`. Machines have
 * as many cards as those of the profile. */
static double link_scale(const args *a, int traced, const sgdp_job *job, const job_kinds *kinds,
                         const char *text)
{
    const double line = kinds->line_bytes_per_s;
    const traced_links none = {0.0, 0.0};
    sgdp_job offered = {.links.bandwidth_bytes_per_s = line};
    if (traced && declared_take_traced(a, kinds, &none, &offered))
        declared_note_traced(kinds->between);
    const double card = kinds->between ? network_carries(kinds->between, line)
                                       : offered.links.bandwidth_bytes_per_s;
    const double bandwidth = card * (kinds->cards > 1 ? kinds->cards : 1);
    if (!(job->links.bandwidth_bytes_per_s > 0.0))
        args_fail(OPTION_OFFER, text, "has a bandwidth, but the job has transfer times: add the %s "
                  "at which the transfer times were measured", NAME_OF(BANDWIDTH));
    if (!is_scale(bandwidth / job->links.bandwidth_bytes_per_s))
        args_fail(OPTION_OFFER, text, "is too many times larger or smaller than the job's "
                                      "bandwidth of %g B/s",
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
    if (length == 0) args_fail(OPTION_OFFER, text, "has a name that is not UTF-8 text");
    if (at - name > LONGEST)
        args_fail(OPTION_OFFER, text, "has a name of more than %d bytes", (int)LONGEST);
}

/* NAME,PRICE,FORWARD-SCALE,BANDWIDTH[,NETWORK] */
static machine_offer read_offer(const args *a, int traced, const sgdp_job *job,
                                const job_kinds *kinds, const char *text)
{
    machine_offer offer = {.scale = {1.0, 1.0}};
    const char *wrong = NULL, *kind;
    char **part;
    const size_t parts = args_split(text, ',', &part);
    if (parts != 4 && parts != 5)
        args_fail(OPTION_OFFER, text, "is not NAME,PRICE,FORWARD-SCALE,BANDWIDTH[,NETWORK]");
    kind = parts == 5 ? part[4] : "";
    offer.name = part[0];
    check_name(offer.name, text);
    offer.price_per_s = read_price(OPTION_OFFER, part[1]);
    if (*part[2] != '\0') wrong = number_parse(part[2], NUMBER_POSITIVE, &offer.scale.compute);
    if (wrong) args_fail(OPTION_OFFER, part[2], "%s", wrong);
    if (!is_scale(offer.scale.compute))
        args_fail(OPTION_OFFER, part[2], "is not between 1e-30 and 1e30");
    offer.kinds = read_link(kinds, part[3], kind);
    if (*kind != '\0' && job->machine.gpus > 1 && network_is_inside(offer.kinds.between))
        args_fail(OPTION_OFFER, kind, "joins accelerators inside a machine: name the network "
                                      "between machines");
    if (*part[3] != '\0' || *kind != '\0')
        offer.scale.link = link_scale(a, traced, job, &offer.kinds,
                                      *part[3] != '\0' ? part[3] : kind);
    return offer;
}

/* What is known of a profile's own intervals is known of a move, as of its times. */
static sgdp_uncertainty move_unsure(sgdp_uncertainty unsure, const sgdp_job *from,
                                    const sgdp_job *to, const machine_offer *offer)
{
    unsure.forward_s *= offer->scale.compute;
    unsure.backward_s *= offer->scale.compute;
    unsure.uplink_s /= offer->scale.link;
    unsure.downlink_s /= offer->scale.link;
    if (from->compute.one_worker_step_s > 0.0)
        unsure.one_worker_step_s *= to->compute.one_worker_step_s / from->compute.one_worker_step_s;
    return unsure;
}

/* The offers, the number of which is returned, or --price as the one offer. */
static size_t find_offers(advice_set *s, const args *a, const sgdp_job *profiled,
                          const job_kinds *kinds)
{
    const size_t given = args_count(a, OPTION_OFFER), n = given > 0 ? given : 1;
    s->offer = (machine_offer *)tool_alloc(n, sizeof *s->offer);
    s->priced = given > 0 || args_given(a, OPTION_PRICE);
    if (given == 0) {
        s->offer[0].scale = replica_as_is;
        s->offer[0].kinds = *kinds;
        if (s->priced)
            s->offer[0].price_per_s = read_price(OPTION_PRICE, args_text(a, OPTION_PRICE, NULL));
        return n;
    }
    for (size_t i = 0; i < n; i++) {
        s->offer[i] = read_offer(a, s->curves.jobs.traced, profiled, kinds,
                                 args_at(a, OPTION_OFFER, i));
        for (size_t j = 0; j < i; j++)
            if (strcmp(s->offer[j].name, s->offer[i].name) == 0)
                args_fail(OPTION_OFFER, s->offer[i].name, "occurs twice");
    }
    return n;
}

double advice_with_host(double host_share, double scale)
{
    return host_share + (1.0 - host_share) * scale;
}

/* A job for each offer in place of the one there is. */
static void read_offers(advice_set *s, const args *a)
{
    job_set *jobs = &s->curves.jobs;
    const sgdp_job profiled = jobs->job[0];
    const sgdp_uncertainty unsure = jobs->unsure[0];
    const size_t n = find_offers(s, a, &profiled, jobs->kinds);
    if (!s->offer[0].name) return;
    jobs->job = (sgdp_job *)tool_alloc(n, sizeof *jobs->job);
    jobs->name = (const char **)tool_alloc(n, sizeof *jobs->name);
    jobs->kinds = (job_kinds *)tool_alloc(n, sizeof *jobs->kinds);
    jobs->unsure = (sgdp_uncertainty *)tool_alloc(n, sizeof *jobs->unsure);
    jobs->count = n;
    for (size_t i = 0; i < n; i++) {
        const char *text = args_at(a, OPTION_OFFER, i);
        jobs->name[i] = s->offer[i].name;
        jobs->kinds[i] = s->offer[i].kinds;
        if (sgdp_move_job(&profiled, jobs->model,
                          advice_with_host(s->host_share, s->offer[i].scale.compute),
                          s->offer[i].scale.link, &jobs->job[i]) != SGDP_OK)
            args_fail(OPTION_OFFER, text, "makes a time or bandwidth of the job too large or too "
                                          "small to compute with");
        if (jobs->kinds[i].between && jobs->mode == MODE_ALLREDUCE &&
            !args_given(a, OPTION_LATENCY))
            jobs->job[i].links.latency_s = jobs->kinds[i].between->latency_s;
        jobs->unsure[i] = move_unsure(unsure, &profiled, &jobs->job[i], &s->offer[i]);
    }
}

/* ---- Work and limits ------------------------------------------------------- */

/* Mini-batches of all workers together; 0: not known. */
static double read_work(const args *a, const sgdp_job *job)
{
    if (args_given(a, OPTION_STEPS))
        return args_quantity(a, OPTION_STEPS, UNIT_COUNT, NUMBER_POSITIVE, 0.0);
    if (!args_given(a, OPTION_EPOCHS)) return 0.0;
    if (!(job->compute.batch > 0.0))
        args_fail(OPTION_EPOCHS, NULL, "needs the examples of a mini-batch: give %s or a column "
                  "'batch'", NAME_OF(BATCH));
    double work = args_quantity(a, OPTION_EPOCHS, UNIT_NONE, NUMBER_POSITIVE, 0.0) *
                  args_number(a, OPTION_EXAMPLES, 0.0) / job->compute.batch;
    if (!(work > 0.0 && work <= DBL_MAX))
        args_fail(OPTION_EPOCHS, args_text(a, OPTION_EPOCHS, ""),
                  "with --examples %s and batches of %g does not give a valid number of "
                  "mini-batches", args_text(a, OPTION_EXAMPLES, ""),
                  job->compute.batch);
    return work;
}

static void read_goal(advice_set *s, const args *a)
{
    const double work = read_work(a, &s->curves.jobs.job[0]);
    advice_read_epochs(s, a);
    s->timed = work > 0.0 || s->epochs.points > 0;
    s->goal.batches = work > 0.0 ? work : s->epochs.points > 0 ? s->epoch_batches : 1.0;
    s->goal.deadline_s = args_number(a, OPTION_DEADLINE, 0.0);
    s->goal.budget = args_number(a, OPTION_BUDGET, 0.0);
    if (args_given(a, OPTION_SERVER_PRICE))
        s->server_price_per_s =
            read_price(OPTION_SERVER_PRICE, args_text(a, OPTION_SERVER_PRICE, NULL));
}

size_t advice_read_cluster(advice_set *s, const args *a, const sgdp_job *job, sgdp_model model)
{
    job_kinds kinds = kinds_read(a, NULL, 0);
    kinds.line_bytes_per_s = network_line(kinds.between, args_number(a, OPTION_BANDWIDTH, 0.0));
    const size_t offers = find_offers(s, a, job, &kinds);
    for (size_t i = 0; i < offers; i++)
        if (s->offer[i].name && s->offer[i].kinds.between != kinds.between)
            args_fail(OPTION_OFFER, s->offer[i].kinds.between->name,
                      "cannot differ from %s, as %s compares offers on one kind of network",
                      NAME_OF(NETWORK), NAME_OF(LAYERS));
    s->curves.jobs = (job_set){
        .mode = MODE_ALLREDUCE, .model = model, .count = offers,
        .job = memcpy(tool_alloc(1, sizeof *job), job, sizeof *job)
    };
    read_goal(s, a);
    return offers;
}

double advice_host_share(const job_set *jobs, const args *a)
{
    const csv_table *t = jobs->file;
    const int column = t ? csv_column(t, "host_s") : CSV_NONE;
    const double compute_s = jobs->job[0].compute.forward_s + jobs->job[0].compute.backward_s;
    if (column == CSV_NONE) return 0.0;
    if (args_given(a, OPTION_FORWARD) || args_given(a, OPTION_BACKWARD) ||
        args_given(a, OPTION_COMPUTE) || args_given(a, OPTION_STEP))
        return 0.0;
    double host_s = csv_number_or(t, 0, column, NUMBER_NON_NEGATIVE, 0.0);
    if (host_s > compute_s * (1.0 + 1e-9))
        csv_fail(t, 0, column, "%s is more than the sum of forward and backward",
                 csv_text(t, 0, column));
    return compute_s > 0.0 ? host_s / compute_s : 0.0;
}

/* The workers of a profile that was traced within one machine stop there, unless the link between
 * machines is given. */
static void stop_at_machine(advice_set *s, const args *a)
{
    curve_set *c = &s->curves;
    const csv_table *t = c->jobs.file;
    const uint32_t most = topology_machine(t, a);
    const size_t kept = topology_keep_inside(t, most, OPTION_WORKERS, c->workers, c->points);
    if (kept < c->points) s->one_machine = most;
    c->points = kept;
}

/* Numbers of workers whose epochs the table tells. */
static void keep_known(curve_set *c, const advice_set *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->points; i++)
        if (advice_knows(s, c->workers[i], advice_update(s, c->workers[i])))
            c->workers[kept++] = c->workers[i];
    advice_note_unknown(s, c->points - kept, kept, "numbers of workers");
    c->points = kept;
}

void advice_read(advice_set *s, const args *a)
{
    curve_set *c = &s->curves;
    if (args_given(a, OPTION_WORKER_TYPE))
        args_fail(OPTION_WORKER_TYPE, NULL, "advise takes equal workers only: use sgdperf predict "
                                            "for unequal workers");
    job_read_profile(&c->jobs, a, 0, advice_profile(a));
    job_note_machines(&c->jobs);
    s->host_share = advice_host_share(&c->jobs, a);
    read_offers(s, a);
    read_goal(s, a);
    curves_read_bands(c, a);
    if (args_given(a, OPTION_WORKERS)) {
        curves_read_workers(c, a);
    } else {
        c->workers = (uint32_t *)tool_alloc(64, sizeof *c->workers);
        while (c->points + s->curves.jobs.job[0].workers.backup < 64) {
            c->workers[c->points] = (uint32_t)c->points + 1 + s->curves.jobs.job[0].workers.backup;
            c->points++;
        }
        if (c->points == 0) args_fail(OPTION_BACKUP, NULL, "needs a larger number of %s: a step "
                                      "must keep at least one worker", NAME_OF(WORKERS));
    }
    stop_at_machine(s, a);
    keep_known(c, s);
}

double advice_machines(uint32_t gpus, uint32_t workers)
{
    return (double)((workers - 1) / (gpus > 0 ? gpus : 1) + 1);
}

static TOOL_NORETURN void fail_large(const advice_set *s, const sgdsched_choice *choice, size_t n)
{
    const sgdsched_choice *slowest = choice, *dearest = choice;
    char far[400];
    for (size_t i = 1; i < n; i++) {
        if (choice[i].batches_per_s < slowest->batches_per_s) slowest = &choice[i];
        if (choice[i].price_per_s > dearest->price_per_s) dearest = &choice[i];
    }
    tool_fail("the time or the cost of the job is out of range: %g mini-batches, at least %g of "
              "them per second, and a cost of up to %g per second%s",
              s->goal.batches, slowest->batches_per_s, dearest->price_per_s,
              job_far_numbers(&s->curves.jobs, 0, far, sizeof far));
}

void advice_take_room(advice_set *s)
{
    s->choice = tool_alloc(s->count, sizeof *s->choice);
    s->outlay = tool_alloc(s->count, sizeof *s->outlay);
}

void advice_among(const advice_set *s, const sgdsched_choice *choice, size_t n,
                  sgdsched_outlay *outlay, sgdsched_advice *advice)
{
    if (sgdsched_advise(choice, n, &s->goal, outlay, advice) != SGDSCHED_OK)
        fail_large(s, choice, n);
}
