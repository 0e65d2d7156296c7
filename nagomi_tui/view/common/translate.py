"""The front end's language: one for the whole program, changed while it runs."""

from __future__ import annotations

from nagomi_tui.text import words

_current = words.of("en")


def use_language(language: str) -> None:
    global _current
    _current = words.of(language)


def language() -> str:
    return _current.language


def tr(message: str, /, **values: object) -> str:
    """Return the sentence in the user's language with values put in by name."""
    return _current.say(message, **values)


def tr_count(one: str, many: str, count: int) -> str:
    """Return the sentence for `count` things; `{count}` stands for the number."""
    return _current.ngettext(one, many, count).format(count=count)
