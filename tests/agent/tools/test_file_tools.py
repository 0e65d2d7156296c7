"""Reading, listing, searching, writing and editing files, with real files on a real disk."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.agent.tools.files import MOST_ENTRIES
from nagomi_tui.agent.tools.granted import READ_LIMIT
from tests.helpers.toolboxes import User, box, use

if TYPE_CHECKING:
    from pathlib import Path

KEY = "\n".join(
    ["-----BEGIN RSA PRIVATE KEY-----", *("MIIEow" + "Aa0Bb1Cc2Dd3" * 4,) * 20]
    + ["-----END RSA PRIVATE KEY-----"]
)


@pytest.mark.requirement("SC-10")
def test_the_three_first_tools_read_within_the_folder(tmp_path: Path) -> None:
    (tmp_path / "NEXT.md").write_text("- 進める\n- rest\n", encoding="utf-8")
    (tmp_path / "memory").mkdir()
    tools = box(tmp_path, User("no"))
    read = use(tools, "read_file", path="NEXT.md")
    assert read.ok and "Lines 1 to 2 of 2 in" in read.text and "- 進める\n- rest" in read.text
    listed = use(tools, "list_directory")
    assert listed.ok and "\nNEXT.md  19 bytes\nmemory/\n" in listed.text
    assert use(tools, "get_current_time").ok


def test_lines_are_read_by_number(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    result = use(box(tmp_path, User()), "read_file", path="log", first=40, count=2)
    assert "Lines 40 to 41 of 100 in" in result.text and "\nline 40\nline 41\n</" in result.text
    beyond = use(box(tmp_path, User()), "read_file", path="log", first=200)
    assert beyond.ok and "of 100" in beyond.text


def test_a_key_is_masked_from_whatever_line_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "id").write_text(f"before\n{KEY}\nafter\n")
    for first in (1, 8, 20):
        text = use(box(tmp_path, User()), "read_file", path="id", first=first).text
        assert "Aa0Bb1Cc2" not in text and "after" in text


def test_search_finds_lines_but_no_secret_by_guessing(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("the Needle\n")
    (tmp_path / "sub" / "a.py").write_text("x = 1\nthe needle is here\n")
    (tmp_path / "b.txt").write_text("NEEDLE\npassword = Tr0ub4dor-and-3\n")
    (tmp_path / "c.bin").write_bytes(b"needle\x00\xff")
    (tmp_path / "away").symlink_to("/etc")
    tools = box(tmp_path, User())
    found = use(tools, "search_files", text="needle").text
    assert f"{tmp_path}/b.txt\n  1: NEEDLE\n" in found
    assert f"{tmp_path}/sub/a.py\n  2: the needle is here\n" in found
    assert ".git" not in found and "c.bin" not in found
    assert "b.txt" not in use(tools, "search_files", text="needle", names="*.py").text
    for guess in ("Tr0ub", "dor-and"):
        assert ", 0 lines fit." in use(tools, "search_files", text=guess).text


def test_what_is_too_large_or_no_text_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"a" * (READ_LIMIT + 1))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    tools = box(tmp_path, User())
    assert "files of more than 1 MB are not read" in use(tools, "read_file", path="large").text
    assert "is not UTF-8 text" in use(tools, "read_file", path="bytes").text
    assert "No such file" in use(tools, "read_file", path="none").text


def test_a_long_folder_is_listed_in_part(tmp_path: Path) -> None:
    for number in range(MOST_ENTRIES + 5):
        (tmp_path / f"{number:04}").touch()
    text = use(box(tmp_path, User()), "list_directory").text
    assert f"entries in {tmp_path}; the first {MOST_ENTRIES} are listed" in text
    assert "0499" in text and "0500" not in text


# --- writing


def test_the_user_sees_the_unified_diff_that_will_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\ntwo\nthree\n")
    user = User()
    result = use(box(tmp_path, user), "edit_file", path="a.md", old="two", new="2\x1b[8m")
    assert result.ok and (tmp_path / "a.md").read_text() == "one\n2\x1b[8m\nthree\n"
    (asked,) = user.asked
    assert (asked.tool, asked.title) == ("edit_file", f"Write {tmp_path}/a.md")
    path = tmp_path / "a.md"
    assert asked.detail.split("\n") == [
        f"--- {path}", f"+++ {path}", "@@ -1,3 +1,3 @@",
        " one", "-two", "+2\\x1b[8m", " three",
    ]  # fmt: skip


def test_a_missing_line_end_and_tabs_are_shown(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\ttab\nend\n")
    user = User()
    use(box(tmp_path, user), "write_file", path="a", text="\ttab\nend\r")
    assert user.asked[0].detail.split("\n")[3:] == [
        " \ttab", "-end", "+end\\r", "\\ No newline at end of file",
    ]  # fmt: skip


def test_a_written_file_keeps_its_mode_and_leaves_no_other(tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o750)
    result = use(box(tmp_path, User()), "write_file", path="run.sh", text="#!/bin/bash\n")
    assert result.ok and stat.S_IMODE(script.stat().st_mode) == 0o750
    assert use(box(tmp_path, User()), "write_file", path="new", text="").ok
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o666 & ~umask
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "run.sh"]


@pytest.mark.parametrize("change", ["text", "gone", "made", "mode", "link"])
def test_a_file_that_changes_while_the_user_is_asked_is_not_written(
    tmp_path: Path, change: str
) -> None:
    file, other = tmp_path / "a", tmp_path / "other"
    if change != "made":
        file.write_text("old")
    other.write_text("old")
    user = User()

    async def meanwhile() -> None:
        if change in ("text", "made"):
            file.write_text("theirs")
        elif change == "mode":
            file.chmod(0o600 if stat.S_IMODE(file.stat().st_mode) != 0o600 else 0o644)
        else:
            file.unlink()
        if change == "link":
            file.symlink_to(other)

    user.meanwhile = meanwhile
    result = use(box(tmp_path, user), "write_file", path="a", text="mine")
    assert not result.ok and len(user.asked) == 1
    assert "mine" not in {path.read_text() for path in (file, other) if path.exists()}
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_edit_needs_a_text_that_stands_there_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x x")
    user = User()
    tools = box(tmp_path, user)
    assert "2 times" in use(tools, "edit_file", path="a", old="x", new="y").text
    assert "0 times" in use(tools, "edit_file", path="a", old="z", new="y").text
    assert "holds just that" in use(tools, "write_file", path="a", text="x x").text
    assert not use(tools, "write_file", path="none/a", text="x").ok
    assert user.asked == []


def test_a_masked_secret_is_not_written_over_the_real_one(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("API_TOKEN=sk-live-0a9b8c7d6e5f4a3b2c1d\nDEBUG=0\n")
    user = User()
    tools = box(tmp_path, user)
    shown = use(tools, "read_file", path=".env").text
    assert "API_TOKEN=***REDACTED***" in shown
    refused = use(tools, "write_file", path=".env", text="API_TOKEN=***REDACTED***\nDEBUG=1\n")
    assert not refused.ok and user.asked == []
    assert use(tools, "edit_file", path=".env", old="DEBUG=0", new="DEBUG=1").ok
    assert (tmp_path / ".env").read_text() == "API_TOKEN=sk-live-0a9b8c7d6e5f4a3b2c1d\nDEBUG=1\n"
