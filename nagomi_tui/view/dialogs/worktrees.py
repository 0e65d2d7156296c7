"""The list of a repository's worktrees: how each stands, which of them meet, and what can be done."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.text.cells import cut_left, printable, short_folder
from nagomi_tui.view.common.timers import from_git
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.dialog import Dialog
from nagomi_tui.worktrees.model import Figures, in_words, parts

_SECONDS: Final = 60.0
"""How long git may take to tell of all of them."""
_WIDTH: Final = 96
"""Columns of the list at most, as its style has them."""
_BESIDE: Final = 8
"""Columns of those beside a folder: frame, padding, the blanks before it and a scrollbar."""


class Chosen(NamedTuple):
    """What is to be done with a worktree."""

    verb: str
    """`open`, `review`, `merge`, `squash`, `rebase`, `remove`, `gone` or `undo`."""
    worktree: Figures
    home: str
    """The folder of the repository's main worktree."""


class Worktrees(Dialog[Chosen]):
    """Enter opens a worktree, letters do the rest; what changes something asks before it does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "choose('review')", show=False),
        Binding("m", "choose('merge')", show=False),
        Binding("s", "choose('squash')", show=False),
        Binding("b", "choose('rebase')", show=False),
        Binding("x", "choose('remove')", show=False),
        Binding("g", "choose('gone')", show=False),
        Binding("u", "choose('undo')", show=False),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]
    DEFAULT_CSS = """
    Worktrees > .box { width: 96; max-width: 98%; overflow: hidden; }
    Worktrees OptionList { display: none; max-height: 24; }
    Worktrees OptionList.-open { display: block; }
    Worktrees.-tight OptionList { max-height: 16; }
    Worktrees .keys { color: $muted; height: auto; margin-top: 1; }
    Worktrees.-tight .keys { margin-top: 0; }
    """

    def __init__(self, load: Callable[[], Sequence[Figures]], session: int) -> None:
        """`load` returns all worktrees, the main one first; it may take its time.

        The one that the session of this number is in is marked at first.
        """
        super().__init__()
        self._load = load
        self._session = session
        self._found: Sequence[Figures] = ()

    def compose(self) -> ComposeResult:
        """A word that it looks; then the list and its keys."""
        keys = tr(
            "d review · m merge · s squash-merge · b rebase · x remove\n"
            "g remove all that are merged · u undo the last removal"
        )
        yield self.box(
            Static(tr("Looking at the worktrees …"), id="said"),
            OptionList(),
            Static(keys, classes="keys"),
            title=tr("Worktrees"),
            foot=tr("Enter to open · Esc to close"),
        )

    def on_mount(self) -> None:
        """Look, away from the event loop."""
        self.run_worker(from_git(self, self._load, self._show, self._say, seconds=_SECONDS))

    def _say(self, sentence: str) -> None:
        self.query_one("#said", Static).update(sentence)

    def _show(self, found: Sequence[Figures]) -> None:
        self._found = found
        self.query_one("#said", Static).display = False
        options = self.query_one(OptionList)
        width = min(_WIDTH, self.app.size.width * 98 // 100) - _BESIDE
        options.add_options([Option(_lines(one, width)) for one in found])
        options.add_class("-open")
        inside = [at for at, one in enumerate(found) if self._session in one.sessions]
        options.highlighted = max(inside, key=lambda at: len(found[at].path), default=0)
        options.focus()

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if by > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_choose(self, verb: str) -> None:
        at = self.query_one(OptionList).highlighted
        if at is not None and self._found:
            self.finish(Chosen(verb, self._found[at], self._found[0].path))

    def on_option_list_option_selected(self) -> None:
        self.action_choose("open")


def _lines(one: Figures, width: int) -> Content:
    """Return what is shown of a worktree: its branch and how it stands, its folder, whom it meets."""
    name = printable(one.branch or one.commit[:8] or "-")
    stands = printable("  ".join(parts(one, tr)))
    folder = cut_left(printable(short_folder(one.path, os.path.expanduser("~"))), width)
    met = [(f"\n  {printable(said)}", "$warning") for said in in_words(one, one.meets, tr)]
    return Content.assemble((name, "bold"), f"  {stands}\n  ", (folder, "$muted"), *met)
