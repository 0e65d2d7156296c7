"""Readers: functions that check what JSON holds against a type, and make values of it.

A reader takes a value and its path, such as `$.left[0].pid`, and says what is wrong in the words of
msgspec.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints


class MsgspecError(Exception):
    """Something cannot be encoded or decoded."""


class DecodeError(MsgspecError):
    """The bytes are no JSON."""


class ValidationError(DecodeError):
    """The JSON does not fit the type."""


Reader = Callable[[Any, str], Any]

_NAMES = {
    type(None): "null", bool: "bool", int: "int", float: "float", str: "str",
    list: "array", dict: "object",
}  # fmt: skip


def reader_of(kind: Any, bounds: tuple[Any, ...] = ()) -> Reader:
    """Return the reader of a type."""
    origin = get_origin(kind)
    if kind is Any:
        return lambda value, path: value
    if origin is Annotated:
        inner, *found = get_args(kind)
        return reader_of(inner, tuple(found))
    if origin in (Union, types.UnionType):
        return _union(get_args(kind))
    if origin is Literal:
        return _literal(get_args(kind))
    if origin is dict:
        return _table(*get_args(kind))
    if origin in (tuple, list):
        return _array(origin, get_args(kind), bounds)
    if dataclasses.is_dataclass(kind):
        return _struct(kind)
    return _bytes if kind is bytes else _scalar(kind, bounds)


def _bytes(value: Any, path: str) -> Any:
    if type(value) is not str:
        return _unexpected("bytes", value, path)
    try:
        return base64.b64decode(value, validate=True)
    except binascii.Error:
        return _fail("Invalid base64 encoded string", path)


def _name(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Annotated:
        return _name(get_args(kind)[0])
    if origin is Literal:
        return "str"
    if origin in (tuple, list):
        return "array"
    return _NAMES.get(kind, "object")


def _fail(words: str, path: str) -> Any:
    raise ValidationError(words if path == "$" else f"{words} - at `{path}`")


def _unexpected(wanted: str, value: Any, path: str) -> Any:
    kind = type(value)
    # msgspec reads a number that 64 bits cannot hold as a float first.
    if kind is int and not -(2**63) <= value < 2**64:
        kind = float
        _float(value, path)
    return _fail(f"Expected `{wanted}`, got `{_NAMES[kind]}`", path)


def _float(value: Any, path: str) -> float:
    try:
        return float(value)
    except OverflowError:
        return float(_fail("Number out of range", path))


def _scalar(kind: type, bounds: tuple[Any, ...]) -> Reader:
    name = _NAMES[kind]

    def read(value: Any, path: str) -> Any:
        if type(value) is not kind:
            if kind is not float or type(value) is not int:
                return _unexpected(name, value, path)
            value = _float(value, path)
        for bound in bounds:
            if bound.ge is not None and value < bound.ge:
                return _fail(f"Expected `{name}` >= {kind(bound.ge)}", path)
            if bound.le is not None and value > bound.le:
                return _fail(f"Expected `{name}` <= {kind(bound.le)}", path)
        return value

    return read


def _union(kinds: tuple[Any, ...]) -> Reader:
    """Return the reader of `T | None`, or of values that a tag tells apart."""
    if type(None) not in kinds:
        return _tagged(kinds)
    (kind,) = (one for one in kinds if one is not type(None))
    inner, name = reader_of(kind), f"{_name(kind)} | null"

    def read(value: Any, path: str) -> Any:
        if value is None:
            return None
        if _NAMES[type(value)] != _name(kind) and (type(value), _name(kind)) != (int, "float"):
            return _unexpected(name, value, path)
        return inner(value, path)

    return read


def _literal(words: tuple[Any, ...]) -> Reader:
    def read(value: Any, path: str) -> Any:
        if type(value) is not str:
            return _unexpected("str", value, path)
        return value if value in words else _fail(f"Invalid enum value {value!r}", path)

    return read


def _table(key: Any, kind: Any) -> Reader:
    inner = reader_of(kind)

    def read(value: Any, path: str) -> Any:
        if type(value) is not dict:
            return _unexpected("object", value, path)
        return {name: inner(one, f"{path}[...]") for name, one in value.items()}

    return read


def _array(make: type, kinds: tuple[Any, ...], bounds: tuple[Any, ...]) -> Reader:
    fixed = None if make is list or kinds[-1] is ... else [reader_of(kind) for kind in kinds]
    inner = reader_of(kinds[0])

    def read(value: Any, path: str) -> Any:
        if type(value) is not list:
            return _unexpected("array", value, path)
        if fixed and len(value) != len(fixed):
            return _fail(f"Expected `array` of length {len(fixed)}, got {len(value)}", path)
        found = make(
            (fixed[at] if fixed else inner)(one, f"{path}[{at}]") for at, one in enumerate(value)
        )
        for bound in bounds:
            if bound.min_length is not None and len(value) < bound.min_length:
                return _fail(f"Expected `array` of length >= {bound.min_length}", path)
            if bound.max_length is not None and len(value) > bound.max_length:
                return _fail(f"Expected `array` of length <= {bound.max_length}", path)
        return found

    return read


def _struct(kind: Any) -> Reader:
    hints = get_type_hints(kind, include_extras=True)
    fields = dataclasses.fields(kind)
    readers = {field.name: reader_of(hints[field.name]) for field in fields}
    missing = dataclasses.MISSING
    needed = [one.name for one in fields if one.default is one.default_factory is missing]

    def read(value: Any, path: str) -> Any:
        if type(value) is not dict:
            return _unexpected("object", value, path)
        found = {
            name: readers[name](one, f"{path}.{name}")
            for name, one in value.items()
            if name in readers
        }
        for name in needed:
            if name not in found:
                return _fail(f"Object missing required field `{name}`", path)
        return kind(**found)

    return read


def _tagged(kinds: tuple[Any, ...]) -> Reader:
    field = kinds[0].__struct_config__.tag_field
    readers = {kind.__struct_config__.tag: _struct(kind) for kind in kinds}

    def read(value: Any, path: str) -> Any:
        if type(value) is not dict:
            return _unexpected("object", value, path)
        if field not in value:
            return _fail(f"Object missing required field `{field}`", path)
        if type(tag := value[field]) is not str:
            return _unexpected("str", tag, f"{path}.{field}")
        if tag not in readers:
            return _fail(f"Invalid value {tag!r}", f"{path}.{field}")
        return readers[tag](value, path)

    return read
