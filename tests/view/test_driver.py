"""The driver's parts by themselves: names, the leader, waiting, and Textual's private names."""

from __future__ import annotations

import pytest
from textual import app, events, keys
from textual._compositor import Compositor
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.driver import Driver
from textual.screen import Screen
from textual.strip import Strip

from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.key_names import ALT, CTRL, SHIFT, SUPER
from nagomi_tui.text.rows import Modes
from nagomi_tui.view.common import textual_private
from nagomi_tui.view.driver import modes
from nagomi_tui.view.driver.route import Leader, command_of
from nagomi_tui.view.driver.strokes import (
    Report,
    Stroke,
    key_event,
    key_name,
    mouse_event,
    mouse_report,
)
from nagomi_tui.view.driver.tokens import FAR_SECONDS, LOCAL_SECONDS, Kind, Patience, Token, Waiting

STRIP_SLOTS = (
    "_segments", "_cell_length", "_divide_cache", "_crop_cache", "_style_cache", "_filter_cache",
    "_render_cache", "_line_length_cache", "_crop_extend_cache", "_offsets_cache", "_link_ids",
    "_cell_count",
)  # fmt: skip
METHODS: list[tuple[type, tuple[str, ...]]] = [
    (App, ("_begin_update", "_end_update", "_display", "_handle_exception", "_build_driver")),
    (App, ("_check_bindings", "_unnotify", "_refresh_notifications")),
    (Compositor, ("visible_widgets", "render_update", "full_map", "reflow")),
    (Compositor, ("cuts", "_render_chops")),
    (Screen, ("_compositor_refresh", "_forward_event")),
    (Stylesheet, ("_parse_rules",)),
    (Driver, ("process_message", "send_message", "write", "flush", "close", "disable_input")),
]
if not WINDOWS:
    from textual.drivers.linux_driver import LinuxDriver

    METHODS.append((LinuxDriver, (
        "_patch_lflag", "_patch_iflag", "_get_terminal_size", "start_application_mode",
        "stop_application_mode", "_sigtstp_application", "_sigcont_application",
    )))  # fmt: skip


def changed_names() -> list[str]:
    """Return what of Textual's private names is missing, or means something else than here."""
    wrong = [
        f"{kind.__name__}.{name}"
        for kind, names in METHODS
        for name in names
        if not hasattr(kind, name)
    ]
    if tuple(Strip.__slots__) != STRIP_SLOTS:
        wrong.append("Strip.__slots__")
    if (app.SYNC_START, app.SYNC_END) != (textual_private.SYNC_START, textual_private.SYNC_END):
        wrong.append("app.SYNC_START and app.SYNC_END")
    if not callable(getattr(keys, "_character_to_key", None)):
        wrong.append("keys._character_to_key")
    return wrong


def test_textual_is_the_one_we_were_made_for() -> None:
    assert changed_names() == []


def test_a_changed_textual_is_named_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("textual._compositor.Compositor.visible_widgets")
    monkeypatch.setattr(Strip, "__slots__", ["_other"])
    assert changed_names() == ["Compositor.visible_widgets", "Strip.__slots__"]


@pytest.mark.parametrize(
    ("stroke", "name", "character"),
    [
        (Stroke("a", 0, "a"), "a", "a"),
        (Stroke("a", SHIFT, "A"), "A", "A"),
        (Stroke("1", SHIFT, "!"), "exclamation_mark", "!"),
        (Stroke("space", 0, " "), "space", " "),
        (Stroke("]", CTRL), "ctrl+right_square_bracket", "\x1d"),
        (Stroke("c", CTRL), "ctrl+c", "\x03"),
        (Stroke("f", ALT, "f"), "alt+f", None),
        (Stroke("f", ALT | SHIFT, "F"), "alt+shift+f", None),
        (Stroke("enter"), "enter", "\r"),
        (Stroke("enter", SHIFT), "shift+enter", None),
        (Stroke("tab", SHIFT), "shift+tab", None),
        (Stroke("up", CTRL | SHIFT), "ctrl+shift+up", None),
        (Stroke("kp_enter"), "enter", "\r"),
        (Stroke("kp_5", 0, "5"), "5", "5"),
        (Stroke("v", SUPER), "super+v", None),
        (Stroke("日", 0, "日"), "日", "日"),
    ],
)
def test_strokes_have_textuals_names(stroke: Stroke, name: str, character: str | None) -> None:
    event = key_event(stroke)
    assert event is not None
    assert (event.key, event.character) == (name, character)


@pytest.mark.parametrize("key", ["left_shift", "capslock", "media_play", "kp_begin"])
def test_keys_that_textual_has_no_use_for_are_left_out(key: str) -> None:
    assert key_event(Stroke(key)) is None
    assert key_event(Stroke("a", 0, "a", "release")) is None


@pytest.mark.parametrize(
    ("data", "report", "kind", "button"),
    [
        (b"\x1b[<0;3;4M", Report(0, 2, 3, False), events.MouseDown, 1),
        (b"\x1b[<2;3;4m", Report(2, 2, 3, True), events.MouseUp, 3),
        (b"\x1b[<32;3;4M", Report(32, 2, 3, False), events.MouseMove, 1),
        (b"\x1b[<35;3;4M", Report(35, 2, 3, False), events.MouseMove, 0),
        (b"\x1b[<64;3;4M", Report(64, 2, 3, False), events.MouseScrollUp, 0),
        (b"\x1b[<65;3;4M", Report(65, 2, 3, False), events.MouseScrollDown, 0),
        (b"\x1b[M !!", Report(0, 0, 0, False), events.MouseDown, 1),
    ],
)
def test_mouse_reports(
    data: bytes, report: Report, kind: type[events.MouseEvent], button: int
) -> None:
    found = mouse_report(Token(Kind.MOUSE, data))
    assert found == report
    event = mouse_event(report, (0, 0))
    assert (type(event), event.button, event.x, event.y) == (kind, button, report.x, report.y)


def test_buttons_beyond_the_wheel_are_no_left_click() -> None:
    assert mouse_report(Token(Kind.MOUSE, b"\x1b[<128;3;4M")) is None


@pytest.mark.parametrize(
    ("name", "key"),
    [("ctrl+]", ("]", CTRL)), ("f12", ("f12", 0)), ("Ctrl+Alt+a", ("a", CTRL | ALT)),
     ("ctrl++", ("+", CTRL))],
)  # fmt: skip
def test_leader_names(name: str, key: tuple[str, int]) -> None:
    leader = Leader()
    leader.choose([name])
    assert leader.is_leader(Stroke(*key))


@pytest.mark.parametrize("name", ["", "hyper+a", "ctrl+"])
def test_a_leader_that_is_no_key_is_refused(name: str) -> None:
    leader = Leader()
    with pytest.raises(ValueError, match="is no key: write it like"):
        leader.choose(["f12", name])
    assert leader.is_leader(Stroke("]", CTRL))


@pytest.mark.parametrize(
    ("stroke", "command"),
    [
        (Stroke("d", 0, "d"), "d"),
        (Stroke("d", CTRL), "d"),
        (Stroke("d", CTRL, "d"), "d"),
        (Stroke("d", SHIFT, "D"), "D"),
        (Stroke("/", SHIFT, "?"), "?"),
        (Stroke("[", 0, "["), "["),
        (Stroke("tab"), "tab"),
        (Stroke("space", 0, " "), "space"),
        (Stroke("up", CTRL), "ctrl+up"),
    ],
)
def test_leader_commands_have_short_names(stroke: Stroke, command: str) -> None:
    assert command_of(stroke) == command


def test_a_lone_escape_waits_a_moment_here_and_longer_over_ssh() -> None:
    assert Patience(far=False).seconds(Waiting.ESCAPE) == LOCAL_SECONDS
    assert Patience(far=True).seconds(Waiting.ESCAPE) == FAR_SECONDS
    assert Patience(far=True).seconds(Waiting.NOTHING) is None


def test_the_wait_follows_the_lines_round_trip() -> None:
    patience = Patience(far=True)
    patience.measured(0.3)
    patience.measured(0.3)
    assert patience.seconds(Waiting.ESCAPE) == pytest.approx(0.15)
    for _ in range(20):
        patience.measured(0.01)
    assert patience.seconds(Waiting.ESCAPE) == pytest.approx(0.025, abs=0.001)
    near = Patience(far=False)
    near.measured(3.0)
    assert near.seconds(Waiting.ESCAPE) == LOCAL_SECONDS


def test_a_terminals_colours_are_read_at_any_depth() -> None:
    assert modes.color_reply(b"\x1b]10;rgb:ffff/8080/0000\x1b\\") == (10, 0xFF8000)
    assert modes.color_reply(b"\x1b]11;rgb:f/8/0\x07") == (11, 0xFF8800)
    assert modes.color_reply(b"\x1b]52;c;aGk=\x07") is None


def test_the_terminal_is_asked_for_what_the_child_asked() -> None:
    quiet = modes.requested(Modes(mouse=1002))
    loud = modes.requested(Modes(mouse=1003, kitty_flags=31))
    assert quiet == modes.requested(None)
    assert modes.requests(quiet, quiet) == ""
    assert modes.requests(quiet, loud) == "\x1b[?1003h\x1b[=31;1u"
    assert modes.requests(loud, quiet) == "\x1b[?1003l\x1b[?1002h\x1b[=5;1u"


def test_key_names_put_modifiers_in_textuals_order() -> None:
    assert key_name(Stroke("left", SUPER | SHIFT | CTRL | ALT)) == "alt+ctrl+shift+super+left"
