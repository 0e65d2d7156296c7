"""What the tables of programs are, and what they may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.shell.words import Word


class Analyser(Protocol):
    """Looks at what a program runs."""

    piped_names: bool
    """What the command reads is a list of names that cannot begin with a dash."""

    def run(self, words: Sequence[Word]) -> None:
        """See whether a command writes that another one runs, such as that of `env`.

        Raises:
            Writes: it does.
        """

    def script(self, word: Word) -> None:
        """See whether a script writes that a shell is given as a word.

        Raises:
            Writes: it does, or is not known.
        """


class Check(Protocol):
    """Looks at the words behind a program's name."""

    def __call__(self, analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
        """See that the program only reads.

        Raises:
            Writes: it may do more.
        """
