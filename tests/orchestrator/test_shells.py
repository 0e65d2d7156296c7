"""Shells in sessions begin with our integration, unless the setting says no."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.workplace import PATIENCE, create, session, text_of, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.workplace import Place


def test_the_setting_decides(shared_place: Place, tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("PS1='ready> '\n")
    shown = []
    with shared_place.connect() as connection:
        for wanted in (True, False):
            order = messages.Settings(id=0, values={"shell_integration": wanted})
            connection.request(order, timeout=PATIENCE)
            made = create(connection, "bash", env={"HOME": str(tmp_path)})
            assert session(connection, made)["cmd"] == "bash"
            until(lambda made=made: "ready>" in text_of(connection, made))
            line = "type -t __nagomi_before || echo 'not'"
            order = messages.Send(id=0, session=made, text=line)
            connection.request(order, timeout=PATIENCE)
            until(lambda made=made: text_of(connection, made).count("ready>") == 2)
            shown.append(text_of(connection, made).splitlines()[1])
            if wanted:
                for line, phase in (("false", "error"), ("true", "success")):
                    order = messages.Send(id=0, session=made, text=line)
                    connection.request(order, timeout=PATIENCE)
                    until(
                        lambda made=made, phase=phase: session(connection, made)["phase"] == phase
                    )
    assert shown == ["function", "not"]


DIES = (
    "import os, sys; sys.stdout.write('\\x1b[?1049h\\x1b[>1u\\x1b[?1003h\\x1b[?1006h\\x1b[?1004h\\x1b[?25lTUI SCREEN');"
    " sys.stdout.flush(); os.kill(os.getpid(), 9)"
)


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_killed_program_left_on_is_off_at_the_prompt(
    shared_place: Place, tmp_path: Path, shell: str
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / ".bashrc").write_text("PS1='ready> '\n")
    (tmp_path / ".zshrc").write_text("PS1='ready> '\n")
    (tmp_path / ".config" / "fish").mkdir(parents=True)
    (tmp_path / ".config" / "fish" / "config.fish").write_text(
        "function fish_prompt; echo -n 'ready> '; end\n"
    )
    (tmp_path / "die.py").write_text(DIES)
    with shared_place.connect(front_end=True) as connection:
        connection.request(messages.Settings(id=0, values={"shell_integration": True}))
        made = create(connection, shell, cwd=str(tmp_path), env={"HOME": str(tmp_path)})
        until(lambda: "ready>" in text_of(connection, made))
        connection.request(messages.Send(id=0, session=made, text=f"{sys.executable} die.py"))
        until(lambda: text_of(connection, made).count("ready>") >= 2)
        connection.send(messages.Focus(session=made))
        connection.send(messages.Point(session=made, x=5, y=5, button=3, action="move"))
        connection.send(messages.Focus(session=""))
        connection.send(messages.Press(session=made, key="c", mods=4, text="c"))
        until(lambda: text_of(connection, made).count("ready>") >= 3 or shell == "fish")
        connection.send(messages.TypeText(session=made, text="echo still\\ here\r"))
        until(lambda: "still here" in text_of(connection, made).splitlines())
        shown = text_of(connection, made)
        assert "TUI SCREEN" not in shown
        assert not re.search(r"\d+;\d+[Mmu]|\[[IO]", shown), shown
