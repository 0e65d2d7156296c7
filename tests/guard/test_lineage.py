"""Where a process stands is read from those above it; what is not proved is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
from math import inf
from typing import TYPE_CHECKING

import psutil
import pytest

from nagomi_tui.agents.process_tree import Process, Standing, first_agent_began, line_of, standing
from nagomi_tui.orchestrator.guard.gate import standing_of
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

INIT = Process(1, 0, "init")
USERS = Process(7, 1, "systemd", ("systemd", "--user"))
SHELL = Process(20, 1, "bash", ("-bash",))
WORKER = Process(30, 1, "python3", ("python3", "-P", "-m", "nagomi_worker", "--socket", "x"))
SUPERVISOR = Process(
    40, 1, "python3", ("python3", "-P", "-m", "nagomi_tui.orchestrator.supervisor")
)
ZYGOTE = Process(41, 40, "python3", ("python3", "-P", "-m", "nagomi_tui.commands.start.zygote"))
AGENT = Process(42, 40, "python3", ("python3", "-P", "-m", "nagomi_tui.agent.resident"))


def me(*words: str, terminal: bool = True, variables: tuple[str, ...] = ()) -> Process:
    return Process(
        99, 0, "nagomi", words or ("nagomi",), dict.fromkeys(variables, "1"), has_terminal=terminal
    )


LINES: list[tuple[Standing, tuple[Process, ...]]] = [
    ("outside", (me(), SHELL, INIT)),
    ("outside", (me("nagomi", "new", "--", "claude"), SHELL, INIT)),
    ("outside", (me(), Process(50, 1, "tmux: server", ("tmux",)), INIT)),
    ("unknown", ()),
    ("unknown", (me(terminal=False), SHELL, INIT)),
    ("unknown", (me(terminal=False), INIT)),
    ("session", (me(), WORKER, INIT)),
    ("session", (me(terminal=False), WORKER, INIT)),
    ("session", (me(), Process(31, 30, "bash"), WORKER, INIT)),
    ("session", (me(variables=("NAGOMI_SESSION_ID",)), SHELL, INIT)),
    ("session", (me(), Process(20, 1, "xterm", variables={"NAGOMI_SESSION_ID": "1"}), INIT)),
    ("agent", (me(), Process(21, 20, "claude", ("claude", "-c")), SHELL, INIT)),
    ("agent", (me(), Process(21, 20, "node", ("node", "/x/@anthropic-ai/claude-code/cli.js")), INIT)),
    ("agent", (me(), Process(21, 20, "node", ("node", "/usr/local/bin/codex")), INIT)),
    ("agent", (me(), Process(21, 20, "sh", ("sh", "-c"), {"CLAUDECODE": "1"}), INIT)),
]  # fmt: skip


@pytest.mark.parametrize(("found", "line"), LINES)
@pytest.mark.requirement("DB-5")
def test_the_processes_above_tell_where_one_stands(
    found: Standing, line: tuple[Process, ...]
) -> None:
    assert standing(line) == standing_of(line, 40, 45) == found


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ("unknown", (Process(60, 1, "script", began=9.0),)),
        ("unknown", (Process(61, 60, "sh", began=9.5), Process(60, 7, "script", began=9.0), USERS)),
        ("unknown", (Process(60, 1, "strace", ("strace", "nagomi"), began=9.0),)),
        ("unknown", (Process(60, 1, "systemd", began=9.0),)),
        ("outside", (Process(60, 1, "openbox", began=2.0),)),
        ("outside", (Process(60, 0, "bash", began=9.0),)),
        ("outside", (Process(61, 60, "bash", began=9.5), Process(60, 1, "sshd-session", began=9.0))),
        ("outside", (Process(61, 60, "bash", began=9.5), Process(60, 7, "kitty", began=9.0), USERS)),
        ("outside", (Process(61, 60, "bash", began=9.5), Process(60, 1, "tmux: server", began=9.0))),
    ],
)  # fmt: skip
@pytest.mark.requirement("DB-5")
def test_an_orphan_that_is_younger_than_an_agent_may_be_the_agent_s(
    found: Standing, line: tuple[Process, ...]
) -> None:
    whole = (me()._replace(parent=line[0].pid, began=10.0), *line, INIT)
    assert standing(whole, lambda: 5.0) == found
    assert standing(whole, lambda: inf) == "outside"


@pytest.mark.requirement("DB-5")
def test_running_agents_are_found(tmp_path: Path) -> None:
    client = tmp_path / "claude"
    shutil.copy(os.path.realpath("/bin/sleep"), client)
    with subprocess.Popen([client, "60"]) as process:
        try:
            # For some microseconds of its start it has neither its name nor its command line.
            until(lambda: first_agent_began() <= psutil.Process(process.pid).create_time())
        finally:
            process.kill()


@pytest.mark.requirement("DB-5")
def test_of_our_residents_only_a_front_end_of_the_zygote_is_the_user_s() -> None:
    front_end = me(terminal=False)
    assert standing_of((front_end, ZYGOTE, SUPERVISOR, INIT), 40, 45) == "outside"
    # Whoever runs a zygote of their own is not our supervisor's child.
    assert standing_of((front_end, ZYGOTE, SHELL, INIT), 40, 45) == "unknown"
    assert standing_of((front_end, ZYGOTE, WORKER, INIT), 40, 45) == "session"
    assert standing_of((AGENT, SUPERVISOR, INIT), 40, 45) == "unknown"
    assert standing_of((me(), AGENT, SUPERVISOR, INIT), 40, 45) == "unknown"
    assert standing_of((me(), Process(45, 40, "python3"), SUPERVISOR, INIT), 40, 45) == "unknown"


def test_the_line_of_this_process_ends_at_the_first_one() -> None:
    line = line_of(os.getpid())
    assert (line[0].pid, line[1].pid) == (os.getpid(), os.getppid())
    assert line[-1].parent == 0
    assert line_of(2**30) == ()


def test_a_line_of_more_than_100_processes_is_not_followed() -> None:
    def look(pid: int) -> Process | None:
        return Process(pid, pid - 1, "sh") if pid < 200 else None

    assert [len(line_of(pid, look)) for pid in (0, 1, 100, 101, 200)] == [0, 1, 100, 0, 0]
