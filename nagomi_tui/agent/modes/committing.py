"""Commits one file of a repository, and no other change in it (MB-4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui.agent.modes.git import GitFault, refused
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.modes.git import Git

DETACHED: Final = "refs/nagomi/inner-notes"
"""The ref prefix that keeps commits on a detached HEAD from git's garbage collection."""

_ATTEMPTS: Final = 4
_LOCK_SECONDS: Final = 0.5
"""How long to wait for another git process before each further attempt."""
_NAME: Final = ("-c", "user.name=nagomi", "-c", "user.email=nagomi@localhost")


class Committed(msgspec.Struct, frozen=True):
    """The commit in which HEAD has the file's content."""

    commit: str
    made: bool
    """The commit was made by this call; if False, HEAD had this content already."""


async def commit_file(git: Git, folder: Path, path: str, content: bytes, message: str) -> Committed:
    """Commit the file at `path` below `folder`, and check that HEAD then has this content.

    What the user has staged stays staged, and is not in the commit. A file that git ignores is
    committed all the same. The commit is not signed, since nobody could enter a passphrase.

    Raises:
        GitFault: HEAD does not have this content.
    """
    await _check_repository(git, folder)
    wanted = await _hash(git, folder, path, content)
    if await _in_head(git, folder, path) == wanted:
        return Committed(await _head(git, folder), made=False)
    fault = await _commit(git, folder, path, message)
    if await _in_head(git, folder, path) != wanted:
        raise fault or GitFault(
            translatable("git's copy of {path} is not what the file holds."), path=path
        )
    commit = await _head(git, folder)
    await _anchor(git, folder, commit)
    return Committed(commit, made=True)


async def _check_repository(git: Git, folder: Path) -> None:
    inside = await git.run(folder, "rev-parse", "--is-inside-work-tree")
    if inside.ok and inside.out.strip() == "true":
        return
    if inside.ok or "not a git repository" in inside.err:
        raise GitFault(translatable("The folder {folder} is in no git repository."), folder=folder)
    raise refused(inside)


async def _hash(git: Git, folder: Path, path: str, content: bytes) -> str:
    """Return git's object id of this content, after the filters configured for the path."""
    return await _told(git, folder, "hash-object", f"--path={path}", "--stdin", data=content)


async def _in_head(git: Git, folder: Path, path: str) -> str:
    found = await git.run(folder, "rev-parse", "--verify", "--quiet", f"HEAD:./{path}")
    return found.out.strip() if found.ok else ""


async def _head(git: Git, folder: Path) -> str:
    return await _told(git, folder, "rev-parse", "--verify", "HEAD")


async def _commit(git: Git, folder: Path, path: str, message: str) -> GitFault | None:
    """Commit the file; if that fails, undo `git add` and return the fault, else None."""
    tracked = (await git.run(folder, "ls-files", "--error-unmatch", "--", path)).ok
    try:
        if not tracked:
            await _unlocked(git, folder, "add", "--force", "--intent-to-add", "--", path)
        options = ["--quiet", "--only", "--no-gpg-sign", "--no-edit", f"--message={message}"]
        if not git.hooks:
            options.append("--no-verify")
        await _unlocked(git, folder, *await _identity(git, folder), "commit", *options, "--", path)
    except GitFault as fault:
        if not tracked and not await _in_head(git, folder, path):
            await git.run(folder, "rm", "--cached", "--force", "--quiet", "--", path)
        return fault
    return None


async def _identity(git: Git, folder: Path) -> tuple[str, ...]:
    """Return options that give the commit an author where the user has set none."""
    for key in ("user.name", "user.email"):
        if not (await git.run(folder, "config", "--get", key)).out.strip():
            return _NAME
    return ()


async def _unlocked(git: Git, folder: Path, *arguments: str) -> None:
    """Run git, up to four times while another git process holds the lock of the index.

    The lock file of a process that was killed is left: nothing tells which process made it.
    """
    for attempt in range(_ATTEMPTS):
        ran = await git.run(folder, *arguments)
        if ran.ok:
            return
        if "index.lock" not in ran.err:
            raise refused(ran)
        if attempt + 1 < _ATTEMPTS:
            await anyio.sleep(_LOCK_SECONDS)
    lock = Path(folder, await _told(git, folder, "rev-parse", "--git-path", "index.lock"))
    raise GitFault(
        translatable("Another git process holds {lock}; remove that file if none is running."),
        lock=lock,
    )


async def _anchor(git: Git, folder: Path, commit: str) -> None:
    """Create a ref for the commit if HEAD is detached, as no branch keeps the commit then."""
    if not (await git.run(folder, "symbolic-ref", "--quiet", "HEAD")).ok:
        await _told(git, folder, "update-ref", f"{DETACHED}/{commit}", commit)


async def _told(git: Git, folder: Path, *arguments: str, data: bytes = b"") -> str:
    ran = await git.run(folder, *arguments, data=data)
    if not ran.ok:
        raise refused(ran)
    return ran.out.strip()
