#!/usr/bin/env python3
"""Measures the points of a plan with real TCP streams between network namespaces, or between
real hosts, and writes a dataset for sgdperf validate. docs/testbed.md tells how."""
import argparse
import csv
import os
import signal
import subprocess
import sys
import time

import bed as beds
import dataset
import files
import measure
import plan as plans
import run

MOST_REPETITIONS = 10
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What a worker alone may differ from what its columns make of it.
OWN_RATE = 0.005


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- The plan ---------------------------------------------------------------------------

def try_run(point, bed, seed, options):
    """The run, or a second one where the first does not count; None, said, if neither."""
    for then in ("repeated", "lost, as it was repeated already"):
        try:
            return run.once(point, bed, seed, options)
        except measure.BadRun as problem:
            say(f"{point.dataset},{point.point}: seed {seed} does not count: {problem}; {then}")
    return None


def note(point, result, options):
    """What one should know of a run that counts."""
    name = f"{point.dataset},{point.point}"
    own = point.own_rate()
    off = result["batches_per_s"] / own - 1 if own and not point.held_out else 0.0
    # A transfer that starts on an idle link has its first bytes for nothing.
    burst = 0.0 if options.hosts else 2 * beds.BURST_BYTES / point.bandwidth_bytes_per_s
    if not -OWN_RATE <= off <= OWN_RATE + burst * (own or 0.0):
        say(f"{name}: one worker is {off:+.2%} off the rate of its "
            "columns: " + ("is bandwidth_bytes_per_s what the links have?" if options.hosts else
                           "is the machine busy, or too slow for these links?"))
    if result["congestion"] not in ("", "cubic"):
        say(f"{name}: congestion control {result['congestion']}: cubic is not for everybody there")
    if result["clock_uncertainty_s"] and not point.allreduce and (
            result["uplink_shared"] is None or result["downlink_shared"] is None):
        say(f"{name}: the clocks of the hosts are known to "
            f"{result['clock_uncertainty_s'] * 1e6:.0f} us, too rough for who shares a link: "
            "left empty")


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
                note(point, result, options)
            told = "no run" if not result else (
                "held out" if point.held_out else f"{result['batches_per_s']:.4f}")
            print(f"{time.monotonic() - began:7.1f} s  {repetition + 1}  {point.dataset}  "
                  f"{point.point}  {told}", flush=True)
            # After every run, so that what is measured is not lost.
            dataset.write(options.out, points, runs, options, 0)
            dataset.write(options.held_out, points, runs, options, 1)
    return runs


# ---- Options ------------------------------------------------------------------------------

class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise plans.BadPlan(message)


def parse(argv):
    parser = Parser(prog="testbed.py", description=__doc__)
    parser.add_argument("plan", help="a CSV file, one row a point")
    parser.add_argument("--out", metavar="FILE",
                        help="dataset to write, again after each run; one that is there is "
                             "replaced [PLAN-measured.csv, beside the emulator]")
    parser.add_argument("--held-out", metavar="FILE",
                        help="dataset of the held-out points [OUT-held-out.csv]")
    parser.add_argument("--repetitions", type=int, default=2, metavar="N",
                        help=f"runs of each point, 1 to {MOST_REPETITIONS} [2]")
    parser.add_argument("--seed", type=int, default=1, metavar="N",
                        help="of what is random, 0 to 20000 [1]")
    parser.add_argument("--node", default="build/testbed/node", metavar="FILE",
                        help="the emulator, on all hosts [build/testbed/node]")
    parser.add_argument("--hosts", metavar="FILE",
                        help="real hosts, a line each: address and command that runs another "
                             "there [network namespaces on this machine]")
    parser.add_argument("--port", type=int, default=7000, metavar="N",
                        help="the first of 1024 that nodes listen at, 1024 to 60000 [7000]")
    parser.add_argument("--realtime", type=int, default=10, metavar="N",
                        help="priority of the emulator, 0 to 99; 0: none [10]")
    parser.add_argument("--logs", metavar="DIR",
                        help="keep the logs of all nodes there [they are removed]")
    parser.add_argument("--keep", action="store_true",
                        help="keep runs on a busy machine too; the columns tell how busy [they "
                             "are repeated]")
    parser.add_argument("--estimate", action="store_true",
                        help="say how long it takes; no run")
    parser.add_argument("--draw", type=int, metavar="SEED",
                        help="mark half of the points as held out, in the plan; no run")
    options = parser.parse_args(argv)
    for name, least, most in (("repetitions", 1, MOST_REPETITIONS), ("seed", 0, 20000),
                              ("port", 1024, 60000), ("realtime", 0, 99)):
        if not least <= getattr(options, name) <= most:
            parser.error(f"--{name} is from {least} to {most}")
    if options.draw is not None and options.estimate:
        parser.error("--draw and --estimate: one at a time")
    if options.out is None:
        name = os.path.splitext(os.path.basename(options.plan))[0] + "-measured.csv"
        options.out = os.path.join(os.path.dirname(os.path.abspath(options.node)), name)
    if not options.held_out:
        options.held_out = os.path.splitext(options.out)[0] + "-held-out.csv"
    return options


def check_files(points, options):
    """Nothing that is read is written to, and what is measured can be kept."""
    inputs = [options.plan, options.node] + ([options.hosts] if options.hosts else [])
    inputs += [os.path.join(p.folder, path) for p in points for path in (p.layers, p.durations)
               if path]
    files.check(options.out, inputs + [options.held_out])
    files.check(options.held_out, inputs)
    if os.path.realpath(options.out) == os.path.realpath(options.held_out):
        raise files.BadFile(f"{options.out}: is that of the held-out points too")
    if options.logs:
        files.folder(options.logs)


# ---- The whole ----------------------------------------------------------------------------

def stop_by(number, _):
    """Once: what is then cleaned is not stopped again."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise SystemExit(128 + number)


def make_bed(points, options):
    if not os.access(options.node, os.X_OK) or os.path.isdir(options.node):
        raise beds.NoBed(f"{options.node} is not there: make build/testbed/node builds it")
    lack = None if options.hosts else beds.lacks_tools()
    if lack:
        raise beds.NoBed(lack)
    node = os.path.abspath(options.node)
    bed = beds.Hosts(options.hosts, node) if options.hosts else beds.Bed(node, options.realtime)
    for point in points:
        bed.check(point)
    return bed


def count_lost(runs, options):
    """Says what was measured, and what was not; the exit status."""
    points = sum(not r for r in runs)
    lost = sum(options.repetitions - len(r) for r in runs)
    print(f"{options.out}: {len(runs) - points} points measured, {points} lost" +
          (f"; {lost} of {options.repetitions * len(runs)} runs lost" if lost else ""),
          flush=True)
    return 1 if points else 0


def work(argv):
    options = parse(argv)
    if options.draw is not None:
        print(f"{plans.draw(options.plan, options.draw)} points held out")
        return 0
    _, points = plans.read(options.plan)
    estimate = sum(p.estimate_s() for p in points) * options.repetitions
    print(f"{len(points)} points, {options.repetitions} repetitions, about "
          f"{estimate / 60:.1f} minutes" +
          (", and what it takes to start each node" if options.hosts else ""), flush=True)
    if options.estimate:
        return 0
    bed = make_bed(points, options)
    check_files(points, options)
    if options.hosts:
        say("note: nothing is shaped: bandwidth_bytes_per_s is to be what the links have")
    run.clean_folders()
    for number in SIGNALS:
        signal.signal(number, stop_by)
    try:
        bed.open(max(p.servers + p.workers for p in points))
        return count_lost(measure_all(points, bed, options), options)
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        bed.close()


def main(argv):
    try:
        return work(argv)
    except (plans.BadPlan, beds.NoBed, files.BadFile) as problem:
        said = str(problem)
    except (OSError, csv.Error, subprocess.SubprocessError) as problem:
        said = " ".join(str(problem).split())
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    print(f"testbed: {said}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    status = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError: # nobody reads it
        sys.stdout = None
    sys.exit(status)
