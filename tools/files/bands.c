/* bands.c - bands of predictions by class */
#include "files/bands.h"

#include "base/csv.h"

#include <string.h>

const char *const band_words[BAND_CLASSES] = {
    "measured", "declared", "calibrated", "servers", "layered"
};

/* As `sgdperf validate --coverage --format csv` prints of validation/datasets, rounded up:
 * tests/cli/validate.sh compares. predict knows no layers. */
static const double shipped[BAND_CLASSES] = {0.128, 0.314, 0.236, 0.147, 0.0};

double band_shipped(band_class of) { return shipped[of]; }

static double read_file(const char *path, const char *name)
{
    const csv_table *t = csv_read(path, 0);
    const int column = csv_require(t, "class"), width = csv_require(t, "half_width");
    double half_width = 0.0;
    size_t row;
    csv_unique(t, &column, 1);
    for (row = 0; row < t->rows; row++)
        if (strcmp(csv_text(t, row, column), name) == 0)
            half_width = csv_number_or(t, row, width, NUMBER_POSITIVE, 0.0);
    if (!(half_width > 0.0))
        tool_note("band-missing",
                  "%s: no half_width of class %s, so there is no band: that takes more rows or "
                  "datasets", path, name);
    return half_width;
}

band band_read(const args *a, int several_servers, int declared)
{
    const size_t given = args_choice(a, OPTION_INPUTS, band_words, BAND_SERVERS,
                                     declared ? BAND_DECLARED : BAND_MEASURED);
    const size_t of = several_servers && !args_given(a, OPTION_INPUTS) ? BAND_SERVERS : given;
    const char *file = args_text(a, OPTION_BANDS, NULL);
    band b;
    b.name = band_words[of];
    b.half_width = file ? read_file(file, b.name) : shipped[of];
    return b;
}
