"""What a setting has: a kind, a section, a unit, bounds, and a sentence; forms and documents use it."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from nagomi_tui.text.words import translatable

SECTIONS: Final = {
    "look": translatable("Look"),
    "character": translatable("Character"),
    "sound": translatable("Sound"),
    "notices": translatable("Notices"),
    "judge": translatable("Judging"),
    "agent": translatable("Agent"),
    "keys": translatable("Keys"),
    "sessions": translatable("Sessions"),
    "privacy": translatable("Privacy"),
}
"""The groups of the form, in its order, with their titles."""

Kind = Literal[
    "bool", "int", "float", "str", "choice", "key", "character", "time_range", "secret_name"
]
"""How a form asks for a value: `secret_name` is the name of a variable that holds a secret."""

_TIME_RANGE: Final = "^$|^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$"
_PATTERNS: Final = {"time_range": _TIME_RANGE, "secret_name": "^[A-Za-z_][A-Za-z0-9_]*$|^$"}


def says(
    sentence: str,
    *,
    section: str = "sessions",
    unit: str = "",
    least: float | None = None,
    most: float | None = None,
    kind: Kind | None = None,
) -> Meta:
    """Describe a setting by an English sentence, and by what a form needs beside its type."""
    extra = {"unit": unit, "section": section, "kind": kind}
    if pattern := _PATTERNS.get(kind or ""):
        return Meta(description=sentence, pattern=pattern, extra=extra)
    return Meta(description=sentence, ge=least, le=most, extra=extra)


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One setting as a form shows it."""

    name: str
    kind: Kind
    default: Any
    sentence: str
    """An English sentence, to be translated."""
    section: str = "sessions"
    """A key of `SECTIONS`."""
    unit: str = ""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


def fields_of(model: type[msgspec.Struct]) -> tuple[Field, ...]:
    """Return the settings of a model, each of which `says` describes, in their order."""
    hints = get_type_hints(model, include_extras=True)
    return tuple(_field(info, hints[info.name]) for info in msgspec.structs.fields(model))


def _field(info: msgspec.structs.FieldInfo, hint: Any) -> Field:
    kind, meta = get_args(hint)
    literal = get_origin(kind) is Literal
    extra = meta.extra or {}
    return Field(
        name=info.name,
        kind=extra["kind"] or ("choice" if literal else kind.__name__),
        default=info.default,
        sentence=meta.description,
        section=extra["section"],
        unit=extra["unit"],
        choices=get_args(kind) if literal else (),
        least=meta.ge,
        most=meta.le,
    )
