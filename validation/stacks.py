#!/usr/bin/env python3
"""What kinds of software lose of an all-reduce: the table that predict --stack knows.

    python3 validation/stacks.py [FILE.csv ...] > validation/stacks.csv
    python3 validation/stacks.py --def [FILE.csv ...]       for tools/files/stacks.def
    python3 validation/stacks.py --judge [FILE.csv ...]

Reads dlperf, pytorch_ddp and llm_foundry of validation/datasets, and more files in the same
columns. csc-ddp.csv, the rows of github.com/mvsjober/ml-benchmarks, is not shipped: without
it the stack pytorch-ddp is fitted to fewer rows. Links are as their makers declare them.

The step of K workers on m machines of g is, with M bytes of model, links of b and B bytes/s,

    T = C (1 + growth log2 min(K, g) + growth_between log2 m) + exposure E
    E = 2 (m-1)/m M/B, and inside one machine 2 (K-1)/K M/b

C is the step of one accelerator. From the step of a full machine, C is that, without the term
in g. exposure and growth_between have the least sum over the rows on several machines of
|X'/X - 1| / 0.05, where X' is predicted from the step of a full machine, and of the distances
from the numbers that model cluster has without a stack, over 0.5 and 0.02: one network alone
cannot tell the two apart. growth has the least sum over the rows inside a machine, likewise,
over 0.05. All three are on a grid, so that the table has round numbers.

spread: 90 % of the rows on several machines are within this of X', where each source (the table
of a network, or a cluster) is predicted by what the other sources of the stack say. --judge
compares such errors with those of the numbers that model cluster has without a stack.
"""
import csv
import math
import sys
from collections import defaultdict

SHIPPED = ["validation/datasets/%s.csv" % name for name in ("dlperf", "pytorch_ddp", "llm_foundry")]
DATASETS = ("dlperf", "pytorch-ddp", "llm-foundry", "csc-ddp")
LEAST_ROWS = 6                         # on several machines: fewer are no stack
EXPOSURES = [0.1 * i for i in range(41)]
GROWTHS = [0.001] + [0.005 * i for i in range(1, 41)]
WITHOUT = (1.25, 0.025, 0.01)          # exposure, growth, growth_between of model cluster
WIDTHS = (0.5, 0.05, 0.02)             # how far a stack may be from them
NOISE = 0.05                           # of a row


def stack_of(dataset, curve):
    """Its name, the source that is left out, and where it is from."""
    if dataset == "dlperf":
        name, precision, _ = curve.rsplit("-", 2)
        parts = name.split("_")
        kind = "-".join(parts[:2]) if parts[0] == "ngc" else parts[0]
        return ("%s-%s" % (kind, precision)).lower(), name, "Oneflow-Inc/DLPerf"
    if dataset == "llm-foundry":
        return "fsdp", curve.split("-")[0], "mosaicml/llm-foundry"
    if dataset == "pytorch-ddp":
        return "pytorch-ddp", dataset, "pytorch/pytorch"
    return "pytorch-ddp", curve.split("-")[1], "mvsjober/ml-benchmarks"


class Row:
    """A measured step: lost = T/C - 1 is growth * grown + exposure * exchange, and from one
    accelerator to several machines also growth inside a machine * inside."""

    def __init__(self, of, base_s, step_s, grown, exchange_s, inside=0.0):
        _, self.source, self.origin = of
        self.lost = step_s / base_s - 1.0
        self.grown = grown
        self.exchange = exchange_s / base_s
        self.inside = inside

    def error(self, exposure, growth, growth_inside=0.0):
        """X'/X - 1 as T/T' - 1."""
        predicted = 1.0 + growth * self.grown + growth_inside * self.inside
        return (1.0 + self.lost) / (predicted + exposure * self.exchange) - 1.0


def number(row, name):
    return float(row.get(name) or 0.0)


def read(path):
    """The rows of curves: [(dataset, curve, rows)]."""
    curves = defaultdict(list)
    with open(path) as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            curve = row.get("curve") or row["point"].rsplit("-", 1)[0]
            if row["dataset"] in DATASETS:
                curves[row["dataset"], curve].append(row)
    return [(dataset, curve, rows) for (dataset, curve), rows in curves.items()]


def step_s(row):
    return int(row["workers"]) / number(row, "batches_per_s")


def machine_step_s(rows, gpus):
    """The step of one full machine: measured among the rows, or told by a row."""
    for row in rows:
        if int(row["workers"]) == gpus and int(row["gpus"] or 1) in (1, gpus):
            return step_s(row)
    return max(number(row, "one_worker_step_s") for row in rows if int(row["gpus"] or 1) > 1)


def make(dataset, curve, rows):
    """Inside a machine from one accelerator; on several machines from one; and from a full one."""
    of = stack_of(dataset, curve)
    one = [row for row in rows if int(row["workers"]) == 1]
    several = [row for row in rows if int(row["workers"]) > int(row["gpus"] or 1) > 1]
    inside, from_one, from_full = [], [], []
    for row in rows:
        workers = int(row["workers"])
        if one and workers > 1 and int(row["gpus"] or 1) == 1:
            exchange_s = (2.0 * (workers - 1) / workers * number(row, "model_bytes")
                          / number(row, "bandwidth_bytes_per_s"))
            inside.append(Row(of, step_s(one[0]), step_s(row), math.log2(workers), exchange_s))
    for row in several:
        gpus = int(row["gpus"])
        machines = -(-int(row["workers"]) // gpus)
        full_s = machine_step_s(rows, gpus)
        exchange_s = (2.0 * (machines - 1) / machines * number(row, "model_bytes")
                      / number(row, "bandwidth_bytes_per_s"))
        grown = math.log2(machines)
        if full_s > 0.0:
            from_full.append(Row(of, full_s, step_s(row), grown, exchange_s))
        if one and number(row, "local_bandwidth_bytes_per_s") > 0.0:
            local_s = ((2.0 * (gpus - 1) / gpus + 1.0) * number(row, "model_bytes")
                       / number(row, "local_bandwidth_bytes_per_s"))
            from_one.append(Row(of, step_s(one[0]), step_s(row), grown, exchange_s + local_s,
                                math.log2(gpus)))
    return inside, from_one, from_full


def misfit(rows, exposure, growth):
    return sum(abs(row.error(exposure, growth)) for row in rows) / NOISE


def fit(inside, from_full):
    """Exposure, growth and growth_between."""
    _, exposure, between = min(
        (misfit(from_full, h, d) + abs(h - WITHOUT[0]) / WIDTHS[0]
         + abs(d - WITHOUT[2]) / WIDTHS[2], h, d) for h in EXPOSURES for d in GROWTHS)
    _, growth = min((misfit(inside, exposure, d) + abs(d - WITHOUT[1]) / WIDTHS[1], d)
                    for d in GROWTHS)
    return exposure, growth if inside else WITHOUT[1], between


def left_out(inside, from_full):
    """{source: the numbers from the rows of the other sources; None: there is no other}."""
    out = {}
    for source in sorted({row.source for row in from_full}):
        others = [row for row in from_full if row.source != source]
        rest = [row for row in inside if row.source != source]
        out[source] = fit(rest, others) if others else None
    return out


def collect(paths):
    kinds = defaultdict(lambda: ([], [], []))
    for path in paths:
        for dataset, curve, rows in read(path):
            for to, some in zip(kinds[stack_of(dataset, curve)[0]], make(dataset, curve, rows)):
                to.extend(some)
    return {name: kind for name, kind in sorted(kinds.items()) if len(kind[2]) >= LEAST_ROWS}


def spread(inside, from_full):
    errors = sorted(abs(row.error(numbers[0], numbers[2]))
                    for source, numbers in left_out(inside, from_full).items() if numbers
                    for row in from_full if row.source == source)
    return errors[min(len(errors) - 1, math.ceil(0.9 * (len(errors) + 1)) - 1)]


def print_table(kinds, as_def):
    if not as_def:
        print("stack,exposure,growth,growth_between,rows,spread,source")
    for name, (inside, _, from_full) in kinds.items():
        exposure, growth, between = fit(inside, from_full)
        origins = " ".join(sorted({row.origin for row in from_full}))
        numbers = "%.4g,%.4g,%.4g,%d,%.3g" % (exposure, growth, between, len(from_full),
                                            spread(inside, from_full))
        if as_def:
            print('STACK("%s", %s, "%s")' % (name, numbers.replace(",", ", "), origins))
        else:
            print("%s,%s,%s" % (name, numbers, origins))


def print_judged(kinds):
    """Mean |X'/X - 1| in percent: from the step of a full machine, then from one accelerator."""
    columns = ("rows", "without", "fitted", "left_out",
               "one_rows", "one_without", "one_fitted", "one_left_out")
    print("stack," + ",".join(columns))
    sums = [[] for _ in range(6)]
    for name, (inside, from_one, from_full) in kinds.items():
        fitted = fit(inside, from_full)
        by_source = left_out(inside, from_full)
        errors = [[] for _ in range(6)]
        for row in from_full:
            numbers = by_source[row.source] or WITHOUT
            for to, (exposure, _, between) in zip(errors, (WITHOUT, fitted, numbers)):
                to.append(abs(row.error(exposure, between)))
        for row in from_one:
            numbers = by_source[row.source] or WITHOUT
            for to, (exposure, growth, between) in zip(errors[3:], (WITHOUT, fitted, numbers)):
                to.append(abs(row.error(exposure, between, growth)))
        show(name, errors)
        for to, some in zip(sums, errors):
            to.extend(some)
    show("all", sums)


def show(name, errors):
    means = ["%.1f" % (100.0 * sum(some) / len(some)) if some else "" for some in errors]
    print(",".join([name, str(len(errors[0]))] + means[:3] + [str(len(errors[3]))] + means[3:]))


def main():
    judge = "--judge" in sys.argv[1:]
    kinds = collect(SHIPPED + [path for path in sys.argv[1:] if not path.startswith("--")])
    if judge:
        print_judged(kinds)
    else:
        print_table(kinds, "--def" in sys.argv[1:])


if __name__ == "__main__":
    main()
