"""What Tab offers behind `/` is what the real agents list there, the user's own commands included."""

from __future__ import annotations

import re
import subprocess
import time
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from nagomi_tui.agents.slash_commands import own_commands, slash_of
from nagomi_tui.api import messages
from tests.end_to_end.test_agent_hooks import press, see
from tests.helpers import clients, more_clients
from tests.helpers.clients import ModelServer
from tests.helpers.workplace import PATIENCE, create, text_of, workplace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nagomi_tui.agents.slash_commands import Slash
    from nagomi_tui.api.client import Connection

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


class Listing(NamedTuple):
    """How an agent shows its list, and what it leaves out of it on this machine."""

    start: Start
    ready: str
    row: str
    """A command in its list, whose name is the group."""
    left_out: str = ""
    """Commands of it that need an account, a setting or certificates, and second names."""
    turn_first: bool = False
    """Whether it lists some only once it was asked something."""


LISTINGS: Final = {
    "claude": Listing(
        clients.newest_claude, "manual mode", r"^  [❯ ] /([a-z][\w:-]*)(?: \(.*\))?\s{2,}\S",
        "chrome cost desktop install-github-app install-slack-app privacy-settings remote-control "
        "review schedule teleport upgrade usage-credits voice",
    ),
    "codex": Listing(clients.codex, "› ", r"^[› ] /([a-z][\w:-]*)\s{2,}\S", "quit voice"),
    "gemini": Listing(
        more_clients.gemini, "Type your message", r"^ ([a-z][\w:-]*)(?: \(.*\))?\s{2,}\S(?!.* /model$)",
        "permissions restore upgrade",
    ),
    "qwen": Listing(more_clients.qwen, "Type your message", r"^  [> ] ([a-z][\w:-]*)(?: .*)?\s{2,}\S", "trust workflow-authoring"),
    "copilot": Listing(
        more_clients.copilot, "Interactive", r"^[┃ ] [❯ ] /([a-z][\w:-]*)\s{2,}\S",
        "delegate footer login logout rewind rubber-duck",
    ),
    "cline": Listing(more_clients.cline, "What can I do for you", r"^\s+│ [❯ ] /([a-z][\w:-]*)\s{2,}\S"),
    "opencode": Listing(
        more_clients.opencode, "Ask anything", r"^\s+┃ /([a-z][\w:-]*)\s{2,}\S",
        "redo share unshare variants", turn_first=True,
    ),
}  # fmt: skip


def write_own(slash: Slash, home: Path, project: Path) -> None:
    """Write a command of the user's own into each folder, named after the folder."""
    for number, (folder, is_skill) in enumerate(
        [*((name, False) for name in slash.files), *((name, True) for name in slash.skills)]
    ):
        place = home / folder[2:] if folder.startswith("~/") else project / folder
        text = f"---\nname: own-{number}\ndescription: mine\n---\nSay hello.\n"
        if is_skill:
            (place / f"own-{number}").mkdir(parents=True)
            (place / f"own-{number}" / "SKILL.md").write_text(text)
        elif folder.endswith(".gemini/commands"):
            place.mkdir(parents=True)
            (place / f"own-{number}.toml").write_text(
                'description = "mine"\nprompt = "Say hello."\n'
            )
        else:
            place.mkdir(parents=True)
            (place / f"own-{number}.md").write_text(text)


def listed(connection: Connection, made: str, row: str) -> set[str]:
    """Type a slash, and go up through the list from its end, where each row is shown many times."""
    connection.request(messages.Send(id=0, session=made, text="/", enter=False), timeout=PATIENCE)
    see(connection, made, f"(?m){row}")
    found: set[str] = set()
    unchanged = 0
    while unchanged < 20:
        shown = text_of(connection, made)
        seen = set(re.findall(f"(?m){row}", shown))
        unchanged = 0 if seen - found else unchanged + 1
        found |= seen
        press(connection, made, "up")
        moved(connection, made, shown)
    return found


def moved(connection: Connection, made: str, shown: str) -> None:
    """Wait until the screen shows something else; a mark that is only a colour may not show."""
    deadline = time.monotonic() + 0.2
    while text_of(connection, made) == shown and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.parametrize(
    "name",
    [
        "claude",
        *(pytest.param(name, marks=pytest.mark.variant) for name in LISTINGS if name != "claude"),
    ],
)
def test_an_agent_lists_the_commands_that_tab_offers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how, slash = LISTINGS[name], slash_of(name)
    home, project = tmp_path / "home", tmp_path / "work"
    project.mkdir()
    subprocess.run(["git", "init", "-q", project], check=True)
    with ModelServer() as server, workplace() as place, place.connect() as connection:
        command, env = how.start(home, project, server.port)
        write_own(slash, home, project)
        made = create(connection, command, str(project), env=env, rows=40, cols=130)
        see(connection, made, how.ready)
        if how.turn_first:
            send = messages.Send(id=0, session=made, text="hello", enter=True)
            connection.request(send, timeout=PATIENCE)
            see(connection, made, "That was all")
        found = listed(connection, made, how.row)
    monkeypatch.setenv("HOME", str(home))
    offered = {*slash.commands.split(), *own_commands(slash, str(project))}
    assert sorted(found - offered) == [], "not offered"
    assert sorted(offered - found - set(how.left_out.split())) == [], "not listed"


@pytest.mark.variant
def test_aider_lists_the_commands_that_tab_offers(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with workplace() as place, place.connect() as connection:
        command, env = more_clients.aider(tmp_path / "home", tmp_path / "work", 9)
        made = create(connection, command, str(tmp_path / "work"), env=env, rows=40, cols=130)
        see(connection, made, "diff> *$")
        send = messages.Send(id=0, session=made, text="/", enter=False)
        connection.request(send, timeout=PATIENCE)
        see(connection, made, "/weak-model")
        found = set(re.findall(r"(?<!\S)/([a-z-]+)", text_of(connection, made)))
    assert found == set(slash_of("aider").commands.split())
