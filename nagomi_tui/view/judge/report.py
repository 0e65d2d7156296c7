"""What the judge's pane knows of its session: the answer to `asks`, and what the model said."""

from __future__ import annotations

import msgspec

from nagomi_tui.core.judge.questions.asking import Question
from nagomi_tui.core.judge.verdict import NextAction, Verdict


class Evidence(msgspec.Struct, frozen=True):
    """One piece of evidence: where from, how old in seconds, by which rule, and its words."""

    source: str
    age_s: float = 0.0
    rule: str = ""
    text: str = ""


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a session stands, why, what it asks, and what could be next."""

    verdict: Verdict | None = None
    rule: str = ""
    meaning: tuple[str, ...] = ()
    """What the rule means, in sentences."""
    evidence_detail: tuple[Evidence, ...] = ()
    question: Question | None = None
    draft: str = ""
    advice: Verdict | None = None
    """What the model says of this turn."""
    proposed: tuple[NextAction, ...] = ()
    """What the resident agent proposes for this turn."""
    asking: bool = False
    """The model is being asked."""

    @property
    def steps(self) -> tuple[NextAction, ...]:
        """All next steps, those of the rules first; each command once."""
        own = self.verdict.next_actions if self.verdict else ()
        more = self.advice.next_actions if self.advice else ()
        found: dict[str, NextAction] = {}
        for action in (*own, *more, *self.proposed):
            found.setdefault(action.command, action)
        return tuple(found.values())
