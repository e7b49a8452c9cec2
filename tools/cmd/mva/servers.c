/* servers.c - how fast the stations of sgdperf mva are: --capacity, --delay, --rates */
#include "base/words.h"
#include "cmd/mva/mva.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The station that an option names, which no such option has named before. */
static size_t named_station(const mva_network *n, const args *a, option_id option,
                            const char *name, option_id *by)
{
    const size_t l = words_find(n->station_name, n->net.stations, name);
    if (l == n->net.stations)
        args_fail(option, name, "is no station of %s", n->file->name);
    if (by[l] == option) args_fail(option, name, "is named twice");
    if (by[l] != OPTION_COUNT)
        args_fail(option, name, "is named by %s, too", option_name(by[l]));
    if (args_given(a, OPTION_FCFS) && n->discipline[l] != SGDP_PS && option == OPTION_DELAY)
        args_fail(option, name, "is named by --fcfs, too");
    by[l] = option;
    return l;
}

/* NAME=M of --capacity; a name may hold a '='. */
static void read_capacity(mva_network *n, const args *a, char *word, option_id *by)
{
    char *equals = strrchr(word, '=');
    const char *wrong;
    double m = 0.0;
    if (!equals) args_fail(OPTION_CAPACITY, word, "is not a station, =, and its servers");
    wrong = number_parse(equals + 1, NUMBER_POSITIVE, &m);
    if (wrong) args_fail(OPTION_CAPACITY, word, "has servers whose number %s", wrong);
    if (m < 1.0) args_fail(OPTION_CAPACITY, word, "is less than one server");
    *equals = '\0';
    n->capacity[named_station(n, a, OPTION_CAPACITY, word, by)] = m;
}

/* Rows in any order to n->rates: row by station, no number of tasks left out. */
static void read_rates(mva_network *n, const args *a, option_id *by)
{
    const csv_table *t = csv_read(args_text(a, OPTION_RATES, NULL), 0);
    const int station = csv_require(t, "station"), tasks = csv_require(t, "tasks");
    const int rate = csv_require(t, "rate"), key[2] = {station, tasks};
    const size_t L = n->net.stations, R = t->rows;
    size_t row, l, j;
    csv_unique(t, key, 2);
    if (R > (size_t)-1 / L) tool_fail("%s: too large", t->name);
    n->rates = (double *)tool_alloc(L * R, sizeof *n->rates);
    for (row = 0; row < R; row++) {
        const char *name = csv_text(t, row, station);
        const uint64_t of = csv_integer(t, row, tasks, 1, UINT32_MAX);
        const double r = csv_number(t, row, rate, NUMBER_POSITIVE);
        l = words_find(n->station_name, L, name);
        if (l == L) csv_fail(t, row, station, "'%s' is no station of %s", name, n->file->name);
        if (by[l] != OPTION_COUNT && by[l] != OPTION_RATES)
            csv_fail(t, row, station, "'%s' is named by %s, too", name,
                     option_name(by[l]));
        if (of > R) csv_fail(t, row, tasks, "a rate with fewer tasks is missing");
        if (!(r >= 1e-100 && r <= 1e100))
            csv_fail(t, row, rate, "%s is beyond 1e-100 to 1e100", csv_text(t, row, rate));
        by[l] = OPTION_RATES;
        n->rates[l * R + (size_t)of - 1] = r;
    }
    for (row = 0; row < R; row++) {
        uint64_t of = csv_integer(t, row, tasks, 1, UINT32_MAX);
        l = words_find(n->station_name, L, csv_text(t, row, station));
        if (of > 1 && !(n->rates[l * R + (size_t)of - 2] > 0.0))
            csv_fail(t, row, tasks, "the rate with %lu tasks is missing",
                     (unsigned long)of - 1);
    }
    for (l = 0; l < L; l++)
        for (j = 1; j < R; j++)
            if (!(n->rates[l * R + j] > 0.0)) n->rates[l * R + j] = n->rates[l * R + j - 1];
    n->net.rates = n->rates;
    n->net.rate_tasks = R;
}

void mva_set_servers(mva_network *n, const args *a)
{
    const size_t L = n->net.stations;
    option_id *by = (option_id *)tool_alloc(L, sizeof *by);
    char **words = NULL;
    size_t count, i;
    n->capacity = (double *)tool_alloc(L, sizeof *n->capacity);
    for (i = 0; i < L; i++) {
        n->capacity[i] = 1.0;
        by[i] = OPTION_COUNT;              /* named by none yet */
    }
    n->net.capacity = n->capacity;
    count = args_words(a, OPTION_CAPACITY, &words);
    for (i = 0; i < count; i++) read_capacity(n, a, words[i], by);
    count = args_words(a, OPTION_DELAY, &words);
    for (i = 0; i < count; i++)
        n->capacity[named_station(n, a, OPTION_DELAY, words[i], by)] = HUGE_VAL;
    if (args_given(a, OPTION_RATES)) read_rates(n, a, by);
}
