"""Checks what is to be run before the fork, and looks up program, folder and environment.

Each error is one sentence that says what is wrong and what to do about it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from nagomi_worker.confine.interface import Inside
from nagomi_worker.runtime.limits import WorkerFault
from nagomi_worker.wire.protocol import StartSession

_PLAIN: Final = re.compile(r"\s*[\w./+-]+(?:\s+-[\w-]+)*\s*", re.ASCII)
"""A program with options only: what starts a shell that somebody types into."""
_LOGIN: Final = frozenset({"-l", "--login", "-il", "-li"})
_INTERACTIVE: Final = _LOGIN | {"-i", "--interactive"}


class Start(NamedTuple):
    """What is run, and the variables that it needs more."""

    cmd: str
    env: dict[str, str]


def integrated(cmd: str, env: Mapping[str, str], scripts: str) -> Start:
    """Return how to start the shell of `cmd` with our integration from the folder `scripts`.

    Any other command, and a shell with options that we do not know, is started as it is.
    """
    if not _PLAIN.fullmatch(cmd):
        return Start(cmd, {})
    program, *options = cmd.split()
    if not set(options) <= _INTERACTIVE:
        return Start(cmd, {})
    match program.rpartition("/")[2]:
        case "bash" if _LOGIN & set(options):
            # A login shell has no --rcfile; in POSIX mode it reads ENV and nothing else.
            more = {"ENV": f"{scripts}/bash.sh", "NAGOMI_BASH_LOGIN": "1"}
            kept = {"NAGOMI_BASH_ENV": env["ENV"]} if "ENV" in env else {}
            return Start(shlex.join([program, "--posix", *options]), {**more, **kept})
        case "bash":
            rcfile = ["--rcfile", f"{scripts}/bash.sh"]
            return Start(shlex.join([program, *rcfile, *options]), {})
        case "zsh":
            kept = {"NAGOMI_ZDOTDIR": env["ZDOTDIR"]} if "ZDOTDIR" in env else {}
            return Start(cmd, {"ZDOTDIR": f"{scripts}/zsh", **kept})
        case "fish":
            source = f"source {_fish_quoted(f'{scripts}/fish.fish')}"
            return Start(shlex.join([program, *options, "--init-command", source]), {})
        case _:
            return Start(cmd, {})


def _fish_quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_SECONDS: Final = 0.5
"""How long PATH is looked through; a folder over a network may take its time for each name."""
_SHORT_WORD: Final = 3
"""Letters of a word up to which only swapped ones are forgiven: most such words have neighbours."""
_LONG_WORD: Final = 8
"""Letters of a word from which two slips are forgiven instead of one."""
_TRIED: Final = 20
"""Most names that are looked at whether they may be run."""


def nearest_program(word: str, path: str) -> str:
    """Return the program in the folders of `path` that is spelt most like a word.

    It is one slip away, of a long word two: a letter too many, too few or wrong, or two letters in
    the wrong order, which is the only one in a short word. Returns "" where there is none.
    """
    most = 2 if len(word) >= _LONG_WORD else 1
    letters = sorted(word)
    found: list[tuple[int, bool, bool, str, str]] = []
    for name, file in _files(path, time.monotonic() + _SECONDS):
        if abs(len(name) - len(word)) > most or len(set(name) ^ set(word)) > 2 * most:
            continue
        swapped, count = sorted(name) == letters, slips(word, name)
        if count <= most and (swapped or len(word) > _SHORT_WORD):
            found.append((count, not swapped, name[0] != word[0], name, file))
    for *_, name, file in sorted(found)[:_TRIED]:
        if name.isprintable() and os.path.isfile(file) and os.access(file, os.X_OK):
            return name
    return ""


def _files(path: str, until: float) -> Iterator[tuple[str, str]]:
    """Yield name and path of what lies in the folders, up to a time of the monotonic clock."""
    for folder in dict.fromkeys(path.split(os.pathsep)):
        if not os.path.isabs(folder) or time.monotonic() > until:
            continue
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if time.monotonic() > until:
                    return
                yield _typed(entry.name), entry.path


def _typed(name: str) -> str:
    """Return what is typed to run a file: on Windows without the ending."""
    return os.path.splitext(name)[0].lower() if sys.platform == "win32" else name


def slips(word: str, other: str) -> int:
    """Count the letters put in, left out, replaced or swapped with the next that make one the other.

    This is the optimal string alignment distance.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        before, last, row = row, before, [at]
        for to, wanted in enumerate(other, 1):
            count = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != wanted))
            if at > 1 and to > 1 and letter == other[to - 2] and word[at - 2] == wanted:
                count = min(count, last[to - 2] + 1)
            row.append(count)
    return row[-1]


SESSION_MARK: Final = "NAGOMI_SESSION_ID"
DAEMON_MARK: Final = "NAGOMI_DAEMON"
PROGRAMS: Final = "NAGOMI_BIN"
"""Names the folder of the program `nagomi`, which is to be last on PATH."""
SHELLS: Final = "NAGOMI_SHELLS"
"""Names the folder of the files by which shells mark their prompts."""
OWN_SHELL: Final = "exec ${SHELL:-/bin/sh} -l"
"""The command by which an orchestrator asks for the user's own shell, whichever that is."""
COLS_LIMIT: Final = 1000
ROWS_LIMIT: Final = 500

_SHELL_SYNTAX: Final = re.compile(r"[|&;<>()$`*?\[\]{}~#!\n]|^\s*[A-Za-z_]\w*=")
_SHELL_WORDS: Final = re.compile(
    r"\s*([.:]|alias|bg|builtin|case|cd|command|declare|dirs|disown|eval|exec|exit|export|fg|for"
    r"|function|hash|history|if|jobs|let|local|popd|pushd|read|readonly|return|select|set|shift"
    r"|shopt|source|time|times|trap|type|typeset|ulimit|umask|unalias|unset|until|wait|while)"
    r"(\s|$)"
)
"""Shell builtins and keywords: a command that begins with one is run by the shell."""

_PIECES: Final = re.compile(
    r"""(?P<blank>[ \t\r\n]+)|'(?P<single>[^']*)'|"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"|\\(?P<escaped>.)"""
    r"""|(?P<plain>[^ \t\r\n'"\\]+)|(?P<open>.)""",
    re.DOTALL,
)
_ESCAPED_IN_DOUBLE: Final = re.compile(r'\\(["\\])')
_LONGEST_ARGUMENT: Final = 128 * 1024 - 1
"""Bytes of one argument that Linux takes, without the zero at its end; 2 MiB of all together."""

_LOGIN_SHELLS: Final = frozenset({"ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"})
"""Those that take `-l` and `-c` together."""
_LEAVING_PATH: Final = frozenset({"ash", "dash", "ksh", "mksh", "sh"})
"""Those that take no files of ours: below a login shell they are none themselves, which keeps PATH."""


class StartError(WorkerFault):
    """The command cannot be started."""


class Launch(NamedTuple):
    """A command ready to be run."""

    argv: tuple[str, ...]
    """The program's absolute path comes first."""
    cwd: str
    env: dict[str, str]
    cols: int
    rows: int
    inside: Inside | None = None
    """Where its project is held by the kernel."""


def launch(order: StartSession, own: Mapping[str, str] | None = None) -> Launch:
    """Return program, folder, environment and size of what `start_session` asks for.

    A command that inherits our environment gets the variables `own`, too.

    Raises:
        StartError: it could not be started.
    """
    check_size(order.cols, order.rows)
    env = _environment(order, own or {})
    cwd = _folder(_expanded(order.cwd, env) if order.inherit else order.cwd, env)
    argv = _by_login(order, env) if order.inherit else _arguments(order.cmd, env)
    program = _program(argv[0], cwd, env)
    return Launch((program, *argv[1:]), cwd, env, order.cols, order.rows)


def check_size(cols: int, rows: int) -> None:
    """Refuse a size that no terminal has.

    Raises:
        StartError: it is out of bounds.
    """
    if not (1 <= cols <= COLS_LIMIT and 1 <= rows <= ROWS_LIMIT):
        raise StartError(
            "A terminal of {cols} columns and {rows} rows cannot be made. "
            "Use 1 to {most_cols} columns and 1 to {most_rows} rows.",
            cols=cols,
            rows=rows,
            most_cols=COLS_LIMIT,
            most_rows=ROWS_LIMIT,
        )


def _environment(order: StartSession, own: Mapping[str, str]) -> dict[str, str]:
    env = {name: value for name, value in order.env.items() if name != DAEMON_MARK}
    if order.inherit:
        env = {**_own_environment(), **env, **own}
    env[SESSION_MARK] = order.session_id
    for name, value in env.items():
        if not name or "=" in name or not _passable(name + value):
            raise StartError(
                "The environment variable {name} cannot be passed on. Leave it out.",
                name=repr(name),
            )
    return env


def _own_environment() -> dict[str, str]:
    """Return the worker's environment as a login's, without what nagomi has put into it."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("NAGOMI_")}
    if sys.platform != "win32":
        import pwd

        with suppress(KeyError):  # a container's user may have no name
            user = pwd.getpwuid(os.getuid())
            own = {"HOME": user.pw_dir, "SHELL": user.pw_shell, "USER": user.pw_name} | own
    return own


def _expanded(cwd: str | None, env: dict[str, str]) -> str | None:
    """Return the folder with the home folder in place of `~`; None for the home folder itself."""
    first, _, rest = (cwd or "~").replace(os.sep, "/").partition("/")
    if first != "~":
        return cwd
    return os.path.join(_home(env) or os.sep, rest) if rest else None


def _home(env: dict[str, str]) -> str:
    """Return the home folder, which Windows names otherwise; "" if there is none."""
    return env.get("HOME") or env.get("USERPROFILE") or ""


def _passable(words: str) -> bool:
    """Tell whether `exec` can take this text; else it would fail only after the fork."""
    try:
        return b"\0" not in os.fsencode(words)
    except UnicodeEncodeError:
        return False


def _folder(cwd: str | None, env: dict[str, str]) -> str:
    if cwd is None:
        home = _home(env)
        return home if _may_enter(home) else os.path.abspath(os.sep)
    if not _passable(cwd) or not os.path.exists(cwd):
        raise StartError(
            "The folder {cwd} does not exist. Make it, or choose another one.", cwd=cwd
        )
    if not os.path.isdir(cwd):
        raise StartError("{cwd} is not a folder. Choose a folder to start in.", cwd=cwd)
    if not _may_enter(cwd):
        raise StartError("The folder {cwd} may not be entered. Change its permissions.", cwd=cwd)
    return os.path.abspath(cwd)


def _may_enter(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.X_OK)


def _arguments(cmd: str, env: dict[str, str]) -> tuple[str, ...]:
    if not cmd.strip():
        raise StartError("The command is empty. Type a command, such as bash.")
    if not _passable(cmd):
        raise StartError("The command holds a character that cannot be passed on. Type it again.")
    if sys.platform == "win32":
        return _windows_arguments(cmd, env)
    try:
        words = split_words(cmd)
    except ValueError as exc:
        raise StartError("The command has a quote that is not closed: {cmd}", cmd=cmd) from exc
    if not words or not words[0] or _SHELL_WORDS.match(cmd) or _SHELL_SYNTAX.search(cmd):
        return _by_shell(_shell(env), cmd)
    return tuple(words)


def split_words(cmd: str) -> list[str]:
    """Return what `shlex.split` returns, which takes seconds for a word of 100 KB.

    Raises:
        ValueError: a quote is not closed, or the last backslash has nothing to escape.
    """
    words: list[str] = []
    pieces: list[str] = []
    in_word = False
    for found in _PIECES.finditer(cmd):
        if found["blank"]:
            if in_word:
                words.append("".join(pieces))
                pieces, in_word = [], False
            continue
        if found["open"]:
            raise ValueError("a quote or a backslash is left open")
        in_word = True
        if (double := found["double"]) is not None:
            pieces.append(_ESCAPED_IN_DOUBLE.sub(r"\1", double))
        else:
            pieces.append(found["single"] or found["escaped"] or found["plain"] or "")
    return [*words, "".join(pieces)] if in_word else words


def _by_shell(shell: str, line: str, *options: str) -> tuple[str, ...]:
    """Return the arguments by which a shell runs a line.

    One that is longer than an argument may be is given in pieces, of which the shell makes it anew.
    """
    if len(os.fsencode(line)) <= _LONGEST_ARGUMENT:
        return shell, *options, "-c", line
    size = _LONGEST_ARGUMENT // 4  # a character has four bytes at most
    pieces = [line[at : at + size] for at in range(0, len(line), size)]
    numbers = range(1, len(pieces) + 1)
    if os.path.basename(shell) == "fish":
        whole = "".join(f"$argv[{number}]" for number in numbers)
        return shell, *options, "-c", f'set -l it "{whole}"; set -e argv; eval $it', *pieces
    whole = "".join(f"${{{number}}}" for number in numbers)
    return shell, *options, "-c", f'eval "set --\n{whole}"', shell, *pieces


def _by_login(order: StartSession, env: dict[str, str]) -> tuple[str, ...]:
    """Return the arguments for a command that is to find what its user finds after a login.

    What it needs more is added to `env`. The user's own shell is a login shell itself.
    """
    shell, programs = _shell(env), env.get(PROGRAMS, "")
    env["PATH"] = os.pathsep.join(filter(None, (env.get("PATH", os.defpath), programs)))
    if sys.platform == "win32":
        return _arguments(order.cmd, env)
    cmd = f"{shlex.quote(shell)} -l" if order.cmd == OWN_SHELL else order.cmd
    start = Start(cmd, {})
    if order.marks and (scripts := env.get(SHELLS, "")):
        start = integrated(cmd, env, scripts)
    if order.cmd == OWN_SHELL and start != (cmd, {}):
        env.update(start.env)
        return tuple(shlex.split(start.cmd))
    if order.cmd == OWN_SHELL and os.path.basename(shell) in _LEAVING_PATH:
        start = Start(f"exec {shlex.quote(shell)}", {})
    argv = _arguments(start.cmd if start.cmd != cmd else order.cmd, env)
    if os.path.basename(shell) not in _LOGIN_SHELLS:
        return argv
    inner = shlex.join(["env", *(f"{name}={value}" for name, value in start.env.items())])
    line = f"{inner} {start.cmd}" if start.env else start.cmd if start.cmd != cmd else order.cmd
    whole = _with_programs(line, shell, programs, one=argv[1:2] != ("-c",))
    return _by_shell(shell, whole, "-l")


def _with_programs(line: str, shell: str, programs: str, *, one: bool) -> str:
    """Return a line for a login shell, whose profile may set PATH anew, with `programs` last on it.

    Of a line that is `one` command nothing is left but that: it takes the shell's place.
    """
    if not programs:
        return line
    quoted = shlex.quote(programs)
    if os.path.basename(shell) == "fish":
        found = f"set -gx PATH $PATH {quoted}"
    else:
        found = f'PATH="$PATH":{quoted}'
    return f"{found}; exec {line}" if one else f"{found}; {line}"


def _windows_arguments(cmd: str, env: dict[str, str]) -> tuple[str, ...]:
    """Return the program and the rest of the line as one argument, which Windows programs split.

    A line with `%`, `|` and the like is given to cmd.exe, which takes off the quotes around it (`/s`).
    """
    if re.search(r"[|&<>%^]", cmd):
        return env.get("COMSPEC", "cmd.exe"), f'/d /s /c "{cmd}"'
    found = re.match(r'\s*(?:"([^"]*)"|(\S+))\s*(.*)', cmd, re.DOTALL)
    assert found is not None
    return found[1] or found[2], found[3]


def _shell(env: dict[str, str]) -> str:
    shell = env.get("SHELL", "")
    return shell if os.path.isabs(shell) and os.access(shell, os.X_OK) else "/bin/sh"


def _program(word: str, cwd: str, env: dict[str, str]) -> str:
    if os.path.dirname(word):
        path = os.path.join(cwd, word)
        if not os.path.exists(path):
            raise StartError("{word} does not exist. Check the command's path.", word=word)
        if os.path.isdir(path) or not os.access(path, os.X_OK):
            raise StartError(
                "{word} is not a program that may be run. Make it executable first.", word=word
            )
        return path
    path = env.get("PATH", os.defpath)
    found = shutil.which(word, path=path)
    if found is None:
        if near := nearest_program(word, path):
            raise StartError(
                "The command {word} was not found; did you mean `{near}`?", word=word, near=near
            )
        raise StartError("The command {word} was not found. Install it, or check PATH.", word=word)
    return os.path.join(cwd, found)
