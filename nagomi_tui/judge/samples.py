"""Checks rules for questions and drafts against their own samples, and finds broken patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from nagomi_tui.judge.choices import read_draft, read_question
from nagomi_tui.judge.line_rules import Profile
from nagomi_tui.judge.questions import InputRule, QuestionRule
from nagomi_tui.judge.screen_rules import broken_by
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.cells import cells
from nagomi_tui.text.rows import FAINT, Cursor, Row, Run, Style
from nagomi_tui.text.words import Said, translatable


def left_out(what: object, reason: object) -> Said:
    """Return the sentence on what is not used."""
    sentence = translatable("{what} is left out: {reason}")
    return Said(sentence, {"what": what, "reason": reason})


def broken(pattern: str) -> Said | None:
    """Return what is wrong with a pattern, or None."""
    try:
        re.compile(pattern)
    except re.error as exc:
        return broken_by(pattern, exc)
    return None


def broken_patterns(profile: Profile) -> Iterator[tuple[str, Said]]:
    """Yield each field of the profile with a broken pattern, and what is wrong with that."""
    for name, pattern in _patterns(profile):
        if fault := broken(pattern):
            yield name, fault


def _patterns(profile: Profile) -> Iterator[tuple[str, str]]:
    for name, value in msgspec.structs.asdict(profile).items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, tuple):
            for item in value:
                yield from ((name, part) for part in ((item,) if isinstance(item, str) else item))


_FAINT: Final = Style(flags=FAINT)


def question_rules(
    manifest: str, raw: list[Any], path: Path, problems: list[Said]
) -> tuple[QuestionRule, ...]:
    """Return the rules that can be read and pass their own samples; the others are named."""
    kept: list[QuestionRule] = []
    for number, found in enumerate(raw, 1):
        name = found.get("name", number) if isinstance(found, dict) else number
        where = f"{path}: question {name}"
        try:
            rule = from_builtins(found, QuestionRule)
        except msgspec.ValidationError as exc:
            problems.append(left_out(where, exc))
            continue
        if fault := _question_fault(rule):
            problems.append(left_out(where, fault))
        else:
            kept.append(named(manifest, rule))
    return tuple(kept)


def named(manifest: str, rule: QuestionRule) -> QuestionRule:
    """Return the rule with its manifest in its name, as the judge's reasons tell it."""
    return msgspec.structs.replace(rule, name=f"{manifest}:{rule.name}")


def input_rule(raw: object, path: Path, problems: list[Said]) -> InputRule | None:
    """Return the rule for an agent's own input, if it can be read and passes its samples."""
    if raw is None:
        return None
    try:
        rule = from_builtins(raw, InputRule)
        fault: object = _input_fault(rule)
    except (msgspec.ValidationError, ValueError) as exc:
        fault = exc
    if fault is not None:
        problems.append(left_out(f"{path}: input", fault))
        return None
    return rule


def screen_of(text: str) -> tuple[tuple[Row, ...], Cursor]:
    """Return a sample as a screen: text between `{{` and `}}` is faint."""
    rows = tuple(Row(tuple(_runs(line))) for line in text.strip("\n").split("\n"))
    last = rows[-1]
    return rows, Cursor(x=sum(cells(run.text) for run in last.runs), y=len(rows) - 1)


def _runs(line: str) -> list[Run]:
    runs: list[Run] = []
    for number, part in enumerate(line.replace("}}", "{{").split("{{")):
        if part:
            runs.append(Run(part, _FAINT if number % 2 else Style()))
    return runs


def _question_fault(rule: QuestionRule) -> Said | None:
    patterns = (rule.option, rule.row, rule.line, rule.begins, rule.after, rule.leave_out)
    conditions = (*rule.when.all, *rule.when.any, *rule.when.none)
    if fault := next(filter(None, map(broken, (*patterns, *conditions))), None):
        return fault
    if not any((rule.line, rule.option, rule.choices, rule.begins, rule.after)):
        return Said(translatable("it says neither how it is answered nor where it begins"), {})
    if rule.row and not rule.option:
        return Said(translatable("its row needs an `option`, which reads one choice in it"), {})
    if rule.option and not all(f"(?P<{group}>" in rule.option for group in ("key", "label")):
        return Said(translatable("its option names no key and label"), {})
    for number, sample in enumerate(rule.sample, 1):
        found = read_question((rule,), *screen_of(sample.screen))
        keys = tuple(choice.key for choice in found.choices) if found else ()
        if keys != sample.keys:
            sentence = translatable("on its sample {number}, the keys {keys} were found")
            return Said(sentence, {"number": number, "keys": keys})
        if found and sample.text and found.text != sample.text:
            return _read_wrongly(number, found.text)
    return None


def _input_fault(rule: InputRule) -> Said | None:
    if fault := next(filter(None, map(broken, (rule.marker, rule.above, rule.ends))), None):
        return fault
    for number, sample in enumerate(rule.sample, 1):
        found: Any = read_draft(rule, screen_of(sample.screen)[0])
        if found != sample.draft:
            return _read_wrongly(number, found)
    return None


def _read_wrongly(number: int, text: object) -> Said:
    sentence = translatable("on its sample {number}, “{text}” was read")
    return Said(sentence, {"number": number, "text": text})
