/* timeline.h - a run as Chrome trace-event JSON, which Perfetto opens
 *
 * One process a worker, one thread a resource, an arrow for each dependency. Events are
 * written as they come: a run of any length needs no memory. */
#ifndef TOOLS_CMD_SIMULATE_TIMELINE_H
#define TOOLS_CMD_SIMULATE_TIMELINE_H

#include "files/trace.h"

typedef struct timeline timeline;

/* Opens the file and names the processes. `run` and traces[run->types], whose
 * operations it replays, must outlive the timeline. */
timeline *timeline_open(const char *path, const sgdsim_config *run, const trace_file *traces);

/* For sgdsim_watch; ctx is the timeline. */
void timeline_op(void *ctx, const sgdsim_event *event);

/* Ends the file, which output_flush gives its name; fails if it could not be written. */
void timeline_close(timeline *t);

#endif /* TOOLS_CMD_SIMULATE_TIMELINE_H */
