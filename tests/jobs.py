"""jobs.py PROGRAM RUNS - sgdperf simulate --jobs against a simulation of its own, event by event,
and cluster --network-sharing against a sum over all states of the network.

Jobs of each mode with random traces run on the links of two machines; of each run the batches
per second of all jobs must agree. Nothing here goes by clocks of links or by queues of events:
in every event the share of each transfer is found anew, and the least time left decides."""

import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

BANDWIDTH, STEPS, WARMUP = 1e6, 12, 8
DOWN, WORK, UP, SERVER = RESOURCES = ("downlink", "worker", "uplink", "server")


def draw_trace(machines):
    """The ops of one step: (resource, machine, amount, prerequisites), none with another's time."""
    ops = []
    for layer in range(random.randint(1, 3)):
        at = random.randrange(machines)
        first = len(ops)
        ops.append((DOWN, at, random.uniform(2e3, 9e3), []))
        ops.append((WORK, 0, random.uniform(0.005, 0.04), [first] + [first - 3] * (layer > 0)))
        ops.append((UP, at, random.uniform(2e3, 9e3), [first + 1]))
        ops.append((SERVER, at, random.uniform(0.001, 0.004), [first + 2]))
    return [(r, m, x, [w for w in waits if w >= 0]) for r, m, x, waits in ops]


def ring(ops, workers):
    """What goes over one machine's link: each exchange out and, at the same time, in."""
    twin = {}
    for i, op in enumerate(ops):
        if op[0] == UP:
            twin[i] = len(ops) + len(twin)
    out = []
    for r, m, x, waits in ops:
        if r in (UP, DOWN):
            x *= 2 * (workers - 1) / workers if r == UP else 0
        out.append((r, m, x, waits + [twin[w] for w in waits if w in twin]))
    return out + [(DOWN,) + out[i][1:] for i in twin]


class Worker:
    def __init__(self, job, ops):
        self.job, self.ops, self.done = job, ops, 0
        self.queue = {}                       # (resource, machine): op numbers, first in service
        self.left = {}                        # of ops in service
        self.waits = None                     # of the step; None: between steps

    def release(self, op):
        key = self.ops[op][:2]
        self.queue.setdefault(key, []).append(op)
        if len(self.queue[key]) == 1:
            self.left[op] = self.ops[op][2]

    def start(self):
        self.waits = [len(op[3]) for op in self.ops]
        self.open = len(self.ops)
        for i, n in enumerate(self.waits):
            if n == 0:
                self.release(i)

    def finish(self, op):
        """The op has ended, and perhaps the step."""
        self.open -= 1
        for i, other in enumerate(self.ops):
            if op in other[3]:
                self.waits[i] -= 1
                if self.waits[i] == 0:
                    self.release(i)
        queue = self.queue[self.ops[op][:2]]
        del self.left[op]
        queue.pop(0)
        if queue:
            self.left[queue[0]] = self.ops[queue[0]][2]
        if self.open == 0:
            self.waits = None
            self.done += 1
        return self.open == 0


def rates(flows, link):
    """Bytes or seconds per second of each (worker, op) in service."""
    users = {}
    for w, op in flows:
        users.setdefault(w.ops[op][:2], []).append(w)
    out = []
    for w, op in flows:
        key = w.ops[op][:2]
        if key[0] in (WORK, SERVER):
            out.append(1.0)
        elif link == "fcfs":
            out.append(BANDWIDTH if w.since[key] == min(v.since[key] for v in users[key]) else 0.0)
        else:
            out.append(BANDWIDTH / len(users[key]))
    return out


def simulate(jobs, link):
    """Batches per second of each job: (ops of each worker, lead)."""
    workers = [Worker(j, ops) for j, (each, _) in enumerate(jobs) for ops in each]
    of = [[w for w in workers if w.job == j] for j in range(len(jobs))]
    ends = [[] for _ in jobs]
    now, turn, finished = 0.0, 0, [False] * len(jobs)
    for w in workers:
        w.since = {}
        w.start()
    while True:
        flows = [(w, op) for w in workers for op in w.left]
        for w, op in flows:                   # since when a worker has been using a link
            w.since.setdefault(w.ops[op][:2], turn)
            turn += 1
        for w in workers:
            w.since = {k: v for k, v in w.since.items() if w.queue.get(k)}
        speed = rates(flows, link)
        step, least = min((w.left[op] / s, i) for i, ((w, op), s) in enumerate(zip(flows, speed))
                          if s > 0)
        for (w, op), s in zip(flows, speed):
            w.left[op] -= s * step
        now += step
        w, op = flows[least]
        if not w.finish(op):
            continue
        ends[w.job].append(now)
        finished[w.job] = all(v.done >= STEPS for v in of[w.job])
        if len(jobs) == 1 and finished[0] or all(finished):
            break
        slowest = min(v.done for v in of[w.job])
        for v in of[w.job]:
            if v.waits is None and v.done - slowest <= jobs[w.job][1] \
                    and (len(jobs) > 1 or v.done < STEPS):
                v.start()
    out = []
    for e, (each, lead) in zip(ends, jobs):   # where all meet, the warm-up is of whole steps
        warm = WARMUP - (WARMUP % len(each) if lead == 0 else 0)
        out.append((len(e) - warm) / (e[-1] - (e[warm - 1] if warm else 0.0)))
    return out


def write_trace(path, ops):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow("step op resource server duration_s bytes waits_for".split())
        for i, (r, m, x, waits) in enumerate(ops):
            sent = r in (DOWN, UP)
            out.writerow([0, i, r, m, "" if sent else repr(x), repr(x) if sent else "",
                          " ".join(map(str, waits))])


def draw_job(j, link, machines):
    """A job, and its rows in the table. Workers alike would do all at the same times, and who
    is first then decides under fcfs: there each worker has a trace of its own."""
    mode = random.choice(["async", "sync", "allreduce", "stale"])
    lead = {"async": 1 << 30, "stale": random.randint(0, 2)}.get(mode, 0)
    each, rows = [], []
    for k in range(1 if mode == "allreduce" else random.randint(1, 3)):
        ops, workers = draw_trace(machines), random.randint(1, 3)
        if link == "fcfs" and mode != "allreduce":
            workers = 1
        write_trace("%d-%d.csv" % (j, k), ops)
        rows.append(["job %d" % j, "%d-%d.csv" % (j, k), "async" if mode == "stale" else mode,
                     workers, lead if mode == "stale" else ""])
        each += [ring(ops, workers)] if mode == "allreduce" else [ops] * workers
    return (each, lead), rows


def check(program, seed, link):
    random.seed(seed)
    machines = 1 if link == "ps" else random.randint(1, 2)
    jobs, rows = [], []
    for j in range(random.randint(1, 4)):
        job, of_job = draw_job(j, link, machines)
        jobs.append(job)
        rows += of_job
    with open("jobs.csv", "w", newline="") as file:
        csv.writer(file).writerows([["job", "trace", "mode", "workers", "staleness"]] + rows)
    said = subprocess.run([program, "simulate", "--jobs", "jobs.csv", "--bandwidth", "1MB/s",
                           "--steps", str(STEPS), "--warmup", str(WARMUP), "--link", link,
                           "--servers", str(machines), "--format", "json"],
                          stdout=subprocess.PIPE, check=True)
    worst, together = 0.0, simulate(jobs, link)
    for j, row in enumerate(json.loads(said.stdout)["jobs"]):
        many = row["workers"] if row["mode"] == "allreduce" else 1
        for key, rate in (("batches_per_s", together[j]),
                          ("alone_batches_per_s", simulate(jobs[j:j + 1], link)[0])):
            worst = max(worst, abs(row[key] / (rate * many) - 1))
    return worst


# ---- A cluster whose jobs share a link -------------------------------------------------------

def pace(share):
    """How fast jobs go: the part of the time off the link that each keeps, from the probability
    of all sets of jobs on the link. n jobs on it have a weight n! times the product of shares."""
    jobs, total, off = len(share), 0.0, [0.0] * len(share)
    for on in range(1 << jobs):
        weight = math.factorial(bin(on).count("1"))
        for i, a in enumerate(share):
            weight *= a if on >> i & 1 else 1 - a
        total += weight
        for i in range(jobs):
            off[i] += weight * (not on >> i & 1)
    return [x / total / (1 - a) for x, a in zip(off, share)]


def finish(arrival, size, share):
    """When jobs leave that all run from their arrival on."""
    left, end, now, waiting = {}, {}, 0.0, sorted(range(len(size)), key=lambda i: arrival[i])
    while left or waiting:
        run = list(left)
        speed = dict(zip(run, pace([share[i] for i in run])))
        step = min([left[i] / speed[i] for i in run] +
                   [arrival[i] - now for i in waiting[:1]])
        now += step
        for i in run:
            left[i] -= step * speed[i]
            if left[i] < 1e-9 * size[i]:
                end[i] = now
                del left[i]
        while waiting and arrival[waiting[0]] <= now * (1 + 1e-12):
            left[waiting[0]] = size[waiting[0]]
            waiting.pop(0)
    return end


def check_cluster(program, seed):
    random.seed(seed)
    jobs = random.randint(1, 7)
    arrival = sorted(random.choice([0.0, random.uniform(0, 20)]) for _ in range(jobs))
    size = [random.uniform(1, 30) for _ in range(jobs)]
    share = [random.choice([0.0, 0.5, random.uniform(0, 0.999)]) for _ in range(jobs)]
    with open("curves.csv", "w", newline="") as file:
        csv.writer(file).writerows([["curve", "nodes", "throughput", "network_share"]] +
                                   [["c%d" % i, 1, 1, repr(a)] for i, a in enumerate(share)])
    with open("jobs.csv", "w", newline="") as file:
        csv.writer(file).writerows([["job", "arrival_s", "size", "curve"]] + [
            ["j%d" % i, repr(arrival[i]), repr(size[i]), "c%d" % i] for i in range(jobs)])
    said = subprocess.run([program, "cluster", "--nodes", str(jobs), "--jobs", "jobs.csv",
                           "--curves", "curves.csv", "--network-sharing", "--policy", "equal",
                           "--max-nodes", "1", "--completions", "--format", "csv"],
                          stdout=subprocess.PIPE, check=True, universal_newlines=True)
    end = finish(arrival, size, share)
    return max(abs(float(row["completion_s"]) / end[int(row["job"][1:])] - 1)
               for row in csv.DictReader(said.stdout.splitlines()))


def main():
    program = os.path.abspath(sys.argv[1])
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(int(sys.argv[2])):
            for link in ("ps", "fcfs"):
                off = check(program, seed, link)
                worst = max(worst, off)
                if off > 1e-6:
                    sys.exit("seed %d, link %s: off by %g" % (seed, link, off))
            off = check_cluster(program, seed)
            worst = max(worst, off)
            if off > 1e-6:
                sys.exit("seed %d, cluster: off by %g" % (seed, off))
        os.chdir("/")
    print("largest difference: %.2g" % worst)


main()
