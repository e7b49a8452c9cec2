"""Every public function of the headers is called by a fuzz target; names those that none calls.

A target is tests/fuzz_*.c with the headers of tests/ that it includes. Functions are told by
their declarations. Prints "reached: N passed, M failed", a function each."""
import glob
import re
import sys

NAME = re.compile(r"^SGD[A-Z]*_API\b[^;{(]*?\b(sgd[a-z0-9_]+)\s*\(", re.M)
INCLUDE = re.compile(r'^#include "((?:fitted|fuzz|oracle|networks|trial)[a-z_]*\.h)"', re.M)


def code(path):
    """The text of a file without comments."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def target(path, seen):
    """The text of a target and of what it includes of tests/."""
    text = code(path)
    for name in INCLUDE.findall(text):
        if name not in seen:
            seen.add(name)
            text += target("tests/" + name, seen)
    return text


def main():
    called = set()
    for path in glob.glob("tests/fuzz_*.c"):
        called |= set(re.findall(r"\b(sgd[a-z]+_[a-z0-9_]+)\b", target(path, set())))
    public = []
    for header in sorted(glob.glob("sgdperf*.h")):
        text = code(header)
        public += [(header, name) for name in NAME.findall(text[:text.index("_IMPLEMENTED")])]
    missed = [(header, name) for header, name in public if name not in called]
    for header, name in missed:
        print(f"{header}: no fuzz target calls {name}")
    print(f"reached: {len(public) - len(missed)} passed, {len(missed)} failed")
    return 1 if missed or not public else 0


if __name__ == "__main__":
    sys.exit(main())
