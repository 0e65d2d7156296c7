"""What the user might do next, by rules over the lines of the turn and no model (N-125)."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge.patterns import compiled
from nagomi_tui.core.judge.steps.risk import risk_of
from nagomi_tui.core.judge.verdict import NextAction, State
from nagomi_tui.core.text.plain import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LIMIT: Final = 3
_NAME: Final = re.compile(r"\{(\w+)\}")
_PLAIN: Final = re.compile(r"[\w@%+=:,./~^-]+")


class ActionRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """If a line matches, propose a command; `{name}` stands for the pattern's group."""

    name: str
    match: str
    title: str
    command: str
    states: tuple[State, ...] = (State.FAILURE, State.ATTENTION)
    ran: str = ""
    """The command line of the turn must match this too."""


def next_actions(
    rules: Iterable[ActionRule],
    state: State,
    lines: tuple[str, ...],
    command: str = "",
    say: Callable[[str], str] = str,
) -> tuple[NextAction, ...]:
    """Return proposals, those of the latest line first, each command once.

    `say` translates their titles.
    """
    found: dict[str, NextAction] = {}
    for line in reversed(lines):
        for rule in rules:
            action = _proposed(rule, state, line, command, say)
            if action is not None:
                found.setdefault(action.command, action)
    return tuple(found.values())[:LIMIT]


def _proposed(
    rule: ActionRule, state: State, line: str, command: str, say: Callable[[str], str]
) -> NextAction | None:
    if state not in rule.states:
        return None
    ran = compiled(rule.ran).search(command) if rule.ran else None
    hit = compiled(rule.match).search(line)
    if hit is None or (rule.ran and ran is None):
        return None
    groups = {**(ran.groupdict() if ran else {}), **hit.groupdict()}
    values = {name: value or "" for name, value in groups.items()}
    if any(not _PLAIN.fullmatch(values.get(name, "")) for name in _NAME.findall(rule.command)):
        return None
    filled = _filled(rule.command, values)
    return NextAction(
        _filled(say(rule.title), values, quote=False), visible(filled), risk_of(filled)
    )


def _filled(text: str, values: dict[str, str], *, quote: bool = True) -> str:
    """Put the groups in; words out of a log are quoted, and odd ones were refused before."""
    return _NAME.sub(
        lambda found: _quoted(values[found[1]]) if quote else visible(values[found[1]]), text
    )


def _quoted(value: str) -> str:
    """Quote a word for a shell, but for a home folder at its beginning."""
    if not value.startswith("~/"):
        return shlex.quote(value)
    rest = value.removeprefix("~/")
    return f"~/{shlex.quote(rest)}" if rest else value
