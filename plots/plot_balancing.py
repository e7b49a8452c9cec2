#!/usr/bin/env python3
"""Balanced batches: how they come about, what they are worth, and predicted speeds.

usage: plot_balancing.py PROGRAM FOLDER

Writes into FOLDER, each as .png, .svg and .pdf:
  balancing-batches     batches and times of four workers, one of which changes [Fig. 8]
  balancing-schemes     times under coordination schemes on clusters A and B [Figs. 6a, 9]
  balancing-resources   a worker's speed by what tasks leave of CPU and memory [Fig. 2]
  balancing-speeds      a worker's speed, actual and predicted [Fig. 10]
  balancing-predictors  errors of predictions, and iterations balanced by them [Table 3]

Figures and tables in brackets are those of Chen et al., SoCC 2020; what they print of other
networks is beside ours, hatched. Cluster A and B are run by validation/balancing.sh.
"""

import csv
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
from common import (BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, arguments,  # noqa: E402
                    label_ends, output, plt, read, save)

VALIDATION = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                          "validation")


def table(program, part):
    """The rows of a part of validation/balancing.sh, as dictionaries."""
    text = output(["sh", os.path.join(VALIDATION, "balancing.sh"), part, "csv"],
                  env=dict(os.environ, SGDPERF=program))
    return list(csv.DictReader(text.splitlines()))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


# ---- Batches and times -----------------------------------------------------------------

WORKERS = {"V100": (BLUE, "-"), "M60": (VERMILLION, "--"), "K80": (GREEN, "-."),
           "K520": (PURPLE, (0, (1, 1)))}
ITERATIONS, CHANGE = 300, 150
RULES = (("Alg. 2 as published", ()), ("as advised", ("--rule", "advised")))


def gpu_command(program, iterations, *options):
    return [program, "balance", "gpu", "--curves", os.path.join(VALIDATION, "clusters", "a.csv"),
            "--start", "32", "--iterations", str(iterations), *options]


def optimum(program, *change):
    """Seconds of the shortest iteration after changes."""
    text = output(gpu_command(program, CHANGE, *change) + ["--format", "json"])
    return json.loads(text)["optimum_s"]


def draw_batches(program, folder):
    change = ("--change", f"{CHANGE}:M60:communication_s=0.4")
    best = ((1, CHANGE, optimum(program)), (CHANGE + 1, ITERATIONS, optimum(program, *change)))
    figure, panels = plt.subplots(2, 2, figsize=(9, 5), sharex=True, sharey="row")
    for column, (title, options) in enumerate(RULES):
        rows = read(gpu_command(program, ITERATIONS, *change, *options))
        for name, (colour, dashes) in WORKERS.items():
            mine = [row for row in rows if row["worker"] == name]
            for line, key in enumerate(("batch", "time_s")):
                panels[line, column].plot([int(row["iteration"]) for row in mine],
                                          [float(row[key]) for row in mine], color=colour,
                                          linestyle=dashes, linewidth=1.4, label=name)
        for i, (first, last, seconds) in enumerate(best):
            panels[1, column].plot((first, last), (seconds, seconds), color="black",
                                   linewidth=0.7,
                                   label="shortest possible iteration" if i == 0 else None)
        panels[0, column].set_title(title)
        panels[1, column].set_xlabel("iteration")
        for axes in panels[:, column]:
            axes.axvline(CHANGE + 0.5, color=GREY, linewidth=0.8, linestyle=(0, (3, 3)))
    panels[0, 0].text(CHANGE + 4, 0.98, "M60: 0.3 s more of\ncommunication", fontsize=8, va="top",
                      transform=panels[0, 0].get_xaxis_transform())
    panels[0, 0].set_ylabel("batch, samples")
    panels[0, 0].set_ylim(0, 118)
    panels[1, 0].set_ylabel("time of the batch, seconds")
    panels[1, 0].set_ylim(0.5, 3.3)
    panels[1, 0].set_xlim(0, ITERATIONS)
    figure.legend(*panels[1, 0].get_legend_handles_labels(), loc="upper center", ncol=5,
                  handlelength=3)
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    save(figure, folder, "balancing-batches")


# ---- Schemes ---------------------------------------------------------------------------

SCHEMES = (("bsp", "BSP", GREY), ("ssp", "SSP", SKY),
           ("redundant", "redundant", PURPLE), ("flexrr", "FlexRR", GREEN),
           ("asp", "ASP", ORANGE), ("lbbsp", "LB-BSP, NARX alone", BLUE),
           ("lbbsp+line", "LB-BSP, NARX + line", VERMILLION))
PUBLISHED = {"facecolor": "white", "edgecolor": "#444444", "hatch": "////", "linewidth": 0.8}


def bars(axes, heights, published, dots=()):
    """A bar for each (label, colour, height), with dots of (bar, height); behind a gap, hatched,
    (label, height) that are published of another network."""
    behind = len(heights) + 0.6
    labels = [label for label, _, _ in heights] + [label for label, _ in published]
    places = list(range(len(heights))) + [behind + i for i in range(len(published))]
    for at, (_, colour, height) in enumerate(heights):
        axes.bar(at, height, color=colour, width=0.72)
    for at, (_, height) in zip(places[len(heights):], published):
        axes.bar(at, height, width=0.72, **PUBLISHED)
    for at, height in zip(places, [h for _, _, h in heights] + [h for _, h in published]):
        top = max([height] + [y for x, y in dots if x == at])
        axes.text(at, top + 0.015, f"{height:.2f}", ha="center", fontsize=8)
    if dots:
        axes.plot(*zip(*dots), ".", color="black", markersize=3, zorder=3)
    axes.axvline(behind - 0.8, color=GREY, linewidth=0.8, linestyle=(0, (3, 3)))
    axes.set_xticks(places)
    axes.set_xticklabels(labels, rotation=40, ha="right", rotation_mode="anchor")
    axes.grid(axis="x", visible=False)


def draw_cluster_a(axes, rows, workers, paper):
    own = {row["scheme"]: row for row in rows if row["workers"] == workers}
    base = float(own["bsp"]["per_update_s"])
    heights = [(label, colour, float(own[key]["per_update_s"]) / base) for key, label, colour in (
        ("bsp", "BSP", GREY), ("ssp", "SSP", SKY), ("asp", "ASP", ORANGE),
        ("lbbsp-waited-for", "LB-BSP", BLUE), ("lbbsp-advised", "LB-BSP, advised", BLUE))]
    bars(axes, heights, [("LB-BSP, ResNet-32", paper)])
    axes.set_title(f"cluster A, {workers} workers, Inception-V3:\nBSP is {base:.4f} s an update",
                   loc="left")


def draw_cluster_b(axes, rows, way, title):
    own = [row for row in rows if (row["tasks"], row["row"], row["migrate"]) == way]
    base = {row["seed"]: float(row["iteration_s"]) for row in own if row["scheme"] == "bsp"}
    heights, dots = [], []
    for at, (key, label, colour) in enumerate(SCHEMES):
        some = [float(row["iteration_s"]) / base[row["seed"]] for row in own
                if row["scheme"] == key]
        heights.append((label, colour, mean(some)))
        if key != "bsp":
            dots += [(at, height) for height in some]
    bars(axes, heights, [("LB-BSP, SVM", 0.38), ("LB-BSP, ResNet-32", 0.42)], dots)
    axes.set_title(f"cluster B, {title}:\nBSP is {mean(base.values()):.1f} s an iteration",
                   loc="left")


def draw_schemes(program, folder):
    a, b = table(program, "fig6a"), table(program, "fig9")
    figure, panels = plt.subplots(2, 2, figsize=(8.6, 7.4), sharey=True)
    draw_cluster_a(panels[0, 0], a, "16", 1 - 0.37)
    draw_cluster_a(panels[0, 1], a, "12", 1 - 0.28)
    draw_cluster_b(panels[1, 0], b, ("stay", "iteration", "100ms"), "tasks stay")
    draw_cluster_b(panels[1, 1], b, ("change", "iteration", "100ms"), "tasks change")
    panels[0, 0].set_ylim(0, 1.12)
    for axes in panels[:, 0]:
        axes.set_ylabel("time, BSP = 1")
    figure.text(0.01, 0.01, "hatched: published, of other networks; dots: seeds; "
                "moving samples takes FlexRR 100 ms", fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    save(figure, folder, "balancing-schemes")


# ---- Speeds ----------------------------------------------------------------------------

SEED, WINDOW = "1", (1200, 1300)


def series(program, rows, *options):
    """The text of a seeded series, and its rows."""
    text = output([program, "balance", "series", "--seed", SEED, "--iterations", str(rows),
                   "--format", "csv", *options])
    return text, list(csv.DictReader(text.splitlines()))


def draw_left(axes, rows, key, formula, others):
    """Speeds over those of a machine of which only this resource is in use, by what is left
    of it; and the formula without noise."""
    axes.plot([float(row[key]) for row in rows],
              [float(row["speed"]) / 110 / others(row) for row in rows], ".", color=SKY,
              markersize=2, label="an iteration, with noise")
    left = [i / 100 for i in range(8, 101)]
    axes.plot(left, [formula(x) for x in left], color="black", linewidth=1.6,
              label="formula, without noise")
    axes.set_xlim(0, 1.22)
    axes.set_ylim(0, 1.5)


def cpu_speed(cpu):
    return cpu ** 0.9


def memory_speed(memory):
    return min(1, memory / 0.45) ** 0.5


def draw_resources(program, folder):
    rows = [row for row in series(program, 6000)[1] if float(row["cpu"]) >= 0.15]
    figure, (cpu, memory) = plt.subplots(1, 2, figsize=(8, 3.8), sharey=True)
    draw_left(cpu, rows, "cpu", cpu_speed, lambda row: memory_speed(float(row["memory"])))
    draw_left(memory, rows, "memory", memory_speed, lambda row: cpu_speed(float(row["cpu"])))
    cpu.set_title("effect of memory divided out", loc="left")
    memory.set_title("effect of the CPU divided out", loc="left")
    cpu.set_xlabel("CPU left, part of the machine")
    memory.set_xlabel("memory left, part of the machine")
    cpu.set_ylabel("speed, idle machine = 1")
    cpu.legend(loc="upper left", markerscale=4)
    figure.tight_layout()
    save(figure, folder, "balancing-resources")


# What is drawn: label, options, colour, line style.
FORESEEN = (("EMA", ("ema",), ORANGE, "--"),
            ("NARX alone", ("narx", "--no-line"), BLUE, "-"),
            ("NARX + line", ("narx",), VERMILLION, (0, (4, 1, 1, 1))))


def draw_window(axes, program, title, *options):
    first, last = WINDOW
    ends = []
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "series.csv")
        text, _ = series(program, 2000, *options)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        for label, predictor, colour, dashes in FORESEEN:
            rows = read([program, "balance", "predict", path, "--predictor", *predictor])
            rows = [row for row in rows if first <= int(row["row"]) <= last]
            numbers = [int(row["row"]) for row in rows]
            if not ends:
                axes.plot(numbers, [float(row["speed"]) for row in rows], color="black",
                          marker=".", markersize=4, linewidth=0.6, zorder=3)
                ends.append((last, float(rows[-1]["speed"]), "speed", "black"))
            axes.plot(numbers, [float(row["predicted"]) for row in rows], color=colour,
                      linestyle=dashes, linewidth=1.5)
            ends.append((last, float(rows[-1]["predicted"]), label, colour))
    axes.set_xlim(first, last)
    axes.set_ylabel("speed, samples per second")
    axes.set_title(title, loc="left")
    return ends


def draw_speeds(program, folder):
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(9, 6), sharex=True)
    figure.subplots_adjust(left=0.07, right=0.87, top=0.95, bottom=0.08, hspace=0.18)
    ends = [draw_window(top, program, "tasks change: one stays 65 iterations in the mean"),
            draw_window(bottom, program, "tasks stay for good", "--task-length", "1000000")]
    bottom.set_xlabel("iteration")
    label_ends(top, ends[0])
    label_ends(bottom, ends[1])
    save(figure, folder, "balancing-speeds")


# ---- Predictors ------------------------------------------------------------------------

# predictor: label, colour, published error and time
PREDICTORS = {
    "memoryless": ("memoryless", GREY, 11.85, 0.58),
    "ema": ("EMA", ORANGE, 7.85, 0.48),
    "arima": ("ARIMA", SKY, 9.67, 0.52),
    "rnn": ("RNN alone", GREEN, 8.34, 0.49),
    "lstm": ("LSTM alone", PURPLE, 9.19, 0.51),
    "narx": ("NARX alone", BLUE, 4.78, 0.42),
    "narx+line": ("NARX + line", VERMILLION, None, None),
}


def draw_published(axes, at):
    for i, of in enumerate(PREDICTORS.values()):
        if of[at]:
            axes.barh(i, of[at], height=0.7, **PUBLISHED)


def draw_ours(axes, rows, tasks, value):
    for at, (name, (_, colour, _, _)) in enumerate(PREDICTORS.items()):
        some = [value(row) for row in rows if (row["tasks"], row["predictor"]) == (tasks, name)]
        axes.barh(at, mean(some), color=colour, height=0.7)
        axes.plot(some, [at] * len(some), ".", color="black", markersize=3, zorder=3)


def draw_predictors(program, folder):
    rows = table(program, "table3")
    figure, panels = plt.subplots(2, 3, figsize=(9, 5.6), sharex="row", sharey=True)
    for line, value in zip(panels, (lambda row: float(row["rmse"]),
                                    lambda row: 1 - float(row["reduction"]))):
        draw_ours(line[0], rows, "change", value)
        draw_ours(line[1], rows, "stay", value)
    for line, at, text in zip(panels, (2, 3), ("error (RMSE), samples/s",
                                               "iteration, BSP = 1")):
        draw_published(line[2], at)
        for axes in line:
            axes.set_xlabel(text)
            axes.grid(axis="y", visible=False)
    for axes, title in zip(panels[0], ("ours, tasks change; dots: seeds", "ours, tasks stay",
                                       "published, ResNet-32")):
        axes.set_title(title, loc="left")
    panels[0, 0].set_yticks(range(len(PREDICTORS)))
    panels[0, 0].set_yticklabels([of[0] for of in PREDICTORS.values()])
    panels[0, 0].invert_yaxis()
    figure.tight_layout()
    save(figure, folder, "balancing-predictors")


def main():
    program, folder, _ = arguments("Batch balancing")
    draw_batches(program, folder)
    draw_schemes(program, folder)
    draw_resources(program, folder)
    draw_speeds(program, folder)
    draw_predictors(program, folder)


if __name__ == "__main__":
    main()
