"""Tells whether a command line of bash, fish or PowerShell only reads."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Literal

from nagomi_tui.shell.analysis import Analysis
from nagomi_tui.shell.folders import Reading, Where
from nagomi_tui.shell.parsing import NO_TEXT, literal_words, parsed, see_as_sh, text_of
from nagomi_tui.shell.patterns import Patterns
from nagomi_tui.shell.words import Verdict, Writes, named

if TYPE_CHECKING:
    from tree_sitter import Node

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
    """Whether a command has only plain words, so that fish reads it as bash does, and is none of fish's own."""
    from nagomi_tui.shell.programs.builtins import CHECKS

    head = command.split()[:1]
    own = set(head) & (CHECKS.keys() - _SAME_IN_FISH)
    return re.fullmatch(_PLAIN, command) is not None and not own


_SAME_IN_FISH: Final = named("cd true false : test type times jobs kill printf ulimit umask")
"""Builtins of bash that do the same in fish; `set` and `alias` keep what they are told."""


def powershell(command: str) -> tuple[Verdict, str]:
    """Judge PowerShell's own commands; return the other commands' text, to be judged as bash."""
    others = []
    for part in command.split("|"):
        words = _QUOTED.sub("x", part).split()
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


_QUOTED: Final = re.compile(r"'[\w -&(-~]*'|\"[\w !#%-_a-~]*\"")
"""Texts in quotes without signs beyond ASCII, of which some are quotes to PowerShell."""
LONGEST: Final = 10_000
"""The longest command that is analysed, in characters; a longer one counts as a write."""
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
        stack = [parsed(command)] if len(command) <= LONGEST and not NO_TEXT.search(command) else []
    except Writes:
        return False
    found = bool(stack)
    while stack:
        node = stack.pop()
        if node.type == "command":
            found = found and "".join(literal_words(node)[:1]) in _PLAINLY
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


_PLAINLY: Final = named(
    "cat head tail wc nl ls grep egrep fgrep rg jq stat file diff cmp sha256sum md5sum cd pwd echo test [ find git"
)
_NOWHERE: Final = re.compile(r"2?>\s*/dev/null|2>&1")


def _classify(command: str, patterns: Patterns | None) -> Verdict:
    if len(command) > LONGEST:
        return Verdict("write", f"longer than {LONGEST:,} characters", LONGEST)
    if match := NO_TEXT.search(command):
        return Verdict("write", "a control character", match.start())
    try:
        root = parsed(command)
        patterns = patterns or Patterns()
        if not patterns.held:
            _see_in(patterns.shells, command, root)
        if _see(root, patterns, Reading()):
            _see(root, patterns, Reading(braces=False))
    except Writes as found:
        at = len(command.encode()[: found.at].decode("utf-8", "ignore"))
        return Verdict("write", found.reason, at)
    except RecursionError:
        return Verdict("write", "nested too deeply")
    return Verdict("read", "nothing in it writes")


def _see_in(shells: Collection[str], command: str, root: Node) -> None:
    """Check that these shells read a command as bash does."""
    if "sh" in shells:
        see_as_sh(root)
    if "powershell" in shells and not _ALIKE.fullmatch(command):
        raise Writes("PowerShell, which may run this, may read it otherwise than bash does")


_ALIKE: Final = re.compile(r"""[\w\s./:=+*?^~|;&>"'$-]*""", re.ASCII)
"""A command without marks that PowerShell reads otherwise, such as backslashes, commas and quotes that are not ASCII."""


def _see(root: Node, patterns: Patterns, reading: Reading) -> bool:
    """Check a command; return whether it has a brace list in it, which shells read differently."""
    where = Where(reading)
    try:
        Analysis(root, patterns, where).statements(root)
    except Writes:
        if not (where.unsure and patterns.looks) or reading.looked:
            raise
        return _see(root, patterns, reading._replace(looked=True))
    # Only now is it known where the command goes: a loop may change to a folder before what stands above.
    for asked in where.asked:
        if objection := patterns.objection(asked, where.moves):
            raise Writes(objection, asked.at)
    return where.lists
