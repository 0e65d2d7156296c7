"""The few commands of PowerShell and fish that count as reads: those of plain words only."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.guard.shell.verdict import Verdict
from nagomi_tui.guard.shell.words import named

_PLAIN: Final = r"[\w ./:=@+,-]+"
_READERS: Final = named(
    "get-childitem gci get-content gc get-location gl get-item gi test-path select-string sls get-process gps "
    "get-service get-date get-command gcm get-member get-filehash measure-object select-object get-acl "
    "resolve-path split-path join-path get-psdrive get-history get-alias convertfrom-json convertto-json dir ls "
    "pwd cat type"
)
_ASKED: Final = named("git gh docker npm pip cargo")
"""Programs whose names are not taken by PowerShell's own commands."""


def fish_reads(command: str) -> bool:
    """Whether a command has only plain words, so that fish reads it as bash does."""
    return re.fullmatch(_PLAIN, command) is not None


def powershell(command: str) -> tuple[Verdict, str]:
    """Judge PowerShell's own commands; return the other commands' text, to be judged as bash."""
    others = []
    for part in command.split("|"):
        words = re.sub(r"'[^'\n]*'|\"[^\"\n$`]*\"", "x", part).split()
        if (
            not words
            or not re.fullmatch(r"[\w ./\\:=@+,*-]+", " ".join(words))
            or re.search(r"[\n\r]", part.strip())
        ):
            return Verdict("write", "PowerShell that is not on the short list"), ""
        if words[0].lower() in _READERS:
            continue
        if words[0] not in _ASKED or not re.fullmatch(_PLAIN, part):
            return Verdict("write", f"{words[0]} is not on the short list for PowerShell"), ""
        others.append(part)
    return Verdict("read", "nothing in it writes"), " | ".join(others)
