"""Whether the folder where a command would run changes what a known program does there.

The tables of `nagomi_tui/shell/folders.py` name the files; here they are looked for, in each
folder that the command may be in and in all above it. What cannot be read counts. The user's own
settings, which lie in the home folder itself, do not.
"""

from __future__ import annotations

import glob
import json
import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from nagomi_tui.guard.files import repositories
from nagomi_tui.shell.folders import INSIDE, SHIMMED, TOP, TOP_UNQUOTED, Asked
from nagomi_tui.shell.words import UNKNOWN, named
from nagomi_tui.system import files

_LARGEST: Final = 1024 * 1024
_MOST: Final = 64
"""The most folders that a command is followed to."""


class Here:
    """A folder where a command would begin; implements `Folder` of the shell's patterns."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        """Return why a program does more than it is known for; empty if nothing has it do so."""
        if not asked.files:
            return ""
        if asked.files == SHIMMED or asked.files.startswith("compose"):
            moves = [move for move in moves if move != INSIDE]
        found = places(self._cwd, moves)
        if found is None or asked.inside != TOP and not _is_plain(asked.inside):
            return f"{asked.program} looks into its folder, which is not known"
        by_text = _goes_up(asked.inside)
        for inside in {
            one for place in found for one in _readings(place, asked.inside, by_text=by_text)
        }:
            wanted = asked.files.split()
            if "ruff-below" in wanted and self._is_outside(inside):
                wanted.remove("ruff-below")
            try:
                cause = _cause(inside, wanted)
            except (OSError, ValueError, RecursionError, IndexError, struct.error):
                cause = inside
            if cause:
                return _sentence(asked, cause)
        return ""

    def _is_outside(self, place: str) -> bool:
        """Whether a folder is above the one where the command begins, and not in its repository."""
        cwd = os.path.realpath(self._cwd)
        if place == cwd or os.path.commonpath([place, cwd]) != place:
            return False
        try:
            top = repositories.top(cwd)
        except (OSError, ValueError):
            return False
        return not top or os.path.commonpath([place, top]) != top


def _sentence(asked: Asked, cause: str) -> str:
    if cause.startswith("--no-"):
        return f"ruff whose settings may write: add {cause}"
    if asked.files in _NAMES:
        return f"{asked.program} may be an option ({cause}): put -- or ./ before it"
    if asked.files == "sqlite":
        return f"sqlite3 may write beside what it reads, or make it ({cause})"
    return f"{asked.program} may run what {cause} says"


_NAMES: Final = named("names git-names")


def places(cwd: str, moves: Sequence[str]) -> set[str] | None:
    """Return all folders where a command may be, as it changes to others in any order; None if unknown.

    One that is found in none of them is unknown: the shell may read its name in another way.
    """
    if not all(move in (TOP, TOP_UNQUOTED) or _is_plain(move) for move in moves):
        return None
    by_text = any(map(_goes_up, moves))
    new = found = set(_readings(cwd, "", by_text=by_text))
    reached: set[str] = set()
    while new:
        there = {
            (move, one)
            for place in new
            for move in moves
            for one in _readings(place, move, by_text=by_text)
            if os.path.isdir(one)
        }
        reached |= {move for move, _ in there}
        new = {one for _, one in there} - found
        found = found | new
        if len(found) > _MOST:
            return None
    # Where no list is made of braces, there is no such folder, and `cd` fails.
    return found if reached.issuperset(one for one in moves if "{" not in one) else None


def _is_plain(text: str) -> bool:
    """Whether no shell makes another path of a text, but for the home folder that it may begin with."""
    if UNKNOWN in text or re.search(r"[*?\[]", text):
        return False
    return text[:1] != "~" or text[1:2] in ("", "/")


def _goes_up(text: str) -> bool:
    return ".." in text.split("/")


def _readings(place: str, text: str, *, by_text: bool) -> Iterator[str]:
    """Yield the folders that a path may mean: a `~` may be quoted, and `..` may go by text or by disk."""
    if text in (TOP, TOP_UNQUOTED):
        yield from _tops(place, quoted=text == TOP)
        return
    for one in {text, os.path.expanduser(text)}:
        path = os.path.join(place, one)
        yield os.path.realpath(path)
        if by_text:
            yield os.path.normpath(path)


def _tops(place: str, *, quoted: bool) -> Iterator[str]:
    """Yield the folder itself, where git prints nothing, and the top of the repository around it.

    Where the top is not certain, it is a path that is nowhere.
    """
    try:
        top = repositories.top(os.path.realpath(place))
    except (OSError, ValueError):
        top = UNKNOWN
    if not quoted and re.search(r"[\s*?\[]", top):
        top = UNKNOWN
    if top != UNKNOWN:
        yield place
    yield top or (place if quoted else os.path.expanduser("~"))


def _cause(place: str, wanted: list[str]) -> str:
    """Return what in a folder, or above it, changes what a program runs; empty if nothing does."""
    place = os.path.realpath(place)
    kinds = [one for one in wanted if one in _KINDS]
    for kind in kinds:
        if cause := _KINDS[kind](place):
            return cause
    if settings := [one.partition(":")[2] for one in wanted if one.startswith("ruff:")]:
        return _ruff(place, settings, below="ruff-below" in wanted)
    named = [one for one in wanted if one not in _KINDS]
    for folder in above(place):
        for one in named:
            name, _, needed = one.partition(":")
            if name.startswith("./") and folder != place:
                continue
            for path in _matching(folder, name):
                if not needed or _holds(path, needed):
                    return path
    return ""


def above(place: str) -> Iterator[str]:
    """Yield a folder and all above it, but for the home folder, whose files are the user's own."""
    home = os.path.realpath(os.path.expanduser("~"))
    while True:
        if place != home:
            yield place
        higher = os.path.dirname(place)
        if higher == place:
            return
        place = higher


def _matching(folder: str, name: str) -> list[str]:
    path = os.path.join(folder, name)
    if "*" in name:
        return glob.glob(os.path.join(glob.escape(folder), name))
    return [path] if os.path.lexists(path) else []


def _holds(path: str, needed: str) -> bool:
    """Whether a file has what makes it count; one that cannot be read does."""
    if not os.path.isfile(path):
        return os.path.lexists(path)
    try:
        text = files.read_text(path, _LARGEST)
        check = _CHECKS.get(needed)
        if check is not None:
            return check(text)
        if path.endswith(".toml"):
            return _has(_toml(text), needed.split("."))
        return needed in text.lower()
    except (OSError, ValueError, RecursionError):
        return True


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _has(value: object, keys: list[str]) -> bool:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


# --- what counts in files of several programs


def _path(text: str) -> bool:
    """Whether a file that names versions names a place instead."""
    lines = (line.partition("#")[0] for line in text.splitlines())
    return "path:" in text or not all(re.fullmatch(r"[\w.+@ \t*:-]*", line) for line in lines)


def _toolchain(text: str) -> bool:
    """Whether a file has rustup use another toolchain than one of its own that is installed."""
    if "[" not in text:
        channel, rest = text.strip(), {"channel"}
    else:
        table = _toml(text)
        rest = set(table["toolchain"]) if set(table) == {"toolchain"} else {"?"}
        channel = str(table.get("toolchain", {}).get("channel", ""))
    if rest - {"channel", "components", "targets", "profile"} or not re.fullmatch(
        r"[\w.-]+", channel
    ):
        return True
    own = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")
    return not glob.glob(os.path.join(glob.escape(own), "toolchains", f"{channel}-*"))


def _cargo(text: str) -> bool:
    """Whether settings of cargo do more than name registries, and say how something is shown."""
    table = _toml(text)
    plain = {"alias", "net", "profile", "term", "registries", "source", "future-incompat-report"}
    build = table.get("build", {})
    from nagomi_tui.shell.programs.packages import CARGO

    if not CARGO.isdisjoint(table.get("alias", {})):
        return True  # Where a cargo has no such command of its own, the alias takes its place.
    return bool(
        set(table) - plain - {"build"}
        or set(build) - {"jobs", "incremental"}
        or "credential-provider" in text
    )


_NPM_SETTINGS: Final = named("""
registry always-auth save-exact save-prefix engine-strict legacy-peer-deps auto-install-peers strict-ssl fund audit
audit-level loglevel package-lock shamefully-hoist strict-peer-dependencies prefer-offline prefer-frozen-lockfile
resolution-mode node-linker hoist hoist-pattern public-hoist-pattern link-workspace-packages save-workspace-protocol
ignore-scripts update-notifier progress omit optional init-author-name init-license email access tag-version-prefix
""")


def _npmrc(text: str) -> bool:
    """Whether settings of npm do more than say where packages come from and how they are laid out."""
    for line in re.split(r"[\r\n]", text):
        if not line.strip() or line.lstrip()[0] in "#;":
            continue
        key = line.partition("=")[0].strip().removesuffix("[]")
        if not (
            key in _NPM_SETTINGS
            or re.fullmatch(r"@[\w.-]+:registry|//[\w./:-]+:(?:_\w+|\w+-auth)", key)
        ):
            return True
    return False


def _workspace(text: str) -> bool:
    """Whether settings of a workspace of pnpm do more than list packages and versions."""
    plain = r"(?:packages|catalog|catalogs|onlyBuiltDependencies|ignoredBuiltDependencies):[ \t]*|[ \t]+[^&!{}\[\]]*|-[ \t][^&!{}\[\]]*|[ \t]*#.*|---"
    return not all(re.fullmatch(plain, line) for line in text.splitlines() if line.strip())


def _package(text: str) -> bool:
    """Whether a project names a package manager by more than its version, or scripts by its commands."""
    table = json.loads(text)
    manager = table.get("packageManager", "npm@1")
    scripts = table.get("scripts", {})
    asks = {"list", "ls", "info", "show", "view", "help", "why", "outdated", "versions", "licenses", "la", "ll", "root",
            "audit", "store", "v"}  # fmt: skip
    return (
        re.fullmatch(r"(?:npm|pnpm|yarn|bun)@\d[\w.+-]*", manager) is None
        or bool(asks & set(scripts))
        or "devEngines" in table
    )


def _backend(text: str) -> bool:
    """Whether terraform keeps its state where it needs a program, or settings, to come to it."""
    return re.search(r"\bbackend\b|\bcloud\b", text) is not None


_FLAKE8: Final = named("""
max-line-length max-doc-length ignore extend-ignore select extend-select exclude extend-exclude per-file-ignores
max-complexity statistics count show-source doctests filename import-order-style application-import-names
docstring-convention indent-size hang-closing jobs quiet verbose builtins disable-noqa exit-zero color
inline-quotes docstring-quotes multiline-quotes noqa-require-code ban-relative-imports rst-roles rst-directives
""")


def _flake8(text: str) -> bool:
    """Whether settings of flake8 load code, or write what it finds to a file."""
    import configparser

    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error:
        return True
    if any(name.startswith("flake8:") for name in parser.sections()):
        return True
    if not parser.has_section("flake8"):
        return bool(parser.defaults()) and "flake8" in text
    return not {key.replace("_", "-") for key in parser.options("flake8")} <= _FLAKE8


def _dotnet(text: str) -> bool:
    return "paths" in text.lower() or "\\" in text


def _sessions(text: str) -> bool:
    """Whether the command of cc-sessions in a project is not the one that nagomi writes."""
    return _OURS.fullmatch(text) is None


_OURS: Final = re.compile(
    r"#!/bin/sh\n# Written by nagomi: [^\n]*\nif command -v nagomi >/dev/null 2>&1; then\n"
    r'  exec nagomi guard sessions "\$@"\nfi\nexec [\w./ -]+ guard sessions "\$@"\n'
)

_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "path": _path, "toolchain": _toolchain, "cargo": _cargo, "npmrc": _npmrc, "workspace": _workspace,
    "package": _package, "flake8": _flake8, "dotnet": _dotnet, "sessions": _sessions,
    "backend": _backend,
}  # fmt: skip


# --- whole folders


def _modules(place: str) -> str:
    """Return a file that Python would take for a module of its own, or of pip."""
    import sys

    older = "asynchat asyncore binhex distutils formatter imp lib2to3 parser smtpd symbol"
    own = {*sys.stdlib_module_names, *older.split(), "pip", "keyring", "setuptools", "pkg_resources", "wheel", "truststore",
           "sitecustomize", "usercustomize", "_distutils_hack"}  # fmt: skip
    with os.scandir(place) as entries:
        for entry in entries:
            name, _, ending = entry.name.partition(".")
            if name not in own:
                continue
            if (
                ending.endswith(("py", "pyc", "so", "pyd"))
                or entry.is_dir()
                and _is_package(entry.path)
            ):
                return entry.path
    return ""


def _sqlite(path: str) -> str:
    """Return the database, or the file beside it, by which SQLite writes although it is only asked."""
    beside = (f"{path}-{ending}" for ending in ("journal", "wal", "shm"))
    if found := next((one for one in beside if os.path.lexists(one)), ""):
        return found
    with open(path, "rb") as file:
        head = file.read(100)
    # The 18th and 19th byte tell whether it has a write-ahead log; an empty file is an empty database.
    plain = head[:16] == b"SQLite format 3\0" and head[18:20] == b"\1\1"
    if plain:
        return _calling(path)
    return "" if not head and os.path.isfile(path) else path


def _calling(path: str) -> str:
    """Return what in a database calls a function that is not known to only compute, when it is asked.

    `sqlite3` has one of its own that runs a program, and a view may call it.
    """
    import sqlite3

    from nagomi_tui.shell.programs.databases import unknown_function

    try:
        asked = sqlite3.connect(f"{Path(path).absolute().as_uri()}?immutable=1", uri=True)
        try:
            held = asked.execute("select type, name, sql from sqlite_schema where sql is not null")
            for kind, name, sql in held:
                asks = _VIEW_BEGINS.sub("", sql, count=1) if kind == "view" else ""
                if unknown_function(asks) or re.search(r"/\*|--", asks) or _CALLS.search(sql):
                    return f"{path}: {name}"
        finally:
            asked.close()
    except (sqlite3.Error, UnicodeError, TypeError):
        return path
    return ""


_VIEW_BEGINS: Final = re.compile(r"\A.*?\bas\b", re.IGNORECASE | re.DOTALL)
_CALLS: Final = re.compile(
    r"\bedit\b|\A\s*create\s+virtual\b(?!.*?\busing\s+(?:fts[345]|rtree(?:_i32)?|geopoly)\b)",
    re.IGNORECASE | re.DOTALL,
)
"""The function that runs a program, and tables that are made by a module which is not known."""


_COMPOSE: Final = tuple(
    f"{name}.{ending}"
    for name in ("compose", "docker-compose", "compose.override", "docker-compose.override")
    for ending in ("yaml", "yml")
)


def _compose(place: str) -> str:
    """Return a file in a folder or above it by which compose fetches others from elsewhere."""
    if cause := _compose_env(place):
        return cause
    for folder in above(place):
        for path in (os.path.join(folder, name) for name in _COMPOSE):
            if os.path.lexists(path) and (cause := _compose_file(path)):
                return cause
    return ""


def _compose_env(place: str) -> str:
    """Return a file of variables beside compose's own, or above, by which it reads others."""
    paths = (os.path.join(folder, ".env") for folder in above(place))
    return next(
        (cause for path in paths if os.path.lexists(path) and (cause := _compose_variables(path))),
        "",
    )


def _compose_variables(path: str) -> str:
    text = files.read_text(path, _LARGEST) if os.path.isfile(path) else "COMPOSE_FILE"
    return (
        path
        if re.search(
            r"\b(?:COMPOSE_(?!PROJECT_NAME\b|PROFILES\b)|DOCKER_(?:HOST|CONTEXT|CONFIG)\b)", text
        )
        else ""
    )


def _compose_file(path: str) -> str:
    """Return a file that is no plain one of compose: it includes others, or has its words written otherwise."""
    text = files.read_text(path, _LARGEST) if os.path.isfile(path) else "include"
    if re.search(r"\binclude\b|\\[xuU\n]|![\w!<]", text):
        return path
    if "extends" not in text:
        return _compose_env(os.path.dirname(path))
    named = [line for line in text.splitlines() if re.search(r"\bfile\b|extends.*[{&*]", line)]
    plain = all(
        re.fullmatch(r"\s*(?:-\s+)?file:\s*(['\"]?)\.{0,2}/?[\w./-]+\.ya?ml\1\s*", one)
        for one in named
    )
    local = all(
        os.path.isfile(
            os.path.join(os.path.dirname(path), re.sub(r".*file:|['\"]", "", one).strip())
        )
        for one in named
    )
    return _compose_env(os.path.dirname(path)) if plain and local else path


def _json(path: str) -> str:
    """Return a file that node runs since its real name is not one of JSON."""
    return "" if path.endswith(".json") else path


def _names(place: str) -> str:
    """Return a file's name in a folder that a program would take for an option."""
    with os.scandir(place) as entries:
        return next((entry.name for entry in entries if entry.name[:1] in "-+"), "")


def _git_names(place: str) -> str:
    """Return a name of a branch or tag in a repository that a program would take for an option.

    A tag has its own name in it, too, which git prints.
    """
    from nagomi_tui.guard.decide.branches import Unknown
    from nagomi_tui.guard.files.git import Git

    git = Git(Path(place), _GIT_SECONDS)
    try:
        if git.output("rev-parse", "--git-dir") is None:
            return ""  # Then git prints nothing.
        known = git.output(
            "for-each-ref", "--format=%(refname:short)%0a%(tag)%0a%(refname:lstrip=2)"
        )
        head = git.output("symbolic-ref", "--quiet", "HEAD")
    except Unknown as unknown:
        return str(unknown)
    if known is None:
        return place
    head = (head or "").removeprefix("refs/heads/")
    return next((one for one in [*known.split("\n"), head] if one[:1] in ("-", "+")), "")


_GIT_SECONDS: Final = 1.0


def _is_package(folder: str) -> bool:
    return any(name.startswith("__init__.") for name in os.listdir(folder))


_KINDS: Final[dict[str, Callable[[str], str]]] = {
    "git": repositories.cause,
    "git-network": partial(repositories.cause, network=True),
    "git-dir": repositories.cause_inside,
    "git-tree": partial(repositories.cause, apart=True),
    "git-names": _git_names,
    "compose": _compose,
    "compose-env": _compose_env,
    "compose-file": _compose_file,
    "compose-variables": _compose_variables,
    "json": _json,
    "modules": _modules,
    "names": _names,
    "sqlite": _sqlite,
}
"""What is looked for by more than a file's name."""


# --- ruff

_RUFF: Final = (".ruff.toml", "ruff.toml", "pyproject.toml")
_RUFF_SETTING: Final = re.compile(
    r"(?<![\w-])[\"']?(?:(fix(?:-only)?)[\"']?\s*=\s*true|(cache)-dir[\"']?\s*=)"
)
_EXTENDS: Final = re.compile(r"(?<![\w-])[\"']?extend[\"']?\s*=\s*[\"']+([^\"'\n]*)")
_DEEPEST: Final = 5


def _ruff(place: str, settings: list[str], *, below: bool) -> str:
    """Return the options that keep a project's settings from having ruff write; empty if none do."""
    try:
        found = list(_ruff_settings(place))
        on = frozenset().union(*(_set_in(*one) for one in found))
        if below and "cache" in settings:
            # Where it keeps its cache is told by the settings next to each file, and no more than that.
            all_folders = any(_EXCLUDES.search(text) for _, text in found)
            under = (_set_in(*one) for one in _ruff_below(place, all_folders=all_folders))
            on |= {"cache"} & frozenset().union(*under)
    except (OSError, UnicodeDecodeError, ValueError):
        on = frozenset(settings)
    return " ".join(f"--no-{one}" for one in sorted(settings) if one in on)


def _ruff_settings(folder: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of what ruff takes: the next file above a folder, else the user's own."""
    own = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    while True:
        for path, text in _there(folder):
            own_file = os.path.basename(path) != _RUFF[-1]
            if own_file or "ruff" in text:
                yield path, text
            if own_file or "tool.ruff" in text:
                return
        higher = os.path.dirname(folder)
        if higher == folder:
            break
        folder = higher
    yield from _there(os.path.join(own, "ruff"))


def _ruff_below(folder: str, *, all_folders: bool) -> Iterator[tuple[str, str]]:
    """Yield path and text of ruff's settings in folders below, which hold for those.

    Raises:
        ValueError: there are too many.
    """
    for count, (place, names, held) in enumerate(os.walk(folder)):
        if not all_folders:
            names[:] = [name for name in names if name not in _PASSED_BY]
        if count >= _MOST_BELOW:
            raise ValueError("too many folders to look for settings of ruff")
        if place != folder and not set(_RUFF).isdisjoint(held):
            yield from _there(place)


_MOST_BELOW: Final = 4000
_PASSED_BY: Final = named("""
.bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv .pytest_cache .pytype
.ruff_cache .svn .tox .venv .vscode __pypackages__ _build buck-out build dist node_modules site-packages venv
""")
"""Folders that ruff does not look into if its settings do not say otherwise."""
_EXCLUDES: Final = re.compile(r"(?<!-)\bexclude\b")


def _there(folder: str) -> Iterator[tuple[str, str]]:
    for path in (os.path.join(folder, name) for name in _RUFF):
        if os.path.isfile(path):
            yield path, files.read_text(path, _LARGEST)


def _set_in(path: str, text: str, depth: int = 0) -> frozenset[str]:
    found = frozenset(one or other for one, other in _RUFF_SETTING.findall(text))
    for other in _EXTENDS.findall(text):
        if "$" in other or depth > _DEEPEST:
            return frozenset({"fix", "fix-only", "cache"})
        other = os.path.join(os.path.dirname(path), os.path.expanduser(other))
        found |= _set_in(other, files.read_text(other, _LARGEST), depth + 1)
    return found
