"""Lets tools and commands through that only read, without loading most of the guard.

They are most of what an agent uses, and loading the rest of the guard takes longer than starting
Python. Anything doubtful is left to the whole guard; this module never denies.
"""

from __future__ import annotations

import os

from nagomi_tui.guard.decide.readers import LISTING, READERS, SUBAGENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nagomi_tui.shell.folders import Asked

_SHELL = "Bash"
_LARGEST = 1024 * 1024
_GUARDS = ("sessions", "guard")
"""Folders of the guard's own files, as are hidden ones; the whole guard decides on what runs there."""
_TRACES = ("sess", "settings", "hook", "seal", "config", "nagomi", ".json", *"*?[$`{'\"\\")
"""One of these is in each command that names the guard's own files, however it is spelled."""


def passes(data: bytes, variables: Mapping[str, str], variable: str) -> bool:
    """Tell whether the whole guard would let this tool run, change nothing and say nothing.

    `variable` names the project's folder among `variables`; it is empty where a client has none.

    That is so in either mode for a tool of the list, and for a command that only reads, as long as
    no moment's permission ends with it (D-59), the state can be read, and settings are those that
    the whole guard has found whole.
    """
    root = variables.get(variable) if variable else None
    if not root or not any(b'"%s"' % name.encode() in data for name in (*READERS, _SHELL)):
        return False
    import json

    try:
        event = json.loads(data)
        tool = event.get("tool_name")
        if tool != _SHELL and (tool not in READERS or tool in LISTING):
            return False
        if tool in SUBAGENTS and event["tool_input"].get("isolation"):
            return False
        sessions = os.path.join(os.path.realpath(root), "sessions")
        state = json.loads(_read(os.path.join(sessions, "sessions-state.json")))
        if state["api"]["todos_clear"] is not False or not isinstance(state["mode"], str):
            return False
        patterns, *blocked = _seen(os.path.join(sessions, "sessions-config.json"))
        if tool in blocked:
            return False
        if tool != _SHELL:
            return True
        cwd = event.get("cwd") or root
        places = os.path.realpath(cwd).casefold().split(os.sep)
        hidden = any(place.startswith(".") or place in _GUARDS for place in places)
        return not patterns and not hidden and _reads(event["tool_input"]["command"], cwd)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def note(config_file: str, blocked: tuple[str, ...], *, patterns: bool) -> None:
    """Note that the settings, as they are now, are whole.

    Args:
        config_file: their file.
        blocked: the tools that they block.
        patterns: whether they name commands.
    """
    try:
        known = "patterns" if patterns else ""
        said = "\n".join([_signature(os.stat(config_file)), known, *blocked]).encode()
        path = _note(config_file)
        if _read(path, missing=b"") != said:
            spare = f"{path}.{os.getpid()}"
            with open(os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(said)
            os.replace(spare, path)
    except OSError:
        pass  # Then the next tool is asked about as this one was.


def _reads(command: str, cwd: str) -> bool:
    from nagomi_tui.shell.classifier import classify, plainly_reads
    from nagomi_tui.shell.patterns import Patterns

    if classify(command, Patterns(folder=_Folder(cwd))).verdict != "read":
        return False
    if not any(trace in command.casefold() for trace in _TRACES):
        return True
    from nagomi_tui.guard.decide.tools import switched

    return not switched(command) or plainly_reads(command)


class _Folder:
    """The folder where a command would run; what looks into it is loaded once a program does so, too."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        from nagomi_tui.guard.files.folder import Here

        return Here(self._cwd).objection(asked, moves)


def _seen(config_file: str) -> Sequence[str]:
    """Return whether the settings name commands, and the tools that they block.

    Raises:
        OSError: the settings are others than those that were noted.
    """
    try:
        found = os.stat(config_file)
    except FileNotFoundError:
        return ("",)
    signature, *seen = _read(_note(config_file)).decode().split("\n")
    if signature != _signature(found):
        raise OSError("the settings have changed")
    return seen


def _signature(found: os.stat_result) -> str:
    numbers = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return " ".join(map(str, numbers))


def _note(config_file: str) -> str:
    """Return the file that tells of these settings. It holds nobody: at worst a read passes."""
    return os.path.join(os.path.dirname(config_file), ".settings-seen.lock")


def _read(path: str, missing: bytes | None = None) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        if missing is None:
            raise
        return missing
    try:
        return os.read(fd, _LARGEST)
    finally:
        os.close(fd)
