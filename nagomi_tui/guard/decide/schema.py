"""Typed values that keep what they do not know, so that no program loses another's keys (DB-21)."""

from __future__ import annotations

from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec

_UNKNOWN: Final = "\x7funknown"

Kept = TypeVar("Kept", bound="Open")


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object; keys that are none of its fields are kept as they are."""

    unknown: dict[str, Any] = msgspec.field(name=_UNKNOWN, default_factory=dict)


def typed(raw: object, kind: type[Kept]) -> Kept:
    """Return the value that decoded JSON is.

    Raises:
        msgspec.ValidationError: a field is not of its type; the message says which.
    """
    return msgspec.convert(_gathered(raw, kind), kind)


def plain(value: Open) -> dict[str, Any]:
    """Return a value as JSON has it, its unknown keys in their places."""
    spread = _spread(msgspec.to_builtins(value))
    assert isinstance(spread, dict)
    return spread


def unknown_keys(value: Open) -> tuple[str, ...]:
    """Return the keys that are none of ours, each with the way to it: `features.colour`."""
    return tuple(_named(msgspec.to_builtins(value), ""))


def _gathered(value: object, kind: Any) -> object:
    if isinstance(value, dict) and (struct := _struct(kind)):
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
        fields.pop(_UNKNOWN)
        known = {key: _gathered(value[key], fields[key]) for key in value if key in fields}
        return {**known, _UNKNOWN: {key: value[key] for key in value if key not in fields}}
    if isinstance(value, list) and (items := _items(kind)):
        return [_gathered(item, items) for item in value]
    return value


def _struct(kind: Any) -> type[Open] | None:
    """Return the struct that a type is, or may be."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and issubclass(each, Open):
            return each
    return None


def _items(kind: Any) -> Any:
    """Return the type of a tuple's items; None if it is no tuple."""
    for each in (kind, *get_args(kind)):
        if get_origin(each) is tuple:
            return get_args(each)[0]
    return None


def _spread(value: object) -> object:
    if isinstance(value, dict):
        own = {key: _spread(value[key]) for key in value if key != _UNKNOWN}
        return {**own, **value.get(_UNKNOWN, {})}
    if isinstance(value, list | tuple):
        return [_spread(item) for item in value]
    return value


def _named(value: object, way: str) -> list[str]:
    if isinstance(value, dict):
        here = [f"{way}{key}" for key in value.get(_UNKNOWN, {})]
        inner = (_named(value[key], f"{way}{key}.") for key in value if key != _UNKNOWN)
        return here + [name for names in inner for name in names]
    if isinstance(value, list | tuple):
        return [name for at, item in enumerate(value) for name in _named(item, f"{way}{at}.")]
    return []
