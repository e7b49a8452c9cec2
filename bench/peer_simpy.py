"""peer_simpy.py - the workload of bench_sim in SimPy 2

    peer_simpy.py FOLDER

Runs FOLDER/trace.csv in the order of FOLDER/sequence.csv and prints CSV:
program,workers,steps,operations,seconds,batches_per_s. A worker is four processes, one
for the queue of each resource. SimPy has no link that is shared equally: Link is one,
which looks at all its flows whenever their number changes."""
import csv
import os
import platform
import sys
import time
from collections import deque

import SimPy
from SimPy.Simulation import (Process, activate, hold, initialize, now, passivate,
                              reactivate, simulate)

BANDWIDTH_BYTES_PER_S = 125e6
ROUNDING_BYTES = 1e-3      # a flow with no more than this left has ended
RESOURCES = ("downlink", "worker", "uplink", "server")


class Op:
    def __init__(self, row):
        self.resource = row["resource"]
        self.amount = float(row["duration_s"] or row["bytes"])
        self.waits_for = [int(other) for other in row["waits_for"].split()]
        self.then = []


def read(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_trace(folder):
    """The ops of each profiled step."""
    trace = []
    for row in read(folder, "trace.csv"):
        if row["op"] == "0":
            trace.append([])
        trace[-1].append(Op(row))
    for ops in trace:
        for number, op in enumerate(ops):
            for other in op.waits_for:
                ops[other].then.append(number)
    return trace


def read_sequence(folder):
    """The profiled steps of each worker."""
    sequence = []
    for row in read(folder, "sequence.csv"):
        if row["k"] == "0":
            sequence.append([])
        sequence[-1].append(int(row["step"]))
    return sequence


class Link(Process):
    def __init__(self):
        super().__init__()
        self.left = {}     # bytes of each queue that is sending
        self.since_s = 0.0

    def advance(self):
        elapsed_s = now() - self.since_s
        self.since_s = now()
        if elapsed_s > 0.0 and self.left:
            sent = elapsed_s * BANDWIDTH_BYTES_PER_S / len(self.left)
            for queue in self.left:
                self.left[queue] -= sent

    def join(self, queue, amount):
        self.advance()
        self.left[queue] = amount
        reactivate(self)

    def run(self):
        while True:
            self.advance()
            for queue in [q for q, left in self.left.items() if left <= ROUNDING_BYTES]:
                del self.left[queue]
                reactivate(queue)
            if self.left:
                least = min(self.left.values())
                yield hold, self, least * len(self.left) / BANDWIDTH_BYTES_PER_S
            else:
                yield passivate, self


class Queue(Process):
    def __init__(self, worker, link):
        super().__init__()
        self.worker = worker
        self.link = link   # None: of the worker alone
        self.ready = deque()
        self.idle = False

    def append(self, number):
        self.ready.append(number)
        if self.idle:
            self.idle = False
            reactivate(self)

    def run(self):
        while True:
            if not self.ready:
                self.idle = True
                yield passivate, self
            number = self.ready.popleft()
            amount = self.worker.ops[number].amount
            if self.link:
                self.link.join(self, amount)
                yield passivate, self
            else:
                yield hold, self, amount
            self.worker.complete(number)


class Worker:
    def __init__(self, trace, steps, links):
        self.trace = trace
        self.steps = iter(steps)
        self.end_s = None  # of the last one
        self.queue = {name: Queue(self, links.get(name)) for name in RESOURCES}
        for queue in self.queue.values():
            activate(queue, queue.run())
        self.start_step(next(self.steps))

    def release(self, number):
        self.queue[self.ops[number].resource].append(number)

    def start_step(self, step):
        self.ops = self.trace[step]
        self.left = len(self.ops)
        self.waits = [len(op.waits_for) for op in self.ops]
        for number, waits in enumerate(self.waits):
            if waits == 0:
                self.release(number)

    def complete(self, number):
        for other in self.ops[number].then:
            self.waits[other] -= 1
            if self.waits[other] == 0:
                self.release(other)
        self.left -= 1
        if self.left > 0:
            return
        step = next(self.steps, None)
        if step is None:
            self.end_s = now()
        else:
            self.start_step(step)


def main():
    trace, sequence = read_trace(sys.argv[1]), read_sequence(sys.argv[1])
    initialize()
    links = {"downlink": Link(), "uplink": Link()}
    for link in links.values():
        activate(link, link.run())
    workers = [Worker(trace, steps, links) for steps in sequence]
    begin = time.process_time()
    simulate(until=1e9)    # ends when there is nothing left to do
    seconds = time.process_time() - begin
    end_s = max(worker.end_s for worker in workers)
    operations = sum(len(trace[step]) for steps in sequence for step in steps)
    batches = sum(len(steps) for steps in sequence)
    print(f"SimPy {SimPy.__version__} (Python {platform.python_version()}),{len(workers)},"
          f"{len(sequence[0])},{operations},{seconds:.9g},{batches / end_s:.9g}")


main()
