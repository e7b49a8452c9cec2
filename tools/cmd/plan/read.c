/* read.c - the options of sgdperf plan, and what is wrong with them: see plan.h */
#include "cmd/plan/plan.h"

#include <string.h>

/* The three numbers of "a/b/c"; with `free`, "*" is 0. */
static void parse_three(option_id option, const char *text, const char *three, int free,
                        uint32_t *number)
{
    char **part = NULL;
    size_t i;
    if (args_split(three, '/', &part) != 3)
        args_fail(option, text, "is not three numbers with / between them");
    for (i = 0; i < 3; i++) {
        uint64_t value = 0;
        const char *wrong = NULL;
        if (!free || strcmp(part[i], "*") != 0)
            wrong = number_whole(part[i], 1, UINT32_MAX, &value);
        if (wrong) args_fail(option, text, "has a part that %s", wrong);
        number[i] = (uint32_t)value;
    }
}

static void read_splits(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, OPTION_SPLIT);
    sgdplan_split *fixed = (sgdplan_split *)tool_alloc(p->layers.count, sizeof *fixed);
    size_t i, l;
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, OPTION_SPLIT, i), *equals = strrchr(text, '=');
        const size_t length = equals ? (size_t)(equals - text) : 0;
        uint32_t number[3];
        size_t found = 0;
        if (!equals) args_fail(OPTION_SPLIT, text, "is not NAME=P/R/H");
        parse_three(OPTION_SPLIT, text, equals + 1, 1, number);
        for (l = 0; l < p->layers.count; l++) {
            const char *name = plan_layer_name(&p->layers, l);
            if (!(length == 1 && text[0] == '*') &&
                !(strlen(name) == length && memcmp(name, text, length) == 0)) continue;
            fixed[l].partitions = number[0];
            fixed[l].replications = number[1];
            fixed[l].threads = number[2];
            found++;
        }
        if (found == 0) args_fail(OPTION_SPLIT, text, "names no layer");
    }
    p->in.fixed = fixed;
}

static void read_configurations(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, OPTION_CONFIG);
    sgdplan_configuration *given = (sgdplan_configuration *)tool_alloc(n, sizeof *given);
    size_t i, k;
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, OPTION_CONFIG, i);
        uint32_t number[3];
        parse_three(OPTION_CONFIG, text, text, 0, number);
        given[i].workers = number[0];
        given[i].replicas = number[1];
        given[i].servers = number[2];
        for (k = 0; k < i; k++)
            if (given[k].workers == number[0] && given[k].replicas == number[1] &&
                given[k].servers == number[2])
                args_fail(OPTION_CONFIG, text, "is given twice");
    }
    p->in.given = n > 0 ? given : NULL;
    p->in.givens = n;
}

static void read_machines(plan_problem *p, const args *a)
{
    size_t i;
    p->scenarios = args_workers(a, OPTION_MACHINES, &p->machines);
    for (i = 0; i < p->scenarios; i++) {
        if (p->machines[i] < 2)
            tool_fail("--machines: %lu is below 2: a server and a worker",
                      (unsigned long)p->machines[i]);
        if (p->machines[i] > 65536)
            tool_fail("--machines: %lu is above 65536", (unsigned long)p->machines[i]);
    }
    p->in.job.machines.cores = (uint32_t)args_integer(a, OPTION_CORES, 1, 4096, 1);
}

static void read_variants(sgdplan_variants *v, const args *a)
{
    v->mix = args_number(a, OPTION_MIX, 0.0);
    v->read_full = args_given(a, OPTION_READ_FULL);
    v->read_per_replica = args_given(a, OPTION_READ_PER_REPLICA);
    v->latency_always = args_given(a, OPTION_LATENCY_ALWAYS);
    v->biases = args_given(a, OPTION_BIASES);
}

void plan_problem_read(plan_problem *p, const args *a)
{
    sgdplan_job *job = &p->in.job;
    plan_layers_read(&p->layers, a->files[0]);
    read_machines(p, a);
    plan_constants_read(job, a, args_text(a, OPTION_CONSTANTS, NULL));
    plan_constants_scale(job,
                         args_number(a, OPTION_COMPUTE_SCALE, 1.0),
                         args_number(a, OPTION_BANDWIDTH_SCALE, 1.0));
    read_variants(&job->variants, a);
    plan_layers_check(&p->layers, job->variants.biases);
    job->layer = p->layers.layer;
    job->layers = p->layers.count;
    read_splits(p, a);
    read_configurations(p, a);
    p->in.threads_differ = args_given(a, OPTION_THREADS_DIFFER);
    p->in.max_replications = (uint32_t)args_integer(a, OPTION_MAX_REPLICATIONS, 1, UINT32_MAX, 0);
    p->objective = (sgdplan_objective)args_word(a, OPTION_OBJECTIVE, 0);
    p->keep_all = args_given(a, OPTION_ALL);
    p->room = (size_t)args_integer(a, OPTION_RUNNERS_UP, 0, 1000000, 10) + 1;
    if (p->in.given && (!args_given(a, OPTION_RUNNERS_UP) || p->room > p->in.givens))
        p->room = p->in.givens;
}

/* What is wrong with what is given, in the words of its option. */
TOOL_NORETURN static void refuse(const plan_problem *p, const sgdplan_refusal *refusal)
{
    const sgdplan_configuration *given = p->in.given;
    const unsigned long machines = p->in.job.machines.count;
    const char *why = sgdplan_fault_text(refusal->reason);
    uint32_t workers = p->in.job.machines.count - 1;
    size_t i;
    if (refusal->reason == SGDPLAN_FAULT_CONSTANT)
        tool_fail("a constant is too large, or scaled too far");
    if (refusal->reason == SGDPLAN_FAULT_MACHINES)
        tool_fail("--config: '%lu/%lu/%lu' on %lu machines: %s",
                  (unsigned long)given[refusal->given].workers,
                  (unsigned long)given[refusal->given].replicas,
                  (unsigned long)given[refusal->given].servers, machines, why);
    for (i = 0; i < p->in.givens; i++)
        if (given[i].workers < workers) workers = given[i].workers;
    tool_fail("--split: layer '%s' on %lu worker%s: %s",
              plan_layer_name(&p->layers, refusal->layer), (unsigned long)workers,
              workers == 1 ? "" : "s", why);
}

void plan_problem_check(const plan_problem *p)
{
    sgdplan_refusal refusal = {SGDPLAN_FAULT_NONE, 0, 0};
    if (sgdplan_check_problem(&p->in, &refusal) != SGDPLAN_OK) refuse(p, &refusal);
}
