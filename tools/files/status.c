/* status.c - what a status of sgdperf.h means for the program */
#include "files/status.h"

int tool_check(sgdp_status status, const char *what)
{
    if (status == SGDP_OK) return EXIT_DONE;
    if (status == SGDP_NOT_CONVERGED) return EXIT_NOT_REACHED;
    tool_fail("%s: %s", what, sgdp_status_text(status));
}

const char *tool_status_word(sgdp_status status)
{
    return status == SGDP_OK ? "ok" : "not_converged";
}
