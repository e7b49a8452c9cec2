/* status.h - what a status of the headers means for the program
 *
 * The codes that the headers share have the same numbers, so that one rule serves all. */
#ifndef TOOLS_FILES_STATUS_H
#define TOOLS_FILES_STATUS_H

#include "sgdperf.h"
#include "sgdperf_balance.h"
#include "sgdperf_fit.h"
#include "sgdperf_forecast.h"
#include "sgdperf_parallel.h"
#include "sgdperf_plan.h"
#include "sgdperf_sched.h"
#include "sgdperf_sim.h"

/* EXIT_DONE for ..._OK, EXIT_NOT_REACHED for ..._NOT_CONVERGED, whose estimate is still
 * to be printed; any other status fails: "sgdperf: WHAT: its text". */
#define STATUS_TABLE(X)                                                                 \
    X(tool_check, sgdp_status)                                                          \
    X(tool_check_parallel, sgdpar_status)                                               \
    X(tool_check_sim, sgdsim_status)                                                    \
    X(tool_check_sched, sgdsched_status)                                                \
    X(tool_check_balance, sgdbal_status)                                                \
    X(tool_check_fit, sgdfit_status)                                                    \
    X(tool_check_forecast, sgdfc_status)                                                \
    X(tool_check_plan, sgdplan_status)

#define STATUS_X(name, type) int name(type status, const char *what);
STATUS_TABLE(STATUS_X)
#undef STATUS_X

/* For the key "status": "ok" or "not_converged". */
const char *tool_status_word(sgdp_status status);

#endif /* TOOLS_FILES_STATUS_H */
