"""Whether a file that is to be edited is on the task's branch: four cases (DC-22, D-47)."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import msgspec

from nagomi_tui.guard.decide.documents import Config, State, Task
from nagomi_tui.guard.decide.events import Decision, Target, ToolUse

_NO_BRANCH: Final = ("", "none")
"""What a task says that has none, as research does (DB-15)."""

_MISMATCH: Final = (
    "[Branch Mismatch] {path} is in {place}, which is on {actual}, and the task {task} is worked at on "
    "branch '{wanted}'. Change to that branch first: git{folder} checkout {quoted}"
)
_NOT_IN_TASK: Final = (
    "[Submodule Not in Task] {path} is in {place}. It is on the task's branch '{wanted}', but the task "
    "{task} does not name it. If it belongs to the task, add it to `submodules` in the task's file; "
    "else ask the user."
)
_NEITHER: Final = (
    "[Submodule Not in Task + Wrong Branch] {path} is in {place}, which the task {task} does not name, "
    "and which is on {actual} instead of branch '{wanted}'. Ask the user whether it belongs to the task; "
    "if so, add it to `submodules` in the task's file, and run: git{folder} checkout {quoted}"
)
_NOT_KNOWN: Final = "[Branch] The branch of {path} was not compared with the task's: {reason}"


class Checkout(NamedTuple):
    """What is checked out where a file lies."""

    branch: str
    """Empty where the head is detached."""
    commit: str = ""
    """The beginning of its hash, where there is no branch."""
    submodule: str = ""
    """The folder of the submodule below the project's root; empty for the project itself."""


class Unknown(Exception):
    """What is checked out cannot be told; the message is the reason."""


CheckoutOf: TypeAlias = Callable[[str], Checkout]
"""Tells what is checked out where a file lies, by its way below the project's root.

It raises `Unknown` where that cannot be told, or not in time.
"""


def edits_elsewhere(
    use: ToolUse, allowed: Decision, config: Config, checkout_of: CheckoutOf
) -> Decision:
    """Return what becomes of a tool that was allowed so far; one that edits no file stays so."""
    state, notes = allowed.state, []
    if not config.features.branch_enforcement or _wanted(state) in _NO_BRANCH:
        return allowed
    for target in use.targets:
        if target.place != "inside":
            continue
        try:
            fault = _fault(target, state.current_task, checkout_of(target.relative))
        except Unknown as exc:
            notes.append(_NOT_KNOWN.format(path=target.path, reason=exc))
            continue
        if fault:
            return Decision(state=state, denied=fault)
    if not notes:
        return allowed
    return msgspec.structs.replace(
        allowed, context=(*allowed.context, *notes), notices=(*allowed.notices, *notes)
    )


def _wanted(state: State) -> str:
    wanted = (state.current_task.branch or "").strip()
    return "" if wanted.casefold() == "none" else wanted


def _fault(target: Target, task: Task, found: Checkout) -> str:
    wanted = (task.branch or "").strip()
    is_right = found.branch == wanted
    is_named = not found.submodule or _names(task, found.submodule)
    if is_right and is_named:
        return ""
    text = _MISMATCH if is_named else _NOT_IN_TASK if is_right else _NEITHER
    return text.format(
        path=target.path,
        place=f"the submodule '{found.submodule}'" if found.submodule else "the project",
        folder=f" -C {shlex.quote(found.submodule)}" if found.submodule else "",
        actual=_actual(found),
        task=task.name or task.file or "in hand",
        wanted=wanted,
        quoted=shlex.quote(wanted),
    )


def _names(task: Task, submodule: str) -> bool:
    """Tell whether a task names a submodule, by its folder or by that folder's name."""
    named = {one.strip().strip("/").removeprefix("./") for one in task.submodules or ()}
    return bool(named & {submodule, submodule.rpartition("/")[2]})


def _actual(found: Checkout) -> str:
    return f"branch '{found.branch}'" if found.branch else f"no branch (@{found.commit})"
