"""The agent's workspace folder, and its notes there.

A note is replaced as a whole, as it describes the present state and is no log.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from nagomi_tui.agent.modes.git import Git
from nagomi_tui.agent.modes.mode import AgentMode
from nagomi_tui.agent.providers.interface import Mask
from nagomi_tui.system import files
from nagomi_tui.system.git import GitFault

INNER: Final = "memory/inner-notes.md"
TRACKING: Final = "memory/tracking-notes.md"
NEXT: Final = "NEXT.md"
INNER_LIMIT: Final = 8 * 1024
"""Most bytes of inner notes (MB-12)."""
_CUT: Final = "\n…"


class Notes:
    """Reads and replaces the notes in a workspace folder; secrets are masked before writing."""

    def __init__(self, folder: Path, *, mask: Mask) -> None:
        self.folder = folder
        self.inner_path = folder / INNER
        self.tracking_path = folder / TRACKING
        self._mask = mask

    def inner(self) -> str:
        """Return the inner notes, cut at `INNER_LIMIT` bytes; empty if there are none.

        Raises:
            OSError: the file cannot be read.
        """
        return _within(_read(self.inner_path))

    def tracking(self) -> str:
        """Return the tracking notes; empty if there are none.

        Raises:
            OSError: the file cannot be read.
        """
        return _read(self.tracking_path)

    def next_steps(self) -> str:
        """Return the content of `NEXT.md` with secrets masked; empty if there is no such file.

        Raises:
            OSError: the file cannot be read.
        """
        return self._mask(_read(self.folder / NEXT))

    def write_inner(self, text: str) -> None:
        """Replace the inner notes, cut at `INNER_LIMIT` bytes; blank text changes nothing.

        Raises:
            OSError: the file cannot be written; the former notes are still there.
        """
        if words := text.strip():
            _write(self.inner_path, _within(self._mask(words)) + "\n")

    def write_tracking(self, text: str) -> None:
        """Replace the tracking notes.

        Raises:
            OSError: the file cannot be written; the former notes are still there.
        """
        _write(self.tracking_path, self._mask(text))


def _within(text: str) -> str:
    """Return the text; one of more than `INNER_LIMIT` bytes is cut and ends in an ellipsis."""
    data = text.encode(errors="replace")
    if len(data) <= INNER_LIMIT:
        return data.decode()
    room = INNER_LIMIT - len(_CUT.encode()) - 1
    return data[:room].decode(errors="ignore") + _CUT


def _read(path: Path) -> str:
    try:
        return files.read(path).decode(errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, text.encode(errors="replace"))


TEACHES_INNER: Final = f"""\
You are in the mode "reserved": you go on looking and thinking, and say nothing to anybody by \
yourself. What you think you keep as inner notes, your working memory, by writing it between \
[INNER] and [/INNER]. This block is no part of what you say; your user can read it. It replaces the inner notes as a whole, so \
write down the state of now, not a log: all that is still worth knowing, in at most \
{INNER_LIMIT} bytes. Of several blocks the last one counts. Write none if nothing has changed. \
Do not put the tags into code."""
"""A part of the loop's prompt only, since answers to questions write no notes (MB-10, MB-11)."""

_FROZEN: Final = ' frozen="true" note="kept from the mode reserved; they do not change in calm"'


def note_sections(mode: AgentMode, notes: Notes) -> str:
    """Return the notes for a question's context; empty if there are none.

    In the mode reserved these are both notes (M-9, M-19), in calm the inner notes, marked as frozen
    (X-2), in autonomous none.

    Raises:
        OSError: the notes cannot be read.
    """
    if mode == "autonomous":
        return ""
    if mode == "calm":
        return section("inner_notes", notes.inner(), _FROZEN)
    parts = (section("inner_notes", notes.inner()), section("tracking_notes", notes.tracking()))
    return "\n".join(part for part in parts if part)


def section(name: str, text: str, attributes: str = "") -> str:
    """Return the text between tags that it cannot close (MB-9); empty if the text is blank."""
    if not (words := text.strip()):
        return ""
    return f"<{name}{attributes}>\n{escaped(words)}\n</{name}>"


def escaped(text: str) -> str:
    """Return the text with `&`, `<` and `>` escaped, so that it holds no tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


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
        raise GitFault(inside.reason)
    made = await git.run(folder, "init", "--quiet", "--initial-branch=main", "--template=")
    if not made.ok:
        raise GitFault(made.reason)
