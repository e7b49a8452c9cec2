/* kineto.c - traces of PyTorch: Chrome trace events, as Kineto writes them */
#include "import/kineto.h"

#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (length > 0 && head[0] != '{' && head[0] != '\n' && head[0] != ' ') return 0;
    return (import_has(head, length, "\"schemaVersion\"") &&
            (events || import_has(head, length, "\"deviceProperties\""))) ||
           (events && (import_has(head, length, "\"distributedInfo\"") ||
                       import_has(head, length, "\"cpu_op\"") ||
                       import_has(head, length, "\"Operator\"") ||
                       import_has(head, length, "\"ProfilerStep#")));
}

/* ---- Events ---------------------------------------------------------------- */

static const char no_time[] = "events without a time or duration";

static int has(const kineto_event *e, const char *text) { return strstr(e->name, text) != NULL; }

/* The size of a collective: all that is gathered or scattered, else what is sent. */
static kineto_size size_of(const kineto_event *e, int collective)
{
    const int whole = collective == IMPORT_ALLGATHER || collective == IMPORT_REDUCESCATTER;
    double elements = e->elements >= 0.0 ? e->elements : e->dims_elements;
    kineto_size size;
    if (whole && e->out_elements > elements) elements = e->out_elements;
    size.bytes = elements >= 0.0 && e->element_bytes > 0.0 ? elements * e->element_bytes : -1.0;
    size.is_part = collective == IMPORT_ALLGATHER && e->out_elements < 0.0;
    return size;
}

static void keep_device(kineto *k, const kineto_event *e)
{
    kineto_device *d;
    const int exchanges = has(e, "nccl") || has(e, "rccl") || has(e, "oneccl") ||
                          e->collective[0] != '\0';
    const char *name = e->collective[0] != '\0' ? e->collective : e->name;
    k->device = (kineto_device *)import_grow(k->device, k->devices, &k->device_room,
                                             sizeof *k->device);
    d = &k->device[k->devices++];
    d->start_s = e->start_s;
    d->end_s = e->end_s;
    d->correlation = e->correlation;
    d->collective = -1;
    d->size.bytes = -1.0;
    d->size.is_part = 0;
    if (k->accelerator < 0.0) k->accelerator = e->device;
    k->accelerators_differ |= e->device >= 0.0 && e->device > k->accelerator;
    k->accelerators_differ |= e->device >= 0.0 && e->device < k->accelerator;
    if (!exchanges) return;
    d->collective = (int)import_collective_named(name);
    if (d->collective == IMPORT_OTHER_COLLECTIVE)
        d->collective = (int)import_collective_named(e->name);
    d->size = size_of(e, d->collective);
    if (e->group > k->group) k->group = e->group;
}

static void add_span(kineto_span **span, size_t *count, size_t *room, double start_s,
                     double end_s)
{
    *span = (kineto_span *)import_grow(*span, *count, room, sizeof **span);
    (*span)[*count].start_s = start_s;
    (*span)[(*count)++].end_s = end_s;
}

static void keep_launch(kineto *k, const kineto_event *e)
{
    if (has(e, "ynchronize") || has(e, "emcpy"))
        add_span(&k->blocked, &k->blockeds, &k->blocked_room, e->start_s, e->end_s);
    if (e->correlation < 0.0) return;
    k->launch = (kineto_launch *)import_grow(k->launch, k->launches, &k->launch_room,
                                             sizeof *k->launch);
    k->launch[k->launches].start_s = e->start_s;
    k->launch[k->launches].end_s = e->end_s;
    k->launch[k->launches++].correlation = e->correlation;
}

static int is_same(double a, double b) { return !(a < b) && !(a > b); }

/* The lane of an event's thread; a new one is of no length, from its start on. */
static kineto_lane *lane_of(kineto *k, const kineto_event *e)
{
    char digits[32];
    size_t i = k->last_lane;
    if (i < k->lanes && is_same(k->lane[i].thread, e->thread)) return &k->lane[i];
    snprintf(digits, sizeof digits, "%.17g", e->thread);
    if (names_add(&k->found->nodes, digits, strlen(digits), &i) == NAMES_FULL)
        tool_fail("%s: out of memory", k->file);
    if (i == k->lanes) {
        k->lane = (kineto_lane *)import_grow(k->lane, k->lanes, &k->lane_room, sizeof *k->lane);
        k->lane[k->lanes].thread = e->thread;
        k->lane[k->lanes].open.start_s = k->lane[k->lanes].open.end_s = e->start_s;
        k->lanes++;
    }
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
    add_span(&k->host, &k->hosts, &k->host_room, open->start_s, open->end_s);
    open->start_s = e->start_s;
    open->end_s = e->end_s;
}

static int is_call(const kineto_event *e)
{
    return strncmp(e->name, "nccl:", 5) == 0 || strncmp(e->name, "gloo:", 5) == 0 ||
           strncmp(e->name, "mpi:", 4) == 0 || strcmp(e->name, "record_param_comms") == 0;
}

static void keep_call(kineto *k, const kineto_event *e)
{
    const char *name = e->collective[0] != '\0' ? e->collective : e->name;
    const int collective = (int)import_collective_named(name);
    kineto_call *c;
    if (collective == IMPORT_OTHER_COLLECTIVE) return;
    k->call = (kineto_call *)import_grow(k->call, k->calls, &k->call_room,
                                         sizeof *k->call);
    c = &k->call[k->calls++];
    c->start_s = e->start_s;
    c->end_s = e->end_s;
    c->collective = collective;
    c->size = size_of(e, collective);
    c->gloo = e->name[0] == 'g' || e->name[0] == 'm';
    if (e->group > k->group) k->group = e->group;
}

static void keep_step(kineto *k, const kineto_event *e)
{
    k->step = (import_step *)import_grow(k->step, k->steps, &k->step_room,
                                         sizeof *k->step);
    k->step[k->steps].number = strtoull(e->name + 13, NULL, 10);
    k->step[k->steps].start_s = e->start_s;
    k->step[k->steps++].end_s = e->end_s;
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
    double start_us;
    if (!k->has_origin) k->origin = e->ts;
    k->has_origin = 1;
    if (!is_whole(e->ts) || !is_whole(e->dur)) k->has_nanoseconds = 1;
    start_us = e->ts - k->origin;
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
    switch (e->category) {
    case KINETO_DEVICE: keep_device(k, e); return;
    case KINETO_LAUNCH: keep_launch(k, e); return;
    case KINETO_HOST:
    case KINETO_ANNOTATION:
        if (strncmp(e->name, "ProfilerStep#", 13) == 0) keep_step(k, e);
        else if (is_call(e)) keep_call(k, e);
        else if (e->category == KINETO_HOST) keep_host(k, e);
        return;
    case KINETO_OTHER: return;
    }
}

/* ---- The file -------------------------------------------------------------- */

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
        import_fail_json(r, "an event that is no object");
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
        const int is_size = json_is(r, "world_size");
        token = json_next(r);
        if (is_size && token == JSON_NUMBER && json_value(r, &value) && value >= 0.0 &&
            value <= 1e9)
            k->found->workers = (uint32_t)value;
        if (!json_skip(r, token)) return 0;
    }
    return token == JSON_CLOSE;
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
        else read = json_skip(r, json_next(r));
        if (!read) return 0;
    }
    return token == JSON_CLOSE && json_next(r) == JSON_END;
}

static void read_trace(stream *s, const import_options *options, import_found *found)
{
    kineto k;
    size_t i;
    memset(&k, 0, sizeof k);
    k.found = found;
    k.file = s->name;
    k.accelerator = -1.0;
    json_read_stream(&k.r, s, 1);
    if (!read_members(&k)) {
        if (!k.r.cut || found->events == 0) import_fail_json(&k.r, "is no trace");
        tool_note("%s: the file is cut off behind %.0f events: what is whole counts", s->name,
                  (double)found->events);
        k.is_cut = 1;
    }
    if (s->size > 0) tool_progress("reading", (size_t)s->size, (size_t)s->size);
    import_drop(found, "values that are missing or no JSON", k.r.mended);
    for (i = 0; i < k.lanes; i++)
        add_span(&k.host, &k.hosts, &k.host_room, k.lane[i].open.start_s,
                 k.lane[i].open.end_s);
    (void)options;
    kineto_hand_over(&k);
    kineto_leave_out(&k);
    tool_free(k.device);
    tool_free(k.launch);
    tool_free(k.blocked);
    tool_free(k.host);
    tool_free(k.lane);
    tool_free(k.call);
    tool_free(k.step);
    tool_free(k.end_s);
}

const import_format import_kineto = {"kineto", "a trace of PyTorch (Kineto)", recognises,
                                     read_trace};
