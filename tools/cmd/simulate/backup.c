/* backup.c - sgdperf simulate --backup: a step of an all-reduce waits for all but its slowest
 * workers
 *
 * Its workers meet nowhere but at the barrier, so a run without barriers tells how long each one
 * takes for each of its steps. In the run that counts, the late ones replay the step of the last
 * worker that counts: the barrier opens when that one is there. */
#include "base/numbers.h"
#include "cmd/simulate/simulate.h"

#include <stdlib.h>
#include <string.h>

typedef struct replayed {
    uint32_t *step;           /* [workers][steps] of the trace                      */
    double   *end_s;          /* [workers][steps]                                   */
    uint64_t  steps;
} replayed;

static void note_step(void *ctx, const sgdsim_event *e)
{
    const replayed *to = (const replayed *)ctx;
    to->step[e->worker * to->steps + e->step] = e->traced_step;
}

static sgdsim_status run_apart(const simulation *s, const sgdsim_config *config, replayed *to)
{
    sgdsim_config apart = *config;
    sgdsim_result out = {0};
    size_t bytes = 0;
    to->steps = config->length.steps;
    to->step = (uint32_t *)tool_alloc(to->steps, s->workers * sizeof *to->step);
    to->end_s = (double *)tool_alloc(to->steps, s->workers * sizeof *to->end_s);
    apart.mode = SGDSIM_ASYNC;
    apart.length.warmup = 0;
    apart.watch.on_op = note_step;
    apart.watch.ctx = to;
    out.step_end_s = to->end_s;
    sgdsim_status status = sgdsim_run_bytes(&apart, &bytes);
    if (status != SGDSIM_OK) return status;
    void *work = tool_alloc(bytes, 1);
    status = sgdsim_run(&apart, work, bytes, &out);
    tool_free(work);
    return status;
}

sgdsim_status backup_sequence(const simulation *s, sgdsim_config *config)
{
    replayed all;
    double *took_s = (double *)tool_alloc(s->workers, 2 * sizeof *took_s);
    double *sorted_s = took_s + s->workers;
    const sgdsim_status status = run_apart(s, config, &all);
    for (uint64_t k = 0; k < all.steps && status == SGDSIM_OK; k++) {
        size_t last = 0;
        for (size_t w = 0; w < s->workers; w++) {
            const double *end_s = all.end_s + w * all.steps + k;
            took_s[w] = k > 0 ? end_s[0] - end_s[-1] : end_s[0];
        }
        memcpy(sorted_s, took_s, s->workers * sizeof *took_s);
        qsort(sorted_s, s->workers, sizeof *sorted_s, number_compare);
        const double most_s = sorted_s[s->workers - s->backup - 1];
        while (took_s[last] < most_s || took_s[last] > most_s) last++;
        for (size_t w = 0; w < s->workers; w++)
            if (took_s[w] > most_s)
                all.step[w * all.steps + k] = all.step[last * all.steps + k];
    }
    tool_free(took_s);
    tool_free(all.end_s);
    config->variation.sequence = all.step;
    return status;
}
