"""The todos of a guarded project as one list: what is proposed, against what is approved."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from nagomi_tui.core.text.plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.api.messages import GuardShown

Change = Literal["same", "new", "gone"]
_MARKS: Final[dict[Change, str]] = {"same": " ", "new": "+", "gone": "-"}
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
        """Theme colour for the kind of change."""
        return {"same": "foreground", "new": "success", "gone": "error"}[self.change]


def rows(shown: GuardShown) -> list[Row]:
    """Return the rows: the proposal in its order, with what it leaves out of the approved list."""
    if not shown.proposal:
        return [
            Row(todo.content, "same", todo.status, offered=todo.content in shown.offered)
            for todo in shown.todos
        ]
    return list(_compared(shown))


def _compared(shown: GuardShown) -> Iterator[Row]:
    before = [todo.content for todo in shown.todos]
    status = {todo.content: todo.status for todo in shown.todos}
    matcher = SequenceMatcher(a=before, b=shown.proposal, autojunk=False)
    for tag, start, stop, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield from (Row(one, "gone", status[one]) for one in before[start:stop])
        change: Change = "same" if tag == "equal" else "new"
        for one in shown.proposal[first:last]:
            yield Row(one, change, status[one] if change == "same" else "", offered=True)
