"""The real clients in strict mode with their hooks switched off: only the kernel is in their way."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.guard.decide.documents import Config
from nagomi_tui.guard.files.held import caches, held
from nagomi_tui.guard.files.project import Project
from nagomi_worker.wire import protocol
from tests.helpers import users
from tests.helpers.attacker import PROMPT, UNASKED, Attacker
from tests.helpers.clients import ModelServer, Step, claude, codex, newest_claude
from tests.helpers.confined import NAME, guarding_worker, need_namespaces
from tests.helpers.repository import repository
from tests.helpers.waiting import until
from tests.helpers.worker import Link, start_order
from tests.helpers.workplace import create, text_of, workplace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.helpers.workplace import Place

    Start = Callable[[Path, Path, int], tuple[str, dict[str, str]]]

pytestmark = pytest.mark.slow

SECONDS = 120.0
"""How long a client may take for all that it tries."""


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as made:
        yield made


@dataclass
class Held:
    """A project in which a client is started again and again, in one strict session each."""

    link: Link
    root: Path
    started: int = field(default=0)

    def run(self, line: str, env: dict[str, str], *, writable: bool) -> str:
        """Run a client to its end, and return what it showed."""
        self.started += 1
        name = f"{NAME}-{self.started}"
        guard = held(Project(self.root), Config(), ours=(), sockets=(), env=env)
        env = {**caches(str(self.root), env), **env}
        # The session waits for a line, so that nothing begins before the project is as it should be.
        command = f"sh -c {shlex.quote(f'read go; exec {line}')}"
        self.link.send(start_order(name, command, cwd=str(self.root), env=env, guard=guard))
        self.link.wait(protocol.Started, name)
        self.link.send(protocol.Hold(session_id=name, writable=writable))
        self.link.wait(protocol.Held, name)
        self.link.type(name, "\n")

        def ended() -> bool:
            self.link.pump(0.05)
            return any(
                isinstance(one, protocol.Exit) and one.session_id == name for one in self.link.heard
            )

        until(ended, lambda: self.link.text(name)[-2000:], patience=SECONDS)
        return self.link.text(name)

    def files(self) -> dict[str, str]:
        """Return everything in the project: its files with what is in them, links and folders."""
        return {str(path.relative_to(self.root)): _content(path) for path in self.root.rglob("*")}


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return path.read_bytes().decode("latin-1") if path.is_file() else f"{path.stat().st_mode:o}"


@contextlib.contextmanager
def project() -> Iterator[tuple[Held, Path]]:
    """Give a project with a repository, whose settings switch all hooks off, and a folder beside it."""
    need_namespaces()
    with users.folder_of(os.geteuid()) as folder:
        root = folder / "project"
        repository(root, **{"known.txt": "known\n"})
        notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (root / "known.ipynb").write_text(json.dumps(notebook))
        (root / "sessions/tasks").mkdir(parents=True)
        (root / "sessions/sessions-state.json").write_text("{}")
        for name in (".claude", ".codex", ".git/hooks"):
            (root / name).mkdir()
        (root / ".claude/settings.json").write_text('{"disableAllHooks": true}')
        (folder / "home").mkdir()
        with guarding_worker(other=False) as (link, _):
            yield Held(link, root), folder


@pytest.mark.parametrize(
    ("start", "words", "tried"),
    [
        (claude, "--permission-mode bypassPermissions -p", ("Write", "Edit", "Bash")),
        (newest_claude, "--permission-mode bypassPermissions -p", ("Write", "Edit", "Bash")),
        (codex, f"exec {shlex.join(UNASKED)}", ("exec_command",)),
    ],
    ids=["claude old", "claude new", "codex"],
)
@pytest.mark.requirement("D-4")
def test_without_hooks_a_client_writes_nothing_in_discussion(
    start: Start, words: str, tried: tuple[str, ...]
) -> None:
    """The same tries succeed in implementation, so that they would have in discussion, too."""
    with project() as (place, folder), Attacker(folder=place.root) as server:
        line, env = start(folder / "home", place.root, server.port)
        env = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **env}
        # Claude Code bypasses its permissions for root only where it is told that it is in a sandbox.
        env |= {"CLAUDE_CODE_MAX_RETRIES": "1", "IS_SANDBOX": "1"}
        line = f"{line.removesuffix(' --permission-mode default')} {words} {shlex.quote(PROMPT)}"
        before = place.files()
        shown = place.run(line, env, writable=False)
        assert place.files() == before, shown
        assert set(tried) <= set(server.tried.get("agent", ())), shown

        server.tried.clear()
        shown = place.run(line, env, writable=True)
        after = place.files()
        assert {name for name in after if name.endswith(".bad")}, shown
        for name in (".claude/settings.json", "sessions/sessions-state.json", ".git/config"):
            assert after[name] == before[name], shown


def test_a_client_that_tries_finds_no_way_out_and_runs_what_it_needs(place: Place) -> None:
    """The newest Claude Code in `bypassPermissions`, guarded by hook and kernel as `--guard` has it."""
    need_namespaces()
    with tempfile.TemporaryDirectory(prefix="ng", dir="/var/tmp") as folder:
        home, root = Path(folder) / "home", Path(folder) / "work/project"
        root.parent.mkdir()
        (home / ".gemini").mkdir(parents=True)
        repository(root, README="first\n")
        config, note = place.home / "config", f"/tmp/{Path(folder).name}"
        tries = {
            "open('README', 'w')": "Read-only",
            f"import os; os.rename('{root.parent}', '{root.parent}2')": "Read-only",
            f"import os; os.rename('{root}', '{root}2')": "Read-only",
            f"import os; os.makedirs('{config}', exist_ok=True); open('{config}/settings.json', 'w')": "Read-only",
            f"open('{home}/.claude/set' + 'tings.json', 'w')": "Read-only",
            f"open('{home}/.bashrc', 'w')": "Read-only",
            f"open('{home}/.claude.js' + 'on', 'a')": "Read-only",
            f"import os; os.mkdir('{home}/.claude/skills/x')": "Read-only",
            f"print(open('{home}/.claude/shell-snapshots/x.sh', 'w').write('own'))": "3",
            f"print(open('{home}/.claude/session-env/x.sh', 'w').write('own'))": "3",
            f"open('{home}/.gemini/settings.json', 'a')": "Read-only",
            "print(6 * 7)": "42",
        }
        commands = [f'python3 -c "{code}"' for code in tries]
        commands += [f"echo hello > {note}; cat {note}; rm {note}", "echo x > README", "git push"]
        asked = [Step(tools=(("Bash", {"command": one, "description": "x"}),)) for one in commands]
        with ModelServer(steps=asked) as server, place.connect() as connection:
            line, env = newest_claude(home, root, server.port)
            line = line.replace("default", "bypassPermissions")
            env |= {"IS_SANDBOX": "1", "NAGOMI_GUARD": "strict", "HOME": str(home)}
            made = create(connection, f"{line} -p go; echo ended $?", cwd=str(root), env=env)
            until(lambda: "ended 0" in text_of(connection, made), patience=SECONDS)
            shown, said = text_of(connection, made), _results(server)
        assert "hook failed" not in shown
        for folder_of_scripts in ("shell-snapshots", "session-env"):
            assert not list((home / ".claude" / folder_of_scripts).iterdir())
        for found, wanted in zip(said, [*tries.values(), "hello", "DAIC", "DAIC"], strict=True):
            assert wanted in found, said
        assert [path.name for path in root.parent.iterdir()] == ["project"]
        assert (root / "README").read_text() == "first\n"
        assert not (config / "settings.json").exists() and not (home / ".bashrc").exists()
        assert (home / ".claude/settings.json").read_text() == "{}\n"


def _results(server: ModelServer) -> list[str]:
    """Return what the client's tools answered, one after the other."""
    parts = [
        part
        for message in server.requests[-1]["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "tool_result"
    ]
    return [json.dumps(part["content"]) for part in parts]
