"""What an agent completes behind `/`, from its shipped file and the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from nagomi_tui.agents.slash_commands import Slash, own_commands, slash_of
from nagomi_tui.system.paths import config_folder


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's file for Kimi, which is not there yet."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = config_folder() / "agents" / "kimi.toml"
    file.parent.mkdir(parents=True)
    return file


def test_what_is_shipped_holds_where_the_user_has_no_file_or_a_broken_one(own: Path) -> None:
    shipped = slash_of("kimi")
    assert shipped.skill_prefix == "skill:" and "compact" in shipped.commands.split()
    for text in ("[slash]\ncommands = 1\n", "no toml", 'adds = 7\n[slash]\ncommands = "com"\n'):
        own.write_text(text)
        assert slash_of("kimi") == shipped
    assert slash_of("nobody") == Slash()


@pytest.mark.parametrize(("prefix", "both"), [("", "skill:"), ("my:", "my:")])
def test_the_users_file_stands_beside_the_shipped_one_or_alone(
    own: Path, prefix: str, both: str
) -> None:
    shipped = slash_of("kimi")
    slash = f'[slash]\ncommands = "com"\nskills = ["~/s"]\nskill_prefix = "{prefix}"\n'
    own.write_text(f"adds = true\n{slash}")
    beside = slash_of("kimi")
    assert beside.commands.split() == ["com", *shipped.commands.split()]
    assert (beside.skills, beside.skill_prefix) == (("~/s", *shipped.skills), both)
    own.write_text(slash)
    alone = slash_of("kimi")
    assert (alone.commands, alone.skills, alone.skill_prefix) == ("com", ("~/s",), prefix)


def test_own_commands_are_files_and_own_skills_are_folders(tmp_path: Path) -> None:
    for name in ("commands/one.md", "commands/two.toml", "commands/three.txt", "skills/file.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "skills" / "mine").mkdir()
    slash = Slash(files=("commands",), skills=("skills", "nowhere"), skill_prefix="skill:")
    assert list(own_commands(slash, str(tmp_path))) == ["one", "two", "skill:mine"]
