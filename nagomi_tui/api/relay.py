"""Hands on what programs of a strict session ask of the orchestrator: what reads, and ways to stop.

Programs in a strict session do not see the front-end socket. Through it they could start programs
outside of the session, and type into other ones. The table of verbs says what is handed on.
"""

from __future__ import annotations

import os
import socket
import threading
from typing import Final

import msgspec

from nagomi_tui.api import messages
from nagomi_tui.api.client import open_socket
from nagomi_tui.api.verbs import verb_of
from nagomi_tui.text.words import language_from, of, translatable
from nagomi_worker.wire.framing import LineSplitter, LineTooLong

_LANGUAGE: Final = ("LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES")
_READ_BYTES: Final = 1 << 16
_REFUSED: Final = translatable(
    "a strict session only reads what others do. `nagomi mcp` has a tool that sends, after the user "
    "was asked."
)


def hand_on(session: str) -> None:
    """Hand messages from stdin on, and answers to stdout, until one side ends.

    Args:
        session: id of the session whose programs ask; hooks may speak in its name only.
    """
    peer = open_socket()
    threading.Thread(target=_answers, args=(peer,), daemon=True).start()
    splitter = LineSplitter(messages.LINE_LIMIT)
    while data := os.read(0, _READ_BYTES):
        for line in splitter.feed(data):
            if isinstance(line, LineTooLong):
                continue
            passing, answer = judged(line, session)
            if passing is not None:
                peer.sendall(messages.encode(passing))
            if answer is not None:
                _write(messages.encode(answer))


def judged(line: bytes, session: str) -> tuple[messages.FromClient | None, messages.Failed | None]:
    """Return what of a line is handed on, and how it is refused; nothing of what has no answer."""
    try:
        message = messages.decode_from_client(line)
    except messages.BadMessage:
        return None, None
    if isinstance(message, messages.Hello):
        kept = {name: message.env[name] for name in _LANGUAGE if name in message.env}
        return msgspec.structs.replace(message, front_end=False, env=kept), None
    if isinstance(message, messages.Hook):
        return (message if session and message.session == session else None), None
    if isinstance(message, messages.Request):
        if verb_of(type(message)).strict:
            return message, None
        sentence = of(language_from(os.environ, "auto")).say(_REFUSED)
        return None, messages.Failed(id=message.id, message=sentence)
    return None, None


def _answers(peer: socket.socket) -> None:
    try:
        while data := peer.recv(_READ_BYTES):
            _write(data)
    finally:
        os._exit(0)


_lock: Final = threading.Lock()


def _write(data: bytes) -> None:
    with _lock:
        left = memoryview(data)
        while left:
            left = left[os.write(1, left) :]
