#!/usr/bin/env python3
"""Writes mva.csv from mva.json and sim.txt from sim.json, for readers without JSON.

    python3 tests/golden/convert.py        (re)writes both in tests/golden

mva.csv: one row per number.

case      name of the network; its rows stand together
part      input | ps (Eq. 1 everywhere) | fcfs (Eq. 2 at stations 0 and 2)
quantity  input: population, think, demand, discipline (1 where part fcfs is FCFS)
          else:  throughput_total, throughput, response, queue, utilization,
                 class_queue, class_utilization
class     0-based, -1 where the number is not of one class
station   0-based, -1 where the number is not of one station
value     %.17g, which reads back to the same double

sim.txt: for each case these words, each followed by numbers:
case        name workers servers link(0 PS, 1 FCFS, 2 all-reduce) sync bandwidth window
            cap warmup
variants    overhead(0/1) alpha beta reappend_at_selection two_servers_unit fcfs_spill
order       how many, ops
profiles    how many; then for each "step", ops, and for each op
            resource(0 downlink, 1 worker, 2 uplink, 3 server) server amount waits, ops
sequence    steps of a worker; then worker by worker
expect      makespan events, throughput, the same to the first worker's end, and both
            without a warm-up; then the ends of steps worker by worker
op_ends     how many, ends of the ops of a first step (closed form)
trace       how many; then worker step op resource server ready start end
"""
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
SCALAR = {"X_total": "throughput_total"}
BY_CLASS = {"X_class": "throughput"}
BY_STATION = {"N_station": "queue", "U_station": "utilization"}
BY_BOTH = {"T_class": "response", "N_class": "class_queue", "U_class": "class_utilization"}
IGNORED = {"checked_by_enumeration"}


def inputs(case):
    for c, one in enumerate(case["classes"]):
        yield "population", c, -1, one["pop"]
        yield "think", c, -1, one["Z"]
        for l, demand in enumerate(one["S"]):
            yield "demand", c, l, demand
    for l in range(len(case["stations"])):
        yield "discipline", -1, l, int(l in case["fcfs_stations"])


def expected(numbers):
    for key, value in numbers.items():
        if key in SCALAR:
            yield SCALAR[key], -1, -1, value
        elif key in BY_CLASS:
            for c, x in enumerate(value):
                yield BY_CLASS[key], c, -1, x
        elif key in BY_STATION:
            for l, x in enumerate(value):
                yield BY_STATION[key], -1, l, x
        elif key in BY_BOTH:
            for c, row in enumerate(value):
                for l, x in enumerate(row):
                    yield BY_BOTH[key], c, l, x
        elif key not in IGNORED:
            raise SystemExit("unknown quantity " + key)


LINKS = ["PS", "FCFS", "ALL_REDUCE"]
RESOURCES = "DWUS"
THROUGHPUTS = ["steps_per_s", "steps_per_s_steady", "steps_per_s_drop0",
               "steps_per_s_drop0_steady"]


def text(*values):
    return " ".join("%.17g" % v if isinstance(v, float) else str(v) for v in values)


def resource(name):
    return RESOURCES.index(name[0]), int(name[1:] or 0)


def sim_lines(case):
    want = case["expect"]
    yield text("case", case["name"], case["W"], case["M"], LINKS.index(case["link"]),
               int(case["mode"] == "sync"), case["B"], case["win"], case["cap"],
               case["drop"])
    overhead = case["overhead"]
    yield text("variants", int(overhead is not None), *(overhead or [0, 0]),
               int(case.get("reappend") == "select"), int(case.get("two_ps") == "unit"),
               case.get("fcfs_spill", 0))
    order = case.get("order") or []
    yield text("order", len(order), *order)
    yield text("profiles", len(case["steps"]))
    for step in case["steps"]:
        yield text("step", len(step))
        for op in step:
            yield text(*resource(op["res"]), op.get("size", op.get("dur")),
                       len(op["deps"]), *op["deps"])
    yield text("sequence", len(case["seq"][0]))
    for one in case["seq"]:
        yield text(*one)
    yield text("expect", want["makespan"], want["events"],
               *(want[t] for t in THROUGHPUTS))
    for one in want["step_end"]:
        yield text(*one)
    ends = case.get("closed_form", {}).get("op_end", [])
    yield text("op_ends", len(ends), *ends)
    trace = want.get("trace", [])
    yield text("trace", len(trace))
    for worker, step, op, name, *times in trace:
        yield text(worker, step, op, *resource(name), *times)


def convert_sim():
    with open(os.path.join(HERE, "sim.json"), encoding="ascii") as file:
        golden = json.load(file)
    with open(os.path.join(HERE, "sim.txt"), "w", encoding="ascii", newline="\n") as file:
        for case in golden["cases"]:
            file.writelines(line + "\n" for line in sim_lines(case))


def main():
    convert_sim()
    with open(os.path.join(HERE, "mva.json"), encoding="ascii") as file:
        golden = json.load(file)
    with open(os.path.join(HERE, "mva.csv"), "w", encoding="ascii", newline="\n") as file:
        file.write("case,part,quantity,class,station,value\n")
        for case in golden["cases"]:
            parts = [("input", inputs(case))]
            parts += [(part, expected(case["expect"][part])) for part in ("ps", "fcfs")]
            for part, rows in parts:
                for quantity, c, l, value in rows:
                    file.write("%s,%s,%s,%d,%d,%.17g\n"
                               % (case["name"], part, quantity, c, l, value))


if __name__ == "__main__":
    main()
