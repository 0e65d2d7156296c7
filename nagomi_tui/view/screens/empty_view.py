"""What is shown while there is no session: a character, a welcome, and what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.containers import Center, Middle
from textual.widgets import Static

from nagomi_tui.core.session.session import Phase
from nagomi_tui.view.character.character import Size
from nagomi_tui.view.character.sprite import Sprite
from nagomi_tui.view.common.chip import Chip
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.keymap.hint import hint

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from nagomi_tui.view.character.character import Character


_LOW: Final = 22
"""Rows up to which the small picture is shown."""


class EmptyView(Middle):
    """The view without any session."""

    DEFAULT_CSS = """
    EmptyView { width: 1fr; height: 1fr; background: $background; align: center middle; }
    EmptyView > Center { height: auto; }
    EmptyView Static { width: 1fr; text-align: center; color: $muted; }
    EmptyView .welcome { color: $foreground; margin: 1 0; }
    EmptyView Chip { color: $accent; text-style: bold; }
    """

    def __init__(self, character: Character | None) -> None:
        super().__init__()
        self._character = character

    def compose(self) -> ComposeResult:
        """A character, a word of welcome, and the first key."""
        yield Center(Sprite(self._character))
        yield Static(tr("The room is warm. Come in."), classes="welcome")
        chip = Chip("new")
        chip.update(tr("{key}  start a session", key=hint("new")))
        yield chip
        help_chip = Chip("help")
        help_chip.update(tr("{key}  all keys", key=hint("help")))
        yield help_chip

    def on_mount(self) -> None:
        """Show the character's listening face."""
        size = Size.LARGE if self.app.size.height > _LOW else Size.SMALL
        # A session that starts at this moment may have taken all of it away already.
        for sprite in self.query(Sprite):
            sprite.still = True
            sprite.follow(self._character, Phase.LISTENING, size)
