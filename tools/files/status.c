/* status.c - what a status of the headers means for the program */
#include "files/status.h"

#include "base/tool.h"

static int check(int status, const char *text, const char *what)
{
    if (status == SGDP_OK) return EXIT_DONE;
    if (status == SGDP_NOT_CONVERGED) return EXIT_NOT_REACHED;
    tool_fail("%s: %s", what, text);
}

#define STATUS_X(name, type)                                                            \
    int name(type status, const char *what)                                             \
    {                                                                                   \
        return check((int)status, type##_text(status), what);                           \
    }
STATUS_TABLE(STATUS_X)

const char *tool_status_word(sgdp_status status)
{
    return status == SGDP_OK ? "ok" : "not_converged";
}
