"""Actions on what has changed: the review of a folder, and the worktrees of a repository."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.messages import Send
from nagomi_tui.sessions.session import LOCAL, Session
from nagomi_tui.system.environment import line_of, usual_shell
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import translatable
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from nagomi_tui.view.dialogs.worktrees import Chosen


class ReviewHandlers(Handlers):
    """Opens reviews."""

    def action_review(self) -> None:
        """Open the review of the session in front."""
        session = self._state.current
        if session is not None:
            self.open(session)

    def open(self, session: Session) -> None:
        """Open the review of a session's folder."""
        self.open_folder(session.here, session.name, session)

    def open_folder(self, folder: str, name: str, session: Session | None) -> None:
        """Open the review of a folder; comments go to the session, if there is one."""
        from nagomi_tui.hands.reviewing import review_of
        from nagomi_tui.view.review.screen import ReviewScreen

        session_id = session.session_id if session else ""
        hand = session.worker_id if session and not session.is_local else ""
        screen = ReviewScreen(
            review_of(folder, session_id, hand),
            name=printable(name),
            send=partial(self._send, session_id),
            edit=partial(self._edit, hand),
        )
        self._main.open(screen)

    def _send(self, session_id: str, text: str, then: Callable[[str], None]) -> None:
        if not session_id:
            then(tr("No session is in this worktree; start one, then send."))
            return
        self._asking.ask(Send(id=0, session=session_id, text=text), then)

    def _edit(self, hand: str, path: Path, line: int) -> None:
        """Open the user's editor in a session of its own, in place of the review; on a hand, there."""
        from nagomi_tui.hands.reviewing import editor_there
        from nagomi_tui.view.review.app import editor

        command = editor_there(path, line) if hand else shlex.join(editor(path, line))
        self._main.close_dialogs()
        self._asking.begin(command, os.path.dirname(path), path.name, worker_id=hand or LOCAL)


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
_STOPS: Final = (
    translatable("Stop its sessions and remove the worktree {name}?"),
    translatable(
        "In it: {sessions}. They are stopped, and it goes, only if nothing is lost with it: nothing "
        "uncommitted or unpushed. Its branch stays, and u brings it back."
    ),
    translatable("Stop and remove"),
)
"""What is asked where sessions are in the worktree that is to be removed."""


class WorktreeHandlers(Handlers):
    """Lists worktrees, and does in sessions of their own what is chosen there."""

    def __init__(self, asking: Asking, review: ReviewHandlers) -> None:
        super().__init__(asking)
        self._review = review

    def action_worktrees(self) -> None:
        """List the worktrees of the repository that the session in front is in."""
        from nagomi_tui.view.dialogs.worktrees import Worktrees
        from nagomi_tui.worktrees import figures, repository
        from nagomi_tui.worktrees.looks import inside

        current = self._state.current
        if current is not None and not current.is_local:
            sentence = translatable(
                "{name} runs on {hand}; run `nagomi worktree list` there, in its folder."
            )
            self._refuse(tr(sentence, name=current.name, hand=current.worker_id))
            return
        folder = current.here if current else self._asking.folder
        here = inside(self._state.ordered)
        self._main.open(
            Worktrees(
                lambda: figures.survey(repository.find(folder), here),
                current.number if current else 0,
            ),
            self._chosen,
        )

    def _chosen(self, chosen: Chosen | None) -> None:
        if chosen is None:
            return
        one = chosen.worktree
        name = one.branch or one.name
        inside = [s for s in self._state.ordered if s.number in one.sessions]
        session = next(iter(inside), None)
        if chosen.verb == "review":
            self._review.open_folder(one.path, name, session)
        elif chosen.verb != "open":
            stops = chosen.verb == "remove" and bool(inside)
            words = (*_COMMANDS[chosen.verb], *(("--stop",) if stops else ()))
            which = () if chosen.verb in ("gone", "undo") else (one.path,)
            command = line_of(["nagomi", "worktree", *words, *which])
            called = f"{words[0]} {name}" if which else words[0]
            act = partial(self._asking.begin, command, chosen.home, called)
            if asked := _STOPS if stops else _ASKED.get(chosen.verb):
                title, question, yes = asked
                names = ", ".join(f"{s.number} {printable(s.name)}" for s in inside)
                told = tr(question, sessions=names)
                self._asking.confirm(tr(title, name=name), told, tr(yes), act)
            else:
                act()
        elif session is not None:
            self._asking.expect(session.session_id)
        else:
            shell = self._state.settings.shell or usual_shell(os.environ)
            self._asking.begin(shell, one.path, name)
