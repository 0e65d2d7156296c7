"""Writes libghostty-vt's types and functions as cffi reads them without parsing.

Parsing pyghostty's C declarations, and each C type that is named later, takes more than a second
of every start; what is written here takes 0.02 s. `make declarations` runs this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.helpers.tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

# cffi's ABI mode cannot pass unions by value; structs of the same size and class can be passed.
_TWINS: Final = """
typedef struct { uint16_t x; uint32_t y; uint64_t padding; } NagomiPointValue;
typedef struct { GhosttyPointTag tag; NagomiPointValue value; } NagomiPoint;
typedef struct { uint64_t row; uint64_t padding; } NagomiScrollValue;
typedef struct { int tag; NagomiScrollValue value; } NagomiScroll;
"""

TARGET: Final = ROOT / "nagomi_tui" / "terminal" / "ghostty" / "declarations.py"


def write(target: Path) -> None:
    """Write the module for the version of pyghostty that is installed."""
    from importlib import metadata

    from cffi import FFI, recompiler
    from pyghostty._cdef import CDEF

    ffi = FFI()
    ffi.cdef(CDEF)
    ffi.cdef(_TWINS)
    ffi.set_source("declarations", None)
    recompiler.make_py_source(ffi, "declarations", str(target))
    made = target.read_text()
    version = f'\nVERSION = "{metadata.version("pyghostty")}"\n"""Of pyghostty."""\n'
    target.write_text(made.replace("# auto-generated file\n", f"# {_HEAD}\n", 1) + version)


_HEAD: Final = "Written by `make declarations` from pyghostty's C declarations."

if __name__ == "__main__":
    write(TARGET)
