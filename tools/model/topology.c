/* topology.c - the machines that exchange, and the ways in which they do it, as options tell */
#include "model/topology.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

enum { TOPOLOGY_MOST = 1000000 };

uint32_t topology_read(sgdpar_topology *on, const args *a)
{
    const uint32_t gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, TOPOLOGY_MOST, 1);
    on->latency_s = args_number(a, OPTION_LATENCY, 0.0);
    on->bandwidth_bytes_per_s = args_number(a, OPTION_BANDWIDTH, 0.0);
    on->local_latency_s = args_number(a, OPTION_LOCAL_LATENCY, 0.0);
    on->local_bandwidth_bytes_per_s = args_number(a, OPTION_LOCAL_BANDWIDTH, 0.0);
    on->flow_cap_bytes_per_s = args_number(a, OPTION_FLOW_CAP, 0.0);
    on->channels = (uint32_t)args_integer(a, OPTION_RINGS, 1, TOPOLOGY_MOST, 1);
    if (gpus > 1 && !(on->local_bandwidth_bytes_per_s > 0.0))
        args_fail(OPTION_GPUS, NULL, "needs --local-bandwidth");
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
    out.protocol = protocols_quick(on->protocol, on->protocols);
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
    size_t used = 0, i;
    text[0] = '\0';
    for (i = 0; i < COUNT_OF(link) && used < bytes; i++)
        if (link[i].value > 0.0)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s %g %s", used > 0 ? ", " : "",
                                     option_name(link[i].id), link[i].value, link[i].unit);
    if (protocols && used < bytes)
        snprintf(text + used, bytes - used, "%sby the ways of --protocols %s", used > 0 ? ", " : "",
                 protocols);
    return text;
}

static int is_full(uint32_t workers, uint32_t gpus)
{
    return workers <= gpus || workers % gpus == 0;
}

/* "9, 10, 12" of the numbers that do not fill machines. */
static const char *unfilled(const uint32_t *workers, size_t count, uint32_t gpus)
{
    enum { SHOWN = 8, WORD = 16 };
    char *text = (char *)tool_alloc(SHOWN + 2, WORD);
    size_t i, found = 0;
    for (i = 0; i < count; i++) {
        if (is_full(workers[i], gpus)) continue;
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
    size_t i, kept = 0;
    for (i = 0; i < count; i++)
        if (is_full(workers[i], gpus)) workers[kept++] = workers[i];
    if (kept == 0)
        args_fail(option, NULL, "%s workers do not fill machines of %lu, --gpus", others,
                  (unsigned long)gpus);
    if (kept < count)
        tool_note("machines-not-full",
                  "%s: %s left out: machines of %lu, --gpus, are not full", option_name(option),
                  others,
                  (unsigned long)gpus);
    return kept;
}

TOOL_NORETURN static void fail_way(const char *text)
{
    char algorithms[80], forms[80];
    args_fail(OPTION_COLLECTIVE, text,
              "is neither auto nor an algorithm and a form, as ring:flat or "
              "halving:split (algorithms: %s; forms: %s)",
              words_join(protocol_algorithms, SGDPAR_ALGORITHM_COUNT, algorithms,
                         sizeof algorithms),
              words_join(protocol_forms, SGDPAR_FORM_COUNT, forms, sizeof forms));
}

topology_ways topology_read_ways(const args *a, const char *text)
{
    topology_ways of;
    char **word = NULL;
    size_t algorithm, form = 0, words;
    of.text = text;
    of.file = args_text(a, OPTION_PROTOCOLS, NULL);
    of.list = of.file ? protocols_read(of.file) : protocols_plain();
    if (strcmp(text, "auto") == 0) return of;
    words = args_split(text, ':', &word);
    algorithm = words_find(protocol_algorithms, SGDPAR_ALGORITHM_COUNT, word[0]);
    if (words == 2) form = words_find(protocol_forms, SGDPAR_FORM_COUNT, word[1]);
    if (words > 2 || algorithm >= SGDPAR_ALGORITHM_COUNT || form >= SGDPAR_FORM_COUNT)
        fail_way(text);
    protocols_keep(&of.list, (sgdpar_algorithm)algorithm, (sgdpar_form)form);
    if (of.list.count == 0 && of.file)
        args_fail(OPTION_COLLECTIVE, text, "is no way of --protocols %s", of.file);
    if (of.list.count == 0)            /* see protocols_plain */
        args_fail(OPTION_COLLECTIVE, text, "needs --protocols, which tell what it costs");
    return of;
}

int topology_ways_cost(const protocol_list *list)
{
    size_t i;
    for (i = 0; i < list->count; i++) {
        const sgdpar_cost *c = &list->protocol[i].cost;
        if (c->base_s > 0.0 || c->latency_s > 0.0 || c->local_latency_s > 0.0) return 1;
    }
    return 0;
}

void topology_note_free(void)
{
    tool_note("free-messages",
              "no --latency was given, and --protocols tells none: messages cost nothing but "
              "their bytes, so small ones look too good");
}
