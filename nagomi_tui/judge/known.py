"""What the judge's rules are given, the latest of each source with its age, and what they return."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.judge.evidence import (
    AT_WORK,
    Corrected,
    Ended,
    Event,
    Evidence,
    Foreground,
    Key,
    Says,
    Source,
    Stopped,
    Turn,
    Typed,
    View,
    Wait,
)
from nagomi_tui.judge.line_rules import Profile
from nagomi_tui.judge.next_steps import ActionRule
from nagomi_tui.judge.screen_rules import Manifest
from nagomi_tui.judge.verdict import State

PROMPT: Final = 0.35
"""Seconds within which a shell has drawn its prompt after it came back."""


class Held(msgspec.Struct, frozen=True):
    """A source's latest evidence, since when it is the same, and what it was before."""

    last: Evidence
    since: float
    before: Evidence | None = None

    @property
    def says(self) -> Says:
        """What it says now."""
        return self.last.says


class Retries(msgspec.Struct, frozen=True):
    """Since when, until when and with which words an agent tells that it tries again."""

    turn: int
    since: float
    until: float
    line: str


class Known(msgspec.Struct):
    """Everything that the rules look at; `take` adds to it, and `now` is the current time."""

    command: str
    agent: bool = False
    """The session's own command is an agent."""
    shell: bool = False
    likely: str = ""
    """A program in the foreground that no rules name, and which looks like an agent."""
    hosts_agent: bool = False
    """An agent is in the foreground, as far as its process was seen."""
    marks_itself: bool = False
    """What looks like an agent marks its own turns as a shell does, with how they ended."""
    prompt: str = ""
    """What that program writes before what is typed, if this is no more than a word and a sign."""
    now: float = 0.0
    sources: dict[Source, Held] = {}
    foreground: Foreground | None = None
    awaited_keys_at: float = float("-inf")
    """When a process was last seen to wait for keys."""
    view: View | None = None
    closing: View | None = None
    """The screen as the shell came back from its last command: what is printed later is no part of it."""
    closed_at: float | None = None
    """When the shell came back from its last command; None while one runs, and before any."""
    rested: tuple[str, ...] = ()
    """The turn's lines when a program was last seen to wait for single keys in it."""
    left_screen: bool = False
    """The alternate screen was left."""
    drawn: bool = False
    """A program fills the screen and draws it anew in place, though it is not the alternate one."""
    changed_at: float = 0.0
    """When the screen's text last changed (NB-7)."""
    written: str | None = None
    """What a program has written on the cursor's line, as far as somebody followed it."""
    prompted: bool = False
    """It is a line that comes back after each command."""
    question: tuple[int, str] | None = None
    """Row and text of the question that is open, mostly in the cursor's row; None if there is none."""
    asked_at: float = 0.0
    """When it was written there, though a number in it counts down."""
    worked_at: float = float("-inf")
    """When the processes in the foreground were last seen to use the processor."""
    retries: Retries | None = None
    """An agent's words for trying again and again; None without them."""
    mark: str = ""
    """What is to be told beside a state of work: a failure that it printed, or that it tries again."""
    ended: Ended | None = None
    stopped: bool = False
    corrected: Corrected | None = None
    corrected_turn: int = 0
    typed_at: float = float("-inf")
    """When the user last typed anything but Enter."""
    typed_count: int = 0
    """How many characters of it may still come to stand on the cursor's line."""
    entered_at: float = float("-inf")
    entered_under: bool = False
    """A program was in the foreground as the shell's line seemed entered: that program has ended."""
    turn: Turn = Turn()

    def take(self, event: Event) -> None:
        """Remember what an event says."""
        self.now = max(self.now, event.at)
        match event:
            case Evidence():
                self._hear(event)
            case View():
                self._look(event)
            case Foreground():
                self._sample(event)
            case Typed():
                self._typed(event)
            case Ended():
                self.ended = event
            case Stopped():
                self.stopped = True
            case Corrected():
                self.corrected, self.corrected_turn = event, self.turn.number

    def held(self, source: Source) -> Held | None:
        """Return a source's evidence; None if it has expired or is of an earlier command."""
        held = self.sources.get(source)
        if held is None or (held.last.expires is not None and held.last.expires <= self.now):
            return None
        return held

    def says(self, source: Source) -> Says | None:
        """Return what a source says now; None if it says nothing."""
        held = self.held(source)
        return held.says if held else None

    @property
    def correction(self) -> Corrected | None:
        """The user's correction in this turn; None without one, and after the session's end."""
        said = self.corrected
        if said is None or self.corrected_turn != self.turn.number:
            return None
        return None if self.ended is not None and self.ended.at > said.at else said

    @property
    def marked(self) -> bool:
        """Tell whether prompts and their marks say how the session stands.

        So it is with a shell, and with any other program that marks its prompts as one, such as a
        shell behind ssh; an agent's marks are those of commands that it runs.
        """
        return self.shell or (not self.agent and Source.SHELL in self.sources)

    @property
    def own_line(self) -> str:
        """What a program has written on the cursor's line, without what was typed behind it."""
        if self.written is not None:
            return self.written
        return self.view.cursor_line if self.view else ""

    def forget(self, *sources: Source) -> None:
        """Drop the evidence of these sources: the program that it came from is gone."""
        for source in sources:
            self.sources.pop(source, None)

    def _hear(self, said: Evidence) -> None:
        if said.source is Source.SHELL and self.hosts_agent:
            # Some agents mark what they print as a shell does; only a shell tells a status.
            if said.rule != "mark-D":
                return
            self.hosts_agent = False
            # Where no shell is that could have told it, the program marks its own commands.
            alone = self.foreground is not None and self.foreground.leader
            self.marks_itself = self.marks_itself or (not self.shell and alone)
        old, over = self.sources.get(said.source), self._is_over()
        if old is None:
            self.sources[said.source] = Held(said, said.at)
        elif old.says == said.says:
            self.sources[said.source] = Held(said, old.since, old.before)
        else:
            self.sources[said.source] = Held(said, said.at, old.last)
        if said.begins:
            self.turn = self.turn.next(said.at)
        if self.marked and said.source in (Source.EDITOR, Source.SHELL):
            self._command_line(said, over=over)
            if said.says not in AT_WORK and (old is None or old.says in AT_WORK):
                self._close(said.at)
        if said.says in AT_WORK and said.source is not Source.EDITOR:
            self.turn = self.turn.worked(said.at)

    def _command_line(self, said: Evidence, *, over: bool) -> None:
        """A command was entered: what the last one's program said is of no account."""
        if said.says is not Says.RUNNING or (said.source is Source.EDITOR and self._marks_rest()):
            return
        self.turn = self.turn.entered(said.at, over=over)
        self._open()
        self.entered_under = self.foreground is not None and not self.foreground.leader
        self.forget(Source.HOOK, Source.STATUS, Source.TITLE, Source.PROGRESS, Source.SCREEN)

    def _marks_rest(self) -> bool:
        """Tell whether a shell that marks its commands is at its prompt: Enter alone is none."""
        marks = self.sources.get(Source.SHELL)
        return marks is not None and marks.says not in AT_WORK

    def _look(self, view: View) -> None:
        old = self.view
        if old is None or old.rows != view.rows:
            self.changed_at = view.at
            self.drawn = self.drawn or (old is not None and _drawn_in_place(old, view))
        if old is not None and old.alt_screen != view.alt_screen:
            self._switch_screen(view)
        self.view = view
        if self.closed_at is not None and (
            self.closing is None or view.at <= self.closed_at + PROMPT
        ):
            self.closing = view

    def _close(self, at: float) -> None:
        """A command has ended: keep its screen, which was looked at just before or will be next."""
        if self.closed_at is None:
            self.closed_at = at
            self.closing = self.view if self.view is not None and self.view.at >= at else None

    def _open(self) -> None:
        self.closed_at, self.closing, self.rested, self.drawn = None, None, (), False

    def _switch_screen(self, view: View) -> None:
        """An agent that fills the screen again after it had left it has started anew."""
        if self.agent and view.alt_screen and self.left_screen:
            self.turn = msgspec.structs.replace(self.turn, worked_at=None, command_at=view.at)
        self.left_screen = not view.alt_screen

    def _sample(self, seen: Foreground) -> None:
        old = self.foreground
        if self.shell and seen.leader and seen.wait is not Wait.NOTHING:
            # Its prompt is there: whatever program told its status is gone, or stopped.
            self.forget(Source.STATUS)
        if self.shell and old is not None and old.leader and not seen.leader:
            self.turn = self.turn.ran(seen.at)
        at_prompt = self.shell and seen.leader and seen.wait is not Wait.NOTHING
        if at_prompt and not {Source.EDITOR, Source.SHELL} & self.sources.keys():
            self._close(seen.at)
        if not seen.leader and not seen.canonical and seen.wait is not Wait.NOTHING and self.view:
            self.rested = self.view.lines
        if seen.wait is Wait.KEYS:
            self.awaited_keys_at = seen.at
        if seen.busy:
            self.worked_at = seen.at
        self.foreground = seen

    def _typed(self, typed: Typed) -> None:
        if typed.key is Key.ENTER:
            self.entered_at, self.typed_count = typed.at, 0
        else:
            self.typed_at = typed.at
            self.typed_count += typed.count
        if typed.key is Key.ENTER and self._is_plain_prompt():
            self.turn = self.turn.entered(typed.at)
            self._open()
        elif typed.key is Key.ENTER and self._shows_dialog():
            return
        elif typed.key is Key.ENTER:
            self.turn = self.turn.next(typed.at, over=self._is_over())
        elif typed.key in (Key.INTERRUPT, Key.ESCAPE):
            at_work = self.says(Source.TITLE) in AT_WORK
            self.turn = self.turn.broken(typed.at, typed.key, at_work=at_work)

    def _shows_dialog(self) -> bool:
        """Tell whether Enter answers a dialog, by which the turn goes on (N-68)."""
        return any(self.says(source) is Says.WAITS for source in (Source.STATUS, Source.SCREEN))

    def _is_over(self) -> bool:
        """Tell whether the shell has come back since the turn began."""
        told = (self.sources.get(source) for source in (Source.EDITOR, Source.SHELL))
        since = self.turn.started_at
        return any(one.says not in AT_WORK and one.last.at > since for one in told if one)

    def _is_plain_prompt(self) -> bool:
        """Tell whether a shell reads a line that says by no marks when it has got one."""
        seen = self.foreground
        if not self.shell or Source.EDITOR in self.sources or Source.SHELL in self.sources:
            return False
        return seen is not None and seen.leader and seen.wait is Wait.READ


_FULL: Final = 0.75
"""Share of its rows that hold something on a screen that is full."""


def _drawn_in_place(old: View, new: View) -> bool:
    """Tell whether a full screen has changed in its upper half while other rows stayed in their place.

    What is printed below a full screen moves all of its rows.
    """
    if sum(bool(row.strip()) for row in new.rows) < len(new.rows) * _FULL:
        return False
    pairs = list(zip(old.rows, new.rows, strict=False))
    stayed = {row for before, row in pairs if row == before and row.strip()}
    return len(stayed) > 1 and any(row != before for before, row in pairs[: len(pairs) // 2])


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A state with its reason. An unconfirmed one is a candidate that output may take back."""

    state: State
    confidence: float
    rule: str
    because: tuple[Evidence, ...] = ()
    confirmed: bool = True
    until: float | None = None
    """When the passing of time alone may change it; None if it cannot."""


_MOST_COMMANDS: Final = 1000
"""Commands whose manifests are kept; there are no more at once, unless they change all the time."""
_BEGINNING: Final = 4096
"""Characters of a command that are read: it may have two million."""


class Rulebook(msgspec.Struct, frozen=True):
    """The data that the rules work with: the generic profile, manifests, and next actions."""

    profile: Profile
    manifests: tuple[Manifest, ...] = ()
    actions: tuple[ActionRule, ...] = ()
    _by_command: dict[str, Manifest | None] = msgspec.field(default_factory=dict)

    def manifest(self, command: str) -> Manifest | None:
        """Return the manifest of the program that this command runs, if there is one.

        Each look at a session asks for a few commands, which seldom change, so answers are kept.
        """
        kept, command = self._by_command, command[:_BEGINNING]
        if command not in kept:
            if len(kept) >= _MOST_COMMANDS:
                kept.clear()
            kept[command] = next((one for one in self.manifests if one.runs(command)), None)
        return kept[command]

    def named(self, name: str) -> Manifest | None:
        """Return a manifest by its name."""
        return next((found for found in self.manifests if found.name == name), None)


def because(*found: Evidence | None) -> tuple[Evidence, ...]:
    """Return these pieces of evidence, without None."""
    return tuple(item for item in found if item is not None)
