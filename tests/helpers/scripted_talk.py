"""A conversation by script, in the place of the agent; `python -m tests.helpers.scripted_talk`.

The program is nagomi chat over the conversation that `SCRIPTED_TALK` holds as JSON: for each turn a
list of steps, each an event with its tag, `{"sleep": seconds}`, `{"fault": sentence}`, or
`{"gone": sentence}`, with which the agent has gone. What the program told is appended to the file
that `SCRIPTED_TALK_LOG` names. `SCRIPTED_TALK_LATE` says for how many seconds it is opened,
`SCRIPTED_TALK_FAULT` why it cannot be, `SCRIPTED_TALK_NOTICE` what to notice, and
`SCRIPTED_TALK_LAST` that words were said before.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec

from nagomi_tui.agent.talk.events import (
    Exchange,
    Question,
    Status,
    Talk,
    TalkFault,
    TurnEvent,
)
from nagomi_tui.agent.turns import slash_commands
from nagomi_tui.text import words
from tests.helpers.agent_desk import Desk, entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from nagomi_tui.agent.talk.events import Choice, Greeted, Reply

Step = dict[str, Any]
_EVENTS: Final[msgspec.json.Decoder[TurnEvent]] = msgspec.json.Decoder(TurnEvent)


class ScriptedTalk:
    """Plays turns one after the other; commands act on a desk in memory."""

    def __init__(self, turns: list[list[Step]], log: Path, language: str = "en") -> None:
        self._turns = turns
        self.gone = False
        told = os.environ.get("SCRIPTED_TALK_LAST", "")
        self.last = Exchange("What is tea?", "A drink.") if told else None
        self.notice = os.environ.get("SCRIPTED_TALK_NOTICE", "")
        self._log = log
        self._answers: dict[str, anyio.Event] = {}
        self.desk = Desk(
            entry("aaa111aaa111", "initial", messages=6),
            entry("bbb222bbb222", "my-project", messages=2, last="2026-01-01T03:04:05"),
            language=language,
        )

    @property
    def status(self) -> Status:
        return self.desk.status

    def listen(
        self,
        heard: Callable[[str], object],
        greeted: Greeted | None = None,
        changed: Callable[[], object] | None = None,
    ) -> None:
        self.heard = heard

    async def say(self, text: str) -> AsyncIterator[TurnEvent]:
        self._note(said=text)
        self.desk.said = text
        steps = self._turns.pop(0) if self._turns else [{"type": "turn_ended", "outcome": "done"}]
        try:
            for step in steps:
                if "unasked" in step:
                    self.heard(step["unasked"])
                elif "sleep" in step:
                    await anyio.sleep(step["sleep"])
                elif "fault" in step or "gone" in step:
                    self.gone = "gone" in step
                    raise TalkFault(step.get("gone") or step["fault"])
                else:
                    event = _EVENTS.decode(json.dumps(step))
                    if isinstance(event, Question):
                        self._answers[event.id] = anyio.Event()
                    yield event
                    if isinstance(event, Question):
                        await self._answers[event.id].wait()
        except BaseException as exc:
            self._note(left=type(exc).__name__)
            raise

    async def answer(self, question: str, choice: Choice) -> None:
        self._note(question=question, choice=choice)
        self._answers[question].set()

    async def command(self, line: str) -> Reply:
        self._note(command=line)
        return await slash_commands.answer(self.desk, line)

    async def completions(self, line: str) -> tuple[str, ...]:
        return slash_commands.completions(self.desk, line)

    def _note(self, **what: str) -> None:
        with self._log.open("a") as file:
            file.write(json.dumps(what) + "\n")


def main() -> int:
    """Run the program on this process's terminal, or answer once to a pipe."""
    from nagomi_tui.agent.chat import opening, program

    turns = json.loads(os.environ["SCRIPTED_TALK"])
    language = os.environ.get("NAGOMI_LANG", "en")
    log = Path(os.environ["SCRIPTED_TALK_LOG"])

    @asynccontextmanager
    async def open_talk(conversation: str = "") -> AsyncIterator[Talk]:
        await anyio.sleep(float(os.environ.get("SCRIPTED_TALK_LATE", "0")))
        if fault := os.environ.get("SCRIPTED_TALK_FAULT"):
            raise TalkFault(fault)
        yield ScriptedTalk(turns, log, language)

    if len(sys.argv) > 1:
        asked = opening.Once(
            sys.stdout.write, lambda text: print(text, file=sys.stderr), words.of(language)
        )
        return opening.ask(open_talk, sys.argv[1], asked)
    return program.run(open_talk, log.with_name("history.jsonl"), words.of(language))


if __name__ == "__main__":
    sys.exit(main())
