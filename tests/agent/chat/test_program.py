"""nagomi chat on real terminals, over a conversation by script."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.helpers.bare_terminal import BareTerminal
from tests.helpers.outer import Outer
from tests.helpers.tree import ROOT
from tests.helpers.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PROGRAM: Final = (sys.executable, "-m", "tests.helpers.scripted_talk")
END: Final = {"type": "turn_ended", "outcome": "done"}
ASKS: Final = {
    "type": "question", "id": "q1", "tool": "write_file", "title": "write notes.md",
    "detail": "-old\n+new", "risk": "medium",
}  # fmt: skip
QUESTION: Final = "o once"


def says(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


class Script:
    """A program over turns by script, in a folder of its own."""

    def __init__(self, folder: Path, *turns: list[dict[str, Any]], **env: str) -> None:
        self.log = folder / "log"
        self.log.touch()
        self.history = folder / "history.jsonl"
        self.env = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT), "SCRIPTED_TALK": json.dumps(turns),
            "SCRIPTED_TALK_LOG": str(self.log), **env,
        }  # fmt: skip

    def outer(self, cols: int = 80, rows: int = 24) -> Outer:
        return Outer([*PROGRAM], self.env, cols=cols, rows=rows)

    def bare(self, cols: int = 80, rows: int = 24) -> BareTerminal:
        return BareTerminal([*PROGRAM], self.env, cols=cols, rows=rows)

    def told(self) -> list[dict[str, str]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def marks(data: bytes) -> list[str]:
    return re.findall(r"\x1b\]133;([^\x07]*)\x07", data.decode())


def prompt(terminal: BareTerminal, times: int) -> None:
    """Wait until the n-th prompt is drawn."""
    until(lambda: terminal.read_for(0.05).count(b"133;B") >= times)


@pytest.mark.requirement("F-11")
def test_each_prompt_line_and_answer_is_marked_once(tmp_path: Path) -> None:
    """In order, also where the prompt is drawn anew, is empty, or shows a menu."""
    failed = {"type": "turn_ended", "outcome": "failed", "text": "It broke off."}
    script = Script(tmp_path, [says("hi"), END], [failed], [says("half"), {"sleep": 60}])
    with script.bare() as terminal:
        prompt(terminal, 1)
        terminal.type(b"a\x0c\x0cb\x7fc\x0c\r")
        prompt(terminal, 2)
        terminal.type(b"fails\r")
        prompt(terminal, 3)
        terminal.type(b"stops\r")
        terminal.wait(b"half")
        terminal.type(b"\x03")
        prompt(terminal, 4)
        terminal.type(b"/\x1b")
        terminal.wait(b"context")
        terminal.type(b"\x03/list\r")
        prompt(terminal, 5)
        terminal.type(b"/nothing\r")
        prompt(terminal, 6)
        terminal.type(b"\r")
        prompt(terminal, 7)
    assert marks(terminal.got) == [
        "A", "B", "C", "D;0", "A", "B", "C", "D;1", "A", "B", "C", "D;130",
        "A", "B", "C", "D;0", "A", "B", "C", "D;1", "A", "B", "A", "B",
    ]  # fmt: skip


@pytest.mark.requirement("F-11")
def test_a_mark_ends_right_before_the_input(tmp_path: Path) -> None:
    with Script(tmp_path).bare() as terminal:
        prompt(terminal, 1)
        terminal.read_for(0.3)
    before, _, after = terminal.got.partition(b"\x1b]133;B\x07")
    assert re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]", b"", before).endswith("❯".encode())
    assert re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", after).startswith(b" ")


@pytest.mark.parametrize(("cols", "rows"), [(80, 24), (24, 10), (200, 50)])
def test_an_answer_is_streamed_and_then_rendered(tmp_path: Path, cols: int, rows: int) -> None:
    turn = [says("Some **bo"), {"sleep": 0.7}, says("ld**\n\n"), {"sleep": 0.4}, END]
    with Script(tmp_path, turn).outer(cols, rows) as outer:
        outer.wait("❯")
        outer.type("hello")
        outer.keys("Enter")
        outer.wait("Some **bo")
        outer.wait(lambda shown: "Some bold" in shown and shown.count("❯") == 2)


def test_ctrl_c_ends_a_turn_and_keeps_what_came(tmp_path: Path) -> None:
    script = Script(tmp_path, [says("half an answer"), {"sleep": 60}], [says("whole"), END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("first")
        outer.keys("Enter")
        outer.wait("half an answer")
        outer.keys("C-c")
        shown = outer.wait("Ended here; what came is kept.")
        assert "half an answer" in shown
        outer.type("second")
        outer.keys("Enter")
        outer.wait("whole")
    assert {"left": "CancelledError"} in script.told()


def test_the_prompt_does_not_wait_for_the_agent(tmp_path: Path) -> None:
    """What is typed meanwhile is kept, and a whole line is said once somebody is there."""
    script = Script(tmp_path, [says("at last"), END], SCRIPTED_TALK_LATE="3")
    with script.outer() as outer:
        outer.wait(lambda shown: "the agent is being reached" in shown and "❯" in shown)
        outer.type("half")
        outer.wait("initial · calm")
        outer.type(" and half")
        outer.wait("❯ half and half")
        outer.keys("Enter")
        outer.wait("at last")
    script = Script(
        tmp_path, [says("at last"), END], SCRIPTED_TALK_LATE="3", SCRIPTED_TALK_LAST="1"
    )
    with script.bare() as terminal:
        prompt(terminal, 1)
        terminal.type(b"early\r")
        terminal.wait(b"at last")
        prompt(terminal, 2)
    assert marks(terminal.got) == ["A", "B", "C", "D;0", "A", "B"]
    assert script.told()[-1] == {"said": "early"}
    assert b"A drink" not in terminal.got, "old words would stand below the new ones"


def test_ctrl_c_gives_up_a_line_that_waits_for_the_agent(tmp_path: Path) -> None:
    with Script(tmp_path, SCRIPTED_TALK_LATE="60").bare() as terminal:
        prompt(terminal, 1)
        terminal.type(b"early\r")
        terminal.wait(b"133;C")
        terminal.read_for(0.3)
        terminal.type(b"\x03")
        prompt(terminal, 2)
        terminal.type(b"exit\r")
        until(lambda: not _lives(terminal))
    assert marks(terminal.got)[:6] == ["A", "B", "C", "D;130", "A", "B"]


@pytest.mark.parametrize("typed", ["", "early\r"])
def test_an_agent_that_cannot_be_reached_is_told_under_the_prompt(
    tmp_path: Path, typed: str
) -> None:
    script = Script(
        tmp_path, SCRIPTED_TALK_LATE="1", SCRIPTED_TALK_FAULT="There is no such conversation."
    )
    with script.bare() as terminal:
        prompt(terminal, 1)
        terminal.type(typed.encode())
        terminal.wait(b"There is no such conversation.")
        until(lambda: not _lives(terminal))


def test_a_notice_stands_under_the_prompt_until_the_first_line(tmp_path: Path) -> None:
    sentence = (
        "Nothing is sent to a model before you agree to it: set `llm_consent` in the settings."
    )
    script = Script(tmp_path, [says("ok"), END], SCRIPTED_TALK_NOTICE=f"{sentence}\nAnd more.")
    with script.outer(60) as outer:
        outer.wait(lambda shown: sentence in " ".join(shown.split()) and "And more." in shown)
        outer.type("hello")
        outer.keys("Enter")
        outer.wait(lambda shown: "ok" in shown and "And more." not in shown)


def test_ctrl_c_at_the_prompt_clears_the_line(tmp_path: Path) -> None:
    with Script(tmp_path).outer() as outer:
        outer.wait("❯")
        outer.type("nothing of it")
        outer.wait("❯ nothing of it")
        outer.keys("C-c")
        shown = outer.wait("❯ Ask about your sessions")
        assert shown.count("❯") == 1
        outer.keys("C-d")
        outer.wait("[left 0]")


def test_a_turn_that_fails_says_why_and_how_it_is_repeated(tmp_path: Path) -> None:
    failed = {"type": "turn_ended", "outcome": "failed", "text": "The server broke off."}
    script = Script(
        tmp_path, [says("x"), failed], [{"fault": "The agent has gone."}], [says("done"), END]
    )
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("please")
        outer.keys("Enter")
        outer.wait("The server broke off.")
        outer.wait("/retry says it again.")
        outer.type("/retry")
        outer.keys("Enter")
        outer.wait("The agent has gone.")
        outer.type("/retry")
        outer.keys("Enter")
        outer.wait("done")
    assert [told["said"] for told in script.told() if "said" in told] == ["please"] * 3


def test_a_line_that_met_an_agent_which_had_gone_is_said_again_once(tmp_path: Path) -> None:
    gone = [{"gone": "The agent has gone."}]
    script = Script(tmp_path, gone, [says("first answer"), END], gone, gone, [says("second"), END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("one")
        outer.keys("Enter")
        assert "The agent has gone." not in outer.wait("first answer")
        outer.type("two")
        outer.keys("Enter")
        outer.wait("The agent has gone.")
        outer.type("three")
        outer.keys("Enter")
        outer.wait("second")
    said = [told["said"] for told in script.told() if "said" in told]
    assert said == ["one", "one", "two", "two", "three"]


def test_what_was_answered_in_part_is_not_said_again(tmp_path: Path) -> None:
    half = [says("half of it"), {"gone": "The agent has gone."}]
    script = Script(tmp_path, half, [says("other"), END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("one")
        outer.keys("Enter")
        outer.wait("The agent has gone.")
    assert [told["said"] for told in script.told() if "said" in told] == ["one"]


def test_one_key_answers_a_question(tmp_path: Path) -> None:
    for key, choice in (
        ("o", "once"),
        ("c", "conversation"),
        ("n", "no"),
        ("Enter", "no"),
        ("Escape", "no"),
        ("ｏ", "once"),
    ):
        folder = tmp_path / str(ord(key[0]) + len(key))
        folder.mkdir()
        script = Script(folder, [ASKS | {"scope": "all of it"}, says("so"), END])
        with script.outer() as outer:
            outer.wait("❯")
            outer.type("go")
            outer.keys("Enter")
            shown = outer.wait(QUESTION)
            assert "? write notes.md" in shown and "+new" in shown
            while not any("choice" in told for told in script.told()):
                outer.keys(key)
                time.sleep(0.8)
            outer.wait("so")
        assert {"question": "q1", "choice": choice} in script.told()


def test_what_was_typed_before_a_question_does_not_answer_it(tmp_path: Path) -> None:
    """It waits for the prompt, as what is typed while a program runs does."""
    script = Script(tmp_path, [{"sleep": 1.5}, ASKS, END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("go")
        outer.keys("Enter")
        outer.wait("Ctrl+C ends the turn")
        outer.type("o")
        outer.type("c")
        outer.wait(QUESTION)
        time.sleep(1.5)
        assert not any("choice" in told for told in script.told())
        outer.keys("n")
        outer.wait("❯ oc")
    assert {"question": "q1", "choice": "no"} in script.told()


@pytest.mark.parametrize("bracketed", [True, False])
def test_what_is_pasted_does_not_answer_a_question(tmp_path: Path, bracketed: bool) -> None:
    script = Script(tmp_path, [ASKS, END])
    with script.bare() as terminal:
        prompt(terminal, 1)
        terminal.type(b"go\r")
        terminal.wait(QUESTION.encode())
        terminal.read_for(0.6)
        terminal.type(b"\x1b[200~o\x1b[201~" if bracketed else b"once")
        terminal.read_for(1.0)
        assert not any("choice" in told for told in script.told())
        terminal.type(b"n")
        until(lambda: {"question": "q1", "choice": "no"} in script.told())


def test_typing_on_when_a_question_comes_does_not_answer_it(tmp_path: Path) -> None:
    script = Script(tmp_path, [ASKS, END])
    with script.bare() as terminal:
        prompt(terminal, 1)
        terminal.type(b"go\r")
        terminal.wait(QUESTION.encode())
        for letter in b"only to show":
            terminal.type(bytes([letter]))
            terminal.read_for(0.06)
        terminal.read_for(0.8)
        assert not any("choice" in told for told in script.told())
        terminal.type(b"o")
        until(lambda: {"question": "q1", "choice": "once"} in script.told())


def test_ctrl_c_at_a_question_ends_the_turn(tmp_path: Path) -> None:
    script = Script(tmp_path, [ASKS, says("never"), END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("go")
        outer.keys("Enter")
        outer.wait(QUESTION)
        outer.keys("C-c")
        shown = outer.wait("Ended here")
        assert "never" not in shown
    assert not any("choice" in told for told in script.told())


def test_several_lines_are_one_message(tmp_path: Path) -> None:
    script = Script(tmp_path, [says("ok"), END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("one")
        outer.keys("M-Enter")
        outer.type("two")
        outer.keys("Escape", "Enter")
        outer.paste("three\nfour")
        outer.wait("four")
        outer.keys("Enter")
        outer.wait("ok")
    assert script.told()[0] == {"said": "one\ntwo\nthree\nfour"}


def test_commands_labels_and_files_are_completed(tmp_path: Path) -> None:
    (tmp_path / "notes-of-today.md").touch()
    with Script(tmp_path).outer() as outer:
        outer.wait("❯")
        outer.type("/sw")
        outer.wait("/switch")
        outer.keys("Tab")
        outer.type(" my")
        outer.wait("my-project")
        outer.keys("Tab", "Enter")
        outer.wait("my-project · calm")
        outer.type("read @~/notes")
        outer.wait("notes-of-today.md")


@pytest.mark.requirement("W-28")
def test_the_prompt_shows_what_is_left_of_work_mode(tmp_path: Path) -> None:
    with Script(tmp_path).outer() as outer:
        outer.wait("❯")
        outer.type("／ｗｏｒｋ　５")
        outer.keys("Enter")
        outer.wait("Understood. Work mode is on; answers left: 5.")
        outer.wait("initial · calm · claude-test · work mode: 5 left")


@pytest.mark.requirement("SB-21")
def test_an_unknown_command_and_a_bare_word(tmp_path: Path) -> None:
    script = Script(tmp_path)
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("/contxt")
        outer.keys("Enter")
        outer.wait("Was /context meant?")
        outer.type("exit")
        outer.keys("Enter")
        outer.wait("[left 0]")
    assert not any("said" in told for told in script.told())


def test_the_history_is_private_masked_and_found_again(tmp_path: Path) -> None:
    script = Script(tmp_path, [END], [END])
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for _ in range(2):
        with script.outer() as outer:
            outer.wait("❯")
            outer.type(f"my token is {secret}")
            outer.keys("Enter")
            outer.wait(lambda shown: shown.count("❯") == 2)
    assert stat.S_IMODE(script.history.stat().st_mode) == 0o600
    assert secret not in script.history.read_text()
    with script.outer() as outer:
        outer.wait("❯")
        outer.keys("C-r")
        outer.type("token")
        outer.wait("my token is ***REDACTED***")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("running", [True, False])
def test_a_signal_ends_it_and_the_terminal_is_as_before(
    tmp_path: Path, number: int, running: bool
) -> None:
    script = Script(tmp_path, [says("half"), {"sleep": 60}])
    with script.bare() as terminal:
        before = termios.tcgetattr(terminal.fd)
        prompt(terminal, 1)
        if running:
            terminal.type(b"go\r")
            terminal.wait(b"half")
        assert termios.tcgetattr(terminal.fd) != before
        os.kill(terminal.pid, number)
        until(lambda: not _lives(terminal))
        assert termios.tcgetattr(terminal.fd) == before
    assert terminal.got.count(b"\x1b[?2004h") == terminal.got.count(b"\x1b[?2004l")
    assert not running or {"left": "CancelledError"} in script.told()


def _lives(terminal: BareTerminal) -> bool:
    terminal.read_for(0.05)
    with open(f"/proc/{terminal.pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def test_no_color_shows_no_colour(tmp_path: Path) -> None:
    with Script(
        tmp_path, [says("`x`\n\n```py\nimport x\n```\n"), END], NO_COLOR="1"
    ).bare() as terminal:
        prompt(terminal, 1)
        terminal.type(b"go\r")
        prompt(terminal, 2)
        terminal.type(b"/context\r")
        prompt(terminal, 3)
    colours = {
        code
        for found in re.findall(rb"\x1b\[([0-9;]*)m", terminal.got)
        for code in found.split(b";")
    }
    assert not [code for code in colours if code and int(code) >= 30 and int(code) not in (39, 49)]


def once(script: Script, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, text], env=script.env, capture_output=True, text=True, timeout=60, cwd=ROOT
    )


def test_once_prints_the_answer_as_plain_text(tmp_path: Path) -> None:
    done = once(Script(tmp_path, [says("Some **bold**\n"), says("日本語"), END]), "hi")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Some **bold**\n日本語\n", "")


def test_once_answers_no_and_says_so(tmp_path: Path) -> None:
    script = Script(tmp_path, [ASKS, says("not done"), END])
    done = once(script, "hi")
    assert {"question": "q1", "choice": "no"} in script.told()
    assert done.stderr.startswith("write notes.md: not done, since nobody is asked here")


@pytest.mark.parametrize(("outcome", "code"), [("failed", 1), ("cancelled", 130)])
def test_once_ends_as_the_turn_did(tmp_path: Path, outcome: str, code: int) -> None:
    ended = {"type": "turn_ended", "outcome": outcome, "text": "why"}
    assert once(Script(tmp_path, [says("x"), ended]), "hi").returncode == code


def test_japanese_is_spoken_where_it_is_asked_for(tmp_path: Path) -> None:
    with Script(tmp_path, [ASKS, END], NAGOMI_LANG="ja").outer() as outer:
        outer.wait("つくりのことを何でもどうぞ")
        outer.type("お願い")
        outer.keys("Enter")
        outer.wait("今回だけ")


def test_what_is_typed_while_it_works_is_shown_and_sent_after_it(tmp_path: Path) -> None:
    script = Script(tmp_path, [{"sleep": 2.0}, says("first"), END], [says("second"), END])
    with script.outer() as outer:
        outer.wait("❯")
        outer.type("one")
        outer.keys("Enter")
        outer.wait("1 s · Ctrl+C ends the turn")
        outer.type("twoo")
        outer.keys("BSpace")
        outer.wait("❯ two")
        outer.keys("Enter")
        outer.wait("❯ two⏎")
        outer.wait("second")
        outer.wait(lambda seen: "⏎" not in seen and "Ctrl+C" not in seen, what="no footer")
    assert [told["said"] for told in script.told() if "said" in told] == ["one", "two"]


def test_stages_and_what_is_done_by_a_grant_are_lines_of_their_own(tmp_path: Path) -> None:
    stage = {"type": "stage", "text": "… the server is overloaded or down; again in 9 s"}
    acted = {"type": "acted", "title": "Type into 20 coder", "detail": "please run the tests"}
    with Script(tmp_path, [stage, acted, says("Done."), END]).outer() as outer:
        outer.wait("❯")
        outer.type("go")
        outer.keys("Enter")
        shown = outer.wait("Done.").splitlines()
    assert [line for line in shown if line.startswith(("…", "→", "  please"))] == [
        "… the server is overloaded or down; again in 9 s",
        "→ Type into 20 coder (as you allowed: /grants)",
        "  please run the tests",
    ]


def test_a_grant_s_scope_is_beside_its_key_and_without_one_there_is_none(tmp_path: Path) -> None:
    scoped = ASKS | {"scope": "all texts to 20 coder", "again": "Asked again, since it has read x"}
    with Script(tmp_path, [scoped, END], [ASKS, END]).outer() as outer:
        outer.wait("❯")
        outer.type("go")
        outer.keys("Enter")
        assert "Asked again" in outer.wait("o once · c all texts to 20 coder · n no")
        time.sleep(0.8)
        outer.keys("c")
        outer.wait("→ yes: all texts to 20 coder")
        outer.type("again")
        outer.keys("Enter")
        outer.wait("o once · n no (Enter: no)")
        time.sleep(0.8)
        outer.keys("c")
        time.sleep(0.8)
        outer.keys("n")
        outer.wait("→ no")


def test_commands_are_listed_with_a_sentence_each(tmp_path: Path) -> None:
    with Script(tmp_path).outer() as outer:
        outer.wait("❯")
        outer.type("/")
        outer.wait("/list     list the conversations, the latest first")


def test_the_last_words_are_shown_where_one_goes(tmp_path: Path) -> None:
    with Script(tmp_path).outer() as outer:
        outer.wait("❯")
        outer.type("/switch my-p")
        outer.keys("Enter")
        shown = outer.wait("A drink.")
        assert "❯ What is **tea**?" in shown


def test_lines_are_broken_between_words(tmp_path: Path) -> None:
    words = "a sentence of many words that has to be broken somewhere or other " * 3
    notice = {"type": "notice", "text": words}
    with Script(tmp_path, [notice, says("Well."), END]).outer() as outer:
        outer.wait("❯")
        outer.type("go")
        outer.keys("Enter")
        shown = outer.wait("Well.")
    assert set(" ".join(shown.split()).split()) >= set(words.split())
    assert all(
        line.split()[0] in words.split() for line in shown.splitlines() if "sentence" in line
    )
