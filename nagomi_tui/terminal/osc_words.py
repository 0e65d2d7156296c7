"""The body of one OSC sequence → the event that it stands for."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes, urlsplit

from nagomi_tui.core.text.screen import ScreenEvent

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXT_LIMIT: Final = 4096
"""Characters of a title, a message or a path."""


def event(body: bytes) -> ScreenEvent | None:
    """Return the event, or None for what only the engine or nobody cares about."""
    number, _, rest = body.partition(b";")
    reader = _READERS.get(number)
    return reader(rest) if reader else None


def _plain(raw: bytes) -> str:
    """Return readable text: control characters would act on whoever shows it."""
    text = raw.decode("utf-8", "replace")[:_TEXT_LIMIT]
    return "".join(char if char.isprintable() else " " for char in text)


def _title(rest: bytes) -> ScreenEvent:
    return ScreenEvent("title", _plain(rest))


def _osc9(rest: bytes) -> ScreenEvent | None:
    """Return a notification (iTerm2), a progress report or a folder (ConEmu)."""
    sub, _, tail = rest.partition(b";")
    if sub == b"4":
        return _progress(tail)
    if sub == b"9":
        return _folder(tail.strip(b'"'))
    # ConEmu's other commands are numbers up to 12; a message may well begin with any other one.
    if sub.isdigit() and len(sub) <= 2 and int(sub) <= 12:
        return None
    return ScreenEvent("notify", _plain(rest))


def _progress(tail: bytes) -> ScreenEvent | None:
    state, _, percent = tail.partition(b";")
    if state not in (b"0", b"1", b"2", b"3", b"4"):
        return None
    digits = percent.partition(b";")[0]
    known = digits.isdigit() and len(digits) <= 3
    return ScreenEvent("progress", f"{state.decode()};{min(int(digits), 100) if known else ''}")


def _osc777(rest: bytes) -> ScreenEvent | None:
    command, _, tail = rest.partition(b";")
    if command != b"notify":
        return None
    title, _, text = tail.partition(b";")
    return ScreenEvent("notify", _plain(text), _plain(title))


def _osc99(rest: bytes) -> ScreenEvent | None:
    """Return kitty's notification; one that comes in parts is told part by part."""
    fields, _, payload = rest.partition(b";")
    keys = dict(field.partition(b"=")[::2] for field in fields.split(b":"))
    if keys.get(b"e") == b"1":
        payload = _decoded(payload)
    kind = keys.get(b"p", b"title")
    if not payload or kind not in (b"title", b"body"):
        return None
    return ScreenEvent("notify", _plain(payload))


def _cwd(rest: bytes) -> ScreenEvent | None:
    """Return the path of a `file://host/path` URL."""
    try:
        url = urlsplit(rest.decode("utf-8", "replace"))
    except ValueError:
        return None
    if url.scheme not in ("file", "kitty-shell-cwd"):
        return None
    path = url.path if url.scheme == "kitty-shell-cwd" else unquote_to_bytes(url.path)
    return _folder(path.encode("utf-8") if isinstance(path, str) else path)


def _folder(path: bytes) -> ScreenEvent | None:
    return ScreenEvent("cwd", _plain(path)) if path else None


def _clipboard(rest: bytes) -> ScreenEvent | None:
    """Return text to copy; a query for the clipboard is never answered."""
    _, _, data = rest.partition(b";")
    text = b"" if data == b"?" else _decoded(data)
    return ScreenEvent("clipboard", text.decode("utf-8", "replace")) if text else None


def _decoded(data: bytes) -> bytes:
    try:
        return base64.b64decode(data + b"=" * (-len(data) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _command(rest: bytes) -> ScreenEvent:
    return ScreenEvent("command", _plain(rest))


def _status(rest: bytes) -> ScreenEvent:
    return ScreenEvent("status", _plain(rest))


_READERS: Final[dict[bytes, Callable[[bytes], ScreenEvent | None]]] = {
    b"0": _title,
    b"2": _title,
    b"7": _cwd,
    b"9": _osc9,
    b"52": _clipboard,
    b"99": _osc99,
    b"133": _command,
    b"777": _osc777,
    b"7501": _status,
}
