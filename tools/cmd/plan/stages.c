/* stages.c - sgdperf plan stages: which layers each stage of a pipeline holds */
#include "base/columns.h"
#include "cmd/plan/plan.h"
#include "model/pipeline.h"

#include <math.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf plan stages --layers L.csv --pipeline P [--accumulate M]\n"
    "                           [--interleave V] [--memory SIZE] [--format F]\n"
    "\n"
    "Splits layers into the stages of a pipeline, so that the largest stage takes\n"
    "least time. Among equals it takes the split with the least largest memory.\n"
    "\n"),
    USE_AS(PIPELINE, WHOLE, "P", NULL, "number of devices; required", NULL),
    USE_HELP(LAYERS, "table of layers; see Files; required", NULL),
    USE_AS(ACCUMULATE, WHOLE, "M", NULL, "number of micro-batches per step", "4 x --pipeline"),
    USE_HELP(INTERLEAVE, "number of stages on each device; above 1 it needs --accumulate", "1"),
    USE_HELP(MEMORY, "memory of one device; no stage may need more", "no limit"),
    USE(ACTIVATIONS), USE(PRECISION), USE(OPTIMIZER),
    HEADING("Output"), USE(FORMAT),
    SECTION("Units", SIZE_UNITS),
    SECTION("Files",
    "  layers     columns layer,bytes,forward_s,backward_s,update_s, in the order of\n"
    "             the forward pass, for one micro-batch. bytes are those of the\n"
    "             gradients, 4 a parameter. activations_bytes: what a layer keeps of\n"
    "             a micro-batch. group: accelerators that ran as one worker.\n"
    "             For predict: output_bytes, handed to the next layer; weight_s,\n"
    "             part of backward_s for gradients of weights.\n"),
    SECTION("Notes",
    "  memory     parameters, gradients, optimizer, and activations of the\n"
    "             micro-batches in flight under 1F1B. With --interleave each stage\n"
    "             gets 1/V of it, and layers move between neighbouring stages while\n"
    "             that makes a step of M micro-batches shorter, as predict does.\n"
    "  layout     for --pipeline-model-parallel-layout of Megatron-LM, if each layer\n"
    "             is a transformer layer, or by its name part of an embedding (embed)\n"
    "             or of the head (head, loss, logits, final).\n"
    "  equal      the split with the same number of layers in each stage, not\n"
    "             counting embedding and head.\n"),
    SECTION("Example: five layers, and a head as long as two of them",
    "  $ printf '%s\\n' layer,bytes,forward_s,backward_s,update_s t1,4e6,1,2,0 \\\n"
    "      t2,4e6,1,2,0 t3,4e6,1,2,0 t4,4e6,1,2,0 t5,4e6,1,2,0 head,4e6,2,4,0 |\n"
    "      sgdperf plan stages --layers - --pipeline 3\n"
    "  stage  device  layers  first  last  time_s  memory_bytes\n"
    "      1       1       2  t1     t2         6       3.2e+07\n"
    "      2       2       2  t3     t4         6       3.2e+07\n"
    "      3       3       2  t5     head       9       3.2e+07\n"
    "\n"
    "  largest stage: 9 s; of equal shares: 12 s, 33 % more\n"
    "  layout: Et*2|t*2|tL\n")
};

static const option_rule rules[] = {
    MISSING(ONE(LAYERS)), MISSING(ONE(PIPELINE)), NEEDS(ONE(INTERLEAVE), ONE(ACCUMULATE))
};

static void print(output *out, const pipeline_layers *l, const pipeline_way *way,
                  const size_t *first, double equal_s)
{
    double largest_s = 0.0;
    const char *layout = pipeline_layout(l, way, first);
    const sgdpar_stage *stage = pipeline_stages(l, way, first);
    sgdpar_device *device = (sgdpar_device *)tool_alloc(way->devices, sizeof *device);
    const size_t n = (size_t)way->devices * way->chunks;
    (void)pipeline_time(way, stage, device, l->file->name);
    json_object(out, NULL);
    columns c = columns_open(out, ALL, "stages");
    for (size_t s = 0; columns_next(&c, s < n); s++) {
        const size_t p = s % way->devices, end = pipeline_end(l, way, first, s);
        column_whole(&c, ALL, "stage", s + 1);
        column_whole(&c, ALL, "device", p + 1);
        column_whole(&c, ALL, "layers", end - first[s]);
        column_text(&c, ALL, "first", csv_text(l->file, first[s], l->name));
        column_text(&c, ALL, "last", csv_text(l->file, end - 1, l->name));
        column_number(&c, ALL, "time_s", stage[s].forward_s + stage[s].backward_s);
        largest_s = fmax(largest_s, stage[s].forward_s + stage[s].backward_s);
        column_number(&c, ALL, "memory_bytes", pipeline_memory(l, way, first, device, p));
    }
    json_number(out, "largest_s", largest_s);
    json_number(out, "equal_s", equal_s);
    if (layout) json_string(out, "layout", layout);
    else json_null(out, "layout");
    json_end(out);
    output_print(out, "\nlargest stage: %.6g s; of equal shares: %.6g s, %.0f %% more\n",
                 largest_s, equal_s, largest_s > 0.0 ? 100.0 * (equal_s / largest_s - 1.0) : 0.0);
    if (layout) output_print(out, "layout: %s\n", layout);
}

static int run(args *a)
{
    pipeline_way way = {.copies = 1};
    pipeline_layers l;
    sgdplan_largest most, equal;
    output out = {.form = args_form(a)};
    way.devices = (uint32_t)args_integer(a, OPTION_PIPELINE, 1, PIPELINE_MOST, 1);
    way.chunks = (uint32_t)args_integer(a, OPTION_INTERLEAVE, 1, PIPELINE_MOST, 1);
    way.micro_batches = (uint32_t)args_integer(a, OPTION_ACCUMULATE, 1, 1000000, 4 * way.devices);
    if (way.chunks > 1) way.schedule = SGDPAR_PIPELINING_INTERLEAVED;
    if (way.chunks > 1 && way.micro_batches % way.devices != 0)
        args_fail(OPTION_ACCUMULATE, args_text(a, OPTION_ACCUMULATE, NULL), "is not a multiple of "
                  "the %lu devices, as interleaved stages require", (unsigned long)way.devices);
    pipeline_read_layers(&l, a, csv_read(args_text(a, OPTION_LAYERS, NULL), 0));
    if ((uint64_t)way.devices * way.chunks > l.count)
        args_fail(OPTION_PIPELINE, args_text(a, OPTION_PIPELINE, NULL),
                  "makes %lu stages, but %s has %lu layer%s",
                  (unsigned long)way.devices * way.chunks, l.file->name, COUNTED(l.count));
    size_t *first = pipeline_split(&l, &way, args_number(a, OPTION_MEMORY, 0.0), 0, &most);
    if (!first)
        args_fail(OPTION_MEMORY, args_text(a, OPTION_MEMORY, NULL),
                  "is too little: each split has a stage that needs more memory; use more devices");
    pipeline_improve(&l, &way, args_number(a, OPTION_MEMORY, 0.0), first);
    (void)pipeline_split(&l, &way, 0.0, 1, &equal);
    print(&out, &l, &way, first, equal.time_s);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_plan_stages = {"stages", NULL, run, uses, COUNT_OF(uses), rules,
                                          COUNT_OF(rules), 0, 0, NULL, 0,
                                          EACH(OPTION_PIPELINE, OPTION_LAYERS)};
