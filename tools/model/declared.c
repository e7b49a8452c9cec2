/* declared.c - links as their makers declare them: when they are, and what steps over them take */
#include "model/declared.h"

#include "files/modes.h"
#include "files/status.h"

#include <math.h>
#include <string.h>

int declared_links(const args *a, double bandwidth)
{
    if (args_given(a, OPTION_INPUTS))
        return strcmp(args_text(a, OPTION_INPUTS, ""), "declared") == 0;
    if (args_given(a, OPTION_NETWORK) || args_given(a, OPTION_LOCAL_NETWORK) ||
        args_given(a, OPTION_STACK)) return 1;
    if (args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1) > 1) return 1;
    return args_number(a, OPTION_BANDWIDTH, bandwidth) >= MODE_DECLARED_BANDWIDTH;
}

void declared_note(const network *between)
{
    tool_note("links-declared",
              "the links are assumed as declared: %s, and compute grows by 2.5 %% with each "
              "doubling of the accelerators in a machine; --inputs measured leaves both out",
              between ? "an all-reduce gets the rate that sgdperf networks lists for this kind"
                      : "an all-reduce gets 0.8 of the declared rate");
}

/* Exposure and growth as they are told. Returns whether one is; an overlap is told otherwise. */
static int read_told(const args *a, int overlaps, sgdp_job *job)
{
    static const struct { option_id id; sgdp_input input; } told[] = {
        {OPTION_EXPOSURE, SGDP_INPUT_EXPOSURE}, {OPTION_GROWTH, SGDP_INPUT_GROWTH},
        {OPTION_GROWTH_BETWEEN, SGDP_INPUT_GROWTH_BETWEEN}
    };
    int any = 0;
    size_t i;
    for (i = 0; i < COUNT_OF(told); i++) {
        const double least = told[i].input == SGDP_INPUT_EXPOSURE ? 0.0 : DECLARED_NO_GROWTH;
        if (!args_given(a, told[i].id)) continue;
        if (overlaps) args_fail(told[i].id, NULL, "cannot be combined with --overlap or another "
                                                  "option of overlap");
        tool_check(sgdp_set_input(job, told[i].input, fmax(args_number(a, told[i].id, 0.0), least)),
                   option_name(told[i].id));
        any = 1;
    }
    return any;
}

declared declared_read(const args *a)
{
    const job_kinds k = kinds_read(a, NULL, 0);
    const int overlaps = args_given(a, OPTION_OVERLAP) || args_given(a, OPTION_INTERFERENCE) ||
                         args_given(a, OPTION_OVERLAP_EXPONENT);
    declared of = {0};
    of.job.machine.gpus = (uint32_t)args_integer(a, OPTION_GPUS, 1, UINT32_MAX, 1);
    of.job.links.bandwidth_bytes_per_s = args_number(a, OPTION_BANDWIDTH, 0.0);
    if (k.stack && overlaps) args_fail(OPTION_STACK, NULL, "not with --overlap and the like");
    of.stretches = of.told = read_told(a, overlaps, &of.job) || k.stack;
    (void)kinds_apply(&k, 1, &of.job); /* topology_read refuses what lacks a line        */
    if (k.stack) stack_note(k.stack);
    if (of.told || overlaps || !declared_links(a, 0.0)) return of;
    of.stretches = 1;
    declared_note(k.between);
    return of;
}

sgdp_stretch declared_stretch(const declared *of, uint32_t workers)
{
    sgdp_stretch stretch = {1.0, 0.0};
    if (of->stretches)
        tool_check(sgdp_stretch_of(&of->job, SGDP_ALLREDUCE_CLUSTER, workers, &stretch),
                   "links as declared");
    return stretch;
}
