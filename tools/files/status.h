/* status.h - what a status of sgdperf.h means for the program */
#ifndef FILES_STATUS_H
#define FILES_STATUS_H

#include "base/tool.h"
#include "sgdperf.h"

/* EXIT_DONE for SGDP_OK, EXIT_NOT_REACHED for SGDP_NOT_CONVERGED, whose estimate is
 * still to be printed; any other status fails: "sgdperf: WHAT: its text". */
int tool_check(sgdp_status status, const char *what);

/* For the key "status": "ok" or "not_converged". */
const char *tool_status_word(sgdp_status status);

#endif /* FILES_STATUS_H */
