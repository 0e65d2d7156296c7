"""A session in strict mode: the kernel follows the guard, over restarts of everything around it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages
from nagomi_tui.guard.decide.documents import Mode, State, Todo, Todos
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state, read_state
from nagomi_tui.guard.install.hooks import handler
from tests.helpers.confined import need_namespaces
from tests.helpers.guard_hook import install_hook
from tests.helpers.repository import repository
from tests.helpers.workplace import PATIENCE, create, session, text_of, until, wait_for, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

pytestmark = pytest.mark.slow

HELLO = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}})  # fmt: skip
SAID = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
TRY = "while :; do touch try 2>/dev/null && { rm try; echo can; } || echo not; sleep 0.05; done"


@pytest.fixture
def place() -> Iterator[Place]:
    with workplace() as made:
        yield made


@pytest.fixture
def shared(module_place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """The file's workplace, which these tests do not break."""
    monkeypatch.setenv("NAGOMI_HOME", str(module_place.home))
    return module_place


@pytest.fixture
def project(tmp_path: Path) -> Project:
    need_namespaces()
    repository(tmp_path / "p", README="first\n")
    (tmp_path / "p/.claude").mkdir()
    made = Project((tmp_path / "p").resolve())
    _set_mode(made, Mode.DISCUSSION)
    return made


def test_the_kernel_follows_the_guard(place: Place, project: Project) -> None:
    with place.connect() as connection:
        made = _strict(connection, project, f"sh -c '{TRY}'")
        _says(connection, made, "not")
        _set_mode(project, Mode.IMPLEMENTATION)
        _says(connection, made, "can")
        assert not (project.root / ".codex").is_file()
        assert session(connection, made)["strict"] is True

        place.kill(place.orchestrator)
    with place.connect() as connection:
        until(lambda: session(connection, made)["state"] == "running")
        _says(connection, made, "can")
        _set_mode(project, Mode.DISCUSSION)
        _says(connection, made, "not")

        connection.request(messages.Restart(id=0, session=made), timeout=PATIENCE)
        _says(connection, made, "not")
        _set_mode(project, Mode.IMPLEMENTATION)
        _says(connection, made, "can")


@pytest.mark.requirement("F-10")
def test_a_file_that_is_open_is_told_with_its_program(shared: Place, project: Project) -> None:
    """On the list and in the guard's dialog, as long as the project can be written for that."""
    opens = "until true >kept; do sleep 0.02; done; exec 3>kept"  # The worker is told, and does it.
    keeps = f"read go; {opens}; echo open; read go; exec 3>&-; echo closed; read go"
    with shared.connect() as connection:
        made = _strict(connection, project, f"sh -c '{keeps}'")
        assert _guard(connection, made).strict
        _set_mode(project, Mode.IMPLEMENTATION, Todo(content="write"))
        until(lambda: session(connection, made)["guard"]["mode"] == "implementation")
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "open")
        _set_mode(project, Mode.DISCUSSION)
        until(lambda: "kept" in session(connection, made)["strict_fault"])
        assert _guard(connection, made).strict_fault == session(connection, made)["strict_fault"]
        connection.request(_typed(made), timeout=PATIENCE)
        until(lambda: not session(connection, made)["strict_fault"])
        assert not _guard(connection, made).strict_fault


BUSY = """import os, time
names = [f"busy-{number}" for number in range(20)]
while True:
    for name in names:
        try:
            with open(name, "a") as file:
                file.write(f"{time.time()!r}\\n")
        except OSError:
            time.sleep(0.001)
"""


@pytest.mark.requirement("F-10")
def test_who_goes_back_is_answered_when_nobody_writes_any_more(
    shared: Place, project: Project
) -> None:
    """By the command, by the dialog, by the stop, and from inside, while five programs write."""
    (project.root / "sessions/tasks").mkdir(parents=True)
    (project.root / "sessions/tasks/busy.py").write_text(BUSY)
    line = f"{sys.executable} sessions/tasks/busy.py &"
    back = (
        f"{sys.executable} -m nagomi_tui guard mode discussion; date +%s.%N > sessions/tasks/back"
    )
    script = project.root / "sessions/tasks/run.sh"
    script.write_text("\n".join([line] * 5 + ["while read go; do", back, "done"]) + "\n")
    with shared.connect() as connection:
        made = _strict(connection, project, f"sh {script}")
        for way in ("command", "dialog", "stop", "inside", "phrase") * ROUNDS:
            _set_mode(project, Mode.IMPLEMENTATION, Todo(content="write"))
            before = time.time()
            until(lambda before=before: _last_written(project) > before)
            answered = _back(way, connection, made, project)
            time.sleep(0.1)
            assert _last_written(project) < answered, way


ROUNDS = int(os.environ.get("NAGOMI_TEST_FLIPS", "3"))


def _back(way: str, connection: Connection, made: str, project: Project) -> float:
    """Go back to discussion, and return when that was answered."""
    match way:
        case "command":
            words = [sys.executable, "-m", "nagomi_tui", "guard", "mode", "discussion"]
            subprocess.run(words, cwd=project.root, check=True, capture_output=True)
        case "dialog":
            connection.request(messages.GuardDiscuss(id=0, session=made), timeout=PATIENCE)
        case "stop":
            connection.request(messages.GuardStop(id=0, session=made), timeout=PATIENCE)
        case "inside" | "phrase":
            told = project.root / "sessions/tasks/back"
            told.unlink(missing_ok=True)
            text = "x" if way == "phrase" else ""
            connection.request(_typed(made, text), timeout=PATIENCE)
            until(lambda: told.is_file() and told.read_text().strip())
            return float(told.read_text())
    return time.time()


def _last_written(project: Project) -> float:
    lines = [file.read_text().splitlines() for file in project.root.glob("busy-*")]
    return max((float(one[-1]) for one in lines if one), default=0.0)


@pytest.mark.requirement("F-10")
def test_an_ordinary_session_says_why_it_is_not_strict(shared: Place, project: Project) -> None:
    """Here the kernel would hold it, so that there is no reason but the user's choice."""
    install_hook(project.root)
    with shared.connect() as connection:
        made = create(connection, "sh", cwd=str(project.root), env={"NAGOMI_GUARD": "hook"})
        until(lambda: session(connection, made).get("guard"))
        shown = _guard(connection, made)
        assert (shown.strict, shown.strict_fault) == (False, "")


def _guard(connection: Connection, made: str) -> messages.GuardShown:
    return connection.request(messages.GuardShow(id=0, session=made), timeout=PATIENCE)


def test_nagomis_own_sockets_and_files_are_out_of_reach(shared: Place, project: Project) -> None:
    inside = 'ls "$(dirname "$NAGOMI_SOCKET")"; echo "sockets: $?"; touch "$0/x" || echo sealed'
    with shared.connect() as connection:
        made = _strict(connection, project, f"sh -c '{inside}; sleep 100' {shared.home}/state")
        wait_for(connection, made, "sockets: 0")
        wait_for(connection, made, "sealed")
        assert "front" not in text_of(connection, made)


@pytest.mark.parametrize("mode", list(Mode))
def test_no_setting_that_runs_a_program_outside_can_be_made(
    shared: Place, project: Project, mode: Mode
) -> None:
    """The folder of settings need not exist before: a setting is a command, such as `on_event`."""
    config = shared.home / "config"
    for file in config.glob("settings.json"):
        file.unlink()
    tries = [
        "mkdir -p $0; echo {} > $0/settings.json",
        "mv $0 $0.old && mkdir $0 && echo {} > $0/settings.json",
        "mv ${0%/*} ${0%/*}.old",
        "echo {} > $HOME/.claude/settings.json",
        "mv $HOME/.claude $HOME/.claude.old",
        "mv $PWD $PWD.old",
        "mv ${PWD%/*} ${PWD%/*}.old",
    ]
    (claude := Path(os.environ["HOME"]) / ".claude").mkdir(exist_ok=True)
    script = project.root / "tries.sh"
    begins = "until touch new; do sleep 0.05; done" if mode is Mode.IMPLEMENTATION else "touch new"
    lines = ["read go", begins, *(f"({one}) && echo escaped" for one in tries), "echo end"]
    script.write_text("\n".join(lines))
    with shared.connect() as connection:
        command = f"sh -c '. {script}; sleep 100' {config}"
        env = {"NAGOMI_GUARD": "strict", "HOME": str(claude.parent)}
        made = create(connection, command, cwd=str(project.root), env=env)
        _set_mode(project, mode, Todo(content="write"))
        until(lambda: session(connection, made)["guard"]["mode"] == mode.value)
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "end")
        assert "escaped" not in text_of(connection, made)
    assert (project.root / "new").exists() is (mode is Mode.IMPLEMENTATION)
    assert not (config / "settings.json").exists()
    assert (claude / "settings.json").read_text() == "{}\n"


def test_hooks_are_decided_outside_and_elevate_nothing(shared: Place, project: Project) -> None:
    write = {"hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": str(project.root),
             "tool_input": {"file_path": str(project.root / "new"), "content": "x"}}  # fmt: skip
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "yert", "cwd": str(project.root)}
    lines = [
        "read go",
        _hook(prompt),
        _hook(write),
        "echo asked; read go",
        _hook(write),
        "echo end",
    ]
    script = project.root / "hooks.sh"
    script.write_text("\n".join(lines) + "\nread go\n")
    with shared.connect() as connection:
        made = _strict(connection, project, f"sh {script}")
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "asked")
        said = text_of(connection, made).replace("\n", "")
        assert "you approve in nagomi" in said
        assert '"permissionDecision":"deny"' in said
        assert "could be decided" not in said
        assert read_state(project).state.mode is Mode.DISCUSSION
        _set_mode(project, Mode.IMPLEMENTATION, Todo(content="write"))
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "end")
        assert text_of(connection, made).replace("\n", "").count('"permissionDecision":"deny"') == 1


def test_tests_and_builds_run_while_the_kernel_holds_the_project(
    shared: Place, project: Project
) -> None:
    """Their caches lie outside of the project; what else writes is denied as ever."""
    (project.root / "test_it.py").write_text("def test_it():\n    pass\n")
    run, kill = _bash(project, "pytest -q && python3 -c 'print(1)'"), _bash(project, "git push")
    tests = f"{sys.executable} -m pytest -q -p no:randomly test_it.py; echo tests $?"
    lines = ["read go", "echo first", _hook(run), "echo second", _hook(kill), "echo third", tests]
    script = project.root / "run.sh"
    script.write_text(
        "\n".join([*lines, "echo asked; read go", _hook(run), "echo end"]) + "\nread go\n"
    )
    with shared.connect() as connection:
        made = _strict(connection, project, f"sh {script}")
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "asked")
        said = text_of(connection, made, history=True).replace("\n", "")
        assert '"deny"' not in said[said.index("first") : said.index("second")], said
        assert '"deny"' in said[said.index("second") : said.index("third")], said
        assert "tests 0" in said, said
        assert not (project.root / ".pytest_cache").exists()
        assert not (project.root / "__pycache__").exists()


def _bash(project: Project, command: str) -> dict[str, Any]:
    return {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(project.root),
            "tool_input": {"command": command}}  # fmt: skip


@pytest.mark.requirement("H-30", "F-10")
def test_commands_of_nagomi_are_answered_from_outside(shared: Place, project: Project) -> None:
    """What reads, reports and goes back; nothing that elevates, starts or types."""
    nagomi, told = f"{sys.executable} -m nagomi_tui", project.root / "sessions/tasks/told"
    tools = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todos_show","arguments":{}}}'
    lines = [
        "read go",
        f"{nagomi} todos set first second; echo todos $?",
        f"{nagomi} guard state; {nagomi} ls; echo ls $?",
        f"{nagomi} send . text; echo send $?; {nagomi} new -- cat; echo new $?",
        f"{nagomi} guard mode implementation; echo mode $?; {nagomi} guard approve .; echo approve $?",
        f"(echo '{HELLO}'; echo '{SAID}'; echo '{tools}'; until grep -q 'mode is' {told}; do sleep 0.1; done)"
        f" | {nagomi} mcp > {told}; grep -o 'The mode is [a-z]*' {told}",
        "echo halfway; read go",
        f"{nagomi} guard mode discussion; echo back $?; echo end",
    ]
    script = project.root / "commands.sh"
    script.write_text("\n".join(lines) + "\nread go\n")
    with shared.connect() as connection:
        made = _strict(connection, project, f"sh {script}")
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "halfway")
        said = text_of(connection, made, history=True)
        assert read_state(project).state.own.proposal == ("first", "second"), said
        for word in ("todos 0", "Mode: discussion", "ls 0", "The mode is discussion"):
            assert word in said, said
        for word in ("send 0", "new 0", "mode 0", "approve 0", "[y/N]"):
            assert word not in said, said
        assert "only the user may run `nagomi guard approve`" in said, said
        assert read_state(project).state.mode is Mode.DISCUSSION
        _set_mode(project, Mode.IMPLEMENTATION, Todo(content="first"))
        connection.request(_typed(made), timeout=PATIENCE)
        wait_for(connection, made, "back 0")
        assert read_state(project).state.mode is Mode.DISCUSSION


def _typed(made: str, text: str = "") -> messages.Send:
    return messages.Send(id=0, session=made, text=text, enter=True)


def _hook(event: dict[str, Any]) -> str:
    """Return a line for the shell that has the installed hook decide an event."""
    words = handler("claude", event["hook_event_name"])["args"]
    return f"printf %s {shlex.quote(json.dumps(event))} | sh {shlex.join(words)} 2>/dev/null; echo"


def test_what_nothing_guards_is_set_up_before_it_is_held(shared: Place, tmp_path: Path) -> None:
    with shared.connect() as connection:
        made = create(connection, "cat", cwd=str(tmp_path), env={"NAGOMI_GUARD": "strict"})
        assert session(connection, made)["strict"] is True
        assert read_state(Project(tmp_path.resolve())).state.mode is Mode.DISCUSSION


REFUSES = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"'


@pytest.mark.parametrize(
    ("before", "words", "strict"),
    [
        ((), ("--guard",), True),
        ((), ("--guard", "strict"), True),
        ((), ("--guard", "hook"), False),
        (("unshare", "-Urm", "sh", "-c", REFUSES, "sh"), ("--guard",), False),
    ],
    ids=["alone", "strict", "hook", "refused"],
)
def test_a_guard_is_strict_where_the_kernel_allows_it(
    shared: Place, project: Project, before: tuple[str, ...], words: tuple[str, ...], strict: bool
) -> None:
    """Where it does not, a sentence says that the hook alone guards, and why."""
    install_hook(project.root)
    line = [*before, sys.executable, "-m", "nagomi_tui", "new", *words, "--", "cat"]
    done = subprocess.run(line, cwd=project.root, capture_output=True, text=True, check=True)
    with shared.connect() as connection:
        made = connection.request(messages.ListSessions(id=0), timeout=PATIENCE).sessions[-1]
        assert (made.strict, made.cwd) == (strict, str(project.root))
        assert ("the agent's hook alone guards it" in done.stderr) is bool(before)
        assert not before or "user.max_user_namespaces" in done.stderr


def _says(connection: Connection, made: str, word: str) -> None:
    """Wait until the last that was tried ended so."""
    until(
        lambda: text_of(connection, made).split()[-1:] == [word], text_of(connection, made)[-300:]
    )


def _strict(connection: Connection, project: Project, cmd: str) -> str:
    return create(connection, cmd, cwd=str(project.root), env={"NAGOMI_GUARD": "strict"})


def _set_mode(project: Project, mode: Mode, *todos: Todo) -> None:
    with edit_state(project) as editing:
        editing.state = State(mode=mode, todos=Todos(active=todos))
