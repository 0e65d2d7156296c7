"""Small dialogs on sessions: start again, rename, what has ended, what was told of them, reminders."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.api.messages import ReminderStanding
from nagomi_tui.sessions.session import Session
from nagomi_tui.text.cells import printable
from nagomi_tui.view.common.badge import ending
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.dialogs.dialog import LineDialog, OptionsDialog
from nagomi_tui.view.screens.state import Told


class Again(LineDialog):
    """One line with the command as it was stored; it is run only once the gaps are filled."""

    def compose(self) -> ComposeResult:
        yield self.box(
            Static(tr("The command held a secret, which nagomi does not store.")),
            Input(self.line, select_on_focus=False),
            Static(classes="fault"),
            title=tr("Start again"),
            foot=tr("Enter to start · Esc to leave it"),
        )


class Rename(LineDialog):
    """One line with the name."""

    def compose(self) -> ComposeResult:
        yield self.box(
            Input(self.line, select_on_focus=True),
            Static(classes="fault"),
            title=tr("Rename"),
            foot=tr("Enter to keep · Esc to leave it"),
        )

    def wrong(self, line: str) -> str:
        return "" if line else tr("A name needs at least one character.")


_NAMED: Final = 8
"""Most sessions that are named; the rest is counted."""


class Ended(OptionsDialog):
    """Its result is `fold`, `restart` or `remove`; o, r and x choose one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "answer('fold')", show=False),
        Binding("r", "answer('restart')", show=False),
        Binding("x", "answer('remove')", show=False),
    ]

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
                Option(Content.assemble((key, "bold"), f"  {text}"), id=wish)
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
            Content.assemble(
                (one.condition.shape, f"${one.condition.color}"),
                f" {printable(one.name)}  ",
                (ending(one), "$muted"),
            )
            for one in self._sessions[:_NAMED]
        ]
        more = len(self._sessions) - _NAMED
        if more > 0:
            lines.append(Content(tr_count("and {count} more", "and {count} more", more)))
        return [*lines, Content("")]


class _Lines(OptionsDialog):
    """A list that has the keys, or a sentence where there is nothing to list."""

    DEFAULT_CSS = """
    _Lines > .box { width: 88; max-width: 96%; overflow: hidden; }
    _Lines OptionList { max-height: 16; }
    _Lines.-tight OptionList { max-height: 14; }
    """

    def listed(self, lines: list[Content], *, title: str, foot: str, none: str) -> Vertical:
        """Return the box with these lines, or with the sentence `none`."""
        if lines:
            return self.box(OptionList(*lines), title=title, foot=foot)
        return self.box(Static(none), title=title, foot=tr("Esc to close"))


class Notices(_Lines):
    """What was told, the newest first; its result is the id of the chosen session, or ""."""

    def __init__(self, told: list[Told]) -> None:
        super().__init__()
        self._notices = told[::-1]

    def compose(self) -> ComposeResult:
        """Each with its time and its session, or a word that there is none."""
        yield self.listed(
            [_notice_line(told) for told in self._notices],
            title=tr("Notices"),
            foot=tr("↑↓ to scroll · Enter to go there · Esc to close"),
            none=tr("Nothing was told yet."),
        )

    def result_of(self, option: Option, at: int) -> str:
        return self._notices[at].session


class Reminders(_Lines):
    """The open reminders, the earliest first; its result is the id of the chosen one's session, or ""."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("x,delete", "cancel", show=False)]

    def __init__(
        self,
        reminders: Iterable[ReminderStanding],
        cancel: Callable[[int, Callable[[str], None]], object],
    ) -> None:
        """`cancel` drops a reminder by its number, and tells what is wrong, or "" if it is dropped."""
        super().__init__()
        self._reminders = list(reminders)
        self._cancel = cancel

    def compose(self) -> ComposeResult:
        """Each with its number, when it is told, and its words."""
        yield self.listed(
            [Content(printable(one.said)) for one in self._reminders],
            title=tr("Reminders"),
            foot=tr("↑↓ to scroll · x to cancel one · Enter to go there · Esc to close"),
            none=tr('No reminder is open. `nagomi remind 20m "stretch"` sets one.'),
        )

    def action_cancel(self) -> None:
        for options in self.query(OptionList):
            if options.highlighted is not None:
                one = self._reminders[options.highlighted]
                self._cancel(one.reminder.number, partial(self._cancelled, one))

    def _cancelled(self, one: ReminderStanding, fault: str) -> None:
        """Take it off the list; the last one closes the list."""
        if fault or one not in self._reminders or not self.is_current:
            return
        at = self._reminders.index(one)
        del self._reminders[at]
        if not self._reminders:
            self.finish(None)
            return
        options = self.query_one(OptionList)
        options.remove_option_at_index(at)
        options.highlighted = min(at, len(self._reminders) - 1)

    def result_of(self, option: Option, at: int) -> str:
        return self._reminders[at].reminder.session


def _notice_line(told: Told) -> Content:
    """Return the lines of a notice; a clock tells enough of what was told today."""
    then, today = time.localtime(told.at), time.localtime()
    form = "%H:%M:%S" if then[:3] == today[:3] else "%m-%d %H:%M"
    name = f"{printable(told.name)}  " if told.name else ""
    clock = time.strftime(form, then)
    return Content.assemble((clock, "$muted"), "  ", (name, "$primary"), printable(told.text))
