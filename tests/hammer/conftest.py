"""One line for each scenario, told as it ends; chance is seeded, so that a run can be repeated."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Final

import pytest

from tests.hammer.vitals import attended

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.helpers.workplace import Place

SEED: Final = os.environ.get("NAGOMI_HAMMER_SEED", "20261122")


@pytest.fixture(autouse=True)
def nagomi_home() -> None:
    """Scenarios make their workplaces themselves, some for several tests."""


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Chance of this scenario alone: the others do not change what it meets."""
    return random.Random(f"{SEED} {request.node.name}")


@pytest.fixture
def seen(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Take a few words on what was seen, for the scenario's line."""
    return lambda words: record_property("seen", words)


@pytest.fixture
def place(seen: Callable[[str], None]) -> Iterator[Place]:
    """A workplace that must be well at the end, and leave nothing when it is quit."""
    with attended(seen) as found:
        yield found


class Teller:
    """Writes the lines, in the process that has the terminal."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._faults: dict[str, str] = {}
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell how a scenario went, when it is over."""
        name = report.nodeid
        self._seconds[name] = self._seconds.get(name, 0) + report.duration
        if not report.passed:
            self._faults.setdefault(name, f"{report.outcome}: {_first_line(report)}")
        if report.when == "teardown":
            writer = self._config.pluginmanager.get_plugin("terminalreporter")
            writer.write_line(self._line(name, report.user_properties))

    def _line(self, name: str, properties: list[tuple[str, object]]) -> str:
        seen = [str(value) for key, value in properties if key == "seen"]
        words = "; ".join([*seen, self._faults.get(name, "ok")])
        short = name.partition("/hammer/test_")[2].replace(".py::test_", ": ")
        return f"{self._seconds[name]:5.1f} s  {short}  {words}"


def pytest_configure(config: pytest.Config) -> None:
    """Tell the seed, and then one line for each scenario."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Teller(config))
        print(f"seed {SEED} (NAGOMI_HAMMER_SEED sets another)")


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Leave the dots out."""
    return (report.outcome, "", "") if report.when == "call" else None


def _first_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    told = crash.message if crash else report.longrepr
    return str(told[2] if isinstance(told, tuple) else told).partition("\n")[0][:200]
