"""What every message between orchestrator and worker is."""

from __future__ import annotations

import msgspec


class Message(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type", tag=True
):
    """One line of the protocol; the field `type` is the tag of its class."""
