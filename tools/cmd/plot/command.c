/* command.c - sgdperf plot: a picture of what the program printed */
#include "base/file.h"
#include "base/stream.h"
#include "base/columns.h"
#include "cmd/commands.h"
#include "cmd/plot/plot.h"
#include "options/args.h"
#include "options/options.h"

#include <stdlib.h>
#include <string.h>

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf plot FILE|- --out P.svg|.png|.pdf [--picture P]\n"
    "                    [--points POINTS.csv] [--title TEXT] [option ...]\n"
    "\n"
    "Draws what the program printed as CSV or JSON (- is stdin).\n"
    "\n"
    "What to draw\n"),
    USE_AS(OUT, AS_TABLE, "P", NULL, "picture to write, a name in .svg, .png or .pdf; required",
         NULL),
    USE(PICTURE),
    USE_AS(POINTS, AS_TABLE, "POINTS.csv", NULL,
         "table of measured points, drawn beside the curves of FILE", NULL),
    USE(TITLE), USE(FROM), USE(TO), USE(ENGINE),
    HEADING("Output"),
    USE_HELP(FORMAT, "output format of the summary: table, csv or json", "table"),
    SECTION("Units",
    TIME_UNITS
    "\n"
    "Pictures\n"
    "  throughput  against workers, of predict, advise, simulate, fit, calibrate,\n"
    "              validate --rows or own points (columns workers,batches_per_s and\n"
    "              optionally low,high, ci95_half_width or batches_per_s_sd): lines\n"
    "              with their intervals, a line for each job, offer, curve or model,\n"
    "              at most 7; points with bars\n"
    "  step        the parts of a step, of predict or profile: a bar for each row.\n"
    "              Where transfers run behind computing, only their remaining part is\n"
    "              drawn\n"
    "  timeline    the slices of a Chrome trace, as of simulate --timeline: a row for\n"
    "              each thread\n"
    "  response    mean response time against load, of cluster --sweep\n"
    "  policies    mean response time of each policy, of cluster: waiting and running\n"
    "              of rigid jobs, else with intervals; below stands what the log\n"
    "              recorded, which no policy did under the same conditions\n"
    "  distribution, progress   of cluster --cdf and --fractions, as csv\n"
    "  jobs        running and waiting jobs over time, of cluster --completions, as\n"
    "              csv: a point is the mean over 1/100 of the time\n"
    "  nodes       nodes at work over time, of cluster --completions, as csv\n"
    "  rate        throughput over time, of simulate --over-time or --step-ends\n"
    "  allocation  nodes of each job, of allocate\n"
    "  stages      time of each device for a micro-batch, of plan stages\n"
    "  errors      mean error of each dataset and model, of validate\n"
    "  predicted   predicted against measured throughput, of validate --rows: only\n"
    "              rows with a band, if there are any\n"
    "POINTS.csv has columns workers,batches_per_s, optionally role (fit: an input,\n"
    "hollow) and an interval as above.\n"),
    SECTION("Example: a prediction with its interval",
    "  $ printf '%s\\n' workers,batches_per_s,step_s,low,high 1,5.2,0.19,4.4,6 \\\n"
    "      2,9.5,0.21,8,10.9 4,10.7,0.37,9.1,12.3 8,12.2,0.66,10.3,14 |\n"
    "      sgdperf plot - --out curve.svg\n"
    "  picture     curves  points  bars  slices  out\n"
    "  throughput       1       0     0       0  curve.svg\n")
};

static const option_rule rules[] = {MISSING(ONE(OUT))};

static void read_input(plot_job *job, const char *path)
{
    size_t length;
    char *data = file_read(path, &job->name, &length);
    if (stream_is_gzip(data, length))
        tool_fail("%s: the file is compressed by gzip: run gzip -dc %s | sgdperf plot -", job->name,
                  job->name);
    if (slices_recognise(data, length)) {
        slices_parse(&job->timeline, job->name, data, length);
    } else {
        flat_parse(&job->flat, job->name, data, length);
        job->table = job->flat.table;
    }
    free(data);
}

typedef enum picture_kind { THROUGHPUT = 0, STEP, TIMELINE, RESPONSE } picture_kind;

/* In the order of --picture. A table without workers is drawn as the first from RESPONSE on
 * whose columns it has. */
const plot_picture plot_pictures[PLOT_PICTURES] = {
    {"throughput", "Throughput against workers",
     "Curves of predicted and points of measured throughput", {"workers", NULL}, "workers",
     "throughput, mini-batches per second", plot_throughput},
    {"step", "Parts of a step", "Bars of the times of a step, by resource, serving and waiting",
     {NULL, NULL}, "workers", "time of a step, ", plot_step},
    {"timeline", "Timeline", "Slices of time, a row for each thread", {NULL, NULL},
     "time, seconds", NULL, plot_timeline},
    {"response", "Mean response time against load", "Curves of simulated policies",
     {"load", "mean_response_s"}, "offered load", "mean response time, ", plot_curves},
    {"policies", "Mean response time by policy", "Bars of simulated policies",
     {"mean_response_s", NULL}, "mean response time, ", NULL, plot_rows},
    {"distribution", "Distribution of response times", "Curves of simulated policies",
     {"probability", "response_s|time_s"}, "jobs that are done by then, %", "time since arrival, ",
     plot_curves},
    {"progress", "Time until a part of a job is done", "Curves of simulated policies",
     {"fraction", "mean_time_s"}, "part of the job that is done, %", "mean time since arrival, ",
     plot_curves},
    {"jobs", "Jobs over time", "Curves of running and waiting jobs",
     {"completion_s", "response_s"}, "time, ", "number of jobs", plot_jobs},
    {"nodes", "Nodes over time", "A curve of the nodes at work", {"completion_s", "nodes"},
     "time, ", "nodes at work", plot_nodes},
    {"rate", "Throughput over time", "A curve of the steps that end",
     {"end_s", "step|batches_per_s"}, "time, ",
     "throughput, mini-batches per second", plot_rate},
    {"allocation", "Nodes of jobs", "A bar for each job", {"nodes", "job"}, "nodes", NULL,
     plot_rows},
    {"stages", "Stages of a pipeline", "A bar for each device, computing and waiting",
     {"time_s", "device"}, "time of a micro-batch, ", NULL, plot_rows},
    {"errors", "Errors of predicted throughputs", "A bar for each dataset and model",
     {"mean_error", "model"}, "mean error of the throughput, %", NULL, plot_rows},
    {"predicted", "Predicted against measured throughput", "A mark for each row",
     {"predicted", "measured"}, "measured, mini-batches per second",
     "predicted, mini-batches per second", plot_predicted}
};

/* Does the table have a column of "a|b"? One load alone is no axis. */
static int has(const csv_table *t, const char *names)
{
    if (!names) return 1;
    if (strcmp(names, "load") == 0 && csv_find(t, names) != CSV_NONE)
        return plot_differs(t, csv_find(t, names));
    return strchr(names, '|') || csv_find(t, names) != CSV_NONE;
}

/* One row is a step to look into; several are a curve. */
size_t plot_suggested(const plot_job *in)
{
    const csv_table *t = in->table;
    if (!t) return TIMELINE;
    if (csv_find(t, "workers") != CSV_NONE)
        return t->rows == 1 && plot_has_parts(t) ? STEP : THROUGHPUT;
    for (size_t i = RESPONSE; i < PLOT_PICTURES; i++)
        if (has(t, plot_pictures[i].needs[0]) && has(t, plot_pictures[i].needs[1])) return i;
    return STEP;
}

static const plot_picture *read_picture(const args *a, const plot_job *in)
{
    static const struct { option_id option; picture_kind kind; } own[] = {
        {OPTION_POINTS, THROUGHPUT}, {OPTION_FROM, TIMELINE}, {OPTION_TO, TIMELINE}
    };
    const size_t kind = args_word(a, OPTION_PICTURE, plot_suggested(in));
    if ((kind == TIMELINE) != (in->table == NULL))
        args_fail(OPTION_PICTURE, plot_pictures[kind].name, "cannot be made of %s, which %s",
                  in->name, in->table ? "is a table" : "is a timeline");
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (kind != own[i].kind && args_given(a, own[i].option))
            args_fail(own[i].option, NULL, "can only be used with --picture "
                                           "%s", plot_pictures[own[i].kind].name);
    return &plot_pictures[kind];
}

static const char *read_out(const args *a)
{
    const char *path = args_text(a, OPTION_OUT, ""), *end = strrchr(path, '.');
    if (!end || (strcmp(end, ".svg") != 0 && strcmp(end, ".png") != 0 && strcmp(end, ".pdf") != 0))
        args_fail(OPTION_OUT, path, "does not end in .svg, .png or .pdf");
    return path;
}

static void print(output *out, const plot_job *job, const char *path)
{
    json_object(out, NULL);
    columns t = columns_open(out, ALL, NULL);
    columns_row(&t);
    column_text(&t, ALL, "picture", job->picture->name);
    column_whole(&t, ALL, "curves", job->curves);
    column_whole(&t, ALL, "points", job->dots);
    column_whole(&t, ALL, "bars", job->bars);
    column_whole(&t, ALL, "slices", job->drawn);
    column_text(&t, ALL, "out", path);
    columns_close(&t);
    json_end(out);
}

static int run(args *a)
{
    output svg = {0}, json = {0}, out = {.form = args_form(a)};
    const char *path = read_out(a);
    plot_job job = {.title = args_text(a, OPTION_TITLE, NULL)};
    job.from_s = args_number(a, OPTION_FROM, -1.0);
    job.to_s = args_number(a, OPTION_TO, 0.0);
    if (job.to_s > 0.0 && job.to_s <= job.from_s)
        args_fail(OPTION_TO, args_text(a, OPTION_TO, NULL), "is not after --from");
    plot_engine engine = (plot_engine)args_word(a, OPTION_ENGINE, PLOT_ANY);
    read_input(&job, a->files[0]);
    job.picture = read_picture(a, &job);
    if (args_given(a, OPTION_POINTS)) job.points = csv_read(args_text(a, OPTION_POINTS, NULL), 0);
    job.picture->draw(&job, &svg, &json);
    path = plot_write(&svg, &json, path, engine);
    print(&out, &job, path);
    slices_free(&job.timeline);
    flat_free(&job.flat);
    return output_flush(&out, EXIT_DONE);
}

const args_command command_plot = {"plot", "draw what another command printed", run, uses,
                                   COUNT_OF(uses), rules, COUNT_OF(rules), 1, 1, NULL, 0,
                                   EACH(OPTION_OUT, OPTION_PICTURE, OPTION_POINTS, OPTION_TITLE)};
