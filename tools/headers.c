/* perf_impl.c - the one file that holds the implementations of the headers */
#define SGDPERF_IMPLEMENTATION
#include "sgdperf.h"

#define SGDPERF_SIM_IMPLEMENTATION
#include "sgdperf_sim.h"

#define SGDPERF_SCHED_IMPLEMENTATION
#include "sgdperf_sched.h"

#define SGDPERF_BALANCE_IMPLEMENTATION
#include "sgdperf_balance.h"

#define SGDPERF_PLAN_IMPLEMENTATION
#include "sgdperf_plan.h"
