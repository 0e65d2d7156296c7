"""Selecting, copying, searching and opening, in a real application before a real orchestrator."""

from __future__ import annotations

import re
import shlex
import time
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

pytestmark = pytest.mark.slow

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
def app(
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


def marked(app: Desk) -> str:
    """Return the cells that have a background, as the terminal shows them."""
    return app.screen(ansi=True)


def test_keys_select_and_copy(app: Desk) -> None:
    app.leader("[")
    app.wait("Looking back")
    app.type("?alpha")
    app.wait("?alpha")
    app.wait("1/1")
    app.keys("Enter")
    app.wait("match 1/1")
    app.type("wve")
    app.wait("Selecting")
    until(lambda: "48;2;" in marked(app).partition("lpha")[2].split("\n")[0])
    app.type("y")
    assert app.got("xclip") == "beta"
    app.wait("4 characters: copied by xclip.")
    app.wait(lambda shown: "Selecting" not in shown, what="back at the program")


def test_lines_and_blocks_are_copied(app: Desk) -> None:
    app.leader("[")
    app.wait("Looking back")
    app.type("?wrapped over")
    app.wait("1/1")
    app.keys("Enter")
    app.wait("match 1/1")
    app.type("y")
    assert app.got("xclip") == "wrapped " * 12 + "over"
    app.leader("/")
    app.wait("? ")
    app.type("row 99")
    app.wait("1/1")
    app.keys("Enter", "C-v")
    app.wait("Selecting")
    app.type("jll")
    app.keys("Enter")
    assert app.got("xclip") == "row\nrow"


def test_matches_are_counted_and_n_goes_on(app: Desk) -> None:
    app.leader("/")
    app.type("row 1")
    app.wait("12/12")
    app.keys("Enter")
    app.wait("match 12/12")
    app.type("nn")
    app.wait("match 10/12")
    app.type("N")
    app.wait("match 11/12")
    app.type("/nowhere")
    app.wait("not found")
    app.keys("Escape")
    app.wait("Looking back")
    app.type("q")
    app.wait(lambda shown: "Looking back" not in shown, what="left")


def test_the_mouse_selects_words_lines_and_blocks(app: Desk) -> None:
    x, y = app.find("alpha beta")
    app.drag((x + 6, y), (x + 9, y))
    assert app.got("xclip") == "beta"
    app.drag((x + 31, y), (x + 33, y))
    assert app.got("xclip") == "日本"
    app.clicks((x + 20, y), 2)
    assert app.got("xclip") == "src/app.py"
    wrapped_x, wrapped_y = app.find("over")
    before = app.got_each("xclip")

    def copies() -> list[str]:
        return [text for run, text in app.got_each("xclip").items() if run not in before]

    app.clicks((wrapped_x, wrapped_y), 3)
    # The second click copies, too, unless the third was there first; that may come behind the line.
    until(lambda: "wrapped " * 12 + "over" in copies())
    row_x, row_y = app.find("row 99")
    app.drag((row_x + 1, row_y), (row_x + 5, row_y + 1), mods=8)
    until(lambda: "ow 99\now 10" in copies())
    app.got("xclip")


def test_a_wrapped_selection_is_one_line(app: Desk) -> None:
    x, y = app.find("over")
    app.drag((0, y - 1), (x + 3, y))
    assert app.got("xclip") == "wrapped " * 12 + "over"


def test_a_drag_beyond_the_edge_scrolls(app: Desk) -> None:
    x, y = app.find("row 100")
    app.mouse(x + 6, y, release=False)
    app.mouse(x, 0, button=32, release=False)
    app.wait(lambda shown: bool(re.search(r"row ([1-4]?\d|50)\b", shown)), what="a row up to 50")
    app.mouse(x, 5, button=32, release=False)
    app.send(f"\x1b[<0;{x + 1};6m")
    lines = app.got("xclip").split("\n")
    assert lines[-1] == "row 100"
    assert len(lines) > 40
    app.leader("e")
    app.wait("READY")


def test_a_selection_stays_with_its_text_while_output_scrolls(app: Desk) -> None:
    x, y = app.find("READY")
    app.drag((x, y), (x + 4, y))
    assert app.got("xclip") == "READY"
    app.type("more")
    app.keys("Enter")
    app.wait("more\nmore")

    def still_marked() -> bool:
        return any("48;2;" in line and "READY" in line for line in marked(app).split("\n"))

    until(still_marked)
    assert "48;2;" not in marked(app).split("READY")[1]
    app.clicks((40, 20), 1)
    until(lambda: not still_marked())


def test_ctrl_click_opens_a_link_over_wrapped_rows(app: Desk) -> None:
    x, y = app.find("see https")
    app.clicks((x + 10, y), 1, mods=16)
    assert app.got("xdg-open") == URL
    app.clicks((2, y + 1), 1, mods=16)
    assert app.got("xdg-open") == URL
    app.leader("/")
    app.type("example.com")
    app.wait("1/1")
    app.keys("Enter")
    app.wait("Enter open the link")
    app.keys("Enter")
    assert app.got("xdg-open") == URL
    app.type("q")


def test_the_view_stays_put_while_output_goes_on(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    cmd = "sh -c 'for i in $(seq 50); do echo at $i; done; read go; seq 1000 1300; exec cat'"
    with desk(place, connection, cmd, wait="at 50", bin_folder=tmp_path) as app:
        app.leader("[")
        app.wait("Looking back")
        before = app.screen().split("\n")[1:-1]
        connection.request(messages.Send(id=0, session=app.session_id, text="go"), timeout=10)
        app.wait("/35")
        until(lambda: app.screen().split("\n")[2:20] == before[1:19])
        app.type("G")
        app.wait("1300")
        app.type("q")


def test_over_ssh_the_terminal_gets_the_copy(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip")
    with desk(
        place, connection, "sh -c 'echo 日本 text; exec cat'", wait="text", bin_folder=tmp_path,
        DISPLAY=":9", SSH_CONNECTION="192.0.2.1 1 192.0.2.2 22",
    ) as app:  # fmt: skip
        app.leader("[")
        app.wait("Looking back")
        app.type("ky")
        app.wait("7 characters: sent to the terminal's clipboard (OSC 52).")
        until(lambda: app.buffer() == "日本 text")
        assert not list(tmp_path.glob("*.got"))


def test_what_the_child_copies_takes_the_same_way(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip")
    cmd = "sh -c 'echo ASK; read go; printf \"\\033]52;c;aGVsbG8JCg==\\007\"; exec cat'"
    with desk(
        place, connection, cmd, wait="ASK", bin_folder=tmp_path, DISPLAY=":9"
    ) as app:  # fmt: skip
        app.keys("Enter")
        assert app.got("xclip") == "hello\t\n"


def test_a_child_with_the_mouse_keeps_it_but_for_shift(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip")
    cmd = "sh -c 'printf \"\\033[?1002h\\033[?1006h\"; echo listening here; exec cat -v'"
    with desk(
        place, connection, cmd, wait="listening", bin_folder=tmp_path, DISPLAY=":9"
    ) as app:  # fmt: skip
        x, y = app.find("listening")
        app.drag((x, y), (x + 3, y))
        app.wait("^[[<0;1;1M")
        app.drag((x + 10, y), (x + 13, y), mods=4)
        assert app.got("xclip") == "here"


def test_where_nothing_is_left_the_user_is_told(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    fake(tmp_path, "xclip", "exit 1\n")
    cmd = "sh -c 'yes 0123456789 | head -9000; exec cat'"
    with desk(
        place, connection, cmd, wait="0123456789", bin_folder=tmp_path, DISPLAY=":9"
    ) as app:  # fmt: skip
        app.leader("[")
        app.wait("Looking back")
        app.type("Vgy")
        app.wait("Too long for the terminal's clipboard.")


def test_without_a_desktop_a_link_is_copied(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    cmd = "sh -c 'printf \"\\033]8;;https://example.com/hidden\\007shown\\033]8;;\\007\\n\"; exec cat'"
    with desk(place, connection, cmd, wait="shown", bin_folder=tmp_path) as app:
        x, y = app.find("shown")
        app.clicks((x + 1, y), 1, mods=16)
        app.wait("No desktop here to open it on; the link")
        until(lambda: app.buffer() == "https://example.com/hidden")


def test_a_reflow_keeps_the_text_in_view(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    long = "word " * 30
    cmd = f"sh -c 'for i in $(seq 200); do echo \"<$i> {long}\"; done; echo END; exec cat'"
    fake(tmp_path, "xclip")
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path, DISPLAY=":9") as app:
        app.leader("/")
        app.type("<77>")
        app.wait("1/1")
        app.keys("Enter")
        app.wait("match 1/1")
        for cols in (50, 140, 66):
            app.resize(cols, 24)
            app.wait(lambda shown: "<77>" in shown and "END" not in shown)
        app.type("y")
        assert app.got("xclip") == f"<77> {long}".rstrip()
        app.wait("END")


def test_matches_are_found_anew_after_a_reflow(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    long = "word " * 30
    cmd = f"sh -c 'for i in $(seq 90); do echo \"<$i> {long}\"; done; echo END; exec cat'"
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path) as app:
        app.leader("/")
        app.type("<7")
        app.wait("11/11")
        app.keys("Enter")
        app.wait("match 11/11")

        def is_marked() -> object:
            # The cursor stands on the match's first character.
            return re.search(r"<\x1b\[48;2;[^m]*m7\x1b[^m]*m", marked(app))

        until(is_marked)
        app.resize(50, 24)
        app.wait("/362", what="all lines in their new number of rows")
        until(is_marked)
        app.type("q")


def test_what_is_typed_while_the_session_is_reflowed_counts(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    cmd = "sh -c 'seq 50; echo alpha beta-gamma; echo " + "wrapped " * 12 + "; echo END; exec cat'"
    fake(tmp_path, "xclip")
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path, DISPLAY=":9") as app:
        for step in range(12):
            # It takes its new width half a second after the window: in the middle of these keys.
            app.resize(60 + step % 2 * 20, 24)
            time.sleep(step * 0.04)
            app.leader("[")
            app.wait("Looking back")
            app.type("?alpha")
            app.wait("1/1")
            app.keys("Enter")
            app.type("wvey")
            assert app.got("xclip") == "beta"
            app.wait(lambda shown: "Looking back" not in shown and "Selecting" not in shown)


def selected(app: Desk) -> str:
    """Return the text that lies under the selection's colour, row by row."""
    shown = re.findall(r"48;2;[0-9;]*m([^\x1b]*)", marked(app))
    return "".join(shown)


@pytest.mark.parametrize("with_keys", [True, False])
def test_a_selection_stays_with_its_text_over_a_reflow(
    place: Place, connection: Connection, tmp_path: Path, with_keys: bool
) -> None:
    cmd = 'sh -c \'seq 30; printf "%s" "$(seq -s - 60) needle日本語 $(seq -s + 40)"; echo; echo END; exec cat\''
    fake(tmp_path, "xclip")
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path, DISPLAY=":9") as app:
        x, y = app.find("needle")
        if with_keys:
            app.leader("/")
            app.type("needle")
            app.wait("1/1")
            app.keys("Enter")
            app.type("v8l")
        else:
            app.drag((x, y), (x + 11, y))
            assert app.got("xclip") == "needle日本語"
        until(lambda: "needle日本語" in selected(app))
        for cols in (50, 121, 33):
            app.resize(cols, 24)
            until(lambda cols=cols: session(connection, app.session_id)["cols"] == cols)
            until(lambda: "needle日本語" in selected(app).replace("\n", ""))
        if with_keys:
            app.type("y")
            assert app.got("xclip") == "needle日本語"


def test_the_link_under_the_mouse_is_underlined_and_named(
    place: Place, connection: Connection, tmp_path: Path
) -> None:
    hidden = "\\e]8;;https://example.org/there\\e\\\\here\\e]8;;\\e\\\\"
    cmd = f'sh -c \'printf "see {hidden}"; echo; echo "or {URL}"; echo END; exec cat\''
    with desk(place, connection, cmd, wait="END", bin_folder=tmp_path) as app:
        x, y = app.find("see here")
        app.mouse(x + 5, y, button=35, release=False)
        app.wait("Ctrl+click opens https://example.org/there")
        until(lambda: re.search(r"see \x1b\[[0-9;]*4[0-9;]*mhere", app.screen(ansi=True)))
        app.mouse(x + 4, y + 1, button=35, release=False)
        app.wait(f"Ctrl+click opens {URL[:30]}")
        shown = until(lambda: re.search(r"\x1b\[4m(https:\S+)\n", app.screen(ansi=True)))
        assert URL.startswith(shown[1][:60])
        app.mouse(x, y + 3, button=35, release=False)
        app.wait(lambda seen: "Ctrl+click" not in seen, what="nothing under the mouse")
        assert "\x1b[4m" not in app.screen(ansi=True)
