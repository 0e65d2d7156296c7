"""Builds the wheel, installs it into a clean environment, and works with it. Not a pytest file.

`make check` runs it. Nothing is downloaded: the build tools and the dependencies are those of
the development environment.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
import zipfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
_SECONDS: Final = 60


class Place:
    """An environment with the wheel, an empty folder to stand in, and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "venv" / "bin" / "python"
        self.here = folder / "empty"
        self.here.mkdir()
        self.env = {
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "NAGOMI_HOME": str(folder / "home"),
            "PATH": f"{self.python.parent}:/usr/local/bin:/usr/bin:/bin",
            "SHELL": "/bin/sh",
            "TERM": "xterm-256color",
        }
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        packages = Path(self.run("python", "-c", "import site; print(site.getsitepackages()[0])"))
        (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def install(self, wheel: Path) -> None:
        """Install the wheel over what is there, without its dependencies."""
        _run(
            sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet",
            "--disable-pip-version-check", "--no-deps", "--no-index", "--force-reinstall",
            str(wheel),
        )  # fmt: skip

    def run(self, *command: str) -> str:
        """Run an installed command and return what it printed."""
        program = str(self.python.with_name(command[0]))
        return _run(program, *command[1:], cwd=self.here, env=self.env).strip()

    def json(self, *command: str) -> Any:
        """Run an installed command and return the JSON that it printed."""
        return json.loads(self.run(*command))


def _run(*command: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=_SECONDS
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(source: Path, folder: Path) -> Path:
    """Build the wheel of a source tree offline and return it."""
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_contents(wheel: Path) -> None:
    """Hold that everything needed is inside, and nothing else."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    unknown = {top for top in tops if not top.endswith((".dist-info", ".data"))}
    _hold(unknown == {"nagomi_tui", "nagomi_worker"}, f"only two packages, not {unknown}")
    for wanted in (
        "nagomi_tui/py.typed",
        "nagomi_worker/py.typed",
        "nagomi_tui/locale/ja/LC_MESSAGES/nagomi.mo",
    ):
        _hold(wanted in names, f"{wanted} is in the wheel")
    for folder in ("characters", "config", "docs"):
        inside = f"nagomi_tui/_shipped/{folder}/"
        _hold(any(name.startswith(inside) for name in names), f"{inside} is in the wheel")
    _hold(any(name.endswith("share/man/man1/nagomi.1") for name in names), "man finds its page")
    _hold(any(name.endswith("licenses/LICENSE") for name in names), "the licence is in the wheel")
    _hold(not any("__pycache__" in name for name in names), "no caches are in the wheel")


def check_work(place: Place) -> None:
    """Start a session from an empty folder, look at it, and see that it runs there."""
    _hold(place.run("nagomi", "--version").startswith("nagomi "), "nagomi tells its version")
    _hold("# Keys" in place.run("nagomi", "help", "keys"), "the pages are read in the terminal")
    checks = {check["key"]: check for check in place.json("nagomi", "doctor", "--json")["checks"]}
    _hold(checks["engine"]["found"].startswith("ghostty"), "the quick engine loads")
    made = place.json("nagomi", "new", "--json", "--", "echo hello from $PWD; exec cat")
    _hold(made["number"] == 1, "the first session has number 1")
    place.run("nagomi", "wait", "1", "--until", "output", "hello from .*empty", "--timeout", "20")
    place.run("nagomi", "send", "1", "日本語")
    _await(lambda: place.run("nagomi", "capture", "1").count("日本語") >= 2, "cat answers")


def check_upgrade(place: Place, wheel: Path) -> None:
    """Install a higher version over the running one; after a reload the session is the same."""
    before = place.json("nagomi", "ls", "--json")[0]
    place.install(wheel)
    place.run("nagomi", "reload")
    after = place.json("nagomi", "doctor", "--json")["orchestrator"]
    _hold(after["version"] == "99.0.0", f"the new version serves, not {after['version']}")
    session = place.json("nagomi", "ls", "--json")[0]
    _hold(session["pid"] == before["pid"], "the session's command was not touched")
    _hold("日本語" in place.run("nagomi", "capture", "1"), "its screen is what it was")


def higher_version(folder: Path) -> Path:
    """Build a wheel of the same source with a higher version."""
    kept = ("nagomi_tui", "worker", "characters", "config")
    for name in kept:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "docs").mkdir()
    shutil.copy(ROOT / "docs/nagomi.1", folder / "docs/nagomi.1")
    module = folder / "nagomi_tui" / "__init__.py"
    current = _run(sys.executable, "-c", "import nagomi_tui; print(nagomi_tui.__version__)").strip()
    module.write_text(module.read_text().replace(f'"{current}"', '"99.0.0"'))
    return build(folder, folder / "dist")


def _hold(true: bool, what: str) -> None:
    if not true:
        sys.exit(f"wheel check: it does not hold that {what}")


def _await(holds: Any, what: str) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        _hold(time.monotonic() < deadline, what)
        time.sleep(0.1)


def main() -> None:
    """Check the wheel of this checkout."""
    folder = Path(tempfile.mkdtemp(prefix="ngw", dir="/tmp"))
    os.environ.pop("NAGOMI_SESSION_ID", None)
    try:
        wheel = build(ROOT, folder / "dist")
        check_contents(wheel)
        place = Place(folder)
        place.install(wheel)
        try:
            check_work(place)
            check_upgrade(place, higher_version(folder / "next"))
        finally:
            place.run("nagomi", "quit", "--yes")
        print(f"wheel check: {wheel.name} installs, works and is upgraded under a session")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
