/* rigid_run.c - simulations of rigid jobs, dealt by policies */
#include "base/progress.h"
#include "cmd/cluster/cluster.h"
#include "cmd/cluster/rigid.h"
#include "files/status.h"
#include "jobs/parallel.h"

#include <string.h>

sgdsched_stay_report rigid_describe(const rigid *r, size_t policy, uint32_t least, uint32_t most)
{
    const int seen = policy == r->policies;
    sgdsched_stays in;
    sgdsched_stay_report out;
    size_t bytes = 0;
    void *work;
    in.job = seen ? r->seen : r->job;
    in.stay = seen ? r->seen_stay : r->outcome[policy].stay;
    in.jobs = seen ? r->seen_jobs : r->base.jobs;
    in.least = least;
    in.most = most;
    in.threshold_s = r->threshold_s;
    tool_check_sched(sgdsched_describe_stays_bytes(in.jobs, &bytes), "cluster");
    work = tool_resize(NULL, bytes + 1, 1);
    tool_check_sched(sgdsched_describe_stays(&in, work, bytes, &out), "cluster");
    tool_free(work);
    return out;
}

static void run_rigid(const rigid *r, rigid_outcome *to)
{
    sgdsched_rigid in = r->base;
    size_t bytes = 0;
    void *work;
    in.policy = to->policy;
    tool_check_sched(sgdsched_rigid_run_bytes(&in, &bytes), "cluster");
    work = tool_resize(NULL, bytes, 1);
    tool_check_sched(sgdsched_rigid_run(&in, work, bytes, to->stay, &to->report), "cluster");
    tool_free(work);
}

static void run_policy(const rigid *r, size_t i)
{
    rigid_outcome *to = &r->outcome[i];
    if (to->changes) mixed_run(r, to, r->args);
    else run_rigid(r, to);
    to->stays = rigid_describe(r, i, 1, r->base.nodes);
}

/* What is handed over beside the stays, or taken. */
static char *move_reports(rigid_outcome *o, char *at, int out)
{
    at = parallel_move(at, &o->report, sizeof o->report, out);
    return parallel_move(at, &o->stays, sizeof o->stays, out);
}

/* parallel_task: hands over reports, and stays that are not shared. */
static void run_task(void *ctx, size_t i, void *result)
{
    const rigid *r = (const rigid *)ctx;
    rigid_outcome *to = &r->outcome[i];
    parallel_blob *blob = (parallel_blob *)result;
    const size_t stays = r->shared ? 0 : r->base.jobs * sizeof *to->stay;
    run_policy(r, i);
    blob->length = sizeof to->report + sizeof to->stays + stays;
    blob->data = (char *)tool_alloc(blob->length, 1);
    (void)parallel_move(move_reports(to, blob->data, 1), to->stay, stays, 1);
}

/* Jobs that have started, under all policies. */
static size_t count_started(const void *ctx)
{
    const rigid *r = (const rigid *)ctx;
    size_t started = 0, i, k;
    for (i = 0; i < r->policies; i++)
        for (k = 0; k < r->base.jobs; k++) started += r->outcome[i].stay[k].start_s >= 0.0;
    return started;
}

/* Room for their stays, none of which has begun; one for all processes where that can be. */
static void take_stays(rigid *r, int several)
{
    const size_t jobs = r->base.jobs;
    sgdsched_stay *all = NULL;
    size_t i;
    if (several) all = (sgdsched_stay *)parallel_shared(r->policies * jobs, sizeof *all);
    r->shared = all != NULL;
    if (!all) all = (sgdsched_stay *)tool_alloc(r->policies * jobs, sizeof *all);
    for (i = 0; i < r->policies * jobs; i++) all[i].start_s = -1.0;
    for (i = 0; i < r->policies; i++) r->outcome[i].stay = all + i * jobs;
}

static int plans_all(const rigid_outcome *o)
{
    return sgdsched_queueing_about(o->policy)->plans == SGDSCHED_PLANS_ALL;
}

/* Few jobs cost less than another process, but for plans of all that wait. */
static size_t few_jobs(const rigid *r)
{
    size_t i;
    for (i = 0; i < r->policies; i++)
        if (r->outcome[i].changes || plans_all(&r->outcome[i])) return 500;
    return 5000;
}

/* Beside each other: plans of all that wait take longest, then those of the first. */
static double cost_of(const rigid_outcome *o)
{
    if (o->changes || plans_all(o)) return 8.0;
    return sgdsched_queueing_about(o->policy)->plans == SGDSCHED_PLANS_FIRST ? 2.0 : 1.0;
}

void rigid_run(rigid *r)
{
    const size_t jobs = r->base.jobs, few = few_jobs(r);
    const int watched = tool_shows_progress() && jobs >= few;
    parallel_blob *done = (parallel_blob *)tool_alloc(r->policies, sizeof *done);
    double *cost = (double *)tool_alloc(r->policies, sizeof *cost);
    size_t i;
    take_stays(r, jobs >= few && (r->policies > 1 || watched));
    if (r->policies == 1 && !watched) {
        run_policy(r, 0);
        return;
    }
    if (watched && r->shared) parallel_watch(count_started, r, r->policies * jobs);
    for (i = 0; i < r->policies; i++) cost[i] = cost_of(&r->outcome[i]);
    parallel_expect(cost);
    parallel_gather(r->policies, jobs < few ? 1 : r->processes, run_task, r, done, "jobs");
    for (i = 0; i < r->policies; i++) {
        rigid_outcome *to = &r->outcome[i];
        const char *at = move_reports(to, done[i].data, 0);
        if (at < done[i].data + done[i].length)
            memcpy(to->stay, at, jobs * sizeof *to->stay);
        tool_free(done[i].data);
    }
}
