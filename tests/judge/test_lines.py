"""Single lines of output: what alarms and what does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nagomi_tui.judge import line_rules
from tests.helpers.judge_story import BOOK

PROFILE = BOOK.profile

HARMLESS = [
    '"test": "echo \\"Error: no test specified\\" && exit 1"',
    "0 errors, 0 warnings", "5 passed, 0 failed in 1s", "no error", "error_handler.py updated",
    "test_timeout PASSED", "ErrorBoundary.tsx", "failed: 0", "Found 0 exceptions",
    "raise ValueError in docs", "cannot be blank (validation added)", "--timeout 30",
    "I fixed the error", "fix the error", "INFO  error handling initialised",
    "3 files checked: 0 errors, 0 failed, 0 warnings", "INFO  retry on failure: enabled",
    "DEBUG no exception handlers registered", "retrying after timeout=30s", "errors=0",
    "cc -Werror -c error.c -o error.o", "src/errors/index.ts", "checking failed_jobs.py",
    "tests/test_error.py ....  [100%]", "2026-11-21 10:00:01 INFO error reporting is on",
    "without errors", "completed with no failures", "Compiling thiserror v1.0.50",
]  # fmt: skip

FAILURES = [
    "fatal: not a git repository (or any of the parent directories): .git", "npm ERR! code 1",
    "npm error code ENOENT", "Killed", "エラーが発生しました", "処理に失敗しました",
    "bash: nosuchcommand: command not found", "cat: x: No such file or directory",
    "E       assert False", "Traceback (most recent call last):", "main.c:3:17: error: expected ';'",
    "1 failed, 2 passed in 3.05s", "FAILED test_a.py::test_two - AssertionError",
    "ValueError: bad", "Segmentation fault (core dumped)", "make: *** [Makefile:2: all] Error 1",
    "CONFLICT (content): Merge conflict in f", "ERROR worker 1: retrying",
    "Error: listen EADDRINUSE: address already in use :::3000", "./x.sh: Permission denied",
    "error: no such target",
    "API Error: 500 boom.", "thread 'main' panicked at 'x': error: no", "Aborted.",
    "2 errors generated.", "error[E0382]: borrow of moved value", "curl: (7) Failed to connect",
    "/usr/bin/ocaml: unknown option '-e'.",
    "E: Could not get lock /var/lib/dpkg/lock-frontend.",
    'Exception: exec: "nope": executable file not found in $PATH',
]  # fmt: skip


@pytest.mark.parametrize("line", HARMLESS)
@pytest.mark.requirement("NB-5")
def test_words_that_only_look_like_errors_say_nothing(line: str) -> None:
    assert line_rules.read_line(PROFILE, line) is None


@pytest.mark.parametrize("line", FAILURES)
@pytest.mark.requirement("NB-5")
def test_failures_are_seen_for_what_they_are(line: str) -> None:
    hit = line_rules.read_line(PROFILE, line)
    assert hit is not None
    assert hit.sure


@pytest.mark.parametrize(
    "line", ["1 exception", "the panic button", "a TIMEOUT was seen", "cannot"]
)
@pytest.mark.requirement("N-76")
def test_the_words_of_the_spec_alone_make_a_line_suspicious(line: str) -> None:
    hit = line_rules.read_line(PROFILE, line)
    assert hit is not None
    assert not hit.sure


@pytest.mark.requirement("NB-5")
def test_a_zero_beside_a_real_error_hides_nothing() -> None:
    assert line_rules.read_line(PROFILE, "0 warnings, 2 errors") is not None


@pytest.mark.requirement("N-78")
def test_sure_and_later_lines_make_the_summary() -> None:
    spoken = ("cannot say", "ValueError: one", "ok", "KeyError: two", "TypeError: three")
    assert line_rules.telling(PROFILE, spoken) == "KeyError: two / TypeError: three"


@pytest.mark.requirement("N-78")
def test_the_reason_is_what_failed_and_not_how_much_of_it() -> None:
    """Outputs of build tools, test runners and others, with what a reader would tell of each."""
    outputs = Path(__file__).with_name("reasons.jsonl").read_text().splitlines()
    for one in map(json.loads, outputs):
        lines = tuple(one["text"].rstrip("\n").split("\n"))
        told = line_rules.telling(PROFILE, lines, lines, one.get("command", ""))
        assert told == one["told"], one["program"]


@pytest.mark.requirement("N-78")
def test_a_level_that_is_one_letter_is_told_from_a_label() -> None:
    spoken = ("N: Ignoring a file", "W: It is old", "E: No lock", "N: Be aware of that")
    assert line_rules.telling(PROFILE, spoken, spoken, "apt-get remove x") == "E: No lock"


@pytest.mark.requirement("N-78")
def test_a_line_that_announces_the_next_is_no_summary() -> None:
    spoken = ("Traceback (most recent call last):", "KeyError: two")
    assert line_rules.telling(PROFILE, spoken) == "KeyError: two"
    assert line_rules.telling(PROFILE, spoken[:1]) == spoken[0]


@pytest.mark.requirement("N-78")
def test_what_make_stops_for_is_the_last_line_above() -> None:
    stops = ("make[1]: *** [sub:2: x] Error 7", "make: *** [Makefile:4: all] Error 2")
    spoken = ("step one", "deploy: the bucket is gone", "", *stops)
    assert line_rules.telling(PROFILE, spoken) == f"{spoken[1]} / {stops[1]}"
    assert line_rules.telling(PROFILE, stops) == " / ".join(stops)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("===== 1 failed in 0.11s =====", "1 failed in 0.11s"),
        ("____ ERROR at setup of test_y ____", "ERROR at setup of test_y"),
        ("error: --- is no option", "error: --- is no option"),
        (
            "!!!!! Interrupted: 1 error during collection !!!!!",
            "Interrupted: 1 error during collection",
        ),
        ("build failed!!!", "build failed!!!"),
        ("=====", "====="),
    ],
)
@pytest.mark.requirement("N-78")
def test_rules_beside_words_are_no_part_of_the_summary(line: str, told: str) -> None:
    assert line_rules.telling(PROFILE, (line,), (line,)) == told


@pytest.mark.requirement("N-78")
def test_a_summary_has_at_most_120_characters() -> None:
    assert len(line_rules.telling(PROFILE, ("ValueError: " + "長" * 300,))) == 120


@pytest.mark.requirement("N-73")
def test_only_the_tail_is_read() -> None:
    spoken = ("ValueError: old", *["fine"] * PROFILE.tail_lines)
    assert line_rules.hits(PROFILE, spoken) == ()


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("Continue? [y/N] ", True),
        ("Password: ", True),
        ("rm: remove regular empty file 'a'? ", True),
        ("続けますか? [y/N]: ", True),
        ("package name: (box) ", True),
        ("#? ", True),
        (">>> ", False),
        ("(gdb) ", False),
        ("In [1]: ", False),
        ("downloading 34%", False),
        ("", False),
    ],
)
def test_a_question_is_told_from_a_prompt_at_rest(line: str, asks: bool) -> None:
    assert line_rules.asks(PROFILE, line) is asks


@pytest.mark.parametrize(
    ("line", "broken_off"),
    [("^C", True), ("^CTraceback (most recent call last):", True), ("waiting^C", True),
     ("Press ^C at any time to quit.", False)],
)  # fmt: skip
@pytest.mark.requirement("NB-18")
def test_the_echo_of_ctrl_c_is_an_interruption(line: str, broken_off: bool) -> None:
    assert line_rules.interrupted(PROFILE, (line,)) is broken_off


@pytest.mark.parametrize(
    ("command", "output", "failed"),
    [
        ("$ grep -c x words.txt", ("0",), True),
        ("$ grep x words.txt", (), True),
        ("$ grep x words.txt", ("ax",), False),
        ("$ grep x words.txt | wc -l", ("0",), False),
        ("$ diff a b", ("1c1",), True),
        ("$ diff a b", (), False),
        ("$ ls", (), False),
        ("$ grep -q x words.txt", (), False),
        ("$ false", (), True),
        ("$ echo so; false", ("so",), True),
        ("$ (exit 3)", (), True),
        ("$ echo false", ("false",), False),
        ("$ true || false", (), False),
    ],
)
def test_silence_of_some_programs_tells_their_status(
    command: str, output: tuple[str, ...], failed: bool
) -> None:
    assert bool(line_rules.failed_silently(PROFILE, command, output)) is failed


@pytest.mark.parametrize(
    ("command", "output", "untold"),
    [
        ("$ test -f a", (), True),
        ("$ [ -f a ]", (), True),
        ("user@box:~ $ [[ a == b ]]", (), True),
        ("$ grep -q a b", (), True),
        ("$ grep -q a b", ("grep: b: No such file",), False),
        ("$ test -f a && echo b", (), False),
        ("$ make test", (), False),
        ("$ pytest test a", (), False),
    ],
)
@pytest.mark.requirement("N-77")
def test_what_only_a_status_could_tell_is_not_called_a_success(
    command: str, output: tuple[str, ...], untold: bool
) -> None:
    assert line_rules.tells_nothing(PROFILE, command, output) is untold


@pytest.mark.parametrize(("seconds", "reached"), [(5.0, True), (5.2, True), (3.0, False)])
def test_a_time_limit_that_was_reached_is_a_failure(seconds: float, reached: bool) -> None:
    assert bool(line_rules.ran_out_of_time(PROFILE, "$ timeout 5 make", seconds)) is reached


def test_a_turn_that_is_asked_about_again_is_not_read_again() -> None:
    spoken = tuple(f"line {number} of a long build" for number in range(80))
    assert line_rules.hits(PROFILE, spoken) is line_rules.hits(PROFILE, tuple(list(spoken)))


@pytest.mark.parametrize("piece", ["a", "/x", "_", "[(", "1 ", "no ", '"\\'])
def test_a_hostile_line_is_read_only_so_far(piece: str) -> None:
    hostile = piece * 20_000 + " ValueError: bad"
    assert line_rules.read_line(PROFILE, hostile) is None
    assert not line_rules.is_shell_prompt(PROFILE, hostile)


@pytest.mark.requirement("N-51")
def test_a_failure_deep_in_a_long_line_is_found_and_told_with_what_was_left_out() -> None:
    line = "step " * 60 + "ERROR: could not connect to the database server at db.example.com"
    hit = line_rules.read_line(PROFILE, line)
    assert hit is not None and hit.sure
    assert "ERROR: could not connect" in hit.line
    assert hit.line.startswith("… ")
    assert line_rules.read_line(PROFILE, "step " * 200) is None


@pytest.mark.parametrize(
    ("count", "follows"), [("0", True), ("00", True), ("7", False), ("9" * 5000, False)]
)
def test_a_tally_that_finds_no_failure_ends_what_was_said_before(count: str, follows: bool) -> None:
    """A number of more digits than Python reads is one, too."""
    lines = ("Error: it is tried again", f"5 passed, failed={count}", "done")
    profile = line_rules.Profile(tallies=(r"\bpassed\b",))
    assert line_rules.after_tally(profile, lines) == (lines[1:] if follows else lines)
