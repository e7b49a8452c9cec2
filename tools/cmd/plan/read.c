/* read.c - the options of sgdperf plan, and what is wrong with them: see plan.h */
#include "cmd/plan/plan.h"

#include <string.h>

/* The three numbers of "a/b/c"; with `free`, "*" is 0. */
static void parse_three(const char *option, const char *text, const char *three, int free,
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
    const size_t n = args_count(a, "--split");
    sgdplan_split *fixed = (sgdplan_split *)tool_alloc(p->layers.count, sizeof *fixed);
    size_t i, l;
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, "--split", i), *equals = strrchr(text, '=');
        const size_t length = equals ? (size_t)(equals - text) : 0;
        uint32_t number[3];
        size_t found = 0;
        if (!equals) args_fail("--split", text, "is not NAME=P/R/H");
        parse_three("--split", text, equals + 1, 1, number);
        for (l = 0; l < p->layers.count; l++) {
            const char *name = plan_layer_name(&p->layers, l);
            if (!(length == 1 && text[0] == '*') &&
                !(strlen(name) == length && memcmp(name, text, length) == 0)) continue;
            fixed[l].partitions = number[0];
            fixed[l].replications = number[1];
            fixed[l].threads = number[2];
            found++;
        }
        if (found == 0) args_fail("--split", text, "names no layer");
    }
    p->in.fixed = fixed;
}

static void read_configurations(plan_problem *p, const args *a)
{
    const size_t n = args_count(a, "--config");
    sgdplan_configuration *given = (sgdplan_configuration *)tool_alloc(n, sizeof *given);
    size_t i, k;
    for (i = 0; i < n; i++) {
        const char *text = args_at(a, "--config", i);
        uint32_t number[3];
        parse_three("--config", text, text, 0, number);
        given[i].workers = number[0];
        given[i].replicas = number[1];
        given[i].servers = number[2];
        for (k = 0; k < i; k++)
            if (given[k].workers == number[0] && given[k].replicas == number[1] &&
                given[k].servers == number[2])
                args_fail("--config", text, "is given twice");
    }
    p->in.given = n > 0 ? given : NULL;
    p->in.givens = n;
}

static void read_machines(plan_problem *p, const args *a)
{
    size_t i;
    p->scenarios = args_workers(a, "--machines", &p->machines);
    if (p->scenarios == 0) tool_fail("--machines is missing");
    if (!args_given(a, "--cores")) tool_fail("--cores is missing");
    for (i = 0; i < p->scenarios; i++) {
        if (p->machines[i] < 2)
            tool_fail("--machines: %lu is below 2: a server and a worker",
                      (unsigned long)p->machines[i]);
        if (p->machines[i] > 65536)
            tool_fail("--machines: %lu is above 65536", (unsigned long)p->machines[i]);
    }
    p->in.job.machines.cores = (uint32_t)args_integer(a, "--cores", 1, 4096, 1);
}

static void read_variants(sgdplan_variants *v, const args *a)
{
    v->mix = args_number(a, "--mix", UNIT_NONE, NUMBER_FRACTION, 0.0);
    v->read_full = args_given(a, "--read-full");
    v->read_per_replica = args_given(a, "--read-per-replica");
    v->latency_always = args_given(a, "--latency-always");
    v->biases = args_given(a, "--biases");
}

void plan_problem_read(plan_problem *p, const args *a)
{
    static const char *const objectives[] = {"sum", "largest"};
    sgdplan_job *job = &p->in.job;
    plan_layers_read(&p->layers, a->files[0]);
    read_machines(p, a);
    plan_constants_read(job, a, args_text(a, "--constants", NULL));
    plan_constants_scale(job,
                         args_number(a, "--compute-scale", UNIT_NONE, NUMBER_POSITIVE, 1.0),
                         args_number(a, "--bandwidth-scale", UNIT_NONE, NUMBER_POSITIVE, 1.0));
    read_variants(&job->variants, a);
    plan_layers_check(&p->layers, job->variants.biases);
    job->layer = p->layers.layer;
    job->layers = p->layers.count;
    read_splits(p, a);
    read_configurations(p, a);
    p->in.threads_differ = args_given(a, "--threads-differ");
    p->in.max_replications = (uint32_t)args_integer(a, "--max-replications", 1, UINT32_MAX, 0);
    p->objective = (sgdplan_objective)args_choice(a, "--objective", objectives, 2, 0);
    p->keep_all = args_given(a, "--all");
    p->room = (size_t)args_integer(a, "--runners-up", 0, 1000000, 10) + 1;
    if (p->in.given && (!args_given(a, "--runners-up") || p->room > p->in.givens))
        p->room = p->in.givens;
    if (p->keep_all && args_given(a, "--runners-up"))
        args_fail("--runners-up", NULL, "not with --all");
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
