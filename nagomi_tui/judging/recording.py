"""Reads recorded sessions: `.cast`, `.proc.jsonl`, `.hooks.jsonl` and `.labels.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from nagomi_tui.decoding import from_json
from nagomi_tui.judging.process import Sample

if TYPE_CHECKING:
    from pathlib import Path


class RecordingError(ValueError):
    """A recording cannot be read; the message names the file."""


class Header(msgspec.Struct):
    """The first line of an asciicast version 2."""

    version: int
    width: int
    height: int
    command: str = ""


class HookCall(msgspec.Struct):
    """One call of a hook: when its program started, and what it was given."""

    t: float
    stdin: dict[str, Any]


class Label(msgspec.Struct, frozen=True):
    """The true state from `t` seconds on; the states in `alt` are accepted, too."""

    t: float
    label: Literal[
        "idle",
        "thinking",
        "running",
        "needs_attention",
        "turn_done_success",
        "turn_done_failure",
        "exited",
    ]
    alt: tuple[str, ...] = ()
    code: int | None = None


class Truth(msgspec.Struct):
    """The labels of a session."""

    labels: tuple[Label, ...]


class Recording(msgspec.Struct, frozen=True):
    """One recorded session, and its truth where it is labelled."""

    name: str
    header: Header
    stream: tuple[tuple[float, str, str], ...]
    samples: tuple[Sample, ...]
    hooks: tuple[HookCall, ...]
    labels: tuple[Label, ...]

    @property
    def end(self) -> Label | None:
        """The label that says that the command has ended."""
        return next((label for label in self.labels if label.label == "exited"), None)


def names(folder: Path) -> list[str]:
    """Return the recordings of a folder that have labels."""
    return sorted(path.name.removesuffix(".cast") for path in folder.glob("*.cast"))


def read(folder: Path, name: str) -> Recording:
    """Read one recording; only its `.cast` must be there.

    Raises:
        RecordingError: a file is missing or is not what its name says.
    """
    lines = _lines(folder / f"{name}.cast", needed=True)
    cast = folder / f"{name}.cast"
    if not lines:
        raise RecordingError(f"{cast} is empty")
    return Recording(
        name=name,
        header=_decode(cast, lines[0], Header),
        stream=tuple(_decode(cast, line, tuple[float, str, str]) for line in lines[1:]),
        samples=_records(folder / f"{name}.proc.jsonl", Sample),
        hooks=_records(folder / f"{name}.hooks.jsonl", HookCall),
        labels=_labels(folder / f"{name}.labels.json"),
    )


def _labels(path: Path) -> tuple[Label, ...]:
    if not path.is_file():
        return ()
    truth: Truth = _decode(path, path.read_bytes(), Truth)
    return truth.labels


def _records(path: Path, kind: Any) -> tuple[Any, ...]:
    return tuple(_decode(path, line, kind) for line in _lines(path))


def _lines(path: Path, *, needed: bool = False) -> list[bytes]:
    if not needed and not path.is_file():
        return []
    try:
        return [line for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as exc:
        raise RecordingError(f"{path} cannot be read: {exc.strerror}") from exc


def _decode(path: Path, line: bytes, kind: Any) -> Any:
    try:
        return from_json(line, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise RecordingError(f"{path} is not such a file: {exc}") from exc
