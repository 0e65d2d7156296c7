"""Claude Code as it was and as it is, with our hooks and without: what it is shown to be doing."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import RequestFailed
from tests.end_to_end.test_agent_hooks import install, press, say, see
from tests.helpers.clients import ModelServer, Step, claude, newest_claude
from tests.helpers.workplace import PATIENCE, create, plain, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow

BUSY = {"thinking", "running"}
QUESTION = {
    "question": "Which database?", "header": "Database", "multiSelect": False,
    "options": [{"label": "SQLite", "description": "One file"},
                {"label": "Postgres", "description": "A server"}],
}  # fmt: skip


class Watch:
    """Keeps each phase that a session is shown in, but that somebody types; busy is one."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self.phases: list[str] = []
        self._connection, self._session_id = connection, session_id
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @contextmanager
    def begun(self) -> Iterator[Watch]:
        self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._thread.join(PATIENCE)

    def shows(self, phase: str) -> None:
        """Wait for a phase, and see that nothing else comes within a moment."""
        until(lambda: self.phases[-1:] == [phase])
        time.sleep(0.4)
        assert self.phases[-1] == phase, self.phases

    def _run(self) -> None:
        while not self._over.wait(0.03):
            found = session(self._connection, self._session_id)
            phase = "secret" if found.get("secret") else found["phase"]
            phase = "busy" if phase in BUSY else phase
            if self.phases[-1:] != [phase] and phase != "listening":
                self.phases.append(phase)


def touch(name: str) -> tuple[str, dict[str, str]]:
    return "Bash", {"command": f"touch {name}", "description": "Make it"}


def asked(connection: Connection, made: str) -> Any:
    return plain(connection.request(m.Asks(id=0, session=made), timeout=PATIENCE))["question"]


def question(connection: Connection, made: str, text: str) -> dict[str, Any]:
    """Wait until it asks about this."""

    def look() -> Any:
        found = asked(connection, made)
        return found if found and text in " ".join([found["text"], *found["details"]]) else None

    found: dict[str, Any] = until(look)
    return found


def answer(connection: Connection, made: str, found: dict[str, Any], label: str) -> None:
    """Answer with the choice of this label."""
    key = next(one["key"] for one in found["choices"] if one["label"] == label)
    order = m.Answer(id=0, session=made, choice=key, question=found["question_id"])
    assert connection.request(order, timeout=PATIENCE).taken


def begin(place: Place, connection: Connection, command: str, cwd: Path, env: Any) -> str:
    env = {**env, "CLAUDE_CODE_MAX_RETRIES": "1"}
    return create(connection, command, str(cwd), env=env, rows=40)


@pytest.mark.parametrize(
    ("start", "hooks"),
    [
        pytest.param(claude, False, marks=pytest.mark.variant),
        pytest.param(newest_claude, False, marks=pytest.mark.variant),
        (newest_claude, True),
    ],
    ids=["old", "new", "new with hooks"],
)
@pytest.mark.requirement("X-20")
def test_claude_is_shown_as_it_is(start: Start, hooks: bool, tmp_path: Path) -> None:
    cwd, gate = tmp_path / "work", threading.Event()
    cwd.mkdir()
    steps = [
        Step("It is forty-two."),
        Step("I make it.", (touch("a"),)), Step("It is made."),
        Step("I make another.", (touch("b"),)),
        Step("", (("AskUserQuestion", {"questions": [QUESTION]}),)), Step("Fine."),
        Step("never said", gate=gate),
        Step(error=500), Step(error=500), Step("I am back."),
        Step(error=401), Step(error=401), Step(error=401),
    ]  # fmt: skip
    slowly = [replace(step, seconds=0.5) for step in steps]
    with (
        ModelServer(slowly) as server,
        workplace() as place,
        place.connect() as connection,
        place.connect() as watching,
    ):
        command, env = start(tmp_path / "home", cwd, server.port)
        if hooks:
            install(env, "claude")
        made = begin(place, connection, command, cwd, env)
        see(connection, made, "for shortcuts")
        until(lambda: session(connection, made)["phase"] == "idle")
        with Watch(watching, made).begun() as watch:
            watch.shows("idle")
            say(connection, made, "what is six by seven")
            watch.shows("success")

            say(connection, made, "make a")
            first = question(connection, made, "touch a")
            watch.shows("attention")
            assert "touch a" in session(connection, made)["summary"]
            answer(connection, made, first, "Yes")
            watch.shows("success")
            assert (cwd / "a").exists()

            say(connection, made, "make b")
            second = question(connection, made, "touch b")
            watch.shows("attention")
            answer(connection, made, second, "No")
            watch.shows("idle")
            assert not (cwd / "b").exists()

            say(connection, made, "choose")
            which = question(connection, made, "Which database?")
            watch.shows("attention")
            answer(connection, made, which, "Postgres")
            watch.shows("success")

            say(connection, made, "think for long")
            until(lambda: len(server.requests) == 7)
            watch.shows("busy")
            press(connection, made, "escape")
            watch.shows("idle")
            until(lambda: draft(connection, made) == "think for long", "what was asked is back")
            until(lambda: emptied(connection, made))

            say(connection, made, "fail")
            watch.shows("error")
            say(connection, made, "go on")
            watch.shows("success")
            say(connection, made, "am I known")
            watch.shows("error")
            gate.set()
        assert watch.phases == [
            "idle", "busy", "success",
            "busy", "attention", "busy", "success",
            "busy", "attention", "idle",
            "busy", "attention", "busy", "success",
            "busy", "idle",
            "busy", "error", "busy", "success", "busy", "error",
        ]  # fmt: skip


def draft(connection: Connection, made: str) -> str:
    """Return what stands in the input."""
    return connection.request(m.Asks(id=0, session=made), timeout=PATIENCE).draft


def emptied(connection: Connection, made: str) -> bool:
    """Clear the input."""
    press(connection, made, "ctrl+u")
    return not draft(connection, made) and "esc to interrupt" not in text_of(connection, made)


@pytest.mark.parametrize("start", [claude, newest_claude])
def test_a_folder_is_trusted_by_numbers_or_by_arrows(start: Start, tmp_path: Path) -> None:
    """The new one has arrows only, and would leave by Enter."""
    cwd = tmp_path / "work"
    cwd.mkdir()
    with ModelServer([]) as server, workplace() as place, place.connect() as connection:
        command, env = start(tmp_path / "home", tmp_path / "elsewhere", server.port)
        made = begin(place, connection, command, cwd, env)
        until(lambda: session(connection, made)["phase"] == "attention")
        found = question(connection, made, "one you trust?")
        assert "one you trust?" in session(connection, made)["summary"]
        if found["options"]:
            assert found["options"] == ["No, exit", "Yes, I trust this folder"]
            with pytest.raises(RequestFailed, match="arrow keys"):
                connection.request(m.Answer(id=0, session=made, choice="1"), timeout=PATIENCE)
            press(connection, made, "down")
            see(connection, made, "❯ Yes")
            press(connection, made, "enter")
        else:
            answer(connection, made, found, "Yes, I trust this folder")
        see(connection, made, "for shortcuts")
        until(lambda: session(connection, made)["phase"] == "idle")
