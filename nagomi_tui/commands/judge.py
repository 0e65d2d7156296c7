"""`nagomi judge`: replays and scores the judge, and lists and learns from corrections."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from nagomi_tui.commands import answer, learn
from nagomi_tui.commands.parser import Commands, Parser, add, add_flag, add_json, add_session
from nagomi_tui.judge import loading
from nagomi_tui.judge import replay as recording
from nagomi_tui.judge.replay import Replay, Score
from nagomi_tui.judge.replay import score as compare
from nagomi_tui.judge.senses.observer import Senses
from nagomi_tui.judge.verdict import shorten
from nagomi_tui.orchestrator.judging.corrections import Correction
from nagomi_tui.system.console import complain, failure, say, say_json, tr
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.cells import printable

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
    learn.register(parts)
    corrected = tr("list what users said of verdicts, with the evidence, masked, to be sent on")
    add_json(add(parts, "corrections", corrections, corrected))
    asker = add(
        parts, "ask", answer.ask_judge, tr("ask the LLM judge about a session, where it is on")
    )
    add_session(asker)
    add_json(asker)


def replay(arguments: Namespace) -> None:
    """Run today's judge over a trace, and print each state with its time and rule."""
    path = Path(arguments.trace)
    loaded = loading.load()
    for problem in loaded.problems:
        complain(tr(problem.message, **problem.values))
    try:
        read = recording.read(path.parent, path.name.removesuffix(".cast"))
    except recording.RecordingError as exc:
        raise failure(exc.sentence.message, **exc.sentence.values) from exc
    steps = Replay(read, loaded.book, Senses(), keys=True).run()
    if arguments.json:
        say_json([{"at": step.at, "state": step.state, "rule": step.rule} for step in steps])
        return
    for step in steps:
        say(f"{step.at:9.2f} s  {step.state:<10}  {step.rule}")


def check(arguments: Namespace) -> int:
    """Name what does not fit in a file of rules."""
    sound, problems = loading.check(Path(arguments.file))
    for problem in problems:
        complain(tr(problem.message, **problem.values))
    say(tr("rules that are sound: {count}", count=sound))
    return int(Exit.FAILED if problems else Exit.OK)


def corrections(arguments: Namespace) -> int:
    """Print each correction: when, of what, what was shown by which rule, and what is right."""
    found = learn.kept_corrections()
    if arguments.json:
        say_json(msgspec.to_builtins(found))
        return int(Exit.OK)
    if not found:
        say(tr("nothing was corrected yet."))
    for one in found:
        _say_correction(one)
    return int(Exit.OK)


def _say_correction(one: Correction) -> None:
    at = datetime.fromtimestamp(one.at).strftime("%Y-%m-%d %H:%M")
    say(f"{at}  {one.shown} → {one.right}  ({one.rule})  {printable(shorten(one.cmd, 60))}")
    for ground in one.grounds:
        say(f"  | {ground.source} {ground.age:.1f} s: {printable(shorten(ground.text))}")
    if one.trace:
        told = tr("trace: {path}, at {seconds:.1f} s", path=one.trace, seconds=one.trace_at)
        say(f"  {told}")


def score(arguments: Namespace) -> int:
    """Replay every labelled recording of a folder and print how often the judge was right."""
    scores = _scores(arguments)
    if arguments.json:
        say_json(as_json(scores))
        return int(Exit.OK)
    say(_HEAD)
    for found in scores:
        say(_row(found.name, totals([found])))
        if arguments.wrong:
            for line in found.wrong:
                say(f"    {line}")
    say(_row("total", totals(scores)))
    return int(Exit.OK)


def _scores(arguments: Namespace) -> list[Score]:
    folder = Path(arguments.folder)
    loaded = loading.load(without=arguments.without_profile)
    for problem in loaded.problems:
        complain(tr(problem.message, **problem.values))
    senses = Senses(**{name.replace("-", "_"): False for name in arguments.without})
    found = []
    try:
        for name in recording.names(folder):
            read = recording.read(folder, name)
            if read.labels:
                steps = Replay(read, loaded.book, senses, keys=arguments.keys).run()
                found.append(compare(name, read.labels, steps))
    except recording.RecordingError as exc:
        raise failure(exc.sentence.message, **exc.sentence.values) from exc
    if not found:
        raise failure("{folder} holds no labelled recordings.", folder=folder)
    return found


def as_json(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the scores by session and in total."""
    return {
        "sessions": {found.name: totals([found]) for found in scores},
        "total": totals(scores),
    }


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
