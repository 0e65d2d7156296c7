"""The Japanese catalog: what the sources say of it, and what it lacks.

The file `nagomi.po` is edited by hand. `python -m tests.helpers.catalog renew` adds new sentences to
it without a translation, takes out those that nobody says any more, and writes `nagomi.mo`. `list`
names both kinds, as `make words` does, and `whole` fails if there are any, as `make release` does: a
change may come in English alone, and a release is whole in both languages.
"""

from __future__ import annotations

import ast
import io
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import nagomi_tui
import nagomi_worker
from nagomi_tui.text import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from babel.messages.catalog import Catalog

SOURCES: Final = Path(nagomi_tui.__file__).parent
_WORKER: Final = Path(nagomi_worker.__file__).parent
"""It has no words of its own: its sentences are translated for whoever asked."""
FOLDER: Final = Path(words.CATALOGS) / "ja" / "LC_MESSAGES"
_ACTIONS: Final = SOURCES.parent / "config" / "judge" / "actions.toml"
"""The titles of next actions are shown too."""
SPEAKERS: Final = {
    "say": 1, "tr": 1, "translatable": 1, "gettext": 1, "ngettext": 2, "tr_count": 2,
    "failure": 1, "says": 1, "Fault": 1, "BadHand": 1, "BadSetting": 1, "PlaceError": 1, "Refusal": 1,
    "GitFault": 1, "WorkerFault": 1, "StartError": 1, "TooMuch": 1, "BadCheckpoint": 1, "Refused": 1,
    "NotHeld": 1,
}  # fmt: skip
"""What takes sentences, with how many of them: one, or the forms for one and many."""
_BEHIND_A_WORD: Final = ("Refusal", "GitFault")
"""What takes its sentence behind a word for programs."""


@cache
def said() -> tuple[tuple[str | tuple[str, ...], str], ...]:
    """Return every sentence of the sources with its place."""
    found: list[tuple[str | tuple[str, ...], str]] = []
    for sources in (SOURCES, _WORKER):
        for path in sorted(sources.rglob("*.py")):
            for line, message in sentences(path.read_text(encoding="utf-8")):
                found.append((message, f"{path.relative_to(sources)}:{line}"))
    for rule in tomllib.loads(_ACTIONS.read_text(encoding="utf-8"))["action"]:
        found.append((rule["title"], f"{_ACTIONS.name}: {rule['name']}"))
    return tuple(found)


def sentences(source: str) -> Iterator[tuple[int, str | tuple[str, ...]]]:
    """Yield the sentences of a module with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and (message := _message(node)):
            yield node.lineno, message


def _message(call: ast.Call) -> str | tuple[str, ...]:
    """Return the sentence or its forms that a call says; empty if it says none by itself.

    Extractors of tokens see no call within an f-string or within another such call.
    """
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = int(name in _BEHIND_A_WORD)
    forms = call.args[first : first + SPEAKERS.get(name, 0)]
    said = [
        one.value for one in forms if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    if not said or len(said) < len(forms):
        return ""
    return said[0] if SPEAKERS[name] == 1 else tuple(said)


def kept() -> Catalog:
    """Return the catalog as it is kept."""
    return read_po(io.BytesIO((FOLDER / "nagomi.po").read_bytes()), locale="ja")


def untranslated(catalog: Catalog) -> list[str]:
    """Return the sentences of the sources that a catalog has no translation of, with their places."""
    found = []
    for entry, place in dict(said()).items():
        message = catalog.get(_key(entry))
        if message is None or not message.string or not all(message.string):
            found.append(f"{place}: {_key(entry)}")
    return found


def unsaid(catalog: Catalog) -> list[str]:
    """Return the sentences of a catalog that nobody says."""
    spoken = {_key(entry) for entry, _ in said()}
    return [
        _key(message.id) for message in catalog if message.id and _key(message.id) not in spoken
    ]


def renew() -> None:
    """Write the catalog anew."""
    old, new = kept(), kept()
    for entry in unsaid(old):
        new.delete(entry)
    for entry in dict(said()):
        if old.get(_key(entry)) is None:
            new.add(entry, "" if isinstance(entry, str) else ("",))
    _write(new)


def _key(entry: object) -> str:
    return entry if isinstance(entry, str) else next(iter(entry))  # type: ignore[call-overload]


def _write(catalog: Catalog) -> None:
    text = io.BytesIO()
    write_po(text, catalog, sort_output=True, no_location=True, width=100)
    (FOLDER / "nagomi.po").write_bytes(text.getvalue())
    with open(FOLDER / "nagomi.mo", "wb") as file:
        write_mo(file, catalog)


def main(what: str) -> int:
    """Renew the catalog, or list what it lacks and has too much; with `whole`, that is a fault."""
    if what == "renew":
        renew()
    lacks, spare = untranslated(kept()), unsaid(kept())
    for title, entries in (("Without Japanese", lacks), ("Said by nobody", spare)):
        if entries:
            sys.stdout.write(f"{title}:\n" + "".join(f"  {one}\n" for one in entries))
    return int(what == "whole" and bool(lacks or spare))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
