"""Plans: a CSV file, one row a point to be measured. See docs/testbed.md for the columns."""
import csv
import math
import os
import random


class BadPlan(Exception):
    """One line that says where the fault is."""


MODES = ("async", "sync", "ssp", "ring", "tree")
KINDS = {"ssp": "async", "ring": "allreduce", "tree": "allreduce"} # as validate has them
JITTERS = ("none", "normal", "lognormal", "exponential")
ORDERS = ("forward", "reverse", "random")
MOST_WORKERS, MOST_SERVERS, MOST_STEPS = 64, 16, 100000
LONGEST_RUN_S = 600.0

# name: (kind, default). "time" and "bytes" are numbers from 0, "positive" above 0.
COLUMNS = {
    "dataset": ("text", None),
    "point": ("text", None),
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

    def __init__(self, path):
        self.path = path
        self.line, self.rows, self.comments, header = [], [], [], None
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                lines = stream.read().splitlines()
        except (OSError, UnicodeDecodeError) as problem:
            raise BadPlan(f"{path}: {getattr(problem, 'strerror', None) or 'is no text'}")
        for number, text in enumerate(lines, 1):
            if text.startswith("#"):
                self.comments.append(text)
            if not text.strip() or text.startswith("#"):
                continue
            cells = [cell.strip() for cell in next(csv.reader([text]))]
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

    def check_header(self, number, header):
        for name in header:
            if header.count(name) > 1:
                raise BadPlan(f"{self.path}:{number}: column '{name}' occurs twice")

    def fail(self, row, column, text):
        value = self.rows[row].get(column, "")
        raise BadPlan(f"{self.path}:{self.line[row]}: column '{column}': '{value}' {text}")

    def number(self, row, column, least=0.0, above=False):
        text = self.rows[row].get(column, "")
        try:
            value = float(text)
        except ValueError:
            self.fail(row, column, "is no number")
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
    if kind in ("text", "list", "file"):
        return text
    if kind in ("time", "positive"):
        return table.number(row, column, 0.0, kind == "positive")
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

    def numbers(self, column):
        try:
            values = [float(word) for word in getattr(self, column).split()]
        except ValueError:
            self.fail(column, "is no list of numbers, separated by blanks")
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
        table = Rows(os.path.join(self.folder, getattr(self, column)))
        return [table.number(i, name) for i in range(len(table.rows))]

    def read_layers(self):
        """Lists of bytes and times of the layers; a model without any is one layer. Without
        overlap nothing is sent before all is computed: the last gradient, that of layer 0,
        holds all of the backward computation. """
        if self.layers:
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
        if layers > 1024:
            self.fail("layers", "are more than 1024")
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
        if self.jitter == "none" and self.compute_cv and not self.durations_s:
            self.fail("compute_cv", "needs column jitter")
        if self.jitter == "exponential" and self.compute_cv not in (0.0, 1.0):
            self.fail("compute_cv", "is not that of exponential jitter, 1")
        if self.delayed_workers > self.workers:
            self.fail("delayed_workers", "are more than there are")
        if self.durations_s and sum(self.layer_forward + self.layer_backward) <= 0:
            self.fail("durations", "need a computation to be scaled")
        if self.estimate_s() > LONGEST_RUN_S:
            self.fail("steps", f"would take {self.estimate_s():.0f} s, more than "
                               f"{LONGEST_RUN_S:.0f}")

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
        alone = 2 * self.model_bytes / rate + compute + self.update_s + 4 * self.delay_s
        return alone, max(link, self.update_s * largest)

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
    seen, kinds = {}, {}
    for point in points:
        kind = KINDS.get(point.mode, point.mode)
        if kinds.setdefault(point.dataset, kind) != kind:
            point.fail("mode", f"is {kind}, but dataset '{point.dataset}' is "
                               f"{kinds[point.dataset]}")
        key = (point.dataset, point.point)
        if key in seen:
            point.fail("point", f"stands in line {seen[key]} too")
        seen[key] = table.line[point.row]
    return table, points


def draw(path, seed):
    """Marks half of the points, rounded down, as held out: the same for the same names and
    seed, whatever the order of the rows. Writes the file anew."""
    table, points = read(path)
    names = sorted((p.dataset, p.point) for p in points)
    held = set(random.Random(seed).sample(names, len(names) // 2))
    if "held_out" not in table.header:
        table.header.append("held_out")
    with open(path + ".new", "w", encoding="utf-8", newline="") as stream:
        stream.write("".join(line + "\n" for line in table.comments))
        writer = csv.DictWriter(stream, table.header, lineterminator="\n")
        writer.writeheader()
        for p in points:
            row = dict(table.rows[p.row])
            row["held_out"] = int((p.dataset, p.point) in held)
            writer.writerow(row)
    os.replace(path + ".new", path)
    return len(held)
