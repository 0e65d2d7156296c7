"""`nagomi characters` lists who there is, shows faces, and names broken packs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.sessions.session import PHASES

if TYPE_CHECKING:
    from tests.helpers.command import Commands


@pytest.mark.requirement("N-126")
def test_characters_are_listed_for_people_and_programs(nagomi: Commands) -> None:
    listed = nagomi.ok("characters")
    assert "(=・ω・=)" in listed and "Kyusu" in listed and "config/characters" in listed
    found = json.loads(nagomi.ok("characters", "--json"))
    assert {"id": "mochi", "name": {"ja": "もち", "en": "Mochi"}, "own": False} in found
    assert len(found) >= 3


def test_a_preview_shows_every_face_in_the_colours_that_there_are(nagomi: Commands) -> None:
    plain = nagomi.ok("characters", "--preview", "koneko")
    assert "\x1b" not in plain
    assert all(phase.value in plain for phase in PHASES)
    few = nagomi.ok("characters", "--preview", "koneko", "--small", "--colors", "256")
    assert "▀" in few and "38;5;" in few and "38;2;" not in few
    assert "38;2;" in nagomi.ok("characters", "--preview", "koneko", "--colors", "truecolor")


def test_a_broken_pack_is_named_and_a_missing_one_refused(nagomi: Commands) -> None:
    folder = nagomi.home / "config" / "characters" / "torn"
    folder.mkdir(parents=True)
    (folder / "character.toml").write_text("id = [")
    done = nagomi.run("characters")
    assert done.returncode == 1
    assert "torn/character.toml cannot be read" in done.stderr and "mochi" in done.stdout
    for arguments in (
        ("characters", "--preview", "mocha"),
        ("new", "--character", "mocha", "true"),
    ):
        done = nagomi.run(*arguments)
        assert done.returncode == 2
        assert "no character `mocha`; there are koneko, kyusu, mochi" in done.stderr


@pytest.mark.requirement("N-121")
def test_each_session_may_have_another_character(nagomi: Commands) -> None:
    number = nagomi.new("cat")
    nagomi.ok("character", number, "kyusu")
    assert nagomi.json("ls")[int(number) - 1]["character_id"] == "kyusu"
    wrong = nagomi.run("character", number, "nobody")
    assert wrong.returncode == 2 and "kyusu" in wrong.stderr
