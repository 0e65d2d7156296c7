"""Sets the guard up for a session in one step: the project's state, and the hooks of its agent.

An agent that nagomi starts gets the hooks by its own option, for that start and in any folder.
Those that are started later, in a shell, read them from settings; nobody writes there unasked.
"""

from __future__ import annotations

import os
from functools import partial
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Final, TypeVar

from nagomi_tui import deadline_thread
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.core.session.conversation import agent_of
from nagomi_tui.guard.files.lock import Busy
from nagomi_tui.guard.files.project import find
from nagomi_tui.guard.files.state import edit_state
from nagomi_tui.guard.install.hook_set import GUARDED, guarded_in
from nagomi_tui.guard.install.start import CannotStart, with_hooks
from nagomi_tui.orchestrator.runtime.refusal import Refusal
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")
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


async def set_up(way: str, cmd: str, cwd: str) -> None:
    """Guard the project of a folder before a session begins there; discussion comes first.

    In strict mode the kernel holds the project whatever runs there; else an agent has to have hooks.

    Raises:
        Refusal: the guard cannot be put there, or nothing would run it; nothing has begun.
    """
    if way not in WAYS:
        sentence = translatable("There is no guard `{way}`; there are: {ways}.")
        raise Refusal("bad_request", sentence, way=way, ways=", ".join(WAYS))
    needs_hooks = way == "hook" and agent_of(cmd) not in GUARDED
    await _in_time(partial(_set_up, cwd, needs_hooks=needs_hooks), cwd)


async def given_hooks(cmd: str, cwd: str) -> str:
    """Return a command with the guard's hooks where it starts an agent; any other as it is.

    Raises:
        Refusal: they cannot be given to it.
    """
    return await _in_time(partial(with_hooks, cmd, cwd or "/"), cwd)


async def _in_time(work: Callable[[], _Result], cwd: str) -> _Result:
    try:
        return await deadline_thread.run(work, seconds=_SECONDS, slots=_slots)
    except TimeoutError as exc:
        sentence = translatable("The guard cannot be set up in {folder}: it does not answer.")
        raise Refusal("refused", sentence, folder=cwd) from exc
    except (OSError, CannotStart, Busy) as exc:
        sentence = translatable("The guard cannot be set up in {folder}: {reason}.")
        reason = exc.said if isinstance(exc, CannotStart) else getattr(exc, "strerror", None) or exc
        raise Refusal("refused", sentence, folder=cwd, reason=reason) from exc


def _set_up(cwd: str, *, needs_hooks: bool) -> None:
    project = find(cwd, {})
    if needs_hooks and not (guarded_in(os.path.realpath(cwd)) or guarded_in(str(project.root))):
        sentence = translatable(
            "This command is no agent that nagomi can give the guard to, and no agent that is started "
            "in {folder} has its hooks. `nagomi guard install` there writes them, once you have agreed."
        )
        raise Refusal("refused", sentence, folder=project.root)
    with edit_state(project):
        pass
