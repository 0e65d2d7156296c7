"""Asks what to do with the sessions that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.core.text.text import printable
from nagomi_tui.view.common.badge import badge, ending
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.dialogs.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from nagomi_tui.core.session.session import Session

_NAMED: Final = 8
"""So many sessions are named; the rest is counted."""


class Ended(Dialog[str]):
    """Its result is `fold`, `restart` or `remove`; o, r and x choose one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "choose('fold')", show=False),
        Binding("r", "choose('restart')", show=False),
        Binding("x", "choose('remove')", show=False),
    ]
    DEFAULT_CSS = """
    Ended OptionList, Ended OptionList:focus {
        height: auto; border: none; background: $background; background-tint: $background 0%;
        padding: 0;
    }
    """

    def __init__(self, sessions: list[Session], *, unfolded: bool) -> None:
        super().__init__()
        self._sessions = sessions
        self._unfolded = unfolded

    def compose(self) -> ComposeResult:
        """Which sessions have ended and how, and what can be done with all of them."""
        wishes = {
            "fold": (
                "o",
                tr("Fold them into one line") if self._unfolded else tr("Show each of them"),
            ),
            "restart": ("r", tr("Start all of them again")),
            "remove": ("x", tr("Take all of them off the list")),
        }
        options = OptionList(
            *(
                Option(Content.from_markup("[bold]$key[/]  $text", key=key, text=text), id=wish)
                for wish, (key, text) in wishes.items()
            )
        )
        count = len(self._sessions)
        yield self.box(
            Static(Content("\n").join(self._named())),
            options,
            title=tr_count("{count} ended", "{count} ended", count),
            foot=tr("o r x or Enter · Esc"),
        )

    def _named(self) -> list[Content]:
        lines = [
            Content.from_markup(
                "[$color]$shape[/] $name  [$muted]$how[/]".replace(
                    "$color", f"${badge(one).color}"
                ),
                shape=badge(one).shape,
                name=printable(one.name),
                how=ending(one),
            )
            for one in self._sessions[:_NAMED]
        ]
        more = len(self._sessions) - _NAMED
        if more > 0:
            lines.append(Content(tr_count("and {count} more", "and {count} more", more)))
        return [*lines, Content("")]

    def on_mount(self) -> None:
        """Give the choices the keys."""
        self.query_one(OptionList).focus()

    def action_choose(self, wish: str) -> None:
        """Choose by a key."""
        self.finish(wish)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose by Enter or a click."""
        self.finish(event.option.id)
