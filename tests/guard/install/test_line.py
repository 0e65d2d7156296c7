"""The installed line as clients run it: whatever breaks behind it, a tool is denied."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from nagomi_tui.guard.decide.documents import Mode
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import read_state
from nagomi_tui.guard.hook.client import started_by_agent
from nagomi_tui.guard.install import hooks
from nagomi_tui.system.platforms import LINUX
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no /bin/sh")
AGENTS = ("claude", "codex")
SHELLS = ("sh", "bash", "dash", "zsh", "fish")


class Answer(NamedTuple):
    """What a client sees of its hook."""

    code: int
    out: str
    fault: str

    @property
    def denies(self) -> bool:
        """Whether a client refuses the tool after this, as both were seen to do."""
        told = json.loads(self.out) if self.out else {}
        decision = told.get("hookSpecificOutput", {}).get("permissionDecision")
        assert (decision == "deny") is bool(self.code == 2 and self.out)
        return self.code == 2 and bool(self.fault)


class Place(NamedTuple):
    """A project, and the variables of a client that works in it."""

    project: Project
    env: dict[str, str]

    def run(self, handler: dict[str, Any], data: bytes, shell: str = "sh") -> Answer:
        done = subprocess.run(
            command(handler, shell), input=data, env=self.env, cwd=self.project.root,
            capture_output=True, timeout=30,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def uses(self, tool: str, agent: str = "claude", **given: str) -> Answer:
        return self.run(hooks.handler(agent, "PreToolUse"), event(tool, **given))


def command(handler: dict[str, Any], shell: str = "sh") -> list[str]:
    """Return what a client runs: the program, or its user's shell with the line."""
    if "args" in handler:
        return [handler["command"], *handler["args"]]
    return [shell, "-c", handler["command"]]


def event(tool: str, **given: str) -> bytes:
    return json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    ).encode()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root, home = tmp_path / 'a project\'s "own" $HOME', tmp_path / "home"
    (root / ".claude").mkdir(parents=True)
    home.mkdir()
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "NAGOMI_HOME": str(tmp_path / "nagomi"),
        "CLAUDE_PROJECT_DIR": str(root),
    }  # fmt: skip
    return Place(Project(root), env)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.requirement("D-18", "H-12", "H-17", "DB-24")
def test_what_writes_is_denied_and_what_reads_is_not(place: Place, agent: str) -> None:
    """The project's folder has blanks and quotes in its name."""
    assert place.uses("Read", agent, file_path="x") == (0, "", "")
    assert place.uses("Read", agent, file_path="x") == (0, "", "")  # Quickly, this time.
    assert place.uses("Bash", agent, command="ls | head") == (0, "", "")
    for tool, given in (("Write", {"file_path": "x"}), ("Bash", {"command": "rm x"}), ("New", {})):
        refused = place.uses(tool, agent, **given)
        assert refused.denies and bool(refused.out) is (agent == "claude")
        said = f"[DAIC: Tool Blocked] You're in discussion mode. The {tool} tool is not allowed."
        assert (said if tool != "Bash" else "seek alignment") in refused.fault
    assert read_state(place.project).state.mode is Mode.DISCUSSION


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.requirement("DB-24")
def test_every_shell_of_a_user_reads_the_line_alike(place: Place, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    handler = hooks.handler("codex", "PreToolUse")
    assert place.run(handler, event("Read"), shell) == (0, "", "")
    assert place.run(handler, event("Write", file_path="x"), shell).denies


def _with(handler: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return the hook with something else in place of a word of it."""
    changed = json.loads(json.dumps(handler).replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1]))
    assert changed != handler
    return dict(changed)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation of its own, which a test may break."""
    places = tmp_path / "env"
    for name in ("nagomi_tui", "nagomi_worker"):
        module = sys.modules.get(name) or __import__(name)
        assert module.__file__
        ignored = shutil.ignore_patterns("__pycache__", "view", "locale", "orchestrator")
        shutil.copytree(os.path.dirname(module.__file__), places / name, ignore=ignored)
    others = [root for root in hooks.roots() if os.path.isdir(os.path.join(root, "msgspec"))]
    monkeypatch.setattr(hooks, "roots", lambda: [*others, str(places)])
    entrance = places / "nagomi_tui" / "guard" / "hook" / "entrance.py"
    monkeypatch.setattr(hooks.entrance, "__file__", str(entrance))
    return places / "nagomi_tui"


def _python_gone(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    return _with(handler, sys.executable, "/nowhere/bin/python")


def _python_that_agrees(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    return _with(handler, sys.executable, "/bin/true")


def _python_that_talks(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    return _with(handler, sys.executable, "/bin/echo")


def _environment_gone(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    shutil.rmtree(package)
    return handler


def _module_gone(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    (package / "guard" / "decide" / "tools.py").unlink()
    return handler


def _module_broken(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    (package / "guard" / "hook" / "program.py").write_text("this is no Python\n")
    return handler


def _other_library(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    (package.parent / "msgspec").mkdir()
    (package.parent / "msgspec" / "__init__.py").write_text("raise SystemExit(0)\n")
    return _with(handler, hooks.roots()[0] + os.pathsep, "")


def _older_python(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    entrance = package / "guard" / "hook" / "entrance.py"
    entrance.write_text("match = 1 if 2\n" + entrance.read_text())
    return handler


def _exits(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    (package / "guard" / "hook" / "program.py").write_text("import os\nos._exit(0)\n")
    return handler


def _is_killed(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    (package / "guard" / "hook" / "program.py").write_text("import os\nos.kill(os.getpid(), 9)\n")
    return handler


def _hangs(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    text = "import ctypes\nctypes.PyDLL(None).sleep(30)\n"  # It holds the interpreter meanwhile.
    (package / "guard" / "hook" / "program.py").write_text(text)
    return handler


def _hangs_before(handler: dict[str, Any], package: Path) -> dict[str, Any]:
    entrance = package / "guard" / "hook" / "entrance.py"
    entrance.write_text("import time\ntime.sleep(30)\n")
    return handler


BREAKS = [
    _python_gone, _python_that_agrees, _python_that_talks, _environment_gone, _module_gone,
    _module_broken, _other_library, _older_python, _exits, _is_killed, _hangs, _hangs_before,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.__name__.strip("_"))
@pytest.mark.requirement("H-12", "DB-4")
def test_each_way_of_breaking_it_denies(
    place: Place, copied: Path, agent: str, broken: Any
) -> None:
    handlers = [hooks.handler(agent, name) for name in ("PreToolUse", "UserPromptSubmit")]
    before, prompt = (broken(handlers[0], copied), handlers[1])
    began = time.monotonic()
    for tool in ("Read", "Write"):
        answer = place.run(before, event(tool, file_path="x"))
        assert answer.denies and "Nothing could be decided" in answer.out + answer.fault
        if broken in (_hangs, _hangs_before):
            break
    assert time.monotonic() - began < 20
    if before != handlers[0]:
        prompt = json.loads(
            json.dumps(prompt).replace(json.dumps(sys.executable)[1:-1], "/bin/true")
        )
    yert = json.dumps({"hook_event_name": "UserPromptSubmit", "prompt": "yert"}).encode()
    said = place.run(prompt, yert)
    assert said.code == 0 and list(json.loads(said.out)) == ["systemMessage"]
    assert "nothing was approved" in said.out
    assert not place.project.state_file.exists() or (
        read_state(place.project).state.mode is Mode.DISCUSSION
    )


ENDING = (
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
    signal.SIGALRM, signal.SIGPIPE, signal.SIGABRT,
)  # fmt: skip


@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize(("name", "code"), [("PreToolUse", 2), ("Stop", 0)])
@pytest.mark.requirement("H-12")
def test_a_shell_that_is_stopped_denies(
    place: Place, number: signal.Signals, name: str, code: int
) -> None:
    """It waits for an event that never comes."""
    with subprocess.Popen(
        command(hooks.handler("claude", name)), env=place.env, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place.project.root,
    ) as process:  # fmt: skip
        # The login shell before it may catch SIGINT, too; SIGUSR2 is the last one of the trap.
        until(lambda: _catches(process.pid, signal.SIGUSR2), "its trap")
        process.send_signal(number)
        out, fault = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, b"") and b"stopped" in fault


def _catches(pid: int, number: signal.Signals) -> bool:
    """Tell whether a process has a handler for a signal; without /proc none is seen, so wait a little."""
    if not LINUX:
        time.sleep(0.2)
        return True
    told = Path(f"/proc/{pid}/status").read_text().partition("SigCgt:\t")[2]
    return bool(int(told.split()[0], 16) >> (number - 1) & 1)


@pytest.mark.requirement("H-12")
def test_a_client_that_reads_no_answer_is_refused(place: Place) -> None:
    """As where the answer cannot be written: the disk behind it is full."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command(hooks.handler("claude", "PreToolUse")), input=event("Write", file_path="x"),
            env=place.env, cwd=place.project.root, stdout=full, stderr=subprocess.PIPE, timeout=30,
        )  # fmt: skip
    assert done.returncode == 2


@pytest.fixture
def full_disk(place: Place) -> Iterator[Place]:
    """The project on a disk that has no room left."""
    root = place.project.root
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(root)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (root / ".claude").mkdir()
        fill = root / "fill"
        with open(fill, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        yield place
    finally:
        subprocess.run(["umount", "-l", str(root)], check=True)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.requirement("H-12")
def test_on_a_full_disk_every_tool_is_denied(full_disk: Place, agent: str) -> None:
    for tool in ("Read", "Write"):
        assert full_disk.uses(tool, agent, file_path="x").denies
    handler = hooks.handler(agent, "UserPromptSubmit")
    said = full_disk.run(handler, b'{"prompt": "yert"}')
    assert said.code == 0 and "nothing was approved" in said.out


@pytest.mark.requirement("H-11")
def test_a_locked_state_denies_within_two_seconds(place: Place) -> None:
    from nagomi_tui.guard.files.state import held

    assert not place.uses("Read", file_path="x").out
    with held(place.project.lock_file):
        began = time.monotonic()
        answer = place.uses("Write", file_path="x")
        assert answer.denies and time.monotonic() - began < 10 and "Try it again" in answer.fault


CLIENT = '"$@"; exit $?'
"""What a shell does in the place of a client: it starts its hook, and stays above it."""


@pytest.mark.parametrize(
    ("variables", "client", "denies"),
    [
        ({"GITHUB_ACTIONS": "true"}, CLIENT, False),
        ({"CI": "1"}, CLIENT, False),
        ({"CI": "false"}, CLIENT, True),
        ({"CI": "0"}, CLIENT, True),
        ({"CI": ""}, CLIENT, True),
        ({"CI": "true", "NAGOMI_SESSION_ID": "x"}, CLIENT, True),
        ({"CI": "true", "CLAUDECODE": "1"}, CLIENT, True),
        ({}, f"CI=true {CLIENT}", True),
        ({}, f"export GITHUB_ACTIONS=true; {CLIENT}", True),
    ],
)
@pytest.mark.requirement("D-29", "DB-14")
def test_a_continuous_integration_is_one_from_its_client_s_start(
    place: Place, variables: dict[str, str], client: str, denies: bool
) -> None:
    if started_by_agent(os.getpid()):
        pytest.skip("an agent runs this test")
    done = subprocess.run(
        ["sh", "-c", client, "client", *command(hooks.handler("claude", "PreToolUse"))],
        input=event("Write", file_path="x"), env={**place.env, **variables}, cwd=place.project.root,
        capture_output=True, timeout=30,
    )  # fmt: skip
    assert Answer(done.returncode, done.stdout.decode(), done.stderr.decode()).denies is denies


def test_nothing_of_the_line_needs_an_escape() -> None:
    """Clients put values into `${…}`, and users' shells read what is quoted."""
    text = hooks.handler("claude", "PreToolUse")["args"][1]
    assert not any(sign in text for sign in ("'", "\\", "${", "\n"))
    assert [one for one in hooks.roots() if not os.path.isabs(one)] == []
