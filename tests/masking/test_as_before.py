"""Texts of all kinds are masked as they were when `masked.json.xz` was last written.

`python -m tests.masking.test_as_before` writes it anew after a change that was wanted, and tells
which texts are masked in another way than before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from nagomi_tui.masking import Masker, mask_growing, mask_lines, mask_screen
from tests.helpers.corpora import cut, filled_up, samples
from tests.helpers.kept import read_kept, write_kept

KEPT = Path(__file__).with_name("masked.json.xz")
FILES = ("secrets-seen", "secrets-held", "harmless-seen", "harmless-held")


def _grown(text: str) -> list[str]:
    """Mask a text's last line as it stands after each twentieth character."""
    *above, last = text.split("\n")
    masker = Masker()
    masker.lines(above)
    ends = range(20, len(last) + 20, 20)
    return [mask_growing([last[:end]], (), masker.state)[0] for end in ends]


WAYS: dict[str, Callable[[str], list[str]]] = {
    "whole": lambda text: mask_lines(text.split("\n")),
    "without its end": lambda text: mask_lines(text[: len(text) * 2 // 3].split("\n")),
    "without its beginning": lambda text: mask_lines(text[len(text) // 3 :].split("\n")),
    "in small letters": lambda text: mask_lines(text.lower().split("\n")),
    "in a box": lambda text: mask_lines([f"│ {row:<60} │" for row in cut(text, 60)]),
    "in one line": lambda text: mask_lines([" ".join(text.split())]),
    "in a sentence": lambda text: mask_lines([f"Use this: {row}, please." for row in text.split("\n")]),
    "quoted": lambda text: mask_lines([f'"{row}"' for row in text.split("\n")]),
    "cut at 40": lambda text: mask_lines(cut(text, 40)),
    "cut at 25": lambda text: mask_lines(cut(text, 25)),
    "wrapped at 50": lambda text: mask_lines(filled_up(text, 50)),
    "on a screen": lambda text: mask_screen(cut(text, 40)),
    "at an edge": lambda text: Masker(width=40).lines(cut(text, 40)),
    "growing": _grown,
}  # fmt: skip


def _masked(name: str, way: str) -> Iterator[tuple[str, list[str]]]:
    for sample in samples(name):
        yield sample.text, WAYS[way](sample.text)


@cache
def _kept() -> dict[str, list[list[str]]]:
    kept: dict[str, list[list[str]]] = read_kept(KEPT)
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", FILES)
@pytest.mark.requirement("N-86", "N-93")
def test_each_text_is_masked_as_before(name: str, way: str) -> None:
    found = list(_masked(name, way))
    kept = _kept()[f"{name}, {way}"]
    assert len(found) == len(kept)
    assert [(out, was) for (_, out), was in zip(found, kept, strict=True) if out != was] == []


def _write() -> None:
    before = _kept() if KEPT.exists() else {}
    after = {
        f"{name}, {way}": [out for _, out in _masked(name, way)] for name in FILES for way in WAYS
    }
    for key, texts in after.items():
        for was, now in zip(before.get(key, texts), texts, strict=False):
            if was != now:
                print(f"--- {key}", *was, "--- now", *now, sep="\n")
    write_kept(KEPT, after)


if __name__ == "__main__":
    _write()
