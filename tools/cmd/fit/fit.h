/* fit.h - the parts of sgdperf fit: what was fitted and suggested, printed */
#ifndef TOOLS_CMD_FIT_H
#define TOOLS_CMD_FIT_H

#include "base/output.h"
#include "files/points.h"

typedef struct suggested_point {
    sgdfit_point at;
    double           spread;  /* of the prediction, in deviations of a measurement  */
} suggested_point;

typedef struct fit_result {
    sgdfit_blackbox model;
    int       fitted;         /* 0: too few points, so far                          */
    sgdfit_curve  fit;
    point_set points;         /* of count 0: without a file                         */
    sgdfit_error_statistics errors[POINT_ROLES];
    sgdfit_point *curve;      /* [count] batches_per_s 0 where the model has none   */
    size_t    count;
    suggested_point *suggested; /* [wanted]                                         */
    size_t    wanted;
} fit_result;

/* Is it a form with p, the number of servers? */
int fit_knows_servers(const fit_result *r);

void fit_print(output *out, const fit_result *r);

#endif /* TOOLS_CMD_FIT_H */
