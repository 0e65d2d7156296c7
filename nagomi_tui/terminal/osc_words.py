"""The body of one OSC sequence → the event that it stands for."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes, urlsplit

import msgspec

from nagomi_tui.core.text.screen import ScreenEvent

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXT_LIMIT: Final = 4096
"""Characters of a title, a message or a path."""
_NAMES: Final = 16
"""Names of terminfo that are answered at once."""
_NAME: Final = dict.fromkeys((b"544e", b"6e616d65"), b"xterm-256color".hex().encode())
"""The terminal's own name, `TN` or `name`."""
_TOLD: Final = re.compile(rb"(\x1bP1\+r([0-9a-fA-F]+)[^\x1b]*\x1b\\)")


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
    return _notify(rest)


def _notify(text: bytes, title: bytes = b"") -> ScreenEvent | None:
    """Return a notice; None for one that says nothing."""
    said = ScreenEvent("notify", _plain(text).strip(), _plain(title).strip())
    return said if said.text or said.title else None


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
    return _notify(text, title)


def _iterm(rest: bytes) -> ScreenEvent | None:
    """Return iTerm2's request for attention as the bell that it is."""
    name, _, how = rest.partition(b"=")
    wanted = name == b"RequestAttention" and how in (b"yes", b"once", b"fireworks")
    return ScreenEvent("bell") if wanted else None


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """What has come of a notice of kitty's, which may come in parts (OSC 99)."""

    title: bytes = b""
    body: bytes = b""
    done: bool = True
    """Whether nothing more of it is to come."""

    def joined(self, part: Notice) -> Notice:
        """Return it with one more part."""
        return Notice(
            (self.title + part.title)[:_TEXT_LIMIT], (self.body + part.body)[:_TEXT_LIMIT]
        )

    def event(self) -> ScreenEvent | None:
        """Return what is told of it: a title alone is its text."""
        return _notify(self.body, self.title) if self.body else _notify(self.title)


def notice(body: bytes) -> tuple[str, Notice]:
    """Return the id of kitty's notice, or nothing, and the part of it that has come."""
    keys, payload = _kitty_notice(body)
    if keys.get(b"e") == b"1":
        payload = _decoded(payload)
    kind, done = keys.get(b"p", b"title"), keys.get(b"d", b"1") != b"0"
    title = payload if kind == b"title" else b""
    text = payload if kind == b"body" else b""
    return _plain(keys.get(b"i", b""))[:64], Notice(title, text, done)


def answer(body: bytes) -> bytes:
    """Return the answer to a question, or nothing where an OSC is none: what of notices is known."""
    if not body.startswith(b"99;"):
        return b""
    keys, _ = _kitty_notice(body)
    if keys.get(b"p") != b"?":
        return b""
    name = bytes(
        byte for byte in keys.get(b"i", b"0")[:64] if 33 <= byte < 127 and byte not in b":;"
    )
    return b"\x1b]99;i=" + name + b":p=?;p=title,body\x1b\\"


def terminfo(names: bytes, told: bytes) -> bytes:
    """Return the answers to XTGETTCAP for all names: `told` is what the engine knows to say of them."""
    known = {name.lower(): whole for whole, name in _TOLD.findall(told)}
    return b"".join(
        known.get(name.lower())
        or (b"\x1bP1+r%b=%b\x1b\\" if name.lower() in _NAME else b"\x1bP0+r%b%b\x1b\\")
        % (name, _NAME.get(name.lower(), b""))
        for name in names.split(b";")[:_NAMES]
    )


def _kitty_notice(body: bytes) -> tuple[dict[bytes, bytes], bytes]:
    fields, _, payload = body[3:].partition(b";")
    return {
        key: value for key, _, value in (one.partition(b"=") for one in fields.split(b":"))
    }, payload


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
    """Return text to copy; a query for the clipboard is never answered.

    Tools such as `base64` break their lines, as tmux takes them.
    """
    _, _, data = rest.partition(b";")
    text = b"" if data == b"?" else _decoded(data)
    return ScreenEvent("clipboard", text.decode("utf-8", "replace")) if text else None


def _decoded(data: bytes) -> bytes:
    data = b"".join(data.split())
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
    b"133": _command,
    b"777": _osc777,
    b"1337": _iterm,
    b"7501": _status,
}
