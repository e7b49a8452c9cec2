/* pipeline.h - sgdperf predict --pipeline and simulate --pipeline: steps of pipelines and their
 * copies */
#ifndef TOOLS_CMD_PIPELINE_H
#define TOOLS_CMD_PIPELINE_H

#include "base/output.h"
#include "options/args.h"

/* Reads, predicts and prints; returns the status to exit with. replays: pass by pass, on links
 * that transfers and exchanges share. */
int pipeline_run(const args *a, int replays);

/* What points of all models have, of steps whose parts are the worker's and the link's: how busy
 * both are, seconds of both, and whether the link is the bottleneck. */
/* The parts of a step in JSON: utilizations, seconds, and what binds. */
typedef struct step_parts {
    double worker, link, worker_s, link_s, input_s;
    const char *bottleneck;
    int reads;                /* input_s is printed */
} step_parts;

void json_step_parts(output *out, double speedup, const step_parts *p);

#endif /* TOOLS_CMD_PIPELINE_H */
