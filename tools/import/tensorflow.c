/* tensorflow.c - profiles of TensorFlow: their forms */
#include "import/tensorflow_graph.h"

#include <string.h>

static int recognises(const char *head, size_t length)
{
    return tf_is_text(head, length) || tf_is_json(head, length) || tf_is_stats(head, length) ||
           tf_is_xplane(head, length);
}

static void read(stream *s, const import_options *options, import_found *found)
{
    static tf_profile p;               /* what a run that failed has left is released */
    names_free(&p.names);
    names_free(&p.devices);
    memset(&p, 0, sizeof p);
    p.name = s->name;
    size_t length = stream_peek(s, IMPORT_HEAD);
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
