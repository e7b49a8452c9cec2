"""From the numbers of runs to the dataset that sgdperf validate reads."""
import os
import statistics

import files
import measure
import plan as plans
import run

RESULTS = ["batches_per_s", "batches_per_s_sd", "repetitions", "runs", "seeds", "step_p10_s",
           "step_p50_s", "step_p90_s", "uplink_shared", "downlink_shared", "cpu_busy", "cpu_steal",
           "late_s", "clock_uncertainty_s", "congestion"]

FIRST = ["dataset", "point", "mode", "workers", "servers", "batch", "forward_s", "backward_s",
         "update_s", "model_bytes", "bandwidth_bytes_per_s", "overlap", "batches_per_s", "fit",
         "group", "role"]

MEANS = ("uplink_shared", "downlink_shared", "cpu_busy", "cpu_steal", "late_s",
         "clock_uncertainty_s")


def show(value):
    """Results in six digits, what comes of the plan in as many as make it the same again."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def beside(point, path, out):
    """A path given in the plan, as seen from the dataset."""
    if not path:
        return ""
    return os.path.relpath(os.path.join(point.folder, path),
                           os.path.dirname(os.path.realpath(out)))


def inputs_of(point, out):
    """The point's columns: as the plan has them, else their defaults or sums."""
    row = {}
    for column in plans.COLUMNS:
        value = getattr(point, column)
        row[column] = point.said(column) or (f"{value:.15g}" if isinstance(value, float)
                                             else value)
    row["mode"] = plans.KINDS.get(point.mode, point.mode)
    row["emulated"] = point.mode
    row["batch"] = row["role"] = row["fit"] = row["group"] = ""
    row["servers"] = "" if point.allreduce else point.servers
    for column in ("layers", "durations"):
        row[column] = beside(point, getattr(point, column), out)
    if point.types:
        row["forward_s"] = row["backward_s"] = ""
    if point.durations_s:
        mean = statistics.fmean(point.durations_s)
        row["compute_cv"] = statistics.pstdev(point.durations_s) / mean
    if point.jitter == "exponential":
        row["compute_cv"] = 1
    for column in ("worker_bandwidth_bytes_per_s", "flow_cap_bytes_per_s"):
        if not getattr(point, column):
            row[column] = ""
    return row


def row_of(point, runs, out):
    """A row of the dataset: the point's columns, and the numbers of its runs."""
    row = inputs_of(point, out)
    values = [r["batches_per_s"] for _, r in runs]
    gaps = [gap for _, r in runs for gap in r["gaps"]]
    row.update(batches_per_s=statistics.fmean(values), repetitions=len(values),
               batches_per_s_sd=statistics.stdev(values) if len(values) > 1 else "",
               runs=" ".join(show(v) for v in values), seeds=" ".join(str(s) for s, _ in runs))
    for name, q in (("step_p10_s", 0.1), ("step_p50_s", 0.5), ("step_p90_s", 0.9)):
        row[name] = measure.quantile(gaps, q)
    for name in MEANS:
        found = [r[name] for _, r in runs if r[name] is not None]
        row[name] = statistics.fmean(found) if found else ""
    row["congestion"] = " ".join(sorted({word for _, r in runs
                                         for word in r["congestion"].split()}))
    return row


def write(out, points, runs, options, held):
    """Rows of all points that have a run, in the order of the plan; whole, or not at all."""
    rows = [row_of(p, runs[i], out) for i, p in enumerate(points)
            if runs[i] and p.held_out == held]
    if not rows:
        return
    columns = FIRST + [c for c in list(plans.COLUMNS) + ["emulated"] + RESULTS
                       if c not in FIRST and c != "held_out"]
    text = [f"# Measured by validation/testbed/testbed.py from {os.path.basename(options.plan)}",
            f"# {options.repetitions} repetitions, seed {options.seed}, {os.uname().sysname} "
            f"{os.uname().release}, {os.cpu_count()} processors. Units as in the names of columns.",
            f"# Rule: {run.RULE}."]
    if any(row["layers"] or row["durations"] for row in rows):
        text.append("# Files in columns layers and durations are relative to the folder of this.")
    text.append(",".join(columns))
    text += [",".join(show(row[c]) for c in columns) for row in rows]
    files.replace(out, "\n".join(text) + "\n")
