"""Which files of a folder make a known program run what the project says, before it prints anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from nagomi_tui.shell.words import UNKNOWN, Word, named

TOP: Final = f"{UNKNOWN}top"
"""The top of the repository in which a command runs, as `git rev-parse --show-toplevel` prints it."""
TOP_UNQUOTED: Final = f"{UNKNOWN}top-unquoted"
"""That top outside of quotes, where blanks part it, and nothing is no word."""

INSIDE: Final = f"{UNKNOWN}container"
"""A folder in a container, where what runs there looks, and what reaches into it does not."""


class Reading(NamedTuple):
    """How a command is read where that depends on what the command itself does not tell."""

    braces: bool = True
    """Whether the shell makes several words of `{a,b}`, as bash and zsh do, and a plain `sh` does not."""
    looked: bool = False
    """Whether the folder is looked into for files whose names a pattern would make options of."""


class Where:
    """Where a command goes, and what of it depends on the folder or the shell that it runs in."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.lists = False
        """Whether it has a brace list in it, of which not every shell makes several words."""
        self.unsure = False
        """Whether names in the folder decide if a word is an option, as those that a pattern matches do."""
        self.moves: list[str] = []
        """The folders that the command changes to; one that only the shell will know holds `UNKNOWN`."""
        self.left = False
        """Whether it surely changed to one of them, so that `cd -` goes back to where it was."""
        self.asked: list[Asked] = []


class Asked(NamedTuple):
    """A program that looks into the folder it runs in."""

    program: str
    files: str
    """The files that change what it runs, separated by spaces, as in `FILES`."""
    inside: str
    """The folder that it is told to look into, from where it runs; empty for that one."""
    at: int


SHIMMED: Final = ".tool-versions:path"
"""The file by which asdf and mise have a program of the project run in the place of one that they stand in for."""
_TOOLCHAIN: Final = "rust-toolchain:toolchain rust-toolchain.toml:toolchain .tool-versions:path"
_PYTHON: Final = ".python-version:path .tool-versions:path"
_NODE: Final = ".node-version:path .nvmrc:path .tool-versions:path .npmrc:npmrc"
_YARN_RUNS: Final = " ".join(
    f"node_modules/.bin/{name}"
    for name in ("list", "ls", "show", "view", "outdated", "versions", "licenses", "workspaces")
)
"""Programs of a project that a yarn runs where it has no such command of its own."""
_RUBY: Final = ".ruby-version:path .tool-versions:path"

FILES: Final = {
    "pytest": f"{_PYTHON} conftest.py ./test*/conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml "
    "pyproject.toml:tool.pytest tox.ini:pytest setup.cfg:pytest",
    "tox": f"{_PYTHON} toxfile.py tox.ini tox.toml setup.cfg:tox pyproject.toml:tool.tox",
    "poetry": f"{_PYTHON} .poetry poetry.toml .venv pyproject.toml:tool.poetry.requires-plugins",
    "pdm": f"{_PYTHON} .pdm-plugins .pdm-python pdm.toml .venv pyproject.toml:tool.pdm.plugins",
    "flake8": f"{_PYTHON} .flake8:flake8 setup.cfg:flake8 tox.ini:flake8",
    "uv": ".python-version:path .venv uv.toml pyproject.toml:tool.uv.pip",
    "npm": _NODE,
    "npx": _NODE,
    "yarn": f"git {_NODE} .yarnrc .yarnrc.yml .yarn .pnp.cjs .pnp.js package.json:package {_YARN_RUNS}",
    "pnpm": f"git {_NODE} .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js pnpm-workspace.yaml:workspace package.json:package",
    "jest": f"{_NODE} node_modules/jest node_modules/jest-cli",
    "webpack": f"{_NODE} node_modules/webpack node_modules/webpack-cli",
    "cargo": f"{_TOOLCHAIN} .cargo/config:cargo .cargo/config.toml:cargo",
    "mvn": ".mvn/jvm.config .mvn/maven.config .mvn/extensions.xml .mvn/maven-user.properties "
    ".mvn/maven.properties .tool-versions:path",
    "gradle": "gradle.properties gradle/gradle-daemon-jvm.properties .tool-versions:path",
    "sbt": ".sbtopts .jvmopts project .tool-versions:path",
    "bazel": "tools/bazel .bazelversion .bazeliskrc .bazelrc",
    "dotnet": "global.json:dotnet .tool-versions:path",
    "bundle": f"{_RUBY} .bundle Gemfile gems.rb",
    "bundler": f"{_RUBY} .bundle Gemfile gems.rb",
    "composer": "composer.json vendor .tool-versions:path",
    "ack": ".ackrc _ackrc",
    "cloc": "git",
    "az": ".azure",
    "mise": "mise.toml .mise.toml mise .mise .config/mise .config/mise.toml mise.local.toml .mise.local.toml "
    ".rtx.toml .tool-versions",
    "glab": f"git .git/glab-cli {SHIMMED}",
    **dict.fromkeys(("rustc", "rustfmt", "rustup"), _TOOLCHAIN),
    **dict.fromkeys(("python", "python3", "pip", "pip3", "black", "mypy", "virtualenv", "pre-commit"), _PYTHON),
    **dict.fromkeys(("node", "tsc", "eslint", "prettier", "vite", "vitest", "ts-node"), _NODE),
    **dict.fromkeys(("ruby", "gem", "rake"), _RUBY),
    "sessions": "./sessions/bin/sessions:sessions",
    "identify": "delegates.xml coder.xml configure.xml magic.xml policy.xml type.xml",
    "go": ".go-version:path .tool-versions:path",
    "gofmt": ".go-version:path .tool-versions:path",
    "java": ".java-version:path .tool-versions:path",
    "jar": ".java-version:path .tool-versions:path",
    "javac": ".java-version:path .tool-versions:path",
    "perl": ".perl-version:path .tool-versions:path",
    "php": ".php-version:path .tool-versions:path",
    "swift": ".swift-version:path .tool-versions:path",
    "swiftc": ".swift-version:path .tool-versions:path",
    "lua": ".lua-version:path .tool-versions:path",
    "terraform": ".terraform-version:path .tool-versions:path",
    **dict.fromkeys(("erl", "elixir"), ".erlang .tool-versions:path"),
    **dict.fromkeys(("asdf", "deno", "bun"), ".tool-versions:path"),
    "git": "git",
    "gh": f"git {SHIMMED}",
    "pyenv": _PYTHON,
}  # fmt: skip
"""For each program the files by which a folder, or one above it, changes what it runs.

Behind a colon stands what a file of that name has to hold to count; one with `./` is looked for in the
folder alone. `git` means the settings of the
repository, of which `git-dir` and `git-tree` say that its tree is elsewhere, and `modules` Python files that take the place of Python's own.
"""

_CHANGES: Final = {
    "git": ("-C",),
    "npm": ("--prefix",),
    "pnpm": ("-C", "--dir"),
    "yarn": ("--cwd",),
}
"""The options by which a program is told to look into another folder."""


def asked(name: str, words: Sequence[Word], at: int) -> Iterator[Asked]:
    """Yield how a program looks into folders; `words` are its arguments."""
    files = _files(name, [word.text for word in words])
    if not files:
        return
    inside = ""
    folders = [inside]
    for given, value in _values(words):
        if given in _CHANGES.get(name, ()):
            inside = _joined(inside, value)
            folders.append(inside)
            yield Asked(name, files, inside, at)
        elif name == "cargo" and given == "--manifest-path":
            yield Asked(name, files, f"{value}/..", at)
    yield Asked(name, files, inside, at)
    if name == "git":
        yield from _elsewhere(files, words, folders, at)


def _elsewhere(
    files: str, words: Sequence[Word], folders: Sequence[str], at: int
) -> Iterator[Asked]:
    """Yield where git is told that the repository or its tree is, from wherever it goes before it looks."""
    for given, value in _values(words):
        if given in ("--git-dir", "--work-tree"):
            for folder in folders:
                there = _joined(folder, value)
                if given == "--git-dir":
                    yield Asked("git", f"git-dir {files}", there, at)
                else:
                    yield Asked("git", "git-tree", folder, at)
                    yield Asked("git", files, there, at)


def _joined(inside: str, value: str) -> str:
    """Return where a folder is that is named from another one on."""
    if inside and value[:1] == "~":
        return UNKNOWN  # It is another one if the shell replaces the sign.
    return f"{inside}/{value}" if inside and value[:1] != "/" else value


_SYSTEMS: Final = named("""
[ addr2line apropos apt apt-cache apt-mark ar arch arp awk base32 base64 basename basenc bash bc builtin bzcat bzgrep bzip2 cal cat
cd chgrp cksum cmp col column comm command cp crontab cut dash date df diff diff3 dig dir dirname dmesg dnf dpkg dpkg-deb dpkg-query du
echo egrep env exec expand expr factor false fgrep file find findmnt fmt fold free fuser gawk getconf getent getfacl git
grep groups gunzip gzip hd head hexdump host hostname hostnamectl iconv id ifconfig infocmp ionice iostat ip ipcs jobs join
journalctl kill ksh last lastlog launchctl ldd less loginctl ls lsattr lsblk lscpu lsmod lsof lspci lsusb man mapfile mawk md5 md5sum more mount
mpstat nagomi namei nawk netstat networkctl nice nl nm nohup nproc nslookup numfmt objdump od paste pathchk pgrep pidof pidstat ping ping6 pmap popd pr
printenv printf ps pstree pushd pwd read readarray readelf readlink realpath resolvectl rev route rpm sar sdiff sed seq service sessions set setsid
sh sha1sum sha224sum sha256sum sha384sum sha512sum shasum shopt shuf size sleep snap sort ss ssh ssh-add ssh-keygen stat stdbuf strings
sum sw_vers swapon sysctl systemctl tac tail tar tee test time timedatectl timeout top tr traceroute true tsort tty type ulimit umask uname
unexpand uniq unzip uptime users vdir vmstat w wait watch wc whatis whereis which who whoami xargs xxd xz xzcat xzgrep yes yum zcat zcmp zdiff zgrep
zipinfo zsh
: break caller compgen continue declare dirs enable exit fc hash help history logout return shift times trap alias bind
gcat gcut ggrep ghead gls greadlink grealpath gsed gsort gstat gtail gtimeout gtr gwc gxargs gzcat defaults docker podman
""")
"""Programs that come with the system or the shell, which nobody has asdf or mise install; others are looked for there."""


_UV_ALONE: Final = named("version tool cache self help --version -V --help -h")
"""What uv does without a look at the project's Python."""


def _files(name: str, told: list[str]) -> str:
    files = FILES.get(name, "" if name in _SYSTEMS else SHIMMED)
    if name == "nagomi":
        return "git" if told[:1] == ["diff"] else ""
    if name == "terraform" and {"output", "show", "state", "workspace"} & set(told[:2]):
        backend = "./*.tf:backend ./*.tf.json:backend ./.terraform/terraform.tfstate:backend"
        plugins = " .terraform/providers .terraform/plugins" if "show" in told[:2] else ""
        return f"{files} {backend}{plugins}"
    if name == "uv" and _UV_ALONE & set(told[:1]):
        return ".tool-versions:path"
    if name == "git":
        asks = {"ls-remote", "lfs"} & set(told) or {"remote", "show"} <= set(told)
        return "git-network" if asks else files
    if name == "go" and "list" in told[:1]:
        return f"{files} git"
    if name in ("pip", "pip3") and "freeze" in told:
        return f"{files} .hg"
    if name in ("python", "python3") and not (
        set(told[:1]) & {"--version", "-V", "-VV", "-h", "--help"}
    ):
        return files if is_apart(told) else f"{files} modules"
    return files


def is_apart(told: Sequence[str]) -> bool:
    """Whether Python is told not to look for modules in the folder it runs in."""
    for text in told:
        if text in ("-I", "-P"):
            return True
        if text not in ("-B", "-E", "-s", "-S", "-u", "-q"):
            break
    return False


def _values(words: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Yield each option that could have a value, with that."""
    rest = list(words)
    for index, word in enumerate(rest):
        name, sign, value = word.text.partition("=")
        if sign:
            yield name, value
        elif index + 1 < len(rest):
            after = rest[index + 1]
            yield name, TOP if after.top and after.single else after.text
