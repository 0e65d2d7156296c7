"""Whether what a tool is given names one of the guard's own files, however it is spelled.

It only looks at the text. A program that puts a path together by itself is not seen here.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from nagomi_tui.core.agents.registry import AGENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROTECTED: Final = (
    ".git/hooks", ".git/config",
    *(name for agent in AGENTS.values() if agent.guarded for name in agent.guarded.protected),
)  # fmt: skip
_NAMES: Final = (
    "sessions-state",
    "sessions-config",
    *_PROTECTED,
    *(name for agent in AGENTS.values() if agent.guarded for name in agent.guarded.at_home),
)
_ELSEWHERE: Final = re.compile(r"\.seal\b|nagomi/guard\b|\.config/nagomi\b")
"""Where the user's settings are, and the seals of states, below the user's home."""
_FILES: Final = tuple(
    name.split("/")
    for name in (
        "sessions/sessions-state.json",
        "sessions/sessions-config.json",
        "sessions/sessions-state.lock",
        *_PROTECTED,
    )
)
_FOLDERS: Final = frozenset(parts[0] for parts in _FILES)
_MOVES: Final = frozenset(
    [
        "rm",
        "mv",
        "cd",
        "pushd",
        "rmdir",
        "ln",
        "chmod",
        "chown",
        "shred",
        "truncate",
        "unlink",
        "trash",
        "cp",
        "rsync",
        "install",
        "find",
    ]
)
_GIT_MOVES: Final = frozenset(["checkout", "restore", "clean", "mv"])
_BEFORE: Final = re.compile(r"\w+=.*|sudo|env|command|builtin|exec|nohup|time|then|do|else|!|\{")
_EXPANDED: Final = re.compile(r"\$\([^()]*\)|`[^`]*`|\$\{[^{}]*\}|\$\w+|\{[^{}]*\}")


def named(given: str) -> str:
    """Return which of the guard's own files, or of their folders, a text names; empty if none."""
    bare = _bare(given)
    return switched(given) or next(_matched(bare), "") or next(_moved(bare), "")


def switched(given: str) -> str:
    """Return which file that switches the guard a text names, or its folder; empty if none.

    The folder `.git` and patterns in it are left out, as searches name them to pass it by.
    """
    bare = _bare(given)
    found = next((name for name in _NAMES if name in bare), "")
    if not found and (match := _ELSEWHERE.search(bare)):
        found = match[0]
    others = (name for name in (*_matched(bare), *_moved(bare)) if ".git" not in name.split("/"))
    return found or next(others, "")


def _bare(given: str) -> str:
    return re.sub(r"/(?:\./|/)+", "/", re.sub(r"['\"\\]", "", given.casefold()))


def _matched(bare: str) -> Iterator[str]:
    """Yield files that a pattern matches, if it says at least a part of their folder's name."""
    for word in re.split(r"[\s;&|()<>=]+", _EXPANDED.sub("*", bare)):
        if not re.search(r"[*?\[]", word):
            continue
        parts = word.split("/")
        for file in _FILES:
            for at in range(len(parts) - len(file) + 1):
                tried = parts[at : at + len(file)]
                if tried[0].strip("*?") and all(map(fnmatchcase, file, tried)):
                    yield "/".join(file)


def _moved(bare: str) -> Iterator[str]:
    """Yield folders of the guard's files that are entered, moved or written into as a whole."""
    for command in re.split(r"[;&|\n()]+", bare):
        words = command.split()
        while words and _BEFORE.fullmatch(words[0]):
            words.pop(0)
        head = words[0].rpartition("/")[2] if words else ""
        if head in _MOVES or head == "git" and not _GIT_MOVES.isdisjoint(words):
            yield from filter(_is_folder, words[1:])


def _is_folder(word: str) -> bool:
    path = word.removeprefix("./").rstrip("/")
    last = path.rpartition("/")[2]
    return last in _FOLDERS and (last == path or last[0] == "." or path[0] in "/~$")
