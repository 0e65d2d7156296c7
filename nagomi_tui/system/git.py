"""Runs git: in a process group of its own, with a time limit, and without what settings would have it run.

Callers choose its variables: `environment` where nothing of the user's is to have a say, and
`users_environment` where git is to work as when the user runs it.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from nagomi_tui.system.children import OWN_GROUP, end_group
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.words import translatable

SECONDS: Final = 60.0
_GRACE: Final = 2.0
"""Seconds for which git may remove its lock files once it was told to end."""
NO_PROGRAMS: Final = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "gc.auto=0")
"""Settings by which git starts no program but itself."""
_KEPT: Final = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
_READS: Final = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_LITERAL_PATHSPECS": "1"}
_EDITORS: Final = {"GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true"}
_ELSEWHERE: Final = frozenset((
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE", "GIT_COMMON_DIR", "GIT_CONFIG",
    "GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_GLOB_PATHSPECS", "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE", "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
))  # fmt: skip
"""Variables that point git to another repository, or have paths mean something else."""


class GitFault(RuntimeError):
    """A git command failed: `str` is git's own reason, `sentence` a key of the catalog with its values."""

    def __init__(self, told: str, sentence: str = "", /, **values: object) -> None:
        super().__init__(told)
        self.sentence = sentence or translatable("git says: {reason}")
        self.values = values or {"reason": told.partition("\n")[0]}


class Late(GitFault):
    """A git command took too long."""


def environment() -> dict[str, str]:
    """Return the variables that git needs to read, and none that lead it to another repository."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _QUIET | _READS


def users_environment() -> dict[str, str]:
    """Return the user's variables, but for those that lead git elsewhere or have it ask."""
    kept = {name: one for name, one in os.environ.items() if name not in _ELSEWHERE}
    return kept | _QUIET | _EDITORS


def run_git(
    command: Sequence[str], *, cwd: Path | str | None, env: dict[str, str],
    settings: Sequence[str] = (), given: bytes = b"", seconds: float, most: int = 0,
    lock: int | None = None, hooks: bool = False,
) -> tuple[int, bytes, str]:  # fmt: skip
    """Run git to its end, or until it has printed `most` bytes; return its code and what it printed.

    `lock` is the number of a locked file, which stays locked until git has ended, also where this
    process is killed before. With `hooks`, what a hook leaves running is not waited for: git prints
    to files, since such a program would keep a pipe open.

    Raises:
        GitFault: there is no git or no such folder, or it took too long.
    """
    parts = [part for one in settings for part in ("-c", one)]
    with ExitStack() as stack:
        files = [stack.enter_context(TemporaryFile()) for _ in range(2)] if hooks else []
        printed, told = files or (subprocess.PIPE, subprocess.PIPE)
        try:
            process = subprocess.Popen(
                ["git", "--no-pager", *parts, *command],
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=told,
                cwd=cwd,
                env=env,
                pass_fds=() if lock is None or WINDOWS else (lock,),
                **OWN_GROUP,
            )
        except OSError as exc:
            raise not_started(exc, cwd) from exc
        try:
            if most:
                return _read_some(process, most, seconds)
            out, fault = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired as exc:
            sentence = translatable("git did not answer within {seconds:g} seconds.")
            raise Late(str(exc), sentence, seconds=seconds) from exc
        finally:
            if process.returncode is None:
                _end(process)
        for file in files:
            file.seek(0)
        out, fault = [file.read() for file in files] or (out, fault)
    return process.returncode, out, fault.decode("utf-8", "replace").strip()


def not_started(fault: OSError, folder: Path | str | None) -> GitFault:
    """Return why git could not be started in a folder."""
    if not isinstance(fault, FileNotFoundError):
        sentence = translatable("git cannot be started: {reason}.")
        return GitFault(str(fault), sentence, reason=fault.strerror or fault)
    if folder is None or os.path.isdir(folder):
        return GitFault(str(fault), "git is not installed.")
    return GitFault(str(fault), "The folder {folder} does not exist.", folder=folder)


def _read_some(
    process: subprocess.Popen[bytes], most: int, seconds: float
) -> tuple[int, bytes, str]:
    """Read no more than so much of what a process prints; the rest of it is not waited for."""
    from threading import Timer

    assert process.stdin and process.stdout and process.stderr
    process.stdin.close()
    late = Timer(seconds, end_group, (process,))
    late.daemon = True
    late.start()
    try:
        with process.stdout, process.stderr:
            out = process.stdout.read(most)
            if len(out) == most:
                end_group(process)
                process.wait()
                return 0, out, ""
            fault = process.stderr.read(64 * 1024).decode("utf-8", "replace").strip()
            code = process.wait()
    finally:
        was_late = late.finished.is_set()
        late.cancel()
    if code < 0 and was_late:
        raise subprocess.TimeoutExpired("git", seconds)
    return code, out, fault


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have git remove its lock files and end; kill it where it does not.

    A process that hangs in the kernel, as on a dead disk, is not waited for.
    """
    for number in (signal.SIGTERM, None):
        end_group(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_GRACE)
            return
