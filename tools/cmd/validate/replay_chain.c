/* replay_chain.c - the rate of a run whose steps are chained */
#include "cmd/validate/replay_chain.h"

#include <string.h>

void replay_chain_note(void *ctx, const sgdsim_event *event)
{
    replay_chain *chain = (replay_chain *)ctx;
    double *end_s = chain->end_s + event->worker * chain->copies + event->op / chain->ops;
    if (event->resource == SGDSIM_SERVER && event->end_s > *end_s) *end_s = event->end_s;
}

/* Of all workers, each from its first to its last step between two times, so that no part of
 * a step counts. */
static double rate_between(const replay_chain *chain, double from_s, double until_s)
{
    double rate = 0.0;
    size_t w, k;
    for (w = 0; w < chain->workers; w++) {
        const double *end_s = chain->end_s + w * chain->copies;
        double first_s = 0.0, last_s = 0.0;
        size_t inside = 0;
        for (k = 0; k < chain->copies; k++) {
            if (end_s[k] < from_s || end_s[k] > until_s) continue;
            if (inside++ == 0) first_s = end_s[k];
            last_s = end_s[k];
        }
        if (inside > 1 && last_s > first_s) rate += (double)(inside - 1) / (last_s - first_s);
    }
    return rate;
}

/* From when all workers are warm until the first one has done all its steps. */
void replay_chain_count(void *ctx, uint64_t run, sgdsim_result *result)
{
    replay_chain *chain = (replay_chain *)ctx;
    double from_s = 0.0, until_s = result->makespan_s;
    size_t w;
    for (w = 0; w < chain->workers; w++) {
        const double *end_s = chain->end_s + w * chain->copies;
        if (end_s[chain->warm] > from_s) from_s = end_s[chain->warm];
        if (end_s[chain->copies - 1] < until_s) until_s = end_s[chain->copies - 1];
    }
    chain->rate_per_s[run] = rate_between(chain, from_s, until_s);
    memset(chain->end_s, 0, chain->workers * chain->copies * sizeof *chain->end_s);
}
