"""The outer terminal: what it can, who sits between, which characters it draws; and what would call its user."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from nagomi_tui.alerts import surroundings
from nagomi_tui.alerts.outer_terminal import outer, way_of
from nagomi_tui.api.messages import Sound, SoundStanding
from nagomi_tui.doctor.report import Check, Residents, check, printed
from nagomi_tui.system.console import tr
from nagomi_tui.system.environment import is_far, terminal_size
from nagomi_tui.system.outcome import CommandError
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.cells import cells
from nagomi_tui.text.words import translatable

_SECONDS: Final = 2.0
"""Long enough for a slow line; a terminal that answers at all ends the wait itself."""

_QUESTIONS: Final = b"\x1b[?u\x1b[?2026$p"
SAMPLES: Final = {
    "wide": "あ漢",
    "ambiguous": "○●◆▲…",
    "blocks": "▀▄█▌",
    "lines": "─│╭╯",
    "face": "(˘ω˘)",
    "kana": "か\u3099",
    "emoji": "\U0001f375",
    "emoji_sign": "⚠\ufe0f",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flag": "\U0001f1ef\U0001f1f5",
}
"""What is shown for a moment to see how many cells it takes."""
_LAST: Final = b"\x1b[c"
"""Every terminal answers this one, so its answer ends the others'."""


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the terminal answered; without `answered` nothing is known."""

    answered: bool = False
    kitty_keys: bool = False
    synchronized: bool = False
    widths: dict[str, int] = {}
    """Cells that each of `SAMPLES` took; empty where the terminal did not tell."""


def ask() -> Abilities:
    """Ask the terminal that stdin and this process belong to."""
    if WINDOWS or sys.stdin is None or not sys.stdin.isatty():
        return Abilities()
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return Abilities()
    try:
        return _read(_converse(terminal))
    finally:
        os.close(terminal)


def _converse(terminal: int) -> bytes:
    """Put the questions and return what came back; each text stands at the line's start."""
    written = b"".join(f"\r\x1b[K{text}\x1b[6n".encode() for text in SAMPLES.values())
    with _raw(terminal):
        os.write(terminal, _QUESTIONS + written + b"\r\x1b[K" + _LAST)
        return _until_last(terminal)


@contextmanager
def _raw(terminal: int) -> Iterator[None]:
    if WINDOWS:
        raise AssertionError
    import termios
    import tty

    before = termios.tcgetattr(terminal)
    tty.setraw(terminal)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)


def _until_last(terminal: int) -> bytes:
    answers = b""
    deadline = time.monotonic() + _SECONDS
    while not re.search(rb"\x1b\[\?[\d;]*c", answers):
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            break
        answers += os.read(terminal, 4096)
    return answers


def _read(answers: bytes) -> Abilities:
    """Take the answers apart; a position report gives a width, one more than it."""
    columns = [int(column) - 1 for column in re.findall(rb"\x1b\[\d+;(\d+)R", answers)]
    known = columns if len(columns) == len(SAMPLES) else []
    return Abilities(
        answered=bool(re.search(rb"\x1b\[\?[\d;]*c", answers)),
        kitty_keys=bool(re.search(rb"\x1b\[\?\d+u", answers)),
        synchronized=bool(re.search(rb"\x1b\[\?2026;[1-3]\$y", answers)),
        widths=dict(zip(SAMPLES, known, strict=False)),
    )


_FAULTS: Final = {
    "wide": (
        translatable(
            "Japanese takes {found} cells for {wanted} here, so words lie over each other."
        ),
        translatable(
            "Choose another terminal, or in tmux and screen a UTF-8 locale before they start."
        ),
    ),
    "ambiguous": (
        translatable(
            "Signs such as ○ ◆ … take {found} cells for {wanted}, so lines and frames are shifted."
        ),
        translatable("In the terminal's settings, let ambiguous characters be one cell wide."),
    ),
    "blocks": (
        translatable("Half-blocks take {found} cells for {wanted}, so characters look torn."),
        translatable(
            "Let ambiguous characters be one cell wide, or set `character_size` to `line`."
        ),
    ),
    "lines": (
        translatable("Lines of frames take {found} cells for {wanted}, so frames are torn."),
        translatable("In the terminal's settings, let ambiguous characters be one cell wide."),
    ),
    "face": (
        translatable(
            "Small faces take {found} cells for {wanted}, so what follows them is shifted."
        ),
        translatable("In the terminal's settings, let ambiguous characters be one cell wide."),
    ),
    "kana": (
        translatable("Kana with a sign of its own take {found} cells for {wanted}."),
        translatable("File names from macOS may be shifted; nagomi's own words are not."),
    ),
}
"""What follows where a sample takes other widths than nagomi's own words count on, and a remedy."""
_CLUSTERS: Final = ("emoji", "emoji_sign", "family", "flag")
"""Terminals differ here, and nagomi places the cursor anew after each of them."""
_FONT_SECONDS: Final = 3.0
_FONT_SAMPLES: Final = {"ja": "3042", "signs": "25c6", "blocks": "2580"}


def character_checks(told: Abilities) -> list[Check]:
    """Compare what the terminal did with what nagomi counts on."""
    if not told.widths:
        return unasked(tr("not told"))
    wrong = [name for name in _FAULTS if told.widths[name] != cells(SAMPLES[name])]
    unlike = [name for name in _CLUSTERS if told.widths[name] != cells(SAMPLES[name])]
    meanings = [
        tr(_FAULTS[name][0], found=told.widths[name], wanted=cells(SAMPLES[name])) for name in wrong
    ]
    if unlike:
        parts = " ".join(SAMPLES[name] for name in unlike)
        meanings.append(
            tr("Emoji differ ({signs}); nagomi sets what follows them right.", signs=parts)
        )
    return [
        check(
            "widths",
            tr("Character widths"),
            tr("other than nagomi counts on") if wrong else tr("as nagomi counts on"),
            meaning=" ".join(meanings),
            remedy=" ".join(dict.fromkeys(tr(_FAULTS[name][1]) for name in wrong)),
            well=not wrong,
        ),
        _fonts(),
    ]


def unasked(why: str) -> list[Check]:
    """Return the checks of a terminal that cannot be asked."""
    return [check("widths", tr("Character widths"), why), _fonts()]


def _fonts() -> Check:
    """Show what the fonts must have; where the screen is at this machine, look for them too."""
    sample = f"あ漢 ○●◆▲✓ ▀▄█▌ ╭─╯ (˘ω˘) {SAMPLES['emoji']}"
    lacking = _lacking()
    return check(
        "fonts",
        tr("Fonts"),
        sample,
        meaning=tr("No font here has these: {names}.", names=", ".join(lacking))
        if lacking
        else tr(
            "Boxes or gaps here mean that your terminal's font lacks them; no Nerd Font is needed."
        ),
        remedy=tr("Install Noto Sans Mono CJK JP and DejaVu Sans Mono, and choose one of them."),
        well=not lacking,
    )


def _lacking() -> list[str]:
    """Ask fontconfig, whose answer counts only where its desktop draws the terminal."""
    env = os.environ
    desktop = env.get("DISPLAY") or env.get("WAYLAND_DISPLAY")
    program = shutil.which("fc-list")
    if not desktop or not program or is_far(env) or surroundings.is_wsl(env):
        return []
    names = {"ja": tr("Japanese"), "signs": "◆", "blocks": "▀"}
    return [names[key] for key, code in _FONT_SAMPLES.items() if not _has(program, code)]


def _has(program: str, code: str) -> bool:
    """Tell whether some font has the character; one that cannot be asked has it."""
    try:
        told = subprocess.run(
            [program, "-q", f":charset={code}"],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_FONT_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return True
    return told.returncode == 0


_LEAST_COLS = 60
_LEAST_ROWS = 15


def terminal_checks() -> list[Check]:
    """Look at the terminal that this command runs in, if it runs in one."""
    size = terminal_size()
    if size is None:
        return [
            check(
                "terminal",
                tr("Terminal"),
                tr("none here"),
                meaning=tr("The workplace itself needs one; all other commands do not."),
                well=False,
            ),
            *unasked(tr("not told, since this is no terminal")),
        ]
    return [_terminal(size), *_multiplexer(), *_abilities(ask())]


def _terminal(size: os.terminal_size) -> Check:
    name = os.environ.get("TERM", "")
    colors = os.environ.get("COLORTERM", "")
    program = os.environ.get("TERM_PROGRAM", "")
    named = " ".join(text for text in (program, f"TERM={name}", colors) if text)
    meaning = remedy = ""
    if name in ("", "dumb"):
        meaning = tr("This terminal cannot place text.")
        remedy = tr("Use another terminal, or set TERM to what it is.")
    elif size.columns < _LEAST_COLS or size.lines < _LEAST_ROWS:
        meaning = tr("It is small; {cols} columns are comfortable.", cols=_LEAST_COLS)
    elif colors not in ("truecolor", "24bit"):
        meaning = tr("It does not say that it shows 16 million colours; 256 are used.")
        remedy = tr("If it can, put `export COLORTERM=truecolor` into your shell's start file.")
    return check(
        "terminal",
        tr("Terminal"),
        f"{named} {size.columns}x{size.lines}",
        meaning=meaning,
        remedy=remedy,
        well=not meaning,
    )


def _multiplexer() -> list[Check]:
    """Name the multiplexer in between: keys and colours pass through it."""
    outer = {"TMUX": "tmux", "STY": "screen", "ZELLIJ": "zellij"}
    found = [name for variable, name in outer.items() if os.environ.get(variable)]
    if os.environ.get("NAGOMI_SESSION_ID"):
        found.append(tr("a session of nagomi"))
    if not found:
        return []
    return [
        check(
            "multiplexer",
            tr("Inside of"),
            ", ".join(found),
            meaning=tr("It takes its own keys first, and may hold back colours and notifications."),
        )
    ]


def _abilities(told: Abilities) -> list[Check]:
    if not told.answered:
        return [
            check(
                "abilities",
                tr("Its abilities"),
                tr("it does not answer questions"),
                meaning=tr("nagomi then takes it for a plain one."),
                well=False,
            ),
            *unasked(tr("not told")),
        ]
    return [_keys(told), _drawing(told), *character_checks(told)]


def _keys(told: Abilities) -> Check:
    return check(
        "kitty_keyboard",
        tr("Extended keys"),
        tr("yes") if told.kitty_keys else tr("no"),
        meaning=""
        if told.kitty_keys
        else tr("Shift+Enter cannot be told from Enter; Ctrl+J and Alt+Enter begin a new line."),
        well=told.kitty_keys,
    )


def _drawing(told: Abilities) -> Check:
    return check(
        "synchronized_output",
        tr("Whole frames"),
        tr("yes") if told.synchronized else tr("no, it may flicker a little"),
    )


_TMUX_SECONDS: Final = 2.0


def checks(found: Residents) -> list[Check]:
    """Look at what this environment has, and at how sound stands; nothing is played or shown."""
    standing = _standing() if found.status else None
    return [_sound(standing), *_hushed(standing), _speech(), _notices()]


def _standing() -> SoundStanding | None:
    """Ask the orchestrator what it can play with, if it says."""
    from nagomi_tui.api.command_client import ask

    try:
        return ask(Sound(id=0, do="status"))
    except CommandError:
        return None


def _sound(standing: SoundStanding | None) -> Check:
    env = os.environ
    if standing is not None and standing.why:
        again = tr("`nagomi sound test` tries again.")
        bell = tr("the terminal's bell rings")
        return check("sound", tr("Sound"), bell, meaning=standing.why, remedy=again, well=False)
    if is_far(env):
        return check("sound", tr("Sound"), tr("the bell of your terminal, since you came by ssh"))
    if found := surroundings.backends(env):
        test = tr("`nagomi sound test` plays one.")
        return check("sound", tr("Sound"), ", ".join(found), meaning=test)
    return check(
        "sound",
        tr("Sound"),
        tr("no sound device; the terminal's bell rings"),
        meaning=tr("PulseAudio, PipeWire and ALSA were looked for."),
        well=False,
    )


def _hushed(standing: SoundStanding | None) -> list[Check]:
    """Say that no sound may be heard now, since that is easily forgotten."""
    if standing is None or not standing.quiet:
        return []
    until = standing.muted_until
    clock = time.strftime("%H:%M", time.localtime(until)) if until else ""
    return [
        check(
            "hushed",
            tr("Quiet"),
            tr("no sound until {clock}", clock=clock) if until else tr("these are quiet hours"),
            meaning=tr("`nagomi sound unmute` ends that.") if until else "",
        )
    ]


def _speech() -> Check:
    found = surroundings.speaker(os.environ)
    return Check(
        key="speech",
        label=tr("Speech"),
        result="ok" if found else "missing",
        found=found or tr("none; optional: espeak-ng reads aloud"),
    )


def _notices() -> Check:
    terminal = outer(os.environ)
    way = way_of(terminal, "auto")
    label = tr("Notices")
    if surroundings.toaster(os.environ):
        return check("notices", label, tr("by the desktop, else by the terminal ({way})", way=way))
    found = tr("by the terminal ({way})", way=way)
    if terminal.between != "tmux" or way in ("bell", "off") or _passes():
        return check("notices", label, found)
    return check(
        "notices",
        label,
        found,
        meaning=tr("tmux holds notices back; its bell comes through."),
        remedy=tr("In tmux.conf: `set -g allow-passthrough on`."),
        well=False,
    )


def _passes() -> bool:
    """Tell whether tmux lets through what is meant for the terminal around it."""
    command = ["tmux", "show-options", "-gv", "allow-passthrough"]
    return printed(command, _TMUX_SECONDS) in ("on", "all")
