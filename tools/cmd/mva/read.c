/* read.c - a closed queueing network from a file, and the stations of --fcfs */
#include "base/words.h"
#include "cmd/mva/mva.h"

/* Over a class whose times, each of which is fine, add up to what no solver computes with:
 * names the largest of them. */
TOOL_NORETURN static void fail_class(const mva_network *n, size_t row, int think,
                                     const int *station)
{
    const double *demand_s = n->demand_s + row * n->net.stations;
    double largest_s = n->think_s[row];
    int column = think;
    size_t l;
    for (l = 0; l < n->net.stations; l++)
        if (demand_s[l] > largest_s) { largest_s = demand_s[l]; column = station[l]; }
    if (!(largest_s > 0.0))
        csv_fail(n->file, row, CSV_NONE, "the times of class '%s' are all 0", n->class_name[row]);
    csv_fail(n->file, row, column, "%s is too %s to compute with%s",
             csv_text(n->file, row, column), largest_s > 1.0 ? "large" : "small",
             largest_s > 1.0 ? "" : ", and no time of the class is larger");
}

static void read_row(mva_network *n, size_t row, int population, int think, const int *station)
{
    const csv_table *t = n->file;
    const size_t L = n->net.stations;
    sgdp_network alone = n->net;
    size_t l;
    n->population[row] = (uint32_t)csv_integer(t, row, population, 0, UINT32_MAX);
    n->think_s[row] = csv_number(t, row, think, NUMBER_NON_NEGATIVE);
    for (l = 0; l < L; l++)
        n->demand_s[row * L + l] = csv_number(t, row, station[l], NUMBER_NON_NEGATIVE);
    /* What is left to refuse is a class as a whole: let the library judge it alone. */
    alone.classes = 1;
    alone.population += row;
    alone.think_s += row;
    alone.demand_s += row * L;
    if (sgdp_mva_bounds(&alone, NULL, NULL) == SGDP_BAD_ARGUMENT)
        fail_class(n, row, think, station);
}

void mva_read_network(mva_network *n, const char *path)
{
    const csv_table *t = n->file = csv_read(path, 0);
    const int class_column = csv_require(t, "class"), think = csv_require(t, "think_s");
    const int population = csv_require(t, "population");
    int *station = (int *)tool_alloc((size_t)t->columns, sizeof *station), i;
    size_t L = 0, row;
    csv_unique(t, &class_column, 1);
    n->station_name = (const char **)tool_alloc((size_t)t->columns, sizeof *n->station_name);
    for (i = 0; i < t->columns; i++) {
        if (i == class_column || i == think || i == population) continue;
        if (*t->header[i] == '\0')
            tool_fail("%s:%lu: a column without a name", t->name, (unsigned long)t->header_line);
        n->station_name[L] = t->header[i];
        station[L++] = i;
    }
    if (L == 0) tool_fail("%s:%lu: no station's column", t->name, (unsigned long)t->header_line);
    if (t->rows > (size_t)-1 / L) tool_fail("%s: too large", t->name);
    n->class_name = (const char **)tool_alloc(t->rows, sizeof *n->class_name);
    n->population = (uint32_t *)tool_alloc(t->rows, sizeof *n->population);
    n->think_s = (double *)tool_alloc(t->rows, sizeof *n->think_s);
    n->demand_s = (double *)tool_alloc(t->rows * L, sizeof *n->demand_s);
    n->discipline = (sgdp_discipline *)tool_alloc(L, sizeof *n->discipline);
    n->net.classes = t->rows;
    n->net.stations = L;
    n->net.population = n->population;
    n->net.think_s = n->think_s;
    n->net.demand_s = n->demand_s;
    n->net.discipline = n->discipline;
    for (row = 0; row < t->rows; row++) {
        n->class_name[row] = csv_text(t, row, class_column);
        if (csv_is_empty(t, row, class_column)) csv_fail(t, row, class_column, "the cell is empty");
        read_row(n, row, population, think, station);
    }
}

void mva_set_disciplines(mva_network *n, const args *a, enum mva_method method)
{
    static const char *const links[] = {"uplink", "downlink"};
    const int hybrid = method == MVA_HYBRID || args_given(a, OPTION_THRESHOLD);
    const sgdp_discipline discipline = hybrid ? SGDP_HYBRID : SGDP_FCFS;
    const size_t L = n->net.stations;
    char **names = NULL;
    size_t count = args_words(a, OPTION_FCFS, &names), i, l;
    for (i = 0; i < count; i++) {
        l = words_find(n->station_name, L, names[i]);
        if (l == L) args_fail(OPTION_FCFS, names[i], "is no station of %s", n->file->name);
        if (n->discipline[l] != SGDP_PS) args_fail(OPTION_FCFS, names[i], "is named twice");
        n->discipline[l] = discipline;
    }
    for (l = 0; l < L && method == MVA_INTERLEAVED; l++) n->discipline[l] = SGDP_INTERLEAVED;
    if (count > 0 || (method != MVA_FCFS && method != MVA_HYBRID)) return;
    for (i = 0; i < COUNT_OF(links); i++) {
        l = words_find(n->station_name, L, links[i]);
        if (l < L) { n->discipline[l] = discipline; count++; }
    }
    if (count == 0)
        tool_fail("--fcfs is missing: --method %s needs the stations it is about, and %s has "
                  "none called uplink or downlink", mva_method_names[method], n->file->name);
}
