"""Which commands are started with shell integration, and how."""

from __future__ import annotations

import shlex

import pytest

from nagomi_worker.pty.command import integrated

SCRIPTS = "/opt/nagomi/shell"


@pytest.mark.parametrize(
    ("cmd", "started", "more"),
    [
        ("bash", f"bash --rcfile {SCRIPTS}/bash.sh", {}),
        ("/bin/bash -i", f"/bin/bash --rcfile {SCRIPTS}/bash.sh -i", {}),
        (
            "bash -l",
            "bash --posix -l",
            {"ENV": f"{SCRIPTS}/bash.sh", "NAGOMI_BASH_LOGIN": "1", "NAGOMI_BASH_ENV": "/e"},
        ),
        ("zsh", "zsh", {"ZDOTDIR": f"{SCRIPTS}/zsh", "NAGOMI_ZDOTDIR": "/z"}),
    ],
)
def test_a_shell_that_somebody_types_into_is_integrated(
    cmd: str, started: str, more: dict[str, str]
) -> None:
    found = integrated(cmd, {"ENV": "/e", "ZDOTDIR": "/z"}, SCRIPTS)
    assert (found.cmd, found.env) == (started, more)


def test_fish_gets_it_after_the_user_s_own_configuration() -> None:
    found = integrated("fish -l", {}, "/opt/it's here")
    assert shlex.split(found.cmd) == [
        "fish", "-l", "--init-command", "source '/opt/it\\'s here/fish.fish'"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "cmd",
    [
        "sh", "dash", "bash -c 'make test'", "bash script.sh", "bash --norc", "zsh -f", "fish -N",
        "bash -x", "FOO=1 bash", "exec bash", "~/bin/bash", "bash; ls", "make", "", "bash --posix",
    ],
)  # fmt: skip
def test_any_other_command_is_started_as_it_is(cmd: str) -> None:
    assert integrated(cmd, {}, SCRIPTS) == (cmd, {})
