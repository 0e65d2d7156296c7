"""The guard's hooks for each client, as they are put into its settings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from nagomi_tui.core.agents import registry
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.install.line import handler

if TYPE_CHECKING:
    from nagomi_tui.core.agents.agent import Agent

_MORE: Final = ("SubagentStart", "SubagentStop")
"""Events that only the guard reads (DB-19)."""


class GuardHooks(msgspec.Struct, frozen=True):
    """The guard's hooks for one client, in a project or for all of the user's."""

    agent: str
    root: str
    """The project's folder."""

    form: ClassVar[str] = "guard"
    is_program: ClassVar[bool] = False

    @property
    def parts(self) -> tuple[GuardHooks, ...]:
        """The set for its one file."""
        return (self,)

    @property
    def title(self) -> str:
        """What the client is called."""
        return _agent(self.agent).title

    @property
    def asks_trust(self) -> bool:
        """Whether the client runs new hooks only after its user has said to trust them."""
        hooks = _agent(self.agent).hooks
        return hooks is not None and hooks.asks_trust

    @property
    def events(self) -> tuple[str, ...]:
        """Every event that the judge or the guard reads."""
        hooks = _agent(self.agent).hooks
        return (*(hooks.events if hooks else ()), *_MORE)

    @property
    def handlers(self) -> dict[str, dict[str, Any]]:
        """Each event with its hook."""
        return {event: handler(self.agent, event) for event in self.events}

    def path(self, *, project: bool) -> Path:
        """Return the settings of the project, which it may share, or those of the user."""
        guarded = _agent(self.agent).guarded
        assert guarded
        folder = Path(self.root) / guarded.folder if project else self.home
        return folder / guarded.settings

    @property
    def home(self) -> Path:
        """The folder of the user's own settings."""
        hooks = _agent(self.agent).hooks
        assert hooks
        named = os.environ.get(hooks.home_variable)
        return Path(named) if named else Path.home() / hooks.home

    @property
    def trust_file(self) -> Path:
        """The file in which the client keeps what is trusted; one may lie beside that folder."""
        guarded = _agent(self.agent).guarded
        assert guarded and guarded.trust
        name = guarded.trust[0]
        is_moved = self.home != Path.home() / guarded.folder
        return (self.home if is_moved or name not in guarded.at_home else Path.home()) / name


GUARDED: Final = tuple(name for name, agent in registry.AGENTS.items() if agent.guarded)


def looked_at(folder: str) -> dict[Path, GuardHooks]:
    """Return the files in which agents look for hooks where they are started in a folder."""
    found: dict[Path, GuardHooks] = {}
    for name in GUARDED:
        guarded = _agent(name).guarded
        assert guarded
        own = GuardHooks(name, folder)
        found |= {own.path(project=whose): own for whose in (True, False)}
        root = find(folder, {}).root
        if guarded.reads_above and Path(folder).is_relative_to(root):
            above = (one for one in Path(folder).parents if one.is_relative_to(root))
            found |= {
                (hooks := GuardHooks(name, str(one))).path(project=True): hooks for one in above
            }
    return found


def is_installed(hooks: GuardHooks, path: Path) -> bool:
    """Tell whether the guard's hooks stand in a file, as this version writes them or another one."""
    from nagomi_tui.agent_hooks import files
    from nagomi_tui.agent_hooks.plan import Unfit

    try:
        return files.status(hooks, project=path == hooks.path(project=True)) != "absent"
    except Unfit:
        return False


def guarded_in(folder: str) -> tuple[str, ...]:
    """Return the agents that run the guard's hooks where they are started in a folder."""
    found = (hooks.agent for path, hooks in looked_at(folder).items() if is_installed(hooks, path))
    return tuple(dict.fromkeys(found))


def project_here() -> Path:
    """Return the project that this folder belongs to."""
    return find(str(Path.cwd()), {}).root


def _agent(name: str) -> Agent:
    return registry.AGENTS[name]
