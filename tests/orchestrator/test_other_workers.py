"""Workers that say output otherwise than we would like: they are served, and lose nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system import paths
from nagomi_worker.wire import protocol
from tests.helpers.waiting import alive
from tests.helpers.worker import worker_env
from tests.helpers.workplace import create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

_OLDER = f"""
from nagomi_worker.wire import peer, protocol
protocol.CAPABILITIES = {tuple(name for name in protocol.CAPABILITIES if name != "raw")}
peer.Peer.raw = property(lambda self: False, lambda self, value: None)
"""
"""A worker from before `raw`."""
_GARBLED = """
from nagomi_worker.sessions import delivery
from nagomi_worker.wire import protocol
def nonsense(session, chunks):
    return protocol.Raw(session_id=session.session_id, offset=chunks[-1].end, sizes=(0,))
delivery._raw = nonsense
"""
"""A worker that does not tell how many bytes follow."""
_RUN = "\nfrom nagomi_worker.__main__ import main\nmain()"
_COUNT = "sh -c 'seq -f %.0f日 1 200000; exec cat'"


@contextmanager
def served_by(kind: str) -> Iterator[Place]:
    """Give a workplace whose only worker ran before it, of such a kind."""
    with (
        workplace(start=False) as place,
        worker_at(paths.make_socket_folder() / "w-other", kind),
    ):
        place.start()
        yield place


@contextmanager
def worker_at(path: Path, kind: str = "") -> Iterator[None]:
    """Have a worker of some kind serve at a path, until somebody ends it or all is over."""
    worker = subprocess.Popen(
        [sys.executable, "-c", kind + _RUN, "--socket", str(path)],
        env=worker_env(), start_new_session=True,
    )  # fmt: skip
    try:
        until(path.exists)
        yield
    finally:
        worker.terminate()
        worker.wait()


@pytest.mark.parametrize("kind", [_OLDER, _GARBLED])
def test_everything_that_another_worker_holds_is_shown(kind: str) -> None:
    with served_by(kind) as place:
        with place.connect() as before:
            counting = create(before, _COUNT)
            wait_for(before, counting, "^200000日")
            pid = session(before, counting)["pid"]
            assert_whole(text_of(before, counting, history=True))
        dead = place.orchestrator
        place.kill(dead)
        with place.connect() as after:
            assert_whole(text_of(after, counting, history=True))
            assert session(after, counting)["pid"] == pid
            assert session(after, counting)["state"] == "running"
        log = paths.log_file().read_text()
        assert ("connected anew, without `raw`" in log) is (kind is _GARBLED)
        assert place.workers == []
        assert alive(pid) and os.path.exists(paths.socket_folder() / "w-other")


def assert_whole(text: str) -> None:
    found = text.splitlines()
    assert len(found) > 19_000
    assert found == [f"{number}日" for number in range(200001 - len(found), 200001)]
