#!/usr/bin/env python3
"""Response times on a shared cluster, by policy and load, from stored tables.

usage: plot_scheduling.py PROGRAM FOLDER [TABLES]

TABLES is the folder of tables [validation/scheduling], printed by PROGRAM in a longer run:
JOBS=400000 sh validation/scheduling.sh store TABLES. Writes into FOLDER, each as .png and .svg:
  scheduling-malleable  mean response time against load, nodes given anew at every event
  scheduling-moldable   the same, jobs that keep the nodes they start with
  scheduling-alexnet    equal jobs alone, with a parameter server's node and without
  scheduling-early      parts of jobs, when new jobs go first: mean time until they are done,
                        distributions of the time to 40 % of a job and to all of it
"""

import csv
import os
import sys

sys.dont_write_bytecode = True
from common import (BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILLION, arguments, plt,  # noqa: E402
                    save)

TABLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      "validation", "scheduling")

# policy: label, colour, line style, marker
POLICIES = {
    "hell+fill": ("HELL, filling", BLUE, "-", "o"),
    "hell": ("HELL", BLUE, ":", "s"),
    "knee+fill": ("KNEE, filling", VERMILLION, "-", "^"),
    "knee": ("KNEE", VERMILLION, ":", "v"),
    "moldable-hell": ("moldable HELL", BLUE, "--", "s"),
    "moldable-knee": ("moldable KNEE", VERMILLION, "-.", "v"),
    "equal": ("equal shares", PURPLE, "--", "P"),
    "jsq": ("JSQ, best chunk of 7 to 40", ORANGE, "-.", "D"),
    "jsq-small": ("JSQ, best chunk of 1 to 6", "black", (0, (4, 1, 1, 1, 1, 1)), "d"),
    "waterfill": ("Waterfill", GREEN, "--", "X"),
    "srpt": ("SRPT, all nodes to one job", GREY, "-", "*"),
}
LOAD = r"load, $\lambda$ E[S(1)] / W"
NOTE = ("95 % intervals; hollow: wider than 5 % of the mean to either side; "
        "arrow: unstable, the queue grows")


def table(folder, name):
    """Rows of a stored table, as dictionaries."""
    try:
        with open(os.path.join(folder, name + ".csv"), encoding="ascii") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))
    except OSError as error:
        print(f"plot_scheduling.py: {error}", file=sys.stderr)
        sys.exit(1)


# ---- Mean response times ---------------------------------------------------------------

def curve(rows, policy):
    """[(load, mean, half-width, status)] of the loads that a policy carries, first it cannot."""
    points, limit = [], None
    for row in rows:
        if row["policy"] != policy:
            continue
        if row["status"] == "unstable":
            limit = float(row["load"])
            break
        points.append((float(row["load"]), float(row["mean_response_d"]),
                       float(row["half_width_d"]), row["status"]))
    return points, limit


def draw_policy(axes, policy, points, **line):
    label, colour, dashes, marker = POLICIES[policy]
    loads, means, halves, states = zip(*points)
    axes.errorbar(loads, means, yerr=halves, color=colour, linestyle=dashes, linewidth=1.4,
                  elinewidth=1, capsize=2, **line)
    for state, fill in (("converged", colour), ("not_converged", "white")):
        some = [(x, y) for x, y, s in zip(loads, means, states) if s == state]
        if some:
            axes.plot(*zip(*some), linestyle="", marker=marker, markersize=4.5, color=colour,
                      markerfacecolor=fill, zorder=3)
    return plt.Line2D([], [], color=colour, linestyle=dashes, marker=marker, markersize=4.5,
                      linewidth=1.4, label=label)


def draw_means(axes, rows, policies, top):
    """Lines of the policies, cut at `top`, where arrows point to what is unstable."""
    handles, arrows = [], {}
    for policy in policies:
        points, limit = curve(rows, policy)
        handles.append(draw_policy(axes, policy, points))
        above = [load for load, mean, _, _ in points if mean > top]
        if limit is not None and not above:
            rank = arrows[limit] = arrows.get(limit, -1) + 1
            axes.annotate("", (limit - 0.012 + 0.012 * rank, top), xytext=(0, -16),
                          textcoords="offset points", annotation_clip=False,
                          arrowprops={"arrowstyle": "-|>", "linewidth": 1.4,
                                      "color": POLICIES[policy][1]})
    axes.set_yscale("log")
    return handles


def draw_ratios(axes, rows, policies, base):
    """Each policy over `base`, up to where it is no longer comparable."""
    means = {load: mean for load, mean, _, _ in curve(rows, base)[0]}
    for policy in policies:
        points = [(load, mean / means[load], half / means[load], state)
                  for load, mean, half, state in curve(rows, policy)[0] if load in means]
        draw_policy(axes, policy, points)


def days(axes, ticks):
    axes.set_yticks(ticks)
    axes.set_yticklabels([f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(ticks[0], ticks[-1])


def draw_figure(folder, tables, name, figures, policies, base, ratios):
    figure, panels = plt.subplots(2, 2, figsize=(8.4, 6.4), sharex=True, sharey="row",
                                  gridspec_kw={"height_ratios": (1.15, 1)})
    for column, (source, title) in enumerate(figures):
        rows = table(tables, source)
        above, below = panels[0][column], panels[1][column]
        handles = draw_means(above, rows, policies, 100)
        draw_ratios(below, rows, policies, base)
        above.set_title(title)
        below.set_xlabel(LOAD)
        below.set_xticks([i / 10 for i in range(1, 10)])
        below.set_xlim(0.06, 0.94)
    days(panels[0][0], (2, 3, 5, 10, 20, 50, 100))
    panels[1][0].set_ylim(ratios)
    panels[0][0].set_ylabel("mean response time, days")
    panels[1][0].set_ylabel(f"ratio to {POLICIES[base][0]}")
    figure.legend(handles=handles, loc="upper center", ncol=4 if len(handles) > 5 else 3,
                  handlelength=3.2)
    figure.text(0.5, 0.01, NOTE, ha="center", fontsize=8)
    figure.tight_layout(rect=(0, 0.025, 1, 0.92 if len(handles) > 4 else 0.95))
    save(figure, folder, name)


def draw_alexnet(folder, tables):
    rows = table(tables, "fig1")
    policies = ("hell", "hell+fill", "jsq", "jsq-small")
    figure, panels = plt.subplots(1, 2, figsize=(8.4, 4.1), sharey=True)
    for axes, ps_nodes, title in zip(panels, "10", (
            "w nodes: w - 1 workers and a parameter server", "w nodes: w workers")):
        handles = draw_means(axes, [row for row in rows if row["ps_nodes"] == ps_nodes],
                             policies, 20)
        axes.set_title(title)
        axes.set_xlabel(LOAD)
        axes.axvline(0.66, color="black", linewidth=0.8, linestyle=(0, (1, 2)))
        axes.set_xticks((0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    days(panels[0], (2, 3, 4, 6, 10, 20))
    panels[0].set_ylabel("mean response time of AlexNet jobs, days")
    figure.legend(handles=handles, loc="upper center", ncol=4, handlelength=3.2)
    figure.text(0.5, 0.01, NOTE + "; dotted: 0.66, where the paper's figure ends", ha="center",
                fontsize=8)
    figure.tight_layout(rect=(0, 0.035, 1, 0.94))
    save(figure, folder, "scheduling-alexnet")


# ---- Early termination -----------------------------------------------------------------

GAMMAS = (("0", BLUE, "-", "o"), ("1", GREEN, "-.", "s"), ("1.01", ORANGE, "--", "D"),
          ("1.05", VERMILLION, (0, (5, 2)), "^"), ("1.1", "black", ":", "v"))


def draw_tenths(axes, parts):
    """Mean time until tenths of a job are done."""
    for gamma, colour, dashes, marker in GAMMAS:
        some = [row for row in parts if row["gamma"] == gamma]
        axes.errorbar([float(row["fraction"]) for row in some],
                      [float(row["mean_h"]) for row in some],
                      yerr=[float(row["half_width_h"]) for row in some], color=colour,
                      linestyle=dashes, marker=marker, markersize=4.5, linewidth=1.4,
                      elinewidth=1, capsize=2, label=f"$\\gamma$ = {gamma}")
    axes.axvline(0.4, color="black", linewidth=0.8, linestyle=(0, (1, 2)))
    axes.set_title("parts of a job, mean; dotted: 40 %")
    axes.set_xlabel("part of the job that is done (1: all)")
    axes.set_ylabel("time since its arrival, hours")
    axes.set_ylim(0)
    axes.set_xticks([i / 10 for i in range(1, 11)])


def draw_distribution(axes, rows, fraction):
    """How many jobs are so far within a time: a line for each gamma, from 0 to 1."""
    for gamma, colour, dashes, _ in GAMMAS:
        some = [row for row in rows if row["gamma"] == gamma
                and float(row["fraction"]) == fraction]
        axes.step([float(row["time_h"]) for row in some],
                  [float(row["probability"]) for row in some], where="post", color=colour,
                  linestyle=dashes, linewidth=1.4)
    axes.set_xscale("log")
    ticks = (0.2, 1, 5, 20, 100, 500, 2000)
    axes.set_xlim(ticks[0], ticks[-1])
    axes.set_xticks(ticks)
    axes.set_xticklabels([f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0, 1)
    axes.set_xlabel("time since its arrival, hours")


def draw_early(folder, tables):
    figure, panels = plt.subplots(1, 3, figsize=(11.4, 4.0))
    parts, times = table(tables, "fig14"), table(tables, "fig14cdf")
    draw_tenths(panels[0], parts)
    draw_distribution(panels[1], times, 0.4)
    draw_distribution(panels[2], times, 1.0)
    panels[1].set_title("40 % of a job, distribution")
    panels[1].set_ylabel("part of the jobs that are so far")
    panels[2].set_title("whole jobs, distribution")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", ncol=5,
                  handlelength=3.2)
    figure.text(0.5, 0.01, f"load {parts[0]['load']}; steps where a network's jobs are done: "
                "NiN first, then GoogLeNet, AlexNet, VGG19", ha="center", fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 0.93))
    save(figure, folder, "scheduling-early")


def main():
    _, folder, tables = arguments("Stored tables")
    tables = tables[0] if tables else TABLES
    draw_figure(folder, tables, "scheduling-malleable",
                (("fig12a", "four networks"), ("fig12b", "the two large networks")),
                ("hell+fill", "hell", "knee+fill", "knee", "equal", "jsq", "waterfill", "srpt"),
                "hell+fill", (0.8, 2.6))
    draw_figure(folder, tables, "scheduling-moldable",
                (("fig13a", "four networks"), ("fig13b", "the two large networks")),
                ("moldable-hell", "moldable-knee", "jsq"), "jsq", (0.4, 2.0))
    draw_alexnet(folder, tables)
    draw_early(folder, tables)


if __name__ == "__main__":
    main()
