"""Whether a project's settings have `ruff check` change files; held against the real ruff."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nagomi_tui.guard.files.folder import Here
from nagomi_tui.shell.classifier import classify
from nagomi_tui.shell.patterns import ANYWHERE, Patterns

COMMANDS = (
    "ruff check .",
    "ruff check --no-fix .",
    "ruff check --no-fix --no-fix-only .",
    "ruff check --diff .",
    "ruff check --isolated .",
    "cd sub && ruff check .",
    "bash -c 'cd sub; ruff check .'",
)
SETTINGS = {
    "none": {},
    "plain": {"ruff.toml": "line-length = 90\n"},
    "fix": {"ruff.toml": "fix = true\n"},
    "fix-only": {".ruff.toml": "fix-only = true\n"},
    "project": {"pyproject.toml": "[tool.ruff]\nfix = true\n"},
    "inline": {"pyproject.toml": "tool.ruff = { 'fix' = true }\n"},
    "another's": {"pyproject.toml": "[tool.other]\nfix = true\n"},
    "above": {"ruff.toml": "fix = true\n", "sub/pyproject.toml": "dependencies = ['ruff']\n"},
    "nearer": {"ruff.toml": "fix = true\n", "sub/ruff.toml": "line-length = 90\n"},
    "below": {"ruff.toml": "line-length = 90\n", "sub/ruff.toml": "fix = true\n"},
    "extended": {"ruff.toml": "extend = 'sub/other.toml'\n", "sub/other.toml": "fix = true\n"},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.requirement("DC-30")
def test_ruff_that_reads_changes_no_file(name: str, tmp_path: Path) -> None:
    """Whatever the classifier lets through leaves the files as they were."""
    ruff = Path(sys.executable).parent / "ruff"
    if not ruff.exists():
        pytest.skip("no ruff beside this Python")
    (tmp_path / "sub").mkdir()
    for place, text in SETTINGS[name].items():
        (tmp_path / place).write_text(text)
    verdicts = set()
    for command in COMMANDS:
        for place in ("a.py", "sub/a.py"):
            (tmp_path / place).write_text("import os\n")
        verdict = classify(command, Patterns(folder=Here(str(tmp_path)))).verdict
        verdicts.add(verdict)
        subprocess.run(
            ["bash", "-c", command.replace("ruff", str(ruff))], cwd=tmp_path, capture_output=True
        )
        kept = all((tmp_path / one).read_text() for one in ("a.py", "sub/a.py"))
        assert kept or verdict == "write", command
        assert verdict == "read" or name not in ("none", "plain", "another's"), command
    assert "read" in verdicts


@pytest.mark.requirement("DC-30")
def test_settings_that_nobody_can_read_count(tmp_path: Path) -> None:
    tmp_path = tmp_path / "project"

    def reads(command: str) -> bool:
        return classify(command, Patterns(folder=Here(str(tmp_path)))).verdict == "read"

    tmp_path.mkdir()
    (tmp_path / "ruff.toml").write_text("fix = false\n")
    (tmp_path / "x").mkdir()
    assert (
        reads("ruff check") and reads("cd x; cd ..; ruff check") and not reads("cd $x; ruff check")
    )
    for text in (b"\xff", b"extend = '$HOME/x.toml'", b"extend = 'ruff.toml'"):
        (tmp_path / "ruff.toml").write_bytes(text)
        assert not reads("ruff check"), text
        assert not reads("ruff check --no-fix") and reads(
            "ruff check --no-fix --no-fix-only --no-cache"
        )


@pytest.mark.requirement("DC-30")
def test_ruff_keeps_its_cache_where_nobody_told_it_to(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("cache-dir = '../elsewhere'\n")
    patterns = Patterns(folder=Here(str(tmp_path)))
    assert classify("ruff check", patterns).verdict == "write"
    assert "--no-cache" in classify("ruff check --diff", patterns).reason
    assert classify("ruff check --no-cache", patterns).verdict == "read"


@pytest.mark.requirement("DC-30")
def test_where_nobody_knows_the_folder_only_programs_of_the_system_read() -> None:
    """Others may be stand-ins of asdf or mise there, which run what a file of the folder names."""
    for command in (
        "ruff check --no-fix --no-fix-only --no-cache",
        "rg x",
        "kubectl get pods",
        "terraform -version",
    ):
        assert (
            classify(command, ANYWHERE).verdict == "write" and classify(command).verdict == "read"
        )
    assert classify("grep -rn x . | head -3; ls -la; df -h", ANYWHERE).verdict == "read"
