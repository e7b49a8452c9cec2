"""What the figures share: running the program, colours, saving.

Needs Python 3 and matplotlib (Debian: python3-matplotlib), nothing else.
"""

import csv
import io
import os
import subprocess
import sys

try:
    import matplotlib
except ImportError:
    print("plots: python3-matplotlib is not installed", file=sys.stderr)
    sys.exit(1)

matplotlib.rcdefaults()  # whatever the user's matplotlibrc says
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

# Okabe and Ito's palette, safe for the colour-blind, less the yellow that vanishes on white;
# black dots are what was measured. Line styles and markers tell lines apart in print, too.
BLUE, ORANGE, GREEN = "#0072B2", "#E69F00", "#009E73"
SKY, VERMILLION, PURPLE, GREY = "#56B4E9", "#D55E00", "#CC79A7", "#777777"

# model: colour, line style, marker. A name has one style in all figures.
STYLES = {
    "exact": (BLUE, "-", "s"),
    "fcfs": (ORANGE, "--", "^"),
    "hybrid": (GREEN, "-.", "v"),
    "switch": (SKY, ":", "D"),
    "interleaved": (VERMILLION, "-", "x"),
    "cynthia": (PURPLE, (0, (1, 1, 4, 1)), "+"),
    "ps": (BLUE, "-", "s"),
    "average": (GREEN, "-.", "v"),
    "ring": (BLUE, "-", "s"),
    "doubling": (VERMILLION, "--", "x"),
    "ernest": (VERMILLION, "-", "x"),
    "optimus-async": (PURPLE, (0, (5, 2)), "1"),
    "optimus-sync": (BLUE, "--", "s"),
    "amdahl": (ORANGE, "-.", "^"),
    "usl": (GREEN, ":", "v"),
    "simulated": ("black", (0, (4, 2)), "*"),
    "simulated-exp": ("0.45", (0, (1, 2)), "p"),
    "simulated-tcp": ("black", "-", "h"),
    "simulated-chain": (GREEN, "-", "h"),
}

# Of curves that have no name of their own, in this order; those of tools/base/svg.c.
LINES = (
    (BLUE, "-", "o"),
    (VERMILLION, (0, (7, 3)), "s"),
    (GREEN, (0, (2, 3)), "^"),
    (ORANGE, (0, (9, 3, 2, 3)), "D"),
    (SKY, (0, (4, 2)), "v"),
    (PURPLE, (0, (1, 2)), "P"),
    ("#555555", (0, (12, 4)), "X"),
)

plt.rcParams.update({
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "savefig.dpi": 150,
    "svg.hashsalt": "sgdperf",  # the same figure, the same file
    "pdf.fonttype": 42,         # text that can be searched
})


def style(model):
    """Colour, line style and marker of a model, also of one that is new."""
    return STYLES.get(model, (GREY, "-", "."))


def arguments(what):
    """PROGRAM FOLDER [DATASET.csv ...] of the command line."""
    if len(sys.argv) < 3:
        print(f"usage: {os.path.basename(sys.argv[0])} PROGRAM FOLDER [DATASET.csv ...]\n"
              f"{what} of PROGRAM, as PNG, SVG and PDF in FOLDER", file=sys.stderr)
        sys.exit(2)
    return sys.argv[1], sys.argv[2], sys.argv[3:]


def output(command, **options):
    """What a command prints; its notes are shown only where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **options)
    if done.returncode not in (0, 3):  # 3: best estimates
        print(done.stderr, end="", file=sys.stderr)
        sys.exit(1)
    return done.stdout


def read(command):
    """The rows that a command prints as CSV, as dictionaries."""
    return list(csv.DictReader(output(command + ["--format", "csv"]).splitlines()))


def spread(places, gap):
    """Ascending places moved as little as it takes to keep `gap` between them: where they
    would touch, about their mean."""
    groups = []                       # [mean of place less what is below it, how many]
    for i, place in enumerate(places):
        groups.append([place - i * gap, 1])
        while len(groups) > 1 and groups[-2][0] >= groups[-1][0]:
            (x, n), (y, m) = groups.pop(), groups.pop()
            groups.append([(x * n + y * m) / (n + m), n + m])
    free = [mean for mean, count in groups for _ in range(count)]
    return [place + i * gap for i, place in enumerate(free)]


def label_ends(axes, ends, gap=1.25, offset=6):
    """Names beside the last points of lines, in place of a legend: (x, y, text, colour), `gap`
    lines of text apart."""
    points = 72 / axes.figure.dpi
    place = sorted((axes.transData.transform((x, y))[1] * points, i)
                   for i, (x, y, _, _) in enumerate(ends))
    for at, (own, i) in zip(spread([y for y, _ in place], gap * 8), place):
        x, y, text, colour = ends[i]
        axes.annotate(text, (x, y), xytext=(offset, at - own), textcoords="offset points",
                      va="center", color=colour, annotation_clip=False, fontsize=8)


def written(figure, ending, **options):
    """The bytes of a figure as SVG, PNG or PDF, the same every time."""
    metadata = {"svg": {"Date": None}, "png": {"Software": None}, "pdf": {"CreationDate": None}}
    file = io.BytesIO()
    figure.savefig(file, format=ending, metadata=metadata[ending], **options)
    return file.getvalue()


def save(figure, folder, name):
    """Writes a figure as PNG, SVG and PDF, and says so on a terminal."""
    os.makedirs(folder, exist_ok=True)
    if sys.stderr.isatty():
        print(f"\r\033[K{name}", end="", file=sys.stderr, flush=True)
    with plt.rc_context({"svg.fonttype": "none"}):  # text that can be searched
        for ending in ("png", "svg", "pdf"):
            with open(os.path.join(folder, f"{name}.{ending}"), "wb") as file:
                file.write(written(figure, ending))
    plt.close(figure)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
