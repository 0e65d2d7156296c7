"""What the judge's pane shows of its session: the answer to `asks`, and the model's verdict."""

from __future__ import annotations

import msgspec

from nagomi_tui.core.judge.questions.asking import Question
from nagomi_tui.core.judge.verdict import NextAction, Verdict


class Evidence(msgspec.Struct, frozen=True):
    """A piece of evidence: its source, its age in seconds, its rule, and its text."""

    source: str
    age_s: float = 0.0
    rule: str = ""
    text: str = ""


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a session stands, why, what it asks, and what could be next."""

    verdict: Verdict | None = None
    rule: str = ""
    meaning: tuple[str, ...] = ()
    """Sentences on what the rule means."""
    evidence_detail: tuple[Evidence, ...] = ()
    question: Question | None = None
    draft: str = ""
    advice: Verdict | None = None
    """The model's verdict on this turn; None if it was not asked."""
    proposed: tuple[NextAction, ...] = ()
    """What the resident agent proposes for this turn."""
    asking: bool = False
    """Whether the model is being asked."""

    @property
    def steps(self) -> tuple[NextAction, ...]:
        """All next steps, those of the rules first; each command once."""
        own = self.verdict.next_actions if self.verdict else ()
        more = self.advice.next_actions if self.advice else ()
        found: dict[str, NextAction] = {}
        for action in (*own, *more, *self.proposed):
            found.setdefault(action.command, action)
        return tuple(found.values())
