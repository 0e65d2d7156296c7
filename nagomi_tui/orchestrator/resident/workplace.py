"""The workplace: its sessions in their order, and the parts that work on them."""

from __future__ import annotations

import logging
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui import paths
from nagomi_tui.api import messages
from nagomi_tui.core.masking import mask
from nagomi_tui.core.session.names import find
from nagomi_tui.core.session.order import Numbers, moved
from nagomi_tui.core.session.session import State
from nagomi_tui.orchestrator.alerts.alerts import Calling
from nagomi_tui.orchestrator.history.archive import Turn
from nagomi_tui.orchestrator.history.transcripts import Transcripts
from nagomi_tui.orchestrator.judging.advisor import Advisor
from nagomi_tui.orchestrator.judging.judges import Judges
from nagomi_tui.orchestrator.judging.traces import Traces
from nagomi_tui.orchestrator.lifecycle import program_folder
from nagomi_tui.orchestrator.lifecycle.environment import Surroundings
from nagomi_tui.orchestrator.runtime.alarms import Alarms
from nagomi_tui.orchestrator.runtime.crash_mark import FILE_NAME, Mark
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.orchestrator.runtime.throttle import Throttle
from nagomi_tui.orchestrator.sessions.store import Store
from nagomi_tui.orchestrator.terminals.screens import ScreenMaker
from nagomi_tui.orchestrator.views.frame_scheduler import Painter
from nagomi_tui.settings.model import Settings
from nagomi_tui.words import language_from
from nagomi_tui.words import mark as _

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nagomi_tui.core.session.session import Session
    from nagomi_tui.orchestrator.server.client import Client
    from nagomi_tui.orchestrator.sessions.live import Live

_log = logging.getLogger(__name__)
PUBLISH_SECONDS: Final = 0.1


class Workplace:
    """Everything that the parts of the orchestrator share; it publishes and decides nothing."""

    def __init__(self) -> None:
        state = paths.make_private(paths.state_folder())
        self.settings = Settings()
        self.alarms = Alarms()
        self.throttle = Throttle(self.alarms)
        self.mark = Mark(state / FILE_NAME)
        self.screens = ScreenMaker(self.mark)
        self.surroundings = Surroundings(paths.make_socket_folder(), program_folder.folder(state))
        self.painter = Painter()
        self.store = Store(state / "sessions.db", on_fault=self.tell_fault)
        self.transcripts = Transcripts(
            paths.history_file(), lambda: self.settings, on_fault=self.tell_fault
        )
        self.judges = Judges(self)
        self.clients: set[Client] = set()
        self.calling = Calling(self)
        self.advisor = Advisor(self)
        self.traces = Traces(self)
        self.recent: tuple[str, ...] = ()
        self.left_at: float | None = None
        """When the last front end left."""
        self.known = anyio.Event()
        """The settings were read, or do not answer; before, nobody is heard."""
        self.adopted = anyio.Event()
        """It is known which sessions live; before, none is started or ended."""
        self.leaving = anyio.Event()
        self.leave_reason = ""
        self.supervisor_pid = 0
        self.started_at = time.time()
        self.numbers = Numbers()
        self._order: list[Live] = []
        self._by_id: dict[str, Live] = {}
        self._untold: list[Refusal] = []

    # --- sessions

    @property
    def lives(self) -> tuple[Live, ...]:
        """All sessions in their order."""
        return tuple(self._order)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All sessions as others see them."""
        return tuple(live.info for live in self._order)

    def get(self, session_id: str) -> Live | None:
        """Return a session by its id."""
        return self._by_id.get(session_id)

    def meant(self, text: str) -> Live:
        """Return the session that a client means.

        Raises:
            Refusal: none or several could be meant.
        """
        if live := self._by_id.get(text):
            return live
        found = find(self.sessions, text)
        if found.session:
            return self._by_id[found.session.session_id]
        if found.candidates:
            names = ", ".join(found.candidates)
            raise Refusal("ambiguous", _("`{text}` could be {names}."), text=text, names=names)
        if found.nearest:
            names = ", ".join(found.nearest)
            sentence = _("There is no session `{text}`; the nearest: {names}.")
            raise Refusal("not_found", sentence, text=text, names=names)
        raise Refusal("not_found", _("There is no session `{text}`."), text=text)

    def add(self, live: Live) -> None:
        """Put a session at the end of the order."""
        taken = [other.info.number for other in self._order]
        live.change(number=self.numbers.give(live.info.number, taken))
        self._order.append(live)
        self._by_id[live.session_id] = live
        self._arrange()

    def discard(self, live: Live) -> None:
        """Take a session off the list; an empty list is numbered from 1 again."""
        self._order.remove(live)
        if live.info.state is State.STARTING:
            self.numbers.take_back(live.info.number)
        if not self._order:
            self.numbers.last = 0
        del self._by_id[live.session_id]
        for what in ("judge", "phase", "typed"):
            self.alarms.cancel((live, what))
        self.store.drop(live.session_id)
        self.broadcast(messages.SessionRemoved(session_id=live.session_id))
        self._arrange()

    def move(self, live: Live, place: int) -> None:
        """Give a session another place; its number stays."""
        self._order = moved(self._order, live, place)
        self._arrange()

    def renumber(self) -> None:
        """Number all sessions by their places."""
        for number, live in enumerate(self._order, 1):
            if live.change(number=number):
                self.publish(live)
        self.numbers.last = len(self._order)
        self._keep_numbers()

    def _arrange(self) -> None:
        for place, live in enumerate(self._order, 1):
            if live.change(place=place):
                self.publish(live)
        self._keep_numbers()

    def _keep_numbers(self) -> None:
        self.store.keep_fact("last_number", self.numbers.last)

    # --- what others are told

    def publish(self, live: Live) -> None:
        """Keep a session as it is now, and tell every client."""
        if live.session_id in self._by_id:
            self.keep(live)
            self.broadcast(messages.SessionChanged(session=live.info))

    def publish_soon(self, live: Live) -> None:
        """Publish what its program does to a session, however often that changes."""
        tell = partial(self.publish, live)
        self.throttle.call((live, "published"), tell, every=PUBLISH_SECONDS, burst=3)

    def keep(self, live: Live) -> None:
        """Keep a session's record as it is now, and have its worker keep what it is called."""
        self.store.keep(live.info.place, live.record())
        live.note_at_worker()

    def judge(self, live: Live) -> None:
        """See how a session stands, and tell it if that changed."""
        self.judges.stand(live)

    def see_if_focused(self, live: Live) -> None:
        """What happens in a session that gets somebody's keys is seen at once."""
        if any(client.focus is live for client in self.front_ends):
            live.seen_at = time.time()

    def turn_over(self, told: Mapping[str, messages.TurnCompleted]) -> None:
        """A turn is over, or needs the user: tell every client in its language, and call.

        `told` says it in each of `LANGUAGES`.
        """
        for client in [client for client in self.clients if client.hello]:
            client.send(told[client.words.language])
        done = told[language_from(os.environ, self.settings.language)]
        self.calling.completed(done, told)
        if (live := self.get(done.session)) is not None:
            self._store_turn(live, done)

    def _store_turn(self, live: Live, done: messages.TurnCompleted) -> None:
        """Keep a turn's verdict, and ask the LLM judge for its words where that is wanted."""
        self.transcripts.turn_ended(
            Turn(
                session_id=done.session,
                name=live.info.name,
                turn=done.turn,
                started=_began(live),
                ended=done.at,
                verdict=msgspec.json.encode(done.verdict),
            )
        )
        if not done.quiet:
            self.advisor.turn_ended(live, done.verdict, done.turn)

    def broadcast(self, message: messages.Message, *, front_ends: bool = False) -> None:
        """Send a message to every client that has said hello."""
        for client in list(self.clients):
            if client.hello and (client.is_front_end or not front_ends):
                client.send(message)

    @property
    def front_ends(self) -> Iterable[Client]:
        """The clients that show something."""
        return [client for client in self.clients if client.is_front_end]

    def tell(self, kind: str, sentence: str, **values: object) -> None:
        """Tell every front end a sentence; with none attached the next one hears it."""
        said = Refusal("refused", sentence, **{name: _masked(v) for name, v in values.items()})
        _log.info("told: %s", said)
        for client in self.front_ends:
            client.tell(kind, said)
        if not self.front_ends:
            self._untold = [*self._untold[-9:], said]

    def tell_fault(self, fault: Refusal) -> None:
        """Tell every front end what is wrong."""
        self.tell("error", fault.sentence, **fault.values)

    def take_untold(self) -> list[Refusal]:
        """Return what could not be told to anybody yet."""
        untold, self._untold = self._untold, []
        return untold

    # --- settings and the end

    def apply(self, settings: Settings) -> None:
        """Settings are these from now on."""
        if settings.keep_transcripts is not self.settings.keep_transcripts:
            self.transcripts.pass_over(self.lives)
        self.settings = settings
        self.screens.engine = settings.engine
        self.screens.history = settings.history_lines
        self.judges.apply(settings)
        for client in self.clients:
            client.speak(settings.language)

    def leave(self, reason: str) -> None:
        """End this orchestrator: `reload`, `quit` or `terminate`."""
        self.leave_reason = self.leave_reason or reason
        self.leaving.set()


def _began(live: Live) -> float | None:
    """Return when the turn under way began, in seconds since the epoch, if that is known."""
    began = live.judged.judge.known.turn.started_at if live.judged else 0.0
    return time.time() - (time.monotonic() - began) if began else live.info.started_at


def _masked(value: object) -> object:
    return value if isinstance(value, int | float) else mask(str(value))
