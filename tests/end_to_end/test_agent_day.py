"""A day with the resident agent, as its user sees it in a terminal, over restarts of everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages
from nagomi_tui.system import paths
from tests.helpers.model_server import calls, model_server, says
from tests.helpers.outer import Outer
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from nagomi_tui.sessions.session import Session
    from tests.helpers.model_script import Step
    from tests.helpers.model_server import Asked, ModelServer
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

MODES: Final = ("reserved", "autonomous")
NAGOMI: Final = (sys.executable, "-m", "nagomi_tui")
AGENT: Final = "nagomi_tui.agent.resident"
WORDS: Final = {
    "en": {"placeholder": "Ask about your sessions", "reserved": "reserved", "autonomous": "autonomous", "gone": "The agent has gone", "next": "answers left: 3", "left": "work mode: {} left"},
    "ja": {"placeholder": "つくりのことを何でもどうぞ", "reserved": "控えめ", "autonomous": "自律", "gone": "エージェントがいなくなりました", "next": "以後3ターン", "left": "仕事モード 残り{}"},
}  # fmt: skip
STEP: Final = {"session": "shell", "command": "uname -s", "reason": "see what runs here"}


def answer(asked: Asked) -> Step:
    """Answer as a model might: the loop by what is asked of it, the chat by what was said last."""
    if "Nobody has asked you" in str(asked.body["system"]):
        if "[INNER]" in str(asked.body["system"]):
            return says("[INNER]tests failed, deploy waits[/INNER]")
        return says(json.dumps({"say": "The tests failed.", "propose": [STEP]}))
    content = asked.messages[-1]["content"]
    last = str(content if isinstance(content, str) else content[-1])  # before it stands the room
    if "tool_result" in last:
        return says("**deploy** waits for you, and **tests** failed.")
    if "going on" in last:
        return says("I look.") + calls("list_sessions", {})
    return says(f"Answer {len(asked.messages)}.")


class Day:
    """A workplace with six sessions, and terminals to look at it."""

    def __init__(self, place: Place, server: ModelServer, language: str) -> None:
        self.place, self.server, self.words = place, server, WORDS[language]
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(place.home), "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "NAGOMI_HOME": str(place.home), "NAGOMI_LANG": language,
        }  # fmt: skip

    def furnish(self, connection: Connection) -> None:
        values = {"llm_consent": True, "agent_url": self.server.url, "agent_model": "mame"}
        connection.request(messages.Settings(id=0, values=values), timeout=PATIENCE)
        for name in ("build", "notes", "server"):
            create(connection, "cat", name=name)
        failed = create(connection, "sh -c 'echo 2 failed; exit 1'", name="tests")
        waits = create(connection, "sh -c 'printf \"Deploy it? [y/N] \"; read x'", name="deploy")
        shell = create(connection, "bash --norc", name="shell", env={**self.env, "PS1": "$ "})
        wait_for(connection, shell, r"^\$")
        until(lambda: session(connection, failed)["phase"] == "error")
        until(lambda: session(connection, waits)["phase"] == "attention")

    def terminal(self, *arguments: str) -> Outer:
        return Outer([*NAGOMI, *arguments], self.env, cols=110, rows=36)

    def restart(self) -> None:
        """Kill everything but what holds the sessions."""
        for pid in (self.place.supervisor, self.place.orchestrator, *self.place.pids_of(AGENT)):
            self.place.kill(pid)
        self.place.start()

    def open_the_judge(self, front_end: Outer) -> None:
        """Go to the shell, and have the judge's pane beside it."""
        front_end.wait("shell")
        for key in ("6", "y"):
            front_end.keys("C-]")
            front_end.keys(key)

    def let_a_minute_pass(self) -> None:
        """Let the agent be one that asked its model a while ago."""
        self.place.kill(self.place.pid_of(AGENT))
        kept = paths.state_folder() / "agent-loop.json"
        standing: dict[str, Any] = json.loads(kept.read_bytes())
        kept.write_text(json.dumps(standing | {"not_before": 0.0}))


def stands(*words: str) -> Callable[[str], bool]:
    """Return what tells whether a line of a screen holds all of these words."""
    return lambda shown: any(all(one in line for one in words) for line in shown.splitlines())


def say(outer: Outer, text: str, *seen: str | Callable[[str], bool]) -> None:
    outer.type(text)
    outer.keys("Enter")
    for one in seen:
        outer.wait(one)


def say_although_it_was_killed(
    outer: Outer, text: str, seen: Callable[[str], bool], gone: str
) -> None:
    """Say something to an agent whose death may not have been noticed yet: then say it again."""
    say(outer, text)
    outer.wait(lambda shown: seen(shown) or gone in shown)
    if not seen(outer.screen()):
        say(outer, text, seen)


def sessions(connection: Connection) -> tuple[Session, ...]:
    return connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions


def log(folder: Path) -> str:
    command = ["git", "-C", str(folder), "log", "--format=%s", "--", "memory/inner-notes.md"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("language", ["en", pytest.param("ja", marks=pytest.mark.variant)])
@pytest.mark.requirement("M-35", "W-39", "S-30")
def test_a_day_goes_on_where_it_was(language: str) -> None:
    with model_server() as server, workplace() as place:
        server.otherwise = answer
        day, words = Day(place, server, language), WORDS[language]
        with place.connect() as connection:
            day.furnish(connection)
        left = words["left"]
        reserved, autonomous = (stands("initial · ", words[mode], left.format(2)) for mode in MODES)
        notes = paths.state_folder() / "agent" / "memory" / "inner-notes.md"
        with day.terminal("chat") as chat:
            chat.wait(words["placeholder"])
            say(chat, "what is going on?", "deploy waits for you, and tests failed.")
            listed = str(server.asked[-1].messages)
            assert all(name in listed for name in ("build", "notes", "server", "shell"))
            say(chat, "/work 3", words["next"])
            say(chat, "and now, briefly?", left.format(2))
            say(chat, "/new tea", "tea · ")
            say(chat, "green, please", "Answer 1.")
            say(chat, "/switch initial")
            chat.wait(lambda shown: shown.rstrip().splitlines()[-2].startswith("initial · "))
            say(chat, "/mode reserved", reserved)
            until(lambda: notes.exists() and "deploy waits" in notes.read_text())
            day.let_a_minute_pass()
            say_although_it_was_killed(chat, "/mode autonomous", autonomous, words["gone"])
            assert notes.read_text() == "" and "chore(inner)" in log(notes.parents[1])
        with day.terminal() as front_end:
            day.open_the_judge(front_end)
            front_end.wait(STEP["command"])
        day.restart()
        with day.terminal() as front_end, place.connect() as connection:
            day.open_the_judge(front_end)
            front_end.wait(STEP["command"])
            front_end.keys("A")
            until(lambda: "Linux" in text_of(connection, "shell"))
            states = {one.name: str(one.phase) for one in sessions(connection)}
            assert (states["tests"], states["deploy"], len(states)) == ("error", "attention", 6)
        with day.terminal("chat", "--conversation", "initial") as chat:
            chat.wait(autonomous)
            say(chat, "still there?", left.format(1))
            assert "what is going on?" in str(server.asked[-1].messages)
            say(chat, "/list", "tea")
