"""`nagomi judge`: replays and scores the judge, and lists and learns from corrections."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from nagomi_tui.commands import answer
from nagomi_tui.commands.parser import Commands, Parser, add, add_flag, add_json, add_session
from nagomi_tui.judge import learning, loading, misread
from nagomi_tui.judge import replay as recordings
from nagomi_tui.judge.known import Rulebook
from nagomi_tui.judge.learning import Moment
from nagomi_tui.judge.replay import Recording, Replay, Score
from nagomi_tui.judge.screen_rules import Manifest, Rule
from nagomi_tui.judge.senses.observer import Senses
from nagomi_tui.judge.verdict import State, shorten
from nagomi_tui.orchestrator.judging.corrections import Correction, kept
from nagomi_tui.system import files, paths
from nagomi_tui.system.console import complain, confirm, failure, say, say_json, tr
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.cells import printable

_LEARNED = ("attention", "running", "thinking", "success", "failure", "unknown")
"""States that a screen can be said to be in."""
SENSES = ("hooks", "titles", "process", "screen", "shell-integration")


def register(commands: Commands) -> None:
    judge = add(commands, "judge", None, tr("measure the judge on recorded sessions"))
    parts = judge.add_subparsers(metavar="COMMAND", parser_class=Parser, required=True)
    scoring = add(parts, "score", score, tr("compare the judge with the truth of recordings"))
    scoring.add_argument(
        "folder",
        metavar="FOLDER",
        help=tr("holds .cast, .proc.jsonl, .hooks.jsonl and .labels.json files"),
    )
    scoring.add_argument(
        "--without",
        action="append",
        choices=SENSES,
        default=[],
        help=tr("leave this source of evidence out; may be given several times"),
    )
    scoring.add_argument(
        "--without-profile",
        action="append",
        metavar="NAME",
        default=[],
        help=tr("leave this agent's own rules out; may be given several times"),
    )
    add_flag(scoring, "--keys", help=tr("let the judge know what was typed, as it does live"))
    add_flag(scoring, "--wrong", help=tr("list each wrong stretch, and the rule behind it"))
    add_json(scoring)
    replayer = add(parts, "replay", replay, tr("show what the judge would have said over time"))
    replayer.add_argument("trace", metavar="TRACE", help=tr("a .cast file of `nagomi trace`"))
    add_json(replayer)
    checker = add(parts, "check", check, tr("try an agent's file of rules on its own samples"))
    checker.add_argument("file", metavar="FILE", help=tr("a file as in `config/agents`"))
    _register_learn(parts)
    corrected = tr("list what users said of verdicts, with the evidence, masked, to be sent on")
    add_json(add(parts, "corrections", corrections, corrected))
    asker = add(
        parts, "ask", answer.ask_judge, tr("ask the LLM judge about a session, where it is on")
    )
    add_session(asker)
    add_json(asker)


def _register_learn(parts: Commands) -> None:
    parser = add(parts, "learn", learn, tr("propose a rule for an agent's screen from a trace"))
    parser.add_argument("trace", metavar="TRACE", help=tr("a .cast file of `nagomi trace`"))
    parser.add_argument(
        "--at",
        type=float,
        metavar="SECONDS",
        help=tr("when it was misjudged (default: where you corrected or answered it)"),
    )
    parser.add_argument(
        "--says",
        choices=_LEARNED,
        default="attention",
        help=tr("how it really stood then (default: attention)"),
    )
    parser.add_argument(
        "--agent", metavar="NAME", help=tr("the agent, if its command does not say")
    )
    parser.add_argument(
        "--recordings",
        metavar="FOLDER",
        help=tr("try the rule on the recordings of this folder, too"),
    )
    add_flag(parser, "--write", help=tr("write the rule as one of yours, after asking"))
    add_flag(parser, "--yes", help=tr("do not ask"))


def replay(arguments: Namespace) -> None:
    """Run today's judge over a trace, and print each state with its time and rule."""
    path = Path(arguments.trace)
    book, recording = _book(), _read(path)
    steps = Replay(recording, book, Senses(), keys=True).run()
    if arguments.json:
        say_json([{"at": step.at, "state": step.state, "rule": step.rule} for step in steps])
        return
    for step in steps:
        say(f"{step.at:9.2f} s  {step.state:<10}  {step.rule}")


def _book(without: Sequence[str] = ()) -> Rulebook:
    """Return the rules, and complain of those that are broken."""
    loaded = loading.load(without=without)
    for problem in loaded.problems:
        complain(tr(problem.message, **problem.values))
    return loaded.book


def _read(path: Path) -> Recording:
    """Return the recording that a trace holds.

    Raises:
        CommandError: it cannot be read.
    """
    try:
        return recordings.read(path.parent, path.name.removesuffix(".cast"))
    except recordings.RecordingError as exc:
        raise failure(exc.sentence.message, **exc.sentence.values) from exc


def check(arguments: Namespace) -> int:
    """Name what does not fit in a file of rules."""
    sound, problems = loading.check(Path(arguments.file))
    for problem in problems:
        complain(tr(problem.message, **problem.values))
    say(tr("rules that are sound: {count}", count=sound))
    return int(Exit.FAILED if problems else Exit.OK)


def corrections(arguments: Namespace) -> None:
    """Print each correction: when, of what, what was shown by which rule, and what is right."""
    found = _kept_corrections()
    if arguments.json:
        say_json(msgspec.to_builtins(found))
        return
    if not found:
        say(tr("nothing was corrected yet."))
    for one in found:
        _say_correction(one)


def _kept_corrections() -> Sequence[Correction]:
    """Return the corrections, oldest first.

    Raises:
        CommandError: they cannot be read.
    """
    import sqlite3

    try:
        return kept(paths.corrections_file())
    except (sqlite3.Error, msgspec.DecodeError) as exc:
        raise failure("the corrections cannot be read: {reason}", reason=exc) from exc


def _say_correction(one: Correction) -> None:
    at = datetime.fromtimestamp(one.at).strftime("%Y-%m-%d %H:%M")
    say(f"{at}  {one.shown} → {one.right}  ({one.rule})  {printable(shorten(one.cmd, 60))}")
    for ground in one.grounds:
        say(f"  | {ground.source} {ground.age:.1f} s: {printable(shorten(ground.text))}")
    if one.trace:
        told = tr("trace: {path}, at {seconds:.1f} s", path=one.trace, seconds=one.trace_at)
        say(f"  {told}")


def score(arguments: Namespace) -> None:
    """Replay every labelled recording of a folder and print how often the judge was right."""
    scores = _scores(arguments)
    if arguments.json:
        say_json({"sessions": {one.name: totals([one]) for one in scores}, "total": totals(scores)})
        return
    say(_HEAD)
    for found in scores:
        say(_row(found.name, totals([found])))
        if arguments.wrong:
            for line in found.wrong:
                say(f"    {line}")
    say(_row("total", totals(scores)))


def _scores(arguments: Namespace) -> list[Score]:
    folder = Path(arguments.folder)
    book = _book(without=arguments.without_profile)
    senses = Senses(**{name.replace("-", "_"): False for name in arguments.without})
    found = []
    try:
        for name in recordings.names(folder):
            recording = recordings.read(folder, name)
            if recording.labels:
                steps = Replay(recording, book, senses, keys=arguments.keys).run()
                found.append(recordings.score(name, recording.labels, steps))
    except recordings.RecordingError as exc:
        raise failure(exc.sentence.message, **exc.sentence.values) from exc
    if not found:
        raise failure("{folder} holds no labelled recordings.", folder=folder)
    return found


def totals(scores: Sequence[Score]) -> dict[str, Any]:
    """Add sessions up: shares by time, the worst stretch of any, and sums of the counts."""
    samples = sum(found.samples for found in scores)
    return {
        "right_all": _share(sum(found.right for found in scores), samples),
        "right_merged": _share(sum(found.right_coarse for found in scores), samples),
        "worst_wrong_s": max(found.worst_wrong_s for found in scores),
        "worst_wrong_merged_s": max(found.worst_wrong_merged_s for found in scores),
        "false_calls": sum(found.false_calls for found in scores),
        "missed_calls": sum(found.missed_calls for found in scores),
        "flicker": sum(found.flicker for found in scores),
        "samples": samples,
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


_HEAD = f"{'':26} {'all':>7} {'merged':>7} {'worst':>7} {'false':>6} {'missed':>6} {'flicker':>7}"


def _row(name: str, found: dict[str, Any]) -> str:
    return (
        f"{name:26} {found['right_all']:7.1%} {found['right_merged']:7.1%} "
        f"{found['worst_wrong_s']:5.2f} s {found['false_calls']:6} {found['missed_calls']:6} "
        f"{found['flicker']:7}"
    )


# --- learning


def learn(arguments: Namespace) -> int:
    """Print the rule and what it would change, and write it if that is wished."""
    path = Path(arguments.trace)
    recording, book = _read(path), _book()
    manifest = _agent(arguments, recording, book)
    moment = _moment(arguments, path, recording, book)
    try:
        name = f"learned-{recording.name}-{moment.at:.0f}"
        rule = learning.propose(recording, moment, name)
        rule = learning.since_version(rule, recording, book)
    except learning.NoRule as exc:
        raise failure("no rule can be proposed: {reason}.", reason=exc.sentence) from exc
    say(learning.as_toml(rule))
    _say_effect(arguments, recording, book, manifest, rule)
    if not arguments.write:
        say(tr("Nothing was written; `--write` does."))
        return int(Exit.OK)
    if not confirm(tr("Write this rule?"), yes=arguments.yes):
        say(tr("Nothing was changed."))
        return int(Exit.FAILED)
    _write(manifest, rule)
    return int(Exit.OK)


def _agent(arguments: Namespace, recording: Recording, book: Rulebook) -> Manifest:
    """Return the rules of the agent that the trace is of.

    Raises:
        CommandError: nobody says which it is.
    """
    named = arguments.agent
    found = book.named(named) if named else book.manifest(recording.header.command)
    if found is None or found.kind != "agent":
        raise failure(
            "{trace} does not say of which agent it is; `--agent` does.", trace=recording.name
        )
    return found


def _moment(arguments: Namespace, path: Path, recording: Recording, book: Rulebook) -> Moment:
    """Return the moment to learn from: the one named, the last correction, or the last answer.

    Raises:
        CommandError: there is none.
    """
    if arguments.at is not None:
        return Moment(arguments.at, State(arguments.says))
    corrected = list(_corrected(path))
    if corrected:
        return corrected[-1]
    steps = Replay(recording, book, Senses(), keys=True).run()
    if found := learning.answered(recording, steps):
        return found[-1]
    raise failure(
        "nothing was corrected in {trace}; `--at` names when it was misjudged.", trace=path.name
    )


def _corrected(path: Path) -> Iterator[Moment]:
    """Yield what was corrected while this trace was recorded."""
    for one in _kept_corrections():
        if one.trace and Path(one.trace).resolve() == path.resolve():
            yield Moment(one.trace_at, one.right)


def _say_effect(
    arguments: Namespace, recording: Recording, book: Rulebook, manifest: Manifest, rule: Rule
) -> None:
    """Say what the rule would change in this trace, the others, and the folder that is named."""
    after = learning.with_rule(book, manifest.name, rule)
    for one in _tried(arguments, recording, book, manifest):
        changes = learning.differences(one, book, after)
        if not changes:
            say(tr("{name}: nothing changes.", name=one.name))
        for change in changes:
            changed = tr(
                "{name}, from {seconds:.1f} s: {before} → {after}",
                name=one.name,
                seconds=change.at,
                before=change.before,
                after=change.after,
            )
            say(changed)


def _tried(
    arguments: Namespace, recording: Recording, book: Rulebook, manifest: Manifest
) -> Iterator[Recording]:
    """Yield the trace and every other recording of the agent that is there."""
    yield recording
    folders = [Path(arguments.trace).parent, paths.state_folder() / "traces"]
    if arguments.recordings:
        folders.append(Path(arguments.recordings))
    seen = {Path(arguments.trace).resolve()}
    for folder in folders:
        for name in recordings.names(folder) if folder.is_dir() else ():
            path = folder / f"{name}.cast"
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            one = _read(path)
            if book.manifest(one.header.command) is manifest:
                yield one


def _write(manifest: Manifest, rule: Rule) -> None:
    """Add the rule to the user's file of the agent.

    Raises:
        CommandError: it cannot be written.
    """
    path = paths.config_folder() / "agents" / f"{manifest.name}.toml"
    try:
        before = files.read_text(path) if path.exists() else learning.file_text(manifest)
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, f"{before.rstrip()}\n\n{learning.as_toml(rule)}".encode())
        misread.forget(manifest.name)
    except (OSError, UnicodeDecodeError) as exc:
        raise failure("{path} cannot be written: {reason}.", path=path, reason=exc) from exc
    for problem in loading.check(path)[1]:
        complain(tr(problem.message, **problem.values))
    say(tr("Written to {path}. `nagomi reload` has it used.", path=path))
