"""Finds the guarded project of a folder, and classifies paths in it (DC-5, DB-15)."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.agents.agent import Guarded
from nagomi_tui.agents.registry import AGENTS, GUARDED
from nagomi_tui.guard.decide.events import Target
from nagomi_tui.system import folders
from nagomi_tui.system.platforms import WINDOWS

_AGENTS: Final = tuple(GUARDED.values())
_PROTECTED: Final = (
    *(name for agent in _AGENTS for name in agent.protected),
    *(".git/hooks", ".git/config"),
)
"""Project files that control the guard, which the agent may not write in any mode (DB-5)."""
RUN_BY_GIT: Final = ("hooks", "config", "config.worktree")
"""What has git run programs, in the folder of a repository."""
_AT_HOME: Final = (*_PROTECTED, *(name for agent in _AGENTS for name in agent.at_home))
"""Such files in the home folder, and those on trusted projects, as only these run hooks."""
_TASKS: Final = "sessions/tasks"


class Project(msgspec.Struct, frozen=True):
    """A guarded project, by its folder with links resolved."""

    root: Path

    @property
    def sessions(self) -> Path:
        """The folder of the guard's files."""
        return self.root / "sessions"

    @property
    def state_file(self) -> Path:
        """The state file (D-13)."""
        return self.sessions / "sessions-state.json"

    @property
    def config_file(self) -> Path:
        """The settings file (D-43)."""
        return self.sessions / "sessions-config.json"

    @property
    def lock_file(self) -> Path:
        """The file locked for changes of either."""
        return self.sessions / "sessions-state.lock"

    @property
    def is_known(self) -> bool:
        """Whether the guard or a client that it knows has been here."""
        folders = (self.sessions, *(self.root / agent.folder for agent in _AGENTS))
        return any(folder.is_dir() for folder in folders)


def find(cwd: str, variables: Mapping[str, str]) -> Project:
    """Return the project of the folder `cwd`, or of the one that the client names in a variable.

    It is the nearest folder upwards in which the guard has its files; else, in a repository, the
    nearest one with a client's settings folder, or the repository's root; else the folder itself.
    Nothing above a repository counts, nor does the home folder: clients do not look there either.
    """
    named = next(filter(None, (variables.get(one.project_variable) for one in _AGENTS)), "")
    here = Path(os.path.realpath(named or cwd))
    folders, is_repository = _within_repository(here)
    for folder in folders:
        if _has_guard(Project(folder)):
            return Project(folder)
    if not is_repository:
        return Project(here)
    settings = (one for one in folders if any(os.path.isdir(one / each.folder) for each in _AGENTS))
    return Project(next(settings, folders[-1]))


def _within_repository(here: Path) -> tuple[list[Path], bool]:
    """Return a folder and those above it, up to its repository's root, and whether there is one."""
    home, found = Path(os.path.realpath(os.path.expanduser("~"))), []
    for folder in (here, *here.parents):
        if folder == home or folder == folder.parent:
            break
        found.append(folder)
        if os.path.exists(folder / ".git"):
            return found, True
    return found, False


def _has_guard(project: Project) -> bool:
    """Tell whether the guard has its files there; in folders of all users others may put some."""
    for file in (project.state_file, project.config_file):
        with contextlib.suppress(OSError):
            found = os.stat(file)
            if stat.S_ISREG(found.st_mode) and (WINDOWS or found.st_uid in (0, os.geteuid())):
                return True
    return False


def locate(project: Project, path: str, cwd: str) -> Target:
    """Classify a path after resolving its links; the path need not exist."""
    full = os.path.join(cwd, os.path.expanduser(path))
    real = os.path.realpath(full)
    relative = _below(real, project.root)
    if _is_protected(relative) or _is_protected_elsewhere(real) or _is_link_to(project, real):
        return Target(path, "protected", relative or "")
    if _is_plan(real):
        return Target(path, "plan", relative or "")
    return Target(path, "outside") if relative is None else Target(path, "inside", relative)


def folder_of_guard(project: Project, cwd: str) -> str:
    """Return the folder `cwd` relative to the root if files that control the guard lie in it."""
    real = os.path.realpath(cwd)
    files = (os.path.join(project.root, each) for each in _PROTECTED)
    holds = any(
        real == os.path.realpath(os.path.dirname(file)) or _within(real, os.path.realpath(file))
        for file in files
    )
    relative = _below(real, project.root) or ""
    name = relative.casefold()
    own = _within(name, "sessions") and not _within(name, _TASKS)
    return relative or real if holds or own else ""


def _below(real: str, root: Path) -> str | None:
    """Return a real path relative to the root, with slashes; None if it is outside."""
    try:
        return Path(real).relative_to(root).as_posix()
    except ValueError:
        return None


def _is_protected(relative: str | None) -> bool:
    """Tell whether a relative path is protected; ignores case, as some file systems do."""
    if relative is None:
        return False
    name = relative.casefold()
    if _within(name, "sessions"):
        return not name.startswith(f"{_TASKS}/")
    return any(_within(name, each) for each in _PROTECTED) or _has_git_run(name)


def _has_git_run(name: str) -> bool:
    """Tell whether a path is that of settings or hooks of a repository, a submodule or a worktree."""
    _, git, inside = f"/{name}".partition("/.git/")
    parts = inside.split("/")
    elsewhere = parts[0] in ("modules", "worktrees") and any(one in parts[2:] for one in RUN_BY_GIT)
    return bool(git) and (parts[0] in RUN_BY_GIT or elsewhere)


def _within(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}/")


def _is_protected_elsewhere(real: str) -> bool:
    """Tell whether a path is a client's user settings, one of nagomi's, or a seal of a state file."""
    relative = _below(real, Path(os.path.realpath(os.path.expanduser("~"))))
    if relative is not None and any(_within(relative.casefold(), each) for each in _AT_HOME):
        return True
    own = (folders.config(), os.path.join(folders.state(), "guard"))
    if any(_below(real, Path(os.path.realpath(each))) is not None for each in own):
        return True
    return any(
        below is not None and _within(f"{agent.folder}/{below}".casefold(), each)
        for agent, moved in _moved_settings()
        for below in [_below(real, moved)]
        for each in agent.protected
    )


def _is_plan(real: str) -> bool:
    """Tell whether a file is a client's plan, written in its plan mode for the user to read."""
    if not real.endswith(".md"):
        return False
    home = Path(os.path.realpath(os.path.expanduser("~")))
    places = [*_moved_settings(), *((agent, home / agent.folder) for agent in _AGENTS)]
    return any(agent.plans and _below(real, top / agent.plans) for agent, top in places)


def _moved_settings() -> list[tuple[Guarded, Path]]:
    """Return clients with their settings folders that the user has moved out of home."""
    named = (
        (agent.guarded, os.environ.get(agent.hooks.home_variable))
        for agent in AGENTS.values()
        if agent.guarded and agent.hooks
    )
    return [(guarded, Path(os.path.realpath(path))) for guarded, path in named if path]


def _is_link_to(project: Project, real: str) -> bool:
    """Tell whether a file is a protected file under another name, by a hard or symbolic link."""
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
