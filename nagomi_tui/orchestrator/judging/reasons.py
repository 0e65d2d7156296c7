"""Explains a session's phase: its rule, and the evidence for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.messages import EvidenceDetail, Standing
from nagomi_tui.core.judge import rules
from nagomi_tui.core.judge.account import Reason
from nagomi_tui.core.judge.sentences import beside_state, fixed
from nagomi_tui.core.judge.verdict import Verdict, state_of
from nagomi_tui.core.session.condition import Condition, condition
from nagomi_tui.core.session.session import State
from nagomi_tui.judging import misread, telling
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.core.judge.account import Ground
    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.sessions.roles import Judgeable, Named
    from nagomi_tui.words import Words


_NOTICE: Final = translatable("Its program has sent a notice.")


class Reasons:
    """Gives the reasons of active judges."""

    def __init__(
        self,
        judged: Mapping[Named, Judged],
        noticed: Callable[[Named], tuple[str, EvidenceDetail] | None],
    ) -> None:
        """`noticed` returns a sentence and evidence beside the judge's own, if there is something."""
        self._judged = judged
        self._noticed = noticed

    def why(self, session: Judgeable, words: Words) -> Standing:
        """Return the session's state and its reasons, in the language of `words`."""
        verdict, reason = _judged(session, self._judged.get(session), words)
        noticed, notice = self._noticed(session), session.run.notice
        since = (
            session.info.away_since
            or session.info.phase_since
            or session.info.ended_at
            or session.info.created_at
        )
        return Standing(
            verdict=verdict,
            phase=session.info.phase,
            condition=condition(session.info),
            since=since,
            age_s=round(max(0.0, time.time() - since), 1),
            rule=reason.rule,
            meaning=(
                *(words.gettext(said) for said in rules.sentences(reason.rule)),
                *_misread(self._judged.get(session), words),
                *([words.gettext(noticed[0])] if noticed else ()),
                *([words.gettext(_NOTICE)] if notice else ()),
            ),
            evidence_detail=(
                *(_detail(ground) for ground in reason.grounds),
                *([noticed[1]] if noticed else ()),
                *([_note(notice, session.run.noticed_at)] if notice else ()),
            ),
            turn=session.info.turn,
            session=session.session_id,
            name=session.info.name,
        )


def _judged(session: Named, judged: Judged | None, words: Words) -> tuple[Verdict, Reason]:
    if judged is not None and session.info.state is not State.LOST:
        found = telling.verdict(judged.judge, words.say, session.info)
        return found, telling.reason(judged.judge, time.monotonic())
    state = state_of(session.info.phase)
    rule = "worker-lost" if session.info.state is State.LOST else "not-watched"
    summary = beside_state(session.info.summary)
    if condition(session.info) is Condition.AWAY:
        rule = "hand-away"
        away = translatable("{worker} cannot be reached; it runs on there.")
        summary = words.say(away, worker=session.info.worker_id)
    summary = summary or fixed(state, session.info, words.say)
    found = Verdict(state=state, confidence=1.0, summary=summary)
    return found, Reason(
        state=state, confidence=1.0, rule=rule, since=0.0, confirmed=True, grounds=()
    )


def _misread(judged: Judged | None, words: Words) -> tuple[str, ...]:
    """Tell that the agent is not understood any more, and by what that was noticed."""
    if judged is None or (misfit := judged.judge.misfit) is None or judged.judge.agent is None:
        return ()
    agent = misread.title(judged.judge.agent.name, judged.judge.version)
    return words.say(misread.TOLD, agent=agent), words.gettext(misread.REASONS[misfit])


def _note(text: str, at: float | None) -> EvidenceDetail:
    age = max(0.0, time.time() - (at or 0.0))
    return EvidenceDetail(
        source="notice", says="calls", age_s=round(age, 1), rule="notification", text=text
    )


def _detail(ground: Ground) -> EvidenceDetail:
    return EvidenceDetail(
        source=ground.source.value,
        says=ground.says.value,
        age_s=round(max(0.0, ground.age), 1),
        rule=ground.rule,
        text=ground.text,
    )
