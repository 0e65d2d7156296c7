"""What a hand's machine is, in a few words, wherever a hand is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.api.messages import HandStanding
    from nagomi_tui.words import Words

_MB_IN_GB: Final = 1024


def machine_words(hand: HandStanding, words: Words) -> str:
    """Return host, system, load and free memory, as far as they are known."""
    parts = [part for part in (hand.host, hand.system) if part]
    if hand.load is not None and hand.cores:
        sentence = translatable("load {load} on {cores} cores")
        parts.append(words.say(sentence, load=f"{hand.load:.1f}", cores=hand.cores))
    if hand.memory_mb:
        sentence = translatable("{free} of {memory} GB free")
        free, memory = (f"{mb / _MB_IN_GB:.1f}" for mb in (hand.free_mb, hand.memory_mb))
        parts.append(words.say(sentence, free=free, memory=memory))
    return ", ".join(parts)


def standing_words(hand: HandStanding, words: Words) -> str:
    """Return a hand's name, its kind, and what its machine is, or that it is away."""
    if hand.reached:
        told = machine_words(hand, words)
    else:
        away, unasked = translatable("away"), translatable("not asked yet")
        told = words.gettext(away if hand.fault else unasked)
    return f"{hand.name}  {hand.kind}" + (f"  {told}" if told else "")
