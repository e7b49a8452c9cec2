"""From the logs of the nodes of one run to its numbers."""
import csv
import re
import statistics


class BadRun(Exception):
    """Why a run does not count."""


class Log:
    """One node's: rows as tuples (step, phase, start, end, server, bytes), and lateness."""

    def __init__(self, path):
        self.rows, self.late_s, self.sleeps = [], 0.0, 0
        with open(path, encoding="ascii", errors="replace") as stream:
            text = stream.read().splitlines()
        for row in csv.DictReader(line for line in text if not line.startswith("#")):
            self.rows.append((int(row["step"]), row["phase"], float(row["start_s"]),
                              float(row["end_s"]), int(row["server"]), int(row["bytes"])))
        for line in text:
            found = re.match(r"# sleeps (\d+), late by ([0-9.]+) s", line)
            if found:
                self.sleeps, self.late_s = int(found[1]), float(found[2])
        if not text or not text[-1].startswith("# sleeps"):
            raise BadRun("a log is not whole")


def step_ends(log, allreduce):
    """When each step of a worker counted: the last update of its gradient was done."""
    ends = {}
    for step, phase, _, end, _, _ in log.rows:
        if phase == "update" or (allreduce and phase == "uplink"):
            ends[step] = max(end, ends.get(step, end))
    return [ends[step] for step in sorted(ends)]


def window(ends, warmup):
    """From the time when all workers are warm until the first one has its last step."""
    if any(len(e) < 3 for e in ends):
        raise BadRun("a worker did fewer than three steps")
    begin = max(e[min(warmup, len(e) - 2)] for e in ends)
    return begin, min(e[-1] for e in ends)


def rate_of(ends, begin, end):
    """Steps a second of all workers together: of each from its first to its last one
    inside, so that no part of a step counts."""
    rate, gaps = 0.0, []
    for e in ends:
        inside = [t for t in e if begin <= t <= end]
        if len(inside) < 2:
            raise BadRun("a worker did fewer than two steps while all ran")
        rate += (len(inside) - 1) / (inside[-1] - inside[0])
        gaps += [b - a for a, b in zip(inside, inside[1:])]
    return rate, gaps


def shared_time(logs, phase, begin, end):
    """Of the time in which a server's link carries something, the share in which it
    carries the transfers of two workers or more [LPCG18, fig. 9]. Mean over servers."""
    shares = []
    servers = {row[4] for log in logs for row in log.rows}
    for server in sorted(servers):
        events = []
        for log in logs:
            spans = sorted((max(r[2], begin), min(r[3], end)) for r in log.rows
                           if r[1] == phase and r[4] == server)
            last = begin
            for start, stop in spans: # of one worker, counted once
                start = max(start, last)
                if stop > start:
                    events += [(start, 1), (stop, -1)]
                    last = stop
        busy = shared = now = 0.0
        active = 0
        for time, change in sorted(events):
            busy += (time - now) * (active > 0)
            shared += (time - now) * (active > 1)
            active, now = active + change, time
        if busy > 0:
            shares.append(shared / busy)
    return statistics.fmean(shares) if shares else None


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def run(point, workers, servers):
    """Of the logs of one job: a dict of its numbers."""
    warmup = max(3, point.steps // 10)
    ends = [step_ends(log, point.allreduce) for log in workers]
    begin, end = window(ends, warmup)
    rate, gaps = rate_of(ends, begin, end)
    if point.mode == "sync": # the server's own count: gradients beyond the needed are lost
        done = step_ends(servers[0], False)[warmup:]
        if len(done) < 2:
            raise BadRun("too few steps")
        rate = (point.workers - point.backup) * (len(done) - 1) / (done[-1] - done[0])
    result = {"batches_per_s": rate * point.every, "gaps": gaps,
              "late_s": max(log.late_s for log in workers + servers)}
    for phase in ("uplink", "downlink"):
        share = None if point.allreduce else shared_time(workers, phase, begin, end)
        result[phase + "_shared"] = share
    return result
