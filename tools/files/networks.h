/* networks.h - kinds of networks by name: what a declared link carries of an all-reduce */
#ifndef TOOLS_FILES_NETWORKS_H
#define TOOLS_FILES_NETWORKS_H

#include "options/args.h"

typedef struct network {
    const char *name, *kind;
    double line_bytes_per_s;  /* 0: as the machine declares                         */
    double share;             /* of the line that an all-reduce reaches             */
    double flows;             /* that a library keeps on a link                     */
    double flow_cap_bytes_per_s; /* of one; 0: none                                 */
    double latency_s;
    const char *known, *source, *date, *note;
} network;

extern const network networks_all[];
extern const size_t networks_count;

/* The kind of this name, NULL where there is none. */
const network *network_find(const char *name);

/* The kind that the option names, NULL where it is not given; fails over another word. */
const network *network_read(const args *a, option_id id);

/* Bytes/s that an all-reduce gets of a link of declared bytes/s; 0: of the kind's own line, which
 * `id` needs. */
double network_carries(const network *of, option_id id, double declared);

#endif /* TOOLS_FILES_NETWORKS_H */
