/* pipeline.h - sgdperf predict --pipeline and simulate --pipeline: steps of pipelines and their
 * copies */
#ifndef TOOLS_CMD_PIPELINE_H
#define TOOLS_CMD_PIPELINE_H

#include "options/args.h"

/* Reads, predicts and prints; returns the status to exit with. */
int pipeline_predict(const args *a);

/* The same pass by pass, on links that transfers and exchanges share. */
int pipeline_simulate(const args *a);

#endif /* TOOLS_CMD_PIPELINE_H */
