/* bands.h - how far from a prediction a measurement lies, by what is known of its inputs and by
 * where the job runs */
#ifndef TOOLS_FILES_BANDS_H
#define TOOLS_FILES_BANDS_H

#include "files/networks.h"
#include "sgdperf.h"

/* The first three are words of --inputs. Those from BAND_INSIDE to BAND_MACHINE are all-reduces
 * over links that are known as their makers declare them, see band_of_links. */
typedef enum band_class {
    BAND_MEASURED = 0, BAND_DECLARED, BAND_CALIBRATED, BAND_INSIDE, BAND_NETWORK, BAND_MACHINE,
    BAND_SERVERS, BAND_LAYERED, BAND_CLASSES
} band_class;

extern const char *const band_words[BAND_CLASSES];

/* Measured throughputs lie from X (1 - low) to X (1 + high); low + high = 0: not known. */
typedef struct band { double low, high; } band;

static inline int band_is_known(band b) { return b.low + b.high > 0.0; }

/* The band of a class by the rows shipped, as predict takes it; BAND_CLASSES: none. */
band band_shipped(band_class of);

/* What a band is around: so many batches/s of workers of a job. */
typedef struct band_point {
    const sgdp_job *job;
    uint32_t        workers;
    double          batches_per_s;
    int             allreduce;
    double          spread;   /* of what the profile tells; 0: not known            */
} band_point;

/* The band around a point, from b, the band of a class: wider by the spread of the profile, but
 * low is at most 1 (a throughput of 0), and high no more than the input of the machines allows
 * and, in an all-reduce, than linear scaling from the profile does. Where an all-reduce's profile
 * was measured there is the spread alone. */
band band_around(band b, band_class of, const band_point *p);

/* The class of an all-reduce over declared links: inside one machine; between machines, from the
 * step of a full machine; between machines, from one accelerator, over a link of a named kind
 * (`between`) or of none (NULL). */
band_class band_of_links(const sgdp_job *job, uint32_t workers, const network *between);

/* The class that the options name: --inputs, or several servers. BAND_CLASSES: that of
 * band_of_links, where an all-reduce has declared links. */
band_class band_read_class(const args *a, int several_servers, int declared);

/* All bands: of --bands FILE, as sgdperf validate --coverage --format csv writes it, else those
 * of the rows shipped. */
void band_read(const args *a, band bands[BAND_CLASSES]);

#endif /* TOOLS_FILES_BANDS_H */
