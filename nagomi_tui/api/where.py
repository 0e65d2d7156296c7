"""Which sessions are meant by terms such as `is:ended`, `on:HAND` and `in:FOLDER`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from nagomi_tui.sessions.session import Condition, Session, has_ended
from nagomi_tui.sessions.standing import is_unseen, needs_user

ENDED: Final = "ended"
"""However its command has ended, and whether or not it runs no more for another reason."""


def word_of(condition: Condition) -> str:
    """Return the word behind `is:` for how a session stands."""
    return condition.word.removesuffix(" for you").replace(" ", "-")


def _is_told_by(word: str) -> Callable[[Session], bool]:
    return lambda session: word_of(session.condition) == word


STATES: Final = {
    **{
        word_of(one): _is_told_by(word_of(one))
        for one in Condition
        if one is not Condition.ENDED_WELL
    },
    "waits": needs_user,
    "unseen": is_unseen,
}
"""What each word behind `is:` but `ENDED` means: a condition as badges show it, or as the bar counts
who waits, be it for an answer or to be seen."""


NAMES: Final = tuple(sorted((ENDED, *STATES)))
"""What may stand behind `is:`."""


class BadTerm(ValueError):
    """A term that says nothing; `term` is it."""

    def __init__(self, term: str) -> None:
        super().__init__(term)
        self.term = term


def meant_by(term: str) -> Callable[[Session], bool]:
    """Return what tells of a session whether a term holds.

    Raises:
        BadTerm: it says nothing.
    """
    kind, _, value = term.partition(":")
    match kind:
        case "is" if value == ENDED:
            return has_ended
        case "is" if value in STATES:
            return STATES[value]
        case "on" if value:
            return lambda session: session.worker_id == value
        case "in" if value:
            folder = os.path.abspath(os.path.expanduser(value))
            return lambda session: session.is_local and _is_below(session.here, folder)
    raise BadTerm(term)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))
