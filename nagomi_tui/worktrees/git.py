"""Runs git for worktrees: each command within a time limit, and without what settings would have it run.

Hooks of a repository do not run, no fsmonitor or maintenance is left behind, and no variable of the
environment points git to another repository than the one that is named.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from nagomi_tui.system import deadlines
from nagomi_tui.system.children import NOWHERE, OWN_GROUP, end_group
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.words import Said, translatable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SECONDS: Final = 20.0
"""Seconds that a command which only looks may take."""
LONG_SECONDS: Final = 300.0
"""Seconds that a command may take which writes all files of a work tree, or asks a remote."""
_GRACE: Final = 2.0
"""Seconds for which git may tidy up once it was told to end."""
_SETTINGS: Final = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "gc.auto=0",
    "maintenance.auto=false", "submodule.recurse=false", "advice.detachedHead=false",
)  # fmt: skip
OURS: Final = (
    "-c", "user.name=nagomi", "-c", "user.email=nagomi@localhost", "-c", "commit.gpgSign=false",
)  # fmt: skip
"""Who makes the commits that only serve to compare, and that no branch has."""
_ELSEWHERE: Final = frozenset((
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_COMMON_DIR", "GIT_CONFIG",
    "GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_GLOB_PATHSPECS", "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE", "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
))  # fmt: skip
_QUIET: Final = {
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
}


class Fault(Exception):
    """Something about worktrees cannot be done; the message says it in one sentence of English."""

    def __init__(self, message: str, /, **values: object) -> None:
        super().__init__(message.format(**values))
        self.said = Said(message, values)


class Ran(NamedTuple):
    """What a git command has answered."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """What it has printed, without the last end of line."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def reason(self) -> str:
        """The line in which git says why it did not do it."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal: ", "error: "))]
        first = (told or lines or [f"exit code {self.code}"])[0]
        return first.removeprefix("fatal: ").removeprefix("error: ")


def run(
    folder: Path | str, *arguments: str, given: bytes = b"", seconds: float = SECONDS,
    env: Mapping[str, str] | None = None, lock: int | None = None,
) -> Ran:  # fmt: skip
    """Run git in a folder to its end.

    `lock` is the number of a locked file, which stays locked until git has ended, also where this
    process is killed before.

    Raises:
        Fault: there is no git, or it takes longer than that.
    """
    settings = [part for one in _SETTINGS for part in ("-c", one)]
    optional = () if lock is not None else ("--no-optional-locks",)
    kept = () if lock is None or WINDOWS else (lock,)
    try:
        named = os.path.abspath(folder)
        command = ["git", "--no-pager", *optional, *settings, "-C", named, *arguments]
        # A folder that does not answer is entered by git, and not by this process.
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=NOWHERE, env=_environment() | dict(env or {}), pass_fds=kept, **OWN_GROUP,
        )  # fmt: skip
    except OSError as exc:
        raise Fault(translatable("git cannot be run: {reason}."), reason=exc.strerror) from exc
    try:
        out, err = process.communicate(given, timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        raise Fault(
            translatable("git did not answer within {seconds} s in {folder}."),
            seconds=round(seconds),
            folder=folder,
        ) from None
    except BaseException:
        _end(process)
        raise
    return Ran(process.returncode, out, err.decode("utf-8", "replace"))


def check_answers(folder: Path | str) -> None:
    """See that a folder can be looked into, so that this process does not wait for a dead disk.

    Raises:
        Fault: it does not answer.
    """
    try:
        deadlines.wait(lambda: os.path.exists(folder), seconds=SECONDS)
    except TimeoutError:
        raise Fault(
            translatable("The folder {cwd} does not answer; is the disk or server there?"),
            cwd=folder,
        ) from None


def output(folder: Path | str, *arguments: str, seconds: float = SECONDS) -> str:
    """Return what git prints, without the last end of line.

    Raises:
        Fault: git says no, or does not answer.
    """
    return sound(run(folder, *arguments, seconds=seconds)).text


def answer(folder: Path | str, *arguments: str) -> str:
    """Return what git prints, or nothing where it says no.

    Raises:
        Fault: git does not answer.
    """
    ran = run(folder, *arguments)
    return "" if ran.code else ran.text


def sound(ran: Ran) -> Ran:
    """Return it as it is.

    Raises:
        Fault: git has said no.
    """
    if ran.code:
        raise Fault(translatable("git says: {reason}"), reason=ran.reason)
    return ran


@cache
def version() -> tuple[int, int]:
    """Return git's version, such as (2, 39).

    Raises:
        Fault: there is no git.
    """
    found = re.search(r"(\d+)\.(\d+)", output(os.curdir, "version"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _environment() -> dict[str, str]:
    return {name: one for name, one in os.environ.items() if name not in _ELSEWHERE} | _QUIET


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have git remove its lock files and end; kill it where it does not."""
    for number in (signal.SIGTERM, None):
        end_group(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_GRACE)
            return
