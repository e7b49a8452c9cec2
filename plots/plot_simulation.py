#!/usr/bin/env python3
"""What the simulator shows: throughputs, a timeline of two workers, times of steps.

usage: plot_simulation.py PROGRAM FOLDER

Writes into FOLDER, each as .png, .svg and .pdf:
  simulation-throughput  simulated, predicted by the network model, and measured; errors below
  simulation-timeline    two workers that share their links
  simulation-steps       how long steps take, with 1 to 8 workers
"""

import csv
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
from common import (BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, arguments, label_ends,  # noqa: E402
                    plt, read, save, style)

DATASETS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                        "validation", "datasets")
TESTBED = os.path.join(DATASETS, "tcp_testbed.csv")
TESTBED_LAYERS = os.path.join(DATASETS, "layers", "tcp_testbed_vgg.csv")

PROFILES = 21     # steps whose computation differs,
VARIATION = 0.05  # by this coefficient of variation; alike, workers stay in step for ever


def table(path):
    """The rows of a CSV file with comments, as dictionaries."""
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def goodput():
    """The bandwidth of the testbed's links, as an option takes it."""
    return table(TESTBED)[0]["bandwidth_bytes_per_s"] + "B/s"


def write_trace(program, path, *options):
    """Writes PROFILES steps of the layered testbed, computation spread evenly about its mean."""
    rows = read([program, "trace-from-layers", TESTBED_LAYERS, *options])
    with open(path, "w", encoding="ascii", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        for step in range(PROFILES):
            factor = 1 + 3 ** 0.5 * VARIATION * (2 * step + 1 - PROFILES) / PROFILES
            for row in rows:
                varied = dict(row, step=step)
                if row["resource"] == "worker":
                    varied["duration_s"] = float(row["duration_s"]) * factor
                writer.writerow(varied)


# ---- Throughput ------------------------------------------------------------------------

def draw_throughput(program, folder):
    deviation = {row["point"]: float(row["batches_per_s_sd"] or 0) for row in table(TESTBED)}
    rows = read([program, "validate", "--rows", TESTBED])
    models = [("simulated", "simulated:\nvaries by 5 %"),
              ("simulated-exp", "simulated:\nexponential"), ("switch", "switch")]
    figure, panels = plt.subplots(2, 2, figsize=(9.0, 4.8), sharey="row", sharex="col",
                                  gridspec_kw={"height_ratios": (2, 1)})
    figure.subplots_adjust(left=0.07, right=0.88, top=0.9, bottom=0.1, wspace=0.36, hspace=0.12)
    panels[0, 0].set_ylim(0, 16)
    panels[1, 0].set_ylim(-22, 36)
    for (above, below), curve, title in zip(panels.T, ("base", "lay-vgg"), (
            "whole model, nothing overlaps", "20 layers, overlapping")):
        members = [row for row in rows if row["curve"] == curve]
        points = {row["point"]: (int(row["workers"]), float(row["measured"]))
                  for row in members}
        above.set_xticks(sorted({point[0] for point in points.values()}))
        ends = []
        for model, label in models:
            line = sorted((int(row["workers"]), float(row["predicted"]), 100 * float(row["error"]))
                          for row in members if row["model"] == model)
            colour, dashes, marker = style(model)
            drawn = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 5,
                     "linewidth": 1.3}
            above.plot([p[0] for p in line], [p[1] for p in line], **drawn)
            below.plot([p[0] for p in line], [p[2] for p in line], **drawn)
            ends.append((line[-1][0], line[-1][1], label, colour))
        above.errorbar(*zip(*points.values()), yerr=[deviation[name] for name in points],
                       fmt="o", color="black", markersize=4.5, elinewidth=1, capsize=2.5, zorder=5)
        label_ends(above, ends, gap=2.4)
        below.axhline(0, color="black", linewidth=0.8)
        above.set_title(title, loc="left")
        below.set_xlabel("workers")
    panels[0, 0].set_ylabel("mini-batches per second")
    panels[1, 0].set_ylabel("error, percent")
    figure.text(0.07, 0.965, "dots: measured, with their standard deviation", fontsize=8)
    save(figure, folder, "simulation-throughput")


# ---- Timeline --------------------------------------------------------------------------

KINDS = (("downlink", SKY, "download"), ("worker", ORANGE, "computation"),
         ("uplink", BLUE, "upload"), ("server", GREEN, "update"))
WINDOW = 0.6      # seconds of each panel
DRIFTED = 24      # a step after which two workers have found their rhythm
LABELLED = 0.045  # seconds: longer slices carry their layer
BLOCK = 4.9       # rows of a worker, and a gap
BAR = 0.82        # of a row, for all of a link


def timeline_slices(program):
    """(worker, kind): [(start, end, layer, step)] of two workers of the layered testbed."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.csv")
        timeline = os.path.join(scratch, "timeline.json")
        write_trace(program, path)
        read([program, "simulate", path, "--workers", "2", "--mode", "async", "--bandwidth",
              goodput(), "--steps", "40", "--warmup", "20", "--timeline", timeline])
        with open(timeline, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
    slices = {}
    for event in events:
        if event["ph"] == "X":
            start = event["ts"] / 1e6
            slices.setdefault((event["pid"] - 1, event["cat"]), []).append(
                (start, start + event["dur"] / 1e6, event["name"].split()[0],
                 event["args"]["step"]))
    return {key: sorted(value) for key, value in slices.items()}


def pieces(mine, other):
    """(start, end, share) of a worker's slices, cut where the other one's start or end."""
    ends = sorted({end for piece in mine + other for end in piece[:2]})

    def active(slices, time):
        return any(piece[0] <= time < piece[1] for piece in slices)

    middles = [(a, b, (a + b) / 2) for a, b in zip(ends, ends[1:])]
    return [(a, b, 0.5 if active(other, middle) else 1.0)
            for a, b, middle in middles if active(mine, middle)]


def draw_worker(axes, slices, worker, begin):
    """Four rows: bars as high as the share of the link that is the worker's."""
    def within(key):
        return [piece for piece in slices[key]
                if piece[1] > begin and piece[0] < begin + WINDOW]

    for line, (kind, colour, _) in enumerate(KINDS):
        base = -worker * BLOCK - line
        mine, other = within((worker, kind)), within((1 - worker, kind))
        parts = pieces(mine, other if kind in ("downlink", "uplink") else [])
        for a, b, share in parts:
            axes.fill_between((a, b), base, base + BAR * share, color=colour, linewidth=0)
        for a, b, layer, _ in mine:
            height = BAR * next(share for start, end, share in parts if end > (a + b) / 2)
            if b - a > 0.003:
                axes.vlines((a, b), base, base + height, color="white", linewidth=0.5)
            left, right = max(a, begin), min(b, begin + WINDOW)
            if right - left > LABELLED:
                axes.text((left + right) / 2, base + height / 2, f"layer\n{layer}"
                          if height == BAR else f"layer {layer}", fontsize=7, ha="center",
                          va="center", color="white" if colour == BLUE else "black")
    starts = {}
    for a, _, _, step in slices[worker, "downlink"]:
        starts.setdefault(step, a)
    for step, start in starts.items():
        if -1e-9 <= start - begin < WINDOW - 0.03:
            axes.plot([start] * 2, [-worker * BLOCK - 3, -worker * BLOCK + 1.2],
                      color="#555555", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
            axes.text(start + 0.004, -worker * BLOCK + 1.2, f"step {step}",
                      fontsize=7, va="top")


def draw_timeline(program, folder):
    slices = timeline_slices(program)
    first = {}
    for start, _, _, step in slices[0, "downlink"]:
        first.setdefault(step, start)
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True)
    for axes, step, title in ((panels[0], 0, "the start: both in step, links shared"),
                              (panels[1], DRIFTED, "later: they have drifted apart and take turns")):
        for worker in (0, 1):
            draw_worker(axes, slices, worker, first[step])
        axes.set_title(title, pad=10)
        axes.set_xlim(first[step], first[step] + WINDOW)
        axes.set_ylim(-BLOCK - 3.15, 1.3)
        axes.set_xlabel("simulated time, seconds")
        axes.grid(axis="y", visible=False)
    panels[0].set_yticks([-worker * BLOCK - line + BAR / 2 for worker in (0, 1)
                          for line in range(len(KINDS))])
    panels[0].set_yticklabels([f"worker {worker}: {label}" for worker in (0, 1)
                               for _, _, label in KINDS])
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    figure.suptitle("Two asynchronous workers of the layered testbed, simulated; bars of links "
                    "are as high as the worker's share", fontsize=9)
    figure.tight_layout()
    save(figure, folder, "simulation-timeline")


# ---- Steps -----------------------------------------------------------------------------

WORKERS = ((1, BLUE, "-"), (2, VERMILLION, "--"), (4, GREEN, "-."), (8, PURPLE, ":"))
STEPS = 2000


def step_times(program, path, workers, service):
    """Sorted seconds of the steps of all workers, less the first fifth of each."""
    rows = read([program, "simulate", path, "--workers", str(workers), "--mode", "async",
                 "--bandwidth", goodput(), "--steps", str(STEPS), "--service", service,
                 "--step-ends"])
    ends = {}
    for row in rows:
        ends.setdefault(row["worker"], []).append(float(row["end_s"]))
    return sorted(b - a for times in ends.values()
                  for a, b in zip(times[STEPS // 5:], times[STEPS // 5 + 1:]))


def draw_steps(program, folder):
    figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.5), sharey=True, sharex=True)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "trace.csv")
        for axes, options, service, title in (
                (panels[0], ["--whole"], "traced", "nothing overlaps,\ncomputation varies by 5 %"),
                (panels[1], [], "traced", "layers overlap,\ncomputation varies by 5 %"),
                (panels[2], [], "exponential", "layers overlap,\nall times exponential")):
            write_trace(program, path, *options)
            for workers, colour, dashes in WORKERS:
                times = step_times(program, path, workers, service)
                axes.step(times, [(i + 1) / len(times) for i in range(len(times))],
                          color=colour, linestyle=dashes, linewidth=1.5,
                          label=f"{workers} worker" + ("s" if workers > 1 else ""))
            axes.set_title(title)
            axes.set_xlabel("time of a step, seconds")
    panels[0].set_ylim(0, 1.01)
    panels[0].set_xlim(0, 2.5)
    panels[0].set_ylabel("part of the steps that take no longer")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", ncol=4,
                  handlelength=3)
    figure.tight_layout(rect=(0, 0, 1, 0.92))
    save(figure, folder, "simulation-steps")


def main():
    program, folder, _ = arguments("Simulations")
    draw_throughput(program, folder)
    draw_timeline(program, folder)
    draw_steps(program, folder)


if __name__ == "__main__":
    main()
