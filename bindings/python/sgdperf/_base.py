"""What the generated modules share: structs, arrays, calls.

Structs live in C memory; what a pointer field points to is kept alive by the struct that has
it. Arrays are NumPy's: what a function reads is converted where needed, what it writes must
have the type and be contiguous, since its own memory is written. Lengths are those that the
text of each function says, as in C; they are not checked.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Optional, Sequence

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


def _array_type(ctype: Any) -> Optional[type]:
    """The NumPy type behind a C pointer or array to numbers, else None."""
    item = ctype.item
    return np.intc if item.kind == "enum" else _DTYPES.get(item.cname.replace("const ", ""))


def _to_pointer(ctype: Any, value: Any, writes: bool) -> tuple:
    """value as a C pointer of that type, and what has to live as long as it."""
    if value is None:
        return ffi.NULL, None
    if isinstance(value, Handle) or isinstance(value, ffi.CData):
        return getattr(value, "_c", value), value
    if ctype.kind == "function" or (ctype.kind == "pointer" and ctype.item.kind == "function"):
        made = ffi.callback(ctype, value)
        return made, (made, value)
    if isinstance(value, Struct):
        if ffi.typeof(value._c).item != ctype.item:
            raise TypeError(f"not a {_name(ctype.item)}: {value!r}")
        return value._c, value
    if ctype.item.kind == "struct":
        return _to_structs(ctype, list(value), writes)
    if ctype.item.kind == "pointer":
        rows = [np.ascontiguousarray(row, _array_type(ctype.item)) for row in value]
        table = ffi.new("void *[]", [ffi.cast("void *", row.ctypes.data) for row in rows])
        return ffi.cast(ctype, table), (table, rows)
    dtype = _array_type(ctype)
    if dtype is None:
        raise TypeError(f"no array becomes {ctype.cname}")
    if writes:
        if not (isinstance(value, np.ndarray) and value.dtype == dtype
                and value.flags.c_contiguous and value.flags.writeable):
            raise TypeError(f"an output is a contiguous array of {np.dtype(dtype).name}")
        array = value
    else:
        array = np.asarray(value)
        if array.dtype.kind == "f" and np.dtype(dtype).kind != "f":
            raise TypeError(f"an array of {np.dtype(dtype).name} takes no fractions")
        array = np.ascontiguousarray(array, dtype)
        if np.dtype(dtype).kind == "u" and np.any(np.asarray(value) < 0):
            raise OverflowError(f"an array of {np.dtype(dtype).name} takes no negative numbers")
    return ffi.cast(ctype, array.ctypes.data), array


def _to_structs(ctype: Any, values: list, writes: bool) -> tuple:
    """A C array of structs; where the function writes, each struct is the array's own."""
    for value in values:
        if not isinstance(value, Struct) or ffi.typeof(value._c).item != ctype.item:
            raise TypeError(f"not a {_name(ctype.item)}: {value!r}")
    table = ffi.new(f"{ctype.item.cname}[]", max(1, len(values)))
    for i, value in enumerate(values):
        table[i] = value._c[0]
        if writes:
            value._c = table + i
            value._owner = table
    return table, (table, values)


class Handle:
    """What lives in a workspace: a balancer, a predictor, a live scheduler."""

    def __init__(self, c: Any, *kept: Any):
        self._c = c
        self._kept = kept


class Struct:
    """A struct of C, zero where nothing was given. Fields are its attributes, and are
    given by name or in their order."""

    _type = ""

    def __init__(self, *values: Any, **fields: Any):
        names = list(type(self)._fields())
        if len(values) > len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields")
        fields = {**dict(zip(names, values)), **fields}
        object.__setattr__(self, "_c", ffi.new(f"{self._type} *"))
        object.__setattr__(self, "_owner", None)
        object.__setattr__(self, "_kept", {})           # what pointer fields point to
        object.__setattr__(self, "_path", "")           # of a struct within a struct
        for name, value in fields.items():
            setattr(self, name, value)

    @classmethod
    def _view(cls, c: Any, owner: "Struct", name: str) -> "Struct":
        self = cls.__new__(cls)
        object.__setattr__(self, "_c", c)
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_kept", owner._kept)
        object.__setattr__(self, "_path", owner._path + name + ".")
        return self

    @classmethod
    def _fields(cls) -> dict:
        return dict(ffi.typeof(cls._type).fields)

    def __getattr__(self, name: str) -> Any:
        fields = type(self)._fields()
        name = name if name in fields else name.rstrip("_")         # from_ is C's from
        if name.startswith("_") or name not in fields:
            raise AttributeError(f"{type(self).__name__} has no field {name}")
        ctype = fields[name].type
        if ctype.kind == "struct":
            return _CLASSES[_name(ctype)]._view(ffi.addressof(self._c[0], name), self, name)
        if ctype.kind == "array":
            view = np.frombuffer(ffi.buffer(getattr(self._c, name)), _array_type(ctype))
            return view
        if ctype.kind in ("pointer", "function"):
            return self._kept.get(self._path + name, (None, None))[1]
        value = getattr(self._c, name)
        return _ENUMS.get(_name(ctype), lambda number: number)(value) if ctype.kind == "enum" \
            else value

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        fields = type(self)._fields()
        name = name if name in fields else name.rstrip("_")
        if name not in fields:
            raise AttributeError(f"{type(self).__name__} has no field {name}")
        ctype = fields[name].type
        if ctype.kind == "struct":
            if not isinstance(value, Struct) or value._type != _name(ctype):
                raise TypeError(f"{name} is a {_name(ctype)}")
            setattr(self._c, name, value._c[0])
            self._kept[self._path + name] = (value, value)
        elif ctype.kind == "array":
            getattr(self, name)[:] = value
        elif ctype.kind in ("pointer", "function"):
            c, kept = _to_pointer(ctype, value, False)
            setattr(self._c, name, c)
            self._kept[self._path + name] = (kept, _seen(kept, value))
        else:
            setattr(self._c, name, int(value) if ctype.kind == "enum" else value)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *type(self)._fields()]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self)._fields())
        return f"{type(self).__name__}({shown})"


def _seen(kept: Any, value: Any) -> Any:
    """What a pointer field shows: the array that C reads, else what was assigned."""
    return kept if isinstance(kept, np.ndarray) else value


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


def _arguments(function: str, values: Sequence[Any], writes: Sequence[bool],
               work: int = -1) -> tuple:
    types = list(ffi.typeof(getattr(lib, function)).args)
    if work >= 0:
        del types[work:work + 2]
    made, kept = [], []
    for ctype, value, written in zip(types, values, writes):
        if ctype.kind in ("pointer", "function"):
            c, keep = _to_pointer(ctype, value, written)
            made.append(c)
            kept.append(keep)
        else:
            made.append(int(value) if ctype.kind in ("enum",) else value)
    return made, kept


def _raise(function: str, status: int, out: Any) -> None:
    text = getattr(lib, function.split("_")[0] + "_status_text")(status)
    raise Error(function, status, ffi.string(text).decode(), out)


_SMALL_WORKSPACE = 3


def call(function: str, values: Sequence[Any], writes: Sequence[bool], work: int = -1,
         twin: str = "", twin_values: Sequence[Any] = (), out: Any = None,
         handle: bool = False) -> Any:
    """Calls a function that returns a status. `work` is where (work, work_bytes) stand among
    its arguments, or -1; how much says the twin, or else whether it is enough."""
    made, kept = _arguments(function, values, writes, work)
    bytes_needed = 1 << 14
    if twin:
        size = ffi.new("size_t *")
        twin_made, twin_kept = _arguments(twin, [*twin_values, size],
                                          [False] * len(twin_values) + [True])
        status = getattr(lib, twin)(*twin_made)
        if status:
            _raise(function, status, None)
        bytes_needed = size[0]
        del twin_kept
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
        status = getattr(lib, function)(*arguments)
        if status == _SMALL_WORKSPACE and work >= 0 and not twin and bytes_needed < 1 << 34:
            bytes_needed *= 4
            continue
        break
    if status:
        _raise(function, status, out)
    return Handle(where[0], space, kept) if handle else out


def plain(function: str, values: Sequence[Any], writes: Sequence[bool]) -> Any:
    """Calls a function that returns a value."""
    made, kept = _arguments(function, values, writes)
    result = getattr(lib, function)(*made)
    del kept
    if isinstance(result, ffi.CData) and ffi.typeof(result).cname == "char *":
        return ffi.string(result).decode()
    return result
