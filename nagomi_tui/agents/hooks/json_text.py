"""Edits JSON as text, so that the layout and comments of the rest of a file are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

_BLANK: Final = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_scalar: Final = json.JSONDecoder().raw_decode


class BadText(ValueError):
    """The text is not JSON; the message says where."""


class Node(NamedTuple):
    """A value with its offsets in the text; `value` is None for an object or a list."""

    start: int
    end: int
    value: Any = None
    members: tuple[tuple[str, int, Node], ...] | None = None
    """An object's members: key, the key's offset, value. None for other values."""
    items: tuple[Node, ...] | None = None
    """A list's values; None for other values."""

    def get(self, key: str) -> Node | None:
        """Return the value of an object's key, the last of repeated ones; None without the key."""
        found = [node for name, _, node in self.members or () if name == key]
        return found[-1] if found else None

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The start and end offsets of each member or item."""
        if self.members is not None:
            return [(start, node.end) for _, start, node in self.members]
        return [(node.start, node.end) for node in self.items or ()]


class Edit(NamedTuple):
    """Replaces the text between the offsets `start` and `end` by `text`."""

    start: int
    end: int
    text: str


def parse(text: str) -> Node:
    """Parse JSON with optional comments.

    Raises:
        BadText: the text is not JSON.
    """
    try:
        node = _value(text, _skip(text, 1 if text.startswith("\ufeff") else 0))
        rest = _skip(text, node.end)
    except (ValueError, IndexError, RecursionError) as exc:
        raise BadText(str(exc) or type(exc).__name__) from exc
    if rest != len(text):
        raise BadText(_where(text, rest))
    return node


def plain(node: Node) -> Any:
    """Return the value of a node, as `json.loads` would."""
    if node.members is not None:
        return {key: plain(value) for key, _, value in node.members}
    if node.items is not None:
        return [plain(item) for item in node.items]
    return node.value


def apply(text: str, edits: Iterable[Edit]) -> tuple[str, list[Edit]]:
    """Return the changed text, and the edits that undo the change."""
    parts, back = [], []
    at = length = 0
    for edit in sorted(edits):
        kept = text[at : edit.start]
        length += len(kept)
        back.append(Edit(length, length + len(edit.text), text[edit.start : edit.end]))
        parts += [kept, edit.text]
        length += len(edit.text)
        at = edit.end
    return "".join([*parts, text[at:]]), back


def newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def indentation(text: str, container: Node) -> tuple[str, str]:
    """Return the indentation of a new member or item, and one level of the file's indentation."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    unit = found[1] if found else "  "
    if container.parts:
        first = container.parts[0][0]
        if not text[_line_start(text, first) : first].strip():
            return _indent(text, first), unit
    return _indent(text, container.start) + unit, unit


def added(text: str, container: Node, new: Sequence[str]) -> Edit:
    """Return the edit that appends members or items, each on its own line."""
    indent, line = indentation(text, container)[0], newline(text)
    if container.parts:
        last = container.parts[-1][1]
        return Edit(last, last, "".join(f",{line}{indent}{part}" for part in new))
    lines = f",{line}".join(f"{indent}{part}" for part in new)
    close = _indent(text, container.start)
    return Edit(container.start + 1, container.end - 1, f"{line}{lines}{line}{close}")


def with_object(
    text: str, top: Node | None, key: str, members: Sequence[str]
) -> tuple[str, list[Edit]]:
    """Return the text with a new object of these members under a key, and the edits that undo it.

    `top` is the object that the text is; None if the text is empty.
    """
    if top is None:
        lines = ",\n".join(f"    {member}" for member in members)
        return apply(text, [Edit(0, len(text), f'{{\n  "{key}": {{\n{lines}\n  }}\n}}\n')])
    (indent, unit), line = indentation(text, top), newline(text)
    lines = f",{line}".join(f"{indent}{unit}{member}" for member in members)
    return apply(text, [added(text, top, [f'"{key}": {{{line}{lines}{line}{indent}}}'])])


def removed(container: Node, numbers: Iterable[int]) -> list[Edit]:
    """Return the edits that remove members or items, each together with one comma."""
    parts, gone = container.parts, set(numbers)
    kept = [at for at in range(len(parts)) if at not in gone]
    if not gone:
        return []
    if not kept:
        return [Edit(container.start + 1, container.end - 1, "")]
    edits = [Edit(parts[0][0], parts[kept[0]][0], "")] if kept[0] else []
    later = (at for at in sorted(gone) if at > kept[0])
    return edits + [Edit(parts[at - 1][1], parts[at][1], "") for at in later]


def _value(text: str, at: int) -> Node:
    if text[at] == "{":
        return _object(text, at)
    if text[at] == "[":
        return _list(text, at)
    try:
        value, end = _scalar(text, at)
    except json.JSONDecodeError as exc:
        raise BadText(_where(text, exc.pos)) from exc
    return Node(at, end, value)


def _object(text: str, start: int) -> Node:
    members = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key = at
        if text[at] != '"':
            raise BadText(_where(text, at))
        name, at = _scalar(text, at)
        at = _expect(text, _skip(text, at), ":")
        node = _value(text, _skip(text, at))
        members.append((name, key, node))
        at = _after(text, node.end, "}")
    return Node(start, at + 1, members=tuple(members))


def _list(text: str, start: int) -> Node:
    items = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        node = _value(text, at)
        items.append(node)
        at = _after(text, node.end, "]")
    return Node(start, at + 1, items=tuple(items))


def _after(text: str, at: int, close: str) -> int:
    """Return the offset of the next member, or of the container's end."""
    at = _skip(text, at)
    if text[at] == close:
        return at
    at = _skip(text, _expect(text, at, ","))
    if text[at] == close:
        raise BadText(_where(text, at))
    return at


def _expect(text: str, at: int, char: str) -> int:
    if text[at] != char:
        raise BadText(_where(text, at))
    return at + 1


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _where(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"line {line} column {at - _line_start(text, at) + 1}"


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _indent(text: str, at: int) -> str:
    """Return the indentation of the line that contains the offset `at`."""
    line = text[_line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
