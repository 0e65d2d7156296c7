"""The agents whose hooks can reach nagomi: the paths and the contents of their hook files."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from nagomi_tui.agents import registry
from nagomi_tui.agents.agent import Hooks
from nagomi_tui.agents.hooks.json_text import BadText, Node, parse
from nagomi_tui.text.words import translatable

OURS: Final = "$NAGOMI_EVENT"
"""A hook whose command contains this is nagomi's, of any version."""
GUARD: Final = "nagomi-guard"
"""A hook with this in its command or arguments is the guard's, of any version."""

Status = Literal["installed", "outdated", "absent", "foreign"]
"""`foreign`: something else is there under our name, and stays."""

_PLACE: Final = re.compile(r"@(json|shell):(\w*)@")


class Groups(NamedTuple):
    """Hooks in JSON groups."""

    handlers: dict[str, dict[str, Any]]
    """The hook of each event, by the event's name."""
    mark: str = OURS
    """What their commands contain."""


class OwnFile(NamedTuple):
    """A whole file, whose text names `OURS` or `GUARD`."""

    text: str


class Lines(NamedTuple):
    """Lines among the agent's own."""

    text: str
    taken: str
    """A pattern of what does the same already; may be empty."""


class StatusLine(NamedTuple):
    """The entry for a status line, below a key of the settings."""

    key: str
    entry: dict[str, Any]
    replaces: bool
    """Whether it takes the place of one that is not nagomi's."""


class Server(NamedTuple):
    """The entry for our MCP server in a table of a file."""

    form: str
    """`json_server` or `toml_server`."""
    table: str
    entry: dict[str, Any]


Content: TypeAlias = Groups | OwnFile | Lines | StatusLine | Server


class HookSet(Protocol):
    """Hooks of ours, or another thing that we put into an agent's settings, in and out as one."""

    @property
    def form(self) -> str:
        """The hooks' form in the file: as in `Hooks.form`, or `guard` for the guard's groups;
        `json_server` and `toml_server` are the entry of our MCP server; `status_line` is that."""

    @property
    def content(self) -> Content:
        """What is put into the file."""

    @property
    def parts(self) -> tuple[HookSet, ...]:
        """One set for each file of this set."""

    @property
    def is_program(self) -> bool:
        """Whether the file is a program that the agent runs."""

    def path(self, *, project: bool) -> Path:
        """Return the file for the hooks, in the project or among the user's settings."""


class HookedAgent(msgspec.Struct, frozen=True):
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
    def form(self) -> str:
        return self.hooks.form

    @property
    def is_program(self) -> bool:
        return self.hooks.one_each

    def path(self, *, project: bool) -> Path:
        """Return the file for the hooks, in the project (the current folder) or at the user's."""
        home = self._home
        found = Path.cwd() / self.hooks.project_file if project else home / self.hooks.file
        return found / self.event if self.event else found

    @property
    def _home(self) -> Path:
        """The folder that `Hooks.file` is relative to, which other programs may share."""
        named = os.environ.get(self.hooks.home_variable) if self.hooks.home_variable else None
        return Path(named) if named else Path.home() / self.hooks.home

    @property
    def is_there(self) -> bool:
        """Whether the agent's own settings folder exists on this machine."""
        home = self._home
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
        if self.form == "file":
            return OwnFile(self.text)
        if self.form == "lines":
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


class Unfit(ValueError):
    """A file cannot take our hooks; `sentence` is for the user, with `{path}` to fill in.

    Whatever reads such a file raises it where the file is broken or cannot be read; docstrings name
    it only for other reasons.
    """

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(path="it", **values))
        self.sentence = sentence
        self.values = values


BROKEN: Final = translatable("{path} is broken ({reason}); correct it first. Nothing was changed.")


def read_json(text: str) -> Node | None:
    """Return the JSON of a file; None if the file is empty."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    try:
        return parse(text)
    except BadText as exc:
        raise Unfit(BROKEN, reason=exc) from exc
