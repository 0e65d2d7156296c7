"""The notice centre by itself: real helper processes, and front ends that only keep what they get."""

from __future__ import annotations

import os
import time
import uuid
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import anyio

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.judge.verdict import State, Verdict
from nagomi_tui.orchestrator.calling.alerts import Alerts
from nagomi_tui.orchestrator.runtime.requests import CurrentSettings, Lifetime
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Audience, Client
from nagomi_tui.orchestrator.sessions.session import FinishedTurn, SessionRuntime
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.sessions.session import Session
from nagomi_tui.sessions.session import State as Life
from nagomi_tui.settings.checks import changed
from nagomi_tui.system import paths
from nagomi_tui.text.words import LANGUAGES, language_from, of
from tests.helpers.waiting import soon
from tests.helpers.workplace import plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.abc import TaskGroup

    from nagomi_tui.text.words import Words

SOUNDS: Final = Path(__file__).resolve().parents[2] / "config" / "sounds"


class _Nowhere:
    """A connection that is never written to."""

    def extra(self, _attribute: object) -> None:
        """Return no socket."""


class Front(Client):
    """A front end that keeps what it is sent, with times on the monotonic clock."""

    def __init__(self, env: dict[str, str]) -> None:
        super().__init__(_Nowhere(), on_drained=lambda _client: None)  # type: ignore[arg-type]
        self.got: list[tuple[float, messages.Message]] = []
        self.active_at = time.monotonic()
        self.greet(messages.Hello(version=__version__, front_end=True, env=env), language="en")

    def send(self, message: messages.Message) -> None:
        """Keep a message."""
        self.got.append((time.monotonic(), message))

    def told(self, kind: type[Any]) -> list[Any]:
        """Return what came of one kind."""
        return [message for _, message in self.got if isinstance(message, kind)]

    @property
    def bells(self) -> int:
        """How often it was asked to ring."""
        return sum(event.kind == "bell" for event in self.told(messages.Event))

    @property
    def sentences(self) -> list[str]:
        """What the orchestrator said of itself."""
        return [notice.text for notice in self.told(messages.Notice)]


class Centre:
    """The notice centre, and no more of the orchestrator than it needs."""

    def __init__(self, tasks: TaskGroup) -> None:
        state = paths.make_private(paths.state_folder())
        self.settings = CurrentSettings()
        self.alarms = Alarms()
        self._clients: set[Client] = set()
        self.store = Store(
            state / "sessions.db", on_fault=lambda fault: self._audience.tell_fault(fault)
        )
        self._audience = Audience(cast("Any", self._clients), self.store, self.alarms)
        self._sessions = SessionTable(self.store, self._audience, Lifetime())
        self.alerts = Alerts(
            tasks, self.settings, self._audience, self._sessions.get,
            alarms=self.alarms, store=self.store,
        )  # fmt: skip

    def front(self, **env: str) -> Front:
        """Attach a front end."""
        client = Front(env)
        self._clients.add(client)
        self.alerts.arrived(client)
        return client

    def leave(self, client: Front) -> None:
        """Let a front end go."""
        self._clients.discard(client)
        self.alerts.left(client)

    def session(self, name: str, **facts: Any) -> str:
        """Add a session, and return its id."""
        number = len(self._sessions.all) + 1
        info = Session(
            session_id=str(uuid.uuid4()), number=number, name=name, cmd="sh", cwd="/tmp",
            state=Life.RUNNING, **facts,
        )  # fmt: skip
        self._sessions.add(SessionRuntime(info))
        return info.session_id

    def answer(self, session: str) -> None:
        """Have a session wait for nobody any more."""
        found = self._sessions.get(session)
        assert found is not None
        found.change(waits=False)

    def turn(
        self,
        session: str,
        state: str = "failure",
        summary: str = "It broke.",
        *,
        ja: str = "",
        **more: Any,
    ) -> float:
        """Let a turn be over, told in Japanese as `ja`; return when it was."""

        def worded(words: Words) -> messages.TurnCompleted:
            verdict = Verdict(State(state), 0.9, ja if ja and words.language == "ja" else summary)
            return messages.TurnCompleted(
                session=session, turn=1, at=time.time(), verdict=verdict, **more
            )

        told = {language: worded(of(language)) for language in LANGUAGES}
        done = told[language_from(os.environ, self.settings().language)]
        session = self._sessions.get(session)
        assert session is not None
        session.change(waits=True)
        finished = FinishedTurn(session, told, done, None)
        self._audience.turn_over(finished)
        self.alerts.turn_over(finished)
        return time.monotonic()

    def set(self, **values: Any) -> None:
        """Change settings."""
        self.settings.apply(changed(self.settings(), values))
        self._audience.speak(self.settings().language)

    async def ask(self, client: Front, **what: Any) -> dict[str, Any]:
        """Ask about sound."""
        return plain(await self.alerts.sound(client.requester, **what))


@asynccontextmanager
async def centre(**values: Any) -> AsyncIterator[Centre]:
    """Run the notice centre until the block ends."""
    async with anyio.create_task_group() as tasks:
        here = Centre(tasks)
        here.set(**values)
        here.store.open()
        tasks.start_soon(here.alerts.run)
        tasks.start_soon(here.alarms.run)
        await soon(lambda: here.alerts.runs)
        yield here
        tasks.cancel_scope.cancel()
    here.store.close()
