"""Who asks and how requests are refused; the orchestrator's stage of life; the settings in force."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Literal, Protocol, TypeAlias

import anyio
import msgspec

from nagomi_tui.settings.model import Settings
from nagomi_tui.text.words import Words

Code: TypeAlias = Literal[
    "not_found", "ambiguous", "refused", "login", "risky", "busy", "bad_request", "internal"
]


class Refusal(Exception):
    """A request cannot be carried out; `sentence` is the English key, with named placeholders."""

    def __init__(self, code: Code, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(**values) if values else sentence)
        self.code: Code = code
        self.sentence = sentence
        self.values = values

    def in_language(self, words: Words) -> str:
        return words.say(self.sentence, **self.values)


class Caller(Protocol):
    """A client, as far as it is to be proved who it is."""

    @property
    def pid(self) -> int:
        """The process that made its connection, while that lives; else 0."""

    @property
    def began(self) -> float:
        """When it connected, in seconds since the epoch."""

    @property
    def is_front_end(self) -> bool:
        """Whether it shows sessions to a user."""


class Requester(msgspec.Struct, frozen=True, kw_only=True):
    """A front end, a command, or any other program that asks."""

    identity: int = 0
    """A number that tells requesters apart; 0 for none in particular."""
    env: Mapping[str, str] = {}
    """Its environment, which sessions that it starts get."""
    words: Words
    """The translations into the language of its answers."""
    size: tuple[int, int] = (0, 0)
    """Columns and rows of its terminal; zeros if it has none."""
    is_front_end: bool = False
    """Whether it shows sessions to a user."""
    caller: Caller | None = None
    """The client itself; None for nobody in particular, who is never proved to be the user."""


class Lifetime:
    """This orchestrator's life: its supervisor, and the events that other parts wait for."""

    def __init__(self) -> None:
        self.supervisor_pid = 0
        """The process that keeps the residents, zygote and agent among them; 0 if there is none."""
        self.started_at = time.time()
        self.settings_known = anyio.Event()
        """Set when the settings were read, or do not answer; no client is served before."""
        self.sessions_adopted = anyio.Event()
        """Set when it is known which sessions live; none is started or ended before."""
        self.leaving = anyio.Event()
        self.leave_reason = ""

    def leave(self, reason: str) -> None:
        """End this orchestrator: `reload`, `quit` or `terminate`."""
        self.leave_reason = self.leave_reason or reason
        self.leaving.set()


class CurrentSettings:
    """Returns the settings when called; `on_change` is called with the old and the new ones."""

    def __init__(self) -> None:
        self._now = Settings()
        self.on_change: Callable[[Settings, Settings], None] = lambda _before, _now: None

    def __call__(self) -> Settings:
        return self._now

    def apply(self, settings: Settings) -> None:
        """Put these settings in force."""
        before, self._now = self._now, settings
        self.on_change(before, settings)
