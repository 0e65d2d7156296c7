"""The pages of docs/, which are installed with nagomi, as they are read in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from nagomi_tui.system.paths import shipped

_IN_JAPANESE: Final = ".ja"
_NOT_READ: Final = re.compile(
    r"^<!--.*-->\n|^(?:!\[[^\]]*\]\([^)]*\)|\*\[[^\]]*\]\([^)]*\)\*)\n+", re.MULTILINE
)
"""Pictures, marks of tables that a program writes, and the link to the page in the other language."""
_WITHIN_JAPANESE: Final = re.compile(
    r"(?<=[\u3000-\u9fff\uff00-\uffef])\n(?=[\u3000-\u9fff\uff00-\uffef])"
)
"""An end of a line that would be shown as a space, where there is none between words."""
_HEADING: Final = re.compile(r"\A# |^#{2,3} ", re.MULTILINE)
"""One number sign further down is a comment in an example."""
_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_TO_A_PAGE: Final = re.compile(r"(?:docs/)?([\w-]+?)(?:\.ja)?\.md(?:#.*)?")


class Section(NamedTuple):
    """A heading of a page, and its text in Markdown up to the next one, with the heading."""

    heading: str
    text: str


class Page(NamedTuple):
    """A page: what one types for it, its heading, and its sections, of which the first begins it."""

    topic: str
    sections: tuple[Section, ...]

    @property
    def title(self) -> str:
        return self.sections[0].heading

    @property
    def text(self) -> str:
        """The whole page in Markdown."""
        return "".join(section.text for section in self.sections)


def pages(language: str) -> Iterator[Page]:
    """Yield all pages by topic, each in this language if it is there, else in English.

    Raises:
        FileNotFoundError: nagomi was installed without them.
    """
    folder = shipped("docs")
    for path in sorted(folder.glob("*.md"), key=lambda path: path.stem.casefold()):
        if not path.stem.endswith(_IN_JAPANESE):
            translated = folder / f"{path.stem}{_IN_JAPANESE}.md"
            chosen = translated if language == "ja" and translated.is_file() else path
            text = chosen.read_text(encoding="utf-8")
            yield Page(path.stem.casefold(), _sections(_for_a_terminal(text)))


def manual() -> Path:
    """Return the manual page of all commands, as `man` shows it.

    Raises:
        FileNotFoundError: nagomi was installed without it.
    """
    return shipped("docs") / "nagomi.1"


def _sections(text: str) -> tuple[Section, ...]:
    starts = [*(found.start() for found in _HEADING.finditer(text)), len(text)]
    parts = [text[start:end] for start, end in pairwise(starts)]
    return tuple(
        Section(part.partition("\n")[0].lstrip("# ").replace("`", ""), part) for part in parts
    )


def _for_a_terminal(text: str) -> str:
    """Return the Markdown without pictures, and with topics in place of links to other pages."""
    return _LINK.sub(_target, _WITHIN_JAPANESE.sub("", _NOT_READ.sub("", text)))


def _target(link: re.Match[str]) -> str:
    """Return what a link shows, with the topic that it leads to; addresses stay as they are."""
    page = _TO_A_PAGE.fullmatch(link[2])
    if page is None:
        return link[0]
    topic = page[1].casefold()
    return link[1] if link[1].casefold() in (topic, f"{topic}.md") else f"{link[1]} (`{topic}`)"
