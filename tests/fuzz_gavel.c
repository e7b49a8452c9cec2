/* fuzz_gavel.c - any bytes as a trace of Gavel and, behind the first zero, if there is one, as
 * the throughputs of its job types */
#include "fuzz_jobtrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t times[] = "curve,nodes,throughput\nResNet,1,2.5\nResNet,2,4\nA,8,1e9\n";
    const uint8_t *zero = size > 0 ? (const uint8_t *)memchr(data, 0, size) : NULL;
    const size_t jobs = zero ? (size_t)(zero - data) : size;
    fuzz_two_files(JOBTRACE_GAVEL, data, size);
    fuzz_jobtrace_with(JOBTRACE_GAVEL, data, jobs, times, sizeof times - 1, NULL,
                       JOBTRACE_WHATEVER);
    return 0;
}

FUZZ_MAIN("fuzz_gavel",
    "ResNet\tpython3 main.py, x\t-n\t1\t14612\t0.000000\t1\nResNet\tpython3\t-n\t1\t5\t11.5\t2\n",
    "ResNet\tpython3 \"m\"\t-n\t1\t500\t1\t1\t-1.0\t0\r\nA\tb\t-n\t1\t7\t8\t1\t-1.0\t30\r\n",
    "ResNet\tpython3\twhere\t-n\t1\t500\t1\t1\t-1.0\t0\n",
    "A\tc\td\t-n\t1\t500\t2\tstatic\t1\t-1\t3600.5\t7\nA\tc\td\t-n\t1\t1\t8\tgns\t1\t-1\t0\t9\n",
    "curve,nodes,throughput\nA,1,2\nA,1,3\n", "");
