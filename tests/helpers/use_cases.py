"""What the use cases of the orchestrator are tried with: sessions without workers or sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from nagomi_tui.orchestrator.runtime.crash_marker import CrashMarker
from nagomi_tui.orchestrator.runtime.requests import Lifetime, Requester
from nagomi_tui.orchestrator.sessions.screens import ScreenMaker
from nagomi_tui.orchestrator.sessions.session import SessionRuntime
from nagomi_tui.orchestrator.sessions.table import SessionTable
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.text.words import of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ASKER = Requester(identity=7, words=of("en"), env={"SHELL": "/bin/zsh", "LANG": "C"})
"""Somebody who asks: neither a front end nor a socket."""


class FakeLink:
    """A worker's connection that notes what it is sent; `on_send` may react to it."""

    name = "w-1"
    worker_id = "local"
    takes_input = True
    resumes = False
    capabilities: frozenset[str] = frozenset()

    def __init__(self, on_send: Callable[[Any], object] = lambda _message: None) -> None:
        self.sent: list[Any] = []
        self.sessions: set[str] = set()
        self._on_send = on_send

    def send(self, message: Any) -> None:
        self.sent.append(message)
        self._on_send(message)

    @property
    def typed(self) -> str:
        """All that was typed over it."""
        return "".join(getattr(message, "text", "") for message in self.sent)


class Log:
    """Stands for any part that is only told something: its calls, each with the session's name."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        def called(*values: Any, **_more: Any) -> None:
            info = getattr(values[0], "info", None) if values else None
            self.calls.append((name, info.name if info is not None else ""))

        return called

    @property
    def names(self) -> list[str]:
        """The names of the calls, in order."""
        return [name for name, _ in self.calls]


def table() -> tuple[SessionTable, Log]:
    """Return an empty list of sessions, and what is told of its changes."""
    told = Log()
    return SessionTable(cast("Any", told), cast("Any", told), Lifetime()), told


def session(
    name: str = "one", cmd: str = "make", state: State = State.RUNNING, **info: Any
) -> SessionRuntime:
    """Return a session that no worker holds yet."""
    made = Session(session_id=name, number=1, name=name, cmd=cmd, cwd="/", state=state, **info)
    return SessionRuntime(made)


def held(folder: Path, printed: bytes = b"", **info: Any) -> tuple[SessionRuntime, FakeLink]:
    """Return a session with a terminal that shows what was printed, and its worker's link."""
    made, link = session(**info), FakeLink()
    screens = ScreenMaker(CrashMarker(folder / "feeding"))
    screens.engine = "pyte"
    made.run.screen = screens.new(made.session_id, 40, 5)
    made.run.screen.feed(printed)
    made.run.link, made.run.worker = cast("Any", link), link.name
    made.run.rebuilt.set()
    made.run.offset = len(printed)
    return made, link
