/* clock.c - sleeps, drawn durations, the log */
#include "testbed.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Sleeps ----------------------------------------------------------------------- */

/* How late all threads of this process woke up, in all. */
static struct {
    pthread_mutex_t mutex;
    double          sum_s, most_s;
    unsigned long   sleeps;
} late = {PTHREAD_MUTEX_INITIALIZER, 0.0, 0.0, 0};

double tb_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tb_sleep_until(double when_s)
{
    struct timespec t;
    double late_s;
    if (when_s <= tb_now()) return;
    t.tv_sec = (time_t)when_s;
    t.tv_nsec = (long)((when_s - floor(when_s)) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
    late_s = tb_now() - when_s;
    pthread_mutex_lock(&late.mutex);
    late.sum_s += late_s;
    if (late_s > late.most_s) late.most_s = late_s;
    late.sleeps++;
    pthread_mutex_unlock(&late.mutex);
}

/* Of this thread and of those that it starts. A refusal is no failure: without the right
 * the times are less exact, which the lateness tells. */
void tb_set_realtime(int priority)
{
    struct sched_param p;
    memset(&p, 0, sizeof p);
    p.sched_priority = priority;
    if (priority > 0) sched_setscheduler(0, SCHED_FIFO, &p);
}

/* ---- Random numbers --------------------------------------------------------------- */

/* SplitMix64 of Steele, Lea and Flood. */
static uint64_t next(tb_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

tb_random tb_random_of(uint64_t seed, uint64_t stream)
{
    tb_random random;
    random.state = seed;
    random.state = next(&random) + stream;
    random.state = next(&random);
    return random;
}

double tb_uniform(tb_random *random)
{
    return ((double)(next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(tb_random *random)
{
    const double radius = sqrt(-2.0 * log(tb_uniform(random)));
    return radius * cos(6.283185307179586 * tb_uniform(random));
}

/* Of mean 1. */
static double draw_factor(const tb_job *job, tb_random *random)
{
    const double cv = job->cv;
    double factor = 1.0, spread;
    switch (job->jitter) {
    case TB_NONE:
        break;
    case TB_NORMAL: /* not below 0, which is rare up to a cv of 0.5 */
        factor = 1.0 + cv * normal(random);
        break;
    case TB_LOGNORMAL:
        spread = log(1.0 + cv * cv);
        factor = exp(sqrt(spread) * normal(random) - 0.5 * spread);
        break;
    case TB_EXPONENTIAL:
        factor = -log(tb_uniform(random));
        break;
    }
    return factor > 0.0 ? factor : 0.0;
}

/* A replay starts for each worker somewhere else. */
double tb_step_factor(const tb_job *job, int k, tb_random *random)
{
    tb_random own = tb_random_of(job->seed, 2000 + (uint64_t)job->index);
    double compute_s = 0.0;
    int i;
    if (job->durations == 0) return draw_factor(job, random);
    for (i = 0; i < job->layers; i++) compute_s += job->forward_s[i] + job->backward_s[i];
    i = (int)(tb_uniform(&own) * job->durations);
    return compute_s > 0.0 ? job->duration_s[(i + k) % job->durations] / compute_s : 1.0;
}

/* ---- The log ---------------------------------------------------------------------- */

void tb_log_add(tb_log *log, tb_record record)
{
    if (log->count == log->room) {
        log->room = log->room ? 2 * log->room : 1024;
        log->record = (tb_record *)realloc(log->record, log->room * sizeof *log->record);
        if (!log->record) tb_fail("no memory for the log");
    }
    log->record[log->count++] = record;
}

tb_record tb_record_of(int step, tb_phase phase, int layer, double start_s, double end_s)
{
    tb_record r;
    memset(&r, 0, sizeof r);
    r.step = step;
    r.phase = phase;
    r.layer = layer;
    r.start_s = start_s;
    r.end_s = end_s;
    return r;
}

void tb_log_print(const tb_job *job, const tb_log *log, size_t logs, const tb_offset *common)
{
    static const char *const phase[TB_PHASES] = {
        "downlink", "forward", "backward", "uplink", "update"
    };
    size_t i, k;
    printf("step,phase,start_s,end_s,worker,server,layer,bytes\n");
    for (i = 0; i < logs; i++)
        for (k = 0; k < log[i].count; k++) {
            const tb_record *r = &log[i].record[k];
            printf("%d,%s,%.9f,%.9f,%d,%d,%d,%lu\n", r->step, phase[r->phase],
                   r->start_s + tb_offset_at(common, r->start_s),
                   r->end_s + tb_offset_at(common, r->end_s), job->index, r->server, r->layer,
                   (unsigned long)r->bytes);
        }
    printf("# congestion control %s\n", tb_congestion());
    printf("# clock uncertain by %.9f s\n", tb_offset_unsure(common));
    printf("# sleeps %lu, late by %.9f s in the mean, %.9f s at most\n", late.sleeps,
           late.sleeps ? late.sum_s / (double)late.sleeps : 0.0, late.most_s);
    if (fflush(stdout) != 0 || ferror(stdout)) tb_fail("stdout: %s", strerror(errno));
}
