"""Commands that run a project's own code: its tests, builds and checks, and what is told to Python.

What such code writes nobody can tell before. In strict mode it may run in discussion nonetheless,
while the kernel holds the project.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_PYTHON: Final = (
    "-c", "-m pytest", "-m unittest", "-m mypy", "-m ruff", "-m coverage", "-m compileall", "-m doctest",
    "-m timeit",
)  # fmt: skip
_PYTHON_TOOLS: Final = (
    "pytest", "mypy", "ruff", "pyright", "tox", "nox", "coverage", "hypothesis", "pylint", "flake8",
)  # fmt: skip
_NODE_TOOLS: Final = (
    "jest", "vitest", "mocha", "ava", "tsc", "eslint", "vite build", "webpack", "rollup", "esbuild", "next build",
    "playwright test",
)  # fmt: skip
_PACKAGE_RUNNERS: Final = (
    "test", "t", "run test", "run build", "run lint", "run check", "run typecheck",
)  # fmt: skip
_OTHERS: Final = (
    "make", "ctest", "cmake --build", "ninja", "meson test", "meson compile", "bazel test", "bazel build",
    "cargo test", "cargo build", "cargo check", "cargo clippy", "cargo nextest", "cargo bench", "go test",
    "go build", "go vet", "node -e", "node --test", "node -p", "deno test", "deno check", "bun test",
    "ruby -e", "bundle exec rspec", "rspec", "bundle exec rake test", "perl -e", "php -r", "vendor/bin/phpunit",
    "phpunit", "mvn test", "mvn verify", "mvn compile", "gradle test", "gradle build", "./gradlew test",
    "./gradlew build", "./mvnw test", "./mvnw verify", "dotnet test", "dotnet build", "swift test", "swift build",
    "mix test", "sbt test", "stack test", "cabal test", "zig build", "zig test",
)  # fmt: skip
_TABLE: Final = "/proc/{pid}/mountinfo"


def _lines() -> Iterator[str]:
    yield from _OTHERS
    for place in ("", ".venv/bin/", "venv/bin/", "./.venv/bin/"):
        for name in ("python", "python3"):
            yield from (f"{place}{name} {rest}" for rest in _PYTHON)
        yield from (f"{place}{name}" for name in _PYTHON_TOOLS)
    for runner in ("uv run", "poetry run", "hatch run", "pdm run", "pipenv run"):
        yield from (f"{runner} {name}" for name in _PYTHON_TOOLS)
        yield from (f"{runner} python {rest}" for rest in _PYTHON)
    for place in ("", "npx ", "node_modules/.bin/", "./node_modules/.bin/", "pnpm exec ", "yarn "):
        yield from (f"{place}{name}" for name in _NODE_TOOLS)
    for name in ("npm", "pnpm", "yarn", "bun"):
        yield from (f"{name} {rest}" for rest in _PACKAGE_RUNNERS)


def lines() -> tuple[str, ...]:
    """Return the words with which such commands begin."""
    return tuple(_lines())


def is_held(folder: str, pid: int) -> bool:
    """Tell whether a process sees a folder through a read-only mount of its own; `/` tells it of all else."""
    with contextlib.suppress(OSError), open(_TABLE.format(pid=pid), encoding="utf-8") as table:
        mounted = [line.split() for line in table]
        own = [fields[5] for fields in mounted if _plain(fields[4]) == folder]
        return bool(own) and "ro" in own[-1].split(",")
    return False


def _plain(place: str) -> str:
    """Return a path of that table, in which blanks and backslashes stand as octal numbers."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        place = place.replace(code, char)
    return os.path.normpath(place)
