/* curve_set.h - jobs, the workers asked for, and what is predicted of both */
#ifndef TOOLS_MODEL_CURVE_SET_H
#define TOOLS_MODEL_CURVE_SET_H

#include "files/bands.h"
#include "model/job.h"

typedef struct curve_set {
    job_set          jobs;
    uint32_t        *workers;     /* [points] of each job                           */
    size_t           points;
    int              contiguous;  /* workers are 1, 2, ...: the curve has a knee    */
    sgdp_prediction *prediction;  /* [jobs][points]                                 */
    sgdp_status     *status;      /* [jobs][points]                                 */
    double          *elasticity;  /* [jobs][points][SGDP_INPUT_COUNT], NULL: none   */
    sgdp_resource    resource[SGDP_RESOURCE_COUNT]; /* those that are printed       */
    size_t           resources;
    band             bands[BAND_CLASSES]; /* zero: none                             */
    band_class       known_as;    /* of all points; BAND_CLASSES: by their links    */
    band_class      *of_class;    /* [jobs][points]                                 */
    double          *spread;      /* [jobs][points] that of the profile; NULL: none */
    double          *low, *high;  /* [jobs][points] throughputs; NULL: no bands     */
    int              shown[SGDP_INPUT_COUNT]; /* inputs whose elasticity is printed */
    const char      *bands_file;  /* NULL: bands are those of the rows shipped      */
    size_t           processes;   /* at work                                        */
} curve_set;

/* The option --workers, or the workers of the types. */
void curves_read_workers(curve_set *c, const args *a);

/* The part of a step in which a worker's own link is busy, each way, at prediction `at`, where
 * that is more than the bottleneck is; else 0. */
double curves_own_link(const curve_set *c, size_t at);

/* The bands of --inputs and --bands; none where the rows shipped say nothing of the model. */
void curves_read_bands(curve_set *c, const args *a);

/* All points of all jobs; the worst status of any. */
sgdp_status curves_predict(curve_set *c, int elasticity);

/* Notes what the measured rows lack for a band of the model that auto took for an all-reduce;
 * returns whether it did: not if there is a band, or --bands. */
int curves_note_bands(const curve_set *c);

/* The band of prediction `at` joined with its profile's; zero: not known. */
band curves_band(const curve_set *c, size_t at);

#endif /* TOOLS_MODEL_CURVE_SET_H */
