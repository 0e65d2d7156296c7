"""new, ls, stop, restart, rename, remove: with real sessions."""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import subprocess
import termios
import uuid
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system.outcome import Exit
from tests.helpers.command import Commands, workplace
from tests.helpers.waiting import alive, until

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {
    "session_id", "number", "name", "cmd", "cwd", "worker_id", "character_id", "judge_profile",
    "agent", "state", "phase", "waits", "cols", "rows", "pid", "exit_code", "signal", "summary",
    "title", "branch", "engine", "created_at", "started_at", "ended_at", "last_output_at",
    "last_input_at", "place",
}  # fmt: skip


@pytest.mark.requirement("N-58")
def test_new_tells_number_name_and_a_uuid4(nagomi: Commands) -> None:
    made = nagomi.json("new", "--name", "told", "--", "cat")
    assert set(made) == {"session_id", "number", "name"}
    assert uuid.UUID(made["session_id"]).version == 4
    assert made["name"] == "told"


def test_new_prints_number_and_name(nagomi: Commands) -> None:
    assert re.fullmatch(r"\d+ printed\n", nagomi.ok("new", "--name", "printed", "--", "cat"))


def test_an_environment_and_a_command_of_nearly_two_megabytes_start(nagomi: Commands) -> None:
    big = {f"V{number}": "x" * 125_000 for number in range(15)}
    words = ("sh", "-c", 'echo "$# ${#V14}"; exec cat', "sh", *["a; b " * 20_000] * 17)
    for env, given, told in ((big, words[:4], "0 125000"), ({}, words, "17 0")):
        made = nagomi.run("new", "--json", "--", *given, env=env)
        assert made.returncode == 0, made.stderr
        number = str(json.loads(made.stdout)["number"])
        until(lambda number=number, told=told: told in nagomi.shown(number))
        nagomi.ok("stop", number)
        nagomi.ok("remove", number)  # or each `ls` of the tests below prints it all


def test_a_new_session_has_the_size_of_the_terminal_that_it_is_started_from(
    nagomi: Commands,
) -> None:
    told = nagomi.ok("new", "--", "cat")  # No stream is a terminal here.
    assert _size(nagomi, told.split()[0]) == (120, 30)

    ours, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 21, 78, 0, 0))
    told = subprocess.run(
        [*nagomi.program, "new", "--", "cat"],
        env=nagomi.env, stdin=terminal, capture_output=True, text=True, timeout=40, check=True,
    ).stdout  # fmt: skip
    os.close(terminal)
    os.close(ours)
    assert _size(nagomi, told.split()[0]) == (78, 21)


def _size(nagomi: Commands, number: str) -> tuple[object, object]:
    session = nagomi.session(number)
    return session["cols"], session["rows"]


@pytest.mark.requirement("N-14", "N-60", "N-64")
def test_ls_has_every_field(nagomi: Commands) -> None:
    number = nagomi.new("cat", name="fields")
    session = next(one for one in nagomi.json("ls") if str(one["number"]) == number)
    assert set(session) >= FIELDS
    assert (session["name"], session["state"]) == ("fields", "running")
    assert session["cmd"] == "cat"


@pytest.mark.requirement("N-64")
def test_ls_tells_when_a_session_printed_last_though_its_state_stays(nagomi: Commands) -> None:
    number = nagomi.new("while echo tick; do sleep 0.05; done", name="ticks")
    until(lambda: nagomi.session(number)["phase"] == "running")
    until(lambda: nagomi.session(number)["last_output_at"])
    first = nagomi.session(number)
    until(lambda: nagomi.session(number)["last_output_at"] > first["last_output_at"] + 0.5)
    assert nagomi.session(number)["phase_since"] == first["phase_since"]


def test_ls_prints_a_line_for_each(nagomi: Commands) -> None:
    number = nagomi.ok("new", "--name", "日本語の名前", "--", "cat").split()[0]
    lines = [line for line in nagomi.ok("ls").splitlines() if "日本語の名前" in line]
    assert len(lines) == 1
    assert lines[0].split()[0] == number
    assert lines[0].endswith("cat")


def test_ls_says_who_waits_and_what_for(nagomi: Commands) -> None:
    number = nagomi.new("printf 'Proceed? [y/n] '; read x", name="asks")
    until(lambda: nagomi.session(number)["waits"])
    (line,) = (line for line in nagomi.ok("ls").splitlines() if " asks " in line)
    assert "waits for you" in line
    assert "Proceed? [y/n]" in line


def test_several_are_stopped_and_removed_by_one_command(nagomi: Commands) -> None:
    first, second = nagomi.new("cat", name="one-of-two"), nagomi.new("cat", name="two-of-two")
    assert "missing" in nagomi.fails(Exit.NO_SESSION, "stop", first, "missing", second)
    assert {nagomi.session(one)["state"] for one in (first, second)} == {"exited"}
    nagomi.ok("remove", "one-of-two", "two-of-two")
    assert not {"one-of-two", "two-of-two"} & {one["name"] for one in nagomi.json("ls")}


def test_sessions_are_chosen_by_how_they_stand_and_where_they_are(
    nagomi: Commands, tmp_path: Path
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for name, folder, command in (
        ("a", tmp_path, "cat"),
        ("b", inner, "cat"),
        ("c", inner, "true"),
    ):
        nagomi.ok("new", "--name", name, "--cwd", str(folder), "--", command)
    nagomi.ok("wait", "c")

    def chosen(*terms: str) -> list[str]:
        return [word for term in (f"in:{tmp_path}", *terms) for word in ("--where", term)]

    def found(*terms: str) -> str:
        return "".join(one["name"] for one in nagomi.json("ls", *chosen(*terms)))

    assert (found(), found("is:ended"), found(f"in:{inner}")) == ("abc", "c", "bc")
    assert (found(f"in:{inner}", "is:ended"), found("on:local")) == ("c", "abc")
    nagomi.ok("stop", *chosen(f"in:{inner}"))
    assert (found("is:ended"), found("is:stopped")) == ("bc", "b")
    nagomi.ok("remove", *chosen("is:ended"))
    assert found() == "a"
    assert "`is:ended`" in nagomi.fails(Exit.USAGE, "stop", "--where", "is:endet")
    assert "Did you mean" not in nagomi.fails(Exit.USAGE, "stop", "--where", "is:xyzzy")
    assert found() == "a"


def test_all_that_have_ended_are_removed(nagomi: Commands) -> None:
    ended, runs = nagomi.new("true", name="was"), nagomi.new("cat", name="is")
    until(lambda: nagomi.session(ended)["state"] == "exited")
    nagomi.ok("remove", "--ended")
    left = {one["name"]: one["state"] for one in nagomi.json("ls")}
    assert "was" not in left
    assert left["is"] == "running"
    for words in (("stop",), ("stop", runs, "--all"), ("restart",)):
        assert "name one or more" in nagomi.fails(Exit.USAGE, *words)


@pytest.mark.requirement("N-61")
def test_folder_and_environment_reach_the_command(nagomi: Commands, tmp_path: Path) -> None:
    number = str(
        nagomi.json(
            "new", "--cwd", str(tmp_path), "--env", "ONE=a b", "--env", "TWO=x=y",
            "--", "echo [$PWD][$ONE][$TWO]; exec cat",
        )["number"]
    )  # fmt: skip
    nagomi.ok("wait", number, "--until", "output", r"\[a b\]\[x=y\]", "--timeout", "20")
    assert f"[{tmp_path}]" in nagomi.ok("capture", number, "--history").replace("\n", "")


def test_the_asker_s_environment_is_the_session_s(nagomi: Commands) -> None:
    done = nagomi.run(
        "new", "--json", "--", "echo [$MINE][$TMUX][$TERM]; exec cat",
        env={"MINE": "yes", "TMUX": "/tmp/other,1,0", "TERM": "screen"},
    )  # fmt: skip
    number = str(json.loads(done.stdout)["number"])
    nagomi.ok(
        "wait", number, "--until", "output", r"\[yes\]\[\]\[xterm-256color\]", "--timeout", "20"
    )


def test_without_a_command_a_shell_starts(nagomi: Commands) -> None:
    number = str(nagomi.json("new")["number"])
    nagomi.ok("send", number, "echo $((6 * 7))")
    nagomi.ok("wait", number, "--until", "output", "^42$", "--timeout", "20")


def test_a_relative_folder_is_taken_from_where_one_stands(nagomi: Commands, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    done = nagomi.run("new", "--json", "--cwd", "inner", "--", "cat", cwd=tmp_path)
    number = str(json.loads(done.stdout)["number"])
    assert nagomi.session(number)["cwd"] == str(tmp_path / "inner")


@pytest.mark.requirement("N-22")
def test_stop_ends_the_tree_and_ls_tells(nagomi: Commands) -> None:
    number = nagomi.new("sleep 1000 & exec sleep 1000")
    pid = nagomi.session(number)["pid"]
    assert isinstance(pid, int) and alive(pid)
    nagomi.ok("stop", number)
    assert not alive(pid)
    assert nagomi.session(number)["state"] == "exited"


def test_restart_runs_the_same_command_again(nagomi: Commands, tmp_path: Path) -> None:
    log = tmp_path / "log"
    number = nagomi.new(f"echo run >> {log}; exec cat", name="again")
    until(lambda: log.exists() and log.read_text() == "run\n")
    before = nagomi.session(number)
    nagomi.ok("restart", number)
    until(lambda: log.read_text() == "run\nrun\n")
    after = nagomi.session(number)
    assert (after["session_id"], after["name"]) == (before["session_id"], "again")
    assert after["pid"] != before["pid"]


def test_restart_takes_several_sessions_and_a_command_behind_a_double_hyphen(
    nagomi: Commands,
) -> None:
    numbers = [nagomi.new("cat", name=name) for name in ("one", "two", "true")]
    before = [nagomi.session(number)["pid"] for number in numbers]
    nagomi.ok("restart", "one", numbers[1], "true")
    after = [nagomi.session(number) for number in numbers]
    assert [one["cmd"] for one in after] == ["cat"] * 3
    assert not set(before) & {one["pid"] for one in after}

    nagomi.ok("restart", "one", "--", "true")
    assert nagomi.session(numbers[0])["cmd"] == "true"
    nagomi.ok("restart", "two", "sleep", "true")  # `sleep` is no session.
    assert nagomi.session(numbers[1])["cmd"] == "sleep true"


def test_rename_and_names_in_use(nagomi: Commands) -> None:
    number = nagomi.new("cat", name="before")
    nagomi.ok("rename", number, "after")
    assert nagomi.session(number)["name"] == "after"
    nagomi.ok("capture", "after")
    nagomi.fails(Exit.NO_SESSION, "capture", "before")


def test_remove_takes_only_what_has_ended(nagomi: Commands) -> None:
    number = nagomi.new("cat", name="to-remove")
    assert nagomi.fails(Exit.FAILED, "remove", number)
    nagomi.ok("stop", number)
    nagomi.ok("remove", "to-remove")
    assert "to-remove" not in {session["name"] for session in nagomi.json("ls")}


def test_a_session_is_named_by_number_name_id_and_prefix(nagomi: Commands) -> None:
    made = nagomi.json("new", "--name", "unmistakable", "--", "cat")
    for meant in (str(made["number"]), "unmistakable", "unmist", made["session_id"]):
        assert nagomi.run("capture", meant).returncode == 0, meant


def test_numbers_stay_until_they_are_given_anew(nagomi: Commands) -> None:
    made = [nagomi.new("cat", name=name) for name in ("gone", "here")]
    nagomi.ok("stop", made[0])
    nagomi.ok("remove", made[0])
    assert nagomi.session(made[1])["name"] == "here"
    nagomi.ok("renumber")
    listed = nagomi.json("ls")
    assert [one["number"] for one in listed] == [*range(1, len(listed) + 1)]


def test_an_ambiguous_prefix_is_refused_with_the_candidates(nagomi: Commands) -> None:
    nagomi.new("cat", name="twin-a")
    nagomi.new("cat", name="twin-b")
    sentence = nagomi.fails(Exit.NO_SESSION, "capture", "twin")
    assert "twin-a" in sentence
    assert "twin-b" in sentence


def test_a_dot_is_the_session_one_is_in(nagomi: Commands) -> None:
    number = nagomi.new("cat", name="own")
    own = str(nagomi.session(number)["session_id"])
    done = nagomi.run("rename", ".", "own-renamed", env={"NAGOMI_SESSION_ID": own})
    assert done.returncode == 0, done.stderr
    assert nagomi.session(number)["name"] == "own-renamed"


def test_plain_nagomi_inside_a_session_refuses_to_nest(nagomi: Commands) -> None:
    command = f"{' '.join(nagomi.run('--version').args[:3])}; echo [$?]; exec cat"
    number = nagomi.new(command)
    nagomi.ok("wait", number, "--until", "output", r"^\[1\]$", "--timeout", "20")
    text = " ".join(nagomi.ok("capture", number).split())
    assert "nagomi new" in text
    assert "Traceback" not in text


def test_commands_work_inside_a_session(nagomi: Commands) -> None:
    command = f"{' '.join(nagomi.run('--version').args[:3])} rename . from-inside; exec cat"
    number = nagomi.new(command)
    until(lambda: nagomi.session(number)["name"] == "from-inside")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX only")
@pytest.mark.requirement("N-114")
def test_two_starts_at_the_same_moment_meet_in_one_orchestrator() -> None:
    import subprocess

    from tests.helpers.command import NAGOMI

    with workplace() as commands:
        starts = [
            subprocess.Popen(
                [*NAGOMI, "new", "--name", f"at-once-{n}", "--", "cat"],
                env=commands.env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for n in range(4)
        ]
        told = [start.communicate(timeout=40) for start in starts]
        assert [start.returncode for start in starts] == [0] * 4, told
        names = {session["name"] for session in commands.json("ls")}
        assert names == {f"at-once-{n}" for n in range(4)}
