"""What a new session takes from its surroundings: environment, agent socket, git branch."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
from nagomi_tui.orchestrator.sessions.session import Branch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    "name",
    [
        "TMUX",
        "TMUX_PANE",
        "STY",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "WT_SESSION",
        "KITTY_WINDOW_ID",
        "LINES",
        "ITERM_PROFILE",
        "VTE_VERSION",
        "WEZTERM_PANE",
        "GHOSTTY_RESOURCES_DIR",
        "ALACRITTY_LOG",
        "WINDOWID",
        "COLUMNS",
        "TERMINAL_EMULATOR",
        "KONSOLE_VERSION",
        "NAGOMI_SESSION_ID",
        "NAGOMI_DAEMON",
        "HERDR_PANE_ID",
        "HERDR_SOCKET_PATH",
        "ZELLIJ",
        "ZELLIJ_SESSION_NAME",
        "CMUX_WORKSPACE_ID",
        "TUIOS_SESSION",
        "ITERM2_SQUELCH_MARK",
        "WAVETERM_BLOCKID",
        "PTYXIS_VERSION",
        "BYOBU_BACKEND",
        "ABDUCO_SESSION",
        "ZED_TERM",
        "CURSOR_TRACE_ID",
        "VSCODE_NONCE",
        "VSCODE_ENV_PREPEND",
        "INTELLIJ_TERMINAL_COMMAND_BLOCKS",
        "__CFBundleIdentifier",
    ],
)
def test_marks_of_the_outer_terminal_are_left_out(tmp_path: Path, name: str) -> None:
    env = Surroundings(tmp_path).child_env({name: "x", "KEPT": "y"}, {})
    assert name not in env and env["KEPT"] == "y"


@pytest.mark.parametrize(
    "name",
    [
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
        "CODEX_CI",
        "GEMINI_CLI",
        "CURSOR_AGENT",
        "OPENCODE",
        "OPENCODE_PID",
        "CLINE_ACTIVE",
        "AI_AGENT",
    ],
)
def test_a_session_is_nobody_s_child(tmp_path: Path, name: str) -> None:
    env = Surroundings(tmp_path).child_env({name: "1", "KEPT": "y"}, {})
    assert name not in env and env["KEPT"] == "y"
    assert Surroundings(tmp_path).child_env({}, {name: "1"})[name] == "1", "it was asked for"


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_ENABLE_TODO_TOOLS",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_CODE_USE_BEDROCK",
        "CODEX_HOME",
        "CODEX_API_KEY",
        "GEMINI_API_KEY",
        "OPENCODE_CONFIG",
        "CURSOR_API_KEY",
    ],
)
def test_settings_of_agents_are_kept(tmp_path: Path, name: str) -> None:
    assert Surroundings(tmp_path).child_env({name: "x"}, {})[name] == "x"


@pytest.mark.parametrize(
    "name",
    ["TMUX_TMPDIR", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_ASKPASS_MAIN", "TERMINFO", "TERMUX_VERSION"],
)
def test_what_programs_need_is_kept(tmp_path: Path, name: str) -> None:
    assert Surroundings(tmp_path).child_env({name: "x"}, {})[name] == "x"


def test_the_terminal_is_ours_and_what_is_added_wins(tmp_path: Path) -> None:
    env = Surroundings(tmp_path).child_env({"TERM": "dumb", "A": "1"}, {"A": "2", "TERM": "vt100"})
    ours = {name for name in env if name.startswith("NAGOMI_")}
    assert ours == {"NAGOMI_EVENT", "NAGOMI_PYTHON", "NAGOMI_SOCKET"}
    others = {name: value for name, value in env.items() if name not in ours}
    assert others == {"TERM": "vt100", "COLORTERM": "truecolor", "ConEmuANSI": "ON", "A": "2"}


def test_the_agent_s_socket_is_a_link_that_each_client_refreshes(tmp_path: Path) -> None:
    surroundings = Surroundings(tmp_path)
    agents = [tmp_path / name for name in ("first", "second")]
    listening = [socket.socket(socket.AF_UNIX) for _ in agents]
    try:
        for peer, agent in zip(listening, agents, strict=True):
            peer.bind(str(agent))
        link = ""
        for agent in agents:
            surroundings.refresh({"SSH_AUTH_SOCK": str(agent)}, front_end=False)
            link = surroundings.child_env({"SSH_AUTH_SOCK": str(agent)}, {})["SSH_AUTH_SOCK"]
            assert (tmp_path / "agent").resolve() == agent
        surroundings.refresh({"SSH_AUTH_SOCK": str(tmp_path / "gone")}, front_end=False)
        assert link == str(tmp_path / "agent") and (tmp_path / "agent").resolve() == agents[1]
    finally:
        for peer in listening:
            peer.close()


def test_displays_are_those_of_the_latest_front_end(tmp_path: Path) -> None:
    surroundings = Surroundings(tmp_path)
    surroundings.refresh({"DISPLAY": ":5", "OTHER": "x"}, front_end=True)
    surroundings.refresh({"DISPLAY": ":6"}, front_end=False)
    env = surroundings.child_env({"DISPLAY": ":1"}, {})
    assert env["DISPLAY"] == ":5" and "OTHER" not in env


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def looked(folder: Path) -> Branch:
    branch = Branch(str(folder))
    asyncio.run(branch.look())
    return branch


def test_the_branch_is_read_without_running_git(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "deep" / "er").mkdir(parents=True)
    git(repository, "init", "-b", "trunk")
    branch = looked(repository / "deep" / "er")
    assert branch.name == "trunk" and not asyncio.run(branch.look())
    git(repository, "commit", "--allow-empty", "-m", "x")
    git(repository, "checkout", "-b", "feature/a-b")
    assert asyncio.run(branch.look()) and branch.name == "feature/a-b"
    git(repository, "worktree", "add", "-b", "side", str(tmp_path / "side"))
    assert looked(tmp_path / "side").name == "side"
    git(repository, "checkout", "--detach")
    assert asyncio.run(branch.look()) and len(branch.name) == 7


def test_outside_of_a_repository_there_is_no_branch(tmp_path: Path) -> None:
    branch = looked(tmp_path)
    assert branch.name == "" and not asyncio.run(branch.look())


def test_a_repository_that_is_gone_has_no_branch_any_more(tmp_path: Path) -> None:
    branch = Branch(str(tmp_path), "trunk")
    assert asyncio.run(branch.look()) and branch.name == ""


def plant_head(folder: Path) -> None:
    (folder / ".git").mkdir()
    os.mkfifo(folder / ".git" / "HEAD")


def plant_link(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    os.mkfifo(folder / "elsewhere" / "HEAD")
    (folder / ".git").write_text("gitdir: elsewhere")


def plant_git(folder: Path) -> None:
    os.mkfifo(folder / ".git")


def plant_hole(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").touch()
    os.truncate(folder / ".git" / "HEAD", 1 << 40)


def plant_controls(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_bytes(b"ref: refs/heads/a\0b\x1b]0;x\x07\n")


@pytest.mark.parametrize("plant", [plant_head, plant_link, plant_git, plant_hole, plant_controls])
def test_what_poses_as_gits_files_is_no_branch(
    tmp_path: Path, plant: Callable[[Path], None]
) -> None:
    plant(tmp_path)
    began = time.monotonic()
    assert looked(tmp_path).name == ""
    assert time.monotonic() - began < 0.5, "it was waited for"
