"""Actions on agents: talking to the resident one, guarding others, and letting them tell their state."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

from nagomi_tui.agents.registry import AGENTS, WITH_HOOKS
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.api import messages as m
from nagomi_tui.api.messages.agent import Mode
from nagomi_tui.sessions.session import Session, has_ended
from nagomi_tui.system import deadlines, paths
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.cells import printable
from nagomi_tui.view.actions.asking import Asking, Handlers
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.screens.state import CHAT_COMMAND, ViewName

if TYPE_CHECKING:
    from nagomi_tui.agents.hooks.files import Change
    from nagomi_tui.agents.hooks.formats import Unfit
    from nagomi_tui.view.dialogs.agents import AgentModeDialog
    from nagomi_tui.view.dialogs.guard import GuardDialog


class AgentHandlers(Handlers):
    """Actions on the resident agent."""

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self._dialog: AgentModeDialog | None = None

    def action_agent_chat(self) -> None:
        """Go to the chat with the agent, in a lane; its own keys are those of the program."""
        self._state.view, self._state.zoomed = ViewName.CHAT, False
        chats = [one for one in self._state.ordered if one.cmd == CHAT_COMMAND]
        if running := [one for one in chats if not has_ended(one)]:
            self._open(running[0].session_id)
            return
        if chats:  # it ended with the workplace, or by its user: same lane, same conversation
            self._asking.ask(m.Restart(id=0, session=chats[0].session_id))
            self._open(chats[0].session_id)
            return
        current = self._state.current
        folder = current.here if current and current.is_local else self._asking.folder

        def begun(session_id: str) -> None:
            self._state.open_lane(session_id)
            self._asking.expect(session_id)

        self._asking.begin(CHAT_COMMAND, folder, tr("agent"), begun)

    def _open(self, session_id: str) -> None:
        self._state.open_lane(session_id)
        self._asking.expect(session_id)
        self._main.show()

    def action_agent_mode(self) -> None:
        from nagomi_tui.view.dialogs.agents import AgentModeDialog

        def chosen(mode: str | None) -> None:
            self._dialog = None
            if mode:
                self._asking.ask(m.AgentMode(id=0, mode=from_builtins(mode, Mode)))

        folder = paths.agent_folder(self._state.settings.agent_folder)
        self._dialog = AgentModeDialog(self._state.agent, folder)
        self._main.open(self._dialog, chosen)

    def heard(self, stands: m.Agent) -> None:
        """The agent has told how it stands, which may be shown in its dialog."""
        if self._dialog is not None:
            self._dialog.stands(stands)


class GuardHandlers(Handlers):
    """Actions on the guard."""

    def __init__(self, asking: Asking, *, review: Callable[[Session], object]) -> None:
        """`review` opens the review of a session."""
        super().__init__(asking)
        self._review = review
        self._dialog: GuardDialog | None = None

    def action_guard(self) -> None:
        from nagomi_tui.view.dialogs.guard import GuardDialog

        session = self._state.current
        if session is None:
            return
        if session.guard is None:
            name = printable(session.name)
            self._refuse(
                tr(
                    "No guard on {name}; `nagomi new --guard` has one.",
                    name=name,
                )
            )
            return
        self._dialog = GuardDialog(
            session.session_id,
            session.name,
            self._link,
            stop_all=self.action_guard_stop_all,
            review=lambda: self._review(session),
        )
        self._main.open(self._dialog, self._closed)

    def _closed(self, result: bool | None) -> None:
        self._dialog = None

    def heard(self, changed: m.SessionChanged) -> None:
        """A session has changed; it may be the one whose guard is shown."""
        dialog = self._dialog
        if (
            dialog is not None
            and dialog.is_attached
            and changed.session.session_id == dialog.session_id
        ):
            dialog.look_again()

    def action_guard_stop_all(self) -> None:
        """Stop the agents of all sessions at once, without asking."""

        def answered(answer: m.GuardStopped | m.Failed) -> None:
            if isinstance(answer, m.Failed):
                self._tell(answer.message, error=True)
            elif answer.faults:
                self._tell(" ".join(answer.faults), error=True)
            elif answer.sessions:
                names = ", ".join(map(printable, answer.sessions))
                self._tell(tr("Stopped: {names}", names=names))
            else:
                self._tell(tr("No session is guarded."))

        self._link.request(m.GuardStop(id=0), answered)


_SECONDS: Final = 2.0
"""For so long agents' files may hold the front end up."""
_AGAIN: Final = 30
"""Looks after which files are looked at again: there is one a second."""


class HookHandlers(Handlers):
    """Finds out whether the agent in front tells its state, and lets the user decide."""

    def __init__(self, asking: Asking) -> None:
        super().__init__(asking)
        self._looking: tuple[tuple[str, str], Future[tuple[str, ...]]] | None = None
        """What is looked at, by another thread."""
        self._known: dict[tuple[str, str], bool] = {}
        """By agent and folder, whether it is to be asked about."""
        self._looks = 0

    # --- what is offered

    def look(self) -> None:
        """Offer it for the agent in front, if that is known to be without hooks and not put off."""
        self._looks += 1
        if self._looks % _AGAIN == 0:
            self._known.clear()
        if self._looking is not None and self._looking[1].done():
            key, found = self._looking
            self._known[key] = found.exception() is None and bool(found.result())
            self._looking = None
        session = self._state.current
        name = _agent(session) if session is not None and not has_ended(session) else ""
        key = (name, session.here if session is not None else "")
        if name and key not in self._known and self._looking is None:
            self._begin(key)
        offered = name if self._known.get(key, name == self._state.offered) else ""
        if offered != self._state.offered:
            self._state.offered = offered
            self._main.show()

    def _begin(self, key: tuple[str, str]) -> None:
        def work() -> tuple[str, ...]:
            from nagomi_tui.agents.hooks import offers

            return offers.to_offer((key[0],), key[1])

        try:
            self._looking = key, deadlines.begin(work)
        except TimeoutError:
            self._known[key] = False

    def newcomers(self) -> tuple[str, ...]:
        """Return the agents on this machine that a newcomer is asked about."""

        from nagomi_tui.agents.hooks import offers

        def work() -> tuple[str, ...]:
            return offers.to_offer(name for name in WITH_HOOKS if shutil.which(name))

        try:
            return deadlines.wait(work, seconds=_SECONDS)
        except TimeoutError:
            return ()

    # --- the dialog

    def action_hooks(self) -> None:
        """Ask for the agent of the session in front."""
        session = self._state.current
        if session is None:
            return
        if not (name := _agent(session)):
            said = tr("In {name} runs no agent that could tell its state.", name=session.name)
            self._refuse(said, session=session.session_id)
        else:
            self.ask((name,))

    def action_hooks_later(self) -> None:
        """Offer them again in some days."""
        self._answered((self._state.offered,), "later")

    def action_hooks_never(self) -> None:
        """Offer them no more."""
        self._answered((self._state.offered,), "never")

    def ask(self, names: Sequence[str], then: Callable[[], object] = lambda: None) -> None:
        """Show what would be written for these agents, and do as the user answers; then call `then`."""
        from nagomi_tui.agents.hooks import offers
        from nagomi_tui.agents.hooks.formats import Unfit
        from nagomi_tui.view.dialogs.agents import HooksDialog

        try:
            changes = deadlines.wait(lambda: offers.planned(names), seconds=_SECONDS)
        except (Unfit, TimeoutError) as exc:
            self._refuse(_fault(exc, names))
            return
        if not changes:
            self._refuse(tr("{agents} can tell nagomi its state already.", agents=_titles(names)))
            return

        def closed(answer: str | None) -> None:
            if answer == "write":
                self._write(changes, names)
            self._answered(names, answer or "")
            then()

        self._main.open(HooksDialog(names, changes), closed)

    def _write(self, changes: Sequence[Change], names: Sequence[str]) -> None:
        from nagomi_tui.agents.hooks import offers
        from nagomi_tui.agents.hooks.formats import Unfit

        try:
            deadlines.wait(lambda: offers.write(changes), seconds=5 * _SECONDS)
        except (Unfit, TimeoutError) as exc:
            self._tell(_fault(exc, names), error=True)
        else:
            self._tell(
                tr(
                    "{agents}: the hooks are written. They work from the next start at the latest.",
                    agents=_titles(names),
                )
            )

    def _answered(self, names: Sequence[str], answer: str) -> None:
        from nagomi_tui.agents.hooks import offers

        if answer in ("later", "never"):
            offers.put_off([name for name in names if name], for_ever=answer == "never")
        self._known.clear()
        self._state.offered = ""
        self._main.show()

    # --- before a restart

    def loses(self, session: Session) -> str:
        """Return a sentence on what a restart of a running session loses, or ""."""
        name = session.agent_name
        agent = AGENTS.get(name)
        if has_ended(session) or agent is None or agent.resume is None or session.is_unasked:
            return ""
        if agent_of(session.cmd) != name:
            return tr(
                "{agent} was started in it by hand, and is not started again.", agent=agent.title
            )
        if not self._is_without(session):
            return ""
        return tr(
            "Its conversation would be lost: nagomi learns from hooks alone which one it is. "
            "With them (h) it goes on, once {agent} was asked something more.",
            agent=agent.title,
        )

    def would_help(self, session: Session) -> bool:
        """Return whether hooks would keep the conversation over a restart."""
        return agent_of(session.cmd) == session.agent_name and self._is_without(session)

    def _is_without(self, session: Session) -> bool:
        from nagomi_tui.agents.hooks import offers

        if not (name := _agent(session)):
            return False
        try:
            return deadlines.wait(
                lambda: offers.without_hooks(name, session.here), seconds=_SECONDS
            )
        except TimeoutError:
            return False


def _agent(session: Session | None) -> str:
    """Return the agent of a session whose hooks this machine's user can have written; else ""."""
    if session is None or not session.is_local or session.guard is not None:
        return ""
    name = session.agent_name
    return name if name in WITH_HOOKS else ""


def _titles(names: Sequence[str]) -> str:
    return tr(", ").join(AGENTS[name].title for name in names)


def _fault(exc: Unfit | TimeoutError, names: Sequence[str]) -> str:
    if isinstance(exc, TimeoutError):
        return tr(
            "The settings of {agents} do not answer; nothing was written.", agents=_titles(names)
        )
    from nagomi_tui.agents.hooks.plan import AGENTS as HOOKED

    path = HOOKED[names[0]].path(project=False)
    return printable(tr(exc.sentence, **{**exc.values, "path": path}))
