/* kineto.c - traces of PyTorch: Chrome trace events, as Kineto writes them */

#include "base/progress.h"
#include "import/import.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an event is, by its category. */
typedef enum kineto_category {
    KINETO_OTHER = 0,
    KINETO_DEVICE,            /* a kernel, a copy: what runs on the accelerator     */
    KINETO_LAUNCH,            /* a call of the runtime that starts it, or waits     */
    KINETO_HOST,              /* an operation on the processor                      */
    KINETO_ANNOTATION         /* of the user or of PyTorch, on the processor        */
} kineto_category;

enum { KINETO_NAME = 96 };    /* characters of a name that are kept                 */

/* An event of the file. Numbers that it does not have are -1. */
typedef struct kineto_event {
    char     phase;           /* 'X' and so on                                      */
    kineto_category category;
    char     name[KINETO_NAME + 1];
    char     collective[KINETO_NAME + 1];
    double   ts, dur;         /* microseconds, as the file has them                 */
    double   start_s, end_s;  /* from the first event on                            */
    double   thread;          /* any number that tells threads of a process apart   */
    double   correlation;
    double   device;          /* number of the accelerator                          */
    double   elements, out_elements, element_bytes, group;
    double   dims_elements[2]; /* of the first tensors of "Input Dims"              */
} kineto_event;

/* Of a collective. Older traces have the shape of what a worker hands in alone, which of a
 * gathering is the part of one. */
typedef struct kineto_size {
    double bytes;             /* < 0: not told                                      */
    int    is_part;
} kineto_size;

/* What is kept of them. */
typedef struct kineto_device {
    double start_s, end_s, correlation;
    kineto_size size;
    int    collective;        /* -1: computes                                       */
} kineto_device;

typedef struct kineto_launch { double correlation, start_s, end_s; } kineto_launch;

/* A collective on the processor: an annotation. */
typedef struct kineto_call {
    double start_s, end_s;
    kineto_size size;
    int    collective;
    char   by;                /* first letter: gloo, mpi run on the processor, nccl not */
} kineto_call;

typedef struct kineto_span { double start_s, end_s; } kineto_span;
typedef struct kineto_spans { kineto_span *at; size_t count, room; } kineto_spans;
typedef struct kineto_lane { double thread; kineto_span open; } kineto_lane;

typedef struct kineto {
    json_reader    r;
    import_found  *found;
    const char    *file;
    kineto_device *device;   size_t devices, device_room;
    kineto_launch *launch;   size_t launches, launch_room;
    kineto_spans   blocked;   /* calls that wait for kernels, kernels that wait for their turn */
    kineto_spans   host;      /* host work, joined                                  */
    kineto_lane   *lane;     size_t lanes, lane_room;        /* by threads           */
    size_t         last_lane; /* mostly that of the next event, too                  */
    kineto_call   *call;     size_t calls, call_room;
    import_step   *step;     size_t steps, step_room;        /* as annotated          */
    double         group, least_group; /* of a collective; 0: not told              */
    double         shards;    /* of each gathering, scattering; 0: not told, -1: differ */
    double         origin;    /* microseconds: first of all times, which count from it */
    int            has_origin;
    int            has_nanoseconds; /* some time is no whole microsecond             */
    double        *end_s;     /* [ends] of exchanges, ascending                      */
    size_t         ends;
    size_t        *ran, *launched; /* [found->steps] kernels that ran in each, or were
                                      launched in it; NULL: no accelerator          */
    size_t        *told;      /* [found->steps] that ran, with a launch             */
    double         accelerator; /* the first that ran something; < 0: not told       */
    int            accelerators_differ;
    int            is_cut;    /* the file, before its end                            */
    double         reached_s; /* start of the file's last event                      */
    double        *in_file;   /* [devices] starts as the file has them; NULL: it is whole */
    int            bare;      /* an array of events without categories               */
} kineto;

/* ---- Events ------------------------------------------------------------------- */

static int is_text(const json_reader *r, const char *text, size_t length)
{
    return r->length == length && memcmp(r->text, text, length) == 0;
}

#define IS(r, literal) is_text(r, literal, sizeof(literal) - 1)

/* ---- Events: words ------------------------------------------------------------ */

static int ends_in(const json_reader *r, const char *end, size_t length)
{
    return r->length >= length && memcmp(r->text + r->length - length, end, length) == 0;
}

static kineto_category category(const json_reader *r)
{
    if (IS(r, "cpu_op") || IS(r, "Operator")) return KINETO_HOST;
    if (IS(r, "kernel") || IS(r, "gpu_memcpy") || IS(r, "gpu_memset") || IS(r, "Kernel") ||
        IS(r, "Memcpy") || IS(r, "Memset") || IS(r, "mtia_ccp_events"))
        return KINETO_DEVICE;
    if (ends_in(r, "_runtime", 8) || ends_in(r, "_driver", 7) || IS(r, "Runtime"))
        return KINETO_LAUNCH;
    return IS(r, "user_annotation") ? KINETO_ANNOTATION : KINETO_OTHER;
}

/* Bytes of an element of a tensor; -1: not known. */
static double element_bytes(const json_reader *r)
{
    static const struct { const char *word; double bytes; } words[] = {
        {"float", 4}, {"half", 2}, {"c10::half", 2}, {"bfloat16", 2}, {"c10::bfloat16", 2},
        {"double", 8}, {"long", 8}, {"long int", 8}, {"int", 4}, {"short", 2}, {"char", 1},
        {"byte", 1}, {"bool", 1}, {"unsigned char", 1}, {"signed char", 1}, {"short int", 2},
        {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"uint8", 1}, {"int8", 1}, {"int32", 4},
        {"int64", 8}, {"float16", 2}, {"float32", 4}, {"float64", 8}
    };
    char word[24];
    if (!import_json_text(r, word, sizeof word)) return -1.0;
    for (size_t i = 0; word[i] != '\0'; i++) word[i] = (char)tolower((unsigned char)word[i]);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(words[i].word, word) == 0) return words[i].bytes;
    return -1.0;
}

/* ---- Events: values ----------------------------------------------------------- */

/* A number, or one between quotes; -1 for anything else. */
static int read_number(json_reader *r, double *value)
{
    const json_token token = json_next(r);
    char text[64];
    *value = -1.0;
    if (token == JSON_NUMBER) return (void)json_value(r, value), 1;
    if (token != JSON_STRING) return json_skip(r, token);
    if (import_json_text(r, text, sizeof text)) (void)number_parse(text, NUMBER_ANY, value);
    return 1;
}

static int read_text(json_reader *r, char text[KINETO_NAME + 1])
{
    const json_token token = json_next(r);
    size_t length = 0;
    if (token == JSON_STRING) {
        length = r->length < KINETO_NAME ? r->length : KINETO_NAME;
        memcpy(text, r->text, length);
    } else if (!json_skip(r, token)) {
        return 0;
    }
    text[length] = '\0';
    return 1;
}

/* "Input Dims": the elements of the first two tensors, [[3, 4], ...] or [[[3, 4], ...], ...]. */
static int read_dims(json_reader *r, double elements[2])
{
    double product = 1.0, value;
    size_t tensors = 0;
    int inside = 0;           /* a list of numbers                                  */
    json_token token = json_next(r);
    const size_t outside = r->depth - 1;
    elements[0] = elements[1] = -1.0;
    if (token != JSON_ARRAY) return json_skip(r, token);
    while (r->depth > outside) {
        token = json_next(r);
        if (token == JSON_WRONG) return 0;
        if (token == JSON_NUMBER && json_value(r, &value)) {
            product *= value;
            inside = 1;
        }
        if (token != JSON_CLOSE || !inside) continue;
        if (tensors < 2 && product >= 0.0) elements[tensors] = product;
        tensors++;
        product = 1.0;
        inside = 0;
    }
    return 1;
}

/* "Input type": the bytes of the first one's elements. */
static int read_types(json_reader *r, double *bytes)
{
    json_token token = json_next(r);
    const size_t outside = r->depth - 1;
    int first = 1;
    if (token != JSON_ARRAY) return json_skip(r, token);
    while (r->depth > outside) {
        token = json_next(r);
        if (token == JSON_WRONG) return 0;
        if (token != JSON_STRING || !first) continue;
        if (*bytes < 0.0) *bytes = element_bytes(r);
        first = 0;
    }
    return 1;
}

static int read_argument(json_reader *r, kineto_event *e)
{
    if (IS(r, "correlation")) return read_number(r, &e->correlation);
    if (IS(r, "In msg nelems") || IS(r, "In msg size")) return read_number(r, &e->elements);
    if (IS(r, "Out msg nelems") || IS(r, "Out msg size"))
        return read_number(r, &e->out_elements);
    if (IS(r, "device")) return read_number(r, &e->device);
    if (IS(r, "Group size")) return read_number(r, &e->group);
    if (IS(r, "Collective name")) return read_text(r, e->collective);
    if (IS(r, "dtype")) {
        json_token token = json_next(r);
        if (token == JSON_STRING) e->element_bytes = element_bytes(r);
        return json_skip(r, token);
    }
    if (e->category != KINETO_DEVICE && e->category != KINETO_LAUNCH) {
        if (IS(r, "Input Dims")) return read_dims(r, e->dims_elements);
        if (IS(r, "Input type")) return read_types(r, &e->element_bytes);
    }
    return json_skip(r, json_next(r));
}

static int read_arguments(json_reader *r, kineto_event *e)
{
    json_token token = json_next(r);
    if (token != JSON_OBJECT) return json_skip(r, token);
    while ((token = json_next(r)) == JSON_KEY)
        if (!read_argument(r, e)) return 0;
    return token == JSON_CLOSE;
}

/* Two threads of one process may have names in place of numbers. */
static int read_thread(json_reader *r, double *thread)
{
    const json_token token = json_next(r);
    *thread = 0.0;
    if (token == JSON_NUMBER) return (void)json_value(r, thread), 1;
    if (token != JSON_STRING) return json_skip(r, token);
    for (size_t i = 0; i < r->length && i < 24; i++)
        *thread = *thread * 31.0 + (double)(unsigned char)r->text[i];
    return 1;
}

static int read_member(json_reader *r, kineto_event *e)
{
    if (IS(r, "ts")) return read_number(r, &e->ts);
    if (IS(r, "dur")) return read_number(r, &e->dur);
    if (IS(r, "tid")) return read_thread(r, &e->thread);
    if (IS(r, "name")) return read_text(r, e->name);
    if (IS(r, "args")) return read_arguments(r, e);
    if (IS(r, "cat") || IS(r, "ph")) {
        const int is_category = r->length == 3;
        json_token token = json_next(r);
        if (token != JSON_STRING) return json_skip(r, token);
        if (is_category) e->category = category(r);
        else e->phase = r->length == 1 ? *r->text : '\0';
        return 1;
    }
    return json_skip(r, json_next(r));
}

/* Reads one event, behind its JSON_OBJECT; 0: the text ends, or is wrong. */
static int kineto_read_event(json_reader *r, kineto_event *e)
{
    json_token token;
    e->phase = '\0';
    e->category = KINETO_OTHER;
    e->name[0] = e->collective[0] = '\0';
    e->ts = e->dur = e->correlation = e->device = e->elements = e->out_elements = -1.0;
    e->element_bytes = e->group = e->dims_elements[0] = e->dims_elements[1] = -1.0;
    e->thread = 0.0;
    while ((token = json_next(r)) == JSON_KEY)
        if (!read_member(r, e)) return 0;
    return token == JSON_CLOSE;
}

/* ---- Steps that are whole ----------------------------------------------------- */

/* Steps that are not whole are left out: profilers lose kernels, and a file
 * that is cut off has those of its first steps, whichever way it is sorted. */

/* What a step has. */
typedef struct kineto_held {
    int    works;             /* something runs in it, and not only what was left over */
    double bytes;             /* of its exchanges; < 0: not known                   */
} kineto_held;

static kineto_held *hold(const import_found *f)
{
    kineto_held *held = tool_alloc(f->steps, sizeof *held);
    for (size_t i = 0; i < f->ops; i++) {
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

/* A tenth of the bytes that half of the kept steps have; 0: not all are known. */
static double least_bytes(const import_found *f, const kineto_held *held, const unsigned char *out)
{
    double *bytes = tool_alloc(f->steps, sizeof *bytes);
    size_t n = 0;
    for (size_t i = 0; i < f->steps; i++) {
        if (out[i]) continue;
        if (held[i].bytes < 0.0) return 0.0;
        bytes[n++] = held[i].bytes;
    }
    qsort(bytes, n, sizeof *bytes, number_compare);
    return 0.1 * bytes[n / 2];
}

/* Steps of few bytes have lost some if they are few, or the last one. Where gradients are
 * gathered over steps it is most of them, or every second. */
static size_t leave_out_light(const import_found *f, const kineto_held *held, unsigned char *out,
                              size_t kept)
{
    const double least = least_bytes(f, held, out);
    size_t light = 0, last = 0;
    int last_is = 0;
    for (size_t i = 0; i < f->steps; i++) {
        if (out[i]) continue;
        last_is = held[i].bytes < least;
        light += (size_t)last_is;
        last = i;
    }
    if (!(least > 0.0) || light == 0 || kept < 3) return 0;
    if (4 * light > kept && !(light == 1 && last_is)) return 0;
    for (size_t i = 0; i <= last; i++)
        if (!out[i] && held[i].bytes < least) out[i] = 1;
    return light;
}

/* Is it less than 90 %? A handful of kernels tells nothing. */
static int is_less(size_t kernels, size_t than) { return 10 * (kernels + 4) < 9 * than; }

/* Does the accelerator run fewer kernels in a step than the host launches in it? At the start of a
 * trace it is idle, and the host ahead. */
static int is_behind(const kineto *k, size_t step)
{
    return is_less(k->ran[step], k->launched[step]);
}

/* Does a step at one end run fewer kernels than each other step but that at the other end? */
static int is_cut_off(const kineto *k, size_t step, size_t first, size_t last)
{
    size_t least = SIZE_MAX;
    for (size_t i = first; i <= last; i++) {
        const int inner = i != first && i != last;
        if (i != step && (inner || last - first < 3) && k->ran[i] < least) least = k->ran[i];
    }
    return last - first >= 2 && is_less(k->ran[step], least);
}

/* Steps that the start or the end of the trace cuts off; how many. Where steps between are behind,
 * too, none is known to be whole. */
static size_t leave_out_ends(const kineto *k, unsigned char *out)
{
    size_t begin = 0, end = k->found->steps - 1, first, last, cut = 0, behind = 0;
    if (!k->ran) return 0;
    while (out[begin]) begin++;        /* some step is kept */
    while (out[end]) end--;
    first = begin;
    last = end;
    while (first < last && (out[first] || is_behind(k, first))) first++;
    while (first < last && (out[last] || is_behind(k, last))) last--;
    for (size_t i = first; i <= last; i++) behind += (size_t)(!out[i] && is_behind(k, i));
    if (behind > 0) {
        tool_note("file-cut", "%s: none of its steps has all of its kernels: trace more steps",
                  k->file);
        first = begin;
        last = end;
    }
    while (out[first] || is_cut_off(k, first, first, last)) first++;
    while (out[last] || is_cut_off(k, last, first, last)) last--;
    while (out[first] || is_cut_off(k, first, first, last)) first++;
    for (size_t i = 0; i < k->found->steps; i++) {
        if ((i >= first && i <= last) || out[i]) continue;
        out[i] = 1;
        cut++;
    }
    return cut;
}

/* Where a step's kernels stand in the file. */
typedef struct kineto_place {
    size_t before, after;     /* steps of the events around them, from 1; 0: none     */
    size_t breaks, breaks_after; /* how often time went back before first and last    */
    double lag_s;             /* from the step's start to its first kernel           */
} kineto_place;

/* Profilers write kernels in blocks of any order: time goes back between two of them. */
static kineto_place *find_places(const kineto *k)
{
    const import_found *f = k->found;
    kineto_place *place = tool_alloc(f->steps + 1, sizeof *place);
    double latest_s = -1e300;
    for (size_t i = 0, breaks = 0, last = 0; i < k->devices; i++) {
        const double at_s = k->in_file[i];
        const size_t s = import_below(&f->step->end_s, f->steps, sizeof *f->step, at_s, 1);
        const import_step *step = &f->step[s < f->steps ? s : f->steps - 1];
        const int back = at_s < latest_s - 0.05 * (step->end_s - step->start_s);
        breaks += (size_t)back;
        if (back || at_s > latest_s) latest_s = at_s;
        if (last > 0) place[last - 1].after = s + 1;
        if (place[s].lag_s <= 0.0) {
            place[s].before = last;
            place[s].breaks = breaks;
            place[s].lag_s = at_s > step->start_s ? at_s - step->start_s : 1e-12;
        }
        place[s].breaks_after = breaks;
        last = s + 1;
    }
    return place;
}

/* Are all of the kernels of a step in a file that is cut off? They stand together, between those
 * of the steps around it. Nothing stands before the first: it begins like the next one. */
static int is_reached(const kineto *k, const kineto_place *place, size_t step)
{
    const import_step *s = &k->found->step[step];
    const kineto_place *p = place ? &place[step] : NULL;
    if (!p) return s->end_s <= k->reached_s;
    return p->after == step + 2 && p->breaks == p->breaks_after &&
           ((step > 0 && p->before == step) || p->lag_s <= 0.05 * (s->end_s - s->start_s) ||
            (step + 1 < k->found->steps && p->lag_s <= 2.0 * place[step + 1].lag_s));
}

static size_t leave_out_unreached(const kineto *k, unsigned char *out)
{
    const kineto_place *place = k->in_file ? find_places(k) : NULL;
    size_t cut = 0;
    for (size_t i = 0; k->is_cut && i < k->found->steps; i++) {
        if (out[i] || is_reached(k, place, i)) continue;
        out[i] = 1;
        cut++;
    }
    return cut;
}

static void refuse_cut(const kineto *k)
{
    if (k->is_cut)
        tool_fail("%s: the file is cut off after %.0f event%s: none of its steps is whole: trace "
                  "again", k->file, (double)k->found->events, k->found->events > 1 ? "s" : "");
}

/* Leaves out of these the steps that are not whole. */
static void kineto_leave_out(kineto *k)
{
    import_found *f = k->found;
    const kineto_held *held = hold(f);
    unsigned char *out = tool_alloc(f->steps, 1);
    size_t kept = 0, cut, light;
    for (size_t i = 0; i < f->steps; i++) {
        out[i] = (unsigned char)!held[i].works;
        kept += held[i].works ? 1U : 0U;
    }
    cut = leave_out_unreached(k, out);
    if (kept == cut) {
        refuse_cut(k);
        return;
    }
    import_drop(f, k->devices > 0 ? "steps without kernels" : "steps without operations",
                f->steps - kept);
    import_drop(f, "steps that may be cut short at the end of the trace", cut);
    light = leave_out_light(f, held, out, kept - cut);
    import_drop(f, "steps with less than a tenth of the others' bytes", light);
    import_drop(f, "steps that the start or end of the trace cuts off", leave_out_ends(k, out));
    import_leave_out(f, out);
}

/* ---- Steps -------------------------------------------------------------------- */

/* What a Kineto trace holds, put together: kernels and the calls that
 * launched them, collectives and their sizes, and the steps in which all of it ran. */

/* Of those that start together the longest comes first. */
static int compare_steps(const void *a, const void *b)
{
    const import_step *p = a, *q = b;
    const int order = number_compare(&p->start_s, &q->start_s);
    return order != 0 ? order : number_compare(&q->end_s, &p->end_s);
}

static void sort(void *array, size_t count, size_t size,
                 int (*order)(const void *a, const void *b))
{
    if (count > 1) qsort(array, count, size, order);
}

/* By the double that elements begin with: a start, an end, a correlation. */
static void sort_numbers(void *array, size_t count, size_t size)
{
    sort(array, count, size, number_compare);
}

static void widen(kineto_span *all, double start_s, double end_s)
{
    if (start_s < all->start_s) all->start_s = start_s;
    if (end_s > all->end_s) all->end_s = end_s;
}

/* Without annotations all of the trace is one step. */
static void take_all(kineto *k)
{
    kineto_span all = {1e300, -1e300};
    for (size_t i = 0; i < k->devices; i++) widen(&all, k->device[i].start_s, k->device[i].end_s);
    for (size_t i = 0; i < k->host.count; i++)
        widen(&all, k->host.at[i].start_s, k->host.at[i].end_s);
    for (size_t i = 0; i < k->launches; i++) widen(&all, k->launch[i].start_s, k->launch[i].end_s);
    if (!(all.end_s > all.start_s))
        tool_fail("%s: no events of a processor or an accelerator", k->file);
    import_add_step(k->found, 0, all.start_s, all.end_s);
    tool_note("no-steps-marked",
              "%s: no 'ProfilerStep#' annotation, so the whole trace counts as one step: call "
              "profiler.step() in the profiled loop", k->file);
}

/* Several threads may annotate one step: the first annotation counts, of those that start
 * together the longest. */
static void hand_over_steps(kineto *k)
{
    const import_step *last = NULL;
    size_t again = 0;
    if (k->steps == 0 || (k->devices == 0 && (k->launches > 0 || k->found->accelerators > 0)))
        refuse_cut(k);
    sort(k->step, k->steps, sizeof *k->step, compare_steps);
    for (size_t i = 0; i < k->steps; i++) {
        const import_step *s = &k->step[i];
        const int overlaps = last && s->start_s < last->end_s - 1e-6;
        if (overlaps && s->number == last->number) { again++; continue; }
        if (overlaps)
            tool_fail("%s: ProfilerStep#%lu begins before ProfilerStep#%lu ends", k->file,
                      (unsigned long)s->number, (unsigned long)last->number);
        import_add_step(k->found, s->number, s->start_s, s->end_s);
        last = s;
    }
    import_drop(k->found, "annotations of a step that has one already", again);
    if (k->steps == 0) take_all(k);
}

/* To each step in which some of it lies; 0: to none. Only the first has the bytes. A few bytes of
 * text must not become ops without end. */
static int add_to_steps(kineto *k, import_op *op, const char *name)
{
    import_found *f = k->found;
    const uint64_t most = (1 << 20) + 4 * f->events;
    size_t s = f->steps == 0 ? 0    /* the first that ends behind its start */
             : import_below(&f->step->end_s, f->steps, sizeof *f->step, op->start_s, 1);
    int added = 0;
    for (; s < f->steps && f->step[s].start_s < op->end_s; s++, added = 1) {
        op->step = (uint32_t)s;
        if (f->ops > most)
            tool_fail("%s: its events last over too many steps: 'ProfilerStep#' should mark whole "
                      "steps", k->file);
        import_add_op(f, op, name, strlen(name));
        op->bytes = op->bytes > 0.0 ? 0.0 : op->bytes;
    }
    return added;
}

/* ---- Steps: operations -------------------------------------------------------- */

static const kineto_launch *launch_of(const kineto *k, double correlation)
{
    if (correlation < 0.0 || k->launches == 0) return NULL;
    return bsearch(&correlation, k->launch, k->launches, sizeof *k->launch, number_compare);
}

/* Bytes of all workers; < 0: not known. */
static double bytes_of(const kineto *k, kineto_size size)
{
    if (!size.is_part || size.bytes < 0.0) return size.bytes;
    if (k->shards > 0.0) return size.bytes * k->shards;
    return k->found->workers > 0 ? size.bytes * k->found->workers : -1.0;
}

/* The call around the launch of a kernel that does not tell its size: the last one that tells
 * a size, else the last one; NULL: there is none. */
static const kineto_call *call_of(const kineto *k, const kineto_device *d)
{
    const kineto_launch *launch = launch_of(k, d->correlation);
    const kineto_call *last = NULL;
    size_t before = 0;
    if (d->size.bytes >= 0.0 || !launch) return NULL;
    if (k->calls > 0)
        before = import_below(&k->call->start_s, k->calls, sizeof *k->call, launch->start_s, 1);
    for (size_t tries = 0; before-- > 0 && tries < 64; tries++) {
        const kineto_call *c = &k->call[before];
        if (c->end_s < launch->start_s) continue;
        if (c->size.bytes >= 0.0) return c;
        if (!last) last = c;
    }
    return last;
}

/* One kernel of NCCL may serve all kinds of exchanges: then the call tells the kind, not the name
 * of the kernel. Without a call the kind is not known. */
static void correct_kinds(kineto *k)
{
    int differs[IMPORT_COLLECTIVES] = {0};
    for (int corrects = 0; corrects < 2; corrects++)
        for (size_t i = 0; i < k->devices; i++) {
            kineto_device *d = &k->device[i];
            const kineto_call *call = d->collective < 0 ? NULL : call_of(k, d);
            if (call && !corrects) {
                differs[d->collective] |= call->collective != d->collective;
            } else if (call) {
                d->collective = call->collective;
                d->size = call->size;
            } else if (corrects && d->collective >= 0 && d->size.bytes < 0.0 &&
                       differs[d->collective]) {
                d->collective = IMPORT_OTHER_COLLECTIVE;
            }
        }
}

static void add_span(kineto_spans *to, double start_s, double end_s)
{
    *IMPORT_ADD(to->at, to->count, to->room) = (kineto_span){start_s, end_s};
}

/* ---- Steps: what follows an exchange ------------------------------------------ */

static void sort_ends(kineto *k)
{
    k->end_s = tool_alloc(k->devices, sizeof *k->end_s);
    for (size_t i = 0; i < k->devices; i++)
        if (k->device[i].collective >= 0) k->end_s[k->ends++] = k->device[i].end_s;
    sort_numbers(k->end_s, k->ends, sizeof *k->end_s);
}

/* What the clock can be off by between an end and what began there: of times in whole
 * microseconds one of them, else a nanosecond, or what digits are left of a long time. */
static double resolution_s(const kineto *k)
{
    const double digits_s = 1e-6 * k->origin * DBL_EPSILON;
    const double clock_s = k->has_nanoseconds ? 1e-9 : 1e-6;
    return 1.001 * (digits_s > clock_s ? digits_s : clock_s);
}

/* A time, or the end of an exchange that it is too close before to be told from it: such an
 * overlap would hide the whole exchange. */
static double settled(const kineto *k, double time_s)
{
    const size_t i = import_below(k->end_s, k->ends, sizeof *k->end_s, time_s, 0);
    return i < k->ends && k->end_s[i] - time_s <= resolution_s(k) ? k->end_s[i] : time_s;
}

static void settle(kineto *k)
{
    sort_ends(k);
    for (size_t i = 0; i < k->devices; i++) {
        kineto_device *d = &k->device[i];
        if (d->collective >= 0) continue;
        d->start_s = settled(k, d->start_s);
        if (d->start_s > d->end_s) d->start_s = d->end_s;
    }
    for (size_t i = 0; i < k->blocked.count; i++)
        k->blocked.at[i].end_s = settled(k, k->blocked.at[i].end_s);
}

/* Counts what happens in a step. */
static void count_at(const kineto *k, size_t *count, double time_s)
{
    const import_found *f = k->found;
    const size_t s = import_below(&f->step->end_s, f->steps, sizeof *f->step, time_s, 1);
    if (s < f->steps && f->step[s].start_s <= time_s) count[s]++;
}

static void count_kernels(kineto *k)
{
    k->ran = tool_alloc(k->found->steps, sizeof *k->ran);
    k->launched = tool_alloc(k->found->steps, sizeof *k->launched);
    k->told = tool_alloc(k->found->steps, sizeof *k->told);
    for (size_t i = 0; i < k->devices; i++) {
        const kineto_launch *launch = launch_of(k, k->device[i].correlation);
        count_at(k, k->ran, k->device[i].start_s);
        if (!launch) continue;
        count_at(k, k->launched, launch->start_s);
        count_at(k, k->told, k->device[i].start_s);
    }
}

/* Is the accelerator behind the host in all steps, or in some that are not at the ends, or does it
 * catch up in one? Then the host's marks do not tell which kernels are of one step. */
static int runs_late(const kineto *k)
{
    const size_t steps = k->found->steps;
    size_t first = 0, end = steps, late = 0;
    while (first < end && is_behind(k, first)) first++;
    while (end > first && is_behind(k, end - 1)) end--;
    for (size_t i = first; i < end; i++)
        late += (size_t)(is_behind(k, i) ||
                         (k->launched[i] > 0 && is_less(k->launched[i], k->told[i])));
    return steps > 1 && (late > 0 || first == end);
}

/* What the host launched in a step: when the last of it ended, and how many kernels it was. */
typedef struct kineto_own { double end_s; size_t kernels; } kineto_own;

static kineto_own *launched_in(const kineto *k)
{
    const import_found *f = k->found;
    kineto_own *own = tool_alloc(f->steps, sizeof *own);
    for (size_t i = 0; i < k->devices; i++) {
        const kineto_launch *launch = launch_of(k, k->device[i].correlation);
        size_t s = !launch ? 0 : import_below(&f->step->start_s, f->steps, sizeof *f->step,
                                              launch->start_s, 1);
        if (s == 0 || launch->start_s >= f->step[f->steps - 1].end_s) continue;
        if (k->device[i].end_s > own[s - 1].end_s) own[s - 1].end_s = k->device[i].end_s;
        own[s - 1].kernels++;
    }
    return own;
}

/* A step of the accelerator lasts from the end of what was launched before it to the end of what
 * was launched in it. Nothing tells when the first one begins. The last ones are cut off if they
 * have fewer kernels than each step before. */
static void take_own_steps(kineto *k)
{
    import_found *f = k->found;
    kineto_own *own = launched_in(k);
    const size_t all = f->steps;
    size_t *least = tool_alloc(all, sizeof *least), kept = 0;
    for (size_t s = 1; s < all; s++) {
        const double from_s = own[s - 1].end_s;
        if (from_s > 0.0 && own[s].end_s > from_s) {
            least[kept] = kept > 0 && least[kept - 1] < own[s].kernels ? least[kept - 1]
                                                                       : own[s].kernels;
            own[kept].kernels = own[s].kernels;
            f->step[kept++] = (import_step){f->step[s].number, from_s, own[s].end_s};
        }
        if (own[s].end_s < from_s) own[s].end_s = from_s;
    }
    while (kept > 1 && 100 * own[kept - 1].kernels < 99 * least[kept - 2]) kept--;
    if (kept == 0) return;
    f->steps = kept;
    import_drop(f, "steps that the start or end of the trace cuts off", all - kept);
    tool_note("steps-of-accelerator",
              "%s: the accelerator runs late, so a step is not what the host marks: it lasts "
              "from the end of the kernels launched before it to the end of its own", k->file);
    count_kernels(k);
    memset(k->launched, 0, kept * sizeof *k->launched);
}

static void hand_over_devices(kineto *k)
{
    size_t outside = 0;
    settle(k);
    if (k->is_cut) k->in_file = tool_alloc(k->devices, sizeof *k->in_file);
    for (size_t i = 0; k->is_cut && i < k->devices; i++) k->in_file[i] = k->device[i].start_s;
    sort_numbers(k->launch, k->launches, sizeof *k->launch);
    sort_numbers(k->call, k->calls, sizeof *k->call);
    sort_numbers(k->device, k->devices, sizeof *k->device);
    correct_kinds(k);
    count_kernels(k);
    if (runs_late(k)) take_own_steps(k);
    for (size_t i = 0; i < k->devices; i++) {
        const kineto_device *d = &k->device[i];
        const kineto_launch *launch = launch_of(k, d->correlation);
        import_op op = {.start_s = d->start_s, .end_s = d->end_s};
        const char *name = "";
        if (d->collective >= 0) {
            op.kind = IMPORT_COLLECTIVE;
            op.collective = (import_collective)d->collective;
            op.bytes = bytes_of(k, d->size);
            name = import_collective_text(op.collective);
        } else if (launch && launch->end_s < d->start_s) {
            add_span(&k->blocked, launch->end_s, d->start_s);
        }
        if (!add_to_steps(k, &op, name)) outside++;
    }
    import_drop(k->found, "kernels outside of the steps", outside);
}

/* Waits that overlap are one. */
static void hand_over_waits(kineto *k)
{
    const kineto_spans *of = &k->blocked;
    size_t i = 0;
    sort_numbers(of->at, of->count, sizeof *of->at);
    while (i < of->count) {
        import_op op = {.kind = IMPORT_WAIT, .start_s = of->at[i].start_s,
                        .end_s = of->at[i].end_s};
        for (i++; i < of->count && of->at[i].start_s <= op.end_s; i++)
            if (of->at[i].end_s > op.end_s) op.end_s = of->at[i].end_s;
        (void)add_to_steps(k, &op, "");
    }
}

/* Without an accelerator the processor computes, and exchanges by gloo or MPI. */
static void hand_over_host(kineto *k)
{
    for (size_t i = 0; i < k->host.count; i++) {
        import_op op = {.host = 1, .start_s = k->host.at[i].start_s,
                        .end_s = k->host.at[i].end_s};
        (void)add_to_steps(k, &op, "");
    }
    for (size_t i = 0; i < k->calls; i++) {
        const kineto_call *c = &k->call[i];
        import_op op = {.kind = IMPORT_COLLECTIVE, .start_s = c->start_s, .end_s = c->end_s,
                        .collective = (import_collective)c->collective,
                        .bytes = bytes_of(k, c->size)};
        if (c->by == 'n') refuse_cut(k);
        if (c->by == 'n')
            tool_fail("%s: the workers exchange by NCCL, but no kernel shows for how long: trace "
                      "with ProfilerActivity.CUDA", k->file);
        if (c->by == 'g' || c->by == 'm')
            (void)add_to_steps(k, &op, import_collective_text(op.collective));
    }
}

static void say_workers(const kineto *k)
{
    import_found *f = k->found;
    if (k->accelerators_differ)
        tool_note("several-accelerators",
                  "%s: the trace has kernels of several accelerators, which all count as one "
                  "worker: trace each accelerator alone", k->file);
    if (f->workers == 0 && k->group > 1.0 && k->group <= IMPORT_MOST_WORKERS) {
        f->workers = (uint32_t)k->group;
        tool_note("workers-unknown",
                  "%s: the trace does not give the number of workers: %lu are used, the largest "
                  "group that exchanged data; --measured-on sets another number", k->file,
                  (unsigned long)f->workers);
    }
    if (k->least_group > 0.0 && k->least_group < f->workers)
        tool_note("groups",
                  "%s: some exchanges run in groups of %.0f of the %lu workers, but count as those "
                  "of all: answers for other numbers of workers may be far off", k->file,
                  k->least_group, (unsigned long)f->workers);
}

/* Steps, operations and waits of what was read, to k->found. */
static void kineto_hand_over(kineto *k)
{
    k->found->timed = 1;
    k->found->origin_s = 1e-6 * k->origin;
    say_workers(k);                    /* parts of a gathering are of so many         */
    hand_over_steps(k);
    if (k->devices > 0) {
        hand_over_devices(k);
        hand_over_waits(k);
    } else {
        hand_over_host(k);
    }
}

/* ---- The file ----------------------------------------------------------------- */

/* What PyTorch writes where it was built without Kineto: the processor's events alone, in an
 * array, without categories. */
static int is_bare(const char *head, size_t length)
{
    return length > 0 && head[0] == '[' &&
           import_has(head, length, "\"pid\": \"CPU functions\"");
}

static int recognises(const char *head, size_t length)
{
    const int events = import_has(head, length, "\"traceEvents\"");
    if (is_bare(head, length)) return 1;
    if (length > 0 && !memchr("{ \t\r\n", head[0], 5)) return 0;
    return (import_has(head, length, "\"schemaVersion\"") &&
            (events || import_has(head, length, "\"deviceProperties\""))) ||
           (events && (import_has(head, length, "\"distributedInfo\"") ||
                       import_has(head, length, "\"cpu_op\"") ||
                       import_has(head, length, "\"Operator\"") ||
                       import_has(head, length, "\"ProfilerStep#")));
}

/* ---- The file: events --------------------------------------------------------- */

static const char no_time[] = "events without a time or duration";

static int is_same(double a, double b) { return !(a < b) && !(a > b); }

static int has(const kineto_event *e, const char *text) { return strstr(e->name, text) != NULL; }

/* The size of a collective: all that is gathered or scattered, else what is sent. */
static kineto_size size_of(const kineto_event *e, int collective)
{
    const int whole = collective == IMPORT_ALLGATHER || collective == IMPORT_REDUCESCATTER;
    double elements = e->elements >= 0.0 ? e->elements : e->dims_elements[0];
    kineto_size size;
    if (whole && e->out_elements > elements) elements = e->out_elements;
    size.bytes = elements >= 0.0 && e->element_bytes > 0.0 ? elements * e->element_bytes : -1.0;
    size.is_part = collective == IMPORT_ALLGATHER && e->out_elements < 0.0;
    return size;
}

/* What tells the kind of an exchange. */
static const char *called(const kineto_event *e)
{
    return e->collective[0] != '\0' ? e->collective : e->name;
}

static void take_group(kineto *k, double size)
{
    if (size > k->group) k->group = size;
    if (size > 1.0 && (k->least_group < 1.0 || size < k->least_group)) k->least_group = size;
}

/* The shapes of a gathering or scattering, whole and part, tell its group. */
static void take_shards(kineto *k, const kineto_event *e)
{
    const double *elements = e->dims_elements, most = k->group;
    double shards;
    if (!has(e, "c10d::_allgather_base_") && !has(e, "c10d::_reduce_scatter_base_")) return;
    if (!(elements[0] > 0.0) || !(elements[1] > 0.0)) return;
    shards = fmax(elements[0], elements[1]) / fmin(elements[0], elements[1]);
    k->shards = is_same(k->shards, 0.0) || is_same(k->shards, shards) ? shards : -1.0;
    take_group(k, shards);
    k->group = most;          /* larger ones may not tell theirs                     */
}

static void keep_device(kineto *k, const kineto_event *e)
{
    kineto_device d = {.start_s = e->start_s, .end_s = e->end_s, .correlation = e->correlation,
                       .size.bytes = -1.0, .collective = -1};
    if (k->accelerator < 0.0) k->accelerator = e->device;
    k->accelerators_differ |= e->device >= 0.0 && !is_same(e->device, k->accelerator);
    if (has(e, "nccl") || has(e, "rccl") || has(e, "oneccl") || e->collective[0] != '\0') {
        d.collective = (int)import_collective_named(called(e));
        if (d.collective == IMPORT_OTHER_COLLECTIVE)
            d.collective = (int)import_collective_named(e->name);
        d.size = size_of(e, d.collective);
        take_group(k, e->group);
    }
    *IMPORT_ADD(k->device, k->devices, k->device_room) = d;
}

static void keep_launch(kineto *k, const kineto_event *e)
{
    if (has(e, "ynchronize") || has(e, "emcpy")) add_span(&k->blocked, e->start_s, e->end_s);
    if (e->correlation < 0.0) return;
    *IMPORT_ADD(k->launch, k->launches, k->launch_room) =
        (kineto_launch){e->correlation, e->start_s, e->end_s};
}

/* The lane of an event's thread; a new one is of no length, from its start on. */
static kineto_lane *lane_of(kineto *k, const kineto_event *e)
{
    char digits[32];
    size_t i = k->last_lane;
    if (i < k->lanes && is_same(k->lane[i].thread, e->thread)) return &k->lane[i];
    snprintf(digits, sizeof digits, "%.17g", e->thread);
    i = import_name(k->file, &k->found->nodes, digits, strlen(digits));
    if (i == k->lanes)
        *IMPORT_ADD(k->lane, k->lanes, k->lane_room) =
            (kineto_lane){e->thread, {e->start_s, e->start_s}};
    k->last_lane = i;
    return &k->lane[i];
}

/* Host operations are nested: those of a thread that follow each other are joined. */
static void keep_host(kineto *k, const kineto_event *e)
{
    kineto_span *open = &lane_of(k, e)->open;
    if (e->start_s >= open->start_s && e->start_s <= open->end_s) {
        if (e->end_s > open->end_s) open->end_s = e->end_s;
        return;
    }
    add_span(&k->host, open->start_s, open->end_s);
    *open = (kineto_span){e->start_s, e->end_s};
}

static int is_call(const kineto_event *e)
{
    return strncmp(e->name, "nccl:", 5) == 0 || strncmp(e->name, "gloo:", 5) == 0 ||
           strncmp(e->name, "mpi:", 4) == 0 || strcmp(e->name, "record_param_comms") == 0;
}

static void keep_call(kineto *k, const kineto_event *e)
{
    const int collective = (int)import_collective_named(called(e));
    if (collective == IMPORT_OTHER_COLLECTIVE) return;
    *IMPORT_ADD(k->call, k->calls, k->call_room) = (kineto_call){
        .start_s = e->start_s, .end_s = e->end_s, .size = size_of(e, collective),
        .collective = collective, .by = e->name[0]
    };
    take_group(k, e->group);
}

static void keep_step(kineto *k, const kineto_event *e)
{
    *IMPORT_ADD(k->step, k->steps, k->step_room) =
        (import_step){strtoull(e->name + 13, NULL, 10), e->start_s, e->end_s};
}

/* Of an event without one: annotations are those of PyTorch itself. */
static kineto_category bare_category(const kineto_event *e)
{
    return has(e, "#") || strncmp(e->name, "DistributedDataParallel.", 24) == 0 ? KINETO_ANNOTATION
                                                                                : KINETO_HOST;
}

static int is_whole(double value) { return !(floor(value) < value); }

/* Start and end, from the first event on. An end is added up in microseconds, so that what
 * starts there starts there in seconds too. Kineto's clock has nanoseconds at best: what
 * lies between them is of numbers with too few digits. */
static void set_times(kineto *k, kineto_event *e)
{
    if (!k->has_origin) k->origin = e->ts;
    k->has_origin = 1;
    if (!is_whole(e->ts) || !is_whole(e->dur)) k->has_nanoseconds = 1;
    double start_us = e->ts - k->origin;
    e->start_s = 1e-6 * import_on_grid(start_us, 1e3);
    e->end_s = 1e-6 * import_on_grid(start_us + e->dur, 1e3);
}

static void keep(kineto *k, kineto_event *e)
{
    if (k->bare && e->category == KINETO_OTHER) e->category = bare_category(e);
    if (e->phase != 'X' || e->category == KINETO_OTHER) return;
    if (e->ts < 0.0 || e->dur < 0.0) {
        import_drop(k->found, no_time, 1);
        return;
    }
    set_times(k, e);
    k->reached_s = e->start_s;
    switch (e->category) {
    case KINETO_DEVICE: keep_device(k, e); return;
    case KINETO_LAUNCH: keep_launch(k, e); return;
    case KINETO_HOST:
    case KINETO_ANNOTATION:
        if (strncmp(e->name, "ProfilerStep#", 13) == 0) keep_step(k, e);
        else if (is_call(e)) keep_call(k, e);
        else if (e->category == KINETO_HOST) keep_host(k, e);
        take_shards(k, e);
        return;
    case KINETO_OTHER: return;
    }
}

static int read_list(kineto *k)
{
    json_reader *r = &k->r;
    kineto_event e;
    json_token token;
    while ((token = json_next(r)) == JSON_OBJECT) {
        if (!kineto_read_event(r, &e)) return 0;
        keep(k, &e);
        if (++k->found->events % 65536 == 0 && r->source->size > 0)
            tool_progress("reading", (size_t)stream_place(r->source), (size_t)r->source->size);
    }
    if (token != JSON_CLOSE && token != JSON_WRONG)
        import_fail_json(r, "an event is not an object");
    return token == JSON_CLOSE;
}

static int read_events(kineto *k)
{
    const json_token token = json_next(&k->r);
    return token == JSON_ARRAY ? read_list(k) : json_skip(&k->r, token);
}

static int read_distributed(kineto *k)
{
    json_reader *r = &k->r;
    double value;
    json_token token = json_next(r);
    if (token != JSON_OBJECT) return json_skip(r, token);
    while ((token = json_next(r)) == JSON_KEY) {
        const int is_size = json_is(r, "world_size"), is_rank = json_is(r, "rank");
        token = json_next(r);
        if (is_rank && token == JSON_NUMBER && json_value(r, &value) && value >= 0.0 &&
            value < IMPORT_MOST_WORKERS)
            k->found->rank = (uint32_t)value + 1;
        if (is_size && token == JSON_NUMBER && json_value(r, &value) && value >= 0.0 &&
            value <= 1e9)
            k->found->workers = (uint32_t)value;
        if (!json_skip(r, token)) return 0;
    }
    return token == JSON_CLOSE;
}

/* The accelerators of the machine. */
static int read_devices(kineto *k)
{
    json_token token = json_next(&k->r);
    if (token != JSON_ARRAY) return json_skip(&k->r, token);
    while ((token = json_next(&k->r)) != JSON_CLOSE) {
        if (token == JSON_OBJECT) k->found->accelerators++;
        if (!json_skip(&k->r, token)) return 0;
    }
    return 1;
}

static int read_members(kineto *k)
{
    json_reader *r = &k->r;
    json_token token = json_next(r);
    k->bare = token == JSON_ARRAY;
    if (k->bare) return read_list(k) && json_next(r) == JSON_END;
    if (token != JSON_OBJECT) return 0;
    while ((token = json_next(r)) == JSON_KEY) {
        int read;
        if (json_is(r, "traceEvents")) read = read_events(k);
        else if (json_is(r, "distributedInfo")) read = read_distributed(k);
        else if (json_is(r, "deviceProperties")) read = read_devices(k);
        else read = json_skip(r, json_next(r));
        if (!read) return 0;
    }
    return token == JSON_CLOSE && json_next(r) == JSON_END;
}

static void read_trace(stream *s, const import_options *options, import_found *found)
{
    kineto k = {.found = found, .file = s->name, .accelerator = -1.0};
    (void)options;
    json_read_stream(&k.r, s, 1);
    if (!read_members(&k)) {
        if (!k.r.cut || found->events == 0) import_fail_json(&k.r, "is not a trace");
        tool_note("file-cut", "%s: the file is cut off after %.0f event%s: only complete events "
                  "and whole steps count", s->name, (double)found->events,
                  found->events > 1 ? "s" : "");
        k.is_cut = 1;
    }
    if (s->size > 0) tool_progress("reading", (size_t)s->size, (size_t)s->size);
    import_drop(found, "values that are missing or not JSON", k.r.mended);
    for (size_t i = 0; i < k.lanes; i++)
        add_span(&k.host, k.lane[i].open.start_s, k.lane[i].open.end_s);
    kineto_hand_over(&k);
    kineto_leave_out(&k);
    tool_free(k.device);
    tool_free(k.launch);
    tool_free(k.blocked.at);
    tool_free(k.host.at);
    tool_free(k.lane);
    tool_free(k.call);
    tool_free(k.step);
    tool_free(k.end_s);
}

const import_format import_kineto = {"kineto", "a trace of PyTorch (Kineto)", recognises,
                                     read_trace};
