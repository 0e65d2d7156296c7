"""What may run besides what our own tables know: commands that the user has named, and a project's own code.

The latter are tests, builds and scripts, of which nobody can tell before what they write. In strict mode
that need not be known, since the kernel holds all files: such code can write to temporary folders and
caches only. What goes beyond files, such as `git push` or `make deploy`, and what would delete or
overwrite files by its own name, is refused as ever: it may be a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final, Protocol

from nagomi_tui.shell.folders import Asked
from nagomi_tui.shell.words import Word, named

_WRITERS: Final = named("""
. apt apt-get autopep8 black eval exec git-lfs isort open prettier source split trap ufw unlink zypper
alias ansible ansible-playbook apk apt-key at atrm autoconf automake batch bundle busybox bzip2 cabal
chattr chcon chgrp chmod chown chpasswd clang cmake composer conda cp cpio crontab csh csplit
dash dd debootstrap dnf dotnet dpkg-reconfigure ed elixir emacs erl ex expect fallocate fdisk fish flock
g++ gcc gem ghc gpg gradle groff groupadd groupdel gunzip gzip halt helm insmod install iptables java
javac jshell julia kill killall ksh kubectl ld link ln logrotate losetup lua luajit lvcreate lz4 m4
make mkdir mkfifo mkfs mknod mktemp modprobe mount mv mvn nano nft ninja npx nvim octave osascript pacman
parallel parted passwd patch pax php pip pipx pkill pnpm poetry poweroff pnpx psql mysql R Rscript rake
reboot redis-cli rename renice rm rmdir rmmod rsync rustc rustup sbt scala scp screen script setfacl
sftp sgdisk shred shutdown snap socat sponge ssh ssh-copy-id ssh-keygen strip su sudo doas swapoff
swapon swift systemd-run tclsh tee telnet terraform tmux touch truncate tune2fs umount unison unlink
unlzma unxz unzip useradd userdel usermod uv uvx vi vim vimdiff visudo wipefs xdg-open xz yarn zip zsh zstd
""")
"""Programs that write, start others or take scripts, where what is not known may run."""


class Folder(Protocol):
    """Looks into the folder where a command would run."""

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        """Return what makes a program do more than it is known for; empty if nothing there does.

        `moves` are the folders that the command changes to.
        """


class Patterns:
    """Commands that the user has named, each as the words that a command begins with.

    With `lets_unknown`, programs of which nothing is known count as reads. `folder` looks where the
    command would run; without it, nothing there is taken to change what a program does.
    """

    def __init__(
        self,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        *,
        lets_unknown: bool = False,
        held: bool = False,
        keyed: bool = False,
        shells: Collection[str] = (),
        folder: Folder | None = None,
    ) -> None:
        self._lets_unknown = lets_unknown or held
        self.held = held
        """The kernel lets the command write to temporary folders and caches only."""
        self.keyed = keyed
        """The agent may type into what runs, so that a pager or a question does what the agent says."""
        self.shells = shells
        """What may run the command besides bash and zsh: `sh` and `powershell`."""
        self._folder = folder
        self.looks = folder is not None and not isinstance(folder, _Unknown)
        """Whether it can be looked into the folder where the command would run."""
        self._reads = [tuple(line.split()) for line in reads if line.split()]
        self._writes = [tuple(line.split()) for line in writes if line.split()]

    @property
    def given(self) -> bool:
        """Whether the user has named any command."""
        return bool(self._reads or self._writes)

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        """Return what the folder has a program do, as `Folder.objection`."""
        return self._folder.objection(asked, moves) if self._folder is not None else ""

    def lets(self, program: str) -> bool:
        """Whether a program may run that is in none of our tables."""
        return self._lets_unknown and program not in _WRITERS

    def writes(self, words: Sequence[Word]) -> bool:
        """Whether these words begin with a command that the user has named a write."""
        head = words[0]._replace(text=words[0].text.rpartition("/")[2])
        return _begins(words, self._writes) or _begins([head, *words[1:]], self._writes)

    def reads(self, words: Sequence[Word]) -> bool:
        """Whether these words begin with a command that the user has named a read."""
        return _begins(words, self._reads)


def _begins(words: Sequence[Word], lines: Sequence[tuple[str, ...]]) -> bool:
    texts = [word.text for word in words]
    return any(tuple(texts[: len(line)]) == line for line in lines)


class _Unknown:
    """A folder of which nobody knows which one it is."""

    def objection(self, asked: Asked, moves: Sequence[str]) -> str:
        return f"{asked.program} looks into its folder, which is not known" if asked.files else ""


ANYWHERE: Final = Patterns(folder=_Unknown())
"""For commands of which nobody knows in which folder they will run."""


# --- while the kernel holds all files

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


def runs_held(name: str, words: Sequence[Word]) -> bool:
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


def lets_held(name: str, words: Sequence[Word]) -> bool:
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
