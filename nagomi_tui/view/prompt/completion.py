"""What Tab completes in the prompt: files below the session's folder, and commands of its agent."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.agents.slash_commands import Slash, own_commands, slash_of
from nagomi_tui.system.completion import beginning

if TYPE_CHECKING:
    from nagomi_tui.sessions.session import Session

_MOST: Final = 50
_WORD: Final = re.compile(r"(?:\\.|[^\s\\])*\Z")


class Completion(NamedTuple):
    """The beginning of the last word, and what it may become."""

    typed: str
    offers: tuple[str, ...]

    @property
    def common(self) -> str:
        """The longest beginning that all offers share."""
        return os.path.commonprefix(self.offers)


def complete(before: str, session: Session) -> Completion:
    """Return what the last word of the text `before` the cursor may become.

    At the text's beginning `/` is a command of the session's agent; behind `@` stands a file.
    """
    word = _WORD.search(before)
    typed = word.group() if word else ""
    named = before == typed and typed.startswith("/") and "/" not in typed[1:]
    if named and (slash := slash_of(session.agent_name)) != Slash():
        return Completion(typed, _commands(typed, slash, session))
    mark = "@" if typed.startswith("@") else ""
    plain = typed[len(mark) :].replace("\\ ", " ")
    if not session.is_local or (not plain and not mark):
        return Completion(typed, ())
    found = beginning(plain, base=session.here, files=True, limit=_MOST)
    return Completion(typed, tuple(mark + path.replace(" ", "\\ ") for path in found))


def _commands(typed: str, slash: Slash, session: Session) -> tuple[str, ...]:
    """Return the agent's own commands, and those in the user's and the project's folders."""
    own = own_commands(slash, session.here) if session.is_local else ()
    known = {f"/{name}" for name in (*slash.commands.split(), *own)}
    return tuple(sorted(name for name in known if name.startswith(typed)))
