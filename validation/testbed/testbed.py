#!/usr/bin/env python3
"""Measures the points of a plan with real TCP streams between network namespaces, or between
real hosts, and writes a dataset for sgdperf validate. docs/testbed.md tells how."""
import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import bed as beds
import measure
import plan as plans

# The rule by which a run does not count, fixed before any run: the machine was taken away,
# or what was to happen at a time happened late.
MOST_STEAL = 0.05
MOST_LATE_S = 0.0005
MOST_BUSY = 0.90

RULE = (f"a run does not count if a node fails, if more than {MOST_STEAL:.0%} of the processors "
        f"is stolen, if the emulator and the kernel need more than {MOST_BUSY:.0%} of them, or if "
        f"the sleeps of a node end {MOST_LATE_S * 1e3:g} ms late in the mean; it is repeated once")

RESULTS = ["batches_per_s", "batches_per_s_sd", "repetitions", "runs", "seeds", "step_p10_s",
           "step_p50_s", "step_p90_s", "uplink_shared", "downlink_shared", "cpu_busy", "cpu_steal",
           "late_s"]


def show(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def join(values):
    return ",".join(f"{v:.9g}" for v in values)


# ---- One run ----------------------------------------------------------------------------

def node_arguments(point, bed, job, seed, realtime):
    """What all nodes of a run are told."""
    port = 7000 + 10 * job
    words = [f"workers={point.workers}", f"steps={point.steps}", f"every={point.every}",
             f"seed={seed}", f"jitter={point.jitter}", f"cv={point.compute_cv:g}",
             f"realtime={realtime}", f"limit_s={int(4 * point.estimate_s()) + 30}",
             "bytes=" + join(point.layer_bytes), "update=" + join(point.layer_update)]
    if point.allreduce:
        words.append("peers=" + ",".join(
            f"{bed.address(point, 'worker', i)}:{port + 100 + i * 16}"
            for i in range(point.workers)))
        words.append(f"bucket_bytes={point.bucket_bytes:g}")
    else:
        words.append("servers=" + ",".join(
            f"{bed.address(point, 'server', i)}:{port + i}" for i in range(point.servers)))
        words += [f"mode={point.mode}", f"backup={point.backup}",
                  f"staleness={point.staleness}", f"separate={int(point.updates == 'separate')}",
                  f"stagger={point.cycle_s()[0]:.6f}", "order=" + join(order_of(point, seed))]
        if point.share_list:
            words.append("share=" + join(point.share_list))
        if point.place_list:
            words.append("place=" + join(point.place_list))
    if point.flow_cap_bytes_per_s:
        words.append(f"flow_cap={point.flow_cap_bytes_per_s:g}")
    if point.durations_s:
        words.append("durations=" + join(point.durations_s))
    return words


def order_of(point, seed):
    layers = list(range(len(point.layer_bytes)))
    if point.order == "reverse":
        layers.reverse()
    if point.order == "random":
        plans.random.Random(seed).shuffle(layers)
    return layers


def worker_arguments(point, worker):
    """Layers as those of the row, scaled to the type of the worker."""
    forward, backward = point.compute_s(worker)
    scale_f = forward / sum(point.layer_forward) if sum(point.layer_forward) else 0.0
    scale_b = backward / sum(point.layer_backward) if sum(point.layer_backward) else 0.0
    layers = len(point.layer_bytes)
    f = [v * scale_f for v in point.layer_forward] if scale_f else [forward / layers] * layers
    b = [v * scale_b for v in point.layer_backward] if scale_b else [backward / layers] * layers
    return ["forward=" + join(f), "backward=" + join(b)]


def launch(point, bed, job, seed, folder, options):
    """Starts all nodes of one job; returns (kind, index, process, log path)."""
    common = node_arguments(point, bed, job, seed, options.realtime)
    nodes = [("server", i) for i in range(point.servers)]
    nodes += [("worker", i) for i in range(point.workers)]
    started = []
    for kind, index in nodes:
        role = point.mode if point.allreduce else kind
        words = [f"role={role}", f"index={index}"] + common
        if kind == "worker":
            words += worker_arguments(point, index)
        path = os.path.join(folder, f"job{job}-{kind}{index}.csv")
        with open(path, "wb") as out, open(path + ".err", "wb") as error:
            process = bed.launch(point, kind, index, words, out, error)
        started.append((kind, index, process, path))
    return started


def wait_for(started, limit_s):
    """All nodes; BadRun with what the first that failed says."""
    until = time.monotonic() + limit_s
    for _, _, process, path in started:
        try:
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise measure.BadRun(f"not done after {limit_s:.0f} s")
        if process.returncode != 0:
            with open(path + ".err", encoding="utf-8", errors="replace") as stream:
                said = stream.read().strip().splitlines()
            raise measure.BadRun(said[0] if said else f"exit status {process.returncode}")


def run_once(point, bed, seed, options):
    """One run: a dict of numbers; BadRun where it does not count."""
    folder = tempfile.mkdtemp(prefix="testbed-")
    started = []
    try:
        bed.prepare(point)
        before = beds.processor_times()
        for job in range(point.jobs):
            started += launch(point, bed, job, seed + job, folder, options)
        wait_for(started, 4 * point.estimate_s() + 20)
        after = beds.processor_times()
        results = []
        for job in range(point.jobs):
            own = [(k, measure.Log(path)) for k, _, _, path in started
                   if f"job{job}-" in os.path.basename(path)]
            results.append(measure.run(point, [log for k, log in own if k == "worker"],
                                       [log for k, log in own if k == "server"]))
        result = results[0]
        for key in ("batches_per_s", "uplink_shared", "downlink_shared"):
            if result[key] is not None:
                result[key] = statistics.fmean(r[key] for r in results)
        spent = [(b - a) / max(1, after[2] - before[2]) for a, b in zip(before, after)]
        result["cpu_busy"], result["cpu_steal"] = spent[0], spent[1]
        if not options.keep:
            judge(result)
        return result
    finally:
        bed.stop([process for _, _, process, _ in started])
        keep_logs(point, seed, folder, options)


def judge(result):
    if result["cpu_steal"] > MOST_STEAL:
        raise measure.BadRun(f"{result['cpu_steal']:.1%} of the processors stolen")
    if result["cpu_busy"] > MOST_BUSY:
        raise measure.BadRun(f"processors busy for {result['cpu_busy']:.1%}")
    if result["late_s"] > MOST_LATE_S:
        raise measure.BadRun(f"sleeps end {result['late_s'] * 1e3:.2f} ms late")


def keep_logs(point, seed, folder, options):
    if options.logs:
        place = os.path.join(options.logs, f"{point.dataset}-{point.point}-{seed}")
        shutil.rmtree(place, ignore_errors=True)
        shutil.move(folder, place)
    else:
        shutil.rmtree(folder, ignore_errors=True)


# ---- Datasets ---------------------------------------------------------------------------

def beside(point, path, out):
    """A path given in the plan, as seen from the dataset."""
    if not path:
        return ""
    return os.path.relpath(os.path.join(point.folder, path), os.path.dirname(os.path.abspath(out)))


def row_of(point, runs, out):
    """A row of the dataset: the point's columns, and the numbers of its runs."""
    row = {column: getattr(point, column) for column in plans.COLUMNS}
    row["mode"] = plans.KINDS.get(point.mode, point.mode)
    row["emulated"] = point.mode
    row["batch"] = row["role"] = row["fit"] = row["group"] = ""
    row["servers"] = "" if point.allreduce else point.servers
    for column in ("layers", "durations"):
        row[column] = beside(point, getattr(point, column), out)
    if point.types:
        row["forward_s"] = row["backward_s"] = ""
    if point.durations_s:
        mean = statistics.fmean(point.durations_s)
        row["compute_cv"] = statistics.pstdev(point.durations_s) / mean
    if point.jitter == "exponential":
        row["compute_cv"] = 1.0
    values = [r["batches_per_s"] for _, r in runs]
    gaps = [gap for _, r in runs for gap in r["gaps"]]
    row.update(batches_per_s=statistics.fmean(values), repetitions=len(values),
               batches_per_s_sd=statistics.stdev(values) if len(values) > 1 else "",
               runs=" ".join(show(v) for v in values), seeds=" ".join(str(s) for s, _ in runs))
    for name, q in (("step_p10_s", 0.1), ("step_p50_s", 0.5), ("step_p90_s", 0.9)):
        row[name] = measure.quantile(gaps, q)
    for name in ("uplink_shared", "downlink_shared", "cpu_busy", "cpu_steal", "late_s"):
        found = [r[name] for _, r in runs if r[name] is not None]
        row[name] = statistics.fmean(found) if found else ""
    for column in ("worker_bandwidth_bytes_per_s", "flow_cap_bytes_per_s"):
        row[column] = row[column] or ""
    return row


FIRST = ["dataset", "point", "mode", "workers", "servers", "batch", "forward_s", "backward_s",
         "update_s", "model_bytes", "bandwidth_bytes_per_s", "overlap", "batches_per_s", "fit",
         "group", "role"]


def write_dataset(out, points, runs, options, held):
    """Rows of all points that have a run, in the order of the plan; whole, or not at all."""
    rows = [row_of(p, runs[i], out) for i, p in enumerate(points)
            if runs[i] and p.held_out == held]
    if not rows:
        return 0
    columns = FIRST + [c for c in list(plans.COLUMNS) + ["emulated"] + RESULTS
                       if c not in FIRST and c != "held_out"]
    text = [f"# Measured by validation/testbed/testbed.py from {os.path.basename(options.plan)}",
            f"# {options.repetitions} repetitions, seed {options.seed}, {os.uname().sysname} "
            f"{os.uname().release}, {os.cpu_count()} processors. Units as in the names of columns.",
            f"# Rule: {RULE}."]
    text.append(",".join(columns))
    text += [",".join(show(row[c]) for c in columns) for row in rows]
    folder = os.path.dirname(os.path.abspath(out))
    os.makedirs(folder, exist_ok=True)
    with open(out + ".new", "w", encoding="utf-8") as stream:
        stream.write("\n".join(text) + "\n")
    os.replace(out + ".new", out)
    return len(rows)


# ---- The plan ---------------------------------------------------------------------------

def try_run(point, bed, seed, options):
    """The run, or a second one where the first does not count; None, said, if neither."""
    for attempt in range(2):
        try:
            return run_once(point, bed, seed, options)
        except measure.BadRun as problem:
            print(f"{point.dataset},{point.point}: seed {seed} dropped: {problem}",
                  file=sys.stderr, flush=True)
    return None


def measure_all(points, bed, options):
    """Every point once, then every point again: drift of the machine hits all alike."""
    runs = [[] for _ in points]
    began = time.monotonic()
    for repetition in range(options.repetitions):
        for i, point in enumerate(points):
            seed = options.seed * 100000 + repetition * 10000 + 10 * i
            result = try_run(point, bed, seed, options)
            if result:
                runs[i].append((seed, result))
            told = "held out" if point.held_out else (
                f"{result['batches_per_s']:.4f}" if result else "no run")
            print(f"{time.monotonic() - began:7.1f} s  {repetition + 1}  {point.dataset}  "
                  f"{point.point}  {told}", flush=True)
            save(points, runs, options)
    return runs


def save(points, runs, options):
    """After every run, so that what is measured is not lost."""
    write_dataset(options.out, points, runs, options, 0)
    write_dataset(options.held_out, points, runs, options, 1)


def parse(argv):
    parser = argparse.ArgumentParser(prog="testbed.py", description=__doc__)
    parser.add_argument("plan", help="a CSV file, one row a point")
    parser.add_argument("--out", default="build/testbed/measured.csv", help="dataset to write")
    parser.add_argument("--held-out", help="dataset of the held-out points [OUT-held-out.csv]")
    parser.add_argument("--repetitions", type=int, default=2, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--node", default="build/testbed/node", help="the emulator")
    parser.add_argument("--hosts", metavar="FILE", help="real hosts: address and command a line")
    parser.add_argument("--realtime", type=int, default=10, help="priority, 0: none")
    parser.add_argument("--logs", metavar="DIR", help="keep the logs of all nodes there")
    parser.add_argument("--keep", action="store_true",
                        help="keep runs on a busy machine too; the columns tell how busy")
    parser.add_argument("--estimate", action="store_true", help="say how long it takes; no run")
    parser.add_argument("--draw", type=int, metavar="SEED",
                        help="mark half of the points as held out, in the plan; no run")
    options = parser.parse_args(argv)
    if not 1 <= options.repetitions <= 100 or not 0 <= options.seed <= 20000:
        parser.error("--repetitions is from 1 to 100, --seed from 0 to 20000")
    if not 0 <= options.realtime <= 99:
        parser.error("--realtime is from 0 to 99")
    if not options.held_out:
        options.held_out = os.path.splitext(options.out)[0] + "-held-out.csv"
    return options


def stop_by(number, _):
    raise SystemExit(128 + number)


def main(argv):
    options = parse(argv)
    bed = None
    try:
        if options.draw is not None:
            print(f"{plans.draw(options.plan, options.draw)} points held out")
            return 0
        _, points = plans.read(options.plan)
        estimate = sum(p.estimate_s() for p in points) * options.repetitions
        print(f"{len(points)} points, {options.repetitions} repetitions, about "
              f"{estimate / 60:.1f} minutes", flush=True)
        if options.estimate:
            return 0
        if not os.access(options.node, os.X_OK):
            raise beds.NoBed(f"{options.node} is not there: make testbed builds it")
        node = os.path.abspath(options.node)
        lack = None if options.hosts else beds.missing()
        if lack:
            raise beds.NoBed(lack)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop_by)
        bed = (beds.Hosts(options.hosts, node) if options.hosts else
               beds.Bed(node, max(p.servers + p.workers for p in points)))
        runs = measure_all(points, bed, options)
        lost = sum(not r for r in runs)
        print(f"{options.out}: {len(points) - lost} points measured, {lost} lost")
        return 1 if lost else 0
    except (plans.BadPlan, beds.NoBed) as problem:
        print(f"testbed: {problem}", file=sys.stderr)
        return 2
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if bed:
            bed.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
