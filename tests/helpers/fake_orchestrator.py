"""A small orchestrator for the front end's tests: a real socket, a list of sessions, still screens.

It keeps what it was told, carries out what changes the list, and refuses what it was told to.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins
from msgspec.structs import replace
from wcwidth import wcwidth

from nagomi_tui import __version__
from nagomi_tui.api import messages as m
from nagomi_tui.sessions.session import Condition, Session, State
from nagomi_tui.text.rows import DEFAULT, Cursor, Modes, Style
from tests.helpers.homes import new_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.sessions.reminding import Reminder

_WAIT_SECONDS = 30.0
_VERDICT = {"state": "unknown", "confidence": 0.5, "summary": ""}
_SOUND = {
    "way": "pw-play", "why": "", "far": False, "muted_until": None, "quiet": False, "pid": 0,
    "notices": "terminal",
}  # fmt: skip
_GUARD = {
    "project": "/srv/work", "mode": "discussion", "protocol": "", "bypassed": False, "proposal": [],
    "offered": [], "todos": [], "stashed": 0, "notices": [], "others": [],
}  # fmt: skip


def session(number: int, name: str, **values: Any) -> Session:
    """Return a running session with plain values."""
    made = {
        "session_id": str(uuid.UUID(int=number)),
        "number": number,
        "name": name,
        "cmd": "bash",
        "cwd": "/srv/work",
        "state": State.RUNNING,
        "phase": Condition.IDLE,
        "created_at": time.time() - 60,
        "started_at": time.time() - 60,
    }
    return Session(**(made | values))


class FakeOrchestrator:
    """Serves front ends on a socket of its own until the block ends."""

    def __init__(self, *sessions: Session, version: str = __version__, **settings: Any) -> None:
        self.sessions = {entry.session_id: entry for entry in sessions}
        self.settings: dict[str, Any] = {"language": "en", **settings}
        self.version = version
        self.digest: tuple[tuple[str, str], ...] = ()
        self.recent: tuple[str, ...] = ("claude", "make test", "htop")
        self.refusals: dict[type, str] = {}
        self.codes: dict[type, str] = {}
        """Codes of refusals, where they are not `refused`."""
        self.secrets: set[str] = set()
        """Texts that are answered, when they are sent, as a secret is."""
        self.asked: dict[str, dict[str, Any]] = {}
        """What `asks` is answered, by session."""
        self.guard: dict[str, Any] = {}
        """What a guard tells beside `_GUARD`."""
        self.unapproved: dict[str, Any] = {}
        """What has changed in it that no approval covers."""
        self.reminders: dict[int, Reminder] = {}
        """Those that are open, by their numbers."""
        self.diff: list[str] = []
        """What has changed in a guarded project."""
        self.screens: dict[str, list[list[tuple[str, Style]]]] = {}
        self.last_line: dict[str, int] = {}
        """Lines above the screen, by session; the tail is behind them."""
        self.first_line: dict[str, int] = {}
        """The first line that the history still has, by session."""
        self.heard: list[m.FromClient] = []
        self._folder = new_home()
        # Both folders above a socket are to be its owner's alone.
        (self._folder / "run").mkdir(mode=0o700)
        self.address = self._folder / "run" / "front"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._clients: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._lock = threading.RLock()
        self._frames = 0

    def __enter__(self) -> FakeOrchestrator:
        self._listener.bind(str(self.address))
        self._listener.listen()
        self._start(self._accept)
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(5)
        shutil.rmtree(self._folder)

    # --- what tests do with it

    def push(self, message: m.Message) -> None:
        """Tell all front ends."""
        with self._lock:
            for client in list(self._clients):
                client.sendall(m.encode(message))

    def change(self, session_id: str, **values: Any) -> None:
        """Change a session and tell of it."""
        with self._lock:
            changed = replace(self.sessions[session_id], **values)
            self.sessions[session_id] = changed
        self.push(m.SessionChanged(session=changed))

    def hang_up(self) -> None:
        """Close all connections, as when the orchestrator dies."""
        with self._lock:
            clients, self._clients = self._clients, []
        for client in clients:
            with contextlib.suppress(OSError):  # it may have left by itself
                client.shutdown(socket.SHUT_RDWR)

    def told(self, kind: type[Any]) -> list[Any]:
        """Return what was heard of one kind."""
        return [message for message in self.heard if isinstance(message, kind)]

    def wait(self, fits: Callable[[], object]) -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + _WAIT_SECONDS
        while not fits():
            assert time.monotonic() < deadline, f"not seen; heard {self.heard[-10:]}"
            time.sleep(0.01)

    # --- serving

    def _start(self, work: Callable[..., None], *values: object) -> None:
        thread = threading.Thread(target=work, args=values, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with client, client.makefile("rb") as lines:
            try:
                for line in lines:
                    self._take(client, m.decode_from_client(line))
            except OSError:
                return

    def _take(self, client: socket.socket, message: m.FromClient) -> None:
        with self._lock:
            self.heard.append(message)
            if isinstance(message, m.Hello):
                client.sendall(m.encode(self._welcome()))
                self._clients.append(client)
            elif isinstance(message, m.View):
                client.sendall(m.encode(self._frame(message)))
            elif isinstance(message, m.Request):
                client.sendall(m.encode(self._answer(message)))

    def _welcome(self) -> m.Welcome:
        return m.Welcome(
            version=self.version,
            pid=1,
            sessions=tuple(self.sessions.values()),
            settings=self.settings,
            recent=self.recent,
            digest=self.digest,
        )

    def _frame(self, view: m.View) -> m.Frame:
        styles: list[Style] = []
        rows = []
        screen = self.screens.get(view.session, [[(f"screen of {view.session[-2:]}", Style())]])
        last = self.last_line.get(view.session, 0)
        line = last if view.line is None else view.line
        for y, runs in enumerate(screen[: view.rows]):
            styles += [style for _, style in runs]
            first = len(styles) - len(runs)
            rows.append(
                (y, tuple((text, first + at, _unit(text)) for at, (text, _) in enumerate(runs)))
            )
        self._frames += 1
        return m.Frame(
            view=view.view, frame=self._frames, session=view.session, rows=tuple(rows),
            styles=tuple(styles), full=True, cursor=Cursor(0, 0), modes=Modes(), line=line,
            first_line=self.first_line.get(view.session, 0), last_line=last + view.rows - 1, left=0, top=0,
            cols=view.cols, screen_rows=view.rows,
        )  # fmt: skip

    def _answer(self, request: m.Request[Any]) -> m.Done | m.Failed:
        if (refusal := self.refusals.get(type(request))) is not None:
            code = self.codes.get(type(request), "refused")
            return m.Failed(id=request.id, message=refusal, code=code)
        told = {"session_id": getattr(request, "session", ""), "number": 1, "name": "one"}
        match request:
            case m.Create():
                made = session(
                    len(self.sessions) + 1, request.name or "new", cmd=request.cmd, cwd=request.cwd
                )
                self.sessions[made.session_id] = made
                self.push(m.SessionChanged(session=made))
                told |= {"session_id": made.session_id, "number": made.number, "name": made.name}
            case m.Rename():
                self.change(request.session, name=request.name)
            case m.Stop():
                self.change(request.session, state=State.EXITED, signal=15, exit_code=None)
            case m.Remove():
                del self.sessions[request.session]
                self.push(m.SessionRemoved(session_id=request.session))
            case m.Send():
                told |= {"taken": True, "hidden": request.text in self.secrets}
            case m.Asks():
                told |= {"phase": "idle", "since": 0.0, "age_s": 0.0, "meaning": [], "turn": 0}
                told |= {"session": request.session, "evidence_detail": []}
                told |= self.asked.get(request.session, {})
            case m.Answer():
                told |= {"choice": {"key": request.choice}, "by_line": False, "taken": True}
            case m.Act():
                told |= {"risk": "low", "new": False}
            case m.AskJudge():
                told |= {"verdict": _VERDICT, "source": "llm", "reason": ""}
            case m.Sound():
                until = time.time() + request.seconds if request.seconds else None
                told = _SOUND | {"muted_until": until}
            case m.Restart():
                told |= {"resumed": False}
            case m.Capture():
                screen = self.screens.get(request.session, [])
                told |= {"text": "\n".join("".join(text for text, _ in row) for row in screen)}
            case m.Search():
                told |= {"matches": []}
            case m.Lines():
                screen = self.screens.get(request.session, [])
                lines = [(False, [(text, _unit(text)) for text, _style in row]) for row in screen]
                told |= {
                    "start": 0,
                    "rows": lines,
                    "first_line": 0,
                    "screen_line": 0,
                    "last_line": 0,
                }
            case m.GuardShow():
                told |= _GUARD | self.guard
            case m.GuardApprove():
                told |= {"todos": list(request.todos), "told": True}
            case m.GuardDiff():
                told |= {"lines": self.diff, "left_out": 0, "fault": ""}
            case m.GuardNoticed():
                told |= {"change": "", "paths": [], "lines": [], "left_out": 0} | self.unapproved
            case m.GuardUndo():
                told |= {"paths": self.unapproved["paths"], "left": []}
                self.unapproved = {}
            case m.GuardStop():
                guarded = (one for one in self.sessions.values() if one.guard)
                told = {"sessions": [one.name for one in guarded], "faults": []}
            case m.ListReminders():
                listed = [_standing(one) for one in self.reminders.values()]
                told = {"open": listed, "told": []}
            case m.CancelReminder():
                told = _standing(self.reminders.pop(request.number))
            case m.Settings():
                self.settings |= request.values
                self.push(m.SettingsChanged(settings=self.settings))
                told = self.settings
        return m.Done(id=request.id, result=told)


def _standing(one: Reminder) -> dict[str, Any]:
    return {"reminder": to_builtins(one), "said": f"{one.number}: {one.words}"}


def _unit(text: str) -> int:
    return max(1, wcwidth(text[0])) if text else 1


def row(text: str, color: int = DEFAULT) -> list[tuple[str, Style]]:
    """Return a screen's row in one colour; wide and narrow characters apart."""
    runs: list[tuple[str, Style]] = []
    for char in text:
        if runs and _unit(runs[-1][0]) == _unit(char):
            runs[-1] = (runs[-1][0] + char, runs[-1][1])
        else:
            runs.append((char, Style(fg=color)))
    return runs
