#!/usr/bin/env python3
"""Mutants of the headers: one token is changed, and a unit test has to notice.

    tests/mutate.py [--mutants 400] [--seed 1] [--jobs CORES] BUILD LIST [HEADER...]

BUILD is the folder of a build without sanitizers (`make mutation`). A mutant has another
operator, comparison, constant or status, a condition negated or decided, or a statement less;
never in a comment, a text, an assertion or a line of the preprocessor, nor in a function that
nothing calls. So many of each header are drawn, by the seed. One that does not compile, or to
the code of the original, is drawn again.

All mutants of a header are compiled at once: a function has one body for each of its mutants,
and MUTANT in the environment chooses. gcov's counters tell which tests run the line, those are
run, the shortest first. A mutant is killed by a failed check, a crash, or by taking many times
the time or memory; what survives is printed. Results are kept in BUILD/mutants, so that a run
that was ended goes on; a survivor is tried again when tests have changed, one that was killed
while its header is the same is not.

LIST names the mutants that no test can kill, a line each: header, function, the source of the
line, mutation, reason. They do not count. Ends with status 1 where a score is below 97 %, or
where what is listed is killed, or gone.
"""
import argparse
import concurrent.futures
import csv
import glob
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections import namedtuple

HEADERS = ["sgdperf.h", "sgdperf_sim.h", "sgdperf_sched.h", "sgdperf_balance.h", "sgdperf_plan.h"]
WANTED = 0.97
CC = ["gcc", "-std=c99", "-ffp-contract=off", "-w", "-Werror=implicit-function-declaration", "-I."]
KIB = 4 << 20  # that a test may take

Token = namedtuple("Token", "kind text start")
Function = namedtuple("Function", "name head start end tokens")
Mutant = namedtuple("Mutant", "function start end new first line source mutation")
Test = namedtuple("Test", "name command seconds lines digest")

# ---- Source ------------------------------------------------------------------------

TOKEN = re.compile(r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|\s+)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[uUlLfF]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\+\+|--|->|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|.)""",
                   re.VERBOSE | re.DOTALL | re.MULTILINE)


def tokens_of(text, start, end):
    found = (match for match in TOKEN.finditer(text, start, end) if match.lastgroup != "skip")
    return [Token(match.lastgroup, match.group(), match.start()) for match in found]


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def partner(tokens, i, step):
    """The other parenthesis of the one at i."""
    depth = 0
    while True:
        depth += (tokens[i].text in "([{") - (tokens[i].text in ")]}")
        if depth == 0:
            return i
        i += step


def functions_of(text):
    """Those of the implementation; a definition is a pair of braces after a parenthesis."""
    begin = re.search(r"^#define SGDPERF\w*_IMPLEMENTED$", text, re.MULTILINE).end()
    tokens = tokens_of(text, begin, len(text))
    found, i, first = [], 0, 0
    while i < len(tokens):
        if tokens[i].text == "extern" and tokens[i + 1].kind == "text":
            i = first = i + 3  # extern "C" {
        elif tokens[i].text in "{([":
            last = partner(tokens, i, 1)
            if tokens[i].text == "{" and tokens[i - 1].text == ")":
                name = tokens[partner(tokens, i - 1, -1) - 1].text
                found.append(Function(name, tokens[first].start, tokens[i].start,
                                      tokens[last].start + 1, tokens[i:last + 1]))
                first = last + 1
            i = last + 1
        else:
            i += 1
            if tokens[i - 1].text == ";":
                first = i
    return found


# ---- Mutations ---------------------------------------------------------------------

SWAPS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
         "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",), "%": ("/",), "/": ("*",),
         "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "++": ("--",), "--": ("++",),
         "<<": (">>",), ">>": ("<<",), "|": ("&",), "^": ("|",), "|=": ("&=",), "&=": ("|=",),
         "?": ("&& 0 ?", "|| 1 ?")}
SIGNS = {"+": ("-",), "-": ("+",), "*": ("/",), "&": ("|",)}  # where they have two operands
NEITHER = set("return if else for while do switch case default goto sizeof typedef static const "
              "struct enum union".split())


def numbers(text):
    """That number and one, less one, and 0."""
    digits = re.match(r"0[xX][0-9a-fA-F]+|[\d.]+(?:[eE][-+]?\d+)?", text).group()
    real = not digits[:2].lower() == "0x" and re.search(r"[.eE]", digits)
    value, suffix = (float(digits) if real else int(digits, 0)), text[len(digits):]
    others = [value + 1] + [value - 1] * (value > 0 and value != 1) + [0] * (value != 0)
    return ["%s%s" % (repr(float(other)) if real else other, suffix) for other in others]


def statement(tokens, i):
    """The index of the ; that ends the assignment, call or jump that begins at i, or None."""
    name, before = tokens[i], tokens[i - 1].text
    if before == ")":
        before = tokens[partner(tokens, i - 1, -1) - 1].text
        if before not in ("if", "for", "while"):
            return None
    elif before not in (";", "{", "}", "else"):
        return None
    if name.text in NEITHER or tokens[i + 1].kind == "name" \
            or name.kind != "name" and name.text not in ("*", "++", "--"):
        return None
    last = i
    while tokens[last].text not in (";", "{"):
        last = partner(tokens, last, 1) + 1 if tokens[last].text in "([" else last + 1
    return last if tokens[last].text == ";" and last > i else None


def changes(tokens, i, statuses):
    """Each [first token, last token, what stands there, how it is told] for the token at i."""
    kind, text, _ = tokens[i]
    binary = tokens[i - 1].kind in ("name", "number") and tokens[i - 1].text not in NEITHER
    found = []
    if kind == "number":
        found += [(i, i, new, text + " -> " + new) for new in numbers(text)]
    for new in SWAPS.get(text, ()):
        found.append((i, i, new, text + " -> " + new))
    if binary or tokens[i - 1].text in (")", "]"):
        found += [(i, i, new, text + " -> " + new) for new in SIGNS.get(text, ())]
    if text == "!":
        found.append((i, i, "", "! dropped"))
    if text in ("if", "while") and tokens[i + 1].text == "(":
        last = partner(tokens, i + 1, 1)
        found.append((i + 1, last, None, text + " negated"))
    if text in statuses:
        at = statuses.index(text)
        others = [statuses[0]] * (at > 0) + [statuses[1 if at != 1 else 2]]
        found += [(i, i, new, text + " -> " + new) for new in others]
    if re.search(r"(^|_|f)(min|max)(_|$)", text) and tokens[i + 1].text == "(":
        new = re.sub("min|max", lambda word: {"min": "max", "max": "min"}[word.group()], text)
        found.append((i, i, new, text + " -> " + new))
    if text in ("break", "continue"):
        new = {"break": "continue", "continue": "break"}[text]
        found.append((i, i, new, text + " -> " + new))
    return found


def mutants_of(text, functions):
    """All of a header, in the order of the source."""
    statuses = re.findall(r"X\((\w+),", re.search(
        r"STATUS_TABLE\(X\)((?:[^\n]*\\\n)*[^\n]*)", text).group(1))
    lines, found = text.split("\n"), []
    for function in functions:
        top = line_of(text, function.head)
        tokens, i, depth, told = function.tokens, 1, 0, {}
        while i < len(tokens) - 1:
            if tokens[i].text.endswith("_ASSERT"):
                i = partner(tokens, i + 1, 1) + 1
                continue
            depth += (tokens[i].text == "(") - (tokens[i].text == ")")
            ways, last = changes(tokens, i, statuses), depth == 0 and statement(tokens, i)
            if last:
                ways.append((i, last, ";", "statement dropped"))
            for first, last, new, mutation in ways:
                start, end = tokens[first].start, tokens[last].start + len(tokens[last].text)
                line = top + text.count("\n", function.head, start)
                told[line, mutation] = nth = told.get((line, mutation), 0) + 1
                if new is None:
                    new = "(!" + text[start:end] + ")"
                found.append(Mutant(function.name, start, end, new, top, line,
                                    lines[line - 1].strip(), mutation + (" (%d)" % nth if nth > 1 else "")))
            i += 1
    return found


# ---- Code --------------------------------------------------------------------------

def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, errors="replace", **more)


def changed(text, mutant, start, end):
    return text[start:mutant.start] + mutant.new + text[mutant.end:end]


def bodies(assembly):
    """The instructions of each function, without its own name and numbers of labels."""
    found = {}
    for name, body in re.findall(r"^(\w+):\n(.*?)^\t\.size\t\1,", assembly, re.DOTALL | re.MULTILINE):
        labels = {}
        body = re.sub(r"\.L\d+|\b%s\b" % name,
                      lambda label: labels.setdefault(label.group(), "L%d" % len(labels)), body)
        found[name] = body
    return found


def differing(path, define, text, functions, mutants):
    """Those that compile, and to other code than the original: a function each."""
    of_name = {function.name: function for function in functions}
    own = "static __attribute__((noinline, noclone, used)) "
    tried = list(mutants)
    while tried:
        parts, first, line = [text], {}, text.count("\n") + 1
        for i in range(-1, len(tried)):
            for name in sorted({m.function for m in tried}) if i < 0 else [tried[i].function]:
                f = of_name[name]
                head = re.sub(r"\b(static|inline|[A-Z]+_API)\b", "", text[f.head:f.start])
                new = re.sub(r"\b%s\b(?=\s*\()" % name, "%s__%d" % (name, i + 1), head, 1)
                body = changed(text, tried[i], f.start, f.end) if i >= 0 else text[f.start:f.end]
                parts.append(own + new + body + "\n")
                first[line] = i
                line += parts[-1].count("\n")
        with open(path + ".c", "w") as file:
            file.write("".join(parts))
        done = run(CC + ["-O2", "-S", "-DNDEBUG", "-fno-ipa-icf", "-fno-ipa-cp", "-fno-ipa-ra",
                         "-fno-partial-inlining", "-fno-asynchronous-unwind-tables", define,
                         "-o", path + ".s", path + ".c"])
        if done.returncode == 0:
            with open(path + ".s") as file:
                code = bodies(file.read())
            return [m for i, m in enumerate(tried)
                    if code["%s__%d" % (m.function, i + 1)] != code["%s__0" % m.function]]
        starts = sorted(first)
        wrong = set()
        for at in re.findall(r"\.c:(\d+):\d+: (?:fatal )?error", done.stderr):
            wrong.add(first[max(start for start in starts if start <= int(at))])
        if not wrong or -1 in wrong:
            sys.exit("mutate: %s: %s" % (path, done.stderr[:2000]))
        tried = [m for i, m in enumerate(tried) if i not in wrong]
    return []


def draw(path, define, text, functions, candidates, count, seed):
    """So many by chance; a larger count of the same seed has them too."""
    order = list(candidates)
    random.Random(seed).shuffle(order)
    drawn, at = [], 0
    while len(drawn) < count and at < len(order):
        more = max(50, (count - len(drawn)) * 5 // 4)
        drawn += differing(path, define, text, functions, order[at:at + more])
        at += more
    return drawn[:count]


def schemata(text, functions, mutants):
    """The header with a body for each mutant, numbered from 1."""
    chosen, parts, at = {}, [], 0
    for i, mutant in enumerate(mutants):
        chosen.setdefault(mutant.function, []).append((i + 1, mutant))
    begin = re.search(r"^#define SGDPERF\w*_IMPLEMENTED\n", text, re.MULTILINE).end()
    parts += [text[:begin], "extern char *getenv(const char *); extern int atoi(const char *);\n"
              "static int mutant_chosen;\n"
              "static __attribute__((constructor)) void mutant_choose(void)\n"
              "{ const char *id = getenv(\"MUTANT\"); if (id) mutant_chosen = atoi(id); }\n"]
    at = begin
    for f in functions:
        cases = ["\ncase %d: %s break;" % (i, changed(text, m, f.start, f.end))
                 for i, m in chosen.get(f.name, [])]
        if cases:
            parts += [text[at:f.start], "{ switch (mutant_chosen) {", *cases, "\ndefault: ",
                      text[f.start:f.end], "} }"]
            at = f.end
    return "".join(parts) + text[at:]


# ---- Tests -------------------------------------------------------------------------

def implemented(header):
    return "-D%s_IMPLEMENTATION" % header[:-2].upper()


def build_tests(build, header, text, folder, names, flags):
    """Links the tests with that text for the header, in the folder."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, header), "w") as file:
        file.write(text)
    implementation = os.path.join(folder, "header.o")
    made = [CC + flags + [implemented(header), "-include", os.path.join(folder, header), "-x", "c", "/dev/null",
                          "-c", "-o", implementation]]
    archives = [os.path.join(build, "test", name) for name in ("tools.a", "headers.a")]
    libraries = ["-lm", "-pthread"] + [flag for flag in flags if flag == "--coverage"]
    links = []
    for name in names:
        unit = os.path.join(build, "test", name + ".o")
        with open("tests/%s.c" % name) as file:
            source = file.read()
        own = bool(re.search(r"^#define SGDPERF\w*_IMPLEMENTATION$", source, re.MULTILINE))
        if own:  # includes the implementation
            unit = os.path.join(folder, name + ".o")
            with open(os.path.join(folder, name + ".c"), "w") as file:
                file.write(source.replace('"../%s"' % header, '"%s"' % header))
            made.append(CC + flags + ["-Itests", "-Itools", "-c", "-o", unit,
                                      os.path.join(folder, name + ".c")])
        links.append(["gcc", "-o", os.path.join(folder, name), unit]
                     + [implementation] * (not own) + archives + libraries)
    for command in made + links:
        done = run(command)
        if done.returncode != 0:
            sys.exit("mutate: %s: %s" % (" ".join(command), done.stderr[:2000]))


def lines_run(folder, name, header):
    """{line: does the test run it}, of the counters that it left."""
    found = {}
    for counters in glob.glob(os.path.join(folder, "*.gcda")):
        text = run(["gcov", "--json-format", "--stdout", os.path.basename(counters)], cwd=folder).stdout
        for file in json.loads(text)["files"]:
            if os.path.basename(file["file"]) == header:
                for line in file["lines"]:
                    number = line["line_number"]
                    found[number] = found.get(number, False) or line["count"] > 0
        os.remove(counters)
    return found


def measure(build, header, text):
    """The tests that include the header: what they run of it, in which time."""
    folder, names = os.path.join(build, "mutants", header + ".counted"), []
    for rules in sorted(glob.glob(os.path.join(build, "test", "*.d"))):
        with open(rules) as file:
            if re.search(r"(^|[\s/])%s\b" % re.escape(header), file.read()):
                names.append(os.path.basename(rules)[:-2])
    build_tests(build, header, text, folder, names, ["-O0", "--coverage"])
    tests = []
    for name in names:
        program, before = os.path.join(folder, name), os.times()
        done = run([program])
        after = os.times()
        if done.returncode != 0:
            sys.exit("mutate: %s fails without a mutant\n%s" % (name, done.stderr[:2000]))
        seconds = sum(after[2:4]) - sum(before[2:4])
        with open(os.path.join(build, "test", name + ".o"), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:12]
        tests.append(Test(name, program, seconds, lines_run(folder, name, header), digest))
    return tests


def killed_by(test, number):
    """Does this test notice the mutant of that number?"""
    limits = "ulimit -v %d; ulimit -t %d; exec %s" % (KIB, 2 + 3 * test.seconds, test.command)
    process = subprocess.Popen(["sh", "-c", limits], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True,
                               env=dict(os.environ, MUTANT=str(number)))
    with process.stderr as errors:
        failed = any(b": failed: " in line for line in errors)
    if failed:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return process.wait() != 0 or failed


def judge(mutant, number, tests):
    """The name of the first test that kills it, or an empty text."""
    for test in sorted(tests, key=lambda test: test.seconds):
        before = max((n for n in test.lines if mutant.first <= n <= mutant.line), default=None)
        after = min((n for n in test.lines if n >= mutant.line), default=None)
        if (test.lines.get(before) or test.lines.get(after)) and killed_by(test, number):
            return test.name
    return ""


def judge_all(journal, text, mutants, tests, jobs):
    """What judge says of each; of the journal what is in it, into the journal what is not."""
    header = hashlib.sha256(text.encode()).hexdigest()[:12]
    suite = hashlib.sha256("".join(test.digest for test in tests).encode()).hexdigest()[:12]
    known = {}
    if os.path.exists(journal):
        with open(journal) as file:
            known = dict(line.rstrip("\n").split("\t") for line in file if line.endswith("\n"))
    keys = ["%s %d %d %s" % (header, m.start, m.end, m.new) for m in mutants]
    alive = "survives " + suite
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(journal, "a") as file:
        asked = {pool.submit(judge, mutant, i + 1, tests): keys[i]
                 for i, mutant in enumerate(mutants)
                 if known.get(keys[i], "survives")[:8] == "survives" and known.get(keys[i]) != alive}
        for i, done in enumerate(concurrent.futures.as_completed(asked)):
            known[asked[done]] = done.result() or alive
            file.write("%s\t%s\n" % (asked[done], known[asked[done]]))
            file.flush()
            if sys.stderr.isatty():
                print("\r%d of %d " % (i + 1, len(asked)), end="", file=sys.stderr, flush=True)
    return [known[key] != alive for key in keys]


# ---- Report ------------------------------------------------------------------------

def listed(path, header):
    """{(function, source, mutation): reason} of a header."""
    with open(path, newline="") as file:
        return {(row["function"], row["source"], row["mutation"]): row["reason"]
                for row in csv.DictReader(line for line in file if not line.startswith("#"))
                if row["header"] == header}


def score(header, options):
    """Prints what survives of a header, and its row; how many faults there are."""
    with open(header) as file:
        text = file.read()
    functions = functions_of(text)
    tests = measure(options.build, header, text)
    lines = {number for test in tests for number in test.lines}
    candidates = mutants_of(text, [f for f in functions if not lines.isdisjoint(
        range(line_of(text, f.head), line_of(text, f.end) + 1))])
    folder = os.path.join(options.build, "mutants", header)
    os.makedirs(folder, exist_ok=True)
    drawn = draw(os.path.join(folder, "drawn"), implemented(header), text, functions, candidates,
                 options.mutants, options.seed)
    build_tests(options.build, header, schemata(text, functions, drawn), folder,
                [test.name for test in tests], ["-O1"])
    tests = [test._replace(command=os.path.join(folder, test.name)) for test in tests]
    killed = judge_all(folder + ".journal", text, drawn, tests, options.jobs)
    reasons, faults, excused = listed(options.list, header), 0, set()
    for mutant, dead in zip(drawn, killed):
        key = (mutant.function, mutant.source, mutant.mutation)
        if key in reasons and not dead:
            excused.add(key)
        elif key in reasons or not dead:
            faults += key in reasons
            print("%s:%d: %s: %s%s\n    %s" % (header, mutant.line, mutant.function, mutant.mutation,
                                             ": listed, and killed" * dead, mutant.source))
    every = {(mutant.function, mutant.source, mutant.mutation) for mutant in candidates}
    for key in sorted(set(reasons) - every):
        faults += 1
        print("%s: %s: %s: listed, and gone\n    %s" % (header, key[0], key[2], key[1]))
    rest, dead = len(drawn) - len(excused), sum(killed)
    return faults + (dead < WANTED * rest), (header, len(candidates), len(drawn), dead,
                                             len(excused), rest - dead, 100.0 * dead / max(rest, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("build")
    parser.add_argument("list")
    parser.add_argument("headers", nargs="*", default=HEADERS)
    options = parser.parse_args()
    scores = [score(header, options) for header in options.headers]
    print("%-18s %10s %7s %7s %11s %9s %8s" % (
        "header", "candidates", "mutants", "killed", "equivalent", "survive", "score"))
    for _, row in scores:
        print("%-18s %10d %7d %7d %11d %9d %6.2f %%" % row)
    return 1 if any(faults for faults, _ in scores) else 0


if __name__ == "__main__":
    sys.exit(main())
