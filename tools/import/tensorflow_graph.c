/* tensorflow_graph.c - the ops of a TensorFlow profile, handed on: and what came over the
 * network before them */

#include "import/tensorflow_graph.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef enum tf_role { TF_WORKER = 0, TF_SERVER, TF_OTHER } tf_role;

/* A machine is a task of a job, with a clock of its own. */
typedef struct tf_machine {
    tf_role  role;
    uint32_t server;
    size_t   events;
    double   late_us;         /* by what its clock is ahead of the worker's         */
    double  *begin_us;        /* [steps] when each step began                       */
    size_t   steps, room;
} tf_machine;

typedef struct tf_place {     /* of a device                                        */
    size_t machine;
    int    host;              /* no stream of an accelerator                        */
    int    unused;            /* what it shows is shown by another one              */
} tf_place;

typedef struct tf_graph {
    tf_profile   *p;
    import_found *found;
    tf_place     *place;      /* [devices]                                          */
    tf_machine   *machine;
    size_t        machines;
    double        origin_us;  /* the first start: an epoch would take a time's digits */
    uint32_t     *step;       /* [events]                                           */
    size_t       *tensor;     /* [events] of a transfer: its node, or TF_NONE       */
    size_t       *op;         /* [events] in found, or TF_NONE                      */
} tf_graph;

#define TF_NONE ((size_t)-1)

/* ---- Gathering ---------------------------------------------------------------- */

uint32_t tf_name(tf_profile *p, const char *text, size_t length)
{
    return import_name(p->name, &p->names, text, length);
}

uint64_t tf_device(tf_profile *p, const char *text, size_t length)
{
    return import_name(p->name, &p->devices, text, length);
}

tf_event *tf_add_event(tf_profile *p)
{
    tf_event *e = IMPORT_ADD(p->event, p->events, p->event_room);
    memset(e, 0, sizeof *e);
    e->node = e->op = tf_name(p, "", 0);
    e->bytes = -1.0;
    e->first_input = p->inputs;
    return e;
}

void tf_add_input(tf_profile *p, const char *text, size_t length)
{
    *IMPORT_ADD(p->input, p->inputs, p->input_room) = tf_name(p, text, length);
    p->event[p->events - 1].inputs++;
}

void tf_add_line(tf_lines *list, double pid, double tid, const char *title)
{
    tf_line *line = IMPORT_ADD(list->line, list->count, list->room);
    line->pid = pid;
    line->tid = tid;
    line->title = strcpy(tool_alloc(strlen(title) + 1, 1), title);
}

/* ---- Labels ------------------------------------------------------------------- */

/* "[8B] [12Mb/s] edge_7_conv1/weights/read from /job:ps/... to ...": the tensor. */
static void transfer_label(tf_profile *p, const char *label)
{
    const char *from = strstr(label, " from "), *tensor = from;
    if (!from) return;
    while (tensor > label && tensor[-1] != ' ') tensor--;
    tf_add_input(p, tensor, (size_t)(from - tensor));
    if (strncmp(tensor, "edge_", 5) != 0) return;
    tensor += 5 + strspn(tensor + 5, "0123456789");
    if (*tensor == '_') (void)tf_name(p, tensor + 1, (size_t)(from - tensor - 1));
}

void tf_label(tf_profile *p, const char *label)
{
    const char *is = strstr(label, " = "), *open = is ? strchr(is, '(') : NULL;
    const char *close = open ? strrchr(open, ')') : NULL, *at;
    if (!close) {
        transfer_label(p, label);
        return;
    }
    p->event[p->events - 1].op = tf_name(p, is + 3, (size_t)(open - is - 3));
    for (at = open + 1; at < close;) {
        const char *comma = strstr(at, ", ");
        const char *end = comma && comma < close ? comma : close;
        tf_add_input(p, at, (size_t)(end - at));
        at = end + 2;
    }
}

/* ---- Devices ------------------------------------------------------------------ */

/* The devices of a TensorFlow profile: machines with clocks of their
 * own, and the steps that began on each. */

static const char *tf_text(const tf_graph *g, uint32_t name)
{
    return names_text(&g->p->names, name);
}

static size_t tf_machine_of(const tf_graph *g, size_t event)
{
    return g->place[g->p->event[event].device].machine;
}

static double tf_time(const tf_graph *g, size_t event, double time_us)
{
    return time_us - g->machine[tf_machine_of(g, event)].late_us;
}

/* "/job:ps/replica:0/task:1" of a device's name; "" of one without a job. */
static size_t machine_length(const char *device)
{
    const char *task = strstr(device, "/task:");
    if (strncmp(device, "/job:", 5) != 0 || !task) return 0;
    task += 6;
    return (size_t)(task - device) + strspn(task, "0123456789");
}

static int is_stream(const char *device)
{
    return strstr(device, "/stream:") || strstr(device, "/memcpy");
}

static uint32_t server_number(const tf_graph *g, const char *digits)
{
    const unsigned long number = strtoul(digits, NULL, 10);
    if (number >= IMPORT_MOST_SERVERS)
        tool_fail("%s: parameter server %.20s: simulate takes at most %d servers",
                  g->p->name, digits,
                  (int)IMPORT_MOST_SERVERS);
    return (uint32_t)number;
}

/* Streams without a job are those of the worker that was asked. */
static void place_devices(tf_graph *g)
{
    const size_t devices = g->p->devices.count;
    static name_index tasks;           /* what a run that failed has left is released */
    size_t all = 0;
    names_free(&tasks);
    g->place = tool_alloc(devices, sizeof *g->place);
    g->machine = tool_alloc(devices + 1, sizeof *g->machine);
    for (size_t i = 0; i < devices; i++)
        all += strstr(names_text(&g->p->devices, i), "/stream:all") != NULL;
    for (size_t i = 0; i < devices; i++) {
        const char *name = names_text(&g->p->devices, i);
        const size_t length = machine_length(name);
        const int server = length > 0 && strncmp(name, "/job:ps/", 8) == 0;
        const char *task = length > 0 ? strstr(name, "/task:") : NULL;
        g->place[i].machine = import_name(g->p->name, &tasks, name, length);
        g->place[i].host = !is_stream(name);
        g->place[i].unused = all > 0 && strstr(name, "/stream:") && !strstr(name, "/stream:all");
        g->machine[g->place[i].machine].role = server ? TF_SERVER : TF_WORKER;
        if (server) g->machine[g->place[i].machine].server = server_number(g, task + 6);
    }
    g->machines = tasks.count;
    names_free(&tasks);
}

/* Of several workers the one with most ops; what has no job is its own. */
static void choose_worker(tf_graph *g)
{
    size_t chosen = TF_NONE, none = TF_NONE;
    uint64_t others = 0;
    for (size_t i = 0; i < g->p->events; i++)
        g->machine[g->place[g->p->event[i].device].machine].events++;
    for (size_t i = 0; i < g->p->devices.count; i++)
        if (machine_length(names_text(&g->p->devices, i)) == 0) none = g->place[i].machine;
    for (size_t i = 0; i < g->machines; i++)
        if (g->machine[i].role == TF_WORKER && i != none &&
            (chosen == TF_NONE || g->machine[i].events > g->machine[chosen].events))
            chosen = i;
    for (size_t i = 0; i < g->machines; i++) {
        if (g->machine[i].role != TF_WORKER || i == chosen || i == none) continue;
        g->machine[i].role = TF_OTHER;
        others += g->machine[i].events;
    }
    for (size_t i = 0; i < g->p->devices.count && chosen != TF_NONE; i++)
        if (g->place[i].machine == none) g->place[i].machine = chosen;
    import_drop(g->found, "operations of other workers", others);
}

/* ---- Devices: steps ----------------------------------------------------------- */

static const tf_event *sorted_events;

static int compare_starts(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const double s = sorted_events[x].start_us, t = sorted_events[y].start_us;
    if (s < t || t < s) return s < t ? -1 : 1;
    return (x > y) - (x < y);
}

/* A step begins on a machine with the op _SOURCE of the first of its devices. */
static void find_steps(tf_graph *g)
{
    size_t *order = tool_alloc(g->p->events, sizeof *order), i;
    size_t *seen = tool_alloc(g->p->devices.count, sizeof *seen);
    for (i = 0; i < g->p->events; i++) order[i] = i;
    sorted_events = g->p->event;
    qsort(order, g->p->events, sizeof *order, compare_starts);
    for (i = 0; i < g->p->events; i++) {
        const tf_event *e = &g->p->event[order[i]];
        tf_machine *m = &g->machine[g->place[e->device].machine];
        if (strcmp(tf_text(g, e->node), "_SOURCE") != 0) continue;
        if (m->steps == 0 || seen[e->device] == m->steps)
            *IMPORT_ADD(m->begin_us, m->steps, m->room) = e->start_us;
        seen[e->device] = m->steps;
    }
}

/* The last step that began on the event's machine before it. */
static uint32_t step_of(const tf_graph *g, const tf_event *e)
{
    const tf_machine *m = &g->machine[g->place[e->device].machine];
    const size_t begun = import_below(m->begin_us, m->steps, sizeof *m->begin_us, e->start_us, 1);
    return begun > 0 ? (uint32_t)(begun - 1) : 0;
}

/* ---- Devices: clocks ---------------------------------------------------------- */

/* A machine's part of the first step begins with the worker's. A clock that puts it more
 * than a tenth of the step away is wrong. */
static void set_clocks(tf_graph *g)
{
    double *begin_us = tool_alloc(g->machines, sizeof *begin_us);
    double *end_us = tool_alloc(g->machines, sizeof *end_us), late_us;
    size_t *seen = tool_alloc(g->machines, sizeof *seen), worker, i;
    for (i = 0; i < g->p->events; i++) {
        const tf_event *e = &g->p->event[i];
        const size_t m = tf_machine_of(g, i);
        if (g->step[i] > 0) continue;
        if (seen[m] == 0 || e->start_us < begin_us[m]) begin_us[m] = e->start_us;
        if (seen[m]++ == 0 || e->end_us > end_us[m]) end_us[m] = e->end_us;
    }
    for (worker = 0; worker < g->machines; worker++)
        if (g->machine[worker].role == TF_WORKER && seen[worker] > 0) break;
    for (i = 0; i < g->machines && worker < g->machines; i++) {
        if (g->machine[i].role != TF_SERVER || seen[i] == 0) continue;
        late_us = begin_us[i] - begin_us[worker];
        if (late_us < 0.0 ? -late_us <= 0.1 * (end_us[worker] - begin_us[worker])
                          : late_us <= 0.1 * (end_us[worker] - begin_us[worker]))
            continue;
        g->machine[i].late_us = late_us;
        tool_note("clock-shifted",
                  "%s: the clock of parameter server %lu is assumed to be %.6g s %s", g->p->name,
                  (unsigned long)g->machine[i].server, (late_us < 0.0 ? -late_us : late_us) * 1e-6,
                  late_us < 0.0 ? "slow" : "fast");
    }
}

/* Fills place, machine and step. Of several workers one is chosen, the others are TF_OTHER. */
static void tf_place_events(tf_graph *g)
{
    place_devices(g);
    choose_worker(g);
    find_steps(g);
    g->step = tool_alloc(g->p->events, sizeof *g->step);
    for (size_t i = 0; i < g->p->events; i++) g->step[i] = step_of(g, &g->p->event[i]);
    set_clocks(g);
}

/* ---- Names -------------------------------------------------------------------- */

/* Cuts the number off that a tensor's name has behind the network: "a/_7", "a_S7". */
static int cut_number(char *text)
{
    char *end = text + strlen(text), *mark = end;
    while (mark > text && mark[-1] >= '0' && mark[-1] <= '9') mark--;
    if (mark == end || mark - text < 3) return 0;
    if (strncmp(mark - 2, "/_", 2) != 0 && strncmp(mark - 2, "_S", 2) != 0) return 0;
    mark[-2] = '\0';
    return 1;
}

/* The number of the node that a tensor comes from: "^a" and "a:1" come from a; `cut`: as it
 * is called behind the network. names.count: there is no such node. */
static size_t node_of(const tf_graph *g, const char *tensor, int cut)
{
    char text[4096];
    if (*tensor == '^') tensor++;
    size_t length = strlen(tensor);
    if (length >= sizeof text) return g->p->names.count;
    memcpy(text, tensor, length + 1);
    char *mark = strrchr(text, ':');
    if (mark && mark[1 + strspn(mark + 1, "0123456789")] == '\0') *mark = '\0';
    if (cut && !cut_number(text)) return g->p->names.count;
    return names_find(&g->p->names, text);
}

static int is_transfer(const tf_graph *g, size_t event)
{
    return strcmp(tf_text(g, g->p->event[event].op), "RecvTensor") == 0;
}

/* "edge_12_conv1/weights/read" is of conv1/weights/read. */
static size_t tensor_of(const tf_graph *g, const tf_event *e)
{
    char *end;
    if (e->inputs == 0) return TF_NONE;
    const char *text = tf_text(g, g->p->input[e->first_input]);
    if (strncmp(text, "edge_", 5) == 0) {
        (void)strtoul(text + 5, &end, 10);
        if (*end == '_') text = end + 1;
    }
    return node_of(g, text, 0);
}

/* ---- Finding ------------------------------------------------------------------ */

/* Events by machine, step, name and end: all by their nodes, or transfers by tensors. */
typedef struct tf_list { const tf_graph *g; int tensors; size_t *event, count; } tf_list;

typedef struct tf_key {
    size_t   machine, name;
    uint32_t step;
    double   end_us;
    size_t   event;
} tf_key;

static tf_key key_of(const tf_list *list, size_t event)
{
    const tf_event *e = &list->g->p->event[event];
    return (tf_key){.machine = tf_machine_of(list->g, event), .step = list->g->step[event],
                    .name = list->tensors ? list->g->tensor[event] : e->node,
                    .end_us = e->end_us, .event = event};
}

static int compare_places(const tf_key *x, const tf_key *y)
{
    if (x->machine != y->machine) return x->machine < y->machine ? -1 : 1;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int compare_keys(const tf_key *x, const tf_key *y)
{
    const int order = compare_places(x, y), end = number_compare(&x->end_us, &y->end_us);
    return order != 0 ? order : end != 0 ? end : (x->event > y->event) - (x->event < y->event);
}

static const tf_list *sorted;

static int compare_events(const void *a, const void *b)
{
    const tf_key x = key_of(sorted, *(const size_t *)a), y = key_of(sorted, *(const size_t *)b);
    return compare_keys(&x, &y);
}

static tf_list list_events(const tf_graph *g, int tensors)
{
    tf_list list = {.g = g, .tensors = tensors};
    list.event = tool_alloc(g->p->events, sizeof *list.event);
    for (size_t i = 0; i < g->p->events; i++)
        if (!tensors || is_transfer(g, i)) list.event[list.count++] = i;
    sorted = &list;
    qsort(list.event, list.count, sizeof *list.event, compare_events);
    return list;
}

/* Of those of a name on a machine in a step that ended by then the last; TF_NONE: none. */
static size_t last_of(const tf_list *list, size_t machine, uint32_t step, size_t name,
                      double by_us)
{
    const tf_key wanted = {.machine = machine, .step = step, .name = name, .end_us = by_us,
                           .event = TF_NONE};
    size_t low = 0, high = list->count;
    tf_key key;
    while (low < high) {               /* the first that comes behind it */
        const size_t middle = low + (high - low) / 2;
        key = key_of(list, list->event[middle]);
        if (compare_keys(&key, &wanted) > 0) high = middle; else low = middle + 1;
    }
    if (low == 0) return TF_NONE;
    key = key_of(list, list->event[low - 1]);
    return compare_places(&key, &wanted) == 0 ? key.event : TF_NONE;
}

/* Of any other machine than the event's, in its step. */
static size_t find_elsewhere(const tf_list *ops, size_t event, size_t node)
{
    const tf_graph *g = ops->g;
    size_t at;
    for (size_t i = 0; i < g->machines; i++)
        if (i != tf_machine_of(g, event) &&
            (at = last_of(ops, i, g->step[event], node, DBL_MAX)) != TF_NONE)
            return at;
    return TF_NONE;
}

/* The transfer that brought a node's tensor to the machine of an op: the one of this name,
 * else, if `any`, the last one without a name that had ended when the op started. */
static size_t find_transfer(const tf_list *transfers, size_t event, size_t node, int any)
{
    const tf_graph *g = transfers->g;
    const size_t machine = tf_machine_of(g, event);
    const uint32_t step = g->step[event];
    const size_t found = last_of(transfers, machine, step, node, DBL_MAX);
    if (found != TF_NONE || !any) return found;
    return last_of(transfers, machine, step, TF_NONE, g->p->event[event].start_us + 1.0);
}

/* ---- Transfers ---------------------------------------------------------------- */

/* What waits for which transfer, in the order of the events; and what a transfer waits for. */
typedef struct tf_wait { size_t event, transfer; } tf_wait;

typedef struct tf_waits {
    tf_wait *wait;            /* [count]                                            */
    size_t   count, room;
    size_t  *source;          /* [events] of a transfer, or TF_NONE                 */
} tf_waits;

static void add_wait(tf_waits *w, size_t event, size_t transfer)
{
    size_t i = w->count;
    while (i > 0 && w->wait[i - 1].event == event)
        if (w->wait[--i].transfer == transfer) return;
    *IMPORT_ADD(w->wait, w->count, w->room) = (tf_wait){event, transfer};
}

static void add_source(const tf_list *ops, tf_waits *w, size_t transfer, size_t node)
{
    const tf_event *event = ops->g->p->event;
    const size_t source = find_elsewhere(ops, transfer, node), other = w->source[transfer];
    if (source == TF_NONE || is_transfer(ops->g, source)) return;
    if (other == TF_NONE || event[other].end_us < event[source].end_us)
        w->source[transfer] = source;
}

/* What comes from another machine: an op there has the name, or a transfer, and none here. */
static void find_waits(tf_graph *g, tf_waits *w)
{
    g->tensor = tool_alloc(g->p->events, sizeof *g->tensor);
    w->source = tool_alloc(g->p->events, sizeof *w->source);
    for (size_t i = 0; i < g->p->events; i++) {
        w->source[i] = TF_NONE;
        if (is_transfer(g, i)) g->tensor[i] = tensor_of(g, &g->p->event[i]);
    }
    tf_list ops = list_events(g, 0);
    tf_list transfers = list_events(g, 1);
    for (size_t i = 0; i < g->p->events; i++) {
        const tf_event *e = &g->p->event[i];
        if (is_transfer(g, i)) {
            if (g->tensor[i] != TF_NONE) add_source(&ops, w, i, g->tensor[i]);
            continue;
        }
        for (size_t k = 0; k < e->inputs; k++) {
            const char *input = tf_text(g, g->p->input[e->first_input + k]);
            size_t node = node_of(g, input, 0), transfer, source;
            if (last_of(&ops, tf_machine_of(g, i), g->step[i], node, DBL_MAX) != TF_NONE) continue;
            if (node_of(g, input, 1) != g->p->names.count) node = node_of(g, input, 1);
            if (node == g->p->names.count) continue;
            source = find_elsewhere(&ops, i, node);
            transfer = find_transfer(&transfers, i, node, source != TF_NONE);
            if (transfer == TF_NONE) continue;
            add_wait(w, i, transfer);
            add_source(&ops, w, transfer, node);
        }
    }
}

/* ---- Handing on --------------------------------------------------------------- */

static int is_handed_on(const tf_graph *g, size_t i, import_view view)
{
    const tf_place *place = &g->place[g->p->event[i].device];
    if (g->machine[place->machine].role == TF_OTHER || place->unused) return 0;
    return view == IMPORT_VIEW_HOST || !place->host || is_transfer(g, i) ||
           g->machine[place->machine].role == TF_SERVER;
}

/* Which ops are handed on, and as which number. Without a stream there is no accelerator,
 * and one view. */
static void number_ops(tf_graph *g, import_view view)
{
    size_t ops = 0, streams = 0;
    g->op = tool_alloc(g->p->events, sizeof *g->op);
    for (size_t i = 0; i < g->p->events; i++) streams += !g->place[g->p->event[i].device].host;
    if (streams == 0) view = IMPORT_VIEW_HOST;
    for (size_t i = 0; i < g->p->events; i++)
        g->op[i] = is_handed_on(g, i, view) ? ops++ : TF_NONE;
}

static void add_steps(const tf_graph *g)
{
    size_t steps = 1, i, *ends;
    for (i = 0; i < g->p->events; i++)
        if (g->op[i] != TF_NONE && g->step[i] >= steps) steps = g->step[i] + (size_t)1;
    double *start_us = tool_alloc(steps, sizeof *start_us);
    double *end_us = tool_alloc(steps, sizeof *end_us);
    ends = tool_alloc(steps, sizeof *ends);
    for (i = 0; i < g->p->events; i++) {
        const tf_event *e = &g->p->event[i];
        const uint32_t s = g->step[i];
        if (g->op[i] == TF_NONE) continue;
        if (!(ends[s] > 0) || tf_time(g, i, e->start_us) < start_us[s])
            start_us[s] = tf_time(g, i, e->start_us);
        if (!(ends[s]++ > 0) || tf_time(g, i, e->end_us) > end_us[s])
            end_us[s] = tf_time(g, i, e->end_us);
    }
    for (i = 0; i < steps; i++) {
        if (ends[i] == 0) start_us[i] = end_us[i] = g->origin_us;
        import_add_step(g->found, i, (start_us[i] - g->origin_us) * 1e-6,
                        (end_us[i] - g->origin_us) * 1e-6);
    }
}

static void add_op(const tf_graph *g, const tf_waits *w, size_t i)
{
    const tf_event *e = &g->p->event[i];
    const tf_machine *m = &g->machine[tf_machine_of(g, i)];
    const int server = m->role == TF_SERVER;
    const char *name = tf_text(g, e->node);
    import_op op = {.step = g->step[i], .kind = server ? IMPORT_UPDATE : IMPORT_COMPUTE,
                    .start_s = (tf_time(g, i, e->start_us) - g->origin_us) * 1e-6,
                    .end_s = (tf_time(g, i, e->end_us) - g->origin_us) * 1e-6,
                    .host = g->place[e->device].host, .server = m->server};
    if (is_transfer(g, i)) {
        op.kind = server ? IMPORT_UPLINK : IMPORT_DOWNLINK;
        op.bytes = e->bytes;
        if (e->inputs > 0) name = tf_text(g, g->p->input[e->first_input]);
        if (m->role == TF_WORKER && w->source[i] != TF_NONE)
            op.server = g->machine[tf_machine_of(g, w->source[i])].server;
    }
    import_add_op(g->found, &op, name, strlen(name));
}

/* A profile of the worker alone has no uploads. */
static void note_transfers(const import_found *f)
{
    size_t up = 0, down = 0;
    for (size_t i = 0; i < f->ops; i++) {
        up += f->op[i].kind == IMPORT_UPLINK;
        down += f->op[i].kind == IMPORT_DOWNLINK;
    }
    if (down > 0 && up == 0)
        tool_note("phase-unknown",
                  "%s: the trace has downloads from a parameter server but no uploads to it: trace "
                  "the server, too", f->file);
}

const char *tf_exchange(const tf_profile *p)
{
    static const char *const ops[] = {"CollectiveReduce", "CollectiveGather", "CollectiveAllToAll"};
    for (size_t i = 0; i < p->names.count; i++)
        for (size_t k = 0; k < COUNT_OF(ops); k++)
            if (strstr(names_text(&p->names, i), ops[k])) return names_text(&p->names, i);
    return NULL;
}

void tf_finish(tf_profile *p, import_view view, import_found *found)
{
    tf_graph g = {.p = p, .found = found};
    tf_waits w = {0};
    size_t k = 0;
    if (tf_exchange(p))
        tool_fail("%s: the workers exchange by '%.200s', but this kind of profile shows only "
                  "transfers of parameter servers: profile with TensorFlow 2 and NCCL", p->name,
                  tf_exchange(p));
    tf_place_events(&g);
    g.origin_us = tf_time(&g, 0, p->event[0].start_us);
    for (size_t i = 1; i < p->events; i++)
        if (tf_time(&g, i, p->event[i].start_us) < g.origin_us)
            g.origin_us = tf_time(&g, i, p->event[i].start_us);
    find_waits(&g, &w);
    number_ops(&g, view);
    found->events = p->events;
    found->timed = found->linked = 1;
    found->workers = 1;
    add_steps(&g);
    for (size_t i = 0; i < p->events; i++) {
        if (g.op[i] == TF_NONE) continue;
        add_op(&g, &w, i);
        if (w.source[i] != TF_NONE && g.op[w.source[i]] != TF_NONE)
            import_add_wait(found, g.op[w.source[i]]);
        while (k < w.count && w.wait[k].event < i) k++;
        for (; k < w.count && w.wait[k].event == i; k++)
            if (g.op[w.wait[k].transfer] != TF_NONE)
                import_add_wait(found, g.op[w.wait[k].transfer]);
    }
    if (found->ops == 0) tool_fail("%s: the file has no operation of a worker or server", p->name);
    note_transfers(found);
}
