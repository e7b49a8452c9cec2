/* bands.h - how far from a prediction a measurement lies, by what is known of its inputs */
#ifndef TOOLS_FILES_BANDS_H
#define TOOLS_FILES_BANDS_H

#include "options/args.h"

/* What is known of a prediction's inputs. The first three are words of --inputs. */
typedef enum band_class {
    BAND_MEASURED = 0, BAND_DECLARED, BAND_CALIBRATED, BAND_SERVERS, BAND_LAYERED, BAND_CLASSES
} band_class;

extern const char *const band_words[BAND_CLASSES];

typedef struct band {
    const char *name;         /* of the class                                       */
    double      half_width;   /* share of the prediction; 0: not known              */
} band;

/* The half-width of a class by the rows shipped, as predict takes it; 0: not known. */
double band_shipped(band_class of);

/* The band of --inputs, or of jobs on several servers or with declared links: from --bands FILE,
 * as sgdperf validate --coverage --format csv writes it, else that of the rows shipped. */
band band_read(const args *a, int several_servers, int declared);

#endif /* TOOLS_FILES_BANDS_H */
