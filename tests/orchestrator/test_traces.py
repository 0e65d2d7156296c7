"""A trace holds what the judge saw, masked, and the judge says of it what it said live."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.judge import replay
from nagomi_tui.masking import REDACTED
from nagomi_tui.orchestrator.judging.traces import EVERY, REST, Held, Repaint, masked, sign
from nagomi_tui.terminal.choose import open_engine
from nagomi_tui.text.rows import Row, Run, ScreenEvent, Style
from tests.helpers.command import NAGOMI
from tests.helpers.secrets import LINES, PEM, SECRETS, VALUES, leaks
from tests.helpers.workplace import create, plain, session, until, wait_for

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from nagomi_tui.terminal.engine import Engine
    from tests.helpers.workplace import Place

TICKS_S = 2.5
"""How long a question stays open: a replay looks once a second of what was recorded."""


class Bounded:
    """An engine with what else a screen of the orchestrator tells."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    @property
    def bounds(self) -> tuple[int, int, int]:
        top = self.engine.screen_line
        return self.engine.first_line, top, top + self.engine.rows - 1

    @property
    def size(self) -> tuple[int, int]:
        return self.engine.cols, self.engine.rows


OUTPUTS = (
    "one\r\ntwo\r\n日本語 wide\r\n",
    "\x1b[1;31mred\x1b[0m and plain, " + "long " * 20 + "\r\n$ ",
    "".join(f"line {n}\r\n" for n in range(30)) + "$ ls",
    "\x1b[3;5Hover\x1b[2Kwritten\x1b[6;1H",
    "\x1b[?1049h\x1b[Hfull screen\x1b[10;3Hbox",
    "\x1b[?1049l\r\nback $ ",
    "\x1b[H\x1b[2J\x1b[3Jcleared",
    "".join(f"many {n}\r\n" for n in range(900)) + "x" * 40,
)


def test_a_repainted_screen_shows_what_the_first_one_showed() -> None:
    real, copy = open_engine(40, 10), open_engine(40, 10)
    repaint = Repaint(Bounded(real))  # type: ignore[arg-type]
    for at, output in enumerate(OUTPUTS):
        real.feed(output.encode())
        copy.feed(repaint.text(at).encode())
        copy.feed(repaint.text(at + REST).encode())
        assert [row.text for row in copy.screen()] == [row.text for row in real.screen()]
        assert (copy.cursor.x, copy.cursor.y) == (real.cursor.x, real.cursor.y)
        assert copy.modes.alt_screen == real.modes.alt_screen
    above = [row.text for row in real.lines(real.screen_line - 80, real.screen_line)]
    assert [row.text for row in copy.lines(copy.screen_line - 80, copy.screen_line)] == above
    assert repaint.text(99.0) == "\x1b[10;41H" or repaint.text(99.0).count("\x1b") == 1


def row(*texts: str, wrapped: bool = False) -> Row:
    return Row(tuple(Run(text, Style(fg=at)) for at, text in enumerate(texts)), wrapped)


@pytest.mark.requirement("N-86")
def test_rows_are_masked_over_colours_wraps_and_without_their_beginning() -> None:
    split = [row(line[: len(line) // 2], line[len(line) // 2 :]) for line in LINES]
    wrapped = [row("token=abcdefgh", wrapped=True), row("ijkl end")]
    bare = [row("  1  " + PEM[1] + "  "), row("a plain line")]
    shown = Held().rows([*split, *map(row, PEM), *wrapped, *bare], 0, (-1, 0), 0.0, 200)
    text = "\n".join(shown)
    assert [value for value in (*VALUES, *PEM[1:3], "abcdefgh", "ijkl") if value in text] == []
    assert shown[-1] == "a plain line" and len(shown) == len(split) + len(PEM) + 4


def grown(text: str, pause: float, *, elsewhere: bool = False) -> tuple[str, str]:
    """Return what was written of a line that grew letter by letter, and of it when it was left."""
    held, written, now = Held(), "", 0.0
    for length in range(1, len(text) + 1):
        now += pause
        place = (1, 0) if elsewhere else (0, length)
        written += "\n".join(held.rows([row(text[:length]), row("")], 0, place, now, 200))
    return written, held.rows([row(text), row("")], 0, (1, 0), now + 2 * REST, 200)[0]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("pause", [EVERY, 2 * REST])
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.requirement("N-86")
def test_beginning_of_a_secret_is_held_back_while_it_grows(
    kind: str, pause: float, elsewhere: bool
) -> None:
    around, value = SECRETS[kind]
    written, left = grown(around.format(value), pause, elsewhere=elsewhere)
    # A beginning of so many letters tells nothing: `token`, `sk-`, `hunte`.
    assert value[:6] not in written + left
    assert REDACTED in left


def test_line_that_rests_or_was_left_is_written() -> None:
    for text in ("Continue? [y/N] ", "user@host:~/proj2$ ", "❯ 2. Yes, and don't ask again (esc)"):
        for pause in (EVERY, 2 * REST):
            assert grown(text, pause)[1] == text
        held = Held()
        assert held.rows([row(text)], 0, (0, len(text)), 0.0, 80) == [""]
        assert held.due == REST
        assert held.rows([row(text)], 0, (0, len(text)), REST, 80) == [text]
        assert held.due == float("inf")


def test_line_that_changes_without_growing_is_written_at_once() -> None:
    held = Held()
    for at in range(1, 20):
        rows = held.rows([row(f"{at} % of the files")], 0, (0, 2), at * EVERY, 80)
        assert at == 1 or rows == [f"{at} % of the files"]


@pytest.mark.requirement("N-86")
def test_signs_and_hooks_are_masked() -> None:
    for around, value in SECRETS.values():
        line = around.format(value)
        told = sign(ScreenEvent("notify", line, line)) + sign(ScreenEvent("title", line))
        assert value not in told and told.count("\x07") == 2
        hook = {"tool_input": {"command": line, "list": [line]}, "count": 3, "password": value}
        kept = masked(hook)
        assert value not in json.dumps(kept) and kept["count"] == 3
    assert sign(ScreenEvent("title", "a\x07b\x1b]0;c")) == "\x1b]0;ab]0;c\x07"
    assert sign(ScreenEvent("clipboard", "secret")) == ""


def switch(connection: Connection, made: str, action: str) -> dict[str, Any]:
    return plain(connection.request(messages.Trace(id=0, session=made, action=action), timeout=30))  # type: ignore[arg-type]


def test_a_trace_is_recorded_masked_and_replayed(shared_place: Place) -> None:
    script = "printf 'Continue? [y/N] '; read answer; " + "; ".join(
        f"printf '%s\\n' {shlex.quote(line)}" for line in (*LINES, *PEM)
    )
    with shared_place.connect(front_end=True) as connection:
        made = create(connection, f"sh -c {shlex.quote(script + '; exit 3')}", name="a/b c")
        wait_for(connection, made, "Continue")
        assert switch(connection, made, "status")["on"] is False
        begun = switch(connection, made, "on")
        assert begun["on"] and switch(connection, made, "on")["path"] == begun["path"]
        until(lambda: session(connection, made)["phase"] == "attention")
        time.sleep(TICKS_S)
        connection.send(messages.TypeText(session=made, text="y"))
        connection.send(messages.TypeText(session=made, text="\r"))
        until(lambda: session(connection, made)["phase"] == "error")
        assert switch(connection, made, "off")["on"] is False
        with pytest.raises(RequestFailed, match="nothing to record"):
            switch(connection, made, "on")
    path = Path(begun["path"])
    assert path.name.startswith("a-b-c-") and leaks(shared_place.home) == []
    read = replay.read(path.parent, path.stem)
    kinds = [kind for _, kind, _ in read.stream]
    assert [text for _, kind, text in read.stream if kind == "i"] == ["x", "\r"]
    assert kinds[-1] == "x" or "x" in kinds
    states = replayed(path)
    assert "attention" in states and states[-1] == "failure"


@pytest.mark.requirement("N-86")
def test_token_that_is_printed_slowly_leaves_no_beginning_in_a_trace(
    shared_place: Place, tmp_path: Path
) -> None:
    value = SECRETS["github"][1]
    script = tmp_path / "slow"
    script.write_text(
        f"read go; for c in {' '.join(value[:18])}; do printf %s $c; sleep 0.12; done; sleep 1\n"
        f"printf '{value[18:]}\\nDone? [y/N] '; read answer\n"
    )
    with shared_place.connect(front_end=True) as connection:
        made = create(connection, f"sh {script}")
        path = Path(switch(connection, made, "on")["path"])
        connection.send(messages.TypeText(session=made, text="\r"))
        wait_for(connection, made, "Done?")
        until(lambda: b"Done?" in path.read_bytes())
        switch(connection, made, "off")
    written = path.read_text()
    assert REDACTED in written
    assert value[:6] not in written and value[18:24] not in written


def replayed(path: Path) -> list[str]:
    import subprocess

    command = [*NAGOMI, "judge", "replay", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [step["state"] for step in json.loads(done.stdout)]
