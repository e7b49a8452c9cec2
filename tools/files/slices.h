/* slices.h - a timeline in Chrome's trace-event JSON: what lasts, in rows of its threads */
#ifndef TOOLS_FILES_SLICES_H
#define TOOLS_FILES_SLICES_H

#include "base/names.h"

typedef struct slice { size_t row, name; double start_s, end_s; } slice;

typedef struct slice_list {
    slice       *slice;       /* [count] as they come in the file                   */
    size_t       count;
    const char **row;         /* [rows] "worker 0: uplink": processes as they come, */
    size_t       rows;        /*   the threads of each by number                    */
    name_index   names;       /* of slices                                          */
    name_index   threads, processes; /* by their numbers                            */
} slice_list;

/* Is it an array, or a JSON object that has "traceEvents"? */
int slices_recognise(const char *data, size_t length);

/* The slices ("ph":"X") of data[length], called `name` in messages. Fails over what is no
 * such timeline, and where there is none. */
void slices_parse(slice_list *list, const char *name, const char *data, size_t length);

/* Also of one that could not be read. */
void slices_free(slice_list *list);

#endif /* TOOLS_FILES_SLICES_H */
