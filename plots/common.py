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
              f"{what} of PROGRAM validate, as PNG and SVG in FOLDER", file=sys.stderr)
        sys.exit(2)
    return sys.argv[1], sys.argv[2], sys.argv[3:]


def read(command):
    """The rows that a command prints as CSV, as dictionaries."""
    done = subprocess.run(command + ["--format", "csv"], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode not in (0, 3):  # 3: best estimates
        sys.exit(1)                    # it has said why
    return list(csv.DictReader(done.stdout.splitlines()))


def written(figure, ending, **options):
    """The bytes of a figure as SVG, PNG or PDF, the same every time."""
    metadata = {"svg": {"Date": None}, "png": {"Software": None}, "pdf": {"CreationDate": None}}
    file = io.BytesIO()
    figure.savefig(file, format=ending, metadata=metadata[ending], **options)
    return file.getvalue()


def save(figure, folder, name):
    """Writes a figure as PNG and SVG."""
    os.makedirs(folder, exist_ok=True)
    for ending in ("png", "svg"):
        with open(os.path.join(folder, f"{name}.{ending}"), "wb") as file:
            file.write(written(figure, ending))
    plt.close(figure)
