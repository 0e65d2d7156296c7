"""Answers questions with exactly one key, and only while they stand on the screen."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec

from nagomi_tui.orchestrator import asking
from nagomi_tui.orchestrator.reasons import why
from nagomi_tui.orchestrator.refusal import Refusal
from nagomi_tui.words import mark

if TYPE_CHECKING:
    from nagomi_tui.api import messages
    from nagomi_tui.core.judge.asking import Question
    from nagomi_tui.orchestrator.clients import Client
    from nagomi_tui.orchestrator.hands import Hands
    from nagomi_tui.orchestrator.live import Live

_KEYS: Final = ("enter", "escape")
"""Choices that are keys by name; any other is typed as it is."""
_AGAIN_SECONDS: Final = 2.0
"""So long the same menu is not answered again: a second key would meet what comes after it."""
_TAKEN_SECONDS: Final = 2.0
_LOOK_PAUSE: Final = 0.05


class Answering:
    """Tells what stands open in a session, and answers it."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._answered: dict[str, tuple[str, float]] = {}
        """The menu that was answered last and when, by session."""

    async def asks(self, client: Client, live: Live) -> dict[str, Any]:
        """Return how a session stands and why, and what stands open on its screen."""
        found = await asking.look(live)
        question = None if found.question is None else msgspec.to_builtins(found.question)
        told = {"question": question, "draft": found.draft or ""}
        return {**why(live, client.words), **told}

    async def answer(self, client: Client, live: Live, order: messages.Answer) -> dict[str, Any]:
        """Send the key of one choice of the question that stands on the screen.

        Raises:
            Refusal: there is no question, another one, or no such choice; nothing was sent.
        """
        question = (await asking.look(live)).question
        if question is None:
            sentence = mark("{name} asks nothing that could be answered by a key.")
            raise Refusal("refused", sentence, name=live.info.name)
        if order.question not in ("", question.question_id):
            sentence = mark("{name} asks something else by now: {question} Nothing was sent.")
            raise Refusal("refused", sentence, name=live.info.name, question=question.text)
        if question.options:
            sentence = mark("{name} is answered on its own screen, with the arrow keys: {question}")
            raise Refusal("refused", sentence, name=live.info.name, question=question.text)
        choice = question.choice(order.choice)
        if choice is None:
            sentence = mark("“{choice}” is none of its choices: {choices}.")
            listed = ", ".join(known.key for known in question.choices)
            raise Refusal("bad_request", sentence, choice=order.choice, choices=listed)
        self._check_again(live, question)
        if choice.key in _KEYS:
            self._hands.press_named(client, live, (choice.key,))
        else:
            self._hands.type_text(client, live, choice.key)
        taken = await self._answer_taken(live, question)
        if not taken:
            self._answered.pop(live.session_id, None)
        told = {"choice": msgspec.to_builtins(choice), "by_line": question.by_line}
        return {**told, "taken": taken}

    async def _answer_taken(self, live: Live, before: Question) -> bool:
        """Tell whether the question has gone, or holds the answer now; some take no quick key."""
        for _ in range(round(_TAKEN_SECONDS / _LOOK_PAUSE)):
            await anyio.sleep(_LOOK_PAUSE)
            now = asking.read(live).question
            same = now is not None and now.question_id == before.question_id
            if not live.running or not same or (now and now.typed != before.typed):
                return True
        return False

    def _check_again(self, live: Live, question: Question) -> None:
        """Refuse to answer a menu that was answered a moment ago and has not gone yet."""
        before, at = self._answered.get(live.session_id, ("", 0.0))
        now = time.monotonic()
        if question.by_line:
            return
        if before == question.question_id and now < at + _AGAIN_SECONDS:
            sentence = mark("{name} was answered a moment ago; nothing more was sent.")
            raise Refusal("refused", sentence, name=live.info.name)
        self._answered[live.session_id] = (question.question_id, now)
