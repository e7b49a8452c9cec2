/* perf_impl.c - the one file that holds the implementation of sgdperf.h */
#define SGDPERF_IMPLEMENTATION
#include "sgdperf.h"
