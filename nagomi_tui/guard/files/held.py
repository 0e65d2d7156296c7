"""What the kernel write-protects of a project in strict mode, and where tools keep caches then."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.words import Said
from nagomi_worker.wire.values import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from nagomi_tui.guard.decide.config import Config
    from nagomi_tui.guard.files.project import Project

_CACHES: Final = {
    "PYTHONPYCACHEPREFIX": "pycache",
    "MYPY_CACHE_DIR": "mypy",
    "RUFF_CACHE_DIR": "ruff",
    "COVERAGE_FILE": "coverage",
    "HYPOTHESIS_STORAGE_DIRECTORY": "hypothesis",
    "TOX_WORK_DIR": "tox",
    "CARGO_TARGET_DIR": "cargo",
    "npm_config_cache": "npm",
    "TURBO_CACHE_DIR": "turbo",
}
"""Environment variables that move tools' caches out of the project."""


class NotHeld(ValueError):
    """The project cannot be write-protected; the message says why, and so does `said`."""

    def __init__(self, sentence: str, **values: object) -> None:
        self.said = Said(sentence, values)
        super().__init__(str(self.said))


def held(
    project: Project, config: Config, *, ours: Sequence[Path], sockets: Sequence[Path]
) -> Guard:
    """Return what is write-protected of a project; its tasks stay writable in both modes.

    Args:
        project: the project, whose folder exists.
        config: its settings, for the paths that are writable in discussion.
        ours: folders of nagomi's own that are read-only for the session.
        sockets: folders of nagomi's own that are hidden from the session.

    Raises:
        NotHeld: the folder is the user's home folder or the root of the file system.
        OSError: a folder cannot be created.
    """
    root = os.path.realpath(project.root)
    if root in ("/", os.path.realpath(os.path.expanduser("~"))):
        raise NotHeld("{root} is no project: strict mode would hold all of it", root=root)
    tasks = os.path.join(root, "sessions", "tasks")
    os.makedirs(tasks, exist_ok=True)
    repositories = tuple(_repositories(root))
    hidden = [os.path.realpath(place) for place in sockets if place.is_dir()]
    shut = [
        *_switches(root, repositories),
        *(os.path.realpath(one) for one in ours if one.is_dir()),
    ]
    allowed = _allowed(root, config.blocked_actions.discussion_allowed_paths, shut)
    return Guard(
        held=(root, *repositories),
        shut=tuple(dict.fromkeys(shut)),
        open=tuple(dict.fromkeys([tasks, *allowed])),
        hidden=tuple(dict.fromkeys(hidden)),
    )


def _allowed(root: str, names: Sequence[str], shut: Sequence[str]) -> Iterator[str]:
    """Yield what is to stay writable of a project (DB-30), but for what controls the guard."""
    for name in names:
        path = os.path.normpath(os.path.join(root, name))
        inside = path.startswith(f"{root}/") and os.path.exists(path)
        if inside and not any(f"{path}/".startswith(f"{one}/") for one in shut):
            yield path


def caches(root: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables that move tools' caches to the user's cache folder."""
    base = variables.get("XDG_CACHE_HOME") or os.path.join(variables.get("HOME", "/tmp"), ".cache")
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    folder = os.path.join(base, "nagomi", "tools", name)
    places = {name: os.path.join(folder, place) for name, place in _CACHES.items()}
    pytest = f"-o cache_dir={os.path.join(folder, 'pytest')}"
    return {**places, "PYTEST_ADDOPTS": pytest}


def _switches(root: str, repositories: Sequence[str]) -> Iterator[str]:
    """Yield paths that control the guard or start programs, which the agent may never write."""
    for agent in AGENTS.values():
        if agent.guarded:
            yield os.path.realpath(os.path.join(root, agent.guarded.folder))
    yield os.path.join(root, "sessions")
    if os.path.isfile(os.path.join(root, ".git")):
        yield os.path.join(root, ".git")
    for repository in repositories:
        for name in ("hooks", "config", "config.worktree"):
            path = os.path.join(repository, name)
            if name == "hooks" or os.path.isfile(path):
                yield os.path.realpath(path)


def _repositories(root: str) -> Iterator[str]:
    """Yield the project's git folders, which for a worktree are outside of it."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        yield os.path.realpath(git)
        return
    with contextlib.suppress(OSError):
        own = _named(git, "gitdir:", root)
        yield own
        yield _named(os.path.join(own, "commondir"), "", own)


def _named(path: str, key: str, base: str) -> str:
    """Return the folder that is named in a file of git's."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return os.path.realpath(os.path.join(base, file.read(4096).removeprefix(key).strip()))
