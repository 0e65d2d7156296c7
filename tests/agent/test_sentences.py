"""The first sentence of an answer, as the balloon has it."""

from __future__ import annotations

import pytest

from nagomi_tui.agent.resident.thought import first_sentence


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("Tea is ready. Shall I pour?", "Tea is ready."),
        ("お茶が入りました。どうぞ。", "お茶が入りました。"),
        ("## Tea\n\nIt is ready.", "Tea"),
        ("- **api** failed in `v1.2.3`! Look.", "api failed in v1.2.3!"),
        ("```sh\nrm -rf x\n```\nThat is how.", "That is how."),
        ("The key is ***.", "The key is ***."),
        ("a\x1b[31mb", "a [31mb"),
        ("x" * 30, "x" * 19 + "…"),
        ("```\nall code", ""),
        (" \n", ""),
    ],
)
def test_the_first_sentence_is_plain(answer: str, sentence: str) -> None:
    assert first_sentence(answer, 20 if "x" * 30 in answer else 120) == sentence
