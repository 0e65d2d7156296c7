"""`nagomi api`: for programs that talk with nagomi, over its socket or HTTP."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.commands.agent import questions
from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import Parser, add
from nagomi_tui.commands.resident import ask
from nagomi_tui.commands.speech import say, tr, write

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands

_SECONDS: Final = 10.0
_PAUSE: Final = 0.05


def register(commands: Commands) -> None:
    """Add the command and its parts."""
    api = add(
        commands, "api", _nothing, tr("for programs that talk with nagomi, over its socket or HTTP")
    )
    parts = api.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    add(parts, "on", on, tr("serve HTTP on a port of this machine; prints its address"))
    add(parts, "off", off, tr("serve HTTP on the Unix socket only"))
    add(parts, "url", url, tr("print the address of HTTP on this machine"))
    add(parts, "token", token, tr("print the token that HTTP on this machine asks for"))
    add(parts, "schema", schema, tr("print all messages, and what is answered, as JSON Schema"))


def _nothing(arguments: Namespace) -> int:
    """Argparse asks for a subcommand before this could be called."""
    return int(Exit.USAGE)


def on(arguments: Namespace) -> None:
    """Switch it on, start what is needed, and print the address once it is served."""
    _switch(True, start=True)
    say(_served())


def off(arguments: Namespace) -> None:
    """Switch it off."""
    _switch(False, start=False)


def url(arguments: Namespace) -> None:
    """Print the address, if it is switched on."""
    from nagomi_tui.api.messages import Settings

    if not ask(Settings(id=0)).get("api_on"):
        raise CommandError(tr("HTTP is off on this machine; `nagomi api on` switches it on."))
    say(_served())


def token(arguments: Namespace) -> None:
    """Print the token."""
    from nagomi_tui.agent.http.token import token as kept
    from nagomi_tui.agent.http.token import token_file
    from nagomi_tui.paths import PlaceError

    try:
        say(kept(token_file()))
    except PlaceError as exc:
        raise CommandError(tr(exc.sentence, **exc.values)) from exc


def schema(arguments: Namespace) -> None:
    """Print the schema of the front-end socket."""
    import json

    from nagomi_tui.api.schema import schema as described

    write(f"{json.dumps(described(), indent=2)}\n")


def _switch(on: bool, *, start: bool) -> None:
    from nagomi_tui.api.messages import Settings

    ask(Settings(id=0, values={"api_on": on}), start=start)


def _served() -> str:
    """Return the address as soon as it is served.

    Raises:
        CommandError: its port cannot be used, or nothing is served in time.
    """
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        told: Any = questions.call("GET", "/api")
        if told["fault"]:
            sentence = tr("HTTP cannot be served on this machine: {reason}.", reason=told["fault"])
            raise CommandError(sentence)
        if told["base"]:
            return str(told["base"])
        time.sleep(_PAUSE)
    raise CommandError(tr("HTTP is not served in time; {log} may say more.", log=_log()))


def _log() -> str:
    from nagomi_tui.paths import log_file

    return str(log_file())
