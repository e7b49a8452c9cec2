/* bands.c - bands of predictions by class */
#include "files/bands.h"

#include <string.h>

/* As `sgdperf validate --coverage --format csv` prints of validation/datasets, rounded up:
 * tests/cli/validate.sh compares. */
static const band shipped[] = {
    {"measured", 0.128}, {"declared", 0.239}, {"calibrated", 0.316}, {"servers", 0.147}
};

static band read_file(const char *path, const char *name)
{
    const csv_table *t = csv_read(path, 0);
    const int column = csv_require(t, "class"), width = csv_require(t, "half_width");
    band b;
    size_t row;
    b.name = name;
    b.half_width = 0.0;
    csv_unique(t, &column, 1);
    for (row = 0; row < t->rows; row++)
        if (strcmp(csv_text(t, row, column), name) == 0)
            b.half_width = csv_number_or(t, row, width, NUMBER_POSITIVE, 0.0);
    if (!(b.half_width > 0.0))
        tool_note("%s: no half_width of class %s, so no band: too few rows or datasets make one",
                  path, name);
    return b;
}

band band_read(const args *a, int several_servers)
{
    static const char *const words[] = {"measured", "declared", "calibrated"};
    const size_t given = args_choice(a, "--inputs", words, COUNT_OF(words), 0);
    const size_t class_index =
        several_servers && !args_given(a, "--inputs") ? COUNT_OF(words) : given;
    const char *file = args_text(a, "--bands", NULL);
    return file ? read_file(file, shipped[class_index].name) : shipped[class_index];
}
