"""Hands: the other machines and containers on which sessions run."""

from __future__ import annotations

from nagomi_tui.api.messages.base import Request, Result

# --- what is answered


class HandStanding(Result, frozen=True, kw_only=True):
    """A hand, and whether its worker is reached just now."""

    name: str
    kind: str
    command: tuple[str, ...]
    reached: bool
    pid: int = 0
    """Of the worker there, on its own machine; 0 while it is not reached."""
    sessions: int = 0
    """How many it holds; 0 while it is not reached."""
    fault: str = ""
    """Why it was not reached last."""
    seconds: float = 0.0
    """How long reaching for it has taken."""
    host: str = ""
    """What its machine calls itself; this and what follows is what its worker said last."""
    system: str = ""
    """The distribution or system there."""
    cores: int = 0
    load: float | None = None
    """How many processes wanted to run there, over a minute."""
    memory_mb: int = 0
    free_mb: int = 0
    plain: bool = False
    """Its worker runs without compiled modules, and slower."""
    folders: dict[str, str] = {}
    """Folders of this machine whose sessions begin there, and where each lies there."""


class HandList(Result, frozen=True, kw_only=True):
    """All hands in the order of their file."""

    hands: tuple[HandStanding, ...]


class FarFolders(Result, frozen=True, kw_only=True):
    """Folders on a hand."""

    folders: tuple[str, ...]


# --- from a client


class ListHands(Request[HandList], frozen=True, kw_only=True, tag="list_hands"):
    """Ask for all hands, and how they stand."""


class ReachHand(Request[HandStanding], frozen=True, kw_only=True, tag="reach_hand"):
    """Reach for a hand at once; answered when its worker has greeted, or cannot be reached."""

    name: str


class FindFolders(Request[FarFolders], frozen=True, kw_only=True, tag="find_folders"):
    """Ask for the folders on a hand whose paths begin so; none while it is away or does not answer."""

    name: str
    path: str
