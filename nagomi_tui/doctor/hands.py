"""The hands: whether each is reached, as far as somebody has asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.speech import tr
from nagomi_tui.doctor.check import Check

if TYPE_CHECKING:
    from nagomi_tui.doctor.residents import ReachedHand, Residents
    from nagomi_tui.hands.hand import BadHand


def checks(found: Residents) -> list[Check]:
    """Tell of each hand; none is reached for."""
    from nagomi_tui.hands import registry
    from nagomi_tui.hands.hand import BadHand

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
            Check(
                key=f"hand {hand.name}",
                label=tr("Hand {name}", name=hand.name),
                result="warning" if away else "ok",
                found=_found(known),
                meaning=tr("Its sessions run on there, and are away.") if away else "",
                remedy=tr("`nagomi hands test {name}` tries it at once.", name=hand.name)
                if away
                else "",
            )
        )
    return checks


def _fault(fault: BadHand) -> Check:
    return Check(
        key="hands",
        label=tr("Hands"),
        result="warning",
        found=tr(fault.message, **fault.values),
    )


def _found(known: ReachedHand | None) -> str:
    if known is None or not (known.reached or known.fault):
        return tr("not asked yet")
    if known.reached:
        return tr("reached, sessions: {count}", count=known.sessions)
    return known.fault
