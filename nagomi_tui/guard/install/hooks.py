"""What the guard writes into clients' settings: hooks that deny on a fault, and what goes beside.

Clients let a tool run unless its hook ends with exit code 2 or prints a refusal as valid JSON: a
missing program, a fault or a signal lets the tool run. Hence they start `/bin/sh` with the whole
script as an argument, and it accepts the program's answer only with an exit code that no other
program uses. Only a SIGKILL of that shell itself lets a tool run undecided.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from nagomi_tui.agents import registry
from nagomi_tui.agents.agent import Hooks
from nagomi_tui.agents.hooks.formats import GUARD, Groups, OwnFile, StatusLine
from nagomi_tui.agents.hooks.json_text import BadText, parse
from nagomi_tui.agents.hooks.plan import HookSet, home_of
from nagomi_tui.guard.files.project import Project, find
from nagomi_tui.guard.hook import entrance
from nagomi_tui.system import files

TIMEOUT: Final = 60
"""Seconds after which a client would go on without an answer; the hook has its own, of two."""
_SHORTER: Final = {"SessionEnd": 3, "Interrupt": 3}
"""Seconds of events that clients give less anyway, or where they complain of more."""
_LATEST: Final = 5
"""Seconds after which even a Python that does not come to begin is killed."""
_SHELL: Final = "/bin/sh"
_SIGNALS: Final = "0 1 2 3 6 13 14 15 USR1 USR2"
"""What ends a shell, but for SIGKILL, which no program can do anything about."""
_TEXT: Final = (
    "case $5 in PreToolUse) f=2;; *) f=0;; esac; "
    'trap "echo nagomi guard: the hook was stopped >&2; exit $f" {signals}; '
    'o=$({within}"$1" -I -S "$2" "$3" "$4" "$5" "$6" "$PPID" 2>/dev/null); c=$?; '
    "trap - {signals}; "
    'case $c in {decided}) e=0;; {refused}) e=2;; *) o=$(printf "$7" $c); e=$8;; esac; '
    "case $o in {?hookSpecificOutput?:{?hookEventName?:?PreToolUse?,?permissionDecision?:?deny?*) e=3;; esac; "
    'case $e in 2|3) printf "%s" "$o" >&2; esac; case $e in 2) exit 2;; esac; '
    'case $o in "") exit 0;; esac; '
    'printf "%s" "$o" || exit $f; case $e in 3) exit 2;; esac; exit 0'
)
"""It holds neither single quotes nor backslashes, so that every shell takes it in single quotes.

A tool is refused by exit code 2 and stderr (D-18), and by JSON where the program prints that: without
it Claude Code would quote all of this beside the reason. `?` stands for quotation marks.
"""
_DENIED: Final = (
    "[nagomi guard] Nothing could be decided (the hook ended with %s), so no tool may run. "
    "The user can see what is wrong with: nagomi doctor"
)
_UNHANDLED: Final = (
    "[nagomi guard] {event} could not be handled (the hook ended with %s), and nothing was approved. "
    "See what is wrong with: nagomi doctor"
)


def handler(agent: str, event: str) -> dict[str, Any]:
    """Return the hook of one event as the client's file holds it.

    Where a client starts programs itself, it is given the words; in a line for the user's login
    shell they are quoted.
    """
    words, timeout = _words(agent, event), _SHORTER.get(event, TIMEOUT)
    if registry.GUARDED[agent].in_shell:
        line = "exec " + " ".join(_quoted(word) for word in [_SHELL, *words])
        return {"type": "command", "command": line, "timeout": timeout}
    return {"type": "command", "command": _SHELL, "args": words, "timeout": timeout}


def _words(agent: str, event: str) -> list[str]:
    within = f"{timeout} -s KILL {_LATEST} " if (timeout := _timeout()) else ""
    text = (
        _TEXT.replace("{within}", within)
        .replace("{signals}", _SIGNALS)
        .replace("{decided}", str(entrance.DECIDED))
        .replace("{refused}", str(entrance.REFUSED))
    )
    place = os.pathsep.join(roots())
    said, code = _fallback(agent, event)
    variable = registry.GUARDED[agent].project_variable
    program = [sys.executable, entrance.__file__, place, agent, event, variable]
    return ["-c", text, GUARD, *program, said, code]


def _fallback(agent: str, event: str) -> tuple[str, str]:
    """Return what the shell says where the program gave no answer, and what it then ends with."""
    if event != "PreToolUse":
        return json.dumps({"systemMessage": _UNHANDLED.format(event=event)}), "0"
    if registry.GUARDED[agent].in_shell:
        return _DENIED, "2"
    denied = {"permissionDecision": "deny", "permissionDecisionReason": _DENIED}
    said = {"hookSpecificOutput": {"hookEventName": event, **denied}}
    return json.dumps(said, separators=(",", ":")), "0"


@cache
def roots() -> list[str]:
    """Return the folders in which the program finds what it imports; nothing else is searched."""
    import msgspec
    import tree_sitter

    import nagomi_tui
    import nagomi_worker

    places = (
        Path(module.__file__).parent.parent
        for module in (nagomi_tui, nagomi_worker, msgspec, tree_sitter)
        if module.__file__
    )
    return [str(place) for place in dict.fromkeys(places)]


@cache
def _timeout() -> str:
    """Return the program that ends another one after some time; empty where there is none."""
    found = shutil.which("timeout", path="/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin")
    return found or ""


def _quoted(word: str) -> str:
    """Return a word in quotes that sh, bash, zsh and fish read alike."""
    return shlex.quote(word) if any(char in word for char in "'\\") else f"'{word}'"


_MORE: Final = ("SubagentStart", "SubagentStop")
"""Events that only the guard reads (DB-19)."""


class GuardHooks(HookSet, frozen=True):
    """The guard's hooks for one client, in a project or for all of the user's."""

    agent: str
    root: str
    """The project's folder."""

    @property
    def title(self) -> str:
        """What the client is called."""
        return registry.AGENTS[self.agent].title

    @property
    def asks_trust(self) -> bool:
        """Whether the client runs new hooks only after its user has said to trust them."""
        return self._hooks.asks_trust

    @property
    def events(self) -> tuple[str, ...]:
        """Every event that the judge or the guard reads."""
        return (*self._hooks.events, *_MORE)

    @property
    def content(self) -> Groups:
        """Each event with its hook."""
        return Groups({event: handler(self.agent, event) for event in self.events}, GUARD)

    def path(self, *, project: bool) -> Path:
        """Return the settings of the project, which it may share, or those of the user."""
        guarded = registry.GUARDED[self.agent]
        folder = Path(self.root) / guarded.folder if project else self.home
        return folder / guarded.settings

    @property
    def home(self) -> Path:
        """The folder of the user's own settings."""
        return home_of(self._hooks)

    @property
    def _hooks(self) -> Hooks:
        hooks = registry.AGENTS[self.agent].hooks
        assert hooks
        return hooks

    @property
    def trust_file(self) -> Path:
        """The file in which the client keeps what is trusted; one may lie beside that folder."""
        guarded = registry.GUARDED[self.agent]
        assert guarded.trust
        name = guarded.trust[0]
        is_moved = self.home != Path.home() / guarded.folder
        return (self.home if is_moved or name not in guarded.at_home else Path.home()) / name


def looked_at(folder: str) -> dict[Path, GuardHooks]:
    """Return the files in which agents look for hooks where they are started in a folder."""
    found: dict[Path, GuardHooks] = {}
    for name in registry.GUARDED:
        guarded = registry.GUARDED[name]
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
    from nagomi_tui.agents.hooks import files
    from nagomi_tui.agents.hooks.formats import Unfit

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


class GuardStatusLine(HookSet, frozen=True):
    """The guard in the status line of a client."""

    hooks: GuardHooks
    replaces: bool = False
    """Whether it takes the place of one that is not nagomi's."""

    @property
    def key(self) -> str:
        """The key of the settings that holds it."""
        return registry.GUARDED[self.hooks.agent].status_line

    @property
    def content(self) -> StatusLine:
        """What stands there: the client takes a line for a shell only; a fault leaves it empty."""
        entry = {"type": "command", "command": f"{_program()} guard statusline 2>/dev/null || :"}
        return StatusLine(self.key, entry, self.replaces)

    def path(self, *, project: bool) -> Path:
        """Return the settings that hold the hooks, too."""
        return self.hooks.path(project=project)

    def others(self, *, project: bool) -> tuple[list[Path], list[Path]]:
        """Return the settings with a status line that wins over ours, and those that ours hides."""
        guarded, path = registry.GUARDED[self.hooks.agent], self.path(project=project)
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


class GuardCommand(HookSet, frozen=True):
    """The slash command `/sessions` of a client."""

    hooks: GuardHooks

    @property
    def content(self) -> OwnFile:
        """The text of the file."""
        return OwnFile(_COMMAND.replace("@program@", _program()))

    def path(self, *, project: bool) -> Path:
        """Return its file beside the settings that hold the hooks."""
        folder = (
            self.hooks.path(project=project).parent
            / registry.GUARDED[self.hooks.agent].slash_commands
        )
        return folder / "sessions.md"


def extras(hooks: GuardHooks) -> tuple[GuardStatusLine | GuardCommand, ...]:
    """Return what this client can have beside the hooks."""
    guarded = registry.GUARDED[hooks.agent]
    line = (GuardStatusLine(hooks),) if guarded.status_line else ()
    return (*line, GuardCommand(hooks)) if guarded.slash_commands else line


def _program() -> str:
    """Return how the client's shell starts nagomi, wherever it is."""
    return f"{shlex.quote(sys.executable)} -P -m nagomi_tui"


def _has(path: Path, key: str) -> bool:
    try:
        top = parse(files.read_text(path))
    except (OSError, UnicodeDecodeError, BadText):
        return False
    return top.get(key) is not None


def reach(project: Project, folder: str) -> tuple[bool, str]:
    """Return whether agents may be guarded in a folder, and a sentence on which are, and where."""
    from nagomi_tui.system.console import tr

    titles = {name: GuardHooks(name, folder).title for name in registry.GUARDED}
    found = guarded_in(os.path.realpath(folder))
    if found:
        names = ", ".join(titles[name] for name in found)
        told = tr("Guarded where it is started in {folder}: {agents}.", folder=folder, agents=names)
        return True, told
    if not (project.state_file.is_file() or project.config_file.is_file()):
        told = tr(
            "Not guarded: no agent that is started in {folder} has the guard's hooks. "
            "`nagomi guard install` or `nagomi new --guard` begins that.",
            folder=folder,
        )
        return False, told
    told = tr(
        "Only what `nagomi new --guard` starts is guarded in {folder}: no agent's settings there hold "
        "the guard's hooks.",
        folder=folder,
    )
    return True, told
