"""Next steps that `nagomi act` offers: those of the rules, and the model's, marked as such."""

from __future__ import annotations

import pytest

from nagomi_tui.api.messages import OpenStanding
from nagomi_tui.commands.answer import steps_of
from nagomi_tui.judge.verdict import NextAction, Risk, State, Verdict
from nagomi_tui.sessions.session import Condition

OWN = NextAction("Install rich", "pip install rich", Risk.MID)
SAME = NextAction("Get it", "pip install rich", Risk.MID)
MORE = NextAction("Tidy up", "rm -r build", Risk.HIGH)


def standing(advice: Verdict | None) -> OpenStanding:
    verdict = Verdict(State.FAILURE, 0.8, "It failed.", next_actions=(OWN,))
    return OpenStanding(
        session_id="s", number=1, name="one", session="s", verdict=verdict, advice=advice,
        phase=Condition.ERROR, since=0.0, age_s=0.0, rule="", meaning=(), evidence_detail=(), turn=1,
        question=None, draft="",
    )  # fmt: skip


@pytest.mark.requirement("N-80")
def test_act_offers_what_the_model_has_said_of_the_turn() -> None:
    advice = Verdict(State.FAILURE, 0.5, "A package is missing.", next_actions=(SAME, MORE))
    assert steps_of(standing(None)) == [OWN]
    titles = [(step.title, step.command) for step in steps_of(standing(advice))]
    assert titles == [("Install rich", "pip install rich"), ("LLM: Tidy up", "rm -r build")]
