"""Reads an answer of the model: notes, a sentence, a digest, proposals; nothing is ever run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agent.common.sentences import SENTENCE_LENGTH, first_sentence
from nagomi_tui.agent.modes.tags import inner_blocks
from nagomi_tui.core.judge.steps.risk import risk_of
from nagomi_tui.core.judge.verdict import Risk
from nagomi_tui.core.text.plain import printable
from nagomi_tui.decoding import from_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nagomi_tui.agent.common.values import Mask
    from nagomi_tui.agent.loop.gathered import Gathered
    from nagomi_tui.agent.modes.mode import Allowed

MOST_DIGEST: Final = 8
"""Lines of the digest."""
MOST_PROPOSALS: Final = 3
COMMAND_LENGTH: Final = 500

_FENCED: Final = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


class Proposal(msgspec.Struct, frozen=True):
    """A next step for the user to choose; its risk is read from the command (F-16)."""

    session: str
    """The session's id."""
    command: str
    reason: str
    risk: Risk
    turn: int = 0
    """The session's turn when it was looked at: the proposal holds within that."""


class Thought(msgspec.Struct, frozen=True):
    """The parts of an answer that the mode allows."""

    inner: str | None = None
    sentence: str = ""
    digest: tuple[str, ...] = ()
    proposals: tuple[Proposal, ...] = ()


class _Proposed(msgspec.Struct):
    session: str = ""
    command: str = ""
    reason: str = ""


class _Answer(msgspec.Struct):
    say: str = ""
    digest: list[str] = []
    propose: list[_Proposed] = []


def thought_of(text: str, gathered: Gathered, allowed: Allowed, *, mask: Mask) -> Thought:
    """Read an answer; what the mode does not allow, or is malformed, is dropped."""
    tagged = inner_blocks(text)
    inner = tagged.inner if allowed.inner_writable else None
    if not allowed.may_speak:
        return Thought(inner)
    answer = _answer(tagged.visible)
    return Thought(
        inner,
        first_sentence(_line(answer.say, mask), SENTENCE_LENGTH),
        _digest(answer.digest, mask) if gathered.away else (),
        tuple(_proposals(answer.propose, gathered, mask)) if allowed.may_propose else (),
    )


def _answer(visible: str) -> _Answer:
    fenced = _FENCED.search(visible)
    try:
        return from_json(fenced[1] if fenced else visible.strip(), _Answer)
    except msgspec.MsgspecError:
        return _Answer()


def _digest(lines: list[str], mask: Mask) -> tuple[str, ...]:
    return tuple(line for one in lines[:MOST_DIGEST] if (line := _line(one, mask)))


def _proposals(proposed: Iterable[_Proposed], gathered: Gathered, mask: Mask) -> Iterable[Proposal]:
    """Return the proposals that name an open session and one line of a command."""
    seen = {key: one for one in gathered.sessions for key in (one.name, one.id)}
    good = [
        one
        for one in proposed
        if one.session in seen and one.command.isprintable() and _fits(one.command.strip())
    ]
    return [
        Proposal(
            seen[one.session].id,
            one.command.strip(),
            _line(one.reason, mask),
            risk_of(one.command),
            seen[one.session].turn,
        )
        for one in good[:MOST_PROPOSALS]
    ]


def _fits(command: str) -> bool:
    return 0 < len(command) <= COMMAND_LENGTH


def _line(text: str, mask: Mask) -> str:
    return " ".join(printable(mask(text)).split())
