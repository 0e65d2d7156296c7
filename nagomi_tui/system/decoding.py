"""Decodes JSON into msgspec's types, in any thread.

msgspec works out a type when that is first used. While one thread does so, it lets another see the
half-made result, which ends the process (a segmentation fault, seen with msgspec 0.22). So every
type is worked out here, under one lock; afterwards msgspec may use it in as many threads as it likes.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Final, TypeVar, overload

import msgspec

Kind = TypeVar("Kind")

_decoders: Final[dict[Any, msgspec.json.Decoder[Any]]] = {}
_lock: Final = Lock()


@overload
def decoder(kind: type[Kind]) -> msgspec.json.Decoder[Kind]: ...
@overload
def decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    found = _decoders.get(kind)
    if found is None:
        with _lock:
            found = _decoders[kind] = msgspec.json.Decoder(kind)
    return found


@overload
def from_json(data: bytes | str, kind: type[Kind]) -> Kind: ...
@overload
def from_json(data: bytes | str, kind: Any) -> Any: ...
def from_json(data: bytes | str, kind: Any) -> Any:
    """Decode JSON to a value of a type.

    Raises:
        msgspec.DecodeError: it is no JSON; a `msgspec.ValidationError` if it does not fit the type.
    """
    return decoder(kind).decode(data)


@overload
def from_builtins(
    values: object, kind: type[Kind], *, strict: bool = True, from_attributes: bool = False
) -> Kind: ...
@overload
def from_builtins(
    values: object, kind: Any, *, strict: bool = True, from_attributes: bool = False
) -> Any: ...
def from_builtins(
    values: object, kind: Any, *, strict: bool = True, from_attributes: bool = False
) -> Any:
    """Convert dicts, lists and the like to a value of a type; the options are `msgspec.convert`'s.

    Raises:
        msgspec.ValidationError: they do not fit the type; the message says what does not.
    """
    decoder(kind)
    return msgspec.convert(values, kind, strict=strict, from_attributes=from_attributes)
