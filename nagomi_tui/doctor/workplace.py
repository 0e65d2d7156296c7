"""Checks of agents whose screens are misread, of the guard's hooks, of hands, and of what could end sessions."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path
from typing import Final

from nagomi_tui.agents.hooks import files
from nagomi_tui.agents.hooks.formats import Unfit
from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.alerts import surroundings
from nagomi_tui.api.client import Connection
from nagomi_tui.api.messages import HandStanding, ListSessions
from nagomi_tui.doctor.report import Check, Residents, check, printed
from nagomi_tui.guard.files.held import linked_outside
from nagomi_tui.guard.files.project import Project, find
from nagomi_tui.guard.install.fitness import faults
from nagomi_tui.guard.install.hooks import (
    GuardHooks,
    GuardStatusLine,
    extras,
    project_here,
    reach,
)
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import BadHand
from nagomi_tui.judge import misread
from nagomi_tui.judge.misread import Misread
from nagomi_tui.system import paths
from nagomi_tui.system.console import program, tr
from nagomi_worker.wire import trust


def agent_checks() -> list[Check]:
    """Name each agent that this version of nagomi has misread."""
    if not paths.misread_file().exists():
        return []
    return [_misread(agent, noted) for agent, noted in misread.kept().items()]


def _misread(agent: str, noted: Misread) -> Check:
    title = misread.title(agent, noted.version)
    learn = tr(
        "`{program} judge learn {trace}` proposes a rule.", program=program(), trace=noted.trace
    )
    record = tr(
        "The setting `keep_misread` keeps a masked recording the next time, "
        "from which `{program} judge learn` proposes a rule.",
        program=program(),
    )
    return check(
        f"misread_{agent}",
        title,
        tr("nagomi no longer understands it well"),
        meaning=tr(misread.REASONS[noted.mismatch]),
        remedy=learn if noted.trace else record,
        well=False,
    )


_ASK_SECONDS: Final = 1.0


def guard_checks() -> list[Check]:
    """Look at the guard of each client, where it is installed."""
    known = [GuardHooks(name, str(project_here())) for name in GUARDED]
    found = (
        look(hooks, project=project)
        for look in (_guard, _status_line)
        for hooks in known
        for project in (True, False)
    )
    return [_here(), *(check for check in (*found, _hard_links()) if check)]


def _here() -> Check:
    """Tell whether agents that are started in this folder are guarded, and which sessions are not."""
    is_guarded, meaning = reach(find(os.getcwd(), os.environ), os.getcwd())
    if unheard := _unheard():
        meaning += " " + tr(
            "Of these sessions no hook of the guard was heard, so perhaps nothing guards them: {names}.",
            names=", ".join(unheard),
        )
    return check(
        "guard_here",
        tr("Guard in this folder"),
        tr("there") if is_guarded else tr("not guarded"),
        meaning=meaning,
        well=not unheard,
    )


def _unheard() -> list[str]:
    """Return the sessions with a guard whose hooks were not heard; none where nagomi does not run."""
    try:
        with Connection.open(timeout=_ASK_SECONDS) as nagomi:
            sessions = nagomi.request(ListSessions(id=0), timeout=_ASK_SECONDS).sessions
    except Exception:  # Another check tells how nagomi stands.
        return []
    return [one.name for one in sessions if one.guard is not None and one.guard_unheard]


def _hard_links() -> Check | None:
    """Return which files of a guarded project can be written by a name outside; None if there are none."""
    project = Project(project_here())
    count = linked_outside(str(project.root)) if project.state_file.is_file() else 0
    if not count:
        return None
    return check(
        "guard_hard_links",
        tr("Files with two names"),
        tr("{count} in {folder}", count=count, folder=project.root),
        meaning=tr(
            "Hard links lead to them from outside of the project, as package managers make them; in "
            "strict mode they can be written by that other name in implementation, or in a folder of caches."
        ),
        remedy=tr(
            "Have the package manager copy: `uv --link-mode copy`, `pnpm --package-import-method copy`."
        ),
        well=False,
    )


def _guard(hooks: GuardHooks, *, project: bool) -> Check | None:
    """Return how the guard stands in one file; None where it is not installed."""
    path = hooks.path(project=project)
    try:
        status = files.status(hooks, project=project)
    except Unfit:
        return None  # The checks of hooks name a broken file.
    if status == "absent":
        return None
    why = [tr(one.message, **one.values) for one in faults(hooks, path, shutil.which(hooks.agent))]
    if status == "outdated":
        other = tr(
            "It is of another installation of nagomi: if that is gone, every tool is denied."
        )
        why.insert(0, other)
    return check(
        f"guard_{hooks.agent}" if project else f"guard_{hooks.agent}_user",
        tr("Guard of {agent}", agent=hooks.title),
        str(path),
        meaning=" ".join(why),
        remedy="nagomi guard install" if status == "outdated" else "",
        well=not why,
    )


def _status_line(hooks: GuardHooks, *, project: bool) -> Check | None:
    """Return how the guard's status line stands in one file; None where it is not installed."""
    line = next((one for one in extras(hooks) if isinstance(one, GuardStatusLine)), None)
    try:
        status = files.status(line, project=project) if line else "absent"
    except Unfit:
        return None  # The checks of hooks name a broken file.
    if line is None or status in ("absent", "foreign"):
        return None
    why = ""
    above, _ = line.others(project=project)
    if above:
        why = tr("The status line in {path} wins over the guard's.", path=above[-1])
    elif status == "outdated":
        why = tr("It is of another installation of nagomi: if that is gone, the line is empty.")
    name = f"guard_status_line_{hooks.agent}"
    return check(
        name if project else f"{name}_user",
        tr("Guard in {agent}'s status line", agent=hooks.title),
        str(line.path(project=project)),
        meaning=why,
        remedy="nagomi guard install" if status == "outdated" else "",
        well=not why,
    )


def hand_checks(found: Residents) -> list[Check]:
    """Tell of each hand; none is reached for."""
    try:
        hands = registry.load()
    except BadHand as exc:
        return [_fault(exc)]
    standing = {one.name: one for one in found.hands}
    checks = [_fault(fault) for fault in hands.faults]
    for hand in hands.all:
        known = standing.get(hand.name)
        away = known is not None and not known.reached and bool(known.fault)
        checks.append(
            check(
                f"hand {hand.name}",
                tr("Hand {name}", name=hand.name),
                _found(known),
                meaning=tr("Its sessions run on there, and are away.") if away else "",
                remedy=tr("`nagomi hands test {name}` tries it at once.", name=hand.name)
                if away
                else "",
                well=not away,
            )
        )
    return checks


def _fault(fault: BadHand) -> Check:
    return check("hands", tr("Hands"), tr(fault.message, **fault.values), well=False)


def _found(known: HandStanding | None) -> str:
    if known is None or not (known.reached or known.fault):
        return tr("not asked yet")
    if known.reached:
        return tr("reached, sessions: {count}", count=known.sessions)
    return known.fault


_LOGIND: Final = (
    "busctl", "get-property", "org.freedesktop.login1", "/org/freedesktop/login1",
    "org.freedesktop.login1.Manager", "KillUserProcesses",
)  # fmt: skip
_LOGIND_SECONDS: Final = 2.0


def checks() -> list[Check]:
    """Explain what a logout and a closed window do here."""
    return [_logout(), *_wsl(), *_ssh()]


def _logout() -> Check:
    """systemd-logind may be told to kill what a user leaves behind; lingering spares it."""
    label = tr("Logout")
    if not Path("/run/systemd/system").is_dir():
        return check(
            "logout",
            label,
            tr("no systemd here"),
            meaning=tr("The sessions run on after a logout."),
        )
    lingers = (Path("/var/lib/systemd/linger") / paths.user_name(trust.me())).exists()
    kills = _kills_on_logout()
    found = tr("systemd, lingering is on") if lingers else tr("systemd, lingering is off")
    if lingers or kills is False:
        return check("logout", label, found, meaning=tr("The sessions run on after a logout."))
    return check(
        "logout",
        label,
        found,
        meaning=tr("A logout ends all sessions (KillUserProcesses is on).")
        if kills
        else tr("A logout may end all sessions; what systemd is set to could not be read."),
        remedy=tr("`loginctl enable-linger`, then `nagomi quit` and `nagomi`."),
        well=False,
    )


def _kills_on_logout() -> bool | None:
    """Ask logind; None where it does not say."""
    return {"b true": True, "b false": False}.get(printed(_LOGIND, _LOGIND_SECONDS) or "")


def _wsl() -> list[Check]:
    if not surroundings.is_wsl(os.environ):
        return []
    return [
        check(
            "wsl",
            "WSL",
            os.environ.get("WSL_DISTRO_NAME", platform.release()),
            meaning=tr(
                "Some time after its last window was closed, Windows may stop WSL with all sessions."
            ),
            remedy=tr(
                "In %UserProfile%\\.wslconfig: instanceIdleTimeout=-1 under [general] and "
                "vmIdleTimeout=-1 under [wsl2], then `wsl --shutdown`."
            ),
            well=False,
        )
    ]


def _ssh() -> list[Check]:
    line = os.environ.get("SSH_CONNECTION", "").split()
    if not line:
        return []
    return [
        check(
            "ssh",
            "SSH",
            tr("from {host}", host=line[0]),
            meaning=tr(
                "A lost connection only detaches; `{program}` brings you back.", program=program()
            ),
        )
    ]
