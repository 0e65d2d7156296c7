"""The agents whose hooks can reach nagomi: the paths and the contents of their hook files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Final

import msgspec

from nagomi_tui.agents import registry
from nagomi_tui.agents.agent import Hooks, McpServers
from nagomi_tui.agents.hooks.formats import OURS, Content, Groups, Lines, OwnFile

_PLACE: Final = re.compile(r"@(json|shell):(\w*)@")


def home_of(facts: Hooks | McpServers) -> Path:
    """Return the folder of an agent's settings that are the user's; other programs may share it."""
    named = os.environ.get(facts.home_variable) if facts.home_variable else None
    return Path(named) if named else Path.home() / facts.home


class HookSet(msgspec.Struct, frozen=True):
    """Hooks of ours, or another thing that we put into an agent's settings, in and out as one.

    Each kind of set says itself what its `content` and its `path` are.
    """

    @property
    def content(self) -> Content:
        """What is put into the file."""
        raise NotImplementedError

    @property
    def form(self) -> str:
        """The form of that in the file, by which it is found again."""
        return self.content.form

    @property
    def parts(self) -> tuple[HookSet, ...]:
        """One set for each file of this set."""
        return (self,)

    @property
    def is_program(self) -> bool:
        """Whether the file is a program that the agent runs."""
        return False

    def path(self, *, project: bool) -> Path:
        """Return the file for the hooks, in the project or among the user's settings."""
        raise NotImplementedError


class HookedAgent(HookSet, frozen=True):
    """A coding agent whose hooks can reach nagomi; with `event`, one of its several hook files."""

    name: str
    title: str
    hooks: Hooks
    event: str = ""
    """The only event of the file; empty if one file holds all events."""

    @property
    def parts(self) -> tuple[HookedAgent, ...]:
        """One value for each hook file of the agent."""
        if not self.hooks.one_each or self.event:
            return (self,)
        return tuple(msgspec.structs.replace(self, event=event) for event in self.hooks.events)

    @property
    def is_program(self) -> bool:
        return self.hooks.one_each

    def path(self, *, project: bool) -> Path:
        """Return the file for the hooks, in the project (the current folder) or at the user's."""
        top = Path.cwd() / self.hooks.project_file
        found = top if project else home_of(self.hooks) / self.hooks.file
        return found / self.event if self.event else found

    @property
    def is_there(self) -> bool:
        """Whether the agent's own settings folder exists on this machine."""
        home = home_of(self.hooks)
        shared = self.hooks.home in ("", ".config")
        own = home / Path(self.hooks.file).parts[0] if shared else home
        return own.is_dir()

    @property
    def command(self) -> str:
        """The hook's command line."""
        return self.command_for("")

    def command_for(self, event: str) -> str:
        """Return the hook's command line; `event` is empty if the agent passes the event itself.

        The command takes everything from the session's environment. So it is the same in every
        version of nagomi, does nothing outside of a session, and exits with 0 without nagomi.
        """
        told = f" {event}" if event else ""
        program = f'"$NAGOMI_PYTHON" -IS "{OURS}" {self.name} "$PPID"{told}'
        return f'[ -f "{OURS}" ] && {program} >/dev/null 2>&1; exit 0'

    @property
    def content(self) -> Groups | OwnFile | Lines:
        if self.hooks.form == "file":
            return OwnFile(self.text)
        if self.hooks.form == "lines":
            return Lines(self.text, self.hooks.taken)
        hook = {"type": "command", "command": self.command, "timeout": self.hooks.timeout}
        return Groups(dict.fromkeys(self.hooks.events, hook))

    @property
    def text(self) -> str:
        """The text of our own file, or of our lines in the agent's file."""
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
