"""The orchestrator may have many files open, one or two for each hand; programs do not notice."""

from __future__ import annotations

import resource
import sys

import pytest

from tests.helpers.far_hands import add_plain
from tests.helpers.limits import files_at_first
from tests.helpers.workplace import create, wait_for, workplace

FILES = 250


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are read on Linux")
def test_its_limit_is_raised_and_that_of_programs_is_not() -> None:
    with files_at_first(FILES), workplace() as place, place.connect() as connection:
        soft, hard = resource.prlimit(place.orchestrator, resource.RLIMIT_NOFILE)
        assert soft == min(hard, 10_240)
        add_plain(place)
        for worker, cwd in (("local", "/tmp"), ("plain", "")):
            made = create(connection, "sh -c 'ulimit -S -n; cat'", cwd=cwd, worker_id=worker)
            wait_for(connection, made, f"^{FILES}$")
