/* schedule.c - three jobs wait for 8 nodes: how many does each get?
 *
 * The first and the third job gain from each further node, the second hardly from more
 * than one. Equal shares do not know that. HELL, which weighs what a node brings against
 * how long a job still runs, takes nodes from where they bring little. */
#include <stdio.h>
#define SGDPERF_SCHED_IMPLEMENTATION
#include "sgdperf_sched.h"

int main(void)
{
    /* Static objects begin as zero, and a field that is 0 has its default. */
    static const double scales[] = {1, 1.9, 2.6, 3}; /* steps/s on 1, 2, 3, 4 nodes */
    static const double stops[] = {2, 2.4, 2.5, 2.5};
    static const sgdsched_policy policy[] = {SGDSCHED_EQUAL, SGDSCHED_HELL};
    static double work[512];
    static sgdsched_curve curve[2];
    static sgdsched_job job[3];
    static sgdsched_jobs jobs;
    static sgdsched_rules rules;
    uint32_t nodes[3], idle;
    int i, j;

    curve[0].throughput_per_s = scales;
    curve[0].nodes = 4;
    curve[1].throughput_per_s = stops;
    curve[1].nodes = 4;
    job[0].remaining = 9000; /* steps */
    job[1].remaining = 4000;
    job[1].curve = 1;
    job[2].remaining = 2000;
    jobs.curve = curve;
    jobs.curves = 2;
    jobs.job = job;
    jobs.jobs = 3;
    rules.nodes = 8;
    rules.fill = 1;

    for (i = 0; i < 2; i++) {
        double sum_s = 0;
        rules.policy = policy[i];
        if (sgdsched_allocate(&rules, &jobs, work, sizeof work, nodes, &idle)) return 1;
        for (j = 0; j < 3; j++)
            sum_s += job[j].remaining
                / curve[job[j].curve].throughput_per_s[nodes[j] - 1];
        printf("%-5s gives %u, %u and %u nodes: the mean job ends after %.0f s\n",
               sgdsched_policy_about(policy[i])->word, (unsigned)nodes[0],
               (unsigned)nodes[1], (unsigned)nodes[2], sum_s / 3);
    }
    return 0;
}

// equal gives 2, 3 and 3 nodes: the mean job ends after 2369 s
// hell  gives 3, 1 and 4 nodes: the mean job ends after 2043 s
