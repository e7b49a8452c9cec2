"""From the logs of the nodes of one run to its numbers."""
import re
import statistics

# The end of a run in which the first worker may be done: a tenth.
PART_COUNTED = 0.9
# Who carries two transfers at a time cannot be told by clocks that are apart by more than
# this part of a transfer.
UNSURE_PART = 0.02

HEADER = "step,phase,start_s,end_s,worker,server,layer,bytes"
LAST = re.compile(r"# sleeps [0-9]+, late by ([0-9.]+) s")


class BadRun(Exception):
    """Why a run does not count."""


class Log:
    """One node's: rows as tuples (step, phase, start, end, server, bytes), and how late its
    sleeps ended. What a host says before the header is not of the log."""

    def __init__(self, path):
        self.rows, self.late_s, self.unsure_s, self.congestion = [], None, 0.0, ""
        with open(path, encoding="ascii", errors="replace") as stream:
            text = stream.read().splitlines()
        if HEADER in text:
            text = text[text.index(HEADER) + 1:]
        try:
            for line in text:
                self.read(line)
        except (ValueError, IndexError):
            raise BadRun("a log is not one of ours")
        if self.late_s is None:
            raise BadRun("a log is not whole")

    def read(self, line):
        last = LAST.match(line)
        if last:
            self.late_s = float(last[1])
        elif line.startswith("# clock uncertain by "):
            self.unsure_s = float(line.split()[4])
        elif line.startswith("# congestion control "):
            self.congestion = line.split()[3]
        elif not line.startswith("#"):
            cell = line.split(",")
            self.rows.append((int(cell[0]), cell[1], float(cell[2]), float(cell[3]),
                              int(cell[5]), int(cell[7])))


def step_ends(log, allreduce):
    """When each step of a worker counted: the last update of its gradient was done."""
    ends = {}
    for step, phase, _, end, _, _ in log.rows:
        if phase == "update" or (allreduce and phase == "uplink"):
            ends[step] = max(end, ends.get(step, end))
    return [ends[step] for step in sorted(ends)]


def check_whole(point, ends, servers):
    """Did the run go to its end? The first worker that is done ends one of servers."""
    counts = [len(e) for e in ends]
    if point.mode == "sync":
        counts = [max(len(log.rows) for log in servers)]
    done = min(counts) if point.allreduce else max(counts)
    if done < point.steps or (done > point.steps and point.mode != "sync"):
        raise BadRun(f"{done} of {point.steps} steps were done")


def window(ends, warmup):
    """From the time when all workers are warm, nine tenths of the time until the first one has
    its last step: each then still has one that ends behind it."""
    if any(len(e) < 3 for e in ends):
        raise BadRun("a worker did fewer than three steps")
    begin = max(e[min(warmup, len(e) - 2)] for e in ends)
    end = begin + PART_COUNTED * (min(e[-1] for e in ends) - begin)
    if not end > begin:
        raise BadRun("the workers did not run at the same time")
    return begin, end


def rate_of(ends, begin, end):
    """Steps a second of all workers together: of each from its first end inside to the end of
    the last step that it began inside. Long steps are then no less often counted than short
    ones, as they were if those at the border were left out."""
    rate, gaps = 0.0, []
    for e in ends:
        first = next(i for i, t in enumerate(e) if t >= begin)
        last = next(i for i, t in enumerate(e) if t >= end)
        if last <= first:
            raise BadRun("a worker did fewer than two steps while all ran")
        rate += (last - first) / (e[last] - e[first])
        gaps += [b - a for a, b in zip(e[first:last], e[first + 1:last + 1])]
    return rate, gaps


def sync_rate(point, servers, warmup):
    """The servers' own count: gradients beyond the needed are lost."""
    log = max(servers, key=lambda log: len(log.rows)) # one that has a part of the model
    done = step_ends(log, False)[warmup:]
    if len(done) < 2 or not done[-1] > done[0]:
        raise BadRun("too few steps")
    return (point.workers - point.backup) * (len(done) - 1) / (done[-1] - done[0])


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


def is_sure(logs, phase):
    """Are the clocks together well enough to tell which transfers overlap?"""
    spans = [r[3] - r[2] for log in logs for r in log.rows if r[1] == phase]
    unsure = max(log.unsure_s for log in logs)
    return len(logs) == 1 or bool(spans) and unsure <= UNSURE_PART * statistics.fmean(spans)


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def run(point, jobs, one_clock):
    """Of the logs of all jobs, each a pair of its workers' and its servers': a dict of numbers,
    those of a job as means of the jobs."""
    warmup = max(3, point.steps // 10)
    rates, gaps, begins, ends = [], [], [], []
    for workers, servers in jobs:
        steps = [step_ends(log, point.allreduce) for log in workers]
        check_whole(point, steps, servers)
        begin, end = window(steps, warmup)
        rate, own_gaps = rate_of(steps, begin, end)
        rates.append(sync_rate(point, servers, warmup) if point.mode == "sync" else rate)
        gaps += own_gaps
        begins.append(begin)
        ends.append(end)
    logs = [log for workers, _ in jobs for log in workers]
    every = logs + [log for _, servers in jobs for log in servers]
    result = {"batches_per_s": statistics.fmean(rates) * point.every, "gaps": gaps,
              "late_s": max(log.late_s for log in every),
              "clock_uncertainty_s": 0.0 if one_clock else max(log.unsure_s for log in every),
              "congestion": " ".join(sorted({log.congestion for log in every} - {"none"}))}
    for phase in ("uplink", "downlink"):
        told = not point.allreduce and (one_clock or is_sure(logs, phase))
        result[phase + "_shared"] = shared_time(logs, phase, max(begins), min(ends)) \
            if told else None
    return result
