"""What the generated modules share: structs, arrays, calls.

Structs live in C memory; what a pointer field points to is kept alive by the struct that has
it. Arrays are NumPy's: what a function reads is converted where needed, what it writes must
have the type and be contiguous, since its own memory is written. Lists of structs become
arrays of C for the length of a call, before which they are copied to it, and after which
from it where C writes. Counts that are not given are the lengths of arrays. Every length is
checked before a call, so that C never reads or writes beyond the end of an array.
"""

from __future__ import annotations

import difflib
import functools
import operator
import pickle
import re
import reprlib
import threading
import weakref
from contextlib import contextmanager
from enum import Enum
from types import FunctionType
from typing import (TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence,
                    TypeVar)

import numpy as np

from ._lengths import CALLS, CONTEXTS, FIELDS, HANDLES, ROOM
from ._native import ffi, lib

_DTYPES = {
    "double": np.float64, "int": np.intc, "size_t": np.uintp,
    "uint8_t": np.uint8, "uint32_t": np.uint32, "uint64_t": np.uint64,
}


class Error(Exception):
    """A status other than success. `status` is the status; `out` is the result that the call
    filled nevertheless: a run that did not converge fills it with its best iterate."""

    def __init__(self, function: str, status: int, text: str, out: Any = None):
        super().__init__(f"{function}: {text}")
        self.function = function
        self.status = status
        self.text = text
        self.out = out

    def __reduce__(self) -> tuple:
        return type(self), (self.function, self.status, self.text, self.out)


class BadArgument(Error, ValueError):
    """A missing array or struct, a size of zero, or a value out of its range. The text names
    arguments that may be why."""


class TooLarge(Error, ValueError):
    """A size or a work area is too large."""


class SmallWorkspace(Error, MemoryError):
    """A call needs more memory than the package gives it."""


class NotConverged(Error, ArithmeticError):
    """An iteration did not converge. `out` has the best iterate."""


class OverBudget(Error):
    """A call needs more operations than its budget allows."""


def _name(ctype: Any) -> str:
    """Of a struct or enum, as C's typedef has it."""
    return ctype.cname.split(" ")[-1]


@contextmanager
def _at(place: str, value: Any) -> Iterator[None]:
    """What is wrong with a value is told with the field or argument that it was given for."""
    try:
        yield
    except (TypeError, OverflowError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{place}: {reprlib.repr(value)}: {error}") from None


def _a(made: type) -> str:
    return f"{'an' if made.__name__[0] in 'AEIOU' else 'a'} {made.__name__}"


def _told(ctype: Any) -> str:
    """What a value of that type is."""
    known = _ENUMS.get(_name(ctype))
    if known:
        return f"{_a(known)}, one of " + " ".join(each.name for each in known)
    if ctype.kind == "struct":
        return _a(_CLASSES[_name(ctype)])
    dtype: Any = np.dtype(_DTYPES.get(ctype.cname, np.float64))
    if dtype.kind == "f":
        return "a number"
    return f"an int from {np.iinfo(dtype).min} to {np.iinfo(dtype).max}"


def _check_enum(ctype: Any, value: Any) -> None:
    """A member of another enum has a number too, which means something else."""
    known = _ENUMS.get(_name(ctype))
    if known and isinstance(value, Enum) and not isinstance(value, known):
        raise TypeError(f"not {_told(ctype)}")


def _value(ctype: Any, value: Any) -> Any:
    """As C takes it, which is no pointer."""
    try:
        if value is None:                       # which would be what is not initialized
            raise TypeError
        if ctype.kind != "enum":
            return ffi.new(f"{ctype.cname} *", value)[0]
        number = operator.index(value)
        known = _ENUMS.get(_name(ctype))
        if known and number not in list(known):
            raise ValueError
        _check_enum(ctype, value)
        return number
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"not {_told(ctype)}") from None


def _array_type(ctype: Any) -> Any:
    """The NumPy type behind a C pointer or array to numbers, else None."""
    item = ctype.item
    return np.intc if item.kind == "enum" else _DTYPES.get(item.cname.replace("const ", ""))


def _as_read(dtype: type, value: Any) -> np.ndarray:
    """An array of that type with the numbers of value, none of which becomes another."""
    name, array = np.dtype(dtype).name, np.asarray(value)
    if array.size == 0:
        return np.empty(array.shape, dtype)
    if array.dtype.kind not in "buif":
        if np.dtype(dtype).kind != "f" and array.dtype.kind == "O" \
                and all(isinstance(number, int) for number in array.flat):
            raise ValueError(f"a number is none of {name}")
        raise TypeError(f"an array of {name} takes numbers, not {array.dtype.name}")
    if np.dtype(dtype).kind != "f":
        if array.dtype.kind == "f" and (array != np.floor(array)).any():
            raise TypeError(f"an array of {name} takes no "
                            f"{array[array != np.floor(array)][0]}")
        limits: Any = np.iinfo(dtype)
        for number in (array.min().item(), array.max().item()):
            if not limits.min <= number <= limits.max:
                raise ValueError(f"{number} is no number of {name}")
    return np.require(array, dtype, ["C", "A"])


def _row(length: str) -> str:
    """Of an array that may have rows, the length of a row."""
    found = re.fullmatch(r"(?!\d|waits_of)[^+]* \* (\S+|\(\S+ or 1\))", length)
    return found[1] if found else ""


_ROWS = {path.split(".")[-1] for lengths in CALLS.values()      # fields that may have rows
         for path, length in lengths.items() if _row(length)}


def _check_rows(place: str, kept: Any, length: str, values: Mapping[str, Any]) -> None:
    """Rows are as long as C takes them to be."""
    wanted = isinstance(kept, np.ndarray) and kept.ndim == 2 and _row(length) and \
        _evaluate(_row(length), values)
    if wanted and kept.shape[1] != wanted:
        raise ValueError(f"{place}: rows of {_elements(kept.shape[1])}, but "
                         f"{_row(length)} = {wanted}")


def _check_flat(kept: Any, has_rows: bool) -> None:
    """C reads an array as one sequence: rows are of what has so many times so many elements."""
    if isinstance(kept, np.ndarray) and kept.ndim > (2 if has_rows else 1):
        raise ValueError(f"shape {kept.shape}, but an array of {2 if has_rows else 1} dimension"
                         f"{'s' * has_rows} is needed")


def _length(kept: Any) -> Optional[int]:
    """Number of elements of what a pointer was made from; None: not known."""
    if isinstance(kept, np.ndarray):
        return kept.size
    if isinstance(kept, _Table):
        return len(kept.values)
    if isinstance(kept, Struct):
        return 1
    if isinstance(kept, tuple) and len(kept) == 2 and isinstance(kept[1], list):
        return len(kept[1])                     # rows of numbers
    return None


def _too_short(place: str, found: int, wanted: int, length: str) -> ValueError:
    said = "1 is needed" if length == "1" else f"{length} = {wanted}"
    return ValueError(f"{place}: {_elements(found)}, but {said}")


def _elements(count: int) -> str:
    return f"{count} element{'s' if count != 1 else ''}"


def _waits_of(ops: Any, count: int) -> int:
    """Number of prerequisites of ops or records."""
    if isinstance(ops, Struct):
        ops = [ops]
    if isinstance(ops, ffi.CData):
        return sum(ops[i].waits for i in range(count))
    return sum(op.waits for op in list(ops)[:count]) if ops is not None else 0


def _ops_of(trace: Any) -> int:
    """Number of ops of the first profiled step of the first trace."""
    for name in "", "step":
        trace = getattr(trace, name) if name else trace
        trace = trace[0] if isinstance(trace, (list, tuple)) else trace
    return trace.ops


_SAYS = {                                       # what a length may say besides names
    "count": lambda name: int(getattr(lib, name)), "min": min,
    "jobs": lambda job: 1 if job is None else int(np.max(job)) + 1,
    "ops_of": _ops_of, "total": lambda count: 0 if count is None else int(np.sum(count)),
    "waits_of": _waits_of, "weights": lambda kind: int(lib.sgdfc_weights(kind)),
}


@functools.lru_cache(maxsize=None)
def _compiled(length: str) -> Any:
    return compile(length.replace("[]", ""), length, "eval")


def _evaluate(length: str, values: Mapping[str, Any]) -> Optional[int]:
    """A length; None where what it depends on is not given, which C refuses."""
    try:
        return int(eval(_compiled(length), {"__builtins__": {}, **_SAYS}, dict(values)))
    except (AttributeError, IndexError, KeyError, NameError, TypeError):
        return None


def _counted(function: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Counts given as None are the lengths of the arrays that they count."""
    made = None
    for path, length in CALLS.get(function, {}).items():
        if length in values and path in values and values[length] is None \
                and (made is None or made[length] is None) and values[path] is not None:
            made = made or dict(values)
            value = values[path]
            made[length] = 1 if isinstance(value, Struct) else np.size(value) \
                if isinstance(value, np.ndarray) else len(value)
    return made or values


def _check_call(function: str, values: Mapping[str, Any], kept: Sequence[Any]) -> None:
    """Each array of a call, and those of its structs, are as long as C takes them to be."""
    lengths = CALLS.get(function, {})
    called = function.partition("_")[2]
    names = {name: value[0] if isinstance(value, (list, tuple)) and value
             and isinstance(value[0], Struct) else value for name, value in values.items()}
    for name, keep in zip(values, kept):
        length = lengths.get(name, "1")
        found = _length(keep)
        wanted = None if found is None else _evaluate(length, names)
        if found is not None and wanted is not None and found < wanted:
            raise _too_short(f"{called}: {name}", found, wanted, length)
        _check_rows(f"{called}: {name}", keep, length, names)
        if name + "[]" in lengths:                      # rows of numbers
            wanted = _evaluate(lengths[name + "[]"], names)
            for i, row in enumerate(keep[1] if keep else ()):
                if wanted is not None and row.size < wanted:
                    raise _too_short(f"{called}: {name}[{i}]", row.size, wanted,
                                     lengths[name + "[]"])
    for path, length in lengths.items():
        if "." in path:
            _check_path(called, path, length, values, names)


def _make_room(function: str, values: Mapping[str, Any]) -> None:
    """Arrays of the result that the caller did not give."""
    for path, length in CALLS[function].items():
        out, name = values["out"], path.partition("out.")[2]
        if not name or not isinstance(out, Struct) or getattr(out, name) is not None:
            continue
        item = out._fields()[name if name in out._fields() else name.rstrip("_")].type.item
        count = _evaluate(length, values)
        if count is not None:
            setattr(out, name, [_CLASSES[_name(item)]() for _ in range(count)]
                    if item.kind == "struct" else np.zeros(count, _DTYPES[item.cname]))


def _check_path(called: str, path: str, length: str, values: Mapping[str, Any],
                names: Mapping[str, Any]) -> None:
    """A length that depends on other arguments than the struct that has the array."""
    first, *middle, last = path.split(".")
    many = first.endswith("[]")
    value = values[first[:-2] if many else first]
    found = list(enumerate(value)) if isinstance(value, (list, tuple)) else [(0, value)]
    for name in middle:
        into = [(i, getattr(each, name.replace("[]", ""), None)) for i, each in found]
        found = [(j if many or name.endswith("[]") else i, one) for i, each in into
                 for j, one in (enumerate(each) if isinstance(each, (list, tuple))
                                else [(i, each)])]
    for i, each in found:
        if not isinstance(each, Struct):
            continue
        field = last.rstrip("_") if last not in each._fields() else last
        have = each._known(field)
        if have is None:
            continue
        own = {name: values[name][i] if isinstance(values[name], (list, tuple)) and many
               and i < len(values[name]) else named for name, named in names.items()}
        wanted, place = _evaluate(length, own), f"{called}: {path.replace('[]', f'[{i}]')}"
        if wanted is not None and have < wanted:
            raise _too_short(place, have, wanted, length.replace("[]", f"[{i}]"))
        _check_rows(place, each._kept[each._path + field][0], length, own)


def _to_pointer(ctype: Any, value: Any, writes: bool) -> tuple:
    """value as a C pointer of that type, and what has to live as long as it."""
    if value is None:
        return ffi.NULL, None
    if isinstance(value, Handle) or isinstance(value, ffi.CData):
        c = getattr(value, "_c", value)
        if ffi.typeof(c).kind == "pointer" and ffi.typeof(c).item != ctype.item \
                and ctype.item.kind != "void":
            raise TypeError(f"{ffi.typeof(c).cname} is no {ctype.cname}")
        return c, value
    if ctype.kind == "function" or (ctype.kind == "pointer" and ctype.item.kind == "function"):
        name = _NATIVE.get(value, "") if isinstance(value, FunctionType) else ""
        if name and ffi.typeof(ffi.addressof(lib, name)) == ctype:
            return ffi.addressof(lib, name), _Native(name)
        made = ffi.callback(ctype, _with_context(value), onerror=_callback_raised)
        return made, (made, value)
    if ctype.item.kind == "void":
        context: Any = value if isinstance(value, Struct) else _Context(value)
        _contexts[_address(context._c)] = context
        return context._c, context
    if isinstance(value, Struct):
        if ffi.typeof(value._c).item != ctype.item:
            raise TypeError(f"not {_told(ctype.item)}")
        return value._c, value
    if ctype.item.kind == "struct":
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise TypeError(f"not {_told(ctype.item)}, nor a list of these")
        table = _Table(ctype, list(value), writes)
        return table.c, table
    if ctype.item.kind == "pointer":
        rows = [_as_read(_array_type(ctype.item), row) for row in value]
        table = ffi.new("void *[]", [ffi.cast("void *", row.ctypes.data) for row in rows])
        return ffi.cast(ctype, table), (table, rows)
    if _name(ctype.item) == "char":
        if not isinstance(value, str):
            raise TypeError("not a text")
        made = ffi.new("char[]", value.encode())
        return made, made
    dtype = _array_type(ctype)
    if dtype is None:
        raise TypeError(f"no array becomes {ctype.cname}")
    if not writes:
        for each in value if isinstance(value, (list, tuple)) else ():
            _check_enum(ctype.item, each)
        array = _as_read(dtype, value)
    elif isinstance(value, np.ndarray) and value.dtype == dtype and \
            value.flags.c_contiguous and value.flags.writeable and value.flags.aligned:
        array = value
    else:
        raise TypeError(f"an output is a writable, contiguous array of {np.dtype(dtype).name}")
    return ffi.cast(ctype, array.ctypes.data), array


def _address(c: Any) -> int:
    return int(ffi.cast("uintptr_t", c))


_given_anew = threading.RLock()         # a pointer, its count and what is kept go together
_callbacks = threading.local()          # what one has raised, in the call that is under way


def _callback_raised(_kind: Any, error: BaseException, _traceback: Any) -> None:
    if getattr(_callbacks, "error", None) is None:
        _callbacks.error = error


_NATIVE: dict = {}                      # functions in Python to their names in C
_contexts: Any = weakref.WeakValueDictionary()      # by address: what a callback gets as ctx


_F = TypeVar("_F", bound=Callable)


def native(name: str) -> Callable[[_F], _F]:
    """Of a function that C calls without Python between, where it is given as a callback."""
    def known(function: _F) -> _F:
        _NATIVE[function] = name
        return function
    return known


class _Context:
    """An object as C passes it on to a callback."""

    def __init__(self, value: Any):
        self.value = value
        self._c = ffi.new_handle(value)


def _with_context(value: Any) -> Any:
    """A callback that gets as ctx the object that was given, not its address."""
    if not callable(value):
        raise TypeError("not a function")

    def called(ctx: Any, *rest: Any) -> Any:
        context = _contexts.get(_address(ctx), ctx) if ctx else None
        return value(context.value if isinstance(context, _Context) else context, *rest)
    return called


class _Native:
    """A function of the library as a callback."""

    def __init__(self, name: str):
        self.name = name

    def check(self, place: str, struct: Any, outer: Any) -> None:
        """Its context is what it reads, and its work area is large enough."""
        context = struct.ctx
        _check_context(self.name, place, context)
        if struct.work_bytes == 0:
            struct._c.work_bytes = context.work_bytes
        if struct.work_bytes < context.work_bytes:
            raise _too_short(f"{type(struct).__name__}.work_bytes", struct.work_bytes,
                             context.work_bytes, "ctx.work_bytes")
        if outer.unknowns != context.unknowns:
            raise ValueError(f"{type(outer).__name__}.unknowns: {outer.unknowns}, but those of "
                             f"{place} are {context.unknowns}")


def _check_context(function: str, place: str, context: Any) -> None:
    """Of a function that C lends: what runs_open has prepared."""
    wanted = _CLASSES[CONTEXTS[function]]
    if not isinstance(context, wanted):
        raise TypeError(f"{place}: its ctx is not {_a(wanted)}: {reprlib.repr(context)}")
    context._check()
    now = ffi.new("sgdp_runs *", context._c[0])
    for thing in _reached(context):
        if isinstance(thing, _Table):
            thing.load()
    status = lib.sgdp_runs_open(now, ffi.NULL)
    if status:                          # a job may lack what is unknown
        found = ffi.new("sgdp_range[]", lib.SGDP_INPUT_COUNT)
        status = lib.sgdp_runs_open(now, found) and status
    if status:
        _raise("sgdp_runs_open", status, None, {"runs": context})
    if context.work_bytes < now.work_bytes:
        raise ValueError(f"{place}: its ctx was not prepared by runs_open")


@contextmanager
def _alone(reached: Sequence[Any]) -> Iterator[None]:
    """One thread at a time is in a call with a handle, whose workspace C writes."""
    handle = next((thing for thing in reached if isinstance(thing, Handle)), None)
    if handle is None:
        yield
        return
    with handle._lock:
        if handle._busy:
            raise RuntimeError("a callback calls with the handle of its own call")
        handle._busy = True
        try:
            yield
        finally:
            handle._busy = False


def _call_c(function: str, arguments: Sequence[Any], kept: Any,
            taken: Callable = lambda result: result) -> Any:
    """Calls it; what one of its callbacks raised is raised, which C cannot know of. `taken`
    makes the answer of the result, before another thread may call with the same handle."""
    with _given_anew:
        reached = _reached(kept)
        for thing in reached:
            if isinstance(thing, Struct) and thing._owner is None:
                thing._check(calling=True)
        tables = [thing for thing in reached if isinstance(thing, _Table)]
        for thing in reached:
            if isinstance(thing, (_Table, _Copy)):
                thing.load()
    outer, _callbacks.error = getattr(_callbacks, "error", None), None
    try:
        with _alone(reached):
            result = taken(getattr(lib, function)(*arguments))
        error = _callbacks.error
    finally:
        _callbacks.error = outer
    for table in tables:
        if table.writes:
            table.store()
    if error is not None:
        raise error
    return result


def _reached(thing: Any) -> list:
    """All that is kept alive by it now, and would not be if a field were given anew."""
    found, waiting = {}, [thing]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in found:
            continue
        found[id(each)] = each
        if isinstance(each, Struct):
            waiting += [each._c, each._owner, *(kept[0] for kept in list(each._kept.values()))]
        elif isinstance(each, _Table):
            waiting += each.values
        elif isinstance(each, (list, tuple)):
            waiting += each
    return list(found.values())


class _Copy:
    """A struct that C reads in a call, as it was at the call. What other threads and callbacks
    change in it then does not matter."""

    def __init__(self, value: Struct):
        self.c = ffi.new(f"{value._type} *")
        self.value = value

    def load(self) -> None:
        self.c[0] = self.value._c[0]
        self.held = list(self.value._kept.values())


class _Table:
    """Structs one after the other, as C wants them."""

    def __init__(self, ctype: Any, values: list, writes: bool):
        for value in values:
            if not isinstance(value, Struct) or ffi.typeof(value._c).item != ctype.item:
                raise TypeError(f"not {_told(ctype.item)}: {reprlib.repr(value)}")
        if writes and len({_address(value._c) for value in values}) < len(values):
            raise ValueError("a struct stands twice in what is written")
        self.c = ffi.new(f"{ctype.item.cname}[]", max(1, len(values)))
        self.values = values
        self.writes = writes
        self.load()

    def load(self) -> None:
        for i, value in enumerate(self.values):
            self.c[i] = value._c[0]
        self.held = [list(value._kept.values()) for value in self.values]

    def store(self) -> None:
        for i, value in enumerate(self.values):
            value._c[0] = self.c[i]


class _Memory:
    """Memory of C as NumPy takes it, which lives as long as an array that shows it."""

    def __init__(self, c: Any, *kept: Any):
        dtype = np.dtype(_array_type(ffi.typeof(c)))
        self.__array_interface__ = {"shape": (len(c),), "typestr": dtype.str, "version": 3,
                                    "data": (_address(ffi.addressof(c)), False)}
        self.kept = kept


class Handle:
    """What lives in a workspace: a balancer, a forecaster, a live scheduler."""

    def __init__(self, c: Any, sizes: Mapping[str, Optional[int]], *kept: Any):
        self._c = c
        self._sizes = sizes             # lengths of the arrays that its functions take
        self._kept = kept
        self._lock = threading.RLock()
        self._busy = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._sizes:
            raise AttributeError(f"Handle has no {name}")
        return self._sizes[name]

    def __reduce__(self) -> Any:
        raise pickle.PicklingError("a Handle lives in memory of C; open another one instead")


class Struct:
    """A struct of C, zero where nothing was given. Fields are its attributes, and are
    given by name or in their order."""

    _type = ""
    _written: tuple = ()                # pointer fields behind which C writes
    _lengths: dict = {}                 # lengths of its arrays, over its other fields
    _c: Any                             # the struct in memory of C
    _owner: Any                         # of a struct within a struct: that one
    _kept: dict                         # by pointer field: what lives, what it shows, where;
                                        # by count that was given: nothing
    _path: str                          # of a struct within a struct, with a dot

    def __init__(self, *values: Any, **fields: Any):
        names = list(type(self)._fields())
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields")
        for name in names[:len(values)]:
            if name in fields:
                raise TypeError(f"{name} is given twice")
        fields = {**dict(zip(names, values)), **fields}
        object.__setattr__(self, "_c", ffi.new(f"{self._type} *"))
        object.__setattr__(self, "_owner", None)
        object.__setattr__(self, "_kept", {})
        object.__setattr__(self, "_path", "")
        for name, value in fields.items():
            setattr(self, name, value)
        self._check()

    def _known(self, name: str) -> Optional[int]:
        """Length of the array that a field shows; None: no array, or one that C has set."""
        kept = self._kept.get(self._path + name)
        if not kept or kept[0] is None or _address(getattr(self._c, name)) != kept[2]:
            return None
        return _length(kept[0])

    def _given(self, name: str) -> bool:
        """Whether a count was given, rather than taken from an array."""
        return self._path + name in self._kept

    def _count(self, name: str) -> None:
        """Counts that are not given become the lengths of what the field now shows."""
        length = self._lengths.get(name, "")
        counts = length.split(" * ")
        if not counts[0].isidentifier() or name in self._written and \
                any(name != other and length == self._lengths[other]
                    for other in self._lengths if other not in self._written):
            return
        kept = self._kept[self._path + name][0]
        shape = kept.shape if isinstance(kept, np.ndarray) and kept.ndim == 2 == len(counts) \
            else (_length(kept),)
        if kept is None and not any(self._known(other) is not None for other in self._lengths
                                    if self._lengths[other] == length):
            shape = (0,) * len(counts)
        if len(shape) == len(counts) and None not in shape:
            for count, number in zip(counts, shape):
                if not self._given(count):
                    setattr(self._c, count, _value(type(self)._fields()[count].type, number))

    def _check(self, calling: bool = False) -> None:
        """Its arrays, and those of structs in it, are as long as its counts say, where C
        may read them; and still where they were, and writable, where C may write them."""
        for path, (kept, _, address) in list(self._kept.items()):
            if kept is None or address == 0:
                continue
            *into, name = path.split(".")
            struct: Any = self
            for each in into:
                struct = getattr(struct, each)
            if _address(getattr(struct._c, name)) != address:
                continue                                # C has set another
            place = f"{type(struct).__name__}.{name}"
            if calling and isinstance(kept, _Native):
                kept.check(place, struct, self)
            if isinstance(kept, np.ndarray):
                if kept.ctypes.data != address:
                    raise ValueError(f"{place}: the array was moved by resize")
                if name in struct._written and not kept.flags.writeable:
                    raise ValueError(f"{place}: the array is read-only")
            found, length = _length(kept), struct._lengths.get(name, "")
            if found is None or not length:
                continue
            counts = {each: getattr(struct, each) for each in _compiled(length).co_names
                      if each in struct._fields()}
            wanted = _evaluate(length, counts)
            if wanted is None:
                continue
            if found < wanted:
                raise _too_short(place, found, wanted, length)
            _check_rows(place, kept, length, counts)
            if found != wanted and length.isidentifier() and not struct._given(length) \
                    and name not in struct._written:
                raise ValueError(f"{place}: {_elements(found)}, but another array has {wanted}; "
                                 f"give {length}")

    @classmethod
    def _view(cls, c: Any, owner: "Struct", name: str) -> "Struct":
        self = cls.__new__(cls)
        object.__setattr__(self, "_c", c)
        object.__setattr__(self, "_owner", (owner, owner._c))
        object.__setattr__(self, "_kept", owner._kept)
        object.__setattr__(self, "_path", owner._path + name + ".")
        return self

    @classmethod
    def _fields(cls) -> dict:
        return dict(ffi.typeof(cls._type).fields)

    @classmethod
    @functools.lru_cache(maxsize=None)
    def _points(cls) -> bool:
        """C may set a pointer in it: those behind which it writes are the caller's."""
        return any(field.type.kind == "pointer" and name not in cls._written
                   or field.type.kind == "struct" and _CLASSES[_name(field.type)]._points()
                   for name, field in cls._fields().items())

    def _get(self, name: str) -> Any:
        fields = type(self)._fields()
        name = name if name in fields else name.rstrip("_")         # from_ is C's from
        if name.startswith("_") or name not in fields:
            raise AttributeError(self._no_field(name))
        ctype = fields[name].type
        if ctype.kind == "struct":
            return _CLASSES[_name(ctype)]._view(ffi.addressof(self._c[0], name), self, name)
        if ctype.kind == "array":
            return np.asarray(_Memory(getattr(self._c, name), self._c, self._owner))
        value = getattr(self._c, name)
        if ctype.kind in ("pointer", "function"):
            kept = self._kept.get(self._path + name)
            if kept and kept[2] == _address(value):
                return kept[1]
            return self._of_c(name, value) if value else None
        return _ENUMS.get(_name(ctype), lambda number: number)(value) if ctype.kind == "enum" \
            else value

    def _of_c(self, name: str, value: Any) -> Any:
        """What C has set a pointer to: a text, or an array of known length and type."""
        if ffi.typeof(value).cname == "char *":
            return ffi.string(value).decode()
        length = self._lengths.get(name, "")
        dtype = _array_type(ffi.typeof(value)) if ffi.typeof(value).kind == "pointer" else None
        if not length or dtype is None:
            return value
        count = _evaluate(length, {each: getattr(self, each)
                                   for each in _compiled(length).co_names
                                   if each in type(self)._fields()})
        if count is None:
            return value
        item = ffi.typeof(value).item.cname.replace("const ", "")
        return np.asarray(_Memory(ffi.cast(f"{item}(*)[{count}]", value)[0], self,
                                  _reached(self)))

    def _put(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        fields = type(self)._fields()
        name = name if name in fields else name.rstrip("_")
        if name not in fields:
            raise AttributeError(self._no_field(name))
        with _at(f"{type(self).__name__}.{name}", value):
            self._set(name, fields[name].type, value)

    if not TYPE_CHECKING:               # which would take any name for a field
        __getattr__ = _get
        __setattr__ = _put

    def _set(self, name: str, ctype: Any, value: Any) -> None:
        if ctype.kind == "struct":
            if not isinstance(value, Struct) or value._type != _name(ctype):
                raise TypeError(f"not {_told(ctype)}")
            with _given_anew:
                setattr(self._c, name, value._c[0])
                self._keep_of(value, self._path + name + ".")
        elif ctype.kind == "array":
            getattr(self, name)[...] = _as_read(_array_type(ctype), value)
        elif ctype.kind in ("pointer", "function"):
            c, kept = _to_pointer(ctype, value, name in type(self)._written)
            _check_flat(kept, bool(_row(self._lengths.get(name, ""))) or
                        name not in self._lengths and name in _ROWS)
            with _given_anew:
                setattr(self._c, name, c)
                self._kept[self._path + name] = (kept, _seen(kept, value), _address(c))
                if self._lengths:
                    self._count(name)
        else:
            setattr(self._c, name, _value(ctype, value))
            if any(name in length.split(" * ") for length in self._lengths.values()):
                self._kept[self._path + name] = (None, None, 0)

    def _no_field(self, name: str) -> str:
        nearest = not name.startswith("_") and \
            difflib.get_close_matches(name, list(type(self)._fields()), 1)
        return f"{type(self).__name__} has no field {name}" + \
            (f", did you mean {nearest[0]}?" if nearest else "")

    def _keep_of(self, other: "Struct", path: str) -> None:
        """What another struct points to, of which this one has a copy at that path."""
        copied = {path + name[len(other._path):]: kept for name, kept in other._kept.items()
                  if name.startswith(other._path)}
        for name in [name for name in self._kept if name.startswith(path)]:
            del self._kept[name]
        self._kept.update(copied)

    def __copy__(self) -> "Struct":
        made = type(self)()
        made._c[0] = self._c[0]
        made._keep_of(self, "")
        return made

    def __reduce__(self) -> tuple:
        """Numbers, arrays and structs are copied; a callback goes by its name."""
        return _unpickled, (type(self), self._state())

    def _state(self) -> dict:
        state = {}
        for name, field in type(self)._fields().items():
            counts = [each for each, length in self._lengths.items()
                      if name in length.split(" * ") and self._known(each) is not None]
            if counts and not self._given(name):
                continue                                # its arrays say it
            value = getattr(self, name)
            if field.type.kind == "struct":
                value = value._state()
            elif field.type.kind == "array" or isinstance(value, np.ndarray) and \
                    self._known(name) is None:
                value = np.array(value)                 # of memory that C has
            elif isinstance(value, ffi.CData):
                raise pickle.PicklingError(
                    f"{type(self).__name__}.{name}: C has set it, to a length that is not known")
            if value is not None:
                state[name] = value
        return state

    def _restore(self, state: Mapping[str, Any]) -> None:
        for name, value in state.items():
            if type(self)._fields()[name].type.kind == "struct":
                getattr(self, name)._restore(value)
            else:
                setattr(self, name, value)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *type(self)._fields()]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields())
        return f"{type(self).__name__}({shown})"


def _unpickled(made: type, state: Mapping[str, Any]) -> Struct:
    struct = made()
    struct._restore(state)
    return struct


def _seen(kept: Any, value: Any) -> Any:
    """What a pointer field shows: the array that C reads, else what was assigned."""
    return kept.values if isinstance(kept, _Table) else \
        kept if isinstance(kept, np.ndarray) else value


_CLASSES: dict = {}
_ENUMS: dict = {}
_ERRORS: dict = {}                      # by the prefix of a module, then by status


def register(classes: Sequence[Any], enums: dict, prefix: str, errors: dict) -> None:
    """Of a generated module: by the names that C has for them."""
    for made in classes:
        made._lengths = {**made._lengths, **FIELDS.get(made._type, {})}
        _CLASSES[made._type] = made
    _ENUMS.update(enums)
    _ERRORS[prefix] = errors


def check_structs(version: str, struct_bytes: str, expected: int) -> None:
    """The library is the one that the module was generated for."""
    found = getattr(lib, version)()
    if found != expected:
        raise ImportError(f"{version}: {found}, but generated for {expected}")
    for name, made in _CLASSES.items():
        prefix = struct_bytes[:-len("struct_bytes")]
        if name.startswith(prefix) and ffi.sizeof(name) != \
                getattr(lib, struct_bytes)(name.encode()):
            raise ImportError(f"{name}: another size in the library")


def _arguments(function: str, values: Mapping[str, Any], writes: Sequence[bool],
               work: int = -1) -> tuple:
    """Those of C, and what has to live as long. Who calls gives values by their names."""
    called = function.partition("_")[2]
    types = list(ffi.typeof(getattr(lib, function)).args)
    if work >= 0:
        del types[work:work + (1 if function in CONTEXTS else 2)]
    made, kept, copies = [], [], []
    for ctype, (name, value), written in zip(types, values.items(), writes):
        with _at(f"{called}: {name}", value):
            if name == "ctx" and function not in CONTEXTS and "time" not in values and \
                    not isinstance(value, (ffi.CData, type(None))):
                raise TypeError("not None or a pointer of cffi")
            if ctype.kind in ("pointer", "function"):
                c, keep = _to_pointer(ctype, value, written)
                _check_flat(keep, bool(_row(CALLS.get(function, {}).get(name, ""))))
                if isinstance(keep, Struct) and not written:
                    copies.append(_Copy(keep))
                    c = copies[-1].c
                made.append(c)
                kept.append(keep)
            else:
                made.append(_value(ctype, value))
                kept.append(None)
    return made, [*kept, copies]


def _keep_written(values: Iterable[Any], writes: Sequence[bool], kept: Any) -> None:
    """Where C may have made a struct point to something else that it was given."""
    reached = None
    for value, written in zip(values, writes):
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if written and isinstance(each, Struct) and each._points():
                reached = reached or _reached(kept)
                each._kept[each._path + "(call)"] = (reached, None, 0)


def _odd(place: str, value: Any) -> Iterator[str]:
    """Numbers in an argument that few functions take: below 0, infinite, or none."""
    if isinstance(value, Struct):
        for name in value._fields():
            yield from _odd(f"{place}.{name}", getattr(value, name))
    elif isinstance(value, (list, tuple)):
        for i, each in enumerate(value):
            yield from _odd(f"{place}[{i}]", each)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "fi":
        for i in np.flatnonzero(~((value.ravel() >= 0) & np.isfinite(value.ravel())))[:1]:
            yield f"{place}[{i}] = {value.ravel()[i]}"
    elif isinstance(value, (int, float)) and not 0 <= value < float("inf"):
        yield f"{place} = {value}"


def _suspects(values: Mapping[str, Any]) -> str:
    """The arguments of a refused call that may be why: C does not tell which it was."""
    odd = [found for name, value in values.items() for found in _odd(name, value)]
    odd = odd or [f"{name} = {value}" for name, value in values.items()
                  if value is None or isinstance(value, (int, float)) and value == 0
                  and type(value) in (int, float)]
    if odd:
        return "look at " + ", ".join(odd[:4])
    structs = [name for name, value in values.items() if isinstance(value, Struct)]
    return "no number is negative or infinite: is a field missing in " + " or ".join(structs) \
        if structs else ""


def _raise(function: str, status: int, out: Any, values: Mapping[str, Any] = {}) -> None:
    text = getattr(lib, function.split("_")[0] + "_status_text")(status)
    prefix = function.split("_")[0] + "_"
    made = _ERRORS[prefix].get(status, Error)
    known = _ENUMS[prefix + "status"]
    said = ffi.string(text).decode().replace("null pointer", "None")
    suspects = _suspects(values) if made is BadArgument else ""
    raise made(function[len(prefix):], known(status) if status in list(known) else status,
               f"{said}; {suspects}" if suspects else said, out)


_SMALL_WORKSPACE = 3


def call(function: str, values: Mapping[str, Any], writes: Sequence[bool], work: int = -1,
         twin: str = "", twin_values: Mapping[str, Any] = {}, out: Any = None,
         handle: bool = False) -> Any:
    """Calls a function that returns a status. `work` is where (work, work_bytes) stand among
    its arguments, or -1; how much says the twin, or else whether it is enough."""
    values = _counted(function, values)
    made, kept = _arguments(function, values, writes, work)
    _check_call(function, values, kept)
    if function in ROOM:
        _make_room(function, values)
    read = {name: value for (name, value), written in zip(values.items(), writes) if not written}
    bytes_needed = 1 << 14
    if twin:
        size = ffi.new("size_t *")
        told = {**{name: values[name] for name in twin_values}, "bytes": size}
        twin_made, twin_kept = _arguments(twin, told,
                                          [False] * len(twin_values) + [True])
        status = _call_c(twin, twin_made, twin_kept)
        if status:
            _raise(function, status, None, read)
        bytes_needed = size[0]
    where = ffi.new(ffi.typeof(getattr(lib, function)).args[-1].item.cname + " *") \
        if handle else None
    while True:
        arguments = list(made)
        if handle:
            arguments.append(where)
        space = None
        if work >= 0:
            space = ffi.new("double[]", (bytes_needed + 7) // 8 + 1)
            arguments[work:work] = [space, ffi.sizeof(space)]
        status = _call_c(function, arguments, kept)
        if status == _SMALL_WORKSPACE and work >= 0 and not twin and bytes_needed < 1 << 34:
            bytes_needed *= 4
            continue
        break
    _keep_written(values.values(), writes, kept)
    if status:
        _raise(function, status, out, read)
    if not handle:
        return out
    sizes = {name: _evaluate(length, values) for name, length in HANDLES[function].items()}
    return Handle(where[0], sizes, space, kept, _reached(kept))


def plain(function: str, values: Mapping[str, Any], writes: Sequence[bool],
          work: int = -1) -> Any:
    """Calls a function that returns a value. A work area is of the size that its ctx says."""
    values = _counted(function, values)
    made, kept = _arguments(function, values, writes, work)
    _check_call(function, values, kept)
    if work >= 0:
        _check_context(function, function.partition("_")[2], values["ctx"])
        made.insert(work, ffi.new("double[]", values["ctx"].work_bytes // 8 + 1))
    result = _call_c(function, made, kept, lambda result: _copied(function, result, values))
    _keep_written(values.values(), writes, kept)
    return result


def _copied(function: str, result: Any, values: Mapping[str, Any]) -> Any:
    """What a result points to, which Python neither changes nor reads beyond its end."""
    if not isinstance(result, ffi.CData) or ffi.typeof(result).kind != "pointer":
        return result
    if not result:
        return None
    item = ffi.typeof(result).item
    if item.kind == "struct":
        made = _CLASSES[_name(item)]()
        made._c[0] = result[0]
        return made
    if _name(item) == "char":
        return ffi.string(result).decode()
    return tuple(ffi.unpack(result, _evaluate(CALLS[function]["return"], values)))
