"""How a session stands, its guard and its agent, in a few cells."""

from __future__ import annotations

from typing import Final

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.api.messages.agent import MODES
from nagomi_tui.judge.verdict import beside_state, translated_summary
from nagomi_tui.sessions import standing
from nagomi_tui.sessions.session import GuardStanding, Session
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.translate import tr


def ending(session: Session) -> str:
    """Return a plain sentence on how a session ended (N-139), or "" if there is none."""
    return standing.ending(session, tr)


def happened(session: Session) -> str:
    """Return what happened in a session: in words of its program, else how it stands or ended."""
    return (
        beside_state(session.summary) or ending(session) or translated_summary(session.summary, tr)
    )


def mode_word(mode: str) -> str:
    """Return a mode's word; that of another version is its own name."""
    found = next((word for name, (word, _) in MODES.items() if name == mode), "")
    return tr(found) if found else mode


_DISCUSSION: Final = translatable("discuss")
_IMPLEMENTATION: Final = translatable("implement")
_OFF: Final = translatable("unguarded")
_UNHEARD: Final = translatable("guard not heard")
_SHAPES: Final = {_DISCUSSION: "◇", _IMPLEMENTATION: "▸", _OFF: "▽", _UNHEARD: "?"}
_HELD: Final = {_DISCUSSION: "▣", _IMPLEMENTATION: "□", _OFF: "□", _UNHEARD: "?"}
"""The shapes in strict mode: a box that is closed, or open."""
_OPEN: Final = "□"
_COLORS: Final = {
    _DISCUSSION: "secondary",
    _IMPLEMENTATION: "accent",
    _OFF: "warning",
    _UNHEARD: "warning",
}


def guard_badge(
    guard: GuardStanding,
    *,
    strict: bool = False,
    fault: str = "",
    unheard: bool = False,
    briefly: bool = False,
) -> tuple[str, str]:
    """Return the words for a guard, and the name of their colour; `fault` is one of strict mode.

    One that is `unheard` guards perhaps nothing. What is said `briefly` takes the fewest cells.
    """
    word = _UNHEARD if unheard else _word(guard)
    said = "" if briefly else f" {tr(word)}"
    return f"{_shape(word, strict, fault)}{said}{_todos(guard)}", _COLORS[_OFF if fault else word]


def strict_words(guard: GuardStanding, *, strict: bool, fault: str) -> tuple[str, str]:
    """Return a sentence on strict mode, and the name of its colour."""
    if strict and fault:
        told = tr("Strict mode, but the project can be written: {reason}", reason=fault)
        return told, _COLORS[_OFF]
    if strict:
        is_held = _word(guard) == _DISCUSSION
        held = tr("Strict mode: the kernel keeps the project read-only.")
        return (
            held if is_held else tr("Strict mode: the project can be written until discussion.")
        ), "muted"
    # The reason says that it is off.
    return fault or tr("Strict mode is off; `nagomi new --guard strict` begins with it."), "muted"


def _shape(word: str, strict: bool, fault: str) -> str:
    if strict and fault:
        return _OPEN
    return (_HELD if strict else _SHAPES)[word]


def _word(guard: GuardStanding) -> str:
    if guard.bypassed:
        return _OFF
    return _IMPLEMENTATION if guard.mode == "implementation" else _DISCUSSION


def _todos(guard: GuardStanding) -> str:
    """Return how many todos are done of how many, or how many wait for approval."""
    if guard.proposed and not guard.total:
        return f" ?{guard.proposed}"
    return f" {guard.done}/{guard.total}" if guard.total else ""


def hooks_offer(agent: str) -> str:
    """Return the question whether an agent is to tell its state; without a name, of several."""
    if not agent:
        return tr("Let your agents tell their state?")
    return tr("Let {agent} tell its state?", agent=AGENTS[agent].title)
