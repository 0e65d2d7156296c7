"""Makes the agent's workspace folder: `memory/`, `NEXT.md`, `.sessions/` and a git repository."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.modes.git import GitFault, refused
from nagomi_tui.agent.modes.notes import NEXT

if TYPE_CHECKING:
    from pathlib import Path

    from nagomi_tui.agent.modes.git import Git

_NEXT_STEPS: Final = b"# Next\n"
_IGNORE_ALL: Final = b"*\n"


async def ensure_workspace(folder: Path, git: Git) -> GitFault | None:
    """Make what is missing in the workspace folder.

    Return the reason if no git repository could be made, else None. A folder inside a repository
    gets none of its own. `.sessions/` has an ignore file that keeps it out of any repository,
    since conversations are private and long.

    Raises:
        OSError: the folder or a file in it cannot be made.
    """
    for name in ("memory", ".sessions"):
        (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    _make(folder / NEXT, _NEXT_STEPS)
    _make(folder / ".sessions" / ".gitignore", _IGNORE_ALL)
    try:
        await _ensure_repository(folder, git)
    except GitFault as fault:
        return fault
    return None


def _make(path: Path, content: bytes) -> None:
    with contextlib.suppress(FileExistsError), open(path, "xb") as file:
        file.write(content)


async def _ensure_repository(folder: Path, git: Git) -> None:
    inside = await git.run(folder, "rev-parse", "--is-inside-work-tree")
    if inside.ok:
        return
    if "not a git repository" not in inside.err:
        raise refused(inside)
    made = await git.run(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    if not made.ok:
        raise refused(made)
