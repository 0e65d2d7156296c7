"""`nagomi judge learn`: proposes a screen rule from what the user has corrected."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from nagomi_tui.commands.parser import Commands, add, add_flag
from nagomi_tui.judge import learning, loading, misread, replay
from nagomi_tui.judge import replay as recordings
from nagomi_tui.judge.known import Rulebook
from nagomi_tui.judge.learning import Moment
from nagomi_tui.judge.replay import Recording, Replay
from nagomi_tui.judge.screen_rules import Manifest, Rule
from nagomi_tui.judge.senses.observer import Senses
from nagomi_tui.judge.verdict import State
from nagomi_tui.orchestrator.judging.corrections import Correction, kept
from nagomi_tui.system import files, paths
from nagomi_tui.system.console import complain, confirm, failure, say, tr
from nagomi_tui.system.outcome import Exit


def kept_corrections() -> Sequence[Correction]:
    """Return the corrections, oldest first.

    Raises:
        CommandError: they cannot be read.
    """
    import sqlite3

    try:
        return kept(paths.corrections_file())
    except (sqlite3.Error, msgspec.DecodeError) as exc:
        raise failure("the corrections cannot be read: {reason}", reason=exc) from exc


STATES = ("attention", "running", "thinking", "success", "failure", "unknown")


def register(commands: Commands) -> None:
    """Add the command to those of `nagomi judge`."""
    parser = add(commands, "learn", learn, tr("propose a rule for an agent's screen from a trace"))
    parser.add_argument("trace", metavar="TRACE", help=tr("a .cast file of `nagomi trace`"))
    parser.add_argument(
        "--at",
        type=float,
        metavar="SECONDS",
        help=tr("when it was misjudged (default: where you corrected or answered it)"),
    )
    parser.add_argument(
        "--says",
        choices=STATES,
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


def learn(arguments: Namespace) -> int:
    """Print the rule and what it would change, and write it if that is wished."""
    path = Path(arguments.trace)
    recording = _read(path)
    loaded = loading.load()
    for problem in loaded.problems:
        complain(tr(problem.message, **problem.values))
    manifest = _agent(arguments, recording, loaded.book)
    moment = _moment(arguments, path, recording, loaded.book)
    try:
        name = f"learned-{recording.name}-{moment.at:.0f}"
        rule = learning.propose(recording, moment, name)
        rule = learning.since_version(rule, recording, loaded.book)
    except learning.NoRule as exc:
        raise failure("no rule can be proposed: {reason}.", reason=exc.sentence) from exc
    say(learning.as_toml(rule))
    _say_effect(arguments, recording, loaded.book, manifest, rule)
    if not arguments.write:
        say(tr("Nothing was written; `--write` does."))
        return int(Exit.OK)
    if not confirm(tr("Write this rule?"), yes=arguments.yes):
        say(tr("Nothing was changed."))
        return int(Exit.FAILED)
    _write(manifest, rule)
    return int(Exit.OK)


def _read(path: Path) -> Recording:
    try:
        return replay.read(path.parent, path.name.removesuffix(".cast"))
    except replay.RecordingError as exc:
        raise failure(exc.sentence.message, **exc.sentence.values) from exc


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
        return learning.Moment(arguments.at, State(arguments.says))
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
    for one in kept_corrections():
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
