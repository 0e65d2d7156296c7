"""Secrets of known formats, and the ways in which programs break a line into rows by themselves."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import random

_ALNUM: Final = string.ascii_letters + string.digits
_URL64: Final = _ALNUM + "-_"
_HEX: Final = "0123456789abcdef"
_UPPER: Final = string.ascii_uppercase + string.digits


class Kind(NamedTuple):
    """How a secret is made: what is known of it, of which characters, and how many; words around it."""

    begin: str
    alphabet: str
    size: int
    around: str = "The key is {}"


# Beginnings are put together here, so that no scanner takes this file for a leak.
KINDS: Final = {
    "anthropic": Kind("sk-" + "ant-api03-", _URL64, 95),
    "anthropic-oauth": Kind("sk-" + "ant-oat01-", _URL64, 95, "export CLAUDE_CODE_OAUTH_TOKEN={}"),
    "openai": Kind("sk-" + "proj-", _URL64, 120),
    "openrouter": Kind("sk-" + "or-v1-", _HEX, 64),
    "github": Kind("gh" + "p_", _ALNUM, 36, "cloned with {}"),
    "github-pat": Kind("github" + "_pat_", _ALNUM, 82),
    "gitlab": Kind("gl" + "pat-", _URL64, 20),
    "npm": Kind("np" + "m_", _ALNUM, 36, "//registry.example.com/:_authToken={}"),
    "pypi": Kind("py" + "pi-AgEIcHlwaS5vcmc", _URL64, 120),
    "hugging-face": Kind("hf" + "_", _ALNUM, 34),
    "slack": Kind("xo" + "xb-", _ALNUM, 48, "SLACK_BOT_TOKEN={}"),
    "stripe": Kind("sk" + "_live_", _ALNUM, 99),
    "sendgrid": Kind("SG" + ".ngeVfQFYQlKU0ufo8x5d1A.", _URL64, 43),
    "google": Kind("AI" + "za", _URL64, 35),
    "google-oauth": Kind("ya" + "29.", _URL64, 160),
    "vault": Kind("hv" + "s.", _URL64, 90, "Success! Token: {}"),
    "digitalocean": Kind("dop" + "_v1_", _HEX, 64),
    "docker": Kind("dckr" + "_pat_", _URL64, 27),
    "linear": Kind("lin" + "_api_", _ALNUM, 40),
    "notion": Kind("nt" + "n_", _ALNUM, 46),
    "shopify": Kind("shp" + "at_", _HEX, 32),
    "jwt": Kind("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIx", _URL64, 90, "token {}"),
    "aws": Kind("", _ALNUM + "/+", 40, "AWS_SECRET_ACCESS_KEY={}"),
    "aws-session": Kind("IQoJb3JpZ2lu", _ALNUM + "/+", 400, "export AWS_SESSION_TOKEN={}"),
    "url": Kind("", _ALNUM, 40, "DATABASE postgres://app:{}@db.example.net:5432/main"),
    "bearer": Kind("", _URL64, 64, "Authorization: Bearer {}"),
    "json": Kind("", _ALNUM, 64, '{{"api_key": "{}"}}'),
    "telegram": Kind("123456789" + ":AA", _URL64, 33, "bot {}"),
}  # fmt: skip


class Style(NamedTuple):
    """How a program draws the rows of a text: what leads to the first, the others, and follows all."""

    first: str
    other: str
    last: str = ""
    padded: bool = False


STYLES: Final = {
    "bullet": Style("● ", "  "),
    "plain": Style("", ""),
    "result": Style("  ⎿  ", "     "),
    "box": Style("│ ", "│ ", " │", padded=True),
    "box-prompt": Style("│ > ", "│   ", " │", padded=True),
    "heavy": Style("┃  ", "┃  "),
    "ascii": Style("| ", "| ", " |", padded=True),
    "quoted": Style("> ", "> "),
    "deep": Style("        ", "        "),
    "tree": Style("  └ ", "    "),
    "backslash": Style("", "", "\\"),
}


class Wrapped(NamedTuple):
    """A secret, without what is known of its beginning, and the rows in which it was drawn."""

    secret: str
    rows: list[str]

    def shown(self, masked: list[str], few: int) -> list[str]:
        """Return the pieces of the secret, longer than `few`, that masked rows show."""
        size = few + 1
        pieces = {self.secret[at : at + size] for at in range(len(self.secret) - size + 1)}
        return sorted(piece for piece in pieces if any(piece in row for row in masked))


def wrapped(kind: Kind, style: Style, width: int, chance: random.Random, *, after: str) -> Wrapped:
    """Return a new secret of a kind as a program draws it in so many columns."""
    secret = "".join(chance.choices(kind.alphabet, k=kind.size))
    text = kind.around.format(kind.begin + secret) + after
    rows, lead = list[str](), style.first
    while text:
        room = width - len(lead) - len(style.last)
        part, text = text[:room].rstrip(), text[room:].lstrip()
        last = style.last if style.padded or text else ""
        rows.append(lead + (part.ljust(room) if style.padded else part) + last)
        lead = style.other
    return Wrapped(secret, rows)
