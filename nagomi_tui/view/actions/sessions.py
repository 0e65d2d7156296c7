"""Actions on one session or on several: stop, restart, rename, remove and their like."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from nagomi_tui.api import messages
from nagomi_tui.hands.presets import login_command
from nagomi_tui.sessions.places import Beginning
from nagomi_tui.sessions.session import LOCAL, Session, has_ended
from nagomi_tui.system.environment import usual_shell
from nagomi_tui.view.actions.agents import HookHandlers
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.common.translate import language, tr, tr_count
from nagomi_tui.view.keymap.bindings import hint
from nagomi_tui.view.screens.state import ViewName


class Several(Handlers):
    """Each method returns False while no session is marked, so that the one in front is meant."""

    def __init__(self, asking: Asking, hooks: HookHandlers) -> None:
        super().__init__(asking)
        self._hooks = hooks

    def stop(self) -> bool:
        """Stop the marked sessions that run, after asking."""
        return self._all(
            [session for session in self._marked() if not has_ended(session)],
            tr("Stop these sessions?"),
            tr("Stop them"),
            lambda session: messages.Stop(id=0, session=session.session_id),
            none=tr("The marked sessions have ended already."),
        )

    def restart(self) -> bool:
        """Start the marked sessions again, after asking."""
        return self._all(
            [session for session in self._marked() if not session.cmd_masked],
            tr("Start these sessions again?"),
            tr("Start again"),
            lambda session: messages.Restart(id=0, session=session.session_id),
            none=tr(
                "The commands of the marked sessions hold secrets; start each again by itself."
            ),
            loses=self._hooks.loses,
        )

    def remove(self) -> bool:
        """Take the marked sessions that have ended off the list, after asking."""
        return self._all(
            [session for session in self._marked() if has_ended(session)],
            tr("Remove these sessions?"),
            tr("Remove them"),
            lambda session: messages.Remove(id=0, session=session.session_id),
            none=tr("The marked sessions still run; stop them first."),
        )

    def _marked(self) -> list[Session]:
        state = self._state
        if state.view is not ViewName.RUN or state.zoomed:
            return []
        return state.overview.marked(state.ordered)

    def _all(
        self,
        meant: list[Session],
        title: str,
        yes: str,
        order: Callable[[Session], messages.Request[Any]],
        *,
        none: str,
        loses: Callable[[Session], str] = lambda _session: "",
    ) -> bool:
        """Ask and do it; where it can be done to none of the marked sessions, say so by `none`.

        `loses` tells what is lost of a session by it.
        """
        marked = len(self._marked())
        if not marked:
            return False
        if not meant:
            self._refuse(none)
            return True
        names = ", ".join(session.name for session in meant)
        left = marked - len(meant)
        rest = (
            tr_count("{count} stays as it is.", "{count} stay as they are.", left) if left else ""
        )

        def act() -> None:
            self._state.overview.unmark_all()
            for session in meant:
                self._asking.ask(order(session))

        lost = [f"{session.name}: {said}" for session in meant if (said := loses(session))]
        question = "\n".join(line for line in (names, rest, *lost) if line)
        self._asking.confirm(title, question, yes, act)
        return True


class SessionHandlers(Handlers):
    """Actions on the session in front, and on the list of them."""

    def __init__(self, asking: Asking, hooks: HookHandlers) -> None:
        super().__init__(asking)
        self._several = Several(asking, hooks)
        self._hooks = hooks
        self._after_login: dict[str, messages.Create] = {}
        """What is asked for again once a hand was logged in to, by the session that logs in."""

    def action_new(self) -> None:
        """Ask for a new session."""
        from nagomi_tui.agents.registry import AGENTS
        from nagomi_tui.view.dialogs.completion import installed, offered
        from nagomi_tui.view.dialogs.new_session import NewSession

        current = self._state.current
        shell = self._state.settings.shell or usual_shell(os.environ)
        dialog = NewSession(
            shell=shell,
            begins=Beginning(current.worker_id, current.here)
            if current
            else Beginning(LOCAL, self._asking.folder),
            recent=offered(self._state.recent, installed(AGENTS, os.environ.get("PATH", ""))),
            characters={one.id: one.title(language()) for one in self._state.library.whole()},
            taken=frozenset(entry.name for entry in self._state.ordered),
            submit=self._create,
            find_folders=self._find_folders,
            run=self._asking.run_lines,
            place=self._state.settings.worktree_place,
        )
        self._main.open(dialog)

        def answered(answer: messages.HandList | messages.Failed) -> None:
            if not isinstance(answer, messages.Failed):
                dialog.offer_hands(answer.hands)

        self._link.request(messages.ListHands(id=0), answered)

    def _find_folders(self, hand: str, path: str, then: Callable[[Sequence[str]], None]) -> None:
        def answered(answer: messages.FarFolders | messages.Failed) -> None:
            then(() if isinstance(answer, messages.Failed) else answer.folders)

        self._link.request(messages.FindFolders(id=0, name=hand, path=path), answered)

    def look(self) -> None:
        """Begin the sessions whose hand has been logged in to by now."""
        for login in [one for one in self._after_login if one in self._state.sessions]:
            session = self._state.sessions[login]
            if has_ended(session):
                request = self._after_login.pop(login)
                if session.exit_code == 0:
                    self._create(request, lambda fault: fault and self._tell(fault))

    def _create(
        self,
        request: messages.Create,
        then: Callable[[str], object],
        after: messages.Create | None = None,
    ) -> None:
        """Ask for a session; `after` is asked for once the command of this one has succeeded."""
        cols, rows = self._main.session_size()

        def answered(answer: messages.SessionNamed | messages.Failed) -> None:
            if isinstance(answer, messages.Failed):
                then(answer.message)
                if answer.code == "login":
                    self._offer_login(request, answer.message, then)
                return
            then("")
            if after is not None:
                self._after_login[answer.session_id] = after
            self._asking.expect(answer.session_id)

        self._asking.ahead(replace(request, cols=cols, rows=rows), answered)

    def _offer_login(
        self, wanted: messages.Create, fault: str, close: Callable[[str], object]
    ) -> None:
        """Have the hand's ssh ask in a session of its own, once the user agrees; then go on."""
        hand = wanted.worker_id
        login = messages.Create(
            id=0, cmd=login_command(hand), cwd=os.path.expanduser("~"), name=f"login-{hand}"
        )
        self._asking.confirm(
            tr("Log in to {name}?", name=hand),
            fault,
            tr("Log in"),
            lambda: self._create(login, close, after=wanted),
            sudden=True,
        )

    def action_rename(self) -> None:
        from nagomi_tui.view.dialogs.session_dialogs import Rename as RenameDialog

        if (session := self._state.current) is not None:

            def submit(name: str, then: Callable[[str], None]) -> None:
                self._asking.ask_ahead(
                    messages.Rename(id=0, session=session.session_id, name=name), then
                )

            self._main.open(RenameDialog(session.name, submit))

    def action_restart(self) -> None:
        """Start the command again; a running one is stopped only after asking."""
        self._restart(fresh=False)

    def action_restart_fresh(self) -> None:
        """Start the command again; an agent begins a new conversation."""
        self._restart(fresh=True)

    def _restart(self, *, fresh: bool) -> None:
        session = self._state.current
        if session is None or (not fresh and self._several.restart()):
            return
        request = messages.Restart(id=0, session=session.session_id, fresh=fresh)
        if session.cmd_masked:
            self._ask_command(session)
            return
        if has_ended(session):
            self._asking.ask_ahead(request)
            return
        still = tr("{name} still runs. It will be stopped first.", name=session.name)
        lost = "" if fresh else self._hooks.loses(session)
        offers = bool(lost) and self._hooks.would_help(session)
        self._asking.confirm(
            tr("Start again?"),
            f"{still}\n{lost}".rstrip(),
            tr("Start again"),
            lambda: self._asking.ask_ahead(request),
            other=(tr("Hooks"), self._hooks.action_hooks) if offers else None,
        )

    def _ask_command(self, session: Session) -> None:
        """Start a session anew whose command was stored without the secret in it."""
        from nagomi_tui.view.dialogs.session_dialogs import Again

        def submit(cmd: str, then: Callable[[str], None]) -> None:
            self._asking.ask_ahead(
                messages.Restart(id=0, session=session.session_id, cmd=cmd), then
            )

        self._main.open(Again(session.cmd, submit))

    def action_stop(self) -> None:
        """Stop the session, or all that are marked, after asking."""
        session = self._state.current
        if session is None or self._several.stop():
            return
        if has_ended(session):
            self._refuse(
                tr("{name} has ended already.", name=session.name), session=session.session_id
            )
            return
        self._asking.confirm(
            tr("Stop this session?"),
            tr("{name} and everything that it started will be stopped.", name=session.name),
            tr("Stop it"),
            lambda: self._asking.ask(messages.Stop(id=0, session=session.session_id)),
        )

    def action_remove(self) -> None:
        """Take an ended session off the list, or all that are marked."""
        session = self._state.current
        if session is None or self._several.remove():
            return
        if has_ended(session):
            self._asking.typed_ahead.refuse()  # an Enter behind it is for no other session
            self._asking.ask(messages.Remove(id=0, session=session.session_id))
        else:
            self._refuse(
                tr(
                    "{name} still runs; stop it first ({key}).", name=session.name, key=hint("stop")
                ),
                session=session.session_id,
            )

    def action_earlier(self) -> None:
        self._reorder(-1)

    def action_later(self) -> None:
        self._reorder(1)

    def _reorder(self, by: int) -> None:
        session = self._state.current
        if session is None:
            return
        place = self._state.ordered.index(session) + 1 + by
        if 1 <= place <= len(self._state.sessions):
            self._asking.ask(messages.Reorder(id=0, session=session.session_id, number=place))

    def action_renumber(self) -> None:
        """Number the sessions by their order on screen."""
        self._asking.ask(messages.Renumber(id=0))

    def action_keep_size(self) -> None:
        """Bind the session's size."""
        if (session := self._state.current) is not None:
            self._asking.ask(messages.KeepSize(id=0, session=session.session_id))
            size = f"{session.cols}×{session.rows}"
            self._tell(
                tr("{name} keeps its size of {size}.", name=session.name, size=size),
                session=session.session_id,
            )

    def action_free_size(self) -> None:
        """Have the session take the size at which it is shown again."""
        if (session := self._state.current) is not None:
            self._asking.ask(messages.KeepSize(id=0, session=session.session_id, keep=False))
            self._tell(
                tr("{name} takes the size at which it is shown.", name=session.name),
                session=session.session_id,
            )
