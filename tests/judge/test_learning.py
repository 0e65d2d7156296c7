"""A rule is proposed from a moment at which the judge was wrong."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.judge import learning, loading, replay
from nagomi_tui.judge.evidence import Says
from nagomi_tui.judge.replay import Replay
from nagomi_tui.judge.senses.observer import Senses
from nagomi_tui.judge.verdict import State

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

    changed = learning.differences(trace, book, learning.with_rule(book, "claude", rule))
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
