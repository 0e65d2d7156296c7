"""Ways to the clipboard and to the desktop, with real programs that keep what they were given."""

from __future__ import annotations

import base64
import os
import threading
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.view import desktop
from nagomi_tui.view.desktop import (
    TERMINAL_LIMIT,
    Clipboard,
    Outcome,
    cleaned,
    open_link,
    opener,
    sequence,
    ways,
)
from tests.helpers.copying import _KEEP_ARGUMENT, fake
from tests.helpers.workplace import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL = {"tmux", "pbcopy", "wl-copy", "xclip", "xsel", "clip.exe"}


def known(*programs: str) -> Callable[[str], str | None]:
    return lambda name: f"/bin/{name}" if name in programs else None


@pytest.mark.parametrize(
    ("env", "platform", "programs", "names"),
    [
        ({}, "linux", ALL, ["OSC 52"]),
        ({"DISPLAY": ":0"}, "linux", ALL, ["xclip", "xsel", "OSC 52"]),
        ({"DISPLAY": ":0"}, "linux", {"xsel"}, ["xsel", "OSC 52"]),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}, "linux", {"wl-copy", "xclip"},
         ["wl-copy", "xclip", "OSC 52"]),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "a b"}, "linux", ALL, ["OSC 52"]),
        ({"DISPLAY": ":0", "SSH_TTY": "x", "TMUX": "y"}, "linux", ALL, ["tmux", "OSC 52"]),
        ({"TMUX": "y"}, "linux", ALL, ["tmux", "OSC 52"]),
        ({"TMUX": "y"}, "darwin", ALL, ["pbcopy", "tmux", "OSC 52"]),
        ({"WSL_DISTRO_NAME": "u", "DISPLAY": ":0"}, "linux", ALL,
         ["clip.exe", "xclip", "xsel", "OSC 52"]),
        ({"WSL_INTEROP": "u"}, "linux", set(), ["OSC 52"]),
    ],
)  # fmt: skip
def test_ways_go_by_where_the_user_is(
    env: dict[str, str], platform: str, programs: set[str], names: list[str]
) -> None:
    assert [w.name for w in ways(env, which=known(*programs), platform=platform)] == names


def copy(text: str, env: dict[str, str], *, terminal: bool = True) -> tuple[Outcome, list[str]]:
    """Copy a text, and return how it went and what the terminal got."""
    written: list[str] = []
    outcomes: list[Outcome] = []
    heard = threading.Event()

    def to_terminal(data: str) -> bool:
        written.append(data)
        return terminal

    def then(outcome: Outcome) -> None:
        outcomes.append(outcome)
        heard.set()

    Clipboard(env, to_terminal=to_terminal).copy(text, then)
    assert heard.wait(20)
    return outcomes[0], written


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    return {"PATH": path, "DISPLAY": ":9"}


def test_a_program_gets_the_whole_text(tmp_path: Path, env: dict[str, str]) -> None:
    program = fake(tmp_path / "bin", "xclip")
    text = "日本\tx\x1b[1m\n" * 20_000
    assert copy(text, env) == (Outcome("xclip"), [])
    assert (tmp_path / "bin" / f"{program.name}.got").read_bytes() == text.encode()


def test_clip_exe_gets_utf_16(tmp_path: Path, env: dict[str, str]) -> None:
    fake(tmp_path / "bin", "clip.exe")
    outcome, _ = copy("日本 a", env | {"WSL_DISTRO_NAME": "Debian"})
    assert outcome == Outcome("clip.exe")
    kept = (tmp_path / "bin" / "clip.exe.got").read_bytes()
    assert kept[:2] == b"\xff\xfe" and kept.decode("utf-16") == "日本 a"


def test_the_next_way_is_tried_when_one_fails(tmp_path: Path, env: dict[str, str]) -> None:
    fake(tmp_path / "bin", "xclip", "exit 1\n")
    fake(tmp_path / "bin", "xsel")
    assert copy("x", env)[0] == Outcome("xsel")
    fake(tmp_path / "bin", "xsel", "exit 1\n")
    assert copy("日", env) == (Outcome("OSC 52"), [sequence("日")])


def test_a_program_that_hangs_is_ended(
    tmp_path: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desktop, "DEADLINE_SECONDS", 0.3)
    fake(tmp_path / "bin", "xclip", 'echo $$ > "$0.pid"; sleep 600\n')
    fake(tmp_path / "bin", "xsel", "exit 1\n")
    assert copy("x", env)[0] == Outcome("OSC 52")
    pid = int((tmp_path / "bin" / "xclip.pid").read_text())
    assert not os.path.exists(f"/proc/{pid}")


def test_of_many_copies_the_newest_is_made_by_one_program_at_a_time(
    tmp_path: Path, env: dict[str, str]
) -> None:
    fake(tmp_path / "bin", "xclip", 'cat >> "$0.all"; echo >> "$0.all"; sleep 0.2\n')
    outcomes: list[Outcome] = []
    copies = Clipboard(env, to_terminal=lambda _data: True)
    threads = threading.active_count()
    for number in range(2000):
        copies.copy(f"copy {number}", outcomes.append)
        assert threading.active_count() <= threads + 1
    kept = tmp_path / "bin" / "xclip.all"
    until(lambda: kept.exists() and kept.read_text().endswith("copy 1999\n"))
    until(lambda: threading.active_count() == threads)
    assert 2 <= len(outcomes) <= 20
    assert set(outcomes) == {Outcome("xclip")}
    assert len(kept.read_text().splitlines()) == len(outcomes)
    copies.copy("later", outcomes.append)
    until(lambda: kept.read_text().endswith("later\n"))


def test_terminals_are_spared_long_texts() -> None:
    assert copy("x" * TERMINAL_LIMIT, {})[0] == Outcome("OSC 52")
    assert len(sequence("x" * TERMINAL_LIMIT)) < 100_008
    assert copy("x" * (TERMINAL_LIMIT + 1), {}) == (Outcome("", too_long=True), [])
    assert copy("x", {}, terminal=False)[0] == Outcome("")


def test_the_sequence_holds_the_text() -> None:
    body = sequence("日本\n").removeprefix("\x1b]52;c;").removesuffix("\x1b\\")
    assert base64.b64decode(body).decode() == "日本\n"


def test_only_what_no_clipboard_holds_is_taken_out() -> None:
    assert cleaned("a\0b\x1b[1m\t\r\n\x07\ud83d") == "ab\x1b[1m\t\r\n\x07"


@pytest.mark.parametrize(
    ("env", "platform", "programs", "program"),
    [
        ({}, "linux", {"xdg-open"}, ""),
        ({"DISPLAY": ":0"}, "linux", {"xdg-open"}, "/bin/xdg-open"),
        ({"WAYLAND_DISPLAY": "w"}, "linux", set(), ""),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "a"}, "linux", {"xdg-open"}, ""),
        ({"WSL_INTEROP": "u"}, "linux", {"explorer.exe", "wslview"}, "/bin/wslview"),
        ({"WSL_INTEROP": "u"}, "linux", {"explorer.exe"}, "/bin/explorer.exe"),
        ({}, "darwin", {"open"}, "/bin/open"),
    ],
)
def test_links_are_opened_where_there_is_a_desktop(
    env: dict[str, str], platform: str, programs: set[str], program: str
) -> None:
    assert opener(env, which=known(*programs), platform=platform) == program


def test_a_link_is_given_to_no_shell(tmp_path: Path) -> None:
    program = fake(tmp_path, "open", _KEEP_ARGUMENT)
    target = "https://example.com/$(touch x);'\"&?a=b"
    assert open_link(str(program), target, dict(os.environ))
    until((tmp_path / "open.got").exists)
    assert (tmp_path / "open.got").read_text() == target
    assert not open_link(str(tmp_path / "missing"), target)
