#!/usr/bin/env python3
"""Writes mva.csv from mva.json, and sim.txt, sched.txt and balance.txt from the JSON
files of these names, for readers without JSON.

    python3 tests/golden/convert.py        (re)writes them in tests/golden

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

sched.txt: likewise, names without spaces:
throughput  network; seconds on the downlink, worker, uplink, server; steps, how many
            node counts; then X(w) of the hybrid, the exact and the FCFS solution
allocation  name policy(as sgdsched_policy) nodes fill head_of_line alpha alpha_low
            alpha_high load ties(0/1) jobs; then for each job held, how many, S(w);
            then the nodes of each, and those idle
cluster     name policy nodes fill head_of_line alpha alpha_low alpha_high load gamma
            chunk jobs; then for each job arrival, size, how many, X(w), completion; then
            the mean response time, how many decisions, and for each the time, how many
            jobs are present, and of each its number and nodes
Rules that a case does not name are 0, which stands for their default; -0 for zero.

balance.txt: the shares first, then one trace, then the predictors
share       X, how many, speeds, batches
curves      how many; then launch slope saturation_batch communication of each
start       batches
trace       rows; then the batches of each; iteration of the fine phase; last batches
series      how many, speeds
predicted   name, as many predictions
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


POLICIES = ["hell", "knee", "mold_hell", "mold_knee", "srpt", "waterfill", "equal", "jsq"]


def name_of(case):
    return case["name"].replace(" ", "_")


def number_of(given, key):
    return given.get(key, 0) or (-0.0 if key in given else 0)


def rules(case, given):
    known = {"fill", "backfill", "alpha", "alpha_L", "alpha_H", "load", "chunk"}
    unknown = set(given) - known - set(case)
    if unknown:
        raise SystemExit("unknown rule " + ", ".join(unknown))
    return (name_of(case), POLICIES.index(case["alg"]), case["W"],
            int(given.get("fill", False)), int(not given.get("backfill", True)),
            *(number_of(given, key) for key in ("alpha", "alpha_L", "alpha_H", "load")))


def sched_lines(golden):
    for network, case in golden["throughput"].items():
        times = case["times_s"]
        yield text("throughput", network, times["S_D"], times["S_W"], times["S_U"],
                   times["S_S"], case["steps"], len(case["X_hybrid"]))
        for key in "X_hybrid", "X_exact", "X_fcfs":
            yield text(*case[key])
    for case in golden["allocations"]:
        held = case.get("fixed") or [0] * len(case["S"])
        yield text("allocation", *rules(case, case), int(case["has_exact_tie"]),
                   len(case["S"]))
        for nodes, curve in zip(held, case["S"]):
            yield text(nodes, len(curve), *curve)
        yield text(*case["expect"], case["idle"])
    for case in golden["cluster_runs"]:
        yield text("cluster", *rules(case, case["par"]), case["gamma"],
                   case["par"].get("chunk", 0), len(case["size"]))
        for job in zip(case["arrival"], case["size"], case["X"], case["completion"]):
            yield text(job[0], job[1], len(job[2]), *job[2], job[3])
        decisions = case["allocations"] or []
        yield text(case["mean_response"], len(decisions))
        for time, nodes in decisions:
            yield text(time, len(nodes), *(n for pair in nodes.items() for n in pair))


def convert_sched():
    with open(os.path.join(HERE, "sched.json"), encoding="ascii") as file:
        golden = json.load(file)
    with open(os.path.join(HERE, "sched.txt"), "w", encoding="ascii", newline="\n") as file:
        file.writelines(line + "\n" for line in sched_lines(golden))


def balance_lines(golden):
    for one in golden["alg1"]:
        yield text("share", one["X"], len(one["v"]), *one["v"], *one["expect"])
    pairs = golden["alg2"]
    curves = pairs["curve_launch_slope_sat_tm"]
    yield text("curves", len(curves))
    for curve in curves:
        yield text(*curve)
    yield text("start", *pairs["x0"])
    yield text("trace", len(pairs["trace"]))
    for row in pairs["trace"]:
        yield text(*row)
    yield text(pairs["switch_iteration"], *pairs["final"])
    series = golden["predictors"]["series"]
    yield text("series", len(series), *series)
    for name, values in golden["predictors"].items():
        if name != "series":
            yield text("predicted", name, *values)


def convert_balance():
    with open(os.path.join(HERE, "balance.json"), encoding="ascii") as file:
        golden = json.load(file)
    with open(os.path.join(HERE, "balance.txt"), "w", encoding="ascii", newline="\n") as file:
        file.writelines(line + "\n" for line in balance_lines(golden))


def main():
    convert_sim()
    convert_sched()
    convert_balance()
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
