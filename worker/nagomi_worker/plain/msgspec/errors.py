"""The errors that decoding raises."""

from __future__ import annotations


class MsgspecError(Exception):
    """Something cannot be encoded or decoded."""


class DecodeError(MsgspecError):
    """The bytes are no JSON."""


class ValidationError(DecodeError):
    """The JSON does not fit the type."""
