"""A review in a terminal of its own, as `nagomi diff` shows it."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual import events
from textual.app import App, SuspendNotSupported
from textual.binding import BindingType
from textual.filter import LineFilter

from nagomi_tui.review.review import Review
from nagomi_tui.review.snapshots import Since
from nagomi_tui.settings.model import Settings
from nagomi_tui.system import deadlines
from nagomi_tui.text.words import language_from
from nagomi_tui.view.common import textual_private, theme
from nagomi_tui.view.common.timers import after_key
from nagomi_tui.view.common.translate import tr, use_language
from nagomi_tui.view.review.screen import ReviewScreen

_SEND_SECONDS: Final = 20.0


class ReviewApp(App[None], inherit_bindings=False):
    """Shows one review, and ends with it."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    Screen { layers: base over; background: $background; color: $foreground; }
    """

    def __init__(
        self, review: Review, settings: Settings, *, name: str = "", since: Since | None = None,
        post: Callable[[str], str] | None = None, hand: str = "",
    ) -> None:  # fmt: skip
        """`post` sends a text to the session, waits for that, and returns what is wrong, or nothing.

        `hand` names where the files are, if not here.
        """
        textual_private.draw_as_nagomi()
        super().__init__(ansi_color=True)
        use_language(language_from(os.environ, settings.language))
        for known in theme.THEMES:
            self.register_theme(known)
        self.theme = theme.choose(
            settings.theme,
            theme.told_background(os.environ),
            high_contrast=settings.high_contrast,
            colorblind=settings.colorblind,
            colors=self.console.color_system,
        )
        self._plain = textual_private.PlainFilter()
        self._typed: deque[events.Event] = deque()
        """Keys and pastes that were not dealt with yet; the first one is under way."""
        self._post = post
        self._hand = hand
        self.review_screen = ReviewScreen(
            review, name=name, since=since, send=self._send if post else None, edit=self._edit
        )

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that every line passes: what a file holds reaches no terminal as it is."""
        return [*super().get_line_filters(), self._plain]

    def on_mount(self) -> None:
        self.push_screen(self.review_screen, lambda _: self.exit())

    async def on_event(self, event: events.Event) -> None:
        """Pass a key on once the one before was dealt with: what that opens, this one is for."""
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
            return
        self._typed.append(event)
        if len(self._typed) == 1:
            await self._give_key()

    async def _give_key(self) -> None:
        await super().on_event(self._typed[0])
        self.call_later(after_key, self, self._key_done)

    def _key_done(self) -> None:
        self._typed.popleft()
        if self._typed:
            self.call_later(self._give_key)

    def _send(self, text: str, then: Callable[[str], None]) -> None:
        async def sent() -> None:
            assert self._post is not None
            post = self._post
            try:
                then(await deadlines.run(lambda: post(text), seconds=_SEND_SECONDS))
            except TimeoutError:
                then(tr("nagomi's orchestrator does not answer."))

        self.run_worker(sent())

    def _edit(self, path: Path, line: int) -> None:
        """Lend the terminal to the user's editor, then look again."""
        if self._hand:
            told = tr(
                "{path} is on {hand}; in the workplace, o opens it there.",
                path=path,
                hand=self._hand,
            )
            self.review_screen.complain(told)
            return
        command = editor(path, line)
        try:
            with self.suspend():
                subprocess.run(command, cwd=path.parent, check=False)
        except (OSError, SuspendNotSupported) as exc:
            self.review_screen.complain(str(exc))
            return
        self.review_screen.action_reload()


def editor(path: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line in the user's editor."""
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    words = shlex.split(wanted) or ["vi"]
    name = os.path.basename(words[0])
    if name in ("code", "code-insiders", "codium", "cursor"):
        return [*words, "--goto", f"{path}:{line}"]
    if name in ("hx", "helix", "subl", "zed"):
        return [*words, f"{path}:{line}"]
    return [*words, f"+{line}", str(path)]
