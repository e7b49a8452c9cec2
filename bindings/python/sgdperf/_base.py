"""What the generated modules share: structs, arrays, calls.

Structs live in C memory; what a pointer field points to is kept alive by the struct that has
it. Arrays are NumPy's: what a function reads is converted where needed, what it writes must
have the type and be contiguous, since its own memory is written. Lists of structs become
arrays of C for the length of a call, before which they are copied to it, and after which
from it where C writes. Lengths are those that the text of each function says, as in C; they
are not checked.
"""

from __future__ import annotations

import difflib
import functools
import operator
import reprlib
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Sequence

import numpy as np

from ._native import ffi, lib

_DTYPES = {
    "double": np.float64, "int": np.intc, "size_t": np.uintp,
    "uint8_t": np.uint8, "uint32_t": np.uint32, "uint64_t": np.uint64,
}


class Error(Exception):
    """A status other than success. `status` is its number; `out` the result that the call
    filled nevertheless, which a run that did not converge does with its best iterate."""

    def __init__(self, function: str, status: int, text: str, out: Any = None):
        super().__init__(f"{function}: {text}")
        self.status = status
        self.out = out


def _name(ctype: Any) -> str:
    """Of a struct or enum, as C's typedef has it."""
    return ctype.cname.split(" ")[-1]


@contextmanager
def _at(place: str, value: Any) -> Iterator[None]:
    """What is wrong with a value is told with the field or argument that it was given for."""
    try:
        yield
    except (TypeError, OverflowError, ValueError) as error:
        kind = next(k for k in (TypeError, OverflowError, ValueError) if isinstance(error, k))
        raise kind(f"{place}: {reprlib.repr(value)}: {error}") from None


def _told(ctype: Any) -> str:
    """What a value of that type is."""
    known = _ENUMS.get(_name(ctype))
    if known:
        return f"a {known.__name__}, one of " + " ".join(each.name for each in known)
    if ctype.kind == "struct":
        return f"a {_CLASSES[_name(ctype)].__name__}"
    dtype = np.dtype(_DTYPES.get(ctype.cname, np.float64))
    if dtype.kind == "f":
        return "a number"
    return f"a whole number from {np.iinfo(dtype).min} to {np.iinfo(dtype).max}"


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
        return number
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"not {_told(ctype)}") from None


def _array_type(ctype: Any) -> Optional[type]:
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
            raise OverflowError(f"a number is none of {name}")
        raise TypeError(f"an array of {name} takes numbers, not {array.dtype.name}")
    if np.dtype(dtype).kind != "f":
        if array.dtype.kind == "f":
            raise TypeError(f"an array of {name} takes no fractions")
        limits = np.iinfo(dtype)
        for number in (int(array.min()), int(array.max())):
            if not limits.min <= number <= limits.max:
                raise OverflowError(f"{number} is no number of {name}")
    return np.ascontiguousarray(array, dtype)


def _to_pointer(ctype: Any, value: Any, writes: bool) -> tuple:
    """value as a C pointer of that type, and what has to live as long as it."""
    if value is None:
        return ffi.NULL, None
    if isinstance(value, Handle) or isinstance(value, ffi.CData):
        return getattr(value, "_c", value), value
    if ctype.kind == "function" or (ctype.kind == "pointer" and ctype.item.kind == "function"):
        made = ffi.callback(ctype, value, onerror=_callback_raised)
        return made, (made, value)
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
        array = _as_read(dtype, value)
    elif isinstance(value, np.ndarray) and value.dtype == dtype and \
            value.flags.c_contiguous and value.flags.writeable:
        array = value
    else:
        raise TypeError(f"an output is a contiguous array of {np.dtype(dtype).name}")
    return ffi.cast(ctype, array.ctypes.data), array


def _address(c: Any) -> int:
    return int(ffi.cast("uintptr_t", c))


_callbacks = threading.local()          # what one has raised, in the call that is under way


def _callback_raised(_kind: Any, error: BaseException, _traceback: Any) -> None:
    if getattr(_callbacks, "error", None) is None:
        _callbacks.error = error


def _call_c(function: str, arguments: Sequence[Any], kept: Any) -> Any:
    """Calls it; what one of its callbacks raised is raised, which C cannot know of."""
    reached = _reached(kept)
    tables = [thing for thing in reached if isinstance(thing, _Table)]
    for table in tables:
        table.load()
    outer, _callbacks.error = getattr(_callbacks, "error", None), None
    try:
        result = getattr(lib, function)(*arguments)
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
            waiting += [each._c, each._owner, *(kept[0] for kept in each._kept.values())]
        elif isinstance(each, _Table):
            waiting += each.values
        elif isinstance(each, (list, tuple)):
            waiting += each
    return list(found.values())


class _Table:
    """Structs one after the other, as C wants them."""

    def __init__(self, ctype: Any, values: list, writes: bool):
        for value in values:
            if not isinstance(value, Struct) or ffi.typeof(value._c).item != ctype.item:
                raise TypeError(f"not {_told(ctype.item)}: {reprlib.repr(value)}")
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

    def __init__(self, c: Any, *kept: Any):
        self._c = c
        self._kept = kept


class Struct:
    """A struct of C, zero where nothing was given. Fields are its attributes, and are
    given by name or in their order."""

    _type = ""
    _written: tuple = ()                # pointer fields behind which C writes

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
        # What pointer fields point to: what is to be kept alive, what they show, where it is.
        object.__setattr__(self, "_kept", {})
        object.__setattr__(self, "_path", "")           # of a struct within a struct
        for name, value in fields.items():
            setattr(self, name, value)

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
            return value if value else None             # C has set it
        return _ENUMS.get(_name(ctype), lambda number: number)(value) if ctype.kind == "enum" \
            else value

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
            setattr(self._c, name, value._c[0])
            self._keep_of(value, self._path + name + ".")
        elif ctype.kind == "array":
            getattr(self, name)[:] = value
        elif ctype.kind in ("pointer", "function"):
            c, kept = _to_pointer(ctype, value, name in type(self)._written)
            setattr(self._c, name, c)
            self._kept[self._path + name] = (kept, _seen(kept, value), _address(c))
        else:
            setattr(self._c, name, _value(ctype, value))

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

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *type(self)._fields()]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields())
        return f"{type(self).__name__}({shown})"


def _seen(kept: Any, value: Any) -> Any:
    """What a pointer field shows: the array that C reads, else what was assigned."""
    return kept.values if isinstance(kept, _Table) else \
        kept if isinstance(kept, np.ndarray) else value


_CLASSES: dict = {}
_ENUMS: dict = {}


def register(classes: Sequence[type], enums: dict) -> None:
    """Of a generated module: by the names that C has for them."""
    for made in classes:
        _CLASSES[made._type] = made
    _ENUMS.update(enums)


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
        del types[work:work + 2]
    made, kept = [], []
    for ctype, (name, value), written in zip(types, values.items(), writes):
        with _at(f"{called}: {name}", value):
            if ctype.kind in ("pointer", "function"):
                c, keep = _to_pointer(ctype, value, written)
                made.append(c)
                kept.append(keep)
            else:
                made.append(_value(ctype, value))
    return made, kept


def _keep_written(values: Iterable[Any], writes: Sequence[bool], kept: Any) -> None:
    """Where C may have made a struct point to something else that it was given."""
    reached = None
    for value, written in zip(values, writes):
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if written and isinstance(each, Struct) and each._points():
                reached = reached or _reached(kept)
                each._kept[each._path + "(call)"] = (reached, None, 0)


def _raise(function: str, status: int, out: Any) -> None:
    text = getattr(lib, function.split("_")[0] + "_status_text")(status)
    raise Error(function, status, ffi.string(text).decode(), out)


_SMALL_WORKSPACE = 3


def call(function: str, values: Mapping[str, Any], writes: Sequence[bool], work: int = -1,
         twin: str = "", twin_values: Mapping[str, Any] = {}, out: Any = None,
         handle: bool = False) -> Any:
    """Calls a function that returns a status. `work` is where (work, work_bytes) stand among
    its arguments, or -1; how much says the twin, or else whether it is enough."""
    made, kept = _arguments(function, values, writes, work)
    bytes_needed = 1 << 14
    if twin:
        size = ffi.new("size_t *")
        twin_made, twin_kept = _arguments(twin, {**twin_values, "bytes": size},
                                          [False] * len(twin_values) + [True])
        status = _call_c(twin, twin_made, twin_kept)
        if status:
            _raise(function, status, None)
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
        _raise(function, status, out)
    return Handle(where[0], space, kept, _reached(kept)) if handle else out


def plain(function: str, values: Mapping[str, Any], writes: Sequence[bool]) -> Any:
    """Calls a function that returns a value."""
    made, kept = _arguments(function, values, writes)
    result = _call_c(function, made, kept)
    _keep_written(values.values(), writes, kept)
    if not isinstance(result, ffi.CData) or ffi.typeof(result).kind != "pointer":
        return result
    if ffi.typeof(result).cname == "char *":
        return ffi.string(result).decode() if result else None
    return ffi.gc(result, lambda _: kept) if result else None       # it points into these
