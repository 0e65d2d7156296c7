"""doctor on a terminal, on another one, and on none: widths, fonts, sound and notices."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.doctor.terminal import SAMPLES
from nagomi_tui.text.cells import cells
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.command import NAGOMI, Commands, workplace
from tests.helpers.outer import Outer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow


@pytest.fixture
def own() -> Iterator[Commands]:
    """A workplace in which nothing runs yet."""
    with workplace() as commands:
        yield commands


def answers(**others: int) -> bytes:
    """What a terminal says whose samples are as wide as nagomi counts on, but for some."""
    widths = {name: others.get(name, cells(text)) for name, text in SAMPLES.items()}
    return b"".join(f"\x1b[1;{width + 1}R".encode() for width in widths.values()) + b"\x1b[?62c"


def told_by(own: Commands, said: bytes) -> str:
    """Run the doctor on a terminal that says this, and return what it prints."""
    env = {**own.env, "TERM": "xterm-256color", "COLORTERM": "truecolor", "NAGOMI_LANG": "en"}
    with BareTerminal([*NAGOMI, "doctor"], env, cols=240) as terminal:
        terminal.wait(b"\x1b[c")
        terminal.type(said)
        terminal.wait(b"Notices")
        return terminal.got.decode()


@pytest.mark.requirement("N-113")
def test_a_terminal_that_counts_as_nagomi_does_is_well(own: Commands) -> None:
    told = told_by(own, answers(emoji_sign=1))
    assert "as nagomi counts on" in told
    assert "Emoji differ (⚠️); nagomi sets what follows them right." in told


@pytest.mark.requirement("N-113")
def test_wide_signs_and_torn_pictures_are_explained(own: Commands) -> None:
    told = told_by(own, answers(ambiguous=10, blocks=8))
    assert "Signs such as ○ ◆ … take 10 cells for 5, so lines and frames are shifted." in told
    assert "Half-blocks take 8 cells for 4, so characters look torn." in told
    assert "let ambiguous characters be one cell wide" in told


@pytest.mark.requirement("N-113")
def test_a_real_terminal_answers_and_is_left_clean(own: Commands) -> None:
    env = {**own.env, "TERM": "xterm-256color", "NAGOMI_LANG": "en"}
    with Outer([*NAGOMI, "doctor"], env, cols=70, rows=70) as outer:
        outer.wait("[left")
        shown = outer.screen()
        assert "as nagomi counts on" in shown
        assert "あ漢 ○●◆▲✓ ▀▄█▌" in shown
        assert "^[[" not in shown
        lines = shown.splitlines()
        torn = next(line for line in lines if "Boxes or gaps here" in line)
        # What is too long goes on under its beginning.
        below = lines[lines.index(torn) + 1]
        assert torn.index("Boxes") == len(below) - len(below.lstrip())


@pytest.mark.requirement("N-113")
def test_without_a_terminal_the_same_is_looked_at(own: Commands) -> None:
    checks = {check["key"]: check for check in own.json("doctor")["checks"]}
    assert checks["widths"]["result"] == "ok"
    assert "no terminal" in checks["widths"]["found"]
    assert "no Nerd Font is needed" in checks["fonts"]["meaning"]
    assert {"sound", "speech", "notices"} <= set(checks)


@pytest.mark.requirement("N-113")
def test_a_desktop_without_japanese_fonts_is_told(own: Commands, tmp_path: Path) -> None:
    lists = tmp_path / "fc-list"
    lists.write_text('#!/bin/sh\ncase "$2" in *3042) exit 1;; esac\n')
    lists.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "DISPLAY": ":9", "NAGOMI_LANG": "en"}
    shown = own.run("doctor", env=env).stdout
    assert "No font here has these: Japanese." in shown
    assert "No font here" not in own.run("doctor", env={**env, "SSH_TTY": "/dev/pts/9"}).stdout


@pytest.mark.requirement("N-113")
def test_quiet_and_a_bell_in_place_of_sound_are_told(own: Commands) -> None:
    own.new("cat")
    own.ok("sound", "mute", "1h")
    checks = {check["key"]: check for check in own.json("doctor")["checks"]}
    assert "no sound until" in checks["hushed"]["found"]
    own.ok("sound", "unmute")
    assert "hushed" not in {check["key"] for check in own.json("doctor")["checks"]}


@pytest.mark.requirement("N-113")
def test_tmux_that_lets_notices_through_is_well(own: Commands, tmp_path: Path) -> None:
    command = tmp_path / "tmux"
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "TMUX": "/tmp/s,1,0", "NAGOMI_LANG": "en"}
    for set_to, held in (("off", True), ("on", False)):
        command.write_text(
            f'#!/bin/sh\n[ "$*" = "show-options -gv allow-passthrough" ] && echo {set_to}\n'
        )
        command.chmod(0o755)
        assert ("tmux holds notices back" in own.run("doctor", env=env).stdout) is held
