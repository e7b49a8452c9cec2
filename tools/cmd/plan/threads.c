/* threads.c - how much longer threads take at once: see measure.h */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L /* threads */
#define THREADS_POSIX 1
#include <pthread.h>
#else
#define THREADS_POSIX 0
#endif

#include "base/progress.h"
#include "base/tool.h"
#include "cmd/plan/measure.h"

#if THREADS_POSIX

/* Threads wait at the gate until all are warm. */
typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t  opened;
    size_t          waiting, threads;
} gate;

typedef struct runner { sample s; gate *g; } runner;

static void gate_pass(gate *g)
{
    pthread_mutex_lock(&g->lock);
    if (++g->waiting == g->threads) pthread_cond_broadcast(&g->opened);
    while (g->waiting < g->threads) pthread_cond_wait(&g->opened, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void *runner_main(void *at)
{
    runner *r = (runner *)at;
    measure_warm(&r->s);
    gate_pass(r->g);
    measure_run(&r->s);
    return NULL;
}

/* Mean time of a pass on `threads` threads at once. */
static double run_threads(const sample *alone, runner *r, pthread_t *id, size_t threads)
{
    gate g = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    double sum = 0.0;
    size_t i;
    g.threads = threads;
    for (i = 0; i < threads; i++) {
        r[i].g = &g;
        r[i].s.passes = alone->passes;
        if (pthread_create(&id[i], NULL, runner_main, &r[i]) != 0)
            tool_fail("plan measure: the system starts no more than %lu threads",
                      (unsigned long)i);
    }
    for (i = 0; i < threads; i++) {
        pthread_join(id[i], NULL);
        sum += r[i].s.pass_s;
    }
    return sum / (double)threads;
}

/* One thread and many take turns; the median of the ratios. */
static estimate interference(const measurement *m, size_t threads)
{
    sample alone = measure_shared_sample(m);
    runner *r = (runner *)tool_alloc(threads, sizeof *r);
    pthread_t *id = (pthread_t *)tool_alloc(threads, sizeof *id);
    double ratio[MEASURE_RUNS];
    estimate e;
    size_t i;
    measure_size(&alone, m->run_s);
    for (i = 0; i < threads; i++) r[i].s = measure_shared_sample(m);
    for (i = 0; i < m->runs; i++) {
        const double one_s = run_threads(&alone, r, id, 1);
        ratio[i] = run_threads(&alone, r, id, threads) / one_s;
    }
    e.spread = measure_spread(ratio, m->runs);
    e.value = measure_median(ratio, m->runs);
    return e;
}

#else

static estimate interference(const measurement *m, size_t threads)
{
    (void)m;
    tool_fail("plan measure: %lu threads on a system without POSIX threads",
              (unsigned long)threads);
}

#endif

void measure_threads(measurement *m)
{
    static const estimate one = {1.0, 0.0};
    size_t threads = 1, i = 0;
    for (;;) {
        tool_progress("threads", threads, m->threads + 1);
        m->interf_at[i] = (double)threads;
        m->interf[i++] = threads > 1 ? interference(m, threads) : one;
        if (threads == m->threads) break;
        threads = 2 * threads < m->threads ? 2 * threads : m->threads;
    }
    m->interfs = i;
    tool_progress("threads", 1, 1);
}
