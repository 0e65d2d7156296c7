"""A day with worktrees by keys alone: five agents, a review, what conflicts, merges, a removal and its undo."""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages
from nagomi_tui.system.console import READ_SECONDS
from tests.end_to_end.test_review import turn_kept
from tests.helpers import clients
from tests.helpers.clients import ModelServer, Step
from tests.helpers.outer import Outer
from tests.helpers.repository import git, repository
from tests.helpers.workplace import PATIENCE, until, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

CART: Final = "".join(f"def step_{n}():\n    return {n}\n\n\n" for n in range(1, 21))
AGENTS: Final = {
    "price": "claude", "mail": "codex", "tax": "claude", "docs": "claude", "rush": "codex",
}  # fmt: skip
"""By worktree. Their sessions have the numbers from 2 on."""
LISTED: Final = re.compile(r"│ +docs  ")
"""What the list of worktrees shows once git has told of them."""
WORDS: Final = {
    "en": {
        "first": "First message", "new": "new at main (", "sent": "Sent to price: 3 comments.",
        "open": "cart.py:34  open", "touched": ("cart.py:6  touched", "cart.py:70  touched"),
        "turn": "since the last turn · 1 file +2 −2", "committed": "Committed as",
        "meet": "⚠ {} and {} conflict in cart.py", "merge": "Merge this?",
        "merged": "{} is merged into main", "stays": "The session {}", "resolve": "Have session 4",
        "stop": "Stop its sessions and remove", "gone": "taken away", "back": "is back.",
        "base": "since the base",
    },
    "ja": {
        "first": "最初のことば", "new": "main（", "sent": "コメント 3 件を送りました",
        "open": "cart.py:34  未対応", "touched": ("cart.py:6  手が入った", "cart.py:70  手が入った"),
        "turn": "最後のターンから · 1 ファイル +2 −2", "committed": "としてコミットしました",
        "meet": "⚠ {} と {} が cart.py でぶつかっています", "merge": "これをマージしますか？",
        "merged": "{} を main にマージしました", "stays": "つくり {}", "resolve": "つくり 4 に解いて",
        "stop": "のつくりを止めて", "gone": "片づけました", "back": "戻しました",
        "base": "分岐元から",
    },
}  # fmt: skip


def told(outer: Outer, words: str) -> None:
    """Wait for words that may be broken over rows: folders of tests have long paths."""

    def joined(text: str) -> str:
        return re.sub(r"[\s│]", "", text)

    outer.wait(lambda shown: joined(words) in joined(shown), what=words)


class Models(ModelServer):
    """Answers each agent with the steps under what its user said last."""

    def __init__(self, scripts: dict[str, list[Step]]) -> None:
        super().__init__()
        self._scripts = scripts

    def next(self, body: dict[str, Any]) -> Step:
        step = super().next(body)
        told = json.dumps(body)
        said = max(self._scripts, key=told.rfind)
        if step is self.side or not self._scripts[said] or said not in told:
            return step
        return self._scripts[said].pop(0)


class Day:
    """A repository, five agents' models, and a terminal in which all is done by keys."""

    def __init__(self, tmp_path: Path, language: str) -> None:
        self.words: dict[str, Any] = WORDS[language]
        self.home = tmp_path / "home"
        self.root = repository(tmp_path / "shop", cart=CART)
        git(self.root, "mv", "cart", "cart.py")
        (self.root / "mail.py").write_text("pass\n")
        git(self.root, "add", ".")
        git(self.root, "commit", "-qm", "The shop")
        self.place = tmp_path / "shop.worktrees"
        self.turns = [threading.Event(), threading.Event()]
        """A model thinks for longer than a turn needs to be seen: these let go on that of price."""
        self.scripts = {
            "work on price": [
                Step("I look.", (self._read("price"),), gate=self.turns[0]),
                *(self._edit("price", f"{n}\n", f"{n}.5\n") for n in (2, 9, 18)),
                Step("Prices are changed."),
            ],
            "round it up": [
                Step("I work through them.", (self._read("price"),), gate=self.turns[1]),
                self._edit("price", "2.5\n", "2.75\n"),
                self._edit("price", "18.5\n", "19\n"),
                Step("1 and 3 are done, 2 stays."),
            ],
            "work on tax": [
                Step("", (self._read("tax"),)),
                self._edit("tax", "9\n", "9 * 1.2\n"),
                Step("Tax is in."),
            ],
            "work on mail": [self._run("echo send > mail.py"), Step("Mail is sent.")],
            "work on docs": [Step("Nothing is to be written.")],
            "work on rush": [self._run("echo rush > rush.txt"), Step("Rush is done.")],
        }

    def _read(self, tree: str) -> tuple[str, dict[str, Any]]:
        return "Read", {"file_path": str(self.place / tree / "cart.py")}

    def _edit(self, tree: str, old: str, new: str) -> Step:
        change = {"old_string": f"return {old}", "new_string": f"return {new}"}
        return Step("", (("Edit", {"file_path": str(self.place / tree / "cart.py"), **change}),))

    def _run(self, command: str) -> Step:
        return Step("", (("exec_command", {"cmd": command}),))

    def environment(self, port: int, place: Path, language: str) -> dict[str, str]:
        """Return that of a user who trusts the folders of the five agents."""
        _, codex = clients.codex(self.home, self.root, port)
        _, claude = clients.claude(self.home, self.root, port)
        settings = json.loads((self.home / ".claude.json").read_text())
        (known,) = settings["projects"].values()
        settings["projects"] = {str(self.place / name): known for name in AGENTS}
        (self.home / ".claude.json").write_text(json.dumps(settings))
        (self.home / ".claude").mkdir()
        asks = {"permissions": {"defaultMode": "acceptEdits"}}
        (self.home / ".claude/settings.json").write_text(json.dumps(asks))
        config = self.home / ".codex/config.toml"
        trusted = "".join(
            f'[projects."{self.place / name}"]\ntrust_level = "trusted"\n' for name in AGENTS
        )
        free = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n'
        config.write_text(free + config.read_text() + trusted)
        (self.home / ".gitconfig").write_text("[user]\nname = Test\nemail = test@example.org\n")
        programs = [os.path.dirname(path) for path in (sys.executable, clients.program("claude"))]
        return {
            **codex, **claude, "HOME": str(self.home), "SHELL": "/bin/sh", "LANG": "C.UTF-8",
            "TERM": "xterm-256color", "NAGOMI_HOME": str(place), "NAGOMI_LANG": language,
            "PATH": os.pathsep.join([*programs, codex["PATH"]]),
        }  # fmt: skip

    # --- what the user does

    def leader(self, key: str) -> None:
        self.outer.keys("C-]")
        self.outer.keys(key)

    def begin(self, name: str) -> None:
        """Begin an agent in a worktree of its own, by the dialog for a new session."""
        self.leader("c")
        self.outer.wait("▌/bin/sh")
        self.outer.type(AGENTS[name])
        self.outer.wait(self.words["first"])
        self.outer.keys("Tab", "Tab", "C-u")
        self.outer.type(name)
        self.outer.keys("Tab")
        self.outer.type(f"work on {name} please")
        self.outer.keys("Tab", "Tab", "Right")
        self.outer.wait(self.words["new"])
        self.outer.keys("Enter")
        self.outer.wait(lambda shown: self.words["first"] not in shown)
        until((self.place / name / ".git").exists)

    def review(self, number: int, seen: str) -> None:
        """Open the review of a session."""
        self.leader(str(number))
        self.leader("D")
        self.outer.wait(lambda shown: self.words["base"] in shown and seen in shown)

    def commit(self, subject: str) -> None:
        """Commit all that the review shows, and close it."""
        self.outer.keys("w")
        self.outer.type(subject)
        self.outer.keys("Enter")
        self.outer.wait(self.words["committed"])
        self.outer.keys("q")
        self.outer.wait(lambda shown: self.words["base"] not in shown)

    def list(self, *seen: str) -> None:
        """List the worktrees; that of the session in front is marked."""
        self.leader("W")
        self.outer.wait(
            lambda shown: bool(LISTED.search(shown) and all(one in shown for one in seen))
        )

    def close_list(self) -> None:
        self.outer.keys("Escape")
        self.outer.wait(lambda shown: not LISTED.search(shown))

    def merge(self, key: str, name: str) -> None:
        self.list()
        self.outer.keys(key)
        self.outer.wait(self.words["merge"])
        # The words may be those of a merge before, which stand there still.
        until(lambda: state(self.connection, f"merge {name}") == "attention")
        time.sleep(READ_SECONDS)  # a yes that comes at once is none
        self.outer.keys("y", "Enter")
        self.outer.wait(self.words["merged"].format(name))


def story(
    tmp_path: Path, language: str, size: tuple[int, int], look: Callable[[str, Outer], object]
) -> None:
    """Live through it; `look` is called at each turn with its name and the terminal."""
    day = Day(tmp_path, language)
    words = day.words
    with Models(day.scripts) as server, workplace() as place, place.connect() as connection:
        env = day.environment(server.port, place.home, language)
        command = ["sh", "-c", f'cd "{day.root}" && exec "{sys.executable}" -m nagomi_tui']
        with Outer(command, env, cols=size[0], rows=size[1]) as outer:
            day.outer, day.connection = outer, connection
            outer.wait("shop-sh")
            for name in AGENTS:
                day.begin(name)
            price, cart = session_id(connection, "price"), day.place / "price/cart.py"
            until(lambda: turn_kept(day.place / "price", price))
            day.turns[0].set()
            until(lambda: state(connection, "price") == "success")
            until(lambda: "1.2" in (day.place / "tax/cart.py").read_text())
            until(lambda: "send" in (day.place / "mail/mail.py").read_text())
            look("agents", outer)

            first = turn_kept(day.place / "price", price)
            day.review(2, "+3 −3")
            for line, text in ((6, "is this right?"), (34, "why?"), (70, "round it up")):
                outer.keys("n", "c")
                outer.type(text)
                outer.keys("Enter")
                outer.wait(f"cart.py:{line}  ")
            look("comments", outer)
            outer.keys("S")
            outer.wait(words["sent"])
            until(lambda: turn_kept(day.place / "price", price) > first)
            day.turns[1].set()
            until(lambda: "2.75" in cart.read_text() and "19\n" in cart.read_text())
            until(lambda: state(connection, "price") == "success")
            outer.keys("r", "g")
            outer.wait(words["touched"][0])
            outer.keys("G")
            outer.wait(lambda shown: words["open"] in shown and words["touched"][1] in shown)
            look("touched", outer)
            outer.keys("2")
            outer.wait(words["turn"])
            outer.keys("1")
            outer.wait("+3 −3")
            day.commit("Change three prices")

            day.list(words["meet"].format("price", "tax"))
            look("radar", outer)
            day.close_list()
            day.merge("m", "price")
            told(outer, words["stays"].format("2 price"))
            day.list(words["meet"].format("main", "tax"))
            day.close_list()
            day.review(4, "+1 −1")
            day.commit("Add tax")
            day.list()
            outer.keys("m")
            told(outer, words["resolve"])
            look("conflict", outer)
            time.sleep(READ_SECONDS)
            outer.keys("n", "Enter")
            day.review(3, "+1 −1")
            day.commit("Send mail")
            day.merge("s", "mail")
            assert log(day.root) == ["Send mail", "Change three prices", "The shop", "first"]
            assert git(day.root, "status", "--porcelain") == ""

            day.leader("2")
            day.list()
            outer.keys("x")
            told(outer, words["stop"])
            look("removal", outer)
            outer.keys("y")
            told(outer, words["gone"])
            assert not (day.place / "price").exists()
            day.list()
            outer.keys("u")
            told(outer, words["back"])
            assert "2.75" in cart.read_text()
            assert git(day.place / "price", "branch", "--show-current") == "price\n"
            day.list("price  main ↑0 ↓1")
            look("undone", outer)


def log(root: Path) -> list[str]:
    return git(root, "log", "--format=%s").splitlines()


def named(connection: Connection, name: str) -> Any:
    listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
    return next((one for one in listed if one.name == name), None)


def session_id(connection: Connection, name: str) -> str:
    return str(named(connection, name).session_id)


def state(connection: Connection, name: str) -> str:
    found = named(connection, name)
    return str(found.phase) if found else ""


@pytest.mark.requirement("G-14")
@pytest.mark.parametrize(
    ("language", "size"),
    [("en", (80, 24)), pytest.param("ja", (200, 50), marks=pytest.mark.variant)],
)
def test_a_day_with_worktrees(language: str, size: tuple[int, int], tmp_path: Path) -> None:
    story(tmp_path, language, size, lambda name, outer: None)
