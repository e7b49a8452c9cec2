/* series.h - how fast a worker is from iteration to iteration, and what is left to it */
#ifndef TOOLS_FILES_SERIES_H
#define TOOLS_FILES_SERIES_H

#include "files/busy.h"

typedef busy_row series_row;       /* speed > 0, parts of the machine >= 0            */

/* {0} to begin: no rows. */
typedef struct series {
    series_row    *row;       /* [rows]                                             */
    size_t         rows, room;
    busy_machine  *machine;   /* makes more rows; NULL: they start again            */
} series;

/* What an idle machine computes in the published test of the predictors. */
#define SERIES_IDLE_SPEED 110.0

/* The series of a worker beside seeded tasks, which on an idle machine computes `speed`
 * samples a second, with tasks that stay `task_length` iterations in the mean. Lives until
 * the program ends. */
void series_generate(series *s, uint64_t seed, double speed, double task_length);

/* Row k; s has rows, or makes them. */
const series_row *series_at(series *s, uint64_t k);

void series_add(series *s, const series_row *row);

#endif /* TOOLS_FILES_SERIES_H */
