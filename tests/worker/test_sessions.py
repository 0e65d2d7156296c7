"""Many sessions in one worker: start, type, resize, end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from tests.helpers.worker import Link


@pytest.mark.requirement("N-19", "N-100", "N-107")
def test_a_command_prints_and_ends(link: Link) -> None:
    ended = link.run("a", "echo hello")
    assert link.text("a") == "hello\r\n"
    assert (ended.exit_code, ended.signal, ended.left) == (0, None, ())


def test_exit_code_and_signal_are_told(link: Link) -> None:
    assert link.run("a", "exit 7").exit_code == 7
    killed = link.run("b", "kill -9 $$")
    assert (killed.exit_code, killed.signal) == (137, 9)


@pytest.mark.requirement("NB-12")
def test_many_sessions_live_in_one_worker(link: Link) -> None:
    names = [f"s{number}" for number in range(12)]
    for name in names:
        link.start(name, "cat")
    for name in names:
        link.type(name, f"I am {name}\n")
    for name in names:
        link.wait_text(name, f"I am {name}\r\nI am {name}\r\n")
        others = [other for other in names if other != name]
        assert not any(f"I am {other}\r" in link.text(name) for other in others)
    link.send(protocol.ListSessions())
    assert [one.session_id for one in link.wait(protocol.Sessions).sessions] == names


@pytest.mark.requirement("N-21", "N-102")
def test_resize_reaches_the_child(link: Link) -> None:
    link.start("a", "trap 'stty size' WINCH; stty size; while read -r line; do stty size; done")
    link.wait_text("a", "24 80\r\n")
    link.send(protocol.Resize(session_id="a", cols=132, rows=43))
    link.wait_text("a", "43 132\r\n")
