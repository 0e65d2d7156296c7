"""What the kernel holds of a guarded project in strict mode, and where tools keep their caches then."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.agents.registry import AGENTS
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
    "CARGO_TARGET_DIR": "cargo",
    "npm_config_cache": "npm",
    "TURBO_CACHE_DIR": "turbo",
}
"""Variables by which tools are told where to write what they would else put into the project."""


class NotHeld(ValueError):
    """The project cannot be held; the message says why."""


def held(
    project: Project, config: Config, *, ours: Sequence[Path], sockets: Sequence[Path]
) -> Guard:
    """Return what is held of a project; tasks can be written in both modes.

    Args:
        project: its folder, which exists.
        config: its settings, for what may be written in discussion.
        ours: folders of nagomi's own, of which the session reads at most.
        sockets: folders of nagomi's own that the session does not see into.

    Raises:
        NotHeld: the folder is the user's own, or that of the whole system.
        OSError: a folder cannot be made.
    """
    root = os.path.realpath(project.root)
    if root in ("/", os.path.realpath(os.path.expanduser("~"))):
        raise NotHeld(f"{root} is no project: strict mode would hold all of it")
    tasks = os.path.join(root, "sessions", "tasks")
    os.makedirs(tasks, exist_ok=True)
    repositories = tuple(_repositories(root))
    allowed = [os.path.join(root, one) for one in config.blocked_actions.discussion_allowed_paths]
    hidden = [os.path.realpath(place) for place in sockets if place.is_dir()]
    shut = [
        *_switches(root, repositories),
        *(os.path.realpath(one) for one in ours if one.is_dir()),
    ]
    return Guard(
        held=(root, *repositories),
        shut=tuple(dict.fromkeys(shut)),
        open=tuple(dict.fromkeys([tasks, *filter(os.path.exists, allowed)])),
        hidden=tuple(dict.fromkeys(hidden)),
    )


def caches(root: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables by which tools write into the user's caches instead of the project."""
    base = variables.get("XDG_CACHE_HOME") or os.path.join(variables.get("HOME", "/tmp"), ".cache")
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    folder = os.path.join(base, "nagomi", "tools", name)
    places = {name: os.path.join(folder, place) for name, place in _CACHES.items()}
    pytest = f"-o cache_dir={os.path.join(folder, 'pytest')}"
    return {**places, "PYTEST_ADDOPTS": pytest}


def _switches(root: str, repositories: Sequence[str]) -> Iterator[str]:
    """Yield what switches the guard or runs programs of its own: never writable for the agent."""
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
    """Yield the folders of the project's repository, which a worktree has elsewhere."""
    git = os.path.join(root, ".git")
    if os.path.isdir(git):
        yield os.path.realpath(git)
        return
    with contextlib.suppress(OSError):
        own = _named(git, "gitdir:", root)
        yield own
        yield _named(os.path.join(own, "commondir"), "", own)


def _named(path: str, key: str, base: str) -> str:
    """Return the folder that a file of git's names."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return os.path.realpath(os.path.join(base, file.read(4096).removeprefix(key).strip()))
