"""nagomi chat with the real agent, its own process, and a model behind a real HTTP server."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pytest

from nagomi_tui.system import paths
from tests.helpers.command import Commands
from tests.helpers.model_server import (
    ModelServer,
    calls,
    fails,
    hangs,
    model_server,
    says,
)
from tests.helpers.outer import Outer
from tests.helpers.workplace import Place, create, session, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

CHAT: Final = (sys.executable, "-m", "nagomi_tui", "chat")
PROMPT: Final = "Ask about your sessions"


class Room:
    """A home with settings for a model's server, and programs that run in it."""

    def __init__(self, home: Path, server: ModelServer) -> None:
        self.home, self.server = home, server
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "NAGOMI_HOME": str(home), "MODEL_KEY": "a-key", "NAGOMI_ZYGOTE": "0",
        }  # fmt: skip

    def settle(self, **more: object) -> None:
        """Write the settings."""
        kept = {
            "llm_consent": True, "agent_provider": "anthropic", "agent_url": self.server.url,
            "agent_model": "claude-test", "agent_key_variable": "MODEL_KEY", **more,
        }  # fmt: skip
        folder = paths.config_folder()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(kept))

    def chat(self, *arguments: str, cols: int = 80, rows: int = 24) -> Outer:
        return Outer([*CHAT, *arguments], self.env, cols=cols, rows=rows)

    @property
    def commands(self) -> Commands:
        return Commands(self.home, self.env)

    def asked(self) -> list[str]:
        """Return what the user said in each request's last message."""
        return [_text(one.messages[-1]["content"]) for one in self.server.asked]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    assert isinstance(content, list)
    return "\n".join(block.get("text", "") for block in content)


@contextmanager
def _room(*, start: bool, **settings: object) -> Iterator[tuple[Room, Place]]:
    with model_server() as server, workplace(start=False) as place:
        room = Room(place.home, server)
        room.settle(**settings)
        if start:
            place.start()
        yield room, place


@pytest.fixture(params=["agent", pytest.param("local", marks=pytest.mark.variant)])
def room(request: pytest.FixtureRequest) -> Iterator[Room]:
    """With a workplace, in whose agent the conversation is, and without one.

    The turns are the same; what differs has its tests run in both by `make slow`.
    """
    with _room(start=request.param == "agent") as (made, _):
        yield made


_BOTH: Final = pytest.mark.parametrize("room", ["agent", "local"], indirect=True)


def say(outer: Outer, text: str) -> None:
    outer.type(text)
    outer.keys("Enter")


@pytest.mark.requirement("S-26", "S-27", "S-30")
@_BOTH
def test_conversations_are_begun_left_and_found_again(room: Room) -> None:
    room.server.script(says("Noted: blue."), says("Red it is."), says("You said blue."))
    with room.chat() as outer:
        outer.wait(PROMPT)
        say(outer, "my colour is blue")
        outer.wait("Noted: blue.")
        say(outer, "/new my-project")
        outer.wait("my-project · calm")
        say(outer, "red")
        outer.wait("Red it is.")
        say(outer, "/switch init")
        outer.wait(
            lambda shown: (
                "initial · calm" in shown.splitlines()[-2:][0] or shown.count("initial · calm") > 1
            )
        )
        say(outer, "which one?")
        outer.wait("You said blue.")
        say(outer, "/list")
        outer.wait("<-- current")
    said = [_text(message["content"]) for message in room.server.asked[-1].messages]
    assert said == ["my colour is blue", "Noted: blue.", "which one?"]


@pytest.mark.requirement("S-30")
@_BOTH
def test_a_conversation_is_gone_on_with_after_the_program(room: Room) -> None:
    room.server.script(says("first answer"), says("second answer"))
    with room.chat("--new", "kept") as outer:
        outer.wait(PROMPT)
        say(outer, "/work 3")
        outer.wait("answers left: 3")
        say(outer, "one")
        outer.wait("first answer")
        outer.wait("work mode: 2 left")
        outer.keys("C-d")
        outer.wait("[left 0]")
    with room.chat("--conversation", "kep") as outer:
        shown = outer.wait("work mode: 2 left")
        assert "kept · calm" in shown
        shown = outer.wait("❯ one")
        assert "first answer" in shown, "the last words are shown"
        say(outer, "two")
        outer.wait("second answer")
    assert "one" in json.dumps(room.server.asked[-1].messages)


@pytest.mark.requirement("SC-4", "SB-15")
def test_names_that_fit_none_or_several_are_told(room: Room) -> None:
    with room.chat("--new", "my-a") as outer:
        outer.wait(PROMPT)
        say(outer, "/new my-b")
        outer.wait("my-b · calm")
        say(outer, "/switch my-")
        outer.wait("Ambiguous prefix, matches:")
        say(outer, "/switch other")
        outer.wait("Session not found: other")
        say(outer, "/context")
        outer.wait("/ 180,000 tokens")
        say(outer, "/compact")
        outer.wait("Too few messages to compact (need > 4).")
    assert room.server.asked == []


def test_a_turn_that_failed_is_said_again_and_stored_once(room: Room) -> None:
    room.server.script(
        fails(401, "authentication_error", "invalid x-api-key"), says("Now it works.")
    )
    with room.chat(rows=40) as outer:
        outer.wait(PROMPT)
        say(outer, "please")
        outer.wait("/retry")
        outer.wait(lambda shown: shown.count("❯") == 2)
        say(outer, "/retry")
        outer.wait("Now it works.")
    assert [_text(one["content"]) for one in room.server.asked[-1].messages] == ["please"]


def test_an_answer_that_breaks_off_or_hangs_is_ended_and_can_be_said_again(room: Room) -> None:
    room.server.script(hangs("Half an an"), says("Whole."))
    with room.chat(rows=40) as outer:
        outer.wait(PROMPT)
        say(outer, "please")
        outer.wait("Half an an")
        outer.keys("C-c")
        outer.wait("what came is kept")
        say(outer, "go on")
        outer.wait("Whole.")
    assert [_text(one["content"]) for one in room.server.asked[-1].messages] == [
        "please",
        "Half an an",
        "go on",
    ]


def test_an_acting_tool_asks_and_does_what_was_shown(room: Room) -> None:
    first = calls("write_file", {"path": "notes.md", "text": "hello\n"})
    second = calls("write_file", {"path": "notes.md", "text": "other\n"})
    room.server.script(says("I write.") + first, says("It is written."), second, says("Not then."))
    with room.chat(rows=40) as outer:
        outer.wait(PROMPT)
        say(outer, "write hello")
        outer.wait("o once")
        assert "+hello" in outer.screen()
        _press(outer, "o")
        outer.wait("It is written.")
        say(outer, "again")
        outer.wait("+other")
        _press(outer, "n")
        outer.wait("Not then.")
    written = paths.state_folder() / "agent" / "notes.md"
    assert written.read_text() == "hello\n"


def _press(outer: Outer, key: str) -> None:
    """Press a key as one who has read the question: one that comes at once does not count."""
    time.sleep(0.8)
    outer.keys(key)


def test_once_answers_with_stdin_behind_the_question(room: Room) -> None:
    room.server.script(says("Two lines."))
    done = room.commands.run("chat", "-p", "how many?", stdin="a\nb\n")
    assert (done.returncode, done.stdout) == (0, "Two lines.\n"), done.stderr
    assert room.asked() == ["how many?\n\na\nb\n"]


def test_once_says_no_to_a_tool_that_acts(room: Room) -> None:
    call = calls("write_file", {"path": "notes.md", "text": "hello\n"})
    room.server.script(call, says("I may not."))
    done = room.commands.run("chat", "-p", "write hello")
    assert done.stdout == "I may not.\n"
    assert "nobody is asked here" in done.stderr


@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize(
    ("settings", "way"), [({"llm_consent": False}, "llm_consent"), ({"agent_url": ""}, "NO_KEY")]
)
def test_without_consent_or_a_key_nothing_is_sent_and_the_way_is_told(
    start: bool, settings: dict[str, object], way: str
) -> None:
    with _room(start=start, **{"agent_key_variable": "NO_KEY", **settings}) as (room, _):
        done = room.commands.run("chat", "-p", "hi")
        assert done.returncode == 1
        assert way in done.stderr
        assert room.server.asked == []


@pytest.mark.parametrize("start", [True, False])
def test_consent_is_asked_for_at_the_first_message(start: bool) -> None:
    with _room(start=start, llm_consent=False) as (room, _), room.chat() as outer:
        outer.wait("❯")
        say(outer, "hi")
        shown = outer.wait("c from now on")
        assert room.server.url in "".join(shown.split()) and "lines of sessions" in shown
        time.sleep(0.8)  # a key that comes at once is none for the question
        outer.keys("n")
        # A key at which more was typed would be no answer.
        outer.wait(lambda shown: "(Enter: no)" not in shown)
        assert room.server.asked == []
        room.server.script(says("Hello."))
        say(outer, "/retry")
        outer.wait(lambda shown: shown.count("? Send this") == 2 and "o once" in shown)
        time.sleep(0.8)
        outer.keys("o")
        outer.wait("Hello.")


def test_garbled_lines_of_the_file_are_told_when_it_is_opened(room: Room) -> None:
    room.server.script(says("Hello."))
    assert room.commands.run("chat", "-p", "hi").returncode == 0
    folder = paths.state_folder() / "agent/.sessions/agents/default/sessions"
    (kept,) = (path for path in folder.glob("*.jsonl") if not path.name.endswith(".meta.jsonl"))
    kept.write_text("{no record\n" + kept.read_text())
    with room.chat() as outer:
        outer.wait("1 lines of this conversation's file could not be read")


@_BOTH
def test_two_programs_cannot_hold_one_conversation(room: Room) -> None:
    with room.chat("--new", "held") as outer:
        outer.wait(PROMPT)
        done = room.commands.run("chat", "--conversation", "held", "-p", "hi")
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        room.server.script(says("elsewhere"))
        assert room.commands.run("chat", "-p", "hi").stdout == "elsewhere\n"


def test_the_next_message_meets_an_agent_that_was_killed_again() -> None:
    with _room(start=True) as (room, place), room.chat(rows=40) as outer:
        room.server.script(says("before"), says("after"))
        outer.wait(PROMPT)
        say(outer, "one")
        outer.wait(lambda shown: "before" in shown and PROMPT in shown)  # and is kept by now
        place.kill(place.pid_of("nagomi_tui.agent.resident"))
        say(outer, "two")
        outer.wait("after")
        assert [_text(one["content"]) for one in room.server.asked[-1].messages] == [
            "one",
            "before",
            "two",
        ]
        room.server.script(calls("start_session", {"command": "ls"}), says("well"))
        say(outer, "three")
        outer.wait("o once")
        place.kill(place.pid_of("nagomi_tui.agent.resident"))
        outer.wait("The agent has gone")  # nobody would get the answer any more
        say(outer, "four")
        outer.wait("well")


@pytest.mark.parametrize(
    ("language", "cols", "rows", "greets"),
    [("en", 80, 24, "One waits for you:"), ("ja", 160, 45, "ひとつがあなたを待っています")],
)
def test_a_greeting_tells_who_waits_and_its_key_answers_without_a_model(
    language: str, cols: int, rows: int, greets: str
) -> None:
    with _room(start=True, language=language) as (room, place):
        with place.connect() as connection:
            asks = "bash -c 'read -p \"Continue? [y/N] \" answer; echo got $answer; sleep 600'"
            made = create(connection, asks, name="deploy")
            until(lambda: session(connection, made)["phase"] == "attention")
            with room.chat(cols=cols, rows=rows) as outer:
                told = (greets, "Alt+1", "Continue? [y/N]")
                outer.wait(lambda shown: all(one in shown for one in told))
                outer.keys("M-1")
                outer.wait("/answer 1")
                outer.keys("Enter")
                outer.wait("y: y" if language == "en" else "y：y")
                outer.keys("M-1")
                say(outer, "y")
                wait_for(connection, made, "got y")
        assert room.server.asked == []


def test_what_is_said_unasked_stands_above_what_the_user_types() -> None:
    with _room(start=True) as (room, place):
        room.server.script(calls("remind", {"when": "3s", "words": "stretch"}), says("I will."))
        with room.chat() as outer:
            outer.wait(PROMPT)
            say(outer, "remind me")
            outer.wait("I will.")
            outer.type("half a li")
            outer.wait("Reminder: stretch")
            outer.type("ne")
            outer.wait("half a line")
            screen = outer.screen()
            assert screen.index("Reminder: stretch") < screen.index("half a line")
            outer.keys("Enter")
            outer.wait("ok")
        assert room.asked()[-1].endswith("half a line")
        with room.chat() as outer:
            outer.wait("Nobody waits for you")
