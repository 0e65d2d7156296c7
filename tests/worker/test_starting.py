"""What cannot be started is refused in a sentence, and what can is started as it should be."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nagomi_worker.pty.command import StartError, launch, split_words
from nagomi_worker.wire import protocol
from tests.helpers.worker import plain_env, start_order

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from tests.helpers.worker import Link, Worker


def _refusal(link: Link, cmd: str, **fields: Any) -> str:
    before = len(link.heard)
    link.send(start_order("bad", cmd, **fields), protocol.Ping())
    link.wait(protocol.Pong, after=before)
    heard = link.heard[before:]
    assert [type(one) for one in heard] == [protocol.Error, protocol.Pong]
    error = heard[0]
    assert isinstance(error, protocol.Error)
    assert error.session_id == "bad"
    assert not error.recoverable
    assert error.sentence.format(**error.values or {}) == error.message
    return error.message


@pytest.mark.parametrize(
    ("cmd", "fields", "words"),
    [
        ("", {}, "empty"),
        ("  ", {}, "empty"),
        ("no-such-command-here --now", {}, "no-such-command-here was not found"),
        ("/no/such/program", {}, "does not exist"),
        ("/etc/passwd", {}, "not a program that may be run"),
        ("echo 'open", {}, "quote"),
        ("echo a\0b", {}, "cannot be passed on"),
        ("cat", {"cwd": "/no/such/folder"}, "/no/such/folder does not exist"),
        ("cat", {"cwd": "/etc/passwd"}, "not a folder"),
        ("cat", {"cols": 10_000}, "10000 columns"),
        ("cat", {"rows": 0}, "0 rows"),
        ("cat", {"rows": 501}, "501 rows"),
        ("cat", {"env": {"PATH": "/bin:/usr/bin", "A=B": "c"}}, "'A=B'"),
        ("cat", {"env": {"PATH": "/bin:/usr/bin", "BIG": "x" * 900_000}}, "too long"),
    ],
)
def test_a_bad_start_is_one_sentence_and_no_session(
    link: Link, cmd: str, fields: dict[str, Any], words: str
) -> None:
    message = _refusal(link, cmd, **fields)
    assert words in message
    assert "\n" not in message and "Traceback" not in message
    link.send(protocol.ListSessions())
    assert link.wait(protocol.Sessions).sessions == ()


def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o000)
    if os.access(tmp_path, os.X_OK):
        tmp_path.chmod(0o700)
        pytest.skip("this user may enter every folder")
    with pytest.raises(StartError, match="may not be entered"):
        launch(start_order("a", "cat", cwd=str(tmp_path)))
    tmp_path.chmod(0o700)


def test_a_file_that_is_no_program_is_refused(link: Link, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo hello\n")
    script.chmod(0o755)
    assert "#!/bin/sh" in _refusal(link, str(script))


def test_a_running_session_is_not_started_twice(link: Link) -> None:
    link.start("a", "cat")
    link.send(start_order("a", "cat"))
    error = link.wait(protocol.Error, "a")
    assert "runs already" in error.message
    assert error.recoverable
    link.type("a", "alive\n")
    link.wait_text("a", "alive\r\nalive\r\n")


def test_an_ended_session_may_be_started_again(link: Link) -> None:
    link.run("a", "echo one")
    before = len(link.heard)
    link.send(start_order("a", "echo two"))
    link.wait(protocol.Exit, "a", after=before)
    assert [one.offset for one in link.outputs("a")] == [5, 5]


def test_a_bad_resize_changes_nothing(link: Link) -> None:
    link.start("a", "cat")
    link.send(protocol.Resize(session_id="a", cols=10_000, rows=30))
    assert "10000 columns" in link.wait(protocol.Error, "a").message
    link.send(protocol.ListSessions())
    assert link.wait(protocol.Sessions).sessions[0].cols == 80


@pytest.mark.parametrize(
    ("cmd", "argv"),
    [
        ("printf 'a b'", ["printf", "a b"]),
        ("printf a | cat", ["/bin/sh", "-c", "printf a | cat"]),
        ("A=1 env", ["/bin/sh", "-c", "A=1 env"]),
        ("cd /tmp", ["/bin/sh", "-c", "cd /tmp"]),
        ("~/x", ["/bin/sh", "-c", "~/x"]),
    ],
)
def test_only_shell_syntax_goes_to_the_shell(cmd: str, argv: list[str]) -> None:
    program, *arguments = launch(start_order("a", cmd)).argv
    assert os.path.isabs(program)
    assert [os.path.basename(program), *arguments] == [os.path.basename(argv[0]), *argv[1:]]


def test_the_users_shell_runs_what_needs_one() -> None:
    env = {**plain_env(), "SHELL": "/bin/bash"}
    assert launch(start_order("a", "echo a; echo b", env=env)).argv[0] == "/bin/bash"
    env["SHELL"] = "/no/such/shell"
    assert launch(start_order("a", "echo a; echo b", env=env)).argv[0] == "/bin/sh"


def test_the_command_is_found_by_the_path_of_its_own_environment(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    order = start_order("a", "tool", env={"PATH": str(tmp_path)})
    assert launch(order).argv == (str(tool),)
    assert launch(start_order("a", "./tool", cwd=str(tmp_path))).argv == (f"{tmp_path}/./tool",)


def test_the_child_gets_folder_size_and_exactly_its_environment(link: Link, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "ONLY": "this"}
    link.run("a", "env; pwd; stty size", cwd=str(tmp_path), cols=91, rows=17, env=env)
    lines = link.text("a").split("\r\n")
    names = {line.split("=")[0] for line in lines if "=" in line}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "ONLY", "NAGOMI_SESSION_ID"}
    assert str(tmp_path) in lines
    assert "17 91" in lines


C_LIBRARYS_OWN = 0b11 << 31
"""Signals 32 and 33, which no program can set; some starters of tests leave them ignored."""


def test_an_environment_of_nearly_two_megabytes_is_passed_on(link: Link) -> None:
    big = {f"V{number}": "é\x01" * 41_000 for number in range(15)}
    link.run("a", "printenv V14 | wc -c", env=plain_env() | big)
    assert link.text("a").strip() == str(41_000 * 3 + 1)


@pytest.mark.parametrize("shell", ["sh", "bash", "zsh", "fish"])
def test_a_line_for_the_shell_may_be_longer_than_one_argument(link: Link, shell: str) -> None:
    if (found := shutil.which(shell)) is None:
        pytest.skip(f"there is no {shell}")
    lines = "echo 'あいう' $SHELL > /dev/null\n" * 15_000
    link.run("a", f"echo begun;{lines}echo ended", env=plain_env() | {"SHELL": found})
    assert link.text("a") == "begun\r\nended\r\n"


def test_the_shell_of_a_long_line_has_its_name_and_no_arguments(link: Link) -> None:
    link.run("a", f"echo $0 $#;{'#' * 200_000}")
    assert link.text("a") == "/bin/sh 0\r\n"


def test_a_command_of_many_long_words_is_run(link: Link) -> None:
    words = ["sh", "-c", 'echo $# "${#1}"', "sh", *["it's a; word" * 10_000] * 12]
    link.run("a", shlex.join(words))
    assert link.text("a") == "12 120000\r\n"


@given(st.text(alphabet=" \t\n'\"\\ab$é", max_size=30))
def test_words_are_those_of_shlex(cmd: str) -> None:
    try:
        words = shlex.split(cmd)
    except ValueError:
        with pytest.raises(ValueError):
            split_words(cmd)
    else:
        assert split_words(cmd) == words


def test_the_child_gets_a_sane_terminal_and_no_signal_is_ignored(link: Link) -> None:
    link.run(
        "a",
        "stty -a; grep -E 'SigIgn|SigBlk' /proc/self/status; yes | head -1; tty; ls /proc/self/fd",
    )
    text = link.text("a")
    assert {"echo", "icanon", "isig", "iutf8", "icrnl", "onlcr"} <= set(text.split())
    ignored = int(re.search(r"SigIgn:\t([0-9a-f]+)", text)[1], 16)
    assert not ignored & ~C_LIBRARYS_OWN, hex(ignored)
    assert "SigBlk:\t0000000000000000" in text
    assert "Broken pipe" not in text
    assert "/dev/pts/" in text
    assert text.split()[-4:] == ["0", "1", "2", "3"]


def test_a_stray_signal_ends_no_worker_and_its_children_have_all_of_them(
    worker: Worker, link: Link
) -> None:
    for name in ("HUP", "INT", "QUIT", "USR1", "USR2", "ALRM", "VTALRM", "PROF"):
        worker.process.send_signal(getattr(signal, f"SIG{name}"))
    ended = link.run("a", "bash -c 'kill -USR1 $$; echo on'")
    assert ended.exit_code == 128 + signal.SIGUSR1
    assert worker.process.poll() is None


def test_a_pipe_that_nobody_reads_ends_its_writer_by_sigpipe(link: Link) -> None:
    ended = link.run("a", "bash -c 'yes | head -1; echo ${PIPESTATUS[0]}'")
    assert link.text("a") == "y\r\n141\r\n"
    assert ended.exit_code == 0


def test_a_signal_reaches_the_foreground_group(link: Link) -> None:
    link.start("a", "trap 'echo got it; exit 3' INT; echo ready; while :; do sleep 0.05; done")
    link.wait_text("a", "ready")
    link.send(protocol.Signal(session_id="a", signal="INT"))
    assert link.wait(protocol.Exit, "a").exit_code in (3, 128 + signal.SIGINT)
    link.send(protocol.Signal(session_id="a", signal="NONSENSE"))


def test_an_unknown_signal_is_an_error(link: Link) -> None:
    link.start("a", "cat")
    link.send(protocol.Signal(session_id="a", signal="NONSENSE"))
    assert "NONSENSE" in link.wait(protocol.Error, "a").message


def test_a_worker_elsewhere_gives_what_a_login_there_gives(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("THERE", "yes")
    monkeypatch.setenv("NAGOMI_SOCKET", "/of/the/workers/own")
    order = start_order("a", "env all", cwd="~/src", env={"TERM": "x"}, inherit=True)
    made = launch(order)
    assert (made.argv, made.cwd) == (("/bin/sh", "-l", "-c", "env all"), str(tmp_path / "src"))
    assert (made.env["THERE"], made.env["TERM"]) == ("yes", "x")
    assert "NAGOMI_SOCKET" not in made.env
    home = launch(start_order("a", "cat", cwd="~", env={}, inherit=True))
    assert home.cwd == str(tmp_path)
    csh = tmp_path / "csh"  # which takes no `-l` before `-c`
    csh.symlink_to("/bin/sh")
    monkeypatch.setenv("SHELL", str(csh))
    assert launch(order).argv[1:] == ("all",)
    with pytest.raises(StartError, match="no/such does not exist"):
        launch(start_order("a", "cat", cwd="~/no/such", inherit=True))
