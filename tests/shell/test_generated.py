"""DC-30: what is called a read changes nothing when it is run."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.shell import generated
from tests.shell.generated import in_parts, reads, reads_of_part, run_all


def _may_be_closed() -> bool:
    tried = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--net", "true"]
    try:
        return subprocess.run(tried, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


pytestmark = pytest.mark.skipif(not _may_be_closed(), reason="namespaces may not be made here")


@pytest.mark.requirement("DC-30")
def test_the_room_sees_what_is_changed() -> None:
    writes = ["touch n", "rm a", "echo x > a", "chmod 600 b", "mkdir m", "touch -d @1 a"]
    assert run_all(["ls", *writes, "cat a"]) == writes


@pytest.mark.requirement("DC-30")
def test_the_room_sees_what_printed_words_and_a_changed_path_do() -> None:
    writes = ["PATH=1; ls", "sort $(printf -- -on) a", "(( PATH = 10 )); ls"]
    assert run_all(["find $(pwd) -name q", *writes]) == writes
    if shutil.which("zsh"):
        own = ["ls ${v:-a(e#touch n#)}", "echo $v[PATH=1]; ls", "v=./-on; sort $v:t a"]
        assert run_all(own) == []
        assert run_all([*writes, *own], "zsh") == [*writes, *own]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=[pytest.mark.slow, pytest.mark.variant])]
)
@pytest.mark.requirement("DC-30")
def test_generated_reads_change_nothing(seed: int, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    drawn, found = reads(100, seed)
    assert drawn > 400
    assert run_all(found, shell) == []


@pytest.mark.requirement("DC-30")
def test_a_part_follows_from_its_seed_and_number() -> None:
    first, again, other = (reads_of_part(3, number, 500, 20) for number in (0, 0, 1))
    assert first == again != other
    assert first[0] > len(first[1]) == 20


@pytest.mark.requirement("DC-30")
def test_a_run_that_was_broken_off_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generated, "PART", 200)
    whole, changed = in_parts(500, 20, seed=3)
    assert whole[0] == 500 and whole[2] == 20 and changed == []
    assert "--seed 3 --from 2" in capsys.readouterr().err
    rest, _ = in_parts(500, 20, seed=3, first=2)
    assert (rest[0], rest[2]) == (100, 7) and rest[1] < whole[1]
