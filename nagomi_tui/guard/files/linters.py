"""Whether a project's own settings have `ruff check` change files."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from nagomi_tui import files
from nagomi_tui.guard.shell.words import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LARGEST: Final = 1024 * 1024
_DEEPEST: Final = 5
_NAMES: Final = (".ruff.toml", "ruff.toml", "pyproject.toml")
_ALL: Final = frozenset({"fix", "fix-only"})
_FIXES: Final = re.compile(r"(?<![\w-])[\"']?(fix(?:-only)?)[\"']?\s*=\s*true")
_EXTENDS: Final = re.compile(r"(?<![\w-])[\"']?extend[\"']?\s*=\s*[\"']+([^\"'\n]*)")


def fixes(cwd: str, moves: Sequence[str]) -> frozenset[str]:
    """Return the settings by which ruff changes files in one of the folders it may run in.

    All are returned if the settings cannot be read, or if nobody knows in which folder it runs.

    Args:
        cwd: the folder in which the command begins.
        moves: where the command changes to, step by step.
    """
    if any(UNKNOWN in move for move in moves):
        return _ALL
    places, here = {cwd}, cwd
    for move in moves:
        here = os.path.join(here, os.path.expanduser(move))
        places |= {here, os.path.join(cwd, os.path.expanduser(move))}
    try:
        return frozenset().union(*(_set_in(*one) for place in places for one in _settings(place)))
    except (OSError, UnicodeDecodeError):
        return _ALL


def _settings(folder: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of what ruff takes: the next file above a folder, else the user's own."""
    folder = os.path.realpath(folder)
    own = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    while True:
        for path, text in _there(folder):
            own_file = os.path.basename(path) != _NAMES[-1]
            if own_file or "ruff" in text:
                yield path, text
            if own_file or "tool.ruff" in text:
                return
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    yield from _there(os.path.join(own, "ruff"))


def _there(folder: str) -> Iterator[tuple[str, str]]:
    for path in (os.path.join(folder, name) for name in _NAMES):
        if os.path.isfile(path):
            yield path, _text(path)


def _set_in(path: str, text: str, depth: int = 0) -> frozenset[str]:
    found = frozenset(_FIXES.findall(text))
    for other in _EXTENDS.findall(text):
        if "$" in other or depth > _DEEPEST:
            return _ALL
        other = os.path.join(os.path.dirname(path), os.path.expanduser(other))
        found |= _set_in(other, _text(other), depth + 1)
    return found


def _text(path: str) -> str:
    return files.read_text(path, _LARGEST)
