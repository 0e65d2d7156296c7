"""Programs that may do anything, and are only allowed to print their version or help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.shell.words import Writes, named

if TYPE_CHECKING:
    from nagomi_tui.shell.options import Analyser, Check
    from nagomi_tui.shell.words import Word

_NAMES: Final = named(
    "ant autoconf automake bazel bundle bundler buildah ccache cc c++ clang clang++ clang-format cmake code "
    "composer cp ctest dart deno dotnet elixir emacs erl ffmpeg flutter fish g++ gcc gcloud gdb ghc git-lfs gpg "
    "gradle java javac julia kotlin ld lldb lua luajit make gmake meson minikube mongosh mvn mypy nano "
    "ninja npx nvim ocaml opam perl php pkg-config postgres powershell prettier protoc pwsh pytest R "
    "redis-server rake rm rsync ruby rustc rustfmt sbt scala scp screen swift swiftc tox ts-node "
    "tsc vi vim vite webpack wget yasm zig zip as chmod chown eslint esbuild hugo jest just k9s kind k3s ko "
    "mkdir mv nginx pdm playwright pre-commit pyright rclone skopeo stack task virtualenv vitest xcodebuild 7za adb "
    "hyperfine perf"
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


CHECKS: Final[dict[str, Check]] = dict.fromkeys(_NAMES, _version)
