"""What runs on Windows alone: `make windows` does it under wine; elsewhere nothing of it is collected."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

collect_ignore_glob = ["*"] if sys.platform != "win32" else ["run.py"]


class Program(Protocol):
    def __call__(self, *words: str, typed: str = "", code: int = 0) -> str: ...


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workplace of the test's own."""
    monkeypatch.setenv("NAGOMI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LANGUAGE", "en")
    return tmp_path / "home"


@pytest.fixture
def nagomi() -> Program:
    """Run the command; what it prints is returned."""

    def run(*words: str, typed: str = "", code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "nagomi_tui", *words],
            input=typed.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100,
        )  # fmt: skip
        said = done.stdout.decode("utf-8").replace("\r\n", "\n")
        assert done.returncode == code, said
        return said

    return run


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that are ended with the test."""
    children: list[subprocess.Popen[bytes]] = []
    yield children
    for child in children:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream:
                stream.close()


@pytest.fixture
def env() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "NAGOMI_DAEMON"}
