"""The errors that decoding raises."""

from __future__ import annotations


class DecodeError(Exception):
    """The bytes are no JSON."""


class ValidationError(DecodeError):
    """The JSON does not fit the type."""
