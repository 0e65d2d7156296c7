"""Whether the guard, and its strict mode, can work on this machine.

It imports little: `nagomi doctor` is to be quick.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from nagomi_tui.agents.agent import Guarded
from nagomi_tui.agents.registry import AGENTS, GUARDED
from nagomi_tui.guard.install.hooks import GuardHooks
from nagomi_tui.system import files
from nagomi_tui.text.words import Said, translatable

_UNTRUSTED: Final = translatable(
    "{agent} does not trust this folder, so it runs no hooks here. "
    "Start it in this folder, and tell it that you do."
)
_HOOKS_UNTRUSTED: Final = translatable(
    "{agent} runs these hooks only after you have said in it that you trust them (`/hooks`)."
)
_SWITCHED_OFF: Final = translatable("{path} sets {name}, so {agent} does not run these hooks.")
_TOO_OLD: Final = translatable(
    "{agent} {version} is older than {least}, with which the guard was tried; "
    "it may let tools run unasked."
)
_VARIABLE: Final = translatable("{name} is set, and {agent} then runs no hooks.")
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")


def faults(hooks: GuardHooks, installed: Path, program: str | None) -> list[Said]:
    """Return what would keep a client from running the guard's hooks.

    Args:
        hooks: those of one client in one project.
        installed: the file that they stand in.
        program: the path of the client; None where it is not installed.
    """
    guarded, named = GUARDED[hooks.agent], {"agent": AGENTS[hooks.agent].title}
    return [
        Said(sentence, {**named, **values})
        for sentence, values in (
            *_switched_off(hooks, guarded),
            *_distrusted(hooks, installed, guarded),
            *_too_old(guarded, program),
        )
    ]


def _switched_off(hooks: GuardHooks, guarded: Guarded) -> Iterator[tuple[str, dict[str, str]]]:
    for name in guarded.off_variables:
        if os.environ.get(name):
            yield _VARIABLE, {"name": name}
    for path in _settings(hooks, guarded):
        for name, value in guarded.off_switches:
            if _at(_read(path), name.split(".")) is value:
                yield _SWITCHED_OFF, {"path": str(path), "name": name}


def _settings(hooks: GuardHooks, guarded: Guarded) -> list[Path]:
    """Return every file of settings that may overrule the one with our hooks."""
    names = (guarded.settings, *guarded.more_settings)
    folders = (hooks.home, Path(hooks.root) / guarded.folder)
    return [*(folder / name for folder in folders for name in names), *map(Path, guarded.managed)]


def _distrusted(
    hooks: GuardHooks, installed: Path, guarded: Guarded
) -> Iterator[tuple[str, dict[str, str]]]:
    if not guarded.trust:
        return
    _, key, value = guarded.trust
    path = hooks.trust_file
    projects = _at(_read(path), ["projects"])
    said = projects if isinstance(projects, dict) else {}
    folders = (hooks.root, *map(str, Path(hooks.root).parents))
    if not any(_at(said.get(folder), [key]) == value for folder in folders):
        yield _UNTRUSTED, {}
    elif guarded.hook_trust and str(installed) not in _text(path):
        yield _HOOKS_UNTRUSTED, {}


def _too_old(guarded: Guarded, program: str | None) -> Iterator[tuple[str, dict[str, str]]]:
    version = _version(program) if program else ""
    if version and guarded.least and _numbers(version) < _numbers(guarded.least):
        yield _TOO_OLD, {"version": version, "least": guarded.least}


def _version(program: str) -> str:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=10,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    found = _VERSION.search(done.stdout)
    return found[0] if found else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def _text(path: Path) -> str:
    try:
        return files.read_text(path)
    except (OSError, UnicodeDecodeError):
        return ""


def _read(path: Path) -> Any:
    """Return what a file of settings holds; None where there is none that can be read."""
    try:
        return tomllib.loads(_text(path)) if path.suffix == ".toml" else json.loads(_text(path))
    except (ValueError, RecursionError):
        return None


def _at(value: Any, way: list[str]) -> Any:
    for name in way:
        value = value.get(name) if isinstance(value, dict) else None
    return value


SECONDS: Final = 3.0
"""How long that may take."""


def probed(seconds: float = SECONDS) -> Said | None:
    """Try it now, for so long at most; return why it would not, or None if it would.

    Raises:
        OSError: no process can be started.
        subprocess.SubprocessError: it takes too long.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-m", "nagomi_worker.confine.probe"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip
    if done.returncode:
        return Said("{fault}", {"fault": done.stderr.strip()})
    return Said(*json.loads(done.stdout)) if done.stdout else None
