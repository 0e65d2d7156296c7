"""Looking back while the session is reflowed: what keys have done meanwhile is not undone."""

from __future__ import annotations

import threading
from collections import deque
from functools import partial
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api.messages import Frame, LineRows, Lines, Matches, Search
from nagomi_tui.text.motions import Place
from nagomi_tui.text.rows import Cursor, Modes
from nagomi_tui.text.selection import At, Marks, Selection, Shape
from nagomi_tui.view.common.theme import THEMES
from nagomi_tui.view.pane.buffer import PaneBuffer
from nagomi_tui.view.pane.copy_cursor import CopyCursor, Searching
from nagomi_tui.view.pane.layers import looks_of
from nagomi_tui.view.pane.lines import LineReader, MarkedLines
from nagomi_tui.view.pane.mouse import Gestures
from nagomi_tui.view.pane.viewport import Viewport

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = [*(f"{n:02} " + "word " * 9 for n in range(12)), "alpha beta-gamma", "wrapped " * 9, "end"]
HEIGHT = 30
LOOKS = looks_of(THEMES[0])


def rows(width: int) -> list[tuple[int, int, str, bool]]:
    """Return each row: its line of TEXT, where in that it begins, its text, and whether it goes on."""
    return [
        (number, at, line[at : at + width], at + width < len(line))
        for number, line in enumerate(TEXT)
        for at in range(0, len(line), width)
    ]


def cell(line: int, offset: int, width: int) -> At:
    """Return the cell in which a character of a line of TEXT stands."""
    found = ((n, at) for n, (of, at, *_) in enumerate(rows(width)) if of == line and at <= offset)
    number, at = max(found)
    return At(number, offset - at)


def place(at: At, width: int) -> tuple[int, int]:
    """Return which line of TEXT stands in a cell, and which character of that."""
    line, start, *_ = rows(width)[at.line]
    return line, start + at.column


class Desk:
    """A pane and copy mode's cursor; the orchestrator's answers come when a test has them come."""

    def __init__(self, width: int) -> None:
        self.width = width
        """Of the session now, as the orchestrator has it."""
        self.lock = threading.Lock()
        self.chosen: list[str] = []
        """What the mouse has copied."""
        self.posts: list[Callable[[], object]] = []
        self.requests: list[tuple[Any, Callable[[Any], object]]] = []
        self.wishes = 0
        """How often the orchestrator was asked for another part of the session."""
        self.told: tuple[At, ...] = ()
        """The kept cells as the orchestrator has them."""
        self.viewport = Viewport()
        link: Any = self
        self.buffer = PaneBuffer(link, self.viewport, lambda: None)
        self.buffer.begin(1, "a")
        self.buffer.resize(40, HEIGHT)
        self.reader = LineReader(link, self.buffer)
        self.marked = MarkedLines(
            self.buffer, self.viewport, self.reader,
            looks=lambda: LOOKS, laid=lambda: None, ask_again=self._ask_again,
            pointed=lambda _: None,
        )  # fmt: skip
        pane: Any = SimpleNamespace(
            buffer=self.buffer, reader=self.reader, link=self, session_id="a", is_attached=True,
            scroll_to_line=self.buffer.scroll_to, scroll_to_column=lambda _left: None,
            takes_words=False, tell_selected=self.chosen.append,
        )  # fmt: skip
        self.mouse = Gestures(pane, self.marked, lambda _point: None)
        self.frame()
        self.cursor = CopyCursor(pane, self._lay)
        self.searching = Searching(self.cursor, show=lambda: None, work=lambda: None)
        self.marked.on_renumbered = self._renumbered
        self.viewport.hold()
        self.cursor.begin()
        self.answer()

    # --- the link

    def post(self, work: Callable[[], object]) -> None:
        self.posts.append(work)

    def request(self, request: Any, then: Callable[[Any], object]) -> None:
        self.requests.append((request, then))

    # --- the orchestrator

    def where(self, text: str) -> At:
        """Return where a text begins now."""
        line = next(n for n, found in enumerate(TEXT) if text in found)
        return cell(line, TEXT[line].index(text), self.width)

    def hear(self) -> None:
        """Have what the pane wants reach the orchestrator."""
        self.told = self.viewport.kept

    def reflow(self, width: int) -> dict[At, At]:
        """Change the session's width; return where the kept cells are now."""
        moved = {at: cell(*place(at, self.width), width) for at in self.told}
        self.width, self.told = width, tuple(moved.values())
        return moved

    def frame(self, moved: dict[At, At] | None = None) -> None:
        """Have a frame arrive; the pane hears of a reflow with `turn` only."""
        assert self.buffer.take(self.made_frame(moved))

    def made_frame(self, moved: dict[At, At] | None = None) -> Frame:
        """Return the frame of this moment."""
        last = len(rows(self.width)) - 1
        return Frame(
            view=1, frame=1, session="a", rows=(), styles=(), full=False, cursor=Cursor(),
            modes=Modes(), line=max(0, last + 1 - HEIGHT), first_line=0, last_line=last, left=0, top=0,
            cols=self.width, screen_rows=HEIGHT, kept=tuple((moved or {}).values()),
            kept_before=tuple(moved or {}),
        )  # fmt: skip

    def answer(self, *, only: int = 100) -> None:
        """Have so many requests answered, as the lines are now."""
        while self.requests and only:
            only -= 1
            request, then = self.requests.pop(0)
            then(self.answered(request))

    def answers(self) -> Callable[[], None]:
        """Have all requests answered as the lines are now; return what has the answers arrive."""
        came = [(then, self.answered(request)) for request, then in self.requests]
        self.requests.clear()

        def arrive() -> None:
            for then, answer in came:
                then(answer)

        return arrive

    def turn(self) -> None:
        """Have the loop do what was posted."""
        while self.posts:
            self.posts.pop(0)()

    def answered(self, request: Any) -> LineRows | Matches:
        """Return the orchestrator's answer of this moment."""
        if isinstance(request, Search):
            at = self.where(request.text)
            return Matches(matches=((*at, len(request.text)),), cols=self.width)
        assert isinstance(request, Lines)
        found = rows(self.width)
        return LineRows(
            start=request.start,
            rows=tuple(
                (wrapped, ((text.ljust(self.width), 1),))
                for _, _, text, wrapped in found[request.start : request.stop]
            ),
            first_line=0, screen_line=0, last_line=len(found) - 1, cols=self.width,
        )  # fmt: skip

    # --- copy mode

    def go(self, text: str) -> None:
        """Look at the beginning of a text, which the orchestrator hears of."""
        self.cursor.go(Place.of(self.where(text)))
        self.answer()
        self.hear()

    def press(self, motion: str) -> None:
        self.cursor.move(motion, 1)

    def copied(self) -> str:
        texts: list[str] = []
        self.cursor.copy(texts.append)
        self.answer()
        return "".join(texts)

    def point(self, at: At) -> Any:
        """Return the mouse on a cell."""
        y = at.line - self.buffer.scroll.line
        return SimpleNamespace(
            x=at.column, y=y, button=1, ctrl=False, meta=False, shift=False, time=0
        )

    def _ask_again(self) -> None:
        self.wishes += 1

    def _lay(self) -> None:
        self.marked.lay(Marks(selection=self.cursor.selection, cursor=self.cursor.place.at))

    def _renumbered(self, follow: Any) -> None:
        self.cursor.renumbered(follow)
        self.searching.renumbered(follow)


@pytest.fixture(params=[(80, 50), (50, 80), (33, 7), (7, 33)], ids=str)
def widths(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param


@pytest.mark.parametrize("away", ["alpha", "07 word", "end"])
def test_a_reflow_undoes_no_motion_that_it_does_not_know(
    widths: tuple[int, int], away: str
) -> None:
    """`wve` right behind a search: the cursor went back to where it was sent from last."""
    desk = Desk(widths[0])
    desk.go(away)
    moved = desk.reflow(widths[1])
    desk.cursor.go(Place.of(cell(12, 0, widths[0])))
    desk.press("word_next")
    desk.cursor.select(Shape.TEXT)
    desk.press("word_end")
    assert TEXT[12].index("beta") == place(desk.cursor.anchor or At(0, 0), widths[0])[1]
    desk.frame(moved)
    desk.turn()
    desk.answer()
    assert desk.cursor.place.at == cell(12, TEXT[12].index("a-gamma"), widths[1])
    assert desk.copied() == "beta"


def test_what_it_knows_stays_exactly(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.cursor.go(Place.of(desk.where("beta")))
    desk.cursor.select(Shape.TEXT)
    desk.press("word_end")
    desk.answer()
    desk.hear()
    desk.frame(desk.reflow(widths[1]))
    desk.turn()
    assert desk.cursor.place.at == cell(12, TEXT[12].index("a-gamma"), widths[1])
    assert desk.copied() == "beta"


def test_several_reflows_may_come_before_one_is_heard_of(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.go("beta")
    for width in (widths[1], 21, widths[1]):
        desk.frame(desk.reflow(width))
    assert not desk.reader.idle  # keys wait
    desk.turn()
    desk.answer()
    assert desk.cursor.place.at == desk.where("beta")
    assert desk.reader.idle


def test_lines_in_new_numbers_wait_for_their_frame(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.go("beta")
    desk.frame()  # lines on the screen are to be read again
    desk.press("word_end")
    moved = desk.reflow(widths[1])
    desk.answer()
    assert not desk.reader.idle and not desk.requests
    assert desk.cursor.place.at == cell(12, TEXT[12].index("beta"), widths[0])
    desk.frame(moved)
    desk.turn()
    desk.answer()
    assert desk.reader.idle
    assert desk.cursor.place.at == cell(12, TEXT[12].index("a-gamma"), widths[1])


def test_a_match_in_new_numbers_is_asked_for_again(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.searching.begin("?")
    desk.searching.paste("beta")
    desk.hear()
    moved = desk.reflow(widths[1])
    desk.answer()
    assert desk.searching.finder.pending
    desk.frame(moved)
    desk.turn()
    desk.answer()
    assert not desk.searching.finder.pending
    assert desk.cursor.place.at == desk.where("beta")


@pytest.mark.parametrize("shape", [Shape.TEXT, Shape.BLOCK])
def test_what_the_mouse_has_selected_follows(widths: tuple[int, int], shape: Shape) -> None:
    desk = Desk(widths[0])
    desk.marked.on_renumbered = lambda _follow: None
    desk.marked.lay(None)
    first, last = desk.where("beta"), desk.where("a-gamma")
    desk.marked.select(Selection(first, last, shape))
    desk.hear()
    desk.frame(desk.reflow(widths[1]))
    desk.turn()
    marks = desk.buffer.marks
    found = marks and marks.selection
    wanted = Selection(desk.where("beta"), desk.where("a-gamma"), shape)
    assert found == (wanted if shape is Shape.TEXT else None)


@pytest.mark.parametrize("moves", [True, False])
def test_an_answer_that_is_older_than_the_frame_keeps_no_key_waiting(
    widths: tuple[int, int], moves: bool
) -> None:
    """Frames come in at once, answers when the loop has time: keys waited for a frame for ever."""
    desk = Desk(widths[0])
    desk.frame()
    if moves:
        desk.press("word_end")
    else:
        desk.searching.begin("?")
        desk.searching.paste("beta")
    arrive = desk.answers()
    desk.frame(desk.reflow(widths[1]))
    arrive()
    desk.turn()
    arrive = desk.answers()
    desk.answer()
    arrive()
    desk.answer()
    assert desk.reader.idle and not desk.searching.finder.pending
    if not moves:
        assert desk.cursor.place.at == desk.where("beta")


def test_an_answer_to_what_was_asked_before_a_reflow_counts_no_more(
    widths: tuple[int, int],
) -> None:
    desk = Desk(widths[0])
    desk.frame()
    desk.cursor.go(Place.of(desk.where("beta")))
    desk.press("word_end")
    late = desk.answers()
    desk.hear()
    desk.frame(desk.reflow(widths[1]))
    desk.turn()
    late()
    assert not desk.buffer.is_renumbering
    desk.answer()
    assert desk.reader.idle
    assert desk.cursor.place.at == cell(12, TEXT[12].index("a-gamma"), widths[1])


def test_a_cell_follows_through_reflows_that_are_heard_one_by_one(widths: tuple[int, int]) -> None:
    """The second one is heard before the lines were read by which it follows the first one."""
    desk = Desk(widths[0])
    desk.go("alpha")
    desk.cursor.go(Place.of(cell(11, 0, widths[0])))
    desk.cursor.select(Shape.TEXT)
    desk.press("word_next")
    for width in (widths[1], 21, 13):
        desk.frame(desk.reflow(width))
        desk.turn()
        assert desk.buffer.is_renumbering and desk.requests
    desk.answer()
    assert desk.reader.idle
    assert desk.cursor.anchor == cell(11, 0, 13)
    assert desk.cursor.place.at == cell(11, 3, 13)


def test_what_is_copied_is_what_was_selected_before_a_reflow(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.cursor.go(Place.of(desk.where("beta")))
    desk.cursor.select(Shape.TEXT)
    desk.press("word_end")
    desk.answer()
    desk.hear()
    desk.frame()  # lines on the screen are to be read again
    texts: list[str] = []
    desk.cursor.copy(texts.append)
    desk.frame(desk.reflow(widths[1]))
    desk.turn()
    desk.answer()
    assert texts == ["beta"]


def test_a_drag_goes_on_from_the_text_that_it_began_on(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.marked.on_renumbered = lambda _follow: None
    desk.marked.lay(None)
    desk.mouse.press(desk.point(desk.where("beta")))
    desk.mouse.move(desk.point(desk.where("eta")))
    desk.hear()
    desk.frame(desk.reflow(widths[1]))
    desk.turn()
    desk.answer()
    desk.mouse.move(desk.point(desk.where("a-gamma")))
    desk.mouse.release(desk.point(desk.where("a-gamma")))
    desk.answer()
    assert desk.chosen == ["beta"]


def test_what_is_wanted_is_said_again_by_the_new_numbers(widths: tuple[int, int]) -> None:
    """What is said while a reflow is on its way is passed over: the view followed the tail then."""
    desk = Desk(widths[0])
    desk.marked.on_renumbered = lambda _follow: None
    desk.marked.lay(None)
    desk.viewport.fix(3, 0)
    desk.frame(desk.reflow(widths[1]))
    before = desk.wishes
    wanted = desk.buffer.wanted()
    assert wanted and wanted.screen_cols not in (0, *widths)
    desk.turn()
    wanted = desk.buffer.wanted()
    assert wanted and (wanted.screen_cols, desk.wishes) == (widths[1], before + 1)


def test_the_first_line_left_is_looked_at_by_its_own_number(widths: tuple[int, int]) -> None:
    desk = Desk(widths[0])
    desk.go("beta")
    desk.frame(desk.reflow(widths[1]))
    desk.buffer.scroll = desk.buffer.scroll._replace(first_line=10_000)
    desk.cursor.keep_up()
    desk.buffer.scroll = desk.buffer.scroll._replace(first_line=0)
    desk.turn()
    desk.answer()
    assert desk.cursor.place.at == desk.where("beta")


def words(count: int) -> list[tuple[int, int]]:
    """Return where so many words begin, in TEXT."""
    desk = Desk(200)
    desk.cursor.go(Place.of(At(0, 0)))
    desk.answer()
    found = []
    for _ in range(count):
        found.append(place(desk.cursor.place.at, 200))
        desk.press("word_next")
        desk.answer()
    return found


class Order:
    """A desk at which all that may wait waits, until it is its turn: each in its own line."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.desk = Desk(60)
        self.came: deque[Callable[[], object]] = deque()
        """What the orchestrator has sent."""
        self.desk.cursor.go(Place.of(At(0, 0)))
        self.desk.answer()
        self.desk.hear()
        self.widths = [*range(7, 60), *range(61, 130)]
        self.at = 0
        """The number of the word that the cursor is on."""

    def key(self) -> None:
        """Go to the next word, or to the previous one."""
        if self.desk.reader.idle:
            back = self.at > 0 and self.random.random() < 0.4
            self.at += -1 if back else 1
            self.desk.press("word_previous" if back else "word_next")

    def wish(self) -> None:
        """Have the orchestrator know the cell, if it is by the numbers of the moment."""
        wanted = self.desk.buffer.wanted()
        if wanted and wanted.screen_cols == self.desk.width:
            self.desk.hear()

    def reflow(self) -> None:
        """Take another width, and one that was not there before: numbers are known by it."""
        self.widths.remove(width := self.random.choice(self.widths))
        moved = self.desk.reflow(width)
        self.came.append(partial(self.desk.buffer.take, self.desk.made_frame(moved)))

    def ask(self) -> None:
        """Have a request reach the orchestrator, whose answer is the loop's to take."""
        if self.desk.requests:
            request, then = self.desk.requests.pop(0)
            answer = self.desk.answered(request)
            self.came.append(lambda: self.desk.posts.append(lambda: then(answer)))

    def arrive(self) -> None:
        if self.came:
            self.came.popleft()()

    def turn(self) -> None:
        if self.desk.posts:
            self.desk.posts.pop(0)()

    def settle(self) -> None:
        while self.desk.requests or self.came or self.desk.posts:
            self.ask()
            self.arrive()
            self.turn()


def test_keys_go_on_where_they_were_whatever_comes_first() -> None:
    found = words(60)
    for seed in range(150):
        order = Order(seed)
        steps = [order.key, order.wish, order.ask, order.arrive, order.turn]
        for _ in range(120):
            order.random.choice([*steps, *steps, order.reflow])()
        order.settle()
        assert order.desk.reader.idle, seed
        assert place(order.desk.cursor.place.at, order.desk.width) == found[order.at], seed
