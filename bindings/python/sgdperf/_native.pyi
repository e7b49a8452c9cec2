"""What cffi compiles, as a checker of types sees it."""

from typing import Any

ffi: Any
lib: Any
