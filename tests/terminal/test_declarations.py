"""The declarations of libghostty-vt are those of the pyghostty that is installed."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.terminal.engine import EngineError
from nagomi_tui.terminal.ghostty import declarations, native
from tests.helpers import declarations as written
from tests.terminal.conftest import NATIVE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not NATIVE, reason="no wheel here")


def test_they_are_what_make_declarations_writes(tmp_path: Path) -> None:
    written.write(tmp_path / "made.py")
    assert written.TARGET.read_text() == (tmp_path / "made.py").read_text()
    assert metadata.version("pyghostty") == declarations.VERSION


@pytest.mark.parametrize(
    ("twin", "real"),
    [("NagomiPoint", "GhosttyPoint"), ("NagomiScroll", "GhosttyTerminalScrollViewport")],
)
def test_a_struct_that_stands_for_a_union_has_its_layout(twin: str, real: str) -> None:
    ffi = native.load().ffi
    assert (ffi.sizeof(twin), ffi.alignof(twin)) == (ffi.sizeof(real), ffi.alignof(real))


def test_nothing_is_parsed_at_a_start() -> None:
    program = """
import sys
from nagomi_tui.terminal.ghostty import native
native.load()
print([name for name in sys.modules if name.startswith(("cffi", "pycparser", "pyghostty"))])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_another_version_or_no_library_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    load = native.load.__wrapped__
    monkeypatch.setenv("PYGHOSTTY_LIB", "/nonexistent/library.so")
    with pytest.raises(EngineError, match="could not be loaded: .*nonexistent"):
        load()
    monkeypatch.delenv("PYGHOSTTY_LIB")
    monkeypatch.setattr(declarations, "VERSION", "0.0.9")
    with pytest.raises(EngineError, match=r"nagomi knows pyghostty 0\.0\.9, and not "):
        load()
