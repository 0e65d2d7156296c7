"""Has the far side's own uv or pip make a Python there with what the worker is faster with.

The worker itself goes over the line all the same, so its version is always ours. Where there is no
Python of the worker's, uv brings one.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from typing import Final, NamedTuple

from nagomi_tui.api.launch import resident_env
from nagomi_tui.hands import faults, master
from nagomi_tui.hands import faults as said
from nagomi_tui.hands.bringing import find_python
from nagomi_tui.hands.hand import BadHand, Hand, not_started
from nagomi_tui.system.children import OWN_GROUP
from nagomi_tui.text.words import translatable

NEEDED: Final = ("msgspec>=0.19", "psutil>=6.1")
_SECONDS: Final = 900.0
_SAID: Final = re.compile(r"^nagomi-installed (\S+)(?: (\S+))?$", re.MULTILINE)

# Like the words that bring a worker, these have no newline, backslash, single quote or exclamation mark.
_SCRIPT: Final = (
    "d=$HOME/.local/share/nagomi/python; w=$d.new; "
    'u=; for c in uv "$HOME"/.local/bin/uv "$HOME"/.cargo/bin/uv; do '
    'if "$c" --version >/dev/null 2>&1; then u=$c; break; fi; done; '
    "q=; {find} echo; "
    'if [ -z "$u$q" ]; then echo nagomi-installed none; exit; fi; '
    'rm -rf "$w" && mkdir -p "${{d%/*}}" || exit; by=uv; f=; '
    'if [ "$u" ]; then '
    '"$u" venv --python "${{q:->=3.11}}" "$w" 1>&2 && '
    '"$u" pip install --python "$w/bin/python3" {needed} 1>&2 || f=1; '
    'else by=pip; if "$q" -m venv "$w" 1>&2; then '
    '"$w/bin/python3" -m pip install {needed} 1>&2 || f=1; '
    'elif "$q" -m venv --without-pip "$w" 1>&2; then '
    '"$q" -m pip --python "$w/bin/python3" install {needed} 1>&2 || f=1; else f=1; fi; fi; '
    'if [ "$f" ] && {{ [ "$q" ] || [ -e "$d" ]; }}; then rm -rf "$w"; fi; '
    'if "$w/bin/python3" -I -S -c "" 2>/dev/null; then rm -rf "$d" && mv "$w" "$d" || exit; '
    "else echo nagomi-installed failed; exit; fi; "
    'echo "nagomi-installed ${{f:+half-}}$by"'
)


class Installed(NamedTuple):
    """What was done there."""

    by: str
    """`uv` or `pip`."""
    half: str
    """Why the worker must do without what it is faster with, in its installer's words; empty if not."""


def install(hand: Hand, env: Mapping[str, str]) -> Installed:
    """Have it installed in the user's home folder there; the command gets `env` beside our own.

    Raises:
        BadHand: the hand is not reached, or there is nothing that could install it.
    """
    if hand.program:
        sentence = translatable(
            "{name} names its own worker ({program}); what is installed would not be used."
        )
        raise BadHand(sentence, name=hand.name, program=" ".join(hand.program))
    needed = " ".join(f'"{one}"' for one in NEEDED)
    script = _SCRIPT.format(find=find_python("q=$p; break"), needed=needed)
    argv = master.through(hand).there(["/bin/sh", "-c", script])
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            env={**resident_env(), **env},
            **OWN_GROUP,
        )
    except OSError as exc:
        raise not_started(argv[0], exc) from exc
    except subprocess.TimeoutExpired as exc:
        raise BadHand("{name} does not answer.", name=hand.name) from exc
    told = _SAID.search(done.stdout.decode(errors="replace").replace("\r", ""))
    lines = said.lines_of(said.last_of(done.stderr))
    if told is None:
        raise faults.sentence_of(hand, lines, done.returncode)
    blamed = [line for line in lines if re.search(r"error|fail", line, re.IGNORECASE)]
    last = next(reversed(blamed or lines), "").strip()
    if told[1] == "none":
        sentence = translatable(
            "There is neither uv nor a Python of 3.11 or newer behind {name}. Install one of them there; "
            "uv needs no rights of root, and brings a Python: https://docs.astral.sh/uv."
        )
        raise BadHand(sentence, name=hand.name)
    if told[1] == "failed":
        raise BadHand("Nothing was installed behind {name}: {said}", name=hand.name, said=last)
    return Installed(told[1].removeprefix("half-"), last if told[1].startswith("half-") else "")
