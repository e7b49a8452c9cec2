/* tensorflow_graph.h - whose the ops of a TensorFlow profile are, and which step they belong to */
#ifndef TOOLS_IMPORT_TENSORFLOW_GRAPH_H
#define TOOLS_IMPORT_TENSORFLOW_GRAPH_H

#include "import/tensorflow.h"

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
    size_t       *order;      /* [events] by machine, node and end                  */
    uint32_t     *step;       /* [events]                                           */
    size_t       *op;         /* [events] in found, or TF_NONE                      */
} tf_graph;

#define TF_NONE ((size_t)-1)

const char *tf_text(const tf_graph *g, uint32_t name);
size_t tf_machine_of(const tf_graph *g, size_t event);
double tf_time(const tf_graph *g, size_t event, double time_us); /* by the worker's clock */

/* Fills place, machine and step. Of several workers one is chosen, the others are TF_OTHER. */
void tf_place_events(tf_graph *g);

#endif /* TOOLS_IMPORT_TENSORFLOW_GRAPH_H */
