"""What carries out actions, and what it asks: the orchestrator, and the user before what cannot be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from nagomi_tui.api.messages import Create, Failed, Request, SessionNamed, Wait, Waited
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.view.common.link import Link
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.driver.keyboard import TypedAhead
from nagomi_tui.view.screens.main_screen import MainScreen
from nagomi_tui.view.screens.state import AppState

if TYPE_CHECKING:
    from nagomi_tui.view.dialogs.dialog import Other

Answered = TypeVar("Answered")


@dataclass(eq=False)
class Asking:
    """Asks on behalf of the actions, and shows what was refused."""

    link: Link
    main: MainScreen
    state: AppState
    typed_ahead: TypedAhead
    _: KW_ONLY
    folder: str
    """Where sessions start while there is none in front."""
    expect: Callable[[str], object]
    """Goes to a session by its id as soon as the orchestrator tells of it."""
    tell: Callable[..., object]
    """Shows the user a sentence."""

    def ask(self, request: Request[Any], then: Callable[[str], None] | None = None) -> None:
        """Send a request; a refusal is shown, or passed to `then`, which gets "" for success."""

        self.link.request(request, lambda answer: self._answered(request, answer, then))

    def ask_ahead(self, request: Request[Any], then: Callable[[str], None] | None = None) -> None:
        """Send a request; what is typed meanwhile is for the session that gets the keys by it."""
        self.ahead(request, lambda answer: self._answered(request, answer, then))

    def ahead(
        self, request: Request[Answered], then: Callable[[Answered | Failed], object]
    ) -> None:
        """Send a request that moves the keys to another session; a refusal drops what was typed ahead."""
        release = self.typed_ahead.hold()

        def answered(answer: Answered | Failed) -> None:
            if isinstance(answer, Failed):
                self.typed_ahead.refuse()
            then(answer)
            release()

        self.link.request(request, answered)

    def refuse(self, text: str, *, session: str = "") -> None:
        """Say why a key does nothing; what was typed right behind it is for nobody."""
        self.typed_ahead.refuse()
        self.tell(text, error=True, session=session)

    def begin(
        self, command: str, folder: str, name: str, then: Callable[[str], object] | None = None,
        *, worker_id: str = LOCAL,
    ) -> None:  # fmt: skip
        """Start a session where the next one is shown, and go to it; a refusal is shown.

        `then` gets its id in place of that. `worker_id` names a hand.
        """

        def answered(answer: SessionNamed | Failed) -> None:
            if isinstance(answer, Failed):
                self.tell(answer.message, error=True)
            else:
                (then or self.expect)(answer.session_id)

        cols, rows = self.main.session_size()
        request = Create(
            id=0, cmd=command, cwd=folder, name=name, cols=cols, rows=rows, worker_id=worker_id
        )
        self.ahead(request, answered)

    def run_lines(
        self, lines: Sequence[str], folder: str, name: str, then: Callable[[str], object]
    ) -> None:
        """Run lines that were approved in a session that one can watch; then tell what is wrong, or ""."""
        from nagomi_tui.worktrees.project import script_of

        def ended(begun: SessionNamed, answer: Waited | Failed) -> None:
            if isinstance(answer, Failed):
                then(answer.message)
            elif answer.exit_code != 0:
                said = "the session {number} {name} has failed."
                then(tr(said, number=begun.number, name=begun.name))
            else:
                then("")

        def begun(answer: SessionNamed | Failed) -> None:
            if isinstance(answer, Failed):
                then(answer.message)
            else:
                self.link.request(Wait(id=0, session=answer.session_id), partial(ended, answer))

        self.link.request(Create(id=0, cmd=script_of(lines), cwd=folder, name=name), begun)

    def _answered(
        self, request: Request[Any], answer: object, then: Callable[[str], None] | None
    ) -> None:
        fault = answer.message if isinstance(answer, Failed) else ""
        if then is not None:
            then(fault)
        elif fault:
            self.tell(fault, error=True, session=getattr(request, "session", ""))

    def confirm(
        self,
        title: str,
        question: str,
        yes: str,
        act: Callable[[], None],
        *,
        other: Other | None = None,
        sudden: bool = False,
    ) -> None:
        """Ask the user, and call `act` if the answer is yes; `other` can be done instead.

        `sudden` is what no key opens, but an answer that comes later.
        """
        from nagomi_tui.view.dialogs.dialog import Ask

        def answered(answer: bool | None) -> None:
            if answer:
                act()

        ask = Ask(title, question, yes=yes, no=tr("Not now"), other=other, sudden=sudden)
        self.main.open(ask, answered)


class Handlers:
    """The base of what carries out actions: the method `action_NAME` carries out the action NAME."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._link, self._main, self._state = asking.link, asking.main, asking.state
        self._tell, self._refuse = asking.tell, asking.refuse
