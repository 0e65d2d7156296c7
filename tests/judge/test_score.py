"""The judge measured on recordings, and the measure itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from nagomi_tui.cli import main
from nagomi_tui.judge import replay
from nagomi_tui.judge.replay import Label, Replay, Step, score
from nagomi_tui.judge.senses.observer import Senses
from nagomi_tui.judge.verdict import State
from tests.helpers.judge_story import BOOK

FOLDER = Path(__file__).with_name("recordings")


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("name", replay.names(FOLDER))
def test_recorded_programs_are_judged_right(name: str, keys: bool) -> None:
    read = replay.read(FOLDER, name)
    steps = Replay(read, BOOK, Senses(), keys=keys).run()
    found = score(name, read.labels, steps)
    assert found.right / found.samples >= 0.98, found.wrong
    assert found.worst_wrong_s <= 2.0
    assert (found.false_calls, found.missed_calls, found.flicker) == (0, 0, 0)


@pytest.mark.parametrize("name", [one for one in replay.names(FOLDER) if "claude" in one])
@pytest.mark.parametrize("left_out", ["hooks", "titles"])
def test_no_dialog_of_an_agent_is_missed_where_it_tells_less(name: str, left_out: str) -> None:
    read = replay.read(FOLDER, name)
    steps = Replay(read, BOOK, Senses(**{left_out: False}), keys=True).run()
    found = score(name, read.labels, steps)
    assert (found.false_calls, found.missed_calls) == (0, 0), found.wrong


LABELS = [
    Label(0.0, "idle"),
    Label(2.0, "running"),
    Label(4.0, "needs_attention"),
    Label(8.0, "turn_done_failure", ("idle",)),
    Label(12.0, "exited", (), 1),
]
R, A, U = State.RUNNING, State.ATTENTION, State.UNKNOWN
S, T, F = State.SUCCESS, State.THINKING, State.FAILURE


def measured(*shown: tuple[float, State]) -> dict[str, Any]:
    found = score("x", LABELS, [Step(at, state, "rule") for at, state in shown])
    return {
        "all": found.right / found.samples,
        "merged": found.right_coarse / found.samples,
        "worst": found.worst_wrong_s,
        "calls": (found.false_calls, found.missed_calls, found.flicker),
    }


def test_what_is_right_within_half_a_second_is_all_right() -> None:
    shown = measured((0, U), (2.4, R), (4.4, A), (8.4, F))
    assert shown == {"all": 1.0, "merged": 1.0, "worst": 0.0, "calls": (0, 0, 0)}


def test_an_accepted_other_label_counts() -> None:
    assert measured((0, U), (2.4, R), (4.4, A), (8.4, U))["all"] == 1.0


def test_merged_takes_rest_for_rest_and_work_for_work() -> None:
    shown = measured((0, S), (2, T), (4, A), (8, S))
    assert shown["merged"] == 1.0
    assert shown["all"] < 0.6
    assert [measured((0, state))["merged"] for state in (U, R, A)] == [0.5, 0.15, 0.35]


def test_the_worst_stretch_is_measured_over_changes_of_the_truth() -> None:
    assert measured((0, U), (8, F))["worst"] == pytest.approx(8.0 - 2.5)


def test_calls_that_are_false_or_missed_are_counted() -> None:
    assert measured((0, U), (2, R), (2.9, A), (3.3, R), (8, F))["calls"][:2] == (1, 1)


def test_a_state_that_flashes_up_is_a_flicker() -> None:
    assert measured((0, U), (1, R), (1.5, U), (2, R), (4, A), (8, F))["calls"][2] == 1


def test_judge_score_prints_json_by_session_and_in_total(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["judge", "score", str(FOLDER), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["sessions"]) == set(replay.names(FOLDER))
    assert {
        "right_all", "right_merged", "worst_wrong_s", "false_calls", "missed_calls", "flicker",
    } <= set(told["total"])  # fmt: skip
    assert told["total"]["right_merged"] >= 0.99


@pytest.mark.parametrize("sense", ["hooks", "titles", "process", "screen", "shell-integration"])
def test_judge_score_can_leave_a_sense_out(sense: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "score", str(FOLDER), "--json", "--without", sense]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["right_all"] > 0.5


def test_judge_score_names_the_file_that_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", "score", str(tmp_path)]) == 1
    assert "no labelled recordings" in capsys.readouterr().err
    for path in FOLDER.glob("sh-two.*"):
        shutil.copy(path, tmp_path)
    (tmp_path / "sh-two.proc.jsonl").write_text("not json\n")
    assert main(["judge", "score", str(tmp_path)]) == 1
    assert "sh-two.proc.jsonl is not such a file" in capsys.readouterr().err


def test_samples_begin_half_a_second_behind_a_change_and_come_four_times_a_second() -> None:
    assert score("x", LABELS, [Step(0.0, U, "rule")]).samples == 6 + 6 + 14 + 14
    assert measured((0, U), (2.5, R), (4.5, A), (8.5, F))["all"] == 1.0
    assert measured((0, U), (2.6, R), (4.5, A), (8.5, F))["all"] == 39 / 40


def test_a_wrong_stretch_is_told_once_with_its_rule() -> None:
    steps = [Step(0.0, U, "silence"), Step(2.0, R, "output"), Step(8.0, F, "words")]
    assert score("x", LABELS, steps).wrong == ("4.50 s: attention shown as running (output)",)
    steps = [
        Step(0.0, R, "output"),
        Step(5.0, U, "silence"),
        Step(6.0, A, "asks"),
        Step(8.0, F, "words"),
    ]
    assert score("x", LABELS, steps).wrong == (
        "0.50 s: unknown shown as running (output)",
        "4.50 s: attention shown as running (output)",
        "5.00 s: attention shown as unknown (silence)",
    )


@pytest.mark.parametrize(
    ("at", "false"), [(0.0, 1), (3.4, 1), (3.5, 0), (8.4, 0), (8.5, 1), (11.9, 1), (12.0, 0)]
)
def test_a_call_counts_as_false_half_a_second_beside_its_question(at: float, false: int) -> None:
    assert measured((0, U), (at, A), (at + 0.1, U))["calls"][0] == false


def test_what_was_shown_when_the_recording_began_is_no_call() -> None:
    assert measured((0, A), (0.1, U))["calls"][0] == 0


@pytest.mark.parametrize(
    ("labels", "shown", "missed"),
    [
        ([Label(0, "idle"), Label(2, "needs_attention"), Label(4, "idle")], [(0, U)], 1),
        ([Label(0, "idle"), Label(2, "needs_attention"), Label(4, "idle")], [(0, A), (2.1, U)], 0),
        ([Label(0, "idle"), Label(2, "needs_attention"), Label(4, "idle")], [(0, U), (4, A)], 1),
        ([Label(0, "idle"), Label(2, "needs_attention"), Label(4, "idle")], [(0, U), (3.9, A)], 0),
        ([Label(0, "idle"), Label(2, "needs_attention"), Label(2.5, "idle")], [(0, U)], 0),
        ([Label(0, "idle"), Label(2, "needs_attention"), Label(2.6, "idle")], [(0, U)], 1),
        ([Label(0, "idle"), Label(2, "needs_attention", ("idle",)), Label(4, "idle")], [(0, U)], 0),
    ],
)
def test_a_question_is_missed_if_nothing_called_while_it_stood(
    labels: list[Label], shown: list[tuple[float, State]], missed: int
) -> None:
    labels = [*labels, Label(9.0, "exited")]
    steps = [Step(at, state, "rule") for at, state in shown]
    assert score("x", labels, steps).missed_calls == missed


@pytest.mark.parametrize(
    ("shown", "flickers"),
    [
        ([(0, U), (1.0, A), (1.4, U)], 1),
        ([(0, U), (0.5, A), (1.5, U)], 0),
        ([(0, U), (1.0, A), (1.4, S)], 0),
        ([(0, U), (1.2, R), (1.5, U)], 1),
        ([(0, U), (1.2, R), (1.6, U)], 0),
        ([(0, A), (4.5, R), (4.9, A)], 1),
        ([(0, A), (4.4, R), (4.9, A)], 0),
    ],
)
def test_a_flicker_is_short_untrue_and_gives_way_to_what_was_before(
    shown: list[tuple[float, State]], flickers: int
) -> None:
    assert measured(*shown)["calls"][2] == flickers
