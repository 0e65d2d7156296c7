"""What has changed in a guarded project since its last commit: git's word, bounded and masked."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import anyio

from nagomi_tui import deadline_thread
from nagomi_tui.core.masking import mask, mask_lines
from nagomi_tui.core.text.plain import printable
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from pathlib import Path

LINES: Final = 2000
_BYTES: Final = 512 * 1024
"""Most that is read of git's output."""
_WIDEST: Final = 500
"""Characters of a line that are shown."""
_SECONDS: Final = 10.0
_MASK_SECONDS: Final = 10.0
_SETTINGS: Final = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false")
_DIFF: Final = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty",
)  # fmt: skip
_NEW_FILES: Final = ("ls-files", "--others", "--exclude-standard")
_NO_COMMIT: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's name of the empty tree, for a repository without a commit."""
_KEPT: Final = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8"}


class Changes(NamedTuple):
    """Lines as git prints them, new files first, and how many more there are."""

    lines: tuple[str, ...]
    left_out: int


NOTHING: Final = Changes((), 0)


async def changes(root: Path) -> Changes:
    """Return what has changed below a folder.

    Raises:
        Refusal: git cannot tell.
    """
    fresh = _sound(await _run(root, *_NEW_FILES))
    diff = await _run(root, *_DIFF, "HEAD")
    if diff.code:
        diff = _sound(await _run(root, *_DIFF, _NO_COMMIT))
    try:
        return await deadline_thread.run(
            partial(made_plain, fresh.out, diff.out), seconds=_MASK_SECONDS
        )
    except TimeoutError as exc:
        raise _late() from exc


class _Ran(NamedTuple):
    code: int
    out: str
    fault: str


def _sound(ran: _Ran) -> _Ran:
    if ran.code:
        reason = mask(ran.fault.strip().partition("\n")[0])
        raise Refusal("refused", translatable("git says: {reason}"), reason=reason)
    return ran


async def _run(root: Path, *arguments: str) -> _Ran:
    """Run git to its end, or until it has said enough; it starts no program of the project's."""
    settings = [part for one in _SETTINGS for part in ("-c", one)]
    command = ["git", "--no-pager", *settings, "-C", str(root), *arguments]
    env = {name: os.environ[name] for name in _KEPT if name in os.environ} | _QUIET
    try:
        # A folder that does not answer is entered by git, and not by us.
        process = await anyio.open_process(
            command,
            env=env,
            cwd="/" if sys.platform != "win32" else None,
            stdin=subprocess.DEVNULL,
            start_new_session=sys.platform != "win32",
        )
    except FileNotFoundError as exc:
        raise Refusal("refused", translatable("git is not installed.")) from exc
    try:
        with anyio.fail_after(_SECONDS):
            return await _read(process)
    except TimeoutError as exc:
        raise _late() from exc
    finally:
        with anyio.CancelScope(shield=True):
            _end(process)
            await process.aclose()


async def _read(process: anyio.abc.Process) -> _Ran:
    said: dict[str, bytearray] = {"out": bytearray(), "fault": bytearray()}

    async def take(stream: anyio.abc.ByteReceiveStream | None, data: bytearray) -> None:
        if stream is None:
            return
        async for chunk in stream:
            data += chunk
            if len(data) > _BYTES:
                _end(process)
                return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take, process.stdout, said["out"])
        tasks.start_soon(take, process.stderr, said["fault"])
    code = await process.wait()
    out, fault = (said[name].decode("utf-8", "replace") for name in ("out", "fault"))
    return _Ran(0 if len(said["out"]) > _BYTES else code, out, fault)


def _end(process: anyio.abc.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def made_plain(fresh: str, diff: str) -> Changes:
    """Return new files and a diff as they are shown, masked and bounded; it takes its time."""
    new = [f"new file: {name}" for name in fresh.splitlines()]
    lines = [*new, *diff.splitlines()]
    # A line is cut when it is masked: half a secret is none that could be told.
    shown = [_cut(printable(line)) for line in mask_lines(lines[:LINES])]
    return Changes(tuple(shown), max(0, len(lines) - LINES))


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[:_WIDEST]}…"


def _late() -> Refusal:
    return Refusal("busy", translatable("git did not answer in time."))
