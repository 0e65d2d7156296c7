"""`nagomi chat`, `ask`, `mode`, `api` and `mcp`: the resident agent."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.api.command_client import ask as request
from nagomi_tui.api.command_client import carried
from nagomi_tui.api.messages import Settings, StartAgent
from nagomi_tui.api.messages.agent import MODES
from nagomi_tui.commands.parser import Commands, Parser, add, add_json
from nagomi_tui.system import loading, paths
from nagomi_tui.system.console import adopt, complain, failure, language, say, say_json, tr, write
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.system.paths import PlaceError, log_file
from nagomi_tui.text import words
from nagomi_tui.text.words import of

if TYPE_CHECKING:
    from nagomi_tui.agent.chat.program import Open


_BAD_REQUEST: Final = 400


def register_questions(commands: Commands) -> None:
    asker = add(commands, "ask", ask, tr("ask the agent, which knows all sessions"))
    asker.add_argument("question", metavar="QUESTION", nargs="+", help=tr("text; `-` reads stdin"))
    add_json(asker)
    moder = add(commands, "mode", mode, tr("tell or change the agent's mode"))
    moder.add_argument("mode", metavar="MODE", nargs="?", choices=MODES, help=", ".join(MODES))
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
        for note in told["notes"]:
            complain(note)


def mode(arguments: Namespace) -> int:
    """Print the mode, and what each step of a change to it did; 1 if one of them failed."""
    if arguments.mode is None:
        told = call("GET", "/api/mode")
    else:
        told = call("POST", "/api/mode", {"mode": arguments.mode})
    if arguments.json:
        say_json(told)
    else:
        _, means = MODES[told["mode"]]
        say(f"{told['mode']}: {tr(means)}")
        for step in told["steps"]:
            (say if step["ok"] else complain)(step["text"])
        if allowance := told.get("allowance"):
            from nagomi_tui.agent.modes.modes import Allowance, allowance_lines

            for line in allowance_lines(from_builtins(allowance, Allowance), of(language())):
                say(line)
    return int(Exit.OK if all(step["ok"] for step in told["steps"]) else Exit.FAILED)


def call(method: str, path: str, value: Any = None) -> Any:
    """Return what the agent answers; it is started if it does not run.

    Raises:
        CommandError: no workplace runs, or the agent refused or does not answer.
    """
    from http.client import HTTPException

    from nagomi_tui.agent.http import client

    address = request(StartAgent(id=0))
    try:
        return client.call(Path(address.socket).with_name(paths.API), method, path, value)
    except client.NotAnswered as exc:
        code = Exit.USAGE if exc.status == _BAD_REQUEST else Exit.FAILED
        raise CommandError(exc.reason or str(exc), code) from exc
    except (OSError, HTTPException) as exc:
        raise failure("the agent went away before it answered.") from exc


_SECONDS: Final = 10.0
_PAUSE: Final = 0.05


def register_api(commands: Commands) -> None:
    """Add the command and its parts."""
    api = add(
        commands, "api", None, tr("for programs that talk with nagomi, over its socket or HTTP")
    )
    parts = api.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    add(parts, "on", on, tr("serve HTTP on a port of this machine; prints its address"))
    add(parts, "off", off, tr("serve HTTP on the Unix socket only"))
    add(parts, "url", url, tr("print the address of HTTP on this machine"))
    add(parts, "token", token, tr("print the token that HTTP on this machine asks for"))
    add(parts, "schema", schema, tr("print all messages, and what is answered, as JSON Schema"))


def on(arguments: Namespace) -> None:
    """Switch it on, start what is needed, and print the address once it is served."""
    _switch(True, start=True)
    say(_served())


def off(arguments: Namespace) -> None:
    _switch(False, start=False)


def url(arguments: Namespace) -> None:
    """Print the address, if it is switched on."""
    if not request(Settings(id=0)).get("api_on"):
        raise failure("HTTP is off on this machine; `nagomi api on` switches it on.")
    say(_served())


def token(arguments: Namespace) -> None:
    from nagomi_tui.agent.http.api import token as kept
    from nagomi_tui.agent.http.api import token_file

    try:
        say(kept(token_file()))
    except PlaceError as exc:
        raise failure(exc.sentence, **exc.values) from exc


def schema(arguments: Namespace) -> None:
    """Print the schema of the front-end socket."""
    import json

    from nagomi_tui.api.schema import schema as described

    write(f"{json.dumps(described(), indent=2)}\n")


def _switch(on: bool, *, start: bool) -> None:
    request(Settings(id=0, values={"api_on": on}), start=start)


def _served() -> str:
    """Return the address as soon as it is served.

    Raises:
        CommandError: its port cannot be used, or nothing is served in time.
    """
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        told: Any = call("GET", "/api")
        if told["fault"]:
            raise failure("HTTP cannot be served on this machine: {reason}.", reason=told["fault"])
        if told["base"]:
            return str(told["base"])
        time.sleep(_PAUSE)
    raise failure("HTTP is not served in time; {log} may say more.", log=log_file())


def register_chat(commands: Commands) -> None:
    parser = add(commands, "chat", chat, tr("talk with the resident agent"))
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--conversation",
        metavar="C",
        default="",
        help=tr("go on with this one: id, label, or the beginning of either"),
    )
    which.add_argument("--new", metavar="LABEL", help=tr("begin another conversation"))
    parser.add_argument(
        "--folder",
        metavar="DIR",
        action="append",
        default=[],
        help=tr("let its tools see this folder, too; may be given several times"),
    )
    parser.add_argument(
        "-p",
        dest="text",
        metavar="TEXT",
        help=tr("print the answer to TEXT, with what comes on stdin behind it, and end"),
    )


def chat(arguments: Namespace) -> int:
    """Talk until the user ends it, or answer once."""
    from nagomi_tui.agent.talk.events import TalkFault

    text = _text(arguments.text)
    open_talk = _opening(arguments)
    try:
        return _talk(open_talk) if text is None else _once(open_talk, text)
    except TalkFault as exc:
        raise CommandError(str(exc)) from exc


def _text(given: str | None) -> str | None:
    """Return what is asked once; None to talk on the terminal.

    Raises:
        CommandError: nothing is asked, or there is no terminal to talk on.
    """
    piped = sys.stdin is not None and not sys.stdin.isatty()
    if given is None and not piped:
        if sys.stdout is None or not sys.stdout.isatty():
            sentence = tr("to talk, a terminal is needed; `nagomi chat -p TEXT` answers once.")
            raise CommandError(sentence, Exit.USAGE)
        return None
    from nagomi_tui.commands.talk import stdin_text

    parts = (given or "", stdin_text() if piped else "")
    text = "\n\n".join(part for part in parts if part.strip())
    if not text:
        raise failure("nothing was asked.", Exit.USAGE)
    return text


def _opening(arguments: Namespace) -> Open:
    """Return what opens the conversation that is meant."""
    from nagomi_tui.agent.chat.opening import Wanted, opened
    from nagomi_tui.settings.store import load

    settings = load(aside=False).settings
    adopt(settings.language)
    wanted = Wanted(
        conversation=carried(arguments.conversation),
        new=None if arguments.new is None else carried(arguments.new),
        folders=tuple(_folder(carried(folder)) for folder in arguments.folder),
    )
    return partial(opened, wanted, settings, words.of(language()))


def _folder(named: str) -> str:
    path = os.path.abspath(os.path.expanduser(named))
    if not os.path.isdir(path):
        raise failure("{folder} is no folder.", Exit.USAGE, folder=named)
    return path


def _talk(open_talk: Open) -> int:
    with loading.kept():
        from nagomi_tui.agent.chat import program
    history = paths.make_private(paths.state_folder()) / "chat_history"
    return program.run(open_talk, history, words.of(language()))


def _once(open_talk: Open, text: str) -> int:
    from nagomi_tui.agent.chat.opening import Once, ask

    return ask(open_talk, text, Once(_print, complain, words.of(language())))


def _print(text: str) -> None:
    write(text)
    sys.stdout.flush()


def register_mcp(commands: Commands) -> None:
    add(commands, "mcp", serve, tr("serve sessions to other agents over stdin and stdout (MCP)"))


def serve(_arguments: Namespace) -> None:
    """Serve until stdin ends."""
    if importlib.util.find_spec("mcp") is None:
        raise failure(
            "the package `mcp` is not installed; `pip install 'nagomi-tui[mcp]'` brings it."
        )
    with loading.kept():
        from nagomi_tui.agent.mcp import server
    server.run()
