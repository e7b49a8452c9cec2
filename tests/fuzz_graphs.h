/* fuzz_graphs.h - what the fuzz targets of formats that say what waits for what share: bytes are
 * recognised or not, and read as what import.h promises, or refused with one line. */
#ifndef SGDPERF_FUZZ_GRAPHS_H
#define SGDPERF_FUZZ_GRAPHS_H

#include "fuzz.h"
#include "base/tool.h"
#include "import/import.h"
#include "trial.h"

typedef struct fuzz_input {
    const import_format *format;
    const uint8_t       *data;
    size_t               size;
    import_view          view;
    import_found         found;
} fuzz_input;

static void fuzz_require_found(const import_found *f)
{
    size_t i, k;
    for (i = 0; i < f->steps; i++) require(f->step[i].end_s >= f->step[i].start_s);
    for (i = 0; i < f->ops; i++) {
        const import_op *op = &f->op[i];
        require(op->step < f->steps && op->kind < IMPORT_KINDS);
        require(op->end_s >= op->start_s && op->end_s - op->start_s <= DBL_MAX);
        require(op->bytes <= DBL_MAX && op->name < f->names.count);
        require(op->server < IMPORT_MOST_SERVERS);
        require(op->first_wait + op->waits <= f->waits);
        for (k = 0; k < op->waits; k++) {
            require(f->wait[op->first_wait + k] < f->ops && f->wait[op->first_wait + k] != i);
            require(f->op[f->wait[op->first_wait + k]].step == op->step);
        }
    }
}

static void fuzz_read_input(void *ctx)
{
    fuzz_input *in = (fuzz_input *)ctx;
    import_options how;
    stream s;
    memset(&how, 0, sizeof how);
    how.view = in->view;
    stream_of(&s, "fuzz", (const char *)in->data, in->size);
    in->format->read(&s, &how, &in->found);
    fuzz_require_found(&in->found);
    require(in->found.ops > 0 && in->found.steps > 0);
    (void)import_schedule(&in->found);
    fuzz_require_found(&in->found);
}

static void fuzz_graphs(const import_format *format, const uint8_t *data, size_t size)
{
    char message[2048];
    fuzz_input in;
    int view;
    (void)format->recognises((const char *)data, size);
    for (view = 0; view < 2; view++) {
        memset(&in, 0, sizeof in);
        in.format = format;
        in.data = data;
        in.size = size;
        in.view = (import_view)view;
        in.found.file = "fuzz";
        if (!trial(fuzz_read_input, &in, message, sizeof message))
            require(strncmp(message, "fuzz:", 5) == 0 && strchr(message, '\n') == NULL);
        names_free(&in.found.names);  /* the rest went with the trial */
        names_free(&in.found.nodes);
    }
}

#endif /* SGDPERF_FUZZ_GRAPHS_H */
