"""`nagomi judge learn` on a trace: shown first, and written as a rule of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.commands.test_hooks import nagomi
from tests.judge.test_learning import trace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.judge.replay import Recording

pytestmark = pytest.mark.slow

__all__ = ["trace"]


def test_it_shows_and_then_writes(trace: Recording, tmp_path: Path) -> None:
    cast = str(tmp_path / "new.cast")
    shown = nagomi(tmp_path, "judge", "learn", cast)
    assert shown.returncode == 0, shown.stderr
    assert "[[rule]]" in shown.stdout and "unknown → attention" in shown.stdout
    assert "--write" in shown.stdout and not list(tmp_path.rglob("claude.toml"))

    done = nagomi(tmp_path, "judge", "learn", cast, "--at", "5", "--write", "--yes")
    assert done.returncode == 0, done.stderr
    (written,) = tmp_path.rglob("claude.toml")
    assert "adds = true" in written.read_text()
    assert nagomi(tmp_path, "judge", "check", str(written)).returncode == 0
    again = nagomi(tmp_path, "judge", "learn", cast, "--at", "5")
    assert "nothing changes" in again.stdout

    unknown = nagomi(tmp_path, "judge", "learn", cast, "--at", "5", "--agent", "nobody")
    assert unknown.returncode == 1 and "--agent" in unknown.stderr
