/* fuzz_transfers.c - the reader of logs of transfers alone survives any bytes. */
#include "fuzz_import.h"

FUZZ_IMPORT("fuzz_transfers", import_transfers,
    "step,phase,start_s,end_s\n0,downlink,0,0.125\n0,uplink,0.375,0.5\n1,downlink,0.5625,0.6875\n"
    "1,uplink,0.9375,1.0625\n",
    "# a log\r\nserver,end_s,start_s,phase,bytes,step\r\n0,2,1,\"downlink\",1e6,7\r\n"
    "1,4.5,3,uplink,,18446744073709551615\r\n3,5,4,uplink,0,7\r\n",
    "step,phase,start_s,end_s\n0,downlink,-1e300,1e300\n0,update,1,2\n",
    "step,phase,start_s,end_s\n",
    "");
