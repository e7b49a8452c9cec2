/* fuzz_swf.c - any bytes as a trace in the Standard Workload Format */
#include "fuzz_jobtrace.h"

FUZZ_JOBTRACE("fuzz_swf", fuzz_jobtrace, JOBTRACE_SWF,
    "; Version: 2.2\n; UnixStartTime: 0\n"
    "1 30 0 5 2 0 0 2 0 0 1 0 0 0 0 0 0 0\n2 1 0 6 3 0 0 3 0 0 1 0 0 0 0 0 0 0 ; late\n",
    "  4\t100 -1 12.5 -1 -1 -1 16 -1 -1 1 1 1 1 1 -1 -1 -1\r\n"
    "5 100 3 1e3 8 -1 -1 16 -1 -1 0 1 1 1 1 -1 -1 -1\r\n\r\n"
    "6 90 3 10 8 -1 -1 16 -1 -1 3 1 1 1 1 -1 -1 -1\n6 90 3 0 8 -1 -1 16 -1 -1 5 1 1 1 1 -1 -1 -1",
    "; MaxProcs: 128\n;MaxNodes: 64\n"
    "id submit wait run n cpu mem n time mem status u g x q p j t more\n"
    "1 20.5 3 5 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 0 D-1 x\n; MaxProcs: 99999999999999999999\n",
    "1 2 3\n",
    "");
