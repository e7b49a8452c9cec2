"""The compiled module sgdperf._native: all headers and what calls them from Python."""

import os
import tempfile
from pathlib import Path

from cffi import FFI

import generate

top = Path("..") / ".."
with tempfile.TemporaryDirectory() as nowhere:
    declarations = generate.generate(top, nowhere)
ffi = FFI()
ffi.cdef(declarations)
ffi.set_source(
    "sgdperf._native",
    "".join(f'#include "{header.name}"\n' for header in generate.headers_in(top)),
    sources=[str(top / "lib" / "sgdperf.c")],
    include_dirs=[str(top)],
    # Contraction to fused multiply-add would change the last bits; CFLAGS may say how fast.
    extra_compile_args=["-ffp-contract=off", *([] if "CFLAGS" in os.environ else ["-O3"])],
    libraries=["m"],
)
