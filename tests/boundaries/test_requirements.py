"""`docs/design/requirements.md` against the tree: what is cited is there, what is built is tested."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.helpers.tree import ROOT, tracked_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE: Final = Path("docs/design/requirements.md")

_CHAPTERS: Final = "[WMSD][CB]?|N[CB]?|[HXFG]"
_LINE: Final = re.compile(
    rf"- \[(?P<mark>[ x-])\] \*\*(?P<id>(?:{_CHAPTERS})-\d+)\*\* (?P<words>.+?\.)"
)
_CITED: Final = re.compile(rf"(?<![\w.-])(?:{_CHAPTERS})-[1-9]\d{{0,2}}(?![\w-])")
_MARK: Final = re.compile(r"@pytest\.mark\.requirement\(([^)]*)\)")
_RECORDED: Final = ("tests/fidelity/recordings", "tests/golden", "tests/judge/recordings")
"""What other programs printed, and lines of secrets: letters there are no citations."""


class Requirement(NamedTuple):
    """One line of the page."""

    id: str
    mark: str
    """`x` is built, a blank is open, `-` is no work."""
    words: str

    @property
    def built(self) -> bool:
        """Tell whether it is built, and so to be held by a test."""
        return self.mark == "x"


@cache
def _requirements() -> tuple[Requirement, ...]:
    lines = (ROOT / PAGE).read_text().splitlines()
    found = [_LINE.fullmatch(line) for line in lines if line.startswith("- [")]
    return tuple(
        Requirement(line["id"], line["mark"], line["words"]) for line in found if line is not None
    )


def _sources() -> Iterator[tuple[Path, str]]:
    """Everything that may cite, except the page itself and what is only recorded."""
    for path, text in tracked_texts():
        if path != PAGE and not path.as_posix().startswith(_RECORDED):
            yield path, text


@cache
def _cited() -> dict[str, set[str]]:
    """Return the IDs that are cited, with the files that do."""
    cited: dict[str, set[str]] = {}
    for path, text in _sources():
        for one in set(_CITED.findall(text)):
            cited.setdefault(one, set()).add(str(path))
    return cited


@cache
def _held() -> set[str]:
    """Return the IDs that tests are marked with."""
    tests = (text for path, text in _sources() if path.parts[0] == "tests")
    return {one for text in tests for ids in _MARK.findall(text) for one in _CITED.findall(ids)}


@pytest.mark.requirement("N-1")
def test_every_line_is_a_requirement_and_every_chapter_counts_from_one() -> None:
    lines = (ROOT / PAGE).read_text().splitlines()
    broken = [line for line in lines if line.startswith("- [") and not _LINE.fullmatch(line)]
    assert broken == []
    chapters: dict[str, list[int]] = {}
    for one in _requirements():
        chapter, number = one.id.split("-")
        chapters.setdefault(chapter, []).append(int(number))
    gaps = {name for name, has in chapters.items() if has != list(range(1, len(has) + 1))}
    assert gaps == set() and len(chapters) == 19


@pytest.mark.requirement("N-1")
def test_what_is_cited_can_be_looked_up() -> None:
    known = {one.id for one in _requirements()}
    assert {one: files for one, files in _cited().items() if one not in known} == {}


@pytest.mark.requirement("N-1")
def test_what_is_built_is_held_by_a_test() -> None:
    built = [one for one in _requirements() if one.built]
    assert len(built) > 100
    assert [one.id for one in built if one.id not in _held()] == []
    assert [one.id for one in built if "Open:" in one.words] == []


@pytest.mark.requirement("N-1")
def test_what_is_cited_is_built_or_says_what_is_missing() -> None:
    untold = {one.id for one in _requirements() if one.mark == " " and "Open:" not in one.words}
    assert len(untold) > 5
    assert {id_: files for id_, files in _cited().items() if id_ in untold} == {}
