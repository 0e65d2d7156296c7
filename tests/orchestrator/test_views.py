"""Front ends are views: several at once, each with its own size, none in another's way."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from nagomi_tui.api import messages
from nagomi_tui.orchestrator.views.view import SessionView
from nagomi_tui.sessions.session import Condition
from nagomi_tui.text.rows import BLANK, Cursor, Modes, Row, Run, Style
from tests.helpers.outer import Outer
from tests.helpers.workplace import (
    PATIENCE,
    create,
    only,
    session,
    text_of,
    until,
    wait_for,
    workplace,
)

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place


@pytest.fixture
def place(shared_place: Place) -> Place:
    """Nothing here breaks the workplace."""
    return shared_place


class Pane:
    """A front end that draws its view as text."""

    def __init__(self, connection: Connection, session_id: str, cols: int, rows: int) -> None:
        self.connection = connection
        self.session_id = session_id
        self.rows = [""] * rows
        self.frames: list[messages.Frame] = []
        self.size = (cols, rows)

    def show(self, **more: Any) -> None:
        """Ask for the view."""
        cols, rows = self.size
        self.rows = [""] * rows
        self.connection.send(
            messages.View(view=1, session=self.session_id, cols=cols, rows=rows, **more)
        )

    def look(self, quiet: float = 0.3, *, take: bool = True) -> Pane:
        """Take in frames until none has come for a while."""
        for message in self.connection.pushed(quiet):
            if isinstance(message, messages.Frame):
                self._draw(message)
                if take:
                    self.connection.send(messages.Taken(view=1, frame=message.frame))
        return self

    def comes_to(self, *rows: str) -> Pane:
        """Take in frames until the view begins with these rows."""
        with contextlib.suppress(AssertionError):
            until(lambda: self.look(0.05).rows[: len(rows)] == list(rows))
        assert self.rows[: len(rows)] == list(rows)
        return self

    def _draw(self, frame: messages.Frame) -> None:
        self.frames.append(frame)
        for y, runs in frame.rows:
            self.rows[y] = "".join(text for text, _, _ in runs)
            assert all(style < len(frame.styles) for _, style, _ in runs)

    @property
    def last(self) -> messages.Frame:
        return self.frames[-1]


NUMBERED = "sh -c 'stty -echo; for i in $(seq 1 29); do echo line$i; done; printf last; exec cat'"


def test_a_small_view_shows_the_part_around_the_cursor(
    place: Place, connection: Connection
) -> None:
    session_id = create(connection, NUMBERED)
    wait_for(connection, session_id, "last")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 40, 5)
        pane.show()
        pane.comes_to("line26", "line27", "line28", "line29", "last")
        assert (pane.last.top, pane.last.cols, pane.last.screen_rows) == (25, 120, 30)
        assert (pane.last.cursor.x, pane.last.cursor.y, pane.last.cursor.visible) == (4, 4, True)
        pane.show(top=0, left=2)
        pane.comes_to("ne1", "ne2", "ne3", "ne4", "ne5")
        assert not pane.last.cursor.visible


def test_a_hidden_cursor_does_not_draw_the_view_to_where_it_is_parked(
    place: Place, connection: Connection
) -> None:
    draw = r"printf '\033[?1049h\033[Htop left\033[30;120H\033[?25l'; exec cat"
    session_id = create(connection, f'sh -c "{draw}"')
    wait_for(connection, session_id, "top left")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 40, 5)
        pane.show()
        pane.comes_to("top left")
        assert (pane.last.left, pane.last.top) == (0, 0)


def test_only_where_the_keys_go_a_view_follows_the_cursor_to_the_right(
    place: Place, connection: Connection
) -> None:
    session_id = create(connection, """sh -c "printf 'begins here%60s' end; exec cat\"""")
    wait_for(connection, session_id, "end")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 20, 3)
        pane.show()
        until(lambda: any(row.startswith("begins") for row in pane.look(0.05).rows))
        front_end.send(messages.Focus(session=session_id))
        until(lambda: any(row.endswith("end") for row in pane.look(0.05).rows))
        front_end.send(messages.Focus(session=""))
        until(lambda: any(row.startswith("begins") for row in pane.look(0.05).rows))


@pytest.mark.requirement("N-33")
def test_scrolled_up_a_view_stays_while_output_goes_on(
    place: Place, connection: Connection
) -> None:
    session_id = create(connection, "sh -c 'seq 1 100; read go; seq 101 200; exec sleep 99'")
    wait_for(connection, session_id, "^100$")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 20, 3)
        pane.show(line=10)
        pane.comes_to("11", "12", "13")
        connection.send(messages.TypeText(session=session_id, text="\r"))
        wait_for(connection, session_id, "^200$")
        assert pane.look().rows == ["11", "12", "13"]
        assert pane.last.line == 10 and pane.last.first_line == 0


def test_only_changed_rows_are_sent(place: Place, connection: Connection) -> None:
    session_id = create(connection, NUMBERED)
    wait_for(connection, session_id, "last")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 120, 30)
        pane.show()
        pane.comes_to("line1").look()
        assert pane.last.full and len(pane.last.rows) == 30
        front_end.send(messages.TypeText(session=session_id, text="x\r"))
        front_end.send(messages.Focus(session=session_id))
        until(lambda: "lastx" in pane.look(0.05).rows)
        pane.look()
        assert not pane.last.full
        changed = [frame.rows for frame in pane.frames[1:]]
        assert 0 < sum(len(rows) for rows in changed) <= 31


def test_at_most_two_frames_are_on_their_way(place: Place, connection: Connection) -> None:
    session_id = create(connection, "sh -c 'while :; do date +%N; sleep 0.01; done'")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 40, 10)
        pane.show(fps=60)
        front_end.send(messages.Focus(session=session_id))
        # States of other kinds may come; frames stop after two that nobody took.
        until(lambda: len(pane.look(0.05, take=False).frames) >= 2)
        assert len(pane.look(0.5, take=False).frames) == 2
        front_end.send(messages.Taken(view=1, frame=2))
        until(lambda: _next_frame(front_end))


def _next_frame(front_end: Connection) -> messages.Frame | None:
    return next((m for m in front_end.pushed(0.5) if isinstance(m, messages.Frame)), None)


def test_looking_never_resizes_and_an_own_view_does(place: Place, connection: Connection) -> None:
    session_id = create(connection, "sh")

    def size() -> tuple[int, int]:
        found = session(connection, session_id)
        return found["cols"], found["rows"]

    with place.connect(front_end=True) as large, place.connect(front_end=True) as small:
        for front_end, cols, rows in ((large, 200, 50), (small, 60, 20)):
            Pane(front_end, session_id, cols, rows).show()
            front_end.request(messages.Ping(id=0), timeout=10)
        small.send(messages.TypeText(session=session_id, text="true\r"))
        small.request(messages.Ping(id=0), timeout=10)
        assert size() == (120, 30)
        Pane(small, session_id, 60, 20).show(own_size=True)
        until(lambda: size() == (60, 20))
        # The other one was not used last: its layout changes nothing before it is.
        Pane(large, session_id, 200, 50).show(own_size=True)
        large.request(messages.Ping(id=0), timeout=10)
        assert size() == (60, 20)
        large.send(messages.Used())
        until(lambda: size() == (200, 50))
        small.send(messages.TypeText(session=session_id, text="true\r"))
        until(lambda: size() == (60, 20))
        large.send(messages.TypeText(session=session_id, text="stty size\r"))
        wait_for(connection, session_id, "50 200")
        until(lambda: size() == (200, 50))


def test_a_window_that_is_drawn_larger_resizes_each_session_once(
    place: Place, connection: Connection
) -> None:
    made = [create(connection, _COUNTING, name=name) for name in ("drawn", "kept")]
    for one in made:
        wait_for(connection, one, "counting")
    with place.connect(front_end=True) as front_end:

        def show(cols: int) -> None:
            for number, one in enumerate(made):
                front_end.send(
                    messages.View(view=number, session=one, cols=cols, rows=20, own_size=True)
                )

        for cols in range(90, 130, 2):
            show(cols)
        for one in made:
            wait_for(connection, one, "resized 1 to 20 128")
        connection.request(messages.KeepSize(id=0, session="kept"), timeout=10)
        show(80)
        wait_for(connection, "drawn", "resized 2 to 20 80")
        assert session(connection, made[1])["cols"] == 128
        connection.request(messages.KeepSize(id=0, session="kept", keep=False), timeout=10)
        wait_for(connection, "kept", "resized 2 to 20 80")


def test_cells_are_found_again_by_the_numbers_that_a_front_end_knows(
    place: Place, connection: Connection
) -> None:
    made = create(connection, f"echo {'x ' * 60}; echo needle; cat", cols=80, rows=20)
    wait_for(connection, made, "^needle")
    with place.connect(front_end=True) as front_end:

        def found(cols: int, **more: Any) -> messages.Frame:
            front_end.send(
                messages.View(view=1, session=made, cols=cols, rows=20, own_size=True, **more)
            )
            front_end.send(messages.Used())
            frames: list[messages.Frame] = []

            def came() -> object:
                for message in front_end.pushed(0.05):
                    if isinstance(message, messages.Frame):
                        front_end.send(messages.Taken(view=1, frame=message.frame))
                        frames.append(message)
                return frames and frames[-1].cols == cols and frames[-1].kept

            until(came)
            return frames[-1]

        at = found(40, kept=((2, 3),), screen_cols=80)
        assert (at.kept_before, at.kept) == (((2, 3),), ((3, 3),))
        # It has not seen that frame, and names a cell as it was before.
        again = found(20, kept=((2, 5),), screen_cols=80)
        assert (again.kept_before, again.kept) == (((3, 3),), ((6, 3),))
        wide = found(80, kept=((6, 4),), screen_cols=20)
        assert (wide.kept_before, wide.kept) == (((6, 4),), ((2, 4),))
        lines = connection.request(messages.Lines(id=0, session=made, start=0, stop=9), timeout=10)
        matches = connection.request(messages.Search(id=0, session=made, text="needle"), timeout=10)
        assert (lines.cols, matches.cols, matches.matches) == (80, 80, ((2, 0, 6),))


def test_cells_that_are_named_after_a_resize_are_those_that_its_frame_tells_of() -> None:
    """A key between a resize and its frame was undone: the frame took the new cell for the old one."""
    view = _small_view()
    screen: Any = _Still("one", "two", cursor=Cursor(0, 1, True))
    view.session.run.screen = screen

    def kept_by(*cells: tuple[int, int]) -> None:
        view.change(
            messages.View(view=1, session="s", cols=40, rows=5, kept=cells, screen_cols=120)
        )

    kept_by((0, 1))
    view.frame(screen)
    view.resized(None, ((0, 1),))
    kept_by((1, 2))
    frame = view.frame(screen)
    assert frame and (frame.kept_before, frame.kept) == (((1, 2),), ((1, 2),))
    after = view.frame(screen)
    assert after is None or not after.kept


def rows_of(connection: Connection, made: str) -> list[str]:
    """Return the first rows as they stand, each wrapped line in several."""
    found = connection.request(messages.Lines(id=0, session=made, start=0, stop=9), timeout=10)
    return ["".join(run for run, _ in row[1]) for row in found.rows]


def test_what_an_ended_command_has_left_is_read_at_the_width_of_its_view(
    place: Place, connection: Connection
) -> None:
    told = "The heater below the table has four levels and a timer that turns it off at night"
    done = create(connection, f"echo {told}; exit 3", cols=120, rows=30)
    drew = create(connection, f"printf '\\033[?1049h'; echo {told}", cols=120, rows=30)
    for one in (done, drew):
        until(lambda one=one: session(connection, one)["state"] == "exited")
    with place.connect(front_end=True) as front_end:
        for number, one in enumerate((done, drew)):
            front_end.send(messages.View(view=number, session=one, cols=50, rows=10, own_size=True))
        until(lambda: session(connection, done)["cols"] == 50)
        assert len(max(rows_of(connection, done), key=len)) <= 50
        assert told in "".join(rows_of(connection, done))
        front_end.send(messages.View(view=0, session=done, cols=100, rows=10, own_size=True))
        until(lambda: session(connection, done)["cols"] == 100)
        assert told in rows_of(connection, done)
        assert session(connection, drew)["cols"] == 120 and told in text_of(connection, drew)
        connection.request(messages.Restart(id=0, session=done, cmd="stty size"), timeout=10)
        wait_for(connection, done, "10 100")


@pytest.mark.slow
def test_a_terminal_whose_corner_is_dragged_resizes_each_session_once() -> None:
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "TERM": "tmux-256color"}
    root = Path(__file__).parents[2]
    env |= {"LANG": "C.UTF-8", "PYTHONPATH": f"{root}:{root / 'worker'}"}
    with workplace() as place, place.connect() as connection:
        made = [create(connection, _COUNTING, name=name) for name in ("left", "right")]
        for one in made:
            wait_for(connection, one, "counting")

        def resized(one: str) -> tuple[int, int, int] | None:
            """How often it was, and to which rows and columns; None while it is being resized."""
            told = re.findall(r"resized (\d+) to (\d+) (\d+)", text_of(connection, one))
            found = session(connection, one)
            times, *size = map(int, told[-1]) if told else (0, 0, 0)
            return (times, *size) if size == [found["rows"], found["cols"]] else None

        argv = [sys.executable, "-m", "nagomi_tui"]
        with Outer(argv, env | {"NAGOMI_HOME": str(place.home)}, cols=150, rows=40) as outer:
            before = [until(lambda one=one: resized(one)) for one in made]
            outer.drag([(150 + step, 40 + step // 4) for step in range(1, 41)])
            after = [
                until(lambda one=one: (now := resized(one)) and now[1] > 44 and now) for one in made
            ]
            # Both tiles end where the window does, with bars and frames around them.
            assert [rows for _, rows, _ in after] == [rows + 10 for _, rows, _ in before]
            assert [times for times, *_ in after] == [times + 1 for times, *_ in before]


_COUNTING = r"""bash -c 'trap "n=\$((n+1)); echo resized \$n to \$(stty size)" WINCH
echo counting; while :; do sleep 0.05; done'"""
"""Says how often it was resized, and to how many rows and columns."""


def test_of_many_sizes_in_a_row_the_last_one_stays(place: Place, connection: Connection) -> None:
    session_id = create(connection, "sh")
    with place.connect(front_end=True) as front_end:
        for last in range(20, 40):
            for cols in (60, 90, last):
                Pane(front_end, session_id, cols, last).show(own_size=True)
            front_end.request(messages.Ping(id=0), timeout=10)
            # The worker has answered by then.
            front_end.send(messages.TypeText(session=session_id, text=f"echo at$((400+{last}))\r"))
            wait_for(connection, session_id, f"at{400 + last}")
            found = session(connection, session_id)
            assert (found["cols"], found["rows"]) == (last, last)
        front_end.send(messages.TypeText(session=session_id, text="clear; stty size\r"))
        wait_for(connection, session_id, "39 39")


def test_no_view_is_larger_than_a_terminal_can_be(place: Place, connection: Connection) -> None:
    session_id = create(connection, "sleep 99")
    with place.connect(front_end=True) as front_end:
        Pane(front_end, session_id, 10_000, 10_000).show(own_size=True)
        until(lambda: session(connection, session_id)["cols"] == 1000)
    assert session(connection, session_id)["rows"] == 500


def test_a_front_end_that_does_not_read_stalls_nobody(place: Place, connection: Connection) -> None:
    session_id = create(connection, "sh -c 'while :; do date +%N%N%N%N; done'")
    with place.connect(front_end=True) as stuck:
        for view in range(20):
            stuck.send(messages.View(view=view, session=session_id, cols=120, rows=30, fps=60))
        # Thousands of answers that nobody reads fill its socket.
        for number in range(300):
            stuck.send(messages.Capture(id=number, session=session_id, history=True))
        with place.connect(front_end=True) as other:
            echo = create(other, "sh -c 'stty -echo; exec cat'")
            pane = Pane(other, echo, 40, 5)
            pane.show()
            for word in ("one", "two", "three"):
                other.send(messages.TypeText(session=echo, text=f"{word}\r"))
                until(lambda word=word: word in "".join(pane.look(0.05).rows))


def test_a_double_width_character_is_cropped_to_a_space(
    place: Place, connection: Connection
) -> None:
    session_id = create(connection, "sh -c 'echo 日本語; exec sleep 99'")
    wait_for(connection, session_id, "日本語")
    with place.connect(front_end=True) as front_end:
        pane = Pane(front_end, session_id, 4, 2)
        pane.show(left=1, top=0)
        pane.comes_to(" 本 ")


def test_the_clipboard_goes_only_to_whoever_typed(place: Place, connection: Connection) -> None:
    copies = r"""sh -c 'stty -echo; read go; printf "\033]52;c;aGVsbG8=\007"; echo done; exec sleep 99'"""
    session_id = create(connection, copies)
    with place.connect(front_end=True) as typing, place.connect(front_end=True) as looking:
        typing.send(messages.TypeText(session=session_id, text="\r"))
        wait_for(connection, session_id, "done")
        for each in (typing, looking):
            each.request(messages.Ping(id=0), timeout=PATIENCE)
        heard = [
            [
                m.text
                for m in each.pushed(0.3)
                if isinstance(m, messages.Event) and m.kind == "clipboard"
            ]
            for each in (typing, looking)
        ]
    assert heard == [["hello"], []]


def test_a_bell_waits_until_it_was_seen(place: Place, connection: Connection) -> None:
    session_id = create(connection, r"""sh -c 'printf "\007"; exec sleep 99'""")
    until(lambda: session(connection, session_id)["phase"] == "attention")
    assert session(connection, session_id)["waits"]
    with place.connect(front_end=True) as front_end:
        front_end.send(messages.Focus(session=session_id))
        until(lambda: not session(connection, session_id)["waits"])


def test_what_ends_before_the_users_eyes_does_not_wait_for_them(
    place: Place, connection: Connection
) -> None:
    """Without the keys, too, as in the chat view; a question waits all the same."""
    seen, unseen = (create(connection, "sh -c 'read go'") for _ in range(2))
    with place.connect(front_end=True) as front_end:
        front_end.send(messages.Looking(session=seen, told=True))
        for each in (seen, unseen):
            front_end.send(messages.TypeText(session=each, text="\r"))
            connection.request(messages.Wait(id=0, session=each, timeout=10), timeout=20)
        until(lambda: session(connection, unseen)["waits"])
        assert not session(connection, seen)["waits"]
        assert session(connection, seen)["phase"] == "success"
        front_end.send(messages.Looking(session="", told=True))
        front_end.send(messages.Looking(session=unseen, told=True))
        until(lambda: not session(connection, unseen)["waits"])
        assert session(connection, unseen)["phase"] == "success"


def test_a_question_that_is_looked_at_waits_until_it_is_answered(
    place: Place, connection: Connection
) -> None:
    asks = create(connection, """sh -c 'printf "Overwrite file? [y/N] "; read answer'""")
    until(lambda: session(connection, asks)["phase"] == "attention", patience=PATIENCE)
    with place.connect(front_end=True) as front_end:
        front_end.send(messages.Looking(session=asks, told=True))
        front_end.request(messages.Ping(id=0), timeout=PATIENCE)
        assert session(connection, asks)["waits"]


def test_on_return_a_front_end_hears_what_happened(place: Place, connection: Connection) -> None:
    with place.connect(front_end=True) as first:
        assert first.welcome.digest == ()
    until(lambda: connection.request(messages.Status(id=0), timeout=5).front_ends == 0)
    good = create(connection, "true", name="good")
    bad = create(connection, "false", name="bad")
    for each in (good, bad):
        connection.request(messages.Wait(id=0, session=each, timeout=10), timeout=20)
    with place.connect(front_end=True) as second:
        assert set(second.welcome.digest) == {("good", "ended_well"), ("bad", "ended_early")}
        assert second.welcome.recent[:2] == ("false", "true")


def test_everybody_is_asked_to_leave(place: Place, connection: Connection) -> None:
    with place.connect(front_end=True) as front_end:
        asked = connection.request(messages.DetachAll(id=0), timeout=10)
        assert asked.front_ends == 1
        front_end.request(messages.Ping(id=0), timeout=PATIENCE)
        said = only([m for m in front_end.pushed(0.5) if isinstance(m, messages.Goodbye)])
        assert said.reason == "detach"


def test_a_multi_line_text_is_bracketed_and_enter_comes_apart(connection: Connection) -> None:
    reads = r"""sh -c 'stty raw -echo; printf "\033[?2004h"; echo set; exec cat -v'"""
    session_id = create(connection, reads)
    wait_for(connection, session_id, "set")
    text = "one\ntwo\x1b[201~three"
    connection.request(messages.Send(id=0, session=session_id, text=text), timeout=10)
    until(lambda: "^[[201~^M" in text_of(connection, session_id).replace("\n", ""))
    shown = text_of(connection, session_id)
    assert shown.count("^[[200~") == 1 and shown.count("^[[201~") == 1


def test_keys_are_encoded_for_the_child_s_modes(connection: Connection) -> None:
    reads = r"""sh -c 'stty raw -echo; printf "\033[?1h"; echo set; exec cat -v'"""
    session_id = create(connection, reads)
    wait_for(connection, session_id, "set")
    keys = ("up", "ctrl+a", "Enter", "f5")
    connection.request(messages.Keys(id=0, session=session_id, keys=keys), timeout=10)
    until(lambda: "^[OA^A^M^[[15~" in text_of(connection, session_id))


def test_a_child_that_asked_is_told_its_new_size_at_once(
    place: Place, connection: Connection
) -> None:
    """Mode 2048: the report comes with the resize, not with the next output."""
    listen = r"stty raw -echo; printf '\\033[?2048hready'; exec cat -v"
    session_id = create(connection, f'sh -c "{listen}"', cols=100, rows=30)
    wait_for(connection, session_id, "ready")
    with place.connect(front_end=True) as front_end:
        Pane(front_end, session_id, 40, 10).show(own_size=True)
        until(lambda: "[48;10;40;160;320t" in text_of(connection, session_id).replace("\n", ""))


@pytest.mark.parametrize(
    ("acted_at", "focused", "next_frame"),
    [(98.0, False, 100.1), (99.5, False, 100.2), (99.5, True, 100.1)],
)
def test_others_are_drawn_half_as_often_while_the_user_is_busy(
    acted_at: float, focused: bool, next_frame: float
) -> None:
    session = SimpleNamespace(run=SimpleNamespace(hot=False))
    client = SimpleNamespace(views={}, active_at=acted_at, focus=session if focused else None)
    spec = messages.View(view=1, session="s", cols=80, rows=24, fps=10)
    view = SessionView(cast("Any", client), cast("Any", session), spec)
    view.frame_made(100.01, 100.01)  # frames come at multiples of a twentieth of a second
    assert view.due() == pytest.approx(next_frame)


class _Still:
    """A terminal whose screen stands still, for a view to look at."""

    def __init__(self, *rows: str, cursor: Cursor, height: int = 30) -> None:
        self._rows = [Row((Run(text, Style()),)) if text else BLANK for text in rows]
        self._rows += [BLANK] * (height - len(rows))
        self.cursor, self.modes, self.size = cursor, Modes(), (120, height)
        self.bounds = (0, 0, height - 1)

    def screen(self) -> list[Row]:
        """Return the screen."""
        return self._rows


def _shown(view: SessionView, screen: _Still, rows: int) -> list[str]:
    view.change(messages.View(view=1, session="s", cols=40, rows=rows, fps=10))
    view.start_over()
    frame = view.frame(cast("Any", screen))
    assert frame is not None
    return ["".join(text for text, _, _ in runs) for _, runs in frame.rows]


def _small_view(phase: Condition = Condition.IDLE, turn: int = 1) -> SessionView:
    info = SimpleNamespace(phase=phase, is_unasked=not turn)
    session = SimpleNamespace(run=SimpleNamespace(hot=False), session_id="s", info=info)
    client = SimpleNamespace(views={}, active_at=0.0, focus=None)
    spec = messages.View(view=1, session="s", cols=40, rows=5, fps=10)
    return SessionView(cast("Any", client), cast("Any", session), spec)


def test_a_view_that_shrinks_and_grows_shows_the_text_again_and_no_empty_rows() -> None:
    view = _small_view()
    ended = _Still("one", "two", "three", cursor=Cursor(0, 3, True))
    assert _shown(view, ended, 1) == ["three"]
    assert _shown(view, ended, 5) == ["one", "two", "three", "", ""]
    at_prompt = _Still("one", "two", "three", "$ ", cursor=Cursor(2, 3, True))
    assert _shown(view, at_prompt, 2) == ["three", "$ "]
    assert _shown(view, at_prompt, 4) == ["one", "two", "three", "$ "]
    editor = _Still(*"abcdef", "", "status", cursor=Cursor(0, 6, True))
    assert _shown(view, editor, 2) == ["f", ""]


def test_a_small_view_of_who_hides_the_cursor_shows_where_the_question_stands() -> None:
    view = _small_view()
    dialog = _Still(*"abcdef", "Proceed?", "1. Yes", cursor=Cursor(5, 1, False))
    assert _shown(view, dialog, 2) == ["Proceed?", "1. Yes"]
    dialog.modes = Modes(alt_screen=True, bracketed_paste=True)  # as Claude Code 2.1.330 does
    assert _shown(_small_view(), dialog, 2) == ["Proceed?", "1. Yes"]
    dialog.modes = Modes(alt_screen=True)  # as htop does
    assert _shown(_small_view(), dialog, 2) == ["a", "b"]


@pytest.mark.parametrize(
    ("phase", "shown"),
    [
        (Condition.SUCCESS, ["an", "answer", ""]),
        (Condition.RUNNING, ["an", "answer", ""]),
        (Condition.LISTENING, ["", "", "> "]),
        (Condition.ATTENTION, ["", "", "> "]),
    ],
)
def test_a_small_view_shows_the_answer_above_a_gap_or_the_box_that_is_typed_into(
    phase: Condition, shown: list[str]
) -> None:
    agent = _Still("an", "answer", *[""] * 8, "> ", "? for shortcuts", cursor=Cursor(2, 10, True))
    agent.modes = Modes(alt_screen=True, bracketed_paste=True)
    view = _small_view(phase)
    assert _shown(view, agent, 12)[:2] == ["an", "answer"]
    assert _shown(view, agent, 3) == shown


def test_a_small_view_of_an_agent_that_was_asked_nothing_shows_its_box() -> None:
    agent = _Still("Tool 2.1", *[""] * 9, "> ", "? for shortcuts", cursor=Cursor(2, 10, True))
    agent.modes = Modes(alt_screen=True, bracketed_paste=True)
    assert _shown(_small_view(turn=0), agent, 3) == ["", "", "> "]
    assert _shown(_small_view(turn=1), agent, 3) == ["Tool 2.1", "", ""]


@pytest.mark.parametrize(
    ("gap", "first"), [(2, "line 5"), (3, "line 6"), (4, "line 2"), (5, "line 2")]
)
def test_a_small_view_that_a_gap_leaves_little_room_shows_what_is_above_it(
    gap: int, first: str
) -> None:
    """Of Claude Code in eleven rows one saw five blank ones and how long the turn had taken."""
    said = [f"line {number}" for number in range(12)]
    box = ["-" * 20, "> ", "-" * 20, "? for shortcuts"]
    at = len(said) + gap + 1
    agent = _Still(*said, *[""] * gap, *box, cursor=Cursor(2, at, True))
    agent.modes = Modes(alt_screen=True, bracketed_paste=True)
    assert _shown(_small_view(Condition.SUCCESS), agent, 11)[0] == first
