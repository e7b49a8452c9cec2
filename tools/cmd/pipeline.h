/* pipeline.h - sgdperf predict --pipeline: steps of pipelines and their copies */
#ifndef TOOLS_CMD_PIPELINE_H
#define TOOLS_CMD_PIPELINE_H

#include "options/args.h"

/* Reads, predicts and prints; returns the status to exit with. */
int pipeline_predict(const args *a);

#endif /* TOOLS_CMD_PIPELINE_H */
