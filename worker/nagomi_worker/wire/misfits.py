"""Lines that are no messages, and what is wrong with them."""

from __future__ import annotations

import msgspec


class BadMessage(ValueError):
    """A line is not a message: not JSON, without `type`, or with a field of the wrong type."""


class StreamLost(BadMessage):
    """A `raw` or `packed` has unusable sizes, so where the next line begins is unknown."""


class _Typed(msgspec.Struct):
    type: str


_typed = msgspec.json.Decoder(_Typed)


def explain(
    line: bytes, known: frozenset[str], exc: Exception, *, lost: tuple[str, ...] = ()
) -> None:
    """Return if the line is of an unknown type only; else raise what is wrong with it.

    After a broken message of a type in `lost` it is not known where the next one begins.
    """
    try:
        kind = _typed.decode(line).type
    except msgspec.ValidationError as untyped:
        raise BadMessage(f"a message without a usable `type`: {untyped}") from exc
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadMessage(f"a line that is not JSON: {broken}") from exc
    if kind in known:
        fault = StreamLost if kind in lost else BadMessage
        raise fault(f"a `{kind}` message that does not fit: {exc}") from exc
