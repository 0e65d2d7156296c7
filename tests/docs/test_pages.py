"""The pages of docs/: their tables are those of the program, and what they link to is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from textual.binding import Binding

from docs.make_pages import DOCS, pages
from nagomi_tui.api import messages
from nagomi_tui.orchestrator.judging.corrections import Correction
from nagomi_tui.view.dialogs.guard import GuardDialog
from nagomi_tui.view.review.diff import DiffView
from nagomi_tui.view.review.screen import ReviewScreen

ROOT = Path(__file__).parents[2]
_WORDS = {
    "README.md": ("session", "judge", "overview", "tile", "chat view", "lane", "leader"),
    "README.ja.md": ("つくり", "判定", "みんなの様子", "タイル", "おはなし", "レーン", "合図"),
}
"""The words that a page explains where it says them first, in italics."""
_PAIRS = [
    page
    for page in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
    if page.with_suffix(".ja.md").exists()
]
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


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    named = set(_LINK.findall(page.read_text("utf-8")))
    assert [name for name in sorted(named) if not (page.parent / name).exists()] == []


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
    linked = set(_LINK.findall((ROOT / "README.md").read_text("utf-8")))
    pages = {name for name in linked if re.fullmatch(r"docs/[\w-]+\.md", name)}
    assert len(pages) >= 13
    missing = {name for name in pages if not (ROOT / name.replace(".md", ".ja.md")).exists()}
    assert missing == set()
    read_ja = (ROOT / "README.ja.md").read_text("utf-8")
    unlinked = [name for name in pages if name.replace(".md", ".ja.md") not in read_ja]
    assert unlinked == []


@pytest.mark.parametrize("page", _PAIRS, ids=lambda page: page.name)
def test_both_languages_say_as_much(page: Path) -> None:
    assert _shape(page.with_suffix(".ja.md")) == _shape(page)
    assert f"]({page.stem}.ja.md)*" in page.read_text("utf-8")
    assert f"]({page.name})*" in page.with_suffix(".ja.md").read_text("utf-8")


def _shape(page: Path) -> dict[str, int]:
    """Return how many headings, rows of tables and blocks of code a page has."""
    lines = page.read_text("utf-8").splitlines()
    starts = {"headings": "#", "rows": "|", "blocks": "```"}
    return {name: sum(line.startswith(start) for line in lines) for name, start in starts.items()}


def test_a_japanese_page_leads_to_japanese_pages() -> None:
    led = [
        f"{page.name}: {name}"
        for page in sorted(DOCS.glob("*.ja.md"))
        for name in _LINK.findall(page.read_text("utf-8").split("\n", 3)[3])
        if name.endswith(".md") and (DOCS / name).with_suffix(".ja.md").exists()
    ]
    assert led == []


def test_one_thing_has_one_japanese_word() -> None:
    for page in (ROOT / "README.ja.md", *sorted(DOCS.glob("*.ja.md"))):
        text = page.read_text("utf-8").replace("*つくり*（セッション）", "")
        assert re.findall("セッション|フォルダ(?!ー)", text) == [], page.name


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


_BINDINGS = {
    "guard-workplace": GuardDialog.BINDINGS,
    "review": [*ReviewScreen.BINDINGS, *DiffView.BINDINGS],
}


@pytest.mark.parametrize("language", ["", ".ja"])
@pytest.mark.parametrize("page", _BINDINGS)
def test_a_page_names_each_key_of_its_screen(page: str, language: str) -> None:
    text = (DOCS / f"{page}{language}.md").read_text("utf-8")
    rows = [row for row in text.splitlines() if row[:1] == "|"]
    keys = [*(row.split(" | ")[0] for row in rows), *re.findall(r"`([^`]+)`", " ".join(rows))]
    told = set(re.findall(r"[^`\s·、,|]+", " ".join(keys)))
    bindings = [one for one in _BINDINGS[page] if isinstance(one, Binding)]
    each = {one.key: {_SIGNS.get(key, key) for key in one.key.split(",")} for one in bindings}
    assert [key for key, signs in each.items() if not signs & told] == []


_SIGNS = {
    "slash": "/", "up": "↑", "down": "↓", "left": "←", "right": "→",
    "pageup": "PgUp", "pagedown": "PgDn", "enter": "Enter", "space": "Space",
}  # fmt: skip


_ANSWERS = {
    "new": messages.SessionNamed,
    "wait": messages.Waited,
    "why": messages.Standing,
    "trace": messages.TraceStanding,
    "judge ask": messages.Advised,
    "judge corrections": Correction,
}


@pytest.mark.parametrize("page", ["command-line.md", "command-line.ja.md"])
@pytest.mark.parametrize("command", _ANSWERS)
def test_the_page_names_each_field_of_an_answer(page: str, command: str) -> None:
    answer = _ANSWERS[command]
    row = re.search(rf"^\| `{command}` \| (.*)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    assert row
    told = set(re.findall(r'"(\w+)"', row[1]))
    words = {word for hint in get_type_hints(answer).values() for word in get_args(hint)}
    named = {word for word in words if isinstance(word, str)}
    assert {*answer.__struct_fields__, *named} - _FOR_FRONT_ENDS <= told


_FOR_FRONT_ENDS = {"turn"}
"""What `wait --until` has no word for, but a front end's message."""
