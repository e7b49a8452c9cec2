/* merge.c - sgdperf merge: the shards of a run put together */
#include "base/parallel.h"
#include "base/program.h"
#include "cmd/commands.h"

static const char help[] =
    "usage: sgdperf merge JOURNAL ...\n"
    "\n"
    "Prints what a command would have printed whose parts ran elsewhere: JOURNAL are the files of\n"
    "--journal of all its shards (--shard 1/N, 2/N, ... N/N). The command line is in them. It\n"
    "runs again, in the same folder, as it reads its inputs, but finds its tasks done. Refuses\n"
    "shards that are missing, not done, of another run or of other inputs.\n"
    "\n"
    "  --format F   is that of the command, and not taken here\n"
    "\n"
    "Example: a sweep of three loads, as two processes would do it on two machines\n"
    "  $ set -- cluster --nodes 8 --sweep 0.2,0.4,0.6 --max-jobs 2000 --min-jobs 2000\n"
    "  $ sgdperf \"$@\" --format csv --shard 1/2 --journal one.part 2> notes\n"
    "  $ sgdperf \"$@\" --format csv --shard 2/2 --journal two.part 2>> notes\n"
    "  $ sgdperf merge one.part two.part > merged.csv 2>> notes || true\n";

int cmd_merge(int argc, char **argv)
{
    static const args_command command = {help, NULL, 0, 1, (size_t)-1};
    args a;
    char **words;
    int count;
    args_parse(&a, &command, argc, argv);
    if (args_given(&a, "--format")) args_fail("--format", NULL, "is that of the run");
    count = parallel_merge(a.files, a.file_count, &words);
    return program_again(count, words);
}
