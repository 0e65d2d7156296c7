"""Screen rules of an agent: which words in which part of the screen say what it is doing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from nagomi_tui.core.judge import versions
from nagomi_tui.core.judge.evidence import Evidence, Says, Source
from nagomi_tui.core.judge.patterns import multiline
from nagomi_tui.core.judge.questions.asking import InputRule, QuestionRule
from nagomi_tui.core.judge.questions.condition import Condition
from nagomi_tui.core.judge.shapes.field import above_field, has_field

if TYPE_CHECKING:
    from nagomi_tui.core.judge.evidence import View

_ROWS: Final = re.compile(r"(bottom|top):([1-9][0-9]?)")
_ABOVE: Final = re.compile(r"above:([1-9][0-9]?)")
_LIT: Final = re.compile(r"lit:([1-9][0-9]?)")

_SAID: Final = re.compile(r"^ ?[›❯»>] \S")

ANY: Final = "any"
"""The name of the manifest that says what agents have in common."""

ENDS: Final = "ends"
"""The kind of a rest that is the end of the work before it."""


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A screen on which a rule must, or must not, be the one that is found."""

    screen: str
    """`⟦⟧` stand around what is drawn in reverse."""
    matches: bool = True
    title: str = ""
    moves: bool = False


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule; of all that match, the one of the highest priority counts."""

    name: str
    says: Says
    priority: int
    when: Condition = Condition()
    region: str = "bottom:12"
    """`screen`, `full` (the same, of a program that fills it), `title`, `last`, `line` (left of the cursor), `bottom:N`, `top:N` (non-empty rows), `above:N` (those above the
    field to type in; all if there is none), `lit:N` (the last ones, with `⟦⟧` around what is drawn in reverse or on another ground;
    empty if nothing is), or `after:REGEX`."""
    field: bool | None = None
    """Whether there must be a field to type in near the bottom; None: it does not matter."""
    moves: bool = False
    """Something must turn or count in place."""
    ends: bool = False
    """Of a rest: after work it means that the turn has ended well."""
    versions: str = ""
    """Versions that it holds for, such as `>=2.1.300, <3` or `2.1`; empty: every one."""
    sample: tuple[Sample, ...] = ()


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent or program: how it is recognised, and its rules."""

    name: str
    kind: Literal["agent", "shell", "program"]
    commands: tuple[str, ...] = ()
    """Names of the foreground command; a `*` at the end stands for any rest."""
    wrapped: tuple[str, ...] = ()
    """Regexes for a whole command line that runs it through an interpreter or a launcher."""
    rule: tuple[Rule, ...] = ()
    question: tuple[QuestionRule, ...] = ()
    """How the program asks questions, and the keys that answer."""
    input: InputRule | None = None
    """Where the program's own input field is."""
    banner: str = ""
    """Regex with a group `version` for what the program shows at its start."""
    seen: tuple[str, ...] = ()
    """Versions that the rules were seen with; none: they were made from documentation."""
    adds: bool = False
    """Of a user's file: its rules stand beside the shipped ones of that name, and before them."""

    def runs(self, command: str) -> bool:
        """Tell whether a process name or a command line is this program."""
        word = command.strip().split(" ")[0].rsplit("/", 1)[-1].lstrip("-")
        named = any(_same(word, name) for name in self.commands)
        return named or any(multiline(item).search(command) for item in self.wrapped)


def read_screen(
    manifest: Manifest, view: View, *, moves: bool = False, version: str = ""
) -> Evidence | None:
    """Return what the first rule that holds says of this view, or None.

    Rules for other versions than this one are passed over.
    """
    for rule in ordered(manifest, version):
        if (rule.moves and not moves) or rule.field not in (None, has_field(view)):
            continue
        text = region(view, rule.region)
        if rule.when.holds(text):
            return Evidence(
                source=Source.SCREEN,
                says=rule.says,
                at=view.at,
                rule=f"{manifest.name}:{rule.name}",
                text=_quoted(rule, text),
                kind=ENDS if rule.ends else "",
            )
    return None


@lru_cache(maxsize=4)
def menus_of(manifest: Manifest) -> Manifest:
    """Return the rules of a manifest by which something on the screen asks, and no others."""
    asks = (rule for rule in manifest.rule if rule.says is Says.WAITS and rule.region != "title")
    kept = tuple(msgspec.structs.replace(rule, sample=()) for rule in asks)
    return Manifest(name=manifest.name, kind=manifest.kind, rule=kept)


def region(view: View, name: str) -> str:
    """Return the part of the screen that a rule reads (see `Rule.region`), joined by newlines."""
    if name == "title":
        return view.title
    if name == "line":
        return view.cursor_line
    if name == "full":
        return "\n".join(view.rows) if view.alt_screen else ""
    if counted := _ABOVE.fullmatch(name):
        return "\n".join(_filled(above_field(view))[-int(counted[1]) :])
    if counted := _LIT.fullmatch(name):
        return _with_lit(view, int(counted[1]))
    return _rows(view.rows, name)


def _with_lit(view: View, size: int) -> str:
    """Return the last rows with signs around what is lit, or nothing."""
    lit = dict(view.lit)
    shown = [(at, row) for at, row in enumerate(view.rows) if row.strip()][-size:]
    for at in view.bars:
        # Whole rows on another ground, in a block or behind a prompt's mark, are what somebody said.
        block = at - 1 in view.bars or at + 1 in view.bars
        if block or (at < len(view.rows) and _SAID.match(view.rows[at])):
            lit.pop(at, None)
    if not any(at in lit for at, _ in shown):
        return ""
    return "\n".join(lit.get(at, row) for at, row in shown)


@lru_cache(maxsize=64)
def _rows(rows: tuple[str, ...], name: str) -> str:
    """Return a region of these rows; many rules read the same one."""
    if name.startswith("after:"):
        whole = "\n".join(rows)
        found = list(multiline(name.removeprefix("after:")).finditer(whole))
        return whole[found[-1].end() :] if found else whole
    filled = _filled(rows)
    if name == "last":
        return filled[-1] if filled else ""
    if counted := _ROWS.fullmatch(name):
        size = int(counted[2])
        filled = filled[-size:] if counted[1] == "bottom" else filled[:size]
    return "\n".join(filled)


@lru_cache(maxsize=8)
def _filled(rows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(row for row in rows if row.strip())


def faults(rule: Rule) -> list[str]:
    """Return what is wrong with a rule, each in a few words."""
    patterns = (*rule.when.all, *rule.when.any, *rule.when.none)
    after = rule.region.removeprefix("after:") if rule.region.startswith("after:") else ""
    wrong = [fault for item in (*patterns, after) if (fault := _fault(item))]
    if (
        not after
        and rule.region not in ("screen", "full", "title", "last", "line")
        and not _ROWS.fullmatch(rule.region)
        and not _ABOVE.fullmatch(rule.region)
        and not _LIT.fullmatch(rule.region)
    ):
        wrong.append(f"no such region: {rule.region}")
    if not rule.when.all and not rule.when.any and not rule.moves and rule.field is None:
        wrong.append("it would hold on any screen")
    if unknown := versions.fault(rule.versions):
        wrong.append(unknown)
    return wrong


def _fault(pattern: str) -> str:
    try:
        multiline(pattern)
    except re.error as exc:
        return f"a pattern is broken: {pattern}: {exc}"
    return ""


@lru_cache(maxsize=64)
def ordered(manifest: Manifest, version: str = "") -> tuple[Rule, ...]:
    """Return the rules for a version in the order in which they are asked."""
    kept = [rule for rule in manifest.rule if versions.holds(rule.versions, version)]
    return tuple(sorted(kept, key=lambda rule: -rule.priority))


def _quoted(rule: Rule, text: str) -> str:
    """Return the line that the rule's first pattern was found on."""
    for pattern in (*rule.when.any, *rule.when.all):
        if found := multiline(pattern).search(text):
            start = text.rfind("\n", 0, found.start() + 1) + 1
            line = text[start:].lstrip("\n").split("\n", 1)[0]
            return " ".join(line.replace("⟦", " ").replace("⟧", " ").split())
    return ""


def _same(word: str, name: str) -> bool:
    return word.startswith(name[:-1]) if name.endswith("*") else word == name
