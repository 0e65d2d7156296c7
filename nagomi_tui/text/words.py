"""Sentences for people: translated, and the known name that a misspelt one means."""

from __future__ import annotations

import gettext as _gettext
import os
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, NamedTuple

from nagomi_tui.text.cells import printable

LANGUAGES: Final = ("ja", "en")
DOMAIN: Final = "nagomi"
# No pathlib: importing it takes as long as all of nagomi that `nagomi --help` imports.
CATALOGS: Final = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "locale"
)


class Said(NamedTuple):
    """A sentence with its values, to be put into another one in whatever language that is said."""

    message: str
    values: Mapping[str, object]

    def __str__(self) -> str:
        return self.message.format(**self.values)


def names_only(sentence: str, values: Mapping[str, object]) -> bool:
    """Tell whether a sentence from elsewhere has bare names of its values only: formats may ask for any width."""
    import string

    try:
        parts = list(string.Formatter().parse(sentence))
    except ValueError:
        return False
    return bool(sentence) and all(
        name is None or (name.isidentifier() and name in values and not form and not conversion)
        for _, name, form, conversion in parts
    )


class Words(NamedTuple):
    """Sentences in one language."""

    language: str
    catalog: _gettext.NullTranslations

    def gettext(self, message: str) -> str:
        """Return the sentence in this language; unchanged if it has no translation."""
        return self.catalog.gettext(message)

    def ngettext(self, one: str, many: str, count: int) -> str:
        """Return the sentence in this language, in the form for `count` things."""
        return self.catalog.ngettext(one, many, count)

    def say(self, message: str, /, **values: object) -> str:
        """Return the translated sentence with values inserted by name.

        Values may come from anywhere: control characters in them are removed.
        """
        if not values:
            return self.gettext(message)
        told = {name: self._told(one) for name, one in values.items()}
        return self.gettext(message).format(**told)

    def told(self, sentence: str | Said) -> str:
        """Return a sentence in this language; a text that is none with values as it is."""
        if isinstance(sentence, Said):
            return self.say(sentence.message, **sentence.values)
        return sentence

    def _told(self, value: object) -> object:
        return self.told(value) if isinstance(value, Said) else _plain(value)


def _plain(value: object) -> object:
    return value if isinstance(value, int | float) else printable(str(value))


def translatable(message: str) -> str:
    """Return the sentence unchanged; it marks a key of the catalog that is translated later."""
    return message


@cache
def of(language: str) -> Words:
    """Return the translations of a language; English if it is unknown or has no sound catalog."""
    if language not in LANGUAGES:
        language = "en"
    try:
        catalog = _gettext.translation(DOMAIN, CATALOGS, languages=[language], fallback=True)
    except Exception:  # whatever a damaged file makes of the reader
        catalog = _gettext.NullTranslations()
    return Words(language, catalog)


def language_from(env: Mapping[str, str], setting: str = "auto") -> str:
    """Choose a language: NAGOMI_LANG, then the setting, then the locale of the environment."""
    for named in (env.get("NAGOMI_LANG", ""), setting):
        if named in LANGUAGES:
            return named
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := env.get(variable, ""):
            return "ja" if locale.lower().startswith("ja") else "en"
    return "en"


def nearest_name(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str:
    """Return what is spelt most like `name`, of what is at least so like it (0 to 1), or nothing."""
    # Only what is misspelt pays for the import.
    import difflib

    near = difflib.get_close_matches(name, known, n=1, cutoff=likeness)
    return near[0] if near else ""
