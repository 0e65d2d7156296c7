"""Commits the agent's notes to git, with a deadline for each call."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import anyio
import msgspec

from nagomi_tui.system.children import end_group
from nagomi_tui.system.git import GitFault, Late, not_started
from nagomi_tui.text.words import translatable

SECONDS: Final = 20.0
"""How long one call of git may take, hooks included."""
_TERM_SECONDS: Final = 2.0
"""How long git may take to remove its lock files when it is asked to end."""

_SILENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "LC_ALL": "C",
}
_FOREIGN: Final = ("GIT_", "GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY", "PINENTRY_")
_SETTINGS: Final = (
    "core.fsync=all",  # the notes are cleared after the commit, so it must be on the disk
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
)


class Ran(msgspec.Struct, frozen=True):
    """The exit code and the output of one call of git."""

    code: int
    out: str
    err: str

    @property
    def ok(self) -> bool:
        """Tell whether git ended with exit code 0."""
        return self.code == 0

    @property
    def reason(self) -> str:
        """Return the first line of git's error output, else of its output, else the exit code."""
        lines = (self.err or self.out).strip().splitlines()
        return lines[0] if lines else f"exit code {self.code}"


class Git:
    """Runs git in a folder, with a deadline of `seconds` a call, and with all prompts disabled."""

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        seconds: float = SECONDS,
        hooks: bool = True,
    ) -> None:
        self._environment = _cleaned(os.environ if environment is None else environment)
        self.seconds = seconds
        self.hooks = hooks
        """Whether commits run the repository's hooks, as the user has set."""

    async def run(self, folder: Path, *arguments: str, data: bytes = b"") -> Ran:
        """Run git with these arguments and with `data` as its input, whatever its exit code.

        Raises:
            GitFault: git cannot be started, or did not end in time.
        """
        settings = [part for one in _SETTINGS for part in ("-c", one)]
        command = ["git", "--no-pager", *settings, *arguments]
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(data)
            given.seek(0)
            code = await self._wait(folder, command, given, out, err)
            return Ran(code, _text(out), _text(err))

    async def _wait(
        self, folder: Path, command: list[str], given: IO[bytes], out: IO[bytes], err: IO[bytes]
    ) -> int:
        """Run a command and return its exit code.

        Input and output are files: a background process of a hook could keep pipes open for ever.
        """
        try:
            process = await anyio.open_process(
                command,
                cwd=folder,
                env=self._environment,
                stdin=given,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as exc:
            raise not_started(exc, folder) from exc
        try:
            with anyio.move_on_after(self.seconds):
                return await process.wait()
        finally:
            if process.returncode is None:
                await _end(process)
        sentence = translatable(
            "git did not end within {seconds:g} seconds; a hook may be waiting."
        )
        raise Late("late", sentence, seconds=self.seconds)


def _cleaned(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without variables that name a repository or enable prompts."""
    kept = {name: value for name, value in environment.items() if not name.startswith(_FOREIGN)}
    return kept | _SILENT


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


async def _end(process: anyio.abc.Process) -> None:
    """End git and its child processes: SIGTERM first, so that git removes its lock files."""
    with anyio.CancelScope(shield=True):
        end_group(process, signal.SIGTERM)
        with anyio.move_on_after(_TERM_SECONDS):
            await process.wait()
        end_group(process)
        await process.wait()


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
        sentence = translatable("git's copy of {path} is not what the file holds.")
        raise fault or GitFault("other", sentence, path=path)
    commit = await _head(git, folder)
    await _anchor(git, folder, commit)
    return Committed(commit, made=True)


async def _check_repository(git: Git, folder: Path) -> None:
    inside = await git.run(folder, "rev-parse", "--is-inside-work-tree")
    if inside.ok and inside.out.strip() == "true":
        return
    if inside.ok or "not a git repository" in inside.err:
        sentence = translatable("The folder {folder} is in no git repository.")
        raise GitFault(inside.reason, sentence, folder=folder)
    raise GitFault(inside.reason)


async def _hash(git: Git, folder: Path, path: str, content: bytes) -> str:
    """Return git's object id of this content, after the filters configured for the path."""
    return await _output_of(git, folder, "hash-object", f"--path={path}", "--stdin", data=content)


async def _in_head(git: Git, folder: Path, path: str) -> str:
    found = await git.run(folder, "rev-parse", "--verify", "--quiet", f"HEAD:./{path}")
    return found.out.strip() if found.ok else ""


async def _head(git: Git, folder: Path) -> str:
    return await _output_of(git, folder, "rev-parse", "--verify", "HEAD")


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
            raise GitFault(ran.reason)
        if attempt + 1 < _ATTEMPTS:
            await anyio.sleep(_LOCK_SECONDS)
    lock = Path(folder, await _output_of(git, folder, "rev-parse", "--git-path", "index.lock"))
    sentence = translatable(
        "Another git process holds {lock}; remove that file if none is running."
    )
    raise GitFault(ran.reason, sentence, lock=lock)


async def _anchor(git: Git, folder: Path, commit: str) -> None:
    """Create a ref for the commit if HEAD is detached, as no branch keeps the commit then."""
    if not (await git.run(folder, "symbolic-ref", "--quiet", "HEAD")).ok:
        await _output_of(git, folder, "update-ref", f"{DETACHED}/{commit}", commit)


async def _output_of(git: Git, folder: Path, *arguments: str, data: bytes = b"") -> str:
    ran = await git.run(folder, *arguments, data=data)
    if not ran.ok:
        raise GitFault(ran.reason)
    return ran.out.strip()
