"""The outer terminal: its name and size, what it can, and who sits between."""

from __future__ import annotations

import os

from nagomi_tui.commands.speech import tr
from nagomi_tui.doctor import characters
from nagomi_tui.doctor.check import Check
from nagomi_tui.doctor.probe import Abilities, ask
from nagomi_tui.width import terminal_size

_LEAST_COLS = 60
_LEAST_ROWS = 15


def checks() -> list[Check]:
    """Look at the terminal that this command runs in, if it runs in one."""
    size = terminal_size()
    if size is None:
        return [
            Check(
                key="terminal",
                label=tr("Terminal"),
                result="warning",
                found=tr("none here"),
                meaning=tr("The workplace itself needs one; all other commands do not."),
            ),
            *characters.unasked(tr("not told, since this is no terminal")),
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
    return Check(
        key="terminal",
        label=tr("Terminal"),
        result="warning" if meaning else "ok",
        found=f"{named} {size.columns}x{size.lines}",
        meaning=meaning,
        remedy=remedy,
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
        Check(
            key="multiplexer",
            label=tr("Inside of"),
            result="ok",
            found=", ".join(found),
            meaning=tr("It takes its own keys first, and may hold back colours and notifications."),
        )
    ]


def _abilities(told: Abilities) -> list[Check]:
    if not told.answered:
        return [
            Check(
                key="abilities",
                label=tr("Its abilities"),
                result="warning",
                found=tr("it does not answer questions"),
                meaning=tr("nagomi then takes it for a plain one."),
            ),
            *characters.unasked(tr("not told")),
        ]
    return [_keys(told), _drawing(told), *characters.checks(told)]


def _keys(told: Abilities) -> Check:
    return Check(
        key="kitty_keyboard",
        label=tr("Extended keys"),
        result="ok" if told.kitty_keys else "warning",
        found=tr("yes") if told.kitty_keys else tr("no"),
        meaning=""
        if told.kitty_keys
        else tr("Shift+Enter cannot be told from Enter; Ctrl+J and Alt+Enter begin a new line."),
    )


def _drawing(told: Abilities) -> Check:
    return Check(
        key="synchronized_output",
        label=tr("Whole frames"),
        result="ok",
        found=tr("yes") if told.synchronized else tr("no, it may flicker a little"),
    )
