"""Versions that a rule holds for."""

from __future__ import annotations

import pytest

from nagomi_tui.judge.evidence import Says, View
from nagomi_tui.judge.questions import Condition
from nagomi_tui.judge.screen_rules import Looks, Manifest, Rule, faults, read_screen
from nagomi_tui.judge.versions import fault, from_banner, holds


@pytest.mark.parametrize(
    ("spec", "version", "does"),
    [
        ("", "2.1.330", True),
        (">=2.1.300", "", True),
        (">=2.1.300", "2.1.330", True),
        (">=2.1.300", "2.1.197", False),
        (">=2.1.300, <2.2", "2.2.0", False),
        (">=2.1.300, <2.2", "2.1.999", True),
        ("2.1", "2.1.5", True),
        ("2.1", "2.10.5", False),
        ("2.1.5", "2.1", False),
        ("<=2.1", "2.1.0", True),
        ("<=2.1", "2.1.1", False),
        (">=2.1.300", "2.1.300", True),
        ("<2.2", "2.1.9", True),
        (">2.1", "2.1.1", True),
        (">2.1", "2.1.0", False),
        (">2.1", "9" * 5000, True),
    ],
)
def test_a_rule_holds_for_its_versions(spec: str, version: str, does: bool) -> None:
    assert holds(spec, version) is does
    assert not fault(spec)


def test_what_is_no_version_is_named() -> None:
    assert "newest" in str(fault("newest"))
    wrong = Rule("x", Says.REST, 1, Condition(any=("x",)), versions="~2")
    assert "~2" in " ".join(map(str, faults(wrong)))


def test_the_banner_tells_the_version_and_rules_for_others_are_passed_over() -> None:
    old = Rule("old", Says.WAITS, 9, Condition(any=("Yes",)), "screen", versions="<2")
    new = Rule("new", Says.REST, 1, Condition(any=("Yes",)), "screen")
    agent = Manifest("agent", "agent", rule=(old, new), banner=r"^Agent v(?P<version>\d+\.\d+)")
    assert from_banner(agent.banner, ("", "Agent v2.3")) == "2.3"
    looks = Looks(agent, None)
    shown = View(at=0.0, rows=("Agent v2.3", "Yes"))
    for version, rule in (("", "agent:old"), ("1.9", "agent:old"), ("2.3", "agent:new")):
        said = read_screen(agent, shown, version=version)
        assert said is not None and said.rule == rule
    looks.read(shown, 0.0)
    assert looks.version == ""
    beside = Looks(agent, Manifest("any", "agent"))
    said = beside.read(shown, 0.0)
    assert beside.version == "2.3" and said is not None and said.rule == "agent:new"
