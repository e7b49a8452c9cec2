/* calibrate.h - the parts of sgdperf calibrate: points and jobs, values fitted, runs suggested */
#ifndef TOOLS_CMD_CALIBRATE_H
#define TOOLS_CMD_CALIBRATE_H

#include "base/names.h"
#include "options/args.h"
#include "base/output.h"
#include "model/job.h"
#include "files/points.h"

#define CALIBRATE_LEVEL 0.9            /* of the intervals                          */

enum { CALIBRATE_MOST = SGDFIT_UNKNOWNS };

typedef struct calibrated_group {
    const char *name;         /* of a dataset; NULL: all points                     */
    size_t      points;       /* fitted                                             */
    int         intervals;    /* of fit; 0: values alone, a threshold is among them */
    sgdfit_calibration fit;
    sgdfit_prior prior[CALIBRATE_MOST]; /* spread 0: none                           */
    double      told[CALIBRATE_MOST];   /* see sgdfit_told; 1 without a prior       */
} calibrated_group;

typedef struct suggestion {
    size_t   group, job;
    uint32_t workers;
    double   spread;          /* of the prediction, in deviations of a measurement  */
} suggestion;

typedef struct calibration {
    size_t      count;                 /* of unknowns                               */
    sgdp_input  input[CALIBRATE_MOST]; /* in the order of --fit                     */
    const char *word[CALIBRATE_MOST];  /* of --fit, for each                        */
    job_set     jobs;                  /* of a dataset: one a row                   */
    point_set   points;
    size_t     *job;                   /* [points] index of each point's job        */
    const char **name;                 /* [points] of a dataset's rows, or NULL     */
    size_t     *group;                 /* [points]                                  */
    row_list   *in_group;              /* [groups] points of each                   */
    calibrated_group *of;              /* [groups]                                  */
    size_t      groups;
    suggestion *suggested;             /* [groups][wanted]                          */
    size_t      wanted;                /* of --suggest, for each group              */
    int         whole;                 /* suggests only full machines               */
    double     *predicted;             /* [points] batches_per_s with the values    */
    sgdfit_error_statistics errors[POINT_ROLES];
} calibration;

/* Is the input fitted? */
int calibrate_finds(const calibration *c, sgdp_input input);

/* Has any unknown a prior? */
int calibrate_has_priors(const calibration *c);

/* --fit overhead: of a file of transfers, not of points. Returns the exit status. */
int calibrate_overhead(const args *a);

/* --fit window: of recorded streams. Returns the exit status. */
int calibrate_window(const args *a);

/* --fit accumulate or batch: of a file of steps. Returns the exit status. */
int calibrate_line(const args *a, const char *word);

/* Fits every group. */
void calibrate_groups(calibration *c, size_t processes);

/* Predicts all points with the values found; whether all of them converge. */
sgdp_status calibrate_evaluate(calibration *c);

/* The runs that would tell most, `wanted` for each group, of these numbers of workers. */
void calibrate_suggest(calibration *c, const uint32_t *workers, size_t count);

void calibrate_print(output *out, const calibration *c, sgdp_status status);

#endif /* TOOLS_CMD_CALIBRATE_H */
