"""What stands beside the chat's prompt."""

from __future__ import annotations

import pytest

from nagomi_tui.agent.chat.line import _state
from nagomi_tui.agent.talk.events import Status
from nagomi_tui.text.words import of


@pytest.mark.parametrize(
    ("language", "mode", "shown"),
    [("ja", "reserved", "tea · 控えめ\n"), ("en", "reserved", "tea · reserved\n"), ("ja", "wild", "tea · wild\n")],
)  # fmt: skip
def test_the_modes_word_is_in_the_users_language(language: str, mode: str, shown: str) -> None:
    status = Status(conversation="0123", label="tea", mode=mode)
    assert "".join(part[1] for part in _state(status, 80, of(language))) == shown
