"""The log: bounded, and never the end of who writes it."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from nagomi_tui.orchestrator.runtime import log

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("nagomi", logging.INFO, __file__, 1, text, None, None)


def test_a_flood_of_lines_is_put_aside_and_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "_LIMIT", 10_000)
    path = tmp_path / "nagomi.log"
    handler = log._File(path, encoding="utf-8", delay=True)
    for number in range(2000):
        handler.emit(record(f"line {number:080}"))
    handler.close()
    assert sorted(os.listdir(tmp_path)) == ["nagomi.log", "nagomi.old.log"]
    written = log.aside(path).read_text() + path.read_text()
    assert len(written) < 21_000
    assert written.endswith(f"line {1999:080}\n")


def test_without_a_place_for_it_a_line_goes_to_stderr(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    handler = log._File(tmp_path / "gone" / "nagomi.log", encoding="utf-8", delay=True)
    handler.emit(record("there is no folder"))
    assert capfd.readouterr().err == "there is no folder\n"
