"""The streams that are swallowed: made with fixed seeds, but for the recorded `ls -R`."""

from __future__ import annotations

import random
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = 8_000_000
WORDS = (
    "the quick brown fox jumps over a lazy dog while compiling kernel module build warning note "
    "in file src/main.rs line column expected found token function return value index range"
).split(" ")
WIDE = "日本語の端末では全角文字が二桁を占める中文字符宽度测试한국어문자폭시험"
CLUSTERS = ["😀", "🚀", "✅", "👩‍💻", "👨‍👩‍👧‍👦", "🇯🇵", "👍🏽", "❤️", "é", "ñ"]


def _ascii(dice: random.Random) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{number:08d} {' '.join(dice.choices(WORDS, k=dice.randrange(3, 28)))}"[:199] + "\n"


def _log(dice: random.Random) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        parts = [f"\x1b[2m{number:08d}\x1b[0m \x1b[3{dice.randrange(1, 8)};1mINFO\x1b[0m"]
        for _ in range(dice.randrange(3, 12)):
            red, green, blue = dice.choices(range(256), k=3)
            parts.append(f"\x1b[38;2;{red};{green};{blue}m{dice.choice(WORDS)}\x1b[39m")
            parts.append(f"\x1b[38;5;{red}m{dice.choice(WORDS)}\x1b[0m")
        yield " ".join(parts) + "\n"


def _wide(dice: random.Random) -> Iterator[str]:
    while True:
        pieces = []
        for _ in range(dice.randrange(6, 20)):
            pieces.append("".join(dice.choices(WIDE, k=dice.randrange(1, 6))))
            pieces.append(dice.choice(CLUSTERS))
        yield "".join(pieces) + "\n"


def _redraw(dice: random.Random) -> Iterator[str]:
    yield "\x1b[?1049h\x1b[2J"
    while True:
        lines = ["\x1b[H"]
        for row in range(1, 51):
            text = " ".join(dice.choices(WORDS, k=20))[:150]
            lines.append(f"\x1b[{row};1H\x1b[3{dice.randrange(1, 8)}m{row:4d} \x1b[m{text}\x1b[K")
        yield "".join(lines)


def _regions(dice: random.Random) -> Iterator[str]:
    yield "\x1b[?1049h\x1b[5;40r\x1b[40;1H"
    number = 0
    while True:
        number += 1
        yield f"\r\nline {number} {' '.join(dice.choices(WORDS, k=6))}"


def _listing() -> bytes:
    done = subprocess.run(["ls", "-R", "--color=always", "/usr"], capture_output=True, check=False)
    return (done.stdout * (SIZE // max(1, len(done.stdout)) + 1))[:SIZE]


MAKERS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "ascii": _ascii,
    "log": _log,
    "wide": _wide,
    "redraw": _redraw,
    "regions": _regions,
}
NAMES = (*MAKERS, "listing")


def path_of(name: str) -> Path:
    """Return the stream's file, made on first use."""
    target = Path(tempfile.gettempdir()) / f"nagomi-stream-{name}-{SIZE}"
    if not target.exists():
        target.write_bytes(_listing() if name == "listing" else _made(name))
    return target


def _made(name: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    for text in MAKERS[name](random.Random(20261121)):
        parts.append(text.encode())
        size += len(parts[-1])
        if size >= SIZE:
            break
    return b"".join(parts)
