"""Makes the modules of the package from the headers: C declarations for cffi, and a Python
class for each struct, an IntEnum for each enum, a function for each function, with type hints
and the text that the header has above it.

    python3 generate.py FOLDER-OF-HEADERS FOLDER-OF-THE-PACKAGE
"""

import keyword
import os
import re
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path

from pycparser import c_ast, c_parser

NUMBERS = {"double": "float", "int": "int", "size_t": "int", "uint8_t": "int",
           "uint32_t": "int", "uint64_t": "int"}
ARRAYS = {"double": "float64", "int": "intc", "size_t": "uintp", "uint8_t": "uint8",
          "uint32_t": "uint32", "uint64_t": "uint64"}
LENGTHS = runpy.run_path(str(Path(__file__).resolve().parent / "sgdperf" / "_lengths.py"))
CALLS, CONTEXTS = LENGTHS["CALLS"], LENGTHS["CONTEXTS"]
SHARED_ERRORS = ["BadArgument", "TooLarge", "SmallWorkspace", "NotConverged", "OverBudget"]
KNOWN = "".join(f"typedef int {name};\n" for name in NUMBERS if name.endswith("_t"))


def preprocessed(header):
    """The public declarations, without what the system's headers add."""
    text = re.sub(r"(?m)^#\s*include\s*<.*$", "", header.read_text())
    return subprocess.run(["cc", "-E", "-P", "-x", "c", "-"], input=text, text=True,
                          check=True, stdout=subprocess.PIPE).stdout


def comments(header):
    """What stands above each function and struct: name to text."""
    found = {}
    text = header.read_text().split("_IMPLEMENTED\n")[0]
    for match in re.finditer(r"(?m)^/\*((?:[^*]|\*(?!/))*)\*/\n((?:typedef struct|SGD).*)", text):
        told = "\n".join(re.sub(r"^ \* ?", "", line) for line in match[1].split("\n")).strip()
        head = match[2]
        name = re.match(r"typedef struct (\w+)", head)
        if not name:
            rest = text[match.start(2):].split(";")[0]
            name = re.search(r"\b(sgd[a-z]*_\w+)\s*\(", rest)
        if name and "----" not in told:
            found.setdefault(name[1], told)
    return found


def fields_text(header, struct):
    """The lines of a struct as the header has them, with their comments."""
    match = re.search(rf"(?ms)^typedef struct {struct} \{{\n(.*?)^\}} {struct};",
                      header.read_text())
    return textwrap.dedent(match[1]).rstrip() if match else ""


ABOUT = {                               # what the header says of C alone
    "version": "The version of the compiled library: 100 is 0.1.0.",
    "struct_bytes": "Bytes of a struct, by its name in C; 0 if there is none.",
}
WORDS = [                               # of C, and how Python says it
    (r"\s+(of\s+)?\(?sgdperf(_\w+)?\.h\b\)?", ""), (r"\(size_t\)-1", "2**64 - 1"),
    (r"\bUINT32_MAX\b", "2**32 - 1"), (r"\b(INFINITY|HUGE_VAL)\b", "infinity"),
    (r"\bNULL\b", "None"), (r"(?<=\w)->(?=\w)", "."), (r"(?<=\])->(?=\w)", "."),
    (r"(?<!\w)->(?=\w)", "."),
    (r"[;,]?(\s+and\s+with)?\s*\bSmallWorkspace\s+\(work_bytes\s+is\s+too\s+small\)", ""),
    (r"[;,]?\s*\bSmallWorkspace\s+work_bytes\s+is\s+too\s+small", ""),
    (r"\ba pointer is None\b", "an argument is None"), (r"\bis a pointer to\b", "is"),
    (r"\bpoints to an?\b", "is a"), (r"\ba pointer\b", "an array"),
    (r"\beach\s+pointer to an array\b", "each field to an array"),
    (r"\bpointers\b", "arrays"), (r"\bpointer\b", "array"),
    (r" `work` has the size of its field work_bytes\.", ""), (r", `work`(?= and\b)", ""),
    (r"\ba size_t\b", "64 bits"), (r"\bFails\b(\s+as\b)", r"Raises\1"),
    (r"\bFails(:|\s+with\b)", "Raises"),
    (r"\bWork area and (other )?statuses\b", r"Exceptions"), (r"\bwork\s+area and statuses\b",
     "exceptions"), (r"\bSTATUSES(\s+)success, (?:or )?", r"RAISES\1"), (r"\b(STATUSES|FAILS)\b", "RAISES"),
    (r"\bWORK AREA\b", "MEMORY"), (r"\bStatuses\b", "Exceptions"), (r"\bstatuses\b", "exceptions"),
]


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def by_names(names):
    return "{" + ", ".join(f'"{name}": {name}' for name in names) + "}"


def class_name(name, prefix):
    return "".join(part.capitalize() for part in name[len(prefix):].split("_"))


class Module:
    def __init__(self, header, prefix):
        self.header, self.prefix = header, prefix
        self.told = comments(header)
        self.cdef = preprocessed(header)
        tree = c_parser.CParser().parse(KNOWN + self.cdef)
        self.enums, self.structs, self.opaque, self.functions = {}, {}, set(), []
        self.callbacks, self.names = set(), {}
        for node in tree.ext:
            self.read(node)

    def read(self, node):
        if isinstance(node, c_ast.Typedef) and node.name.startswith(self.prefix):
            inner = getattr(node.type, "type", None)
            if isinstance(node.type, c_ast.FuncDecl) or isinstance(inner, c_ast.FuncDecl):
                self.callbacks.add(node.name)
            if isinstance(inner, c_ast.Enum) and inner.values:
                self.enums[node.name] = [value.name for value in inner.values.enumerators]
            elif isinstance(inner, c_ast.Struct):
                if inner.decls:
                    self.structs[node.name] = inner.decls
                else:
                    self.opaque.add(node.name)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            self.functions.append(node)

    # ---- Types -------------------------------------------------------------------

    @staticmethod
    def pointed(node):
        """(depth, name, const) of a declarator: how many pointers to which type."""
        depth, const = 0, False
        while not isinstance(node, c_ast.TypeDecl):
            if isinstance(node, c_ast.FuncDecl):
                return depth, "function", False
            depth += isinstance(node, c_ast.PtrDecl)
            if isinstance(node, c_ast.ArrayDecl):
                return depth, "array", False
            node = node.type
        const = "const" in node.quals
        return depth, " ".join(node.type.names), const

    def written(self, node):
        """A pointer behind which C writes; of a context it knows nothing."""
        depth, name, const = self.pointed(node)
        return depth and not const and name not in ("void", "function", "array")

    def hint(self, node):
        depth, name, _ = self.pointed(node)
        if name == "function" or name in self.callbacks:
            return "Optional[Callable]"
        if name == "array":
            return "np.ndarray"
        if name == "char":
            return "str"
        if name in self.structs:
            made = class_name(name, self.prefix)
            return f"Union[{made}, Sequence[{made}], None]" if depth else made
        if name in self.opaque:
            return "Handle"
        if name in self.enums and depth == 0:
            return class_name(name, self.prefix)
        if depth:
            return "Any" if name == "void" else "Optional[ArrayLike]"
        return NUMBERS.get(name, "Any")

    # ---- Text of the module --------------------------------------------------------

    def symbols(self):
        """What the module calls what C has: name in C to name in Python."""
        made = {name: class_name(name, self.prefix) for name in [*self.enums, *self.structs]}
        made.update({name: "Handle" for name in self.opaque})
        made.update({name: name[len(self.prefix):] for name in self.callbacks})
        for node in self.functions:
            short = node.name[len(self.prefix):]
            made[node.name] = re.sub(r"_bytes$", "", short) if short != "struct_bytes" else short
        for name in self.enums:
            made.update({value: f"len({class_name(name, self.prefix)})"
                         for value in self.enums[name] if value.endswith("_COUNT")})
            if name != self.prefix + "status":
                made.update({value: f"{class_name(name, self.prefix)}.{short}"
                             for short, value in self.shorts(name)})
        return made

    def in_python(self, text, arguments=()):
        """The header's words for those of Python."""
        numbers = dict(re.findall(r"(?m)^#define (SGD\w+)\s+([\d.]+)\b", self.header.read_text()))
        upper = self.prefix.upper()
        errors = {upper + short: made for short, made in self.errors()}

        def known(match):
            name, gap = match[1], match[2] or ""
            said = errors.get(name) or self.names.get(name) or numbers.get(name) or \
                (name[len(upper):] if name.startswith(upper) else name)
            room = len(name) + len(gap) - len(said)     # columns of tables stay where they are
            return said + (" " * max(2, room) if gap else "")

        text = re.sub(rf"(?<![\w`]){upper}OK\b", "success", text)
        text = re.sub(r"\b((?:sgd[a-z]*_|SGD[A-Z]*_)\w+)( {2,})?", known, text)
        for word, said in WORDS:
            text = re.sub(word, said, text)
        return re.sub(r"(?<![\w)\]*/])\*(\w+)", lambda match: match[1] + "[0]"
                      if match[1] in arguments else match[1], text)

    def fields(self, name):
        """The fields of a struct with their comments, a paragraph each."""
        lines, found = fields_text(self.header, name).split("\n"), []
        for line in lines:
            code, _, comment = line.partition("/*")
            comment = comment.replace("*/", "").strip()
            if code.strip() or not line.startswith(" "):
                found.append([code.strip(), comment])
            elif found:
                found[-1][1] += " " + comment
        told = {}                               # of the first field of a line: others, comment
        for part, comment in found:
            names = [field.name for field in self.structs[name]
                     if field.name not in told and re.search(rf"\b{field.name}\b", part)]
            if ";" in part and names:
                told.update({each: ([], "") for each in names})
                told[names[0]] = names, comment
        made = []
        for field in self.structs[name]:
            names, comment = told.get(field.name, ([field.name], ""))
            if not names:
                continue
            depth, kind, _ = self.pointed(field.type)
            what = "callable" if kind == "function" or kind in self.callbacks else \
                class_name(kind, self.prefix) if kind in self.structs or kind in self.enums else \
                {"char": "str", "array": "array", "void": "any"}.get(kind, NUMBERS.get(kind, kind))
            if kind in self.names and "sgd" in what:
                what = self.names[kind]
            if depth and kind in self.structs:
                what += " or a list of these"
            elif depth and kind in self.enums:
                what = f"array of {what}"
            elif depth and kind in ARRAYS:
                what = f"array of {ARRAYS[kind]}"
            text = f"{', '.join(map(python_name, names))}: {what}. {comment}".strip()
            made.append(textwrap.fill(self.in_python(text), 90, subsequent_indent="    ",
                                      break_long_words=False, break_on_hyphens=False))
        return "\n".join(made)

    def docstring(self, name, more="", arguments=()):
        told = ABOUT.get(name[len(self.prefix):]) or \
            self.in_python(self.told.get(name, ""), arguments)
        told = (told + ("\n\n" if told and more else "") + more).replace("\\", "\\\\")
        if not told:
            return ""
        body = textwrap.indent(told.replace('"""', "'''"), "    ").strip()
        return f'    """{body}\n    """\n'

    def shorts(self, name):
        """Members of an enum: (name in Python, name in C)."""
        upper = self.prefix.upper()
        values = self.enums[name]
        common = os.path.commonprefix([v for v in values if not v.endswith("_COUNT")])
        own = common[:common.rfind("_") + 1]
        if any(not value[len(own):].isidentifier() for value in values):
            own = upper
        made, seen = [], set()
        for value in values:
            short = value[len(own):] if value.startswith(own) else value[len(upper):]
            if short in seen or value.endswith("_COUNT"):
                continue
            seen.add(short)
            made.append((short, value))
        return made

    def enum(self, name):
        lines = [f"class {class_name(name, self.prefix)}(IntEnum):"]
        lines += [f"    {short} = lib.{value}" for short, value in self.shorts(name)]
        return "\n".join(lines) + "\n"

    # ---- Exceptions ----------------------------------------------------------------

    def errors(self):
        """Statuses other than success: (member of Status, name of its exception)."""
        return [(short, "".join(part.capitalize() for part in short.split("_")))
                for short, _ in self.shorts(self.prefix + "status") if short != "OK"]

    def own_errors(self):
        """Classes of the statuses that this header alone has."""
        parts = []
        for short, made in self.errors():
            if made in SHARED_ERRORS:
                continue
            bases = "Error, ValueError" if made.startswith(("Bad", "TooFew")) else "Error"
            told = re.search(rf'{self.prefix.upper()}{short}\s*,\s*"([^"]*)"',
                             self.header.read_text())
            parts.append(f"class {made}({bases}):\n"
                         f'    """{self.in_python(told[1][0].upper() + told[1][1:])}."""\n')
        return parts

    def lengths(self, name):
        """Lengths that the comments of a struct's fields give as other fields of it."""
        names = {field.name for field in self.structs[name] if not self.pointed(field.type)[0]}
        text, made = fields_text(self.header, name), {}
        for field in self.structs[name]:
            told = re.search(rf"\*\s*{field.name}\b[^;]*;\s*/\* ((?:\[\w+\])+)", text)
            parts = re.findall(r"\w+", told[1]) if told else []
            if parts and self.pointed(field.type)[0] and set(parts) <= names:
                made[python_name(field.name)] = " * ".join(parts)
        return made

    def struct(self, name):
        lines = [f"class {class_name(name, self.prefix)}(Struct):"]
        text = self.docstring(name, self.fields(name))
        lines.append(text + f'    _type = "{name}"')
        written = [field.name for field in self.structs[name] if self.written(field.type)]
        if written:
            lines.append(f"    _written = {tuple(written)!r}")
        if self.lengths(name):
            lines.append(f"    _lengths = {self.lengths(name)!r}")
        for field in self.structs[name]:
            lines.append(f"    {python_name(field.name)}: {self.hint(field.type)}")
        # For who checks types; else fields are those of C, by name or in their order.
        lines.append("    if TYPE_CHECKING:\n        def __init__(self")
        lines[-1] += "".join(f",\n                     {python_name(field.name)}: "
                             f"{self.hint(field.type)} = ..." for field in self.structs[name])
        lines[-1] += ") -> None: ..."
        return "\n".join(lines) + "\n"

    @staticmethod
    def counts(name):
        """Arguments that the length of another argument can stand for."""
        return {length for path, length in CALLS.get(name, {}).items() if "." not in path}

    def function(self, node, by_name):
        name, arguments = node.name, node.type.args.params if node.type.args else []
        result = self.pointed(node.type.type)
        if name.endswith("_bytes") and name != self.prefix + "struct_bytes":
            return ""
        names = [argument.name for argument in arguments if argument.name]
        status = result[1] == self.prefix + "status" and result[0] == 0
        given, writes = [], []
        work = names.index("work") if "work" in names else -1
        counts = self.counts(name)
        for argument in arguments:
            if argument.name is None or argument.name in ("work", "work_bytes"):
                continue
            depth, kind, const = self.pointed(argument.type)
            hint = self.hint(argument.type)
            hint = f"Optional[{hint}]" if argument.name in counts else hint
            if argument.name == "ctx" and name in CONTEXTS:
                hint = class_name(CONTEXTS[name], self.prefix)
            given.append((python_name(argument.name), depth, kind, hint))
            writes.append(bool(depth) and not const)
        handle = status and given and given[-1][1] == 2 and given[-1][2] in self.opaque
        out = status and not handle and given and given[-1][0] == "out" \
            and given[-1][2] in self.structs and given[-1][1] == 1
        if handle:
            given.pop()
            writes.pop()
        return self.write(name, given, writes, work, status, out, handle, result, by_name)

    def write(self, name, given, writes, work, status, out, handle, result, by_name):
        short, counts = name[len(self.prefix):], self.counts(name)
        head, answer = [], "None"
        for i, (argument, _, kind, hint) in enumerate(given):
            if out and i == len(given) - 1:
                answer = class_name(kind, self.prefix)
                head.append(f"{argument}: Optional[{answer}] = None")
            elif argument in counts and i == len(given) - 1 - bool(out):
                head.append(f"{argument}: {hint} = None")
            else:
                head.append(f"{argument}: {hint}")
        if handle:
            answer = "Handle"
        if not status:
            answer = "str" if result[1] == "char" else \
                class_name(result[1], self.prefix) \
                if result[1] in self.enums or result[1] in self.structs else \
                NUMBERS.get(result[1], "None")
            if result[0] and result[1] != "char":       # a copy, or None
                answer = f"Optional[{answer}]" if result[1] in self.structs else \
                    f"Optional[Tuple[{answer}, ...]]"
        lines = [f'@native("{name}")'] if name in CONTEXTS else []
        lines.append(f"def {short}({', '.join(head)}) -> {answer}:")
        numbers = [argument for argument, depth, kind, _ in given if depth and kind in ARRAYS]
        if self.told.get(name):
            lines.append(self.docstring(name, arguments=numbers).rstrip("\n"))
        values = by_names(argument for argument, *_ in given)
        many = next((path for path, length in CALLS.get(name, {}).items()
                     if path != "out" and length == CALLS[name].get("out")), None)
        if out and many:                        # a result for each of a list
            lines[-1 - bool(self.told.get(name))] = \
                f"def {short}({', '.join(head[:-1])}, out: Any = None) -> Any:"
            lines.append(f"    if out is None and {many} is not None and "
                         f"not isinstance({many}, Struct):\n"
                         f"        out = [{answer}() for _ in {many}]")
        if out:
            lines.append(f"    out = {answer}() if out is None else out")
        if not status:
            wrap = f"{answer}(%s)" if result[1] in self.enums and result[0] == 0 else "%s"
            more = f", work={work}" if work >= 0 else ""
            called = f'plain("{name}", {values}, {writes}{more})'
            lines.append("    return " + wrap % called)
            return "\n".join(lines) + "\n"
        more = ""
        if work >= 0:
            more += f", work={work}"
            twin = name + "_bytes"
            if twin not in by_name:
                twin = re.sub(r"_(init|open|run)$", "_bytes", name)
            if twin in by_name and twin != name:
                known = {argument for argument, *_ in given}
                wanted = [python_name(a.name) for a in by_name[twin].type.args.params][:-1]
                if set(wanted) <= known:
                    more += f', twin="{twin}", twin_values={by_names(wanted)}'
        if out:
            more += ", out=out"
        if handle:
            more += ", handle=True"
        keep = "return " if out or handle else ""
        lines.append(f'    {keep}call("{name}", {values}, {writes}{more})')
        return "\n".join(lines) + "\n"

    def text(self):
        by_name = {node.name: node for node in self.functions}
        first = re.match(r"/\* \S+ - v(\d+)\.(\d+)\.(\d+) - (.*?) - ", self.header.read_text())
        number = int(first[1]) * 10000 + int(first[2]) * 100 + int(first[3])
        parts = [f'"""{first[4][0].upper()}{first[4][1:]}. Made from {self.header.name}."""\n\n'
                 "from __future__ import annotations\n\n"
                 "from enum import IntEnum\n"
                 "from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Tuple, "
                 "Union\n\n"
                 "import numpy as np\n"
                 "from numpy.typing import ArrayLike\n\n"
                 "from ._base import (Error, Handle, Struct, call, check_structs, native, plain,\n"
                 f"                    register, {', '.join(SHARED_ERRORS)})\n"
                 "from ._native import lib\n"]
        public = [class_name(name, self.prefix) for name in [*self.enums, *self.structs]]
        public += [node.name[len(self.prefix):] for node in self.functions
                   if self.function(node, by_name)]
        public += [made for _, made in self.errors()]
        parts[0] += "\n__all__ = [\n" + textwrap.fill(
            ", ".join(f'"{name}"' for name in ["Error", *public]), 88,
            initial_indent="    ", subsequent_indent="    ") + ",\n]\n"
        parts += [self.enum(name) for name in self.enums]
        parts += self.own_errors()
        parts += [self.struct(name) for name in self.structs]
        parts += filter(None, (self.function(node, by_name) for node in self.functions))
        classes = ", ".join(class_name(name, self.prefix) for name in self.structs)
        enums = ", ".join(f'"{name}": {class_name(name, self.prefix)}' for name in self.enums)
        errors = ", ".join(f"Status.{short}: {made}" for short, made in self.errors())
        parts.append(f'register([{classes}], {{{enums}}}, "{self.prefix}", {{{errors}}})\n'
                     f'check_structs("{self.prefix}version", "{self.prefix}struct_bytes", '
                     f"{number})\n")
        return "\n\n".join(parts)


def headers_in(folder):
    return sorted(Path(folder).glob("sgdperf*.h"))


def modules(folder):
    """sgdperf.h is the module core, sgdperf_sim.h is sim."""
    made = []
    for header in headers_in(folder):
        upper = re.search(r"(?m)^#define (SGD[A-Z]*_)API extern$", header.read_text())[1]
        name = header.stem.partition("_")[2] or "core"
        made.append((name, Module(header, upper.lower())))
    for name, module in made:
        module.names = {c: (other + "." if other not in (name, "core") else "") + short
                        for other, each in made for c, short in each.symbols().items()}
    return made


def generate(headers, package):
    """Writes the modules; returns what cffi is told."""
    made = modules(headers)
    for name, module in made:
        (Path(package) / f"{name}.py").write_text(module.text())
    return "\n".join(module.cdef for _, module in made)


if __name__ == "__main__":
    generate(sys.argv[1], sys.argv[2])
