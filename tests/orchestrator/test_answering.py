"""Answering from outside: choices, drafts and texts, next actions, corrections; in real terminals."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.api import messages as m
from nagomi_tui.api.client import RequestFailed
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging.corrections import kept
from nagomi_tui.system import paths
from tests.helpers.workplace import create, plain, session, text_of, until, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.api.client import Connection
    from tests.helpers.workplace import Place

DIALOG = r"""
import os, sys, termios, tty
tty.setraw(0)
asks = ["touch a.txt", "rm -rf b"]
rule = "─" * 40
for number, command in enumerate(asks):
    sys.stdout.write("\x1b[2J\x1b[H" + "\r\n".join([
        "● Bash(" + command + ")", rule, " Bash command", "", "   " + command, "",
        " Do you want to proceed?", " ❯ 1. Yes", "   2. Yes, and don't ask again",
        "   3. No", "", " Esc to cancel · Tab to amend", ""]))
    sys.stdout.flush()
    got = os.read(0, 100).decode()
    with open(sys.argv[1], "a") as log:
        log.write(repr(got) + "\n")
sys.stdout.write("\x1b[2J\x1b[H" + ("starting" if sys.argv[3] == "late" else rule + "\r\n❯ " + sys.argv[2]
                 + "\r\n" + rule + "\r\n  ? for shortcuts\r\n"))
sys.stdout.flush()
text = sys.argv[2]
while True:
    got = os.read(0, 1000).decode()
    for char in got:
        text = "" if char == "\r" and sys.argv[3] == "takes" else text + char.strip()
    sys.stdout.write("\x1b[2J\x1b[H" + ("❯ sent\r\n" if not text else "") + rule + "\r\n❯ " + text
                     + "\r\n" + rule + "\r\n  ? for shortcuts\r\n")
    sys.stdout.flush()
"""


@pytest.fixture
def place(shared_place: Place) -> Place:
    """The file's workplace, without sessions."""
    return shared_place


def asks(connection: Connection, session_id: str) -> dict[str, Any]:
    return plain(connection.request(m.Asks(id=0, session=session_id), timeout=30))


def question(connection: Connection, session_id: str, text: str = "") -> dict[str, Any]:
    """Wait until it asks this, and return the question."""

    def look() -> Any:
        found = asks(connection, session_id)["question"]
        return found if found and text in found["text"] + "".join(found["details"]) else None

    found: dict[str, Any] = until(look)
    return found


def answer(connection: Connection, session_id: str, choice: str, question_id: str = "") -> Any:
    order = m.Answer(id=0, session=session_id, choice=choice, question=question_id)
    return plain(connection.request(order, timeout=30))


def like_claude(
    connection: Connection, folder: Path, *, draft: str = "", how: str = "takes"
) -> tuple[str, Path]:
    """Start a program that draws what Claude Code draws, under its name."""
    script, log = folder / "claude.py", folder / "log"
    script.write_text(DIALOG)
    (folder / "claude").write_text(f'#!/bin/sh\nexec python3 {script} "$@"\n')
    (folder / "claude").chmod(0o755)
    command = f"{folder / 'claude'} {log} '{draft}' {how}"
    return create(connection, command, agent="claude"), log


def test_a_choice_is_exactly_its_key_for_the_question_that_stands_there(
    connection: Connection, tmp_path: Path
) -> None:
    made, log = like_claude(connection, tmp_path)
    first = question(connection, made, "touch a.txt")
    assert [choice["key"] for choice in first["choices"]] == ["1", "2", "3"]
    with pytest.raises(RequestFailed, match="none of its choices: 1, 2, 3"):
        answer(connection, made, "7", first["question_id"])
    assert answer(connection, made, "1", first["question_id"])["choice"]["label"] == "Yes"
    question(connection, made, "rm -rf b")
    with pytest.raises(RequestFailed, match="asks something else by now"):
        answer(connection, made, "1", first["question_id"])
    assert log.read_text() == "'1'\n"
    answer(connection, made, "3")
    until(lambda: not asks(connection, made)["question"])
    assert log.read_text() == "'1'\n'3'\n"
    with pytest.raises(RequestFailed, match="asks nothing"):
        answer(connection, made, "1")


def test_texts_are_refused_while_a_choice_or_a_draft_stands_there(
    connection: Connection, tmp_path: Path
) -> None:
    made, log = like_claude(connection, tmp_path, draft="half a thought")
    question(connection, made)
    with pytest.raises(RequestFailed, match=r"Do you want to proceed\?.*--force"):
        connection.request(m.Send(id=0, session=made, text="1"))
    assert not log.exists()
    answer(connection, made, "1")
    question(connection, made, "rm -rf b")
    answer(connection, made, "1")
    until(lambda: asks(connection, made)["draft"] == "half a thought")
    with pytest.raises(RequestFailed, match="“half a thought”.*--force"):
        connection.request(m.Send(id=0, session=made, text="more"))
    assert "more" not in text_of(connection, made)
    forced = m.Send(id=0, session=made, text="more", enter=False, force=True)
    assert connection.request(forced, timeout=30).taken is True
    until(lambda: "half a thoughtmore" in text_of(connection, made))


@pytest.mark.parametrize("how", ["takes", "keeps", "late"])
def test_it_is_seen_whether_a_text_was_taken(
    connection: Connection, tmp_path: Path, how: str
) -> None:
    """An agent that starts late shows its field, and the text in it, only after it was typed."""
    made, _ = like_claude(connection, tmp_path, how=how)
    for command in ("touch a.txt", "rm -rf b"):
        question(connection, made, command)
        answer(connection, made, "1")
    shown = "starting" if how == "late" else "shortcuts"
    until(lambda: not asks(connection, made)["question"] and shown in text_of(connection, made))
    sent = connection.request(m.Send(id=0, session=made, text="hello"), timeout=30)
    assert sent.taken is (how == "takes")


def by_line(connection: Connection, script: str) -> tuple[str, dict[str, Any]]:
    """Start a script that asks on a line, and return its session and question."""
    made = create(connection, f"bash -c {shlex.quote(script)}")
    return made, question(connection, made, "Go on?")


@pytest.fixture
def go(tmp_path: Path) -> Path:
    """A file for which a script waits."""
    return tmp_path / "go"


def until_then(file: Path) -> str:
    """Return what has a script wait for a file."""
    return f"until [ -e {file} ]; do sleep 0.05; done; stty echo; echo; echo goes on"


READ_TWICE = '; read b; echo "[$a][$b]"; sleep 60'


@pytest.mark.parametrize(
    "reads",
    [
        "printf 'Go on? [y/N] '; read a",
        "read -e -p 'Go on? [y/N] ' a",
        "stty -echo; printf 'Go on? [y/N] '; read a; echo",
        "printf 'Go on? [y/N] '; sleep 1; read a",
    ],
    ids=["line", "readline", "no-echo", "later"],
)
def test_a_program_that_reads_a_line_gets_key_and_enter(connection: Connection, reads: str) -> None:
    made, asked = by_line(connection, f"{reads}; echo got=$a; read b; echo more=$b; sleep 60")
    assert asked["by_line"] and asked["default"] == "n"
    assert answer(connection, made, "y", asked["question_id"])["taken"] is True
    wait_for(connection, made, "got=y")
    with pytest.raises(RequestFailed, match="asks nothing"):
        answer(connection, made, "y")
    assert "more=" not in text_of(connection, made)


def test_a_program_that_reads_one_key_gets_no_enter(connection: Connection, go: Path) -> None:
    made, _ = by_line(connection, f"read -n1 -p 'Go on? [y/N] ' a; {until_then(go)}" + READ_TWICE)
    assert answer(connection, made, "y")["taken"]
    go.touch()
    wait_for(connection, made, "goes on")
    connection.request(m.Send(id=0, session=made, text="next", force=True), timeout=30)
    wait_for(connection, made, r"\[y\]\[next\]")


def test_enter_sends_what_is_typed_and_another_choice_is_refused(connection: Connection) -> None:
    made, asked = by_line(connection, "printf 'Go on? [y/N] '; read a" + READ_TWICE)
    connection.request(m.Send(id=0, session=made, text="n", enter=False, force=True), timeout=30)
    until(lambda: question(connection, made)["typed"] == "n")
    with pytest.raises(RequestFailed, match="“n” is typed there already"):
        answer(connection, made, "y", asked["question_id"])
    assert answer(connection, made, "N", asked["question_id"])["taken"]
    connection.request(m.Send(id=0, session=made, text="next"), timeout=30)
    wait_for(connection, made, r"\[n\]\[next\]")


def test_an_answer_that_was_not_taken_yet_is_not_followed_by_another(
    connection: Connection, go: Path
) -> None:
    silent = f"stty -echo; printf 'Go on? [y/N] '; read a; {until_then(go)}"
    made, _ = by_line(connection, silent + READ_TWICE)
    assert answer(connection, made, "y")["taken"] is False
    for choice in ("y", "Enter"):
        with pytest.raises(RequestFailed, match="has not taken the last answer yet"):
            answer(connection, made, choice)
    go.touch()
    wait_for(connection, made, "goes on")
    connection.request(m.Send(id=0, session=made, text="next", force=True), timeout=30)
    wait_for(connection, made, r"\[y\]\[next\]")


def test_of_two_who_answer_at_once_one_is_refused(place: Place, connection: Connection) -> None:
    made, asked = by_line(connection, "printf 'Go on? [y/N] '; read a" + READ_TWICE)
    told: list[str] = []

    def client() -> None:
        with place.connect() as own:
            try:
                told.append("yes" * answer(own, made, "y", asked["question_id"])["taken"])
            except RequestFailed as exc:
                told.append(exc.code)

    clients = [threading.Thread(target=client) for _ in range(4)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    assert sorted(told) == ["refused"] * 3 + ["yes"]
    connection.request(m.Send(id=0, session=made, text="next"), timeout=30)
    wait_for(connection, made, r"\[y\]\[next\]")


MENU = r"""
import os, sys, tty
options, at = ["npm", "yarn", "pnpm"], 0
tty.setcbreak(0)
sys.stdout.write("\x1b[?25l")
while True:
    rows = [("❯ " if at == n else "  ") + option for n, option in enumerate(options)]
    sys.stdout.write("\x1b[2J\x1b[H? Select a package manager\r\n" + "\r\n".join(rows))
    sys.stdout.flush()
    got = os.read(0, 10)
    if got == b"\n":
        break
    at = min(at + (got == b"\x1b[B"), 2)
sys.stdout.write("\x1b[2J\x1b[Htook " + options[at] + "\r\n")
sys.stdout.flush()
os.read(0, 10)
"""


def test_an_arrow_menu_calls_and_is_answered_there_alone(
    connection: Connection, tmp_path: Path
) -> None:
    (tmp_path / "menu.py").write_text(MENU)
    made = create(connection, f"{sys.executable} menu.py", cwd=str(tmp_path))
    until(lambda: session(connection, made)["phase"] == "attention")
    asked = question(connection, made, "Select a package manager")
    assert asked["options"] == ["npm", "yarn", "pnpm"] and asked["choices"] == []
    with pytest.raises(RequestFailed, match="arrow keys"):
        answer(connection, made, "npm", asked["question_id"])
    with pytest.raises(RequestFailed, match="Select a package manager"):
        connection.request(m.Send(id=0, session=made, text="yarn"))
    connection.request(m.Keys(id=0, session=made, keys=("down",)), timeout=30)
    until(lambda: "❯ yarn" in text_of(connection, made))
    assert asks(connection, made)["question"]["question_id"] == asked["question_id"]
    connection.request(m.Keys(id=0, session=made, keys=("enter",)), timeout=30)
    until(lambda: "took yarn" in text_of(connection, made))
    until(lambda: session(connection, made)["phase"] != "attention")


def test_a_line_that_is_the_answer_may_be_sent(connection: Connection) -> None:
    made = create(connection, "sh -c 'printf \"Go on? [y/N] \"; read a; echo got=$a; sleep 60'")
    question(connection, made, "Go on?")
    with pytest.raises(RequestFailed, match="Go on"):
        connection.request(m.Send(id=0, session=made, text="hello"))
    assert connection.request(m.Send(id=0, session=made, text="y"), timeout=30).taken is True
    wait_for(connection, made, "got=y")


@pytest.mark.parametrize("seconds", [0.0, 0.4])
def test_a_line_reaches_who_waited_for_it_though_a_secret_is_asked_for_next(
    connection: Connection, seconds: float
) -> None:
    """Its reader comes to it later, as on a busy machine, and then changes the terminal at once."""
    line = "print(os.getpid(), flush=True); input('Name: '); getpass.getpass()"
    made = create(connection, shlex.join(["python3", "-c", f"import getpass, os; {line}"]))
    until(lambda: session(connection, made)["phase"] == "attention")
    pid = int(text_of(connection, made).split()[0])
    if seconds:
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(seconds, os.kill, (pid, signal.SIGCONT)).start()
    sent = connection.request(m.Send(id=0, session=made, text="a-word", force=True), timeout=30)
    assert sent.taken is not False


def shell(connection: Connection, folder: Path) -> str:
    made = create(connection, "bash --norc -i", cwd=str(folder), env={"PS1": "box:~$ "})
    wait_for(connection, made, r"box:~\$")
    return made


def act(connection: Connection, session_id: str, command: str, **more: Any) -> dict[str, Any]:
    """Run an action as soon as the session can take it."""
    order = m.Act(id=0, session=session_id, command=command, **more)

    def attempt() -> Any:
        try:
            return plain(connection.request(order, timeout=30))
        except RequestFailed as exc:
            if exc.code != "busy":
                raise
        return None

    done: dict[str, Any] = until(attempt)
    return done


@pytest.mark.requirement("N-135")
def test_an_action_is_typed_at_the_shells_prompt(connection: Connection, tmp_path: Path) -> None:
    made = shell(connection, tmp_path)
    done = act(connection, made, "echo it-$((40+2))", sure=True)
    assert (done["session_id"], done["new"], done["risk"]) == (made, False, "high")
    wait_for(connection, made, "^it-42")


@pytest.mark.requirement("NB-20")
def test_the_risk_is_read_from_the_command(connection: Connection, tmp_path: Path) -> None:
    made = shell(connection, tmp_path)
    (tmp_path / "kept").touch()
    for command in ("rm -rf kept", "touch made", "tee kept", "sort -okept /etc/passwd"):
        with pytest.raises(RequestFailed, match="does more than read") as refused:
            act(connection, made, command)
        assert refused.value.code == "risky"
    assert not (tmp_path / "made").exists() and not (tmp_path / "kept").read_text()
    with pytest.raises(RequestFailed, match=r"\\x1b"):
        act(connection, made, "ls \x1b[31m", sure=True)
    assert act(connection, made, "ls")["risk"] == "low"
    wait_for(connection, made, "^kept")


def test_an_action_leaves_a_program_in_front_alone(connection: Connection, tmp_path: Path) -> None:
    made = create(connection, "sleep 60", cwd=str(tmp_path))
    with pytest.raises(RequestFailed, match="not at a shell's prompt") as refused:
        connection.request(m.Act(id=0, session=made, command="ls"))
    assert refused.value.code == "busy"
    (tmp_path / "here").touch()
    done = connection.request(m.Act(id=0, session=made, command="ls", anew=True), timeout=30)
    assert done.new
    until(lambda: "here" in text_of(connection, done.session_id))


def test_an_ended_session_gets_a_new_one_in_its_folder(
    connection: Connection, tmp_path: Path
) -> None:
    made = create(connection, "false", cwd=str(tmp_path))
    until(lambda: session(connection, made)["state"] == "exited")
    done = connection.request(m.Act(id=0, session=made, command="pwd"), timeout=30)
    until(lambda: tmp_path.name in text_of(connection, done.session_id))
    assert session(connection, done.session_id)["cwd"] == str(tmp_path)


def test_a_correction_is_shown_for_the_turn_and_kept_masked(
    connection: Connection, tmp_path: Path
) -> None:
    made = create(connection, "sh -c 'echo password=hunter2hunter2; read a; echo on; sleep 60'")
    wait_for(connection, made, "password")
    connection.request(m.Correct(id=0, session=made, state=State.FAILURE), timeout=30)
    told = asks(connection, made)
    assert told["verdict"]["state"] == "failure"
    assert [ground["source"] for ground in told["evidence_detail"]] == ["user"]
    until(lambda: session(connection, made)["phase"] == "error")
    (found,) = [one for one in kept(paths.corrections_file()) if one.session_id == made]
    assert found.right is State.FAILURE and found.rule
    assert "hunter2" not in json.dumps(found.lines) and any("password=" in x for x in found.lines)
    connection.request(m.Send(id=0, session=made, text=""))
    until(lambda: asks(connection, made)["verdict"]["state"] != "failure")


def test_next_is_whoever_has_waited_longest(connection: Connection) -> None:
    def first() -> Any:
        return connection.request(m.NextWaiting(id=0)).session.session_id

    def asking(name: str) -> str:
        made = create(connection, f"sh -c 'printf \"{name}? [y/N] \"; read a; sleep 60'")
        until(lambda: session(connection, made)["phase"] == "attention")
        return made

    done = create(connection, "true")
    until(lambda: session(connection, done)["waits"])
    assert first() == done
    early = asking("early")
    late = asking("late")
    assert first() == early
    connection.request(m.Stop(id=0, session=early), timeout=40)
    until(lambda: first() == late)


MARKED = r"""
import sys, termios, tty
tty.setraw(0)
mark, log = 1, open(sys.argv[1], "a")
while True:
    rows = ["  Hooks need review", "", "  3 hooks are new. Do you trust them?", ""]
    rows += [f"{'›' if mark == at else ' '} {at}. {word}" for at, word in enumerate(["Review", "Trust all", "Skip"], 1)]
    sys.stdout.write("\x1b[H\x1b[2J" + "\r\n".join([*rows, "", "  Press enter to continue"]))
    sys.stdout.flush()
    key = sys.stdin.read(1)
    if key in "123":
        mark = int(key)
    elif key == "\r":
        break
log.write(f"{mark}\n")
log.flush()
sys.stdout.write("\x1b[H\x1b[2J› \r\n")
sys.stdout.flush()
sys.stdin.read(1)
"""


@pytest.mark.parametrize("key", ["1", "2"])
def test_a_menu_in_which_a_key_only_moves_the_mark_gets_enter_too(
    connection: Connection, tmp_path: Path, key: str
) -> None:
    """So does Codex's dialog about new hooks, which nagomi's own hooks bring up."""
    (tmp_path / "codex.py").write_text(MARKED)
    (tmp_path / "codex").write_text(f'#!/bin/sh\nexec python3 {tmp_path / "codex.py"} "$@"\n')
    (tmp_path / "codex").chmod(0o755)
    made = create(connection, f"{tmp_path / 'codex'} {tmp_path / 'log'}", agent="codex")
    until(lambda: asks(connection, made)["question"])
    assert answer(connection, made, key)["taken"]
    assert (tmp_path / "log").read_text() == f"{key}\n"


def test_a_question_is_read_whole_where_the_screen_has_room_for_its_choices_alone(
    connection: Connection, tmp_path: Path
) -> None:
    frame = ["✦ I make it.", "╭" + "─" * 30 + "╮", *(f"│ {text:<28} │" for text in (
        "? Shell  touch done", "Allow execution of [Shell]?", "", "● 1. Allow once",
        "  2. Allow for this session", "  3. No (esc)",
    ))]  # fmt: skip
    drawn = "\\r\\n".join([*frame, "╰" + "─" * 30 + "╯"])
    script = tmp_path / "gemini"
    script.write_text(f"#!/bin/sh\nstty raw -echo\nprintf '{drawn}'\nsleep 600\n")
    script.chmod(0o755)
    made = create(connection, str(script), agent="gemini", cols=40, rows=5)
    asked = question(connection, made, "Allow execution")
    assert asked["details"] == ["? Shell touch done"] and asked["choices"][0]["key"] == "1"
    summary = "Allow execution of [Shell]? · ? Shell touch done"
    until(lambda: session(connection, made)["summary"] == summary)
