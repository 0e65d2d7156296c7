"""A judge's verdict and reason, with secrets masked (N-86)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.core.judge import account
from nagomi_tui.core.judge.verdict import State
from nagomi_tui.core.masking import mask_line, mask_lines, mask_screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.core.judge.account import Reason
    from nagomi_tui.core.judge.evidence import View
    from nagomi_tui.core.judge.finding import Finding
    from nagomi_tui.core.judge.judge import Judge
    from nagomi_tui.core.judge.known import Known
    from nagomi_tui.core.judge.verdict import Verdict
    from nagomi_tui.core.session.session import Session

_READ: Final = frozenset({State.FAILURE, State.ATTENTION})
"""States for which the lines of the turn are read, and so have to be masked."""


def verdict(judge: Judge, say: Callable[..., str] = str, session: Session | None = None) -> Verdict:
    """Return what is shown in the fixed form of N-85; `say` translates its fixed sentences.

    Without words of a program, the end of `session` is told as its badge is.
    """
    finding = _masked_finding(judge.shown.finding)
    known = _masked_known(judge.known, read=finding.state in _READ)
    return account.verdict(finding, known, judge.book, say, session)


def reason(judge: Judge, now: float) -> Reason:
    """Return the rule and the evidence behind what is shown."""
    return account.reason(_masked_finding(judge.shown.finding), judge.shown.since, now)


def _masked_finding(finding: Finding) -> Finding:
    masked = (
        msgspec.structs.replace(said, text=_masked(said.text)) if said.text else said
        for said in finding.because
    )
    return msgspec.structs.replace(finding, because=tuple(masked))


def _masked_known(known: Known, *, read: bool) -> Known:
    """Return the same with a view that holds rows and lines masked, or none of them."""
    question = known.question
    if question is not None:
        question = (question[0], mask_screen([question[1]])[0])
    written = None if known.written is None else mask_screen([known.written])[0]
    return msgspec.structs.replace(
        known,
        view=_masked_view(known.view, read=read),
        closing=_masked_view(known.closing, read=read),
        question=question,
        written=written,
    )


def _masked_view(view: View | None, *, read: bool) -> View | None:
    if view is None:
        return None
    lines = tuple(mask_lines(view.lines)) if read else ()
    rows = tuple(mask_lines(view.rows)) if read else ()
    return msgspec.structs.replace(view, lines=lines, rows=rows, command=mask_line(view.command))


def _masked(text: str) -> str:
    return "\n".join(mask_lines(text.split("\n")))
