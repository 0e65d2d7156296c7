"""The guard of a session in a few cells: its mode as a word, and its todos (F-10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.view.common.translate import tr
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.core.session.session import GuardStanding

_DISCUSSION: Final = translatable("discuss")
_IMPLEMENTATION: Final = translatable("implement")
_OFF: Final = translatable("unguarded")
_SHAPES: Final = {_DISCUSSION: "◇", _IMPLEMENTATION: "▸", _OFF: "▽"}
_HELD: Final = {_DISCUSSION: "▣", _IMPLEMENTATION: "□", _OFF: "□"}
"""The same in strict mode: a box that is closed, or open."""
_COLORS: Final = {_DISCUSSION: "secondary", _IMPLEMENTATION: "accent", _OFF: "warning"}


def guard_badge(guard: GuardStanding, *, strict: bool = False) -> tuple[str, str]:
    """Return the words for a guard, and the name of their colour."""
    word = _word(guard)
    return f"{_shape(word, strict)} {tr(word)}{_todos(guard)}", _COLORS[word]


def guard_shape(guard: GuardStanding, *, strict: bool = False) -> tuple[str, str]:
    """Return the same in the fewest cells."""
    word = _word(guard)
    return f"{_shape(word, strict)}{_todos(guard)}", _COLORS[word]


def _shape(word: str, strict: bool) -> str:
    return (_HELD if strict else _SHAPES)[word]


def mode_word(guard: GuardStanding) -> str:
    """Return the word for what the agent may do."""
    return tr(_word(guard))


def _word(guard: GuardStanding) -> str:
    if guard.bypassed:
        return _OFF
    return _IMPLEMENTATION if guard.mode == "implementation" else _DISCUSSION


def _todos(guard: GuardStanding) -> str:
    """Return how many todos are done of how many, or how many wait for approval."""
    if guard.proposed and not guard.total:
        return f" ?{guard.proposed}"
    return f" {guard.done}/{guard.total}" if guard.total else ""
