/* fuzz_sacct.c - any bytes as what Slurm's sacct -P lists; how many they are says which of
 * its numbers counts as nodes */
#include "fuzz_jobtrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_jobtrace_with(JOBTRACE_SACCT, data, size, NULL, 0, NULL, (jobtrace_unit)(size % 4));
    return 0;
}

FUZZ_MAIN("fuzz_sacct",
    "JobID|State|Submit|Start|End|AllocTRES|Timelimit\n"
    "7|COMPLETED|2026-04-25T13:24:54|2026-04-25T13:58:30|2026-04-25T14:05:41|cpu=8,gres/gpu=2,"
    "gres/gpu:a100=2|1-00:00:00\n"
    "7.batch|COMPLETED|2026-04-25T13:58:30|2026-04-25T13:58:30|2026-04-25T14:05:41|cpu=8|\n"
    "8_[3-9]|PENDING|2026-04-25T13:24:54|Unknown|Unknown||UNLIMITED\n"
    "9+0|TIMEOUT|2026-04-25T13:00:00|2026-04-25T13:00:00|2026-04-25T14:00:00|gres/gpu:a=1|"
    "Partition_Limit\n"
    "9+1|TIMEOUT|2026-04-25T13:00:00|2026-04-25T13:00:00|2026-04-25T14:00:00|gres/gpu:a=3|\n",
    "Start|NNodes|Elapsed|JobID|NCPUS|Submit|TimelimitRaw|\r\n"
    "2026-04-25T13:58:30|2|02:00|1|8|2026-04-25T13:58:30|60|\r\n\r\n"
    "2026-04-25T13:58:30|0.5|1-02:00:01.25|2|1e3|1777125510||\r\n",
    "JobID|State|Submit|Start|End|NCPUS\n"
    "1|REQUEUED|2026-04-25T13:00:00|2026-04-25T13:00:10|2026-04-25T13:00:20|4\n"
    "1|CANCELLED by 7|2026-04-25T13:00:20|2026-04-25T13:00:30|2026-04-25T13:00:50|4\n",
    "JobID|Submit|Start|End|NNodes|W\n1|2026-04-25|2026/04/25 13:00|2026-04-25T13:20Z|4|\"a,\"\"",
    "");
