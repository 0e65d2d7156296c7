"""Sets the guard up in a folder in one step: the hook in its agents' settings, and its state."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final

from nagomi_tui import deadline_thread
from nagomi_tui.agent_hooks import files
from nagomi_tui.agent_hooks.plan import Unfit
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.core.session.conversation import agent_of
from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.files.state import edit_state
from nagomi_tui.guard.install.hook_set import GUARDED, GuardHooks
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS: Final = 5.0
_AT_ONCE: Final = 4
_slots: Final = BoundedSemaphore(_AT_ONCE)
WAYS: Final = ("hook", "strict")
"""How a session may ask to be guarded."""
VARIABLES: Final = {
    name: value
    for agent in AGENTS.values()
    for name, value in (agent.guarded.variables if agent.guarded else ())
}
"""What guarded agents are started with (F-9)."""


async def set_up(way: str, cmd: str, cwd: str, env: Mapping[str, str]) -> None:
    """Guard a folder before a session begins there; discussion comes first.

    Raises:
        Refusal: the guard cannot be put there; nothing has begun.
    """
    if way not in WAYS:
        sentence = translatable("There is no guard `{way}`; there are: {ways}.")
        raise Refusal("bad_request", sentence, way=way, ways=", ".join(WAYS))
    try:
        await deadline_thread.run(
            partial(_set_up, cwd, _agents(cmd, env)), seconds=_SECONDS, slots=_slots
        )
    except TimeoutError as exc:
        sentence = translatable("The guard cannot be set up in {folder}: it does not answer.")
        raise Refusal("refused", sentence, folder=cwd) from exc
    except OSError as exc:
        sentence = translatable("The guard cannot be set up in {folder}: {reason}.")
        raise Refusal("refused", sentence, folder=cwd, reason=exc.strerror or exc) from exc


def _agents(cmd: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the agents that are to be guarded: the one that is started, or all that are there."""
    if (named := agent_of(cmd)) in GUARDED:
        return (named,)
    there = tuple(name for name in GUARDED if shutil.which(name, path=env.get("PATH", "")))
    return there or GUARDED


def _set_up(cwd: str, agents: tuple[str, ...]) -> None:
    root = os.path.realpath(cwd)
    for name in agents:
        for part in GuardHooks(name, root).parts:
            try:
                files.carry_out(files.install(part, project=True))
            except Unfit as exc:
                path = part.path(project=True)
                raise Refusal("refused", exc.sentence, path=path, **exc.values) from exc
    with edit_state(Project(Path(root))):
        pass
