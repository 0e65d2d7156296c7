"""What front ends show and focus: who is told, and what size a session takes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import anyio
import pytest

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.timers import Alarms
from nagomi_tui.orchestrator.sessions.audience import Audience
from nagomi_tui.orchestrator.sessions.session import UNSEEN_SECONDS, SessionRuntime
from nagomi_tui.orchestrator.views.scheduler import FrameScheduler
from nagomi_tui.orchestrator.views.showing import STILL_SECONDS, Showing
from nagomi_tui.sessions.session import Session, State
from nagomi_tui.text.words import Said, of
from nagomi_worker.wire import protocol

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.runtime.requests import Refusal


class Front:
    """A front end, as far as views know it."""

    is_front_end = True

    def __init__(self) -> None:
        self.views: dict[int, Any] = {}
        self.focus: SessionRuntime | None = None
        self.looking, self.looking_told = "", False
        self.active_at = 0.0
        self.congested = False
        self.told: list[Refusal] = []

    def tell(self, _kind: str, refusal: Refusal) -> None:
        self.told.append(refusal)


class Scheduler(FrameScheduler):
    """Notes which views are to be drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[Any] = []

    def want(self, view: Any) -> None:
        self.wanted.append(view)

    def close(self, view: Any) -> None:
        super().close(view)
        self.wanted = [other for other in self.wanted if other is not view]

    def free(self, view: Any) -> None:
        self.want(view)

    def touch(self, session: Any) -> None:
        """Draw the views of a session again; these tests look at what becomes of the views."""


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


class Desk:
    """Showing, with what it does to others in `log`."""

    def __init__(self) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.scheduler = Scheduler()
        self.clock = Clock()
        self.alarms = Alarms(self.clock)
        self.clients: set[Any] = set()
        self.showing = Showing(
            cast("Any", self),
            self.scheduler,
            alarms=self.alarms,
            sender=cast("Any", self._Sender(self.log)),
            judges=cast("Any", SimpleNamespace(phases=self, traces=self)),
            transcripts=cast("Any", self),
        )

    class _Sender:
        def __init__(self, log: list[tuple[Any, ...]]) -> None:
            self._log = log

        def focus(self, session: SessionRuntime, gained: bool) -> None:
            self._log.append(("focus", session.info.name, gained))

    def publish(self, session: SessionRuntime) -> None:
        """Hear of a session that has another size."""
        self.log.append(("resize", session.info.name, session.info.cols, session.info.rows))

    def update(self, session: SessionRuntime) -> None:
        """Stand for the phases."""
        self.log.append(("seen", session.info.name))

    def rest(self, seconds: float = STILL_SECONDS) -> None:
        """Let so much time go by."""
        self.clock.now += seconds
        self.alarms.ring()

    def front(self) -> Any:
        client = Front()
        self.clients.add(client)
        return client


@pytest.fixture
def desk() -> Desk:
    return Desk()


def session(name: str) -> SessionRuntime:
    info = Session(session_id=name, number=1, name=name, cmd="", cwd="/", state=State.RUNNING)
    made = SessionRuntime(info)
    link = SimpleNamespace(send=lambda _message: None, capabilities=())
    made.run.link = cast("Any", link)
    made.run.rebuilt.set()
    return made


def spec(
    number: int = 1, *, own_size: bool = False, cols: int = 80, fps: int = 10
) -> messages.View:
    return messages.View(session="", view=number, cols=cols, rows=24, own_size=own_size, fps=fps)


def test_only_a_view_that_asks_for_it_sets_the_size(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    desk.showing.view(client, one, spec())
    assert desk.log == []
    desk.showing.view(client, one, spec(own_size=True, cols=100))
    assert desk.log == []
    desk.rest()
    assert desk.log == [("resize", "one", 100, 24)]


def test_sizes_are_set_once_the_layout_has_been_still(desk: Desk) -> None:
    client, one, two = desk.front(), session("one"), session("two")
    for cols in range(80, 120):
        desk.showing.view(client, one, spec(own_size=True, cols=cols))
        desk.showing.view(client, two, spec(2, own_size=True, cols=cols))
        desk.rest(STILL_SECONDS / 2)
    assert desk.log == []
    desk.rest()
    assert desk.log == [("resize", "one", 119, 24), ("resize", "two", 119, 24)]


def test_only_the_front_end_that_was_used_last_sets_sizes(desk: Desk) -> None:
    first, second, one, two = desk.front(), desk.front(), session("one"), session("two")
    desk.showing.view(first, one, spec(own_size=True, cols=90))
    desk.showing.view(first, two, spec(2, own_size=True, cols=90))
    desk.showing.view(second, one, spec(own_size=True, cols=50))
    desk.rest()
    # The second one has come last, and does not show the other session.
    assert desk.log == [("resize", "one", 50, 24)]
    desk.log.clear()
    desk.showing.view(first, one, spec(own_size=True, cols=70))
    desk.rest()
    assert desk.log == []
    desk.showing.used(first)
    desk.rest()
    assert desk.log == [("resize", "one", 70, 24), ("resize", "two", 90, 24)]
    desk.log.clear()
    desk.clients.discard(first)
    desk.showing.leave(first)
    desk.rest()
    assert ("resize", "one", 50, 24) in desk.log


def test_what_is_no_change_of_the_layout_puts_nothing_off(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    desk.showing.view(client, one, spec(own_size=True, cols=90))
    for fps in range(1, 5):
        desk.rest(STILL_SECONDS / 3)
        desk.showing.view(client, one, spec(own_size=True, cols=90, fps=fps))
    assert desk.log == [("resize", "one", 90, 24)]


def test_a_session_that_cannot_be_resized_yet_is_tried_again(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    one.run.rebuilt = anyio.Event()
    desk.showing.view(client, one, spec(own_size=True, cols=90))
    desk.rest()
    desk.rest()
    assert desk.log == []
    one.run.rebuilt.set()
    desk.rest()
    desk.rest()
    assert desk.log == [("resize", "one", 90, 24)]


def test_a_session_shown_twice_takes_the_size_of_the_view_opened_last(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    desk.showing.view(client, one, spec(own_size=True, cols=90))
    desk.showing.view(client, one, spec(2, own_size=True, cols=70))
    desk.rest()
    assert desk.log == [("resize", "one", 70, 24)]
    desk.showing.unview(client, 2)
    desk.rest()
    assert desk.log[1:] == [("resize", "one", 90, 24)]


def test_a_view_that_is_changed_stays_the_same_view(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    desk.showing.view(client, one, spec())
    desk.showing.view(client, one, spec(cols=40))
    assert len(desk.scheduler.views_of(one)) == 1
    assert client.views[1].size == (40, 24)


def test_a_session_is_read_as_often_as_it_is_drawn(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    assert one.rest_seconds == UNSEEN_SECONDS
    desk.showing.view(client, one, spec(fps=30))
    desk.showing.view(client, one, spec(2, fps=5))
    assert one.rest_seconds == 1 / 30
    desk.showing.unview(client, 1)
    assert one.rest_seconds == 1 / 5
    desk.showing.view(client, one, spec(2, fps=1))
    assert one.rest_seconds == UNSEEN_SECONDS
    desk.showing.leave(client)
    assert one.rest_seconds == UNSEEN_SECONDS


def test_its_worker_is_told_once_and_if_it_can() -> None:
    told: list[Any] = []
    one = session("one")
    link = SimpleNamespace(send=told.append, capabilities={"rest"})
    one.run.link = cast("Any", link)
    one.pace(0.1)
    one.pace(0.1)
    assert told == [protocol.Rest(session_id="one", seconds=0.1)]
    link.capabilities = set()
    one.pace(0.2)
    assert len(told) == 1


def test_a_view_that_turns_to_another_session_leaves_the_first(desk: Desk) -> None:
    client, one, two = desk.front(), session("one"), session("two")
    desk.showing.view(client, one, spec())
    desk.showing.view(client, two, spec())
    assert not desk.scheduler.is_shown(one)
    assert [view.session for view in desk.scheduler.wanted] == [two]


def test_whoever_types_gets_the_size_of_the_view_that_is_its_own(desk: Desk) -> None:
    client, other, one = desk.front(), desk.front(), session("one")
    desk.showing.view(client, one, spec(own_size=True, cols=90))
    desk.showing.view(other, one, spec(own_size=True, cols=50))
    desk.log.clear()
    desk.showing.typed(client, one)
    desk.showing.typed(desk.front(), one)
    assert desk.log == [("resize", "one", 90, 24)]


def test_the_child_hears_of_the_focus_when_it_changes(desk: Desk) -> None:
    client, one, two = desk.front(), session("one"), session("two")
    desk.showing.focus(client, one)
    desk.showing.focus(client, one)
    assert desk.log == [("seen", "one"), ("focus", "one", True)]
    desk.log.clear()
    desk.showing.focus(client, two)
    assert desk.log == [("focus", "one", False), ("seen", "two"), ("focus", "two", True)]


def audience_of(desk: Desk) -> Audience:
    return Audience(desk.clients, cast("Any", None), desk.alarms)


def test_a_sentence_within_another_is_told_in_the_same_language(desk: Desk) -> None:
    client = desk.front()
    said = Said("There is no setting `{name}`.", {"name": "langage"})
    audience_of(desk).tell(
        "error", "{file}, line {line}, column {column}: {fault}",
        file="settings.json", line=1, column=2, fault=said,
    )  # fmt: skip
    (told,) = client.told
    assert told.in_language(of("en")).endswith(": There is no setting `langage`.")
    assert told.in_language(of("ja")).endswith(of("ja").say(said.message, **said.values))


def test_a_terminal_that_has_lost_the_focus_sees_nothing(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    client.looking_told = True
    desk.showing.focus(client, one)
    assert desk.log == [("focus", "one", True)]
    audience = audience_of(desk)
    assert not audience.sees(one)
    client.looking = "one"
    assert audience.sees(one)


def test_a_session_in_front_is_seen_without_the_keys(desk: Desk) -> None:
    client, one, two = desk.front(), session("one"), session("two")
    audience = audience_of(desk)
    client.looking = "one"
    assert audience.sees(one) and not audience.sees(two)
    client.looking, client.focus = "", two
    assert audience.sees(two) and not audience.sees(one)


def test_a_session_keeps_the_focus_while_another_front_end_has_it_there(desk: Desk) -> None:
    client, other, one = desk.front(), desk.front(), session("one")
    desk.showing.focus(client, one)
    desk.showing.focus(other, one)
    desk.log.clear()
    desk.showing.focus(client, None)
    assert desk.log == []
    desk.showing.focus(other, None)
    assert desk.log == [("focus", "one", False)]


def test_whoever_leaves_shows_and_focuses_nothing_any_more(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    desk.showing.view(client, one, spec(1))
    desk.showing.view(client, one, spec(2))
    desk.showing.focus(client, one)
    desk.showing.leave(client)
    assert (client.views, client.focus, desk.scheduler.wanted) == ({}, None, [])
    assert not desk.scheduler.is_shown(one)


def test_a_session_that_goes_is_taken_from_everybody(desk: Desk) -> None:
    client, other = desk.front(), desk.front()
    one, two = session("one"), session("two")
    for shown, number in ((one, 1), (one, 2), (two, 3)):
        desk.showing.view(client, shown, spec(number))
    desk.showing.focus(other, one)
    desk.showing.forget(one)
    assert list(client.views) == [3]
    assert other.focus is None
    assert [view.session for view in desk.scheduler.wanted] == [two]
    assert desk.scheduler.is_shown(two)


def test_a_frame_that_was_taken_makes_room_for_the_next(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    desk.showing.view(client, one, spec())
    desk.scheduler.wanted.clear()
    desk.showing.taken(client, messages.Taken(view=1, frame=1))
    desk.showing.taken(client, messages.Taken(view=9, frame=1))
    assert desk.scheduler.wanted == [client.views[1]]


def test_no_client_has_more_than_a_thousand_views(desk: Desk) -> None:
    client, one = desk.front(), session("one")
    for number in range(1001):
        desk.showing.view(client, one, spec(number))
    assert len(client.views) == 1000
