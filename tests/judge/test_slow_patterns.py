"""Rules of the user's own whose patterns take too long: named, left out, and nobody waits."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge import loading, patterns
from nagomi_tui.judge.evidence import View
from nagomi_tui.judge.loading import limited
from nagomi_tui.judge.screen_rules import read_screen
from tests.helpers.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.judge.loading import Loaded

TEMPTING = "a" * 44 + "!"


def rules(folder: Path, slow: str, sample: str = "") -> Path:
    """Write a user's folder with a slow rule, and a sound one behind it."""
    (folder / "agents").mkdir()
    (folder / "agents" / "mine.toml").write_text(f"""
name = "mine"
kind = "program"
commands = ["tempt"]
[[rule]]
name = "slow"
says = "waits"
priority = 900
[rule.when]
all = ['{slow}']
{f'[[rule.sample]]{chr(10)}screen = "{sample}"' if sample else ""}
[[rule]]
name = "sound"
says = "waits"
priority = 800
[rule.when]
all = ['^a+!$']
not = ['^(b+)+$']
""")
    return folder


@pytest.fixture(autouse=True)
def nothing_untold() -> None:
    patterns.take_given_up()


@pytest.mark.parametrize(
    "slow", ["^(a+)+$", "(a|a)*$", "(?:a*)*?b", "(.*)*b", "(?P<n>a+)(?P=n)*?(a+)+c"]
)
def test_a_slow_pattern_is_given_up_and_the_others_go_on(tmp_path: Path, slow: str) -> None:
    loaded = loading.load(rules(tmp_path, slow))
    assert not loaded.problems
    manifest = next(one for one in loaded.book.manifests if one.name == "mine")
    view = View(at=0.0, rows=(TEMPTING,))
    began = time.thread_time()
    said = read_screen(manifest, view)
    assert time.thread_time() - began < 1.0
    assert said is not None and said.rule == "mine:sound"
    assert patterns.take_given_up() == [slow]
    began = time.thread_time()
    assert read_screen(manifest, View(at=1.0, rows=(TEMPTING, ""))) is not None
    assert time.thread_time() - began < 0.05, "it is not tried again"


def test_a_rule_does_not_hold_by_what_nobody_knows() -> None:
    from nagomi_tui.judge.questions import Condition

    patterns.watch(["^(q+)+$"], limited)
    assert not Condition(any=("!$",), none=("^(q+)+$",)).holds("q" * 44 + "!")


def test_a_thread_tries_them_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_TRIAL_SECONDS", PATIENCE)
    user = rules(tmp_path, "^(a+)+e$", TEMPTING)
    found: list[Loaded] = []
    beats = 0
    thread = threading.Thread(target=lambda: found.append(loading.load(user)))
    thread.start()
    while thread.is_alive():
        time.sleep(0.01)
        beats += 1
    assert beats > 5, "the interpreter is free meanwhile"
    (problem,) = found[0].problems
    assert "mine.toml: rule slow is left out" in str(problem)
    assert patterns.take_given_up() == ["^(a+)+e$"]


def test_what_others_compute_is_not_taken_for_a_slow_search() -> None:
    stop = threading.Event()

    def work() -> None:
        import hashlib

        while not stop.is_set():
            hashlib.sha256(bytes(1 << 20))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200):
            assert limited(lambda: re.search("b$", "a" * 20000 + "b"))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_fault_of_the_search_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError):
        limited(lambda: 1 / 0)
    time.sleep(0.2)
    assert limited(lambda: 3) == 3
