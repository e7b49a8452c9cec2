/* jobtrace_rows.c - what the readers of public job traces share */
#include "base/words.h"
#include "import/jobtrace_rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Jobs --------------------------------------------------------------------- */

/* Beyond any log; sums and differences of such times are finite. */
#define MOST_SECONDS 1e15
#define LEAST_RUN_S  1e-15

int jobtrace_wrong(jobtrace_reader *r, size_t line, const char *format, ...)
{
    const int place = snprintf(r->message, r->message_bytes, "%s:%lu: ", r->file,
                               (unsigned long)line);
    va_list arguments;
    va_start(arguments, format);
    if ((size_t)place < r->message_bytes)      /* nor is it negative */
        vsnprintf(r->message + place, r->message_bytes - (size_t)place, format, arguments);
    va_end(arguments);
    return 0;
}

int jobtrace_new_name(jobtrace_reader *r, size_t line, const char *column, const char *text,
                      size_t length, size_t *name)
{
    int known;
    if (length == 0) return jobtrace_wrong(r, line, "column '%s': no name", column);
    known = names_add(&r->trace->names, text, length, name);
    if (known == NAMES_FULL) return jobtrace_wrong(r, line, "out of memory");
    if (known == NAMES_NEW) return 1;
    return jobtrace_wrong(r, line, "column '%s': '%s' occurs twice", column,
                          names_text(&r->trace->names, *name));
}

int jobtrace_keep(jobtrace_reader *r, const jobtrace_job *job)
{
    jobtrace *t = r->trace;
    const double parts = r->parts;
    r->parts = 0.0;
    if (!(job->run_s > 0.0)) { t->not_run++; return 1; }
    if (job->nodes == 0) { t->no_nodes++; return 1; }
    if (fabs(job->submit_s) > MOST_SECONDS || job->run_s > MOST_SECONDS ||
        job->wait_s > MOST_SECONDS || job->walltime_s > MOST_SECONDS)
        return jobtrace_wrong(r, job->line, "a time of more than %g s", MOST_SECONDS);
    if (job->run_s < LEAST_RUN_S)
        return jobtrace_wrong(r, job->line, "a run of %g s", job->run_s);
    if (t->jobs == t->room) {
        const size_t room = t->room < 64 ? 64 : t->room * 2;
        void *grown = room <= (size_t)-1 / sizeof *t->job
                    ? realloc(t->job, room * sizeof *t->job) : NULL;
        if (!grown) return jobtrace_wrong(r, job->line, "out of memory");
        t->job = (jobtrace_job *)grown;
        t->room = room;
    }
    t->job[t->jobs++] = *job;
    if (!(parts > 0.0)) return 1;
    t->parted++;
    t->parts += parts;
    t->wholes += job->nodes;
    return 1;
}

/* ---- Numbers and dates -------------------------------------------------------- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int digits(const char *text, size_t count)
{
    int value = 0;
    size_t i;
    for (i = 0; i < count; i++) value = value * 10 + (text[i] - '0');
    return value;
}

int jobtrace_date(const char *text, size_t length, double *seconds)
{
    static const char form[] = "dddd-dd-dd dd:dd:dd";
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int year, month, day, hour, minute, second, leap;
    size_t i;
    if (length != sizeof form - 1) return 0;
    for (i = 0; i < length; i++)
        if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i]) return 0;
    year = digits(text, 4);
    month = digits(text + 5, 2);
    day = digits(text + 8, 2);
    hour = digits(text + 11, 2);
    minute = digits(text + 14, 2);
    second = digits(text + 17, 2);
    leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
        second > 60 || day > days[month - 1] + (month == 2 && leap))
        return 0;
    /* Leap days of whole years since 1970, then days of this one. */
    day += (year - 1970) * 365 + (year - 1969) / 4 - (year - 1901) / 100 + (year - 1601) / 400;
    day += before[month - 1] + (month > 2 && leap) - 1;
    *seconds = day * 86400.0 + hour * 3600.0 + minute * 60.0 + second;
    return 1;
}

int jobtrace_is_none(const char *text, size_t length)
{
    return length == 0 || (length == 4 && memcmp(text, "None", 4) == 0);
}

int jobtrace_number(jobtrace_reader *r, size_t line, const char *column, const char *text,
                    number_rule rule, double *value)
{
    const char *why = number_parse(text, rule, value);
    if (!why) return 1;
    return jobtrace_wrong(r, line, "column '%s': '%s' %s", column, text, why);
}

int jobtrace_whole_nodes(jobtrace_reader *r, size_t line, const char *column, double nodes,
                         uint32_t *whole)
{
    const double error = nodes < 2.5e8 ? 1e-9 * nodes : 0.25, near = floor(nodes + 0.5);
    const double up = fabs(nodes - near) <= error ? near : ceil(nodes);
    if (!(up <= UINT32_MAX))
        return jobtrace_wrong(r, line, "column '%s': %g is too large", column, nodes);
    *whole = (uint32_t)up;
    r->parts = nodes < up - error ? nodes : 0.0;
    return 1;
}

int jobtrace_find_columns(jobtrace_reader *r, const csv_table *t, const char *const *name,
                          int *column, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        column[i] = csv_column(t, name[i]);
        if (column[i] == CSV_NONE)
            return jobtrace_wrong(r, t->header_line, "no column '%s'", name[i]);
    }
    return 1;
}

/* ---- Tables ------------------------------------------------------------------- */

/* Tables of job traces whose cells stand between bars, tabs, semicolons
 *
 * Such a table is written as CSV, line by line, and read as that. */

/* ---- Tables: to CSV ----------------------------------------------------------- */

typedef struct table_copy {
    jobtrace_reader *reader;
    const jobtrace_layout *layout;
    const char *at, *end;
    char       *to;
    size_t      line, columns; /* of the first row that has cells; 0: none yet      */
    int         open_end;     /* and that row ends in a separator: no further cell  */
} table_copy;

/* As much as the copy can take: quotes double, and cells with them or commas get two. */
static size_t copy_bytes(const char *at, const char *end)
{
    size_t bytes = (size_t)(end - at) + 1;
    for (; at < end; at++) bytes += *at == '"' ? 3 : *at == ',' ? 2 : 0;
    return bytes;
}

/* A cell in quotes, as it stands, up to what is behind them. */
static void copy_quoted(table_copy *c)
{
    *c->to++ = *c->at++;
    while (c->at < c->end) {
        const char byte = *c->at++;
        *c->to++ = byte;
        c->line += byte == '\n';
        if (byte != '"') continue;
        if (c->at == c->end || *c->at != '"') return;
        *c->to++ = *c->at++;
    }
}

/* Where the cell ends. */
static const char *cell_end(const table_copy *c)
{
    const char *at = c->at;
    while (at < c->end && *at != c->layout->separator && *at != '\n') at++;
    return at;
}

static void copy_cell(table_copy *c)
{
    const int quoted = c->layout->quotes && c->at < c->end && *c->at == '"';
    const char *stop, *at;
    int quote = 0;
    if (quoted) copy_quoted(c);
    stop = cell_end(c);
    if (stop > c->at && stop[-1] == '\r' && (stop == c->end || *stop == '\n')) stop--;
    for (at = c->at; !quoted && at < stop; at++) quote |= *at == ',' || *at == '"';
    if (quote) *c->to++ = '"';
    while (c->at < stop) {
        if (quote && *c->at == '"') *c->to++ = '"';
        *c->to++ = *c->at++;
    }
    if (quote) *c->to++ = '"';
    if (c->at < c->end && *c->at == '\r') c->at++;
}

/* Checks how many cells a row has, in which `empty`: the last one is; it is taken back where
 * the first row ends so, as sacct -p does. */
static int check_width(table_copy *c, size_t line, size_t cells, int empty)
{
    if (c->columns == 0) {
        if (cells == 1 && c->layout->alone)
            return jobtrace_wrong(c->reader, line, "%s", c->layout->alone);
        c->open_end = empty && cells > 1 && !(c->layout->flags & CSV_NO_HEADER);
        c->columns = cells - (c->open_end ? 1 : 0);
    }
    if (c->open_end && empty && cells == c->columns + 1) { cells--; c->to--; }
    if (cells == c->columns) return 1;
    return jobtrace_wrong(c->reader, line, "%lu cell%s in a row, %lu in the %s%s",
                          (unsigned long)cells, cells == 1 ? "" : "s", (unsigned long)c->columns,
                          c->layout->flags & CSV_NO_HEADER ? "first" : "header",
                          cells > c->columns ? c->layout->hint : "");
}

static int copy_row(table_copy *c)
{
    const size_t line = c->line;
    size_t cells = 0;
    const char *from;
    if (*c->at == '\n' || *c->at == '#' || *c->at == '\r') {
        while (c->at < c->end && *c->at != '\n') *c->to++ = *c->at++;
    } else {
        for (;;) {
            from = c->at;
            copy_cell(c);
            cells++;
            if (c->at == c->end || *c->at == '\n') break;
            c->at++;
            *c->to++ = ',';
        }
        if (!check_width(c, line, cells, c->at == from || *from == '\r')) return 0;
    }
    if (c->at < c->end) { *c->to++ = *c->at++; c->line++; }
    return 1;
}

int jobtrace_table(jobtrace_reader *r, const jobtrace_text *text, const jobtrace_layout *layout,
                   csv_table *t)
{
    static const char mark[] = "\xEF\xBB\xBF";
    table_copy c = {0};
    char *copy;
    int done = 1;
    r->file = text->name;
    if (layout->separator == ',')
        return csv_parse(t, text->name, text->data, text->length, layout->flags, r->message,
                         r->message_bytes);
    c.reader = r;
    c.layout = layout;
    c.at = text->data;
    c.end = text->data + text->length;
    c.line = 1;
    if (text->length >= 3 && memcmp(c.at, mark, 3) == 0) c.at += 3;
    copy = c.to = (char *)malloc(copy_bytes(c.at, c.end));
    if (!copy) return jobtrace_wrong(r, 1, "out of memory");
    while (done && c.at < c.end) done = copy_row(&c);
    if (done)
        done = csv_parse(t, text->name, copy, (size_t)(c.to - copy), layout->flags, r->message,
                         r->message_bytes);
    free(copy);
    return done;
}

int jobtrace_any_column(const csv_table *t, const char *const *names)
{
    int i;
    for (; *names; names++)
        for (i = 0; i < t->columns; i++)
            if (strcmp(t->header[i], *names) == 0) return i;
    return CSV_NONE;
}

/* ---- Tables: times ------------------------------------------------------------ */

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
    int sign;
    *east_s = 0.0;
    if (strcmp(*text, "Z") == 0 || strcmp(*text, " UTC") == 0) { *text += strlen(*text); return 1; }
    if (**text != '+' && **text != '-') return 1;
    sign = *(*text)++ == '-' ? -1 : 1;
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
    const char *rest;
    if (length == 10) memcpy(date, text, 10);
    else if (length < minutes) return 0;
    else memcpy(date, text, known);
    if (date[4] == '/' && date[7] == '/') date[4] = date[7] = '-';
    if (date[10] == 'T') date[10] = ' ';
    if (!jobtrace_date(date, all, seconds)) return 0;
    if (length == 10) return 1;
    rest = text + known;
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

/* ---- How long jobs run -------------------------------------------------------- */

/* A kind of job and its nodes as one name. */
static char *key_of(const char *curve, uint32_t nodes)
{
    const size_t bytes = strlen(curve) + 16;
    char *key = (char *)malloc(bytes);
    if (key) snprintf(key, bytes, "%s\n%lu", curve, (unsigned long)nodes);
    return key;
}

static int add_row(jobtrace_reader *r, const csv_table *t, size_t row, const char *const *name,
                   const int *column, jobtrace_times *times)
{
    const size_t line = csv_line(t, row);
    const char *curve = csv_text(t, row, column[0]), *nodes = csv_text(t, row, column[1]);
    uint64_t whole = 0;
    size_t number = 0;
    const char *why = number_whole(nodes, 1, UINT32_MAX, &whole);
    char *key;
    int known;
    if (why) return jobtrace_wrong(r, line, "column '%s': '%s' %s", name[1], nodes, why);
    key = key_of(curve, (uint32_t)whole);
    known = key ? names_add(&times->key, key, strlen(key), &number) : NAMES_FULL;
    free(key);
    if (known == NAMES_FULL) return jobtrace_wrong(r, line, "out of memory");
    if (known == NAMES_KNOWN)
        return jobtrace_wrong(r, line, "column '%s': '%s' occurs twice with %s nodes", name[0],
                              curve, nodes);
    return jobtrace_number(r, line, name[2], csv_text(t, row, column[2]), NUMBER_POSITIVE,
                           &times->value[number]);
}

int jobtrace_read_times(jobtrace_reader *r, const char *column_name, jobtrace_times *times)
{
    const jobtrace_text *text = r->options->times;
    const char *name[3] = {"curve", "nodes", NULL};
    int column[3], done;
    csv_table t;
    size_t row;
    name[2] = column_name;
    memset(times, 0, sizeof *times);
    times->file = r->file = text->name;
    if (!csv_parse(&t, text->name, text->data, text->length, 0, r->message, r->message_bytes))
        return 0;
    done = jobtrace_find_columns(r, &t, name, column, 3);
    times->value = (double *)malloc(t.rows * sizeof *times->value);
    if (!times->value) done = jobtrace_wrong(r, 1, "out of memory");
    for (row = 0; done && row < t.rows; row++) done = add_row(r, &t, row, name, column, times);
    csv_free(&t);
    if (!done) jobtrace_free_times(times);
    r->file = r->text->name;
    return done;
}

int jobtrace_time_of(jobtrace_reader *r, size_t line, const jobtrace_times *times,
                     const char *curve, uint32_t nodes, double *value)
{
    char *key = key_of(curve, nodes);
    const size_t i = key ? names_find(&times->key, key) : 0;
    if (!key) return jobtrace_wrong(r, line, "out of memory");
    free(key);
    if (i == times->key.count)
        return jobtrace_wrong(r, line, "%s has no row for '%s' on %lu nodes", times->file, curve,
                              (unsigned long)nodes);
    *value = times->value[i];
    return 1;
}

void jobtrace_free_times(jobtrace_times *times)
{
    names_free(&times->key);
    free(times->value);
    memset(times, 0, sizeof *times);
}
