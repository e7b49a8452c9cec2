/* kineto.h - what the files of the Kineto reader share: events as they were read */
#ifndef TOOLS_IMPORT_KINETO_H
#define TOOLS_IMPORT_KINETO_H

#include "import/import.h"

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
    double   dims_elements;   /* of the first tensor of "Input Dims"                */
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

typedef struct kineto_launch { double start_s, end_s, correlation; } kineto_launch;

/* A collective on the processor: an annotation. */
typedef struct kineto_call {
    double start_s, end_s;
    kineto_size size;
    int    collective;
    int    gloo;              /* runs on the processor itself                       */
} kineto_call;

typedef struct kineto_span { double start_s, end_s; } kineto_span;
typedef struct kineto_lane { double thread; kineto_span open; } kineto_lane;

typedef struct kineto {
    json_reader    r;
    import_found  *found;
    const char    *file;
    kineto_device *device;   size_t devices, device_room;
    kineto_launch *launch;   size_t launches, launch_room;
    kineto_span   *blocked;  size_t blockeds, blocked_room;  /* calls that wait       */
    kineto_span   *host;     size_t hosts, host_room;        /* host work, joined     */
    kineto_lane   *lane;     size_t lanes, lane_room;        /* by threads           */
    size_t         last_lane; /* mostly that of the next event, too                  */
    kineto_call   *call;     size_t calls, call_room;
    import_step   *step;     size_t steps, step_room;        /* as annotated          */
    double         group;     /* largest of a collective; 0: not told               */
    double         origin;    /* microseconds: first of all times, which count from it */
    int            has_origin;
    int            has_nanoseconds; /* some time is no whole microsecond             */
    double        *end_s;     /* [ends] of exchanges, ascending                      */
    size_t         ends;
    double         accelerator; /* the first that ran something; < 0: not told       */
    int            accelerators_differ;
    int            is_cut;    /* the file, before its end                            */
    int            bare;      /* an array of events without categories               */
} kineto;

/* Reads one event, behind its JSON_OBJECT; 0: the text ends, or is wrong. */
int kineto_read_event(json_reader *r, kineto_event *e);

/* Steps, operations and waits of what was read, to k->found. */
void kineto_hand_over(kineto *k);

/* Leaves out of these the steps that are not whole. */
void kineto_leave_out(kineto *k);

#endif /* TOOLS_IMPORT_KINETO_H */
