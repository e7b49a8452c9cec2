"""One run of a point: its nodes, until they are done, and their logs."""
import glob
import os
import re
import shutil
import statistics
import tempfile
import time

import bed as beds
import measure
import plan as plans

# The rule by which a run does not count, fixed before any run: the machine was taken away,
# or what was to happen at a time happened late.
MOST_STEAL = 0.05
MOST_LATE_S = 0.0005
MOST_BUSY = 0.90

RULE = (f"a run does not count if a node fails, if more than {MOST_STEAL:.0%} of the processors "
        f"is stolen, if the emulator and the kernel need more than {MOST_BUSY:.0%} of them, or if "
        f"the sleeps of a node end {MOST_LATE_S * 1e3:g} ms late in the mean; it is repeated once")

FOLDER = "testbed-" # of logs, in that of temporary files, with the number of the process
POLL_S = 0.02
GRACE_S = 20.0


def join(values):
    return ",".join(f"{v:.17g}" for v in values)


# ---- What nodes are told ------------------------------------------------------------------

def node_arguments(point, bed, job, seed, options):
    """What all nodes of a run are told."""
    port = options.port + 32 * job
    words = [f"workers={point.workers}", f"steps={point.steps}", f"every={point.every}",
             f"seed={seed}", f"jitter={point.jitter}", f"cv={point.compute_cv!r}",
             f"realtime={options.realtime}", f"limit_s={limit_s(point) + 10}",
             f"one_clock={int(not options.hosts)}",
             "bytes=" + join(point.layer_bytes), "update=" + join(point.layer_update)]
    if point.allreduce:
        first = options.port + 512 + 64 * job
        words.append("peers=" + ",".join(f"{bed.address(point, 'worker', i)}:{first + i}"
                                         for i in range(point.workers)))
        words.append(f"bucket_bytes={point.bucket_bytes!r}")
    else:
        words.append("servers=" + ",".join(
            f"{bed.address(point, 'server', i)}:{port + i}" for i in range(point.servers)))
        words += [f"mode={point.mode}", f"backup={point.backup}",
                  f"staleness={point.staleness}", f"separate={int(point.updates == 'separate')}",
                  f"stagger={point.cycle_s()[0]:.6f}",
                  "order=" + ",".join(map(str, order_of(point, seed)))]
        if point.share_list:
            words.append("share=" + join(point.share_list))
        if point.place_list:
            words.append("place=" + ",".join(str(int(p)) for p in point.place_list))
    if point.flow_cap_bytes_per_s:
        words.append(f"flow_cap={point.flow_cap_bytes_per_s!r}")
    if point.durations_s:
        words.append("durations=" + join(point.durations_s))
    return words


def order_of(point, seed):
    layers = list(range(len(point.layer_bytes)))
    if point.order == "reverse":
        layers.reverse()
    if point.order == "random":
        plans.random.Random(seed).shuffle(layers)
    return layers


def worker_arguments(point, worker):
    """Layers as those of the row, scaled to the type of the worker."""
    forward, backward = point.compute_s(worker)
    return ["forward=" + join(scaled(point.layer_forward, forward, True)),
            "backward=" + join(scaled(point.layer_backward, backward, point.overlap))]


def scaled(layers, total, spread):
    """Times of layers, of another sum. Without any: evenly, or all before the first is sent."""
    if sum(layers):
        return [v * total / sum(layers) for v in layers]
    n = len(layers)
    return [total / n] * n if spread else [0.0] * (n - 1) + [total]


def limit_s(point):
    return int(4 * point.estimate_s() + GRACE_S)


# ---- Nodes --------------------------------------------------------------------------------

class Node:
    def __init__(self, job, kind, index, where, path, process):
        self.job, self.kind, self.path, self.process = job, kind, path, process
        self.name = f"{kind} {index}" + (f" on {where}" if where else "")

    def said(self):
        """The first line on stderr that has words."""
        with open(self.path + ".err", encoding="utf-8", errors="replace") as stream:
            lines = [line.strip() for line in stream if re.search("[A-Za-z]", line)]
        return lines[0] if lines else f"exit status {self.process.returncode}"


def launch(point, bed, job, seed, folder, options, nodes):
    """Starts all nodes of one job, and adds them to nodes."""
    common = node_arguments(point, bed, job, seed, options)
    for kind, count in (("server", point.servers), ("worker", point.workers)):
        for index in range(count):
            role = point.mode if point.allreduce else kind
            words = [f"role={role}", f"index={index}"] + common
            if kind == "worker":
                words += worker_arguments(point, index)
            path = os.path.join(folder, f"job{job}-{kind}{index}.csv")
            with open(path, "wb") as out, open(path + ".err", "wb") as error:
                process = bed.launch(point, kind, index, words, out, error)
            nodes.append(Node(job, kind, index, bed.name(point, kind, index), path, process))


def wait_for(nodes, bed, longest_s):
    """Until all are done. BadRun with what one says that failed, as soon as it has; one that
    only misses another is not asked first."""
    until = time.monotonic() + longest_s
    left = list(nodes)
    while left:
        left = [node for node in left if node.process.poll() is None]
        failed = [node for node in nodes if node.process.poll()]
        if failed:
            time.sleep(5 * POLL_S) # those that fail with it
            failed = [node for node in nodes if node.process.poll()]
            failed.sort(key=lambda node: node.said().endswith("gone"))
            raise measure.BadRun(f"{failed[0].name}: {failed[0].said()}")
        lost = bed.failed()
        if lost:
            raise measure.BadRun(lost)
        if time.monotonic() > until:
            raise measure.BadRun(f"{left[0].name}: not done after {longest_s:.0f} s")
        if left:
            time.sleep(POLL_S)


def read_logs(nodes, jobs):
    """Of each job its workers' and its servers'."""
    found = [([], []) for _ in range(jobs)]
    for node in nodes:
        try:
            log = measure.Log(node.path)
        except measure.BadRun as problem:
            raise measure.BadRun(f"{node.name}: {problem}: {node.said()}")
        found[node.job][node.kind == "server"].append(log)
    return found


# ---- The run ------------------------------------------------------------------------------

def once(point, bed, seed, options):
    """One run: a dict of numbers; BadRun where it does not count."""
    folder = tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-")
    nodes = []
    try:
        bed.prepare(point)
        before = beds.processor_times()
        for job in range(point.jobs):
            launch(point, bed, job, seed + job, folder, options, nodes)
        wait_for(nodes, bed, limit_s(point))
        after = beds.processor_times()
        result = measure.run(point, read_logs(nodes, point.jobs), not options.hosts)
        spent = [(b - a) / max(1, after[2] - before[2]) for a, b in zip(before, after)]
        # Of other hosts nobody knows.
        result["cpu_busy"], result["cpu_steal"] = (None, None) if options.hosts else spent[:2]
        if not options.keep:
            judge(result)
        return result
    finally:
        bed.stop([node.process for node in nodes])
        keep_logs(point, seed, folder, options)


def judge(result):
    if (result["cpu_steal"] or 0.0) > MOST_STEAL:
        raise measure.BadRun(f"{result['cpu_steal']:.1%} of the processors stolen")
    if (result["cpu_busy"] or 0.0) > MOST_BUSY:
        raise measure.BadRun(f"processors busy for {result['cpu_busy']:.1%}")
    if result["late_s"] > MOST_LATE_S:
        raise measure.BadRun(f"sleeps end {result['late_s'] * 1e3:.2f} ms late")


def keep_logs(point, seed, folder, options):
    if options.logs:
        place = os.path.join(options.logs, f"{point.dataset}-{point.point}-{seed}")
        shutil.rmtree(place, ignore_errors=True)
        shutil.move(folder, place)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def clean_folders():
    """Of drivers that were killed."""
    for path in glob.glob(os.path.join(tempfile.gettempdir(), FOLDER + "*-*")):
        pid = os.path.basename(path)[len(FOLDER):].split("-")[0]
        if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            shutil.rmtree(path, ignore_errors=True)
