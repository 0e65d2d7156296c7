"""What is mistyped is refused with what was meant, in the language of whoever asks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.commands.outcome import Exit

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.command import Commands


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """A PATH that has a program `claude`, too."""
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\nexec cat\n")
    program.chmod(0o755)
    return {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}


def test_a_mistyped_program_is_refused_with_the_one_that_was_meant(
    nagomi: Commands, path: dict[str, str]
) -> None:
    said = nagomi.fails(Exit.USAGE, "new", "--", "cluade", "--resume", env=path)
    assert said == "nagomi: The command cluade was not found; did you mean `claude`?\n"
    said = nagomi.fails(Exit.USAGE, "new", "--", "cluade", env={**path, "NAGOMI_LANG": "ja"})
    assert said == "nagomi: コマンド cluade が見つかりません。`claude` でしょうか。\n"


def test_what_a_worker_refuses_is_translated(nagomi: Commands, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo hello\n")
    script.chmod(0o755)
    said = nagomi.fails(Exit.USAGE, "new", "--", str(script), env={"NAGOMI_LANG": "ja"})
    assert f"{script} はこのシステムのプログラムではありません。" in said
    assert "is not a program" in nagomi.fails(Exit.USAGE, "new", "--", str(script))
