"""Tools that type into sessions, start and stop them, each with the user's consent."""

from __future__ import annotations

import os
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from msgspec import Meta

from nagomi_tui.agent.tools.granted import is_in_discussion
from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, ToolFault
from nagomi_tui.agent.tools.session_readers import SessionName
from nagomi_tui.agent.tools.workplace import CONSENT_PROGRAM
from nagomi_tui.judge.next_steps import risk_of
from nagomi_tui.judge.verdict import Risk
from nagomi_tui.shell import classify
from nagomi_tui.text.cells import visible
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.tools.granted import Granted
    from nagomi_tui.agent.tools.workplace import Workplace
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.text.words import Words

SECRET_RULE: Final = "reads-a-secret"
_SECRET: Final = (
    "Its terminal reads a password or the like. Tools never type there; the user has to."
)
_CONSENT: Final = "It asks the user for consent; only the user answers there."
_RISKS: Final = {Risk.LOW: "low", Risk.MID: "medium", Risk.HIGH: "high"}
_TAKEN: Final = {
    True: "The program took it.",
    False: "The program did not take it.",
    None: "Whether the program took it cannot be told.",
}
_SENDS: Final = translatable("Type into {number} {name} and press Enter")
_TYPES: Final = translatable("Type into {number} {name}, without Enter")
_STARTS: Final = translatable("Start a session in {folder}")
_STOPS: Final = translatable("Stop {number} {name} and all that runs in it")


class SendGiven(Given, frozen=True, kw_only=True):
    """A text, and the session to type it into."""

    session: SessionName
    text: Annotated[str, Meta(min_length=1, max_length=20_000)]
    enter: Annotated[bool, Meta(description="Press Enter behind it.")] = True


class SendToSession(Actor[SendGiven]):
    """Types a text into a session, but never while the session reads a password or other secret."""

    name: ClassVar = "send_to_session"
    description: ClassVar = (
        "Type a text into a session as the user would, then Enter. The user is asked first. "
        "Refused while a question or a draft stands there, or a password is read."
    )
    given: ClassVar = SendGiven

    def __init__(self, workplace: Workplace, words: Words) -> None:
        self._workplace = workplace
        self._words = words

    async def plan(self, given: SendGiven) -> Plan:
        """Return the text that would be typed; a grant covers this session."""
        session = await typable(self._workplace, given.session)
        title = self._words.say(
            _SENDS if given.enter else _TYPES, number=session.number, name=session.name
        )
        return Plan(
            title=title,
            detail="\n".join(visible(line) for line in given.text.split("\n")),
            target=session.session_id,
            risk=_risk_of_text(session, given.text),
            act=partial(self._send, session.session_id, given),
        )

    async def _send(self, session_id: str, given: SendGiven) -> Output:
        """Type the text, if the session still may be typed into."""
        await typable(self._workplace, session_id)
        sent = await self._workplace.send(session_id, given.text, enter=given.enter)
        return Output(f"Typed into session {sent.number}. {_TAKEN[sent.taken]}")


async def typable(workplace: Workplace, name: str) -> Session:
    """Return the session of a number, name, id or unique prefix, if tools may type into it.

    Raises:
        ToolFault: there is no such session, it reads a secret, or it asks the user for consent.
    """
    session = await workplace.find(name)
    if session.secret or (await workplace.why(session.session_id)).rule == SECRET_RULE:
        raise ToolFault(_SECRET)
    if CONSENT_PROGRAM in session.cmd:
        raise ToolFault(_CONSENT)
    return session


class StartGiven(Given, frozen=True, kw_only=True):
    """A command, the folder to run it in, and the new session's name."""

    command: Annotated[str, Meta(min_length=1, max_length=8000, description="A shell command.")]
    folder: Annotated[
        str, Meta(max_length=4096, description="Absolute, or relative to the workspace folder.")
    ] = "."
    name: Annotated[str, Meta(max_length=80)] = ""


class StartSession(Actor[StartGiven]):
    """Starts a session that runs a shell command."""

    name: ClassVar = "start_session"
    description: ClassVar = (
        "Start a new session that runs a shell command in a folder. The user is asked first."
    )
    given: ClassVar = StartGiven

    def __init__(self, workplace: Workplace, granted: Granted, words: Words) -> None:
        self._workplace = workplace
        self._granted = granted
        self._words = words

    async def plan(self, given: StartGiven) -> Plan:
        """Return the command; a grant covers exactly this command in this folder."""
        folder = str(self._granted.workspace / given.folder)
        risk = _risk_of_command(given.command)
        if risk is not Risk.LOW and await self._is_in_discussion(folder):
            risk = Risk.HIGH
        return Plan(
            title=self._words.say(_STARTS, folder=visible(folder)),
            detail="\n".join(visible(line) for line in given.command.split("\n")),
            target=f"{folder}\0{given.command}",
            risk=_RISKS[risk],
            act=partial(self._start, given, folder),
        )

    async def _is_in_discussion(self, folder: str) -> bool:
        """Tell whether the guard of a session in this folder, or in one above, forbids writing."""
        sessions = await self._workplace.list_sessions()
        return any(
            _is_below(folder, session.cwd) for session in sessions if is_in_discussion(session)
        )

    async def _start(self, given: StartGiven, folder: str) -> Output:
        made = await self._workplace.start(given.command, folder, given.name)
        return Output(f"Session {made.number} runs it.")


class StopGiven(Given, frozen=True, kw_only=True):
    """The session to stop."""

    session: SessionName


class StopSession(Actor[StopGiven]):
    """Ends a session's process tree."""

    name: ClassVar = "stop_session"
    description: ClassVar = "End a session and all that runs in it. The user is asked first."
    given: ClassVar = StopGiven
    seconds: ClassVar = 30.0

    def __init__(self, workplace: Workplace, words: Words) -> None:
        self._workplace = workplace
        self._words = words

    async def plan(self, given: StopGiven) -> Plan:
        """Return the session's command, which would be ended; a grant covers this session."""
        session = await self._workplace.find(given.session)
        return Plan(
            title=self._words.say(_STOPS, number=session.number, name=session.name),
            detail=visible(session.cmd),
            target=session.session_id,
            act=partial(self._stop, session.session_id),
        )

    async def _stop(self, session_id: str) -> Output:
        ended = await self._workplace.stop(session_id)
        return Output(f"Session {ended.number} has ended.")


def _is_below(folder: str, above: str) -> bool:
    return PurePath(os.path.normpath(folder)).is_relative_to(above)


def _risk_of_text(session: Session, text: str) -> str:
    """Return the risk of typing a text into a session: `low`, `medium` or `high`.

    Words to an agent are of medium risk, as the agent has its own rules for what it does. A text
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
        return _RISKS[Risk.MID]
    return _RISKS[risk]


def _risk_of_command(command: str) -> Risk:
    """Return the risk of a command for `sh`; low if it is known to change nothing."""
    return Risk.LOW if classify(command).verdict == "read" else risk_of(command)
