"""What the user may have beside the hooks: the guard in the client's status line, and `/sessions`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from nagomi_tui import files
from nagomi_tui.agent_hooks.json_text import BadText, parse
from nagomi_tui.agent_hooks.plan import GUARD
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.guard.install.hook_set import GuardHooks

if TYPE_CHECKING:
    from nagomi_tui.core.agents.agent import Guarded

_COMMAND: Final = f"""\
---
description: How nagomi's guard stands, and its tasks and settings
argument-hint: "[state|mode|todos|flags|tasks|protocol|config|version]"
disable-model-invocation: true
allowed-tools: Bash(@program@ guard sessions slash:*)
---
!`@program@ guard sessions slash --from-slash $ARGUMENTS`

Show the user what stands above as it is, and do nothing else.

<!-- {GUARD}: `nagomi guard install` has written this file, `nagomi guard uninstall` removes it. -->
"""
"""Only the user can call it, and below the client it cannot elevate, whoever does (DC-37)."""


class GuardStatusLine(msgspec.Struct, frozen=True):
    """The guard in the status line of a client."""

    hooks: GuardHooks
    replaces: bool = False
    """Whether it takes the place of one that is not nagomi's."""

    form: ClassVar[str] = "status_line"
    is_program: ClassVar[bool] = False

    @property
    def parts(self) -> tuple[GuardStatusLine, ...]:
        """The set for its one file."""
        return (self,)

    @property
    def key(self) -> str:
        """The key of the settings that holds it."""
        return _guarded(self.hooks).status_line

    @property
    def entry(self) -> dict[str, Any]:
        """What stands there: the client takes a line for a shell only; a fault leaves it empty."""
        return {"type": "command", "command": f"{_program()} guard statusline 2>/dev/null || :"}

    def path(self, *, project: bool) -> Path:
        """Return the settings that hold the hooks, too."""
        return self.hooks.path(project=project)

    def others(self, *, project: bool) -> tuple[list[Path], list[Path]]:
        """Return the settings with a status line that wins over ours, and those that ours hides."""
        guarded, path = _guarded(self.hooks), self.path(project=project)
        root = Path(self.hooks.root) / guarded.folder
        order = [
            self.hooks.home / guarded.settings,
            root / guarded.settings,
            *(root / name for name in guarded.more_settings),
            *map(Path, guarded.managed),
        ]
        at = order.index(path)
        parts = order[at + 1 :], order[:at]
        above, below = ([one for one in part if _has(one, self.key)] for part in parts)
        return above, below


class GuardCommand(msgspec.Struct, frozen=True):
    """The slash command `/sessions` of a client."""

    hooks: GuardHooks

    form: ClassVar[str] = "file"
    is_program: ClassVar[bool] = False

    @property
    def parts(self) -> tuple[GuardCommand, ...]:
        """The set for its one file."""
        return (self,)

    @property
    def text(self) -> str:
        """The text of the file."""
        return _COMMAND.replace("@program@", _program())

    def path(self, *, project: bool) -> Path:
        """Return its file beside the settings that hold the hooks."""
        folder = self.hooks.path(project=project).parent / _guarded(self.hooks).slash_commands
        return folder / "sessions.md"


def extras(hooks: GuardHooks) -> tuple[GuardStatusLine | GuardCommand, ...]:
    """Return what this client can have beside the hooks."""
    guarded = _guarded(hooks)
    line = (GuardStatusLine(hooks),) if guarded.status_line else ()
    return (*line, GuardCommand(hooks)) if guarded.slash_commands else line


def _program() -> str:
    """Return how the client's shell starts nagomi, wherever it is."""
    return f"{shlex.quote(sys.executable)} -P -m nagomi_tui"


def _guarded(hooks: GuardHooks) -> Guarded:
    found = AGENTS[hooks.agent].guarded
    assert found
    return found


def _has(path: Path, key: str) -> bool:
    try:
        top = parse(files.read_text(path))
    except (OSError, UnicodeDecodeError, BadText):
        return False
    return top.get(key) is not None
