"""Commands that the user has named as reads or writes, checked before our own tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.shell.words import Word


class Patterns:
    """Commands that the user has named, each as the words that a command begins with."""

    def __init__(self, reads: Sequence[str] = (), writes: Sequence[str] = ()) -> None:
        self._reads = [tuple(line.split()) for line in reads if line.split()]
        self._writes = [tuple(line.split()) for line in writes if line.split()]

    @property
    def given(self) -> bool:
        """Whether the user has named any command."""
        return bool(self._reads or self._writes)

    def writes(self, words: Sequence[Word]) -> bool:
        """Whether these words begin with a command that the user has named a write."""
        head = words[0]._replace(text=words[0].text.rpartition("/")[2])
        return _begins(words, self._writes) or _begins([head, *words[1:]], self._writes)

    def reads(self, words: Sequence[Word]) -> bool:
        """Whether these words begin with a command that the user has named a read."""
        return _begins(words, self._reads)


def _begins(words: Sequence[Word], lines: Sequence[tuple[str, ...]]) -> bool:
    texts = [word.text for word in words]
    return any(tuple(texts[: len(line)]) == line for line in lines)
