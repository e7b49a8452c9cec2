/* jobtrace_columns.c - any table of jobs, of which the user says what is where */
#include "base/digits.h"
#include "base/words.h"
#include "import/jobtrace_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const roles[JOBTRACE_ROLES] = {
    "job", "submit", "start", "end", "duration", "wait", "walltime", "nodes"
};

/* ---- What is where --------------------------------------------------------- */

/* The unit or factor behind the last colon, which is cut off; 0: it is neither, and a part
 * of the name. */
static int take_scale(char *colon, int role, double *scale)
{
    char quantity[32];
    if (number_parse(colon + 1, NUMBER_POSITIVE, scale) != NULL) {
        if (role == JOBTRACE_WIDTH || role == JOBTRACE_JOB) return 0;
        if (colon[1] == '\0' || strlen(colon + 1) > 8) return 0;
        if (colon[1 + strcspn(colon + 1, "0123456789.")] != '\0') return 0;
        snprintf(quantity, sizeof quantity, "1%s", colon + 1);
        if (number_quantity(quantity, UNIT_TIME, NUMBER_POSITIVE, scale) != NULL) return 0;
    }
    *colon = '\0';
    return 1;
}

const char *jobtrace_add_column(jobtrace_columns *columns, char *word)
{
    char *name = strchr(word, '='), *colon;
    uint64_t place = 0;
    if (!name) return "is not ROLE=COLUMN, as submit=submit_time";
    *name = '\0';
    size_t role = words_find(roles, JOBTRACE_ROLES, word);
    *name++ = '=';
    if (role == JOBTRACE_ROLES)
        return "is not one of job, submit, start, end, duration, wait, walltime, nodes, and "
               "=COLUMN";
    jobtrace_column *c = &columns->role[role];
    if (c->name) return "gives a role that is given already";
    c->scale = 1.0;
    colon = strrchr(name, ':');
    if (colon) (void)take_scale(colon, (int)role, &c->scale);
    if (*name == '\0') return "names no column";
    c->name = name;
    if (*name == '#' && number_whole(name + 1, 1, 100000, &place) == NULL) c->place = (size_t)place;
    return NULL;
}

const char *jobtrace_columns_miss(const jobtrace_columns *columns)
{
    const jobtrace_column *c = columns->role;
    if (!c[JOBTRACE_SUBMIT].name && !c[JOBTRACE_START].name) return "needs submit=COLUMN";
    if (!c[JOBTRACE_DURATION].name &&
        !(c[JOBTRACE_END].name && (c[JOBTRACE_START].name || c[JOBTRACE_WAIT].name)))
        return "needs duration=COLUMN, or start=COLUMN and end=COLUMN";
    return c[JOBTRACE_WIDTH].name ? NULL : "needs nodes=COLUMN";
}

/* ---- Cells ----------------------------------------------------------------- */

typedef struct columns_log {
    jobtrace_reader *reader;
    int       dates;          /* points in time are dates; -1: not known yet        */
    double    first_s, last_s; /* of them, where they are numbers                   */
    size_t    short_clocks;   /* lengths like 1:30, the first of them in this row   */
    size_t    short_row;      /*   and role                                         */
    size_t    short_role;
} columns_log;

static double scale_of(const columns_log *s, size_t role)
{
    return s->reader->options->columns->role[role].scale;
}

/* A point in time: 1; 0: there is none. */
static int read_point(columns_log *s, size_t row, size_t role, double *at_s)
{
    static const char form[] = "is not a time: a number, or like 2020-06-09 18:41:01";
    const char *text = jobtrace_cell(s->reader, row, role);
    const int date = number_parse(text, NUMBER_ANY, at_s) != NULL;
    if (jobtrace_is_unknown(text)) return 0;
    if (date && !jobtrace_stamp(text, at_s)) jobtrace_fail_cell(s->reader, row, role, form);
    if (!date) {
        *at_s *= scale_of(s, role);
        if (*at_s < s->first_s) s->first_s = *at_s;
        if (*at_s > s->last_s) s->last_s = *at_s;
    }
    if (s->dates >= 0 && s->dates != date)
        jobtrace_fail_cell(s->reader, row, role, date ? "is a date, but other times are numbers"
                                                      : "is a number, but other times are dates");
    s->dates = date;
    return 1;
}

/* "1:30", which could be minutes and seconds, or hours and minutes? */
static void count_short(columns_log *s, size_t row, size_t role)
{
    const char *text = jobtrace_cell(s->reader, row, role), *colon = strchr(text, ':');
    if (!colon || strchr(colon + 1, ':') || strpbrk(text, "-d")) return;
    if (s->short_clocks++ > 0) return;
    s->short_row = row;
    s->short_role = role;
}

/* A length of time: 1; 0: there is none, or one below 0, as -1 says it. */
static int read_length(columns_log *s, size_t row, size_t role, double *length_s)
{
    static const char form[] = "is not a duration: write a number, or a time like 1-02:03:04";
    const char *text = jobtrace_cell(s->reader, row, role);
    if (jobtrace_is_unknown(text)) return 0;
    if (number_parse(text, NUMBER_ANY, length_s) == NULL) *length_s *= scale_of(s, role);
    else if (jobtrace_clock(text, length_s)) count_short(s, row, role);
    else jobtrace_fail_cell(s->reader, row, role, form);
    return *length_s >= 0.0;
}

static uint32_t read_width(columns_log *s, size_t row)
{
    jobtrace_reader *r = s->reader;
    const char *text = jobtrace_cell(r, row, JOBTRACE_WIDTH), *why;
    double width = 0.0;
    if (jobtrace_is_unknown(text)) return 0;
    why = number_parse(text, strcmp(text, "-1") == 0 ? NUMBER_ANY : NUMBER_NON_NEGATIVE, &width);
    if (why) jobtrace_fail_cell(r, row, JOBTRACE_WIDTH, why);
    width *= scale_of(s, JOBTRACE_WIDTH);
    return width <= 0.0 ? 0 : jobtrace_whole_nodes(r, csv_line(&r->in->csv, row),
                                                   r->in->name[JOBTRACE_WIDTH], width);
}

/* ---- Jobs ------------------------------------------------------------------ */

/* What is known of times, in the order of roles. */
typedef struct columns_times { double s[JOBTRACE_ROLES]; int known[JOBTRACE_ROLES]; } columns_times;

/* When it was submitted, how long it waited and ran, from what is known. */
static void put_times(jobtrace_job *job, columns_times *t, int submits)
{
    if (!submits) {
        t->s[JOBTRACE_SUBMIT] = t->s[JOBTRACE_START];
        t->known[JOBTRACE_SUBMIT] = t->known[JOBTRACE_START];
    }
    job->submit_s = t->s[JOBTRACE_SUBMIT];
    if (submits && t->known[JOBTRACE_SUBMIT]) {
        if (t->known[JOBTRACE_WAIT]) job->wait_s = t->s[JOBTRACE_WAIT];
        else if (t->known[JOBTRACE_START] && t->s[JOBTRACE_START] >= job->submit_s)
            job->wait_s = t->s[JOBTRACE_START] - job->submit_s;
    }
    if (!t->known[JOBTRACE_START] && t->known[JOBTRACE_WAIT]) {
        t->s[JOBTRACE_START] = job->submit_s + t->s[JOBTRACE_WAIT];
        t->known[JOBTRACE_START] = t->known[JOBTRACE_SUBMIT];
    }
    if (t->known[JOBTRACE_DURATION]) job->run_s = t->s[JOBTRACE_DURATION];
    else if (t->known[JOBTRACE_START] && t->known[JOBTRACE_END])
        job->run_s = t->s[JOBTRACE_END] - t->s[JOBTRACE_START];
    if (!t->known[JOBTRACE_SUBMIT]) job->run_s = 0.0;
    if (t->known[JOBTRACE_WALLTIME]) job->walltime_s = t->s[JOBTRACE_WALLTIME];
}

static void read_row(columns_log *s, size_t row)
{
    static const size_t points[] = {JOBTRACE_SUBMIT, JOBTRACE_START, JOBTRACE_END};
    static const size_t lengths[] = {JOBTRACE_DURATION, JOBTRACE_WAIT, JOBTRACE_WALLTIME};
    jobtrace_job job = jobtrace_begin(s->reader, row, JOBTRACE_JOB, 1);
    columns_times times = {0};
    for (size_t i = 0; i < COUNT_OF(points); i++)
        times.known[points[i]] = read_point(s, row, points[i], &times.s[points[i]]);
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        times.known[lengths[i]] = read_length(s, row, lengths[i], &times.s[lengths[i]]);
    job.nodes = read_width(s, row);
    put_times(&job, &times, jobtrace_has(s->reader, JOBTRACE_SUBMIT));
    jobtrace_keep(s->reader, &job);
}

/* ---- The table ------------------------------------------------------------- */

/* Of comma, tab, bar and semicolon that which the first row has most of. */
static char separator_of(const char *data, size_t length)
{
    static const char separators[] = ",\t|;";
    size_t count[sizeof separators - 1] = {0}, best = 0, i = 0, k;
    int quoted = 0, seen = 0;
    for (; i < length; i++) {
        const char byte = data[i];
        const char *which = (const char *)memchr(separators, byte, sizeof separators - 1);
        if (!quoted && byte == '\n' && seen) break;
        if (byte == '"') quoted = !quoted;
        else if (byte != '\r' && byte != '\n') seen = 1;
        if (which && !quoted) count[which - separators]++;
    }
    for (k = 1; k < COUNT_OF(count); k++)
        if (count[k] > count[best]) best = k;
    return separators[best];
}

static void find_columns(jobtrace_reader *r)
{
    const csv_table *t = &r->in->csv;
    const size_t line = t->rows > 0 && t->header_line == 0 ? csv_line(t, 0) : t->header_line;
    for (size_t i = 0; i < JOBTRACE_ROLES; i++) {
        const jobtrace_column *c = &r->options->columns->role[i];
        r->in->column[i] = CSV_NONE;
        r->in->name[i] = c->name ? c->name : roles[i];
        if (!c->name) continue;
        if (c->place == 0) r->in->column[i] = csv_column(t, c->name);
        else if (c->place <= (size_t)t->columns) r->in->column[i] = (int)c->place - 1;
        if (!jobtrace_has(r, i)) jobtrace_fail(r, line, "column '%s' is missing", c->name);
    }
}

static int is_headless(const jobtrace_columns *columns)
{
    for (size_t i = 0; i < JOBTRACE_ROLES; i++)
        if (columns->role[i].name && columns->role[i].place == 0) return 0;
    return 1;
}

/* What could be taken for something else than it is. */
static void note_times(const columns_log *s)
{
    const double beyond = 1e9;         /* 32 years: of no log */
    const jobtrace_reader *r = s->reader;
    if (s->last_s - s->first_s > beyond)
        tool_note("missing-unit",
                  "%s: the times are %.3g years apart: if they are not in seconds, give their "
                  "unit, as in submit=COLUMN:ms", r->file, (s->last_s - s->first_s) / 31557600.0);
    if (s->short_clocks > 0)
        tool_note("minutes-and-seconds",
                  "%s:%lu: column '%s': '%s' is read as minutes and seconds, as are %lu more "
                  "durations", r->file, (unsigned long)csv_line(&r->in->csv, s->short_row),
                  r->in->name[s->short_role], jobtrace_cell(r, s->short_row, s->short_role),
                  (unsigned long)s->short_clocks - 1);
}

void jobtrace_read_csv(jobtrace_reader *r)
{
    csv_layout layout = csv_commas;
    columns_log s = {.reader = r, .dates = -1, .first_s = HUGE_VAL, .last_s = -HUGE_VAL};
    jobtrace_load(r, r->text);
    layout.separator = separator_of(r->data, r->length);
    if (is_headless(r->options->columns)) layout.flags = CSV_NO_HEADER;
    jobtrace_open(r, &layout, NULL, 0);
    find_columns(r);
    for (size_t row = 0; row < r->in->csv.rows; row++) read_row(&s, row);
    note_times(&s);
}
