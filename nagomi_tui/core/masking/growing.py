"""Masks a line that may still grow: an end that could become part of a secret is masked, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.masking.blocks import CLEAR, MaskState
from nagomi_tui.core.masking.finders.known import find_begun
from nagomi_tui.core.masking.line import Masker
from nagomi_tui.core.masking.spans import REDACTED, replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

_REST: Final = "aB3dE5fG7hI9" + "jK1lM2nO4pQ6" + "rS8tU0vW1xY2z"
_ENDS: Final = (_REST, f"{_REST}@host/")
_CONTINUATIONS: Final = (*_ENDS, f"{_REST} is the API key", " | docker login --password-stdin")
"""Texts that are tried as a continuation, to recognise the beginning of a secret."""

_LAST_WORD: Final = re.compile(r"\S+$")
_FIRST_WORD: Final = re.compile(r"\A\S+")
_WORDY: Final = re.compile(
    r"\W*[^\W\d_]?[^\W\dA-Z_]*\W*|\W*[A-Z]*\W*|\W*[0-9.,:%/]{0,8}\W*|\S{1,3}"
)
_REACH: Final = 4096
"""Characters at the end of a line that are tried with a continuation."""


def mask_growing(
    before: Sequence[str], after: Sequence[str] = (), state: MaskState = CLEAR
) -> list[str]:
    """Return the rows of a line masked that may go on between those `before` and those `after`.

    There are as many as there were. A last word that is one of a language stays.
    """
    whole = Masker(state).rows([*before, *after])
    kept = len(before)
    head, tail = whole[:kept], whole[kept:]
    last = _LAST_WORD.search("".join(head)[-_REACH:])
    if last is None or _WORDY.fullmatch(last[0]):
        return whole
    for more in _CONTINUATIONS:
        masked = Masker(state).rows([*head, more, *tail])
        head, tail = masked[:kept], masked[kept + 1 :]
    text = "".join(head)
    head = replaced(head, find_begun(text))
    if "".join(head) != text or text.endswith(REDACTED):
        tail = [
            _FIRST_WORD.sub("", piece, count=1) if at == 0 else piece
            for at, piece in enumerate(tail)
        ]
    return [*head, *tail]


def may_grow(text: str, *, grew: bool) -> bool:
    """Tell whether a line ends in what could be the beginning of a secret.

    Of a line that was not seen to grow, only the beginning of a known key says so.
    """
    last = _LAST_WORD.search(text[-_REACH:])
    if last is None or _WORDY.fullmatch(last[0]):
        return False
    if find_begun(text):
        return True
    masked = Masker().line(text)
    return grew and any(Masker().rows([masked, more])[0] != masked for more in _ENDS)


def mask_screen(lines: Sequence[str]) -> list[str]:
    """Return lines masked of which any may still grow, as those of a screen may."""
    masked = Masker().lines(lines)
    return [
        _LAST_WORD.sub(REDACTED, line) if may_grow(line, grew=True) else line for line in masked
    ]
