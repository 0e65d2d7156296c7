"""The interface between the tables of programs and the analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nagomi_tui.guard.shell.folders import Where
    from nagomi_tui.guard.shell.patterns import Patterns
    from nagomi_tui.guard.shell.printed import Form
    from nagomi_tui.guard.shell.words import Word


class Analyser(Protocol):
    """Checks commands and scripts that a program runs."""

    piped: Form
    """What is known of the command's stdin."""
    patterns: Patterns
    """What the user has named, and what the project's settings do."""
    where: Where
    """The folders that the command changes to, and what looks into them."""

    def run(self, words: Sequence[Word]) -> None:
        """Check a command that another one runs, such as `env`.

        Raises:
            Writes: the command writes, or is not known.
        """

    def script(self, word: Word) -> None:
        """Check a script that a shell gets as an argument.

        Raises:
            Writes: the script writes, or is not known.
        """


class Check(Protocol):
    """Checks the arguments of a program."""

    def __call__(self, analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
        """Check that the program only reads; `words` are its arguments, `head` is its name.

        Raises:
            Writes: the program may do more.
        """
