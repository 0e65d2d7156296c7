"""The workplace as the agent's tools need it, reached over the front-end socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import anyio

from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.api import messages
from nagomi_tui.api.async_client import connect
from nagomi_tui.api.client import Gone, NotServed, RequestFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nagomi_tui.api.messages import LineRows, Sent, SessionNamed, Standing, StoredLine
    from nagomi_tui.sessions.session import Session

CONSENT_PROGRAM: Final = "nagomi_tui.agent.mcp.consent_program"
"""The module that a session runs to ask the user for consent; only the user may type there."""


class Workplace(Protocol):
    """The sessions of one workplace.

    A parameter `session` is a number, a name, an id or a unique prefix. Each method raises
    `ToolFault` if it fails. Texts are not masked; the caller has to mask their secrets.
    """

    async def list_sessions(self) -> tuple[Session, ...]:
        """Return all sessions in their order."""

    async def find(self, session: str) -> Session:
        """Return the session with a number, name, id or unique prefix."""

    async def lines(self, session: str, start: int, stop: int) -> LineRows:
        """Return the rows from `start` to before `stop`, and the numbers of all rows there are.

        At most 1000 rows are returned.
        """

    async def why(self, session: str) -> Standing:
        """Return the judge's verdict on a session, with its evidence."""

    async def search_history(
        self, text: str, *, session: str = "", since: float = 0.0, limit: int = 100
    ) -> tuple[StoredLine, ...]:
        """Return the newest stored lines that contain the text, oldest first.

        `since` is in seconds since the epoch.
        """

    async def send(self, session: str, text: str, *, enter: bool) -> Sent:
        """Type a text into a session; refused if the session shows a question or holds a draft."""

    async def start(self, command: str, folder: str, name: str) -> SessionNamed:
        """Start a session that runs a shell command in a folder."""

    async def stop(self, session: str) -> SessionNamed:
        """End a session's process tree."""

    def seen_from(self, environment: Mapping[str, str]) -> Workplace:
        """Return the same workplace, which starts sessions with this environment."""


_ANSWER_SECONDS: Final = 20.0
_RETURN_SECONDS: Final = 5.0
"""How long to try to connect, since an orchestrator that is being replaced is back soon."""
_PAUSE: Final = 0.1
_LOST: Final = "nagomi went away before it answered; it may have been done or not."

_Answered = TypeVar("_Answered")


class ConnectedWorkplace:
    """A workplace reached with a new connection for each request.

    No connection has to be kept alive, and an orchestrator that was replaced needs no reconnecting.
    If the orchestrator goes away before it answers, a request that only reads is sent once more; one
    that acts is not.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """`environment` is for sessions started by this workplace; by default this process's own."""
        self._environment = environment

    def seen_from(self, environment: Mapping[str, str]) -> ConnectedWorkplace:
        """Return the same workplace, which starts sessions with another environment."""
        return ConnectedWorkplace(environment)

    async def list_sessions(self) -> tuple[Session, ...]:
        """Return all sessions in their order."""
        return (await self.request(messages.ListSessions(id=0))).sessions

    async def find(self, session: str) -> Session:
        """Return the session with a number, name, id or unique prefix."""
        return (await self.request(messages.Find(id=0, session=session))).session

    async def lines(self, session: str, start: int, stop: int) -> messages.LineRows:
        """Return the rows from `start` to before `stop`, and the numbers of all rows there are."""
        return await self.request(messages.Lines(id=0, session=session, start=start, stop=stop))

    async def why(self, session: str) -> messages.Standing:
        """Return the judge's verdict on a session, with its evidence."""
        return await self.request(messages.Why(id=0, session=session))

    async def search_history(
        self, text: str, *, session: str = "", since: float = 0.0, limit: int = 100
    ) -> tuple[messages.StoredLine, ...]:
        """Return the newest stored lines that contain the text, oldest first.

        `since` is in seconds since the epoch.
        """
        request = messages.SearchHistory(id=0, text=text, session=session, since=since, limit=limit)
        return (await self.request(request)).lines

    async def send(self, session: str, text: str, *, enter: bool) -> messages.Sent:
        """Type a text into a session; refused if the session shows a question or holds a draft."""
        return await self.request(
            messages.Send(id=0, session=session, text=text, enter=enter), acts=True
        )

    async def start(self, command: str, folder: str, name: str) -> messages.SessionNamed:
        """Start a session that runs a shell command in a folder."""
        return await self.request(
            messages.Create(id=0, cmd=command, cwd=folder, name=name), acts=True
        )

    async def stop(self, session: str) -> messages.SessionNamed:
        """End a session's process tree."""
        return await self.request(messages.Stop(id=0, session=session), acts=True)

    async def request(
        self,
        request: messages.Request[_Answered],
        *,
        acts: bool = False,
        timeout: float = _ANSWER_SECONDS,
    ) -> _Answered:
        """Send a request and return its answer, waiting at most `timeout` seconds for it.

        A request that `acts` is never sent twice.

        Raises:
            ToolFault: the request was refused, or not answered.
        """
        try:
            return await self._asked(request, timeout)
        except Gone as exc:
            if acts:
                raise ToolFault(_LOST) from exc
        try:
            return await self._asked(request, timeout)
        except Gone as exc:
            raise ToolFault(_LOST) from exc

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
                    raise ToolFault("No workplace answers here. `nagomi` starts one.") from exc
            except RequestFailed as exc:
                raise ToolFault(f"The workplace refused ({exc.code}).", exc.message) from exc
            except TimeoutError as exc:
                raise ToolFault("nagomi did not answer in time.") from exc
            except messages.BadMessage as exc:
                raise ToolFault("nagomi answered what does not fit its version.") from exc
            await anyio.sleep(_PAUSE)
