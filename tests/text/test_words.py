"""Sentences with values from elsewhere."""

from __future__ import annotations

import pytest

from nagomi_tui.text import words


@pytest.mark.parametrize(
    ("sentence", "bare"),
    [
        ("", False),
        ("plain", True),
        ("{a} and {b}", True),
        ("{{a}}", True),
        ("{c}", False),
        ("{a} and {c}", False),
        ("{0}", False),
        ("{}", False),
        ("{a:>999999999}", False),
        ("{a!r}", False),
        ("{a.b}", False),
        ("{a[b]}", False),
        ("{a", False),
    ],
)
def test_a_sentence_from_elsewhere_has_bare_names_only(sentence: str, bare: bool) -> None:
    assert words.names_only(sentence, {"a": 1, "b": 2, "0": 3}) is bare


def test_values_are_put_in_without_control_characters() -> None:
    english = words.of("en")
    assert english.say("{name}: {count:02}", name="a\x1b[1m", count=7) == "a [1m: 07"
    assert english.say("as {it} is") == "as {it} is"
    assert english.told(words.Said("{a}", {"a": words.Said("{b}", {"b": "c\n"})})) == "c "
