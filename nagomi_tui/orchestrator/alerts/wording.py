"""Words calls: for front ends in their languages, and for the user's own command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.api import messages
from nagomi_tui.core.alerts import notices
from nagomi_tui.core.alerts.notices import Call
from nagomi_tui.core.masking import mask
from nagomi_tui.core.session.session import has_ended
from nagomi_tui.words import of, translatable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.alerts.notices import Kind
    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.sessions.finished_turn import FinishedTurn

_SPOKEN: Final = {
    "failure": translatable("{name} stumbled."),
    "attention": translatable("{name} waits for you."),
    "success": translatable("{name} is done."),
}
_SPOKEN_OF_ENDED: Final = _SPOKEN | {
    "failure": translatable("{name} ended early."),
    "success": translatable("{name} has ended."),
}
"""As badges tell it, so that what is heard is found on the screen."""


def call(finished: FinishedTurn, kind: Kind) -> Call:
    """Return the call of a turn that is over or needs the user."""
    session, done = finished.session, finished.done
    return Call(
        session=done.session,
        name=notices.plain(session.info.name),
        kind=kind,
        summary=notices.body(done.verdict.summary),
        ended=has_ended(session.info),
        summaries={
            language: notices.body(said.verdict.summary) for language, said in finished.told.items()
        },
    )


def spoken(call: Call, language: str) -> str:
    """Return the sentence that is spoken."""
    sentences = _SPOKEN_OF_ENDED if call.ended else _SPOKEN
    return of(language).say(sentences[call.kind], name=call.name)


def called(
    calls: Sequence[Call], language: str, *, template: str, hushed: bool, **where: bool
) -> messages.Called:
    """Return the message for all these calls; `where` is its `notice` and `inside`."""
    if len(calls) == 1:
        template = template or of(language).gettext(translatable("nagomi: {name}"))
        title = notices.title(template, calls[0].name)
        text = calls[0].summaries.get(language, calls[0].summary)
    else:
        title = of(language).say(translatable("{count} sessions call you"), count=len(calls))
        text = notices.together(
            [(one.name, one.summaries.get(language, one.summary)) for one in calls]
        )
    return messages.Called(
        sessions=tuple(call.session for call in calls),
        kind=notices.strongest(calls),
        title=title,
        body=text,
        hushed=hushed,
        **where,
    )


def facts(info: Session, call: Call, done: messages.TurnCompleted) -> dict[str, Any]:
    """Return the JSON for the user's own command; every text is masked."""
    verdict = done.verdict
    return {
        "event": "turn_completed",
        "session_id": call.session,
        "number": info.number,
        "name": call.name,
        "cwd": mask(info.cwd),
        "agent": info.agent_name,
        "turn": done.turn,
        "at": done.at,
        "state": verdict.state,
        "confidence": verdict.confidence,
        "summary": call.summary,
        "evidence": [notices.plain(line) for line in verdict.evidence],
    }
