/* kineto_whole.c - steps that are not whole are left out: profilers lose kernels, and a file
 * that is cut off has those of its first steps, whichever way it is sorted */
#include "import/kineto.h"

#include <stdlib.h>

/* What a step has. */
typedef struct kineto_held {
    int    works;             /* something runs in it, and not only what was left over */
    double bytes;             /* of its exchanges; < 0: not known                   */
} kineto_held;

static kineto_held *hold(const import_found *f)
{
    kineto_held *held = (kineto_held *)tool_alloc(f->steps, sizeof *held);
    size_t i;
    for (i = 0; i < f->ops; i++) {
        const import_op *op = &f->op[i];
        const import_step *s = &f->step[op->step];
        kineto_held *to = &held[op->step];
        if (op->kind == IMPORT_WAIT) continue;
        if (op->start_s >= s->start_s || op->end_s >= s->end_s) to->works = 1;
        if (op->kind != IMPORT_COLLECTIVE || op->collective == IMPORT_BARRIER) continue;
        if (op->bytes < 0.0) to->bytes = -1.0;
        else if (to->bytes >= 0.0) to->bytes += op->bytes;
    }
    return held;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A tenth of the bytes that half of the kept steps have; 0: not all are known. */
static double least_bytes(const import_found *f, const kineto_held *held, const unsigned char *out)
{
    double *bytes = (double *)tool_alloc(f->steps, sizeof *bytes);
    size_t n = 0, i;
    for (i = 0; i < f->steps; i++) {
        if (out[i]) continue;
        if (held[i].bytes < 0.0) return 0.0;
        bytes[n++] = held[i].bytes;
    }
    qsort(bytes, n, sizeof *bytes, compare);
    return 0.1 * bytes[n / 2];
}

/* Steps of few bytes have lost some if they are few, or the last one. Where gradients are
 * gathered over steps it is most of them, or every second. */
static size_t leave_out_light(const import_found *f, const kineto_held *held, unsigned char *out,
                              size_t kept)
{
    const double least = least_bytes(f, held, out);
    size_t light = 0, last = 0, i;
    int last_is = 0;
    for (i = 0; i < f->steps; i++) {
        if (out[i]) continue;
        last_is = held[i].bytes < least;
        light += (size_t)last_is;
        last = i;
    }
    if (!(least > 0.0) || light == 0 || kept < 3) return 0;
    if (4 * light > kept && !(light == 1 && last_is)) return 0;
    for (i = 0; i <= last; i++)
        if (!out[i] && held[i].bytes < least) out[i] = 1;
    return light;
}

void kineto_leave_out(kineto *k)
{
    import_found *f = k->found;
    const kineto_held *held = hold(f);
    unsigned char *out = (unsigned char *)tool_alloc(f->steps, 1);
    size_t kept = 0, last = 0, light, i;
    for (i = 0; i < f->steps; i++) {
        out[i] = (unsigned char)!held[i].works;
        if (held[i].works) last = i;
        kept += held[i].works ? 1U : 0U;
    }
    if (kept == 0) return;
    import_drop(f, k->devices > 0 ? "steps without kernels" : "steps without operations",
                f->steps - kept);
    if (k->is_cut && kept == 1)
        tool_note("%s: the end of its only step may be missing", k->file);
    if (k->is_cut && kept > 1) {
        out[last] = 1;
        kept--;
        import_drop(f, "steps that may be cut short, the last one before the end", 1);
    }
    light = leave_out_light(f, held, out, kept);
    import_drop(f, "steps with less than a tenth of the others' bytes", light);
    import_leave_out(f, out);
}
