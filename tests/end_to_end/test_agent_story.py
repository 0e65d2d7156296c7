"""A user's story with the resident agent: six sessions, an answer, a start, a reminder while it is closed."""

from __future__ import annotations

import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages
from tests.helpers import clients
from tests.helpers.clients import claude
from tests.helpers.model_server import calls, model_server, says
from tests.helpers.outer import Outer
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.model_script import Step
    from tests.helpers.model_server import Asked

pytestmark = pytest.mark.slow

TOUCH: Final = ("Bash", {"command": "touch made", "description": "Make it"})
TESTS: Final = "until [ -e go ]; do sleep 0.2; done; echo 12 passed"
SAID: Final = {
    "en": {"answer": "answer 2 with yes", "start": "start the tests in 3 and tell me", "what": "what did you say?", "greets": "2 wait for you:", "reminder": "Reminder: 3 tests", "asks": "n no (", "yes": "yes, this once"},
    "ja": {"answer": "2 に「はい」と答えて", "start": "3 でテストを始めて、終わったら教えて", "what": "なんて言った？", "greets": "2 つがあなたを待っています", "reminder": "お知らせ：3 tests", "asks": "n いいえ（", "yes": "はい、今回だけ"},
}  # fmt: skip


def answer(asked: Asked) -> Step:
    """Answer as a model might, by what was said last and what came of its tools."""
    content = asked.messages[-1]["content"]
    last = content if isinstance(content, str) else content[-1]
    said = last if isinstance(last, str) else str(last.get("text") or last.get("content"))
    if "2" in said and ("answer" in said or "答え" in said) and "tool_result" not in str(last):
        return calls("answer_session", {"session": "2", "choice": "1"})
    if "tell me" in said or "教えて" in said:
        starts = calls("send_to_session", {"session": "3", "text": TESTS})
        return starts + calls("remind", {"when": "3 is done", "words": "12 tests"})
    return says("Done." if "tool_result" in str(last) else "As I said: the tests are done.")


def furnish(connection: Connection, folder: Path, home: Path, model: clients.ModelServer) -> None:
    """Start six sessions: the second is Claude Code before its dialog, the fourth has failed."""
    shell = {"PATH": os.environ["PATH"], "PS1": "$ ", "TERM": "xterm-256color"}
    create(connection, "cat", name="build")
    command, env = claude(home, folder, model.port)
    coder = create(connection, command, cwd=str(folder), env=env, name="coder")
    plain = {"cwd": str(folder), "env": shell}
    tests = create(connection, "bash --norc --noprofile", name="tests", **plain)
    failed = create(connection, "sh -c 'echo 2 failed; exit 1'", name="lint")
    create(connection, "cat", name="notes")
    create(connection, "bash --norc --noprofile", name="shell", **plain)
    until(lambda: "? for shortcuts" in text_of(connection, coder))
    order = messages.Send(id=0, session=coder, text="make it")
    connection.request(order, timeout=PATIENCE)
    until(lambda: session(connection, coder)["phase"] == "attention")
    until(lambda: session(connection, failed)["phase"] == "error")
    until(lambda: session(connection, tests)["phase"] == "idle")


def chats(connection: Connection) -> list[str]:
    """Return the chats that run."""
    listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
    return [one.name for one in listed if "nagomi chat" in one.cmd and one.state == "running"]


def leader(outer: Outer, key: str) -> None:
    outer.keys("C-]")
    outer.keys(key)


def say(outer: Outer, text: str) -> None:
    outer.keys("C-u")  # a key that came too early for a question stands here
    outer.type(text)
    outer.keys("Enter")


def agree(outer: Outer, yes: str, before: int) -> None:
    """Say yes once to the question that is shown; keys in its first moment do not answer it."""
    deadline = time.monotonic() + PATIENCE
    while outer.screen().count(yes) == before:
        assert time.monotonic() < deadline, outer.screen()
        outer.keys("o")
        until_then = time.monotonic() + 3
        while outer.screen().count(yes) == before and time.monotonic() < until_then:
            time.sleep(0.1)


def story(
    tmp_path: Path, language: str, cols: int, rows: int, look: Callable[[str, Outer], object]
) -> None:
    """Live through it; `look` is called at each turn with its name and the terminal."""
    words = SAID[language]
    folder = tmp_path / "project"
    folder.mkdir()
    with (
        clients.ModelServer([clients.Step("Making it.", (TOUCH,))]) as theirs,
        model_server() as server,
        workplace() as place,
        place.connect() as connection,
    ):
        server.otherwise = answer
        values: dict[str, Any] = {
            "llm_consent": True, "agent_url": server.url, "agent_model": "mame", "language": language,
        }  # fmt: skip
        connection.request(messages.Settings(id=0, values=values), timeout=PATIENCE)
        furnish(connection, folder, tmp_path / "home", theirs)
        env = {
            "PATH": os.environ["PATH"], "HOME": str(place.home), "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "NAGOMI_HOME": str(place.home), "NAGOMI_LANG": language,
        }  # fmt: skip
        with Outer([sys.executable, "-m", "nagomi_tui"], env, cols=cols, rows=rows) as outer:
            outer.wait("tests")
            look("room", outer)
            leader(outer, "t")
            greets = (words["greets"], "Alt+1", "Alt+2")
            outer.wait(lambda shown: all(one in shown for one in greets))
            assert server.asked == []
            look("greeting", outer)
            say(outer, words["answer"])
            shown = outer.wait(words["asks"])
            assert "Do you want to proceed?" in shown and "touch made" in shown
            look("consent", outer)
            agree(outer, words["yes"], 0)
            outer.wait("Done.")
            until((folder / "made").exists)
            say(outer, words["start"])
            outer.wait(lambda shown: shown.count(words["asks"]) == 2 or TESTS in shown)
            agree(outer, words["yes"], outer.screen().count(words["yes"]))
            outer.wait(lambda shown: shown.count("Done.") == 2)
            look("started", outer)
            asked = len(server.asked)
            outer.keys("C-u", "C-d")
            until(lambda: not chats(connection))
            (folder / "go").touch()
            outer.wait(words["reminder"])
            look("told", outer)
            leader(outer, "t")
            # A notice and the bar tell it, too, but without a time before it; one lies over the lane.
            stands = re.compile(rf"\d\d:\d\d {words['reminder']}")
            seen = ("Done.", words["start"])
            shown = outer.wait(
                lambda shown: bool(stands.search(shown)) and all(one in shown for one in seen)
            )
            assert "[unasked" not in shown
            assert len(server.asked) == asked, "no model was asked for any of it"
            say(outer, words["what"])
            outer.wait("As I said")
            assert "12 tests" in str(server.asked[-1].messages)
            look("end", outer)


@pytest.mark.parametrize(
    ("language", "cols", "rows"),
    [("en", 80, 24), pytest.param("ja", 160, 45, marks=pytest.mark.variant)],
)
def test_it_answers_starts_and_tells_also_while_its_chat_is_closed(
    tmp_path: Path, language: str, cols: int, rows: int
) -> None:
    story(tmp_path, language, cols, rows, lambda *_: None)
