"""How the user's terminal is asked to show something: by its name, and through multiplexers."""

from __future__ import annotations

import re

import pytest

from nagomi_tui.alerts.outer_terminal import (  # fmt: skip
    BEL,
    CLICKED,
    Outer,
    notice,
    outer,
    progress,
    titled,
    way_of,
    wrapped,
)

ID = "0b0e7f7e-55a0-4a5f-8f0e-0123456789ab"


def shown(terminal: Outer, setting: str = "auto", *, hushed: bool = False) -> str:
    way = way_of(terminal, setting)
    return notice(terminal, way, title="t;1", body="b", session=ID, hushed=hushed)


@pytest.mark.parametrize(
    ("env", "version", "way"),
    [
        ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, "", "osc99"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "", "osc9"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "", "osc9"),
        ({"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"}, "", "osc9"),
        ({"TERM": "foot"}, "", "osc777"),
        ({"TERM": "rxvt-unicode-256color"}, "", "osc777"),
        ({"TERM": "xterm-256color", "WT_SESSION": "x"}, "", "osc777"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, "", "bell"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, "", "bell"),
        ({"TERM": "linux"}, "", "bell"),
        # Over ssh no variable comes along, but the terminal says its name.
        ({"TERM": "xterm-256color"}, "kitty(0.35.2)", "osc99"),
        ({"TERM": "xterm-256color"}, "WezTerm 20240203", "osc9"),
        ({"TERM": "xterm-256color"}, "", "osc777"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "", "osc9"),
    ],
)
def test_the_way_goes_by_the_terminal(env: dict[str, str], version: str, way: str) -> None:
    assert way_of(outer(env, version), "auto") == way
    assert way_of(outer(env, version), "bell") == "bell"


def test_each_way_says_title_and_body() -> None:
    kitty, iterm, foot = (Outer(program=name) for name in ("kitty", "iterm2", "foot"))
    assert shown(iterm) == "\x1b]9;t;1: b\x07"
    assert shown(foot) == "\x1b]777;notify;t,1;b\x07"
    told = shown(kitty)
    assert told.startswith(f"\x1b]99;i=ng-{ID}:e=1:d=0:a=focus,report;dDsx\x1b\\")
    assert told.endswith(f"\x1b]99;i=ng-{ID}:e=1:d=1:p=body;Yg==\x1b\\")
    assert shown(foot, "bell") == BEL
    assert shown(foot, "bell", hushed=True) == shown(foot, "off") == ""


def test_a_click_is_understood() -> None:
    found = CLICKED.match(f"\x1b]99;i=ng-{ID};\x1b\\".encode())
    assert found is not None
    assert found[1].decode() == ID


def test_bell_goes_unwrapped_beside_what_may_get_lost() -> None:
    unknown = Outer()
    tmux, screen = Outer(between="tmux"), Outer(between="screen")
    assert shown(unknown) == "\x1b]777;notify;t,1;b\x07\x07"
    assert shown(tmux) == "\x1bPtmux;\x1b\x1b]777;notify;t,1;b\x07\x1b\\\x07"
    assert shown(tmux, hushed=True).endswith("\x1b\\")
    assert shown(screen) == "\x1bP\x1b]777;notify;t,1;b\x07\x1b\\\x07"


def test_screen_is_only_given_what_it_does_not_spoil() -> None:
    screen = Outer(between="screen")
    told = notice(screen, "osc777", title="ゆるつく：api", body="〛\x1b]52;c;x", session=ID)
    assert told == "\x1bP\x1b]777;notify;api;]52,c,x\x07\x1b\\\x07"
    assert "notify;nagomi;" in notice(screen, "osc777", title="あ", body="", session=ID)
    whole = notice(screen, "osc99", title="あ", body="", session=ID)
    assert "44GC" in whole.replace("\x1b\\\x1bP", "")
    assert "あ" in notice(Outer(between="tmux"), "osc777", title="あ", body="", session=ID)


def test_a_notice_without_a_body_is_its_title() -> None:
    told = notice(Outer(program="iterm2"), "osc9", title="t", body="", session=ID)
    assert told == "\x1b]9;t\x07"


def test_bell_rings_beside_a_notice_through_a_multiplexer_only_unless_hushed() -> None:
    through, straight = Outer(program="foot", between="tmux"), Outer(program="foot")
    assert shown(through).endswith("\x1b\\" + BEL)
    assert not shown(through, hushed=True).endswith(BEL)
    assert shown(straight).count(BEL) == 1


@pytest.mark.parametrize("title", ["4;1;50", "9", "12;x"])
def test_osc_9_is_never_a_command_of_its_own(title: str) -> None:
    for body in ("", "3;4"):
        told = notice(Outer(program="iterm2"), "osc9", title=title, body=body, session=ID)
        assert not re.match(r"\x1b\]9;\d+(;|\x07)", told)


def test_osc_777_has_just_its_fields() -> None:
    told = notice(Outer(program="foot"), "osc777", title="a;b", body="c;d;\x9be", session=ID)
    assert told == "\x1b]777;notify;a,b;c,d, e\x07"


def test_a_long_notice_reaches_screen_in_pieces_without_an_end_inside() -> None:
    screen = Outer(program="kitty", between="screen")
    told = wrapped(screen, notice(Outer(), "osc99", title="t" * 300, body="b", session=ID))
    pieces = told.split("\x1b\\")
    assert len(pieces) > 4
    assert all(piece.startswith("\x1bP") and len(piece) < 256 for piece in pieces[:-1])


def test_nothing_in_a_text_ends_the_sequence() -> None:
    for way in ("osc9", "osc777", "osc99"):
        told = notice(
            Outer(program="x"),
            way,
            title="a\x07\x1b]52;c;eA==\x07",
            body="b\x9c\x1b\\\n",
            session=ID,
        )  # type: ignore[arg-type]
        assert "\x1b]52" not in told
        assert told.count("\x1b]") == (2 if way == "osc99" else 1)
    assert titled("a\x1bb\x07") == "\x1b]0;a b\x07"


def test_progress_only_where_it_is_drawn() -> None:
    assert progress(Outer(program="foot"), state=4, percent=50) == ""
    windows = outer({"TERM": "xterm-256color", "WT_SESSION": "x"})
    assert progress(windows, state=4, percent=50) == "\x1b]9;4;4;50\x07"
    old = outer({"TERM": "x", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.0"})
    new = outer({"TERM": "x", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"})
    assert (old.progress, new.progress) == (False, True)


def test_what_sits_between_is_seen() -> None:
    assert outer({"TERM": "tmux-256color", "TMUX": "x"}).between == "tmux"
    assert outer({"TERM": "screen", "STY": "1.x"}).between == "screen"
    assert outer({"TERM": "screen-256color"}, "tmux 3.3a").between == "tmux"
    assert outer({"TERM": "xterm-256color"}).between == ""
    for env in ({"TERM": "xterm", "TMUX": "x"}, {"TERM": "tmux-256color"}):
        assert outer(env).between == "tmux"
    for env in ({"TERM": "xterm", "STY": "1.x"}, {"TERM": "screen-256color"}):
        assert outer(env).between == "screen"


@pytest.mark.parametrize(
    ("env", "version", "program"),
    [
        ({"TERM": "x", "WEZTERM_PANE": "0"}, "", "wezterm"),
        ({"TERM": "x", "VTE_VERSION": "7900"}, "", "vte"),
        ({"TERM": "x", "TERM_PROGRAM": "vscode", "VTE_VERSION": "7900"}, "", "vscode"),
        ({"TERM": "x", "TERM_PROGRAM": "tmux", "LC_TERMINAL": "iTerm2"}, "", "iterm2"),
        ({"TERM": "xterm-ghostty"}, "", "ghostty"),
        ({"TERM": "xterm"}, "", ""),
        ({"TERM": "foot"}, "kitty(0.35)", "kitty"),
        # Between them and us sits tmux, which answers for itself.
        ({"TERM": "tmux", "WT_SESSION": "x"}, "kitty(0.35)", "windows terminal"),
    ],
)
def test_the_program_goes_by_its_answer_then_its_variables(
    env: dict[str, str], version: str, program: str
) -> None:
    assert outer(env, version).program == program


@pytest.mark.parametrize(
    ("env", "version", "drawn"),
    [
        ({"TERM": "x", "VTE_VERSION": "7900"}, "", True),
        ({"TERM": "x", "VTE_VERSION": "7899"}, "", False),
        ({"TERM": "x", "LC_TERMINAL": "iTerm2", "LC_TERMINAL_VERSION": "3.6.6"}, "", True),
        ({"TERM": "x", "LC_TERMINAL": "iTerm2", "LC_TERMINAL_VERSION": "3.6.5"}, "", False),
        ({"TERM": "x", "TERM_PROGRAM_VERSION": "3.6.6"}, "iTerm2 3.5.0", False),
        ({"TERM": "x", "TERM_PROGRAM_VERSION": "3.5.0"}, "iTerm2 3.7", True),
        ({"TERM": "x", "ConEmuPID": "7"}, "", True),
        ({"TERM": "x", "KONSOLE_VERSION": "7"}, "", False),
    ],
)
def test_progress_goes_by_the_version_that_draws_it(
    env: dict[str, str], version: str, drawn: bool
) -> None:
    assert outer(env, version).progress is drawn


def test_a_terminal_without_titles_rings() -> None:
    for term, titles in (("linux", False), ("dumb", False), ("", False), ("xterm", True)):
        terminal = outer({"TERM": term})
        assert terminal.titles is titles
        assert (way_of(terminal, "auto") == "bell") is not titles
