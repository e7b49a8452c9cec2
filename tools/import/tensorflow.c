/* tensorflow.c - profiles of TensorFlow: their forms, and what the ops of one have in common */
#include "import/tensorflow.h"

#include <string.h>

/* ---- Gathering ------------------------------------------------------------- */

static size_t number_of(const tf_profile *p, name_index *names, const char *text, size_t length)
{
    size_t number = 0;
    if (names_add(names, text, length, &number) == NAMES_FULL || number >= UINT32_MAX)
        tool_fail("%s: out of memory", p->name);
    return number;
}

uint32_t tf_name(tf_profile *p, const char *text, size_t length)
{
    return (uint32_t)number_of(p, &p->names, text, length);
}

uint64_t tf_device(tf_profile *p, const char *text, size_t length)
{
    return number_of(p, &p->devices, text, length);
}

tf_event *tf_add_event(tf_profile *p)
{
    tf_event *e;
    if (p->events == p->event_room)
        p->event = (tf_event *)tool_grow(p->event, p->events, &p->event_room, p->events + 1,
                                         sizeof *p->event);
    e = &p->event[p->events++];
    memset(e, 0, sizeof *e);
    e->node = e->op = tf_name(p, "", 0);
    e->bytes = -1.0;
    e->first_input = p->inputs;
    return e;
}

void tf_add_input(tf_profile *p, const char *text, size_t length)
{
    if (p->inputs == p->input_room)
        p->input = (uint32_t *)tool_grow(p->input, p->inputs, &p->input_room, p->inputs + 1,
                                         sizeof *p->input);
    p->input[p->inputs++] = tf_name(p, text, length);
    p->event[p->events - 1].inputs++;
}

void tf_add_line(tf_lines *list, double pid, double tid, const char *title)
{
    tf_line *line;
    list->line = (tf_line *)import_grow(list->line, list->count, &list->room, sizeof *list->line);
    line = &list->line[list->count++];
    line->pid = pid;
    line->tid = tid;
    line->title = (char *)tool_alloc(strlen(title) + 1, 1);
    strcpy(line->title, title);
}

/* ---- Labels ---------------------------------------------------------------- */

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

/* ---- The format ------------------------------------------------------------ */

static int recognises(const char *head, size_t length)
{
    return tf_is_text(head, length) || tf_is_json(head, length) || tf_is_stats(head, length) ||
           tf_is_xplane(head, length);
}

static void read(stream *s, const import_options *options, import_found *found)
{
    static tf_profile p;               /* what a run that failed has left is released */
    size_t length;
    names_free(&p.names);
    names_free(&p.devices);
    memset(&p, 0, sizeof p);
    p.name = s->name;
    length = stream_peek(s, IMPORT_HEAD);
    if (tf_is_text(s->at, length)) tf_read_text(s, &p);
    else if (tf_is_json(s->at, length)) tf_read_json(s, &p, found);
    else if (tf_is_xplane(s->at, length)) tf_read_xplane(s, &p, found);
    else tf_read_stats(s, &p);
    if (p.events > 0) tf_finish(&p, options->view, found);
    names_free(&p.names);
    names_free(&p.devices);
}

const import_format import_tensorflow = {
    "tensorflow", "a profile of TensorFlow (timeline, StepStats, trace)", recognises, read
};
