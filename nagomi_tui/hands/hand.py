"""A hand as a value: how a worker is reached that runs somewhere else."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final
from zlib import crc32

import msgspec

from nagomi_tui.sessions.session import LOCAL

_NAME: Final = re.compile(r"[^\s/\x00-\x1f\x7f][^\s\x00-\x1f\x7f]{0,59}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class BadHand(ValueError):
    """A hand cannot be as somebody wants it; the message is a sentence."""

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values


def not_started(program: str, exc: OSError) -> BadHand:
    """Return the fault of a program that cannot be started, by which a hand is reached."""
    return BadHand("`{program}` cannot be started: {reason}.", program=program, reason=exc.strerror)


class NotLoggedIn(BadHand):
    """The hand's ssh wants to ask something; `nagomi hands login` lets it."""


class Hand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One hand as it is kept in the file."""

    name: str
    """What users call it, and what a session on it has as its worker."""
    command: tuple[str, ...]
    """The words behind which another command follows that is run there."""
    kind: str = "command"
    """The preset that made it; behind `ssh` a shell reads the other command."""
    program: tuple[str, ...] = ()
    """The worker's words there; without them it is looked for, and sent where it is missing."""
    folder: str = ""
    """Where sessions begin that name no folder; the home folder there if empty."""
    env: tuple[str, ...] = ()
    """Names of variables that sessions get from whoever starts them."""
    most: int = 0
    """How many sessions may run there at once; 0 for any number."""
    trusted: bool = False
    """Whether programs of its sessions reach sessions elsewhere, as those of this machine's do."""
    folders: dict[str, str] = {}
    """Folders of this machine whose sessions begin there unless said otherwise, and where each lies
    there: a path that is empty is the hand's own folder."""
    id: str = ""
    """What tells its worker from those of other hands, whatever its name."""

    def __post_init__(self) -> None:
        check_name(self.name)
        if not self.command or not all(self.command):
            raise BadHand("The hand `{name}` has no command.", name=self.name)
        for variable in self.env:
            if not _VARIABLE.fullmatch(variable):
                raise BadHand("`{variable}` is no name of a variable.", variable=variable)
        if self.most < 0:
            raise BadHand("A hand cannot hold fewer than no sessions.")

    @property
    def mark(self) -> str:
        """What its worker is told apart by there."""
        return self.id or f"{crc32(self.name.encode()):08x}"

    def there(self, words: Sequence[str]) -> list[str]:
        """Return the whole command that runs `words` there."""
        if self.kind == "ssh":
            return [*self.command, shlex.join(words)]
        return [*self.command, *words]


def check_name(name: str) -> None:
    """Refuse a name that could not be typed, or that means this machine.

    Raises:
        BadHand: it is none for a hand.
    """
    if name == LOCAL:
        raise BadHand("`local` is this machine; choose another name.")
    if not _NAME.fullmatch(name) or name.startswith("-"):
        raise BadHand(
            "`{name}` is no name for a hand: one word of at most 60 characters.",
            name=name,
        )
