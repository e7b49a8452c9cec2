/* command.c - sgdperf calibrate: what a profile leaves unknown, from measured points */
#include "base/words.h"
#include "cmd/calibrate/calibrate.h"
#include "cmd/commands.h"
#include "files/dataset.h"
#include "files/job_fit.h"
#include "files/status.h"
#include "jobs/parallel.h"
#include "model/topology.h"

#include <stdio.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf calibrate POINTS.csv --fit NAME,... --mode M [options of the job]\n"
    "       sgdperf calibrate TRANSFERS.csv|STREAMS.csv --fit overhead|window\n"
    "\n"
    "Finds the inputs with which a model is closest to measured throughputs: least\n"
    "mean square of the relative errors.\n"
    "\n"
    "POINTS.csv (- is stdin) has one row per point and the columns\n"
    "  workers        number of workers\n"
    "  batches_per_s  measured mini-batches per second of all workers together: K of\n"
    "                 them in a synchronous step of K workers\n"
    "  role           fit or score, optional: score rows are not fitted, their errors\n"
    "                 are printed apart [all rows are fitted]\n"
    "  job            which job of the profile; needed if that has several\n"
    "  curve          optional, without job: a name, the same in all rows\n"
    "\n"
    "What to fit\n"),
    USE(FIT), USE(MODE), USE(SUGGEST), USE(CANDIDATES), USE(POOL), USE(OVERHEAD), JOB_STEP_USES,
    JOB_CLUSTER_USES,
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (a row per point) or json", "table"),
    PARALLEL_USES,
    ABOUT(JOB_UNITS),
    SECTION("Files",
    JOB_PROFILE
    "  transfers  rows bytes,duration_s or a log of phases phase,start_s,end_s,bytes,\n"
    "             with --bandwidth; or rows bytes,overhead_s, of parsing alone\n"
    "  streams    rows bytes,start_s,end_s of HTTP/2 streams; optional: run,step,\n"
    "             direction (streams that agree share a connection), group (shares a\n"
    "             window), role, bandwidth_bytes_per_s, window_bytes (as recorded)\n"
    "  steps      rows accumulate,step_s or batch,step_s, also of several curves, by\n"
    "             column curve; in place of step_s workers,batches_per_s. With --fit\n"
    "             accumulate or batch alone.\n"
    "  dataset    POINTS.csv with the columns of sgdperf validate: a job per row,\n"
    "             from its columns. The rows of a group share what is fitted, those\n"
    "             with role score are predicted.\n"
    JOB_NOTES JOB_NOTES_END),
    SECTION("Results",
    "  low, high   interval that holds the value in 9 cases of 10\n"
    "  told        with priors: share of the value that the points determined, 0 to 1\n"
    "  left_out    an unknown that the points cannot separate from the others\n"
    "  determined  false: other values would fit as well\n"
    "Leave out the options that are fitted. Their columns of a profile are not read.\n"
    "A bandwidth that is given all the same is a prior, like the usual exposure and\n"
    "growth: if the points hardly tell the value, it stays near the prior.\n"),
    SECTION("Example: the bandwidth of a link from 2 and 4 workers, and 8 predicted with it",
    "  $ printf '%s\\n' workers,batches_per_s,role 2,8.1,fit 4,10.6,fit 8,12.2,score |\n"
    "      sgdperf calibrate - --fit bandwidth --mode async --model exact \\\n"
    "      --forward 10ms --backward 19ms --update 18ms --model-size 9MB\n"
    "  async, model exact, fitted to 2 points\n"
    "  fitted                       value        low       high\n"
    "  bandwidth_bytes_per_s  1.24722e+08  1.229e+08  1.265e+08\n"
    "\n"
    "  relative errors of batches_per_s\n"
    "  role   rows  mean_error  median_error  max_error      bias\n"
    "  fit       2     0.00205       0.00205    0.00216  -0.00011\n"
    "  score     1     0.00152       0.00152    0.00152  -0.00152\n"
    "\n"
    "  workers  role   batches_per_s  predicted_batches_per_s     error\n"
    "        2  fit              8.1                   8.0825  -0.00216\n"
    "        4  fit             10.6                   10.621   0.00194\n"
    "        8  score           12.2                   12.181  -0.00152\n")
};

static const option_rule rules[] = {MISSING(ONE(FIT)), TOKEN_RULES};

/* ---- Unknowns -------------------------------------------------------------- */

static const struct { const char *word; sgdp_input input; } unknowns[] = {
    {"threshold", SGDP_INPUT_THRESHOLD}, {"bandwidth", SGDP_INPUT_BANDWIDTH},
    {"server", SGDP_INPUT_UPDATE}, {"latency", SGDP_INPUT_LATENCY},
    {"overlap", SGDP_INPUT_OVERLAP}, {"flow-cap", SGDP_INPUT_FLOW_CAP},
    {"local-bandwidth", SGDP_INPUT_LOCAL_BANDWIDTH}, {"exposure", SGDP_INPUT_EXPOSURE},
    {"growth", SGDP_INPUT_GROWTH}, {"growth-between", SGDP_INPUT_GROWTH_BETWEEN},
    {"server-cost", SGDP_INPUT_MESSAGE}
};

static void read_unknowns(calibration *c, const args *a)
{
    char **word;
    const size_t count = args_words(a, OPTION_FIT, &word);
    size_t u;
    for (c->count = 0; c->count < count; c->count++) {
        const char *text = word[c->count];
        for (u = 0; u < COUNT_OF(unknowns) && strcmp(unknowns[u].word, text) != 0; u++) {}
        if (strcmp(text, "overhead") == 0)
            args_fail(OPTION_FIT, text, "is fitted alone, to a table of transfers: remove the "
                                        "other names");
        if (strcmp(text, "window") == 0)
            args_fail(OPTION_FIT, text, "is fitted alone, to recorded streams: remove the other "
                                        "names");
        if (strcmp(text, "accumulate") == 0 || strcmp(text, "batch") == 0)
            args_fail(OPTION_FIT, text, "is fitted alone, to a table of step times: remove the "
                                        "other names");
        if (u == COUNT_OF(unknowns)) {
            const size_t known = args_split(options_all[OPTION_FIT].words, ' ', &word);
            char list[400];
            args_fail(OPTION_FIT, text, "is not one of %s",
                      words_join((const char *const *)word, known, list, sizeof list));
        }
        if (calibrate_finds(c, unknowns[u].input)) args_fail(OPTION_FIT, text, "is named twice");
        if (c->count == CALIBRATE_MOST)
            args_fail(OPTION_FIT, NULL, "names more than %d inputs", (int)CALIBRATE_MOST);
        c->input[c->count] = unknowns[u].input;
        c->word[c->count] = text;
    }
}

/* The inputs that are fitted, in bits. */
static unsigned read_fitted(const calibration *c, int machines)
{
    unsigned fitted = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (!machines && c->input[i] == SGDP_INPUT_GROWTH_BETWEEN)
            args_fail(OPTION_FIT, c->word[i], "needs %s above 1: with one accelerator per machine "
                      "fit 'growth'", NAME_OF(GPUS));
        fitted |= JOB_FITTED(c->input[i]);
    }
    return fitted;
}

/* An exposure stands in place of any other rule of overlap. */
static void check_exposure(const calibration *c, const char *word)
{
    if (calibrate_finds(c, SGDP_INPUT_OVERLAP))
        args_fail(OPTION_FIT, word, "cannot be combined with overlap: both describe how much of an "
                                    "exchange is hidden");
    for (size_t k = 0; k < c->jobs.count; k++)
        if (mode_overlaps(&c->jobs.job[k]))
            args_fail(OPTION_FIT, word, "cannot be combined with an overlap, by option or column: "
                                        "both describe how much of an exchange is hidden");
}

/* The step of a full machine has the growth inside it in it. */
static void check_growth(const calibration *c, const char *word)
{
    size_t k = 0;
    while (k < c->jobs.count && c->jobs.job[k].machine.gpus > 1 &&
           c->jobs.job[k].compute.one_worker_step_s > 0.0) k++;
    if (k == c->jobs.count)
        args_fail(OPTION_FIT, word, "is growth inside a machine, which the step of a full machine "
                                    "already contains: fit 'growth-between'");
}

/* Refuses unknowns that the model does not have. */
static void check_unknowns(const calibration *c)
{
    const job_set *jobs = &c->jobs;
    for (size_t i = 0; i < c->count; i++) {
        const char *word = c->word[i];
        const sgdp_input input = c->input[i];
        if (input == SGDP_INPUT_THRESHOLD && jobs->model != SGDP_ASYNC_HYBRID &&
            jobs->model != SGDP_ASYNC_SWITCH)
            args_fail(OPTION_FIT, word, "can only be used with %s hybrid or switch",
                      NAME_OF(MODEL));
        if ((input == SGDP_INPUT_LATENCY || input == SGDP_INPUT_OVERLAP ||
             input >= SGDP_INPUT_EXPOSURE) && jobs->mode != MODE_ALLREDUCE)
            args_fail(OPTION_FIT, word, "can only be used with %s allreduce", NAME_OF(MODE));
        if (input == SGDP_INPUT_EXPOSURE) check_exposure(c, word);
        if (input == SGDP_INPUT_GROWTH) check_growth(c, word);
        if ((input == SGDP_INPUT_UPDATE || input == SGDP_INPUT_MESSAGE) &&
            jobs->mode == MODE_ALLREDUCE)
            args_fail(OPTION_FIT, word, "cannot be combined with %s allreduce", NAME_OF(MODE));
        if (input != SGDP_INPUT_BANDWIDTH) continue;
        for (size_t k = 0; k < jobs->count; k++)
            if (jobs->job[k].links.uplink_s > 0.0 || jobs->job[k].links.downlink_s > 0.0 ||
                !(jobs->job[k].model_bytes > 0.0))
                args_fail(OPTION_FIT, word, "cannot be combined with transfer times: give %s "
                          "instead", NAME_OF(MODEL_SIZE));
    }
}

/* ---- Points ---------------------------------------------------------------- */

/* Finds the job of every point: the only one, or the one that its row names. */
static void match_jobs(calibration *c)
{
    const csv_table *t = c->points.file;
    const job_set *jobs = &c->jobs;
    const int column = jobs->name ? csv_column(t, "job") : CSV_NONE;
    c->job = (size_t *)tool_alloc(c->points.count, sizeof *c->job);
    if (column == CSV_NONE && jobs->count == 1) return;
    if (column == CSV_NONE)
        tool_fail("%s:%lu: column 'job' is missing, but %s has several jobs: name the job of each "
                  "point", t->name,
                  (unsigned long)t->header_line, jobs->file->name);
    for (size_t i = 0; i < c->points.count; i++) {
        c->job[i] = words_find(jobs->name, jobs->count, csv_text(t, i, column));
        if (c->job[i] == jobs->count)
            csv_fail(t, i, column, "'%s' is not a job of %s", csv_text(t, i, column),
                     jobs->file->name);
    }
}

/* Unequal workers have one number: that of all types together. */
static void check_workers(const calibration *c)
{
    const int column = csv_require(c->points.file, "workers");
    for (size_t i = 0; i < c->points.count; i++) {
        const sgdp_job *job = &c->jobs.job[c->job[i]];
        uint64_t sum = 0;
        for (size_t k = 0; k < job->workers.types; k++) sum += job->workers.type[k].count;
        if (job->workers.types > 0 && sum != c->points.workers[i])
            csv_fail(c->points.file, i, column, "the row has %lu worker%s, but all %s together "
                     "have %lu", COUNTED(c->points.workers[i]), NAME_OF(WORKER_TYPE),
                     (unsigned long)sum);
    }
}

/* A job has one number of servers, which points may repeat. */
static void check_servers(const calibration *c)
{
    for (size_t i = 0; i < c->points.count && c->points.servers; i++) {
        const uint32_t of_job = c->jobs.job[c->job[i]].servers.count;
        if (c->points.servers[i] != of_job)
            csv_fail(c->points.file, i, csv_require(c->points.file, "servers"),
                     "%lu, but the job has %s %lu: all points need the same number",
                     (unsigned long)c->points.servers[i], NAME_OF(SERVERS), (unsigned long)of_job);
    }
}

/* ---- Points: a dataset's rows ---------------------------------------------- */

/* Is this a file of measured rows, as validate takes it? */
static int is_dataset(const char *path)
{
    const csv_table *t = csv_read(path, 0);
    return csv_column(t, "dataset") != CSV_NONE && csv_column(t, "point") != CSV_NONE;
}

/* Does a row lack nothing but what is to be fitted? */
static int is_complete(const calibration *c, const dataset_row *r)
{
    if (!r->lacks) return 1;
    return (strcmp(r->lacks, "bandwidth_bytes_per_s") == 0 &&
            calibrate_finds(c, SGDP_INPUT_BANDWIDTH)) ||
           (strcmp(r->lacks, "update_s") == 0 && calibrate_finds(c, SGDP_INPUT_UPDATE));
}

/* The number of each row's group, below that of rows; with `pool` its pool, and rows of no pool
 * share one. DATASET_NONE if the row takes no part. */
static size_t *groups_of(const dataset_list *list, train_mode mode, int pool)
{
    size_t *group = (size_t *)tool_alloc(list->rows, sizeof *group), row;
    name_index pools = {0};
    for (row = 0; row < list->rows; row++) {
        const dataset_row *r = &list->row[row];
        if (r->mode != mode || (list->groups > 0 && r->group == DATASET_NONE))
            group[row] = DATASET_NONE;
        else if (pool) group[row] = names_number(&pools, r->pool ? r->pool : "");
        else group[row] = list->groups == 0 ? 0 : r->group;
    }
    names_free(&pools);
    return group;
}

/* Room for all rows, which then are counted as they take part. */
static void make_room(calibration *c, const dataset_list *list)
{
    const size_t n = list->rows;
    point_set *p = &c->points;
    p->file = list->row[0].file;
    p->workers = (uint32_t *)tool_alloc(n, sizeof *p->workers);
    p->batches_per_s = (double *)tool_alloc(n, sizeof *p->batches_per_s);
    p->role = (point_role *)tool_alloc(n, sizeof *p->role);
    c->job = (size_t *)tool_alloc(n, sizeof *c->job);
    c->name = (const char **)tool_alloc(n, sizeof *c->name);
    c->group = (size_t *)tool_alloc(n, sizeof *c->group);
    c->jobs.job = (sgdp_job *)tool_alloc(n, sizeof *c->jobs.job);
    c->groups = list->groups > n ? list->groups : n;
    c->of = (calibrated_group *)tool_alloc(c->groups, sizeof *c->of);
}

/* Says which rows are not scored, as their group has none to be fitted. */
static void note_unfitted(const calibration *c, const dataset_list *list, const size_t *group_of,
                          int pool)
{
    int *seen = (int *)tool_alloc(c->groups, sizeof *seen);
    const dataset_row *first = NULL;
    size_t rows = 0, groups = 0;
    char of[160], more[60] = "";
    for (size_t row = 0; row < list->rows; row++) {
        const dataset_row *r = &list->row[row];
        const size_t group = group_of[row];
        if (group == DATASET_NONE || r->foreign || r->placed || c->of[group].points > 0) continue;
        if (!first) first = r;
        if (!seen[group]) groups++;
        seen[group] = 1;
        rows++;
    }
    if (rows == 0 || (!pool && list->groups == 0)) return;
    if (!pool) snprintf(of, sizeof of, "in group '%s'", list->group[first->group].name);
    else if (first->pool) snprintf(of, sizeof of, "in pool '%s'", first->pool);
    else snprintf(of, sizeof of, "without a pool");
    if (groups > 1) snprintf(more, sizeof more, ", or in %lu more %s%s,", (unsigned long)groups - 1,
                             pool ? "pool" : "group", groups > 2 ? "s" : "");
    tool_note("rows-left-out",
              "%s:%lu: %lu row%s with role 'score' %s left out: no row %s%s has role 'fit'",
              first->file->name, (unsigned long)csv_line(first->file, first->row),
              COUNTED(rows), rows == 1 ? "is" : "are", of, more);
}

/* Groups without a row to be fitted go, the others move up. */
static void drop_empty_groups(calibration *c)
{
    size_t *place = (size_t *)tool_alloc(c->groups, sizeof *place), kept = 0, points = 0, i;
    for (i = 0; i < c->groups; i++) {
        place[i] = c->of[i].points > 0 ? kept : c->groups;
        if (c->of[i].points > 0) c->of[kept++] = c->of[i];
    }
    for (i = 0; i < c->points.count; i++) {
        if (place[c->group[i]] == c->groups) {
            c->points.in_role[c->points.role[i]]--;
            continue;
        }
        c->points.workers[points] = c->points.workers[i];
        c->points.batches_per_s[points] = c->points.batches_per_s[i];
        c->points.role[points] = c->points.role[i];
        c->job[points] = c->job[i];
        c->name[points] = c->name[i];
        c->group[points++] = place[c->group[i]];
    }
    c->points.count = points;
    c->groups = kept;
}

/* The row's job, which says nothing of what is fitted but what is declared of it. Whether predict
 * takes the model of declared links for it: not without a bandwidth, nor with an overlap. */
static int take_job(const calibration *c, const dataset_row *r, sgdp_job *job)
{
    int declares = r->declared;
    *job = r->job;
    for (size_t i = 0; i < c->count; i++) {
        const sgdp_input input = c->input[i];
        if (input >= SGDP_INPUT_EXPOSURE) declares = 1;
        else if (r->declared && job_fit_prior(job, input).spread > 0.0) continue;
        else tool_check(sgdp_set_input(job, input, 0.0), "an unknown");
    }
    if (calibrate_finds(c, SGDP_INPUT_BANDWIDTH) && !(job->links.bandwidth_bytes_per_s > 0.0))
        declares = 0;
    return declares && !mode_overlaps(job) && !calibrate_finds(c, SGDP_INPUT_OVERLAP);
}

/* One more point. Returns whether auto takes another model for it than for the first. */
static int take_row(calibration *c, const dataset_row *r, size_t group)
{
    point_set *p = &c->points;
    const size_t at = p->count++;
    const sgdp_model model = mode_usual_model(r->mode, take_job(c, r, &c->jobs.job[at]));
    if (at == 0 && c->jobs.chosen) c->jobs.model = model;
    c->job[at] = at;
    c->name[at] = r->point;
    c->group[at] = group;
    p->workers[at] = r->workers;
    p->batches_per_s[at] = r->batches_per_s;
    p->role[at] = r->role == ROLE_SCORE ? POINT_SCORE : POINT_FIT;
    p->in_role[p->role[at]]++;
    if (p->role[at] == POINT_FIT) c->of[group].points++;
    return c->jobs.chosen && model != c->jobs.model;
}

/* Points, jobs and groups of a dataset; rows of one group, or with `pool` all of them,
 * share what is fitted. */
static void read_dataset(calibration *c, const args *a, const char *path, int pool)
{
    char *name = tool_text("%s", path);
    const dataset_row *other = NULL;
    dataset_list list;
    size_t row, left_out = 0, placed = 0, *group_of;
    dataset_read(&list, &name, 1);
    c->jobs.mode = mode_read(a);
    c->jobs.model = mode_read_model(a, c->jobs.mode, &c->jobs.chosen);
    make_room(c, &list);
    group_of = groups_of(&list, c->jobs.mode, pool);
    for (row = 0; row < list.rows; row++) {
        const dataset_row *r = &list.row[row];
        const size_t group = group_of[row];
        if (r->mode == c->jobs.mode && r->foreign) continue;
        if (group == DATASET_NONE) { left_out++; continue; }
        if (r->placed) { placed++; continue; }
        if (!is_complete(c, r))
            csv_fail(r->file, r->row, CSV_NONE, "the cell of column '%s' is empty", r->lacks);
        c->of[group].name = pool ? r->pool : list.groups > 0 ? list.group[group].name : NULL;
        if (take_row(c, r, group) && !other) other = r;
    }
    dataset_note_foreign(&list, c->jobs.mode);
    if (placed > 0)
        tool_note("rows-left-out",
                  "%lu row%s left out: no model describes servers that hold whole layers",
                  (unsigned long)placed,
                  placed == 1 ? " is" : "s are");
    note_unfitted(c, &list, group_of, pool);
    drop_empty_groups(c);
    c->jobs.count = c->points.count;
    if (c->points.count == 0) tool_fail("%s: no row of mode %s has role 'fit'", path,
                                        mode_words[c->jobs.mode]);
    check_unknowns(c);
    if (other)
        csv_fail(other->file, other->row, CSV_NONE, "%s auto chooses another model for this row "
                 "than %s, the model of the rows above: give %s, or put the rows into two files",
                 NAME_OF(MODEL), sgdp_model_text(c->jobs.model), NAME_OF(MODEL));
    if (left_out > 0)
        tool_note("rows-left-out", "%s: %lu row%s of another mode or without a group %s left out",
                  path,
                  COUNTED(left_out), left_out == 1 ? "is" : "are");
}

/* ---- Calibration ----------------------------------------------------------- */

/* Refuses what would take for ever: sgdfit_calibrate predicts each point so many times
 * at the most, by its number of unknowns. The operations do not depend on the values of what
 * is unknown. */
static void check_operations(const calibration *c)
{
    static const double predictions[CALIBRATE_MOST] = {300.0, 4000.0, 9000.0, 15000.0};
    const double most = 1e12;
    double sum = 0.0;
    for (size_t i = 0; i < c->points.count; i++) {
        sgdp_job job = c->jobs.job[c->job[i]];
        double operations = 0.0;
        for (size_t k = 0; k < c->count; k++)
            tool_check(sgdp_set_input(&job, c->input[k], 1.0), "an unknown");
        if (c->points.role[i] == POINT_FIT &&
            sgdp_predict_operations(&job, c->jobs.model, c->points.workers[i],
                                    &operations) == SGDP_OK)
            sum += operations * predictions[c->count - 1];
    }
    if (sum > most)
        tool_fail("%s: with so many workers the fit of %s %s takes about %.1g hours: remove "
                  "points, or use another model", c->points.file->name, NAME_OF(MODEL),
                  sgdp_model_text(c->jobs.model), sum / 3.6e12);
}

/* ---- The command ----------------------------------------------------------- */

/* All options but kept[n], and those of every command. */
static void refuse_others(const args *a, const option_id *kept, size_t n, const char *reason)
{
    size_t k;
    for (size_t i = 0; i < a->count; i++) {
        if (a->id[i] == OPTION_FORMAT || a->id[i] == OPTION_NOTES) continue;
        for (k = 0; k < n && a->id[i] != kept[k]; k++) continue;
        if (k == n) args_fail(a->id[i], NULL, "%s", reason);
    }
}

/* A dataset's columns tell all of its jobs. */
static void refuse_job_options(const args *a)
{
    static const option_id kept[] = {OPTION_FIT, OPTION_SUGGEST, OPTION_CANDIDATES, OPTION_POOL,
                                       OPTION_MODE, OPTION_MODEL, OPTION_PROCESSES, OPTION_JOURNAL,
                                       OPTION_SHARD};
    refuse_others(a, kept, COUNT_OF(kept), "cannot be combined with a dataset, whose columns give "
                                           "the value");
}

static int fits_overhead(const args *a)
{
    static const option_id kept[] = {OPTION_FIT, OPTION_BANDWIDTH};
    if (strcmp(args_text(a, OPTION_FIT, ""), "overhead") != 0) return 0;
    refuse_others(a, kept, COUNT_OF(kept), "cannot be combined with --fit overhead");
    return 1;
}

static int fits_window(const args *a)
{
    static const option_id kept[] = {OPTION_FIT, OPTION_BANDWIDTH, OPTION_OVERHEAD};
    if (strcmp(args_text(a, OPTION_FIT, ""), "window") != 0) {
        if (args_given(a, OPTION_OVERHEAD))
            args_fail(OPTION_OVERHEAD, NULL, "can only be used with --fit window");
        return 0;
    }
    refuse_others(a, kept, COUNT_OF(kept), "cannot be combined with --fit window");
    return 1;
}

/* The word if a file of steps is to be fitted, or NULL. */
static const char *fits_line(const args *a)
{
    static const option_id kept[] = {OPTION_FIT};
    const char *word = args_text(a, OPTION_FIT, "");
    if (strcmp(word, "accumulate") != 0 && strcmp(word, "batch") != 0) return NULL;
    refuse_others(a, kept, COUNT_OF(kept), "cannot be combined with --fit accumulate or batch");
    return word;
}

/* Have machines several accelerators, by --gpus or in a row of the dataset? */
static int has_machines(const args *a, const char *dataset)
{
    const csv_table *t = dataset ? csv_read(dataset, 0) : NULL;
    const int column = dataset ? csv_column(t, "gpus") : CSV_NONE;
    for (size_t row = 0; dataset && row < t->rows; row++)
        if (csv_integer_or(t, row, column, 1, UINT32_MAX, 1) > 1) return 1;
    return args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1;
}

static void read_points(calibration *c, const args *a, unsigned fitted)
{
    job_read(&c->jobs, a, fitted);
    job_note_machines(&c->jobs);
    check_unknowns(c);
    if (args_given(a, OPTION_POOL)) args_fail(OPTION_POOL, NULL, "can only be used with a dataset");
    points_read(&c->points, a->files[0]);
    match_jobs(c);
    check_workers(c);
    check_servers(c);
    c->groups = 1;
    c->of = (calibrated_group *)tool_alloc(1, sizeof *c->of);
    c->group = (size_t *)tool_alloc(c->points.count, sizeof *c->group);
}

static void suggest(calibration *c, const args *a)
{
    uint32_t *workers = NULL;
    const size_t count = points_candidates(&c->points, a, &workers);
    c->wanted = (size_t)args_integer(a, OPTION_SUGGEST, 1, 1000, 0);
    c->whole = !args_given(a, OPTION_CANDIDATES);
    if (c->wanted > 0) calibrate_suggest(c, workers, count);
}

static int run(args *a)
{
    calibration c = {0};
    output out = {.form = args_form(a)};
    size_t processes = parallel_read(a);
    if (fits_overhead(a)) return calibrate_overhead(a);
    if (fits_window(a)) return calibrate_window(a);
    if (fits_line(a)) return calibrate_line(a, fits_line(a));
    read_unknowns(&c, a);
    int dataset = strcmp(a->files[0], "-") != 0 && is_dataset(a->files[0]);
    unsigned fitted = read_fitted(&c, has_machines(a, dataset ? a->files[0] : NULL));
    if (dataset) {
        refuse_job_options(a);
        read_dataset(&c, a, a->files[0], args_given(a, OPTION_POOL));
    } else {
        read_points(&c, a, fitted);
    }
    c.in_group = names_rows(c.group, c.points.count, c.groups);
    check_operations(&c);
    if (c.groups == 1 && args_given(a, OPTION_SHARD))
        args_fail(OPTION_SHARD, NULL,
                  "cannot be used with a single group, whose parts are fitted in sequence: remove "
                  "the option");
    calibrate_groups(&c, processes);
    sgdp_status status = calibrate_evaluate(&c);
    suggest(&c, a);
    calibrate_print(&out, &c, status);
    return output_flush(&out, tool_check(status, c.points.file->name));
}

const args_command command_calibrate = {
    "calibrate", "fit unknown inputs of a model to measured points", run, uses,
    COUNT_OF(uses), rules, COUNT_OF(rules), 1, 1, NULL, 0,
    EACH(OPTION_FIT, OPTION_MODE, OPTION_FORWARD, OPTION_BACKWARD, OPTION_MODEL_SIZE)};
