"""The program sgdperf, called as a process: what no header has, such as foreign traces, logs
of jobs, and pictures. Options have the names of the command line, with _ for -:
--max-jobs 2000 is max_jobs=2000, a switch is True, and a list is joined by commas.
"""

from __future__ import annotations

import csv
import io
import json
import os
import reprlib
import shutil
import subprocess
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

PathLike = Union[str, "os.PathLike[str]"]

__all__ = ["ProgramMissing", "ProgramFailed", "command", "import_trace", "cluster", "plot"]


class ProgramMissing(FileNotFoundError):
    """The program sgdperf is not installed, or is not where SGDPERF says."""


class ProgramFailed(RuntimeError):
    """The program refused its input, or did not reach an answer. `status` is its exit
    status; `out` is what it printed nevertheless, if it is JSON: with status 1 the check that
    did not hold, with status 3 the best estimate."""

    def __init__(self, status: int, text: str, out: Any = None):
        said = sorted(_said(out) - {"ok", "converged", "done"})
        super().__init__(text or f"sgdperf ended with status {status}"
                         f"{': ' * bool(said)}{', '.join(said)}")
        self.status = status
        self.text = text
        self.out = out

    def __reduce__(self) -> tuple:
        return type(self), (self.status, self.text, self.out)


def _said(out: Any) -> set:
    """What an answer and its points say of their status."""
    each = out if isinstance(out, list) else [out]
    found = {one.get("status", "ok") for one in each if isinstance(one, Mapping)}
    return found.union(*(_said(one["points"]) for one in each if isinstance(one, Mapping)
                         and "points" in one))


def _program() -> str:
    """The environment variable SGDPERF, else the program in PATH."""
    named = os.environ.get("SGDPERF")
    found = shutil.which(named or "sgdperf")
    if found is None:
        raise ProgramMissing(
            f"SGDPERF={named}: no such program" if named else
            "the program sgdperf is not in PATH: install it by 'make install', or name it by "
            "the environment variable SGDPERF")
    return found


def _option(name: str, value: Any) -> Iterable[str]:
    """An option as the command line has it; nothing for None and False."""
    flag = "--" + name.rstrip("_").replace("_", "-")
    if value is None:
        return []
    if hasattr(value, "tolist"):                # NumPy's arrays and numbers
        value = value.tolist()
    if value is True or value is False:
        return [flag] if value else []
    if isinstance(value, Mapping):
        _text(name, value, "a text, a number or a list")
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        value = ",".join(map(str, value))
    return [f"{flag}={value}"]


def _text(place: str, value: Any, expected: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{place}: {expected} is expected, not {reprlib.repr(value)}")
    return str(os.fspath(value))


def _file(place: str, name: PathLike, more: str = "") -> str:
    """A file as an argument, which never looks like an option or like stdin."""
    text = _text(place, name, "the name of a file" + more)
    return "./" + text if text.startswith("-") else text


def command(*arguments: PathLike, stdin: Optional[str] = None, **options: Any) -> Any:
    """Runs a command of the program with --format json, and returns what it prints: a dict,
    or a list of dicts if it prints several lines. Raises ProgramMissing or ProgramFailed.

        sgdperf.command("predict", profile="profile.csv", workers="1-8")["points"][7]["low"]
    """
    words = [_text("command", each, "a word of the command line") for each in arguments]
    said = [text for name, value in options.items() for text in _option(name, value)]
    done = subprocess.run(
        [_program(), *words, *said, "--format=json"], text=True, encoding="utf-8",
        errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        **({"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}))  # type: ignore
    out = _parsed(done.stdout)
    if done.returncode != 0:
        raise ProgramFailed(done.returncode, done.stderr.strip(), out)
    return out


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text.strip() else None
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None


def import_trace(file: PathLike, format: str = "auto", **options: Any) -> dict:
    """Reads a trace or profile of another program, as `sgdperf import` does, and returns what
    it holds. `profile`, `trace`, `layers` and `points` name files to write.

        found = sgdperf.import_trace("kineto.json", profile="profile.csv")
        found["predicted_step_s"]
    """
    known = [format] if format != "auto" else []
    more = " (several: command('import', 'kineto', 'RANK0', 'RANK1'))"
    return command("import", *known, _file("import_trace: file", file, more), **options)


def cluster(**options: Any) -> Any:
    """Simulates a cluster whose nodes training jobs share, as `sgdperf cluster` does, and
    returns response times. If `policies` or `sweep` compare several, the dict has a list "points".

        sgdperf.cluster(nodes=64, load=0.7, policy="hell")["mean_response_s"]
    """
    return command("cluster", **options)


def _as_text(table: Any) -> str:
    """Columns as CSV; anything else as JSON: a line for each dict of a list."""
    if isinstance(table, Mapping) and table and all(
            isinstance(column, Iterable) and not isinstance(column, (str, bytes, Mapping))
            for column in table.values()):
        columns = [list(column) for column in table.values()]
        for name, column in zip(table, columns):
            if len(column) != len(columns[0]):
                raise ValueError(f"{name}: {len(column)} elements, but the first column has "
                                 f"{len(columns[0])}")
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*columns))
        return out.getvalue()
    several = table if isinstance(table, (list, tuple)) else [table]
    return "".join(json.dumps(each, default=float) + "\n" for each in several)


def plot(what: Any, out: PathLike, **options: Any) -> dict:
    """Draws what the program printed, as `sgdperf plot` does, into a file in .svg, .png or .pdf.
    `what` is the name of a file, what `command` returned, or a dict of columns.

        sgdperf.plot({"workers": [1, 2, 4], "batches_per_s": [5.2, 9.5, 10.7]}, "curve.svg")
    """
    if isinstance(what, (str, Path, os.PathLike)):
        return command("plot", _file("plot", what), out=os.fspath(out), **options)
    return command("plot", "-", stdin=_as_text(what), out=os.fspath(out), **options)
