/* protocols.c - a table of constants of collectives */
#include "model/protocols.h"

#include <string.h>

#define WORD(name, text) text,
const char *const protocol_collectives[SGDPAR_COLLECTIVE_COUNT] = { SGDPAR_COLLECTIVE_TABLE(WORD) };
const char *const protocol_algorithms[SGDPAR_ALGORITHM_COUNT] = { SGDPAR_ALGORITHM_TABLE(WORD) };
const char *const protocol_forms[SGDPAR_FORM_COUNT] = { SGDPAR_FORM_TABLE(WORD) };
#undef WORD

enum { PROTOCOLS_MOST = 10000, CHUNKS_MOST = 1000000, MACHINES_MOST = 1000000000 };

/* ---- Reading --------------------------------------------------------------- */

typedef struct columns {
    int name, collective, algorithm, inside, form, chunks, from, below, from_machines,
        below_machines, base, latency, local_latency, fraction, most;
} columns;

static columns find_columns(const csv_table *t)
{
    columns c;
    c.collective = csv_require(t, "collective");
    c.algorithm = csv_require(t, "algorithm");
    c.name = csv_column(t, "protocol");
    c.inside = csv_column(t, "inside");
    c.form = csv_column(t, "form");
    c.chunks = csv_column(t, "chunks");
    c.from = csv_column(t, "from_bytes");
    c.below = csv_column(t, "below_bytes");
    c.from_machines = csv_column(t, "from_machines");
    c.below_machines = csv_column(t, "below_machines");
    c.base = csv_column(t, "base_s");
    c.latency = csv_column(t, "latency_s");
    c.local_latency = csv_column(t, "local_latency_s");
    c.fraction = csv_column(t, "fraction");
    c.most = csv_column(t, "most_bytes_per_s");
    return c;
}

static double number_at(const csv_table *t, size_t row, int column)
{
    return csv_number_or(t, row, column, NUMBER_NON_NEGATIVE, 0.0);
}

static size_t word_at(const csv_table *t, size_t row, int column, const char *const *words,
                      size_t count)
{
    return csv_is_empty(t, row, column) ? 0 : csv_choice(t, row, column, words, count);
}

static sgdpar_protocol quick_of(const sgdpar_protocol *way)
{
    sgdpar_protocol p = *way;
    memset(&p.cost, 0, sizeof p.cost);
    return p;
}

/* Is it a way on some machines? Both levels are tried, as each form needs. */
static int is_way(const sgdpar_protocol *way)
{
    const sgdpar_protocol quick = quick_of(way), *p = &quick;
    sgdpar_topology on;
    double s = 0.0;
    memset(&on, 0, sizeof on);
    on.machines = on.gpus = 2;
    on.bandwidth_bytes_per_s = on.local_bandwidth_bytes_per_s = 1.0;
    if (sgdpar_collective_time(p->collective, p, &on, 1.0, &s) == SGDPAR_OK) return 1;
    on.gpus = 1;
    return sgdpar_collective_time(p->collective, p, &on, 1.0, &s) == SGDPAR_OK;
}

/* Of how many bytes and machines the row is. */
static void read_range(const csv_table *t, const columns *c, size_t row, sgdpar_range *r)
{
    r->from_bytes = number_at(t, row, c->from);
    r->below_bytes = csv_number_or(t, row, c->below, NUMBER_POSITIVE, 0.0);
    if (r->below_bytes > 0.0 && r->below_bytes <= r->from_bytes)
        csv_fail(t, row, c->below, "%g is not above from_bytes", r->below_bytes);
    r->from_machines = (uint32_t)csv_integer_or(t, row, c->from_machines, 1, MACHINES_MOST, 0);
    r->below_machines = (uint32_t)csv_integer_or(t, row, c->below_machines, 1, MACHINES_MOST, 0);
    if (r->below_machines > 0 && r->below_machines <= r->from_machines)
        csv_fail(t, row, c->below_machines, "%lu is not above from_machines",
                 (unsigned long)r->below_machines);
}

static void read_cost(const csv_table *t, const columns *c, size_t row, sgdpar_cost *cost)
{
    cost->base_s = number_at(t, row, c->base);
    cost->latency_s = number_at(t, row, c->latency);
    cost->local_latency_s = number_at(t, row, c->local_latency);
    cost->fraction = csv_number_or(t, row, c->fraction, NUMBER_FRACTION, 1.0);
    cost->most_bytes_per_s = csv_number_or(t, row, c->most, NUMBER_POSITIVE, 0.0);
    if (!(cost->fraction > 0.0)) csv_fail(t, row, c->fraction, "0 carries nothing");
}

static void read_row(const csv_table *t, const columns *c, size_t row, sgdpar_protocol *p)
{
    p->collective = (sgdpar_collective)csv_choice(t, row, c->collective, protocol_collectives,
                                                  SGDPAR_COLLECTIVE_COUNT);
    p->algorithm = (sgdpar_algorithm)csv_choice(t, row, c->algorithm, protocol_algorithms,
                                                SGDPAR_ALGORITHM_COUNT);
    p->inside = (sgdpar_algorithm)word_at(t, row, c->inside, protocol_algorithms,
                                          SGDPAR_ALGORITHM_COUNT);
    p->form = (sgdpar_form)word_at(t, row, c->form, protocol_forms, SGDPAR_FORM_COUNT);
    p->chunks = (uint32_t)csv_integer_or(t, row, c->chunks, 1, CHUNKS_MOST, 0);
    read_range(t, c, row, &p->range);
    read_cost(t, c, row, &p->cost);
    if (!is_way(p))
        csv_fail(t, row, c->algorithm, "'%s' does no %s", protocol_algorithms[p->algorithm],
                 protocol_collectives[p->collective]);
}

protocol_list protocols_of(const csv_table *t)
{
    const columns c = find_columns(t);
    protocol_list list;
    size_t i;
    if (t->rows > PROTOCOLS_MOST)
        csv_fail(t, PROTOCOLS_MOST, CSV_NONE, "more than %d rows", (int)PROTOCOLS_MOST);
    list.count = t->rows;
    list.protocol = (sgdpar_protocol *)tool_alloc(t->rows, sizeof *list.protocol);
    list.name = (const char **)tool_alloc(t->rows, sizeof *list.name);
    for (i = 0; i < t->rows; i++) {
        read_row(t, &c, i, &list.protocol[i]);
        list.name[i] = c.name == CSV_NONE ? "" : csv_text(t, i, c.name);
    }
    return list;
}

protocol_list protocols_read(const char *path) { return protocols_of(csv_read(path, 0)); }

/* ---- Without a file, or its costs ------------------------------------------ */

/* Not in form streamed, which is a library's reckoning and wants its constants. */
protocol_list protocols_plain(void)
{
    enum { MOST = SGDPAR_COLLECTIVE_COUNT * SGDPAR_ALGORITHM_COUNT * SGDPAR_FORM_COUNT };
    protocol_list list;
    size_t c, h, f;
    list.count = 0;
    list.protocol = (sgdpar_protocol *)tool_alloc(MOST, sizeof *list.protocol);
    list.name = (const char **)tool_alloc(MOST, sizeof *list.name);
    for (c = 0; c < SGDPAR_COLLECTIVE_COUNT; c++)
        for (h = 0; h < SGDPAR_ALGORITHM_COUNT; h++)
            for (f = 0; f < SGDPAR_FORM_COUNT; f++) {
                sgdpar_protocol *p = &list.protocol[list.count];
                memset(p, 0, sizeof *p);
                p->collective = (sgdpar_collective)c;
                p->algorithm = (sgdpar_algorithm)h;
                p->form = (sgdpar_form)f;
                if (p->form == SGDPAR_FORM_STREAMED || !is_way(p)) continue;
                list.name[list.count++] = "";
            }
    return list;
}

sgdpar_protocol *protocols_quick(const sgdpar_protocol *way, size_t count)
{
    sgdpar_protocol *quick = (sgdpar_protocol *)tool_alloc(count, sizeof *quick);
    size_t i;
    for (i = 0; i < count; i++) quick[i] = quick_of(&way[i]);
    return quick;
}

void protocols_keep(protocol_list *list, sgdpar_algorithm algorithm, sgdpar_form form)
{
    size_t i, kept = 0;
    for (i = 0; i < list->count; i++) {
        if (list->protocol[i].algorithm != algorithm || list->protocol[i].form != form) continue;
        list->protocol[kept] = list->protocol[i];
        list->name[kept++] = list->name[i];
    }
    list->count = kept;
}
