"""Conversations in pieces for subagents (DC-35)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.guard.files.project import Project
from nagomi_tui.guard.tasks.transcripts import PIECE, cleaned, fresh, pieces, prepare, remove

if TYPE_CHECKING:
    from pathlib import Path


def _line(role: str, content: Any, **more: Any) -> bytes:
    return json.dumps({"message": {"role": role, "content": content}, **more}).encode()


EDIT = [{"type": "tool_use", "name": "Edit", "input": {"file_path": "a"}}]


@pytest.mark.requirement("DC-35")
def test_a_conversation_begins_with_its_first_edit() -> None:
    lines = [
        _line("user", "hello"),
        b"{broken",
        json.dumps({"type": "system"}).encode(),
        _line("assistant", "a subagent's", isSidechain=True),
        _line("assistant", EDIT),
        _line("user", "fine"),
    ]
    assert [json.loads(line) for line in cleaned(lines)] == [
        {"role": "assistant", "content": EDIT},
        {"role": "user", "content": "fine"},
    ]
    assert len(list(cleaned(lines[:1]))) == 1


@pytest.mark.parametrize(
    "lines", [["a" * 100] * 2000, ["b " * 50_000], ["あ" * 30_000], ["x" * 3 * PIECE, "y"], []]
)
@pytest.mark.requirement("DC-35")
def test_pieces_are_bounded_and_lose_nothing(lines: list[str]) -> None:
    made = list(pieces(lines))
    assert all(0 < len(piece) <= PIECE for piece in made)
    assert b"".join(made).decode() == "".join(f"{line}\n" for line in lines)
    for piece in made:
        piece.decode()


@pytest.mark.requirement("DC-35")
def test_they_lie_in_a_folder_of_the_subagents_kind(tmp_path: Path) -> None:
    project, transcript = Project(tmp_path / "p"), tmp_path / "t.jsonl"
    transcript.write_bytes(b"\n".join([_line("assistant", EDIT), _line("user", "x" * 60_000)]))
    folder = project.sessions / "transcripts" / "logging"
    folder.mkdir(parents=True)
    (folder / "current_transcript_009.txt").write_text("old")
    now = transcript.stat().st_mtime
    assert prepare(project, str(transcript), "s", "logging", now) == 4
    assert sorted(path.name for path in folder.iterdir()) == [
        f"current_transcript_{number:03d}.txt" for number in (1, 2, 3, 4)
    ]
    assert (folder / "current_transcript_001.txt").stat().st_mode & 0o077 == 0
    remove(project)
    assert not folder.exists()


@pytest.mark.parametrize("kind", ["../x", "", ".", "..", "a/b", "x" * 99])
@pytest.mark.requirement("DC-35")
def test_a_kind_is_a_plain_name(tmp_path: Path, kind: str) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(_line("user", "x"))
    assert prepare(Project(tmp_path / "p"), str(transcript), "s", kind, 0.0) == 0
    assert not (tmp_path / "p").exists()


@pytest.mark.requirement("DC-35")
def test_where_a_transcript_is_old_a_newer_one_of_the_session_is_read(tmp_path: Path) -> None:
    old, new, other = (tmp_path / name for name in ("old.jsonl", "new.jsonl", "other.jsonl"))
    for age, path in enumerate((old, new, other)):
        path.write_bytes(_line("user", "x", sessionId="mine" if path == new else "no"))
        os.utime(path, (1000 + age, 1000 + age))
    assert fresh(old, "mine", 1010.0) == old
    assert fresh(old, "mine", 1040.0) == new
    assert fresh(old, "nobody", 1040.0) == old
    assert fresh(tmp_path / "gone.jsonl", "mine", 1040.0) == new


@pytest.mark.requirement("DB-26")
def test_of_a_long_transcript_the_end_is_read(tmp_path: Path) -> None:
    project, transcript = Project(tmp_path / "p"), tmp_path / "t.jsonl"
    with transcript.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + _line("assistant", EDIT))
    assert prepare(project, str(transcript), "s", "logging", transcript.stat().st_mtime) == 1
