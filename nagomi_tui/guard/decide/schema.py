"""Typed JSON objects that keep unknown keys, so that other programs' keys are not lost (DB-21)."""

from __future__ import annotations

from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec

from nagomi_tui.decoding import from_builtins

_UNKNOWN: Final = "\x7funknown"

Kept = TypeVar("Kept", bound="Open")


class Open(msgspec.Struct, frozen=True, kw_only=True):
    """A JSON object; keys without a field are kept unchanged."""

    unknown: dict[str, Any] = msgspec.field(name=_UNKNOWN, default_factory=dict)


def typed(raw: object, kind: type[Kept]) -> Kept:
    """Convert decoded JSON to a value of a type.

    Raises:
        msgspec.ValidationError: a field has the wrong type; the message says which.
    """
    return from_builtins(_gathered(raw, kind), kind)


def plain(value: Open) -> dict[str, Any]:
    """Return a value as plain JSON, with its unknown keys."""
    spread = _spread(msgspec.to_builtins(value))
    assert isinstance(spread, dict)
    return spread


def unknown_keys(value: Open) -> tuple[str, ...]:
    """Return the unknown keys as dotted paths, such as `features.colour`."""
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
    """Return the struct in a type, such as an optional one; None without one."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and issubclass(each, Open):
            return each
    return None


def _items(kind: Any) -> Any:
    """Return the item type of a tuple type; None for other types."""
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
