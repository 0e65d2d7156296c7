"""What a repository asks for: the tables `[worktree]` and `[sessions]` of its `nagomi.toml`.

What runs, or has programs run, counts only once the user has approved exactly that.

Ports are chosen so that no two worktrees of this user ever have the same: under a lock, from a list of
all that were given, and only such as nobody listens on.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import socket
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from nagomi_tui.system import files, paths
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.system.environment import line_of
from nagomi_tui.text.words import translatable
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.repository import linked_at, noted
from nagomi_worker.runtime import files as lock_files

FILE: Final = "nagomi.toml"
_TABLES: Final = ("worktree", "sessions")
_PORT: Final = re.compile(r"port:(\d{1,5})")
_NAME: Final = re.compile(r"[A-Z_][A-Z0-9_]*")
_HIGHEST: Final = 65_535
_PATIENCE: Final = 10.0
_KEPT_DAYS: Final = 30.0
"""How long a port stays that of a worktree whose folder is gone: it may be brought back."""


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A session that `nagomi up` starts."""

    command: str
    """A line for the shell."""
    folder: str = ""
    """Where, from the top of the worktree."""
    agent: str = ""
    """The agent profile that it is judged by."""
    guard: Literal["", "auto", "strict", "hook"] = ""
    worktree: str = ""
    """The branch whose worktree it is in, which is made where there is none; else where one is."""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table as it stands in the file."""

    copy: tuple[str, ...] = ()
    """Patterns, as in `.gitignore`, of files that git does not track and that are copied."""
    link: tuple[str, ...] = ()
    """Paths in whose place a symbolic link leads to where they are."""
    env: dict[str, str] = {}
    """Variables; `port:3000` is the first port from 3000 on that is free, all else is the value."""
    setup: tuple[str, ...] = ()
    """Lines for a shell, run one after the other in a new worktree."""
    teardown: tuple[str, ...] = ()
    """Lines for a shell, run one after the other before a worktree is taken away."""
    sessions: dict[str, Named] = {}
    """What `nagomi up` starts, by name: the table `[sessions]`."""

    @property
    def ports(self) -> dict[str, int]:
        """The first port that is asked for, by the names of the variables."""
        return {
            name: int(value.partition(":")[2])
            for name, value in self.env.items()
            if _PORT.fullmatch(value)
        }

    @property
    def plain(self) -> dict[str, str]:
        """The other variables. They can make a program run another one, as `PATH` does."""
        return {name: value for name, value in self.env.items() if name not in self.ports}

    @property
    def script(self) -> str:
        """What counts only once it is approved, as the user reads it before."""
        told = [f"env: {name}={value}" for name, value in self.plain.items()]
        told += [f"setup: {line}" for line in self.setup]
        told += [f"teardown: {line}" for line in self.teardown]
        for name, one in self.sessions.items():
            facts = (
                ("folder", one.folder),
                ("agent", one.agent),
                ("guard", one.guard),
                ("worktree", one.worktree),
            )
            more = "".join(f", {key} {value}" for key, value in facts if value)
            told.append(f"session {name}: {one.command}{more}")
        return "\n".join(told)


def read(folder: Path) -> Rules:
    """Return what a repository asks for, by the file in a worktree of it."""
    path = folder / FILE
    try:
        text = files.read_text(path)
    except FileNotFoundError:
        return Rules()
    except (OSError, UnicodeDecodeError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise Fault("{path} cannot be read: {reason}", path=path, reason=reason) from exc
    try:
        found = _rules(tomllib.loads(text))
        _check(found)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, ValueError, RecursionError) as exc:
        raise Fault("{path} does not fit: {reason}", path=path, reason=exc) from exc
    return found


def _rules(document: dict[str, Any]) -> Rules:
    """Return the tables as they stand in the file."""
    for name in document:
        if name not in _TABLES:
            raise ValueError(f"`{name}` is neither [worktree] nor [sessions.NAME]")
    if "sessions" in document.get("worktree", {}):
        raise ValueError("`sessions` is a table of its own: [sessions.NAME]")
    return from_builtins(
        {**document.get("worktree", {}), "sessions": document.get("sessions", {})}, Rules
    )


def _check(rules: Rules) -> None:
    """See that values are of a form that does no harm."""
    for name in (*rules.copy, *rules.link):
        if os.path.isabs(name) or ".." in Path(name).parts or "\n" in name:
            raise ValueError(f"`{name}` leads out of the repository")
    for name, value in rules.env.items():
        port = _PORT.fullmatch(value)
        if not _NAME.fullmatch(name) or name.startswith("NAGOMI_"):
            raise ValueError(f"no variable can be called `{name}` here")
        if "\0" in value or (port and not 1 <= int(port[1]) <= _HIGHEST):
            raise ValueError(
                f"`{name} = {value}` is neither a port of the form port:NUMBER nor a value"
            )
        if not port and value.startswith("port:"):
            raise ValueError(f"`{name} = {value}` is not of the form NAME = port:NUMBER")
    for name, one in rules.sessions.items():
        if not name.strip() or name.startswith("-") or not name.isprintable():
            raise ValueError(f"no session can be called `{name}`")
        if not one.command.strip() or "\0" in one.command:
            raise ValueError(f"the session `{name}` has no command")
        if os.path.isabs(one.folder) or ".." in Path(one.folder).parts or "\0" in one.folder:
            raise ValueError(f"the folder of the session `{name}` leads out of the repository")


UNAPPROVED: Final = translatable(
    "this repository has commands that you have not approved, or that have "
    "changed since; `nagomi worktree approve` shows them."
)


def is_approved(common: Path, rules: Rules) -> bool:
    """Return whether the user has approved exactly these lines for a repository."""
    return not rules.script or _approvals().get(os.fspath(common)) == _digest(rules)


def script_of(lines: Sequence[str]) -> str:
    """Return the command that runs lines of a repository, up to the first that fails."""
    return line_of(["sh", "-c", "\n".join(["set -e", *lines])])


def approve(common: Path, rules: Rules) -> None:
    """Note that the user has read and approved these lines for a repository; others do not count any more.

    Raises:
        OSError: it cannot be noted.
    """
    known = _approvals() | {os.fspath(common): _digest(rules)}
    paths.make_private(paths.state_folder())
    files.write(_approvals_file(), json.dumps(known).encode("ascii"))


def _approvals() -> dict[str, str]:
    try:
        told = json.loads(files.read(_approvals_file()))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _approvals_file() -> Path:
    return paths.state_folder() / "worktree-approvals.json"


def _digest(rules: Rules) -> str:
    told = json.dumps(
        msgspec.to_builtins([rules.plain, rules.setup, rules.teardown, rules.sessions])
    ).encode("ascii")
    return hashlib.sha256(told).hexdigest()


def links(rules: Rules, source: Path, target: Path) -> Iterator[str]:
    """Link what is to be linked, and yield each path; what is there already, or missing, is left.

    Raises:
        OSError: a link cannot be made.
    """
    root = os.path.realpath(target)
    for name in rules.link:
        made = target / name
        if not os.path.lexists(source / name) or os.path.lexists(made):
            continue
        made.parent.mkdir(parents=True, exist_ok=True)
        if f"{os.path.realpath(made.parent)}/".startswith(f"{root}/"):
            made.symlink_to(os.path.realpath(source / name))
            yield os.path.normpath(name)


def choose_ports(rules: Rules, worktree: Path) -> dict[str, int]:
    """Return ports that are this worktree's own from now on, by the names of their variables."""
    wanted = rules.ports
    if not wanted:
        return {}
    try:
        folder = paths.make_private(paths.state_folder())
        lock = lock_files.FileLock(folder / "ports.lock")
        lock.take(patience=_PATIENCE)
    except (OSError, lock_files.Busy) as exc:
        raise Fault("Ports cannot be chosen: {reason}", reason=exc) from exc
    try:
        given = _given(folder / "ports.json")
        found = {}
        for name, first in wanted.items():
            found[name] = next(
                (one for one in range(first, _HIGHEST + 1) if one not in given and _is_free(one)), 0
            )
            if not found[name]:
                raise Fault("No port from {first} on is free.", first=first)
            given[found[name]] = {"folder": os.fspath(worktree), "at": time.time()}
        files.write(folder / "ports.json", json.dumps(given).encode("ascii"))
        return found
    except OSError as exc:
        raise Fault("Ports cannot be chosen: {reason}", reason=exc) from exc
    finally:
        lock.release()


def _given(path: Path) -> dict[int, dict[str, Any]]:
    """Return the ports that were given, but for those of worktrees that are gone for long."""
    try:
        told = json.loads(files.read(path))
        kept = {int(port): dict(one) for port, one in told.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError):
        os.replace(path, path.with_suffix(".bad.json"))
        return {}
    latest = time.time() - _KEPT_DAYS * 86_400
    return {
        port: one
        for port, one in kept.items()
        if os.path.isdir(str(one.get("folder"))) or float(one.get("at", 0)) > latest
    }


def _is_free(port: int) -> bool:
    """Return whether nobody listens on a port, at any address."""
    for family, address in (
        (socket.AF_INET, "127.0.0.1"),
        (socket.AF_INET, "0.0.0.0"),
        (socket.AF_INET6, "::"),
    ):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as one:
                if family is socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind((address, port))
        except PermissionError:
            return False
        except OSError as exc:
            if family is socket.AF_INET or exc.errno == errno.EADDRINUSE:
                return False
    return True


def variables_at(folder: Path | str) -> dict[str, str]:
    """Return what is set in sessions of the linked worktree that a folder is in, by files alone.

    These are its ports, and what else its repository asks for as long as that is approved.

    Raises:
        OSError: a file cannot be read.
    """
    worktree = linked_at(folder)
    if worktree is None:
        return {}
    note = noted(worktree)
    try:
        rules = read(worktree.path)
    except Fault:
        rules = Rules()
    common = Path(os.path.realpath(worktree.git_dir.parent.parent))
    plain = rules.plain if rules.plain and is_approved(common, rules) else {}
    ports = {
        name: str(port)
        for name, port in (note.ports if note else {}).items()
        if _NAME.fullmatch(name) and 1 <= port <= _HIGHEST
    }
    return plain | ports
