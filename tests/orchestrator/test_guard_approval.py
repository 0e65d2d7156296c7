"""Only the user elevates: over the socket a client must be proved to run outside of every session."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.api import messages
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.guard.decide.documents import Mode, Own, State
from nagomi_tui.guard.files.state import read_state
from nagomi_tui.system.console import READ_SECONDS
from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.workplace import PATIENCE, create, text_of, until, wait_for
from tests.orchestrator.test_guard import agent, guarded

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.guard.files.project import Project
    from tests.helpers.workplace import Place

PROPOSED = State().with_own(Own(proposal=("write", "test", "push")))
NAGOMI = [sys.executable, "-m", "nagomi_tui"]
APPROVE = [*NAGOMI, "guard", "approve", "--yes", "--silent"]
ORDER = """
import sys
from nagomi_tui.api import client, messages
with client.Connection(client.open_socket(), hello=messages.Hello(version="x", front_end=False)) as connection:
    try:
        connection.request(messages.GuardApprove(id=0, session=sys.argv[1], todos=("write",), tell=False))
    except client.RequestFailed as refused:
        sys.exit(str(refused))
"""
"""Speaks at the socket as the command does, but proves nothing before."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return guarded(tmp_path / "p", PROPOSED)


def todos(project: Project) -> tuple[Mode, list[str]]:
    state = read_state(project).state
    return state.mode, [todo.content for todo in state.todos.active]


@pytest.mark.requirement("F-10")
def test_the_user_approves_all_or_a_part_at_their_terminal(
    shared_place: Place, project: Project
) -> None:
    with shared_place.connect() as connection:
        made = agent(connection, project)
        with BareTerminal([*NAGOMI, "guard", "approve", made, "1", "3"], os.environ) as terminal:
            terminal.wait(b"Approve this?")
            terminal.read_for(READ_SECONDS)
            assert b"write" in terminal.got and b"test" not in terminal.got
            terminal.type(b"y\n")
            terminal.wait(b"Approved;")
        assert todos(project) == (Mode.IMPLEMENTATION, ["write", "push"])


@pytest.mark.requirement("DB-5")
def test_a_client_without_a_terminal_is_refused(shared_place: Place, project: Project) -> None:
    with shared_place.connect(front_end=True) as connection:
        made = agent(connection, project)
        order = messages.GuardApprove(id=0, session=made, todos=("write",))
        with pytest.raises(RequestFailed, match="Only you can let an agent write"):
            connection.request(order, timeout=PATIENCE)
        assert todos(project) == (Mode.DISCUSSION, [])


@pytest.mark.parametrize("by", [APPROVE, [sys.executable, "-c", ORDER]])
@pytest.mark.parametrize(
    "how",
    [
        "{approve}",
        "env -i PATH=$PATH NAGOMI_HOME=$NAGOMI_HOME {approve}",
        "env -u NAGOMI_SESSION_ID script -qec {quoted} /dev/null",
        # Its parent ends first, so that the worker adopts it; and it has a terminal of its own.
        "env -u NAGOMI_SESSION_ID sh -c 'setsid script -qec {twice} /dev/null & exit'; sleep 2",
    ],
)
@pytest.mark.requirement("DB-5")
def test_from_inside_of_a_session_nobody_approves(
    shared_place: Place, project: Project, tmp_path: Path, how: str, by: list[str]
) -> None:
    told = "only the user may run" if by == APPROVE else "inside of a session"
    with shared_place.connect() as connection:
        made = agent(connection, project)
        command = f"{shlex.join([*by, made])} 2>&1 | tee -a {tmp_path}/said"
        script = tmp_path / "approve.sh"
        script.write_text(f"{command}\n")
        run = f"sh {script}"
        line = how.format(approve=run, quoted=f"'{run}'", twice=f'"{run}"')
        create(connection, f"sh -c {shlex.quote(line)}")
        until(lambda: (tmp_path / "said").exists() and (tmp_path / "said").read_text())
        until(lambda: told in (tmp_path / "said").read_text())
        assert todos(project) == (Mode.DISCUSSION, [])


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
@pytest.mark.parametrize("by", [APPROVE, [sys.executable, "-c", ORDER]])
@pytest.mark.requirement("DB-5")
def test_a_window_of_tmux_in_which_nobody_types_is_not_the_user(
    shared_place: Place, project: Project, tmp_path: Path, by: list[str]
) -> None:
    """Its server is older than the agent, and so no child of it; whoever opens a window there is not told."""
    told = "only the user may run" if by == APPROVE else "who has started this cannot be told"
    tmux = ["tmux", "-S", str(tmp_path / "tmux"), "-f", "/dev/null"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")}
    subprocess.run([*tmux, "new-session", "-d"], check=True, env=kept)
    try:
        with shared_place.connect() as connection:
            made = agent(connection, project)
            line = f"{shlex.join([*by, made])} >{tmp_path}/said 2>&1; sleep 60"
            subprocess.run([*tmux, "new-window", "-d", line], check=True)
            until(lambda: (tmp_path / "said").exists() and (tmp_path / "said").read_text())
            until(lambda: told in (tmp_path / "said").read_text())
            assert todos(project) == (Mode.DISCUSSION, [])
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)


@pytest.mark.requirement("DB-5")
def test_a_phrase_in_a_command_line_counts_only_if_the_user_started_it(
    shared_place: Place, project: Project, tmp_path: Path
) -> None:
    """The program is called as a client is, and hands its first prompt to the hook."""
    client, prompt = tmp_path / "claude", tmp_path / "prompt.json"
    shutil.copy(os.path.realpath("/bin/sh"), client)
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "yert", "cwd": str(project.root)}
    prompt.write_text(json.dumps(event))
    hook = f"{shlex.join([*NAGOMI, 'hook', 'UserPromptSubmit', 'claude'])} < {prompt}"
    first = f"{client} -c {shlex.quote(f'{hook}; echo asked; read go')}"
    with shared_place.connect() as connection:
        made = create(connection, first, cwd=str(project.root))
        wait_for(connection, made, "asked")
        assert "nothing proves that you started" in text_of(connection, made).replace("\n", "")
        assert todos(project) == (Mode.DISCUSSION, [])
        line = [*NAGOMI, "restart", made]
        with BareTerminal(line, os.environ) as terminal:
            terminal.wait(b"")
            until(
                lambda: todos(project)[0] is Mode.IMPLEMENTATION, lambda: text_of(connection, made)
            )
        connection.request(messages.GuardDiscuss(id=0, session=made), timeout=PATIENCE)
        connection.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        wait_for(connection, made, "asked")
        assert todos(project)[0] is Mode.DISCUSSION


@pytest.mark.requirement("DB-5")
def test_a_session_begun_in_a_plain_shell_of_nagomi_is_a_program_s(
    shared_place: Place,
) -> None:
    """Any program may send the line to a shell that nothing guards, as this test does."""
    new = shlex.join([*NAGOMI, "new", "--name", "from-a-shell", "--", "cat"])
    with shared_place.connect() as connection:
        shell = create(connection, "sh")
        connection.request(
            messages.Send(id=0, session=shell, text=f"{new}; echo began $?", enter=True),
            timeout=PATIENCE,
        )
        wait_for(connection, shell, "began 0")

        def by_program() -> dict[str, bool]:
            listed = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions
            return {one.name: one.by_program for one in listed}

        assert by_program()["from-a-shell"]
        line = [*NAGOMI, "new", "--name", "from-a-terminal", "--", "cat"]
        with BareTerminal(line, os.environ) as terminal:
            terminal.wait(b"")
            until(lambda: by_program().get("from-a-terminal") is False)
