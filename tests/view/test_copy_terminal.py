"""Selecting, copying, searching and opening, in a real room before a real orchestrator."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from tests.helpers.copying import _KEEP_ARGUMENT, Desk, desk, fake
from tests.helpers.workplace import session, until, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

URL = "https://example.com/" + "long/" * 14 + "end?x=1"
PRINTED = (
    "for i in $(seq 100); do echo row $i; done; "
    "echo 'alpha beta-gamma src/app.py:12 日本語 fin  '; "
    "echo '" + "wrapped " * 12 + "over'; "
    f"echo 'see {URL}, or not'; "
    "echo READY; exec cat"
)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with workplace() as running:
        yield running


@pytest.fixture(scope="module")
def connection(place: Place) -> Iterator[Connection]:
    with place.connect() as greeted:
        yield greeted


@pytest.fixture(scope="module", params=["direct", "textual"])
def room(
    request: pytest.FixtureRequest,
    place: Place,
    connection: Connection,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("bin")
    fake(folder, "xclip")
    fake(folder, "xdg-open", _KEEP_ARGUMENT)
    connection.request(messages.Settings(id=0, values={"painter": request.param}), timeout=10)
    cmd = f"sh -c {shlex.quote(PRINTED)}"
    with desk(place, connection, cmd, wait="READY", bin_folder=folder, DISPLAY=":9") as opened:
        yield opened


def marked(room: Desk) -> str:
    """Return the cells that have a background, as the terminal shows them."""
    return room.screen(ansi=True)


def test_keys_select_and_copy(room: Desk) -> None:
    room.leader("[")
    room.wait("Looking back")
    room.type("?alpha")
    room.wait("?alpha")
    room.wait("1/1")
    room.keys("Enter")
    room.wait("match 1/1")
    room.type("wve")
    room.wait("Selecting")
    until(lambda: "48;2;" in marked(room).split("alpha")[1].split("\n")[0])
    room.type("y")
    assert room.got("xclip") == "beta"
    room.wait("4 characters: copied by xclip.")
    room.wait(lambda shown: "Selecting" not in shown, what="back at the program")


def test_lines_and_blocks_are_copied(room: Desk) -> None:
    room.leader("[")
    room.wait("Looking back")
    room.type("?wrapped over")
    room.wait("1/1")
    room.keys("Enter")
    room.wait("match 1/1")
    room.type("y")
    assert room.got("xclip") == "wrapped " * 12 + "over"
    room.leader("/")
    room.wait("? ")
    room.type("row 99")
    room.wait("1/1")
    room.keys("Enter", "C-v")
    room.wait("Selecting")
    room.type("jll")
    room.keys("Enter")
    assert room.got("xclip") == "row\nrow"


def test_matches_are_counted_and_n_goes_on(room: Desk) -> None:
    room.leader("/")
    room.type("row 1")
    room.wait("12/12")
    room.keys("Enter")
    room.wait("match 12/12")
    room.type("nn")
    room.wait("match 10/12")
    room.type("N")
    room.wait("match 11/12")
    room.type("/nowhere")
    room.wait("not found")
    room.keys("Escape")
    room.wait("Looking back")
    room.type("q")
    room.wait(lambda shown: "Looking back" not in shown, what="left")


def test_the_mouse_selects_words_lines_and_blocks(room: Desk) -> None:
    x, y = room.find("alpha beta")
    room.drag((x + 6, y), (x + 9, y))
    assert room.got("xclip") == "beta"
    room.drag((x + 31, y), (x + 33, y))
    assert room.got("xclip") == "日本"
    room.clicks((x + 20, y), 2)
    assert room.got("xclip") == "src/app.py"
    wrapped_x, wrapped_y = room.find("over")
    room.clicks((wrapped_x, wrapped_y), 3)
    texts = {room.got("xclip")}
    until(lambda: not texts.isdisjoint(["wrapped " * 12 + "over"]) or texts.add(room.got("xclip")))
    row_x, row_y = room.find("row 99")
    room.drag((row_x + 1, row_y), (row_x + 5, row_y + 1), mods=8)
    assert room.got("xclip") == "ow 99\now 10"


def test_a_wrapped_selection_is_one_line(room: Desk) -> None:
    x, y = room.find("over")
    room.drag((0, y - 1), (x + 3, y))
    assert room.got("xclip") == "wrapped " * 12 + "over"


def test_a_drag_beyond_the_edge_scrolls(room: Desk) -> None:
    x, y = room.find("row 100")
    room.mouse(x + 6, y, release=False)
    room.mouse(x, 0, button=32, release=False)
    room.wait("row 50")
    room.mouse(x, 5, button=32, release=False)
    room._report(f"\x1b[<0;{x + 1};6m")
    lines = room.got("xclip").split("\n")
    assert lines[-1] == "row 100"
    assert len(lines) > 40
    room.leader("e")
    room.wait("READY")


def test_a_selection_stays_with_its_text_while_output_scrolls(room: Desk) -> None:
    x, y = room.find("READY")
    room.drag((x, y), (x + 4, y))
    assert room.got("xclip") == "READY"
    room.type("more")
    room.keys("Enter")
    room.wait("more\nmore")

    def still_marked() -> bool:
        return any("48;2;" in line and "READY" in line for line in marked(room).split("\n"))

    until(still_marked)
    assert "48;2;" not in marked(room).split("READY")[1]
    room.clicks((40, 20), 1)
    until(lambda: not still_marked())


def test_ctrl_click_opens_a_link_over_wrapped_rows(room: Desk) -> None:
    x, y = room.find("see https")
    room.clicks((x + 10, y), 1, mods=16)
    assert room.got("xdg-open") == URL
    room.clicks((2, y + 1), 1, mods=16)
    assert room.got("xdg-open") == URL
    room.leader("/")
    room.type("example.com")
    room.wait("1/1")
    room.keys("Enter")
    room.wait("Enter open the link")
    room.keys("Enter")
    assert room.got("xdg-open") == URL
    room.type("q")


def test_the_view_stays_put_while_output_goes_on(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    cmd = "sh -c 'for i in $(seq 50); do echo at $i; done; read go; seq 1000 1300; exec cat'"
    with desk(place, connection, cmd, wait="at 50", bin_folder=tmp_path) as room:
        room.leader("[")
        room.wait("Looking back")
        before = room.screen().split("\n")[1:-1]
        connection.request(messages.Send(id=0, session=room.session_id, text="go"), timeout=10)
        room.wait("/35")
        until(lambda: room.screen().split("\n")[2:20] == before[1:19])
        room.type("G")
        room.wait("1300")
        room.type("q")


def test_over_ssh_the_terminal_gets_the_copy(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip")
    with desk(
        place, connection, "sh -c 'echo 日本 text; exec cat'", wait="text", bin_folder=tmp_path,
        DISPLAY=":9", SSH_CONNECTION="192.0.2.1 1 192.0.2.2 22",
    ) as room:  # fmt: skip
        room.leader("[")
        room.wait("Looking back")
        room.type("ky")
        room.wait("7 characters: sent to the terminal's clipboard (OSC 52).")
        until(lambda: room.buffer() == "日本 text")
        assert not list(tmp_path.glob("*.got"))


def test_what_the_child_copies_takes_the_same_way(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip")
    cmd = "sh -c 'echo ASK; read go; printf \"\\033]52;c;aGVsbG8JCg==\\007\"; exec cat'"
    with desk(
        place, connection, cmd, wait="ASK", bin_folder=tmp_path, DISPLAY=":9"
    ) as room:  # fmt: skip
        room.keys("Enter")
        assert room.got("xclip") == "hello\t\n"


def test_a_child_with_the_mouse_keeps_it_but_for_shift(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip")
    cmd = "sh -c 'printf \"\\033[?1002h\\033[?1006h\"; echo listening here; exec cat -v'"
    with desk(
        place, connection, cmd, wait="listening", bin_folder=tmp_path, DISPLAY=":9"
    ) as room:  # fmt: skip
        x, y = room.find("listening")
        room.drag((x, y), (x + 3, y))
        room.wait("^[[<0;1;1M")
        room.drag((x + 10, y), (x + 13, y), mods=4)
        assert room.got("xclip") == "here"


def test_where_nothing_is_left_the_user_is_told(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip", "exit 1\n")
    cmd = "sh -c 'yes 0123456789 | head -9000; exec cat'"
    with desk(
        place, connection, cmd, wait="0123456789", bin_folder=tmp_path, DISPLAY=":9"
    ) as room:  # fmt: skip
        room.leader("[")
        room.wait("Looking back")
        room.type("Vgy")
        room.wait("Too long for the terminal's clipboard.")


def test_without_a_desktop_a_link_is_copied(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    cmd = "sh -c 'printf \"\\033]8;;https://example.com/hidden\\007shown\\033]8;;\\007\\n\"; exec cat'"
    with desk(place, connection, cmd, wait="shown", bin_folder=tmp_path) as room:
        x, y = room.find("shown")
        room.clicks((x + 1, y), 1, mods=16)
        room.wait("No desktop here to open it on; the link")
        until(lambda: room.buffer() == "https://example.com/hidden")


def test_a_reflow_keeps_the_text_in_view(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    long = "word " * 30
    cmd = f"sh -c 'for i in $(seq 200); do echo \"<$i> {long}\"; done; echo END; exec cat'"
    fake(tmp_path, "xclip")
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path, DISPLAY=":9") as room:
        room.leader("/")
        room.type("<77>")
        room.wait("1/1")
        room.keys("Enter")
        room.wait("match 1/1")
        for cols in (50, 140, 66):
            room.resize(cols, 24)
            room.wait(lambda shown: "<77>" in shown and "END" not in shown)
        room.type("y")
        assert room.got("xclip") == f"<77> {long}".rstrip()
        room.wait("END")


def test_matches_are_found_anew_after_a_reflow(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    long = "word " * 30
    cmd = f"sh -c 'for i in $(seq 90); do echo \"<$i> {long}\"; done; echo END; exec cat'"
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path) as room:
        room.leader("/")
        room.type("<7")
        room.wait("11/11")
        room.keys("Enter")
        room.wait("match 11/11")

        def is_marked() -> object:
            # The cursor stands on the match's first character.
            return re.search(r"<\x1b\[48;2;[^m]*m7\x1b[^m]*m", marked(room))

        until(is_marked)
        room.resize(50, 24)
        room.wait("/362", what="all lines in their new number of rows")
        until(is_marked)
        room.type("q")


def selected(room: Desk) -> str:
    """Return the text that lies under the selection's colour, row by row."""
    shown = re.findall(r"48;2;[0-9;]*m([^\x1b]*)", marked(room))
    return "".join(shown)


@pytest.mark.parametrize("with_keys", [True, False])
def test_a_selection_stays_with_its_text_over_a_reflow(
    place: Place, connection: Connection, tmp_path: Path, with_keys: bool
) -> None:
    cmd = 'sh -c \'seq 30; printf "%s" "$(seq -s - 60) needle日本語 $(seq -s + 40)"; echo; echo END; exec cat\''
    fake(tmp_path, "xclip")
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path, DISPLAY=":9") as room:
        x, y = room.find("needle")
        if with_keys:
            room.leader("/")
            room.type("needle")
            room.wait("1/1")
            room.keys("Enter")
            room.type("v8l")
        else:
            room.drag((x, y), (x + 11, y))
            assert room.got("xclip") == "needle日本語"
        until(lambda: "needle日本語" in selected(room))
        for cols in (50, 121, 33):
            room.resize(cols, 24)
            until(lambda cols=cols: session(connection, room.session_id)["cols"] == cols)
            until(lambda: "needle日本語" in selected(room).replace("\n", ""))
        if with_keys:
            room.type("y")
            assert room.got("xclip") == "needle日本語"


def test_the_link_under_the_mouse_is_underlined_and_named(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    hidden = "\\e]8;;https://example.org/there\\e\\\\here\\e]8;;\\e\\\\"
    cmd = f'sh -c \'printf "see {hidden}"; echo; echo "or {URL}"; echo END; exec cat\''
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path) as room:
        x, y = room.find("see here")
        room.mouse(x + 5, y, button=35, release=False)
        room.wait("Ctrl+click opens https://example.org/there")
        until(lambda: re.search(r"see \x1b\[[0-9;]*4[0-9;]*mhere", room.screen(ansi=True)))
        room.mouse(x + 4, y + 1, button=35, release=False)
        room.wait(f"Ctrl+click opens {URL[:30]}")
        shown = until(lambda: re.search(r"\x1b\[4m(https:\S+)\n", room.screen(ansi=True)))
        assert URL.startswith(shown[1][:60])
        room.mouse(x, y + 3, button=35, release=False)
        room.wait(lambda seen: "Ctrl+click" not in seen, what="nothing under the mouse")
        assert "\x1b[4m" not in room.screen(ansi=True)
