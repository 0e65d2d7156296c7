"""`nagomi hands test` says that a worker runs without compiled modules."""

from __future__ import annotations

import pytest

from nagomi_tui.api.messages import HandStanding
from nagomi_tui.commands import hands
from nagomi_tui.text import words


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "without compiled modules"), ("ja", "コンパイル済みモジュールなし")],
)
def test_a_worker_without_compiled_modules_is_named(
    language: str, told: str, plain: bool,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    standing = HandStanding(
        name="web", kind="ssh", command=("ssh", "web"), reached=True, pid=7, plain=plain
    )
    spoken = words.of(language)
    monkeypatch.setattr(hands, "ask", lambda order, start: standing)
    monkeypatch.setattr(hands, "tr", spoken.say)
    assert hands.reach("web") == 0
    assert (told in capsys.readouterr().out) is plain
