"""The pages of docs/: their tables are those of the program, and what they link to is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.make_pages import DOCS, pages

ROOT = Path(__file__).parents[2]
_WORDS = {
    "README.md": ("session", "judge", "overview", "tile", "chat view", "lane", "leader"),
    "README.ja.md": ("つくり", "判定", "みんなの様子", "タイル", "おはなし", "レーン", "合図"),
}
"""The words that a page explains where it says them first, in italics."""
_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def test_the_tables_of_the_pages_are_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAGOMI_LANG", "en")
    made = dict(pages())
    assert {path.name for path in made} >= {
        "keys.md",
        "settings.ja.md",
        "command-line.md",
        "nagomi.1",
    }
    differs = [path.name for path, text in made.items() if path.read_text("utf-8") != text]
    assert differs == [], "run python -m docs.make_pages"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    named = set(_LINK.findall(page.read_text("utf-8")))
    assert [name for name in sorted(named) if not (DOCS / name).exists()] == []


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_a_readme_is_read_in_some_minutes(readme: str) -> None:
    assert len((ROOT / readme).read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("readme", _WORDS)
def test_a_readme_explains_its_words_before_it_uses_them(readme: str) -> None:
    text = re.sub(r"\]\([^)]*\)", "]", (ROOT / readme).read_text("utf-8"))
    bounds = r"\b{}" if readme == "README.md" else "{}"
    for word in _WORDS[readme]:
        first = re.search(bounds.format(word), text, re.IGNORECASE)
        assert first and text[first.start() - 1 : first.end() + 1] == f"*{word}*", word


@pytest.mark.parametrize("readme", _WORDS)
def test_a_readme_begins_with_what_is_done_all_day(readme: str) -> None:
    chapters = (ROOT / readme).read_text("utf-8").split("\n## ")
    keys = re.findall(r"^\d\. .*?(`Ctrl.*`)", chapters[1], re.MULTILINE)
    assert keys == ["`Ctrl+]` `Tab`", "`Ctrl+]` `y`", "`Ctrl+]` `Tab`"]
    assert "make run" in chapters[2] and "make test" in chapters[2]


def test_a_page_for_users_says_overview() -> None:
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    assert [page.name for page in pages if "run view" in page.read_text("utf-8")] == []


def test_a_page_for_users_is_there_in_both_languages() -> None:
    linked = set(_LINK.findall((ROOT / "README.ja.md").read_text("utf-8")))
    pages_ja = {Path(name).name for name in linked if name.endswith(".ja.md")}
    assert len(pages_ja) >= 8
    assert all((DOCS / name.replace(".ja.md", ".md")).exists() for name in pages_ja)


def test_each_picture_is_shown_on_a_page() -> None:
    written = [*ROOT.glob("*.md"), *DOCS.glob("*.md")]
    shown = {Path(name).name for page in written for name in _LINK.findall(page.read_text("utf-8"))}
    assert [path.name for path in sorted(DOCS.glob("*.png")) if path.name not in shown] == []


@pytest.mark.parametrize("page", ["command-line.md", "command-line.ja.md"])
def test_the_first_table_names_each_option_of_its_commands(page: str) -> None:
    written, made = (DOCS / page).read_text("utf-8").split("<!-- made: commands -->")
    table = [
        row.split(" | ")[0] for row in written.split("\n## ")[0].splitlines() if row[:1] == "|"
    ]
    told, missing = set(), {}
    for section in made.split("\n### `nagomi ")[1:]:
        name = section.partition("`")[0]
        rows = [row for row in table if re.search(rf"(`|nagomi ){name}\b", row)]
        options = set(re.findall(r"^\| `(--[\w-]+)", section, re.MULTILINE)) - {"--json"}
        if rows:
            told.add(name)
            missing |= {f"{name} {one}": rows for one in options if one not in " ".join(rows)}
    assert {"stop", "restart", "remove", "ls", "wait"} <= told
    assert missing == {}
