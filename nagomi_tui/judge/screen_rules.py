"""The rules for an agent's screen, and which of them holds on what is shown."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from functools import lru_cache
from typing import Final, Literal

import msgspec

from nagomi_tui.judge import versions
from nagomi_tui.judge.evidence import AT_WORK, Evidence, Says, Source, View
from nagomi_tui.judge.patterns import multiline
from nagomi_tui.judge.questions import Condition, InputRule, QuestionRule
from nagomi_tui.judge.shapes import (
    Motion,
    above_field,
    draft,
    form_of,
    has_field,
    last_block,
    said_last,
    was_sent,
    words_above,
)
from nagomi_tui.judge.versions import LOOKS, from_banner
from nagomi_tui.text.words import Said, translatable

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
    """`⟦⟧` stand around what is drawn in reverse; what is written in red begins with `‼`."""
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
    empty if nothing is), `end` (the last words above the field, without hints; nothing where the user's line is the last), or `after:REGEX`."""
    field: bool | None = None
    """Whether there must be a field to type in near the bottom; None: it does not matter."""
    moves: bool = False
    """Something must turn or count in place."""
    red: bool = False
    """Of the region `end`: its first word must be written in red."""
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
        if rule.red and not last_block(view)[1]:
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


@lru_cache(maxsize=8)
def part_of(manifest: Manifest, says: Says, *, title: bool = False) -> Manifest:
    """Return the rules of a manifest that say this of the screen, or of the title, and no others."""
    found = (rule for rule in manifest.rule if rule.says is says)
    kept = (rule for rule in found if (rule.region == "title") is title)
    rules = tuple(msgspec.structs.replace(rule, sample=()) for rule in kept)
    return Manifest(name=manifest.name, kind=manifest.kind, rule=rules)


def region(view: View, name: str) -> str:
    """Return the part of the screen that a rule reads (see `Rule.region`), joined by newlines."""
    if name == "title":
        return view.title
    if name == "line":
        return view.cursor_line
    if name == "end":
        return last_block(view)[0]
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


def faults(rule: Rule) -> list[Said]:
    """Return what is wrong with a rule, each in a few words."""
    patterns = (*rule.when.all, *rule.when.any, *rule.when.none)
    after = rule.region.removeprefix("after:") if rule.region.startswith("after:") else ""
    wrong = [fault for item in (*patterns, after) if (fault := _fault(item))]
    if (
        not after
        and rule.region not in ("screen", "full", "title", "last", "line", "end")
        and not _ROWS.fullmatch(rule.region)
        and not _ABOVE.fullmatch(rule.region)
        and not _LIT.fullmatch(rule.region)
    ):
        wrong.append(Said(translatable("no such region: {region}"), {"region": rule.region}))
    if not rule.when.all and not rule.when.any and not rule.moves and rule.field is None:
        wrong.append(Said(translatable("it would hold on any screen"), {}))
    if unknown := versions.fault(rule.versions):
        wrong.append(unknown)
    return wrong


def _fault(pattern: str) -> Said | None:
    try:
        multiline(pattern)
    except re.error as exc:
        return broken_by(pattern, exc)
    return None


def broken_by(pattern: str, exc: re.error) -> Said:
    """Return the sentence on a pattern that cannot be compiled."""
    sentence = translatable("a pattern is broken: {pattern}: {reason}")
    return Said(sentence, {"pattern": pattern, "reason": exc})


@lru_cache(maxsize=64)
def ordered(manifest: Manifest, version: str = "") -> tuple[Rule, ...]:
    """Return the rules for a version in the order in which they are asked."""
    kept = [rule for rule in manifest.rule if versions.holds(rule.versions, version)]
    return tuple(sorted(kept, key=lambda rule: -rule.priority))


def _quoted(rule: Rule, text: str) -> str:
    """Return the line that the rule's first pattern was found on.

    Where it asks, `any` finds a key or a button, which may stand elsewhere for something else.
    """
    patterns = (rule.when.any, rule.when.all)
    for pattern in itertools.chain(*(reversed(patterns) if rule.says is Says.WAITS else patterns)):
        if found := multiline(pattern).search(text):
            start = text.rfind("\n", 0, found.start() + 1) + 1
            line = text[start:].lstrip("\n").split("\n", 1)[0]
            return _plainly(line.replace("⟦", " ").replace("⟧", " "))
    return ""


def _plainly(row: str) -> str:
    """Return a row's words without the frame around them."""
    return " ".join(row.split()).strip(" │┃║|▌▐█")


def _same(word: str, name: str) -> bool:
    return word.startswith(name[:-1]) if name.endswith("*") else word == name


WITHOUT_FIELD: Final = f"{ANY}:without-field"
"""The rule by which a turn goes on while the agent shows no field to type in."""

FIELD_GONE: Final = f"{ANY}:field-gone"
"""The rule for an agent without its field that shows it while it works: it may ask."""

FLOWS: Final = f"{ANY}:text-flows"
"""The rule by which an agent works that writes its answer while its field stays where it is."""

_FLOWING: Final = 3
"""Looks with new words above the field that make a flow: a command's answer comes at once."""
_PAUSE: Final = 1.0
"""Most seconds between two of them."""
_TYPING: Final = 1.0
"""Seconds after the user's keys in which new words are an answer to these."""

SENT: Final = f"{ANY}:was-sent"
"""The rule by which an agent is at work whose field has given up what stood in it."""

_ANSWERS: Final = 3.0
"""Seconds within which an agent that was asked shows that it works."""
_SLOW: Final = 27.0
"""More seconds while nothing stands below what was sent, but for a row that tells of the model."""
_DRAFTS: Final = 3
"""Drafts that are remembered: where a field shows a hint again, what was sent comes later."""
_COMMAND: Final = re.compile(r"[/!#:]|(?:exit|quit|bye|q)$")
_LEAVES: Final = re.compile(r"[/:]?(?:exit|quit|bye|q)!?$")

_WELL: Final = frozenset({Says.REST, Says.SUCCEEDED})
_OUTRANKED: Final = frozenset({Says.REST, Says.SUCCEEDED, Says.FAILED, Says.INTERRUPTED})


class Asked(msgspec.Struct, frozen=True):
    """What the user did, as far as it explains what a screen shows."""

    at: float | None = None
    """When the turn began; None before the first one that is known of."""
    typed_at: float = float("-inf")
    """When anything but Enter was last typed."""
    answered: bool = False
    """The turn was shown to be over."""
    broken: bool = False
    """The user has broken it off."""


class Looks:
    """The views of one program in the foreground, in order."""

    def __init__(
        self, manifest: Manifest | None, shapes: Manifest | None, *, version: str = ""
    ) -> None:
        self.manifest = manifest
        self.version = version
        """The agent's version, once its banner was seen."""
        self.held = False
        """One of the agent's own rules held on the last view."""
        self._unread = LOOKS
        self._menus = part_of(shapes, Says.WAITS) if shapes is not None else None
        """The shapes by which any program asks that reads single keys."""
        self._rests = part_of(shapes, Says.REST, title=True) if shapes is not None else None
        """The titles by which any agent tells that it rests."""
        self._shapes = shapes if manifest is not None and manifest.kind == "agent" else None
        self._motion = Motion()
        self.had_field = False
        """A field to type in was there once."""
        self._keeps_field = False
        self._works = False
        self._before = Counter[str]()
        """The rows on which the last work began, and how often each stood there."""
        self._began_at: float | None = None
        self._above: tuple[str, ...] = ()
        self._flowed = 0
        self._flowed_at = float("-inf")
        self._draft = ""
        """What stands in the field."""
        self._sent = ""
        """What stood there last, before it was another text."""
        self._label: str | None = None
        """The question above the field when it was first seen, if there was one."""
        self._given_up: list[tuple[str, float, int]] = []
        """What stood there last, until when, and how often it had been sent before."""
        self._said: tuple[str, ...] = ()
        """The words of the rows above it."""
        self._sent_until = float("-inf")

    def read(
        self, view: View, now: float, asked: Asked | None = None, *, keys: bool = False
    ) -> Evidence | None:
        """Return what the screen says, in the light of what the user did; `keys` are read singly."""
        if self.manifest is None:
            return None
        if self._shapes is None:
            said = read_screen(self.manifest, view)
            return said or (read_screen(self._menus, view) if self._menus and keys else None)
        asked = asked or Asked()
        view = msgspec.structs.replace(
            view, sent=self._sent, label=self._label or "" if self._sent else ""
        )
        self.had_field |= bool(view.prompt)
        self._began_at = view.at if self._began_at is None else self._began_at
        self._motion.take(view, begun=asked.at is not None and asked.at > self._began_at)
        until = self._motion.lasts(now, patient=self.manifest is self._shapes)
        moves = until > now
        own = None if self.manifest is self._shapes else self._own(view, moves=moves)
        shape = read_screen(self._shapes, view, moves=moves)
        begun = self.had_field or has_field(view) or asked.at is not None
        if shape and shape.says in AT_WORK and not begun:
            # It starts: no turn has begun.
            shape = None
        said = _weighed(own, shape) or self._by_absence(view)
        if said is not None and said.says is Says.FAILED and was_sent(said.text, view.sent):
            # Some draw the user's words as they draw an error.
            said = _said(view, Says.REST, f"{ANY}:field")
        if self._rests and said is not None and said.says in AT_WORK and not moves:
            # What stands still may be left from before a resize; its title tells whether it is.
            said = read_screen(self._rests, view) or said
        flows = self._flows(view, now, asked)
        if flows and said is not None and said.kind == ENDS and said.rule.startswith(f"{ANY}:"):
            said = msgspec.structs.replace(
                said, says=Says.THINKING, rule=FLOWS, kind="", expires=view.at + _PAUSE
            )
        self._follow_draft(view, works=said is not None and said.says in AT_WORK)
        due = expires = self._sent_until
        if said is not None and said.says in _WELL and now < due + _SLOW:
            if not asked.broken and not last_block(view)[0]:
                # Escape changes nothing on the screen: it is asked again and again.
                expires, due = max(due, now + _PAUSE), due + _SLOW
            if now < due:
                said = msgspec.structs.replace(
                    said, says=Says.THINKING, rule=SENT, kind="", expires=expires
                )
        if said is not None and said.rule == f"{ANY}:moves":
            said = msgspec.structs.replace(said, expires=until)
        return self._remember(view, self._without_old(view, said))

    def _without_old(self, view: View, said: Evidence | None) -> Evidence | None:
        """Take an error for the last turn's that stood there before this one, if words follow it."""
        if said is None or said.says is not Says.FAILED or not said.rule.startswith(f"{ANY}:"):
            return said
        rows = [told for row in above_field(view) if (told := _plainly(row))]
        if said.text not in rows or rows.count(said.text) > self._before[said.text]:
            return said
        below = rows[len(rows) - rows[::-1].index(said.text) :]
        if all(row in self._before for row in below):
            return said
        return msgspec.structs.replace(
            said, says=Says.REST, kind=ENDS, rule=f"{ANY}:field", text=""
        )

    def _follow_draft(self, view: View, *, works: bool) -> None:
        """See what is typed in the field go up into the conversation: it was sent."""
        now = draft(view)
        if view.resized:
            self._given_up = []
            return
        if now != self._draft and len(self._draft) > 1 and not _COMMAND.match(self._draft):
            given_up = self._draft, view.at, self._said.count(self._draft)
            self._given_up = [*self._given_up[-_DRAFTS:], given_up]
            self._sent = self._sent if now.startswith(self._draft) else self._draft
        if now or has_field(view):
            self._draft = now
            self._said = words_above(view)
            last = next((words for words in reversed(self._said) if words), "")
            if self._label is None:
                self._label = last if last.endswith(("?", ":", "？", "：")) else ""
        # What nobody knows may work without a sign: a quick answer tells only of one that is known.
        known = self.manifest is not self._shapes
        fresh = [one for one in self._given_up if view.at <= one[1] + _ANSWERS]
        if works:
            self._given_up, self._sent_until = [], float("-inf")
        elif any(
            said_last(view, words) or (known and self._said.count(words) > before)
            for words, _, before in fresh
        ):
            self._given_up, self._sent_until = [], view.at + _ANSWERS

    def _flows(self, view: View, now: float, asked: Asked) -> bool:
        """Tell whether new words come above the field again and again, after something was asked."""
        above = tuple(form_of(row) for row in above_field(view) if row.strip())
        grown, self._above = above != self._above, above
        if not has_field(view) or asked.at is None or asked.answered:
            self._flowed = 0
            return False
        if now - self._flowed_at >= _PAUSE:
            self._flowed = 0
        typing = view.at - asked.typed_at <= _TYPING
        if grown and (self._flowed >= _FLOWING or not typing):
            self._flowed += 1
            self._flowed_at = view.at
        return self._flowed >= _FLOWING

    def _own(self, view: View, *, moves: bool) -> Evidence | None:
        if self.manifest is None:
            return None
        if self.manifest.banner and not self.version and self._unread:
            self._unread -= 1
            self.version = from_banner(self.manifest.banner, view.rows)
        said = read_screen(self.manifest, view, moves=moves, version=self.version)
        self.held = said is not None
        return said

    def _by_absence(self, view: View) -> Evidence | None:
        """The field was there and is gone: a turn began, or what it asks stands in its place."""
        if not self.had_field:
            return None
        if self._keeps_field or view.alt_screen:
            says = Says.BUSY if self._works else Says.REST
            return _said(view, says, FIELD_GONE)
        if _LEAVES.match(self._draft):
            return _said(view, Says.REST, FIELD_GONE)
        return _said(view, Says.BUSY, WITHOUT_FIELD)

    def _remember(self, view: View, said: Evidence | None) -> Evidence | None:
        shown = has_field(view)
        works = said is not None and said.says in AT_WORK
        if works and not self._works:
            self._before = Counter(map(_plainly, view.rows))
        self.had_field |= shown
        self._keeps_field |= shown and works
        if said is None or said.rule not in (WITHOUT_FIELD, FIELD_GONE):
            self._works = works
        return said


def _weighed(own: Evidence | None, shape: Evidence | None) -> Evidence | None:
    """A dialog by its shape outranks a rest by an agent's own rules, and so does work.

    That its field is there is the least that these know: a failure by its shape outranks that, too.
    """
    if own is None or shape is None:
        return own or shape
    if own.says in _OUTRANKED and (shape.says is Says.WAITS or shape.says in AT_WORK):
        return shape
    return shape if own.kind == ENDS and shape.says is Says.FAILED else own


def _said(view: View, says: Says, rule: str) -> Evidence:
    return Evidence(source=Source.SCREEN, says=says, at=view.at, rule=rule)
