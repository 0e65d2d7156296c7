"""Words calls: for front ends in their languages, and for the user's own command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.api import messages
from nagomi_tui.core.alerts import notices
from nagomi_tui.core.masking import mask
from nagomi_tui.words import of, translatable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.core.alerts.notices import Call
    from nagomi_tui.core.session.session import Session

_SPOKEN: Final = {
    "failure": translatable("Something did not go well in {name}."),
    "attention": translatable("{name} would like a word with you."),
    "success": translatable("{name} is done."),
}


def spoken(call: Call, language: str) -> str:
    """Return the sentence that is spoken."""
    return of(language).say(_SPOKEN[call.kind], name=call.name)


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
