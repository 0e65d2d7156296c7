"""Runs git for the notes, with a deadline and without prompts."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final

import anyio
import msgspec

from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

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


class GitFault(Exception):
    """A git command failed; `sentence` is a key of the message catalog, with its values."""

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(**values))
        self.sentence = sentence
        self.values = values


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


def refused(ran: Ran) -> GitFault:
    """Return a fault that quotes git's own reason."""
    return GitFault(translatable("git says: {reason}"), reason=ran.reason)


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
        except FileNotFoundError as exc:
            raise _missing(folder) from exc
        except OSError as exc:
            raise GitFault(
                translatable("git cannot be started: {reason}."), reason=exc.strerror
            ) from exc
        try:
            with anyio.move_on_after(self.seconds):
                return await process.wait()
        finally:
            if process.returncode is None:
                await _end(process)
        raise GitFault(
            translatable("git did not end within {seconds:g} seconds; a hook may be waiting."),
            seconds=self.seconds,
        )


def _missing(folder: Path) -> GitFault:
    if folder.is_dir():
        return GitFault(translatable("git is not installed."))
    return GitFault(translatable("The folder {folder} does not exist."), folder=folder)


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
        _signal(process, signal.SIGTERM)
        with anyio.move_on_after(_TERM_SECONDS):
            await process.wait()
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        await process.wait()


def _signal(process: anyio.abc.Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)
