#!/usr/bin/env python3
"""Mutants of the headers: one token is changed, and a unit test has to notice.

    tests/mutate.py [--mutants 400] [--seed 1] [--jobs CORES] BUILD LIST [HEADER...]
    tests/mutate.py [...] BUILD LIST tools   the sources of the program, by all of their tests
    tests/mutate.py --stale LIST     names the rows whose function has changed
    tests/mutate.py --stamp LIST     takes all functions as they are, once reasons are read again

BUILD is the folder of a build without sanitizers (`make mutation`). A mutant has another
operator, constant or status, a condition negated or decided, or a statement less. Or it is a
fault of meaning: another field of the same record and unit, a term less in a sum, a minimum for
a maximum, the branches of a choice swapped, the last that is found for the first, or a loop over
the first element alone. No assertion is changed, nor a function that nothing calls. The hash of
the seed, the line and the mutation draws the mutants of each header. A mutant that does not
compile, or compiles to the same code, is replaced by another one.

All mutants of a header are compiled at once: a function has a body for each, and MUTANT in the
environment chooses. Of the tests that run the line, as gcov counts, the shortest is first. A
mutant is killed by a failed check, a crash, or by taking many times the time or memory; or, as
in `make test`, by a sanitizer, with which those are tried that else survive: fuzz targets then
have gaps between arrays of work areas. Results are kept in BUILD/mutants: a run that was ended
goes on, and a survivor is tried again once tests have changed; one that was killed is not, as
long as its header is the same.

LIST names the mutants that no test can kill, a line each: file, function, the hash of its
body, the source of the line without comments, mutation, reason. They do not count. A * for the
mutation stands for any, one for the source too for any line: what survives there is of no effect.
A reason holds for the body that it was given for: comments and blanks do not change the hash, all
else does. Ends with status 1 where a score is below 96 %, that of tools/ below 85 %, or where what is
listed is killed, or gone.

Mutants of tools/ are drawn from all files. A test that enters the function of a mutant is run: the
test programs, then the scripts of tests/cli that work for less than SCRIPT_S seconds, then the
programs with sanitizers.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

COMMON = "sgdperf_balance.h"  # whose tests reach all of the Common block, equal in all headers
HEADERS = sorted(path.name for path in Path(".").glob("sgdperf*.h"))
CC = ["gcc", "-std=c99", "-ffp-contract=off", "-w", "-Werror=implicit-function-declaration", "-I."]
BANNERS = "/* ---- Common block", "/* ---- End of the Common block"
KIB = 4 << 20  # that a test may take
UNSET = "-ftrivial-auto-var-init=pattern"  # a variable that is not set is the same in all runs
CHECKED = {"ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=4096"}
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
PASS_ROOM = r"(SGDP_PRIV_PASS_DOUBLES = )64,", r"\g<1>256,"  # with gaps, as in rules.mk
SCRIPT_S = 20
CHOICE = """extern char *getenv(const char *); extern int atoi(const char *);
static int mutant;
static __attribute__((constructor)) void mutant_choose(void)
{ const char *number = getenv("MUTANT"); mutant = number ? atoi(number) : 0; }
"""
# A line for each function that a process enters, by the first of its mutants.
REACHED = """extern int mutant_open(const char *, int, ...) __asm__("open");
extern int mutant_close(int) __asm__("close"), dprintf(int, const char *, ...);
static void mutant_reached(int number, char *told)
{ const char *path = getenv("MUTANTS_REACHED"); int file;
  if (*told || !path) return;
  *told = 1; file = mutant_open(path, 02001);
  if (file >= 0) { dprintf(file, "%d\\n", number); mutant_close(file); } }
"""

Token = namedtuple("Token", "kind text start")
Function = namedtuple("Function", "name head start end tokens")
Mutant = namedtuple("Mutant", "start end new first line function source mutation")
Test = namedtuple("Test", "name command seconds lines digest most_s limit")

# ---- Source ------------------------------------------------------------------------

TOKEN = re.compile(r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:\\\n|[^\n])*|\s+)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[uUlLfF]*)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign><<=|>>=|\+\+|--|->|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|.)""",
                   re.VERBOSE | re.DOTALL | re.MULTILINE)


def digest_of(bytes_of):
    return hashlib.sha256(bytes_of).hexdigest()[:12]


def bare(line):
    """Without what a comment says."""
    return re.sub(r"\s*/\*.*?(\*/|$)", "", line).strip()


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
    """Those of the implementation, or of a source that has no other part; a definition is a pair
    of braces after a parenthesis."""
    header = re.search(r"^#define SGDPERF\w*_IMPLEMENTED$", text, re.MULTILINE)
    begin = header.end() if header else 0
    tokens = [Token(match.lastgroup, match.group(), match.start())
              for match in TOKEN.finditer(text, begin) if match.lastgroup != "skip"]
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
            first = i + 1 if tokens[i].text == ";" else first
            i += 1
    return found


# ---- Mutations ---------------------------------------------------------------------

SWAPS = {"<": "<= >=", "<=": "< >", ">": ">= <=", ">=": "> <", "==": "!=", "!=": "==",
         "&&": "||", "||": "&&", "%": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
         "++": "--", "--": "++", "<<": ">>", ">>": "<<", "|": "&", "^": "|", "|=": "&=", "&=": "|=",
         "break": "continue", "continue": "break"}
SIGNS = {"+": "-", "-": "+", "*": "/", "&": "|"}  # where they have two operands
NEITHER = set("return if else for while do switch case default goto sizeof typedef static const "
              "struct enum union".split())


def numbers(text):
    """That number and one, less one, and 0."""
    digits = re.match(r"0[xX][0-9a-fA-F]+|[\d.]+(?:[eE][-+]?\d+)?", text).group()
    real = not digits[:2].lower() == "0x" and re.search(r"[.eE]", digits)
    base = 8 if re.fullmatch(r"0\d+", digits) else 0
    value, suffix = (float(digits) if real else int(digits, base)), text[len(digits):]
    others = [value + 1] + [value - 1] * (value > 0 and value != 1) + [0] * (value != 0)
    return ["%s%s" % (repr(float(other)) if real else other, suffix) for other in others]


def statement(tokens, i):
    """The index of the ; that ends the assignment, call or jump that begins at i, or None."""
    name, before, last = tokens[i], tokens[i - 1].text, i
    if before == ")":
        before = tokens[partner(tokens, i - 1, -1) - 1].text
    if before not in ("if", "for", "while", ";", "{", "}", "else") or name.text in NEITHER \
            or tokens[i + 1].kind == "name" \
            or name.kind != "name" and name.text not in ("*", "++", "--"):
        return None
    while tokens[last].text not in (";", "}"):
        last = partner(tokens, last, 1) + 1 if tokens[last].text in "([{" else last + 1
    return last if tokens[last].text == ";" else None


UNITS = re.compile(r"_(s|bytes|(?:\w+_)?per_s|count|workers|servers|nodes|error)$")


def siblings_of(text):
    """{field: the next field of the same unit in a record that has both}."""
    found = {}
    for body in re.findall(r"^typedef struct \w+ \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE):
        body, of_unit = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL), {}
        for kind, names in re.findall(r"^ +(double|size_t|uint32_t|uint64_t) +([\w\s,]+);", body,
                                      re.MULTILINE):
            for name in re.split(r"[\s,]+", names.strip()):
                unit = UNITS.search(name)
                of_unit.setdefault((kind, unit.group(1) if unit else ""), []).append(name)
        for (_, unit), names in of_unit.items():
            for i, name in enumerate(names if unit and len(names) > 1 else []):
                found.setdefault(name, names[(i + 1) % len(names)])
    return found


def end_of_term(tokens, i, step):
    """The last token of the operand that begins behind the sign at i, or ends before it."""
    ends = {";", ",", "?", ":", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "=", "+=", "-=",
            "+", "-", "return", "{", "}"}
    closing, at = ")]" if step > 0 else "([", i + step
    while tokens[at].text not in ends and tokens[at].text not in closing:
        if tokens[at].text in ("([" if step > 0 else ")]"):
            at = partner(tokens, at, step)
        at += step
    return at - step


def meanings(tokens, i, siblings):
    """As changes: what is of the right kind, and not what was meant."""
    text, before, found = tokens[i].text, tokens[i - 1], []
    if before.text in (".", "->") and text in siblings:
        found.append((i, i, siblings[text], "%s -> %s" % (text, siblings[text])))
    if text in ("+", "-") and (before.text in (")", "]") or before.kind in ("name", "number")) \
            and before.text not in NEITHER:
        last, first = end_of_term(tokens, i, 1), end_of_term(tokens, i, -1)
        if last > i and not (last == i + 1 and tokens[last].kind == "number"):
            found.append((i, last, "", "term behind %s dropped" % text))
        if text == "+" and first < i and not (first == i - 1 and before.kind == "number"):
            found.append((first, i, "", "term before + dropped"))
    if text == "?":
        middle = i + 1
        while tokens[middle].text != ":":
            if tokens[middle].text in ";?":
                return found                           # a choice within a choice
            middle = partner(tokens, middle, 1) + 1 if tokens[middle].text in "([" else middle + 1
        last = middle + 1
        while tokens[last].text not in (";", ",", ")", "]", "?", "}", ":"):
            last = partner(tokens, last, 1) + 1 if tokens[last].text in "([" else last + 1
        if tokens[last].text not in "?:":
            found.append((i, last - 1, (middle + 1, last, i + 1, middle), "branches swapped"))
    if text == "for" and tokens[i + 1].text == "(":
        found += loops(tokens, i + 2, partner(tokens, i + 1, 1))
    return found


def loops(tokens, first, last):
    """The first element alone for all, and the last that is found for the first."""
    parts = [[]]
    for token in tokens[first:last]:
        if token.text == ";":
            parts.append([])
        else:
            parts[-1].append(token.text)
    if len(parts) != 3 or len(parts[0]) < 3 or parts[0][-2] != "=" or parts[1][1:2] != ["<"]:
        return []
    name, start, limit = parts[0][-3], parts[0][-1], " ".join(parts[1][2:])
    if parts[1][0] != name or parts[2] != [name, "++"] or "&&" in parts[1]:
        return []
    found = [(first, last - 1, "%s; %s < %s && %s <= %s; %s++" % (
        " ".join(parts[0]), name, limit, name, start, name), "loop over the first alone")]
    end = partner(tokens, last + 1, 1) if tokens[last + 1].text == "{" else last + 1
    while tokens[end].text not in ";}":
        end += 1
    body = tokens[last + 1:end + 1]
    searches = any(token.text == "break" or token.text == "return" and (
        body[i + 1].kind == "name" and body[i + 1].text.upper() != body[i + 1].text)
        for i, token in enumerate(body))
    if searches and start == "0" and len(parts[0]) == 3:
        found.append((first, last - 1, "%s = %s; %s-- > 0;" % (name, limit, name),
                      "loop backwards"))
    return found


def is_extreme(tokens, i):
    """Does the comparison at i choose the lesser or greater of two? Which of equals is no matter."""
    first = i
    while tokens[first - 1].text not in ("(", ",", "=", "return", ";", "?", ":", "&&", "||"):
        first -= 1 if tokens[first - 1].text not in ")]" else \
            first - partner(tokens, first - 1, -1)
    last, text = i + 1, lambda a, b: [token.text for token in tokens[a:b]]
    while tokens[last].text not in ("?", ")", ";", ",", "&&", "||", ":"):
        last = partner(tokens, last, 1) + 1 if tokens[last].text in "([" else last + 1
    two = [text(first, i), text(i + 1, last)]
    if tokens[last].text == ")" and text(first - 2, first) == ["if", "("]:
        at, of = last + 1, "="                         # if (a < b) b = a;
    else:
        at, of = last + 1, ":"
        if tokens[last].text != "?":
            return False
    middle = at
    while tokens[middle].text not in (of, ";", "{", "}"):
        middle += 1
    end = middle + 1
    while tokens[middle].text == of and tokens[end].text not in (";", ",", ")", "?", ":"):
        end = partner(tokens, end, 1) + 1 if tokens[end].text in "([" else end + 1
    return sorted(two) == sorted([text(at, middle), text(middle + 1, end)]) \
        and not (of == "=" and tokens[min(end + 1, len(tokens) - 1)].text == "else")


def changes(tokens, i, statuses):
    """Each [first token, last token, what stands there, how it is told] for the token at i."""
    kind, text, _ = tokens[i]
    before, others = tokens[i - 1], SWAPS.get(text, "").split()
    if kind == "number":
        is_truth = before.text == "return" and text == "1" and tokens[i + 1].text == ";"
        others = ["0"] if is_truth else numbers(text)
    elif text == "?":
        others = ["&& 0 ?", "|| 1 ?"]
    elif statuses and text in statuses:
        others = {statuses[0], statuses[1 + (text == statuses[1])]} - {text}
    elif re.search(r"(^|_|f)(min|max)(_|$)", text) and tokens[i + 1].text == "(":
        others = [re.sub("min|max", lambda of: "max" if of.group() == "min" else "min", text)]
    elif before.text in (")", "]") or before.kind in ("name", "number") \
            and before.text not in NEITHER:
        others += SIGNS.get(text, "").split()
    if text in ("<", "<=", ">", ">=") and is_extreme(tokens, i):
        others = [other for other in others if other[0] != text[0]]
    found = [(i, i, new, text + " -> " + new) for new in sorted(others)]
    if text == "!":
        found.append((i, i, "", "! dropped"))
    if text in ("if", "while") and tokens[i + 1].text == "(":
        found.append((i + 1, partner(tokens, i + 1, 1), "(!%s)", text + " negated"))
    return found


def mutants_of(text, functions, records=""):
    """All of a header, or of a source that knows those records, in the order of the source."""
    table = re.search(r"STATUS_TABLE\(X\)((?:[^\n]*\\\n)*[^\n]*)", text)
    statuses = re.findall(r"X\((\w+),", table.group(1)) if table else []
    lines, found, siblings = text.split("\n"), [], siblings_of(text + records)
    for function in functions:
        tokens, i, depth, told = function.tokens, 1, 0, {}
        top = line_of(text, function.head)
        while i < len(tokens) - 1:
            if tokens[i].text.endswith("_ASSERT"):
                i = partner(tokens, i + 1, 1) + 1
            depth += (tokens[i].text == "(") - (tokens[i].text == ")")
            ways, last = changes(tokens, i, statuses), statement(tokens, i)
            ways += meanings(tokens, i, siblings)
            if last and depth == 0:
                ways.append((i, last, ";", "statement dropped"))
            for first, last, new, mutation in ways:
                start, end = tokens[first].start, tokens[last].start + len(tokens[last].text)
                if isinstance(new, tuple):
                    at = [tokens[index].start for index in new]
                    new = "? %s : %s" % (text[at[0]:at[1]], text[at[2]:at[3]])
                line = top + text.count("\n", function.head, start)
                told[line, mutation] = nth = told.get((line, mutation), 0) + 1
                found.append(Mutant(start, end, new.replace("%s", text[start:end]), top, line,
                                    function.name, bare(lines[line - 1]),
                                    mutation + " (%d)" % nth * (nth > 1)))
            i += 1
    return found


# ---- Code --------------------------------------------------------------------------

def run(command, folder=None, may_fail=False):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, errors="replace")
    if done.returncode != 0 and not may_fail:
        sys.exit("mutate: %s: %s" % (" ".join(map(str, command)), done.stderr[:2000]))
    return done


def changed(text, mutant, start, end):
    return text[start:mutant.start] + mutant.new + text[mutant.end:end]


def bodies(assembly):
    """The instructions of each function, but for its own name and the numbers of labels."""
    found = {}
    form = re.compile(r"^(\w+):\n(.*?)^\t\.size\t\1,", re.DOTALL | re.MULTILINE)
    for name, body in form.findall(assembly):
        labels = {}
        found[name] = re.sub(r"\.L\d+|\b%s\b" % name, lambda label: labels.setdefault(
            label.group(), "L%d" % len(labels)), body)
    return found


def differing(path, flags, text, functions, mutants):
    """Those that compile, and to other code than the original: a function of each."""
    of_name = {function.name: function for function in functions}

    def copy(f, number, body):
        head = re.sub(r"\b(static|inline|[A-Z]+_API)\b", "", text[f.head:f.start])
        head = re.sub(r"\b%s\b(?=\s*\()" % f.name, "%s__%d" % (f.name, number), head, 1)
        return '\n#line 1 "mutant %d"\nstatic __attribute__((noinline, noclone, used)) %s%s' % (
            number, head, body)

    while True:
        parts = [text] + [copy(of_name[name], 0, text[of_name[name].start:of_name[name].end])
                          for name in sorted({mutant.function for mutant in mutants})]
        for i, m in enumerate(mutants):
            f = of_name[m.function]
            parts.append(copy(f, i + 1, changed(text, m, f.start, f.end)))
        Path(path + ".c").write_text("".join(parts))
        done = run(CC + ["-O2", "-S", "-DNDEBUG", "-fno-ipa-icf", "-fno-ipa-cp", "-fno-ipa-ra",
                         "-fno-partial-inlining", "-fno-asynchronous-unwind-tables",
                         *flags, "-o", path + ".s", path + ".c"],
                   may_fail=True)
        wrong = set(map(int, re.findall(r"^mutant (\d+):\d+:\d+: error", done.stderr, re.M)))
        if done.returncode == 0:
            code = bodies(Path(path + ".s").read_text())
            return [m for i, m in enumerate(mutants)
                    if code["%s__%d" % (m.function, i + 1)] != code[m.function + "__0"]]
        if not wrong:
            sys.exit("mutate: %s.c: %s" % (path, done.stderr[:2000]))
        mutants = [m for i, m in enumerate(mutants) if i + 1 not in wrong]


def in_order(header, candidates, options):
    """By chance, which a change elsewhere in the header leaves."""
    told, chance = {}, {}
    for mutant in candidates:
        told[mutant[-3:]] = nth = told.get(mutant[-3:], 0) + 1
        name = "\n".join((str(options.seed), header, *mutant[-3:], str(nth)))
        chance[mutant] = hashlib.sha256(name.encode()).digest()
    return sorted(candidates, key=chance.get)


def draw(path, header, text, functions, candidates, options):
    """The first ones in that order that a compiler tells from the original."""
    order, drawn, at = in_order(header, candidates, options), [], 0
    while len(drawn) < options.mutants and at < len(order):
        more = max(50, (options.mutants - len(drawn)) * 5 // 4)
        drawn += differing(path, ["-D" + implementation_of(header)], text, functions,
                           order[at:at + more])
        at += more
    return drawn[:options.mutants]


def schemata(text, functions, mutants):
    """The header, or a source, with a body for each mutant, numbered from 1; None is of another
    source."""
    header = re.search(r"^#define SGDPERF\w*_IMPLEMENTED\n", text, re.MULTILINE)
    at = header.end() if header else 0
    parts = [text[:at], CHOICE] + ([] if header else [REACHED])
    for f in functions:
        numbers_of = [i + 1 for i, m in enumerate(mutants) if m and m.function == f.name]
        cases = ["\ncase %d: %s break;" % (i, changed(text, mutants[i - 1], f.start, f.end))
                 for i in numbers_of]
        if cases:
            told = "" if header else "{ static char told; mutant_reached(%d, &told); }" % (
                numbers_of[0])
            parts += [text[at:f.start], "{ %s switch (mutant) {" % told] + cases
            parts += ["\ndefault: ", text[f.start:f.end], "} }"]
            at = f.end
    return "".join(parts) + text[at:]


# ---- Tests -------------------------------------------------------------------------

def implementation_of(header):
    return header[:-2].upper() + "_IMPLEMENTATION"


def build_tests(build, header, text, folder, names, flags):
    """Compiles that text for the header, and links the tests with it, in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / header).write_text(text)
    commands = sorted((build / "test" / "tools" / "cmd").rglob("*.o"))
    (folder / "commands.a").unlink(missing_ok=True)
    define, gapped = implementation_of(header), SANITIZE[0] in flags
    made = [["ar", "rc", folder / "commands.a"] + commands]
    for gaps in range(1 + gapped):
        (folder / "gaps.h").write_text(re.sub(*PASS_ROOM, text) if gaps else text)
        made.append(CC + flags + ["-include", "tests/gaps.h"] * gaps + [
            "-D" + define, "-include", folder / ("gaps.h" if gaps else header), "-x", "c",
            "/dev/null", "-c", "-o", folder / ("gaps.o" if gaps else "header.o")])
    links = []
    for name in names:
        source, unit = Path("tests", name + ".c").read_text(), build / "test" / (name + ".o")
        own = "#define %s\n" % define in source
        if own:  # includes the implementation
            unit = folder / (name + ".o")
            unit.with_suffix(".c").write_text(source.replace("../" + header, header))
            made.append(CC + flags + ["-Itests", "-Itools", "-c", "-o", unit,
                                      unit.with_suffix(".c")])
        compiled = folder / ("gaps.o" if gapped and name[:5] == "fuzz_" else "header.o")
        links.append(["gcc", "-o", folder / name, unit] + [compiled] * (not own)
                     + [folder / "commands.a", build / "test" / "tools.a",
                        build / "test" / "headers.a"]
                     + flags + ["-lm", "-pthread"])
    for command in made + links:
        run(command)


def lines_run(folder, header):
    """{line: does the test run it}, of the counters that it left."""
    found = {}
    for counters in folder.glob("*.gcda"):
        told = run(["gcov", "--json-format", "--stdout", counters.name], folder)
        for file in json.loads(told.stdout)["files"]:
            for line in file["lines"] if Path(file["file"]).name == header else []:
                number = line["line_number"]
                found[number] = found.get(number, False) or line["count"] > 0
        counters.unlink()
    return found


def measure(build, header, text):
    """The tests that include the header: what they run of it, in which time."""
    folder, tests = build / "mutants" / (header + ".counted"), []
    names = [rules.stem for rules in sorted((build / "test").glob("*.d"))
             if re.search(r"[\s/]%s\b" % re.escape(header), rules.read_text())]
    build_tests(build, header, text, folder, names, ["-O0", "--coverage"])
    for name in names:
        before, _, after = os.times(), run([folder / name]), os.times()
        seconds = sum(after[2:4]) - sum(before[2:4])
        digest = digest_of((build / "test" / (name + ".o")).read_bytes())
        tests.append(Test(name, folder / name, seconds, lines_run(folder, header), digest,
                          2 + 3 * seconds, "ulimit -v %d;" % KIB))
    return tests


def killed_by(test, number):
    """Does this test notice the mutant of that number?"""
    limits = "ulimit -t %d; %s exec timeout %d %s" % (
        test.most_s, test.limit, 60 + 10 * test.most_s, test.command)  # one that waits for ever
    chosen = dict(os.environ, MUTANT=str(number), **CHECKED)
    process = subprocess.Popen(["sh", "-c", limits], env=chosen, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    with process.stderr as errors:
        failed = any(re.search(rb"(^|: )failed: ", line) for line in errors)
    if failed:
        process.terminate()
    return process.wait() != 0 or failed


def judge(mutant, number, tests):
    """The name of the first test that kills it, or nothing."""
    for test in sorted(tests, key=lambda test: test.seconds):
        if isinstance(test.lines, set):
            if mutant.function in test.lines and killed_by(test, number):
                return test.name
            continue
        before = max((n for n in test.lines if mutant.first <= n <= mutant.line), default=None)
        after = min((n for n in test.lines if n >= mutant.line), default=None)
        if (test.lines.get(before) or test.lines.get(after)) and killed_by(test, number):
            return test.name
    return ""


def judge_all(journal, text, mutants, tests, jobs):
    """{mutant: a test kills it}: of the journal what is in it, into the journal what is not."""
    keys = ["%s %d %d %s %s" % (digest_of(text.encode()), m.start, m.end, m.function,
                                " ".join(m.new.split())) for m in mutants]
    alive = "survives " + digest_of("".join(test.digest for test in tests).encode())
    told = journal.read_text().split("\n")[:-1] if journal.exists() else []
    known = dict(line.split("\t") for line in told)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(journal, "a") as file:
        asked = {pool.submit(judge, mutant, i + 1, tests): key
                 for i, (mutant, key) in enumerate(zip(mutants, keys))
                 if known.get(key, "survives").startswith("survives") and known.get(key) != alive}
        for done in concurrent.futures.as_completed(asked):
            known[asked[done]] = done.result() or alive
            file.write("%s\t%s\n" % (asked[done], known[asked[done]]))
            file.flush()
    return {mutant: known[key] != alive for mutant, key in zip(mutants, keys)}


def attempt(header, text, functions, mutants, tests, flags, kind, options):
    """What judge_all says of them, built with those flags in the folder of that kind."""
    folder = Path(options.build, "mutants", header + kind)
    build_tests(Path(options.build), header, schemata(text, functions, mutants), folder,
                [test.name for test in tests], ["-O1", UNSET] + flags)
    tests = [test._replace(command=folder / test.name) for test in tests]
    if any(killed_by(test, 0) for test in tests):
        sys.exit("mutate: tests fail without a mutant")
    return judge_all(folder.with_name(folder.name + ".journal"), text, mutants, tests,
                     options.jobs)


# ---- Report ------------------------------------------------------------------------

def listed(path, header):
    """(function, source, mutation) of those of a header, each with its reason."""
    rows = csv.DictReader(re.sub("^#.*\n", "", Path(path).read_text()).split("\n"))
    return {(row["function"], row["source"], row["mutation"]) for row in rows
            if row["header"] == header and row["reason"]}


def excuse(mutant, reasons):
    """The row of the list that a mutant is, or that it is among, or nothing."""
    function, source, mutation = mutant[-3:]
    keys = (function, source, mutation), (function, source, "*"), (function, "*", "*")
    return next((key for key in keys if key in reasons), None)


def body_hash(function):
    return digest_of(" ".join(token.text for token in function.tokens).encode())[:8]


def compare_hashes(path, stamps):
    """Names the rows whose function is no longer as it was, or writes the list anew; status."""
    text, stale = Path(path).read_text(), 0
    head = "".join(re.findall("^#.*\n", text, re.M))
    rows = list(csv.DictReader(re.sub("^#.*\n", "", text, flags=re.M).split("\n")))
    bodies_of = {header: {f.name: body_hash(f) for f in functions_of(Path(header).read_text())}
                 for header in {row["header"] for row in rows} if Path(header).exists()}
    for row in rows:
        now = bodies_of.get(row["header"], {}).get(row["function"])
        if stamps and now:
            row["hash"] = now
        elif now != row["hash"]:
            stale += 1
            print("%s: %s: %s: %s" % (path, row["header"], row["function"],
                                      "has changed" if now else "is gone"))
    if stamps:
        with open(path, "w", newline="") as file:
            file.write(head)
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print("hashes: %d passed, %d failed" % (len(rows) - stale, stale))
    return 1 if stale else 0


def score(header, options):
    """Prints what survives of a header; the number of faults, and the row of the table."""
    text, folder = Path(header).read_text(), Path(options.build, "mutants", header)
    functions, tests = functions_of(text), measure(Path(options.build), header, text)
    lines = {number for test in tests for number in test.lines}
    if header != COMMON:
        lines -= set(range(*(line_of(text, text.index(banner)) for banner in BANNERS)))
    candidates = mutants_of(text, [f for f in functions if not lines.isdisjoint(
        range(line_of(text, f.head), line_of(text, f.end) + 1))])
    drawn = draw(str(folder) + ".drawn", header, text, functions, candidates, options)
    killed = attempt(header, text, functions, drawn, tests, [], "", options)
    reasons = listed(options.list, header)
    left = [mutant for mutant in drawn if not killed[mutant] and not excuse(mutant, reasons)]
    if left:
        tests = [test._replace(most_s=20 + 30 * test.seconds, limit="") for test in tests]
        killed.update(attempt(header, text, functions, left, tests, SANITIZE, ".sanitized",
                              options))
    faults, excused, form = 0, 0, "%s:%d: %s: %s%s\n    %s"
    for mutant, dead in sorted(killed.items()):
        row = excuse(mutant, reasons)
        known = row is not None and (row[2] != "*" or not dead)
        excused += known and not dead
        faults += known and dead
        if known == dead:
            print(form % (header, mutant.line, mutant.function, mutant.mutation,
                          ": listed, and killed" * known, mutant.source))
    among = {(m.function, of, "*") for m in candidates for of in (m.source, "*")}
    for key in sorted(reasons - {mutant[-3:] for mutant in candidates} - among):
        faults += 1
        print(form % (header, 0, key[0], key[2], ": listed, and gone", key[1]))
    rest, dead = len(drawn) - excused, sum(killed.values())
    return faults + (dead < 0.96 * rest), (header, len(candidates), len(drawn), dead, excused,
                                             rest - dead, 100.0 * dead / max(rest, 1))


def tools_drawn(sources, records, options):
    """Mutants of all sources, as draw draws them: [(source, mutant)]."""
    folder, of_source, candidates = Path(options.build, "mutants"), {}, []
    folder.mkdir(parents=True, exist_ok=True)
    for path, (text, functions) in sources.items():
        found = mutants_of(text, functions, records)
        for mutant in found:
            told = mutant._replace(function=path + ":" + mutant.function)
            of_source[told] = (path, mutant)
            candidates.append(told)
    order = in_order("tools", candidates, options)[:options.mutants * 5 // 4 + 20]
    kept = set()
    for path, (text, functions) in sources.items():
        mine = [of_source[told][1] for told in order if of_source[told][0] == path]
        if mine:
            kept.update((path, mutant) for mutant in differing(
                str(folder / "tools.drawn"), ["-Itools"], text, functions, mine))
    drawn = [of_source[told] for told in order if of_source[told] in kept]
    return len(candidates), drawn[:options.mutants]


def build_tools(build, folder, sources, drawn, flags=()):
    """The program and the tests of the tools, with all mutants; the names of the tests."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, (text, functions) in sources.items():
        mine = [mutant if source == path else None for source, mutant in drawn]
        if any(mine):
            unit = folder / path.replace("/", "_")
            unit.write_text(schemata(text, functions, mine))
            run(CC + ["-O1", "-g0", UNSET, *flags, "-Itools", "-iquote", Path(path).parent, "-c", "-o",
                      unit.with_suffix(".o"), unit])
    objects = []
    for unit in sorted((build / "test" / "tools").rglob("*.o")):
        name = str(unit.relative_to(build / "test")).replace("/", "_")
        objects.append(folder / name if (folder / name).exists() else unit)
    headers, libraries = build / "test" / "headers.a", [*flags, "-lm", "-pthread"]
    run(["gcc", "-o", folder / "sgdperf"] + objects + [headers] + libraries)
    (folder / "tools.a").unlink(missing_ok=True)
    run(["ar", "rc", folder / "tools.a"] + [u for u in objects if u.name not in (
        "sgdperf.o", "tools_sgdperf.o")])
    names = [rules.stem for rules in sorted((build / "test").glob("test_*.d"))
             if " tools/" in rules.read_text()]
    for name in names:
        run(["gcc", "-o", folder / name, build / "test" / (name + ".o"), folder / "tools.a",
             headers] + libraries)
    rows = sorted(Path("tests/commands").glob("*.txt"))
    return [name for name in names if name != "test_commands"] + [
        "test_commands %s" % path for path in rows]


def measure_tools(build, folder, names, drawn):
    """The tests, each with the functions that it enters."""
    tests, first = [], {i + 1: path + ":" + m.function for i, (path, m) in enumerate(drawn)}
    program = "env SGDPERF=%s BUILD=%s sh " % ((folder / "sgdperf").resolve(), build.resolve())
    scripts = sorted(path for path in Path("tests/cli").glob("*.sh") if path.stem != "mpi")
    for name, command in [(name, str(folder / name)) for name in names] \
            + [(path.stem, program + str(path)) for path in scripts]:
        reached = (folder / "reached").resolve()
        reached.write_text("")
        os.environ["MUTANTS_REACHED"] = str(reached)
        before = os.times()
        done = run(["sh", "-c", "exec timeout %d %s" % (10 * SCRIPT_S, command)], may_fail=True)
        seconds = sum(os.times()[2:4]) - sum(before[2:4])
        del os.environ["MUTANTS_REACHED"]
        lines = {first[int(number)] for number in reached.read_text().split()}
        if done.returncode == 0 and lines and (name in names or seconds < SCRIPT_S):
            source = Path("tests", name.split("tests/")[-1] if " " in name else name + ".c"
                          if name in names else "cli/%s.sh" % name)
            tests.append(Test(name, command, seconds, lines, digest_of(source.read_bytes()),
                              20 + 5 * seconds, ""))
    return tests


def score_tools(options):
    """As score, of the sources of the program."""
    build = Path(options.build)
    folder, records = build / "mutants" / "tools", "".join(
        path.read_text() for path in [*Path("tools").rglob("*.h"), *map(Path, HEADERS)])
    sources = {}
    for unit in sorted((build / "test" / "tools").rglob("*.o")):  # without what needs MPI
        path = unit.relative_to(build / "test").with_suffix(".c")
        text = path.read_text()
        sources[str(path)] = (text, functions_of(text))
    candidates, drawn = tools_drawn(sources, records, options)
    tests = measure_tools(build, folder, build_tools(build, folder, sources, drawn), drawn)
    told = [m._replace(function=path + ":" + m.function) for path, m in drawn]
    texts = "".join(text for text, _ in sources.values())
    killed = judge_all(folder.with_name("tools.journal"), texts, told, tests, options.jobs)
    left = [at for at, mutant in enumerate(told) if not killed[mutant]]
    if left:
        folder = folder.with_name("tools.sanitized")
        names = build_tools(build, folder, sources, [drawn[at] for at in left], SANITIZE)
        tests = [test._replace(command=folder / test.name, most_s=20 + 30 * test.seconds)
                 for test in tests if test.name in names]
        killed.update(judge_all(folder.with_name("tools.sanitized.journal"), texts,
                                [told[at] for at in left], tests, options.jobs))
    excused, reasons = 0, {path: listed(options.list, path) for path in sources}
    for mutant, (path, plain) in sorted(zip(told, drawn), key=lambda of: (of[1][0], of[1][1].line)):
        known = excuse(plain, reasons[path]) is not None
        excused += known and not killed[mutant]
        if known == bool(killed[mutant]):
            print("%s:%d: %s: %s%s\n    %s" % (path, plain.line, plain.function, plain.mutation,
                                              ": listed, and killed" * known, plain.source))
    rest, dead = len(told) - excused, sum(killed.values())
    return dead < 0.85 * rest, ("tools", candidates, len(told), dead, excused, rest - dead,
                                100.0 * dead / max(rest, 1))


def main():
    if sys.argv[1:2] in (["--stale"], ["--stamp"]) and len(sys.argv) == 3:
        return compare_hashes(sys.argv[2], sys.argv[1] == "--stamp")
    parser = argparse.ArgumentParser()
    for name, default in ("--mutants", 400), ("--seed", 1), ("--jobs", os.cpu_count()):
        parser.add_argument(name, type=int, default=default)
    for name, count in ("build", None), ("list", None), ("headers", "*"):
        parser.add_argument(name, nargs=count, default=HEADERS)
    options = parser.parse_args()
    scores = [score_tools(options) if header == "tools" else score(header, options)
              for header in options.headers]
    print("header             candidates mutants  killed  equivalent  survive    score")
    for _, row in scores:
        print("%-18s %10d %7d %7d %11d %8d %6.2f %%" % row)
    return 1 if any(faults for faults, _ in scores) else 0


if __name__ == "__main__":
    sys.exit(main())
