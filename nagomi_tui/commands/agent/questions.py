"""The resident agent from the command line: ask, mode."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.commands.outcome import CommandError, Exit
from nagomi_tui.commands.parser import add, add_json
from nagomi_tui.commands.resident import ask as request
from nagomi_tui.commands.resident import carried
from nagomi_tui.commands.speech import complain, say, say_json, tr
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from argparse import Namespace

    from nagomi_tui.commands.parser import Commands

_DESCRIPTIONS: Final = (
    translatable("Minimal activity — only responds to direct messages"),
    translatable("Silent operation — OODA runs but no proactive outreach"),
    translatable("Fully autonomous — default mode"),
)
"""What the agent says of its modes; translated where it is shown."""
_BAD_REQUEST: Final = 400


def register(commands: Commands) -> None:
    """Add the commands of this group."""
    asker = add(commands, "ask", ask, tr("ask the agent, which knows all sessions"))
    asker.add_argument("question", metavar="QUESTION", nargs="+", help=tr("text; `-` reads stdin"))
    add_json(asker)
    moder = add(commands, "mode", mode, tr("tell or change the agent's mode"))
    moder.add_argument("mode", metavar="MODE", nargs="?", help="calm, reserved, autonomous")
    add_json(moder)


def ask(arguments: Namespace) -> None:
    """Print the agent's answer."""
    question = " ".join(arguments.question)
    if arguments.question == ["-"]:
        question = sys.stdin.read() if sys.stdin is not None else ""
    told = call("POST", "/api/ask", {"question": carried(question)})
    if arguments.json:
        say_json(told)
    else:
        answer = str(told["answer"])
        say(answer)


def mode(arguments: Namespace) -> int:
    """Print the mode, and what each step of a change to it did; 1 if one of them failed."""
    if arguments.mode is None:
        told = call("GET", "/api/mode")
    else:
        told = call("POST", "/api/mode", {"mode": carried(arguments.mode)})
    if arguments.json:
        say_json(told)
    else:
        say(f"{told['mode']}: {tr(told['description'])}")
        for step in told["steps"]:
            (say if step["ok"] else complain)(step["text"])
    return int(Exit.OK if all(step["ok"] for step in told["steps"]) else Exit.FAILED)


def call(method: str, path: str, value: Any = None, *, start: bool = False) -> Any:
    """Return what the agent answers; it is started if it does not run, its workplace if `start`.

    Raises:
        CommandError: no workplace runs, or the agent refused or does not answer.
    """
    from http.client import HTTPException
    from pathlib import Path

    from nagomi_tui import paths
    from nagomi_tui.agent.http import client
    from nagomi_tui.api.messages import StartAgent

    address = request(StartAgent(id=0), start=start)
    try:
        return client.call(Path(address.socket).with_name(paths.API), method, path, value)
    except client.NotAnswered as exc:
        code = Exit.USAGE if exc.status == _BAD_REQUEST else Exit.FAILED
        raise CommandError(exc.reason or str(exc), code) from exc
    except (OSError, HTTPException) as exc:
        raise CommandError(tr("the agent went away before it answered.")) from exc
