#!/usr/bin/env python3
"""Writes mva.csv from mva.json: one row per number, for a reader without JSON.

    python3 tests/golden/convert.py        (re)writes tests/golden/mva.csv

case      name of the network; its rows stand together
part      input | ps (Eq. 1 everywhere) | fcfs (Eq. 2 at stations 0 and 2)
quantity  input: population, think, demand, discipline (1 where part fcfs is FCFS)
          else:  throughput_total, throughput, response, queue, utilization,
                 class_queue, class_utilization
class     0-based, -1 where the number is not of one class
station   0-based, -1 where the number is not of one station
value     %.17g, which reads back to the same double
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


def main():
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
