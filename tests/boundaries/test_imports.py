"""Who may import whom, checked by the contracts and in fresh interpreters."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]


def _fresh(code: str) -> subprocess.CompletedProcess[str]:
    """Run `code` in an interpreter that has imported nothing of ours yet."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "worker")))}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60
    )


def _imported(code: str) -> set[str]:
    """Return the names of every module loaded once `code` has run."""
    done = _fresh(f"{code}\nimport sys\nprint('\\n'.join(['MODULES', *sys.modules]))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.partition("MODULES\n")[2].split())


def _packages(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


@pytest.mark.requirement("F-6", "F-7")
def test_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


_ASKS: Final = re.compile(r"\bsys\.platform\b|\bos\.name\b|\bplatform\.system\(|from sys import")


_ALONE: Final = frozenset({
    "nagomi_tui/event.py", "nagomi_tui/hands/far_side.py",
    "nagomi_tui/orchestrator/runtime/matcher.py", "nagomi_tui/outside.py",
})  # fmt: skip
"""Programs that are run by their path."""
_FIRST: Final = frozenset({"nagomi_tui/guard/hook/entrance.py"})
"""What sets a deadline before anything is imported."""


def test_only_the_folder_system_asks_which_system_this_is() -> None:
    """What an agent or a far machine runs stands alone, and the worker answers its own questions."""
    asking = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "nagomi_tui").rglob("*.py")
        if _ASKS.search(file.read_text(encoding="utf-8"))
    }
    assert {name for name in asking if not name.startswith("nagomi_tui/system/")} == _ALONE | _FIRST
    assert "nagomi_tui/system/platforms.py" in asking


@pytest.mark.parametrize("name", sorted(_ALONE))
def test_what_is_run_by_its_path_imports_nothing_of_ours(name: str) -> None:
    assert not re.search(r"^(?:from|import) nagomi_", (ROOT / name).read_text(), re.MULTILINE)


@pytest.mark.requirement("N-23", "N-28", "F-3")
def test_worker_imports_nothing_of_nagomi_tui() -> None:
    loaded = _packages(_imported("import nagomi_worker.wire.protocol, nagomi_worker.__main__"))
    assert "nagomi_worker" in loaded
    assert not loaded & {"nagomi_tui", "textual", "anyio", "pyghostty", "pyte"}


@pytest.mark.skipif(sys.platform == "win32", reason="a loopback socket needs a token there")
@pytest.mark.requirement("N-25")
def test_those_that_stay_for_months_load_little() -> None:
    """Each of these takes some of the memory of every worker, and OpenSSL the most."""
    heavy = {"asyncio", "hashlib", "http", "secrets", "ssl", "tempfile", "urllib.request"}
    host = "import nagomi_worker.__main__\nfrom nagomi_worker.pty import host\nhost.host()"
    assert not _imported(host) & {*heavy, "email", "nagomi_worker.bridge"}
    assert not _imported("import nagomi_tui.orchestrator.supervisor") & {*heavy, "msgspec"}


def test_who_lends_its_terminal_loads_no_event_loop_to_give_it_back() -> None:
    loaded = _imported("import nagomi_tui.view.driver.modes, nagomi_tui.view.driver.starter")
    assert not _packages(loaded) & {"asyncio", "anyio", "textual", "rich"}


@pytest.mark.requirement("N-25")
def test_the_agent_loads_neither_a_server_nor_a_models_client_before_they_are_needed() -> None:
    loaded = _packages(_imported("import nagomi_tui.agent.resident.process"))
    assert "anyio" in loaded
    assert not loaded & {"anthropic", "httpx", "openai", "pydantic", "starlette", "uvicorn"}


@pytest.mark.requirement("F-4")
def test_leaves_load_no_event_loop() -> None:
    code = (
        "import pkgutil, importlib\n"
        "for leaf in ('masking', 'sessions', 'shell', 'text'):\n"
        "    package = importlib.import_module(f'nagomi_tui.{leaf}')\n"
        "    for found in pkgutil.walk_packages(package.__path__, f'nagomi_tui.{leaf}.'):\n"
        "        importlib.import_module(found.name)"
    )
    loaded = _imported(code)
    assert "nagomi_tui.sessions.session" in loaded
    assert not _packages(loaded) & {"anyio", "asyncio", "textual", "nagomi_worker"}


@pytest.mark.parametrize("arguments", [["--help"], ["new", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "from nagomi_tui.cli import main\n"
        f"try:\n    main({arguments!r})\n"
        "except SystemExit as end:\n    assert not end.code, end.code"
    )
    heavy = {"anyio", "asyncio", "textual", "msgspec", "platformdirs", "subprocess", "pyghostty"}
    assert not _packages(_imported(code)) & heavy


def test_the_name_is_shown_before_anything_is_loaded() -> None:
    """Each of these takes milliseconds, of the 30 that `nagomi ls` takes."""
    loaded = _imported("import nagomi_tui.__main__, nagomi_tui.commands.start.quick")
    assert "nagomi_tui.commands.start.splash" in loaded
    assert not loaded & {"contextlib", "json", "logging", "pathlib", "subprocess", "typing"}


def test_the_front_end_loads_no_rules_before_its_first_frame() -> None:
    """They are many regular expressions, which a start would wait for."""
    loaded = _imported("import nagomi_tui.view.app.application")
    assert "textual.app" in loaded
    late = ("nagomi_tui.judge.shapes", "nagomi_tui.masking", "nagomi_tui.shell")
    assert not [name for name in loaded if name.startswith(late)]
