"""The hook command in a client's settings: a shell that denies if the hook program fails.

Clients let a tool run unless its hook ends with exit code 2 or prints a refusal as valid JSON: a
missing program, a fault or a signal lets the tool run. Hence they start `/bin/sh` with the whole
script as an argument, and it accepts the program's answer only with an exit code that no other
program uses. Only a SIGKILL of that shell itself lets a tool run undecided.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.agent_hooks.plan import GUARD
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.guard.hook import entrance

if TYPE_CHECKING:
    from nagomi_tui.core.agents.agent import Guarded

TIMEOUT: Final = 60
"""Seconds after which a client would go on without an answer; the hook has its own, of two."""
_SHORTER: Final = {"SessionEnd": 3, "Interrupt": 3}
"""The same of events that are given less anyway, and where more is complained of."""
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
    'case $e in 2) printf "%s" "$o" >&2; exit 2;; esac; '
    'case $o in "") exit 0;; esac; '
    'printf "%s" "$o" || exit $f; exit 0'
)
"""It holds neither single quotes nor backslashes, so that every shell takes it in single quotes."""
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
    if _guarded(agent).in_shell:
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
    variable = _guarded(agent).project_variable
    program = [sys.executable, entrance.__file__, place, agent, event, variable]
    return ["-c", text, GUARD, *program, said, code]


def _guarded(agent: str) -> Guarded:
    found = AGENTS[agent].guarded
    assert found
    return found


def _fallback(agent: str, event: str) -> tuple[str, str]:
    """Return what the shell says where the program gave no answer, and what it then ends with."""
    if event != "PreToolUse":
        return json.dumps({"systemMessage": _UNHANDLED.format(event=event)}), "0"
    if _guarded(agent).in_shell:
        return _DENIED, "2"
    denied = {"permissionDecision": "deny", "permissionDecisionReason": _DENIED}
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **denied}}), "0"


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


def _timeout() -> str:
    """Return the program that ends another one after some time; empty where there is none."""
    found = shutil.which("timeout", path="/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin")
    return found or ""


def _quoted(word: str) -> str:
    """Return a word in quotes that sh, bash, zsh and fish read alike."""
    if not any(char in word for char in "'\\"):
        return f"'{word}'"
    import shlex

    return shlex.quote(word)
