"""Answers what programs of sessions on hands ask: of the sessions there, and of all on a trusted hand.

What they may ask stands in the table of verbs, and nothing of it approves, changes a setting or ends
nagomi; of a request for a session, that is one within reach. Nobody of them is ever taken for the user.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, NamedTuple

import anyio
import msgspec
from anyio.abc import TaskGroup

from nagomi_tui.api import messages
from nagomi_tui.api.verbs import verb_of
from nagomi_tui.hands.hand import Hand
from nagomi_tui.orchestrator.hands import FarWorkers
from nagomi_tui.orchestrator.runtime.requests import Refusal, Requester
from nagomi_tui.orchestrator.server.dispatch import Dispatch
from nagomi_tui.orchestrator.server.handlers import judge
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable, meant
from nagomi_tui.orchestrator.workers.link import WorkerLink
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.system import paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import language_from, of, translatable
from nagomi_worker.wire import messages as programs
from nagomi_worker.wire import protocol

_log = logging.getLogger(__name__)
_MOST_ASKED: Final = 32
"""Most requests of one hand that may wait for their answers."""
_MOST_MADE: Final = 50
"""Sessions on a hand from which on its programs may start no more."""
_SECONDS: Final = 600.0
"""Seconds after which a wait without an end of its own is given up."""
_NOT_ASKED: Final = translatable("A program on {name} may not ask for that.")
_LANGUAGE: Final[tuple[str, ...]] = ("NAGOMI_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


class _Ask(msgspec.Struct):
    """What a program says."""

    request: msgspec.Raw
    env: dict[str, str] = {}


class _Asker:
    """A program there, as whoever carries out requests sees it: nothing proves who it is."""

    pid = 0
    is_front_end = False
    focus = None

    def __init__(self, requester: Requester) -> None:
        self.requester = msgspec.structs.replace(requester, caller=self)
        self.began = time.time()
        self.answer: messages.Message = messages.Failed(id=0, message="", code="internal")

    def send(self, message: messages.Message) -> None:
        """Keep the answer."""
        self.answer = message

    def fail(self, request: messages.Request[Any], refusal: Refusal) -> None:
        text = refusal.in_language(self.requester.words)
        self.answer = messages.Failed(id=request.id, message=text, code=refusal.code)


class _Rights(NamedTuple):
    """Of whom a program asks, and what it reaches."""

    own: SessionRuntime
    hand: Hand
    reached: tuple[SessionRuntime, ...]


@dataclass(eq=False)
class RemoteRequests:
    """Answers each request once, unless whoever asked waits no more.

    `language` returns the setting.
    """

    tasks: TaskGroup
    dispatch: Dispatch
    sessions: SessionTable
    _: KW_ONLY
    hands: FarWorkers
    language: Callable[[], str]

    def __post_init__(self) -> None:
        self._waiting: dict[tuple[WorkerLink, int], anyio.CancelScope] = {}

    def asked(self, asked: protocol.Asked) -> None:
        """Have a request of one of a session's programs answered; without one, it waits no more."""
        session, number, request = self.sessions.get(asked.session_id), asked.number, asked.request
        link = session.run.link if session is not None else None
        if session is None or link is None:
            return
        for known in [known for known in self._waiting if known[0].closed]:
            self._waiting.pop(known).cancel()
        scope = self._waiting.get((link, number))
        if not request or scope is not None:
            if scope is not None:
                scope.cancel()
            return
        if sum(known[0] is link for known in self._waiting) >= _MOST_ASKED:
            sentence = translatable("Too many requests wait for their answers already.")
            self._refuse(session, link, number, Refusal("refused", sentence))
            return
        self._waiting[link, number] = scope = anyio.CancelScope()
        self.tasks.start_soon(self._answer, session, (link, number), request, scope)

    async def _answer(
        self,
        session: SessionRuntime,
        place: tuple[WorkerLink, int],
        request: str,
        scope: anyio.CancelScope,
    ) -> None:
        link, number = place
        try:
            with scope, anyio.move_on_after(_SECONDS):
                answer = await self._answered(session, request)
                self._say(session, link, number, answer)
        except Refusal as exc:
            self._refuse(session, link, number, exc)
        except Exception:
            _log.exception("a request of a program on %s failed", session.info.worker_id)
            sentence = translatable("nagomi had a fault of its own; {log} says more.")
            refusal = Refusal("internal", sentence, log=paths.log_file())
            self._refuse(session, link, number, refusal)
        finally:
            self._waiting.pop(place, None)

    async def _answered(self, session: SessionRuntime, text: str) -> messages.Message:
        """Return the answer to a request, which is anything that a program may say.

        Raises:
            Refusal: it is none that programs there may make.
        """
        try:
            ask = from_json(text.encode(), _Ask)
            request = messages.decode_from_client(bytes(ask.request))
        except (messages.BadMessage, msgspec.DecodeError, ValueError, RecursionError) as exc:
            sentence = translatable("This request does not fit: {reason}.")
            raise Refusal("bad_request", sentence, reason=exc) from exc
        hand = await self.hands.hand(session.info.worker_id)
        env = {name: ask.env[name] for name in _LANGUAGE if name in ask.env}
        asker = _Asker(Requester(words=of(language_from(env, self.language())), env=env))
        reached = tuple(one for one in self.sessions.all if hand.trusted or _beside(session, one))
        try:
            await self._carry_out(asker, _Rights(session, hand, reached), request)
        except Refusal as exc:
            asker.answer = messages.Failed(
                id=0, message=exc.in_language(asker.requester.words), code=exc.code
            )
        return asker.answer

    async def _carry_out(self, asker: _Asker, rights: _Rights, request: messages.Message) -> None:
        """Carry out a request within the rights of its hand.

        Raises:
            Refusal: it has none for that.
        """
        if not isinstance(request, messages.Request) or not verb_of(type(request)).hand:
            raise Refusal("refused", _NOT_ASKED, name=rights.hand.name)
        words, infos = asker.requester.words, [one.info for one in rights.reached]
        match request:
            case messages.Print(command="ls"):
                _done(asker, request, judge.listing(request, infos, words, home=""))
            case messages.Print(command="next"):
                _done(asker, request, judge.first_in_need(request, infos, words))
            case messages.Create():
                await self._create(asker, rights, request)
            case _:
                named: Any = request
                # Of sessions that are not reached nothing is told.
                one = rights.own if named.session == "." else meant(rights.reached, named.session)
                exact = msgspec.structs.replace(named, session=one.session_id)
                await self.dispatch.answer(asker, exact)

    async def _create(self, asker: _Asker, rights: _Rights, request: messages.Create) -> None:
        """Start a session beside the one that asks, or elsewhere if its hand is trusted."""
        hand = rights.hand
        where = request.worker_id or hand.name
        if where != hand.name and not hand.trusted:
            sentence = translatable("A program on {name} starts sessions on {name} only.")
            raise Refusal("refused", sentence, name=hand.name)
        there = [one for one in self.sessions.all if one.info.worker_id == where and one.running]
        if len(there) >= _MOST_MADE:
            sentence = translatable("{name} holds {most} sessions, and may not hold more.")
            raise Refusal("refused", sentence, name=where, most=_MOST_MADE)
        cwd = request.cwd
        if where == LOCAL:
            # Nothing of the environment there means anything here.
            asker.requester = msgspec.structs.replace(asker.requester, env=dict(os.environ))
            cwd = cwd if os.path.isabs(cwd) else _home()
        wanted = msgspec.structs.replace(request, worker_id=where, cwd=cwd, env={})
        await self.dispatch.answer(asker, wanted)

    def _say(
        self, session: SessionRuntime, link: WorkerLink, number: int, answer: messages.Message
    ) -> None:
        told = messages.encode(answer).decode().rstrip("\n")
        if len(told) > programs.ANSWER_BYTES:
            sentence = translatable("The answer is too long for the line; ask for less.")
            self._refuse(session, link, number, Refusal("refused", sentence))
            return
        link.send(programs.Answered(session_id=session.session_id, number=number, answer=told))

    def _refuse(
        self, session: SessionRuntime, link: WorkerLink, number: int, refusal: Refusal
    ) -> None:
        text = refusal.in_language(of(language_from({}, self.language())))
        self._say(session, link, number, messages.Failed(id=0, message=text, code=refusal.code))


def _home() -> str:
    return os.path.expanduser("~")


def _beside(session: SessionRuntime, other: SessionRuntime) -> bool:
    """Tell whether another session is on the same hand."""
    return bool(session.run.worker) and other.run.worker == session.run.worker


def _done(asker: _Asker, request: messages.Print, result: messages.Printed) -> None:
    asker.send(messages.Done(id=request.id, result=msgspec.to_builtins(result)))
