"""Answers why a session is shown as it is, and takes the user's corrections of that."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

import anyio.to_thread

from nagomi_tui.api.messages import EvidenceDetail, Standing
from nagomi_tui.judge import misread, rule_words, verdict
from nagomi_tui.judge.account import Ground, Reason, everything
from nagomi_tui.orchestrator.judging import corrections, session_judge
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.sessions.session import Condition, State
from nagomi_tui.system import paths
from nagomi_tui.text.words import Words, translatable

_NOTICE: Final = translatable("Its program has sent a notice.")
_BELL: Final = translatable("Its program has rung the bell.")


class Reasons:
    """Gives the reasons of active judges, and passes corrections to them."""

    def __init__(
        self, judges: Judges, noticed: Callable[[SessionRuntime], tuple[str, EvidenceDetail] | None]
    ) -> None:
        """`noticed` returns a sentence and evidence beside the judge's own, if there is something."""
        self._judges = judges
        self._noticed = noticed

    def why(self, session: SessionRuntime, words: Words) -> Standing:
        """Return the session's state and its reasons, in the language of `words`."""
        found, reason = _judged(session, self._judges.active.get(session), words)
        noticed, notice = self._noticed(session), session.run.notice
        waits = session.info.phase is Condition.ATTENTION
        rang = (
            session.run.called_at if waits and found.state is not verdict.State.ATTENTION else None
        )
        since = (
            session.info.away_since
            or session.info.phase_since
            or session.info.ended_at
            or session.info.created_at
        )
        return Standing(
            verdict=found,
            phase=session.info.phase,
            condition=session.info.condition,
            since=since,
            age_s=round(max(0.0, time.time() - since), 1),
            rule=reason.rule,
            meaning=(
                *(words.gettext(said) for said in rule_words.sentences(reason.rule)),
                *_misread(self._judges.active.get(session), words),
                *_marked(self._judges.active.get(session), words),
                *([words.gettext(noticed[0])] if noticed else ()),
                *([words.gettext(_NOTICE)] if notice else ()),
                *([words.gettext(_BELL)] if rang else ()),
            ),
            evidence_detail=(
                *(_detail(ground) for ground in reason.grounds),
                *([noticed[1]] if noticed else ()),
                *([_called("notification", notice, session.run.noticed_at)] if notice else ()),
                *([_called("bell", "", rang)] if rang else ()),
            ),
            turn=session.info.turn,
            session=session.session_id,
            name=session.info.name,
        )

    async def correct(self, session: SessionRuntime, state: verdict.State) -> None:
        """Store the correction, and show this state for the rest of the turn.

        Raises:
            Refusal: nobody judges this session, or it has ended and cannot be at work.
        """
        judged = self._judges.active.get(session)
        if not session.running and state in verdict.BUSY:
            sentence = translatable("{name} has ended, and is not at work.")
            raise Refusal("refused", sentence, name=session.info.name)
        if judged is None:
            sentence = translatable("Nothing was judged of {name} that could be corrected.")
            raise Refusal("refused", sentence, name=session.info.name)
        judge, trace = judged.judge, self._judges.traces.get(session)
        reason = judge.why()
        rows = session.run.screen.screen() if session.run.screen is not None else ()
        said = corrections.Correction(
            at=time.time(),
            session_id=session.session_id,
            turn=judge.known.turn.number,
            cmd=session.info.cmd,
            shown=reason.state,
            right=state,
            rule=reason.rule,
            confidence=reason.confidence,
            grounds=reason.grounds,
            known=everything(judge.known),
            lines=tuple(row.text for row in rows),
            trace=str(trace.path) if trace else "",
            trace_at=round(trace.seconds, 3) if trace else 0.0,
        )
        session.run.corrected = None if session.running else state
        self._judges.correct(session, state)
        try:
            await anyio.to_thread.run_sync(corrections.keep, paths.corrections_file(), said)
        except (sqlite3.Error, OSError) as exc:
            sentence = translatable("The correction is shown, but it cannot be kept: {reason}.")
            raise Refusal("internal", sentence, reason=exc) from exc


def _judged(
    session: SessionRuntime, judged: session_judge.SessionJudge | None, words: Words
) -> tuple[verdict.Verdict, Reason]:
    if judged is not None and session.info.state is not State.LOST:
        found = session_judge.verdict(judged.judge, words.say, session.info)
        return found, session_judge.reason(judged.judge, time.monotonic())
    state = verdict.State.of(session.info.phase)
    rule = "worker-lost" if session.info.state is State.LOST else "not-watched"
    summary = verdict.beside_state(session.info.summary)
    if session.info.condition is Condition.AWAY:
        rule = "hand-away"
        away = translatable("{worker} cannot be reached; it runs on there.")
        summary = words.say(away, worker=session.info.worker_id)
    summary = summary or verdict.fixed(state, session.info, words.say)
    found = verdict.Verdict(state=state, confidence=1.0, summary=summary)
    return found, Reason(
        state=state, confidence=1.0, rule=rule, since=0.0, confirmed=True, grounds=()
    )


_QUIET = translatable("It has printed a sign of failure, and has neither worked nor printed since.")
_RETRIES = translatable("It has been trying again for {minutes} min.")


def _marked(judged: session_judge.SessionJudge | None, words: Words) -> tuple[str, ...]:
    """Tell what is to be known beside a state of work."""
    known = judged.judge.known if judged is not None else None
    if known is None or not known.mark:
        return ()
    if known.retries is None:
        return (words.gettext(_QUIET),)
    minutes = max(1, int((time.monotonic() - known.retries.since) // 60))
    return (words.say(_RETRIES, minutes=minutes),)


def _misread(judged: session_judge.SessionJudge | None, words: Words) -> tuple[str, ...]:
    """Tell that the agent is not understood any more, and by what that was noticed."""
    if judged is None or (mismatch := judged.judge.mismatch) is None or judged.judge.agent is None:
        return ()
    agent = misread.title(judged.judge.agent.name, judged.judge.version)
    return words.say(misread.TOLD, agent=agent), words.gettext(misread.REASONS[mismatch])


def _called(rule: str, text: str, at: float | None) -> EvidenceDetail:
    age = max(0.0, time.time() - (at or 0.0))
    return EvidenceDetail(source="notice", says="calls", age_s=round(age, 1), rule=rule, text=text)


def _detail(ground: Ground) -> EvidenceDetail:
    return EvidenceDetail(
        source=ground.source.value,
        says=ground.says.value,
        age_s=round(max(0.0, ground.age), 1),
        rule=ground.rule,
        text=ground.text,
    )
