"""How full the context is, by the end of a transcript."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from nagomi_tui.guard.files.context import Fill, context_fill

if TYPE_CHECKING:
    from pathlib import Path


def _answer(tokens: int, *, model: str = "claude-opus-4-8", **more: Any) -> str:
    usage = {
        "input_tokens": 1, "cache_read_input_tokens": tokens - 3, "cache_creation_input_tokens": 2,
        "output_tokens": 999,
    }  # fmt: skip
    message = {"role": "assistant", "model": model, "usage": usage}
    return json.dumps({"type": "assistant", "isSidechain": False, "message": message, **more})


def _file(folder: Path, *lines: str, end: str = "\n") -> str:
    path = folder / "transcript.jsonl"
    path.write_text("\n".join(lines) + end)
    return str(path)


USER = json.dumps({"type": "user", "message": {"role": "user", "content": 'the "usage" of it'}})


@pytest.mark.requirement("D-35", "DC-9")
def test_the_latest_answer_counts_with_its_caches(tmp_path: Path) -> None:
    path = _file(tmp_path, _answer(1000), _answer(2000), USER)
    assert context_fill(path, {}) == Fill(2000, 160_000)


@pytest.mark.requirement("DC-9")
def test_subagents_and_errors_are_passed_over(tmp_path: Path) -> None:
    lines = (_answer(2000), _answer(9, isSidechain=True), _answer(9, isApiErrorMessage=True))
    assert context_fill(_file(tmp_path, *lines), {}).tokens == 2000


@pytest.mark.requirement("DC-9")
def test_a_line_that_is_being_written_is_passed_over(tmp_path: Path) -> None:
    path = _file(tmp_path, _answer(2000), _answer(3000)[:-9], end="")
    assert context_fill(path, {}).tokens == 2000


def test_after_a_compaction_nothing_is_known(tmp_path: Path) -> None:
    over = json.dumps({"type": "system", "subtype": "compact_boundary"})
    assert context_fill(_file(tmp_path, _answer(2000), over, USER), {}) == Fill()


@pytest.mark.parametrize(
    ("model", "limits", "limit"),
    [
        ("claude-opus-4-8", {}, 160_000),
        ("claude-sonnet-5", {}, 800_000),
        ("another", {}, 0),
        ("another", {"anoth": 5}, 5),
        ("claude-opus-4-8", {"opus-4": 900_000}, 900_000),
    ],
)
@pytest.mark.requirement("DB-25", "DB-30", "X-21")
def test_limits_follow_the_model(
    tmp_path: Path, model: str, limits: dict[str, int], limit: int
) -> None:
    assert context_fill(_file(tmp_path, _answer(10, model=model)), limits).limit == limit


def test_codex_tells_its_own_limit(tmp_path: Path) -> None:
    info = {"last_token_usage": {"total_tokens": 1280}, "model_context_window": 258_400}
    line = json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": info}})
    assert context_fill(_file(tmp_path, line, '{"type": "event_msg"}'), {}) == Fill(1280, 258_400)


@pytest.mark.requirement("DB-26")
def test_only_the_end_of_a_long_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("w") as file:
        file.write(_answer(1000) + "\n")
        file.seek(10_000_000_000)  # A hole: to read it all would take longer than the test may.
        file.write("\n" + _answer(2000) + "\n" + USER * 3000 + "\n")
    assert context_fill(str(path), {}).tokens == 2000
    os.truncate(path, 10_000_000_000)
    assert context_fill(str(path), {}) == Fill()


def test_a_file_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    assert context_fill(str(tmp_path), {}) == context_fill(str(tmp_path / "none"), {}) == Fill()
    os.mkfifo(tmp_path / "fifo")
    assert context_fill(str(tmp_path / "fifo"), {}) == Fill()
    assert (
        context_fill(_file(tmp_path, "[]", '"compact"', "\xff", '{"type":"assistant"}'), {})
        == Fill()
    )
