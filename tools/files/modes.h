/* modes.h - the ways to train that --mode and the column `mode` tell apart, and the models
 * of each: the one table that predict, calibrate, simulate and validate go by */
#ifndef TOOLS_FILES_MODES_H
#define TOOLS_FILES_MODES_H

#include "sgdperf.h"

#include "options/args.h"

typedef enum train_mode { MODE_ASYNC = 0, MODE_SYNC, MODE_ALLREDUCE, MODE_COUNT } train_mode;

/* "async", "sync", "allreduce", also for csv_choice. */
extern const char *const mode_words[MODE_COUNT];

/* The option --mode, which must be given. */
train_mode mode_read(const args *a);

/* The mode that a model is for. */
train_mode mode_of_model(sgdp_model model);

/* The model that auto takes: the model of the mode with the least mean error over all measured
 * rows that did not suggest it. declared: links are known as their makers declare them. */
sgdp_model mode_usual_model(train_mode mode, int declared);

/* Is it told how exchange and computation overlap, other than by an exposure? */
static inline int mode_overlaps(const sgdp_job *job)
{
    return job->overlap.rule != SGDP_OVERLAP_NONE || job->overlap.exponent > 0.0;
}

/* A bandwidth, in bytes/s, from which on it is taken for a maker's: 10 Gbit/s. */
#define MODE_DECLARED_BANDWIDTH 1.25e9

/* What compute times are taken to vary by where nobody says, a coefficient of variation:
 * that of ours, rhythm and staggered, is the mean of 60 single workers that CM-DARE
 * measured (0.0175; not of the curves that are scored); others take none. */
double mode_usual_cv(sgdp_model model);

/* The option --model: of this mode's models, or auto, the default; *chosen: by auto. */
sgdp_model mode_read_model(const args *a, train_mode mode, int *chosen);

#endif /* TOOLS_FILES_MODES_H */
