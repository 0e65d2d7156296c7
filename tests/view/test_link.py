"""The link by itself: it connects, asks again, keeps what is typed, and never blocks a caller."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.messages import (
    Event,
    Failed,
    Focus,
    Frame,
    Goodbye,
    Hello,
    Nothing,
    Notice,
    Paste,
    Ping,
    Press,
    SessionChanged,
    SessionNamed,
    Stop,
    ToClient,
    View,
    Welcome,
)
from nagomi_tui.system import paths
from nagomi_tui.view.common import link
from nagomi_tui.view.common.link import LAUNCH_AFTER_SECONDS, Link
from nagomi_worker.runtime.files import FileLock
from tests.helpers.fake_orchestrator import session
from tests.helpers.front_socket import FrontSocket, frame_of
from tests.helpers.waiting import soon, until

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path


class Sink:
    """Takes frames as a pane does."""

    def __init__(self, view: int) -> None:
        self.view = view
        self.frames: list[Frame] = []
        self.told = 0

    def wanted(self) -> View | None:
        return View(view=self.view, session="s", cols=10, rows=2)

    def take(self, frame: Frame) -> bool:
        self.frames.append(frame)
        return True

    def tell(self) -> None:
        self.told += 1


class Side:
    """A link with its callbacks recorded."""

    def __init__(self, front: FrontSocket, launch: Callable[[], object] | None = None) -> None:
        self.front = front
        self.link = Link(
            Hello(version="0", front_end=True), address=front.address, launch=launch or _never
        )
        self.messages: list[ToClient] = []
        self.connected: list[bool] = []
        self.dropped: list[int] = []
        self.errors: list[Exception] = []
        self.link.on_message = self.messages.append
        self.link.on_connected = self.connected.append
        self.link.on_keys_dropped = self.dropped.append
        self.link.on_error = self.errors.append

    def tell(self, story: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def whole() -> None:
            self.link.start(asyncio.get_running_loop())
            try:
                await story()
            finally:
                self.link.stop()

        asyncio.run(whole())
        assert self.errors == []


def _never() -> None:
    return


@pytest.fixture
def front() -> Iterator[FrontSocket]:
    with FrontSocket() as front:
        yield front


def press(char: str) -> Press:
    return Press(session="s", key=char, text=char)


def test_a_request_gets_its_own_answer(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        answers: list[object] = []
        side.link.request(Ping(id=0), answers.append)
        side.link.request(Stop(id=0, session="s"), answers.append)
        await soon(lambda: len(answers) == 2)
        assert answers == [Nothing(), SessionNamed(session_id="s", number=1, name="one")]
        assert isinstance(side.messages[0], Welcome)

    side.tell(story)


def test_an_answer_that_does_not_fit_is_a_failure(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        answers: list[object] = []
        front.result = {"session_id": "s"}
        side.link.request(Stop(id=0, session="s"), answers.append)
        await soon(lambda: answers)
        assert isinstance(answers[0], Failed)
        assert answers[0].code == "misfit" and "`nagomi reload`" in answers[0].message

    side.tell(story)


def test_after_a_reconnect_everything_on_screen_is_asked_for_again(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        view = side.link.new_view()
        side.link.show(Sink(view), view)
        side.link.focus("s")
        await soon(lambda: front.focus == "s")
        front.close()
        await soon(lambda: side.connected == [True, False])
        mark = len(front.heard)
        for char in "abc":
            side.link.send(press(char))
        front.listen()
        await soon(lambda: len(front.of(Press)) == 3)
        heard = front.heard[mark:]
        assert [type(message) for message in heard] == [Hello, View, Focus, Press, Press, Press]
        assert [message.key for message in heard if isinstance(message, Press)] == ["a", "b", "c"]

    side.tell(story)


def test_who_is_cut_off_by_a_quit_leaves_and_starts_nothing_anew(
    front: FrontSocket, nagomi_home: Path
) -> None:
    """The word of it may not come through, to a terminal that has stood still for long."""
    lock = FileLock(paths.make_private(paths.state_folder()) / paths.ORCHESTRATOR_LOCK)
    lock.take()
    started: list[None] = []
    side = Side(front, lambda: started.append(None))

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        time.sleep(0.01)  # clocks of files may be coarse
        lock.stamp()
        front.close()
        await soon(lambda: side.messages[-1:] == [Goodbye(reason="quit")])
        await asyncio.sleep(2 * LAUNCH_AFTER_SECONDS)

    side.tell(story)
    lock.release()
    assert started == []


def test_keys_that_are_too_old_are_dropped_with_a_notice(
    front: FrontSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "KEEP_KEYS_SECONDS", 0.05)
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        front.close()
        await soon(lambda: side.connected == [True, False])
        side.link.send(press("a"))
        side.link.send(press("b"))
        await soon(lambda: len(side.link._kept) == 2)
        await asyncio.sleep(0.1)
        front.listen()
        await soon(lambda: side.dropped == [2])
        assert front.of(Press) == []

    side.tell(story)


def test_more_than_is_kept_is_dropped_whole(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        front.close()
        await soon(lambda: side.connected == [True, False])
        for _ in range(3):
            side.link.send(Paste(session="s", text="x" * (4 * 1024 * 1024)))
        await soon(lambda: side.dropped == [3])

    side.tell(story)


def test_a_request_without_a_connection_fails_at_once(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        front.close()
        await soon(lambda: side.connected == [True, False])
        answers: list[object] = []
        side.link.request(Ping(id=0), answers.append)
        await soon(lambda: answers)
        assert isinstance(answers[0], Failed)
        assert answers[0].code == "disconnected"

    side.tell(story)


def test_the_orchestrator_is_started_when_nobody_listens(front: FrontSocket) -> None:
    front.close()
    started: list[str] = []

    def launch() -> None:
        started.append(threading.current_thread().name)
        front.listen()

    side = Side(front, launch)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        assert started == ["nagomi-launch"]

    side.tell(story)


def test_a_failed_start_is_said_in_its_own_words(front: FrontSocket) -> None:
    front.close()

    def launch() -> None:
        raise OSError("nagomi cannot write to its folder")

    side = Side(front, launch)

    async def story() -> None:
        await soon(lambda: side.messages)
        notice = side.messages[0]
        assert isinstance(notice, Notice)
        assert notice.text == "nagomi cannot write to its folder"

    side.tell(story)


def test_after_goodbye_nobody_comes_back(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        front.send(Goodbye(reason="quit"))
        await soon(lambda: any(isinstance(m, Goodbye) for m in side.messages))
        front.close()
        await soon(lambda: side.connected == [True, False])
        front.listen()
        await asyncio.sleep(0.15)
        assert len(front.hellos) == 1

    side.tell(story)


def test_frames_are_taken_without_the_loop(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        view = side.link.new_view()
        sink = Sink(view)
        side.link.show(sink, view)
        await soon(lambda: front.views)
        for number in range(1, 4):
            front.send(frame_of(front.views[view], [], number=number))
        until(lambda: front.taken == {view: 3})  # Textual's loop is busy meanwhile
        assert [frame.frame for frame in sink.frames] == [1, 2, 3]
        assert sink.told == 3
        side.link.hide(view)
        await soon(lambda: not front.views)

    side.tell(story)


def test_a_line_that_is_no_message_is_skipped(front: FrontSocket) -> None:
    side = Side(front)

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        assert front._client is not None
        front._client.sendall(b'{"type":"tomorrow"}\nnot json\n')
        front.send(Notice(kind="info", text="still here"))
        await soon(lambda: len(side.messages) == 2)
        assert side.messages[1] == Notice(kind="info", text="still here")

    side.tell(story)


def test_of_what_comes_while_the_loop_is_busy_the_newest_is_kept(
    front: FrontSocket, monkeypatch: pytest.MonkeyPatch
) -> None:
    side, taken = Side(front), list[bytes]()
    decode = messages.decode_to_client
    monkeypatch.setattr(
        messages, "decode_to_client", lambda line: taken.append(line) or decode(line)
    )

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        for number in range(3000):
            name = f"name {number}"
            front.send(SessionChanged(session=session(1, name)))
            front.send(Event(session="s", kind="clipboard", text=name))
        front.send(Notice(kind="info", text="behind all of it"))
        # Another thread takes all of it in, while this one does not turn to its loop.
        until(lambda: taken[-1:] and b"behind all of it" in taken[-1])
        front.send(Notice(kind="info", text="the end"))
        await soon(lambda: len([m for m in side.messages if isinstance(m, Notice)]) == 2)
        changed = [m.session.name for m in side.messages if isinstance(m, SessionChanged)]
        copied = [m.text for m in side.messages if isinstance(m, Event)]
        assert (changed, copied) == (["name 2999"], ["name 2999"])

    side.tell(story)


def test_much_that_was_posted_does_not_keep_the_loop(front: FrontSocket) -> None:
    side, waits = Side(front), []

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        done: list[int] = []
        for number in range(50):
            side.link.post(lambda number=number: (time.sleep(0.01), done.append(number)))
        while len(done) < 50:
            began = time.monotonic()
            await asyncio.sleep(0)
            waits.append(time.monotonic() - began)
        assert done == list(range(50))
        assert len([wait for wait in waits if wait > 0.005]) > 5

    side.tell(story)


def test_a_failing_callback_does_not_lose_the_next_message(front: FrontSocket) -> None:
    side = Side(front)
    heard: list[ToClient] = []

    def fail_once(message: ToClient) -> None:
        heard.append(message)
        if len(heard) == 1:
            raise RuntimeError("on purpose")

    side.link.on_message = fail_once
    failures: list[Exception] = []
    side.link.on_error = failures.append

    async def story() -> None:
        await soon(lambda: side.connected == [True])
        front.send(Notice(kind="info", text="next"))
        await soon(lambda: len(heard) == 2)
        assert [str(failure) for failure in failures] == ["on purpose"]

    side.tell(story)
