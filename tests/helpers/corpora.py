"""Output of programs with and without secrets, made of templates so that no file looks like a leak.

Texts stand in `tests/golden/masking/`, with a line of `%` between them. `‹KIND›` is filled anew for
each seed: `M24` letters and digits, `H` hexadecimal, `X` in capitals, `U` capitals and digits, `L` small letters and
digits, `B` base64, `b` the same without an end, `c` bytes with colons, `u` a UUID, `W` a password as
people make them, `=…` these words themselves, `D…` these words in base64. With `~` before the kind
it is no secret, with `?` none either, but masked with the secret beside it.
"""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from collections import Counter
from functools import partial
from pathlib import Path
from textwrap import wrap as wrap_text
from typing import Final, NamedTuple

_FOLDER: Final = Path(__file__).parents[1] / "golden" / "masking"
_SLOT: Final = re.compile(r"‹([~?]?)([^›])([^›]*)›")
_WORDS: Final = ("Kumo", "hunter", "Zebra", "tigris", "Okayama", "blueSky", "correct", "Sesame")
_JOINTS: Final = ("", "-", "#", "!", "_", "@", "$", ".")
_ALPHABETS: Final = {
    "M": string.ascii_letters + string.digits,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "U": string.ascii_uppercase + string.digits,
    "L": string.ascii_lowercase + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}
_PIECE: Final = 6
"""So many characters of a secret on end are a leak."""


class Sample(NamedTuple):
    """What a program printed, and the secrets in it."""

    text: str
    secrets: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """What is no secret, and masked all the same."""

    def lost(self, masked: str) -> list[str]:
        """Return the words without a secret that the masked text lacks."""
        text = self.text
        for secret in sorted(set(self.secrets), key=len, reverse=True):
            text = text.replace(secret, "\0")
        words = [word for word in text.split() if "\0" not in word]
        kept = Counter(
            word
            for word in words
            if not any(one == word or (len(one) > 3 and one in word) for one in self.beside)
        )
        return [*(kept - Counter(masked.split()))]

    def leaks(self, masked: str) -> list[str]:
        """Return the secrets of which the masked text shows a piece."""
        return [
            secret for secret in self.secrets if any(piece in masked for piece in _pieces(secret))
        ]


def samples(name: str, *, seed: int = 1) -> list[Sample]:
    """Return the texts of one file, filled by that seed."""
    texts = (_FOLDER / f"{name}.txt").read_text("utf-8").rstrip("\n").split("\n%\n")
    return [_filled(text, random.Random(f"{seed} {text}")) for text in texts]


def _filled(text: str, chance: random.Random) -> Sample:
    hidden: dict[str, list[str]] = {"": [], "~": [], "?": []}

    def fill(slot: re.Match[str]) -> str:
        value = _value(slot[2], slot[3], chance)
        hidden[slot[1]].append(value)
        return value

    return Sample(_SLOT.sub(fill, text), tuple(hidden[""]), tuple(hidden["?"]))


def _value(kind: str, rest: str, chance: random.Random) -> str:
    match kind:
        case "=":
            return rest
        case "D":
            return base64.b64encode(rest.encode()).decode()
        case "u":
            return str(uuid.UUID(int=chance.getrandbits(128), version=4))
        case "c":
            return ":".join(f"{byte:02x}" for byte in chance.randbytes(int(rest))) + ":"
        case "B":
            return base64.b64encode(chance.randbytes(int(rest) // 4 * 3 - 1)).decode()
        case "W":
            joint = chance.choice(_JOINTS)
            return f"{chance.choice(_WORDS)}{joint}{chance.randrange(10, 9999)}"
    return "".join(chance.choices(_ALPHABETS[kind], k=int(rest)))


def _pieces(secret: str) -> list[str]:
    size = min(_PIECE, len(secret))
    return [secret[at : at + size] for at in range(len(secret) - size + 1)]


def cut(text: str, width: int) -> list[str]:
    """Return the rows of a text in which a program cuts lines at a column, later rows indented."""
    rows: list[str] = []
    for line in text.split("\n"):
        while len(line) > width:
            rows.append(line[:width])
            line = f"  {line[width:]}"
        rows.append(line)
    return rows


def filled_up(text: str, width: int) -> list[str]:
    """Return the same where it breaks lines at blanks."""
    wrap = partial(wrap_text, width=width, subsequent_indent="  ", break_on_hyphens=False)
    return [row for line in text.split("\n") for row in wrap(line) or [""]]
