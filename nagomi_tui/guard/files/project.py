"""Where the guarded project is, and where a path lies in it (DC-5, DB-15)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui import folders
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.guard.decide.events import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from nagomi_tui.core.agents.agent import Guarded

_AGENTS: Final = tuple(agent.guarded for agent in AGENTS.values() if agent.guarded)
_PROTECTED: Final = (
    *(name for agent in _AGENTS for name in agent.protected),
    *(".git/hooks", ".git/config"),
)
"""What switches the guard on; the agent writes to none of it, in either mode (DB-5)."""
_AT_HOME: Final = (*_PROTECTED, *(name for agent in _AGENTS for name in agent.at_home))
"""The same in the user's folder, and which projects a client trusts: it runs no hooks elsewhere."""
_TASKS: Final = "sessions/tasks"


class Project(msgspec.Struct, frozen=True):
    """A guarded project, by its real folder."""

    root: Path

    @property
    def sessions(self) -> Path:
        """The folder of the guard's files."""
        return self.root / "sessions"

    @property
    def state_file(self) -> Path:
        """The state (D-13)."""
        return self.sessions / "sessions-state.json"

    @property
    def config_file(self) -> Path:
        """The settings (D-43)."""
        return self.sessions / "sessions-config.json"

    @property
    def lock_file(self) -> Path:
        """The lock of both."""
        return self.sessions / "sessions-state.lock"


def find(cwd: str, variables: Mapping[str, str]) -> Project:
    """Return the project of a folder.

    It is the folder that the client names, or the nearest one upwards with a folder of a
    client's settings, or `cwd` itself. The user's own folder holds the client's settings, and is no project by that.
    """
    for agent in _AGENTS:
        if named := variables.get(agent.project_variable):
            return Project(Path(os.path.realpath(named)))
    here, home = Path(os.path.realpath(cwd)), Path(os.path.realpath(os.path.expanduser("~")))
    for folder in (here, *here.parents):
        if folder != home and any((folder / agent.folder).is_dir() for agent in _AGENTS):
            return Project(folder)
    return Project(here)


def locate(project: Project, path: str, cwd: str) -> Target:
    """Tell where a path lies once all links in it are followed; it need not exist."""
    full = os.path.join(cwd, os.path.expanduser(path))
    real = os.path.realpath(full)
    relative = _below(real, project.root)
    if _is_protected(relative) or _is_protected_elsewhere(real) or _is_link_to(project, real):
        return Target(path, "protected", relative or "")
    if _is_plan(real):
        return Target(path, "plan", relative or "")
    return Target(path, "outside") if relative is None else Target(path, "inside", relative)


def _below(real: str, root: Path) -> str | None:
    """Return the way from the root to a real path with slashes; None if it lies elsewhere."""
    try:
        return Path(real).relative_to(root).as_posix()
    except ValueError:
        return None


def _is_protected(relative: str | None) -> bool:
    """Tell it whatever the case, since some file systems do not tell cases apart."""
    if relative is None:
        return False
    name = relative.casefold()
    if _within(name, "sessions"):
        return not name.startswith(f"{_TASKS}/")
    return any(_within(name, each) for each in _PROTECTED)


def _within(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}/")


def _is_protected_elsewhere(real: str) -> bool:
    """Tell whether a path is one of the user's own settings of a client, or our note of a state."""
    relative = _below(real, Path(os.path.realpath(os.path.expanduser("~"))))
    if relative is not None and any(_within(relative.casefold(), each) for each in _AT_HOME):
        return True
    if _below(real, Path(os.path.realpath(folders.state())) / "guard") is not None:
        return True
    return any(
        below is not None and _within(f"{agent.folder}/{below}".casefold(), each)
        for agent, moved in _moved_settings()
        for below in [_below(real, moved)]
        for each in agent.protected
    )


def _is_plan(real: str) -> bool:
    """Tell whether a file is a plan of a client, which it writes for the user to read."""
    if not real.endswith(".md"):
        return False
    home = Path(os.path.realpath(os.path.expanduser("~")))
    places = [*_moved_settings(), *((agent, home / agent.folder) for agent in _AGENTS)]
    return any(agent.plans and _below(real, top / agent.plans) for agent, top in places)


def _moved_settings() -> list[tuple[Guarded, Path]]:
    """Return the folders of clients' settings that the user has moved away from home."""
    named = (
        (agent.guarded, os.environ.get(agent.hooks.home_variable))
        for agent in AGENTS.values()
        if agent.guarded and agent.hooks
    )
    return [(guarded, Path(os.path.realpath(path))) for guarded, path in named if path]


def _is_link_to(project: Project, real: str) -> bool:
    """Tell whether a file is a protected one by another name: a hard link, or behind a link."""
    guarded = [project.state_file, project.config_file, project.lock_file]
    guarded += [project.root / each for each in _PROTECTED]
    if any(_within(real, os.path.realpath(each)) for each in guarded):
        return True
    with contextlib.suppress(OSError):
        found = os.stat(real)
        return any(os.path.samestat(found, each) for each in _there(guarded))
    return False


def _there(paths: Iterable[Path]) -> Iterator[os.stat_result]:
    for path in paths:
        with contextlib.suppress(OSError):
            yield os.stat(path)
