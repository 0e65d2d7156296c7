"""The notice centre by itself: real helper processes, and front ends that only keep what they get."""

from __future__ import annotations

import time
import uuid
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import anyio

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.core.judge.verdict import State, Verdict
from nagomi_tui.core.session.session import Session
from nagomi_tui.core.session.session import State as Life
from nagomi_tui.orchestrator.resident.workplace import Workplace
from nagomi_tui.orchestrator.server.client import Client
from nagomi_tui.orchestrator.sessions.live import Live
from nagomi_tui.settings.checks import changed
from nagomi_tui.settings.model import Settings
from nagomi_tui.words import LANGUAGES, of
from tests.helpers.waiting import soon

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from nagomi_tui.words import Words

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
    """A workplace of which only the notice centre runs."""

    def __init__(self, place: Workplace) -> None:
        self.place = place
        self.calling = place.calling

    def front(self, **env: str) -> Front:
        """Attach a front end."""
        client = Front(env)
        self.place.clients.add(client)
        self.calling.arrived(client)
        return client

    def leave(self, client: Front) -> None:
        """Let a front end go."""
        self.place.clients.discard(client)
        self.calling.left(client)

    def session(self, name: str) -> str:
        """Add a session, and return its id."""
        number = len(self.place.lives) + 1
        info = Session(
            session_id=str(uuid.uuid4()), number=number, name=name, cmd="sh", cwd="/tmp",
            state=Life.RUNNING,
        )  # fmt: skip
        self.place.add(Live(info))
        return info.session_id

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

        self.place.turn_over({language: worded(of(language)) for language in LANGUAGES})
        return time.monotonic()

    def set(self, **values: Any) -> None:
        """Change settings."""
        self.place.apply(changed(self.place.settings, values))

    async def ask(self, client: Front, **what: Any) -> dict[str, Any]:
        """Ask about sound."""
        return await self.calling.sound(client.requester, **what)


@asynccontextmanager
async def centre(**values: Any) -> AsyncIterator[Centre]:
    """Run the notice centre until the block ends."""
    place = Workplace()
    place.apply(changed(Settings(), values))
    place.store.open()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(place.calling.run)
        tasks.start_soon(place.alarms.run)
        await soon(lambda: place.calling.runs)
        yield Centre(place)
        tasks.cancel_scope.cancel()
    place.store.close()
