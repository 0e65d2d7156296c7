"""`next`, `answer`, `act` and `correct` as their users run them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.helpers.waiting import until

if TYPE_CHECKING:
    from tests.helpers.command import Commands

ASKS = "printf 'Go on? [y/N] '; read a; echo got=$a; sleep 60"


def test_nobody_waits(nagomi: Commands) -> None:
    nagomi.new("sleep", "60")
    assert nagomi.run("next").returncode == 3
    assert nagomi.run("next", "--json").stdout == "null\n"


def test_a_question_is_shown_and_answered(nagomi: Commands) -> None:
    number = nagomi.new("sh", "-c", ASKS)
    until(lambda: nagomi.run("next").returncode == 0)
    assert nagomi.json("next")["number"] == int(number)
    assert nagomi.ok("answer", number).splitlines() == [
        "Go on? [y/N]",
        "  y  y",
        "  n  N",
        "  Enter",
    ]
    assert "none of its choices" in nagomi.fails(2, "answer", number, "x")
    assert "--force" in nagomi.fails(1, "send", number, "something else")
    assert nagomi.json("answer", number, "y")["taken"]
    until(lambda: "got=y" in nagomi.shown(number))
    assert "asks nothing" in nagomi.fails(1, "answer", number, "y")


def test_next_steps_are_shown_with_their_risk_and_run(nagomi: Commands) -> None:
    assert "no next step" in nagomi.ok("act", nagomi.new("sleep", "60"))
    fails = "echo 'sh: 1: frobnicate: not found'; exit 127"
    number = nagomi.new("sh", "-c", fails)
    until(lambda: "which frobnicate" in nagomi.ok("act", number))
    assert "[low]" in nagomi.ok("act", number)
    done = nagomi.json("act", number, "1")
    assert done["new"] and done["risk"] == "low"
    told = nagomi.ok("act", number, "1").splitlines()
    assert "-which" in told[0] and "nothing that was set in the other session" in told[1]
    assert "no step 9" in nagomi.fails(2, "act", number, "9")


def test_a_verdict_is_corrected_and_listed(nagomi: Commands) -> None:
    assert "nothing was corrected" in nagomi.ok("judge", "corrections")
    number = nagomi.new("sleep", "60")
    nagomi.ok("correct", number, "waits")  # the badge's word for `attention`
    until(lambda: nagomi.run("next").returncode == 0)
    assert "there is no `well`, only" in nagomi.fails(2, "correct", number, "well")
    assert "→ attention" in nagomi.ok("judge", "corrections")
    (told,) = json.loads(nagomi.ok("judge", "corrections", "--json"))
    assert (told["cmd"], told["right"], told["turn"]) == ("sleep 60", "attention", 1)
