"""Connects a command with the orchestrator, and turns errors into sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from nagomi_tui.system.console import adopt, failure, program, tr
from nagomi_tui.system.environment import env_of_text, is_text
from nagomi_tui.system.outcome import CommandError, Exit, Unanswered

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages import Request

Answered = TypeVar("Answered")
_CODES = {"not_found": Exit.NO_SESSION, "ambiguous": Exit.NO_SESSION, "bad_request": Exit.USAGE}


def nobody() -> CommandError:
    """Return the error of a command that needs a running nagomi."""
    return failure("nagomi is not running; `{program}` starts it.", Exit.NOBODY, program=program())


@contextmanager
def connected(*, start: bool = False) -> Iterator[Connection]:
    """Connect to the orchestrator; where none runs, start it if `start`.

    Raises:
        CommandError: nobody runs, or the orchestrator refused, left, or is of another version.
    """
    from nagomi_tui.api import client
    from nagomi_tui.api.messages import BadMessage
    from nagomi_tui.system.paths import PlaceError

    try:
        if start:
            from nagomi_tui.api.launch import ensure_running

            ensure_running()
        with _open() as connection:
            adopt(connection.welcome.settings.get("language"))
            yield connection
    except client.RequestFailed as exc:
        raise CommandError(exc.message, _CODES.get(exc.code, Exit.FAILED)) from exc
    except client.NotServed as exc:
        raise nobody() from exc
    except client.Gone as exc:
        raise Unanswered(tr("nagomi's orchestrator went away before it answered.")) from exc
    except TimeoutError as exc:
        raise CommandError(tr("nagomi's orchestrator does not answer.")) from exc
    except BadMessage as exc:
        raise CommandError(tr(client.OTHER_VERSION)) from exc
    except PlaceError as exc:
        raise CommandError(tr(exc.sentence, **exc.values)) from exc


def _open() -> Connection:
    """Greet the orchestrator; wait for it while it is started anew."""
    from nagomi_tui.api.client import Gone, NotServed

    try:
        return _greet()
    except (NotServed, Gone):
        from nagomi_tui.api.launch import await_restart

        await_restart()
        return _greet()


def _greet() -> Connection:
    """Greet the orchestrator, leaving out variables that no message can carry."""
    from nagomi_tui.api.client import Connection, open_socket
    from nagomi_tui.api.messages import hello

    return Connection(open_socket(), hello=hello(env_of_text(os.environ)))


def ask(
    request: Request[Answered], *, start: bool = False, timeout: float | None = None
) -> Answered:
    """Send one request over a connection of its own and return its result."""
    with connected(start=start) as connection:
        return connection.request(request, timeout=timeout)


def ask_if_served(request: Request[Answered]) -> Answered | None:
    """Send one request where an orchestrator runs; return None where none does."""
    try:
        return ask(request)
    except CommandError as exc:
        if exc.code != Exit.NOBODY:
            raise
        return None


def named(session: str) -> str:
    """Return the session's name for a request; `.` becomes the id of this session.

    Raises:
        CommandError: `.` was named outside of any session, or bytes that are no text.
    """
    if session != ".":
        return carried(session)
    own = os.environ.get("NAGOMI_SESSION_ID", "")
    if not own:
        raise CommandError(
            tr("`.` is the session that a command runs in, and this one runs in none."),
            Exit.NO_SESSION,
        )
    return own


def carried(text: str) -> str:
    """Return the text if a message can carry it.

    Raises:
        CommandError: it holds bytes that are no text, as arguments may.
    """
    if is_text(text):
        return text
    shown = text.encode("utf-8", "backslashreplace").decode()
    raise CommandError(tr("`{text}` holds bytes that are no text.", text=shown), Exit.USAGE)
