#!/usr/bin/env python3
"""What plan says of the networks of [YRHC15] on 20 machines.

usage: plot_planning.py PROGRAM FOLDER

Writes into FOLDER, each as .png, .svg and .pdf:
  planning-scaling   Figs. 8 and 9: speed-up by workers, replicas and servers
  planning-parts     Fig. 11: what an epoch of each configuration of Table 1 consists of
  planning-all       Fig. 15: the epoch of every configuration of 20 machines

Constants are those of validation/planning.csv, chosen and not measured: see SOURCES.md.
"""

import os
import sys

sys.dont_write_bytecode = True
from common import (BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION,  # noqa: E402
                    arguments, label_ends, plt, read, save)

VALIDATION = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                          "validation")
NETWORKS = {"mnist": ("MNIST", "60000"), "imagenet22k": ("ImageNet-22K", "15e6")}
TABLE_1 = {
    "mnist": "2/9/2 2/8/4 2/6/8 4/4/4 1/19/1 1/18/2 1/16/4 1/12/8".split(),
    "imagenet22k": "4/4/4 4/4/2 2/9/2 4/3/6 4/3/4 2/8/4 2/6/6 2/6/4".split(),
}
# What the paper says of Figs. 8 and 9 in words.
PAPER = ("[YRHC15] of MNIST: workers linear to 2, then less; replicas linear; servers nothing\n"
         "of ImageNet-22K: workers more than linear; replicas and servers about linear")
DIMENSIONS = [("workers", "{0}/4/4", BLUE, "o"), ("replicas", "4/{0}/4", ORANGE, "s"),
              ("servers", "4/4/{0}", GREEN, "^")]
PARTS = [("forward", BLUE), ("backward", SKY), ("update", GREEN), ("activations", ORANGE),
         ("errors", VERMILLION), ("read_latency", GREY), ("read_transfer", PURPLE)]


def plan(program, network, *options):
    """Configurations of 20 machines, fastest first, layers not copied within a replica."""
    return read([program, "plan", os.path.join(VALIDATION, "networks", network + ".csv"),
                 "--machines", "20", "--cores", "16", "--read-full", "--max-replications", "1",
                 "--constants", os.path.join(VALIDATION, "planning.csv"),
                 "--split", "*=*/*/16", "--n-sample", NETWORKS[network][1], *options])


# ---- Figs. 8 and 9 ---------------------------------------------------------------------

def speedups(program, network, pattern, *options):
    """Of degrees 1, 2 and 4 in one dimension; every layer in as many parts as workers."""
    epochs = []
    for degree in (1, 2, 4):
        config = pattern.format(degree)
        rows = plan(program, network, "--config", config,
                    "--split", "*=" + config.split("/", maxsplit=1)[0] + "/1/16", *options)
        epochs.append(float(rows[0]["epoch_s"]))
    return [epochs[0] / epoch for epoch in epochs]


def draw_scaling(program, folder):
    figure, both = plt.subplots(2, 2, figsize=(7.8, 5.6), sharex=True, sharey=True)
    figure.subplots_adjust(left=0.08, right=0.89, top=0.95, bottom=0.17, wspace=0.32, hspace=0.2)
    both[0, 0].set_ylim(0, 5.5)
    both[0, 0].set_xlim(0.85, 4.1)
    both[0, 0].set_xticks([1, 2, 4])
    for line, (equation, options) in enumerate((("Eq. 11", ()), ("Eq. 10", ("--mix", "1")))):
        for axes, network in zip(both[line], NETWORKS):
            ends = [(4, 4, "linear", GREY)]
            axes.plot([1, 4], [1, 4], color=GREY, linewidth=0.8, linestyle=(0, (1, 2)))
            for name, pattern, color, marker in DIMENSIONS:
                speeds = speedups(program, network, pattern, *options)
                axes.plot([1, 2, 4], speeds, color=color, marker=marker, markersize=5)
                ends.append((4, speeds[-1], name, color))
            label_ends(axes, ends)
            axes.set_title(f"{NETWORKS[network][0]}, {equation}", loc="left")
    for axes in both[1]:
        axes.set_xlabel("how many; 4 of the other two")
    for axes in both[:, 0]:
        axes.set_ylabel("speed-up")
    figure.text(0.08, 0.015, PAPER, fontsize=8)
    save(figure, folder, "planning-scaling")


# ---- Fig. 11 ---------------------------------------------------------------------------

def draw_parts(program, folder):
    figure, both = plt.subplots(1, 2, figsize=(7.5, 3.8), sharey=True)
    for axes, network in zip(both, NETWORKS):
        options = [word for config in TABLE_1[network] for word in ("--config", config)]
        rows = {f"{row['workers']}/{row['replicas']}/{row['servers']}": row
                for row in plan(program, network, *options)}
        fastest = min(float(row["epoch_s"]) for row in rows.values())
        bottom = [0.0] * len(rows)
        for part, color in PARTS:
            height = [float(rows[config][part + "_s"]) / fastest for config in TABLE_1[network]]
            axes.bar(range(len(rows)), height, bottom=bottom, color=color, width=0.75,
                     label=part.replace("_", " "))
            bottom = [low + high for low, high in zip(bottom, height)]
        axes.set_xticks(range(len(rows)))
        axes.set_xticklabels(TABLE_1[network], rotation=60, ha="right", rotation_mode="anchor")
        axes.grid(axis="x", visible=False)
        axes.set_title(NETWORKS[network][0])
        axes.set_xlabel("workers / replicas / servers, in the paper's order")
    both[0].set_ylabel("epoch, over the fastest")
    handles, labels = both[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncol=7, fontsize=7.5, columnspacing=1.0,
                  handlelength=1.2)
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    save(figure, folder, "planning-parts")


# ---- Fig. 15 ---------------------------------------------------------------------------

def draw_all(program, folder):
    figure, both = plt.subplots(1, 2, figsize=(7.5, 3.8))
    for axes, network in zip(both, NETWORKS):
        rows = plan(program, network, "--all")
        best = rows[0]
        least = float(best["epoch_s"])
        # Of the splits of as many machines between replicas and servers, the best of each
        # number of servers is drawn on top.
        rows.sort(key=lambda row: -float(row["epoch_s"]))
        points = axes.scatter([int(row["workers"]) * int(row["replicas"]) for row in rows],
                              [float(row["epoch_s"]) / least for row in rows],
                              c=[int(row["workers"]) for row in rows], cmap="viridis", s=14,
                              linewidth=0, vmin=1, vmax=19)
        axes.plot(int(best["workers"]) * int(best["replicas"]), 1, "o", color=VERMILLION,
                  markersize=9, markerfacecolor="none")
        axes.annotate(f"{best['workers']}/{best['replicas']}/{best['servers']}",
                      (int(best["workers"]) * int(best["replicas"]), 1), xytext=(0, -12),
                      textcoords="offset points", ha="center", color=VERMILLION)
        axes.set_yscale("log")
        ticks = [1, 1.5, 2, 3] if network == "mnist" else [1, 2, 5, 10, 20]
        axes.set_yticks(ticks)
        axes.set_yticklabels([f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.set_ylim(0.85 if network == "mnist" else 0.7, None)
        axes.set_title(f"{NETWORKS[network][0]}: {len(rows)} configurations")
        axes.set_xlabel("replicas times workers")
    both[0].set_ylabel("epoch, over the shortest")
    figure.tight_layout(rect=(0, 0, 0.92, 1))
    bar = figure.colorbar(points, cax=figure.add_axes((0.93, 0.16, 0.015, 0.74)))
    bar.set_label("workers of a replica")
    bar.set_ticks([1, 5, 10, 15, 19])
    save(figure, folder, "planning-all")


def main():
    program, folder, _ = arguments("Plans")
    draw_scaling(program, folder)
    draw_parts(program, folder)
    draw_all(program, folder)


if __name__ == "__main__":
    main()
