#!/usr/bin/env python3
"""Records real HTTP/2 streams: a gRPC server sends the tensors of a network to a client, over a
shaped link between two network namespaces.

    make streams        # build/streams/grpc.csv

Needs root, iproute2 and a compiled streams.cc. A row of the output is a stream: start_s is when
the server handed it to gRPC, end_s when gRPC handed it to the client, both since the first start
of its step. window_bytes is the window that the client had announced when the step began: gRPC
chooses it by the bandwidth and delay that it measures."""
import argparse
import csv
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "testbed"))
import bed # noqa: E402

LIMIT_S = 900
START_WINDOW = 65535 # of HTTP/2, until the client announces another one
# Bytes of the tensors, in order: weights and biases, 4 bytes a parameter.
NETWORKS = {
    "alexnet": [4 * n for n in (
        23232, 64, 307200, 192, 663552, 384, 884736, 256, 589824, 256, 37748736, 4096, 16777216,
        4096, 4096000, 1000)],
    "transformer": [4 * n for n in [16384000] + 6 * [786432, 262144, 1048576, 1048576, 1024]],
    "one": [2000000, 8000000, 32000000, 128000000],
}


class Link(bed.Bed):
    """Two nodes: a server and a client."""

    def spin(self):
        pass

    def run(self, node, words):
        return subprocess.Popen(["chrt", "--fifo", "20", "ip", "netns", "exec",
                                 f"{bed.PREFIX}{node}", self.node] + words,
                                text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                env=dict(os.environ, GRPC_VERBOSITY="info", GRPC_TRACE="flowctl"))

    def shape_all(self, bandwidth):
        for i in (0, 1):
            bed.batch("tc", bed.SWITCH, [self.shape(f"p{i}", bandwidth, bed.PORT_BYTES)])
            bed.batch("tc", f"{bed.PREFIX}{i}", [self.shape("eth0", bandwidth, bed.NIC_BYTES)])


def wishes(network, steps, gap, draw):
    """What the client asks for, step by step; streams start in a random order. Network "one"
    has a step for each of its streams, so that each is alone."""
    sizes, lines = NETWORKS[network], []
    for step in range(steps):
        order = list(range(len(sizes)))
        draw.shuffle(order)
        for place, stream in enumerate(order):
            wait = draw.uniform(0, 2 * gap) if place > 0 else 0
            alone = network == "one"
            lines.append(f"{step} {stream} {sizes[stream]} {0 if alone else place} "
                         f"{1 if alone else len(order)} {wait:.6f}")
            if alone or place == len(order) - 1:
                lines.append("")
    return "".join(line + "\n" for line in lines)


def parse(text):
    """Times of streams by (step, stream), and changes of the window with their times."""
    lines = [line.split() for line in text.splitlines()]
    return ({(int(a), int(b)): float(at) for a, b, at in lines if a != "window"},
            [(float(at), int(change)) for a, change, at in lines if a == "window"])


def record(link, network, steps, gap, seed):
    """Rows of all steps that `steps` has, as (step, stream, bytes, start, end, window)."""
    sizes, address = NETWORKS[network], f"{bed.Bed.ip(0)}:50051"
    server = link.run(0, ["server", address, str(max(sizes))])
    if server.stdout.readline() != "ready\n":
        raise bed.NoBed("the server does not start")
    client = link.run(1, ["client", address])
    told, _ = client.communicate(wishes(network, steps.stop, gap, random.Random(seed)), LIMIT_S)
    start, changes = parse(server.communicate(timeout=LIMIT_S)[0])
    end, _ = parse(told)
    if end.keys() != start.keys():
        raise bed.NoBed(f"{network}: the client lacks streams")
    rows = []
    for step in steps:
        of = sorted((at, stream) for (k, stream), at in start.items() if k == step)
        zero = of[0][0]
        for at, stream in of:
            zero = at if network == "one" else zero
            window = START_WINDOW + sum(change for when, change in changes if when < zero)
            rows.append((step, stream, sizes[stream], at - zero, end[step, stream] - zero, window))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--node", required=True, help="compiled streams.cc")
    parser.add_argument("--name", required=True, help="of the group")
    parser.add_argument("--append", action="store_true", help="prints no header")
    parser.add_argument("--network", choices=list(NETWORKS), default="alexnet")
    parser.add_argument("--warmup", type=int, default=6, help="steps that are not printed")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--gap", type=float, default=0, help="mean seconds between two starts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bandwidth", type=float, default=1.17685e8, help="bytes a second")
    a = parser.parse_args()
    out = csv.writer(sys.stdout, lineterminator="\n")
    if not a.append:
        out.writerow(["group", "step", "stream", "direction", "bytes", "start_s", "end_s", "role",
                      "bandwidth_bytes_per_s", "window_bytes"])
    link = Link(os.path.abspath(a.node), False)
    try:
        link.open(2)
        link.shape_all(a.bandwidth)
        for step, stream, size, start, end, window in record(
                link, a.network, range(a.warmup, a.warmup + a.steps), a.gap, a.seed):
            out.writerow([a.name, step, stream, "downlink", size, f"{start:.6f}", f"{end:.6f}",
                          "fit" if 2 * (step - a.warmup) < a.steps else "score",
                          f"{a.bandwidth:g}", window])
    except bed.NoBed as problem:
        sys.exit(f"record.py: {problem}")
    finally:
        link.close()


if __name__ == "__main__":
    main()
