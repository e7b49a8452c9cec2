/* cmd_profile.c - sgdperf profile: time-stamped phases to one worker's profile */
#include "base/columns.h"
#include "base/csv.h"
#include "base/words.h"
#include "cmd/commands.h"
#include "files/status.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf profile LOG.csv [--measured-on N] [--format table|csv|json]\n"
    "\n"
    "Turns the time-stamped phases of one worker into the profile that sgdperf\n"
    "predict takes.\n"
    "\n"
    "LOG.csv (- is stdin) has one row per phase, in any order, and the columns\n"
    "  step     number of the step, from 0\n"
    "  phase    downlink, forward, backward, uplink or update\n"
    "  start_s  when it started, seconds on any clock\n"
    "  end_s    when it ended, seconds\n"
    "A phase may occur several times in a step, as for each layer: its time in the\n"
    "step is what its rows cover together, counted once where they overlap.\n"
    "A log of downlinks and uplinks alone, as of packets, gives the other times from\n"
    "the gaps between them. forward is then all of the computation, which cannot be\n"
    "told from backward, and delays of the network are part of a gap. Layers must not\n"
    "be sent while others are computed.\n"
    "\n"
    "How it was measured\n"),
    USE_HELP(MEASURED_ON, "number of workers that ran when this log was recorded", "1"),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format: table, csv (a row for predict --profile) or json", "table"),
    SECTION("Results",
    "  cycles       number of steps in which the phase occurs\n"
    "  mean_s       mean time of the phase in these steps, with sample standard\n"
    "               deviation and half-width of the 95 % confidence interval of the\n"
    "               mean (Student's t; none for one step)\n"
    "  step         the same for the step, from its first start to its last end. A\n"
    "               step is skipped if it lacks a phase that 75 % of the other steps\n"
    "               have, as the last step of a log that was cut. Where phases\n"
    "               overlap the step takes less than their sum.\n"
    "csv has one row forward_s,backward_s,update_s,uplink_s,downlink_s,step_s,steps\n"
    "of means, the half-widths as X_ci95_half_width_s, and measured_on. Phases that\n"
    "never occur have no column: give them to predict as options. json has \"phases\"\n"
    "and \"profile\". Transfers of --measured-on N workers hold the waiting of all of\n"
    "them, which sgdperf predict takes out again.\n"),
    SECTION("Example: two steps",
    "  $ printf '%s\\n' step,phase,start_s,end_s 0,downlink,0,0.072 \\\n"
    "      0,forward,0.072,0.082 0,backward,0.082,0.101 0,uplink,0.101,0.173 \\\n"
    "      0,update,0.173,0.191 1,downlink,0.191,0.265 1,forward,0.265,0.277 \\\n"
    "      1,backward,0.277,0.297 1,uplink,0.297,0.373 1,update,0.373,0.395 | \\\n"
    "      sgdperf profile -\n"
    "  phase     cycles  mean_s  deviation_s  ci95_half_width_s\n"
    "  downlink       2   0.073      0.00141             0.0127\n"
    "  forward        2   0.011      0.00141             0.0127\n"
    "  backward       2  0.0195     0.000707            0.00635\n"
    "  uplink         2   0.074      0.00283             0.0254\n"
    "  update         2    0.02      0.00283             0.0254\n"
    "  step           2  0.1975      0.00919             0.0826\n")
};

/* ---- Reading --------------------------------------------------------------- */

static const char *phase_names[SGDFIT_PHASE_COUNT];

static sgdfit_phase_record *read_log(const csv_table *t)
{
    CSV_REQUIRE(t, "step", "phase", "start_s", "end_s");
    const int step = csv_require(t, "step"), phase = csv_require(t, "phase");
    const int start = csv_require(t, "start_s"), end = csv_require(t, "end_s");
    sgdfit_phase_record *record = (sgdfit_phase_record *)tool_alloc(t->rows, sizeof *record);
    size_t i;
    for (i = 0; i < SGDFIT_PHASE_COUNT; i++) phase_names[i] = sgdfit_phase_text((sgdfit_phase)i);
    for (i = 0; i < t->rows; i++) {
        sgdfit_phase_record *r = &record[i];
        r->step = csv_integer(t, i, step, 0, UINT64_MAX);
        r->phase = (sgdfit_phase)csv_choice(t, i, phase, phase_names, SGDFIT_PHASE_COUNT);
        r->start_s = csv_number(t, i, start, NUMBER_ANY);
        r->end_s = csv_number(t, i, end, NUMBER_ANY);
        if (r->end_s < r->start_s)
            csv_fail(t, i, end, "%s is before the start, %s", csv_text(t, i, end),
                     csv_text(t, i, start));
        if (!(r->end_s - r->start_s <= DBL_MAX))
            csv_fail(t, i, end, "%s is too long after the start", csv_text(t, i, end));
    }
    return record;
}

/* ---- Statistics ------------------------------------------------------------ */

typedef struct profile {
    size_t steps;
    uint32_t measured_on;              /* workers; 0: not given, one alone          */
    int    gaps;                       /* times come from the gaps of transfers     */
    sgdfit_phase_statistics phase[SGDFIT_PHASE_COUNT];
    sgdfit_phase_statistics step;      /* whole ones, from first start to last end  */
    size_t cut;                        /* steps that are not whole                  */
} profile;

/* Adds to transfers what the gaps between them tell, where there is nothing else. */
static sgdfit_phase_record *add_gaps(const csv_table *t, sgdfit_phase_record *record, size_t *n)
{
    size_t bytes = 0, gaps = 0;
    for (size_t i = 0; i < *n; i++)
        if (record[i].phase != SGDFIT_PHASE_DOWNLINK && record[i].phase != SGDFIT_PHASE_UPLINK)
            return record;
    sgdfit_phase_record *all = (sgdfit_phase_record *)tool_alloc(3 * *n, sizeof *all);
    memcpy(all, record, *n * sizeof *all);
    tool_check_fit(sgdfit_profile_phases_bytes(*n, &bytes), t->name);
    if (sgdfit_profile_gaps(record, *n, tool_alloc(bytes, 1), bytes, all + *n, &gaps) != SGDFIT_OK)
        tool_fail("%s: the transfers overlap, so the gaps between them do not tell the times of "
                  "the worker and the server: log the other phases too", t->name);
    *n += gaps;
    return all;
}

static void measure(const csv_table *t, profile *p)
{
    size_t bytes = 0, n = t->rows;
    sgdfit_phase_record *record = add_gaps(t, read_log(t), &n);
    p->gaps = n > t->rows;
    tool_check_fit(sgdfit_profile_phases_bytes(n, &bytes), t->name);
    void *work = tool_alloc(bytes, 1);
    sgdfit_status status = sgdfit_profile_phases(record, n, work, bytes, p->phase, &p->steps);
    if (status == SGDFIT_OK)
        status = sgdfit_profile_steps(record, n, work, bytes, &p->step, &p->cut);
    if (status != SGDFIT_OK) tool_fail("%s: the times are too far apart for a number", t->name);
}

/* Names the phases whose mean could as well be nothing. */
static void note_intervals(const char *file, const profile *p)
{
    const char *wide[SGDFIT_PHASE_COUNT];
    char list[64];
    size_t n = 0;
    for (size_t i = 0; i < SGDFIT_PHASE_COUNT; i++)
        if (p->phase[i].steps > 1 && p->phase[i].ci95_half_width_s >= p->phase[i].mean_s)
            wide[n++] = phase_names[i];
    if (n > 0)
        tool_note("wide-interval",
                  "%s: 95 %% intervals are wider than the mean (%s): measure more than %lu "
                  "steps",
                  file, words_join(wide, n, list, sizeof list),
                  (unsigned long)p->steps);
}

/* ---- Printing -------------------------------------------------------------- */

/* The profile's columns, in the order of predict's. */
static const struct { const char *column; sgdfit_phase phase; } profile_columns[] = {
    {"forward_s", SGDFIT_PHASE_FORWARD}, {"backward_s", SGDFIT_PHASE_BACKWARD},
    {"update_s", SGDFIT_PHASE_UPDATE}, {"uplink_s", SGDFIT_PHASE_UPLINK},
    {"downlink_s", SGDFIT_PHASE_DOWNLINK}
};

/* A phase that was not seen has no time, not one of 0: that is left to be given. But
 * backward is 0 where forward, from gaps, has its time. */
static int occurs(const profile *p, size_t column)
{
    if (p->gaps && profile_columns[column].phase == SGDFIT_PHASE_BACKWARD) return 1;
    return p->phase[profile_columns[column].phase].steps > 0;
}

static void print_statistics(columns *c, const char *name, const sgdfit_phase_statistics *s)
{
    columns_row(c);
    column_text(c, name ? ALL : 0, "phase", name);
    column_whole(c, ALL, "cycles", s->steps);
    column_number(c, TABLES, "mean_s", known_if(s->steps > 0, s->mean_s));
    column_number(c, JSON, "mean_s", s->mean_s);
    column_round(c, TABLES, "deviation_s", 3, known_if(s->steps > 1, s->deviation_s));
    column_number(c, JSON, "deviation_s", s->deviation_s);
    column_round(c, TABLES, "ci95_half_width_s", 3, known_if(s->steps > 1, s->ci95_half_width_s));
    column_number(c, JSON, "ci95_half_width_s", s->ci95_half_width_s);
}

static void print_phases(output *out, const profile *p)
{
    size_t i;
    columns c = columns_open(out, SCREEN | JSON, "phases");
    for (i = 0; i < SGDFIT_PHASE_COUNT; i++) print_statistics(&c, phase_names[i], &p->phase[i]);
    if (out->form == SCREEN) print_statistics(&c, "step", &p->step);
    columns_close(&c);
    json_object(out, "step");
    c = columns_open(out, JSON, NULL);
    print_statistics(&c, NULL, &p->step);
    json_end(out);
}

/* Means, one row, then how sure they are. A phase seen once has no interval. */
static void print_profile(output *out, const profile *p)
{
    const size_t n = COUNT_OF(profile_columns);
    const int unsure = p->steps > 1, step = !p->gaps && p->step.steps > 0;
    json_object(out, "profile");
    columns c = columns_open(out, DATA, NULL);
    columns_row(&c);
    for (size_t i = 0; i < n; i++)
        if (occurs(p, i))
            column_number(&c, ALL, profile_columns[i].column,
                          p->phase[profile_columns[i].phase].mean_s);
    /* The last step before a hole has no gap for its update: its parts tell more. */
    if (step) column_number(&c, CSV, "step_s", p->step.mean_s);
    column_whole(&c, CSV, "steps", p->steps);
    for (size_t i = 0; i < n && unsure; i++) {
        const sgdfit_phase_statistics *s = &p->phase[profile_columns[i].phase];
        const char *column = profile_columns[i].column;
        char name[40];
        snprintf(name, sizeof name, "%.*s_ci95_half_width_s", (int)strlen(column) - 2, column);
        if (s->steps > 1) column_number(&c, CSV, name, s->ci95_half_width_s);
    }
    if (step && p->step.steps > 1)
        column_number(&c, CSV, "step_ci95_half_width_s", p->step.ci95_half_width_s);
    if (p->measured_on > 0) column_whole(&c, ALL, "measured_on", p->measured_on);
    columns_close(&c);
    json_end(out);
}

static void print(output *out, const profile *p)
{
    json_object(out, NULL);
    json_integer(out, "steps", p->steps);
    json_integer(out, "cut_steps", p->cut);
    print_phases(out, p);
    print_profile(out, p);
    json_end(out);
    if (p->measured_on > 1)
        output_print(out, "measured on %lu workers: transfers hold the waiting of all of them\n",
                     (unsigned long)p->measured_on);
    for (size_t i = 0; i < SGDFIT_PHASE_COUNT; i++)
        if (p->phase[i].steps > 0 && p->phase[i].steps < p->steps)
            output_print(out, "%s occurs in %lu of %lu steps, its mean is that of those\n",
                         phase_names[i], (unsigned long)p->phase[i].steps,
                         (unsigned long)p->steps);
    if (p->cut > 0)
        output_print(out, "%lu step%s cut short, not counted as whole\n", (unsigned long)p->cut,
                     p->cut == 1 ? " is" : "s are");
}

static int run(args *a)
{
    profile p;
    output out = {.form = args_form(a)};
    const csv_table *t = csv_read(a->files[0], 0);
    measure(t, &p);
    p.measured_on = (uint32_t)args_integer(a, OPTION_MEASURED_ON, 1, UINT32_MAX, 0);
    if (p.gaps)
        tool_note("gaps-for-phases",
                  "%s: the log has transfers only: forward and update are the gaps between "
                  "transfers, and forward includes backward", t->name);
    note_intervals(t->name, &p);
    print(&out, &p);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_profile = {
    "profile", "turn time-stamped phases into a profile", run, uses,
    COUNT_OF(uses), NULL, 0, 1, 1, NULL, 0, EACH(OPTION_MEASURED_ON, OPTION_FORMAT)};
