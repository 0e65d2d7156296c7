"""The hook program: hands one event of an agent on to nagomi, and never disturbs the agent.

An agent runs it for every event (`python -IS event.py AGENT PID`, with the event as JSON on
stdin or as the last argument), so it imports nothing but a little of the standard library.
Whatever happens, it prints nothing and ends with 0 within a second. Where the variables of a
session of nagomi are missing, as in ssh or sudo, it does nothing at all.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence
    from typing import Any, NoReturn

DEADLINE = 0.9
"""Seconds after which it gives up, whatever it waits for."""
RETRY = 0.6
"""Seconds for which to retry while an orchestrator is being replaced."""
PAUSE = 0.03
LARGEST = 32 * 1024 * 1024
"""Bytes beyond which an event is dropped unread."""
LONGEST = 2000
"""Most characters that are kept of a text."""

ALIASES = {"task_id": "session_id", "hook_name": "hook_event_name", "tool_args": "tool_input"}
"""Names that some agents give to fields of these meanings."""
FIELDS = (
    "hook_event_name", "session_id", "cwd", "agent_id", "tool_name", "tool_use_id",
    "notification_type", "message", "trigger", "source", "reason", "error",
    "last_assistant_message",
)  # fmt: skip
"""What is handed on; what a tool answered, what was typed, and all else stays with the agent."""
INPUT_FIELDS = ("command", "file_path")


def main(arguments: Sequence[str]) -> NoReturn:
    """Read one event, hand it on, and end the process with 0."""
    try:
        _set_deadline()
        _hand_on(arguments, time.time())
    except BaseException:
        # The agent must not hear of it, and there is nobody else to tell.
        pass
    os._exit(0)


def _set_deadline() -> None:
    if sys.platform != "win32":
        import signal

        signal.signal(signal.SIGALRM, lambda number, frame: os._exit(0))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        signal.setitimer(signal.ITIMER_REAL, DEADLINE)


def _hand_on(arguments: Sequence[str], at: float) -> None:
    given = arguments[-1] if len(arguments) > 1 and arguments[-1].startswith("{") else None
    data = given if given is not None else _stdin()
    named = arguments[2] if len(arguments) > 2 and not arguments[2].startswith("{") else ""
    data = data or ("{}" if named else "")
    hand_on(arguments[0] if arguments else "", data, _number(arguments), at, named=named)


def hand_on(
    agent: str,
    data: bytes | str,
    pid: int,
    at: float,
    *,
    named: str = "",
    guard: dict[str, Any] | None = None,
) -> None:
    """Hand an event on to the nagomi in whose session this process is; elsewhere do nothing.

    Args:
        agent: the agent's name.
        data: the event as JSON.
        pid: the agent's process.
        at: seconds since the epoch.
        named: the event, of agents that tell it by which command they run.
        guard: what the guard has decided of it.
    """
    session = os.environ.get("NAGOMI_SESSION_ID")
    socket = os.environ.get("NAGOMI_SOCKET")
    if not (session and socket and data):
        return
    import json

    payload = reduced(uniform(json.loads(data)))
    if named:
        # Some agents tell the event by which command they run, or call it twice.
        payload["hook_event_name"] = named
        payload.setdefault("cwd", os.getcwd())
    if payload:
        if guard:
            payload["guard"] = guard
        said = {
            "type": "hook",
            "session": session,
            "agent": agent,
            "payload": payload,
            "at": at,
            "pid": pid,
        }
        _send(socket, json.dumps(said).encode() + b"\n")


def uniform(payload: object) -> object:
    """Return an event with its fields named in one way, such as `tool_name` for `toolName`."""
    if not isinstance(payload, dict):
        return payload
    found: dict[str, Any] = {}
    for name, value in payload.items():
        plain = "".join(f"_{char.lower()}" if char.isupper() else char for char in str(name))
        found.setdefault(ALIASES.get(plain, plain), value)
    if "parent_agent_id" in found and not found["parent_agent_id"]:
        # The main agent has an id, too; here only those of others count.
        found.pop("agent_id", None)
    context = found.get("session_context")
    if isinstance(context, dict) and context.get("rootSessionId"):
        found["session_id"] = context["rootSessionId"]
    given = found.get("tool_input")
    if isinstance(given, str) and given.startswith("{"):
        import json

        found["tool_input"] = json.loads(given)
    return found


def reduced(payload: object) -> dict[str, Any]:
    """Return what nagomi reads of an event, cut to a bounded length; nothing if it is none."""
    if not isinstance(payload, dict):
        return {}
    kept: dict[str, Any] = _texts(payload, FIELDS)
    given = payload.get("tool_input")
    if isinstance(given, dict):
        kept["tool_input"] = _texts(given, INPUT_FIELDS)
    return kept


def _texts(values: dict[str, Any], names: Sequence[str]) -> dict[str, str]:
    found = ((name, values.get(name)) for name in names)
    return {name: value[:LONGEST] for name, value in found if isinstance(value, str)}


def _number(arguments: Sequence[str]) -> int:
    """Return the agent's process id, which its shell told us."""
    return next((int(word) for word in arguments[1:2] if word.isdecimal()), 0)


def _stdin() -> bytes:
    """Read stdin to its end, so that the agent never gets EPIPE; of a terminal that is typed for it."""
    if os.isatty(0):
        return b""
    parts, size = [], 0
    while part := os.read(0, 1 << 20):
        size += len(part)
        if size <= LARGEST:
            parts.append(part)
    return b"".join(parts) if size <= LARGEST else b""


def _send(path: str, line: bytes) -> None:
    """Write the line to the orchestrator; one that is just being replaced is waited for."""
    if sys.platform == "win32":
        return
    import socket

    if door := os.environ.get("NAGOMI_GUARD_DOOR"):
        # In a strict session only the worker's socket is seen, and the line is handed on.
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(RETRY)
            peer.connect(door)
            peer.sendall(b'["front"]\n' + line)
        return
    until, refused = time.monotonic() + RETRY, False
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
            peer.settimeout(RETRY)
            try:
                check_place(path)
                peer.connect(path)
                check_peer(peer)
                peer.sendall(line)
                return
            except FileNotFoundError:
                # Without a socket nobody comes; but a successor puts its own in place of the old.
                if not refused or time.monotonic() >= until:
                    return
            except (ConnectionError, BlockingIOError):
                refused = True
                if time.monotonic() >= until:
                    return
        time.sleep(PAUSE)


def check_place(path: str) -> None:
    """Check that only this user can have made this socket, as `nagomi_worker.wire.trust` does.

    Raises:
        PermissionError: another user can have made it.
    """
    folder = os.path.dirname(path)
    for place in (os.path.dirname(folder), folder):
        found = os.lstat(place)
        # S_IFMT, S_IFDIR, and whatever others may do
        if found.st_mode & 0o170077 != 0o040000 or not is_ours(found.st_uid):
            raise PermissionError(place)


def check_peer(peer: socket.socket) -> None:
    """Check that a process of this user listens.

    Raises:
        PermissionError: it is another user's.
    """
    import socket
    import struct

    if sys.platform == "linux":
        told = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        uid = struct.unpack("iII", told)[1]
    else:
        uid = struct.unpack_from("II", peer.getsockopt(0, 1, 256))[1]  # SOL_LOCAL, LOCAL_PEERCRED
    if not is_ours(uid):
        raise PermissionError(uid)


def is_ours(uid: int) -> bool:
    """Tell whether this is our own user id; a user namespace may show many as 65534."""
    if sys.platform == "win32" or uid != os.geteuid():
        return False
    if uid != 65534:
        return True
    try:
        with open("/proc/self/uid_map") as told:
            return told.read().split() == ["0", "0", "4294967295"]
    except OSError:
        return True


if __name__ == "__main__":
    main(sys.argv[1:])
