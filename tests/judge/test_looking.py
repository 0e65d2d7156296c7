"""What the judge is shown of a real screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge.evidence import Evidence, Key, Says, Source, Typed, View
from nagomi_tui.judge.replay import Printing
from nagomi_tui.judge.senses.observer import Observer, Senses
from nagomi_tui.terminal.choose import open_engine

if TYPE_CHECKING:
    from nagomi_tui.judge.evidence import Event
    from nagomi_tui.text.rows import Row

ON, OFF = "\x1b[?2004h", "\x1b[?2004l"


class Watched:
    """An observer over a real engine, and what it told."""

    def __init__(self, engine: str, senses: Senses | None = None) -> None:
        self.told: list[Event] = []
        self.engine = open_engine(40, 6, prefer=engine)
        self.observer = Observer(self.engine, self.told.append, senses)
        self._printing = Printing(self.engine, self.observer)
        self.at = 0.0

    def output(self, *texts: str) -> View:
        for text in texts:
            self.at += 1.0
            self.print(text.encode(), self.at)
        return self.observer.view(self.at)

    def print(self, data: bytes, at: float) -> None:
        self._printing.print(data, at)

    def editor(self) -> list[Says]:
        return [
            told.says
            for told in self.told
            if isinstance(told, Evidence) and told.source is Source.EDITOR
        ]


@pytest.fixture(params=["ghostty", "pyte"])
def watched(request: pytest.FixtureRequest) -> Watched:
    return Watched(request.param)


@pytest.mark.requirement("NB-6")
def test_the_echo_of_what_was_typed_is_not_among_the_lines(watched: Watched) -> None:
    view = watched.output(f"{ON}$ ", "echo error", f"\r\n{OFF}\r", "fine\r\n", f"{ON}$ ")
    assert view.lines == ("fine", "$")
    assert view.command == "$ echo error"
    assert watched.editor() == [Says.REST, Says.RUNNING, Says.REST]


@pytest.mark.requirement("N-78")
def test_a_prompt_of_several_lines_is_no_output(watched: Watched) -> None:
    drawn = "\r\n+ ~/work (main) 12:00\r\n+ $ "
    for prompt in (f"{ON}{drawn}", f"\x1b]133;A\x07{drawn}{ON}"):
        view = watched.output(f"{ON}$ ", f"make\r\n{OFF}\r", f"boring words\r\n{prompt}")
        assert view.lines[-3:] == ("", "+ ~/work (main) 12:00", "+ $")
        assert view.output == ("boring words", "+ $")
        watched.output(f"\r\n{OFF}")
    watched.output(ON)
    # What is below an editor that began long before is its program's output.
    view = watched.output("make\r\n", *(f"{n}\r\n" for n in range(4)))
    assert view.output == view.lines


def test_the_rule_of_a_line_editor_says_whether_a_line_is_read_or_entered() -> None:
    watched = Watched("ghostty")
    watched.output(f"{ON}$ ", f"x\r\n{OFF}")
    rules = [told.rule for told in watched.told if isinstance(told, Evidence)]
    assert rules == ["line-is-read", "line-was-entered"]


def test_a_command_that_comes_and_goes_in_one_piece_is_heard(watched: Watched) -> None:
    view = watched.output(f"{ON}$ ", f"ls\r\n{OFF}\ra b\r\n{ON}$ ")
    assert view.lines == ("a b", "$")
    assert view.command == "$ ls"
    assert watched.editor() == [Says.REST, Says.RUNNING, Says.REST]


def test_a_long_command_is_put_together_again(watched: Watched) -> None:
    typed = "x" * 60
    view = watched.output(f"{ON}$ ", typed, f"\r\n{OFF}\rout\r\n")
    assert view.command == f"$ {typed}"
    assert view.lines[0] == "out"


def test_a_mode_that_is_cut_in_two_is_heard_once(watched: Watched) -> None:
    watched.output("\x1b[?20", "04h$ ", "\x1b", "[?2004l")
    assert watched.editor() == [Says.REST, Says.RUNNING]


def test_a_program_that_resets_what_it_never_set_begins_no_command(watched: Watched) -> None:
    watched.output(f"{ON}$ ", f"x\r\n{OFF}\r", f"bye{OFF}\r\n", f"{ON}$ ")
    assert watched.editor() == [Says.REST, Says.RUNNING, Says.REST]


def test_lines_scroll_away_and_only_the_tail_is_shown(watched: Watched) -> None:
    view = watched.output(f"{ON}$ ", f"x\r\n{OFF}\r", "".join(f"{n}\r\n" for n in range(300)))
    assert len(view.lines) <= 82
    assert view.lines[-2:] == ("299", "")


def test_enter_begins_the_lines_of_a_turn_where_no_shell_tells(watched: Watched) -> None:
    watched.output("old error\r\n> fix the error")
    watched.observer.typed(Typed(watched.at, Key.ENTER))
    assert watched.output("\r\ndone\r\n").lines == ("done", "")


def test_looks_are_spaced_out_while_output_flows(watched: Watched) -> None:
    def looks() -> list[float]:
        return [round(told.at, 2) for told in watched.told if isinstance(told, View)]

    for step in range(120):
        at = 1.0 + step / 100
        watched.print(b"x", at)
        if watched.observer.due is not None and at >= watched.observer.due:
            watched.observer.peek(at)
    assert looks() == [1.0, 1.5]
    watched.observer.peek(2.25)
    assert watched.observer.due == pytest.approx(2.29)
    watched.observer.peek(2.3)
    assert looks()[-1] == 2.3
    assert watched.observer.due is None


def test_a_pause_in_which_the_worker_does_not_read_is_no_silence() -> None:
    """A spinner of 12 frames a second that is read four times a second still flows."""
    watched = Watched("ghostty")
    watched.observer.rest_seconds = 0.25
    for n in range(40):
        watched.print(f"\r{n}".encode(), n / 4)
        if (due := watched.observer.due) is not None and due < (n + 1) / 4:
            watched.observer.peek(due)
    looks = [told for told in watched.told if isinstance(told, View)]
    assert len(looks) <= 20
    watched.observer.peek(watched.observer.due or 0.0)
    assert watched.observer.is_current


@pytest.mark.requirement("N-85")
def test_a_question_beside_a_clock_is_seen_within_a_second(watched: Watched) -> None:
    """Nothing keeps still here for a tenth of a second, and before it a log has scrolled."""
    at, asked = 0.0, 20.0
    seen = None
    while seen is None:
        at += 0.05
        if at < asked:
            text = f"line {at:.2f}\r\n"
        else:
            text = f"\x1b[6;1HGo on? [y/N] \x1b7\x1b[1;30H{at:.2f}\x1b8"
        watched.print(text.encode(), at)
        if watched.observer.due is not None and at >= watched.observer.due:
            watched.observer.peek(at)
        views = [told for told in watched.told if isinstance(told, View)]
        seen = next((view.at for view in views if "Go on?" in view.cursor_line), None)
        assert at < asked + 5
    assert seen - asked <= 0.8
    count = sum(isinstance(told, View) for told in watched.told)
    assert count < 12  # The log of twenty seconds cost one look each four.


def test_a_flood_of_titles_is_heard_as_the_last_one(watched: Watched) -> None:
    watched.output("".join(f"\x1b]0;⠋ {number}\x07" for number in range(500)))
    titles = [told for told in watched.told if isinstance(told, Evidence)]
    assert [told.text for told in titles] == ["⠋ 499"]


def test_after_a_rebuild_what_was_there_is_of_no_turn(watched: Watched) -> None:
    watched.output(f"Traceback\r\nold error\r\n{ON}$ ")
    resumed = Observer(watched.engine, watched.told.append)
    watched.told.clear()
    resumed.resume(9.0)
    assert watched.editor() == [Says.REST]
    assert resumed.view(9.0).lines == ()


def test_after_a_rebuild_the_lines_of_an_open_question_are_the_turns(watched: Watched) -> None:
    watched.output("a\r\nb\r\nc\r\nGo on?\r\n\r\n")
    resumed = Observer(watched.engine, watched.told.append)
    resumed.resume(9.0, asked=True)
    assert resumed.view(9.0).lines == ("b", "c", "Go on?", "", "")


def test_only_the_end_of_a_command_is_looked_at_once_it_is_told() -> None:
    watched = Watched("ghostty")
    watched.observer.rest_seconds = 5.0
    watched.print(f"{ON}$ ".encode(), 1.0)
    assert watched.observer.due == pytest.approx(1.1)  # a prompt is read soon
    watched.observer.look(1.1)
    watched.told.clear()
    watched.print(b"\x1b]133;C\x07", 1.2)
    watched.print(b"\x1b]777;notify;t;x\x07", 1.3)
    assert not any(isinstance(told, View) for told in watched.told)
    watched.print(b"\x1b]133;D;0\x07", 1.4)
    assert [isinstance(told, View) for told in watched.told] == [False, False, True, False]


@pytest.mark.parametrize(("count", "above"), [(0, 0), (1, 1), (3, 3), (4, 0)])
def test_a_prompt_has_up_to_three_lines_above_its_last(
    watched: Watched, count: int, above: int
) -> None:
    prompt = "".join(f"{n}\r\n" for n in range(count))
    view = watched.output(f"{ON}$ ", f"x\r\n{OFF}\r", f"{ON}{prompt}$ ")
    assert view.prompt_lines == above


def test_a_sense_that_is_left_out_tells_nothing() -> None:
    blind = Watched("ghostty", Senses(screen=False, titles=False, shell_integration=False))
    blind.output(f"{ON}$ \x1b]0;⠋ x\x07\x1b]133;C\x07")
    assert blind.told == []


def test_the_cursor_line_keeps_the_blank_behind_a_question(watched: Watched) -> None:
    assert watched.output("Sure? ").cursor_line == "Sure? "
    assert watched.output("\r\n続けますか? ").cursor_line == "続けますか? "


def test_lines_that_scrolled_away_are_told_again_as_they_were(watched: Watched) -> None:
    for number in range(0, 300, 7):
        view = watched.output("".join(f"{n}\r\n" for n in range(number, number + 7)))
        watched.observer.look(watched.at)
    lines = [line for line in view.lines if line]
    assert lines == [str(n) for n in range(301 - len(lines), 301)]


def test_of_lines_that_scrolled_away_only_the_last_three_are_read_again(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, read = watched.engine.lines, list[int]()

    def counted(start: int, stop: int, *, plain: bool = False) -> list[Row]:
        if plain:
            read.append(stop - start)
        return lines(start, stop, plain=plain)

    monkeypatch.setattr(watched.engine, "lines", counted)

    def numbers(last: int, count: int) -> tuple[str, ...]:
        return tuple(str(number) for number in range(last - count + 1, last + 1))

    watched.output(f"{ON}$ ", f"x\r\n{OFF}\r", "".join(f"{n}\r\n" for n in range(20)))
    read.clear()
    assert watched.output("20\r\n").lines == (*numbers(20, 21), "")
    assert read == [4]  # all of the turn are shown, and one more has scrolled away
    watched.output("".join(f"{n}\r\n" for n in range(21, 300)))
    read.clear()
    assert watched.output("300\r\n", "301\r\n").lines == (*numbers(301, 80), "")
    assert read == [5]  # only the last lines of the turn are shown, and two more have scrolled away
    watched.output("\x1b[H")
    read.clear()
    assert watched.output("\x1b[4B").lines == numbers(301, 81)
    assert read == [3]  # nothing has scrolled away


@pytest.mark.requirement("N-73")
def test_as_many_lines_are_shown_as_the_profile_says(watched: Watched) -> None:
    text = "".join(f"{n}\r\n" for n in range(300))
    assert "219" not in watched.output(text).lines
    watched.observer.tail_lines = 200
    lines = [line for line in watched.output("end\r\n").lines if line]
    assert lines[-2:] == ["299", "end"] and 190 <= len(lines) <= 200


def test_behind_a_look_the_next_output_is_looked_at_a_tenth_of_a_second_later(
    watched: Watched,
) -> None:
    watched.print(b"x", 1.0)
    assert watched.observer.due == pytest.approx(1.1) and watched.observer.is_current
    watched.observer.peek(1.2)
    assert watched.observer.due is None and watched.observer.is_current
    watched.print(b"y", 1.25)
    assert watched.observer.due == pytest.approx(1.3)
    assert not watched.observer.is_current
    watched.observer.peek(1.29)
    assert not watched.observer.is_current
    watched.observer.peek(1.35)
    assert watched.observer.is_current
    watched.observer.look(2.0)
    watched.print(b"z", 2.0 + 0.1)
    assert watched.observer.is_current


@pytest.mark.parametrize(("count", "heard"), [(8, 8), (9, 1)])
def test_of_more_than_eight_events_in_one_piece_the_last_is_heard(count: int, heard: int) -> None:
    watched = Watched("ghostty")
    watched.output("".join(f"\x1b]777;notify;t;{n}\x07" for n in range(count)))
    assert sum(isinstance(told, Evidence) for told in watched.told) == heard


def test_marks_of_commands_are_all_heard_beside_a_flood() -> None:
    watched = Watched("ghostty")
    notices = "".join(f"\x1b]777;notify;t;{n}\x07" for n in range(20))
    watched.output(notices + "\x1b]133;C\x07\x1b]133;D;1\x07" * 4)
    says = [told.says for told in watched.told if isinstance(told, Evidence)]
    assert says == [Says.CALLS, *[Says.RUNNING, Says.FAILED] * 4]


def test_characters_left_of_the_cursor_are_counted_over_wide_ones_and_blanks(
    watched: Watched,
) -> None:
    assert watched.output("日本a").cursor_x == 3
    assert watched.output("\x1b[5C").cursor_x == 8


def test_after_a_rebuild_title_and_status_are_heard_and_begin_no_turn() -> None:
    watched = Watched("ghostty")
    watched.output("\x1b]0;⠋ x\x07\x1b]7501;state=working\x07")
    resumed = Observer(watched.engine, watched.told.append)
    watched.told.clear()
    resumed.resume(9.0)
    told = [one for one in watched.told if isinstance(one, Evidence)]
    assert [(one.source, one.says, one.begins) for one in told] == [
        (Source.TITLE, Says.BUSY, False), (Source.STATUS, Says.BUSY, False)
    ]  # fmt: skip


def test_only_enter_begins_the_lines_of_a_turn(watched: Watched) -> None:
    watched.output("old\r\n> text")
    watched.observer.typed(Typed(watched.at, Key.TEXT))
    assert watched.output("\r\nnew").lines == ("old", "> text", "new")


def test_a_cursor_that_goes_up_shows_lines_from_farther_up(watched: Watched) -> None:
    watched.output("".join(f"{n}\r\n" for n in range(300)))
    watched.observer.look(watched.at)
    lines = watched.output("\x1b[3A").lines
    assert list(lines) == [str(n) for n in range(298 - len(lines), 298)]


def test_a_question_wider_than_the_screen_is_read_whole(watched: Watched) -> None:
    """A row of the terminal may end in a blank, or one cell before a wide character."""
    view = watched.output("Are you sure you want to go on with all [y/N] ")
    assert view.cursor_line == "Are you sure you want to go on with all [y/N] "
    view = watched.output("n\r\n" + "x" * 39 + "続けますか？ ")
    assert view.cursor_line.replace(" ", "") == "x" * 39 + "続けますか？"
    assert watched.output("no\r\nName: ").cursor_line == "Name: "


LONG = "the build of package alpha-beta-gamma-delta has FAILED because of missing headers"


@pytest.mark.requirement("N-51")
def test_a_line_that_takes_several_rows_is_told_whole(watched: Watched) -> None:
    view = watched.output(f"{ON}$ ", f"make\r\n{OFF}", f"{LONG}\r\nnext\r\n", f"{ON}$ ")
    assert view.lines == (LONG, "next", "$")
    more = "".join(f"line {number}\r\n" for number in range(20))
    assert watched.output(f"ls\r\n{OFF}", f"{LONG}\r\n", more).lines[:2] == (LONG, "line 0")


@pytest.mark.parametrize("clears", ["\x1b[H\x1b[2J", "\x1b[H\x1b[2J\x1b[3J", "\x1bc"])
@pytest.mark.parametrize("above", [0, 3, 20])
@pytest.mark.requirement("N-78")
def test_what_follows_clear_is_the_turns(watched: Watched, clears: str, above: int) -> None:
    before = "".join(f"old {number}\r\n" for number in range(above))
    watched.output(f"{before}{ON}$ ", f"clear; make\r\n{OFF}")
    view = watched.output(f"{clears}cc a.c\r\nERROR: no rule\r\n", f"{ON}$ ")
    assert view.lines == ("cc a.c", "ERROR: no rule", "$")
    again = watched.output(f"{clears}ERROR: once more\r\n")
    assert again.lines[0] == "ERROR: once more"
    watched.output(f"{ON}$ ", f"clear; make\r\n{OFF}")
    view = watched.output(f"{clears}cc b.c\r\nfine\r\n{ON}$ ")
    assert view.lines == ("cc b.c", "fine", "$")


@pytest.mark.parametrize("above", ["", "error: old\r\n"])
def test_a_line_that_is_echoed_after_enter_is_not_the_turns(watched: Watched, above: str) -> None:
    """Keys that are sent at once are echoed only when their Enter is known."""
    watched.output(f"{above}# ")
    watched.observer.typed(Typed(watched.at, Key.ENTER))
    assert watched.output("echo fatal\r\n", "fatal\r\n# ").lines_above == ("fatal",)


def test_enter_at_a_line_that_its_program_draws_anew_tells_no_older_lines(watched: Watched) -> None:
    watched.output("error: old\r\n 10 %")
    watched.observer.typed(Typed(watched.at, Key.ENTER))
    assert watched.output("\r 20 %", "\r100 %\r\ndone\r\n").lines_above == ("done",)


def test_the_lines_of_a_command_are_read_before_its_end_is_told(watched: Watched) -> None:
    """However long its worker rests, and also where the next one begins in the same piece."""
    watched.observer.rest_seconds = 5.0
    watched.output(f"{ON}$ ")
    for name in ("one", "two"):
        watched.at += 0.2
        piece = f"{name}\r\n{OFF}\x1b]133;C\anot found: {name}\r\n\x1b]133;D;1\a{ON}$ "
        watched.print(piece.encode(), watched.at)
    ends = [at for at, told in enumerate(watched.told) if said(told, "mark-D")]
    views = [[told for told in watched.told[:at] if isinstance(told, View)][-1] for at in ends]
    assert [view.lines_above[-1] for view in views] == ["not found: one", "not found: two"]


def said(told: Event, rule: str) -> bool:
    return isinstance(told, Evidence) and told.rule == rule


def test_a_band_stays_one_at_a_resize_until_it_is_drawn_anew(watched: Watched) -> None:
    """A wider terminal has a message's band end in its middle for a moment: it is no button then."""
    band = "\x1b[H\x1b[48;5;236m" + "› run the test".ljust(40) + "\x1b[m"
    assert 0 in watched.output(f"{band}\r\n\r\nNo module of that name\r\n").bars
    watched.engine.resize(70, 6)
    assert 0 in watched.observer.view(watched.at + 0.2).bars
    watched.engine.resize(90, 6)
    assert 0 in watched.observer.view(watched.at + 0.4).bars
    watched.observer.view(watched.at + 10.0)
    watched.at += 10.0
    assert 0 not in watched.output(band.replace("run", "ran")).bars


@pytest.mark.parametrize(("after", "is_one"), [(2.9, True), (3.0, False)])
def test_three_seconds_after_a_resize_a_band_is_as_wide_as_the_screen(
    watched: Watched, after: float, is_one: bool
) -> None:
    watched.output("one")
    watched.engine.resize(70, 6)
    watched.observer.view(10.0)
    watched.engine.feed(b"\x1b[H\x1b[48;5;236m" + b"x" * 40 + b"\x1b[m")
    assert (0 in watched.observer.view(10.0 + after).bars) is is_one


@pytest.mark.parametrize("size", [(40, 9), (60, 6)])
def test_a_screen_is_being_drawn_anew_for_a_while_after_a_resize(
    watched: Watched, size: tuple[int, int]
) -> None:
    assert not watched.output("one").resized
    watched.engine.resize(*size)
    assert [watched.output("x").resized for _ in range(4)] == [True, True, True, False]
