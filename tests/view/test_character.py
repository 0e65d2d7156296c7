"""Character packs: those that are shipped are whole, and a broken one is named and left out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.sessions.session import PHASES, Condition
from nagomi_tui.system import paths
from nagomi_tui.text.cells import cells
from nagomi_tui.view.character.character import DEFAULT, Size, ansi, standing
from nagomi_tui.view.character.library import CharacterProblem, Library, library, own_folder, read

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = sorted(paths.shipped("characters").glob("*/character.toml"))
MOCHI = paths.shipped("characters") / "mochi" / "character.toml"


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
@pytest.mark.requirement("N-121")
def test_a_shipped_character_is_whole(file: Path) -> None:
    pack = read(file)
    assert {"ja", "en"} <= pack.name.keys()
    assert {(size, d.width, d.height) for size, d in pack.pictures.drawings.items()} == {
        (Size.LARGE, 24, 12),
        (Size.SMALL, 16, 8),
    }
    assert len({pack.line(phase) for phase in PHASES}) == len(PHASES)
    assert all(cells(pack.line(face)) <= 12 for face in (*PHASES, "speaking", "blink"))
    for size in Size:
        assert len({pack.pictures.draw(size, phase) for phase in PHASES}) == len(PHASES)
        for phase in PHASES:
            plain = pack.pictures.draw(size, phase)
            assert pack.pictures.draw(size, phase, mouth_open=True) != plain or phase in (
                "success", "attention",
            )  # fmt: skip
            assert pack.pictures.draw(size, phase, eyes_shut=True) != plain


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
@pytest.mark.requirement("N-139")
def test_a_shipped_character_speaks_both_languages_and_blames_nobody(file: Path) -> None:
    pack = read(file)
    for phase in PHASES:
        for language in ("ja", "en"):
            said = {pack.words(phase, language, number) for number in range(12)}
            assert len(said) >= 4 and "" not in said
            for words in said:
                assert cells(words) <= 40
                for harsh in ("fail", "wrong", "error", "fault", "失敗", "エラー", "だめ", "ミス"):
                    assert harsh not in words.lower()


def test_there_are_three_of_our_own_and_the_usual_one_is_among_them() -> None:
    ids = {file.parent.name for file in SHIPPED}
    assert len(ids) >= 3 and DEFAULT in ids


def test_of_parts_that_begin_alike_the_last_is_seen() -> None:
    assert standing(("cheeks", "eyes-open", "mouth-cat", "eyes-shut")) == [
        "cheeks", "mouth-cat", "eyes-shut",
    ]  # fmt: skip


def test_a_picture_fits_into_256_colours_and_ends_plain() -> None:
    picture = read(MOCHI).pictures.draw(Size.SMALL, Condition.IDLE)
    rows = ansi(picture, "256")
    assert len(rows) == 8
    assert "38;2" not in "".join(rows) and "38;5" in "".join(rows)
    assert all(row.rstrip().endswith("\x1b[0m") for row in rows if "▀" in row)
    assert sum(map(len, rows)) < sum(map(len, ansi(picture)))


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "character.toml").write_text(text)


def test_a_broken_pack_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    write(tmp_path, "broken", 'id = "broken"\n')
    write(tmp_path, "deep", "id = " + "[" * 50_000)
    write(tmp_path, "torn", "id = [")
    write(tmp_path, "mochi", MOCHI.read_text().replace('"Mochi"', '"Mine"'))
    found = Library([paths.shipped("characters"), tmp_path, tmp_path / "none"])
    assert found.one("mochi").name["en"] == "Mine"
    assert found.one("broken").name["en"] == "Mine"
    assert {pack.id for pack in found.whole()} == {file.parent.name for file in SHIPPED}
    problems = found.problems()
    assert [text.partition(": ")[0].split(" ")[0] for text in problems] == [
        str(tmp_path / name / "character.toml") for name in ("broken", "deep", "torn")
    ]


def test_a_users_own_mochi_that_is_broken_leaves_the_shipped_one() -> None:
    write(own_folder(), "mochi", "")
    found = library()
    assert found.one("mochi").name["en"] == "Mochi"
    assert len(found.problems()) == 1


@pytest.mark.parametrize(
    ("old", "new", "key", "advice"),
    [
        ('id = "mochi"', 'id = "mocha"', "id", "write `mochi`"),
        ("[faces.idle]", "[faces.asleep]", "faces.idle", "add this face"),
        ('line = "(˘ω˘)"', 'line = ""', "faces.idle.line", "in 1 to 16 cells"),
        ('k = "#f0933f"', "", "large.body", "give `k` a colour"),
        ('k = "#f0933f"', 'k = "orange"', "palette[...]", "compare it"),
        ('[name]\nja = "もち"', "[name]\nja = 3", "name[...]", "compare it"),
        ('at = [5, 14]', "at = [5, 24]", "large.parts.eyes-rest", "inside the body"),
        ('"mouth-cat"]', '"mouth-dog"]', "faces.idle.parts", "draw `mouth-dog`"),
    ],
)  # fmt: skip
def test_what_does_not_fit_in_a_pack_is_said_with_its_key(
    tmp_path: Path, old: str, new: str, key: str, advice: str
) -> None:
    text = MOCHI.read_text()
    assert old in text
    write(tmp_path, "mochi", text.replace(old, new, 1))
    with pytest.raises(CharacterProblem) as caught:
        read(tmp_path / "mochi" / "character.toml")
    assert f"character.toml: `{key}`: " in str(caught.value)
    assert advice in str(caught.value)
    assert str(caught.value).endswith("This character is left out.")


def test_a_row_of_another_length_is_named(tmp_path: Path) -> None:
    lines = MOCHI.read_text().splitlines()
    at = next(n for n, (a, b) in enumerate(pairwise(lines)) if a == "body = [" and b) + 3
    lines[at] = lines[at].replace('",', '.",')
    write(tmp_path, "mochi", "\n".join(lines))
    with pytest.raises(CharacterProblem, match=r"row 3 has 25 pixels and the first has 24"):
        read(tmp_path / "mochi" / "character.toml")
