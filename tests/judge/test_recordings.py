"""What the judge says of recorded agents and programs, from moment to moment.

`recordings.tar.xz` holds 170 labelled recordings, `said.jsonl` what was said of each when it was last
written: `python -m tests.judge.test_recordings` writes it anew after a change that was wanted.
"""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nagomi_tui.judge import account, loading, replay
from nagomi_tui.judge.choices import read_arrows, read_draft, read_question
from nagomi_tui.judge.replay import Replay, score
from nagomi_tui.judge.resolver import agent_questions, foreground_manifest
from nagomi_tui.judge.senses.observer import Senses
from tests.helpers.judge_story import BOOK

ARCHIVE = Path(__file__).with_name("recordings.tar.xz")
SAID = Path(__file__).with_name("said.jsonl")
AGENTS = [manifest.name for manifest in BOOK.manifests if manifest.kind == "agent"]
WAYS = {
    "all": (BOOK, Senses()),
    "screen": (BOOK, Senses(hooks=False, titles=False, process=False, shell_integration=False)),
    "without its own rules": (loading.load(Path("/nonexistent"), without=AGENTS).book, Senses()),
}


class Told(Replay):
    """A replay that keeps all that is said when any of it changes, with the time of each."""

    said: list[list[Any]]
    last: tuple[object, ...] = ()

    def _note(self) -> None:
        super()._note()
        judge = self.judge
        finding = judge.shown.finding
        key = (finding.state, finding.rule, judge.known.mark, judge.profile, judge.mismatch)
        if key != self.last:
            self.last = key
            self.said.append([round(judge.known.now, 3), *self._words()])

    def _words(self) -> Iterator[object]:
        judge = self.judge
        finding, known = judge.shown.finding, judge.known_of_shown
        verdict = account.verdict(finding, known, judge.book, str)
        yield from (finding.state, finding.rule, verdict.confidence, verdict.summary)
        yield [*verdict.evidence, *(action.command for action in verdict.next_actions)]
        yield f"{judge.profile} {judge.version} {judge.mismatch or ''} {known.mark}".strip()
        manifest = foreground_manifest(judge.known, judge.book) or judge.book.named("generic")
        assert manifest is not None
        rows, cursor = self.engine.screen(), self.engine.cursor
        asks = (
            *manifest.question,
            *(agent_questions(judge.agent, judge.book) if judge.agent else ()),
        )
        question = read_question(asks, rows, cursor) or read_arrows(rows, asks=bool(judge.agent))
        yield msgspec.to_builtins(question)
        yield manifest.input and read_draft(manifest.input, rows)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder with all recordings, which lasts as long as this process."""
    folder = tempfile.TemporaryDirectory(prefix="recordings-")
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is not None
            Path(folder.name, member.name).write_bytes(file.read())
    return folder


def _said(name: str, way: str) -> dict[str, Any]:
    read = replay.read(Path(_folder().name), name)
    told = Told(read, *WAYS[way], keys=True)
    told.said = []
    found = score(name, read.labels, told.run())
    counts = [found.samples, found.right, found.right_coarse, found.false_calls, found.missed_calls]
    return {"name": name, "way": way, "score": counts, "said": json.loads(json.dumps(told.said))}


@cache
def _kept() -> dict[tuple[str, str], dict[str, Any]]:
    lines = map(json.loads, SAID.read_text("utf-8").splitlines())
    return {(line["name"], line["way"]): line for line in lines}


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=[pytest.mark.slow] if way != "all" else [])
        for name, way in _kept()
    ],
)
@pytest.mark.requirement("N-85")
def test_what_is_said_of_a_recording_is_as_before(name: str, way: str) -> None:
    assert _said(name, way) == _kept()[name, way]


def test_nothing_is_called_in_vain_and_no_more_is_missed_than_is_known() -> None:
    scores = {name: line["score"] for (name, way), line in _kept().items() if way == "all"}
    assert len(scores) == 170
    samples, right, merged, false, missed = map(sum, zip(*scores.values(), strict=True))
    assert right / samples > 0.97 and merged / samples > 0.98 and false == 0
    assert [name for name, score in scores.items() if score[4]] == ["docker-login"]


def _write() -> None:
    with SAID.open("w", encoding="utf-8") as file:
        for name in replay.names(Path(_folder().name)):
            said = {way: _said(name, way) for way in WAYS}
            for way, one in said.items():
                if way == "all" or one["said"] != said["all"]["said"]:
                    print(json.dumps(one, ensure_ascii=False), file=file)


if __name__ == "__main__":
    _write()
