/* mva.h - the parts of sgdperf mva: the network as it is read, and what is printed */
#ifndef TOOLS_CMD_MVA_H
#define TOOLS_CMD_MVA_H

#include "sgdperf.h"

#include "options/args.h"
#include "base/csv.h"
#include "base/output.h"

/* By the words of --method. */
enum mva_method {
    MVA_EXACT = 0, MVA_FCFS, MVA_HYBRID, MVA_SCHWEITZER, MVA_LINEARIZER, MVA_BOUNDS,
    MVA_INTERLEAVED, MVA_METHODS
};

extern const char *const mva_method_names[MVA_METHODS];

typedef struct mva_network {
    const csv_table *file;
    const char     **class_name;   /* [classes] */
    const char     **station_name; /* [stations] */
    uint32_t        *population;
    double          *think_s;
    double          *demand_s;
    sgdp_discipline *discipline;
    double          *capacity;     /* [stations] */
    double          *rates;        /* [stations][rate_tasks], or NULL */
    sgdp_network     net;          /* the arrays above, for the solvers */
} mva_network;

/* The file at `path`, "-" being stdin, or fails. */
void mva_read_network(mva_network *n, const char *path);

/* Gives a discipline to the stations that --fcfs names, or to the two links. */
void mva_set_disciplines(mva_network *n, const args *a, enum mva_method method);

/* The servers of the stations that --capacity, --delay and --rates name. */
void mva_set_servers(mva_network *n, const args *a);

/* The solution of a method. */
void mva_print(output *out, const mva_network *n, const char *method, sgdp_status status,
               const sgdp_mva_result *r);

/* Bounds of the exact solution. */
void mva_print_bounds(output *out, const mva_network *n);

#endif /* TOOLS_CMD_MVA_H */
