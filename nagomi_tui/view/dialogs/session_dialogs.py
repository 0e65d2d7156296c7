"""Small dialogs on sessions: start again, rename, what has ended, and what was told of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.text.cells import printable
from nagomi_tui.view.common.badge import ending
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.dialogs.dialog import Dialog, LineDialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.screens.state import Told


class Again(LineDialog):
    """One line with the command as it was stored; it is run only once the gaps are filled."""

    def compose(self) -> ComposeResult:
        """Yield the reason, the line, and its fault."""
        yield self.box(
            Static(tr("The command held a secret, which nagomi does not store."), markup=False),
            Input(self.line, select_on_focus=False),
            self.fault(),
            title=tr("Start again"),
            foot=tr("Enter to start · Esc to leave it"),
        )


class Rename(LineDialog):
    """One line with the name."""

    def compose(self) -> ComposeResult:
        """The line and its fault."""
        yield self.box(
            Input(self.line, select_on_focus=True),
            self.fault(),
            title=tr("Rename"),
            foot=tr("Enter to keep · Esc to leave it"),
        )

    def wrong(self, line: str) -> str:
        """Refuse an empty name."""
        return "" if line else tr("A name needs at least one character.")


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
                    "$color", f"${one.condition.color}"
                ),
                shape=one.condition.shape,
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


class Notices(Dialog[str]):
    """What was told, the newest first; its result is the id of the chosen session, or ""."""

    DEFAULT_CSS = """
    Notices > .box { width: 88; max-width: 96%; overflow: hidden; }
    Notices OptionList, Notices OptionList:focus {
        height: auto; max-height: 16; border: none; background: $background; padding: 0;
        background-tint: $background 0%; scrollbar-size-vertical: 1;
    }
    Notices.-tight OptionList { max-height: 14; }
    """

    def __init__(self, told: list[Told]) -> None:
        super().__init__()
        self._told = told[::-1]

    def compose(self) -> ComposeResult:
        """Each with its time and its session, or a word that there is none."""
        if self._told:
            yield self.box(
                OptionList(*map(_notice_line, self._told)),
                title=tr("Notices"),
                foot=tr("↑↓ to scroll · Enter to go there · Esc to close"),
            )
        else:
            yield self.box(
                Static(tr("Nothing was told yet.")),
                title=tr("Notices"),
                foot=tr("Esc to close"),
            )

    def on_mount(self) -> None:
        """Give the list the keys."""
        for options in self.query(OptionList):
            options.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the session of the chosen one, by Enter or a click."""
        self.finish(self._told[event.option_index].session)


def _notice_line(told: Told) -> Content:
    """Return the lines of a notice; a clock tells enough of what was told today."""
    then, today = time.localtime(told.at), time.localtime()
    form = "%H:%M:%S" if then[:3] == today[:3] else "%m-%d %H:%M"
    return Content.from_markup(
        "[$muted]$clock[/]  [$primary]$name[/]$text",
        clock=time.strftime(form, then),
        name=f"{printable(told.name)}  " if told.name else "",
        text=printable(told.text),
    )
