/* flat.h - what the program printed, CSV or JSON, as one table */
#ifndef TOOLS_FILES_FLAT_H
#define TOOLS_FILES_FLAT_H

#include "base/csv.h"
#include "base/names.h"

typedef struct flat_file {
    csv_table *table;         /* NULL until it has been read                        */
    name_index columns;       /* of JSON; else none                                 */
} flat_file;

/* data[length], called `name` in messages, which must outlive the table. Of JSON, a row for
 * each of the objects in its array "points", "curve", "rows", "jobs", "allocations", "stages"
 * or "results" (and in the arrays of these), whose members are the columns; those of an object
 * in an object are called by both keys, "time_s_uplink_service", and other arrays are left out.
 * An object without such an array is one row. Fails over what is neither, and over JSON of
 * more than 100 000 rows. */
void flat_parse(flat_file *file, const char *name, const char *data, size_t length);

/* Also of one that could not be read. */
void flat_free(flat_file *file);

/* A JSON string's text[length] without its escapes, terminated, in fresh memory. Characters
 * that control something become blanks, halves of a surrogate pair U+FFFD. */
char *flat_string(const char *text, size_t length);

#endif /* TOOLS_FILES_FLAT_H */
