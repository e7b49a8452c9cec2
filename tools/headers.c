/* headers.c - the implementations of the headers, compiled once for each of them: the
 * makefile defines one SGDPERF..._IMPLEMENTATION at a time */
#include "sgdperf.h"
#include "sgdperf_balance.h"
#include "sgdperf_plan.h"
#include "sgdperf_sched.h"
#include "sgdperf_sim.h"
