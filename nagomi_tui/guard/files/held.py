"""What the kernel write-protects of a project in strict mode, and where tools keep caches then."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from nagomi_tui.agents.agent import Agent, Guarded
from nagomi_tui.agents.registry import AGENTS, GUARDED
from nagomi_tui.guard.decide.documents import Config
from nagomi_tui.guard.files.project import RUN_BY_GIT, Project
from nagomi_tui.system import files
from nagomi_tui.text.words import Said
from nagomi_worker.confine.mount_table import is_below
from nagomi_worker.wire.messages import Guard

_CACHES_AT_HOME: Final = (
    ".cache", ".npm/_cacache", ".npm/_logs", ".cargo/registry", ".cargo/git", "go/pkg", ".gradle/caches",
    ".gradle/daemon", ".gradle/native", ".gradle/wrapper", ".m2/repository", ".nuget/packages", ".pnpm-store",
    ".local/share/pnpm/store", ".yarn/berry", ".bun/install/cache", ".deno", ".ivy2", ".cabal/packages",
    ".stack", ".hex",
)  # fmt: skip
"""Folders below the user's home in which tools keep what they can make again."""
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


_MOST_FILES: Final = 50_000
"""How many files are looked at for other names."""


class NotHeld(ValueError):
    """The project cannot be write-protected; the message says why, and so does `said`."""

    def __init__(self, sentence: str, **values: object) -> None:
        self.said = Said(sentence, values)
        super().__init__(str(self.said))


def held(
    project: Project,
    config: Config,
    *,
    ours: Iterable[Path],
    sockets: Sequence[Path],
    env: Mapping[str, str],
    place: str = "",
    started: str = "",
) -> Guard:
    """Return what is write-protected of a project; its tasks stay writable in both modes.

    Outside of it all is read-only in discussion but temporary folders, caches, and the folders in
    which agents keep their conversations.

    Args:
        project: the project, whose folder exists.
        config: its settings, for the paths that are writable in discussion.
        ours: folders of nagomi's own that are read-only for the session, its program among them.
        sockets: folders of nagomi's own that are hidden from the session.
        env: the session's environment, which says where settings and caches are.
        place: the session's folder as it was named, which may lead to the project by symbolic links.
        started: the agent that the session begins with, if it does.

    Raises:
        NotHeld: the folder is the user's home folder or the root of the file system.
        OSError: a folder cannot be created.
    """
    root, home = os.path.realpath(project.root), os.path.realpath(_home(env))
    if root in ("/", home):
        raise NotHeld("{root} is no project: strict mode would hold all of it", root=root)
    tasks = os.path.join(root, "sessions", "tasks")
    for folder in (tasks, _cache(env)):
        os.makedirs(folder, exist_ok=True)
    repositories = tuple(_repositories(root))
    own = [os.path.realpath(one) for one in _agents_own(env, started)]
    hidden = [*(os.path.realpath(place) for place in sockets if place.is_dir()), *own]
    others = (*_programs_in_caches(env), *_agents_settings(env, started))
    outside = [os.path.realpath(one) for one in (*ours, *others) if one.exists()]
    # Where nagomi is made by itself, its program lies in the project.
    is_nagomis_own = any(is_below(root, one) for one in outside)
    outside = [one for one in outside if not is_below(root, one)]
    shut = [
        *_switches(root, repositories),
        *_of_other_worktrees(root, repositories),
        *(one for one in outside if not is_nagomis_own or not is_below(one, root)),
    ]
    names = config.blocked_actions.discussion_allowed_paths
    allowed = _allowed(root, names, shut)
    elsewhere = [
        os.path.realpath(one) for one in _elsewhere(env, names, started) if os.path.exists(one)
    ]
    return Guard(
        held=(root, *repositories),
        shut=tuple(dict.fromkeys(shut)),
        open=tuple(dict.fromkeys([tasks, *allowed, *own])),
        hidden=tuple(dict.fromkeys(hidden)),
        elsewhere=tuple(
            dict.fromkeys(
                one
                for one in elsewhere
                if not any(is_below(one, each) for each in (root, *repositories, *shut))
                and not is_below(home, one)
            )
        ),
        place=_named_place(place, root),
    )


def _elsewhere(env: Mapping[str, str], names: Sequence[str], started: str) -> Iterator[str]:
    """Yield what stays writable outside of the project in discussion."""
    yield from ("/tmp", "/var/tmp")
    yield from filter(None, map(env.get, ("TMPDIR", "XDG_RUNTIME_DIR")))
    yield _cache(env)
    yield from (os.path.join(_home(env), name) for name in _CACHES_AT_HOME)
    for agent in AGENTS.values():
        of_its_own = (
            agent.hooks and agent.hooks.home.startswith(".") and agent.hooks.home != ".config"
        )
        if of_its_own and (agent.guarded or agent.name == started):
            yield str(_settings_folder(agent, env))
    for name in names:
        path = os.path.join(_home(env), name[2:]) if name.startswith("~/") else name
        if os.path.isabs(path):
            yield path


def _agents_settings(env: Mapping[str, str], started: str) -> Iterator[Path]:
    """Yield what has agents run programs in any folder, of those whose folders stay writable.

    What is missing of a guarded agent's is made empty, since only what is there can be held.
    """
    for agent in AGENTS.values():
        if agent.hooks and agent.guarded is None and agent.name == started:
            yield _settings_folder(agent, env) / agent.hooks.file
    for folder, guarded in _guarded_agents(env, started):
        names = [one.removeprefix(f"{guarded.folder}/") for one in guarded.protected]
        links = [one for one in guarded.own_programs if (folder / one).is_symlink()]
        for name in (*names, *guarded.user_programs, *links):
            _make_empty(folder / name, is_folder=name.endswith("/"))
            yield folder / name
        yield from _programs_in(folder, but=guarded.own_programs)


def _agents_own(env: Mapping[str, str], started: str) -> Iterator[Path]:
    """Yield the folders of scripts that agents make for themselves and run; the session gets its own."""
    for folder, guarded in _guarded_agents(env, started):
        for name in guarded.own_programs:
            _make_empty(folder / name, is_folder=True)
            if (folder / name).is_dir() and not (folder / name).is_symlink():
                yield folder / name


def _guarded_agents(env: Mapping[str, str], started: str) -> Iterator[tuple[Path, Guarded]]:
    """Yield agents with the folders of their settings; of one that is installed it is made.

    It could not make it itself.
    """
    for agent in AGENTS.values():
        if agent.hooks is None or agent.guarded is None:
            continue
        folder = _settings_folder(agent, env)
        if not folder.is_dir():
            if agent.name != started and not shutil.which(agent.name, path=env.get("PATH", "")):
                continue
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield folder, agent.guarded


def _programs_in(folder: Path, but: Collection[str] = ()) -> Iterator[Path]:
    """Yield what may be run of a folder that stays writable."""
    with contextlib.suppress(OSError):
        for one in os.scandir(folder):
            if f"{one.name}/" not in but and _may_run(one):
                yield Path(one.path)


def _make_empty(path: Path, *, is_folder: bool) -> None:
    """Make a folder, or a file of settings or texts that says nothing, if there is none."""
    if os.path.lexists(path):
        return
    if is_folder:
        path.mkdir(mode=0o700)
    elif path.suffix in (".json", ".toml", ".md") or path.name == ".env":
        files.write(path, b"{}\n" if path.suffix == ".json" else b"")


_SCRIPTS: Final = tuple(
    [".bash", ".cjs", ".fish", ".js", ".mjs", ".pl", ".ps1", ".py", ".rb", ".sh", ".ts", ".zsh"]
)


def _may_run(entry: os.DirEntry[str]) -> bool:
    """Whether it is a program, or a folder of programs, such as one that prints a status line."""
    if entry.is_dir():
        with contextlib.suppress(OSError), os.scandir(entry.path) as inside:
            return any(not one.is_dir() and _may_run(one) for one in inside)
        return False
    if entry.name.endswith(_SCRIPTS):
        return True
    with contextlib.suppress(OSError):
        if entry.is_file() and entry.stat().st_mode & stat.S_IXUSR:
            with open(entry.path, "rb") as file:
                return file.read(4).startswith((b"#!", b"\x7fELF"))
    return False


def _settings_folder(agent: Agent, env: Mapping[str, str]) -> Path:
    """Return the folder of an agent's settings that are the user's."""
    assert agent.hooks
    named = env.get(agent.hooks.home_variable, "")
    return Path(named or os.path.join(_home(env), agent.hooks.home))


def _named_place(place: str, root: str) -> str:
    """Return the project's folder as the user named it; empty if that is its real path."""
    while place and os.path.realpath(place) != root:
        place = os.path.dirname(place) if os.path.dirname(place) != place else ""
    return place if place != root else ""


def _cache(env: Mapping[str, str]) -> str:
    return env.get("XDG_CACHE_HOME") or os.path.join(_home(env), ".cache")


def _home(env: Mapping[str, str]) -> str:
    return env.get("HOME") or os.path.expanduser("~")


def _programs_in_caches(env: Mapping[str, str]) -> Iterator[Path]:
    """Yield what in caches runs by itself: what a prompt of zsh reads at its start, or a worker of ours has sent.

    The latter are there if this machine is somebody's hand.
    """
    for name in ("bin", "worker"):
        folder = Path(_cache(env), "nagomi", name)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield folder
    yield from _programs_in(Path(_cache(env)))


def linked_outside(root: str) -> int:
    """Return how many files of a project have another name outside of it, by which they can be written.

    Such hard links are made by package managers that keep one copy for all projects. The largest
    projects are not looked through to the end.
    """
    names: Counter[tuple[int, int]] = Counter()
    links: dict[tuple[int, int], int] = {}
    for found in islice(_files(root), _MOST_FILES):
        if found.st_nlink > 1:
            names[found.st_dev, found.st_ino] += 1
            links[found.st_dev, found.st_ino] = found.st_nlink
    return sum(count > names[file] for file, count in links.items())


def _files(root: str) -> Iterator[os.stat_result]:
    """Yield what is known of each file in a folder and those below."""
    for folder, _, names in os.walk(root):
        for name in names:
            with contextlib.suppress(OSError):
                found = os.lstat(os.path.join(folder, name))
                if stat.S_ISREG(found.st_mode):
                    yield found


def _allowed(root: str, names: Sequence[str], shut: Sequence[str]) -> Iterator[str]:
    """Yield what is to stay writable of a project (DB-30), but for what controls the guard."""
    for name in names:
        path = os.path.normpath(os.path.join(root, name))
        inside = path.startswith(f"{root}/") and os.path.exists(path)
        if inside and not any(f"{path}/".startswith(f"{one}/") for one in shut):
            yield path


def caches(root: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables that move tools' caches to the user's cache folder."""
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    folder = os.path.join(_cache(variables), "nagomi", "tools", name)
    places = {name: os.path.join(folder, place) for name, place in _CACHES.items()}
    pytest = f"-o cache_dir={os.path.join(folder, 'pytest')}"
    return {**places, "PYTEST_ADDOPTS": pytest}


def _switches(root: str, repositories: Sequence[str]) -> Iterator[str]:
    """Yield paths that control the guard or start programs, which the agent may never write."""
    for guarded in GUARDED.values():
        yield os.path.realpath(os.path.join(root, guarded.folder))
    yield os.path.join(root, "sessions")
    if os.path.isfile(os.path.join(root, ".git")):
        yield os.path.join(root, ".git")
    for repository in (*repositories, *_submodules(repositories)):
        for name in RUN_BY_GIT:
            path = os.path.join(repository, name)
            if name == "hooks" or os.path.isfile(path):
                yield os.path.realpath(path)


def _submodules(repositories: Sequence[str]) -> Iterator[str]:
    """Yield the git folders of submodules, which may lie in folders and in one another."""
    for repository in repositories:
        for folder, below, names in os.walk(os.path.join(repository, "modules")):
            if "HEAD" in names:
                yield folder
                below[:] = [name for name in below if name == "modules"]


def _of_other_worktrees(root: str, repositories: Sequence[str]) -> Iterator[str]:
    """Yield what a linked worktree shares a repository with, and must not write to in any mode.

    These are the folders of the other worktrees, their indexes and heads, and what nagomi does to all
    of them. What is left of the repository, and the worktree's own git folder, a commit writes to.
    """
    if len(repositories) < 2 or repositories[0] == repositories[1]:
        return
    common = repositories[1]
    registered = os.path.join(common, "worktrees")
    yield registered
    yield os.path.join(common, "nagomi")
    for name in ("HEAD", "index", "logs/HEAD"):
        if os.path.isfile(os.path.join(common, name)):
            yield os.path.join(common, name)
    others = [os.path.dirname(common)] if os.path.basename(common) == ".git" else []
    with contextlib.suppress(OSError):
        for entry in sorted(os.listdir(registered)):
            with contextlib.suppress(OSError):
                git = _named(os.path.join(registered, entry, "gitdir"), "", registered)
                others.append(os.path.dirname(git))
    for folder in others:
        if not is_below(folder, root) and os.path.isdir(folder):
            yield folder


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
