/* fuzz_import.h - what the fuzz targets of the readers of sgdperf import share: bytes are
 * recognised or not, and read as what import.h promises, or refused with one line that names
 * the file; what has no times gets some, as sgdperf import does it. */
#ifndef SGDPERF_FUZZ_IMPORT_H
#define SGDPERF_FUZZ_IMPORT_H

#include "fuzz.h"
#include "trial.h"
#include "import/import.h"

typedef struct fuzz_reading {
    const import_format *format;
    const char   *data;
    size_t        size;
    import_view   view;
    import_found  found;
} fuzz_reading;

static int fuzz_is_finite(double x) { return x >= -DBL_MAX && x <= DBL_MAX; }

static void require_op(const import_found *f, size_t i)
{
    const import_op *op = &f->op[i];
    require(op->step < f->steps && op->kind < IMPORT_KINDS);
    require(fuzz_is_finite(op->start_s) && fuzz_is_finite(op->end_s));
    require(op->end_s >= op->start_s && fuzz_is_finite(op->end_s - op->start_s));
    require(op->bytes <= DBL_MAX && op->collective < IMPORT_COLLECTIVES);
    require(op->name < f->names.count && op->server < IMPORT_MOST_SERVERS);
    require(op->first_wait + op->waits <= f->waits);
    for (size_t k = 0; k < op->waits; k++) {
        const uint32_t other = f->wait[op->first_wait + k];
        require(other < f->ops && other != i && f->op[other].step == op->step);
    }
}

static void require_layer(const import_found *f, const import_layer *l)
{
    require(l->name < f->names.count);
    require(l->forward_s >= 0.0 && l->backward_s >= 0.0);
    require(fuzz_is_finite(l->forward_s) && fuzz_is_finite(l->backward_s));
    require(l->bytes >= 0.0 && fuzz_is_finite(l->bytes) && fuzz_is_finite(l->output_bytes));
}

static void require_found(const import_found *f)
{
    require(f->ops == 0 || f->steps > 0);
    require(f->ops > 0 || !f->linked);
    require(f->rank <= IMPORT_MOST_WORKERS && fuzz_is_finite(f->origin_s));
    for (size_t i = 0; i < f->steps; i++) {
        require(fuzz_is_finite(f->step[i].start_s) && fuzz_is_finite(f->step[i].end_s));
        require(f->step[i].end_s >= f->step[i].start_s);
    }
    for (size_t i = 0; i < f->ops; i++) require_op(f, i);
    for (size_t i = 0; i < f->layers; i++) require_layer(f, &f->layer[i]);
    for (size_t i = 0; i < f->drops; i++) require(f->dropped[i].why && f->dropped[i].count > 0);
}

static void fuzz_read_format(void *ctx)
{
    fuzz_reading *r = (fuzz_reading *)ctx;
    stream s;
    import_options options = {.view = r->view};
    stream_of(&s, "fuzz", r->data, r->size);
    r->format->read(&s, &options, &r->found);
    require(s.at <= s.end);
    require_found(&r->found);
    (void)import_schedule(&r->found);
    require_found(&r->found);
}

static inline void fuzz_import(const import_format *format, const uint8_t *data, size_t size)
{
    static fuzz_reading r;
    (void)format->recognises((const char *)data, size);
    for (int view = 0; view < 2; view++) {
        memset(&r, 0, sizeof r);
        r.format = format;
        r.data = (const char *)data;
        r.size = size;
        r.view = (import_view)view;
        r.found.file = "fuzz";
        fuzz_trial(fuzz_read_format, &r, "fuzz:");
        names_free(&r.found.names);    /* the rest went with the trial */
        names_free(&r.found.nodes);
    }
}

#define FUZZ_IMPORT(name, format, ...)                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)            \
    {                                                                       \
        fuzz_import(&(format), data, size);                                 \
        return 0;                                                           \
    }                                                                       \
    FUZZ_MAIN(name, __VA_ARGS__)

#endif /* SGDPERF_FUZZ_IMPORT_H */
