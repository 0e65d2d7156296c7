"""Bytes that a peer does not take at once, and a peer that goes while much waits."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio.abc import UNIXSocketStream

from nagomi_tui.orchestrator.runtime.socket_io import Outgoing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MUCH = bytes(range(256)) * 4096 * 4


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[Outgoing, socket.socket]]:
    """The write side of a connection that runs, and the peer's end of it."""
    ours, theirs = socket.socketpair()
    with theirs:
        stream = await UNIXSocketStream.from_socket(ours)
        async with stream, anyio.create_task_group() as own:
            out = Outgoing(stream)
            own.start_soon(out.run)
            yield out, theirs
            own.cancel_scope.cancel()


async def test_what_the_peer_does_not_take_at_once_comes_in_order() -> None:
    async with connected() as (out, theirs):
        out.write(MUCH)
        out.write(b"the end")
        assert out.pending > len(MUCH) // 2
        theirs.setblocking(False)
        got = bytearray()
        with anyio.fail_after(20):
            while len(got) < len(MUCH) + 7:
                await anyio.wait_readable(theirs)
                got += theirs.recv(65536)
    assert got == MUCH + b"the end"
    assert out.pending == 0


async def test_a_peer_may_go_while_much_is_queued_for_it() -> None:
    async with connected() as (out, theirs):
        out.write(MUCH)
        assert out.pending
        await anyio.sleep(0.05)
        theirs.close()
        with anyio.fail_after(20):
            while not out.broken:
                await anyio.sleep(0.005)
            await out.drain(patience=5)
    assert out.pending == 0


async def test_nothing_is_kept_for_a_peer_that_has_gone() -> None:
    async with connected() as (out, theirs):
        theirs.close()
        out.write(b"x")
        out.write(MUCH)
        out.hold(MUCH)
        out.flush()
        assert out.broken
        assert out.pending == 0
