"""Stories of evidence over time, told to a judge of the shipped rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from nagomi_tui.judge import loading
from nagomi_tui.judge.evidence import (
    Ended,
    Evidence,
    Foreground,
    Says,
    Source,
    Stopped,
    Typed,
    View,
    Wait,
)
from nagomi_tui.judge.judge import Judge

if TYPE_CHECKING:
    from nagomi_tui.judge.judge import Change
    from nagomi_tui.judge.verdict import State

BOOK = loading.load(Path("/nonexistent")).book


class Story:
    """A judge whose time passes only as the story tells it."""

    def __init__(self, command: str) -> None:
        self.judge = Judge(command, BOOK, at=0.0)
        self.changes: list[Change] = []

    def tell(self, *events: Evidence | Foreground | View | Typed | Stopped | Ended) -> None:
        """Let each event happen at its own time."""
        for event in events:
            self.until(event.at)
            self._note(self.judge.feed(event))

    def until(self, at: float) -> State:
        """Let time go by until this moment; return what is shown then."""
        while self.judge.wake_at < at:
            self._note(self.judge.tick(self.judge.wake_at))
        self._note(self.judge.tick(at))
        return self.judge.shown.state

    def _note(self, change: Change | None) -> None:
        if change is not None:
            self.changes.append(change)


def said(source: Source, says: Says, at: float, text: str = "") -> Evidence:
    """Evidence of any source."""
    return Evidence(source=source, says=says, at=at, rule="told", text=text)


def hook(says: Says, at: float, text: str = "") -> Evidence:
    """A hook of an agent was called."""
    return said(Source.HOOK, says, at, text)


def title(says: Says, at: float) -> Evidence:
    """The title of the terminal tells something."""
    return said(Source.TITLE, says, at)


def screen(at: float, *rows: str, lines: tuple[str, ...] = (), x: int | None = None) -> View:
    """The screen is looked at; its last row holds the cursor, behind its text unless `x` says."""
    last = rows[-1] if rows else ""
    return View(
        at=at,
        rows=rows or ("",),
        cursor_y=max(len(rows) - 1, 0),
        cursor_x=len(last) if x is None else x,
        lines=lines or rows,
    )


def process(at: float, command: str, wait: Wait = Wait.NOTHING, **more: bool) -> Foreground:
    """The processes are looked at."""
    return Foreground(at=at, command=command, leader=more.pop("leader", False), wait=wait, **more)


def shell(story: Story, at: float, *, prompt: str = "$ ") -> None:
    """The shell of the story shows its prompt."""
    story.tell(said(Source.EDITOR, Says.REST, at), screen(at, prompt))
    story.tell(process(at + 0.2, "bash", Wait.KEYS, leader=True, canonical=False, echo=False))


def command(story: Story, at: float, line: str, *output: str, lasts: float = 2.0) -> None:
    """A command runs in the story's shell, prints its output, and the prompt comes back."""
    typed = f"$ {line}"
    story.tell(said(Source.EDITOR, Says.RUNNING, at), process(at + 0.2, line.split()[0]))
    story.tell(said(Source.EDITOR, Says.REST, at + lasts))
    view = screen(at + lasts, typed, *output, "$ ", lines=(*output, "$ "))
    story.tell(msgspec.structs.replace(view, command=typed))
    story.tell(
        process(at + lasts + 0.2, "bash", Wait.KEYS, leader=True, canonical=False, echo=False)
    )


def editor(says: Says, at: float) -> Evidence:
    """The line editor of a shell has begun to read, or no longer reads."""
    return said(Source.EDITOR, says, at)
