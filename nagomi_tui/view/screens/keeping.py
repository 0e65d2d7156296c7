"""What of a front end outlives it: drafts, what was sent, and where its user was."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.view.screens.overview import Overview
    from nagomi_tui.view.screens.state import ViewName

Scrolls: TypeAlias = "dict[str, tuple[int, int]]"
"""By session: the first line shown, and the last line there was when the tail was left."""

_TEXTS: Final = 50
"""Sent texts that are kept of each session."""
_LENGTH: Final = 4000
"""Characters of the longest sent text that is kept."""


class Kept(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One front end as it was; unknown fields are those of another version."""

    terminal: str = ""
    """Where it ran, so that the same terminal finds it again."""
    view: str = "run"
    zoomed: bool = False
    bare: bool = False
    enlarged: bool = False
    to_program: bool = False
    listed: bool | None = None
    """Whether the overview is a list, as its user has chosen; None goes by the room."""
    unfolded: bool = False
    focused: str = ""
    lanes: tuple[str, ...] = ()
    drafts: dict[str, str] = {}
    history: dict[str, tuple[str, ...]] = {}
    scrolls: Scrolls = {}


class Keepable(Protocol):
    """The front end's state, as far as it is kept."""

    sessions: dict[str, Session]
    view: ViewName
    zoomed: bool
    bare: bool
    enlarged: bool
    to_program: bool
    overview: Overview
    focused: str
    lanes: list[str]
    drafts: dict[str, str]
    history: dict[str, list[str]]

    def focus(self, session_id: str) -> None:
        """Bring a session to the front; one that does not exist is passed over."""


def kept_of(state: Keepable, scrolls: Mapping[str, tuple[int, int]]) -> Kept:
    """Return what is to be kept; no text in which a secret is found is."""
    return Kept(
        view=state.view.value,
        zoomed=state.zoomed,
        bare=state.bare,
        enlarged=state.enlarged,
        to_program=state.to_program,
        listed=state.overview.wish,
        unfolded=state.overview.unfolded,
        focused=state.focused,
        lanes=tuple(state.lanes),
        drafts={at: text for at, text in state.drafts.items() if text and _may_be_kept(text)},
        history={at: tuple(_newest(texts)) for at, texts in state.history.items() if texts},
        scrolls=dict(scrolls),
    )


def restore(state: Keepable, kept: Kept) -> None:
    """Take up what was kept, as far as its sessions still exist."""
    there = state.sessions
    state.drafts |= {at: text for at, text in kept.drafts.items() if at in there}
    state.history |= {at: list(texts) for at, texts in kept.history.items() if at in there}
    state.to_program, state.bare = kept.to_program, kept.bare
    state.overview.wish, state.overview.unfolded = kept.listed, kept.unfolded
    if kept.focused in there:
        state.view = type(state.view)(kept.view)
        state.zoomed, state.enlarged = kept.zoomed, kept.enlarged
        state.focused = kept.focused
        lanes = [lane for lane in kept.lanes if lane in there]
        state.lanes = lanes if kept.focused in lanes else [*lanes, kept.focused]


def _newest(texts: list[str]) -> list[str]:
    return [text for text in texts[-_TEXTS:] if len(text) <= _LENGTH and _may_be_kept(text)]


@lru_cache(maxsize=4096)
def _may_be_kept(text: str) -> bool:
    # What masks takes as long to load as a tenth of the front end, which most often needs it later.
    from nagomi_tui.core.masking import mask

    return mask(text) == text
