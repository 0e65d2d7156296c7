"""Adds up tokens and their price."""

from __future__ import annotations

from nagomi_tui.agent.providers.interface import Usage


def added(one: Usage, other: Usage) -> Usage:
    """Return both together; the price is not known unless both are, or nothing was used."""
    costs = [use.cost for use in (one, other) if use != Usage()]
    return Usage(
        input=one.input + other.input,
        output=one.output + other.output,
        cache_read=one.cache_read + other.cache_read,
        cache_write=one.cache_write + other.cache_write,
        cost=sum(cost for cost in costs if cost is not None)
        if costs and None not in costs
        else None,
    )
