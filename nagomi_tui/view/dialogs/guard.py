"""The dialog on the guard of one session: its todos, approval, and what has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from typing import ClassVar, Final, Literal, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.api import messages
from nagomi_tui.review.model import FileChange, from_patch
from nagomi_tui.sessions.session import GuardStanding
from nagomi_tui.text.cells import printable, short_folder
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.badge import guard_badge, strict_words
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.timers import SETTLE_SECONDS
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.dialogs.dialog import Dialog
from nagomi_tui.view.review.diff import DiffView

Change = Literal["same", "new", "gone"]
_MARKS: Final[dict[Change, str]] = {"same": " ", "new": "+", "gone": "-"}
_NOTHING: Final = translatable("Nothing is proposed yet, and no todo is open.")
_DONE: Final = {"pending": "○", "in_progress": "◐", "completed": "✓"}


class Row(NamedTuple):
    """One todo."""

    content: str
    change: Change
    """Against the approved list."""
    status: str = ""
    """How far it is, where it is approved."""
    offered: bool = False
    """It can be approved now."""

    @property
    def text(self) -> str:
        """The todo with its marks for change and progress, without the check box."""
        done = _DONE.get(self.status, " ")
        return f"{_MARKS[self.change]} {done} {printable(self.content)}"

    @property
    def color(self) -> str:
        return {"same": "foreground", "new": "success", "gone": "error"}[self.change]


def rows(shown: messages.GuardShown) -> list[Row]:
    """Return the rows: the proposal in its order, with what it leaves out of the approved list."""
    if not shown.proposal:
        return [
            Row(todo.content, "same", todo.status, offered=todo.content in shown.offered)
            for todo in shown.todos
        ]
    return list(_compared(shown))


def _compared(shown: messages.GuardShown) -> Iterator[Row]:
    before = [todo.content for todo in shown.todos]
    status = {todo.content: todo.status for todo in shown.todos}
    matcher = SequenceMatcher(a=before, b=shown.proposal, autojunk=False)
    for tag, start, stop, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield from (Row(one, "gone", status[one]) for one in before[start:stop])
        change: Change = "same" if tag == "equal" else "new"
        for one in shown.proposal[first:last]:
            yield Row(one, change, status[one] if change == "same" else "", offered=True)


class GuardDialog(Dialog[bool]):
    """A list of todos, of which some can be chosen, over the project's diff."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", show=False),
        Binding("a", "alone('approve')", show=False),
        Binding("d", "alone('discuss')", show=False),
        Binding("s", "alone('stop')", show=False),
        Binding("S", "alone('stop_all')", show=False),
        Binding("r", "reload", show=False),
        Binding("u", "alone('undo')", show=False),
        Binding("c", "review", show=False),
    ]
    DEFAULT_CSS = """
    GuardDialog > .box { width: 110; height: 92%; overflow-y: hidden; }
    GuardDialog #standing { height: auto; max-height: 3; }
    GuardDialog #strict { height: 1; }
    GuardDialog #strict.-long { height: 2; }
    GuardDialog .fault { max-height: 3; }
    GuardDialog OptionList, GuardDialog OptionList:focus {
        height: 1; margin-top: 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    GuardDialog #heading { height: 1; margin-top: 1; color: $muted; }
    GuardDialog.-tight OptionList, GuardDialog.-tight #heading { margin-top: 0; }
    """

    def __init__(
        self,
        session_id: str,
        name: str,
        link: Link,
        *,
        stop_all: Callable[[], None],
        review: Callable[[], object],
    ) -> None:
        """`review` opens the whole review, in which comments are written, over this dialog."""
        super().__init__()
        self._review = review
        self.session_id = session_id
        self._called = name
        self._link = link
        self._stop_all = stop_all
        self._rows: list[Row] = []
        self._left_out: set[str] = set()
        """Todos that are not to be approved."""
        self._readable_at = float("inf")
        """When what is proposed now has stood there long enough to be approved."""
        self._unapproved: messages.GuardUnapproved | None = None
        """What has changed that no approval covers."""
        self._diff: messages.GuardDiffed | messages.Failed | None = None
        """What has changed since the last commit; None until it is answered."""

    def compose(self) -> ComposeResult:
        yield self.box(
            Static(id="standing"),
            Static(id="strict"),
            Static(id="fault", classes="fault"),
            OptionList(id="todos"),
            Static(id="heading"),
            DiffView(id="diff"),
            title=tr("Guard of {name}", name=printable(self._called)),
            foot=tr("Space · a approve · d discuss · s stop · S stop all · c comment · Tab · Esc"),
        )

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self.action_reload()

    def look_again(self) -> None:
        """The guard stands otherwise than before."""
        self._link.request(messages.GuardShow(id=0, session=self.session_id), self._shown)
        self._link.request(messages.GuardNoticed(id=0, session=self.session_id), self._noticed)

    # --- what is asked

    def action_reload(self) -> None:
        self.look_again()
        self._diff = None
        self._show_changes()
        self._link.request(messages.GuardDiff(id=0, session=self.session_id), self._diffed)

    def action_choose(self) -> None:
        """Choose the marked todo, or leave it out."""
        options = self.query_one(OptionList)
        at = options.highlighted
        if at is None or at >= len(self._rows) or not self._rows[at].offered:
            return
        self._left_out ^= {self._rows[at].content}
        options.replace_option_prompt_at_index(at, self._prompt(self._rows[at]))

    def action_approve(self) -> None:
        """Approve what is chosen, once it was there to be read."""
        if time.monotonic() < self._readable_at:
            return
        offered = [row.content for row in self._rows if row.offered]
        todos = tuple(one for one in offered if one not in self._left_out)
        if not self._rows:
            self.complain(tr(_NOTHING))  # the agent might set any todos then
        elif offered and not todos:
            self.complain(tr("Choose at least one todo with Space."))
        else:
            self._link.request(
                messages.GuardApprove(id=0, session=self.session_id, todos=todos), self._done
            )

    def action_discuss(self) -> None:
        self._link.request(messages.GuardDiscuss(id=0, session=self.session_id), self._done)

    def action_undo(self) -> None:
        """Undo what has changed that no approval covers."""
        if self._unapproved is not None:
            order = messages.GuardUndo(
                id=0, session=self.session_id, change=self._unapproved.change
            )
            self._link.request(order, self._undone)

    def action_review(self) -> None:
        """Open the whole review, to comment on what has changed."""
        self._review()

    def action_stop(self) -> None:
        self._link.request(messages.GuardStop(id=0, session=self.session_id), self._done)

    def action_stop_all(self) -> None:
        self._stop_all()
        self.finish(True)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click chooses, as Space does."""
        event.stop()
        self.action_choose()

    # --- what is answered

    @property
    def _is_drawn(self) -> bool:
        """Whether its widgets are there: it opens without them, and loses them one by one as it closes."""
        return self.display and bool(self.query("#fault"))

    def _done(self, answer: object) -> None:
        """Close, or say what is in the way."""
        faults = " ".join(getattr(answer, "faults", ()))
        if fault := answer.message if isinstance(answer, messages.Failed) else faults:
            self.complain(fault)
        else:
            self.finish(True)

    def _shown(self, answer: messages.GuardShown | messages.Failed) -> None:
        if not self._is_drawn:
            return
        if isinstance(answer, messages.Failed):
            self.complain(answer.message)
            return
        self.complain("")
        self._show_standing(answer)
        found, first = rows(answer), self._readable_at == float("inf")
        if first or found != self._rows:
            self._readable_at = time.monotonic() + (0.0 if first else SETTLE_SECONDS)
        self._show_rows(found)

    def _show_standing(self, shown: messages.GuardShown) -> None:
        done = sum(todo.status == "completed" for todo in shown.todos)
        standing = GuardStanding(
            mode=shown.mode, done=done, total=len(shown.todos), bypassed=shown.bypassed
        )
        strict, fault = shown.strict, shown.strict_fault
        badge, color = guard_badge(standing, strict=strict, fault=fault if strict else "")
        told_strict, strict_color = strict_words(standing, strict=strict, fault=fault)
        told = [short_folder(shown.project, os.path.expanduser("~"))]
        if shown.protocol:
            told.append(shown.protocol)
        if shown.stashed:
            told.append(tr_count("{count} put aside", "{count} put aside", shown.stashed))
        if shown.others:
            told.append(tr("shared with {names}", names=", ".join(shown.others)))
        rest = "  ·  ".join(map(printable, (*told, *shown.notices)))
        self.query_one("#standing", Static).update(
            Content.assemble((badge, f"${color} bold"), f"   {rest}")
        )
        held = self.query_one("#strict", Static)
        held.set_class(bool(fault), "-long")
        held.update(Content.styled(printable(told_strict), f"${strict_color}"))

    def _show_rows(self, found: list[Row]) -> None:
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        self._rows = found
        self._left_out &= {row.content for row in found}
        options.clear_options()
        options.add_options(Option(self._prompt(row)) for row in found)
        if not found:
            options.add_option(Option(tr(_NOTHING), disabled=True))
        # At most half of the dialog: what has changed is to be seen, too.
        options.styles.height = max(1, min(len(found), self.app.size.height // 2 - 3))
        options.highlighted = min(at, max(0, len(found) - 1))

    def _prompt(self, row: Row) -> Content:
        box = "   "
        if row.offered:
            box = "[ ]" if row.content in self._left_out else "[x]"
        return Content.assemble((box, "$primary"), " ", (row.text, f"${row.color}"))

    def _noticed(self, answer: messages.GuardUnapproved | messages.Failed) -> None:
        found = None if isinstance(answer, messages.Failed) or not answer.change else answer
        if self._is_drawn and found != self._unapproved:
            self._unapproved = found
            self._show_changes()

    def _undone(self, answer: messages.GuardUndone | messages.Failed) -> None:
        if not self._is_drawn:
            return
        if isinstance(answer, messages.Failed):
            self.complain(answer.message)
            return
        self.action_reload()
        if answer.left:
            left = ", ".join(map(printable, answer.left))
            self.complain(tr("Left, since it has changed once more: {paths}", paths=left))

    def _diffed(self, answer: messages.GuardDiffed | messages.Failed) -> None:
        self._diff = answer
        if self._is_drawn:
            self._show_changes()

    def _show_changes(self) -> None:
        """Show the diff since the last commit, below what no approval covers."""
        heading, files, more = self._since_commit()
        headings = {}
        if found := self._unapproved:
            told = tr_count(
                "{count} file changed without approval · u undoes it",
                "{count} files changed without approval · u undoes it",
                len(found.paths),
            )
            first = from_patch(found.lines)
            headings[len(first)] = str(heading)
            files, more = [*first, *files], more or found.left_out
            heading = Content.styled(told, "$error")
        if more:
            headings[len(files)] = "… " + tr_count("{count} more line", "{count} more lines", more)
        self.query_one("#heading", Static).update(heading)
        self.query_one(DiffView).show(files, headings=headings)

    def _since_commit(self) -> tuple[str | Content, list[FileChange], int]:
        answer = self._diff
        if answer is None:
            return tr("Looking for changes …"), [], 0
        if isinstance(answer, messages.Failed) or answer.fault:
            return answer.message if isinstance(answer, messages.Failed) else answer.fault, [], 0
        if not answer.lines:
            return tr("Nothing has changed since the last commit."), [], 0
        heading = tr("Changed since the last commit · Tab, then ↑↓ to scroll")
        return heading, from_patch(answer.lines), answer.left_out
