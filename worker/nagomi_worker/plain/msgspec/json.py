"""JSON to values and back, with the standard library's `json`."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterable
from typing import Any, NoReturn

from .checking import DecodeError, reader_of


class Encoder:
    """Makes JSON of values."""

    def __init__(self) -> None:
        self._json = json.JSONEncoder(
            ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_fields
        )

    def encode(self, value: Any) -> bytes:
        return self._json.encode(value).encode()

    def encode_lines(self, values: Iterable[Any]) -> bytes:
        return b"".join(self.encode(value) + b"\n" for value in values)


class Decoder:
    """Makes values of a type of JSON."""

    def __init__(self, kind: Any = Any) -> None:
        self._kind = kind
        self._reader: Any = None

    def decode(self, data: bytes | str) -> Any:
        """Return the value.

        Raises:
            DecodeError: it is no JSON; a `ValidationError` if it does not fit the type.
            UnicodeDecodeError: it is no UTF-8.
        """
        if self._reader is None:
            self._reader = reader_of(self._kind)
        text = data if isinstance(data, str) else bytes(data).decode()
        try:
            value = json.loads(text, parse_constant=_not_json)
        except ValueError as exc:
            raise DecodeError(f"JSON is malformed: {exc}") from exc
        if "\\u" in text:
            _refuse_halves(value)
        return self._reader(value, "$")


def encode(value: Any) -> bytes:
    return Encoder().encode(value)


def decode(data: bytes | str, *, type: Any = Any) -> Any:
    """Return the value of a type that stands in JSON."""
    return Decoder(type).decode(data)


def _fields(value: Any) -> dict[str, Any] | str:
    """Return a value's fields by their names, as `json` asks for them; bytes as msgspec has them."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    config = value.__struct_config__
    told = {config.tag_field: config.tag} if config.tag_field else {}
    for field in dataclasses.fields(value):
        one = getattr(value, field.name)
        if not config.omit_defaults or one != field.default:
            told[field.name] = one
    return told


def _refuse_halves(value: Any) -> None:
    """Refuse halves of surrogate pairs, which no UTF-8 can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as exc:
        raise DecodeError(f"JSON is malformed: {exc}") from exc


def _not_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
