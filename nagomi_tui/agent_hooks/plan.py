"""The agents whose hooks can reach nagomi: where their files are, and what stands there."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import msgspec

from nagomi_tui.core.agents import registry
from nagomi_tui.core.agents.agent import Hooks

OURS: Final = "$NAGOMI_EVENT"
"""A command that holds this is one of ours, of whatever version."""
GUARD: Final = "nagomi-guard"
"""The same of the guard's hooks, which stand beside them: in a command, or in one of its arguments."""

Standing = Literal["installed", "outdated", "absent"]

_PLACE: Final = re.compile(r"@(json|shell):(\w*)@")


class HookSet(Protocol):
    """Hooks of ours that are put in and taken out together."""

    @property
    def form(self) -> str:
        """How they stand in their file: as `Hooks.form` says, or `guard` for groups of the guard's."""

    @property
    def parts(self) -> tuple[HookSet, ...]:
        """The set once for each of its files."""

    @property
    def is_program(self) -> bool:
        """Whether the file is run."""

    def path(self, *, project: bool) -> Path:
        """Return the file that holds the hooks, of the user or of the project."""


class Groups(HookSet, Protocol):
    """Hooks in groups of JSON."""

    @property
    def handlers(self) -> dict[str, dict[str, Any]]:
        """Each event with its hook."""


class HookedAgent(msgspec.Struct, frozen=True):
    """A coding agent whose hooks can reach nagomi, or one of several files of its hooks."""

    name: str
    title: str
    hooks: Hooks
    event: str = ""
    """The one event that the file is for."""

    @property
    def parts(self) -> tuple[HookedAgent, ...]:
        """The agent once for each file of its hooks."""
        if not self.hooks.one_each or self.event:
            return (self,)
        return tuple(msgspec.structs.replace(self, event=event) for event in self.hooks.events)

    @property
    def form(self) -> str:
        """How the hooks stand in their file."""
        return self.hooks.form

    @property
    def is_program(self) -> bool:
        """Whether the file is run."""
        return self.hooks.one_each

    def path(self, *, project: bool) -> Path:
        """Return the file that holds the hooks, of the user or of the project in this folder."""
        home = self._home
        found = Path.cwd() / self.hooks.project_file if project else home / self.hooks.file
        return found / self.event if self.event else found

    @property
    def _home(self) -> Path:
        """The folder of the agent's settings, or one that it shares with others."""
        named = os.environ.get(self.hooks.home_variable) if self.hooks.home_variable else None
        return Path(named) if named else Path.home() / self.hooks.home

    @property
    def is_there(self) -> bool:
        """Whether it has left a folder of its own on this machine."""
        home = self._home
        shared = self.hooks.home in ("", ".config")
        own = home / Path(self.hooks.file).parts[0] if shared else home
        return own.is_dir()

    @property
    def command(self) -> str:
        """The hook's command line."""
        return self.command_for("")

    def command_for(self, event: str) -> str:
        """Return the hook's command line for an event; empty for one that the agent names itself.

        All that it needs comes from the session's environment, so that it says the same in every
        version of nagomi, does nothing outside of it, and ends with 0 when nagomi is gone.
        """
        told = f" {event}" if event else ""
        program = f'"$NAGOMI_PYTHON" -IS "{OURS}" {self.name} "$PPID"{told}'
        return f'[ -f "{OURS}" ] && {program} >/dev/null 2>&1; exit 0'

    @property
    def handler(self) -> dict[str, Any]:
        """The hook as a file of groups holds it."""
        return {"type": "command", "command": self.command, "timeout": self.hooks.timeout}

    @property
    def handlers(self) -> dict[str, dict[str, Any]]:
        """Each event with its hook, in a file of groups."""
        return dict.fromkeys(self.hooks.events, self.handler)

    @property
    def text(self) -> str:
        """What stands in a file of our own, or in our lines of another."""
        template = self.hooks.text.replace(":EVENT@", f":{self.event}@")
        return _PLACE.sub(self._put, template)

    def _put(self, place: re.Match[str]) -> str:
        command = self.command_for(place[2])
        return json.dumps(command) if place[1] == "json" else command


AGENTS: Final = {
    name: HookedAgent(name, agent.title, agent.hooks)
    for name, agent in registry.AGENTS.items()
    if agent.hooks
}


class Unfit(ValueError):
    """A file is not what the agent expects; `sentence` is for the user and takes {path}."""

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(path="it", **values))
        self.sentence = sentence
        self.values = values
