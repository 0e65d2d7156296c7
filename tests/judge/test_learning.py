"""A rule is proposed from a moment at which the judge was wrong."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge import learning, loading, replay
from nagomi_tui.judge.evidence import Says
from nagomi_tui.judge.replay import Header, Recording, Replay, Step
from nagomi_tui.judge.senses.observer import Senses
from nagomi_tui.judge.verdict import State
from tests.helpers.secrets import VALUES

if TYPE_CHECKING:
    from pathlib import Path

RULE = "─" * 40
FIELD = f"{RULE}\r\n❯ \r\n{RULE}\r\n  ? for shortcuts\x1b[2A\x1b[2G"
CLEAR = "\x1b[2J\x1b[H"
ASKS = " The robot would touch /tmp/a7\r\n\r\n ⟪ Shall it be so?  ⟫\r\n   ⟨y⟩ fine   ⟨x⟩ leave it"
WORKS = f"● touch a7\r\n\r\n✻ Galloping… (3s · esc to interrupt)\r\n{FIELD}"


@pytest.fixture
def trace(tmp_path: Path) -> replay.Recording:
    """A trace of an agent whose new dialog at its start no rule knows; it is answered at 6 s."""
    stream = [
        (0.1, "o", f"\x1b]0;✳ Claude Code\x07 Claude Code v2.1.400\r\n\r\n{FIELD}"),
        (4.0, "o", f"{CLEAR}{ASKS}"),
        (6.0, "i", "x"),
        (6.4, "o", f"\x1b]0;◐ Claude Code\x07{CLEAR}{WORKS}"),
        (8.0, "o", f"\x1b]0;✳ Claude Code\x07{CLEAR}● Made.\r\n{FIELD}"),
        (9.0, "o", " "),
    ]
    lines = [json.dumps({"version": 2, "width": 80, "height": 24, "command": "claude"})]
    (tmp_path / "new.cast").write_text("\n".join([*lines, *map(json.dumps, stream)]))
    return replay.read(tmp_path, "new")


def test_a_rule_is_found_where_the_user_answered(trace: replay.Recording, tmp_path: Path) -> None:
    book = loading.load(tmp_path).book
    steps = Replay(trace, book, Senses(), keys=True).run()
    assert State.ATTENTION not in [step.state for step in steps]
    (moment,) = learning.answered(trace, steps)
    assert moment == learning.Moment(6.0, State.ATTENTION)

    rule = learning.since_version(learning.propose(trace, moment, "learned"), trace, book)
    assert rule.says is Says.WAITS and rule.field is False
    assert rule.versions == ">=2.1.400"
    text = learning.as_toml(rule)
    assert "a7" not in str(rule.when.all) and tomllib.loads(text)["rule"][0]["name"] == "learned"

    with_rule = learning.with_rule(book, "claude", rule)
    assert [one.name for one in with_rule.manifests if one.rule[:1] == (rule,)] == ["claude"]
    changed = learning.differences(trace, book, with_rule)
    assert changed[0].after is State.ATTENTION and 4.0 <= changed[0].at < 6.0
    assert {one.before for one in changed} <= {State.UNKNOWN, State.SUCCESS}

    own = tmp_path / "agents"
    own.mkdir()
    claude = book.named("claude")
    assert claude is not None
    (own / "claude.toml").write_text(f"{learning.file_text(claude)}\n{text}")
    loaded = loading.load(tmp_path)
    assert loaded.problems == ()
    mended = Replay(trace, loaded.book, Senses(), keys=True).run()
    assert State.ATTENTION in [step.state for step in mended]


def test_what_is_always_there_makes_no_rule(trace: replay.Recording) -> None:
    with pytest.raises(learning.NoRule):
        learning.propose(trace, learning.Moment(0.05, State.ATTENTION), "x")


def test_a_file_that_adds_keeps_the_shipped_rules(tmp_path: Path) -> None:
    own = tmp_path / "agents"
    own.mkdir()
    rule = (
        'name = "claude"\nkind = "agent"\n{adds}[[rule]]\nname = "mine"\nsays = "waits"\n'
        'priority = 950\n[rule.when]\nall = ["^my words"]\n[[rule.sample]]\nscreen = "my words"\n'
    )
    counts = []
    for adds in ("adds = true\n", ""):
        (own / "claude.toml").write_text(rule.replace("{adds}", adds))
        loaded = loading.load(tmp_path)
        claude = loaded.book.named("claude")
        assert claude is not None and loaded.problems == () and claude.rule[0].name == "mine"
        counts.append(len(claude.rule))
    assert counts[0] > counts[1] == 1


def recorded(*stream: tuple[float, str, str]) -> Recording:
    return Recording("r", Header(2, 80, 24, "claude"), stream, (), (), ())


@pytest.mark.parametrize(
    ("shown", "key", "screen", "found"),
    [
        ([(0.0, State.UNKNOWN), (7.0, State.THINKING)], "x", ASKS, True),
        ([(0.0, State.UNKNOWN), (8.5, State.RUNNING)], "\r", ASKS, True),
        ([(0.0, State.UNKNOWN), (8.6, State.RUNNING)], "x", ASKS, False),
        ([(0.0, State.UNKNOWN), (5.0, State.RUNNING), (5.9, State.SUCCESS)], "x", ASKS, False),
        ([(0.0, State.UNKNOWN), (7.0, State.SUCCESS)], "x", ASKS, False),
        ([(0.0, State.RUNNING), (7.0, State.THINKING)], "x", ASKS, False),
        ([(0.0, State.ATTENTION), (7.0, State.THINKING)], "x", ASKS, False),
        ([(0.0, State.UNKNOWN), (7.0, State.THINKING)], "\x03", ASKS, False),
        ([(0.0, State.UNKNOWN), (7.0, State.THINKING)], "x", FIELD, False),
    ],
)
def test_a_key_was_an_answer_where_it_ends_a_rest_without_a_field(
    shown: list[tuple[float, State]], key: str, screen: str, found: bool
) -> None:
    steps = [Step(at, state, "rule") for at, state in shown]
    moments = learning.answered(recorded((1.0, "o", screen), (6.0, "i", key)), steps)
    assert moments == ([learning.Moment(6.0, State.ATTENTION)] if found else [])


def test_a_view_is_the_screen_right_before_its_time() -> None:
    recording = recorded((1.0, "o", "one"), (2.0, "r", "40x5"), (2.0, "o", f"{CLEAR}two"))
    seen = learning.views(recording, [1.0, 1.1, 2.0, 2.1])
    assert [view.rows[0] for view in seen] == ["", "one", "one", "two"]
    assert [len(view.rows) for view in seen] == [24, 24, 24, 5]


def proposed(*stream: tuple[float, str, str]) -> learning.Rule:
    moment = learning.Moment(6.0, State.ATTENTION)
    return learning.propose(recorded(*stream, (9.0, "o", " ")), moment, "x")


def test_a_rule_asks_for_the_most_telling_rows_and_no_more_of_the_screen() -> None:
    rule = proposed(
        (0.1, "o", "always the same\r\n"),
        (4.0, "o", "one more line that is long\r\nShort [y/n]?"),
        (6.4, "o", f"{CLEAR}always the same\r\nanother"),
    )
    assert rule.when.all == (
        r"^[\s│┃|]*Short .{1,80}?", r"^[\s│┃|]*one more line that is long",
    )  # fmt: skip
    assert rule.region == "bottom:4"
    assert [(sample.matches, sample.screen) for sample in rule.sample] == [
        (True, "always the same\none more line that is long\nShort [y/n]?"),
        (False, "always the same"),
    ]
    assert learning.as_toml(rule).startswith(
        '[[rule]]\nname = "x"\nsays = "waits"\npriority = 950\nregion = "bottom:4"\nfield = false\n'
        "[rule.when]\nall = ['^[\\s│┃|]*Short .{1,80}?', "
    )


def test_a_rule_says_whether_there_is_a_field() -> None:
    rule = proposed(
        (0.1, "o", FIELD),
        (4.0, "o", f"{CLEAR}Go on with it?\r\n{FIELD}"),
        (6.4, "o", CLEAR + FIELD),
    )
    assert rule.field is True and "field = true" in learning.as_toml(rule)


@pytest.mark.parametrize(
    ("screen", "later"),
    [
        ("ab", "other"),  # too few letters
        ("always there", "always there"),
        (f"Use {VALUES[0]} now?", "other"),  # its sample is masked
    ],
)
def test_a_row_that_tells_nothing_makes_no_rule(screen: str, later: str) -> None:
    with pytest.raises(learning.NoRule):
        proposed((0.1, "o", screen), (6.4, "o", f"{CLEAR}{later}"))


def test_a_row_that_comes_again_tells_no_moment_not_even_at_the_end() -> None:
    once = ((4.0, "o", f"{CLEAR}Shall it?"), (6.4, "o", f"{CLEAR}other"))
    assert proposed(*once).when.all == (r"^[\s│┃|]*Shall it\?",)
    with pytest.raises(learning.NoRule):
        proposed(*once, (8.8, "o", f"{CLEAR}Shall it?"))


def test_three_letters_make_a_row_telling() -> None:
    rule = proposed((0.1, "o", "hello"), (4.0, "o", f"{CLEAR}abc"), (6.4, "o", f"{CLEAR}other"))
    assert rule.when.all == (r"^[\s│┃|]*abc",)
