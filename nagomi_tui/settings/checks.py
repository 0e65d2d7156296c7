"""Checks what somebody wants to set, and says in a sentence what does not fit."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from nagomi_tui.settings.field import Field
from nagomi_tui.settings.model import FIELDS, Settings
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.words import nearest_name, translatable

_EXAMPLES: Final = {"time_range": "22:00-07:00", "secret_name": "ANTHROPIC_API_KEY"}
_BY_NAME: Final = {field.name: field for field in FIELDS}


class BadSetting(ValueError):
    """A setting has no such name or cannot have that value; the message is a sentence."""

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message.format(**values))
        self.message = message
        self.values = values


def nearest(name: str, known: Iterable[str]) -> str:
    """Return what is spelled most like `name` of all that is known, or nothing."""
    return nearest_name(name, known, likeness=0.5)


def is_known(name: str) -> bool:
    """Tell whether there is such a setting."""
    return name in _BY_NAME


def unknown(name: str) -> BadSetting:
    """Return the fault of a setting that does not exist."""
    if guess := nearest(name, _BY_NAME):
        return BadSetting(
            "There is no setting `{name}`; did you mean `{guess}`?",
            name=name,
            guess=guess,
        )
    return BadSetting("There is no setting `{name}`.", name=name)


def changed(settings: Settings, values: dict[str, Any]) -> Settings:
    """Return the settings with some changed.

    Raises:
        BadSetting: a name is unknown, or a value does not fit.
    """
    return msgspec.structs.replace(
        settings, **{name: checked(name, value) for name, value in values.items()}
    )


def fitting(values: Mapping[str, Any]) -> Settings:
    """Return the settings that these values make; what does not fit keeps its default.

    They may come from another version, whose settings are other ones.
    """
    known = {name: value for name, value in values.items() if is_known(name)}
    with contextlib.suppress(msgspec.ValidationError):
        return from_builtins(known, Settings)
    kept = {}
    for name, value in known.items():
        with contextlib.suppress(BadSetting):
            kept[name] = checked(name, value)
    return Settings(**kept)


def checked(name: str, value: Any) -> Any:
    """Return the value as the setting holds it.

    Raises:
        BadSetting: the name is unknown, or the value does not fit.
    """
    if not is_known(name):
        raise unknown(name)
    try:
        return getattr(from_builtins({name: value}, Settings), name)
    except msgspec.ValidationError as exc:
        raise _unfit(_BY_NAME[name], value) from exc


def _unfit(field: Field, value: Any) -> BadSetting:
    """Return the fault of a value that the setting cannot have, with those that it can."""
    shown = {"name": field.name, "value": value}
    match field.kind:
        case "choice":
            if guess := nearest(str(value), field.choices):
                return BadSetting(
                    "`{value}` does not fit the setting `{name}`; did you mean `{guess}`?",
                    guess=guess, **shown,
                )  # fmt: skip
            return BadSetting(
                "`{value}` does not fit the setting `{name}`: it is one of {choices}.",
                choices=", ".join(field.choices), **shown,
            )  # fmt: skip
        case "bool":
            return BadSetting(
                "`{value}` does not fit the setting `{name}`: it is true or false.",
                **shown,
            )
        case "int":
            sentence = translatable(
                "`{value}` does not fit the setting `{name}`: a whole number from {least} to {most}."
            )
            return BadSetting(sentence, least=f"{field.least:g}", most=f"{field.most:g}", **shown)
        case "float":
            sentence = translatable(
                "`{value}` does not fit the setting `{name}`: a number from {least} to {most}."
            )
            return BadSetting(sentence, least=f"{field.least:g}", most=f"{field.most:g}", **shown)
        case "time_range" | "secret_name":
            return BadSetting(
                "`{value}` does not fit the setting `{name}`: write it like {example}.",
                example=_EXAMPLES[field.kind], **shown,
            )  # fmt: skip
        case _:
            return BadSetting("`{value}` does not fit the setting `{name}`: it is a text.", **shown)
