"""Tells whether a command only reads: the entry point of this package."""

from __future__ import annotations

import re
from typing import Final, Literal

from nagomi_tui.guard.shell.analysis import Analysis
from nagomi_tui.guard.shell.nodes import literal_words, text_of
from nagomi_tui.guard.shell.others import fish_reads, powershell
from nagomi_tui.guard.shell.parsing import parsed
from nagomi_tui.guard.shell.patterns import Patterns
from nagomi_tui.guard.shell.verdict import Verdict, Writes

LONGEST: Final = 10_000
"""The longest command that is analysed, in characters; a longer one counts as a write."""
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
Shell = Literal["bash", "fish", "powershell"]


def classify(command: str, patterns: Patterns | None = None, shell: Shell = "bash") -> Verdict:
    """Tell whether a command only reads.

    Args:
        command: the text, as for `bash -c`.
        patterns: commands that the user named as reads or writes, checked before our tables.
        shell: the shell that will run it; for others than bash few commands are known to read.
    """
    if shell == "fish" and not fish_reads(command):
        return Verdict("write", "fish with more than plain words")
    if shell == "powershell":
        found, command = powershell(command)
        if found.verdict == "write" or not command:
            return found
    return _classify(command, patterns)


def plainly_reads(command: str) -> bool:
    """Whether a command is no more than well-known readers with words that are what they say.

    It is asked of a read as well, where a fault of the analysis would cost most.
    """
    try:
        stack = (
            [parsed(command)] if len(command) <= LONGEST and not _NO_TEXT.search(command) else []
        )
    except Writes:
        return False
    found = bool(stack)
    while stack:
        node = stack.pop()
        if node.type == "command":
            found = found and literal_words(node)[:1] in _PLAINLY
        elif node.type == "file_redirect":
            found = found and _NOWHERE.fullmatch(text_of(node)) is not None
        elif node.is_named and node.type not in (
            "program",
            "list",
            "pipeline",
            "redirected_statement",
        ):
            found = False
        else:
            stack += node.children
    return found


_PLAINLY: Final = tuple(
    [name]
    for name in [
        "cat",
        "head",
        "tail",
        "wc",
        "nl",
        "ls",
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "jq",
        "stat",
        "file",
        "diff",
        "cmp",
        "sha256sum",
        "md5sum",
        "cd",
        "pwd",
        "echo",
        "test",
        "[",
        "find",
        "git",
    ]
)
_NOWHERE: Final = re.compile(r"2?>\s*/dev/null|2>&1")


def _classify(command: str, patterns: Patterns | None) -> Verdict:
    if len(command) > LONGEST:
        return Verdict("write", f"longer than {LONGEST:,} characters", LONGEST)
    if match := _NO_TEXT.search(command):
        return Verdict("write", "a control character", match.start())
    try:
        root = parsed(command)
        patterns = patterns or Patterns()
        analysis = Analysis(root, patterns)
        analysis.statements(root)
        # Only now is it known where the command goes: a loop may change to a folder before what stands above.
        for asked in analysis.where.asked:
            if objection := patterns.objection(asked, analysis.where.moves):
                raise Writes(objection, asked.at)
    except Writes as found:
        at = len(command.encode()[: found.at].decode("utf-8", "ignore"))
        return Verdict("write", found.reason, at)
    except RecursionError:
        return Verdict("write", "nested too deeply")
    return Verdict("read", "nothing in it writes")
