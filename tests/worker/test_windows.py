"""The Windows terminal behind the same interface, over a stand-in with the real signatures."""

from __future__ import annotations

import inspect
import json
import select
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_worker.pty.command import Launch, StartError
from tests.helpers import fake_winpty
from tests.helpers.waiting import until
from tests.helpers.worker import plain_env
from tests.worker.record_winpty import signatures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_worker.pty.interface import Ended, Pty
    from nagomi_worker.pty.windows import WindowsHost

_HERE = Path(__file__).parent
_STUB = _HERE.parent.parent / "typings" / "winpty" / "__init__.pyi"
_REAL = json.loads((_HERE / "winpty_signatures.json").read_text())["PTY"]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[WindowsHost]:
    """The Windows host, with the stand-in where pywinpty would be."""
    monkeypatch.setitem(sys.modules, "winpty", fake_winpty)
    monkeypatch.delitem(sys.modules, "nagomi_worker.pty.windows", raising=False)
    from nagomi_worker.pty.windows import WindowsHost

    made = WindowsHost(fake_winpty.Job)
    yield made
    made.end_all()
    made.close()
    sys.modules.pop("nagomi_worker.pty.windows")


def _launch(*argv: str) -> Launch:
    return Launch(argv, "/", {**plain_env(), "MARK": "here"}, 90, 20)


def _read(pty: Pty) -> bytes:
    select.select([pty.fileno()], [], [], 5)
    try:
        return pty.read(4096)
    except BlockingIOError:
        return b""


def _read_until(pty: Pty, words: bytes) -> bytes:
    seen = b""
    while words not in seen:
        piece = _read(pty)
        assert piece, f"{words!r} did not come, but {seen!r}"
        seen += piece
    return seen


def _end(host: WindowsHost) -> Ended:
    ended: list[Ended] = []
    until(lambda: ended.extend(host.wake().ended) or ended, "the end")
    return ended[0]


def test_the_stub_and_the_stand_in_have_the_real_signatures() -> None:
    assert signatures(_STUB.read_text()) == _REAL
    for name, arguments in _REAL.items():
        member = inspect.getattr_static(fake_winpty.PTY, name)
        function = member.fget if isinstance(member, property) else member
        assert list(inspect.signature(function).parameters) == arguments, name


def test_it_prints_and_ends(host: WindowsHost) -> None:
    pty = host.spawn(_launch("/bin/sh", "-c 'echo 日本語 $MARK; stty size; exit 3'"))
    assert "日本語 here\r\n20 90\r\n".encode() in _read_until(pty, b"90\r\n")
    ended = _end(host)
    assert (ended.pid, ended.code) == (pty.pid, 3)
    assert _read(pty) == b""
    pty.close()


def test_typing_and_resizing_reach_it(host: WindowsHost) -> None:
    pty = host.spawn(
        _launch("/bin/sh", "-c 'stty -echo; echo ready; read x; echo $x; stty size; read y'")
    )
    _read_until(pty, b"ready")
    pty.resize(100, 30)
    for half in ("日".encode()[:2], "日".encode()[2:] + b"\n"):
        pty.write(memoryview(half))
    assert "日\r\n30 100\r\n".encode() in _read_until(pty, b"100\r\n")
    pty.close()


def test_the_whole_tree_is_ended(host: WindowsHost) -> None:
    pty = host.spawn(_launch("/bin/sh", "-c 'echo up; sleep 1000'"))
    _read_until(pty, b"up")
    tree = host.tree("a", pty)
    assert [one.pid for one in tree.look()] == [pty.pid]
    tree.send("HUP")
    _end(host)
    until(lambda: not tree.any_left(), "the end of the tree")
    pty.close()


def test_signals_that_windows_lacks_are_refused(host: WindowsHost) -> None:
    pty = host.spawn(_launch("/bin/sh", "-c 'echo up; exec sleep 1000'"))
    _read_until(pty, b"up")
    with pytest.raises(ValueError, match="USR1"):
        pty.signal("USR1")
    pty.signal("INT")
    assert _end(host).pid == pty.pid
    pty.close()


def test_a_missing_program_is_a_sentence(host: WindowsHost) -> None:
    with pytest.raises(StartError, match="could not be started"):
        host.spawn(_launch("/no/such/program"))
