"""What counts as a phrase of the user's."""

from __future__ import annotations

import time

import pytest

from nagomi_tui.guard.decide.documents import Config, Features, OwnSettings, Phrases
from nagomi_tui.guard.decide.prompt import meaning, phrase_matches

STRICT = Config(nagomi=OwnSettings(strict_phrases=True))


@pytest.mark.parametrize(
    ("phrase", "text", "matches"),
    [
        ("SILENCE", "SILENCE!", True),
        ("SILENCE", "in silence", False),
        ("yert", "YERT", True),
        ("yert", "so, Yert it", True),
        ("yert", "nothing", False),
        ("", "anything", False),
    ],
)
@pytest.mark.requirement("D-30")
def test_capitals_are_compared_with_case(phrase: str, text: str, matches: bool) -> None:
    assert phrase_matches(phrase, text) is matches


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("yert", "implement"),
        ("SILENCE", "stop"),
        ("mek: a task", "create"),
        ("start^ @h-fix-it.md", "start"),
        ("start^: @h-fix-it.md", "start"),
        ("finito", "complete"),
        ("squish", "compact"),
    ],
)
@pytest.mark.requirement("D-31", "D-54", "X-14")
def test_the_default_phrases(text: str, means: str) -> None:
    assert meaning(text, Config()) == meaning(text, STRICT) == means


@pytest.mark.parametrize(
    "text",
    [
        "Yert!",
        "looks good, yert",
        "no, do it the other way. yert",
        "Fine:\n\nyert\n",
        "(yert)",
        "いいですね。yert お願いします",
        "don't worry about the tests; yert",
        'I like "the plan": yert',
    ],
)
@pytest.mark.requirement("DB-6")
def test_what_the_user_means_counts(text: str) -> None:
    assert meaning(text, Config()) == "implement"


@pytest.mark.parametrize(
    "text",
    [
        'what does "yert" do?',
        "what does yert do?",
        "please do not yert yet",
        "don't yert",
        "never yert before I say so",
        "yert しないで",
        "まだ「yert」とは言わない",
        "wait until I say yert",
        "yerted data",
        "the byert",
        "see https://example.org/yert for more",
        "look at src/yert/main.c and yert.py",
        "`yert` is the word",
        "```\nyert\n```",
        "```\nlog: yert",
        "> yert\nwas what he wrote",
        "run it with --yert",
        "the variable $yert",
        "me@yert",
        "<log>yert</log>"[:5] + "yert='1'>",
        "squished data",
        "indefinito",
        "restart^",
        "/sessions config trigger add go yert",
        "/config yert",
    ],
)
@pytest.mark.requirement("DB-6")
def test_what_the_user_does_not_mean_is_none(text: str) -> None:
    assert meaning(text, Config()) is None


@pytest.mark.requirement("DB-6")
def test_the_strict_setting_finds_it_anywhere() -> None:
    assert meaning("yerted", STRICT) == "implement"
    assert meaning("please do not yert yet", STRICT) == "implement"


@pytest.mark.parametrize("config", [Config(), STRICT])
@pytest.mark.requirement("DB-7")
def test_the_stop_wins(config: Config) -> None:
    for text in ("SILENCE and then yert", "yert … SILENCE", "`SILENCE` yert", "/config SILENCE"):
        assert meaning(text, config) == "stop"


@pytest.mark.requirement("DB-6")
def test_of_several_the_strongest_counts() -> None:
    said = ["yert", "mek: x", "start^", "finito", "squish"]
    for number, means in enumerate(["implement", "create", "start", "complete", "compact"]):
        assert meaning(". ".join(said[: number + 1]), Config()) == means


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200_000,
        "<" * 200_000,
        "not yert " * 20_000,
        "yert yet " * 20_000,
        "'" * 200_000,
        "a." * 99_999 + " ",
    ],
)
@pytest.mark.requirement("DB-6")
def test_a_long_prompt_takes_no_long_time(text: str) -> None:
    """The client goes on without an answer that comes too late."""
    began = time.process_time()
    assert meaning(text, Config()) is None
    assert time.process_time() - began < 1


@pytest.mark.requirement("D-16", "D-43")
def test_own_phrases() -> None:
    config = Config(trigger_phrases=Phrases(implementation_mode=("make it so", "やって")))
    assert meaning("OK, Make it so.", config) == "implement"
    assert meaning("やって", config) == "implement"
    assert meaning("yert", config) is None


@pytest.mark.requirement("D-61")
def test_protocols_can_be_switched_off() -> None:
    off = Config(features=Features(task_detection=False))
    for text in ("mek: a task", "start^", "finito", "squish"):
        assert meaning(text, Config()) is not None and meaning(text, off) is None
    assert meaning("yert", off) == "implement" and meaning("SILENCE", off) == "stop"
