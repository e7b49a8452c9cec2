#!/usr/bin/env python3
"""Relative errors of every model on every dataset, in one figure.

usage: plot_errors.py PROGRAM FOLDER [DATASET.csv ...]

Reads what `PROGRAM validate --format csv` prints. Writes errors.png and .svg into FOLDER.
"""

import sys

sys.dont_write_bytecode = True
from common import BLUE, arguments, plt, read, save  # noqa: E402

LINE_HEIGHT = 0.19  # inches
SMALLEST = 0.1      # percent; what is below is drawn there


def percent(text):
    return max(100 * float(text), SMALLEST)


def main():
    program, folder, files = arguments("Errors")
    datasets = {}
    for row in read([program, "validate"] + files):
        datasets.setdefault(row["dataset"], []).append(row)
    lines = sum(len(rows) + 1 for rows in datasets.values())
    height = lines * LINE_HEIGHT + 1.2
    figure, axes = plt.subplots(figsize=(7.5, height))
    ticks, labels, y = [], [], 0
    for number, (dataset, rows) in enumerate(datasets.items()):
        if number % 2 == 0:
            axes.axhspan(y - 0.5, y + len(rows) + 0.5, color="#F3F3F3", zorder=0, linewidth=0)
        axes.text(0.995, y, f"{dataset}, {rows[0]['rows']} rows", fontweight="bold",
                  transform=axes.get_yaxis_transform(), ha="right", va="center")
        for row in rows:
            y += 1
            mean, worst = percent(row["mean_error"]), percent(row["max_error"])
            median = percent(row["median_error"])
            axes.plot([min(median, mean), worst], [y, y], color=BLUE, linewidth=1.0, zorder=2)
            markers = [axes.plot(median, y, "|", color=BLUE, markersize=8, zorder=3)[0],
                       axes.plot(mean, y, "o", color=BLUE, markersize=5, zorder=4)[0],
                       axes.plot(worst, y, ">", color=BLUE, markersize=5,
                                 markerfacecolor="white", zorder=4)[0]]
            ticks.append(y)
            labels.append(row["model"])
        y += 1
    axes.set_yticks(ticks)
    axes.set_yticklabels(labels)
    axes.set_ylim(y - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    ends = [0.5, 1, 2, 5, 10, 20, 50, 100]
    axes.set_xticks(ends)
    axes.set_xticklabels([str(end) for end in ends])
    axes.minorticks_off()
    axes.set_xlabel("relative error of the predicted throughput, percent")
    axes.xaxis.set_label_position("top")
    axes.xaxis.tick_top()
    axes.spines["bottom"].set_visible(False)
    axes.spines["top"].set_visible(True)
    figure.legend(markers, ["median", "mean", "maximum"], loc="upper center", ncol=3)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.25 / height))
    save(figure, folder, "errors")


if __name__ == "__main__":
    main()
