"""Which texts a message can carry: arguments and variables may hold bytes that are no text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_text(value: str) -> bool:
    """Tell whether a message can carry a value; such bytes are lone surrogates in Python."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def env_of_text(env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a message can carry."""
    return {name: value for name, value in env.items() if is_text(name + value)}
