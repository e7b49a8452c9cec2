/* series.c - rows of a worker's series, read or made on demand */
#include "files/series.h"
#include "base/tool.h"
#include "files/status.h"

enum { SERIES_MOST_ROWS = 10000000 };

void series_generate(series *s, uint64_t seed, double speed, double task_length)
{
    s->machine = (busy_machine *)tool_alloc(1, sizeof *s->machine);
    if (!busy_start(s->machine, seed, speed, task_length))
        tool_check_balance(SGDBAL_BAD_ARGUMENT, "a series");
}

void series_add(series *s, const series_row *row)
{
    if (s->rows == SERIES_MOST_ROWS)
        tool_fail("the series has more than %d rows", (int)SERIES_MOST_ROWS);
    s->row = tool_one_more(s->row, s->rows, &s->room, sizeof *s->row);
    s->row[s->rows++] = *row;
}

const series_row *series_at(series *s, uint64_t k)
{
    if (!s->machine) return &s->row[k % s->rows];
    while (s->rows <= k) {
        const series_row row = busy_next(s->machine);
        series_add(s, &row);
    }
    return &s->row[k];
}
