/* networks.c - kinds of networks by name */
#include "files/networks.h"

#include "base/words.h"

#include <string.h>

#define NETWORK(name, kind, line, share, flows, cap, latency, known, source, date, note) \
    {name, kind, line, share, flows, cap, latency, known, source, date, note},
const network networks_all[] = {
#include "files/networks.def"
};
#undef NETWORK
const size_t networks_count = COUNT_OF(networks_all);

const network *network_find(const char *name)
{
    size_t i = 0;
    while (i < networks_count && strcmp(networks_all[i].name, name) != 0) i++;
    return i < networks_count ? &networks_all[i] : NULL;
}

const network *network_read(const args *a, option_id id)
{
    const char *name = args_text(a, id, NULL);
    const network *found = name ? network_find(name) : NULL;
    words_guess guess = {NULL, NULL, 0};
    size_t i;
    if (!name || found) return found;
    guess.text = name;
    for (i = 0; i < networks_count; i++) words_consider(&guess, networks_all[i].name);
    args_fail(id, name, "is no kind of network%s%s%s; sgdperf networks lists them",
              guess.nearest ? ", did you mean " : "", guess.nearest ? guess.nearest : "",
              guess.nearest ? "?" : "");
}

double network_carries(const network *of, option_id id, double declared)
{
    const double line = declared > 0.0 ? declared : of->line_bytes_per_s;
    const double cap = of->flows * of->flow_cap_bytes_per_s;
    if (!(line > 0.0))
        args_fail(id, of->name, "has no line rate of its own: give the machine's as a bandwidth");
    return cap > 0.0 && cap < of->share * line ? cap : of->share * line;
}
