#!/usr/bin/env python3
"""Measured and predicted throughput against workers, a figure for each dataset.

usage: plot_validation.py PROGRAM FOLDER [DATASET.csv ...]

Reads what `PROGRAM validate --rows --format csv` prints. Writes validation-DATASET.png and
.svg into FOLDER, a panel for each curve.
"""

import math
import re
import sys

sys.dont_write_bytecode = True
from common import arguments, plt, read, save, style  # noqa: E402

MEASURED, INPUT = "measured", "measured, an input"


def curves(rows):
    """Rows by curve, in order of appearance; curves of inputs alone are left out."""
    found = {}
    for row in rows:
        found.setdefault(row["curve"], []).append(row)
    return {name: members for name, members in found.items()
            if any(row["role"] != "fit" for row in members)
            or len({row["workers"] for row in members}) > 1}


def measured_points(rows):
    """(workers, throughput, is it an input) of each point once."""
    points = {row["point"]: (int(row["workers"]), float(row["measured"]), row["role"] == "fit")
              for row in rows}
    return sorted(points.values())


def draw_curve(axes, name, rows, logarithmic, handles):
    """One panel: lines for models, circles for measurements."""
    points = measured_points(rows)
    for model in dict.fromkeys(row["model"] for row in rows if row["model"]):
        line = sorted((int(row["workers"]), float(row["predicted"]))
                      for row in rows if row["model"] == model)
        colour, dashes, marker = style(model)
        handles[model], = axes.plot(*zip(*line), color=colour, linestyle=dashes, marker=marker,
                                    markersize=3.5, linewidth=1.2)
    for used, fill, label in ((False, "black", MEASURED), (True, "white", INPUT)):
        chosen = [point[:2] for point in points if point[2] == used]
        if chosen:
            handles[label], = axes.plot(*zip(*chosen), "o", color="black", zorder=5,
                                        markersize=4.5, markerfacecolor=fill)
    workers = sorted({point[0] for point in points})
    if logarithmic:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    else:
        axes.set_xlim(workers[0] - 0.06 * workers[-1], 1.06 * workers[-1])
        axes.set_ylim(bottom=0)
    axes.set_xticks(workers)
    axes.set_xticklabels([str(value) for value in workers])
    axes.minorticks_off()
    axes.set_title(name)


def draw_dataset(dataset, rows, folder):
    """The figure of one dataset. Sizes are in inches."""
    panels = curves(rows)
    if not panels:
        return
    count = len(panels)
    columns = 2 if count == 4 else min(count, 3 if count <= 9 else 4 if count <= 16 else 5)
    lines = math.ceil(count / columns)
    workers = [int(row["workers"]) for row in rows]
    logarithmic = max(workers) > 16 * min(workers)

    panel = 4.5 if columns == 1 else 3.5 if columns == 2 else 2.75
    width, labels_per_line = columns * panel, max(2, round(columns * panel * 0.7))
    entries = {row["model"] or MEASURED for row in rows} | {MEASURED}
    entries |= {INPUT for members in panels.values() for row in members if row["role"] == "fit"}
    top = 0.75 + 0.2 * math.ceil(len(entries) / labels_per_line)
    height = lines * 2.2 + top + 0.3
    figure, grid = plt.subplots(lines, columns, squeeze=False, figsize=(width, height))
    figure.subplots_adjust(left=0.75 / width, right=1 - 0.15 / width, bottom=0.55 / height,
                           top=1 - top / height, wspace=0.26, hspace=0.38)
    handles = {}
    for axes, (name, members) in zip(grid.flat, panels.items()):
        draw_curve(axes, name, members, logarithmic, handles)
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    labels = sorted(handles, key=lambda label: label not in (MEASURED, INPUT))
    figure.suptitle(dataset, fontweight="bold", y=1 - 0.1 / height, va="top")
    figure.legend([handles[label] for label in labels], labels, loc="upper center",
                  bbox_to_anchor=(0.5, 1 - 0.3 / height), ncol=labels_per_line,
                  handlelength=3, columnspacing=1.5)
    figure.supxlabel("workers", fontsize=9, y=0.1 / height, va="bottom")
    figure.supylabel("throughput, mini-batches per second", fontsize=9, x=0.1 / width)
    save(figure, folder, "validation-" + re.sub(r"[^A-Za-z0-9_.-]", "_", dataset))


def main():
    program, folder, files = arguments("Measured and predicted throughputs")
    datasets = {}
    for row in read([program, "validate", "--rows"] + files):
        datasets.setdefault(row["dataset"], []).append(row)
    for dataset, rows in datasets.items():
        draw_dataset(dataset, rows, folder)


if __name__ == "__main__":
    main()
