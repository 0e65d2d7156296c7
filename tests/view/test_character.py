"""Character packs: those that are shipped are whole, and a broken one is named and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nagomi_tui import paths
from nagomi_tui.core.session import Phase
from nagomi_tui.core.text import cells
from nagomi_tui.view.character import DEFAULT, CharacterProblem, read, read_all

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = sorted(paths.shipped("characters").glob("*/character.toml"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.parent.name)
def test_n121_a_shipped_character_has_seven_different_faces(file: Path) -> None:
    pack = read(file)
    assert pack.id == file.parent.name
    assert {"ja", "en"} <= pack.name.keys()
    assert len({picture.pixels for picture in pack.pictures.values()}) == len(Phase)
    assert len({picture.line for picture in pack.pictures.values()}) == len(Phase)
    assert (pack.width, pack.height) == (18, 6)
    assert all(cells(picture.line) <= 16 for picture in pack.pictures.values())


def test_the_default_character_is_shipped() -> None:
    assert DEFAULT in {read(file).id for file in SHIPPED}


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "character.toml").write_text(text)


def test_a_broken_pack_is_named_and_the_others_are_there(tmp_path: Path) -> None:
    write(tmp_path, "broken", 'id = "broken"\n')
    write(tmp_path, "torn", "id = [")
    write(tmp_path, "mochi", SHIPPED[-1].read_text().replace("Mochi", "Mine"))
    packs, problems = read_all([paths.shipped("characters"), tmp_path, tmp_path / "none"])
    assert packs["mochi"].name["en"] == "Mine"
    assert [("/broken" in text, "/torn" in text) for text in problems] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[faces.idle]", "[faces.asleep]", "asleep"),
        ('k = "#f0933f"', "", "palette lacks k"),
        ('k = "#f0933f"', 'k = "orange"', "match"),
        ('"........ll........"', '"..ll.."', "one width"),
    ],
)
def test_what_does_not_fit_in_a_pack_is_said(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    text = (paths.shipped("characters") / "mochi" / "character.toml").read_text()
    write(tmp_path, "mochi", text.replace(old, new))
    with pytest.raises(CharacterProblem, match=reason):
        read(tmp_path / "mochi" / "character.toml")
