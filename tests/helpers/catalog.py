"""The Japanese catalog: what the sources say, and `python -m tests.helpers.catalog` to renew it.

The file `nagomi.po` is edited by hand; this adds new sentences to it without a translation, takes
out those that nobody says any more, names what is missing, and writes `nagomi.mo`.
"""

from __future__ import annotations

import ast
import io
import sys
import tomllib
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
    "WorkerFault": 1, "StartError": 1, "TooMuch": 1, "BadCheckpoint": 1, "Refused": 1, "NotHeld": 1,
}  # fmt: skip
"""What takes sentences, with how many of them: one, or the forms for one and many."""


def said() -> Iterator[tuple[str | tuple[str, ...], str]]:
    """Yield every sentence of the sources with its place."""
    for sources in (SOURCES, _WORKER):
        for path in sorted(sources.rglob("*.py")):
            for line, message in sentences(path.read_text(encoding="utf-8")):
                yield message, f"{path.relative_to(sources)}:{line}"
    for rule in tomllib.loads(_ACTIONS.read_text(encoding="utf-8"))["action"]:
        yield rule["title"], f"{_ACTIONS.name}: {rule['name']}"


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
    forms = call.args[: SPEAKERS.get(name, 0)]
    said = [
        one.value for one in forms if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    if not said or len(said) < len(forms):
        return ""
    return said[0] if SPEAKERS[name] == 1 else tuple(said)


def kept() -> Catalog:
    """Return the catalog as it is kept."""
    return read_po(io.BytesIO((FOLDER / "nagomi.po").read_bytes()), locale="ja")


def renew() -> list[str]:
    """Write the catalog anew, and return the sentences that have no translation."""
    old, new, missing = kept(), kept(), []
    listed = dict(said())
    for message in list(old):
        if message.id and not any(_key(entry) == _key(message.id) for entry in listed):
            new.delete(message.id)
    for entry, place in listed.items():
        if old.get(_key(entry)) is None:
            new.add(entry, "" if isinstance(entry, str) else ("",))
        if not (found := old.get(_key(entry))) or not found.string:
            missing.append(f"{place}: {_key(entry)}")
    _write(new)
    return missing


def _key(entry: object) -> str:
    return entry if isinstance(entry, str) else next(iter(entry))  # type: ignore[call-overload]


def _write(catalog: Catalog) -> None:
    text = io.BytesIO()
    write_po(text, catalog, sort_output=True, no_location=True, width=100)
    (FOLDER / "nagomi.po").write_bytes(text.getvalue())
    with open(FOLDER / "nagomi.mo", "wb") as file:
        write_mo(file, catalog)


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in renew()))
