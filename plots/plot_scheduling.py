#!/usr/bin/env python3
"""Response times on a shared cluster, by policy and load, from stored tables.

usage: plot_scheduling.py PROGRAM FOLDER [TABLES]

TABLES is the folder of tables [validation/scheduling], printed by PROGRAM in a longer run:
JOBS=400000 sh validation/scheduling.sh store TABLES. Writes into FOLDER, each as .png, .svg and .pdf:
  scheduling-malleable  mean response time against load, nodes given anew at every event: HELL and
                        KNEE, filling and not
  scheduling-others     the same, HELL beside other policies
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
NOTE = "95 % intervals; hollow: wider than 5 % of the mean to either side"
STRIP = "lanes: loads with a mean; x: unstable, the queue grows"


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
    _, colour, dashes, marker = POLICIES[policy]
    loads, means, halves, states = zip(*points)
    axes.errorbar(loads, means, yerr=halves, color=colour, linestyle=dashes, linewidth=1.4,
                  elinewidth=1, capsize=2, **line)
    for state, fill in (("converged", colour), ("not_converged", "white")):
        some = [(x, y) for x, y, s in zip(loads, means, states) if s == state]
        if some:
            axes.plot(*zip(*some), linestyle="", marker=marker, markersize=4.5, color=colour,
                      markerfacecolor=fill, zorder=3)


def draw_means(axes, rows, policies):
    """Lines of the policies."""
    for policy in policies:
        draw_policy(axes, policy, curve(rows, policy)[0])
    axes.set_yscale("log")


def draw_lanes(axes, rows, policies):
    """Which loads a policy carries, in a lane of its own that names its line."""
    for lane, policy in enumerate(policies):
        _, colour, dashes, marker = POLICIES[policy]
        points, limit = curve(rows, policy)
        loads = [point[0] for point in points]
        axes.plot(loads, [lane] * len(loads), color=colour, linestyle=dashes, marker=marker,
                  markersize=4.5, linewidth=1.4)
        if limit is not None:
            axes.plot(limit, lane, "x", color="black", markersize=6, markeredgewidth=1.5)
    axes.set_yticks(range(len(policies)))
    axes.set_yticklabels([POLICIES[policy][0] for policy in policies])
    axes.set_ylim(len(policies) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)


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
    lanes = 0.22 * len(policies) + 0.1
    figure, panels = plt.subplots(3, 2, figsize=(9.4, 5.7 + lanes), sharex=True, sharey="row",
                                  gridspec_kw={"height_ratios": (2.9, 2.3, lanes)})
    for column, (source, title) in enumerate(figures):
        rows = table(tables, source)
        above, middle, below = panels[:, column]
        draw_means(above, rows, policies)
        draw_ratios(middle, rows, policies, base)
        draw_lanes(below, rows, policies)
        above.set_title(title)
        below.set_xlabel(LOAD)
        below.set_xticks([i / 10 for i in range(1, 10)])
        below.set_xlim(0.06, 0.94)
    days(panels[0][0], (2, 3, 5, 10, 20, 50, 100))
    panels[1][0].set_ylim(ratios)
    panels[0][0].set_ylabel("mean response time, days")
    panels[1][0].set_ylabel(f"ratio to {POLICIES[base][0]}")
    figure.text(0.5, 0.01, f"{STRIP}; {NOTE}", ha="center", fontsize=8)
    figure.tight_layout(rect=(0, 0.025, 1, 1))
    figure.align_ylabels(panels[:2, 0])
    save(figure, folder, name)


def draw_alexnet(folder, tables):
    rows = table(tables, "fig1")
    policies = ("hell", "hell+fill", "jsq", "jsq-small")
    figure, panels = plt.subplots(2, 2, figsize=(9.4, 4.9), sharex=True, sharey="row",
                                  gridspec_kw={"height_ratios": (3.2, 1)})
    for (above, below), ps_nodes, title in zip(panels.T, "10", (
            "w nodes: w - 1 workers and a parameter server", "w nodes: w workers")):
        own = [row for row in rows if row["ps_nodes"] == ps_nodes]
        draw_means(above, own, policies)
        draw_lanes(below, own, policies)
        above.set_title(title)
        below.set_xlabel(LOAD)
        for axes in (above, below):
            axes.axvline(0.66, color="black", linewidth=0.8, linestyle=(0, (1, 2)))
        below.set_xticks((0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    days(panels[0][0], (2, 3, 4, 6, 10, 20))
    panels[0][0].set_ylabel("mean response time\nof AlexNet jobs, days")
    figure.text(0.5, 0.01, f"{STRIP}; {NOTE}; dotted: where the paper's figure ends",
                ha="center", fontsize=8)
    figure.tight_layout(rect=(0, 0.03, 1, 1))
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
                ("hell+fill", "hell", "knee+fill", "knee"), "hell+fill", (0.9, 1.6))
    draw_figure(folder, tables, "scheduling-others",
                (("fig12a", "four networks"), ("fig12b", "the two large networks")),
                ("hell+fill", "equal", "jsq", "waterfill", "srpt"), "hell+fill", (0.8, 3.2))
    draw_figure(folder, tables, "scheduling-moldable",
                (("fig13a", "four networks"), ("fig13b", "the two large networks")),
                ("moldable-hell", "moldable-knee", "jsq"), "jsq", (0.4, 2.0))
    draw_alexnet(folder, tables)
    draw_early(folder, tables)


if __name__ == "__main__":
    main()
