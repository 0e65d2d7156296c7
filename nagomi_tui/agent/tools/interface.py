"""What a tool is (its schema, whether it reads or acts, its limits), and the workplace that tools reach."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

import anyio
import msgspec

from nagomi_tui.agent.providers.interface import ToolSchema
from nagomi_tui.api import messages
from nagomi_tui.api.async_client import connect
from nagomi_tui.api.client import Gone, NotServed, RequestFailed
from nagomi_tui.api.verbs import verb_of
from nagomi_tui.sessions.session import Session
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.words import Said, translatable

MAX_OUTPUT: Final = 50_000
"""The longest result, in characters."""
_MISFIT: Final = translatable("The input of {tool} does not fit: {fault}.")


class ToolFault(Exception):
    """A tool cannot do what was asked of it.

    The message is nagomi's own sentence for the model. `data` is text from elsewhere about the
    fault, which the model gets marked as data; may be empty. `in_lines` is as with `Output`.
    """

    def __init__(self, sentence: str | Said, data: str = "", *, in_lines: bool = False) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence
        """The message as it can be said in the user's language."""
        self.data = data
        self.in_lines = in_lines


class Output(NamedTuple):
    """What a tool found or did.

    `said` is nagomi's own text, in English for the model. `data` came from elsewhere and may contain anything, so the model
    gets it marked as data; None if there is none.
    """

    said: str | Said
    data: str | None = None
    in_lines: bool = False
    """Whether the lines of `said` are kept; else it is one, whatever names there are in it."""
    session: str = ""
    """Id of the session that it made."""


class ToolResult(NamedTuple):
    """The result of one call; `text` is for the model, and `ok` is the opposite of `is_error`."""

    text: str
    ok: bool = True
    summary: str = ""
    """One line for the user, in their language."""
    session: str = ""
    """Id of the session that it made."""


class Plan(NamedTuple):
    """Exactly what an acting tool would do; nothing has been done yet."""

    title: str
    """One line for the user, in their language."""
    detail: str
    """The command, the text or the diff, exactly as it will take effect."""
    target: str
    """What a grant for the conversation covers, together with the tool's name: an id or a path."""
    act: Callable[[], Awaitable[Output]]
    """Carries out the plan; raises `ToolFault` if what the user was shown is no longer true."""
    risk: str = ""
    """`low`, `medium` or `high`, computed by nagomi and not told by the model; empty for none."""
    scope: str = ""
    """What a grant for the conversation covers, in the user's words; empty where there is none."""


class Given(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The input of a tool; its annotations are the schema that the model gets."""


_Given = TypeVar("_Given", bound=Given)


class Tool(ABC, Generic[_Given]):
    """A tool that the model may call: either a `Reader` or an `Actor`."""

    name: ClassVar[str]
    description: ClassVar[str]
    given: ClassVar[type[Given]]
    seconds: ClassVar[float] = 10.0
    """The deadline of each step, in seconds; the wait for the user's answer has none."""
    acts: ClassVar[bool]

    @property
    def schema(self) -> ToolSchema:
        """The name, description and input schema that the model gets."""
        return ToolSchema(
            name=self.name, description=self.description, parameters=_parameters(self.given)
        )

    def read_input(self, given: dict[str, Any]) -> _Given:
        """Return the model's input, checked against the schema.

        Raises:
            ToolFault: the input does not fit the schema.
        """
        try:
            checked: Any = from_builtins(given, self.given)
        except msgspec.ValidationError as exc:
            raise ToolFault(Said(_MISFIT, {"tool": self.name, "fault": exc})) from exc
        found: _Given = checked
        return found


class Reader(Tool[_Given]):
    """A tool that changes nothing."""

    acts = False

    @abstractmethod
    async def read(self, given: _Given) -> Output:
        """Return what the input asks for.

        Raises:
            ToolFault: that cannot be read.
        """


class Actor(Tool[_Given]):
    """A tool that changes something, once the user has agreed."""

    acts = True

    @abstractmethod
    async def plan(self, given: _Given) -> Plan:
        """Return what the tool would do, without doing anything.

        Raises:
            ToolFault: it could not be done.
        """


def _parameters(given: type[Given]) -> dict[str, Any]:
    """Return the JSON Schema of an input, which needs no references to other schemas."""
    (_,), components = msgspec.json.schema_components([given])
    schema: dict[str, Any] = components[given.__name__]
    schema.pop("title", None)
    schema.pop("description", None)
    return schema


CONSENT_PROGRAM: Final = "nagomi_tui.agent.mcp.consent_program"
"""The module that a session runs to ask the user for consent; only the user may type there."""


_ANSWER_SECONDS: Final = 20.0
_RETURN_SECONDS: Final = 5.0
"""How long to try to connect, since an orchestrator that is being replaced is back soon."""
_PAUSE: Final = 0.1
_LOST: Final = translatable("nagomi went away before it answered; it may have been done or not.")
_NOBODY: Final = translatable("No workplace answers here. `nagomi` starts one.")
_REFUSED: Final = translatable("The workplace refused ({code}).")
_NO_ANSWER: Final = translatable("nagomi did not answer.")
_LATE: Final = translatable("nagomi did not answer in time.")
_OTHER_VERSION: Final = translatable("nagomi answered what does not fit its version.")

_Answered = TypeVar("_Answered")
Ask: TypeAlias = "Callable[[messages.Request[Any]], Awaitable[Any]]"
"""Makes a request, and returns its answer."""


_OWN: Final = ("nagomi chat", CONSENT_PROGRAM)


def is_own(session: Session) -> bool:
    """Return whether a session is a chat with the agent itself, which is no event."""
    return any(command in session.cmd for command in _OWN)


class Workplace:
    """The sessions of one workplace, reached with a new connection for each request.

    A parameter `session` is a number, a name, an id or a unique prefix. Each method raises
    `ToolFault` if it fails. Texts are not masked; the caller has to mask their secrets.

    No connection has to be kept alive, and an orchestrator that was replaced needs no reconnecting.
    If the orchestrator goes away before it answers, a request that only reads is sent once more; one
    that acts is not.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """`environment` is for sessions started by this workplace; by default this process's own."""
        self._environment = environment

    def seen_from(self, environment: Mapping[str, str]) -> Workplace:
        """Return this workplace as it starts sessions with another environment."""
        return Workplace(environment)

    async def list_sessions(self) -> tuple[Session, ...]:
        return (await self.request(messages.ListSessions(id=0))).sessions

    async def find(self, session: str) -> Session:
        """Return the session with a number, name, id or unique prefix."""
        return (await self.request(messages.Find(id=0, session=session))).session

    async def lines(self, session: str, start: int, stop: int) -> messages.LineRows:
        """Return the rows from `start` to before `stop`, and the numbers of all rows there are.

        At most 1000 rows are returned.
        """
        return await self.request(messages.Lines(id=0, session=session, start=start, stop=stop))

    async def request(
        self, request: messages.Request[_Answered], *, timeout: float = _ANSWER_SECONDS
    ) -> _Answered:
        """Send a request and return its answer, waiting at most `timeout` seconds for it.

        A request that acts, by the table of verbs, is never sent twice.

        Raises:
            ToolFault: the request was refused, or not answered.
        """
        try:
            return await self._asked(request, timeout)
        except Gone as exc:
            if verb_of(type(request)).acts:
                raise ToolFault(Said(_LOST, {})) from exc
        try:
            return await self._asked(request, timeout)
        except Gone as exc:
            raise ToolFault(Said(_LOST, {})) from exc

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Ask]:
        """Yield what makes several requests over one connection, without waiting for an orchestrator."""
        try:
            async with connect() as connection:
                yield partial(connection.request, timeout=_ANSWER_SECONDS)
        except NotServed as exc:
            raise ToolFault(Said(_NOBODY, {})) from exc
        except RequestFailed as exc:
            raise ToolFault(Said(_REFUSED, {"code": exc.code}), exc.message) from exc
        except (TimeoutError, Gone, messages.BadMessage, OSError) as exc:
            raise ToolFault(Said(_NO_ANSWER, {})) from exc

    async def settings(self) -> messages.SettingValues:
        """Return the workplace's settings."""
        return await self.request(messages.Settings(id=0))

    async def _asked(self, request: messages.Request[_Answered], timeout: float) -> _Answered:
        """Send a request once; only connecting is tried again, for up to `_RETURN_SECONDS`."""
        hello = None if self._environment is None else messages.hello(self._environment)
        deadline = anyio.current_time() + _RETURN_SECONDS
        while True:
            try:
                async with connect(hello) as connection:
                    return await connection.request(request, timeout=timeout)
            except NotServed as exc:
                if anyio.current_time() > deadline:
                    raise ToolFault(Said(_NOBODY, {})) from exc
            except RequestFailed as exc:
                raise ToolFault(Said(_REFUSED, {"code": exc.code}), exc.message) from exc
            except TimeoutError as exc:
                raise ToolFault(Said(_LATE, {})) from exc
            except messages.BadMessage as exc:
                raise ToolFault(Said(_OTHER_VERSION, {})) from exc
            await anyio.sleep(_PAUSE)
