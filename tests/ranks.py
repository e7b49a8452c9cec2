"""ranks.py SEED - traces of PyTorch's profiler of all ranks of one job, rank-N.json, and
expected.csv: of each rank the step, and of it computing, waiting for the last rank and
transfer, by hand.

Ranks compute, exchange, and compute on. Nothing overlaps, and all is launched long before, so
that a rank waits in each exchange until the last one comes. Clocks differ by up to a second."""

import json
import random
import sys

random.seed(int(sys.argv[1]))
RANKS, STEPS, EXCHANGES = random.randint(2, 6), random.randint(2, 5), random.randint(1, 4)
ahead = [0] + [random.randint(-10**9, 10**9) for _ in range(RANKS - 1)]    # in nanoseconds
events = [[] for _ in range(RANKS)]
at = [2 * 10**9] * RANKS
sums = [[0, 0, 0, 0] for _ in range(RANKS)]            # step, computing, waiting, transfer
calls = 0


def add(rank, category, name, start, end, **args):
    events[rank].append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1,
                         "ts": (start + ahead[rank]) / 1e3, "dur": (end - start) / 1e3,
                         "args": args})


def kernel(rank, name, start, end, **args):
    global calls
    calls += 1
    launched = 10**9 + calls
    add(rank, "cuda_runtime", "cudaLaunchKernel", launched, launched + 1, correlation=calls)
    add(rank, "kernel", name, start, end, correlation=calls, stream=7, **args)


for step in range(STEPS):
    begin = list(at)
    for exchange in range(EXCHANGES):
        for rank in range(RANKS):
            took = random.randint(10**6, 2 * 10**7)
            kernel(rank, "gemm", at[rank], at[rank] + took)
            at[rank] += took
            sums[rank][1] += took
        last, elements = max(at), 1000 * (exchange + 1)
        end = last + random.randint(10**5, 10**7)
        for rank in range(RANKS):
            kernel(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", at[rank], end,
                   **{"Collective name": "allreduce", "In msg nelems": elements,
                      "dtype": "Float", "Group size": RANKS})
            sums[rank][2] += last - at[rank]
            sums[rank][3] += end - last
            at[rank] = end
    for rank in range(RANKS):
        add(rank, "user_annotation", f"ProfilerStep#{step}", begin[rank], at[rank])
        sums[rank][0] += at[rank] - begin[rank]

for rank in range(RANKS):
    kernel(rank, "gemm", at[rank], at[rank] + 1)       # for which the last exchange is waited
    with open(f"rank-{rank}.json", "w") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events[rank],
                   "distributedInfo": {"rank": rank, "world_size": RANKS}}, file)
with open("expected.csv", "w") as file:
    for rank in range(RANKS):
        print(rank, *(f"{time / STEPS / 1e9:.12g}" for time in sums[rank]),
              f"{ahead[rank] / 1e9:.12g}", sep=",", file=file)
