"""The guard's state file, its seal, its settings, and the files that switch the guard on or off.

A state "implementation" is valid only as the guard wrote it; from a checkout, a copy or another
program it counts as discussion. It is valid only while the guard's settings and its hooks are what
they were when the user approved, too, whatever changed them. The seal is no secret, and cannot
stop a program that may write everywhere.

Of clients' settings only what concerns the guard is compared, since clients write there themselves,
such as a permission that the user has granted. Broken settings are an error, and never replaced by
weaker defaults.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.guard.decide.documents import (
    Config,
    Mode,
    State,
    migrated,
    plain,
    typed,
    unknown_keys,
)
from nagomi_tui.guard.files.project import Project
from nagomi_tui.system import files, folders
from nagomi_worker.runtime import files as locks


class Broken(ValueError):
    """A file is not valid; the message says what is wrong."""


def decoded(path: Path, data: bytes) -> Any:
    """Return the decoded JSON of a file.

    Raises:
        Broken: the file is not JSON.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise Broken(f"{path} is not JSON: {exc}") from exc


def encoded(value: Any) -> bytes:
    """Return a value as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def put_aside(path: Path) -> Path:
    """Rename a broken file to the first free `*.bad.json`, and return the new path.

    Raises:
        OSError: the file cannot be renamed.
    """
    stem, number = path.name.removesuffix(".json"), 1
    while (aside := path.with_name(f"{stem}{number if number > 1 else ''}.bad.json")).exists():
        number += 1
    os.rename(path, aside)
    return aside


SECONDS: Final = 1.0
"""The longest wait for the lock (D-53); a change takes some milliseconds."""
_PAUSE: Final = 0.005


class Busy(OSError):
    """Another process kept the lock for the whole waiting time (X-13)."""


@contextlib.contextmanager
def held(path: Path, seconds: float = SECONDS) -> Iterator[None]:
    """Hold the lock during the block; the file is created if missing, and never removed.

    Raises:
        Busy: another process holds the lock for longer than `seconds`.
        OSError: the file cannot be created or opened.
    """
    kept = locks.FileLock(path)
    try:
        kept.take(patience=seconds, pause=_PAUSE)
    except locks.Busy as exc:
        raise Busy(f"another process holds {path}") from exc
    try:
        yield
    finally:
        kept.release()


# --- what switches the guard

_KEYS: Final = ("hooks", "disableAllHooks", "allowManagedHooksOnly", "env")
"""What of a client's settings in JSON switches hooks."""


def switches(project: Project) -> dict[str, Path]:
    """Return the files that switch the guard, by their names for people, whether they exist or not."""
    found, home = {project.config_file.name: project.config_file}, Path.home()
    for agent in GUARDED.values():
        for name in agent.protected:
            if name.endswith((".json", ".toml")):
                found[name] = project.root / name
                found[f"~/{name}"] = home / name
    return found


def _digests(project: Project) -> dict[str, str]:
    """Return a digest of each file that exists, by its name."""
    found = {
        name: _told(path, whole=path == project.config_file)
        for name, path in switches(project).items()
    }
    return {
        name: hashlib.sha256(said).hexdigest() for name, said in found.items() if said is not None
    }


def _told(path: Path, *, whole: bool) -> bytes | None:
    """Return what of a file concerns the guard; None if it is not there."""
    try:
        data = files.read(path)
    except FileNotFoundError:
        return None
    except OSError as exc:
        return str(exc.errno).encode()
    if whole:
        return data
    if path.suffix == ".toml":
        return b"\n".join(line for line in data.splitlines() if b"hook" in line.lower()) or None
    try:
        given = json.loads(data)
        kept = {key: given[key] for key in _KEYS if given.get(key)}
    except (ValueError, AttributeError, RecursionError):
        return data
    return json.dumps(kept, sort_keys=True).encode() if kept else None


_SWITCHES: Final = b"switches:"
"""The line before the digests of the files that switch the guard."""


def write_seal(project: Project, data: bytes) -> None:
    """Record the new content of the state file.

    Raises:
        OSError: the seal cannot be written.
    """
    path = _path(project)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = [f"{digest} {name}".encode() for name, digest in _digests(project).items()]
    files.write(path, b"\n".join([_digest(data), _SWITCHES, *found]))


def is_sealed(project: Project, data: bytes) -> bool:
    """Tell whether the guard wrote this content of the state file."""
    return _lines(project)[:1] == [_digest(data)]


def _changed_switches(project: Project) -> tuple[str, ...]:
    """Return which of the files that switch the guard have changed since, by their names."""
    _, *lines = _lines(project) or [b""]
    if lines[:1] != [_SWITCHES]:
        return ()  # An older version made the seal.
    pairs = (line.decode().partition(" ") for line in lines[1:])
    sealed = {name: digest for digest, _, name in pairs}
    now = _digests(project)
    return tuple(name for name in sealed.keys() | now.keys() if sealed.get(name) != now.get(name))


def _lines(project: Project) -> list[bytes]:
    try:
        return files.read(_path(project), limit=100_000).split(b"\n")
    except OSError:
        return []


def remove_seal(project: Project) -> None:
    """Remove the seal, so that every state of the project counts as discussion.

    Raises:
        OSError: the seal cannot be removed.
    """
    _path(project).unlink(missing_ok=True)


def _path(project: Project) -> Path:
    name = hashlib.sha256(str(project.root).encode("utf-8", "surrogateescape")).hexdigest()
    return Path(folders.state()) / "guard" / f"{name[:32]}.seal"


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


_IGNORED: Final = b"# Written by the guard: what belongs to this machine only.\n" + b"".join(
    name + b"\n"
    for name in (
        b".gitignore",
        b"sessions-state.json",
        b"*.lock",
        b"*.bad.json",
        b"*.log",
        b"last-answer.md",
        b"transcripts/",
    )
)


_FREE: Final = "metadata."
_OWN: Final = "metadata.nagomi."


class Loaded(NamedTuple):
    """A loaded state, and notices on it for the user."""

    state: State
    notices: tuple[str, ...] = ()
    is_as_written: bool = True
    """Whether the file says the same; one that the guard did not write says more than counts."""
    unknown: tuple[str, ...] = ()
    """A notice on keys that are not known; it stays so, so that it is told only once a session."""


class Editing:
    """A state being edited; its value when the block ends is saved."""

    def __init__(self, loaded: Loaded) -> None:
        self.state = loaded.state
        self.notices = loaded.notices
        self.unknown = loaded.unknown


@contextlib.contextmanager
def edit_state(project: Project, seconds: float = SECONDS) -> Iterator[Editing]:
    """Lock and load the state, and save it when the block ends, unless by an exception.

    Raises:
        Busy: another process holds the lock.
        OSError: a file cannot be read or written.
    """
    _make_folder(project)
    with held(project.lock_file, seconds):
        loaded = _loaded_or_new(project)
        editing = Editing(loaded)
        before = editing.state
        yield editing
        is_same = loaded.is_as_written and before == editing.state
        if not is_same or not project.state_file.exists():
            _save(project, editing.state)


def forget_state(project: Project) -> bool:
    """Remove the guard's own files if they say nothing but the defaults; return whether they went."""
    ours = {project.state_file.name, project.lock_file.name, ".gitignore"}
    try:
        there = {path.name for path in project.sessions.iterdir()}
        if there - ours or read_state(project) != Loaded(State()):
            return False
        for name in there:
            (project.sessions / name).unlink()
        project.sessions.rmdir()
        remove_seal(project)
    except (OSError, Broken):
        return False
    return True


def read_state(project: Project) -> Loaded:
    """Return the state without locking; the defaults if there is no file.

    Raises:
        Broken: the file does not hold a state.
        OSError: the file cannot be read.
    """
    try:
        data = files.read(project.state_file)
    except FileNotFoundError:
        return Loaded(State())
    raw = decoded(project.state_file, data)
    try:
        state = typed(raw, State)
    except msgspec.ValidationError as exc:
        raise Broken(f"{project.state_file} is not as it should be: {exc}") from exc
    unknown = _told_unknown(project.state_file, unknown_keys(state))
    if _elevates(state) and not is_sealed(project, data):
        return Loaded(_lowered(state), (_not_ours(project),), False, unknown)
    if _elevates(state) and (names := _changed_switches(project)):
        return Loaded(_lowered(state), (_switched(names),), False, unknown)
    return Loaded(state, unknown=unknown)


def _elevates(state: State) -> bool:
    return state.mode is Mode.IMPLEMENTATION or state.flags.bypass_mode


def _lowered(state: State) -> State:
    flags = msgspec.structs.replace(state.flags, bypass_mode=False)
    return msgspec.structs.replace(
        state, mode=Mode.DISCUSSION, flags=flags, todos=state.todos.with_active(())
    )


def _loaded_or_new(project: Project) -> Loaded:
    """Return the state; a broken file is moved aside, and the mode is discussion."""
    try:
        return read_state(project)
    except Broken as exc:
        aside = put_aside(project.state_file)
        return Loaded(State(), (f"{exc}. It was kept as {aside.name}; this is discussion mode.",))


def _save(project: Project, state: State) -> None:
    """Write the state, then its seal, so that a failure in between leads to discussion."""
    data = encoded(plain(state))
    files.write(project.state_file, data)
    write_seal(project, data)


def _make_folder(project: Project) -> None:
    """Create the folder, with a git ignore file for its files of this machine only (D-69)."""
    project.sessions.mkdir(parents=True, exist_ok=True)
    ignored = project.sessions / ".gitignore"
    if not ignored.exists():
        files.write(ignored, _IGNORED, mode=0o644)


def _told_unknown(path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a notice on these keys, but not on those that any program may put into `metadata`."""
    names = tuple(one for one in names if not one.startswith(_FREE) or one.startswith(_OWN))
    return (f"{path.name} has keys that are not known: {', '.join(names)}.",) if names else ()


def _not_ours(project: Project) -> str:
    return f"{project.state_file.name} was not written by the guard; this is discussion mode."


def _switched(names: tuple[str, ...]) -> str:
    listed = ", ".join(sorted(names))
    return (
        f"{listed} has changed since you approved, and no agent may change it: this is discussion mode. "
        "If that was not you, look at what it says before you approve again."
    )


@contextlib.contextmanager
def changed_by_user(project: Project) -> Iterator[None]:
    """Keep an approval while the user changes what switches the guard, such as its hooks.

    Raises:
        Busy: another process holds the lock.
        OSError: the state cannot be read, or not be sealed.
    """
    if not project.state_file.exists():
        yield
        return
    with held(project.lock_file):
        seal_again = sealed_again(project)
        yield
        seal_again()


def sealed_again(project: Project) -> Callable[[], None]:
    """Return what seals the state anew after the user has changed the settings; call it locked.

    It does nothing if the state did not count before.

    Raises:
        OSError: the state cannot be read.
    """
    try:
        data = files.read(project.state_file)
        counts = read_state(project).is_as_written and is_sealed(project, data)
    except (Broken, FileNotFoundError):
        return lambda: None
    return partial(write_seal, project, data) if counts else lambda: None


# --- the settings


class EditingConfig:
    """Settings being edited; their value when the block ends is saved."""

    def __init__(self, config: Config) -> None:
        self.config = config


def read_config(project: Project) -> Config:
    """Return the settings; the defaults if there is no file.

    Raises:
        Broken: the file does not hold settings. It stays in place, so that everything is denied
            until the user repairs it.
        OSError: the file cannot be read.
    """
    try:
        data = files.read(project.config_file)
    except FileNotFoundError:
        return Config()
    try:
        return typed(migrated(decoded(project.config_file, data)), Config)
    except msgspec.ValidationError as exc:
        raise Broken(f"{project.config_file} is not as it should be: {exc}") from exc


@contextlib.contextmanager
def edit_config(project: Project) -> Iterator[EditingConfig]:
    """Lock and load the settings, and save them when the block ends; a broken file is moved aside.

    Raises:
        Busy: another process holds the lock.
        OSError: a file cannot be read or written.
    """
    project.sessions.mkdir(parents=True, exist_ok=True)
    with held(project.lock_file):
        editing = EditingConfig(_config_or_new(project))
        yield editing
        seal_again = sealed_again(project)
        files.write(project.config_file, encoded(plain(editing.config)))
        seal_again()


def _config_or_new(project: Project) -> Config:
    try:
        return read_config(project)
    except Broken:
        put_aside(project.config_file)
        return Config()
