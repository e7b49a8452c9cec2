/* printers.h - rows printed in parts, by several processes */
#ifndef TOOLS_BASE_PRINTERS_H
#define TOOLS_BASE_PRINTERS_H

#include "base/fields.h"
#include "base/output.h"

/* At most so many processes print [1]; what is printed does not depend on it. */
void rows_use(size_t processes);

/* These rows, behind what `out` holds, as rows.h says. */
void rows_print(field_rows *fields, size_t rows, output *out);

/* tool_alloc, of what is filled from end to end: in large pages, where the system has them,
 * as there is a fault for each. */
void *rows_alloc(size_t count, size_t size);

#endif /* TOOLS_BASE_PRINTERS_H */
