"""The three agent modes, what each allows, the file of the present one, and the snapshot on leaving autonomous."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias, get_args

import msgspec

from nagomi_tui.agent.providers.interface import Clock
from nagomi_tui.api.messages.agent import Mode
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import translatable

AgentMode: TypeAlias = Mode

MODES: Final[tuple[AgentMode, ...]] = get_args(AgentMode)
START: Final[AgentMode] = "calm"


class InvalidMode(ValueError):
    """A name is not that of a mode; the message lists the valid names (MC-3)."""

    SENTENCE: Final = translatable("Invalid mode. Valid: {names}")
    names: Final = ", ".join(MODES)

    def __init__(self) -> None:
        super().__init__(self.SENTENCE.format(names=self.names))


class Allowed(msgspec.Struct, frozen=True, kw_only=True):
    """What a mode allows the agent; it answers questions in every mode (MC-2)."""

    loop_runs: bool = False
    """The agent's loop runs: without being asked, it looks at the sessions and asks the model."""
    inner_writable: bool = False
    """The loop writes the inner notes."""
    may_speak: bool = False
    """The agent may tell the user things unasked: remarks, and a digest of what has happened.

    Only these can be silenced (X-25): answers, and what calls from sessions, never are.
    """
    may_propose: bool = False
    """The agent may propose next steps unasked."""


_ALLOWED: Final[Mapping[AgentMode, Allowed]] = {
    "calm": Allowed(),
    "reserved": Allowed(loop_runs=True, inner_writable=True),
    "autonomous": Allowed(loop_runs=True, may_speak=True, may_propose=True),
}

_DESCRIPTIONS: Final[Mapping[AgentMode, str]] = {
    "calm": "Minimal activity — only responds to direct messages",
    "reserved": "Silent operation — OODA runs but no proactive outreach",
    "autonomous": "Fully autonomous — default mode",
}

CUSTOM: Final = "Custom feature configuration"


def allowed(mode: AgentMode) -> Allowed:
    return _ALLOWED[mode]


def described(mode: AgentMode, features: Allowed) -> str:
    """Return a mode's description, or `CUSTOM` if `features` are not those of the mode."""
    return _DESCRIPTIONS[mode] if features == _ALLOWED[mode] else CUSTOM


def mode_named(name: str) -> AgentMode:
    """Return the mode of this name.

    Raises:
        InvalidMode: there is no mode of this name.
    """
    for mode in MODES:
        if mode == name:
            return mode
    raise InvalidMode


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file."""

    mode: AgentMode = START
    changed_at: float = 0.0
    """Seconds since the epoch."""


class BrokenState(Exception):
    """The file with the mode cannot be read, so that the mode calm applies.

    `aside` is the path that the file was moved to, or None if it could not be moved.
    """

    def __init__(self, path: Path, aside: Path | None) -> None:
        super().__init__(str(path))
        self.path = path
        self.aside = aside


def read_mode(path: Path, *, now: Clock) -> Kept:
    """Return the content of the file; the mode `START` if there is no file.

    Raises:
        BrokenState: the file cannot be read or is not valid; it was moved aside if possible.
    """
    try:
        return from_json(files.read(path), Kept)
    except FileNotFoundError:
        return Kept()
    except (OSError, msgspec.MsgspecError) as exc:
        raise BrokenState(path, _moved(path, now)) from exc


def _moved(path: Path, now: Clock) -> Path | None:
    aside = path.with_name(f"{path.name}.broken-{int(now())}")
    with contextlib.suppress(OSError):
        return path.rename(aside)
    return None


def write_mode(path: Path, kept: Kept) -> None:
    """Replace the file.

    Raises:
        OSError: the file cannot be written; it still holds the former mode.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(kept))


MOST_TASKS: Final = 20
LINE_LENGTH: Final = 200
"""Most characters of a line of the snapshot."""
NONE: Final = "（無）"
UNKNOWN: Final = "（不明）"
"""Written where something could not be found out; `NONE` is written where there is nothing."""

_TASK: Final = re.compile(r"- \[[^xX]\]")

_SNAPSHOT: Final = """\
# Tracking Snapshot

Captured: {captured}
Previous mode: {previous}

## Active Threads
{threads}

## In-progress Tasks
{tasks}
"""


class Thread(msgspec.Struct, frozen=True):
    """A session, as the agent's prompts and snapshots describe it alike (X-3)."""

    name: str
    phase: str
    summary: str = ""
    number: int = 0
    state: str = "running"
    waits: bool = False
    """The session needs the user, or has ended and the user has not looked at it since."""
    is_open: bool = True
    """The session's command is running."""


def in_progress(next_steps: str) -> tuple[str, ...]:
    """Return the first 20 lines of `NEXT.md` with a checkbox that is not ticked, such as `- [ ]` (M-18)."""
    lines = (line.strip() for line in next_steps.splitlines() if _TASK.search(line))
    return tuple(lines)[:MOST_TASKS]


def thread_lines(threads: Iterable[Thread]) -> tuple[str, ...]:
    """Return a line for each active thread, which a snapshot lists (F-13)."""
    return tuple(
        f"- {thread.name} ({thread.phase})" + (f": {thread.summary}" if thread.summary else "")
        for thread in threads
        if thread.is_open
    )


def snapshot(
    threads: tuple[str, ...] | None,
    tasks: tuple[str, ...] | None,
    *,
    captured: float,
    previous: AgentMode,
) -> str:
    """Return the text of the tracking notes; None for threads or tasks means unknown.

    `captured` is in seconds since the epoch.
    """
    return _SNAPSHOT.format(
        captured=datetime.fromtimestamp(captured, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        previous=previous,
        threads=_section(threads),
        tasks=_section(tasks),
    )


def _section(lines: Iterable[str] | None) -> str:
    if lines is None:
        return UNKNOWN
    return "\n".join(_line(line) for line in lines) or NONE


def _line(text: str) -> str:
    """Return the text as one line, so that a session's summary cannot add a heading."""
    line = " ".join(printable(text).split())
    return line if len(line) <= LINE_LENGTH else line[: LINE_LENGTH - 1] + "…"
