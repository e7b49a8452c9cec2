/* merge.c - sgdperf merge: the shards of a run put together */
#include "cmd/commands.h"
#include "jobs/parallel.h"
#include "options/program.h"

static const option_use uses[] = {
    ABOUT(
    "usage: sgdperf merge JOURNAL ... [--format table|csv|json]\n"
    "\n"
    "Prints what a command would have printed whose parts ran elsewhere.\n"
    "\n"
    "JOURNAL are the files of --journal of all its shards (--shard 1/N, 2/N, ...\n"
    "N/N), or that of a run that is done. The command line is in them. It runs again,\n"
    "and reads its inputs in the same folder, but finds its work done. Shards that\n"
    "are missing, not done, of another run or of other inputs are refused.\n"
    "\n"
    "Output\n"),
    USE_DEFAULT(FORMAT, "the format of the parts"),
    SECTION("Example: a curve in two parts, which two machines may do",
    "  $ printf '%s\\n' step,op,resource,duration_s,bytes,waits_for \\\n"
    "      0,0,downlink,,1e6, 0,1,worker,0.03,,0 0,2,uplink,,1e6,1 > trace.csv\n"
    "  $ set -- simulate trace.csv --mode sync --bandwidth 1Gbps --sweep 1,2,4\n"
    "  $ sgdperf \"$@\" --shard 1/2 --journal one.part\n"
    "  $ sgdperf \"$@\" --shard 2/2 --journal two.part\n"
    "  $ sgdperf merge one.part two.part\n"
    "  sync, link ps, 1000 steps each\n"
    "  workers  batches_per_s  ci95_half_width  makespan_s  events  seed  bottleneck\n"
    "        1         21.739                -          46    3000     1  worker\n"
    "        2         32.258                -          62    6000     1  worker\n"
    "        4         42.553                -          94   12000     1  uplink\n"
    "\n"
    "  utilization\n"
    "  workers   worker   uplink  server  downlink\n"
    "        1  0.65217  0.17391       0   0.17391\n"
    "        2  0.48387  0.25806       0   0.25806\n"
    "        4  0.31915  0.34043       0   0.34043\n"
    "\n"
    "  part of the time with two workers or more at a link or server\n"
    "  workers   uplink  server  downlink\n"
    "        1        0       0         0\n"
    "        2  0.25806       0   0.25806\n"
    "        4  0.34043       0   0.34043\n"
    "\n"
    "  shares of a worker's time: computing, and waiting for\n"
    "  trace      workers  computing  downlink  uplink  server  barrier\n"
    "  trace.csv        1      0.652     0.174   0.174       0        0\n"
    "  trace.csv        2      0.484     0.258   0.258       0        0\n"
    "  trace.csv        4      0.319      0.34    0.34       0        0\n")
};

static int run(args *a)
{
    char **words;
    int count = parallel_merge(a->files, a->file_count, args_text(a, OPTION_FORMAT, NULL), &words);
    return program_again(count, words);
}

const args_command command_merge = {"merge", "combine the shards of a run", run, uses,
                                    COUNT_OF(uses), NULL, 0, 1, (size_t)-1, NULL, 0,
                                    EACH(OPTION_FORMAT)};
