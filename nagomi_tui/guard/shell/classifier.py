"""Tells whether a command only reads: the entrance to everything here."""

from __future__ import annotations

import re
from typing import Final, Literal

from nagomi_tui.guard.shell.analysis import Analysis
from nagomi_tui.guard.shell.others import fish_reads, powershell
from nagomi_tui.guard.shell.parsing import parsed
from nagomi_tui.guard.shell.patterns import Patterns
from nagomi_tui.guard.shell.verdict import Verdict, Writes

LONGEST: Final = 10_000
"""Characters of the longest command that is looked at; a longer one writes."""
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
Shell = Literal["bash", "fish", "powershell"]


def classify(command: str, patterns: Patterns | None = None, shell: Shell = "bash") -> Verdict:
    """Tell whether a command only reads.

    Args:
        command: as it would be handed to `bash -c`.
        patterns: the user's own words, which are asked before our tables.
        shell: what will run it; of others than bash little is known to read.
    """
    if shell == "fish" and not fish_reads(command):
        return Verdict("write", "fish with more than plain words")
    if shell == "powershell":
        found, command = powershell(command)
        if found.verdict == "write" or not command:
            return found
    return _classify(command, patterns)


def _classify(command: str, patterns: Patterns | None) -> Verdict:
    if len(command) > LONGEST:
        return Verdict("write", f"longer than {LONGEST:,} characters", LONGEST)
    if match := _NO_TEXT.search(command):
        return Verdict("write", "a control character", match.start())
    try:
        root = parsed(command)
        Analysis(root, patterns or Patterns()).statements(root)
    except Writes as found:
        at = len(command.encode()[: found.at].decode("utf-8", "ignore"))
        return Verdict("write", found.reason, at)
    except RecursionError:
        return Verdict("write", "nested too deeply")
    return Verdict("read", "nothing in it writes")
