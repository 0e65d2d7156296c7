"""Offers to let coding agents tell their state: in the bar, before a restart, and in the welcome."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

from nagomi_tui.agents.registry import AGENTS, WITH_HOOKS
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.sessions.session import has_ended
from nagomi_tui.system import deadlines
from nagomi_tui.text.cells import printable
from nagomi_tui.view.common.translate import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from nagomi_tui.agents.hooks.files import Change
    from nagomi_tui.agents.hooks.plan import Unfit
    from nagomi_tui.sessions.session import Session
    from nagomi_tui.view.screens.main_screen import MainScreen
    from nagomi_tui.view.screens.state import AppState

_SECONDS: Final = 2.0
"""For so long agents' files may hold the front end up."""
_AGAIN: Final = 30
"""Looks after which files are looked at again: there is one a second."""


class HookHandlers:
    """Finds out whether the agent in front tells its state, and lets the user decide."""

    def __init__(self, main: MainScreen, state: AppState, *, tell: Callable[..., object]) -> None:
        self._main = main
        self._state = state
        self._tell = tell
        self._looking: tuple[tuple[str, str], Future[tuple[str, ...]]] | None = None
        """What is looked at, by another thread."""
        self._known: dict[tuple[str, str], bool] = {}
        """By agent and folder, whether it is to be asked about."""
        self._looks = 0

    def table(self) -> dict[str, Callable[[], None]]:
        """Return the handlers of these actions by name."""
        return {
            "hooks": self.show,
            "hooks_later": lambda: self._answered((self._state.offered,), "later"),
            "hooks_never": lambda: self._answered((self._state.offered,), "never"),
        }

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

    def show(self) -> None:
        """Ask for the agent of the session in front."""
        session = self._state.current
        if session is None:
            return
        if not (name := _agent(session)):
            said = tr("In {name} runs no agent that could tell its state.", name=session.name)
            self._tell(said, session=session.session_id)
        else:
            self.ask((name,))

    def ask(self, names: Sequence[str], then: Callable[[], object] = lambda: None) -> None:
        """Show what would be written for these agents, and do as the user answers; then call `then`."""
        from nagomi_tui.agents.hooks import offers
        from nagomi_tui.agents.hooks.plan import Unfit
        from nagomi_tui.view.dialogs.hooks import HooksDialog

        try:
            changes = deadlines.wait(lambda: offers.planned(names), seconds=_SECONDS)
        except (Unfit, TimeoutError) as exc:
            self._tell(_fault(exc, names), error=True)
            return
        if not changes:
            self._tell(tr("{agents} can tell nagomi its state already.", agents=_titles(names)))
            return

        def closed(answer: str | None) -> None:
            if answer == "write":
                self._write(changes, names)
            self._answered(names, answer or "")
            then()

        self._main.open(HooksDialog(names, changes), closed)

    def _write(self, changes: Sequence[Change], names: Sequence[str]) -> None:
        from nagomi_tui.agents.hooks import offers
        from nagomi_tui.agents.hooks.plan import Unfit

        try:
            deadlines.wait(lambda: offers.write(changes), seconds=5 * _SECONDS)
        except (Unfit, TimeoutError) as exc:
            self._tell(_fault(exc, names), error=True)
        else:
            self._tell(
                tr(
                    "{agents}: the hooks are written. What runs takes them up at once or at its next start.",
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
