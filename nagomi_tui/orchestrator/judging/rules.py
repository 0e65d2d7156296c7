"""The rules that sessions are judged by: loaded from files, and changed by settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import anyio.to_thread
import msgspec

from nagomi_tui import deadline_thread, paths
from nagomi_tui.core.judge.finding import Rulebook
from nagomi_tui.core.judge.lines import Profile
from nagomi_tui.judging import manifests
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nagomi_tui.orchestrator.judging.judged import Judged
    from nagomi_tui.orchestrator.sessions.audience import Tell
    from nagomi_tui.orchestrator.sessions.roles import Named
    from nagomi_tui.settings.model import Settings

_LOAD_SECONDS: Final = 10.0


class Rules:
    """Holds the rulebook that all judges use."""

    def __init__(
        self, judged: Mapping[Named, Judged], settings: Callable[[], Settings], tell: Tell
    ) -> None:
        """`judged` holds the active judges, by session."""
        self._judged = judged
        self._settings = settings
        self._tell = tell
        self.book = Rulebook(Profile())

    async def load(self) -> None:
        """Load the rules, and report what was left out."""
        try:
            loaded = await deadline_thread.run(manifests.load, seconds=_LOAD_SECONDS)
        except TimeoutError:
            sentence = translatable(
                "{path} does not answer, so only the shipped rules of the judge are used."
            )
            self._tell("error", sentence, path=paths.config_folder())
            loaded = await anyio.to_thread.run_sync(manifests.load, paths.shipped("config"))
        self.book = loaded.book
        self.apply(self._settings())
        for problem in loaded.problems:
            self._tell("error", "{problem}", problem=problem)

    def apply(self, settings: Settings) -> None:
        """Use these settings from now on."""
        profile = msgspec.structs.replace(
            self.book.profile, silence_seconds=settings.silence_timeout
        )
        self.book = msgspec.structs.replace(self.book, profile=profile)
        for judged in self._judged.values():
            judged.judge.book = self.book

    def given_up(self, pattern: str) -> None:
        """Report that a rule's pattern took too long and is not used any more."""
        sentence = translatable(
            "A rule of yours takes too long and is not used any more: {pattern}"
        )
        self._tell("error", sentence, pattern=pattern)
