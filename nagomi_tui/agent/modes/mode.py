"""The three agent modes, what each allows, and the file that holds the present one."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

import msgspec

from nagomi_tui.api.messages.agent import Mode
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nagomi_tui.agent.providers.interface import Clock

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
    """Return what a mode allows."""
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
