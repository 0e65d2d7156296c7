"""37 messages that do not fit, to both sockets: answered or dropped, and everything goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.system import paths
from nagomi_worker.wire.framing import LINE_LIMIT
from tests.hammer.sockets import all_echo, echoing, restarted, speak, workers
from tests.hammer.vitals import attended, well

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from tests.helpers.workplace import Place

    Seen = Callable[[str], None]

NOBODY: Final = "00000000-0000-4000-8000-000000000000"


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


HELLO: Final = line(type="hello", version="0")
WORKER_HELLO: Final = line(type="hello", version=1, capabilities=["ack", "raw"], pid=1)

SHAPES: Final = {
    "garbage": bytes(range(256)) * 64 + b"\n",
    "half a line": b'{"type":"hello","vers',
    "NUL bytes": b"\0" * 100_000 + b"\n",
    "invalid UTF-8": b'{"type":"\xff\xfe\x80"}\n',
    "deep nesting": b"[" * 200_000 + b"\n",
    "deep nesting in what nobody knows": b'{"type":"ping","id":1,"more":' + b"[" * 200_000 + b"}\n",
    "an array": b"[1,2,3]\n",
    "a number": b"17\n",
    "no type": line(session="1"),
    "an unknown type": line(type="fly", session="1"),
    "a type that is a list": line(type=["hello"]),
    "empty lines": b"\n" * 100_000,
    "lone surrogates": b'{"type":"hello","version":"\\ud800\\udfff\\ud800"}\n',
}
"""Said to both sockets."""

FRONT: Final = {
    "too long a line": HELLO + b"x" * (m.LINE_LIMIT + 10) + b"\n",
    "too long without an end": b"x" * (3 * m.LINE_LIMIT),
    "hello twice": HELLO * 2,
    "no hello": line(type="list", id=1),
    "hello with a list": line(type="hello", version=[1], env=["A=1"]),
    "an id that is no number": HELLO + line(type="list", id="one"),
    "an endless number": HELLO + b'{"type":"list","id":' + b"9" * 5000 + b"}\n",
    "a session that is nobody": HELLO + line(type="send", id=1, session=NOBODY, text="x"),
    "a view of a million cells": HELLO
    + line(type="view", view=1, session=NOBODY, cols=10**6, rows=10**6),
    "a size below nothing": HELLO + line(type="create", id=1, cmd="cat", cwd="/", cols=-5, rows=0),
    "a NUL in a command": HELLO + line(type="create", id=1, cmd="ca\0t", cwd="/\0"),
    "ten thousand pings": HELLO + line(type="ping", id=1) * 10_000,
    "deep settings": HELLO + b'{"type":"settings","id":1,"values":' + b'{"a":' * 5000 + b"\n",
}
WORKER: Final = {
    "too long a line": WORKER_HELLO + b"x" * (LINE_LIMIT + 10) + b"\n",
    "hello twice": WORKER_HELLO * 2,
    "hello without an end": WORKER_HELLO[:-1],
    "a session that is nobody": WORKER_HELLO
    + b"".join(
        line(type=kind, session_id=NOBODY, text="x", cols=1, rows=1, signal="KILL", offset=9)
        for kind in ("attach", "send_input", "resize", "stop_session", "ack", "forget", "signal")
    ),
    "a start of nothing": WORKER_HELLO
    + line(type="start_session", session_id=NOBODY, cmd="", cwd=None, env={}, cols=0, rows=-1),
    "a checkpoint of nobody": WORKER_HELLO
    + line(
        type="checkpoint",
        session_id=NOBODY,
        offset=-1,
        cols=1,
        rows=1,
        engine_version="",
        data="no base64 §",
    ),
    "raw the wrong way": WORKER_HELLO + line(type="raw", session_id=NOBODY, offset=1, sizes=[9]),
}


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Place, list[str]]]:
    """One workplace for all of these: what the one leaves behind, the next one meets."""
    with attended(print) as place:
        with place.connect() as connection:
            names = echoing(connection, 3)
        yield place, names


def told(said: bytes) -> str:
    kinds = [json.loads(one).get("type") for one in said.splitlines()[:3]]
    return f"answered {', '.join(kinds)}" if kinds else "no answer"


def test_there_are_37() -> None:
    assert 2 * len(SHAPES) + len(FRONT) + len(WORKER) >= 37


@pytest.mark.parametrize("kind", [*SHAPES, *FRONT])
def test_front(shared: tuple[Place, list[str]], kind: str, dice: random.Random, seen: Seen) -> None:
    place, names = shared[0], restarted(*shared)
    said = speak(paths.front_end_socket(), (SHAPES | FRONT)[kind])
    seen(told(said))
    all_echo(place, names, f"word-{dice.randrange(10**9)}")
    seen(well(place))


@pytest.mark.parametrize("kind", [*SHAPES, *WORKER])
def test_worker(
    shared: tuple[Place, list[str]], kind: str, dice: random.Random, seen: Seen
) -> None:
    place, names = shared[0], restarted(*shared)
    for socket in workers():
        speak(socket, (SHAPES | WORKER)[kind])
    all_echo(place, names, f"word-{dice.randrange(10**9)}")
    seen(well(place))
