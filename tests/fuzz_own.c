/* fuzz_own.c - traces of ours, to be written as another format: any bytes */
#include "fuzz_import.h"

FUZZ_IMPORT("fuzz_own", import_own,
    "step,op,resource,server,duration_s,bytes,waits_for,name\n0,0,downlink,0,,1e6,,\"a, b\"\n"
    "0,1,worker,0,0.5,,0,f\n0,2,uplink,1,,5,1,g\n0,3,server,1,1e-3,,2,u\n1,0,worker,0,0.25,,,f\n",
    "step,op,resource,server,duration_s,bytes,waits_for\n0,0,worker,,1,,1 2\n0,1,worker,,2,,\n"
    "0,2,uplink,21844,,0,\n",
    "step,op,resource,duration_s,bytes\n0,0,worker,1,\n0,1,uplink,,3\n",
    "");
