"""Secrets of every listed kind, put together here so that no scanner takes this file for a leak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_MIXED: Final = "aB3dE5fG7hI9" + "jK1lM2nO4pQ6" + "rS8tU0vW"
_HEAD: Final = "ey" + "JhbGciOiJIUzI1NiJ9"
_BODY: Final = "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0"

SECRETS: Final = {
    "anthropic": ("{}", "sk-" + "ant-api03-" + _MIXED),
    "github": ("cloned with {} today", "gh" + "p_" + _MIXED),
    "aws": ("id {}", "AK" + "IA" + "A1B2C3D4E5F6G7H8"),
    "jwt": ("jwt {}", f"{_HEAD}.{_BODY}.c2lnbmF0dXJlLWhlcmU"),
    "bearer": ("Authorization: Bearer {}", "b3ar3r" + "Value77aa"),
    "key": ("api_key={}", "plain" + "value0815"),
    "password": ("password: {}", "hunter" + "2hunter2"),
    "quoted": ('"client_secret": "{}"', "quo" + "ted-4711x"),
    "url": ("postgres://me:{}@host/db", "url" + "pass99x"),
    "random": ("your new token is {}", "zY9xW7vU" + "5tS3rQ1pO2nM4lK6"),
}
"""Kind → (the words around it, the value that must never be stored or sent)."""

VALUES: Final = tuple(value for _, value in SECRETS.values())
LINES: Final = tuple(around.format(value) for around, value in SECRETS.values())

PEM: Final = (
    "-----BEGIN RSA PRIVATE" + " KEY-----",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "VJTUt9Us",
    "8cKjMzEfYyjiWA4R4" + "/M2bS1==",
    "-----END RSA PRIVATE" + " KEY-----",
)


def leaks(folder: Path) -> list[str]:
    """Return which file under a folder holds which raw value."""
    raw = [value.encode() for value in (*VALUES, *PEM[1:3])]
    return [
        f"{path.relative_to(folder)}: {value.decode()}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        for value in raw
        if value in path.read_bytes()
    ]
