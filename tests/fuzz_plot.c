/* fuzz_plot.c - any bytes as what sgdperf plot reads: a table of equal rows, or slices in rows
 * that there are, with names that are text, or one line that names the file. What is read is
 * drawn, as the picture that it suggests or, of a table, another one: with numbers, or one line. */
#include "fuzz.h"
#include "base/words.h"
#include "cmd/plot/plot.h"
#include "trial.h"

typedef struct reading {
    const char *data;
    size_t      size;
    plot_job    job;
    csv_table   table;        /* what the job's pointed to                          */
} reading;

static void require_text(const char *text)
{
    while (*text != '\0') {
        const size_t length = utf8_length(text);
        require(length > 0);
        text += length;
    }
}

static void require_slices(const slice_list *list)
{
    require(list->count > 0 && list->rows > 0);
    for (size_t i = 0; i < list->rows; i++) require_text(list->row[i]);
    for (size_t i = 0; i < list->count; i++) {
        const slice *s = &list->slice[i];
        require(s->row < list->rows && s->name < list->names.count);
        require(s->start_s >= -DBL_MAX && s->end_s >= s->start_s && s->end_s <= DBL_MAX);
        require_text(names_text(&list->names, s->name));
    }
}

static void require_table(const csv_table *t)
{
    require(t->rows > 0 && t->columns > 0);
    for (int column = 0; column < t->columns; column++) require_text(t->header[column]);
    for (size_t row = 0; row < t->rows; row++) {
        require(csv_line(t, row) > 0);
        for (int column = 0; column < t->columns; column++) require_text(csv_text(t, row, column));
    }
}

static void read_any(void *ctx)
{
    reading *r = (reading *)ctx;
    plot_job *job = &r->job;
    if (slices_recognise(r->data, r->size)) {
        slices_parse(&job->timeline, "fuzz", r->data, r->size);
        require_slices(&job->timeline);
    } else {
        flat_parse(&job->flat, "fuzz", r->data, r->size);
        require_table(job->flat.table);
        job->table = job->flat.table;
        r->table = *job->table;
    }
}

static void require_numbers(const char *picture)
{
    static const char *const none[] = {"\"nan", "\"-nan", "\"inf", "\"-inf"};
    for (size_t i = 0; i < COUNT_OF(none); i++) require(strstr(picture, none[i]) == NULL);
}

static void draw_any(void *ctx)
{
    reading *r = (reading *)ctx;
    plot_job *job = &r->job;
    output svg = {0}, json = {0};
    read_any(r);
    job->picture = &plot_pictures[plot_suggested(job)];
    if (job->table && r->size % 2 == 0 && strcmp(plot_pictures[r->size / 2 % PLOT_PICTURES].name,
                                                 "timeline") != 0)
        job->picture = &plot_pictures[r->size / 2 % PLOT_PICTURES];
    job->picture->draw(job, &svg, &json);
    output_bytes(&svg, "", 1);        /* the end of the text, for strstr */
    require_numbers(svg.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static reading r;
    memset(&r, 0, sizeof r);
    r.data = (const char *)data;
    r.size = size;
    r.job.name = "fuzz";
    r.job.from_s = -1.0;
    fuzz_trial(draw_any, &r, "fuzz:");
    slices_free(&r.job.timeline);
    names_free(&r.job.flat.columns);
    csv_free(&r.table);
    return 0;
}

FUZZ_MAIN("fuzz_plot",
    "{\"schema\":\"sgdperf.predict/1\",\"points\":[{\"workers\":1,\"batches_per_s\":5.2,\"time_s\":"
    "{\"uplink\":{\"service\":1e-3,\"waiting\":0}}},{\"workers\":2,\"name\":\"a\\\"\\u00e9,\"}]}",
    "{\"jobs\":[{\"job\":\"a\\ud83d\\ude00\",\"points\":[{\"x\":1},"
    "{\"x\":\"\\ud800\"}]},{\"job\":2}]}",
    "{\"curve\":[1,null,{\"workers\":1}],\"rows\":[],\"a\":{\"b\":[{}],\"c\":\"\\u0007\"}}",
    "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,"
    "\"args\":{\"name\":\"w\"}},{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,"
    "\"args\":{\"name\":\"up\\n\"}},"
    "{\"ph\":\"X\",\"name\":\"g\",\"pid\":1,\"tid\":2,\"ts\":1e6,\"dur\":-5},"
    "{\"ph\":\"X\",\"name\":\"\\u20ac\",\"pid\":\"x\",\"tid\":\"y\",\"ts\":0.5,\"dur\":1e300}]}",
    " [{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\\ud800\"}]",
    "workers,batches_per_s,low,high\n1,5,4,6\n2,\"9\",8,\n# no\n4,1e9,,\n", "{}", "[", "",
    "load,policy,mean_response_s,ci95_half_width_s\n0.3,a,5,1\n0.6,a,7,\n0.6,b,8,9\n",
    "policy,mean_wait_s,mean_response_s,p95_response_s\neasy,5,9,20\nfcfs,1e3,1e300,0\n",
    "probability,response_s,ci95_half_width_s\n0.5,1,2\n0.99,1e9,\n",
    "fraction,mean_time_s,gamma\n0.4,1,0\n1,2,0\n0.4,3,1\n",
    "job,start_s,completion_s,response_s\na,0,5,5\nb,5,8,7\nc,1,1,1\n",
    "worker,step,end_s\n0,0,1\n1,0,1e-9\n0,1,3\n", "job,nodes\na,0\nb,4\n",
    "stage,device,time_s\n1,1,0.5\n2,2,0.4\n3,1,0\n", "model,mean_error,p95_error\na,0.1,3\n",
    "mode,workers,measured,predicted,band_low\nsync,1,2,3,\nasync,1,2,1e-300,0\n");
