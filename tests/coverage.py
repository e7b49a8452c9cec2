#!/usr/bin/env python3
"""Lines and branches of the headers that the unit tests reach, counted by gcov.

    tests/coverage.py [--all | --rows] BUILD LIST [HEADER...]
    tests/coverage.py --tools [--all | --rows] BUILD LIST [FILE...]

BUILD is the folder of a build with gcc --coverage, whose tests have run (`make coverage`).
A branch is one way out of one condition: `if (a && b)` has four. Prints for each header what
is reached, and each branch and line that is not, as FILE:LINE with its source.

The Common block, which each header has and which is equal in all of them, counts as one: what
one of the headers takes there is taken in all.

LIST names what cannot be reached, a line each: header, function, the source of the line,
which of its branches (numbers from 1; 0 is the line itself), reason. Where the reason is
"no test yet" it could be reached, and counts as open. Ends with status 1 where something is
neither reached nor listed, or is listed and reached, or listed and gone. With --all what is
listed is printed too; with --rows only the rows of what is neither, for LIST.

With --tools the same for the files of tools/ in BUILD (`make coverage-tools`), those with the
most open branches first. What is open is told for each FILE alone. Ends with status 1 where less
than 97 % of what LIST does not excuse is reached, or where a row of LIST is gone; by chance, as
signals come, more may be reached than LIST says.
"""
import csv
import glob
import json
import os
import subprocess
import sys

UNTESTED = "no test yet"
TOOLS_WANTED = 97.0  # percent of their branches
HEADERS = sorted(glob.glob("sgdperf*.h"))


def count(build):
    """Per file and line: [function, count, counts of branches], summed over all programs."""
    lines = {}
    notes = glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True)
    for notes_of_one in notes:
        folder, name = os.path.split(os.path.abspath(notes_of_one))
        text = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", name],
                              cwd=folder, check=True, stdout=subprocess.PIPE).stdout
        for file in json.loads(text)["files"]:
            of_file = lines.setdefault(os.path.normpath(file["file"]), {})
            for line in file["lines"]:
                add(of_file, line)
    return lines


def add(of_file, line):
    """A line of a static function is compiled into several programs."""
    at = (line["line_number"], line.get("function_name", ""))
    taken = [branch["count"] for branch in line["branches"]]
    if at not in of_file:
        of_file[at] = [line["count"], taken]
        return
    known = of_file[at]
    known[0] += line["count"]
    if len(known[1]) == len(taken):
        known[1] = [a + b for a, b in zip(known[1], taken)]
    elif len(known[1]) < len(taken):
        known[1] = taken


def listed(path):
    """(header, function, source): {branch: reason}."""
    known = {}
    with open(path, newline="") as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        next(rows)
        for header, function, source, branches, reason in rows:
            reasons = known.setdefault((header, function, source), {})
            for branch in branches.split():
                reasons[int(branch)] = reason
    return known


def text_of(path):
    with open(path) as file:
        return [text.strip() for text in file]


def read(header):
    """The lines of a header, and the numbers of the first and last of its Common block."""
    source = text_of(header)
    first = next(i for i, text in enumerate(source) if text.startswith("/* ---- Common block"))
    last = next(i for i, text in enumerate(source) if text.startswith("/* ----") and i > first)
    return source, first + 1, last + 1


def join_common(lines):
    """Adds up the counts of the Common block over the headers."""
    sums, members = {}, []
    for header in HEADERS:
        source, first, last = read(header)
        prefix = next(text for text in source if text.endswith("_status;")).split()[-1][:-8]
        for (number, function), counted in lines.get(header, {}).items():
            if first <= number < last:
                key = (function.replace(prefix, "", 1), number - first, len(counted[1]))
                members.append((key, counted))
                total = sums.setdefault(key, [0, [0] * len(counted[1])])
                total[0] += counted[0]
                total[1] = [a + b for a, b in zip(total[1], counted[1])]
    for key, counted in members:
        counted[:] = sums[key]


def judge(header, of_file, known):
    """What is open, what is listed, rows for the list, and the header's row of the table."""
    source = text_of(header)
    lines = reached = branches = taken = excused = 0
    faults, told, rows, missed = [], [], {}, {}
    for (number, function), (executed, ways) in sorted(of_file.items()):
        text = source[number - 1]
        lines += 1
        reached += executed > 0
        branches += len(ways)
        taken += sum(way > 0 for way in ways)
        lost = [i + 1 for i, way in enumerate(ways) if way == 0]
        if executed == 0 and not ways:
            lost = [0]
        key = (header, function, text)
        open_ways = [way for way in lost if way not in known.get(key, {})]
        reasons = known.get(key, {})
        excused += sum(way > 0 and reasons.get(way, UNTESTED) != UNTESTED for way in lost)
        missed.setdefault(key, set()).update(lost)
        place = "%s:%d: %s: %s" % (header, number, function, text)
        if open_ways:
            what = "the line" if open_ways == [0] else "%s of %d" % (
                " ".join(map(str, open_ways)), len(ways))
            faults.append("%s\n    never: %s" % (place, what))
            rows.setdefault(key, set()).update(open_ways)
        elif lost:
            told.append("%s\n    listed: %s" % (place, reasons[lost[0]]))
    for key, reasons in known.items():
        if key[0] != header:
            continue
        taken_too = sorted(set(reasons) - missed.get(key, set()))
        if taken_too:
            what = "listed, and gone"
            if key in missed:
                what = "listed, and reached: %s" % " ".join(map(str, taken_too))
            faults.append("%s: %s: %s\n    %s" % (key + (what,)))
    return faults, told, rows, (header, lines, reached, branches, taken, excused)


def percent(part, whole):
    return "%.2f %%" % (100.0 if part == whole else min(99.99, 100.0 * part / whole))


def hand_over(build):
    """Lets each program in BUILD write its counts for gcov: tests/counted.c. The testbed's node,
    which is elsewhere, has nothing of tools/."""
    for counts in sorted(glob.glob(os.path.join(build, "**", "*.counts"), recursive=True)):
        program = os.path.abspath(counts[:-len(".counts")])
        if os.path.exists(program):
            subprocess.run([program], check=True, env=dict(os.environ, COUNTED_WRITE="1"))


def judge_tools(build, known, told, options):
    """The table of tools/; 0 if enough of it is reached."""
    hand_over(build)
    lines = {path: of_file for path, of_file in count(build).items() if path.startswith("tools/")}
    if not lines:
        print("coverage: nothing was counted in %s" % build)
        return 1
    judged = [judge(path, of_file, known) for path, of_file in sorted(lines.items())]
    if "--rows" in options:
        write_rows(judged)
        return 0
    for faults, listed_too, _, row in judged:
        for line in faults + (listed_too if "--all" in options else []):
            if row[0] in told or ("gone" in line and not told):
                print(line)
    rows = sorted((row for _, _, _, row in judged), key=lambda row: row[4] + row[5] - row[3])
    rows.append(("tools/",) + tuple(sum(column) for column in list(zip(*rows))[1:]))
    tell_rows("file", 34, rows)
    _, _, _, branches, taken, excused = rows[-1]
    gone = sorted({key[0] for key in known} - set(lines))
    for path in gone:
        print("%s: listed, and gone" % path)
    gone += [line for faults, _, _, _ in judged for line in faults if line.endswith("gone")]
    return 1 if gone or 100.0 * taken < TOOLS_WANTED * (branches - excused) else 0


def write_rows(judged):
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for _, _, rows, _ in judged:
        for key, ways in rows.items():
            writer.writerow(key + (" ".join(map(str, sorted(ways))), UNTESTED))


def tell_rows(title, width, rows):
    form = "%%-%ds %%6s %%8s %%9s %%7s %%7s %%5s %%12s" % width
    print(form % (title, "lines", "reached", "branches", "taken", "listed", "open", "of the rest"))
    for path, lines, reached, branches, taken, excused in rows:
        print(form % (path, lines, percent(reached, lines), branches, percent(taken, branches),
                      excused, branches - taken - excused, percent(taken, branches - excused)))


def main(arguments):
    options = [argument for argument in arguments if argument.startswith("--")]
    build, path, *headers = [argument for argument in arguments if argument not in options]
    known = listed(path)
    if "--tools" in options:
        return judge_tools(build, known, headers, options)
    lines = count(build)
    join_common(lines)
    judged = [judge(header, lines.get(header, {}), known) for header in headers or HEADERS]
    if "--rows" in options:
        write_rows(judged)
        return 0
    for faults, told, _, _ in judged:
        for line in faults + (told if "--all" in options else []):
            print(line)
    tell_rows("header", 18, [row for _, _, _, row in judged])
    faults = sum(len(faults) for faults, _, _, _ in judged)
    if faults:
        print("coverage: %d lines neither reached nor listed, or both" % faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
