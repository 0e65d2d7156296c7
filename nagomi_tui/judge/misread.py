"""Agents whose screens nagomi does not understand any more, stored for `nagomi doctor`."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui import __version__
from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.judge.versions import Mismatch
from nagomi_tui.system import files, paths
from nagomi_tui.system.decoding import from_json
from nagomi_tui.text.words import translatable

TOLD: Final = translatable(
    "nagomi no longer understands {agent} well. It goes by what agents have in common from here on."
)
REASONS: Final = {
    Mismatch.NO_RULE: translatable("None of the rules for its screen held in a whole turn."),
    Mismatch.ANSWERED: translatable("A question of it was answered while it was shown at rest."),
    Mismatch.CORRECTED: translatable("You said that it waits for you while it was shown at rest."),
}


class Misread(msgspec.Struct, frozen=True, kw_only=True):
    """When and why an agent was last not understood."""

    version: str
    """The agent's version; empty where its banner was not seen."""
    mismatch: Mismatch = msgspec.field(name="misfit")
    at: float
    """Seconds since the epoch."""
    nagomi: str = __version__
    """The version of nagomi that did not understand it."""
    trace: str = ""
    """The file of the trace that was begun then; empty without one."""


def title(agent: str, version: str) -> str:
    """Return an agent's product name, with its version."""
    known = AGENTS.get(agent)
    return f"{known.title if known else agent} {version}".rstrip()


def kept() -> dict[str, Misread]:
    """Return what this version of nagomi did not understand, by agent."""
    try:
        found = from_json(files.read(paths.misread_file()), dict[str, Misread])
    except (OSError, msgspec.DecodeError, RecursionError):
        return {}
    return {agent: one for agent, one in found.items() if one.nagomi == __version__}


def keep(agent: str, noted: Misread) -> None:
    """Store it, in place of what was stored of that agent.

    Raises:
        OSError: the file cannot be written.
    """
    paths.make_private(paths.state_folder())
    files.write(paths.misread_file(), msgspec.json.encode({**kept(), agent: noted}))


def forget(agent: str) -> None:
    """Drop what is kept of an agent: there are other rules for it now.

    Raises:
        OSError: it cannot be written.
    """
    left = {name: one for name, one in kept().items() if name != agent}
    if left != kept():
        files.write(paths.misread_file(), msgspec.json.encode(left))
