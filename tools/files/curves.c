/* curves.c - tables over numbers of nodes */
#include "files/curves.h"

#include "options/args.h"

#include <string.h>

/* What sgdsched_curve takes. */
#define CURVES_LEAST 1e-70
#define CURVES_MOST  1e70

/* The number of each row's name; and how many rows each name has, in set->nodes. */
static size_t *number_rows(curve_set *set, const char *path, unsigned flags, const char *name)
{
    const csv_table *t = csv_read(path, flags);
    const int column = csv_require(t, name);
    size_t *owner = tool_alloc(t->rows, sizeof *owner);
    set->file = t;
    set->row = tool_alloc(t->rows, sizeof *set->row);
    set->nodes = tool_alloc(t->rows, sizeof *set->nodes);
    for (size_t i = 0; i < t->rows; i++) {
        const char *text = csv_text(t, i, column);
        if (*text == '\0') csv_fail(t, i, column, "the cell is empty");
        int known = names_add(&set->names, text, strlen(text), &owner[i]);
        if (known == NAMES_FULL) tool_fail("%s: out of memory", t->name);
        if (known == NAMES_NEW) set->row[owner[i]] = i;
        if (++set->nodes[owner[i]] == UINT32_MAX) tool_fail("%s: too many rows", t->name);
    }
    return owner;
}

/* Some row of `owner` has more nodes than the name has rows: names the smallest such
 * number, below which one is missing. */
TOOL_NORETURN static void fail_gap(const curve_set *set, const size_t *owner, size_t which,
                                   int column)
{
    const csv_table *t = set->file;
    const uint32_t rows = set->nodes[which];
    unsigned char *seen = (unsigned char *)tool_alloc((size_t)rows + 1, 1);
    uint64_t least = UINT64_MAX;
    uint32_t missing = 1;
    size_t at = 0;
    for (size_t i = 0; i < t->rows; i++) {
        const uint64_t n = csv_integer(t, i, column, 1, UINT32_MAX);
        if (owner[i] == which && n <= rows) seen[n] = 1;
    }
    while (missing <= rows && seen[missing]) missing++;
    for (size_t i = 0; i < t->rows; i++) {
        const uint64_t n = csv_integer(t, i, column, 1, UINT32_MAX);
        if (owner[i] == which && n > missing && n < least) { least = n; at = i; }
    }
    csv_fail(t, at, column, "%s, but curve '%s' has no row for %lu: nodes go from 1 up without "
                            "gaps",
             csv_text(t, at, column),
             names_text(&set->names, which), (unsigned long)missing);
}

void curves_read(curve_set *set, const char *path, unsigned flags, const char *name,
                 const char *value)
{
    size_t *owner, **from, i;
    memset(set, 0, sizeof *set);
    owner = number_rows(set, path, flags, name);
    const csv_table *t = set->file;
    int nodes = csv_require(t, "nodes");
    int values = csv_require(t, value);
    set->value = tool_alloc(set->names.count, sizeof *set->value);
    from = tool_alloc(set->names.count, sizeof *from);
    for (i = 0; i < set->names.count; i++) {
        set->value[i] = tool_alloc(set->nodes[i], sizeof **set->value);
        from[i] = tool_alloc(set->nodes[i], sizeof **from); /* row + 1 */
    }
    for (i = 0; i < t->rows; i++) {
        const size_t k = owner[i];
        const uint64_t n = csv_integer(t, i, nodes, 1, UINT32_MAX);
        const double v = csv_number(t, i, values, NUMBER_POSITIVE);
        if (!(v >= CURVES_LEAST && v <= CURVES_MOST))
            csv_fail(t, i, values, "%s is not between %g and %g", csv_text(t, i, values),
                     CURVES_LEAST, CURVES_MOST);
        if (n > set->nodes[k]) continue;
        if (from[k][n - 1] > 0)
            csv_fail(t, i, nodes, "%s nodes occur twice for '%s', first in line %lu",
                     csv_text(t, i, nodes), names_text(&set->names, k),
                     (unsigned long)csv_line(t, from[k][n - 1] - 1));
        from[k][n - 1] = i + 1;
        set->value[k][n - 1] = v;
    }
    for (i = 0; i < t->rows; i++)
        if (csv_integer(t, i, nodes, 1, UINT32_MAX) > set->nodes[owner[i]])
            fail_gap(set, owner, owner[i], nodes);
}

int curves_built_in(curve_set *set, const char *text, uint32_t nodes)
{
    static const char amdahl[] = "amdahl:";
    double serial = 0.0;
    if (strncmp(text, amdahl, sizeof amdahl - 1) == 0) {
        const char *wrong = number_parse(text + sizeof amdahl - 1, NUMBER_FRACTION, &serial);
        if (wrong) args_fail(OPTION_CURVES, text, "%s", wrong);
    } else if (strcmp(text, "linear") != 0) {
        return 0;
    }
    memset(set, 0, sizeof *set);
    (void)names_number(&set->names, text);
    set->value = tool_alloc(1, sizeof *set->value);
    set->nodes = tool_alloc(1, sizeof *set->nodes);
    set->value[0] = tool_alloc(nodes, sizeof **set->value);
    set->nodes[0] = nodes;
    for (uint32_t n = 1; n <= nodes; n++)
        set->value[0][n - 1] = serial > 0.0 ? 1.0 / (serial + (1.0 - serial) / n) : (double)n;
    return 1;
}

int curves_column(const curve_set *set, const csv_table *jobs)
{
    return set->file ? csv_require(jobs, "curve") : csv_column(jobs, "curve");
}

size_t curves_of_row(const curve_set *set, const csv_table *jobs, size_t row, int column,
                     const char *from)
{
    size_t number = 0;
    if (column == CSV_NONE) return 0;
    number = names_find(&set->names, csv_text(jobs, row, column));
    if (number == set->names.count)
        csv_fail(jobs, row, column, "'%s' is not a curve of %s", csv_text(jobs, row, column), from);
    return number;
}

sgdsched_curve *curves_list(const curve_set *set, int service)
{
    sgdsched_curve *curve = tool_alloc(set->names.count, sizeof *curve);
    for (size_t i = 0; i < set->names.count; i++) {
        if (service) curve[i].service_s = set->value[i];
        else curve[i].throughput_per_s = set->value[i];
        curve[i].nodes = set->nodes[i];
    }
    return curve;
}
