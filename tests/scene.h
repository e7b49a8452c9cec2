/* scene.h - steps of the simulator by hand, as their ops, and a run of them. */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include "../sgdperf_sim.h"
#include "memory.h"
#include "test.h"

/* Runs in a work area of exactly the size asked for, filled with `dirt`. */
static inline sgdsim_status run_in_dirt(const sgdsim_config *config, int dirt,
                                        sgdsim_result *out)
{
    size_t bytes = 0;
    sgdsim_status status = sgdsim_run_bytes(config, &bytes);
    if (status != SGDSIM_OK) return status;
    void *work = get_memory(bytes, 1);
    memset(work, dirt, bytes);
    status = sgdsim_run(config, work, bytes, out);
    free(work);
    return status;
}

/* ---- Ops, by what they do: {WORK(2.0), AFTER(0, 1)} ----------------------------- */

#define DOWN(amount) .resource = SGDSIM_DOWNLINK, .bytes = (amount)
#define UP(amount)   .resource = SGDSIM_UPLINK, .bytes = (amount)
#define WORK(time_s) .resource = SGDSIM_WORKER, .duration_s = (time_s)
#define UPDATE(time_s) .resource = SGDSIM_SERVER, .duration_s = (time_s)
#define AT(index)    .server = (index)
#define AFTER(...)   .waits_for = (const uint32_t[]){__VA_ARGS__}, \
                     .waits = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* Three steps of workers of one type, by links of 1 MB/s. */
static inline sgdsim_config layered(const sgdsim_trace *trace, const uint32_t *workers)
{
    return (sgdsim_config){.workers.types = 1, .workers.trace = trace, .workers.count = workers,
                           .links.bandwidth_bytes_per_s = 1e6, .length.steps = 3};
}

/* ---- Scenes ---------------------------------------------------------------------- */

/* One step of one worker of each type, by links of 1 byte/s, and when the workers' steps end. */
enum { SCENE_TYPES = 4, SCENE_ENDS = 64 };
typedef struct scene {
    sgdsim_step   step[SCENE_TYPES];
    sgdsim_trace  trace[SCENE_TYPES];
    uint32_t      workers[SCENE_TYPES];
    sgdsim_config config;
    double        end_s[SCENE_ENDS];
    sgdsim_result out;
} scene;

/* A type has the next of the ops, so many as it says. */
static inline void set_scene(scene *s, const sgdsim_op *op, const size_t *ops, size_t types)
{
    memset(s, 0, sizeof *s);
    s->config = layered(s->trace, s->workers);
    s->config.workers.types = types;
    s->config.links.bandwidth_bytes_per_s = 1.0;
    s->config.length.steps = 1;
    s->out.step_end_s = s->end_s;
    for (size_t t = 0; t < types; op += ops[t++]) {
        s->step[t] = (sgdsim_step){op, ops[t]};
        s->trace[t] = (sgdsim_trace){s->step + t, 1};
        s->workers[t] = 1;
    }
}
#define SET_SCENE(s, op, ...) set_scene(s, op, (const size_t[]){__VA_ARGS__}, \
                                        sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t))

static inline void play(scene *s) { CHECK_STATUS(run_in_dirt(&s->config, 0, &s->out), SGDSIM_OK); }

/* The ends of the steps, within a part of each. */
static inline void ends_are(const double *got_s, const double *want_s, size_t ends, double within)
{
    for (size_t i = 0; i < ends; i++) CHECK_REL(got_s[i], want_s[i], within);
}

#endif /* TESTS_SCENE_H */
