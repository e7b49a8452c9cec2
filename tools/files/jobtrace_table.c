/* jobtrace_table.c - tables of job traces whose cells stand between bars, tabs, semicolons
 *
 * Such a table is written as CSV, line by line, and read as that. */
#include "base/words.h"
#include "files/jobtrace_inside.h"

#include <stdlib.h>
#include <string.h>

/* ---- To CSV ---------------------------------------------------------------- */

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

/* ---- Times ----------------------------------------------------------------- */

int jobtrace_is_unknown(const char *text)
{
    static const char *const words[] = {
        "", "None", "none", "Unknown", "NULL", "null", "NaN", "nan", "NaT", "NA", "N/A", "-"
    };
    return words_find(words, COUNT_OF(words), text) < COUNT_OF(words);
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

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
