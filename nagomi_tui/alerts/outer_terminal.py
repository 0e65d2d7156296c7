"""The user's own terminal: how it shows a notice, a title and progress, through tmux and screen.

What each terminal supports is taken from its documents; what passes a multiplexer was tried:
tmux drops a wrapped sequence unless `allow-passthrough` is on, and only BEL always arrives.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from nagomi_tui.text.cells import printable

Way: TypeAlias = Literal["osc9", "osc777", "osc99", "bell", "off"]
BEL: Final = "\x07"
CLICKED: Final = re.compile(rb"\x1b\]99;i=ng-([0-9a-f-]{36})[:;]")
"""kitty's answer when a notice was clicked; group 1 is the session's id."""

_SCREEN_PIECE: Final = 100
"""Characters in one DCS string of screen, which keeps only some hundred bytes."""
_BY_PROGRAM: Final[Mapping[str, Way]] = {
    "kitty": "osc99",
    "iterm2": "osc9",
    "iterm.app": "osc9",
    "wezterm": "osc9",
    "ghostty": "osc9",
    "foot": "osc777",
    "rxvt": "osc777",
    "konsole": "osc777",
    "windows terminal": "osc777",
    "vte": "osc777",
    "vscode": "bell",
    "xterm.js": "bell",
    "apple_terminal": "bell",
    "alacritty": "bell",
    "xterm": "bell",
}
_PROGRESS: Final = frozenset({"ghostty", "windows terminal", "conemu", "iterm2", "vte"})
"""Terminals that show OSC 9;4 as progress; some others would show it as a notice."""


class Outer(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the terminal that a front end draws on."""

    program: str = ""
    """Its name in lower case; empty if it is unknown."""
    between: Literal["", "tmux", "screen"] = ""
    titles: bool = True
    progress: bool = False


def outer(env: Mapping[str, str], version: str = "") -> Outer:
    """Tell the terminal from its variables, and from its own answer to XTVERSION if there is one.

    Over ssh the variables mostly do not come along; inside tmux the answer is tmux's own.
    """
    told = version.lower()
    between = _between(env, told)
    program = _program_of(env) if between else _named(told) or _program_of(env)
    return Outer(
        program=program,
        between=between,
        titles=env.get("TERM", "") not in ("linux", "dumb", ""),
        progress=program in _PROGRESS and _draws_progress(env, program, told),
    )


def _between(env: Mapping[str, str], told: str) -> Literal["", "tmux", "screen"]:
    term = env.get("TERM", "")
    if env.get("TMUX") or told.startswith("tmux") or term.startswith("tmux"):
        return "tmux"
    if env.get("STY") or term.startswith("screen"):
        return "screen"
    return ""


def _named(told: str) -> str:
    """Return the program that an answer to XTVERSION names, such as `kitty(0.32.1)`."""
    return next((name for name in _BY_PROGRAM if told.startswith(name)), "")


def _program_of(env: Mapping[str, str]) -> str:
    term, program = env.get("TERM", ""), env.get("TERM_PROGRAM", "").lower()
    if env.get("LC_TERMINAL") == "iTerm2" or program == "iterm.app":
        return "iterm2"  # the former even comes along over ssh
    if program in _BY_PROGRAM:
        return program
    for mark, name in (
        ("KITTY_WINDOW_ID", "kitty"), ("WT_SESSION", "windows terminal"),
        ("WEZTERM_PANE", "wezterm"), ("GHOSTTY_RESOURCES_DIR", "ghostty"), ("ConEmuPID", "conemu"),
        ("KONSOLE_VERSION", "konsole"), ("VTE_VERSION", "vte"), ("ALACRITTY_WINDOW_ID", "alacritty"),
    ):  # fmt: skip
        if env.get(mark):
            return name
    return next((name for name in ("kitty", "foot", "rxvt", "ghostty") if name in term), "")


def _draws_progress(env: Mapping[str, str], program: str, told: str) -> bool:
    if program == "iterm2":
        version = env.get("TERM_PROGRAM_VERSION") or env.get("LC_TERMINAL_VERSION", "")
        return _numbers(told.partition(" ")[2] or version) >= (3, 6, 6)
    if program == "vte":
        return _numbers(env.get("VTE_VERSION", "")) >= (7900,)
    return True


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def way_of(terminal: Outer, setting: str) -> Way:
    """Return how the terminal is to show a notice: as set, or by the best way it supports."""
    if setting in ("osc9", "osc777", "osc99", "bell", "off"):
        return setting  # type: ignore[return-value]
    if not terminal.titles:
        return "bell"
    return _BY_PROGRAM.get(terminal.program, "osc777")


def notice(
    terminal: Outer, way: Way, *, title: str, body: str, session: str, hushed: bool = False
) -> str:
    """Return the sequence that shows a notice; kitty answers a click on it with `CLICKED`.

    A BEL is added, unwrapped, where a multiplexer may drop the notice, unless `hushed`.
    """
    title, body = _plain(title), _plain(body)
    if terminal.between == "screen" and way != "osc99":
        title, body = _ascii(title) or "nagomi", _ascii(body)
    if way == "osc9":
        text = f"{title}: {body}" if body else title
        told = f"\x1b]9;{_no_command(text)}{BEL}"
    elif way == "osc777":
        told = f"\x1b]777;notify;{_one_field(title)};{_one_field(body)}{BEL}"
    elif way == "osc99":
        mark = f"i=ng-{session}:e=1"
        told = f"\x1b]99;{mark}:d=0:a=focus,report;{_base64(title)}\x1b\\\x1b]99;{mark}:d=1:p=body;{_base64(body)}\x1b\\"
    else:
        return "" if way == "off" or hushed else BEL
    lossy = bool(terminal.between) or not terminal.program
    return wrapped(terminal, told) + (BEL if lossy and not hushed else "")


def titled(text: str) -> str:
    """Return the sequence that sets the terminal's title, which tmux and screen understand, too."""
    return f"\x1b]0;{_plain(text)}{BEL}"


def progress(terminal: Outer, *, state: int, percent: int = 0) -> str:
    """Return OSC 9;4: `state` is 0 none, 1 normal, 2 error, 3 busy, 4 waiting."""
    if not terminal.progress:
        return ""
    return wrapped(terminal, f"\x1b]9;4;{state};{percent}{BEL}")


def wrapped(terminal: Outer, data: str) -> str:
    """Return the sequence wrapped so that a multiplexer passes it to the terminal around it."""
    if terminal.between == "tmux":
        return "\x1bPtmux;" + data.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if terminal.between == "screen":
        # Its strings end at ST, so none may be inside.
        data = data.replace("\x1b\\", BEL)
        pieces = range(0, len(data), _SCREEN_PIECE)
        return "".join(f"\x1bP{data[at : at + _SCREEN_PIECE]}\x1b\\" for at in pieces)
    return data


def _no_command(text: str) -> str:
    """Return text that OSC 9 cannot take for ConEmu's commands, such as `4;1;50` for progress."""
    return f"nagomi: {text}" if re.match(r"\d+(;|$)", text) else text


def _one_field(text: str) -> str:
    return text.replace(";", ",")


def _ascii(text: str) -> str:
    """Return what screen hands on whole: of any other character it keeps only the low byte."""
    return "".join(char for char in text if char.isascii()).strip()


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _plain(text: str) -> str:
    """Take out whatever could end the sequence and begin another."""
    return printable(text).strip()
