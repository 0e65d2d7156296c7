"""What the worker and the review there use of msgspec, in Python: the same lines, the same errors, and slower."""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import Any, NamedTuple, dataclass_transform

from . import json, msgpack, structs
from .checking import DecodeError, MsgspecError, ValidationError

__all__ = (
    "PLAIN",
    "DecodeError",
    "Meta",
    "MsgspecError",
    "Struct",
    "ValidationError",
    "field",
    "json",
    "msgpack",
    "structs",
)
PLAIN = True
"""Tells this module from the real one."""


class Meta(NamedTuple):
    """Bounds of a value, in an `Annotated`."""

    ge: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None


class Config(NamedTuple):
    """How a class was declared."""

    frozen: bool = False
    omit_defaults: bool = False
    tag_field: str | None = None
    tag: str | None = None


@dataclass_transform(field_specifiers=(field,))
class Struct:
    """A value with typed fields, which are checked when it is decoded."""

    __struct_config__ = Config()

    def __init_subclass__(
        cls,
        *,
        frozen: bool = False,
        kw_only: bool = False,
        omit_defaults: bool = False,
        tag_field: str | None = None,
        tag: str | bool | None = None,
    ) -> None:
        above = cls.__struct_config__
        cls.__struct_config__ = Config(
            frozen or above.frozen,
            omit_defaults or above.omit_defaults,
            tag_field or above.tag_field,
            tag if isinstance(tag, str) else cls.__name__ if tag or above.tag_field else None,
        )
        for name, value in list(vars(cls).items()):
            if value in ({}, []):  # as msgspec has it, each value gets one of its own
                setattr(cls, name, field(default_factory=type(value)))
        make: Any = dataclasses.dataclass(frozen=cls.__struct_config__.frozen, kw_only=kw_only)
        make(cls)
