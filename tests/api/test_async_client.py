"""The anyio client against a real workplace, and against a peer that misbehaves."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from anyio.abc import UNIXSocketStream

from nagomi_tui.api import messages
from nagomi_tui.api.async_client import MOST_KEPT, connect, talk
from nagomi_tui.api.client import Connection, Gone, NotServed, RequestFailed
from nagomi_tui.system import paths

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from nagomi_tui.api.async_client import AsyncConnection
    from tests.helpers.workplace import Place

_WELCOME = messages.Welcome(version="1", pid=1, sessions=(), settings={})
_LATER = b'{"type":"of_a_later_version","more":1}\n'


@pytest.fixture
def place(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The file's workplace."""
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    return module_place


def run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        with anyio.fail_after(60):
            await story()

    anyio.run(bounded)


def test_a_session_is_made_typed_into_waited_for_and_read(place: Place) -> None:
    async def story() -> None:
        async with connect() as connection:
            made = await connection.request(messages.Create(id=0, cmd="cat", cwd="/tmp"))
            order = messages.Wait(
                id=0, session=made.session_id, until="output", pattern="hello", timeout=30
            )
            waited: list[messages.Waited] = []

            async def wait() -> None:
                waited.append(await connection.request(order))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                sent = await connection.request(
                    messages.Send(id=0, session=made.session_id, text="hello")
                )
            assert sent.taken is True and waited[0].line == "hello"
            told = await connection.request(messages.Capture(id=0, session=made.session_id))
            assert told.text.split() == ["hello", "hello"]
            async for message in connection.pushed():
                if isinstance(message, messages.SessionChanged):
                    assert message.session.session_id == made.session_id
                    break

    run(story)


def test_a_refusal_comes_as_it_is(place: Place) -> None:
    async def story() -> None:
        async with connect() as connection:
            await connection.request(messages.Stop(id=0, session="nobody"))

    with pytest.raises(RequestFailed) as caught:
        run(story)
    assert caught.value.code == "not_found" and "nobody" in caught.value.message


def test_a_request_that_is_given_up_leaves_the_connection_as_it_was(place: Place) -> None:
    async def story() -> None:
        async with connect() as connection:
            made = await connection.request(messages.Create(id=0, cmd="cat", cwd="/tmp"))
            wait = messages.Wait(id=0, session=made.session_id)
            with pytest.raises(TimeoutError, match="did not answer in time"):
                await connection.request(wait, timeout=0.1)
            for _ in range(20):
                with anyio.move_on_after(0):
                    await connection.request(wait)
            assert await connection.request(messages.Ping(id=0), timeout=20) == messages.Nothing()
            with pytest.raises(TimeoutError):
                async for _ in connection.pushed():
                    with anyio.fail_after(0):
                        await anyio.sleep(1)

    run(story)


def test_whoever_waits_hears_that_the_orchestrator_has_gone_and_connects_again(
    place: Place,
) -> None:
    async def again() -> int:
        while True:
            try:
                async with connect(timeout=5) as connection:
                    return connection.welcome.pid
            except (NotServed, Gone, TimeoutError):
                await anyio.sleep(0.05)

    async def story() -> None:
        before = place.orchestrator
        async with connect() as connection:
            made = await connection.request(messages.Create(id=0, cmd="cat", cwd="/tmp"))

            async def waits() -> None:
                with pytest.raises(Gone):
                    await connection.request(messages.Wait(id=0, session=made.session_id))

            async def listens() -> None:
                with pytest.raises(Gone):
                    async for _ in connection.pushed():
                        pass

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(waits)
                tasks.start_soon(listens)
                tasks.start_soon(listens)
                await anyio.sleep(0.3)
                await anyio.to_thread.run_sync(place.kill, before)
            with pytest.raises(Gone):
                await connection.request(messages.Ping(id=0))
            with pytest.raises(Gone):
                await connection.send(messages.Seen(session=made.session_id))
        assert await again() != before

    run(story)


def test_goodbye_tells_why(place: Place) -> None:
    async def story() -> None:
        async with connect() as connection:
            await connection.request(messages.Reload(id=0))
            with pytest.raises(Gone) as caught:
                async for _ in connection.pushed():
                    pass
            assert caught.value.reason == "reload"

    run(story)


def test_nothing_is_said_where_others_could_listen(place: Place) -> None:
    folder = paths.socket_folder()
    os.chmod(folder, 0o755)
    try:
        with pytest.raises(paths.PlaceError):
            run(lambda: _connect_only())
    finally:
        os.chmod(folder, 0o700)


async def _connect_only() -> None:
    async with connect():
        pass


@asynccontextmanager
async def beside(*answers: bytes) -> AsyncIterator[AsyncConnection]:
    """Talk with a peer that answers each line with the next of these."""
    with peer(*answers) as ours:
        stream = await UNIXSocketStream.from_socket(ours)
        async with stream, talk(stream, messages.hello(), timeout=5) as connection:
            yield connection


@contextmanager
def peer(*answers: bytes) -> Iterator[socket.socket]:
    ours, theirs = socket.socketpair()

    def speak() -> None:
        with theirs, theirs.makefile("rb") as lines, contextlib.suppress(OSError):
            for answer, _ in zip(answers, lines, strict=False):
                theirs.sendall(answer)
            lines.read()

    speaker = threading.Thread(target=speak)
    speaker.start()
    with ours:
        yield ours
    speaker.join()


def test_what_nobody_takes_is_kept_the_newest_of_each_kind_and_not_for_ever() -> None:
    many = MOST_KEPT + 50
    told = [messages.encode(messages.SessionRemoved(session_id=f"s{n}")) for n in range(many)]
    same = [messages.encode(messages.Notice(kind="info", text="again"))] * 500

    async def story() -> None:
        said = b"".join([messages.encode(_WELCOME), *told, *same])
        async with beside(said) as connection:
            found = []
            with anyio.move_on_after(20):
                while connection.missed < 51:
                    await anyio.sleep(0.01)
                await anyio.sleep(0.2)
            async for message in connection.pushed(0.2):
                found.append(message)
            assert len(found) == MOST_KEPT and connection.missed == 51
            assert found[0] == messages.SessionRemoved(session_id="s51")
            assert found[-1] == messages.Notice(kind="info", text="again")

    run(story)


def test_what_only_a_later_version_understands_is_passed_over() -> None:
    answers = (
        _LATER + messages.encode(_WELCOME),
        _LATER + messages.encode(messages.Done(id=1)),
    )

    async def story() -> None:
        async with beside(*answers) as connection:
            assert await connection.request(messages.Ping(id=0), timeout=5) == messages.Nothing()

    run(story)
    with peer(*answers) as ours, Connection(ours, hello=messages.hello()) as connection:
        assert connection.request(messages.Ping(id=0), timeout=5) == messages.Nothing()


@pytest.mark.slow
def test_a_peer_that_welcomes_nobody_or_leaves_is_no_orchestrator() -> None:
    async def silent() -> None:
        async with beside(_LATER) as connection:
            raise AssertionError(connection)

    async def leaves() -> None:
        ours, theirs = socket.socketpair()
        theirs.close()
        async with (
            await UNIXSocketStream.from_socket(ours) as stream,
            talk(stream, messages.hello()),
        ):
            raise AssertionError

    with pytest.raises(TimeoutError, match="did not answer in time"):
        run(silent)
    with pytest.raises(Gone):
        run(leaves)
