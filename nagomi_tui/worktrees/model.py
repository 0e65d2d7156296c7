"""What is told of worktrees, as values and in words: nothing here asks git."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from nagomi_tui.text.words import translatable

How: TypeAlias = Literal["merge", "squash", "rebase"]
HOWS: Final[tuple[How, ...]] = ("merge", "squash", "rebase")
_SOME: Final = 5
"""Names that are told where there are many."""


class Meeting(msgspec.Struct, frozen=True):
    """Another worktree that has changed the same."""

    worktree: str
    """Its folder."""
    branch: str
    names: tuple[str, ...]
    """The files."""
    certain: bool = True
    """Whether a merge was tried; else only the paths are the same."""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """How one worktree stands."""

    path: str
    name: str
    """The name of its folder."""
    branch: str = ""
    commit: str = ""
    is_main: bool = False
    agent: str = ""
    """The agent that has made it for itself."""
    base: str = ""
    """What its branch has left."""
    base_commit: str = ""
    ahead: int = 0
    behind: int = 0
    files: int = 0
    """Files that differ from the base, with those that are not committed or tracked."""
    added: int = 0
    removed: int = 0
    uncommitted: int = 0
    """Files of those that are not committed or tracked."""
    under_way: str = ""
    """What git has begun there, such as `rebase`."""
    locked: bool = False
    missing: bool = False
    ports: dict[str, int] = {}
    sessions: tuple[int, ...] = ()
    """The numbers of the sessions in it."""
    meets: tuple[Meeting, ...] = ()
    fault: str = ""
    """Why git could not tell more."""


def parts(one: Figures, say: Callable[..., str]) -> Iterator[str]:
    """Yield in words how a worktree stands, but for its branch and its folder."""
    if one.base and (one.ahead or one.behind):
        counted = translatable("{base} ↑{ahead} ↓{behind}")
        yield say(counted, base=one.base, ahead=one.ahead, behind=one.behind)
    if one.files:
        changed = (
            translatable("1 file +{added} −{removed}")
            if one.files == 1
            else translatable("{files} files +{added} −{removed}")
        )
        yield say(changed, files=one.files, added=one.added, removed=one.removed)
    if one.uncommitted:
        yield say(translatable("{count} not committed"), count=one.uncommitted)
    if one.under_way:
        yield say(translatable("in the middle of: {what}"), what=say(one.under_way))
    yield from (f"{name}={port}" for name, port in one.ports.items())
    if one.agent:
        yield say(translatable("made by {agent}"), agent=one.agent)
    if one.locked:
        yield say(translatable("locked"))
    if one.missing:
        yield say(translatable("its folder is gone"))
    if one.sessions:
        yield say(translatable("session {numbers}"), numbers=", ".join(map(str, one.sessions)))
    if one.fault:
        yield one.fault


def in_words(one: Figures, meets: Iterable[Meeting], say: Callable[..., str]) -> Iterator[str]:
    """Yield a sentence on the worktrees that one conflicts with, and one on those that it may."""
    for certain, sentence in (
        (True, translatable("⚠ {one} and {other} conflict in {names}")),
        (False, translatable("⚠ {one} and {other} both change {names}")),
    ):
        met = [meeting for meeting in meets if meeting.certain is certain]
        if met:
            yield say(
                sentence,
                one=one.branch or one.name,
                other=some([meeting.branch or meeting.worktree for meeting in met]),
                names=some(sorted({name for meeting in met for name in meeting.names})),
            )


def some(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
    told = ", ".join(names[:_SOME])
    return f"{told}, … (+{len(names) - _SOME})" if len(names) > _SOME else told
