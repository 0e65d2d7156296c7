"""Who is welcomed with what, and what is told of the time without a front end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from nagomi_tui import __version__
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.runtime.requests import Refusal
from nagomi_tui.orchestrator.server.greeting import Greeting
from nagomi_tui.sessions.session import State
from nagomi_tui.settings.model import Settings
from tests.helpers.moved_clock import MovedClock
from tests.helpers.use_cases import Log, session


class Client:
    """A client that notes what it is sent."""

    number = 3

    def __init__(self, *, front_end: bool) -> None:
        self.is_front_end = front_end
        self.sent: list[Any] = []
        self.told: list[str] = []

    def greet(self, _hello: messages.Hello, *, language: str) -> None:
        self.language = language

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def tell(self, kind: str, _refusal: Refusal) -> None:
        self.told.append(kind)


class Place:
    """The greeting with all that it is handed; the store is a dictionary."""

    def __init__(self) -> None:
        self.clock = MovedClock()
        self.facts: dict[str, Any] = {}
        self.untold = [Refusal("refused", "quiet"), Refusal("internal", "loud")]
        self.attached: list[Client] = []
        self.alerts, self.surroundings = Log(), Log()
        self.screens, self.recolored = Log(), list[tuple[int, int]]()
        self.sessions = [session("one", state=State.EXITED).info]
        self.restart()

    def restart(self) -> None:
        """Begin another life of the orchestrator."""
        others = cast("Any", self)
        self.greeting = Greeting(
            Settings,
            others,
            others,
            creating=others,
            store=others,
            surroundings=cast("Any", self.surroundings),
            screens=cast("Any", self.screens),
            alerts=cast("Any", self.alerts),
            agent=others,
            clock=self.clock,
        )
        self.greeting.recall()

    def set_colors(self, foreground: int, background: int) -> bytes:
        """Stand for a session's screen."""
        self.recolored.append((foreground, background))
        return b""

    # --- stands for the list of sessions, the store, the started commands, the audience and the agent

    recent = ("make",)
    stands = messages.Agent(pid=1, mode="calm")

    @property
    def infos(self) -> tuple[Any, ...]:
        return tuple(self.sessions)

    @property
    def all(self) -> list[Any]:
        return [SimpleNamespace(run=SimpleNamespace(screen=self, replay=None))]

    def fact(self, name: str, _kind: Any) -> Any:
        return self.facts.get(name)

    def keep_fact(self, name: str, value: Any) -> None:
        self.facts[name] = value

    def front_ends(self) -> list[Client]:
        return self.attached

    def take_untold(self) -> list[Refusal]:
        untold, self.untold = self.untold, []
        return untold

    def recall(self) -> None:
        pass

    def take_digest(self) -> tuple[tuple[str, str], ...]:
        return (("agent", "It rained."),)

    def greet(self, _client: Client) -> None:
        pass

    def left(self, client: Any) -> None:
        pass

    def come(self, *, front_end: bool, **hello: Any) -> Client:
        """Greet a client."""
        client = Client(front_end=front_end)
        self.greeting.greet(
            cast("Any", client), messages.Hello(version="0", front_end=front_end, **hello)
        )
        return client


def test_a_front_end_is_told_what_it_missed_and_a_command_only_what_there_is() -> None:
    place = Place()
    command = place.come(front_end=False)
    [welcome] = command.sent
    assert (welcome.version, welcome.recent, welcome.digest) == (__version__, ("make",), ())
    assert [one.name for one in welcome.sessions] == ["one"] and command.language == "auto"
    assert command.told == [] and place.alerts.calls == []
    front_end = place.come(front_end=True)
    assert front_end.sent[0].digest == (("agent", "It rained."),)
    assert front_end.sent[1] == messages.Agent(pid=1, mode="calm")
    assert front_end.told == ["info", "error"] and place.alerts.names == ["arrived"]


def test_what_ended_after_the_last_front_end_left_is_in_the_digest_of_the_next_life() -> None:
    place = Place()
    first = place.come(front_end=True)
    place.attached = [first]
    place.greeting.left(cast("Any", first))
    assert "left_at" not in place.facts  # another one is attached
    place.attached = []
    place.greeting.left(cast("Any", first))
    place.clock.move(10)
    ended = session("done", state=State.EXITED, exit_code=0, ended_at=place.clock.time())
    place.sessions.append(ended.info)
    place.restart()
    digest = place.come(front_end=True).sent[0].digest
    assert digest == (("done", "ended_well"), ("agent", "It rained."))


def test_only_a_front_end_that_knows_its_colours_gives_them_to_the_screens() -> None:
    place = Place()
    place.come(front_end=True)
    place.come(front_end=False, foreground=1, background=2)
    assert place.recolored == [] and place.surroundings.names == ["refresh", "refresh"]
    place.come(front_end=True, foreground=0xEEEEEE, background=0)
    assert place.recolored == [(0xEEEEEE, 0)] and place.screens.colors == (0xEEEEEE, 0)
