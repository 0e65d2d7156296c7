"""The head of a task's or index's file: `key: value` lines between two lines of dashes (DC-39).

It is the part of YAML that such files use. What is not understood is left as it is, and a change
touches no other line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Value: TypeAlias = str | tuple[str, ...]

_HEAD: Final = re.compile(
    r"\A\ufeff?---[ \t]*\r?\n(?P<lines>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_LINE: Final = re.compile(r"(?P<key>[\w-]+)[ \t]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM: Final = re.compile(r"\s*-\s+(?P<value>.*)$")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_QUOTED: Final = re.compile(r"'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"")


class Front(NamedTuple):
    """A file's head and the text behind it."""

    values: Mapping[str, Value]
    body: str

    def text(self, key: str) -> str:
        """Return a single value; empty where there is none."""
        found = self.values.get(key, "")
        return found if isinstance(found, str) else ", ".join(found)

    def list(self, key: str) -> tuple[str, ...]:
        """Return a list; a single value is a list of one."""
        found = self.values.get(key, ())
        if isinstance(found, tuple):
            return found
        return (found,) if found and found.casefold() not in ("none", "null", "~") else ()


def parse(text: str) -> Front:
    """Return the head of a file, which is empty where the file has none, and the rest."""
    head = _HEAD.match(text)
    if head is None:
        return Front({}, text)
    values: dict[str, Value] = {}
    key = ""
    for line in head["lines"].splitlines():
        if found := _LINE.match(line):
            key = found["key"]
            values[key] = _value(found["value"] or "")
        elif (item := _ITEM.match(line)) and key:
            before = values[key] if isinstance(values[key], tuple) else ()
            values[key] = (*before, _plain(item["value"]))
    return Front(values, text[head.end() :])


def is_open_ended(text: str) -> bool:
    """Tell whether a file begins like one with a head, which then has no end."""
    return _HEAD.match(text) is None and text.lstrip("\ufeff").startswith(("---\n", "---\r\n"))


def changed(text: str, key: str, value: str) -> str:
    """Return a file's text with one value of its head set; a file without a head stays as it is."""
    head = _HEAD.match(text)
    if head is None:
        return text
    line = re.compile(
        rf"^(?P<key>{re.escape(key)}[ \t]*:)[^\r\n#]*?(?P<end>[ \t]+#[^\r\n]*)?(?=\r?$)",
        re.MULTILINE,
    )
    start, end = head.span("lines")
    lines, count = line.subn(
        lambda found: f"{found['key']} {value}{found['end'] or ''}", text[start:end], 1
    )
    if not count:
        lines = f"{text[start:end]}{key}: {value}\n"
    return text[:start] + lines + text[end:]


def _value(written: str) -> Value:
    bare = written.strip()
    if bare.startswith("["):
        inner = bare[1:].partition("]")[0]
        return tuple(found for one in inner.split(",") if (found := _plain(one)))
    return _plain(bare)


def _plain(written: str) -> str:
    """Return a value without quotes, or without the comment behind it (DB-18)."""
    bare = written.strip()
    if quoted := _QUOTED.match(bare):
        return quoted["single"] if quoted["single"] is not None else quoted["double"]
    return _COMMENT.sub("", bare).strip()
