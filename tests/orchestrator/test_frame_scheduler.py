"""Which view gets its frame when, by a clock that the test moves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from nagomi_tui.orchestrator.sessions.session import UNSEEN_SECONDS
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler

NEVER = float("inf")


class Session:
    """A session as the scheduler sees it."""

    def __init__(self, *, hot: bool = False) -> None:
        self.session_id = "a"
        self.run = SimpleNamespace(hot=hot, screen=object(), replay=None, packing=False)
        self.paces: list[float] = []
        self.pace = self.paces.append


class Front:
    """A front end that notes what it is shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, bool]] = []
        self.flushed = 0

    def show(self, frame: str, *, at_once: bool) -> None:
        self.shown.append((frame, at_once))

    def flush(self) -> None:
        self.flushed += 1


class View:
    """A view that is due at a moment, and makes frames called by its name."""

    def __init__(self, name: str, session: Session, client: Front, *, due: float = 0.0) -> None:
        self.name, self.session, self.client, self.at = name, session, client, due
        self.dirty = self.blocked = self.fails = self.restarted = False
        self.held_until = 0.0
        self.spec = SimpleNamespace(view=1, fps=0)

    def due(self) -> float:
        return self.at

    def held_back(self, _screen: object, now: float) -> bool:
        return now < self.held_until

    def hold_ends(self) -> float:
        return self.held_until

    def frame(self, _screen: object) -> str:
        if self.fails:
            raise ValueError("no frame")
        return self.name

    def frame_made(self, began: float, _ended: float) -> None:
        self.at = began + 1.0

    def start_over(self) -> None:
        self.restarted = True


class Desk:
    """A scheduler, a front end, and its views."""

    def __init__(self) -> None:
        self.front = Front()
        self.scheduler = FrameScheduler()

    def view(self, name: str, session: Session, *, due: float = 0.0) -> View:
        view = View(name, session, self.front, due=due)
        self.scheduler.open(cast("Any", view))
        return view

    def touch(self, *sessions: Session) -> None:
        for session in sessions:
            self.scheduler.touch(cast("Any", session))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.front.shown]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_one_view_a_step_and_what_was_typed_into_first(desk: Desk) -> None:
    calm, hot = Session(), Session(hot=True)
    desk.view("calm", calm, due=-5.0)
    desk.view("hot", hot)
    desk.touch(calm, hot)
    assert desk.scheduler.step(10.0) is None
    assert desk.front.shown == [("hot", True)]
    assert desk.scheduler.step(10.0) is None
    assert desk.front.shown == [("hot", True), ("calm", False)]
    assert desk.scheduler.step(10.0) == NEVER


def test_a_view_is_not_drawn_before_its_time(desk: Desk) -> None:
    session = Session()
    desk.view("late", session, due=10.5)
    desk.touch(session)
    assert desk.scheduler.step(10.0) == 0.5
    assert desk.scheduler.step(10.49) == pytest.approx(0.01)
    assert desk.names == []
    assert desk.scheduler.step(10.5) is None
    assert desk.names == ["late"]


def test_what_has_not_changed_is_never_drawn(desk: Desk) -> None:
    session, other = Session(), Session()
    desk.view("one", session)
    desk.view("other", other)
    desk.touch(session)
    assert desk.scheduler.step(1.0) is None
    assert desk.scheduler.step(1000.0) == NEVER
    assert desk.names == ["one"]


def test_a_front_end_that_takes_nothing_gets_nothing_until_it_does(desk: Desk) -> None:
    session = Session()
    view = desk.view("one", session)
    view.blocked = True
    desk.touch(session)
    assert desk.scheduler.step(1.0) == NEVER
    view.blocked = False
    assert desk.scheduler.step(1.0) is None
    assert desk.names == ["one"]


def test_frames_that_come_together_go_out_in_one_piece(desk: Desk) -> None:
    sessions = [Session(), Session()]
    for number, session in enumerate(sessions):
        desk.view(str(number), session)
    desk.touch(*sessions)
    desk.scheduler.step(1.0)
    desk.scheduler.step(1.001)
    assert (sorted(desk.names), desk.front.flushed) == (["0", "1"], 0)
    desk.scheduler.step(1.002)
    assert desk.front.flushed == 1


def test_frames_are_not_held_for_long_while_others_are_drawn(desk: Desk) -> None:
    session, other = Session(), Session()
    desk.view("one", session)
    desk.view("two", other)
    desk.touch(session)
    desk.scheduler.step(1.0)
    desk.touch(other)
    desk.scheduler.step(1.0065)
    assert (desk.names, desk.front.flushed) == (["one", "two"], 1)


def test_a_child_s_open_frame_is_waited_for_but_not_for_ever(desk: Desk) -> None:
    session = Session()
    view = desk.view("one", session)
    view.held_until = 1.15
    desk.touch(session)
    assert desk.scheduler.step(1.0) is None
    assert desk.scheduler.step(1.0) == pytest.approx(0.15)
    assert desk.names == []
    assert desk.scheduler.step(1.15) is None
    assert desk.names == ["one"]


def test_a_frame_is_made_in_the_very_moment_it_is_due(desk: Desk) -> None:
    session = Session(hot=True)
    view = desk.view("one", session, due=10.5)
    view.dirty = True
    with pytest.MonkeyPatch.context() as patch:
        clock = SimpleNamespace(monotonic=lambda: 10.5)
        patch.setattr("nagomi_tui.orchestrator.views.scheduler.time", clock)
        desk.scheduler.rush(cast("Any", session))
    assert desk.names == ["one"]


def test_what_was_typed_into_is_drawn_at_once_where_it_is_due(desk: Desk) -> None:
    session = Session(hot=True)
    desk.view("due", session)
    desk.view("late", session, due=NEVER)
    desk.scheduler.rush(cast("Any", session))
    assert desk.names == []
    desk.touch(session)
    desk.scheduler.rush(cast("Any", session))
    assert desk.front.shown == [("due", True)]


@pytest.mark.parametrize("what", ["screen", "replay", "packing"])
def test_a_terminal_that_cannot_be_read_is_left_alone(desk: Desk, what: str) -> None:
    session = Session()
    view = desk.view("one", session)
    setattr(session.run, what, None if what == "screen" else True)
    desk.touch(session)
    assert desk.scheduler.step(1.0) is None
    assert (desk.names, view.dirty) == ([], False)
    assert desk.scheduler.step(1.0) == NEVER


def test_a_view_that_fails_takes_no_other_with_it(desk: Desk) -> None:
    session, other = Session(hot=True), Session()
    desk.view("broken", session).fails = True
    desk.view("whole", other)
    desk.touch(session, other)
    desk.scheduler.step(1.0)
    desk.scheduler.step(1.0)
    assert desk.names == ["whole"]


def test_a_view_that_was_closed_is_not_drawn(desk: Desk) -> None:
    session = Session()
    view: Any = desk.view("one", session)
    desk.touch(session)
    desk.scheduler.close(view)
    assert desk.scheduler.step(1.0) == NEVER
    desk.touch(session)
    assert desk.scheduler.step(1.0) == NEVER
    assert not desk.scheduler.is_shown(cast("Any", session))
    assert session.paces == [UNSEEN_SECONDS]


def test_another_screen_is_sent_whole(desk: Desk) -> None:
    session = Session()
    view = desk.view("one", session)
    desk.scheduler.start_over(cast("Any", session))
    assert view.restarted
    assert desk.scheduler.step(1.0) is None
