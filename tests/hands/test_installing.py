"""`nagomi hands install`: the far side's own pip or uv, with wheels and nothing else to fetch."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from nagomi_tui.cli import main
from nagomi_tui.hands import bringing as bring
from nagomi_tui.hands import bringing as packing
from nagomi_tui.hands import registry
from nagomi_tui.hands.hand import BadHand, Hand
from nagomi_tui.hands.installing import install
from tests.helpers.far import FarSide, brought, far_side, works

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the far side has a POSIX shell")


@pytest.fixture
def far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FarSide:
    """A far side with one Python, which gets no compiled modules with its worker."""
    side = far_side(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "python3").symlink_to(os.path.realpath(sys.executable))
    side.env["PATH"] = f"{tools}:{side.env['PATH']}"
    monkeypatch.setattr(bring, "_PYTHONS", (bring._PYTHONS[0], "python3"))
    monkeypatch.setattr(packing, "SUFFIX", ".other.so")
    packing._packed.cache_clear()
    yield side
    packing._packed.cache_clear()


def hand(far: FarSide, **env: str) -> Hand:
    words = [f"{name}={value}" for name, value in {**far.env, **env}.items()]
    return Hand(name="there", command=("env", "-i", *words))


def wheels(folder: Path) -> Path:
    """Make wheels of the packages that are installed here."""
    folder.mkdir()
    for name in ("msgspec", "psutil"):
        found = metadata.distribution(name)
        text = found.read_text("WHEEL") or ""
        tag = next(line for line in text.splitlines() if line.startswith("Tag: "))[5:]
        with zipfile.ZipFile(folder / f"{name}-{found.version}-{tag}.whl", "w") as wheel:
            for path in found.files or ():
                if "__pycache__" not in path.parts and ".." not in path.parts:
                    wheel.write(str(path.locate()), str(path))
    return folder


def give_uv(far: FarSide) -> None:
    """Have the real uv there, where its installer puts it."""
    if not (program := shutil.which("uv")):
        pytest.skip("there is no uv on this machine")
    path, home = os.environ["PATH"], os.environ["HOME"]
    uv = far.home / ".local" / "bin" / "uv"
    uv.parent.mkdir(parents=True)
    uv.write_text(f'#!/bin/sh\nPATH={path} HOME={home} exec {program} "$@"\n')
    uv.chmod(0o755)


def only_old_python(far: FarSide) -> None:
    python = far.home.parent / "bin" / "python3"
    python.unlink()
    python.write_text("#!/bin/sh\necho 309\n")
    python.chmod(0o755)


def is_plain(far: FarSide) -> bool:
    with far.line() as line:
        running = brought(line)
        works(line)
    return running.plain


@pytest.mark.slow
@pytest.mark.parametrize("by", ["pip", "uv"])
def test_the_worker_runs_with_what_was_installed(far: FarSide, tmp_path: Path, by: str) -> None:
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels(tmp_path / "wheels"))}
    if by == "uv":
        give_uv(far)
        offline = {"UV_OFFLINE": "1", "UV_FIND_LINKS": offline["PIP_FIND_LINKS"]}
    assert is_plain(far)
    for _ in range(2 if by == "uv" else 1):  # it may be done again
        assert install(hand(far, **offline), {}) == (by, "")
    assert not is_plain(far)
    assert os.listdir(far.home / ".local/share/nagomi") == ["python"]


@pytest.mark.slow
def test_where_nothing_can_be_fetched_that_is_told_and_the_worker_runs(far: FarSide) -> None:
    with pytest.raises(BadHand, match="Nothing was installed .*No matching distribution"):
        install(hand(far, PIP_NO_INDEX="1"), {})
    assert os.listdir(far.home / ".local/share/nagomi") == []
    assert is_plain(far)


@pytest.mark.slow
def test_uv_brings_a_python_even_where_it_fetches_nothing_else(far: FarSide) -> None:
    give_uv(far)
    only_old_python(far)
    done = install(hand(far, UV_OFFLINE="1"), {})
    assert done.by == "uv" and done.half
    assert is_plain(far)


def test_without_uv_and_python_the_sentence_says_what_to_install(far: FarSide) -> None:
    only_old_python(far)
    with pytest.raises(BadHand, match="neither uv nor a Python of 3.11"):
        install(hand(far), {})


def test_a_hand_with_a_worker_of_its_own_and_one_that_is_shut_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry.add(Hand(name="own", command=("env",), program=("python3", "-m", "nagomi_worker")))
    assert main(["hands", "install", "own"]) == 2
    assert "own names its own worker" in capsys.readouterr().err
    shut = ["hands", "add", "command", "--name", "shut", "--install", "--yes", "--", "sh", "-c"]
    assert main([*shut, "echo the road is closed >&2; exit 9"]) == 2
    assert "shut was not reached: the road is closed" in capsys.readouterr().err
    assert registry.load().get("shut")
