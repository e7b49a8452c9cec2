#!/usr/bin/env python3
"""Balanced batches: how they come about, what they are worth, and predicted speeds.

usage: plot_balancing.py PROGRAM FOLDER

Writes into FOLDER, each as .png, .svg and .pdf:
  balancing-batches     batches and times of four workers, one of which changes [Fig. 8]
  balancing-schemes     times under coordination schemes on clusters A and B [Figs. 6a, 9]
  balancing-predictors  a worker's speed, actual and predicted, and errors [Fig. 10, Table 3]

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
           ("asp", "ASP", ORANGE), ("lbbsp", "LB-BSP", BLUE))
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
    own = [row for row in rows if (row["row"], row["migrate"]) == way]
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
    figure, panels = plt.subplots(2, 2, figsize=(8.6, 7), sharey=True)
    draw_cluster_a(panels[0, 0], a, "16", 1 - 0.37)
    draw_cluster_a(panels[0, 1], a, "12", 1 - 0.28)
    draw_cluster_b(panels[1, 0], b, ("iteration", "100ms"), "a speed lasts an iteration")
    draw_cluster_b(panels[1, 1], b, ("20s", "20ms"), "a speed lasts 20 s")
    panels[0, 0].set_ylim(0, 1.12)
    for axes in panels[:, 0]:
        axes.set_ylabel("time, BSP = 1")
    figure.text(0.01, 0.01, "hatched: published, of other networks; dots: seeds", fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
    save(figure, folder, "balancing-schemes")


# ---- Predictors ------------------------------------------------------------------------

# predictor: label, colour, line style, published error
PREDICTORS = {
    "memoryless": ("memoryless", GREY, ":", 11.85),
    "ema": ("EMA", ORANGE, "--", 7.85),
    "arima": ("ARIMA", SKY, "-.", 9.67),
    "rnn": ("RNN", GREEN, "-", 8.34),
    "lstm": ("LSTM", PURPLE, "-", 9.19),
    "narx": ("NARX", BLUE, "-", 4.78),
    "arx": ("ARX", VERMILLION, (0, (4, 1, 1, 1)), None),
}
WINDOW = (1200, 1300)
DRAWN = ("ema", "narx")  # arx is hard to tell from narx


def draw_window(axes, program, path):
    first, last = WINDOW
    ends = []
    for at, name in enumerate(DRAWN):
        rows = read([program, "balance", "predict", path, "--predictor", name])
        rows = [row for row in rows if first <= int(row["row"]) <= last]
        numbers = [int(row["row"]) for row in rows]
        if at == 0:
            axes.plot(numbers, [float(row["speed"]) for row in rows], color="black", marker=".",
                      markersize=4, linewidth=0.6, zorder=3)
            ends.append((last, float(rows[-1]["speed"]), "speed", "black"))
        label, colour, dashes, _ = PREDICTORS[name]
        axes.plot(numbers, [float(row["predicted"]) for row in rows], color=colour,
                  linestyle=dashes, linewidth=1.5)
        ends.append((last, float(rows[-1]["predicted"]), label, colour))
    axes.set_xlim(first, last)
    axes.set_xlabel("iteration")
    axes.set_ylabel("speed, samples per second")
    axes.set_title("a worker's speed, from a seeded series, and two predictions of it", loc="left")
    return ends


def draw_ours(axes, program):
    rows = table(program, "table3")
    for at, (name, (_, colour, _, _)) in enumerate(PREDICTORS.items()):
        alone = [float(row["rmse"]) for row in rows if row["predictor"] == name]
        some = [float(row["rmse"]) for row in rows if row["predictor"] == name + "+line"] or alone
        if some is not alone:
            axes.plot(mean(alone), at, "x", color="black", markersize=6, zorder=3)
        axes.barh(at, mean(some), color=colour, height=0.7)
        axes.plot(some, [at] * len(some), ".", color="black", markersize=3, zorder=3)
    axes.set_title("ours; x: network alone, dots: seeds", loc="left")
    axes.set_xlim(0, 15)


def draw_published(axes):
    for at, (_, _, _, paper) in enumerate(PREDICTORS.values()):
        if paper:
            axes.barh(at, paper, height=0.7, **PUBLISHED)
    axes.set_title("published, ResNet-32", loc="left")
    axes.set_yticks(range(len(PREDICTORS)))
    axes.set_yticklabels([label for label, _, _, _ in PREDICTORS.values()])
    axes.invert_yaxis()


def draw_predictors(program, folder):
    figure = plt.figure(figsize=(9, 6.4))
    window = figure.add_axes((0.07, 0.56, 0.8, 0.4))
    ours = figure.add_axes((0.13, 0.08, 0.4, 0.36))
    published = figure.add_axes((0.57, 0.08, 0.4, 0.36), sharex=ours, sharey=ours)
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "series.csv")
        with open(path, "w", encoding="ascii") as file:
            file.write(output([program, "balance", "series", "--seed", "1", "--iterations",
                               "2000", "--format", "csv"]))
        label_ends(window, draw_window(window, program, path))
    draw_ours(ours, program)
    draw_published(published)
    published.tick_params(labelleft=False)
    for axes in (ours, published):
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("error (RMSE), samples per second")
    save(figure, folder, "balancing-predictors")


def main():
    program, folder, _ = arguments("Batch balancing")
    draw_batches(program, folder)
    draw_schemes(program, folder)
    draw_predictors(program, folder)


if __name__ == "__main__":
    main()
