"""Programs that nagomi works with where they are there; none is needed."""

from __future__ import annotations

import shutil
from typing import Final

from nagomi_tui.commands.speech import tr
from nagomi_tui.core.agents.registry import AGENTS
from nagomi_tui.doctor.check import Check
from nagomi_tui.words import translatable

_PROGRAMS: Final = {
    "git": translatable("shows the branch of a session's folder"),
    "ssh": translatable("reaches other machines"),
}

_WITHOUT_HOOKS: Final = translatable(
    "Without its hooks, nagomi reads its state from title and screen, and a restart begins a "
    "new conversation."
)


def checks() -> list[Check]:
    """Look for each program on the path."""
    purposes = {name: tr(purpose) for name, purpose in _PROGRAMS.items()}
    for agent in AGENTS.values():
        if agent.in_doctor:
            purposes[agent.name] = tr("{agent}, an agent", agent=agent.title)
    return [_program(name, purpose) for name, purpose in purposes.items()] + _hooks()


def _program(name: str, purpose: str) -> Check:
    found = shutil.which(name)
    return Check(
        key=f"program_{name}",
        label=name,
        result="ok" if found else "missing",
        found=found or tr("not installed; optional: {purpose}", purpose=purpose),
    )


def _hooks() -> list[Check]:
    """Tell for each agent that is there whether it tells us how it stands."""
    from nagomi_tui.agent_hooks import files, plan

    found = []
    for agent in plan.AGENTS.values():
        path = agent.path(project=False)
        if not (shutil.which(agent.name) or path.exists()):
            continue
        try:
            status: str = files.status(agent, project=False)
            meaning = "" if status == "installed" else tr(_WITHOUT_HOOKS)
        except plan.Unfit as exc:
            status, meaning = "broken", tr(exc.sentence, **{**exc.values, "path": path})
        found.append(
            Check(
                key=f"hooks_{agent.name}",
                label=tr("Hooks of {agent}", agent=agent.title),
                result="ok" if status == "installed" else "warning",
                found=tr("{path} (installed)", path=path)
                if status == "installed"
                else tr("{path} (not installed)", path=path),
                meaning=meaning,
                remedy="nagomi hooks install",
            )
        )
    return found
