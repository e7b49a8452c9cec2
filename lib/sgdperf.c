/* All headers, compiled: what the shared and the static library are made of.
 *
 * Users of it include the headers plainly and define no ..._IMPLEMENTATION. */
#if defined(_WIN32) && defined(SGDPERF_SHARED)
#define LIB_API __declspec(dllexport)
#elif defined(__GNUC__)
#define LIB_API __attribute__((visibility("default")))
#else
#define LIB_API extern
#endif

#define SGDP_API     LIB_API
#define SGDSIM_API   LIB_API
#define SGDSCHED_API LIB_API
#define SGDBAL_API   LIB_API
#define SGDFC_API    LIB_API
#define SGDPAR_API   LIB_API
#define SGDPLAN_API  LIB_API
#define SGDFIT_API   LIB_API

#define SGDPERF_IMPLEMENTATION
#define SGDPERF_SIM_IMPLEMENTATION
#define SGDPERF_SCHED_IMPLEMENTATION
#define SGDPERF_BALANCE_IMPLEMENTATION
#define SGDPERF_FORECAST_IMPLEMENTATION
#define SGDPERF_PARALLEL_IMPLEMENTATION
#define SGDPERF_PLAN_IMPLEMENTATION
#define SGDPERF_FIT_IMPLEMENTATION

#include "sgdperf.h"
#include "sgdperf_sim.h"
#include "sgdperf_sched.h"
#include "sgdperf_balance.h"
#include "sgdperf_forecast.h"
#include "sgdperf_parallel.h"
#include "sgdperf_plan.h"
#include "sgdperf_fit.h"
