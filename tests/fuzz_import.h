/* fuzz_import.h - what the fuzz targets of the readers of sgdperf import share: any bytes
 * are read to what import.h promises, or refused with one line that names the file. */
#ifndef SGDPERF_FUZZ_IMPORT_H
#define SGDPERF_FUZZ_IMPORT_H

#include "fuzz.h"
#include "trial.h"
#include "import/import.h"

typedef struct fuzz_reading {
    const import_format *format;
    const char   *data;
    size_t        size;
    import_found  found;
    double        sum;        /* of what was found, so that all of it is looked at  */
} fuzz_reading;

static int fuzz_is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static void require_found(const import_found *f)
{
    size_t i, k;
    require(f->ops == 0 || f->steps > 0);
    for (i = 0; i < f->steps; i++) {
        require(fuzz_is_finite(f->step[i].start_s) && fuzz_is_finite(f->step[i].end_s));
        require(f->step[i].end_s >= f->step[i].start_s);
    }
    for (i = 0; i < f->ops; i++) {
        const import_op *op = &f->op[i];
        require(op->step < f->steps && op->kind < IMPORT_KINDS);
        require(op->end_s >= op->start_s && fuzz_is_finite(op->end_s - op->start_s));
        require(op->name < f->names.count && op->collective < IMPORT_COLLECTIVES);
        require(op->first_wait + op->waits <= f->waits);
        for (k = 0; k < op->waits; k++) require(f->wait[op->first_wait + k] < f->ops);
    }
    for (i = 0; i < f->layers; i++) {
        require(f->layer[i].name < f->names.count);
        require(f->layer[i].forward_s >= 0.0 && f->layer[i].backward_s >= 0.0);
        require(f->layer[i].bytes >= 0.0 && fuzz_is_finite(f->layer[i].output_bytes));
    }
    for (i = 0; i < f->drops; i++) require(f->dropped[i].why && f->dropped[i].count > 0);
}

static void fuzz_read_format(void *ctx)
{
    fuzz_reading *r = (fuzz_reading *)ctx;
    import_options options;
    stream s;
    memset(&options, 0, sizeof options);
    stream_of(&s, "fuzz", r->data, r->size);
    r->format->read(&s, &options, &r->found);
    require(s.at <= s.end);
    require_found(&r->found);
}

static void fuzz_import(const import_format *format, const uint8_t *data, size_t size)
{
    static fuzz_reading r;
    char message[512];
    (void)format->recognises((const char *)data, size);
    memset(&r, 0, sizeof r);
    r.format = format;
    r.data = (const char *)data;
    r.size = size;
    if (!trial(fuzz_read_format, &r, message, sizeof message))
        require(strncmp(message, "fuzz:", 5) == 0 && strchr(message, '\n') == NULL);
    names_free(&r.found.names);
    names_free(&r.found.nodes);
}

#endif /* SGDPERF_FUZZ_IMPORT_H */
