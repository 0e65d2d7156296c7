"""The guard's state file, by real processes and real faults."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from nagomi_tui.guard.decide.documents import Flags, Mode, Protocol, State, Todo, Todos
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import (
    Broken,
    Busy,
    Loaded,
    edit_config,
    edit_state,
    held,
    read_state,
)
from nagomi_tui.system import folders

ROOT: Final = Path(__file__).resolve().parents[3]
WRITERS, CHANGES = 8, 200

_WRITER: Final = """
import sys
from pathlib import Path
import msgspec
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state
project, name = Project(Path(sys.argv[1])), sys.argv[2]
for number in range(int(sys.argv[3])):
    with edit_state(project, seconds=90) as editing:
        counts = dict(editing.state.unknown)
        counts[name] = counts.get(name, 0) + 1
        model = str(int(editing.state.model) + 1)
        editing.state = msgspec.structs.replace(editing.state, unknown=counts, model=model)
"""

_HOLDER: Final = """
import sys, time
from pathlib import Path
from nagomi_tui.guard.files.state import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "home"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    return Project(root)


def _change(project: Project, **fields: Any) -> State:
    with edit_state(project) as editing:
        editing.state = msgspec.structs.replace(editing.state, **fields)
    return editing.state


def _python(code: str, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(ROOT), str(ROOT / "worker")))
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.requirement("D-3", "D-13", "D-17", "DC-1")
def test_a_new_state_is_discussion_with_every_field(project: Project) -> None:
    with edit_state(project) as editing:
        assert editing.state.mode is Mode.DISCUSSION
    stored = json.loads((project.root / "sessions" / "sessions-state.json").read_text())
    assert stored["mode"] == "discussion"
    assert stored["flags"] == {
        "context_85": False, "context_90": False, "subagent": False,
        "noob": True, "bypass_mode": False,
    }  # fmt: skip
    assert stored["api"] == {"startup_load": False, "completion": False, "todos_clear": False}
    assert stored["todos"]["active"] == stored["todos"]["stashed"] == []
    assert {"version", "current_task", "active_protocol", "model", "metadata"} < stored.keys()
    assert set(stored["current_task"]) == {
        "name", "file", "branch", "status", "created", "started", "updated",
        "dependencies", "submodules",
    }  # fmt: skip


@pytest.mark.requirement("D-12")
def test_the_modes_are_strings() -> None:
    assert isinstance(Mode.IMPLEMENTATION, str)
    assert [str(mode) for mode in Mode] == ["discussion", "implementation"]


@pytest.mark.requirement("D-14")
def test_after_an_exception_nothing_is_written(project: Project) -> None:
    _change(project, model="opus")
    before = project.state_file.read_bytes()
    with pytest.raises(ZeroDivisionError), edit_state(project) as editing:
        editing.state = State(model="sonnet")
        raise ZeroDivisionError
    assert project.state_file.read_bytes() == before
    assert _change(project).model == "opus"


@pytest.mark.slow
@pytest.mark.timeout(200)
@pytest.mark.requirement("D-15", "DB-13")
def test_eight_writers_lose_no_change(project: Project) -> None:
    """Each counts for itself and all count together."""
    _change(project, model="0")
    names = [f"w{number}" for number in range(WRITERS)]
    writers = [_python(_WRITER, str(project.root), name, str(CHANGES)) for name in names]
    for writer in writers:
        writer.communicate(timeout=180)
    assert [writer.returncode for writer in writers] == [0] * WRITERS
    state = read_state(project).state
    assert state.unknown == dict.fromkeys(names, CHANGES)
    assert state.model == str(WRITERS * CHANGES)


@pytest.mark.requirement("X-13", "D-53", "DB-12")
def test_a_live_owner_keeps_its_lock(project: Project) -> None:
    project.sessions.mkdir()
    holder = _python(_HOLDER, str(project.lock_file))
    try:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        began = time.monotonic()
        with pytest.raises(Busy), edit_state(project):
            pytest.fail("two held it")
        assert time.monotonic() - began >= 1.0
        assert holder.poll() is None and project.lock_file.exists()
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.requirement("X-13", "DB-12")
def test_a_killed_owner_lets_go_at_once(project: Project) -> None:
    project.sessions.mkdir()
    holder = _python(_HOLDER, str(project.lock_file))
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    with held(project.lock_file, seconds=0):
        pass
    assert project.lock_file.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"mode": "go"}', '{"todos": {"active": [{}]}}', '{"flags": 1}', "\xff"]
)
@pytest.mark.requirement("DC-4", "DB-4")
def test_a_broken_state_is_kept_aside_and_is_discussion(project: Project, text: str) -> None:
    project.sessions.mkdir()
    project.state_file.write_bytes(text.encode("latin-1"))
    with pytest.raises(Broken):
        read_state(project)
    with edit_state(project) as editing:
        assert editing.state.mode is Mode.DISCUSSION
        assert "sessions-state.bad.json" in editing.notices[0]
    aside = project.sessions / "sessions-state.bad.json"
    assert aside.read_bytes() == text.encode("latin-1")
    assert read_state(project).state == State()


@pytest.mark.requirement("DC-4")
def test_a_second_broken_state_takes_no_others_place(project: Project) -> None:
    project.sessions.mkdir()
    for text in ("{1", "{2"):
        project.state_file.write_text(text)
        with edit_state(project):
            pass
    aside = sorted(project.sessions.glob("*.bad.json"))
    assert [path.read_text() for path in aside] == ["{1", "{2"]


@pytest.mark.requirement("DC-4")
def test_no_temporary_file_is_left(project: Project) -> None:
    _change(project, model="opus")
    names = {path.name for path in project.sessions.iterdir()}
    assert names == {"sessions-state.json", "sessions-state.lock", ".gitignore"}


@pytest.mark.requirement("DB-21")
def test_unknown_keys_are_named_and_kept(project: Project) -> None:
    project.sessions.mkdir()
    strange = {
        "colour": 1,
        "flags": {"noob": False, "tint": [2]},
        "todos": {"active": [{"content": "a", "activeForm": "A-ing", "why": {"x": "y"}}]},
        "metadata": {"theirs": {"deep": True}},
    }
    project.state_file.write_text(json.dumps(strange))
    loaded = read_state(project)
    for name in ("colour", "flags.tint", "todos.active.0.why"):
        assert name in loaded.unknown[0]
    assert "metadata" not in loaded.unknown[0]  # There any program may put its own.
    _change(project, model="opus")
    stored = json.loads(project.state_file.read_text())
    assert stored["colour"] == 1 and stored["metadata"]["theirs"] == {"deep": True}
    assert stored["flags"]["tint"] == [2] and stored["flags"]["noob"] is False
    assert stored["todos"]["active"][0]["why"] == {"x": "y"}
    assert stored["todos"]["active"][0]["activeForm"] == "A-ing"


@pytest.mark.parametrize("strange", [{"mode": "implementation"}, {"flags": {"bypass_mode": True}}])
@pytest.mark.requirement("DB-5")
def test_a_state_of_another_hand_does_not_elevate(
    project: Project, strange: dict[str, Any]
) -> None:
    _change(project, model="opus")
    project.state_file.write_text(json.dumps(strange))
    loaded = read_state(project)
    assert loaded.state.mode is Mode.DISCUSSION and not loaded.state.flags.bypass_mode
    assert "was not written by the guard" in loaded.notices[0]


@pytest.mark.requirement("DB-5")
def test_what_the_guard_wrote_elevates(project: Project) -> None:
    _change(project, mode=Mode.IMPLEMENTATION, active_protocol=Protocol.CREATE)
    assert read_state(project).state.mode is Mode.IMPLEMENTATION
    copy = project.state_file.read_bytes()
    _change(project, mode=Mode.DISCUSSION)
    project.state_file.write_bytes(copy)  # as a checkout would bring it back
    assert read_state(project).state.mode is Mode.DISCUSSION


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("sessions/sessions-config.json", '{"features": {"branch_enforcement": false}}'),
        (".claude/settings.json", "{}"),
        (".claude/settings.json", "{"),
        (".claude/settings.json", None),
        (".claude/settings.local.json", '{"disableAllHooks": true}'),
        (".codex/config.toml", "[features]\nhooks = false\n"),
    ],
)
@pytest.mark.requirement("DB-5")
def test_what_switches_the_guard_takes_the_approval_with_it_when_it_changes(
    project: Project, place: str, text: str | None
) -> None:
    """As by `git checkout .` or `python -c`, which name no file."""
    hooks = project.root / ".claude" / "settings.json"
    hooks.parent.mkdir(exist_ok=True)
    hooks.write_text('{"hooks": {"PreToolUse": [1]}}')
    _change(project, mode=Mode.IMPLEMENTATION)
    assert read_state(project) == Loaded(read_state(project).state)
    file = project.root / place
    file.parent.mkdir(exist_ok=True)
    file.unlink(missing_ok=True) if text is None else file.write_text(text)
    loaded = read_state(project)
    assert loaded.state.mode is Mode.DISCUSSION
    assert f"{place.removeprefix('sessions/')} has changed" in loaded.notices[0]
    _change(project, model="opus")
    assert read_state(project) == Loaded(read_state(project).state)


@pytest.mark.requirement("DB-5")
def test_what_a_client_or_the_user_changes_there_takes_no_approval(project: Project) -> None:
    hooks = project.root / ".claude" / "settings.local.json"
    hooks.parent.mkdir(exist_ok=True)
    _change(project, mode=Mode.IMPLEMENTATION)
    hooks.write_text('{"permissions": {"allow": ["Bash(ls)"]}}')
    with edit_config(project) as editing:
        changed = type(editing.config.features)(branch_enforcement=False)
        editing.config = type(editing.config)(features=changed)
    assert read_state(project).state.mode is Mode.IMPLEMENTATION


@pytest.mark.requirement("DB-5")
def test_a_seal_of_an_older_version_holds(project: Project) -> None:
    _change(project, mode=Mode.IMPLEMENTATION)
    (path,) = (Path(folders.state()) / "guard").glob("*.seal")
    path.write_bytes(path.read_bytes().split(b"\n")[0])
    project.config_file.write_text("{}")
    assert read_state(project).state.mode is Mode.IMPLEMENTATION


@pytest.mark.requirement("D-69")
def test_the_state_is_not_committed(project: Project) -> None:
    _change(project, model="opus")
    project.config_file.write_text("{}")
    git = ["git", "-C", str(project.root), "-c", "core.excludesFile="]
    subprocess.run([*git, "init", "-q"], check=True)
    done = subprocess.run(
        [*git, "status", "--porcelain", "-uall"], check=True, capture_output=True, text=True
    )
    assert done.stdout == "?? sessions/sessions-config.json\n"


@pytest.mark.requirement("DC-2")
def test_flags_are_cleared_together_but_for_noob() -> None:
    flags = Flags(context_85=True, context_90=True, subagent=True, bypass_mode=True, noob=True)
    assert flags.cleared() == Flags(noob=True)


@pytest.mark.requirement("DC-2")
def test_an_empty_list_is_not_complete() -> None:
    assert not Todos().all_complete
    assert Todos(active=(Todo(content="a", status="completed"),)).all_complete


@pytest.mark.requirement("DB-10", "D-58")
def test_the_stash_is_a_stack() -> None:
    first, second = (Todo(content="first"),), (Todo(content="second"),)
    both = Todos(active=first).stash_active().with_active(second).stash_active()
    assert both.active == () and both.stashed == second
    once = both.restore_stashed()
    assert once.active == second and once.stashed == first
    assert once.restore_stashed() == once  # something is still to be done
    twice = once.with_active(()).restore_stashed()
    assert twice.active == first and twice.stashed == ()
