/* topology.c - the machines that exchange, and the ways in which they do it: options, and a table
 * of constants of collectives */
#include "model/topology.h"

#include "base/words.h"
#include "files/networks.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#define BYTEPS_WAY sgdpar_algorithm_text(SGDPAR_ALGORITHM_BYTEPS)
#define WORD(name, text) text,
const char *const protocol_collectives[SGDPAR_COLLECTIVE_COUNT] = { SGDPAR_COLLECTIVE_TABLE(WORD) };
const char *const protocol_algorithms[SGDPAR_ALGORITHM_COUNT] = { SGDPAR_ALGORITHM_TABLE(WORD) };
const char *const protocol_forms[SGDPAR_FORM_COUNT] = { SGDPAR_FORM_TABLE(WORD) };
const char *const topology_shardings[SGDPAR_SHARDING_COUNT] = { SGDPAR_SHARDING_TABLE(WORD) };
#undef WORD

enum { PROTOCOLS_MOST = 10000, CHUNKS_MOST = 1000000, MACHINES_MOST = 1000000000 };

/* ---- Protocols: reading --------------------------------------------------------- */

static double number_at(const csv_table *t, size_t row, const char *column)
{
    return csv_number_or(t, row, csv_column(t, column), NUMBER_NON_NEGATIVE, 0.0);
}

static uint32_t whole_at(const csv_table *t, size_t row, const char *column, uint32_t most)
{
    return (uint32_t)csv_integer_or(t, row, csv_column(t, column), 1, most, 0);
}

static size_t word_at(const csv_table *t, size_t row, const char *name, const char *const *words,
                      size_t count)
{
    const int column = csv_column(t, name);
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
    sgdpar_topology on = {.machines = 2, .gpus = 2, .bandwidth_bytes_per_s = 1.0,
                          .local_bandwidth_bytes_per_s = 1.0};
    double s = 0.0;
    if (sgdpar_collective_time(p->collective, p, &on, 1.0, &s) == SGDPAR_OK) return 1;
    on.gpus = 1;
    return sgdpar_collective_time(p->collective, p, &on, 1.0, &s) == SGDPAR_OK;
}

/* Of how many bytes and machines the row is. */
static void read_range(const csv_table *t, size_t row, sgdpar_range *r)
{
    const int below = csv_column(t, "below_bytes");
    r->from_bytes = number_at(t, row, "from_bytes");
    r->below_bytes = csv_number_or(t, row, below, NUMBER_POSITIVE, 0.0);
    if (r->below_bytes > 0.0 && r->below_bytes <= r->from_bytes)
        csv_fail(t, row, below, "%g is not above from_bytes", r->below_bytes);
    r->from_machines = whole_at(t, row, "from_machines", MACHINES_MOST);
    r->below_machines = whole_at(t, row, "below_machines", MACHINES_MOST);
    if (r->below_machines > 0 && r->below_machines <= r->from_machines)
        csv_fail(t, row, csv_column(t, "below_machines"), "%lu is not above from_machines",
                 (unsigned long)r->below_machines);
}

static void read_cost(const csv_table *t, size_t row, sgdpar_cost *cost)
{
    const int fraction = csv_column(t, "fraction"), most = csv_column(t, "most_bytes_per_s");
    cost->base_s = number_at(t, row, "base_s");
    cost->latency_s = number_at(t, row, "latency_s");
    cost->local_latency_s = number_at(t, row, "local_latency_s");
    cost->fraction = csv_number_or(t, row, fraction, NUMBER_FRACTION, 1.0);
    cost->most_bytes_per_s = csv_number_or(t, row, most, NUMBER_POSITIVE, 0.0);
    if (!(cost->fraction > 0.0)) csv_fail(t, row, fraction, "0 is not a bandwidth: give a "
                                                            "positive fraction");
}

static void read_row(const csv_table *t, size_t row, sgdpar_protocol *p)
{
    const int collective = csv_require(t, "collective"), algorithm = csv_require(t, "algorithm");
    p->collective = (sgdpar_collective)csv_choice(t, row, collective, protocol_collectives,
                                                  SGDPAR_COLLECTIVE_COUNT);
    p->algorithm = (sgdpar_algorithm)csv_choice(t, row, algorithm, protocol_algorithms,
                                                SGDPAR_ALGORITHM_COUNT);
    p->inside = (sgdpar_algorithm)word_at(t, row, "inside", protocol_algorithms,
                                          SGDPAR_ALGORITHM_COUNT);
    p->form = (sgdpar_form)word_at(t, row, "form", protocol_forms, SGDPAR_FORM_COUNT);
    p->chunks = whole_at(t, row, "chunks", CHUNKS_MOST);
    read_range(t, row, &p->range);
    read_cost(t, row, &p->cost);
    if (!is_way(p))
        csv_fail(t, row, algorithm, "'%s' cannot do %s", protocol_algorithms[p->algorithm],
                 protocol_collectives[p->collective]);
}

protocol_list protocols_of(const csv_table *t)
{
    const int name = csv_column(t, "protocol");
    protocol_list list;
    if (t->rows > PROTOCOLS_MOST)
        csv_fail(t, PROTOCOLS_MOST, CSV_NONE, "the table has more than %d rows",
                 (int)PROTOCOLS_MOST);
    list.count = t->rows;
    list.protocol = (sgdpar_protocol *)tool_alloc(t->rows, sizeof *list.protocol);
    list.name = (const char **)tool_alloc(t->rows, sizeof *list.name);
    for (size_t i = 0; i < t->rows; i++) {
        read_row(t, i, &list.protocol[i]);
        list.name[i] = name == CSV_NONE ? "" : csv_text(t, i, name);
    }
    return list;
}

/* ---- Protocols: without a file, or its costs ------------------------------------ */

/* Every way that sgdperf_parallel.h knows, at no cost but its messages; not in form streamed,
 * which is a library's reckoning and wants its constants; and not BytePS, which must be asked for:
 * it may have machines of its own. */
static protocol_list plain_ways(void)
{
    enum { MOST = SGDPAR_COLLECTIVE_COUNT * SGDPAR_ALGORITHM_COUNT * SGDPAR_FORM_COUNT };
    protocol_list list;
    list.count = 0;
    list.protocol = (sgdpar_protocol *)tool_alloc(MOST, sizeof *list.protocol);
    list.name = (const char **)tool_alloc(MOST, sizeof *list.name);
    for (size_t c = 0; c < SGDPAR_COLLECTIVE_COUNT; c++)
        for (size_t h = 0; h < SGDPAR_ALGORITHM_COUNT; h++)
            for (size_t f = 0; f < SGDPAR_FORM_COUNT; f++) {
                const sgdpar_protocol p = {.collective = (sgdpar_collective)c,
                                           .algorithm = (sgdpar_algorithm)h,
                                           .form = (sgdpar_form)f};
                if (p.form == SGDPAR_FORM_STREAMED || !is_way(&p)) continue;
                if (p.algorithm == SGDPAR_ALGORITHM_BYTEPS) continue; /* other machines */
                list.protocol[list.count] = p;
                list.name[list.count++] = "";
            }
    return list;
}

/* Keeps those of the list that are done by this algorithm, all-reduces in this form and what they
 * are made of in the other. */
static void keep_ways(protocol_list *list, sgdpar_algorithm algorithm, sgdpar_form form,
                      sgdpar_form of_parts)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const int whole = list->protocol[i].collective == SGDPAR_COLLECTIVE_ALL_REDUCE;
        if (list->protocol[i].algorithm != algorithm) continue;
        if (list->protocol[i].form != (whole ? form : of_parts)) continue;
        list->protocol[kept] = list->protocol[i];
        list->name[kept++] = list->name[i];
    }
    list->count = kept;
}

/* All-reduces alone. */
static protocol_list byteps_way(void)
{
    static sgdpar_protocol way = {.collective = SGDPAR_COLLECTIVE_ALL_REDUCE,
                                  .algorithm = SGDPAR_ALGORITHM_BYTEPS,
                                  .form = SGDPAR_FORM_INSIDE};
    static const char *name = "";
    return (protocol_list){&way, &name, 1};
}

static int has_word(const args *a, option_id id, const char *wanted)
{
    char **word = NULL;
    const size_t words = args_words(a, id, &word);
    for (size_t i = 0; i < words; i++)
        if (strcmp(word[i], wanted) == 0) return 1;
    return 0;
}

/* ---- Machines -------------------------------------------------------------------- */

enum { TOPOLOGY_MOST = 1000000 };

uint32_t topology_read(sgdpar_topology *on, const args *a, const csv_table *file)
{
    const uint32_t gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, TOPOLOGY_MOST, 1);
    sgdp_job job = {0};
    job_kinds kinds = kinds_links(a, &job);
    const int machine = file ? csv_column(file, "machine_accelerators") : CSV_NONE;
    double local = job.machine.local_bandwidth_bytes_per_s;
    size_t row = 0;                    /* of a trace, one row tells                     */
    while (machine != CSV_NONE && row + 1 < file->rows && csv_is_empty(file, row, machine)) row++;
    on->latency_s = job.links.latency_s;
    on->bandwidth_bytes_per_s = job.links.bandwidth_bytes_per_s;
    on->local_latency_s = args_number(a, OPTION_LOCAL_LATENCY, 0.0);
    kinds_take_traced(&kinds, a, file, row, &local);
    on->local_bandwidth_bytes_per_s = local;
    on->flow_cap_bytes_per_s = args_number(a, OPTION_FLOW_CAP, 0.0);
    on->channels = (uint32_t)args_integer(a, OPTION_RINGS, 1, TOPOLOGY_MOST, 1)
                 * (kinds.cards > 0 ? kinds.cards : 1);
    on->beside = (uint32_t)args_integer(a, OPTION_CPU_MACHINES, 0, TOPOLOGY_MOST, 0);
    if (on->beside > 0 && !has_word(a, OPTION_COLLECTIVE, BYTEPS_WAY))
        args_fail(OPTION_CPU_MACHINES, NULL, "needs --collective %s", BYTEPS_WAY);
    if (gpus > 1 && !(on->local_bandwidth_bytes_per_s > 0.0))
        args_fail(OPTION_GPUS, NULL, "needs --local-bandwidth or --local-network");
    return gpus;
}

sgdpar_topology topology_on(const sgdpar_topology *links, uint32_t gpus, uint32_t workers)
{
    sgdpar_topology on = *links;
    on.gpus = workers < gpus ? workers : gpus;
    on.machines = workers / on.gpus;
    return on;
}

sgdpar_network topology_quick(const sgdpar_network *on)
{
    const double bytes_per_s = 1e9, latency_s = 1e-6;
    sgdpar_network out = *on;
    sgdpar_topology *t = &out.topology;
    t->flow_cap_bytes_per_s = 0.0;
    if (t->latency_s > 0.0) t->latency_s = latency_s;
    if (t->local_latency_s > 0.0) t->local_latency_s = latency_s;
    if (t->bandwidth_bytes_per_s > 0.0) t->bandwidth_bytes_per_s = bytes_per_s;
    if (t->local_bandwidth_bytes_per_s > 0.0) t->local_bandwidth_bytes_per_s = bytes_per_s;
    sgdpar_protocol *quick = (sgdpar_protocol *)tool_alloc(on->protocols, sizeof *quick);
    for (size_t i = 0; i < on->protocols; i++) quick[i] = quick_of(&on->protocol[i]);
    out.protocol = quick;
    return out;
}

const char *topology_text(const sgdpar_topology *on, const char *protocols, char *text,
                          size_t bytes)
{
    const struct { option_id id; double value; const char *unit; } link[] = {
        {OPTION_BANDWIDTH, on->bandwidth_bytes_per_s, "B/s"},
        {OPTION_FLOW_CAP, on->flow_cap_bytes_per_s, "B/s"},
        {OPTION_LATENCY, on->latency_s, "s"},
        {OPTION_LOCAL_BANDWIDTH, on->gpus > 1 ? on->local_bandwidth_bytes_per_s : 0.0, "B/s"},
        {OPTION_LOCAL_LATENCY, on->gpus > 1 ? on->local_latency_s : 0.0, "s"}
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(link) && used < bytes; i++)
        if (link[i].value > 0.0)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s %g %s", used > 0 ? ", " : "",
                                     option_name(link[i].id), link[i].value, link[i].unit);
    if (protocols && used < bytes)
        snprintf(text + used, bytes - used, "%swith the costs of --protocols %s",
                 used > 0 ? ", " : "",
                 protocols);
    return text;
}

double topology_alltoall_s(const sgdpar_topology *on, double bytes)
{
    static const sgdpar_protocol by = {.algorithm = SGDPAR_ALGORITHM_PAIRWISE};
    double s = 0.0;
    if (!(bytes > 0.0)) return 0.0;
    if (sgdpar_collective_time(SGDPAR_COLLECTIVE_ALL_TO_ALL, &by, on, bytes, &s) != SGDPAR_OK)
        args_fail(OPTION_ALLTOALL_SIZE, NULL, "takes a time that is too large for a number");
    return s;
}

double topology_alltoall_bytes(const args *a, double otherwise)
{
    const double of_one = args_number(a, OPTION_TOKEN_SIZE, 0.0);
    const double bytes = of_one * args_number(a, OPTION_TOKENS, 0.0);
    if (!args_given(a, OPTION_TOKENS)) return args_number(a, OPTION_ALLTOALL_SIZE, otherwise);
    if (!(bytes <= DBL_MAX)) args_fail(OPTION_TOKENS, NULL, "have too many bytes for a number");
    return bytes;
}

int topology_fills(uint32_t gpus, uint32_t workers)
{
    return workers <= gpus || workers % gpus == 0;
}

/* "9, 10, 12" of the numbers that do not fill machines. */
static const char *unfilled(const uint32_t *workers, size_t count, uint32_t gpus)
{
    enum { SHOWN = 8, WORD = 16 };
    char *text = (char *)tool_alloc(SHOWN + 2, WORD);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (topology_fills(gpus, workers[i])) continue;
        if (found < SHOWN)
            sprintf(text + strlen(text), "%s%lu", found > 0 ? ", " : "", (unsigned long)workers[i]);
        found++;
    }
    if (found > SHOWN) sprintf(text + strlen(text), ", ...");
    return text;
}

size_t topology_keep_full(option_id option, uint32_t *workers, size_t count, uint32_t gpus)
{
    const char *others = unfilled(workers, count, gpus);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (topology_fills(gpus, workers[i])) workers[kept++] = workers[i];
    if (kept == 0)
        args_fail(option, NULL, "%s workers do not fill machines of %lu accelerators: give a "
                  "multiple of %s", others, (unsigned long)gpus, NAME_OF(GPUS));
    if (kept < count)
        tool_note("machines-not-full", "%s: %s left out, as they do not fill machines of %lu "
                  "accelerators (%s)", option_name(option), others, (unsigned long)gpus,
                  NAME_OF(GPUS));
    return kept;
}

uint32_t topology_machine(const csv_table *file, const args *a)
{
    const int column = file ? csv_column(file, "machine_accelerators") : CSV_NONE;
    const int linked = args_given(a, OPTION_BANDWIDTH) || args_given(a, OPTION_NETWORK);
    uint64_t most = 0, each;           /* of one machine, of each of several            */
    if (!file) return 0;
    each = csv_integer_or(file, 0, csv_column(file, "traced_accelerators"), 1, UINT32_MAX, 0);
    if (each > 0 && !linked)
        tool_note("mixed-links", "%s was traced on several machines of %lu accelerators: the "
                  "traced rate mixes links inside machines and between them", file->name,
                  (unsigned long)each);
    for (size_t i = 0; i < file->rows && column != CSV_NONE; i++) {
        const uint64_t told = csv_integer_or(file, i, column, 1, UINT32_MAX, 0);
        if (told > 0 && (most == 0 || told < most)) most = told;
    }
    if (!linked) return (uint32_t)most;
    if (each > most) most = each;
    if (most > 1 && !args_given(a, OPTION_GPUS))
        tool_note("link-per-worker",
                  "%s was traced on machines of %lu accelerators, but here each worker has a link "
                  "of its own: %s sets the accelerators that share one", file->name,
                  (unsigned long)most, NAME_OF(GPUS));
    return 0;
}

size_t topology_keep_inside(const csv_table *file, uint32_t most, option_id option,
                            uint32_t *workers, size_t count)
{
    uint32_t least = UINT32_MAX;
    size_t kept = 0;
    if (most == 0) return count;
    for (size_t i = 0; i < count; i++) {
        if (workers[i] < least) least = workers[i];
        if (workers[i] <= most) workers[kept++] = workers[i];
    }
    if (kept == 0)
        args_fail(option, NULL, "%lu workers are more than the %lu accelerators of the traced "
                  "machine, and no link between machines is known: give %s", (unsigned long)least,
                  (unsigned long)most, NAME_OF(BANDWIDTH));
    if (kept < count)
        tool_note("link-unknown", "%s: the bandwidth is that inside a machine of %lu accelerators: "
                  "larger numbers of workers are left out; give the link between machines by %s",
                  file->name, (unsigned long)most, NAME_OF(BANDWIDTH));
    return kept;
}

TOOL_NORETURN static void fail_way(const char *text)
{
    char algorithms[80], forms[80];
    args_fail(OPTION_COLLECTIVE, text,
              "is neither auto, cluster, byteps nor an algorithm and a form, as ring:flat or "
              "halving:split (algorithms: %s; forms: %s)",
              words_join(protocol_algorithms, SGDPAR_ALGORITHM_BYTEPS, algorithms,
                         sizeof algorithms),
              words_join(protocol_forms, SGDPAR_FORM_COUNT, forms, sizeof forms));
}

const char *topology_usual_ways(const args *a, int stretches)
{
    return stretches && !args_given(a, OPTION_PROTOCOLS) ? "cluster" : "auto";
}

topology_ways topology_read_ways(const args *a, const char *text)
{
    char **word = NULL;
    size_t algorithm, form = 0, words;
    topology_ways of = {.text = text, .file = args_text(a, OPTION_PROTOCOLS, NULL)};
    const int cluster = strcmp(text, "cluster") == 0, byteps = strcmp(text, BYTEPS_WAY) == 0;
    if (of.file && (cluster || byteps))
        args_fail(OPTION_COLLECTIVE, text, "cannot be combined with --protocols");
    of.list = of.file ? protocols_of(csv_read(of.file, 0)) : byteps ? byteps_way() : plain_ways();
    if (strcmp(text, "auto") == 0 || byteps) return of;
    if (cluster) {
        keep_ways(&of.list, SGDPAR_ALGORITHM_RING, SGDPAR_FORM_INSIDE, SGDPAR_FORM_SPLIT);
        return of;
    }
    words = args_split(text, ':', &word);
    algorithm = words_find(protocol_algorithms, SGDPAR_ALGORITHM_COUNT, word[0]);
    if (words == 2) form = words_find(protocol_forms, SGDPAR_FORM_COUNT, word[1]);
    if (words > 2 || algorithm >= SGDPAR_ALGORITHM_BYTEPS || form >= SGDPAR_FORM_COUNT)
        fail_way(text);
    keep_ways(&of.list, (sgdpar_algorithm)algorithm, (sgdpar_form)form, (sgdpar_form)form);
    if (of.list.count == 0 && of.file)
        args_fail(OPTION_COLLECTIVE, text, "is not a collective of --protocols %s", of.file);
    if (of.list.count == 0)            /* see plain_ways */
        args_fail(OPTION_COLLECTIVE, text, "needs --protocols, the table of its costs");
    return of;
}

const char *topology_ways_text(const topology_ways *ways)
{
    return tool_text("--collective '%s'%s", ways->text, ways->file ? " of --protocols" : "");
}

int topology_ways_cost(const protocol_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const sgdpar_cost *c = &list->protocol[i].cost;
        if (c->base_s > 0.0 || c->latency_s > 0.0 || c->local_latency_s > 0.0) return 1;
    }
    return 0;
}

void topology_note_free(void)
{
    tool_note("free-messages",
              "no --latency was given, nor --protocols with a latency: messages cost only their "
              "bytes, so small messages look too fast");
}
