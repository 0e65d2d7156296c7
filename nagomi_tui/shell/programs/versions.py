"""Programs that may only print their version or help, and nagomi's own, whose files the guard reads."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.shell.options import Analyser, Check, Options, Tool, check, checks, plain
from nagomi_tui.shell.words import NUMBER, UNKNOWN, Word, Writes, named

_NAMES: Final = named(
    "ant autoconf automake bazel bundle bundler buildah ccache cc c++ clang clang++ clang-format cmake code "
    "composer cp ctest dart deno dotnet elixir emacs erl ffmpeg flutter fish g++ gcc gcloud gdb ghc git-lfs gpg "
    "gradle java javac julia kotlin ld lldb lua luajit make gmake meson minikube mongosh mvn mypy nano "
    "ninja npx nvim ocaml opam perl php pkg-config postgres powershell prettier protoc pwsh pytest R "
    "redis-server rake rm ruby rustc rustfmt sbt scala scp screen swift swiftc tox ts-node "
    "tsc vi vim vite webpack yasm zig zip as chmod chown eslint esbuild hugo jest just k9s kind k3s ko "
    "mkdir mv nginx pdm playwright pre-commit pyright rclone skopeo stack task virtualenv vitest xcodebuild 7za adb "
    "hyperfine perf ldconfig"
)
_ASKS: Final = {
    "java": named("-version --version -fullversion"),
    "javac": named("-version --version"),
    "nginx": named("-v -V"),
    "php": named("-v --version -m -i --ini"),
    "ruby": named("-v --version"),
    "perl": named("-v --version -V"),
    "lua": named("-v"),
    "zig": named("version"),
    "scala": named("-version --version"),
    "kotlin": named("-version"),
    "ffmpeg": named("-version -codecs -formats -encoders"),
    "rustc": named("--version -V -vV --help"),
    "mvn": named("-v --version"),
    "erl": named("-version"),
    "ldconfig": named("-p -V --version --print-cache"),
    "bundle": named("-v --version --help list"),
    "dotnet": named("--version --help --info --list-sdks --list-runtimes"),
}
_LONGER: Final = {"rustc": (["--version", "--verbose"],), "code": (["--list-extensions"],)}
"""The words by which some print more than their version."""
_HELP: Final = named("--version --help")
_OF_PROJECTS: Final = named(
    "pytest tox npx jest vitest playwright eslint make gmake rake just task pre-commit gradle vite webpack"
)
"""Programs that run a project's own code before they print their help."""


def _version(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if [word.text for word in words] in _LONGER.get(name, ()):
        return
    text = words[0].text if len(words) == 1 else ""
    asks = text == "--version" if name in _OF_PROJECTS else text in _ASKS.get(name, _HELP)
    if not asks:
        raise Writes(f"{name} is not known to only read", head.at)


_RSYNC: Final = Options(
    "-n --dry-run -a --archive -v --verbose -r --recursive -q --quiet -i --itemize-changes -c --checksum -u "
    "--update -l --links -L --copy-links -p --perms -t --times -g --group -o --owner -D -z --compress -h "
    "--human-readable -x --one-file-system -H --hard-links -A --acls -X --xattrs -R --relative -W --whole-file "
    "--delete --delete-after --delete-before --delete-during --delete-excluded --existing --ignore-existing "
    "--size-only --numeric-ids --stats --progress --exclude=* --include=*",
    needs="-n --dry-run",
)
_OF_THIS_MACHINE: Final = re.compile(rf"[^:*?\[{{{UNKNOWN}{NUMBER}/]*(?:/|\Z)")
"""A place for rsync: where a colon stands before the first slash, it begins ssh, or asks a server."""


def _rsync(analysis: Analyser, name: str, words: list[Word], head: Word) -> None:
    if len(words) == 1 and words[0].text in _HELP:
        return
    given = check(name, words, _RSYNC)
    for place in given.operands:
        if not _OF_THIS_MACHINE.match(place.text):
            raise Writes("rsync may begin ssh for such a place: put ./ before it", place.at)


_NONE: Final = Options("--json", most=0)
_ONE: Final = Options("--json", most=1)
_PARTS: Final = ("phrases", "git", "env", "features", "read", "write", "paths", "readers", "tools")
_SHOW: Final = ("show", "list")
_NAGOMI: Final = checks(
    {
        "sessions": Tool(
            plain(
                "state, state show, status, version, todos, flags, mode, config show, tasks idx list, "
                "config phrases list, config read list, config write list, config tools list",
                _NONE,
            )
            | {"state show": _ONE}
        ),
        "nagomi": Tool(
            plain(
                "ls, todos, todos show, guard mode, guard todos, guard todos show, guard flags",
                _NONE,
            )
            | plain(
                "guard tasks, guard tasks show, guard protocol, guard version, guard classify",
                _NONE,
            )
            | plain("guard config, guard config show, guard config validate", _NONE)
            | plain(", ".join(f"guard config {part}" for part in _PARTS), _NONE)
            | plain(
                ", ".join(f"guard config {part} {verb}" for part in _PARTS for verb in _SHOW), _NONE
            )
            | {"doctor": _NONE}
            | plain("why, help, guard state, guard state show, guard tasks idx", _ONE)
            | plain("guard config phrases list, guard kickstart subagents", _ONE)
            | plain("guard tasks list", Options("--json --all", most=0))
            # Without these it is a view with keys, where it has a terminal.
            | {
                "diff": Options(
                    "--json --print --comments --since=", most=0, needs="--json --print"
                )
            }
        ),
    }
)

CHECKS: Final[dict[str, Check]] = {**dict.fromkeys(_NAMES, _version), "rsync": _rsync, **_NAGOMI}
