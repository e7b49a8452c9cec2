/* modes.h - the ways to train that --mode and the column `mode` tell apart, and the models
 * of each: the one table that predict, calibrate, simulate and validate go by */
#ifndef TOOLS_FILES_MODES_H
#define TOOLS_FILES_MODES_H

#include "base/tool.h"
#include "sgdperf.h"

typedef enum train_mode { MODE_ASYNC = 0, MODE_SYNC, MODE_ALLREDUCE, MODE_COUNT } train_mode;

/* "async", "sync", "allreduce", also for csv_choice. */
extern const char *const mode_words[MODE_COUNT];

/* The option --mode, which must be given. */
train_mode mode_read(const args *a);

/* The mode that a model is for. */
train_mode mode_of_model(sgdp_model model);

/* The option --model: of this mode's models, by default its usual one. */
sgdp_model mode_read_model(const args *a, train_mode mode);

#endif /* TOOLS_FILES_MODES_H */
