"""The action that lists the worktrees of the repository in front, and what begins in them."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Final

from nagomi_tui.sessions.session import has_ended
from nagomi_tui.system.environment import line_of, usual_shell
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from nagomi_tui.view.actions.asking import Asking
    from nagomi_tui.view.actions.review import ReviewHandlers
    from nagomi_tui.view.dialogs.worktrees import Chosen
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState

_COMMANDS: Final = {
    "merge": ("merge",), "squash": ("merge", "--squash"), "rebase": ("rebase",),
    "remove": ("remove",), "gone": ("gone",), "undo": ("undo",),
}  # fmt: skip
"""By what is chosen, the words of `nagomi worktree`, which shows what would come and asks."""
_ASKED: Final = {
    "remove": (
        translatable("Remove the worktree {name}?"),
        translatable(
            "It goes only if nothing is lost with it: no session in it, nothing uncommitted or unpushed. "
            "Its branch stays, and u brings it back."
        ),
        translatable("Remove"),
    ),
    "rebase": (
        translatable("Rebase the worktree {name}?"),
        translatable(
            "Its commits are put onto its base as that is now; on a conflict all stays as it is."
        ),
        translatable("Rebase"),
    ),
}
"""What is asked before; the other commands ask by themselves, or only bring back."""


class WorktreeHandlers:
    """Lists worktrees, and does in sessions of their own what is chosen there."""

    def __init__(
        self,
        main: MainScreen,
        state: AppState,
        asking: Asking,
        review: ReviewHandlers,
        *,
        folder: str,
        expect: Callable[[str], object],
        go_to: Callable[[str], object],
        tell: Callable[..., object],
    ) -> None:
        """`expect` gives the focus to a session as soon as it is known, `go_to` at once."""
        self._main = main
        self._state = state
        self._asking = asking
        self._review = review
        self._folder = folder
        self._expect = expect
        self._go_to = go_to
        self._tell = tell

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {"worktrees": self.show}

    def show(self) -> None:
        """List the worktrees of the repository that the session in front is in."""
        from nagomi_tui.view.dialogs.worktrees import Worktrees
        from nagomi_tui.worktrees import figures, repository
        from nagomi_tui.worktrees.looks import Inside

        current = self._state.current
        if current is not None and not current.is_local:
            sentence = translatable(
                "{name} runs on {hand}; run `nagomi worktree list` there, in its folder."
            )
            self._tell(tr(sentence, name=current.name, hand=current.worker_id), error=True)
            return
        folder = current.here if current else self._folder
        inside = tuple(
            Inside(one.number, one.name, place)
            for one in self._state.ordered
            if one.is_local and not has_ended(one)
            for place in dict.fromkeys((one.cwd, one.here))
        )
        self._main.open(
            Worktrees(lambda: figures.survey(repository.find(folder), inside)), self._chosen
        )

    def _chosen(self, chosen: Chosen | None) -> None:
        if chosen is None:
            return
        one = chosen.worktree
        name = one.branch or one.name
        session = next((s for s in self._state.ordered if s.number in one.sessions), None)
        if chosen.verb == "review":
            self._review.open_folder(one.path, name, session)
        elif chosen.verb != "open":
            words = _COMMANDS[chosen.verb]
            which = () if chosen.verb in ("gone", "undo") else (one.path,)
            command = line_of(["nagomi", "worktree", *words, *which])
            called = f"{words[0]} {name}" if which else words[0]
            act = partial(self._asking.begin, command, chosen.home, called, self._expect)
            if asked := _ASKED.get(chosen.verb):
                title, question, yes = asked
                self._asking.confirm(tr(title, name=name), tr(question), tr(yes), act)
            else:
                act()
        elif session is not None:
            self._go_to(session.session_id)
        else:
            shell = self._state.settings.shell or usual_shell(os.environ)
            self._asking.begin(shell, one.path, name, self._expect)
