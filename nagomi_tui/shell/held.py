"""What may run besides reads while the kernel holds all files: a project's own tests, builds and scripts.

What such code writes nobody can tell before. In strict mode that need not be known, since it can write
to temporary folders and caches only. What goes beyond files, such as `git push` or `make deploy`, and
what would delete or overwrite files by its own name, is refused as ever: it may be a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nagomi_tui.shell.words import Word, named

_TEMPORARY: Final = re.compile(r"/(?:var/)?tmp/[^\s*?\[]+")
_BEYOND: Final = named(
    "add adduser apply bump clean deploy destroy down init install login logout migrate owner provision publish "
    "push release remove ship sync token uninstall unpublish up update upgrade upload yank"
)
"""Words that say of a build that it changes the project, or something far away."""
_INTERPRETERS: Final = re.compile(
    r"python(?:\d(?:\.\d+)?)?|pypy3?|node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|luajit|julia|elixir|Rscript"
)
_SHELLS: Final = named("bash sh dash ksh zsh")
_BUILDERS: Final = named(
    "make gmake ninja cmake ctest meson just task rake cargo go npm pnpm yarn npx pnpx bunx tox nox uv uvx poetry pdm "
    "hatch pipenv rye mvn mvnw gradle gradlew bazel bazelisk dotnet swift mix sbt stack cabal zig bundle composer "
    "javac kotlinc scalac gcc g++ cc clang clang++ rustc ghc turbo nx lerna conda pre-commit"
)
_OF_TARGETS: Final = named("make gmake ninja just task rake gradle gradlew mvn mvnw turbo nx")
"""Builders of which each word may be a target; of others the first ones are verbs."""
_VERBS: Final = 2
_TOOLS: Final = named(
    "pytest mypy ruff pyright coverage hypothesis pylint flake8 jest vitest mocha ava tsc eslint webpack rollup esbuild "
    "rspec phpunit golangci-lint staticcheck shellcheck"
)
"""Programs of our tables that may run whole then, with the project's own code."""
_CHECKED: Final = named("black isort prettier autopep8 rustfmt gofmt yapf dprint")
_CHECKS: Final = named("--check --check-only --diff -c -l -d --list-different check")
"""Options with which a program that formats files only compares."""
_WRITES_ALL: Final = named("mkdir touch rm rmdir tee truncate mktemp mkfifo unlink mv")
"""Programs that write each file that they are given."""
_WRITES_LAST: Final = frozenset(["cp", "ln", "install"])
"""Programs that write the last one only."""
_MODULES: Final = frozenset(["pip", "ensurepip", "twine", "venv", "virtualenv"])
"""Modules of Python that install or send something."""


def is_temporary(path: str) -> bool:
    """Tell whether a path lies in a temporary folder, which nobody takes for a project."""
    return bool(_TEMPORARY.fullmatch(path)) and ".." not in path.split("/")


def runs(name: str, words: Sequence[Word]) -> bool:
    """Tell whether a command may run whose files the kernel holds; `name` is its program's."""
    rest = words[1:]
    given = [word.text for word in rest if word.text and not word.text.startswith("-")]
    if name in _WRITES_ALL or name in _WRITES_LAST:
        return _writes_temporary(name, rest)
    if name in _TOOLS:
        return True
    if name in _CHECKED:
        return not _CHECKS.isdisjoint(word.text for word in rest)
    if _INTERPRETERS.fullmatch(name):
        return _is_script(name, rest)
    if name in _SHELLS:
        scripts = [word for word in rest if not re.fullmatch(r"-[euvx]+", word.text)]
        return bool(scripts) and scripts[0].known and scripts[0].text[:1] not in ("-", "+")
    if name in (".", "source"):
        return len(rest) == 1 and rest[0].known
    if name in _BUILDERS:
        verbs = given if name in _OF_TARGETS else given[:_VERBS]
        return all(word.known for word in rest[:_VERBS]) and not _goes_beyond(verbs)
    return False


def lets(name: str, words: Sequence[Word]) -> bool:
    """Tell whether a program that nobody knows may run, by its name or as a script of the project."""
    given = [word.text for word in words[1:] if not word.text.startswith("-")]
    return not _goes_beyond([*re.split(r"[-_.]", name), *given[:_VERBS]])


def _writes_temporary(name: str, rest: Sequence[Word]) -> bool:
    if not all(word.known for word in rest):
        return False
    paths = [word.text for word in rest if not word.text.startswith("-")]
    written = paths[-1:] if name in _WRITES_LAST else [one for one in paths if not one.isdigit()]
    valued = any(
        re.match(r"-[tS]|--target|--suffix|--backup|--tmpdir|-p.", word.text) for word in rest
    )
    if name == "mktemp" and not written:
        return not valued
    return bool(written) and not valued and all(map(is_temporary, written))


def _is_script(name: str, rest: Sequence[Word]) -> bool:
    """Tell whether an interpreter runs what it is given, and no module that installs something."""
    texts = [word.text for word in rest]
    if not texts or not rest[0].known:
        return not texts
    if texts[0] == "-m":
        return len(texts) > 1 and rest[1].known and texts[1].split(".")[0] not in _MODULES
    return name not in ("deno", "bun") or not _goes_beyond(texts[:2])


def _goes_beyond(words: Sequence[str]) -> bool:
    return any(not _BEYOND.isdisjoint(re.split(r"[:-]", word.lower())) for word in words)
