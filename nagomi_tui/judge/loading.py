"""Loads the judge's rules, shipped and the user's, and tries their patterns within a time limit.

The time limit works in the main thread only. In other threads a search has none, so patterns are
tried in another process before (`nagomi_tui/judge/trial.py`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.agents.slash_commands import Slash
from nagomi_tui.judge import patterns, samples
from nagomi_tui.judge.evidence import View
from nagomi_tui.judge.known import Rulebook
from nagomi_tui.judge.line_rules import Profile
from nagomi_tui.judge.next_steps import ActionRule
from nagomi_tui.judge.screen_rules import ANY, Manifest, Rule, Sample, faults, read_screen
from nagomi_tui.system import files
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.system.paths import config_folder, listed, shipped
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.rows import CLOSE, OPEN, RED
from nagomi_tui.text.words import Said, translatable

SECONDS: Final = 0.1
"""Seconds of CPU time for one search; a sound pattern takes less than a thousandth of it."""

_until: float | None = None
"""The main thread's CPU time at which the present search is ended; None without one."""


def limited(search: Callable[[], Any]) -> Any:
    """Return the result of a search.

    Raises:
        TooSlow: it took too long and was ended.
    """
    global _until
    if WINDOWS or threading.current_thread() is not threading.main_thread():
        return search()
    if signal.getsignal(signal.SIGVTALRM) is not _ring:
        signal.signal(signal.SIGVTALRM, _ring)
    _until = time.thread_time() + SECONDS
    # The timer counts other threads, too, and so may ring again.
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS, SECONDS / 2)
    try:
        return search()
    finally:
        _until = None
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _ring(_signal: int, _frame: object) -> None:
    if _until is not None and time.thread_time() >= _until:
        raise patterns.TooSlow


TEMPLATE: Final = "template.toml"
_TRIAL: Final = (sys.executable, "-m", "nagomi_tui.judge.trial")
_TRIAL_SECONDS: Final = 8.0

_Value = TypeVar("_Value", Manifest, Profile, Rule, ActionRule, Slash)


class Loaded(msgspec.Struct, frozen=True):
    """The rules, and a sentence for each one that was left out."""

    book: Rulebook
    problems: tuple[Said, ...] = ()


def load(user: Path | None = None, *, without: Sequence[str] = ()) -> Loaded:
    """Return all rules; a user's that is broken is reported and left out.

    What is shipped is taken as it is: `check` tries it in the tests, since that takes longer than
    to read it. So its patterns are compiled when they are first searched for.

    Searches for a user's pattern have a time limit, but only in the main thread; for other threads
    the patterns are tried in another process first. `user` is the folder of the user's rules; rules
    of the agents in `without` are left out.
    """
    user = config_folder() if user is None else user
    problems: list[Said] = []
    if threading.current_thread() is not threading.main_thread() and _has_own(user):
        try:
            patterns.give_up(_slow_patterns(user))
        except (OSError, ValueError, subprocess.SubprocessError) as exc:
            sentence = translatable(
                "the rules in {path} could not be tried, and are left out: {reason}"
            )
            problems.append(Said(sentence, {"path": user, "reason": exc}))
            user = shipped("config")
    found = _files("agents", user)
    manifests = [item for path in found if (item := _whole(path, problems))]
    kept = [item for item in manifests if item.name not in without]
    profile, actions = _profile(user, problems), _actions(user, problems)
    return Loaded(Rulebook(profile, _ordered(kept), actions), tuple(problems))


def check(path: Path) -> tuple[int, tuple[Said, ...]]:
    """Return the number of sound rules in one file, and a sentence for each fault.

    It is read as an agent's, or as what its name says in a folder `judge`: of `generic.toml`, the
    fields that it sets are counted.
    """
    problems: list[Said] = []
    match path.parent.name, path.name:
        case "judge", "generic.toml":
            read = _read(path, problems) or {}
            sound = _laid_over(read, path, problems) is not None
            return len(read) if sound else 0, tuple(problems)
        case "judge", "actions.toml":
            return len(_kept_actions(_read(path, problems) or {}, path, problems)), tuple(problems)
    found = _manifest(path, problems)
    return len(found.rule) + len(found.question) if found else 0, tuple(problems)


def _ordered(manifests: list[Manifest]) -> tuple[Manifest, ...]:
    """Put the generic rules last, and use them for each agent that has none."""
    named = [item for item in manifests if item.name != ANY]
    shared = [item for item in manifests if item.name == ANY]
    return (*named, *(msgspec.structs.replace(item, commands=tuple(AGENTS)) for item in shared))


def _slow_patterns(user: Path) -> list[str]:
    """Return a user's patterns that take too long, as another process has found out.

    Raises:
        OSError, subprocess.SubprocessError: they could not be tried.
    """
    done = subprocess.run(
        [*_TRIAL, str(user)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_TRIAL_SECONDS,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def _has_own(user: Path) -> bool:
    return user != shipped("config") and any(
        listed(user / folder, "*.toml") for folder in ("agents", "judge")
    )


def _files(folder: str, user: Path) -> list[Path]:
    """Return the rule files, a user's in the place of the shipped one of the same name."""
    paths: dict[str, Path] = {}
    for place in (shipped("config") / folder, user / folder):
        paths.update({path.name: path for path in listed(place, "*.toml")})
    return [path for name, path in paths.items() if name != TEMPLATE]


def _profile(user: Path, problems: list[Said]) -> Profile:
    """Return the generic profile: what a user's file sets takes the place of what is shipped.

    If a field or pattern of that file is broken, only the shipped profile is used.
    """
    path, own_path = (place / "judge" / "generic.toml" for place in (shipped("config"), user))
    if own_path != path and os.path.exists(own_path):
        own = _read(own_path, problems)
        profile = None if own is None else _laid_over(own, own_path, problems)
        if profile is not None:
            return profile
    return _converted(_read(path, problems) or {}, Profile, str(path), problems) or Profile()


def _laid_over(own: dict[str, Any], path: Path, problems: list[Said]) -> Profile | None:
    """Return the shipped profile with the fields of `own` in it; None if one of these is broken."""
    base = _read(shipped("config") / "judge" / "generic.toml", problems) or {}
    profile = _converted(base | own, Profile, str(path), problems)
    wrong = () if profile is None else tuple(samples.broken_patterns(profile))
    sentence = translatable("{path}: {field}: {reason}; the shipped profile is used")
    for field, fault in wrong:
        problems.append(Said(sentence, {"path": path, "field": field, "reason": fault}))
    return None if wrong else profile


def _actions(user: Path, problems: list[Said]) -> tuple[ActionRule, ...]:
    """Return the rules for next actions, of the user's file if there is one that can be read."""
    path, own = (place / "judge" / "actions.toml" for place in (shipped("config"), user))
    if own != path and os.path.exists(own) and (read := _read(own, problems)) is not None:
        return _kept_actions(read, own, problems)
    found = (_read(path, problems) or {}).get("action", ())
    rules = (_converted(raw, ActionRule, str(path), problems) for raw in found)
    return tuple(rule for rule in rules if rule is not None)


def _kept_actions(read: dict[str, Any], path: Path, problems: list[Said]) -> tuple[ActionRule, ...]:
    found = read.get("action", [])
    kept: list[ActionRule] = []
    for number, raw in enumerate(found if isinstance(found, list) else [], 1):
        rule = _converted(raw, ActionRule, f"{path}: action {number}", problems)
        if rule is None:
            continue
        if fault := samples.broken(rule.match) or samples.broken(rule.ran):
            problems.append(samples.left_out(f"{path}: action {rule.name}", fault))
        else:
            kept.append(rule)
    return tuple(kept)


def _whole(path: Path, problems: list[Said]) -> Manifest | None:
    """Return an agent's rules: a user's file may stand beside the shipped one of its name.

    The shipped rules hold where a user's file cannot be read.
    """
    shared = shipped("config") / "agents" / path.name
    if path == shared:
        return _as_shipped(path, problems)
    own = _manifest(path, problems)
    if (own is not None and not own.adds) or not shared.exists():
        return own
    base = _as_shipped(shared, problems)
    if own is None or base is None:
        return own or base
    return msgspec.structs.replace(
        base,
        commands=(*base.commands, *own.commands),
        wrapped=(*base.wrapped, *own.wrapped),
        rule=(*own.rule, *base.rule),
        question=(*own.question, *base.question),
        input=own.input or base.input,
    )


def _as_shipped(path: Path, problems: list[Said]) -> Manifest | None:
    """Return an agent's shipped rules, which are not tried."""
    found = _read(path, problems) or {}
    found.pop("slash", None)
    manifest = _converted(found, Manifest, str(path), problems)
    if manifest is None:
        return None
    named = (samples.named(manifest.name, rule) for rule in manifest.question)
    return msgspec.structs.replace(manifest, question=tuple(named))


def _manifest(path: Path, problems: list[Said]) -> Manifest | None:
    """Return an agent's rules that can be read, have sound patterns, and pass their samples."""
    found = _read(path, problems)
    if found is None:
        return None
    rules = found.pop("rule", [])
    questions, input_ = found.pop("question", []), found.pop("input", None)
    # The judge does not ask for it; only what is wrong with it is told here.
    _converted(found.pop("slash", {}), Slash, f"{path}: slash", problems)
    manifest = _converted(found, Manifest, str(path), problems)
    if manifest is None:
        return None
    if (wrong := samples.broken(manifest.banner)) or (
        manifest.banner and "(?P<version>" not in manifest.banner
    ):
        nameless = Said(translatable("it has no group `version`"), {})
        problems.append(samples.left_out(f"{path}: banner", wrong or nameless))
        manifest = msgspec.structs.replace(manifest, banner="")
    if _is_of_another(manifest.name, path):
        sentence = translatable(
            "{path}: name: the file is for `{file}`, but says that it is for `{name}`"
        )
        values = {"path": path, "file": path.stem, "name": manifest.name}
        problems.append(Said(sentence, values))
    rules, questions = (
        _tables(found, name, path, problems)
        for name, found in (("rule", rules), ("question", questions))
    )
    wrapped = {pattern: samples.broken(pattern) for pattern in manifest.wrapped}
    problems.extend(
        samples.left_out(f"{path}: wrapped", wrong) for wrong in wrapped.values() if wrong
    )
    kept = _rules(manifest, rules, path, problems)
    return msgspec.structs.replace(
        manifest,
        wrapped=tuple(pattern for pattern, wrong in wrapped.items() if not wrong),
        rule=kept,
        question=samples.question_rules(manifest.name, questions, path, problems),
        input=samples.input_rule(input_, path, problems),
    )


def _is_of_another(name: str, path: Path) -> bool:
    """Tell whether a file's name and the one inside are two agents', of which one is shipped."""
    known = (shipped("config") / "agents" / f"{one}.toml" for one in (name, path.stem))
    return name != path.stem and any(file.exists() for file in known)


def _tables(found: object, name: str, path: Path, problems: list[Said]) -> list[Any]:
    """Return the tables of one name, which are none if they are no list."""
    if isinstance(found, list):
        return found
    reason = Said(translatable("each one begins with [[{name}]]"), {"name": name})
    problems.append(samples.left_out(f"{path}: {name}", reason))
    return []


def _rules(
    manifest: Manifest, rules: Iterable[Any], path: Path, problems: list[Said]
) -> tuple[Rule, ...]:
    """Return the rules that can be read, have sound patterns, and pass their own samples."""
    kept: list[Rule] = []
    for number, raw in enumerate(rules, 1):
        name = raw.get("name", number) if isinstance(raw, dict) else number
        rule = _converted(raw, Rule, f"{path}: rule {name}", problems)
        if rule is None:
            continue
        wrong = faults(rule)
        if any(rule.name == other.name for other in kept):
            wrong.append(Said(translatable("there is another one of this name above"), {}))
        if wrong:
            problems.extend(samples.left_out(f"{path}: rule {rule.name}", fault) for fault in wrong)
            continue
        kept.append(rule)
    sound = msgspec.structs.replace(manifest, rule=tuple(kept))
    failed = {rule.name: fault for rule in kept if (fault := failed_sample(sound, rule))}
    problems.extend(
        samples.left_out(f"{path}: rule {name}", fault) for name, fault in failed.items()
    )
    return tuple(rule for rule in kept if rule.name not in failed)


def failed_sample(manifest: Manifest, rule: Rule) -> Said | None:
    """Return what is wrong with a rule by its own samples, or None."""
    for number, sample in enumerate(rule.sample, 1):
        view = msgspec.structs.replace(view_of(sample), alt_screen=rule.region == "full")
        said = read_screen(manifest, view, moves=sample.moves)
        spoke = said is not None and said.rule == f"{manifest.name}:{rule.name}"
        if spoke is not sample.matches:
            if said is None:
                return Said(
                    translatable("on its sample {number}, no rule spoke"), {"number": number}
                )
            sentence = translatable("on its sample {number}, {rule} spoke")
            return Said(sentence, {"number": number, "rule": said.rule})
    return None


def view_of(sample: Sample) -> View:
    """Return the screen that a sample describes."""
    drawn = sample.screen.strip("\n").split("\n")
    red = frozenset(at for at, row in enumerate(drawn) if RED in row)
    drawn = [row.replace(RED, "") for row in drawn]
    rows = tuple(row.replace(OPEN, "").replace(CLOSE, "") for row in drawn)
    lit = tuple((at, row) for at, row in enumerate(drawn) if OPEN in row)
    end = (len(rows[-1]), len(rows) - 1)
    return View(
        at=0.0,
        rows=rows,
        title=sample.title,
        cursor_x=end[0],
        cursor_y=end[1],
        lit=lit,
        red=red,
    )


def _read(path: Path, problems: list[Said]) -> dict[str, Any] | None:
    try:
        found = tomllib.loads(files.read_text(path))
        if shipped("config") not in path.parents:
            patterns.watch(_texts(found), limited)
        return found
    except OSError as exc:
        sentence = translatable("{path} cannot be read: {reason}")
        problems.append(Said(sentence, {"path": path, "reason": exc.strerror or exc}))
    except (UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as exc:
        problems.append(samples.left_out(path, exc))
    return None


def _texts(found: Any) -> Iterator[str]:
    """Return every text in a user's file: each may be a pattern."""
    if isinstance(found, str):
        yield found
        yield found.removeprefix("after:")
    elif isinstance(found, dict | list):
        for item in found.values() if isinstance(found, dict) else found:
            yield from _texts(item)


def _converted(raw: Any, kind: type[_Value], where: str, problems: list[Said]) -> _Value | None:
    try:
        return from_builtins(raw, kind)
    except msgspec.ValidationError as exc:
        problems.append(samples.left_out(where, exc))
    return None
