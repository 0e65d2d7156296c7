"""The guard's badge: mode and todos in a few cells, with a box where the kernel holds."""

from __future__ import annotations

import pytest

from nagomi_tui.api.printing import guard_words
from nagomi_tui.sessions.session import GuardStanding
from nagomi_tui.text.words import of
from nagomi_tui.view.common.badge import guard_badge, strict_words

WORKS = GuardStanding(mode="implementation", done=1, total=2)


@pytest.mark.requirement("F-10")
def test_strict_mode_is_a_box_closed_or_open() -> None:
    assert guard_badge(GuardStanding(proposed=2)) == ("◇ discuss ?2", "secondary")
    assert guard_badge(GuardStanding(proposed=2), strict=True) == ("▣ discuss ?2", "secondary")
    assert guard_badge(WORKS, strict=True) == ("□ implement 1/2", "accent")
    assert guard_badge(WORKS, strict=True, briefly=True) == ("□ 1/2", "accent")


@pytest.mark.requirement("F-10")
def test_the_list_of_sessions_says_strict() -> None:
    assert guard_words(GuardStanding(), of("en"), strict=True) == "discuss strict"
    assert guard_words(WORKS, of("en"), strict=True) == "implement strict 1/2"
    assert guard_words(None, of("en"), strict=True) == ""


@pytest.mark.requirement("F-10")
def test_where_the_kernel_does_not_hold_the_box_is_open_and_the_colour_warns() -> None:
    still = GuardStanding()
    assert guard_badge(still, strict=True, fault="files are open") == ("□ discuss", "warning")
    assert guard_words(still, of("en"), strict=True, fault="files are open") == "discuss strict!"


@pytest.mark.requirement("F-10")
def test_strict_mode_is_told_in_a_sentence() -> None:
    told = [
        strict_words(standing, strict=strict, fault=fault)[0]
        for standing, strict, fault in (
            (GuardStanding(), True, ""),
            (WORKS, True, ""),
            (GuardStanding(), True, "files are open"),
            (GuardStanding(), False, ""),
            (GuardStanding(), False, "Strict mode is off: it needs Linux."),
        )
    ]
    assert "keeps the project read-only" in told[0]
    assert "can be written until discussion" in told[1]
    assert told[2].endswith("can be written: files are open")
    assert "`nagomi new --guard strict`" in told[3]
    assert told[4] == "Strict mode is off: it needs Linux."
