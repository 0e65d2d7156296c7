"""Requests about hands: how they stand, and whether they can be reached."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Final

from nagomi_tui.api import messages

if TYPE_CHECKING:
    from nagomi_tui.orchestrator.hands.reaching import FarWorkers, Reach
    from nagomi_tui.orchestrator.server.handlers.table import Asker, Handlers
    from nagomi_worker.wire.protocol import Host

_LENGTH: Final = 100


class HandRequests:
    """Tells of hands, and reaches for them at once."""

    def __init__(self, hands: FarWorkers) -> None:
        self._hands = hands

    async def list_all(self, client: Asker, request: messages.ListHands) -> messages.HandList:
        """Return all hands as they stand."""
        await self._hands.look()
        return messages.HandList(hands=tuple(_standing(reach, client) for reach in self._hands.all))

    async def reach(self, client: Asker, request: messages.ReachHand) -> messages.HandStanding:
        """Reach for a hand, and return how it stands then."""
        began = monotonic()
        reach = await self._hands.tested(request.name)
        return _standing(reach, client, seconds=monotonic() - began)

    async def folders(self, client: Asker, request: messages.FindFolders) -> messages.FarFolders:
        """Return folders there, for the completion of what is typed."""
        found = await self._hands.folders(request.name, request.path)
        return messages.FarFolders(folders=found)

    HANDLERS: ClassVar[Handlers] = {
        messages.ListHands: list_all,
        messages.ReachHand: reach,
        messages.FindFolders: folders,
    }


def _standing(reach: Reach, client: Asker, *, seconds: float = 0.0) -> messages.HandStanding:
    link, fault = reach.link, reach.fault
    told = link.host if link else None
    return messages.HandStanding(
        name=reach.hand.name,
        kind=reach.hand.kind,
        command=reach.hand.command,
        reached=link is not None,
        pid=link.pid if link else 0,
        sessions=len(link.sessions) if link else 0,
        fault=client.requester.words.say(fault.message, **fault.values) if fault else "",
        seconds=round(seconds, 3),
        plain=link is not None and reach.plain,
        folders=reach.hand.folders,
        **(_of_host(told) if told else {}),
    )


def _of_host(host: Host) -> dict[str, Any]:
    """Return what a machine says of itself, which nobody has checked, in fields of a standing."""
    return {
        "host": host.name[:_LENGTH],
        "system": host.system[:_LENGTH],
        "cores": host.cores,
        "load": host.load,
        "memory_mb": host.memory_mb,
        "free_mb": host.free_mb,
    }
