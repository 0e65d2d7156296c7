"""A program that is drawn by a test: its bytes, keys and processes, before a real engine and judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.judge.evidence import Foreground, Key, Typed, Wait
from nagomi_tui.judge.judge import Change, Judge
from nagomi_tui.judge.replay import Printing
from nagomi_tui.judge.senses.observer import Observer
from nagomi_tui.terminal.choose import open_engine
from tests.helpers.judge_story import BOOK

if TYPE_CHECKING:
    from nagomi_tui.judge.evidence import Event
    from nagomi_tui.judge.verdict import State

LOOK_EVERY = 0.5
"""Seconds between two samples of the processes."""


class Drawn:
    """What such a program shows over time; time passes only by `wait`."""

    def __init__(
        self, command: str = "zubrowka", *, size: tuple[int, int] = (80, 24), raw: bool = True
    ) -> None:
        self.engine = open_engine(*size)
        self.judge = Judge(command, BOOK, at=0.0)
        self.at = 0.0
        self.states: list[str] = []
        """What was shown, without repetitions."""
        self.why: list[str] = []
        """The rules by which it was shown."""
        self.calls: list[str] = []
        """The state of each turn that was over, or needed the user."""
        self._name = command
        self._raw = raw
        self.wait_for = Wait.KEYS if raw else Wait.READ
        """What its processes are seen to wait for."""
        self.echo = not raw
        self._sampled_at = float("-inf")
        self._observer = Observer(self.engine, self._tell)
        self._printing = Printing(self.engine, self._observer)

    def prints(self, text: str, wait: float = 0.0) -> None:
        """Print text as a program does, and let time go by."""
        self._printing.print(text.encode(), self.at)
        self.wait(wait)

    def wait(self, seconds: float) -> None:
        """Let time go by, with the looks at screen and processes that there are live."""
        until = self.at + seconds
        while True:
            sample = self._sampled_at + LOOK_EVERY
            look = self._observer.due
            wake = min(self.judge.wake_at, sample, float("inf") if look is None else look)
            if wake > until:
                break
            self.at = max(self.at, wake)
            if look is not None and look <= wake:
                self._observer.peek(self.at)
            elif sample <= wake:
                self._sample()
            else:
                self._observer.refresh(self.at)
                self._note(self.judge.tick(self.at))
        self.at = until

    def presses(self, key: Key = Key.ENTER, count: int = 1) -> None:
        """Let the user press a key, or send a text of so many characters."""
        self._observer.typed(Typed(self.at, key, count))

    @property
    def state(self) -> State:
        """What is shown now."""
        return self.judge.shown.state

    def _sample(self) -> None:
        self._sampled_at = self.at
        self._observer.refresh(self.at, last=self.judge.known.foreground is None)
        seen = Foreground(
            at=self.at,
            command=self._name,
            leader=True,
            wait=self.wait_for,
            canonical=not self._raw,
            echo=self.echo,
        )
        if self._observer.is_current:
            self._tell(seen)

    def _tell(self, event: Event) -> None:
        self._note(self.judge.feed(event))

    def _note(self, change: Change | None) -> None:
        shown = self.judge.shown
        if change is not None and change.completed:
            self.calls.append(str(shown.state))
        if not self.states or self.states[-1] != shown.state:
            self.states.append(str(shown.state))
            self.why.append(shown.finding.rule)
