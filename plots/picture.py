#!/usr/bin/env python3
"""The picture that sgdperf plot describes, drawn by matplotlib.

usage: picture.py svg|png|pdf < PICTURE.json > PICTURE

The program starts it, and has checked what it describes. Exit status 3: no matplotlib.
"""

import json
import math
import os
import sys

sys.dont_write_bytecode = True
try:
    import matplotlib
except ImportError:
    sys.exit(3)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))   # python3 -I leaves it out
from common import BLUE, LINES, plt, written  # noqa: E402

CHARACTER = 5.0   # points, of the printer's kind, that a character of a legend takes at most


def plain(text):
    """Text that is not taken for mathematics, of characters that XML knows."""
    return text.replace("$", r"\$").translate({0xFFFE: "\ufffd", 0xFFFF: "\ufffd"})


def pale(colour):
    """Of bands and of what waits: four parts of five white."""
    return [0.2 * part + 0.8 for part in matplotlib.colors.to_rgb(colour)]


def place_legend(axes, handles, labels, title):
    """The legend above the axes, in as many columns as fit, and the title above it."""
    lines = 0
    if handles:
        width = axes.get_window_extent().width * 72 / axes.figure.dpi
        longest = 40 + CHARACTER * max(len(label) for label in labels)
        columns = max(1, min(len(labels), int(width / longest)))
        lines = math.ceil(len(labels) / columns)
        # matplotlib fills columns: so that rows read in order, each has every columns-th name.
        order = [i for column in range(columns) for i in range(column, len(labels), columns)]
        handles, labels = [handles[i] for i in order], [labels[i] for i in order]
        # One that begins with _ would be left out: the names are set afterwards.
        legend = axes.legend(handles, ["name"] * len(labels), loc="lower left", ncol=columns,
                             bbox_to_anchor=(0, 1.01), borderaxespad=0, handlelength=2.8,
                             borderpad=0.2)
        for text, label in zip(legend.get_texts(), labels):
            text.set_text(plain(label))
    if title:
        axes.set_title(plain(title), loc="left", pad=8 + 14 * lines, fontsize=11)


# ---- Curves ----------------------------------------------------------------------------

def draw_curves(axes, curves):
    """Lines with their bands: handles and labels, and a band's handle or none."""
    handles, labels, band = [], [], None
    for curve, (colour, dashes, marker) in zip(curves, LINES):
        x, y, low, high = (curve[key] for key in ("x", "y", "low", "high"))
        if curve["band"]:
            if len(x) > 1:
                axes.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
            else:
                draw_bars(axes, x, low, high, colour)
            band = band or matplotlib.patches.Patch(color=pale(colour), linewidth=0)
        line, = axes.plot(x, y, color=colour, linestyle="" if curve["apart"] else dashes,
                          linewidth=1.6, markersize=4, marker=marker, markevery=curve["marked"])
        handles.append(line)
        labels.append(curve["name"])
    return handles, labels, band


def draw_bars(axes, x, low, high, colour):
    """Intervals with their ends, also such that do not contain the value."""
    axes.vlines(x, low, high, color=colour, linewidth=1, zorder=4)
    axes.plot(x + x, low + high, "_", color=colour, markersize=7, markeredgewidth=1, zorder=4)


def draw_points(axes, points):
    """Measured points with their intervals: handles by whether they are inputs."""
    bars = [point for point in points if "low" in point]
    if bars:
        draw_bars(axes, *([point[key] for point in bars] for key in ("x", "low", "high")), "black")
    handles = {}
    for is_input in (False, True):
        chosen = [(point["x"], point["y"]) for point in points if point["input"] == is_input]
        if chosen:
            handles[is_input], = axes.plot(*zip(*chosen), "o", color="black", zorder=5,
                                           markersize=5,
                                           markerfacecolor="white" if is_input else "black")
    return handles


def draw_all_curves(picture):
    figure, axes = plt.subplots(figsize=(picture["width"] / 97, picture["height"] / 100))
    handles, labels, band = draw_curves(axes, picture["curves"])
    if band:
        handles.append(band)
        labels.append(picture["band_text"])
    for is_input, handle in draw_points(axes, picture["points"]).items():
        handles.append(handle)
        labels.append(picture["inputs_text" if is_input else "points_text"])
    for name in "xy":
        if picture[f"{name}_logarithmic"]:
            axes.set(**{f"{name}scale": "log"})
            axes.minorticks_off()
    axes.set_xlim(*picture["x_range"])
    axes.set_ylim(*picture["y_range"])
    place_legend(axes, handles, labels, picture["title"])
    return figure, axes


# ---- Parts of a step -------------------------------------------------------------------

def draw_step(picture):
    figure, axes = plt.subplots(figsize=(6.6, 4.2))
    count = len(picture["bars"])
    places = range(count)
    below, handles, labels = [0.0] * count, [], []
    for part in picture["parts"]:
        fill = pale(part["colour"]) if part["pale"] else part["colour"]
        handles.append(axes.bar(places, part["height"], bottom=below, width=0.8, color=fill,
                                edgecolor=part["colour"], linewidth=0.5))
        labels.append(part["name"])
        below = [a + b for a, b in zip(below, part["height"])]
    every = picture["named_every"]
    axes.set_xticks(list(places)[::every])
    axes.set_xticklabels([plain(bar) for bar in picture["bars"][::every]])
    axes.set_xlim(min(-0.6, count / 2 - 2.5), max(count - 0.4, count / 2 + 1.5))
    axes.set_ylim(0, picture["y_ticks"][-1])
    axes.grid(axis="x", visible=False)
    axes.legend(handles[::-1], labels[::-1], loc="upper left", bbox_to_anchor=(1.01, 1),
                borderaxespad=0)                                   # in the order of the stack
    place_legend(axes, [], [], picture["title"])
    return figure, axes


# ---- Bars in rows ----------------------------------------------------------------------

def draw_rows(picture):
    rows = picture["rows"]
    figure, axes = plt.subplots(figsize=(picture["width"] / 97, picture["height"] / 100))
    left, handles, labels = [0.0] * len(rows), [], []
    places = [i + sum("above" in row for row in rows[:i + 1]) for i, row in enumerate(rows)]
    for part in range(2):
        widths = [row["parts"][part] for row in rows]
        colours = [row.get("colour", BLUE) for row in rows]
        handles.append(axes.barh(places, widths, left=left, height=0.75, edgecolor=colours,
                                 color=[pale(colour) if part == picture["pale"] else colour
                                        for colour in colours],
                                 linewidth=0.5))
        left = [a + b for a, b in zip(left, widths)]
    labels += picture["part_names"]
    handles = handles[:len(labels)]
    for i, row, end in zip(places, rows, left):
        if "above" in row:
            axes.text(0.01 * picture["x_high"], i - 1, row["above"], va="center")
        if "half" in row:
            ends = [max(0.0, end - row["half"]), end + row["half"]]
            bar, = axes.plot(ends, [i, i], "|-", color="black", linewidth=1, markersize=7)
            if picture["half_text"] not in labels:
                handles.append(bar)
                labels.append(picture["half_text"])
    dots = [(row["high"], i) for i, row in zip(places, rows) if "high" in row]
    if dots:
        handles += axes.plot(*zip(*dots), "o", color="black", markersize=5,
                             markerfacecolor="white", zorder=5)
        labels.append(picture["high_text"])
    axes.set_yticks(places)
    axes.set_yticklabels([plain(row["name"]) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, picture["x_high"])
    axes.set_ylim(places[-1] + 0.5, -0.5)
    place_legend(axes, handles, labels, picture["title"])
    return figure, axes


# ---- Timeline --------------------------------------------------------------------------

def draw_timeline(picture):
    rows = picture["rows"]
    figure, axes = plt.subplots(figsize=(9.5, 0.8 + 0.26 * len(rows)))
    first, last = picture["from"], picture["to"]
    axes.set_xlim(first, last)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels([plain(row) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    points = axes.get_window_extent().width * 72 / figure.dpi / (last - first)
    bars = {}
    for piece in picture["slices"]:
        start, length = piece["start"], piece["end"] - piece["start"]
        bars.setdefault((piece["row"], piece["colour"]), []).append((start, length))
        if points * length > CHARACTER * len(piece["name"]):
            axes.text(start + length / 2, piece["row"], plain(piece["name"]), fontsize=7,
                      ha="center", va="center", clip_on=True,
                      color="white" if piece["colour"] == BLUE else "black")
    for (row, colour), spans in bars.items():
        axes.broken_barh(spans, (row - 0.4, 0.8), facecolor=colour, edgecolor=colour,
                         linewidth=0.4)
    place_legend(axes, [], [], picture["title"])
    return figure, axes


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in ("svg", "png", "pdf"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    picture = json.load(sys.stdin.buffer)
    draw = {"curves": draw_all_curves, "rows": draw_rows, "step": draw_step,
            "timeline": draw_timeline}
    figure, axes = draw[picture["picture"]](picture)
    for axis, ticks in ((axes.xaxis, "x_ticks"), (axes.yaxis, "y_ticks")):
        if ticks in picture:
            axis.set_ticks(picture[ticks], [f"{tick:.6g}" for tick in picture[ticks]])
    axes.set_xlabel(picture["x_label"] or "")
    axes.set_ylabel(picture.get("y_label") or "")
    sys.stdout.buffer.write(written(figure, sys.argv[1], bbox_inches="tight", pad_inches=0.1))


if __name__ == "__main__":
    main()
