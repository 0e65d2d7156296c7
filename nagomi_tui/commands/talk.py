"""`nagomi send`, `keys`, `wait` and `capture`: types into a session, waits for it, reads it."""

from __future__ import annotations

import argparse
import re
import sys
import uuid
from argparse import Namespace
from typing import Final

from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.api.messages import PASTE_LIMIT, Capture, Send, Sent, Wait, Waited
from nagomi_tui.commands.answer import advise
from nagomi_tui.commands.parser import Commands, add_flag, add_json, add_session, add_verb, number
from nagomi_tui.judge.verdict import ASK_JUDGE
from nagomi_tui.sessions.session import Condition
from nagomi_tui.system.console import complain, failure, say, say_json, tr, write
from nagomi_tui.system.outcome import CommandError, Exit, Unanswered

_TRIES: Final = 3
_UNTIL: Final = ("exit", "silence", "output", "attention", "done", "idle")


def register(commands: Commands) -> None:
    sender = add_verb(commands, "send", send)
    add_session(sender)
    sender.add_argument(
        "text",
        metavar="TEXT",
        nargs="+",
        help=tr("text; `-` reads stdin, and 判定して asks the LLM judge instead"),
    )
    add_flag(sender, "--no-enter", help=tr("do not press Enter after it"))
    add_flag(sender, "--force", help=tr("although it asks something, or holds a draft"))
    add_flag(sender, "--literal", help=tr("type the text whatever it is, 判定して too"))
    sender.add_argument(
        "--once",
        metavar="ID",
        type=_identifier,
        help=tr("type it once, however often it is sent with this ID"),
    )
    add_verb(commands, "keys")
    _register_wait(commands)
    shower = add_verb(commands, "capture", capture)
    add_session(shower)
    add_flag(shower, "--history", help=tr("with all lines kept above"))
    add_flag(shower, "--ansi", help=tr("with colours"))


def _register_wait(commands: Commands) -> None:
    waiter = add_verb(commands, "wait", wait)
    add_session(waiter)
    waiter.add_argument(
        "--until",
        metavar="exit|silence|output REGEX|attention|done|idle",
        choices=_UNTIL,
        default="exit",
        help=tr(
            "what to wait for (default: exit); attention: it asks; done: its turn is over, and the "
            "exit code is 1 if that failed; idle: nothing goes on"
        ),
    )
    seconds = number(float, 0, 1e9, tr("number of seconds"))
    waiter.add_argument("--pattern", help=argparse.SUPPRESS)
    waiter.add_argument(
        "--silence", metavar="S", type=seconds, default=3.5, help=tr("seconds that count as quiet")
    )
    waiter.add_argument("--timeout", metavar="S", type=seconds, help=tr("seconds to wait at most"))
    add_flag(waiter, "--status", help=tr("exit as the session did"))
    add_json(waiter)


def arrange(arguments: list[str]) -> list[str]:
    """Write `--until output REGEX` so that argparse sees one value for each option."""
    for at in range(len(arguments) - 2):
        if arguments[0] == "wait" and arguments[at : at + 2] == ["--until", "output"]:
            pattern = f"--pattern={arguments[at + 2]}"
            return [*arguments[: at + 2], pattern, *arguments[at + 3 :]]
    return arguments


def send(arguments: Namespace) -> int:
    """Type text as a user would; the one that asks the judge asks it, as in the prompt (N-81)."""
    text = _text(arguments)
    if text.strip() == ASK_JUDGE and not (arguments.literal or arguments.no_enter):
        return advise(named(arguments.session))
    if len(text.encode()) > PASTE_LIMIT:
        limit = PASTE_LIMIT // 1024 // 1024
        raise failure(
            "the text is longer than {limit} MiB; send it in parts.", Exit.USAGE, limit=limit
        )
    session = named(arguments.session)
    order = Send(
        id=0,
        session=session,
        text=text,
        enter=not arguments.no_enter,
        force=arguments.force,
        once=arguments.once or uuid.uuid4().hex,
    )
    if _sent(order).taken is False:
        complain(tr("it was typed, but the session has not taken it so far."))
        return int(Exit.PERHAPS)
    return int(Exit.OK)


def _sent(order: Send) -> Sent:
    """Send a text, and again where the orchestrator dies before it answers; it is typed once.

    Raises:
        CommandError: it was refused; or, with the code PERHAPS, nobody answers any more.
    """
    unanswered: CommandError | None = None
    for _ in range(_TRIES):
        try:
            return ask(order)
        except CommandError as exc:
            gone = isinstance(exc, Unanswered) or (unanswered and exc.code == Exit.NOBODY)
            if not gone:
                raise
            unanswered = exc
    sentence = tr(
        "nagomi's orchestrator went away before it answered, so it may have been typed or not; "
        "`{again}` types only what was not.",
        again=f"nagomi send --once {order.once}",
    )
    raise CommandError(sentence, Exit.PERHAPS) from unanswered


def _identifier(text: str) -> str:
    if not 1 <= len(text) <= 64:
        raise argparse.ArgumentTypeError(tr("an ID has 1 to 64 characters"))
    return text


def _text(arguments: Namespace) -> str:
    text = " ".join(arguments.text)
    if arguments.text == ["-"]:
        text = stdin_text()
        if not arguments.no_enter:
            text = text.removesuffix("\n")
    return carried(text)


def stdin_text() -> str:
    """Return all of stdin, which must be UTF-8 whatever the locale."""
    if sys.stdin is None:
        raise failure("there is no stdin to read.", Exit.USAGE)
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as exc:
        raise failure("stdin is not UTF-8 text.", Exit.USAGE) from exc


def wait(arguments: Namespace) -> int:
    """Wait for a session; the answer and the exit code say what happened."""
    result = ask(
        Wait(
            id=0,
            session=named(arguments.session),
            until=arguments.until,
            pattern=_pattern(arguments),
            silence=arguments.silence,
            timeout=arguments.timeout,
        )
    )
    if arguments.json:
        say_json(result)
    elif arguments.until == "output" and result.line:
        say(result.line)
    return _judge(arguments, result)


def _pattern(arguments: Namespace) -> str:
    """Return the expression to wait for, checked here so that its fault names the place."""
    if arguments.until != "output":
        if arguments.pattern is not None:
            raise failure("only `--until output` takes an expression.", Exit.USAGE)
        return ""
    if not arguments.pattern:
        raise failure("`--until output` needs a regular expression.", Exit.USAGE)
    try:
        re.compile(arguments.pattern)
    except (re.error, RecursionError, OverflowError) as exc:
        raise failure(
            "`{pattern}` is no regular expression: {reason}.",
            Exit.USAGE,
            pattern=arguments.pattern,
            reason=exc,
        ) from exc
    return carried(arguments.pattern)


def _judge(arguments: Namespace, result: Waited) -> int:
    """Return the exit code for an answer of `wait`."""
    if result.reason == "timeout":
        raise failure(
            "it did not happen within {seconds:g} s.", Exit.TIMEOUT, seconds=arguments.timeout
        )
    if result.reason == "exit" and arguments.until == "output":
        raise failure("the session ended before it printed that.")
    if result.reason == "exit" and arguments.until in ("attention", "idle"):
        raise failure("the session ended before it stood so.")
    ended_badly = result.reason == "exit" and result.condition is not Condition.ENDED_WELL
    if arguments.until == "done" and (ended_badly or result.condition is Condition.ERROR):
        raise failure("its turn is over, and went wrong.")
    if arguments.status and result.exit_code is not None:
        return result.exit_code
    return int(Exit.OK)


def capture(arguments: Namespace) -> None:
    """Print the session's screen, or all that is kept of it."""
    text = ask(
        Capture(
            id=0,
            session=named(arguments.session),
            history=arguments.history,
            ansi=arguments.ansi,
        )
    ).text
    write(text if text.endswith("\n") else f"{text}\n")
