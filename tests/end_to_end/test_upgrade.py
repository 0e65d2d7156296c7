"""An upgrade in place: the files of another version give way to ours while sessions print.

`NAGOMI_TEST_BEFORE` names the checkout of the version before, as in
`git worktree add /tmp/before TAG && NAGOMI_TEST_BEFORE=/tmp/before python -m pytest THIS`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.helpers.waiting import until
from tests.helpers.workplace import Place, workplace

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE: Final = os.environ.get("NAGOMI_TEST_BEFORE", "")
_OURS: Final = Path(__file__).parents[2]
_SESSIONS: Final = 8
_LINES: Final = 20_000
_PRINTS: Final = (
    "i=0; while [ $i -lt 20000 ]; do seq -f n%.0f $((i+1)) $((i+200)); i=$((i+200)); sleep 0.2; done;"
    " exec cat"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _BEFORE, reason="NAGOMI_TEST_BEFORE names no checkout"),
    pytest.mark.timeout(300),
]


class Installed:
    """One place for nagomi's files, which an upgrade swaps under whatever runs."""

    def __init__(self, link: Path, place: Place) -> None:
        self._link = link
        self._place = place

    def install(self, checkout: Path) -> None:
        """Put the files of a checkout in the place, in one step."""
        new = self._link.with_suffix(".new")
        new.symlink_to(checkout)
        new.rename(self._link)

    def run(self, *arguments: str) -> str:
        """Run a command of what is installed now."""
        env = {
            **os.environ,
            "NAGOMI_HOME": str(self._place.home),
            "PYTHONPATH": f"{self._link}:{self._link / 'worker'}",
        }
        done = subprocess.run(
            [sys.executable, "-P", "-m", "nagomi_tui", *arguments],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90,
        )  # fmt: skip
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installed]:
    """The version before, with a workplace of its own that nothing runs in yet."""
    with workplace(start=False) as place:
        found = Installed(tmp_path / "nagomi", place)
        found.install(Path(_BEFORE))
        yield found


def test_a_reload_adopts_what_the_version_before_has_started(installed: Installed) -> None:
    names = [f"prints-{number}" for number in range(_SESSIONS)]
    for name in names:
        installed.run("new", "--name", name, _PRINTS)
    until(lambda: "n2000\n" in installed.run("capture", names[-1], "--history"), "first output")
    before = _processes(installed)
    installed.install(_OURS)
    installed.run("reload")
    for name in names:
        until(
            lambda name=name: _last(installed, name) == _LINES, f"all lines of {name}", patience=120
        )
        numbers = [
            int(line[1:])
            for line in installed.run("capture", name, "--history").split()
            if line.startswith("n")
        ]
        # The history holds 20,000 lines, of which a few may be blank ones below the last.
        assert numbers == list(range(numbers[0], _LINES + 1)) and numbers[0] < 60, name
    assert _processes(installed) == before


def _processes(installed: Installed) -> dict[str, int]:
    listed = json.loads(installed.run("ls", "--json"))
    return {one["name"]: one["pid"] for one in listed}


def _last(installed: Installed, name: str) -> int:
    lines = installed.run("capture", name).split()
    return int(lines[-1][1:]) if lines else 0
