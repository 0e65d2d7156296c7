"""Sessions on a hand stand as those of this machine do: shells, folders, and what the judge says."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from nagomi_tui.api import messages
from tests.hands.test_far_sessions import add_plain, worker_there
from tests.helpers.workplace import create, session, until, wait_for, workplace

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection

pytestmark = pytest.mark.slow

PROMPT: Final = "ready> "
LOST_PATH: Final = "PATH=/usr/local/bin:/usr/bin:/bin\nexport PATH\n"
"""As the profiles of many systems have it."""
RC: Final = {
    "bash": {".bash_profile": f"{LOST_PATH}PS1='{PROMPT}'\n"},
    "zsh": {".zprofile": LOST_PATH, ".zshrc": f"PS1='{PROMPT}'\nunsetopt PROMPT_SP\n"},
    "fish": {
        ".config/fish/config.fish": "set -gx PATH /usr/local/bin /usr/bin /bin\n"
        f"set fish_greeting\nfunction fish_prompt; echo -n '{PROMPT}'; end\n"
    },
    "dash": {".profile": f"{LOST_PATH}PS1='{PROMPT}'\nexport PS1\n"},
}


def settle(home: Path, shell: str) -> tuple[str, ...]:
    """Write the user's files of a shell, and return the variables of that user."""
    for name, text in RC[shell].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    return (f"HOME={home}", f"SHELL={shutil.which(shell)}", f"XDG_CACHE_HOME={home}/cache")


def say(connection: Connection, made: str, text: str) -> None:
    connection.request(messages.Send(id=0, session=made, text=text))


def why(connection: Connection, made: str) -> messages.Standing:
    return connection.request(messages.Why(id=0, session=made))


@pytest.mark.parametrize("shell", RC)
def test_the_user_s_own_shell_there_is_as_one_here(tmp_path: Path, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    with workplace() as place, place.connect() as connection:
        user = settle(tmp_path / "home", shell)
        add_plain(place, program=worker_there(place, "env", *user))
        made = create(connection, "", cwd="", worker_id="plain", cols=200)
        wait_for(connection, made, f"^{PROMPT.strip()}")
        assert session(connection, made)["judge_profile"] == "shell"
        assert session(connection, made)["name"] == "plain-sh"
        say(connection, made, "nagomi why . | grep -c plain")
        wait_for(connection, made, r"^[1-9]$")
        say(connection, made, "nagomi ls | grep -o 'sh -l$'")
        wait_for(connection, made, "^sh -l$")
        if shell == "dash":  # it has no marks, so where it is is asked more seldom
            return
        say(connection, made, "cd / ; sh -c 'exit 42'")
        until(lambda: "shell: D;42" in why(connection, made).verdict.evidence)
        assert session(connection, made)["phase"] == "error"
        until(lambda: session(connection, made)["folder"] == "/")
        assert session(connection, made)["branch"] == ""
        say(connection, made, f"cd {project}")
        until(lambda: session(connection, made)["branch"] == "topic")
        assert session(connection, made)["folder"] == str(project)
        say(connection, made, "sleep 60")
        until(lambda: session(connection, made)["phase"] == "running")


def test_a_shell_that_is_named_marks_its_commands_too(tmp_path: Path) -> None:
    with workplace() as place, place.connect() as connection:
        user = settle(tmp_path, "bash")
        (tmp_path / ".bashrc").write_text(f"PS1='{PROMPT}'\n")
        add_plain(place, program=worker_there(place, "env", *user))
        for name in ("bash", "zsh", "fish"):
            if not shutil.which(name):
                continue
            (tmp_path / ".zshrc").write_text(RC["zsh"][".zshrc"])
            made = create(connection, name, cwd="", worker_id="plain", name=name)
            wait_for(connection, made, "[>#%] ?$")
            say(connection, made, "sh -c 'exit 42'")
            until(lambda made=made: "shell: D;42" in why(connection, made).verdict.evidence)


def told(**event: str) -> str:
    """Return a command by which an agent's hook tells of an event."""
    given = shlex.quote(json.dumps({"session_id": "0b5c2d3e-1111-4222-8333-444455556666", **event}))
    return f'echo {given} | "$NAGOMI_PYTHON" -IS "$NAGOMI_EVENT" claude $$'


def program(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


PROGRAMS: Final[dict[str, tuple[str, tuple[tuple[str, str], ...]]]] = {
    "it ends well": ("sh -c 'echo fine'", (("", "success"),)),
    "it fails": ("sh -c 'echo no such thing >&2; exit 3'", (("", "error"),)),
    "it is killed": ("sh -c 'kill -9 $$'", (("", "error"),)),
    "it works": ("sh -c 'echo begun; sleep 60'", (("", "running"),)),
    "it asks": (
        "sh -c 'printf \"Go on? [y/N] \"; read x; echo went on; exec sleep 60'",
        (("", "attention"), ("y", "running")),
    ),
    "it asks for a password": (
        "sh -c 'printf Password:; stty -echo; read x; stty echo; exit 5'",
        (("", "attention"), ("secret", "error")),
    ),
    "python": (f"{sys.executable} -q -i", (("", "idle"), ("import time; time.sleep(60)", "running"))),
    "a shell": ("bash", (("", "idle"), ("false", "error"), ("true", "success"), ("sleep 60", "running"))),
    "an agent": (
        "claude",
        (("", "thinking"), ("on", "success"), ("again", "attention")),
    ),
}  # fmt: skip
AGENT: Final = "\n".join(
    (
        told(hook_event_name="UserPromptSubmit"), "echo step 0; read x",
        told(hook_event_name="Stop", last_assistant_message="All is done."), "echo step 1; read x",
        told(hook_event_name="PermissionRequest", tool_name="Bash", message="May I?"),
        "echo step 2; exec cat",
    )
)  # fmt: skip


@pytest.mark.parametrize("case", PROGRAMS)
@pytest.mark.requirement("N-137")
def test_the_judge_says_of_a_program_there_what_it_says_here(tmp_path: Path, case: str) -> None:
    cmd, story = PROGRAMS[case]
    if cmd == "claude":
        cmd = program(tmp_path, cmd, AGENT)
    user = settle(tmp_path, "bash")
    env = {"PATH": os.environ["PATH"], **dict(one.split("=", 1) for one in user)}
    with workplace() as place, place.connect(env=env) as connection:
        add_plain(place, program=worker_there(place, "env", *user))
        both = [
            create(connection, cmd, cwd=str(tmp_path), worker_id=where, env={"PS1": PROMPT})
            for where in ("local", "plain")
        ]
        for number, (typed, phase) in enumerate(story):
            for made in both if typed else ():
                say(connection, made, typed)
            for made in both:
                until(
                    lambda made=made, phase=phase: session(connection, made)["phase"] == phase,
                    phase,
                )
            for made in both if case == "an agent" else ():
                wait_for(connection, made, f"^step {number}$")
            try:
                until(lambda: standing(connection, both[0]) == standing(connection, both[1]))
            except AssertionError:
                assert standing(connection, both[1]) == standing(connection, both[0])


def standing(connection: Connection, made: str) -> tuple[Any, ...]:
    """Return all that is told of how a session stands, but for times, ids and its place.

    Of an agent it is a matter of moments whether what is typed begins another turn.
    """
    info, found = session(connection, made), why(connection, made)
    names = ["state", "phase", "condition", "exit_code", "signal", "summary", "judge_profile"]
    if info["judge_profile"] != "claude":
        names.append("turn")
    said = (found.rule, found.meaning, found.verdict)
    grounds = {(one.source, one.says, one.rule) for one in found.evidence_detail}
    return (*(info[name] for name in names), *said, sorted(grounds))
