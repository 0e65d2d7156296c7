"""Checks rules for questions and drafts against their own samples, and finds broken patterns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui.judge.choices import read_draft, read_question
from nagomi_tui.judge.questions import InputRule, QuestionRule
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.cells import cells
from nagomi_tui.text.rows import FAINT, Cursor, Row, Run, Style

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nagomi_tui.judge.line_rules import Profile


def broken(pattern: str) -> str:
    """Return what is wrong with a pattern, or ""."""
    try:
        re.compile(pattern)
    except re.error as exc:
        return f"a pattern is broken: {pattern}: {exc}"
    return ""


def broken_patterns(profile: Profile) -> list[str]:
    """Return what is wrong with the profile's patterns, each with the field that it is in."""
    faults = ((name, broken(pattern)) for name, pattern in _patterns(profile))
    return [f"{name}: {fault}" for name, fault in faults if fault]


def _patterns(profile: Profile) -> Iterator[tuple[str, str]]:
    for name, value in msgspec.structs.asdict(profile).items():
        if isinstance(value, str):
            yield name, value
        elif isinstance(value, tuple):
            for item in value:
                yield from ((name, part) for part in ((item,) if isinstance(item, str) else item))


_FAINT: Final = Style(flags=FAINT)


def question_rules(
    manifest: str, raw: list[Any], path: Path, problems: list[str]
) -> tuple[QuestionRule, ...]:
    """Return the rules that can be read and pass their own samples; the others are named."""
    kept: list[QuestionRule] = []
    for number, found in enumerate(raw, 1):
        name = found.get("name", number) if isinstance(found, dict) else number
        where = f"{path}: question {name}"
        try:
            rule = from_builtins(found, QuestionRule)
        except msgspec.ValidationError as exc:
            problems.append(f"{where} is left out: {exc}")
            continue
        if fault := _question_fault(rule):
            problems.append(f"{where} is left out: {fault}")
        else:
            kept.append(msgspec.structs.replace(rule, name=f"{manifest}:{rule.name}"))
    return tuple(kept)


def input_rule(raw: object, path: Path, problems: list[str]) -> InputRule | None:
    """Return the rule for an agent's own input, if it can be read and passes its samples."""
    if raw is None:
        return None
    try:
        rule = from_builtins(raw, InputRule)
        fault = _input_fault(rule)
    except (msgspec.ValidationError, ValueError) as exc:
        fault = str(exc)
    if fault:
        problems.append(f"{path}: input is left out: {fault}")
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


def _question_fault(rule: QuestionRule) -> str:
    patterns = (rule.option, rule.row, rule.line, rule.begins, rule.after, rule.leave_out)
    conditions = (*rule.when.all, *rule.when.any, *rule.when.none)
    if fault := next((text for item in (*patterns, *conditions) if (text := broken(item))), ""):
        return fault
    if not any((rule.line, rule.option, rule.choices, rule.begins, rule.after)):
        return "it says neither how it is answered nor where it begins"
    if rule.row and not rule.option:
        return "its row needs an `option`, which reads one choice in it"
    if rule.option and not all(f"(?P<{group}>" in rule.option for group in ("key", "label")):
        return "its option names no key and label"
    for number, sample in enumerate(rule.sample, 1):
        found = read_question((rule,), *screen_of(sample.screen))
        keys = tuple(choice.key for choice in found.choices) if found else ()
        if keys != sample.keys:
            return f"on its sample {number}, the keys {keys} were found"
        if found and sample.text and found.text != sample.text:
            return f"on its sample {number}, “{found.text}” was read"
    return ""


def _input_fault(rule: InputRule) -> str:
    if fault := next(
        (f for item in (rule.marker, rule.above, rule.ends) if (f := broken(item))), ""
    ):
        return fault
    for number, sample in enumerate(rule.sample, 1):
        found: Any = read_draft(rule, screen_of(sample.screen)[0])
        if found != sample.draft:
            return f"on its sample {number}, “{found}” was read"
    return ""
