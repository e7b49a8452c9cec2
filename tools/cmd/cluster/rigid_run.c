/* rigid_run.c - simulations of rigid jobs, dealt by policies */
#include "cmd/cluster/cluster.h"
#include "cmd/cluster/rigid.h"
#include "files/status.h"
#include "base/parallel.h"

#include <string.h>

static void run_policy(const rigid *r, rigid_outcome *to)
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

/* parallel_task: hands over the report, and stays that are not shared. */
static void run_task(void *ctx, size_t i, void *result)
{
    const rigid *r = (const rigid *)ctx;
    rigid_outcome *to = &r->outcome[i];
    parallel_blob *blob = (parallel_blob *)result;
    const size_t stays = r->shared ? 0 : r->base.jobs * sizeof *to->stay;
    if (to->changes) mixed_run(r, to, r->args);
    else run_policy(r, to);
    blob->length = sizeof to->report + stays;
    blob->data = (char *)tool_alloc(blob->length, 1);
    memcpy(blob->data, &to->report, sizeof to->report);
    if (stays > 0) memcpy(blob->data + sizeof to->report, to->stay, stays);
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

/* Few jobs cost less than another process, but for plans of all that wait. */
static size_t few_jobs(const rigid *r)
{
    size_t i;
    for (i = 0; i < r->policies; i++)
        if (r->outcome[i].changes || r->outcome[i].policy == SGDSCHED_CONSERVATIVE) return 500;
    return 5000;
}

void rigid_run(rigid *r)
{
    const size_t jobs = r->base.jobs, few = few_jobs(r);
    const int watched = tool_shows_progress() && jobs >= few;
    parallel_blob *done = (parallel_blob *)tool_alloc(r->policies, sizeof *done);
    size_t i;
    take_stays(r, jobs >= few && (r->policies > 1 || watched));
    if (r->policies == 1 && !watched) {
        if (r->outcome[0].changes) mixed_run(r, &r->outcome[0], r->args);
        else run_policy(r, &r->outcome[0]);
        return;
    }
    if (watched && r->shared) parallel_watch(count_started, r, r->policies * jobs);
    parallel_gather(r->policies, jobs < few ? 1 : r->processes, run_task, r, done, "jobs");
    for (i = 0; i < r->policies; i++) {
        rigid_outcome *to = &r->outcome[i];
        memcpy(&to->report, done[i].data, sizeof to->report);
        if (done[i].length > sizeof to->report)
            memcpy(to->stay, done[i].data + sizeof to->report, jobs * sizeof *to->stay);
        tool_free(done[i].data);
    }
}
