"""The words that are run on the far side: they find a Python there, which reads on from stdin."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

MARK: Final = b"nagomi-far "
"""How each line begins that is said from there before the worker runs."""

_PYTHONS: Final = (
    '"$HOME"/.local/share/nagomi/python/bin/python3',
    *("python3", "python3.14", "python3.13", "python3.12", "python3.11"),
    *("/usr/local/bin/python3", "/opt/homebrew/bin/python3"),
    *('"$HOME"/.local/bin/python3*', '"$HOME"/.local/share/uv/python/*/bin/python3'),
    *('"$HOME"/.pyenv/versions/*/bin/python3', '"$HOME"/*conda*/bin/python3'),
    *("/opt/*/bin/python3", "/usr/bin/python3.1[1-9]"),
)
_FIND: Final = (
    "for p in {pythons}; do "
    'v=$("$p" -I -S -c "import sys;print(sys.version_info[0]*100+sys.version_info[1])"'
    " </dev/null 2>/dev/null); "
    'case "$v" in '
    "31[1-9]|3[2-9]?) {found};; "
    '[23]??) n="$n $v";; '
    "esac; done;"
)
_RUN: Final = 'exec "$p" -I -S -c "import sys;exec(sys.stdin.buffer.read({size}))"'


def find_python(found: str) -> str:
    """Return words of the shell that do `found` with `$p`, the first Python that a worker runs on.

    Without one, `$n` holds the versions that are there, such as 309.
    """
    return _FIND.format(pythons=" ".join(_PYTHONS), found=found)


@cache
def far_program() -> bytes:
    """Return the program that must be sent first, before anything else."""
    return Path(__file__).with_name("far_side.py").read_bytes()


def far_command() -> tuple[str, ...]:
    """Return the words to be run there.

    The script has no newline, backslash, single quote or exclamation mark: `shlex.join` makes of it
    what every login shell hands on unharmed, csh and fish included.
    """
    run = _RUN.format(size=len(far_program()))
    script = f"n=; {find_python(run)} echo; echo nagomi-far none $n"
    return ("/bin/sh", "-c", script)
