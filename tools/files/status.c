/* status.c - what a status of the headers means for the program */
#include "files/status.h"

#include "base/tool.h"

static int check(int status, const char *text, const char *what)
{
    if (status == SGDP_OK) return EXIT_DONE;
    if (status == SGDP_NOT_CONVERGED) return EXIT_NOT_REACHED;
    tool_fail("%s: %s", what, text);
}

int tool_check(sgdp_status status, const char *what)
{
    return check((int)status, sgdp_status_text(status), what);
}

int tool_check_parallel(sgdpar_status status, const char *what)
{
    return check((int)status, sgdpar_status_text(status), what);
}

int tool_check_sim(sgdsim_status status, const char *what)
{
    return check((int)status, sgdsim_status_text(status), what);
}

int tool_check_sched(sgdsched_status status, const char *what)
{
    return check((int)status, sgdsched_status_text(status), what);
}

int tool_check_balance(sgdbal_status status, const char *what)
{
    return check((int)status, sgdbal_status_text(status), what);
}

int tool_check_fit(sgdfit_status status, const char *what)
{
    return check((int)status, sgdfit_status_text(status), what);
}

int tool_check_forecast(sgdfc_status status, const char *what)
{
    return check((int)status, sgdfc_status_text(status), what);
}

int tool_check_plan(sgdplan_status status, const char *what)
{
    return check((int)status, sgdplan_status_text(status), what);
}

const char *tool_status_word(sgdp_status status)
{
    return status == SGDP_OK ? "ok" : "not_converged";
}
