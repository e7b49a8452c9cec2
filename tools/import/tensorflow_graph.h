/* tensorflow_graph.h - what the readers of TensorFlow's profiles share
 *
 * Both forms of a session's profile tell of every device which ops it ran and when:
 * StepStats, of Protocol Buffers, and the timeline that timeline.py makes of it, which
 * has lost the names and mostly the sizes of what was sent. TensorFlow 2 and JAX write
 * traces of kernels on streams: XSpace, and the JSON that is made of it. */
#ifndef TOOLS_IMPORT_TENSORFLOW_GRAPH_H
#define TOOLS_IMPORT_TENSORFLOW_GRAPH_H

#include "import/import.h"

typedef struct tf_event {
    uint64_t device;          /* number of a device, or of a process not yet known  */
    uint32_t node, op;        /* numbers in names: "conv1/weights/read", "Identity" */
    double   start_us, end_us;
    double   bytes;           /* that were sent, < 0: not known                     */
    uint64_t lane;            /* of its device                                      */
    size_t   first_input, inputs; /* in `input`                                     */
} tf_event;

typedef struct tf_profile {
    const char *name;         /* of the file                                        */
    name_index  names;        /* of nodes, ops, tensors                             */
    name_index  devices;
    tf_event   *event;        /* [events]                                           */
    size_t      events, event_room;
    uint32_t   *input;        /* names of tensors                                   */
    size_t      inputs, input_room;
} tf_profile;

uint32_t tf_name(tf_profile *p, const char *text, size_t length);
uint64_t tf_device(tf_profile *p, const char *text, size_t length);

/* An op without anything yet; valid until the next. */
tf_event *tf_add_event(tf_profile *p);
void tf_add_input(tf_profile *p, const char *text, size_t length); /* of the last event */

/* From "name = op(in0, in1)", or of a RecvTensor from "[8B] ... tensor from SRC to DST". */
void tf_label(tf_profile *p, const char *label);

/* The op by which the workers exchange gradients among themselves; NULL: there is none. */
const char *tf_exchange(const tf_profile *p);

/* Hands on what one worker and its parameter servers did. */
void tf_finish(tf_profile *p, import_view view, import_found *found);

/* StepStats, or RunMetadata around it; and the same as text. */
int tf_is_stats(const char *head, size_t length);
void tf_read_stats(stream *s, tf_profile *p);
int tf_is_text(const char *head, size_t length);
void tf_read_text(stream *s, tf_profile *p);

/* JSON: a timeline, or a trace of TensorFlow 2, which has its own steps and no inputs and
 * is handed on as it is. */
int tf_is_json(const char *head, size_t length);
void tf_read_json(stream *s, tf_profile *p, import_found *found);

/* XSpace, which holds the same trace. */
int tf_is_xplane(const char *head, size_t length);
void tf_read_xplane(stream *s, tf_profile *p, import_found *found);

typedef struct tf_line { double pid, tid; char *title; } tf_line; /* a process or thread */
typedef struct tf_lines { tf_line *line; size_t count, room; } tf_lines;

void tf_add_line(tf_lines *list, double pid, double tid, const char *title);

#endif /* TOOLS_IMPORT_TENSORFLOW_GRAPH_H */
