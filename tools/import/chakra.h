/* chakra.h - what the readers and the writer of Chakra execution traces share
 *
 * A trace [mlcommons/chakra] is a graph of nodes that one rank runs: computations on its
 * processor or accelerator, sends, receives and collectives, each behind the nodes that it
 * depends on. It has durations, and mostly no times: which nodes run together is left to
 * the simulator that it is made for. */
#ifndef TOOLS_IMPORT_CHAKRA_H
#define TOOLS_IMPORT_CHAKRA_H

#include "import/import.h"
#include "sgdperf_sim.h"

#include <stdio.h>

typedef enum chakra_type {    /* NodeType                                           */
    CHAKRA_METADATA = 1,
    CHAKRA_MEM_LOAD,
    CHAKRA_MEM_STORE,
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECEIVE,
    CHAKRA_COLLECTIVE
} chakra_type;

/* Words of CollectiveCommType by its numbers, and of NodeType, as files of JSON have them. */
enum { CHAKRA_COLLECTIVES = 10, CHAKRA_TYPES = 8 };
extern const char *const chakra_collective_words[CHAKRA_COLLECTIVES];
extern const char *const chakra_type_words[CHAKRA_TYPES];

/* Attributes that we write beside those of the schema, where it has no place: it knows
 * whole microseconds alone, no parameter server that updates, and no steps. */
#define CHAKRA_DURATION "sgdperf_duration_s"
#define CHAKRA_BYTES "sgdperf_bytes"
#define CHAKRA_RESOURCE "sgdperf_resource"
#define CHAKRA_SERVER "sgdperf_server"
#define CHAKRA_STEP "sgdperf_step"

enum { CHAKRA_NAME = 1 << 16, CHAKRA_NONE = -1 };

typedef struct chakra_node {
    uint64_t id;
    uint64_t type;            /* chakra_type, or what the file has                  */
    uint64_t start_us, duration_us;
    double   duration_s;      /* of an attribute of ours; < 0: none                 */
    double   bytes;           /* likewise, else comm_size; < 0: none                */
    double   tensor_bytes, operations; /* of the schema's; < 0: none                */
    double   collective;      /* CollectiveCommType; < 0: none                      */
    int      resource;        /* sgdsim_resource of an attribute of ours, or CHAKRA_NONE */
    int      is_cpu;
    double   server, step;    /* of attributes of ours, else 0                      */
    uint32_t name;            /* number in the file's names                         */
    size_t   first_data, data; /* in the file's `data`                              */
    size_t   first_control, control; /* in the file's `control`                     */
} chakra_node;

typedef struct chakra_ids { uint64_t *id; size_t count, room; } chakra_ids;

typedef struct chakra_file {
    const char  *name;
    name_index   names;
    chakra_node *node;        /* [nodes]                                            */
    size_t       nodes, room;
    chakra_ids   data, control; /* dependencies of all nodes                        */
} chakra_file;

/* Writes a trace: its steps one after the other, with `json` as JSON. With `rings` an uplink
 * is an all-reduce among the workers, else a send to a parameter server. What the schema has
 * no place for stands in attributes of ours, so that it reads back the same. */
typedef struct chakra_out *chakra_writer;

void chakra_begin(chakra_writer *w, FILE *to, int json, int rings);
void chakra_step(chakra_writer w, const sgdsim_op *op, const char *const *name, size_t ops);
void chakra_end(chakra_writer w);

#endif /* TOOLS_IMPORT_CHAKRA_H */
