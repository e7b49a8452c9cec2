"""Where nodes run: network namespaces on this machine, or hosts that are given."""
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

PREFIX = "sgdtb-"
LOCK = "/run/sgdperf-testbed.lock"
SWITCH = PREFIX + "net"

# Known to work: goodput is 1448 of the 1514 bytes that the shaper counts of a packet.
LAYER_2 = 1514 / 1448
BURST_BYTES = 32768
PORT_BYTES, NIC_BYTES = 500000, 1500000
LARGEST_SEGMENT = 16000


LEAVE_S = 2.0 # to end in when the driver says so


class NoBed(Exception):
    """One line that says what is missing."""


def call(*words, text=None, check=True):
    try:
        result = subprocess.run(words, input=text, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, timeout=60)
    except (OSError, subprocess.SubprocessError) as problem:
        raise NoBed(f"{' '.join(words)}: {getattr(problem, 'strerror', None) or 'takes too long'}")
    if check and result.returncode != 0:
        said = result.stderr.strip().splitlines() or ["failed"]
        raise NoBed(f"{' '.join(words)}: {said[0]}")
    return result.stdout


def batch(tool, space, lines):
    call(tool, "-n", space, "-batch", "-", text="".join(line + "\n" for line in lines))


def namespaces():
    listed = call("ip", "netns", "list", check=False).splitlines()
    return [line.split()[0] for line in listed if line.startswith(PREFIX)]


def clean():
    """Removes every namespace of ours, with what runs and hangs in it."""
    for name in namespaces():
        for pid in call("ip", "netns", "pids", name, check=False).split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        call("ip", "netns", "del", name, check=False)


class Processes:
    """What was started, so that nothing is left."""

    def __init__(self):
        self.running = []

    def start(self, words, out, error, watched=True):
        """A node that is watched ends when its stdin does, on whatever host it is."""
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE if watched else subprocess.DEVNULL, stdout=out,
                stderr=error, start_new_session=True)
        except OSError as problem:
            raise NoBed(f"{words[0]}: {problem.strerror}")
        self.running.append(process)
        if watched:
            try:
                process.stdin.write(b"\n")
                process.stdin.flush()
            except BrokenPipeError: # it has ended, which will be seen
                pass
        return process

    def stop(self, processes=None):
        """Those with a stdin are given a moment to end by themselves, with their remote end."""
        processes = list(self.running) if processes is None else processes
        for process in processes:
            if process.stdin:
                try:
                    process.stdin.close()
                except BrokenPipeError:
                    pass
        until = time.monotonic() + LEAVE_S
        while (any(p.stdin and p.poll() is None for p in processes)
               and time.monotonic() < until):
            time.sleep(0.01)
        for process in processes:
            if process.poll() is None:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
            if process in self.running:
                self.running.remove(process)


class Hosts(Processes):
    """Real machines: each line of a file is an address, and the command that runs another
    one there, as `ssh node1`, `mpirun --host node1 -np 1`, or `sh -c`, which gets all of it as
    one word. Servers come first."""

    def __init__(self, path, node):
        super().__init__()
        self.node, self.hosts = node, []
        try:
            with open(path, encoding="utf-8") as stream:
                lines = stream.read().splitlines()
        except (OSError, UnicodeDecodeError) as problem:
            raise NoBed(f"{path}: {getattr(problem, 'strerror', None) or 'is no text'}")
        for number, line in enumerate(lines, 1):
            try:
                words = shlex.split(line, comments=True)
            except ValueError as problem:
                raise NoBed(f"{path}:{number}: {str(problem).lower()}")
            if len(words) == 1:
                raise NoBed(f"{path}:{number}: no command behind the address '{words[0]}'")
            if words and not shutil.which(words[1]):
                raise NoBed(f"{path}:{number}: no such command: '{words[1]}'")
            if words:
                self.hosts.append((words[0], words[1:]))
        if not self.hosts:
            raise NoBed(f"{path}: no hosts")

    @staticmethod
    def check(point):
        """What only the links between namespaces have."""
        for column in ("worker_bandwidth_bytes_per_s", "delay_s"):
            if getattr(point, column):
                point.fail(column, "is shaped between namespaces only, not with --hosts")

    def open(self, nodes):
        pass

    def prepare(self, point):
        pass

    def failed(self):
        """What the bed itself has lost, in a line."""
        return None

    def place(self, point, kind, index):
        """Workers take turns on the hosts that are not servers; if there are none, on all."""
        rest = self.hosts[point.servers:] or self.hosts
        if kind == "server":
            return self.hosts[index % len(self.hosts)]
        return rest[index % len(rest)]

    def address(self, point, kind, index):
        return self.place(point, kind, index)[0]

    name = address

    def launch(self, point, kind, index, arguments, out, error):
        command, node = self.place(point, kind, index)[1], [self.node] + arguments
        if re.fullmatch("-[a-z]*c", command[-1]): # a shell, which takes a command line
            node = ["exec " + " ".join(map(shlex.quote, node))]
        return self.start(command + node, out, error)

    def close(self):
        self.stop()


class Bed(Processes):
    """Namespaces joined by veth and a bridge, which is in one of its own. Node 0 to
    servers - 1 are servers, the others workers; all-reduce has workers only."""

    def __init__(self, node, realtime):
        super().__init__()
        self.node, self.nodes, self.realtime = node, 0, realtime
        self.relays, self.delayed, self.lock = [], [], None

    @staticmethod
    def check(point):
        pass

    def open(self, nodes):
        lack = lacks_tools()
        if lack:
            raise NoBed(lack)
        self.take_lock()
        clean()
        lack = probe()
        if lack:
            raise NoBed(lack)
        self.nodes = nodes
        self.build()
        self.spin()

    def take_lock(self):
        try:
            lock = open(LOCK, "a+", encoding="utf-8")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            pid = lock.read(20).strip()
            raise NoBed("another testbed is running on this machine" +
                        (f", process {pid}" if pid.isdigit() else ""))
        except OSError as problem:
            raise NoBed(f"{LOCK}: {problem.strerror}")
        self.lock = lock
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()

    def build(self):
        call("ip", "netns", "add", SWITCH)
        batch("ip", SWITCH, ["link add name switch0 type bridge", "link set switch0 up"])
        for i in range(self.nodes):
            name = f"{PREFIX}{i}"
            call("ip", "netns", "add", name)
            batch("ip", SWITCH, [
                f"link add p{i} type veth peer name eth0 netns {name}",
                f"link set p{i} gso_max_size {LARGEST_SEGMENT} master switch0 up"])
            batch("ip", name, [
                "link set lo up", f"link set eth0 gso_max_size {LARGEST_SEGMENT} up",
                f"addr add {self.ip(i)}/24 dev eth0"])
            # Nothing is learnt in one run and kept for the next.
            call("ip", "netns", "exec", name, "sh", "-c",
                 "echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save")

    def spin(self):
        """One a core: on virtual machines a processor that sleeps is taken away."""
        for core in range(os.cpu_count() or 1):
            self.start([self.node, "role=spin", "limit_s=100000"], subprocess.DEVNULL,
                       subprocess.DEVNULL, watched=False)

    @staticmethod
    def ip(i):
        return f"10.99.0.{i + 1}"

    @staticmethod
    def shape(device, bytes_per_s, limit):
        rate = round(bytes_per_s * 8 * LAYER_2)
        return f"qdisc replace dev {device} root tbf rate {rate}bit burst {BURST_BYTES} limit {limit}"

    def prepare(self, point):
        """Bandwidths of both ends of every cable, and cables with a delay."""
        self.restore()
        worker = point.worker_bandwidth_bytes_per_s or point.bandwidth_bytes_per_s
        count = point.servers + point.workers
        rates = [point.bandwidth_bytes_per_s] * point.servers + [worker] * point.workers
        batch("tc", SWITCH, [self.shape(f"p{i}", rates[i], PORT_BYTES) for i in range(count)])
        for i in range(count):
            batch("tc", f"{PREFIX}{i}", [self.shape("eth0", rates[i], NIC_BYTES)])
        if point.delay_s > 0:
            far = point.delayed_workers or point.workers
            for i in range(count - far, count):
                self.delay(i, point, rates[i])
            self.forget()

    def failed(self):
        for relay in self.relays:
            if relay.poll() is not None:
                return relay.stderr.read().decode(errors="replace").strip() or "a relay has ended"
        return None

    def delay(self, i, point, rate):
        """The node's cable is replaced by one that ends in a relay."""
        name = f"{PREFIX}{i}"
        relay = self.start([self.node, "role=relay", f"delay={point.delay_s!r}",
                            f"realtime={20 if self.realtime else 0}",
                            f"limit_s={int(4 * point.estimate_s()) + 60}",
                            f"near_space=/run/netns/{name}", "near_device=far0",
                            f"far_space=/run/netns/{SWITCH}", f"far_device=r{i}"],
                           subprocess.PIPE, subprocess.PIPE, watched=False)
        self.relays.append(relay)
        self.delayed.append(i)
        if relay.stdout.readline() != b"ready\n":
            raise NoBed(relay.stderr.read().decode().strip() or "a relay does not start")
        batch("ip", name, ["link set eth0 down", f"addr del {self.ip(i)}/24 dev eth0",
                           f"link set far0 gso_max_size {LARGEST_SEGMENT} up",
                           f"addr add {self.ip(i)}/24 dev far0"])
        batch("ip", SWITCH, [f"link set r{i} gso_max_size {LARGEST_SEGMENT} master switch0 up"])
        batch("tc", name, [self.shape("far0", rate, NIC_BYTES)])
        batch("tc", SWITCH, [self.shape(f"r{i}", rate, PORT_BYTES)])

    def forget(self):
        """Addresses have moved."""
        for i in range(self.nodes):
            call("ip", "-n", f"{PREFIX}{i}", "neigh", "flush", "all", check=False)

    def restore(self):
        if not self.delayed:
            return
        self.stop(self.relays)
        for relay in self.relays:
            relay.stdout.close()
            relay.stderr.close()
        for i in self.delayed:
            batch("ip", f"{PREFIX}{i}", ["link set eth0 up", f"addr add {self.ip(i)}/24 dev eth0"])
        self.relays, self.delayed = [], []
        self.forget()

    def index(self, point, kind, index):
        return index if kind == "server" else point.servers + index

    def address(self, point, kind, index):
        return self.ip(self.index(point, kind, index))

    def name(self, point, kind, index):
        return ""

    def launch(self, point, kind, index, arguments, out, error):
        space = f"{PREFIX}{self.index(point, kind, index)}"
        return self.start(["ip", "netns", "exec", space, self.node] + arguments, out, error)

    def close(self):
        self.stop()
        if self.lock: # else they are another's
            clean()
            self.lock.close()


def missing():
    """What a bed lacks here, in one line, or nothing."""
    return lacks_tools() or probe()


def lacks_tools():
    if os.geteuid() != 0:
        return "needs root, for network namespaces"
    for tool in ("ip", "tc"):
        if not any(os.access(os.path.join(folder, tool), os.X_OK)
                   for folder in os.environ.get("PATH", "").split(os.pathsep)):
            return f"no {tool}: install iproute2"
    return None


def probe():
    space, name = f"{PREFIX}probe{os.getpid()}", f"v{os.getpid()}"
    try:
        call("ip", "netns", "add", space)
        batch("ip", space, [f"link add {name} type veth peer name w0",
                            f"link set {name} gso_max_size {LARGEST_SEGMENT}",
                            "link add name switch0 type bridge"])
        batch("tc", space, [f"qdisc add dev {name} root tbf rate 1gbit burst 20kb limit 500000"])
    except NoBed as problem:
        return f"no namespaces, veth, bridge or tbf here ({problem})"
    finally:
        subprocess.run(["ip", "netns", "del", space], stderr=subprocess.DEVNULL)
    return None


def processor_times():
    """Of all processors: what the emulator may have taken, steal, and all."""
    with open("/proc/stat", encoding="ascii") as stream:
        counts = map(int, stream.readline().split()[1:9])
    user, nice, system, idle, wait, irq, soft, steal = counts
    return (user + system + irq + soft, steal,
            user + nice + system + idle + wait + irq + soft + steal)
