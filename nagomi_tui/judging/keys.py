"""What typed bytes mean for the judge."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.core.judge.evidence import Key

# The same keys as a program gets them that asked for kitty's protocol or xterm's; no releases.
_ENTER: Final = re.compile(r"[\r\n]\Z|\x1b\[13(?:;1(?::[12])?)?u\Z")
_INTERRUPT: Final = re.compile(r"\x03\Z|\x1b\[99;5(?::[12])?u\Z|\x1b\[27;5;99~\Z")
_ESCAPE: Final = re.compile(r"\x1b(?:\[27(?:;1(?::[12])?)?u)?")
_REPLY: Final = re.compile(r"\x1b(?:\[[?>=]?[\d;]*(?:[Rcn]|\$y)|\[\?\d+u|[\]P]).*", re.DOTALL)


def is_reply(text: str) -> bool:
    """Tell whether this is what a terminal answers to a query, and nothing that was typed."""
    return _REPLY.fullmatch(text) is not None


def key_of(text: str) -> Key:
    """Return what the keys in `text`, which were sent together, mean."""
    if _ENTER.search(text):
        return Key.ENTER
    if _INTERRUPT.search(text):
        return Key.INTERRUPT
    return Key.ESCAPE if _ESCAPE.fullmatch(text) else Key.TEXT
