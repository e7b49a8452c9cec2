/* jobtrace_rows.c - what the readers of public job traces share */
#include "base/digits.h"
#include "base/file.h"
#include "base/words.h"
#include "import/import.h"
#include "import/jobtrace_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jobtrace_fail(const jobtrace_reader *r, size_t line, const char *format, ...)
{
    char text[512];
    const int place = snprintf(text, sizeof text, "%s:%lu: ", r->file, (unsigned long)line);
    va_list arguments;
    va_start(arguments, format);
    if ((size_t)place < sizeof text)           /* nor is it negative */
        vsnprintf(text + place, sizeof text - (size_t)place, format, arguments);
    va_end(arguments);
    tool_fail("%s", text);
}

void jobtrace_fail_cell(const jobtrace_reader *r, size_t row, size_t which, const char *what)
{
    jobtrace_fail(r, csv_line(&r->in->csv, row), "column '%s': '%s' %s", r->in->name[which],
                  jobtrace_cell(r, row, which), what);
}

/* ---- Jobs --------------------------------------------------------------------- */

/* Beyond any log; sums and differences of such times are finite. */
#define MOST_SECONDS 1e15
#define LEAST_RUN_S  1e-15

size_t jobtrace_new_name(jobtrace_reader *r, size_t line, const char *column, const char *text,
                         size_t length)
{
    size_t name = 0;
    if (length == 0) jobtrace_fail(r, line, "column '%s': the name is empty", column);
    int known = names_add(&r->trace->names, text, length, &name);
    if (known == NAMES_FULL) jobtrace_fail(r, line, "out of memory");
    if (known == NAMES_KNOWN)
        jobtrace_fail(r, line, "column '%s': '%s' occurs twice", column,
                      names_text(&r->trace->names, name));
    return name;
}

jobtrace_job jobtrace_begin(jobtrace_reader *r, size_t row, size_t which, size_t first)
{
    char number[NUMBER_BYTES];
    const char *text = jobtrace_has(r, which) ? jobtrace_cell(r, row, which)
                                              : number_write((double)(row + first), number);
    jobtrace_job job = {.line = csv_line(&r->in->csv, row), .wait_s = -1.0};
    job.name = jobtrace_new_name(r, job.line, r->in->name[which], text, strlen(text));
    return job;
}

uint32_t jobtrace_whole_nodes(jobtrace_reader *r, size_t line, const char *column, double nodes)
{
    const double error = nodes < 2.5e8 ? 1e-9 * nodes : 0.25, near = floor(nodes + 0.5);
    const double up = fabs(nodes - near) <= error ? near : ceil(nodes);
    if (!(up <= UINT32_MAX)) jobtrace_fail(r, line, "column '%s': %g is too large", column, nodes);
    r->parts = nodes < up - error ? nodes : 0.0;
    return (uint32_t)up;
}

void jobtrace_keep(jobtrace_reader *r, const jobtrace_job *job)
{
    jobtrace *t = r->trace;
    const double parts = r->parts;
    r->parts = 0.0;
    if (!(job->run_s > 0.0)) { t->not_run++; return; }
    if (job->nodes == 0) { t->no_nodes++; return; }
    if (fabs(job->submit_s) > MOST_SECONDS || job->run_s > MOST_SECONDS ||
        job->wait_s > MOST_SECONDS || job->walltime_s > MOST_SECONDS)
        jobtrace_fail(r, job->line, "a time is more than %g s", MOST_SECONDS);
    if (job->run_s < LEAST_RUN_S) jobtrace_fail(r, job->line, "a run time of %g s is too short",
                                                job->run_s);
    t->job = import_grow(t->job, t->jobs, &t->room, sizeof *t->job);
    t->job[t->jobs++] = *job;
    if (!(parts > 0.0)) return;
    t->parted++;
    t->parts += parts;
    t->wholes += job->nodes;
}

/* ---- Times -------------------------------------------------------------------- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int digits(const char *text, size_t count)
{
    int value = 0;
    for (size_t i = 0; i < count; i++) value = value * 10 + (text[i] - '0');
    return value;
}

int jobtrace_date(const char *text, size_t length, double *seconds)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    if (length != sizeof form - 1) return 0;
    for (size_t i = 0; i < length; i++)
        if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i]) return 0;
    int year = digits(text, 4);
    int month = digits(text + 5, 2);
    int day = digits(text + 8, 2);
    int hour = digits(text + 11, 2);
    int minute = digits(text + 14, 2);
    int second = digits(text + 17, 2);
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
        second > 60 || day > days[month - 1] + (month == 2 && leap))
        return 0;
    /* Leap days of whole years since 1970, then days of this one. */
    day += (year - 1970) * 365 + (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400;
    day += before[month - 1] + (month > 2 && leap) - 1;
    *seconds = day * 86400.0 + hour * 3600.0 + minute * 60.0 + second;
    return 1;
}

int jobtrace_is_none(const char *text) { return *text == '\0' || strcmp(text, "None") == 0; }

int jobtrace_is_unknown(const char *text)
{
    static const char *const words[] = {
        "", "None", "none", "Unknown", "NULL", "null", "NaN", "nan", "NaT", "NA", "N/A", "-"
    };
    return words_find(words, COUNT_OF(words), text) < COUNT_OF(words);
}

/* A number of digits, at least one, behind which *text then stands; 0: more than 9. */
static int take_number(const char **text, double *value)
{
    size_t count = 0;
    for (*value = 0.0; is_digit(**text); count++) *value = *value * 10.0 + (*(*text)++ - '0');
    return count > 0 && count < 10;
}

/* ".25" behind seconds, or nothing. */
static int take_fraction(const char **text, double *value)
{
    double unit = 0.1;
    if (**text != '.') return 1;
    if (!is_digit(*++*text)) return 0;
    for (; is_digit(**text); unit /= 10.0) *value += (*(*text)++ - '0') * unit;
    return 1;
}

/* "Z", " UTC", "+02:00", "+0200", "+02" or nothing, in seconds. */
static int take_zone(const char **text, double *east_s)
{
    double hours, minutes = 0.0;
    *east_s = 0.0;
    if (strcmp(*text, "Z") == 0 || strcmp(*text, " UTC") == 0) { *text += strlen(*text); return 1; }
    if (**text != '+' && **text != '-') return 1;
    int sign = *(*text)++ == '-' ? -1 : 1;
    if (!take_number(text, &hours)) return 0;
    if (**text == ':') {
        ++*text;
        if (!take_number(text, &minutes)) return 0;
    } else if (hours > 99.0) {
        minutes = hours - 100.0 * (double)(int)(hours / 100.0);
        hours = (double)(int)(hours / 100.0);
    }
    *east_s = sign * (hours * 3600.0 + minutes * 60.0);
    return hours < 24.0 && minutes < 60.0;
}

int jobtrace_stamp(const char *text, double *seconds)
{
    char date[] = "0000-00-00 00:00:00";
    const size_t minutes = 16, all = sizeof date - 1, length = strlen(text);
    const size_t known = length < all || text[minutes] != ':' ? minutes : all;
    double east_s, fraction = 0.0;
    if (length == 10) memcpy(date, text, 10);
    else if (length < minutes) return 0;
    else memcpy(date, text, known);
    if (date[4] == '/' && date[7] == '/') date[4] = date[7] = '-';
    if (date[10] == 'T') date[10] = ' ';
    if (!jobtrace_date(date, all, seconds)) return 0;
    if (length == 10) return 1;
    const char *rest = text + known;
    if (known == all && !take_fraction(&rest, &fraction)) return 0;
    if (!take_zone(&rest, &east_s)) return 0;
    *seconds += fraction - east_s;
    return *rest == '\0';
}

int jobtrace_clock(const char *text, double *seconds)
{
    double part, days = 0.0;
    size_t parts = 1;
    int dash = 0;
    if (!take_number(&text, &part)) return 0;
    if (strncmp(text, " day", 4) == 0) {
        text += text[4] == 's' ? 5 : 4;
        if (*text == ',') text++;
        if (*text != ' ' || !is_digit(text[1])) return 0;
        days = part;
        text++;
        if (!take_number(&text, &part)) return 0;
    } else if (*text == '-') {
        dash = 1;
        days = part;
        text++;
        if (!take_number(&text, &part)) return 0;
    }
    for (*seconds = part; *text == ':'; parts++) {
        text++;
        if (!take_number(&text, &part) || !(part < 60.0)) return 0;
        *seconds = *seconds * 60.0 + part;
    }
    if (!take_fraction(&text, seconds)) return 0;
    if (*text != '\0' || parts > 3 || (parts < 3 && !dash && (parts == 1 || days > 0.0))) return 0;
    for (; dash && parts < 3; parts++) *seconds *= 60.0;    /* 1-02 and 1-02:03 */
    *seconds += days * 86400.0;
    return 1;
}

/* ---- Tables: columns and cells ------------------------------------------------ */

static int column_named(const csv_table *t, const jobtrace_field *field, const char **name)
{
    int column = CSV_NONE;
    for (size_t i = 0; i < COUNT_OF(field->name) && field->name[i] && column == CSV_NONE; i++)
        column = csv_column(t, *name = field->name[i]);
    if (column == CSV_NONE) *name = field->name[0];
    return column;
}

static void find_columns(jobtrace_reader *r, const jobtrace_field *field, size_t fields)
{
    jobtrace_table *t = r->in;
    size_t i;
    for (i = 0; i < fields; i++) t->column[i] = column_named(&t->csv, &field[i], &t->name[i]);
    for (i = 0; i < fields; i++)
        if (t->column[i] == CSV_NONE && field[i].need == JOBTRACE_EITHER)
            jobtrace_fail(r, t->csv.header_line, "column '%s' or '%s' is missing", field[i].name[0],
                          field[i].name[1]);
        else if (t->column[i] == CSV_NONE && field[i].need == JOBTRACE_REQUIRED)
            jobtrace_fail(r, t->csv.header_line, "column '%s' is missing", field[i].name[0]);
}

static void place_columns(jobtrace_reader *r, const jobtrace_field *field, size_t fields)
{
    jobtrace_table *t = r->in;
    if ((size_t)t->csv.columns != fields)
        jobtrace_fail(r, csv_line(&t->csv, 0), "the line has %d column%s and is no header; a table "
                                               "without a header needs %lu columns",
                      t->csv.columns, t->csv.columns == 1 ? "" : "s", (unsigned long)fields);
    for (size_t i = 0; i < fields; i++) {
        t->column[i] = (int)i;
        t->name[i] = field[i].name[0];
    }
}

void jobtrace_check_end(const stream *text)
{
    if (text->cut) tool_fail("%s: %s", text->name, text->cut);
}

/* The bytes that are here, without comments; `state` goes on from piece to piece. */
typedef struct load_state { int quoted, comment; char last; } load_state;

static void load_piece(jobtrace_reader *r, stream *text, load_state *state)
{
    for (; text->at < text->end; state->last = *text->at++) {
        if (state->last == '\n') state->comment = !state->quoted && *text->at == '#';
        if (*text->at == '"' && !state->comment) state->quoted = !state->quoted;
        if (!state->comment || *text->at == '\n') r->data[r->length++] = *text->at;
    }
}

void jobtrace_load(jobtrace_reader *r, stream *text)
{
    load_state state = {0, 0, '\n'};
    size_t room = 0;
    free(r->data);
    r->data = NULL;
    r->length = 0;
    do {
        const size_t want = r->length + (size_t)(text->end - text->at) + 1;
        char *grown = (char *)tool_room(r->data, &room, want, 1);
        if (!grown) tool_fail("%s: out of memory", text->name);
        if (want > FILE_MOST) tool_fail("%s: the text is longer than 2 GiB", text->name);
        r->data = grown;
        load_piece(r, text, &state);
    } while (stream_more(text, text->at) > 0);
    jobtrace_check_end(text);
    r->file = text->name;
}

void jobtrace_open(jobtrace_reader *r, const csv_layout *layout, const jobtrace_field *field,
                   size_t fields)
{
    char message[512], *data = r->data;
    r->in->field = field;
    r->data = NULL;
    csv_free(&r->in->csv);
    if (!csv_take_as(&r->in->csv, r->file, data, r->length, layout, message, sizeof message))
        tool_fail("%s", message);
    if (fields > 0)
        (layout->flags & CSV_NO_HEADER ? place_columns : find_columns)(r, field, fields);
}

int jobtrace_has(const jobtrace_reader *r, size_t which)
{
    return r->in->column[which] != CSV_NONE;
}

const char *jobtrace_cell(const jobtrace_reader *r, size_t row, size_t which)
{
    return jobtrace_has(r, which) ? csv_text(&r->in->csv, row, r->in->column[which]) : "";
}

int jobtrace_number(const jobtrace_reader *r, size_t row, size_t which, number_rule rule,
                    double *value)
{
    const char *text = jobtrace_cell(r, row, which), *why;
    const jobtrace_field *field = r->in->field;
    if (field && field[which].blank && field[which].blank(text)) return 0;
    why = number_parse(text, rule, value);
    if (why) jobtrace_fail_cell(r, row, which, why);
    return 1;
}

/* ---- How long jobs run -------------------------------------------------------- */

/* A kind of job and its nodes as one name. */
static char *key_of(const char *curve, uint32_t nodes)
{
    return tool_text("%s\n%lu", curve, (unsigned long)nodes);
}

enum { TIMES_CURVE = 0, TIMES_NODES, TIMES_VALUE, TIMES_FIELDS };

static void read_time(jobtrace_reader *r, size_t row)
{
    const size_t line = csv_line(&r->in->csv, row);
    const char *curve = jobtrace_cell(r, row, TIMES_CURVE);
    const char *nodes = jobtrace_cell(r, row, TIMES_NODES);
    uint64_t whole = 0;
    size_t number = 0;
    const char *why = number_whole(nodes, 1, UINT32_MAX, &whole);
    if (why) jobtrace_fail_cell(r, row, TIMES_NODES, why);
    char *key = key_of(curve, (uint32_t)whole);
    int known = names_add(&r->times.key, key, strlen(key), &number);
    tool_free(key);
    if (known == NAMES_FULL) jobtrace_fail(r, line, "out of memory");
    if (known == NAMES_KNOWN)
        jobtrace_fail(r, line, "column '%s': '%s' occurs twice for the same number of nodes, %s",
                      r->in->name[TIMES_CURVE], curve, nodes);
    (void)jobtrace_number(r, row, TIMES_VALUE, NUMBER_POSITIVE, &r->times.value[number]);
}

void jobtrace_read_times(jobtrace_reader *r, const char *column)
{
    const jobtrace_field fields[TIMES_FIELDS] = {
        [TIMES_CURVE] = {{"curve"}, JOBTRACE_REQUIRED, NULL},
        [TIMES_NODES] = {{"nodes"}, JOBTRACE_REQUIRED, NULL},
        [TIMES_VALUE] = {{column}, JOBTRACE_REQUIRED, NULL}
    };
    r->in = &r->table[1];
    jobtrace_load(r, r->options->times);
    jobtrace_open(r, &csv_commas, fields, TIMES_FIELDS);
    r->times.file = r->file;
    r->times.value = tool_alloc(r->in->csv.rows, sizeof *r->times.value);
    for (size_t row = 0; row < r->in->csv.rows; row++) read_time(r, row);
    r->in = &r->table[0];
    r->file = r->text->name;
}

double jobtrace_time_of(const jobtrace_reader *r, size_t row, size_t which, uint32_t nodes)
{
    const char *curve = jobtrace_cell(r, row, which);
    char *key = key_of(curve, nodes);
    const size_t i = names_find(&r->times.key, key);
    tool_free(key);
    if (i == r->times.key.count)
        jobtrace_fail(r, csv_line(&r->in->csv, row), "%s has no row for '%s' on %lu nodes",
                      r->times.file, curve, (unsigned long)nodes);
    return r->times.value[i];
}
