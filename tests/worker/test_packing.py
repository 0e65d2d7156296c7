"""What a quiet session printed is compressed in its worker's idle moments."""

from __future__ import annotations

import os
import sys

import pytest

from nagomi_worker.runtime.limits import Limits
from nagomi_worker.runtime.loop import Loop
from nagomi_worker.sessions.reader import Packing
from nagomi_worker.sessions.ring import Chunk
from nagomi_worker.sessions.session import Session

if sys.platform == "win32":
    pytest.skip("a POSIX terminal", allow_module_level=True)

from nagomi_worker.pty.posix import PosixPty, ProcessTree

_LINE = b"the same line again and again\r\n" * 130


def turn_until_packed(loop: Loop, session: Session) -> int:
    """Turn the loop until nothing is left to be packed; return how many turns it took."""
    turns = 0
    while session.packing is not None:
        loop.turn(block=True)
        turns += 1
    return turns


def test_a_quiet_session_is_packed_one_block_a_turn() -> None:
    main, other = os.openpty()
    session = Session("a", PosixPty(os.getpid(), main), ProcessTree("a", os.getpid()), 80, 24)
    loop = Loop()
    packing = Packing(loop, Limits(pack_seconds=0.05))
    for _ in range(300):
        session.ring.add(_LINE, loop.now())
        packing.printed(session)
    assert turn_until_packed(loop, session) >= 5
    assert loop.now() >= session.ring.printed_at + 0.05
    assert not session.ring.pack_next()
    kept = [session.ring.entry(number) for number in range(session.ring.end)]
    assert [one.data for one in kept if isinstance(one, Chunk)] == [_LINE] * 300
    session.ring.add(b"more", loop.now())
    packing.printed(session)
    packing.forget(session)
    loop.close()
    session.close()
    os.close(other)
