"""What a worker says went wrong, as a sentence that can be translated.

A worker may be older, and then says a finished English sentence only; or it is a far one that
belongs to somebody else, so that nothing is put together by its sentence before that was looked at.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from nagomi_tui.core.masking import mask
from nagomi_tui.words import Said

if TYPE_CHECKING:
    from collections.abc import Mapping


def told_fault(message: str, sentence: str = "", values: Mapping[str, str] | None = None) -> Said:
    """Return a worker's `message` with secrets masked, translatable where `sentence` allows it.

    It does where it has plain placeholders only, and gives the same message with `values` in them.
    """
    masked = mask(message)
    given = {name: mask(value) for name, value in (values or {}).items()}
    if _names_only(sentence, given) and sentence.format(**given) == masked:
        return Said(sentence, given)
    return Said("{fault}", {"fault": masked})


def _names_only(sentence: str, values: Mapping[str, str]) -> bool:
    """Tell whether each placeholder is the bare name of a value: formats could ask for any width."""
    try:
        parts = list(string.Formatter().parse(sentence))
    except ValueError:
        return False
    return bool(sentence) and all(
        name is None or (name.isidentifier() and name in values and not form and not conversion)
        for _, name, form, conversion in parts
    )
