"""What the front end remembers for its next start."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from nagomi_tui.system import deadlines, files, paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.view.pane.pane import TerminalPane
from nagomi_tui.view.screens.state import AppState
from nagomi_worker.runtime import files as lock

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
    enlarged_one: str = ""
    to_program: bool = False
    listed_at: dict[str, bool] = {}
    """By the size of the screen, whether the overview is a list, as its user has chosen there."""
    unfolded: bool = False
    focused: str = ""
    lanes: tuple[str, ...] = ()
    drafts: dict[str, str] = {}
    history: dict[str, tuple[str, ...]] = {}
    scrolls: Scrolls = {}


def kept_of(state: AppState, scrolls: Mapping[str, tuple[int, int]]) -> Kept:
    """Return what is to be kept; no text in which a secret is found is."""
    return Kept(
        view=state.view.value,
        zoomed=state.zoomed,
        bare=state.bare,
        enlarged_one=state.enlarged,
        to_program=state.to_program,
        listed_at=dict(state.overview.wishes),
        unfolded=state.overview.unfolded,
        focused=state.focused,
        lanes=tuple(state.lanes),
        drafts={at: text for at, text in state.drafts.items() if text and _may_be_kept(text)},
        history={at: tuple(_newest(texts)) for at, texts in state.history.items() if texts},
        scrolls=dict(scrolls),
    )


def restore(state: AppState, kept: Kept) -> None:
    """Take up what was kept, as far as its sessions still exist."""
    there = state.sessions
    state.drafts |= {at: text for at, text in kept.drafts.items() if at in there}
    state.history |= {at: list(texts) for at, texts in kept.history.items() if at in there}
    state.to_program, state.bare = kept.to_program, kept.bare
    state.overview.wishes |= kept.listed_at
    state.overview.unfolded = kept.unfolded
    state.enlarged = kept.enlarged_one if kept.enlarged_one in there else ""
    if kept.focused in there:
        state.view = type(state.view)(kept.view)
        state.zoomed = kept.zoomed
        state.focused = kept.focused
        lanes = [lane for lane in kept.lanes if lane in there]
        state.lanes = lanes if kept.focused in lanes else [*lanes, kept.focused]


def _newest(texts: list[str]) -> list[str]:
    return [text for text in texts[-_TEXTS:] if len(text) <= _LENGTH and _may_be_kept(text)]


@lru_cache(maxsize=4096)
def _may_be_kept(text: str) -> bool:
    # What masks takes as long to load as a tenth of the front end, which most often needs it later.
    from nagomi_tui.masking import mask

    return mask(text) == text


_MOST: Final = 16
"""Front ends at a time whose state is kept."""
_SECONDS: Final = 0.5
"""For so long a dead disk may hold the front end up."""


class Keeper:
    """Holds one of a few files; no two front ends have the same one at a time."""

    def __init__(self, folder: Path, terminal: str) -> None:
        """`terminal` names the terminal, whose last front end is preferred to the newest one."""
        self._folder = folder
        self._terminal = terminal
        self._path: Path | None = None
        self._lock: lock.FileLock | None = None
        self._kept = self._wanted = Kept()
        """What was written last, or is being written, and what is to be there in the end."""
        self._writing: Future[None] | None = None

    def take(self) -> Kept:
        """Return what a front end has left that does not run any more; else defaults."""
        with contextlib.suppress(OSError, TimeoutError, paths.PlaceError):
            self._kept = self._wanted = deadlines.wait(self._take, seconds=_SECONDS)
        return self._kept

    def keep(self, kept: Kept) -> None:
        """Write it down in another thread, if it has changed and nothing else is being written.

        What came meanwhile is written by the next call, or by `release`. A disk that takes nothing
        is passed over.
        """
        self._wanted = msgspec.structs.replace(kept, terminal=self._terminal)
        if self._writing is None or self._writing.done():
            self._write()

    def _write(self) -> None:
        path, kept = self._path, self._wanted
        if path is None or kept == self._kept:
            return
        data = msgspec.json.encode(kept)
        with contextlib.suppress(TimeoutError):
            self._writing = deadlines.begin(lambda: files.write(path, data))
            self._kept = kept

    def _wait(self) -> None:
        if self._writing is not None:
            with contextlib.suppress(OSError, TimeoutError):
                self._writing.result(_SECONDS)

    def release(self) -> None:
        """Write down what is not there yet, and leave the file to another front end."""
        self._wait()
        if self._writing is None or self._writing.done():
            self._write()
            self._wait()
        self._path = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _take(self) -> Kept:
        paths.make_private(self._folder)
        known = {self._folder / f"{n}.json": Kept() for n in range(1, _MOST + 1)}
        left = [path for path in paths.listed(self._folder, "*.json") if path in known]
        known |= {path: _read(path) for path in left}
        left.sort(key=lambda path: (known[path].terminal == self._terminal, _age(path)))
        for path in (*reversed(left), *(path for path in known if path not in left)):
            held = lock.FileLock(lock.lock_path(path))
            try:
                held.take(patience=0.0)
            except lock.Busy:
                continue
            self._path, self._lock = path, held
            return known[path]
        return Kept()


def terminal_of(env: Mapping[str, str]) -> str:
    """Return a name for the terminal that this process runs in."""
    name = ""
    if not WINDOWS:
        with contextlib.suppress(OSError):  # no terminal
            name = os.ttyname(0)
    return f"{env.get('TMUX_PANE', '')} {name}".strip()


def _read(path: Path) -> Kept:
    try:
        return from_json(files.read(path), Kept)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Kept()


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class Memory:
    """Takes up what was kept, and keeps what changes; without a `keeper` nothing is kept."""

    def __init__(self, state: AppState, panes: Callable[[], Iterable[TerminalPane]]) -> None:
        """`panes` returns those that are shown."""
        self.keeper: Keeper | None = None
        self.asked = ""
        """Id of the session that the user asked for at the start, or ""; it comes to the front."""
        self._state = state
        self._panes = panes
        self._scrolls: Scrolls = {}
        self._to_scroll: Scrolls = {}
        """Where panes are to be scrolled to that were not shown so far."""
        self._taken = False

    def take(self) -> None:
        """Take up what was kept, once; the sessions are known."""
        if self.keeper is not None and not self._taken:
            kept = self.keeper.take()
            self._to_scroll = dict(kept.scrolls)
            restore(self._state, kept)
            self._state.focus(self.asked)
        self._taken = True

    def scroll(self) -> None:
        """Scroll the panes to where they were, once they are there."""
        for pane in self._panes() if self._to_scroll else ():
            if (there := self._to_scroll.pop(pane.session_id, None)) is not None:
                pane.show_from(*there)

    def keep(self) -> None:
        """Write down what is in front of the user, if that has changed."""
        if self.keeper is None or not self._taken:
            return
        self.scroll()
        for pane in self._panes():
            line = pane.viewport.line
            self._scrolls.pop(pane.session_id, None)
            if line is not None:
                self._scrolls[pane.session_id] = line, pane.viewport.left_tail_at
        scrolls = self._to_scroll | self._scrolls
        here = {at: line for at, line in scrolls.items() if at in self._state.sessions}
        self.keeper.keep(kept_of(self._state, here))

    def leave(self) -> None:
        """Write it down a last time, and leave it to the next front end."""
        if self.keeper is not None:
            self.keep()
            self.keeper.release()
