"""The driver under a real terminal: every key to where it belongs, and the terminal given back."""

from __future__ import annotations

import os
import random
import signal
import string
import termios
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api.messages import Colors, Focus, Message, Paste, Point, Press, TypeText
from nagomi_tui.text.rows import Cursor, Modes, Row, Run, Style
from tests.helpers.pane_app import SESSIONS
from tests.helpers.pane_terminal import PaneTerminal
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).parents[2]
LEADER = b"\x1d"


@pytest.fixture(scope="module")
def shared() -> Iterator[PaneTerminal]:
    with PaneTerminal(REPOSITORY) as terminal:
        yield terminal


@pytest.fixture
def terminal(shared: PaneTerminal) -> PaneTerminal:
    """One app for many tests, with nothing heard or shown yet, and the keys with Textual."""
    shared.start_over()
    return shared


@pytest.fixture
def own() -> Iterator[PaneTerminal]:
    """An app for a test that ends or changes it."""
    with PaneTerminal(REPOSITORY) as terminal:
        yield terminal


def give_keys(terminal: PaneTerminal, session: str = SESSIONS[0]) -> None:
    terminal.do(f"keys {session}")
    until(lambda: terminal.front.focus == session, "keys for the session")


def typed(terminal: PaneTerminal) -> str:
    """Return what the sessions were typed, as text."""
    parts = []
    for message in list(terminal.front.heard):
        if isinstance(message, Press):
            parts.append(message.text or f"<{message.key}>")
        elif isinstance(message, (TypeText, Paste)):
            parts.append(message.text)
    return "".join(parts)


def test_2000_keys_arrive_in_order_while_four_views_repaint(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    stop = threading.Event()

    def flood() -> None:
        rng = random.Random(5)
        while not stop.wait(0.004):
            for session in SESSIONS:
                text = "".join(rng.choices(string.ascii_letters, k=40))
                terminal.show(session, [(rng.randrange(14), Row((Run(text, Style(fg=2)),)))])

    painting = threading.Thread(target=flood)
    painting.start()
    rng = random.Random(6)
    keys = "".join(rng.choices(string.ascii_letters + string.digits + "日本é", k=2000))
    for at in range(0, len(keys), 7):
        terminal.type(keys[at : at + 7].encode())
    until(lambda: len(typed(terminal)) >= len(keys), "all keys")
    stop.set()
    painting.join()
    assert typed(terminal) == keys
    terminal.settled("after the flood")


def test_keys_are_held_from_the_leader_until_its_command_is_done(own: PaneTerminal) -> None:
    give_keys(own)
    own.type(b"before" + LEADER + b"c" + b"into the dialog")
    until(lambda: own.said("input", "into the dialog"), "text in the dialog")
    assert typed(own) == "before"
    assert [report[1] for report in own.said("leader")] == ["c"]
    assert [report[1] for report in own.said("pending")] == [True, False]


def test_leader_with_control_equals_leader_alone_and_f12_leads_too(
    terminal: PaneTerminal,
) -> None:
    give_keys(terminal)
    terminal.type(LEADER + b"\x04" + b"\x1b[24~d" + LEADER + b"?" + LEADER + b"\t" + b"x")
    until(lambda: typed(terminal) == "x", "the key after the commands")
    assert [report[1] for report in terminal.said("leader")] == ["d", "d", "?", "tab"]


def test_leader_twice_goes_through_and_escape_cancels(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    terminal.type(LEADER + LEADER + LEADER + b"\x1b[27u" + b"x")
    until(lambda: typed(terminal).endswith("x"), "the last key")
    presses = [message for message in terminal.front.of(Press) if isinstance(message, Press)]
    assert [(press.key, press.mods) for press in presses] == [("]", 4), ("x", 0)]
    assert terminal.said("leader") == []


@pytest.mark.parametrize(
    ("leader", "command", "name"),
    [
        (b"\x1b[1098::93;5u", "в".encode(), "d"),
        (b"\x1b[27;5;1098~", b"\x1b[1074::100;5u", "d"),
        (b"\x1b[1098;5u", "В".encode(), "D"),
        (LEADER, "ג".encode(), "d"),
        (LEADER, "δ".encode(), "d"),
        (LEADER, "Ж".encode(), ":"),
    ],
)
def test_leader_and_its_commands_are_the_same_in_every_layout(
    terminal: PaneTerminal, leader: bytes, command: bytes, name: str
) -> None:
    give_keys(terminal)
    terminal.type(leader + command + b"x")
    until(lambda: typed(terminal) == "x", "the key after the command")
    assert [report[1] for report in terminal.said("leader")] == [name]


def test_a_shortcut_tells_the_place_of_its_key(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    # Hebrew has a sign where w is; in Dvorak's layout it would be meant itself.
    terminal.type(b"\x1b[39::119;5u" + "ש".encode() + b"\x1b[39::119;5u\x1b[1089::99;5u")
    until(lambda: len(terminal.front.of(Press)) == 4, "four keys")
    presses = [message for message in terminal.front.of(Press) if isinstance(message, Press)]
    assert [(p.key, p.mods, p.base) for p in presses] == [
        ("'", 4, "w"), ("ש", 0, ""), ("w", 4, "w"), ("с", 4, "c"),
    ]  # fmt: skip


def test_textuals_shortcuts_are_the_same_in_every_layout(terminal: PaneTerminal) -> None:
    terminal.do("keys ")
    until(lambda: terminal.said("keys"), "keys for Textual")
    terminal.type(b"\x1b[1089::99;5u" + "й".encode())
    until(lambda: len(terminal.said("key")) >= 2, "keys")
    assert [report[1] for report in terminal.said("key")] == ["ctrl+c", "q"]


def test_a_change_of_the_colour_scheme_is_followed(own: PaneTerminal) -> None:
    until(lambda: b"\x1b[?2031h" in own.stream, "a subscription")
    asked = own.stream.count(b"\x1b]11;?")
    own.type(b"\x1b[?997;2n")
    until(lambda: own.stream.count(b"\x1b]11;?") == asked + 1, "colours asked again")
    own.type(b"\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
    # Those that it had at first may be told on only now.
    told = Colors(foreground=0, background=0xFFFFFF)
    until(lambda: own.front.of(Colors)[-1:] == [told], "colours told on")


def test_textuals_own_keys_are_not_special(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    terminal.type(b"\x10\x11\x03\x1a\t\x1b[I")
    until(lambda: len(terminal.front.of(Press)) == 5, "five keys")
    presses = [message for message in terminal.front.of(Press) if isinstance(message, Press)]
    assert [(p.key, p.mods) for p in presses] == [
        ("p", 4), ("q", 4), ("c", 4), ("z", 4), ("tab", 0),
    ]  # fmt: skip
    assert terminal.said("key") == []


def test_without_a_session_keys_are_textuals(terminal: PaneTerminal) -> None:
    terminal.do("keys ")
    until(lambda: terminal.said("keys"), "keys for Textual")
    terminal.type("a\x1bf\x1b[1;2R\x1b[13;2u日".encode())
    want = [["a", "a"], ["alt+f", None], ["shift+f3", None], ["shift+enter", None], ["日", "日"]]
    until(lambda: len(terminal.said("key")) >= len(want), "keys")
    assert [report[1:] for report in terminal.said("key")] == want


def test_a_1_mib_paste_arrives_whole(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    text = "".join(f"line {n} 日本語\r" for n in range(60_000))[: 1024 * 1024]
    terminal.type(b"\x1b[200~" + text.encode() + b"\x1b[201~")
    until(lambda: terminal.front.of(Paste), "the paste")
    assert typed(terminal) == text
    terminal.do("keys ")
    until(lambda: terminal.said("keys", ""), "keys for Textual")
    terminal.type(b"\x1b[200~" + b"x" * 1000 + b"\x1b[201~")
    until(lambda: terminal.said("paste", 1000), "a paste for Textual")


def test_the_terminals_replies_are_never_typed(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    terminal.type(
        b"\x1b[?62;22c\x1b]11;rgb:0/0/0\x1b\\\x1bP>|term\x1b\\\x1b[?1u\x1b[0n\x1b[24;80Rx"
    )
    until(lambda: typed(terminal) == "x", "the key alone")


def test_mouse_goes_to_a_child_that_asked_and_shift_to_textual(terminal: PaneTerminal) -> None:
    terminal.show(SESSIONS[0], [], modes=Modes(mouse=1002, mouse_sgr=True))
    give_keys(terminal)
    until(lambda: terminal.look()[1][0][-1], "an exposed pane")
    terminal.type(b"\x1b[<0;5;4M\x1b[<32;200;4M\x1b[<0;6;4m\x1b[<64;5;4M")
    until(lambda: len(terminal.front.of(Point)) == 4, "four points")
    points = [message for message in terminal.front.of(Point) if isinstance(message, Point)]
    _, x, y, width, _, _ = terminal.look()[1][0]
    assert [(p.x, p.y, p.button, p.action) for p in points] == [
        (4 - x, 3 - y, 0, "press"),
        (width - 1, 3 - y, 0, "move"),
        (5 - x, 3 - y, 0, "release"),
        (4 - x, 3 - y, 4, "press"),
    ]
    terminal.type(b"\x1b[<4;5;4M\x1b[<4;5;4m")
    until(lambda: terminal.said("clicked"), "a click for Textual")


@pytest.mark.slow
def test_clicks_and_double_clicks_reach_the_pane(terminal: PaneTerminal) -> None:
    terminal.settled("at first")
    _, x, y, _, _, _ = terminal.look()[1][3]
    click = f"\x1b[<0;{x + 3};{y + 2}M\x1b[<0;{x + 3};{y + 2}m".encode()
    terminal.type(click + click)
    until(lambda: len(terminal.said("clicked")) == 2, "two clicks")
    assert terminal.said("clicked") == [
        ["clicked", SESSIONS[3], 2, 1, False],
        ["clicked", SESSIONS[3], 2, 1, True],
    ]


def test_motion_and_kitty_flags_follow_the_child_with_the_keys(terminal: PaneTerminal) -> None:
    terminal.show(SESSIONS[1], [], modes=Modes(mouse=1003, kitty_flags=3))
    give_keys(terminal, SESSIONS[1])
    until(lambda: b"\x1b[?1003h" in terminal.stream, "motion")
    until(lambda: b"\x1b[=7;1u" in terminal.stream, "releases")
    give_keys(terminal, SESSIONS[0])
    until(lambda: b"\x1b[?1003l" in terminal.stream, "no motion")
    until(lambda: b"\x1b[=5;1u" in terminal.stream, "no releases")


def test_wishes_of_the_child_are_told_when_it_has_them(terminal: PaneTerminal) -> None:
    give_keys(terminal, SESSIONS[1])
    terminal.show(SESSIONS[1], [], modes=Modes(mouse=1003, kitty_flags=3))
    until(lambda: b"\x1b[?1003h" in terminal.stream, "motion, and nothing was typed")
    until(lambda: b"\x1b[=7;1u" in terminal.stream, "releases")
    terminal.show(SESSIONS[1], [], modes=Modes())
    until(lambda: b"\x1b[?1003l" in terminal.stream, "no motion")


def test_focus_of_the_terminal_is_passed_on(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    terminal.type(b"\x1b[O")
    until(lambda: terminal.front.focus == "", "no focus")
    terminal.type(b"\x1b[I")
    until(lambda: terminal.front.focus == SESSIONS[0], "focus again")
    assert len([m for m in terminal.front.of(Focus)]) >= 3


def test_colours_of_the_terminal_are_told_in_hello(own: PaneTerminal) -> None:
    assert (own.front.hellos[0].foreground, own.front.hellos[0].background) == (
        0xD0D0D0,
        0x101010,
    )


def _asks(stream: bytes) -> dict[str, bool]:
    """Return for each mode whether the last word on it was to switch it on."""
    found: dict[str, bool] = {}
    for part in bytes(stream).split(b"\x1b[?")[1:]:
        number = part[: next((i for i, c in enumerate(part) if not 48 <= c <= 57), 0)]
        final = part[len(number) : len(number) + 1]
        if final in (b"h", b"l"):
            found[number.decode()] = final == b"h"
    return found


@pytest.mark.parametrize("way", ["quit", "crash", "TERM", "HUP"])
def test_the_terminal_is_given_back(own: PaneTerminal, way: str) -> None:
    own.settled("at first")
    if way == "quit":
        assert own.quit() == 0
    elif way == "crash":
        own.do("crash")
    else:
        os.kill(own.process.pid, getattr(signal, f"SIG{way}"))
    own.process.wait(10)
    until(lambda: b"\x1b[?1049l" in own.stream, "the main screen")
    asked = _asks(own.stream)
    on = {mode for mode, is_on in asked.items() if is_on}
    assert on == {"7", "25"}
    assert b"\x1b[<u" in own.stream
    local = termios.tcgetattr(own.master)[3]
    assert local & termios.ECHO and local & termios.ICANON and local & termios.ISIG


def test_a_stopped_front_end_comes_back(own: PaneTerminal) -> None:
    own.settled("at first")
    os.kill(own.process.pid, signal.SIGTSTP)
    until(lambda: b"\x1b[?1049l" in own.stream, "the main screen")
    until(lambda: _state(own.process.pid) == "T", "a stopped process")
    own.show(SESSIONS[0], [(0, Row((Run("meanwhile", Style()),)))], cursor=Cursor(1, 1))
    os.kill(own.process.pid, signal.SIGCONT)
    own.settled("after it went on")
    give_keys(own)
    own.type(b"x")
    until(lambda: typed(own) == "x", "keys again")


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_lone_escape_is_quick_and_a_split_sequence_whole(own: PaneTerminal) -> None:
    give_keys(own)
    own.type(b"\x1b[?0u")  # a terminal without kitty's protocol
    own.type(b"\x1b")
    until(lambda: typed(own) == "<escape>", "Escape")
    own.type(b"\x1b[1;")
    until(lambda: True)
    own.type(b"5A")
    until(lambda: typed(own) == "<escape><up>", "a split key")


def test_where_kitty_s_protocol_is_spoken_an_escape_is_never_torn_off(
    own: PaneTerminal,
) -> None:
    give_keys(own)
    assert b"\x1b[?u" in own.stream
    own.type(b"\x1b")
    time.sleep(0.3)
    own.type(b"[<35;50;20M")
    own.type(b"\x1b[27ux")
    until(lambda: typed(own) == "<escape>x", "the key Escape alone")


def test_a_torn_paste_stays_a_paste(terminal: PaneTerminal) -> None:
    give_keys(terminal)
    terminal.type(b"\x1b[200~line one\r")
    time.sleep(0.5)
    terminal.type(b"line two\rrm x\r")
    time.sleep(0.1)
    terminal.type(b"\x1b[201~")
    until(lambda: terminal.front.of(Paste), "the paste")
    assert [m.text for m in terminal.front.of(Paste)] == ["line one\rline two\rrm x\r"]  # type: ignore[union-attr]
    assert terminal.front.of(Press) == []


def test_lines_in_one_go_without_marks_are_pasted(own: PaneTerminal) -> None:
    give_keys(own)
    own.type(b"\x1b[?0ux")
    until(lambda: typed(own) == "x", "a key")
    own.type(b"line one\rline two\rline three\r")
    until(lambda: own.front.of(Paste), "the lines")
    assert [m.text for m in own.front.of(Paste)] == ["line one\rline two\rline three\r"]  # type: ignore[union-attr]
    own.type(LEADER + b"c")
    until(lambda: own.said("leader", "c"), "a dialog")
    own.type(b"into the\rdialog\r")
    until(lambda: own.said("input", "into the"), "typed into the dialog")


def heard_since(terminal: PaneTerminal, mark: int) -> list[Message]:
    return list(terminal.front.heard)[mark:]


def test_keys_typed_without_an_orchestrator_are_kept_in_order(own: PaneTerminal) -> None:
    give_keys(own)
    own.front.close()
    until(lambda: own.front.of(Focus), "focus")
    own.type(b"kept")
    mark = len(own.front.heard)
    own.front.listen()
    own.type(b" and more")
    until(lambda: typed(own) == "kept and more", "all keys")
    names = [type(message).__name__ for message in heard_since(own, mark)]
    assert names[0] == "Hello"
    assert names.index("Press") > max(i for i, name in enumerate(names) if name == "View")
    assert own.front.focus == SESSIONS[0]
