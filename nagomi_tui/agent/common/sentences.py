"""The first sentence of a text, for places with room for only one."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.core.judge.verdict import shorten
from nagomi_tui.core.text.plain import printable

SENTENCE_LENGTH: Final = 120
"""The longest sentence that the character says, in characters."""
_SENTENCE: Final = re.compile(r".*?(?:[。！？]|[.!?](?=\s|$)|$)")
_FENCE: Final = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)\s*$|\Z)", re.DOTALL | re.MULTILINE)
_MARK: Final = re.compile(r"^\s*(?:#{1,6}\s+|>\s*|[-*+]\s+)+|(?<!\*)\*\*(?!\*)|(?<!_)__(?!_)|`")


def first_sentence(markdown: str, limit: int) -> str:
    """Return an answer's first sentence without Markdown marks, in at most `limit` characters."""
    lines = (_MARK.sub("", line) for line in _FENCE.sub("", markdown).splitlines())
    words = next((line for line in map(_plain, lines) if line), "")
    found = _SENTENCE.match(words)
    return shorten(found[0], limit) if found else ""


def _plain(text: str) -> str:
    return " ".join(printable(text).split())
