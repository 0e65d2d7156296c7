"""Tools that type into sessions, answer, start and restart them, each with the user's consent."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import PurePath
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from nagomi_tui.agent.tools import interface as tools
from nagomi_tui.agent.tools.granted import ContextActor, is_in_discussion
from nagomi_tui.agent.tools.session_readers import SessionName
from nagomi_tui.api import messages
from nagomi_tui.api.messages.talk import Key
from nagomi_tui.judge.next_steps import risk_of
from nagomi_tui.judge.questions import Question
from nagomi_tui.judge.verdict import Risk
from nagomi_tui.sessions.session import Session
from nagomi_tui.shell.classifier import classify
from nagomi_tui.text.cells import visible
from nagomi_tui.text.words import Said, translatable

SECRET_RULE: Final = "reads-a-secret"
_SECRET: Final = translatable(
    "Its terminal reads a password or the like. Tools never type there; the user has to."
)
_CONSENT: Final = translatable("It asks the user for consent; only the user answers there.")
_RISKS: Final = {Risk.LOW: "low", Risk.MID: "medium", Risk.HIGH: "high"}
_TYPED: Final = {
    True: translatable("Typed into session {number}. The program took it."),
    False: translatable("Typed into session {number}. The program did not take it."),
    None: translatable("Typed into session {number}. Whether the program took it cannot be told."),
}
_RUNS: Final = translatable("Session {number} runs it.")
_RUNS_AGAIN: Final = translatable("Session {number} runs it again.")
_PRESSED: Final = translatable("Pressed in session {number}.")
_NO_QUESTION: Final = translatable("No question with choices stands there.")
_NO_CHOICE: Final = translatable("There is no such choice. There are:")
_ANSWERED: Final = translatable("Answered.")
_STILL_ASKS: Final = translatable("Sent, but the question stands there still.")
_OTHER_QUESTION: Final = translatable("Another question stands there now. Read the session again.")
_SENDS: Final = translatable("Type into {number} {name} and press Enter")
_TYPES: Final = translatable("Type into {number} {name}, without Enter")
_STARTS: Final = translatable("Start a session in {folder}")
_RESTARTS: Final = translatable("Restart {number} {name}, with all that runs in it ended first")
_ANSWERS: Final = translatable("Answer the question of {number} {name}")
_PRESSES: Final = translatable("Press keys in {number} {name}")
_ALL_TEXTS: Final = translatable("all texts to {number} {name}, in this conversation")
_SAME_COMMAND: Final = translatable("this same command in this folder, in this conversation")
_RESTARTS_OF: Final = translatable(
    "each restart of {number} {name} with this command, in this conversation"
)
_SAME_ANSWER: Final = translatable(
    "this same answer to this same question of {number} {name}, in this conversation"
)
_MOVING_KEYS: Final = translatable(
    "keys in {number} {name} that only move or break off, in this conversation"
)
_HARMLESS: Final = frozenset([
    "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "tab", "shift+tab",
    "escape", "esc", "ctrl+c"
])  # fmt: skip
"""Keys that neither confirm what stands on a screen nor write a text."""


class SendGiven(tools.Given, frozen=True, kw_only=True):
    """A text, and the session to type it into."""

    session: SessionName
    text: Annotated[str, Meta(min_length=1, max_length=20_000)]
    enter: Annotated[bool, Meta(description="Press Enter behind it.")] = True


class SendToSession(ContextActor[SendGiven]):
    """Types a text into a session, but never while the session reads a password or other secret."""

    name: ClassVar = "send_to_session"
    description: ClassVar = (
        "Type a text into a session as the user would, then Enter. The user is asked first. "
        "Refused while a question or a draft stands there, or a password is read."
    )
    given: ClassVar = SendGiven

    async def plan(self, given: SendGiven) -> tools.Plan:
        """Return the text that would be typed; a grant covers this run of the session."""
        session = await typable(self._workplace, given.session)
        title = self._words.say(
            _SENDS if given.enter else _TYPES, number=session.number, name=session.name
        )
        return tools.Plan(
            title=title,
            detail="\n".join(visible(line) for line in given.text.split("\n")),
            target=_run_of(session),
            risk=_risk_of_text(session, given.text),
            scope=self._words.say(_ALL_TEXTS, number=session.number, name=session.name),
            act=partial(self._send, session.session_id, given),
        )

    async def _send(self, session_id: str, given: SendGiven) -> tools.Output:
        """Type the text, if the session still may be typed into."""
        await typable(self._workplace, session_id)
        order = messages.Send(id=0, session=session_id, text=given.text, enter=given.enter)
        sent = await self._workplace.request(order)
        return tools.Output(Said(_TYPED[sent.taken], {"number": sent.number}))


async def typable(workplace: tools.Workplace, name: str) -> Session:
    """Return the session of a number, name, id or unique prefix, if tools may type into it.

    Raises:
        ToolFault: there is no such session, it reads a secret, or it asks the user for consent.
    """
    session = await workplace.find(name)
    why = await workplace.request(messages.Why(id=0, session=session.session_id))
    if session.secret or why.rule == SECRET_RULE:
        raise tools.ToolFault(Said(_SECRET, {}))
    if tools.CONSENT_PROGRAM in session.cmd:
        raise tools.ToolFault(Said(_CONSENT, {}))
    return session


class StartGiven(tools.Given, frozen=True, kw_only=True):
    """A command, the folder to run it in, and the new session's name."""

    command: Annotated[str, Meta(min_length=1, max_length=8000, description="A shell command.")]
    folder: Annotated[
        str, Meta(max_length=4096, description="Absolute, or relative to the workspace folder.")
    ] = "."
    name: Annotated[str, Meta(max_length=80)] = ""


class StartSession(ContextActor[StartGiven]):
    """Starts a session that runs a shell command."""

    name: ClassVar = "start_session"
    description: ClassVar = (
        "Start a new session that runs a shell command in a folder. The user is asked first."
    )
    given: ClassVar = StartGiven

    async def plan(self, given: StartGiven) -> tools.Plan:
        """Return the command; a grant covers exactly this command in this folder."""
        folder = str(self._granted.workspace / given.folder)
        risk = _risk_of_command(given.command)
        if risk is not Risk.LOW and await self._is_in_discussion(folder):
            risk = Risk.HIGH
        return tools.Plan(
            title=self._words.say(_STARTS, folder=visible(folder)),
            detail="\n".join(visible(line) for line in given.command.split("\n")),
            target=f"{folder}\0{given.command}",
            risk=_RISKS[risk],
            scope=self._words.gettext(_SAME_COMMAND),
            act=partial(self._start, given, folder),
        )

    async def _is_in_discussion(self, folder: str) -> bool:
        """Tell whether the guard of a session in this folder, or in one above, forbids writing."""
        sessions = await self._workplace.list_sessions()
        return any(
            _is_below(folder, session.cwd) for session in sessions if is_in_discussion(session)
        )

    async def _start(self, given: StartGiven, folder: str) -> tools.Output:
        order = messages.Create(id=0, cmd=given.command, cwd=folder, name=given.name)
        made = await self._workplace.request(order)
        return tools.Output(Said(_RUNS, {"number": made.number}), session=made.session_id)


class RestartGiven(tools.Given, frozen=True, kw_only=True):
    """A session, and the command to start in it instead of its own."""

    session: SessionName
    command: Annotated[
        str, Meta(max_length=8000, description="Another command; empty for the same.")
    ] = ""
    fresh: Annotated[bool, Meta(description="An agent begins a new conversation.")] = False


class RestartSession(ContextActor[RestartGiven]):
    """Stops a session if it runs, and starts its command or another one in it."""

    name: ClassVar = "restart_session"
    description: ClassVar = (
        "End what runs in a session, and start its command again, or another one. "
        "The user is asked first."
    )
    given: ClassVar = RestartGiven
    seconds: ClassVar = 30.0

    async def plan(self, given: RestartGiven) -> tools.Plan:
        """Return the command that would be started; a grant covers it in this session."""
        session = await self._workplace.find(given.session)
        if tools.CONSENT_PROGRAM in session.cmd:
            raise tools.ToolFault(Said(_CONSENT, {}))
        command = given.command or session.cmd
        risk = Risk.HIGH if is_in_discussion(session) else _risk_of_command(command)
        return tools.Plan(
            title=self._words.say(_RESTARTS, number=session.number, name=session.name),
            detail="\n".join(visible(line) for line in command.split("\n")),
            target=f"{session.session_id}\0{command}",
            scope=self._words.say(_RESTARTS_OF, number=session.number, name=session.name),
            risk=_RISKS[max(risk, Risk.MID, key=list(Risk).index)],
            act=partial(self._restart, session.session_id, given),
        )

    async def _restart(self, session_id: str, given: RestartGiven) -> tools.Output:
        order = messages.Restart(id=0, session=session_id, cmd=given.command, fresh=given.fresh)
        made = await self._workplace.request(order)
        return tools.Output(Said(_RUNS_AGAIN, {"number": made.number}))


class AnswerGiven(tools.Given, frozen=True, kw_only=True):
    """A session, and the choice to answer its question with."""

    session: SessionName
    choice: Annotated[str, Meta(min_length=1, max_length=40, description="Key of the choice.")]


class AnswerSession(ContextActor[AnswerGiven]):
    """Answers the question that a session shows on its screen."""

    name: ClassVar = "answer_session"
    description: ClassVar = (
        "Answer the question with choices that stands open in a session, by one choice's key. "
        "The user is asked first."
    )
    given: ClassVar = AnswerGiven

    async def plan(self, given: AnswerGiven) -> tools.Plan:
        """Return the question and the choice; a grant covers the same answer to the same question."""
        session = await typable(self._workplace, given.session)
        asked = await self._workplace.request(messages.Asks(id=0, session=session.session_id))
        question = asked.question
        if question is None:
            raise tools.ToolFault(Said(_NO_QUESTION, {}))
        choice = question.choice(given.choice)
        if choice is None:
            keys = ", ".join(one.key for one in question.choices)
            raise tools.ToolFault(Said(_NO_CHOICE, {}), keys)
        lines = (question.text, *question.details, f"→ {choice.key} {choice.label}")
        return tools.Plan(
            title=self._words.say(_ANSWERS, number=session.number, name=session.name),
            detail="\n".join(visible(line) for line in lines),
            target="\0".join((_run_of(session), *lines)),
            risk="medium",
            scope=self._words.say(_SAME_ANSWER, number=session.number, name=session.name),
            act=partial(self._answer, session.session_id, choice.key, question.question_id),
        )

    async def _answer(self, session: str, choice: str, question: str) -> tools.Output:
        """Answer the question, if the session still shows the same one."""
        await typable(self._workplace, session)
        order = messages.Answer(id=0, session=session, choice=choice, question=question)
        sent = await self._workplace.request(order)
        return tools.Output(Said(_ANSWERED if sent.taken else _STILL_ASKS, {}))


class KeysGiven(tools.Given, frozen=True, kw_only=True):
    """Keys, and the session to press them in."""

    session: SessionName
    keys: Annotated[
        tuple[Key, ...],
        Meta(min_length=1, max_length=100, description="Such as up, Enter, ctrl+c, y."),
    ]


class PressKeys(ContextActor[KeysGiven]):
    """Presses keys in a session, but never while the session reads a password or other secret."""

    name: ClassVar = "press_keys"
    description: ClassVar = (
        "Press keys in a session one after the other, as for a menu or to interrupt. The user is "
        "asked first. For a question with choices, use answer_session."
    )
    given: ClassVar = KeysGiven

    async def plan(self, given: KeysGiven) -> tools.Plan:
        """Return the keys, and the question that they would answer; a grant covers keys that move."""
        session = await typable(self._workplace, given.session)
        question = await self._question(session.session_id)
        asked = (question.text, *question.details) if question else ()
        harmless = not is_in_discussion(session) and all(
            key.lower() in _HARMLESS for key in given.keys
        )
        return tools.Plan(
            title=self._words.say(_PRESSES, number=session.number, name=session.name),
            detail="\n".join(visible(line) for line in (*asked, f"→ {' '.join(given.keys)}")),
            target=_run_of(session),
            risk=_RISKS[Risk.MID if harmless else Risk.HIGH],
            scope=self._words.say(_MOVING_KEYS, number=session.number, name=session.name),
            act=partial(self._press, session.session_id, given, question),
        )

    async def _press(
        self, session_id: str, given: KeysGiven, question: Question | None
    ) -> tools.Output:
        """Press the keys, if the session still shows the question that the user saw, or none."""
        await typable(self._workplace, session_id)
        now = await self._question(session_id)
        if (now and now.question_id) != (question and question.question_id):
            raise tools.ToolFault(Said(_OTHER_QUESTION, {}))
        order = messages.Keys(id=0, session=session_id, keys=given.keys)
        pressed = await self._workplace.request(order)
        return tools.Output(Said(_PRESSED, {"number": pressed.number}))

    async def _question(self, session_id: str) -> Question | None:
        found = await self._workplace.request(messages.Asks(id=0, session=session_id))
        return found.question


def _is_below(folder: str, above: str) -> bool:
    return PurePath(os.path.normpath(folder)).is_relative_to(above)


def _run_of(session: Session) -> str:
    """Return what tells a session's command apart from another one, of the same name or place.

    A session that is started anew, or whose agent has gone and left a shell, is another one.
    """
    return f"{session.session_id}\0{session.started_at}\0{session.agent_name}"


_GRAVE: Final = re.compile(
    r"\b(?:rm|delet\w*|remov\w*|drop|truncate|wip(?:e|ing)|destroy|eras\w*|purge|overwrite|forc\w*|reset"
    r"|push|publish|deploy|releas\w*|merge|sudo|curl|wget|scp|ssh|upload|send|post|mail|exfiltrat\w*"
    r"|tokens?|secrets?|credentials?|passwords?|passwd|keys?|chmod|chown|kill|shutdown|disabl\w*|bypass\w*"
    r"|skip\w*|dangerous\w*|approv\w*|allow\w*|permission\w*|ignore|instead|disregard|y(?:es)? to all)\b"
    r"|--\w|-[rf]{1,2}\b|\.env\b|https?://|[`$|>]|\^"
    r"|消|削除|破棄|強制|上書き|公開|送信|送って|秘密|パスワード|トークン|鍵|許可|承認|無視",
    re.IGNORECASE,
)
"""Words to an agent that ask for what cannot be taken back, sends something away, or lifts a limit."""


def _risk_of_text(session: Session, text: str) -> str:
    """Return the risk of typing a text into a session: `low`, `medium` or `high`.

    Words to an agent are of medium risk, as the agent has its own rules for what it does; of high
    risk where they ask for what cannot be taken back. A text
    that begins with `!`, `/` or `#` is a command to it, judged as one, and so are words to one that
    is only seen in the session, whose shell may be back by now. Everything typed is of high risk
    while the session's guard forbids writing, so that the user is asked each time (X-19).
    """
    if is_in_discussion(session):
        return _RISKS[Risk.HIGH]
    # The shell that reads the text is unknown, so `classify`, made for sh, may not lower the risk.
    risk = risk_of(text)
    is_word = session.agent_name and not text.lstrip().startswith(("!", "/", "#"))
    if is_word and (session.agent or risk is Risk.LOW):
        return _RISKS[Risk.HIGH if _GRAVE.search(text) else Risk.MID]
    return _RISKS[risk]


def _risk_of_command(command: str) -> Risk:
    """Return the risk of a command for `sh`; low if it is known to change nothing."""
    return Risk.LOW if classify(command).verdict == "read" else risk_of(command)
