"""A small orchestrator for tests of the front end: the real socket and messages, made-up screens."""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
from typing import TYPE_CHECKING

from nagomi_tui.api.messages import (
    Done,
    Focus,
    Frame,
    Hello,
    Message,
    Request,
    Taken,
    Unview,
    View,
    Welcome,
    decode_from_client,
    encode,
)
from nagomi_tui.text.rows import Cursor, Modes, Row, Style
from tests.helpers.homes import new_home

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def frame_of(
    view: View,
    rows: Sequence[tuple[int, Row]],
    *,
    number: int = 1,
    full: bool = False,
    cursor: Cursor | None = None,
    modes: Modes | None = None,
    line: int = 0,
    first_line: int = 0,
    last_line: int | None = None,
) -> Frame:
    """Return a frame that shows rows of a session at their places."""
    styles: dict[Style, int] = {}
    packed = tuple(
        (y, tuple((r.text, styles.setdefault(r.style, len(styles)), r.unit) for r in row.runs))
        for y, row in rows
    )
    return Frame(
        view=view.view,
        frame=number,
        session=view.session,
        rows=packed,
        styles=tuple(styles),
        full=full,
        cursor=cursor or Cursor(),
        modes=modes or Modes(),
        line=line,
        first_line=first_line,
        last_line=view.rows - 1 if last_line is None else last_line,
        left=0,
        top=0,
        cols=view.cols,
        screen_rows=view.rows,
    )


class FrontSocket:
    """Listens like the orchestrator, keeps what it hears, and sends what a test says."""

    def __init__(self) -> None:
        self.folder = new_home()
        # Both folders above a socket are to be its owner's alone.
        (self.folder / "run").mkdir(mode=0o700)
        self.address = self.folder / "run" / "front"
        self.heard: list[Message] = []
        self.views: dict[int, View] = {}
        self.taken: dict[int, int] = {}
        self.focus = ""
        self.hellos: list[Hello] = []
        self.on_heard: Callable[[Message], object] = lambda _message: None
        self.result: dict[str, object] = {"session_id": "s", "number": 1, "name": "one"}
        self._listener: socket.socket | None = None
        self._client: socket.socket | None = None
        self._lock = threading.Lock()
        self.listen()

    def __enter__(self) -> FrontSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def listen(self) -> None:
        """Listen (again)."""
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.address))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        """Go away as a killed orchestrator does."""
        listener, self._listener = self._listener, None
        client, self._client = self._client, None
        for one in (listener, client):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
        self.address.unlink(missing_ok=True)

    def send(self, message: Message) -> None:
        """Send a message to the front end."""
        client = self._client
        if client is not None:
            with self._lock, contextlib.suppress(OSError):
                client.sendall(encode(message))

    def of(self, kind: type[Message]) -> list[Message]:
        """Return the messages of one kind that were heard, in order."""
        return [message for message in list(self.heard) if isinstance(message, kind)]

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self._client = client
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client.makefile("rb") as lines:
            for line in lines:
                self._take(decode_from_client(line))

    def _take(self, message: Message) -> None:
        self.heard.append(message)
        match message:
            case Hello():
                self.hellos.append(message)
                self.send(Welcome(version="0", pid=1, sessions=(), settings={}))
            case View():
                self.views[message.view] = message
            case Unview():
                self.views.pop(message.view, None)
            case Taken():
                self.taken[message.view] = message.frame
            case Focus():
                self.focus = message.session
            case Request():
                self.send(Done(id=message.id, result=self.result))
        self.on_heard(message)
