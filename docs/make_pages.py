"""Writes what is made from the program: tables of keys, settings and commands, a man page,
the help, the shipped keymap.

    .venv/bin/python -m docs.make_pages

A page keeps what stands around its tables. A test runs this and sees that nothing changes.
"""

from __future__ import annotations

import json
import os
import re
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from docs import man_page
from docs.commands import arguments, commands, leaves
from nagomi_tui import cli
from nagomi_tui.api.where import word_of
from nagomi_tui.commands.start import overview
from nagomi_tui.sessions.session import Condition
from nagomi_tui.settings.field import SECTIONS, Field
from nagomi_tui.settings.model import FIELDS
from nagomi_tui.text import words
from nagomi_tui.view.keymap.actions import ACTIONS, SCOPE_TITLES, Action, key_label

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

DOCS: Final = Path(__file__).parent
KEYMAP: Final = DOCS.parent / "config" / "keymap.toml"
_KEYS: Final = "[keys]\n"
_TABLE: Final = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_HEADS: Final = {
    "en": {
        "keys": "keys|name|what it does",
        "settings": "setting|default|what it does",
        "commands": "argument|meaning",
        "states": "sign|word|behind `is:`|in JSON",
    },
    "ja": {
        "keys": "キー|名前|すること",
        "settings": "設定|既定値|働き",
        "commands": "引数|意味",
        "states": "しるし|ことば|`is:` のうしろ|JSON では",
    },
}


def pages() -> Iterator[tuple[Path, str]]:
    """Yield each page that has tables, the man page and the help's list, with the text that it should have."""
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        language = "ja" if path.name.endswith(".ja.md") else "en"
        if _TABLE.search(text):
            yield path, _TABLE.sub(partial(_made, language), text)
    os.environ["NAGOMI_LANG"] = "en"
    yield DOCS / "nagomi.1", man_page.page()
    yield Path(overview.FILE), _overview()
    yield KEYMAP, _keymap(KEYMAP.read_text(encoding="utf-8"))


def _overview() -> str:
    """Return each command with its sentence, a line each."""
    return "".join(f"{name}\t{sentence}\n" for name, sentence in commands(cli.parser()))


def _keymap(text: str) -> str:
    """Return the shipped keymap: its head, and a line for each action."""
    lines = []
    for action in ACTIONS:
        keys = json.dumps(action.keys[0] if len(action.keys) == 1 else action.keys)
        lines.append(f"{f'{action.name} = {keys}':<32}  # {action.sentence}")
    return f"{text.partition(_KEYS)[0]}{_KEYS}" + "\n".join(lines) + "\n"


def _made(language: str, found: re.Match[str]) -> str:
    return f"{found[1]}{_MAKERS[found[2]](language)}\n{found[3]}"


def _keys(language: str) -> str:
    say = words.of(language).say
    return "\n\n".join(
        f"### {say(title)}\n\n{_head(language, 'keys')}\n"
        + "\n".join(_key_rows([one for one in ACTIONS if one.scope is scope], say))
        for scope, title in SCOPE_TITLES.items()
    )


def _key_rows(actions: list[Action], say: Callable[[str], str]) -> Iterator[str]:
    """Yield a row for each action; those that do the same, as 1 to 9 do, share one."""
    for sentence, alike in groupby(actions, key=lambda action: action.sentence):
        same = list(alike)
        keys = " ".join(f"`{_cell(key_label(key))}`" for action in same for key in action.keys)
        names = " ".join(f"`{action.name}`" for action in same)
        yield f"| {keys} | {names} | {say(sentence)} |"


def _settings(language: str) -> str:
    say = words.of(language).say
    return "\n\n".join(
        f"### {say(title)}\n\n{_head(language, 'settings')}\n"
        + "\n".join(_setting_row(field, say) for field in FIELDS if field.section == section)
        for section, title in SECTIONS.items()
    )


def _setting_row(field: Field, say: Callable[[str], str]) -> str:
    choices = ", ".join(f"`{choice}`" for choice in field.choices)
    rest = f" ({choices})" if choices else ""
    return f"| `{field.name}` | {_default(field, say)} | {_cell(say(field.sentence))}{rest} |"


def _default(field: Field, say: Callable[[str], str]) -> str:
    value = field.default
    if value == "":
        return "–"
    shown = str(value).lower() if isinstance(value, bool) else f"{value}"
    return f"`{shown}`" + (f" {say(field.unit)}" if field.unit else "")


def _head(language: str, table: str) -> str:
    titles = _HEADS[language][table].split("|")
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def _states(language: str) -> str:
    """Return a row for each word that says how a session stands, with what JSON has for it."""
    say = words.of(language).say
    rows = [
        f"| {shape} | {say(word)} | `{is_word}` | {' '.join(f'`{one.value}`' for one in alike)} |"
        for (shape, word, is_word), alike in groupby(
            sorted(Condition, key=_first_alike), key=lambda one: (one.shape, one.word, word_of(one))
        )
    ]
    return "\n".join((_head(language, "states"), *rows))


def _first_alike(one: Condition) -> int:
    """Return the place of the first that has the same sign and word."""
    found = [(other.shape, other.word) for other in Condition]
    return found.index((one.shape, one.word))


def _commands(language: str) -> str:
    os.environ["NAGOMI_LANG"] = language
    return "\n\n".join(_described(each, language) for each in leaves(cli.parser()))


def _described(parser: argparse.ArgumentParser, language: str) -> str:
    rows = [f"| `{_cell(form)}` | {_cell(meaning)} |" for form, meaning in arguments(parser)]
    table = "\n".join((_head(language, "commands"), *rows)) if rows else ""
    return "\n\n".join(part for part in (f"### `{parser.prog}`", parser.description, table) if part)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_MAKERS: Final[dict[str, Callable[[str], str]]] = {
    "keys": _keys,
    "settings": _settings,
    "commands": _commands,
    "states": _states,
}


if __name__ == "__main__":
    for page, made in pages():
        page.write_text(made, encoding="utf-8")
