"""Asks an LLM about a session that failed or needs the user, if the user wants that (N-80…N-84).

It is off, and nothing is sent without consent beside (N-95). What is sent is masked. The answer
is shown with the word that it is an LLM's; it changes no state, and whatever goes wrong leaves
nagomi's own judgement standing.
"""

from __future__ import annotations

import logging
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import BoundedSemaphore
from typing import Final

import anyio
import msgspec
from anyio.abc import Process, TaskGroup

from nagomi_tui.agent.judge_question import WRONG_KEY, Answered, Asked
from nagomi_tui.agent.providers.choose import PUBLIC_URLS
from nagomi_tui.agent.providers.interface import ModelFault
from nagomi_tui.agent.providers.keys import CommandKey
from nagomi_tui.api import messages
from nagomi_tui.judge import advice
from nagomi_tui.judge.verdict import Advice, State, Verdict
from nagomi_tui.orchestrator.judging import session_judge
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.sessions import reading
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.table import naming
from nagomi_tui.settings.model import Settings, key_variable
from nagomi_tui.system import deadlines, files
from nagomi_tui.system.children import NOWHERE
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import Words, language_from, of, translatable

_log = logging.getLogger(__name__)
_PROGRAM: Final = (sys.executable, "-P", "-m", "nagomi_tui.agent.judge_question")
_START_SECONDS: Final = 10.0
"""Seconds beyond the deadline that the process may take, since its client is slow to import."""
_ANSWER_BYTES: Final = 4 * advice.ANSWER_LIMIT
_ASKED_FOR: Final = frozenset({State.FAILURE, State.ATTENTION})
_ASKABLE: Final = _ASKED_FOR | {State.UNKNOWN}
_PASSED_ON: Final = (
    "PATH", "HOME", "LANG", "SYSTEMROOT", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
)  # fmt: skip
_KEY_LIMIT: Final = 4096
_KEY_SECONDS: Final = 5.0


class NoAdvice(Exception):
    """There is no advice; the message says why in a few words."""


@dataclass(eq=False)
class Advisor:
    """Asks one question at a time, and about each turn only once unless the user asks."""

    tasks: TaskGroup
    settings: Callable[[], Settings]
    audience: Audience
    judged: Mapping[SessionRuntime, session_judge.SessionJudge]

    def __post_init__(self) -> None:
        self._turn = anyio.Lock()
        self._slots = BoundedSemaphore()
        self._commands: dict[str, CommandKey] = {}
        self._asked: dict[str, int] = {}
        self._told = False

    @property
    def is_on(self) -> bool:
        """Whether it is switched on, and the user has consented to what is sent."""
        settings = self.settings()
        return settings.llm_judge and settings.llm_consent

    def turn_over(self, finished: FinishedTurn) -> None:
        """Ask about a turn that has ended or needs the user, if the settings say so (N-81)."""
        session, done = finished.session, finished.done
        if done.quiet or not session.listed or done.verdict.state not in _ASKED_FOR:
            return
        turn = done.turn
        if self.is_on and self._asked.get(session.session_id) != turn:
            self._asked[session.session_id] = turn
            self.tasks.start_soon(self._advise, session, turn)

    async def ask(self, session: SessionRuntime) -> messages.Advised:
        """Ask on behalf of the user; return the verdict, and the name of the model.

        Raises:
            Refusal: the advisor is off, or there is nothing to ask about.
        """
        if not self.is_on:
            sentence = translatable(
                "The LLM judge is off. With `llm_judge` and `llm_consent` switched on in the "
                "settings, masked lines of the session are sent to {url}."
            )
            raise Refusal("refused", sentence, url=self._url)
        if State.of(session.info.phase) not in _ASKABLE:
            sentence = translatable(
                "{name} is at work, or has ended well; there is nothing to ask."
            )
            raise Refusal("refused", sentence, name=session.info.name)
        try:
            verdict = await self._advised(session)
        except NoAdvice as exc:
            own = self._own(session)
            return messages.Advised(**naming(session), verdict=own, source="rules", reason=str(exc))
        self._show(session, verdict, session.info.turn)
        return messages.Advised(**naming(session), verdict=verdict, source="llm", reason="")

    def said_of(self, session: SessionRuntime) -> Verdict | None:
        """Return the model's verdict on the present turn of a session, if there is one."""
        said = session.advice
        return said.verdict if said is not None and said.turn == session.info.turn else None

    # --- steps

    async def _advise(self, session: SessionRuntime, turn: int) -> None:
        try:
            verdict = await self._advised(session)
        except NoAdvice as exc:
            self._tell(exc)
            return
        except Exception:
            _log.exception("the LLM judge of session %s", session.session_id)
            return
        self._told = False
        if session.info.turn == turn and State.of(session.info.phase) in _ASKABLE:
            self._show(session, verdict, turn)

    def _show(self, session: SessionRuntime, verdict: Verdict, turn: int) -> None:
        """Tell all clients; only the summary of the session changes, and says whose it is."""
        if not session.listed:
            return
        session.advice = Advice(turn, verdict)
        if session.change(summary=f"LLM: {verdict.summary}"):
            self.audience.publish(session)
        said = messages.Advice(
            session=session.session_id, turn=turn, at=time.time(), verdict=verdict
        )
        self.audience.broadcast(said)

    def _own(self, session: SessionRuntime) -> Verdict:
        if (judged := self.judged.get(session)) is not None:
            return session_judge.verdict(judged.judge, self._words.gettext)
        return Verdict(State.of(session.info.phase), 0.5, session.info.summary)

    async def _advised(self, session: SessionRuntime) -> Verdict:
        """Return the model's verdict.

        Raises:
            NoAdvice: there is none.
        """
        settings = self.settings()
        lines = await reading.tail(session, advice.TAIL_LINES + advice.MARGIN_LINES)
        asked = advice.question(
            lines,
            cmd=session.info.cmd,
            cwd=_short(session.info.cwd),
            os=platform.platform(terse=True),
        )
        question = Asked(
            provider=settings.llm_provider,
            url=self._url,
            model=settings.llm_model,
            key=await self._key(),
            timeout=settings.llm_timeout,
            system=advice.task("Japanese" if self._words.language == "ja" else "English"),
            content=msgspec.json.encode(asked).decode(),
        )
        async with self._turn:
            # Consent may have been taken back while another question was asked.
            if not self.is_on:
                raise NoAdvice("it was switched off")
            try:
                text = await _answer(question)
            except NoAdvice as exc:
                if str(exc) == WRONG_KEY:
                    self._commands.clear()  # it is asked for the key anew the next time
                raise
        try:
            return advice.read_answer(text, asked["log"])
        except advice.BadAnswer as exc:
            raise NoAdvice(str(exc)) from exc

    @property
    def _url(self) -> str:
        settings = self.settings()
        return settings.llm_url or PUBLIC_URLS[settings.llm_provider]

    @property
    def _words(self) -> Words:
        """Return the language of an attached front end, or else the one that is set."""
        own = of(language_from(os.environ, self.settings().language))
        return next((client.words for client in self.audience.front_ends()), own)

    async def _key(self) -> str:
        """Return the key, from the named command or file, or from the named environment variable.

        Raises:
            NoAdvice: there is no key, and the public service needs one.
        """
        settings = self.settings()
        if settings.llm_key_command:
            return await self._commanded(settings.llm_key_command)
        if settings.llm_key_file:
            read = partial(_key_in, settings.llm_key_file)
            try:
                return await deadlines.run(read, seconds=_KEY_SECONDS, slots=self._slots)
            except (OSError, UnicodeError) as exc:
                raise NoAdvice(f"the key file {settings.llm_key_file} cannot be read") from exc
        name = key_variable(settings.llm_key_variable, settings.llm_provider)
        places = self._environments()
        key = next((found for env in places if (found := env.get(name, ""))), "")
        if not key and not settings.llm_url:
            raise NoAdvice(f"the variable {name} holds no key")
        return key

    def _environments(self) -> list[Mapping[str, str]]:
        """Return the environments to look for a variable in: front ends' first, then this process's."""
        return [*(client.env for client in self.audience.front_ends()), dict(os.environ)]

    async def _commanded(self, command: str) -> str:
        """Return what a command prints, run in the environment of an attached front end.

        Raises:
            NoAdvice: the command prints no key.
        """
        if self._commands.keys() != {command}:
            environment = {**os.environ, **self._environments()[0]}
            made = CommandKey(command, environment, self._words, setting="llm_key_command")
            self._commands = {command: made}
        try:
            return await self._commands[command].get()
        except ModelFault as fault:
            raise NoAdvice(str(fault)) from fault

    def _tell(self, exc: NoAdvice) -> None:
        """Tell once that there is no advice; the rules' own verdict is there already (N-84)."""
        _log.info("no advice of the LLM judge: %s", exc)
        if self._told:
            return
        self._told = True
        sentence = translatable(
            "The LLM judge gave no answer ({reason}); nagomi's own judgement stands."
        )
        self.audience.tell("info", sentence, reason=exc)


def _key_in(file: str) -> str:
    return files.read_text(os.path.expanduser(file), _KEY_LIMIT).strip()


async def _answer(question: Asked) -> str:
    """Ask in a process of its own, which is killed at the deadline.

    Raises:
        NoAdvice: there is no answer.
    """
    env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    try:
        process = await anyio.open_process(
            _PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=env, cwd=NOWHERE,
        )  # fmt: skip
    except OSError as exc:
        raise NoAdvice("it could not be started") from exc
    try:
        with anyio.fail_after(question.timeout + _START_SECONDS):
            said = await _exchange(process, msgspec.json.encode(question))
        answered = from_json(said, Answered)
    except TimeoutError as exc:
        raise NoAdvice("no answer in time") from exc
    except (msgspec.DecodeError, OSError, anyio.BrokenResourceError) as exc:
        raise NoAdvice("it could not be asked") from exc
    finally:
        with anyio.CancelScope(shield=True):
            if process.returncode is None:
                process.kill()
            await process.aclose()
    if answered.fault:
        raise NoAdvice(answered.fault)
    return answered.text


async def _exchange(process: Process, question: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    await process.stdin.send(question)
    await process.stdin.aclose()
    said = b""
    async for piece in process.stdout:
        said += piece
        if len(said) > _ANSWER_BYTES:
            raise NoAdvice("the answer is too long")
    return said


def _short(folder: str) -> str:
    home = os.path.expanduser("~")
    return "~" + folder[len(home) :] if folder == home or folder.startswith(home + "/") else folder
