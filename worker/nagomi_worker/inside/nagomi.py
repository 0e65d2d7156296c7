"""`nagomi` inside of a session on a hand: asks the workplace that the session belongs to.

The worker puts a program of that name last on the PATH, which runs this by its path. It needs nothing
but the standard library and one module that lies beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from typing import Any, NoReturn

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SECONDS = 60.0
"""Seconds after which an answer is not waited for any more, but for `wait`."""
_CODES = {"not_found": 3, "ambiguous": 3, "bad_request": 2, "away": 4}
_TIMEOUT = 5
_LANGUAGE = ("NAGOMI_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_UNTIL = ("exit", "silence", "output", "attention", "done", "idle")


class Refusal(Exception):
    """The command cannot go on; the arguments are a sentence and the exit code."""


def main(arguments: list[str]) -> int:
    """Carry out one command, and return its exit code."""
    if arguments[:1] in (["hook"], ["event"]):
        _tell_event(arguments[1:])
    options = _parser().parse_args(_arranged(arguments))
    try:
        return int(options.run(options) or 0)
    except Refusal as exc:
        _complain(exc.args[0])
        return int(exc.args[1])
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nagomi", description="Ask the workplace that this session belongs to.",
        epilog="`.` is this session. `nagomi hook` and `nagomi event` are for agents' hooks.",
    )  # fmt: skip
    verbs = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, run, told in (
        ("ls", listed, "list sessions"),
        ("next", listed, "say who has waited longest"),
        ("why", listed, "say how a session stands, and why"),
        ("capture", capture, "print the text of a session"),
        ("send", send, "type text into a session, then Enter"),
        ("keys", keys, "press keys in a session"),
        (
            "wait",
            wait,
            "wait until a session has ended, is quiet, says something, asks, or is done",
        ),
        ("stop", stop, "end a session"),
        ("new", new, "start a session"),
    ):
        verb = verbs.add_parser(name, help=told, description=told)
        verb.set_defaults(run=run, verb=name)
        if name not in ("ls", "next", "new"):
            verb.add_argument("session", metavar="SESSION", help="its number, name or id")
        if name in ("ls", "next", "why", "wait", "new"):
            verb.add_argument("--json", action="store_true", help="print JSON")
    _add_options(verbs.choices)
    return parser


def _add_options(verbs: Any) -> None:
    verbs["capture"].add_argument("--history", action="store_true", help="with all lines above")
    verbs["send"].add_argument("text", nargs="+", metavar="TEXT", help="text; `-` reads stdin")
    verbs["send"].add_argument("--no-enter", action="store_true", help="do not press Enter")
    verbs["send"].add_argument("--force", action="store_true", help="although it asks something")
    verbs["keys"].add_argument("keys", nargs="+", metavar="KEY", help="such as ctrl+c, Enter, up")
    waiter = verbs["wait"]
    waiter.add_argument("--until", choices=_UNTIL, default="exit", help="(default: exit)")
    waiter.add_argument("--pattern", default="", help=argparse.SUPPRESS)
    waiter.add_argument("--silence", type=float, default=3.5, metavar="S")
    waiter.add_argument("--timeout", type=float, metavar="S")
    waiter.add_argument("--status", action="store_true", help="exit as the session did")
    starter = verbs["new"]
    starter.add_argument("--name", default="")
    starter.add_argument("--cwd", default="", help="a folder (default: this one)")
    starter.add_argument("--worker", default="", help="where (default: where this session is)")
    starter.add_argument("cmd", nargs="*", metavar="COMMAND")


def _arranged(arguments: list[str]) -> list[str]:
    """Write `--until output REGEX` so that argparse sees one value for each option."""
    for at in range(len(arguments) - 2):
        if arguments[0] == "wait" and arguments[at : at + 2] == ["--until", "output"]:
            pattern = f"--pattern={arguments[at + 2]}"
            return [*arguments[: at + 2], pattern, *arguments[at + 3 :]]
    return arguments


def listed(options: argparse.Namespace) -> int:
    width = 0
    if os.isatty(1):
        width = os.get_terminal_size(1).columns
    session = getattr(options, "session", "")
    found = _asked("print", command=options.verb, session=session, json=options.json, width=width)
    _write(found["text"])
    return int(found["code"])


def capture(options: argparse.Namespace) -> None:
    text = _asked("capture", session=options.session, history=options.history)["text"]
    _write(text if text.endswith("\n") else f"{text}\n")


def send(options: argparse.Namespace) -> None:
    text = " ".join(options.text)
    if options.text == ["-"]:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        text = text if options.no_enter else text.removesuffix("\n")
    found = _asked(
        "send", session=options.session, text=text, enter=not options.no_enter, force=options.force
    )
    if found.get("taken") is False:
        _complain("it was typed, but the session has not taken it so far.")


def keys(options: argparse.Namespace) -> None:
    _asked("keys", session=options.session, keys=options.keys)


def stop(options: argparse.Namespace) -> None:
    _asked("stop", session=options.session)


def wait(options: argparse.Namespace) -> int:
    found = _asked(
        "wait", seconds=None, session=options.session, until=options.until,
        pattern=options.pattern, silence=options.silence, timeout=options.timeout,
    )  # fmt: skip
    if options.json:
        _write(json.dumps(found) + "\n")
    elif options.until == "output" and found["line"]:
        _write(found["line"] + "\n")
    reason = found["reason"]
    if reason == "timeout":
        raise Refusal(f"it did not happen within {options.timeout:g} s.", _TIMEOUT)
    if reason == "exit" and options.until not in ("exit", "silence"):
        raise Refusal("the session ended before that.", 1)
    if reason == "done" and found.get("condition") == "error":
        raise Refusal("its turn is over, and went wrong.", 1)
    code = found.get("exit_code")
    return int(code) if options.status and code is not None else 0


def new(options: argparse.Namespace) -> None:
    words = options.cmd
    cmd = words[0] if len(words) == 1 else shlex.join(words)
    # Elsewhere this folder means nothing.
    cwd = options.cwd and os.path.abspath(os.path.expanduser(options.cwd))
    cwd = cwd or ("" if options.worker else os.getcwd())
    made = _asked("create", cmd=cmd, cwd=cwd, name=options.name, worker_id=options.worker)
    _write(f"{json.dumps(made)}\n" if options.json else f"{made['number']} {made['name']}\n")


def _asked(kind: str, *, seconds: float | None = _SECONDS, **fields: object) -> Any:
    """Return what the workplace answers.

    Raises:
        Refusal: it refuses, or nobody answers.
    """
    sys.path.insert(0, _ROOT)
    from nagomi_worker.wire import trust

    session, socket = os.environ.get("NAGOMI_SESSION_ID"), os.environ.get("NAGOMI_SOCKET")
    if not (session and socket):
        raise Refusal("this is no session of nagomi.", 4)
    line = json.dumps(
        {
            "type": "ask",
            "session": session,
            "env": {name: os.environ[name] for name in _LANGUAGE if name in os.environ},
            "request": {"type": kind, "id": 1, **fields},
        }
    )
    try:
        with trust.connect(socket, seconds) as peer:
            peer.sendall(line.encode("utf-8", "replace") + b"\n")
            told = b"".join(iter(lambda: peer.recv(65536), b""))
        answer = json.loads(told)
    except OSError as exc:
        raise Refusal(f"the workplace cannot be reached: {exc}", 4) from exc
    except ValueError as exc:
        raise Refusal("the workplace has not answered.", 4) from exc
    if answer.get("type") != "done":
        raise Refusal(answer.get("message", "it is refused."), _CODES.get(answer.get("code"), 1))
    return answer["result"]


def _tell_event(words: list[str]) -> NoReturn:
    """Hand an agent's event on: `AGENT [JSON]`, or the event's name first as guards' hooks do."""
    agent, named = words[:1], ""
    if agent and agent[0][:1].isupper():
        agent, named, words = words[1:2], words[0], []
    event = os.environ.get("NAGOMI_EVENT", "")
    if event and agent:
        more = [named] if named else words[1:]
        os.execv(sys.executable, [sys.executable, "-IS", event, *agent, "", *more])
    os._exit(0)


def _complain(sentence: str) -> None:
    sys.stderr.write(f"nagomi: {sentence}\n")


def _write(text: str) -> None:
    """Print text; characters that the encoding of stdout lacks are replaced."""
    sys.stdout.flush()
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.buffer.write(text.encode(encoding, "replace"))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
