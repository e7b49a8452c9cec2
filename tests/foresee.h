/* foresee.h - sgdperf_forecast.h as what tells a balancer the speeds to come */
#ifndef TESTS_FORESEE_H
#define TESTS_FORESEE_H

#include "../sgdperf_balance.h"
#include "../sgdperf_forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORESEEN = 128 };            /* workers, at most                                */

/* {0} to begin. */
typedef struct foresight {
    sgdfc_config      config;      /* of each worker, its number added to the seed    */
    sgdfc_forecaster *of[FORESEEN];
    void             *work[FORESEEN];
} foresight;

static void foresee_close(foresight *f)
{
    for (size_t w = 0; w < FORESEEN; w++) free(f->work[w]);
    memset(f->work, 0, sizeof f->work);
}

/* In dirty memory of exactly the size asked for; a config that is refused leaves none. */
static void foresee_open(foresight *f, uint32_t w)
{
    sgdfc_config config = f->config;
    size_t bytes = 0;
    config.seed += w;
    f->of[w] = NULL;
    if (w >= FORESEEN || sgdfc_bytes(&config, &bytes) != SGDFC_OK) return;
    free(f->work[w]);
    f->work[w] = malloc(bytes);
    if (!f->work[w]) abort();
    memset(f->work[w], 0x7f, bytes);
    if (sgdfc_open(&config, f->work[w], bytes, &f->of[w]) != SGDFC_OK) abort();
}

/* sgdbal_forecast_callback; NaN where a row or the config is refused. */
static double foresee(void *ctx, const sgdbal_known *k)
{
    foresight *f = (foresight *)ctx;
    double speed = 0.0;
    if (k->iteration == 0) foresee_open(f, k->worker);
    if (!f->of[k->worker]) return (double)NAN;
    if (k->speed > 0.0 &&
        sgdfc_observe(f->of[k->worker], k->speed, k->cpu[0], k->memory[0]) != SGDFC_OK)
        return (double)NAN;
    (void)sgdfc_predict(f->of[k->worker], k->cpu[1], k->memory[1], &speed);
    return speed;
}

#endif /* TESTS_FORESEE_H */
