"""Plans: a CSV file, one row a point to be measured. See docs/testbed.md for the columns."""
import csv
import math
import os
import random
import re

import files


class BadPlan(Exception):
    """One line that says where the fault is."""


MODES = ("async", "sync", "ssp", "ring", "tree")
KINDS = {"ssp": "async", "ring": "allreduce", "tree": "allreduce"} # as validate has them
JITTERS = ("none", "normal", "lognormal", "exponential")
ORDERS = ("forward", "reverse", "random")
KIND_WORDS = {"async": "asynchronous", "sync": "synchronous", "allreduce": "all-reduce"}
MOST_WORKERS, MOST_SERVERS, MOST_STEPS = 64, 16, 100000
MOST_ROWS, MOST_LAYERS, MOST_DURATIONS, MOST_FILE = 1000, 1024, 5000, 1 << 24
MOST_CAP = 4294967294 # of a flow, to the kernel
MOST_NORMAL_CV = 0.5 # beyond, what is cut at 0 makes the mean another
LONGEST_RUN_S = 600.0
NAME = re.compile(r"[A-Za-z0-9._+-]+\Z")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")

# name: (kind, default). "time" are numbers from 0, "positive" from 1.
COLUMNS = {
    "dataset": ("name", None),
    "point": ("name", None),
    "mode": (MODES, None),
    "workers": ((1, MOST_WORKERS), None),
    "servers": ((1, MOST_SERVERS), 1),
    "forward_s": ("time", 0.0),
    "backward_s": ("time", 0.0),
    "update_s": ("time", 0.0),
    "model_bytes": ("positive", 0.0),
    "bandwidth_bytes_per_s": ("positive", None),
    "worker_bandwidth_bytes_per_s": ("positive", 0.0),
    "flow_cap_bytes_per_s": ("positive", 0.0),
    "delay_s": ("time", 0.0),
    "delayed_workers": ((0, MOST_WORKERS), 0),
    "overlap": ((0, 1), 0),
    "layers": ("file", ""),
    "buckets": ((1, 1024), 1),
    "bucket_bytes": ("time", 0.0),
    "order": (ORDERS, "forward"),
    "shares": ("list", ""),
    "place": ("list", ""),
    "worker_types": ("list", ""),
    "jitter": (JITTERS, "none"),
    "compute_cv": ("time", 0.0),
    "durations": ("file", ""),
    "every": ((1, 1000), 1),
    "backup": ((0, MOST_WORKERS - 1), 0),
    "staleness": ((0, 1000), 0),
    "updates": (("queued", "separate"), "queued"),
    "jobs": ((1, 8), 1),
    "steps": ((10, MOST_STEPS), 60),
    "held_out": ((0, 1), 0),
}


class Rows:
    """A CSV file with # comments, and where each row stands in it."""

    def __init__(self, path, most=MOST_ROWS):
        self.path = path
        self.line, self.rows, header = [], [], None
        try:
            with open(path, encoding="utf-8-sig", newline="") as stream:
                self.text = stream.read(MOST_FILE).splitlines()
        except (OSError, ValueError) as problem:
            raise BadPlan(f"{path}: {getattr(problem, 'strerror', None) or 'is no text'}")
        for number, text in enumerate(self.text, 1):
            if not text.strip() or text.startswith("#"):
                continue
            cells = self.cells(number, text)
            if len(self.rows) == most:
                raise BadPlan(f"{path}:{number}: more than {most} rows")
            if header is None:
                header = cells
                self.check_header(number, header)
                continue
            if len(cells) != len(header):
                raise BadPlan(f"{path}:{number}: {len(cells)} cells, but {len(header)} columns")
            self.rows.append(dict(zip(header, cells)))
            self.line.append(number)
        if not self.rows:
            raise BadPlan(f"{path}: no rows")
        self.header = header

    def cells(self, number, text):
        try:
            return [cell.strip() for cell in next(csv.reader([text]))]
        except csv.Error as problem:
            raise BadPlan(f"{self.path}:{number}: {problem}")

    def check_header(self, number, header):
        seen = set()
        for name in header:
            if name in seen:
                raise BadPlan(f"{self.path}:{number}: column '{name}' occurs twice")
            seen.add(name)
        self.header_line = number

    def fail(self, row, column, text):
        value = self.rows[row].get(column, "")
        raise BadPlan(f"{self.path}:{self.line[row]}: column '{column}': '{value}' {text}")

    def number(self, row, column, least=0.0, above=False):
        text = self.rows[row].get(column, "")
        if text.lower() in ("nan", "inf", "-inf"):
            self.fail(row, column, "is no number that makes sense")
        if not NUMBER.match(text):
            self.fail(row, column, "is no number")
        value = float(text)
        if not math.isfinite(value) or value > 1e15:
            self.fail(row, column, "is no number that makes sense")
        if value < least or (above and value <= least):
            self.fail(row, column, "is not above 0" if above else f"is below {least:g}")
        return value


def read_cell(table, row, column, kind, default):
    text = table.rows[row].get(column, "")
    if text == "":
        if default is None:
            table.fail(row, column, "is needed")
        return default
    if kind == "name" and not NAME.match(text):
        table.fail(row, column, "has others than letters, digits and . _ + -")
    if kind in ("name", "list", "file"):
        return text
    if kind == "time":
        return table.number(row, column)
    if kind == "positive":
        return table.number(row, column, 1.0, table.number(row, column) <= 0)
    if isinstance(kind[0], str):
        if text not in kind:
            table.fail(row, column, "is none of " + " ".join(kind))
        return text
    value = table.number(row, column, kind[0])
    if value != int(value) or value > kind[1]:
        table.fail(row, column, f"is no whole number from {kind[0]} to {kind[1]}")
    return int(value)


class Point:
    """One row; every column is an attribute. Lists are lists of numbers."""

    def __init__(self, table, row):
        self.table, self.row = table, row
        self.folder = os.path.dirname(os.path.abspath(table.path))
        for column, (kind, default) in COLUMNS.items():
            setattr(self, column, read_cell(table, row, column, kind, default))
        self.allreduce = self.mode in ("ring", "tree")
        if self.allreduce:
            self.servers = 0
        self.read_lists()
        self.read_layers()
        self.check()

    def fail(self, column, text):
        self.table.fail(self.row, column, text)

    def said(self, column):
        """The cell as it stands in the plan."""
        return self.table.rows[self.row].get(column, "")

    def numbers(self, column):
        words = getattr(self, column).split()
        if not all(NUMBER.match(word) for word in words):
            self.fail(column, "is no list of numbers, separated by blanks")
        values = [float(word) for word in words]
        if any(not math.isfinite(v) or v < 0 for v in values):
            self.fail(column, "has a number below 0")
        return values

    def read_lists(self):
        self.share_list = self.numbers("shares")
        self.place_list = self.numbers("place") if self.place != "balanced" else []
        if self.share_list and (len(self.share_list) != self.servers
                                or abs(sum(self.share_list) - 1) > 1e-9):
            self.fail("shares", "is not a share for each server, of sum 1")
        self.types = []
        for word in self.worker_types.split():
            part = word.split(":")
            try:
                kind = (int(part[0]), float(part[1]), float(part[2]))
            except (ValueError, IndexError):
                kind = (0, 0, 0)
            if kind[0] < 1 or not all(0 <= t < 1e6 for t in kind[1:]) or len(part) != 3:
                self.fail("worker_types", "is not COUNT:FORWARD:BACKWARD, separated by blanks")
            self.types.append(kind)
        if self.types and sum(kind[0] for kind in self.types) != self.workers:
            self.fail("worker_types", f"are not {self.workers} workers")
        self.durations_s = self.read_column("durations", "compute_s")

    def read_column(self, column, name):
        if not getattr(self, column):
            return []
        table = Rows(os.path.join(self.folder, getattr(self, column)), MOST_DURATIONS)
        if name not in table.header:
            raise BadPlan(f"{table.path}:{table.header_line}: no column '{name}'")
        return [table.number(i, name) for i in range(len(table.rows))]

    def check_layer_names(self):
        """As sgdperf has a table of layers: each has a name of its own."""
        table = Rows(os.path.join(self.folder, self.layers), MOST_LAYERS)
        if "layer" not in table.header:
            raise BadPlan(f"{table.path}:{table.header_line}: no column 'layer', a name for each")
        seen = {}
        for i, row in enumerate(table.rows):
            if not row["layer"]:
                table.fail(i, "layer", "is needed")
            if row["layer"] in seen:
                table.fail(i, "layer", f"stands in line {seen[row['layer']]} too")
            seen[row["layer"]] = table.line[i]

    def read_layers(self):
        """Lists of bytes and times of the layers; a model without any is one layer. Without
        overlap nothing is sent before all is computed: the first gradient, that of the last
        layer, holds all of the backward computation. """
        if self.layers:
            self.check_layer_names()
            self.layer_bytes = self.read_column("layers", "bytes")
            self.layer_forward = self.read_column("layers", "forward_s")
            self.layer_backward = self.read_column("layers", "backward_s")
            self.layer_update = self.read_column("layers", "update_s")
            self.add_layers()
        else:
            n = self.buckets
            if not self.model_bytes:
                self.fail("model_bytes", "is needed")
            self.layer_bytes = [self.model_bytes / n] * n
            self.layer_forward = [self.forward_s / n] * n
            self.layer_backward = [self.backward_s / n] * n
            self.layer_update = [self.update_s / n] * n
        if not self.overlap:
            n = len(self.layer_bytes)
            self.layer_backward = [0.0] * (n - 1) + [sum(self.layer_backward)]
            if not self.allreduce:
                self.layer_bytes = [sum(self.layer_bytes)]
                self.layer_forward = [sum(self.layer_forward)]
                self.layer_backward = [sum(self.layer_backward)]
                self.layer_update = [sum(self.layer_update)]

    def add_layers(self):
        """The sums of the file are those of the row."""
        for column, values in (("model_bytes", self.layer_bytes), ("forward_s", self.layer_forward),
                               ("backward_s", self.layer_backward),
                               ("update_s", self.layer_update)):
            if getattr(self, column):
                self.fail(column, "is not to be given beside layers: their sum is taken")
            setattr(self, column, sum(values))
        if not self.model_bytes:
            self.fail("layers", "have no bytes")

    def check(self):
        layers = len(self.layer_bytes)
        self.refuse_idle(layers)
        self.refuse_pairs()
        if self.place_list and (len(self.place_list) != layers or
                                any(p not in range(self.servers) for p in self.place_list)):
            self.fail("place", f"is not a server from 0 for each of {layers} layers")
        if self.place == "balanced":
            self.place_list = self.balance()
        alone = self.mode == "sync" and self.servers == 1
        if self.backup >= self.workers or (self.backup and not alone):
            self.fail("backup", "is only for sync, one server, and below the workers")
        if self.staleness and self.mode != "ssp":
            self.fail("staleness", "is only for ssp")
        if self.flow_cap_bytes_per_s > MOST_CAP:
            self.fail("flow_cap_bytes_per_s", f"is above {MOST_CAP}, what the kernel takes")
        if self.delayed_workers > self.workers:
            self.fail("delayed_workers", "are more than there are")
        if self.durations_s and sum(self.layer_forward + self.layer_backward) <= 0:
            self.fail("durations", "need a computation to be scaled")
        if self.durations_s and sum(self.durations_s) <= 0:
            self.fail("durations", "are all 0")
        if self.estimate_s() > LONGEST_RUN_S:
            self.fail("steps", f"would take {self.estimate_s():.0f} s, more than "
                               f"{LONGEST_RUN_S:.0f}")

    def refuse_idle(self, layers):
        """Cells that would be of no effect: their author takes them for one."""
        alone, ring = "one layer", "an all-reduce"
        for column, idle, of in (
                ("overlap", self.overlap and layers == 1, alone),
                ("buckets", self.buckets > 1 and self.layers, "a table of layers"),
                ("buckets", self.buckets > 1 and layers == 1, "a run without overlap"),
                ("order", self.order != "forward" and self.allreduce, ring),
                ("order", self.order != "forward" and layers == 1, alone),
                ("bucket_bytes", self.bucket_bytes and not self.allreduce, "servers"),
                ("servers", self.said("servers") not in ("", "1") and self.allreduce, ring),
                ("workers", self.workers < 2 and self.allreduce, f"{ring} of one"),
                ("updates", self.updates == "separate" and KINDS.get(self.mode, self.mode)
                 != "async", "steps in common"),
                ("shares", self.shares and self.allreduce, ring),
                ("place", self.place and self.allreduce, ring),
                ("shares", self.shares and self.place, "servers with column place"),
                ("place", self.place and not self.overlap, "a run without overlap"),
                ("delayed_workers", self.delayed_workers and not self.delay_s,
                 "workers without delay_s")):
            if idle:
                self.fail(column, f"is of no effect on {of}")

    def refuse_pairs(self):
        """Columns that tell the same, or that lack each other."""
        for column in ("forward_s", "backward_s"):
            if self.types and self.said(column) not in ("", "0"):
                self.fail(column, "is not to be given beside worker_types")
        if self.types and self.durations:
            self.fail("durations", "are not to be given beside worker_types")
        if self.durations and (self.jitter != "none" or self.compute_cv):
            self.fail("durations", "are not to be given beside jitter and compute_cv")
        if self.jitter == "none" and self.compute_cv:
            self.fail("compute_cv", "needs column jitter")
        if self.jitter in ("normal", "lognormal") and not self.compute_cv:
            self.fail("jitter", "needs column compute_cv")
        if self.jitter == "normal" and self.compute_cv > MOST_NORMAL_CV:
            self.fail("compute_cv", f"is above {MOST_NORMAL_CV:g}, where normal jitter is cut at 0 "
                                    "too often: take lognormal")
        if self.jitter == "exponential" and self.compute_cv not in (0.0, 1.0):
            self.fail("compute_cv", "is not that of exponential jitter, 1")

    def own_rate(self):
        """Of one worker that nothing delays, what its columns make of it; None for others."""
        if self.allreduce or self.workers > 1 or self.jobs > 1 or self.overlap:
            return None
        if self.jitter != "none" or self.durations_s or self.delay_s:
            return None
        return self.every / self.cycle_s()[0]

    def balance(self):
        """The largest layer first, each to the server that has least."""
        load, place = [0.0] * self.servers, [0] * len(self.layer_bytes)
        for i in sorted(range(len(place)), key=lambda k: (-self.layer_bytes[k], k)):
            place[i] = load.index(min(load))
            load[place[i]] += self.layer_bytes[i]
        return place

    def compute_s(self, worker):
        """Forward and backward of a worker, by its type."""
        for count, forward_s, backward_s in self.types:
            if worker < count:
                return forward_s, backward_s
            worker -= count
        return self.forward_s, self.backward_s

    def cycle_s(self):
        """Of one worker alone, and its longest station; without overlap."""
        own = self.worker_bandwidth_bytes_per_s or self.bandwidth_bytes_per_s
        rate = min(own, self.bandwidth_bytes_per_s)
        if self.flow_cap_bytes_per_s:
            rate = min(rate, self.flow_cap_bytes_per_s * max(1, self.servers))
        compute = max(sum(self.compute_s(i)) for i in range(self.workers)) * self.every
        if self.allreduce:
            n, full = self.workers, self.model_bytes / rate
            link = full * (2 * (n - 1) / n if self.mode == "ring" else 4 * math.log2(n + 1))
            return compute + link + self.update_s, link
        largest = max(self.share_list or [1 / self.servers])
        if self.place_list:
            held = [0.0] * self.servers
            for layer, server in enumerate(self.place_list):
                held[int(server)] += self.layer_bytes[layer]
            largest = max(held) / sum(held)
        link = self.model_bytes * largest / self.bandwidth_bytes_per_s
        update = self.update_s * largest               # servers apply their shares at once
        alone = 2 * self.model_bytes / rate + compute + update + 4 * self.delay_s
        return alone, max(link, update)

    def estimate_s(self):
        """Roughly how long a run takes."""
        alone, station = self.cycle_s()
        crowd = self.workers * self.jobs
        if self.mode == "sync":
            step = alone + (crowd - 1) * 2 * station
        elif self.allreduce:
            step = alone + (self.jobs - 1) * station
        else:
            step = max(alone, crowd * station)
        return 0.5 + 1.1 * step * self.steps


def read(path):
    """All points of a plan."""
    table = Rows(path)
    for name in table.header:
        if name not in COLUMNS:
            raise BadPlan(f"{path}: column '{name}' is not known")
    points = [Point(table, i) for i in range(len(table.rows))]
    seen, first = {}, {}
    for point in points:
        leader = first.setdefault(point.dataset, point)
        kind, kind_of_leader = (KINDS.get(p.mode, p.mode) for p in (point, leader))
        if kind != kind_of_leader:
            point.fail("mode", f"is {KIND_WORDS[kind]}, but dataset '{point.dataset}' has "
                               f"'{leader.mode}' in line {table.line[leader.row]}, which is "
                               f"{KIND_WORDS[kind_of_leader]}")
        key = (point.dataset, point.point)
        if key in seen:
            point.fail("point", f"stands in line {seen[key]} too")
        seen[key] = table.line[point.row]
    return table, points


def draw(path, seed):
    """Marks half of the points, rounded down, as held out: the same for the same names and
    seed, whatever the order of the rows. Adds a column to the file, which has no draw yet."""
    table, points = read(path)
    if "held_out" in table.header:
        raise BadPlan(f"{path}:{table.header_line}: column 'held_out' is there: a plan is drawn "
                      "from once")
    names = sorted((p.dataset, p.point) for p in points)
    held = set(random.Random(seed).sample(names, len(names) // 2))
    lines = list(table.text)
    lines[table.header_line - 1] += ",held_out"
    for p in points:
        lines[table.line[p.row] - 1] += f",{int((p.dataset, p.point) in held)}"
    files.replace(path, "".join(line + "\n" for line in lines))
    return len(held)
