"""send, keys, wait, capture: with real programs on real PTYs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.system.outcome import Exit
from tests.helpers.command import NAGOMI, Commands
from tests.helpers.waiting import until
from tests.helpers.workplace import Place

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.requirement("N-130")
def test_send_types_and_capture_shows(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    nagomi.ok("send", number, "two", "words")
    until(lambda: nagomi.shown(number).splitlines().count("two words") == 2)


def test_send_without_enter_leaves_the_line_open(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    nagomi.ok("send", number, "--no-enter", "open")
    until(lambda: nagomi.shown(number).strip() == "open")
    nagomi.ok("keys", number, "Enter")
    until(lambda: nagomi.shown(number).split() == ["open", "open"])


def test_send_takes_text_that_looks_like_an_option(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    nagomi.ok("send", number, "--", "--help")
    until(lambda: nagomi.shown(number).split() == ["--help", "--help"])


def test_send_reads_many_lines_from_stdin(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    nagomi.ok("send", number, "-", stdin="一行目\nline two\n")
    until(lambda: nagomi.shown(number).count("一行目") == 2)
    until(lambda: nagomi.shown(number).count("line two") == 2)


@pytest.mark.requirement("N-81")
def test_send_asks_the_judge_as_the_prompt_does_and_types_the_text_literally(
    nagomi: Commands,
) -> None:
    number = nagomi.new("cat")
    assert "The LLM judge is off" in nagomi.fails(Exit.FAILED, "send", number, "判定して")
    assert "The LLM judge is off" in nagomi.fails(Exit.FAILED, "send", number, " 判定して ")
    nagomi.ok("send", number, "--no-enter", "判定して")
    nagomi.ok("send", number, "--literal", "と")
    until(lambda: nagomi.shown(number).split() == ["判定してと"] * 2)
    nagomi.ok("send", number, "--literal", "判定して")
    until(lambda: nagomi.shown(number).split()[2:] == ["判定して"] * 2)


@pytest.mark.slow
def test_a_text_that_is_sent_again_by_its_id_is_typed_once(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    for text in ("one", "two"):
        for _ in range(2):
            nagomi.ok("send", number, "--once", f"id of {text}", text)
    nagomi.ok("send", number, "--once", "open", "--no-enter", "thr")
    nagomi.ok("send", number, "--once", "open", "three")
    until(
        lambda: nagomi.ok("capture", number).split() == ["one", "one", "two", "two", "thr", "thr"]
    )
    assert "64 characters" in nagomi.fails(Exit.USAGE, "send", number, "--once", "x" * 65, "a")


@pytest.mark.slow
def test_a_text_whose_orchestrator_dies_is_typed_once(nagomi: Commands, tmp_path: Path) -> None:
    """Also where it had typed the text and not yet pressed Enter."""
    log = tmp_path / "log"
    number = nagomi.new("sh", "-c", 'while read -r line; do echo "$line" >>"$0"; done', str(log))
    place = Place(nagomi.home)
    for count in range(6):
        text = f"line {count}"
        sending = subprocess.Popen(
            [*nagomi.program, "send", number, text], env=nagomi.env, stderr=subprocess.PIPE
        )
        if count % 2:
            until(lambda text=text: text in nagomi.shown(number))
        else:
            time.sleep(0.1 * count)
        os.kill(place.orchestrator, signal.SIGKILL)
        _, said = sending.communicate(timeout=60)
        assert sending.returncode == 0, said
        until(lambda count=count: _lines(log) == [f"line {one}" for one in range(count + 1)])


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


_OPENS_ITS_SCREEN = """
import os, sys, time, tty
print("begun", flush=True)
while not os.path.exists({go!r}):
    time.sleep(0.01)
tty.setraw(0)
print("\\x1b[?1049hready", flush=True)
while (key := os.read(0, 100)) != b"q":
    print(key, flush=True)
"""


def _send_while_nobody_reads(nagomi: Commands, number: str, text: str, go: Path) -> tuple[int, str]:
    """Send a text, have the program go on that waits for a file, and return what `send` says."""
    nagomi.ok("wait", number, "--until", "output", "begun", "--timeout", "20")
    with subprocess.Popen(
        [*nagomi.program, "send", number, text], env=nagomi.env, stderr=subprocess.PIPE, text=True
    ) as sending:
        until(lambda: text in nagomi.shown(number), "it is echoed")
        nagomi.ok("capture", number)  # By now it was seen that nobody has read it.
        go.touch()
        _, said = sending.communicate(timeout=60)
        return sending.returncode, said


def test_a_text_that_a_program_throws_away_as_it_opens_its_screen_is_not_said_to_be_sent(
    nagomi: Commands, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    number = nagomi.new("python3", "-c", _OPENS_ITS_SCREEN.format(go=str(go)))
    code, said = _send_while_nobody_reads(nagomi, number, "lost", go)
    nagomi.ok("wait", number, "--until", "output", "ready", "--timeout", "20")
    assert code == Exit.PERHAPS and "has not taken it" in said
    assert "lost" not in nagomi.ok("capture", number)
    nagomi.ok("send", number, "--no-enter", "kept")
    until(lambda: "b'kept'" in nagomi.shown(number))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("print('got ' + input())", Exit.OK),
        ("print('got ' + getpass.getpass())", Exit.PERHAPS),
        ("time.sleep(60)", Exit.PERHAPS),
    ],
)
def test_an_echo_alone_does_not_say_that_a_text_was_read(
    nagomi: Commands, program: str, told: Exit, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    line = (
        "import getpass, os, time; print('begun', flush=True)\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\n{program}"
    )
    number = nagomi.new("python3", "-c", line)
    code, _ = _send_while_nobody_reads(nagomi, number, "a word", go)
    if code != told:
        until(lambda: "got a word" in nagomi.shown(number), "it was read after all")


_LOOKS_FIRST = """
import fcntl, os, struct, sys, termios, time, tty
print("begun", flush=True)
while not struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"0000"))[0]:
    time.sleep(0.001)
time.sleep({lies})
got = {reads}
termios.tcflush(0, termios.TCIFLUSH)
time.sleep({pause})
tty.setraw(0)
print("\x1b[?1049h" if {full} else "", "ready", got, flush=True)
while os.read(0, 100) != b"q":
    pass
"""


@pytest.mark.parametrize(
    ("reads", "full", "lies", "pause", "told"),
    [
        ("''", True, 0, 0, Exit.PERHAPS),
        ("''", False, 0, 0, Exit.PERHAPS),
        ("''", True, 0, 0.1, Exit.PERHAPS),
        ("''", True, 0.4, 0.1, Exit.PERHAPS),
        ("input()", False, 0, 0, Exit.OK),
        ("input()", False, 0.4, 0.1, Exit.OK),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="what the kernel keeps is asked for on Linux")
def test_a_text_that_is_thrown_away_is_not_said_to_be_sent(
    nagomi: Commands, reads: str, full: bool, lies: float, pause: float, told: Exit
) -> None:
    """The program sees the line at once, and throws it away or reads it before anybody looks, or later.

    The kernel throws it away some time before it changes the mode: all output is taken in between.
    """
    program = _LOOKS_FIRST.format(reads=reads, full=full, lies=lies, pause=pause)
    number = nagomi.new("python3", "-c", program)
    nagomi.ok("wait", number, "--until", "output", "begun", "--timeout", "20")
    assert nagomi.run("send", number, "a-word").returncode == told


def test_keys_are_pressed_in_order(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    nagomi.ok("keys", number, "a", "b", "Enter", "ctrl+d")
    nagomi.ok("wait", number, "--timeout", "20")
    assert nagomi.ok("capture", number).split()[:2] == ["ab", "ab"]


def test_an_unknown_key_is_named(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    sentence = nagomi.fails(Exit.USAGE, "keys", number, "ctrl+nonsense")
    assert "ctrl+nonsense" in sentence


def test_capture_shows_history_and_colours(nagomi: Commands) -> None:
    number = nagomi.new("seq 1 100; printf '\\033[31mred\\033[m\\n'; exec cat")
    nagomi.ok("wait", number, "--until", "output", "red", "--timeout", "20")
    screen = nagomi.ok("capture", number)
    assert "\n100\n" in screen
    assert "\n1\n" not in f"\n{screen}"
    history = nagomi.ok("capture", number, "--history").split()
    assert history[:100] == [str(n) for n in range(1, 101)]
    assert "\x1b[" not in screen
    assert "\x1b[31m" in nagomi.ok("capture", number, "--ansi").replace("\x1b[0;31m", "\x1b[31m")


@pytest.mark.requirement("N-36")
def test_a_long_history_goes_through_a_pipe_that_closes_early(nagomi: Commands) -> None:
    number = nagomi.new("seq 1 20000; exec cat")
    nagomi.ok("wait", number, "--until", "output", "^20000$", "--timeout", "30")
    piped = f"{' '.join(NAGOMI)} capture {number} --history | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {piped}; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        env=nagomi.env,
        timeout=30,
    )
    assert done.stdout.splitlines()[0] == "1"
    assert done.stdout.splitlines()[1] in ("0", str(int(Exit.BROKEN_PIPE)))
    assert done.stderr == ""


def test_wait_for_the_end_tells_the_exit_code(nagomi: Commands) -> None:
    number = nagomi.new("exit 7")
    result = nagomi.json("wait", number, "--timeout", "20")
    assert (result["reason"], result["exit_code"]) == ("exit", 7)
    assert nagomi.run("wait", number, "--status").returncode == 7


def test_wait_for_output_tells_the_line(nagomi: Commands) -> None:
    number = nagomi.new("echo first; echo 'ready on port 80'; exec cat")
    assert nagomi.ok("wait", number, "--until", "output", r"port \d+", "--timeout", "20") == (
        "ready on port 80\n"
    )


def test_wait_for_silence(nagomi: Commands) -> None:
    number = nagomi.new("echo spoken; exec cat")
    result = nagomi.json(
        "wait", number, "--until", "silence", "--silence", "0.3", "--timeout", "20"
    )
    assert result["reason"] == "silence"


def test_wait_ends_with_5_when_its_time_is_over(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    began = time.monotonic()
    nagomi.fails(Exit.TIMEOUT, "wait", number, "--timeout", "0.5")
    assert time.monotonic() - began >= 0.5


def test_wait_for_output_of_a_session_that_ended_fails(nagomi: Commands) -> None:
    number = nagomi.new("exit 0")
    nagomi.ok("wait", number, "--timeout", "20")
    nagomi.fails(Exit.FAILED, "wait", number, "--until", "output", "never", "--timeout", "20")


@pytest.mark.parametrize("command", ["send", "keys", "wait", "capture", "stop", "restart"])
def test_a_session_that_is_not_there_is_code_3(nagomi: Commands, command: str) -> None:
    nagomi.new("cat")
    more = {"send": ["text"], "keys": ["Enter"]}.get(command, [])
    assert "nowhere" in nagomi.fails(Exit.NO_SESSION, command, "nowhere", *more)


def test_wait_is_interrupted_without_a_word(nagomi: Commands) -> None:
    import signal

    number = nagomi.new("cat")
    waiting = subprocess.Popen(
        [*NAGOMI, "wait", number],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=nagomi.env,
    )
    until(lambda: _asleep(waiting.pid))
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=20)
    assert (waiting.returncode, out, err) == (Exit.INTERRUPTED, b"", b"")


def _asleep(pid: int) -> bool:
    """Tell whether the command has its socket open and waits for an answer."""
    import psutil

    process = psutil.Process(pid)
    return bool(process.net_connections(kind="unix")) and process.status() == "sleeping"


def test_wait_ends_with_1_where_the_turn_went_wrong_or_the_session_ended(nagomi: Commands) -> None:
    shell = nagomi.new("bash")
    nagomi.ok("wait", shell, "--until", "idle", "--timeout", "15")
    nagomi.ok("send", shell, "false")
    failed = nagomi.run("wait", shell, "--until", "done", "--timeout", "15")
    assert failed.returncode == 1 and "went wrong" in failed.stderr
    nagomi.ok("send", shell, "exit")
    ended = nagomi.run("wait", shell, "--until", "attention", "--timeout", "15")
    assert ended.returncode == 1 and "ended before" in ended.stderr


@pytest.mark.parametrize(("command", "code"), [("true", 0), ("false", 1)])
def test_a_command_that_has_ended_is_done_with_its_turn(
    nagomi: Commands, command: str, code: int
) -> None:
    made = nagomi.new(f"sleep 0.5; {command}")
    for _ in range(2):
        done = nagomi.run("wait", made, "--until", "done", "--timeout", "15")
        assert done.returncode == code, done.stderr
