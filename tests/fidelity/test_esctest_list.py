"""The committed list of esctest2's failures can be read, and its head says what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fidelity.esctest import compare, outcomes
from tests.fidelity.esctest_list import UNEXPLAINED, figures, read, render

if TYPE_CHECKING:
    from pathlib import Path

LOG = """Run test: ATests.test_good
Passed.
Run test: ATests.test_old
Skipped because terminal lacks requisite capability: x
Run test: ATests.test_bad
*** TEST ATests.test_bad FAILED:
Traceback (most recent call last):
esctypes.TestFailure: Test failed: expected '1' but got '2'
"""


def test_every_failure_has_its_reason() -> None:
    known = read()
    assert not [name for name, reason in known.items() if reason.startswith(UNEXPLAINED)]
    assert list(known) == sorted(known)


def test_the_head_counts_the_list() -> None:
    said = figures()
    assert said["failed"] == len(read())
    assert said["all"] == said["passed"] + said["failed"] + said["skipped"]


def test_a_run_is_compared_with_the_list(tmp_path: Path) -> None:
    found = outcomes(LOG)
    assert list(found.values())[:2] == ["passed", "skipped"]
    assert compare(found, {"ATests.test_bad": "a reason"}) == []
    assert compare(found, {}) == [
        "fails, and is not on the list: ATests.test_bad: "
        "esctypes.TestFailure: Test failed: expected '1' but got '2'"
    ]
    good = {"ATests.test_good": "x", "ATests.test_bad": "a reason", "BTests.test_other": "y"}
    assert compare(found, good) == ["is on the list, and passes: ATests.test_good"]
    path = tmp_path / "list"
    path.write_text(render(found, good))
    assert read(path) == {"ATests.test_bad": "a reason"}
    assert figures(path) == {"passed": 1, "failed": 1, "skipped": 1, "all": 3}


@pytest.mark.parametrize("line", ["ATests.test_a", "test_a  reason", "ATests.test_a reason"])
def test_a_line_of_another_form_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "list"
    path.write_text(line)
    with pytest.raises(ValueError, match="line 1"):
        read(path)
