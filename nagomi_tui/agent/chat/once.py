"""`nagomi chat -p`: one question, answered as plain text on stdout."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

import anyio

from nagomi_tui.agent.providers.interface import TextPiece
from nagomi_tui.agent.talk.events import Notice, Question, TurnEnded
from nagomi_tui.text.cells import printable_lines
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from nagomi_tui.agent.chat.program import Open
    from nagomi_tui.agent.talk.events import TurnEvent
    from nagomi_tui.text.words import Words

    Write = Callable[[str], None]


class Once:
    """Prints an answer as it arrives; questions of tools are answered with no."""

    def __init__(self, out: Write, err: Write, words: Words) -> None:
        self._out = out
        self._err = err
        self._words = words
        self._last = ""

    async def ask(self, open_talk: Open, text: str) -> int:
        """Say `text` in a conversation, and return the exit code.

        The code is 0 for an answer, 1 for a failure, 130 if the turn was cancelled.

        Raises:
            TalkFault: the conversation cannot be opened, or the agent has gone.
        """
        codes = {"done": 0, "failed": 1, "cancelled": 130}
        code = 1
        async with open_talk("") as talk:
            said = cast("AsyncGenerator[TurnEvent, None]", talk.say(text))
            async with aclosing(said):
                async for event in said:
                    if isinstance(event, Question):
                        self._refuse(event)
                        await talk.answer(event.id, "no")
                    elif isinstance(event, TurnEnded):
                        code = codes[event.outcome]
                        self._end(event)
                    else:
                        self._show(event)
        return code

    def _show(self, event: TurnEvent) -> None:
        if isinstance(event, TextPiece):
            self._print(printable_lines(event.text))
        elif isinstance(event, Notice):
            self._err(event.text)

    def _print(self, text: str) -> None:
        self._out(text)
        self._last = text or self._last

    def _refuse(self, question: Question) -> None:
        sentence = translatable(
            "{title}: not done, since nobody is asked here; `nagomi chat` asks."
        )
        self._err(self._words.say(sentence, title=question.title))

    def _end(self, event: TurnEnded) -> None:
        if event.outcome == "done" and not self._last:
            self._print(printable_lines(event.text))
        if self._last and not self._last.endswith("\n"):
            self._out("\n")
        if event.outcome == "failed":
            self._err(event.text)


def ask(open_talk: Open, text: str, once: Once) -> int:
    """Run `Once.ask` in a new event loop, and return the exit code."""
    main: Any = once.ask
    return int(anyio.run(main, open_talk, text))
