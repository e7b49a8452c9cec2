/* fuzz_plot.c - any bytes as what sgdperf plot reads: a table of equal rows, or slices in rows
 * that there are, with names that are text, or one line that names the file. */
#include "fuzz.h"
#include "base/words.h"
#include "files/flat.h"
#include "files/slices.h"
#include "trial.h"

typedef struct reading {
    const char *data;
    size_t      size;
    slice_list  timeline;
    flat_file   flat;
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
    if (slices_recognise(r->data, r->size)) {
        slices_parse(&r->timeline, "fuzz", r->data, r->size);
        require_slices(&r->timeline);
    } else {
        flat_parse(&r->flat, "fuzz", r->data, r->size);
        require_table(r->flat.table);
        flat_free(&r->flat);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static reading r;
    char message[512];
    memset(&r, 0, sizeof r);
    r.data = (const char *)data;
    r.size = size;
    if (!trial(read_any, &r, message, sizeof message))
        require(strncmp(message, "fuzz:", 5) == 0 && strchr(message, '\n') == NULL);
    slices_free(&r.timeline);
    names_free(&r.flat.columns);
    return 0;
}

static const char *const seeds[] = {
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
    "workers,batches_per_s,low,high\n1,5,4,6\n2,\"9\",8,\n# no\n4,1e9,,\n", "{}", "[", ""
};
FUZZ_MAIN("fuzz_plot", seeds);
