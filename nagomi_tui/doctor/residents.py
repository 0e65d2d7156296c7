"""The resident processes: which run, and in which version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from nagomi_tui import __version__
from nagomi_tui.commands.speech import adopt, tr
from nagomi_tui.doctor.check import Check

if TYPE_CHECKING:
    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages import WorkplaceStatus


class Resident(msgspec.Struct, frozen=True, kw_only=True):
    """A process of nagomi's own; without a pid it does not run."""

    pid: int | None = None
    version: str | None = None
    name: str | None = None
    sessions: int | None = None


class ReachedHand(msgspec.Struct, frozen=True, kw_only=True):
    """How a hand stands, as the orchestrator tells."""

    name: str
    reached: bool
    sessions: int
    fault: str


class Residents(msgspec.Struct, frozen=True, kw_only=True):
    """All of them, as the orchestrator tells."""

    orchestrator: Resident = Resident()
    supervisor: Resident = Resident()
    workers: tuple[Resident, ...] = ()
    hands: tuple[ReachedHand, ...] = ()
    engines: tuple[str, ...] = ()
    """Name and version of the terminal engines that its sessions have."""
    fault: str = ""
    """Why the orchestrator could not be asked although it listens; empty if it could."""


def look() -> Residents:
    """Ask the orchestrator, if one runs; none is started."""
    from nagomi_tui.api import client
    from nagomi_tui.api.launch import await_restart
    from nagomi_tui.api.messages import BadMessage, Status
    from nagomi_tui.paths import PlaceError

    try:
        await_restart(timeout=5.0)
        with client.Connection.open(timeout=5.0) as connection:
            adopt(connection.welcome.settings.get("language"))
            status = connection.request(Status(id=0), timeout=5.0)
            found = _read(status, pid=connection.welcome.pid, version=connection.welcome.version)
            return msgspec.structs.replace(found, hands=_hands(connection))
    except (client.NotServed, PlaceError):
        return Residents()  # what is wrong with a folder is said where the folders are
    except (client.Gone, client.RequestFailed, TimeoutError, BadMessage) as exc:
        return Residents(fault=str(exc))


def _hands(connection: Connection) -> tuple[ReachedHand, ...]:
    """Return the hands; none where the orchestrator is older than they are."""
    from nagomi_tui.api.messages import ListHands

    if "list_hands" not in connection.welcome.capabilities:
        return ()
    return tuple(
        ReachedHand(name=one.name, reached=one.reached, sessions=one.sessions, fault=one.fault)
        for one in connection.request(ListHands(id=0), timeout=5.0).hands
    )


def _read(status: WorkplaceStatus, *, pid: int, version: str) -> Residents:
    """Return the processes that the orchestrator tells of."""
    return Residents(
        orchestrator=Resident(pid=pid, version=version),
        supervisor=Resident(pid=status.supervisor.pid),
        workers=tuple(
            Resident(pid=one.pid, name=one.name, sessions=one.sessions) for one in status.workers
        ),
        engines=status.engines if version == __version__ else (),
    )


def checks(found: Residents) -> list[Check]:
    """Judge what runs."""
    return [_orchestrator(found), _workers(found)]


def _orchestrator(found: Residents) -> Check:
    label, running = tr("Orchestrator"), found.orchestrator
    if found.fault:
        return Check(
            key="orchestrator",
            label=label,
            result="warning",
            found=found.fault,
            meaning=tr("It listens but does not answer; it is restarted if it stays so."),
        )
    if running.pid is None:
        return Check(key="orchestrator", label=label, result="ok", found=tr("does not run"))
    told = tr("process {pid}, version {version}", pid=running.pid, version=running.version)
    if running.version == __version__:
        return Check(key="orchestrator", label=label, result="ok", found=told)
    return Check(
        key="orchestrator",
        label=label,
        result="warning",
        found=told,
        meaning=tr("Version {version} is installed.", version=__version__),
        remedy=tr("`nagomi reload` goes over to it; the sessions run on."),
    )


def _workers(found: Residents) -> Check:
    told = ", ".join(str(worker.pid) for worker in found.workers if worker.pid)
    none = tr("none runs")
    return Check(
        key="workers",
        label=tr("Workers"),
        result="ok",
        found=tr("processes {pids}", pids=told) if told else none,
    )
