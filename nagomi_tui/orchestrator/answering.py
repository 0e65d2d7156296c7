"""Answers questions, sends texts where nothing stands in their way, and runs next actions."""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.to_thread
import msgspec

from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_tui.core.judge.account import everything
from nagomi_tui.core.judge.resolver import shell_rests
from nagomi_tui.core.judge.risk import risk_of, visible
from nagomi_tui.core.judge.verdict import Risk, shorten
from nagomi_tui.orchestrator import asking, corrections
from nagomi_tui.orchestrator.reasons import why
from nagomi_tui.orchestrator.refusal import Refusal
from nagomi_tui.words import mark

if TYPE_CHECKING:
    from nagomi_tui.core.judge.asking import Question
    from nagomi_tui.core.judge.verdict import State
    from nagomi_tui.orchestrator.clients import Client
    from nagomi_tui.orchestrator.hands import Hands
    from nagomi_tui.orchestrator.life import Life
    from nagomi_tui.orchestrator.live import Live
    from nagomi_tui.orchestrator.workplace import Workplace

KEYS: Final = {"enter": "enter", "escape": "escape"}
"""Choices that are keys by name; any other is typed as it is."""
AGAIN_SECONDS: Final = 2.0
"""So long the same menu is not answered again: a second key would meet what comes after it."""
TAKEN_SECONDS: Final = 2.0
_LOOK_PAUSE: Final = 0.05
_SURE_AFTER: Final = 0.5
"""Seconds after Enter from which an empty input says that a text was taken, echo or not."""
_PASTED: Final = "[pasted"
"""How agents show a long paste in their input."""
_SAMPLE: Final = 24
"""Characters of a text that are looked for on the screen."""


class Answering:
    """Types into sessions on behalf of those who look at them from outside."""

    def __init__(self, place: Workplace, hands: Hands, life: Life) -> None:
        self._place = place
        self._hands = hands
        self._life = life
        self._answered: dict[str, tuple[str, float]] = {}

    # --- questions

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
            sentence = mark("{name} is answered with the arrow keys, there: {question}")
            raise Refusal("refused", sentence, name=live.info.name, question=question.text)
        choice = question.choice(order.choice)
        if choice is None:
            sentence = mark("“{choice}” is none of its choices: {choices}.")
            listed = ", ".join(known.key for known in question.choices)
            raise Refusal("bad_request", sentence, choice=order.choice, choices=listed)
        self._check_again(live, question)
        if choice.key in KEYS:
            self._hands.press_named(client, live, (KEYS[choice.key],))
        else:
            self._hands.type_text(client, live, choice.key)
        taken = await self._answer_taken(live, question)
        if not taken:
            self._answered.pop(live.session_id, None)
        told = {"choice": msgspec.to_builtins(choice), "by_line": question.by_line}
        return {**told, "taken": taken}

    async def _answer_taken(self, live: Live, before: Question) -> bool:
        """Tell whether the question has gone, or holds the answer now; some take no quick key."""
        for _ in range(round(TAKEN_SECONDS / _LOOK_PAUSE)):
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
        if before == question.question_id and now < at + AGAIN_SECONDS:
            sentence = mark("{name} was answered a moment ago; nothing more was sent.")
            raise Refusal("refused", sentence, name=live.info.name)
        self._answered[live.session_id] = (question.question_id, now)

    # --- texts

    async def send(self, client: Client, live: Live, order: messages.Send) -> dict[str, Any]:
        """Type a text where nothing stands in its way, and see whether it was taken.

        Raises:
            Refusal: a question or a draft stands there; nothing was sent.
        """
        found = await asking.look(live)
        if not order.force:
            self._check_free(live, found, order)
        manifest = asking.manifest_of(live)
        pause = manifest.input.enter_pause if manifest and manifest.input else None
        offset = live.offset
        self._hands.say(client, live, order.text, enter=order.enter, pause=pause)
        return {"taken": await self._taken(live, order, found, offset, pause or 0.0)}

    def _check_free(self, live: Live, found: asking.Open, order: messages.Send) -> None:
        question = found.question
        if question is not None and not _answers(question, order):
            sentence = mark(
                "{name} asks: {question} Nothing was sent; `nagomi answer` answers it, "
                "and `--force` sends all the same."
            )
            raise Refusal("refused", sentence, name=live.info.name, question=question.text)
        if found.draft:
            sentence = mark(
                "A draft stands in the input of {name}: “{draft}”. Nothing was sent; "
                "`--force` sends all the same."
            )
            draft = shorten(" ".join(found.draft.split()), 60)
            raise Refusal("refused", sentence, name=live.info.name, draft=draft)

    async def _taken(
        self, live: Live, order: messages.Send, found: asking.Open, offset: int, pause: float
    ) -> bool | None:
        """Tell whether a text has arrived; None where nothing on the screen can say so."""
        if not order.text.strip():
            return None
        sample = "".join(order.text.strip().splitlines()[0].split())[:_SAMPLE]
        began = time.monotonic()
        seen = False
        while time.monotonic() < began + TAKEN_SECONDS + pause and live.running:
            await anyio.sleep(_LOOK_PAUSE)
            if live.offset == offset or live.backlog:
                continue
            seen = seen or _shows(live, sample)
            if found.draft is None:
                if seen or order.enter:
                    return True
                continue
            rest = time.monotonic() - began - pause
            if self._input_took(live, order, sample, seen=seen, rest=rest):
                return True
        return False if found.draft is not None else (None if live.running else True)

    def _input_took(
        self, live: Live, order: messages.Send, sample: str, *, seen: bool, rest: float
    ) -> bool:
        """Tell whether an agent's own input has taken the text, or with Enter has let go of it."""
        draft = asking.read(live).draft
        if not order.enter:
            held = "".join((draft or "").split())
            return sample in held or _PASTED in held.lower()
        if self._hands.owes_enter(live) or draft:
            return False
        return seen or rest > _SURE_AFTER

    # --- next actions

    async def act(self, client: Client, live: Live, order: messages.Act) -> dict[str, Any]:
        """Run a command at the shell's prompt, or in a new session in the same folder.

        Raises:
            Refusal: it is risky and was not confirmed, or a program is in front.
        """
        command = order.command.strip()
        if not command or not command.isprintable():
            sentence = mark("This command cannot be run from here: {command}")
            raise Refusal("bad_request", sentence, command=visible(order.command))
        risk = risk_of(command)
        if risk is Risk.HIGH and not order.sure:
            sentence = mark("The risk of `{command}` is high; it was not run.")
            raise Refusal("risky", sentence, command=visible(command))
        anew = order.anew or not live.running
        if not anew:
            await asking.look(live)
            if not _at_prompt(live):
                sentence = mark(
                    "{name} is not at a shell's prompt; the command can run in a new session."
                )
                raise Refusal("busy", sentence, name=live.info.name)
            self._hands.say(client, live, command, enter=True)
            return {"session_id": live.session_id, "risk": risk, "new": False}
        made = await self._life.create(
            client,
            messages.Create(
                id=0, cmd=command, cwd=live.info.cwd, cols=live.info.cols, rows=live.info.rows
            ),
        )
        return {"session_id": made.session_id, "risk": risk, "new": True}

    # --- corrections

    async def correct(self, live: Live, state: State) -> None:
        """Keep what the user says, and show it for the rest of the turn.

        Raises:
            Refusal: nobody judges this session.
        """
        if live.judged is None:
            sentence = mark("Nothing was judged of {name} that could be corrected.")
            raise Refusal("refused", sentence, name=live.info.name)
        judge, trace = live.judged.judge, live.trace
        reason = judge.why()
        rows = live.screen.screen() if live.screen is not None else ()
        said = corrections.Correction(
            at=time.time(),
            session_id=live.session_id,
            turn=judge.known.turn.number,
            cmd=live.info.cmd,
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
        self._place.judges.correct(live, state)
        try:
            await anyio.to_thread.run_sync(corrections.keep, paths.corrections_file(), said)
        except (sqlite3.Error, OSError) as exc:
            sentence = mark("The correction is shown, but it cannot be kept: {reason}.")
            raise Refusal("internal", sentence, reason=exc) from exc


def _answers(question: Question, order: messages.Send) -> bool:
    """Tell whether a text is just the answer that a program reading a line asks for."""
    return question.by_line and order.enter and question.choice(order.text.strip()) is not None


def _shows(live: Live, sample: str) -> bool:
    if live.screen is None:
        return False
    shown = "".join("".join(row.text.split()) for row in live.screen.screen())
    return sample in shown


def _at_prompt(live: Live) -> bool:
    """Tell whether a shell stands at its prompt, with nothing typed behind it."""
    judge = live.judged.judge if live.judged is not None else None
    return judge is not None and shell_rests(judge.known, judge.book)
