#!/usr/bin/env python3
"""Measured and predicted throughput: errors of all models, and the curves of each dataset.

usage: plot_validation.py PROGRAM FOLDER [DATASET.csv ...]

Reads what `PROGRAM validate --rows --format json` prints, once. Writes into FOLDER, each as .png,
.svg and .pdf:
  errors-MODE           mean errors, a line for each dataset and a column for each model; beside
                        them the error of each row by the model that predict takes by itself
  validation-DATASET    a panel for each curve, and below it the errors; three models at most:
                        the one of predict, and of the others those of the least mean error.
                        Models that predict the same are one line. Curves of one point are
                        lines of a panel of errors
"""

import json
import math
import multiprocessing
import re
import sys

sys.dont_write_bytecode = True
from common import (BLUE, GREEN, GREY, VERMILLION, arguments, label_ends, output, plt,  # noqa: E402
                    save)

MODES = ("async", "sync", "allreduce")
MOST = 24         # panels of a figure; the curves of a dataset may need several


# ---- Errors ----------------------------------------------------------------------------

def draw_matrix(axes, results, sets, models, usual):
    """Mean errors as numbers on colours, from light to dark; the least of a line framed."""
    for y, name in enumerate(sets):
        means = {r["model"]: 100 * r["mean_error"] for r in results if r["dataset"] == name}
        best = min(means.values())
        for x, model in enumerate(models):
            if model not in means:
                continue
            shade = 0.9 * min(1.0, math.log1p(means[model]) / math.log(60))
            axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, linewidth=0,
                                         facecolor=plt.cm.Blues(shade)))
            axes.text(x, y, f"{means[model]:.3g}", ha="center", va="center", fontsize=7.5,
                      color="white" if shade > 0.55 else "black",
                      fontweight="bold" if model == usual else "normal")
            if means[model] <= 1.0001 * best:
                axes.add_patch(plt.Rectangle((x - 0.46, y - 0.42), 0.92, 0.84, fill=False,
                                             edgecolor="black", linewidth=1.1))
    axes.set_xlim(-0.5, len(models) - 0.5)
    axes.set_ylim(len(sets) - 0.5, -0.5)
    axes.set_xticks(range(len(models)))
    axes.set_xticklabels(models, rotation=40, ha="left", rotation_mode="anchor")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(sets)))
    axes.set_yticklabels(sets)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw_strips(axes, results, rows, sets, usual):
    """The error of each row, and its mean, the bias; arrows in place of what is outside."""
    most = 40
    for y, name in enumerate(sets):
        of_set = [r for r in results if r["dataset"] == name]
        model = usual if any(r["model"] == usual for r in of_set) else \
            min(of_set, key=lambda r: r["mean_error"])["model"]
        colour = BLUE if model == usual else GREY
        own = [100 * r["error"] for r in rows if r["dataset"] == name and r["model"] == model
               and r["role"] != "fit"]
        inside = [e for e in own if abs(e) <= most]
        axes.plot(inside, [y] * len(inside), "o", color=colour, markersize=4, alpha=0.55,
                  markeredgewidth=0)
        for marker, side in (("<", -1), (">", 1)):
            beyond = sum(1 for e in own if side * e > most)
            if beyond:
                axes.plot(side * most * 1.04, y, marker, color=colour, markersize=6, clip_on=False)
                axes.annotate(str(beyond), (side * most * 1.04, y), xytext=(side * 9, 0),
                              textcoords="offset points", ha="center", va="center", fontsize=7.5,
                              annotation_clip=False)
        bias = 100 * next(r["bias"] for r in of_set if r["model"] == model)
        if abs(bias) <= most:
            axes.plot([bias, bias], [y - 0.36, y + 0.36], color="black", linewidth=1.6)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlim(-most, most)
    axes.set_xlabel("error of each row, percent; bar: bias\narrows: so many rows lie beyond")
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)


def draw_errors(mode, data, folder):
    """The figure of the datasets of a mode. Sizes are in inches."""
    modes = {row["dataset"]: row["mode"] for row in data["rows"]}
    results = [r for r in data["results"] if modes[r["dataset"]] == mode]
    if not results:
        return
    sets = list(dict.fromkeys(r["dataset"] for r in results))
    models = list(dict.fromkeys(r["model"] for r in results))
    usual = next((r["model"] for r in results if r["default"]), models[0])
    left, matrix, strips = 1.5, 0.52 * len(models), 3.0
    width, height = left + matrix + 0.3 + strips + 0.45, 0.24 * len(sets) + 2.45
    figure, (cells, marks) = plt.subplots(
        1, 2, sharey=True, figsize=(width, height),
        gridspec_kw={"width_ratios": (matrix, strips), "wspace": 0.3 / (matrix + strips) * 2})
    figure.subplots_adjust(left=left / width, right=1 - 0.45 / width, top=1 - 1.6 / height,
                           bottom=0.7 / height)
    draw_matrix(cells, results, sets, models, usual)
    draw_strips(marks, results, data["rows"], sets, usual)
    figure.text(0.1 / width, 1 - 0.12 / height, f"{mode}: mean errors, percent", va="top",
                fontweight="bold", fontsize=10)
    figure.text(0.1 / width, 1 - 0.34 / height, f"framed: the least of a line; bold, and the "
                f"marks: {usual}, which predict takes (grey: the best, where it has none)",
                va="top", fontsize=8)
    save(figure, folder, f"errors-{mode}")


# ---- Curves ----------------------------------------------------------------------------

LINES = ((BLUE, "-", "o"), (VERMILLION, (0, (6, 2)), "s"), (GREEN, (0, (2, 2)), "^"))


def curves(rows):
    """Rows by curve, in order of appearance; curves without a prediction are left out."""
    found = {}
    for row in rows:
        found.setdefault(row["curve"], []).append(row)
    return {name: members for name, members in found.items()
            if any(row["role"] != "fit" for row in members)}


def lines_of(rows, order):
    """[(label, [(workers, predicted, error or none)])] of up to three groups of models."""
    groups = []
    for model in order:
        own = sorted((row["workers"], row["point"], row["predicted"],
                      100 * row["error"] if row["role"] != "fit" else None)
                     for row in rows if row["model"] == model)
        line = [(w, x, e) for w, _, x, e in own]
        alike = [g for g in groups if len(g[1]) == len(line) and
                 all(abs(a[1] - b[1]) <= 1e-4 * b[1] for a, b in zip(g[1], line))]
        if alike:
            alike[0][0].append(model)
        elif line:
            groups.append(([model], line))
    return [(names[0] + (f" +{len(names) - 1}" if len(names) > 1 else ""), line)
            for names, line in groups[:len(LINES)]]


def draw_curve(above, below, name, rows, order):
    """Measured and predicted, and errors below."""
    points = sorted({(row["point"], row["workers"], row["measured"], row["role"] == "fit")
                     for row in rows}, key=lambda point: point[1])
    ends = []
    for (label, line), (colour, dashes, marker) in zip(lines_of(rows, order), LINES):
        style = {"color": colour, "linestyle": dashes, "marker": marker, "markersize": 4,
                 "linewidth": 1.3}
        above.plot([p[0] for p in line], [p[1] for p in line], **style)
        scored = [(w, e) for w, _, e in line if e is not None]
        below.plot([p[0] for p in scored], [p[1] for p in scored], **style)
        ends.append((line[-1][0], line[-1][1], label, colour))
    for is_input in (False, True):
        chosen = [(w, x) for _, w, x, fit in points if fit == is_input]
        if chosen:
            above.plot(*zip(*chosen), "o", color="black", zorder=5, markersize=4.5,
                       markerfacecolor="white" if is_input else "black")
    workers = sorted({point[1] for point in points})
    few = workers[-1] - workers[0] < 3
    above.set_xlim((workers[0] - 1.5, workers[-1] + 1.5) if few else
                   (workers[0] - 0.06 * workers[-1], 1.06 * workers[-1]))
    above.set_xticks([w for i, w in enumerate(workers)
                      if i + 1 == len(workers) or w > 0.08 * workers[-1]])
    above.set_ylim(0, 1.08 * max([x for _, _, x, _ in points] + [e[1] for e in ends] + [
        p[1] for line in above.lines for p in line.get_xydata()]))
    below.axhline(0, color="black", linewidth=0.8)
    below.margins(y=0.15)                     # marks are whole
    low, high = below.get_ylim()
    below.set_ylim(min(low, -2), max(high, 2))
    below.locator_params(axis="y", nbins=4)
    above.set_title(name, loc="left", y=1.0)  # where it is told, it is not looked for
    label_ends(above, ends)


def is_single(rows):
    return len({row["point"] for row in rows}) == 1


def draw_singles(axes, panels, order):
    """A line for each point that has no others to be joined with, and a mark for each model."""
    told = []
    for model in order:
        marks = [(100 * row["error"], y) for y, (_, rows) in enumerate(panels) for row in rows
                 if row["model"] == model]
        alike = [t for t in told if len(t[1]) == len(marks) and
                 all(a[1] == b[1] and abs(a[0] - b[0]) < 0.01 for a, b in zip(t[1], marks))]
        if alike:
            alike[0][0].append(model)
        elif marks:
            told.append(([model], marks))
    for (names, marks), (colour, _, marker) in zip(told, LINES):
        axes.plot(*zip(*marks), marker, color=colour, markersize=5, clip_on=False,
                  label=names[0] + (f" +{len(names) - 1}" if len(names) > 1 else ""))
    axes.axvline(0, color="black", linewidth=0.8)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -5), max(high, 5))
    axes.set_ylim(len(panels) - 0.5, -0.5)
    axes.set_yticks(range(len(panels)))
    axes.set_yticklabels([f"{name}, {rows[0]['workers']} workers: {rows[0]['measured']:.3g}/s"
                          for name, rows in panels])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("error, %")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0, frameon=False)


def widest_label(axes):
    """Inches that the longest label beside an axis takes."""
    renderer = axes.figure.canvas.get_renderer()
    return max(label.get_window_extent(renderer).width
               for label in axes.get_yticklabels()) / axes.figure.dpi


def draw_figure(title, panels, singles, order, folder, name):
    """Panels of curves, and below them one of single points. Sizes are in inches."""
    count = len(panels)
    columns = max(1, min(count, 4 if count > 9 else 3 if count != 4 else 2))
    lines = math.ceil(count / columns)
    panel, tall, top, line = 3.3, 2.75, 0.75, 0.24
    beneath = line * len(singles) + 0.55 if singles else 0
    width = max(columns * panel + 0.4, 7.5 if singles else 0)
    height = lines * tall + top + 0.25 + beneath
    figure = plt.figure(figsize=(width, height))
    if singles:
        axes = figure.add_axes((0, 0.55 / height, 1, line * len(singles) / height))
        draw_singles(axes, singles, order)
        left = max(2.6, widest_label(axes) + 0.2)           # its names are whole
        width = max(width, left + 4.9)
        figure.set_size_inches(width, height)
        axes.set_position((left / width, 0.55 / height, 2.9 / width, line * len(singles) / height))
    for at, (curve, rows) in enumerate(panels):
        x, y = 0.75 + panel * (at % columns), height - top - tall * (at // columns + 1) + 0.5
        below = figure.add_axes((x / width, y / height, 1.65 / width, 0.65 / height))
        above = figure.add_axes((x / width, (y + 0.78) / height, 1.65 / width, 1.3 / height),
                                sharex=below)
        above.tick_params(labelbottom=False)
        draw_curve(above, below, curve, rows, order)
        if at % columns == 0:
            above.set_ylabel("mini-batches/s")
            below.set_ylabel("error, %")
            above.yaxis.set_label_coords(-0.33, 0.5)
            below.yaxis.set_label_coords(-0.33, 0.5)
        if at + columns >= count:
            below.set_xlabel("workers")
    figure.text(0.12 / width, 1 - 0.12 / height, title, fontweight="bold", fontsize=10, va="top")
    figure.text(0.12 / width, 1 - 0.33 / height, "black: measured (hollow: an input, not scored)"
                if panels else "as measured, and the error of each model", fontsize=8, va="top")
    save(figure, folder, name)


def draw_dataset(task):
    dataset, rows, results, folder = task
    usual = [r["model"] for r in results if r["default"]]
    others = sorted((r for r in results if not r["default"]), key=lambda r: r["mean_error"])
    found = list(curves(rows).items())
    panels = [(curve, own) for curve, own in found if not is_single(own)]
    singles = [(curve, own) for curve, own in found if is_single(own)]
    name = "validation-" + re.sub(r"[^A-Za-z0-9_.-]", "_", dataset)
    parts = max(1, math.ceil(len(panels) / MOST)) if found else 0
    size = math.ceil(len(panels) / parts) if parts else 1
    for part in range(parts):
        title = dataset + (f", {part + 1} of {parts}" if parts > 1 else "")
        draw_figure(title, panels[part * size:(part + 1) * size],
                    singles if part + 1 == parts else [],
                    usual + [r["model"] for r in others], folder,
                    name + (f"-{part + 1}" if parts > 1 else ""))


def main():
    program, folder, files = arguments("Measured and predicted throughputs")
    data = json.loads(output([program, "validate", "--rows", "--format", "json"] + files))
    for mode in MODES:
        draw_errors(mode, data, folder)
    datasets = {}
    for row in data["rows"]:
        datasets.setdefault(row["dataset"], []).append(row)
    tasks = [(name, rows, [r for r in data["results"] if r["dataset"] == name], folder)
             for name, rows in datasets.items()]
    tasks.sort(key=lambda task: -len(task[1]))  # the longest first
    with multiprocessing.Pool() as pool:
        for _ in pool.imap_unordered(draw_dataset, tasks):
            pass


if __name__ == "__main__":
    main()
