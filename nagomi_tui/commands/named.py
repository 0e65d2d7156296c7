"""`nagomi up` and `nagomi down`: the sessions that a repository's `nagomi.toml` names.

Which session stands for which name is kept in the state folder, so that one is found again that was
renamed, or that has ended and is started again under its number.
"""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from nagomi_tui.api.command_client import ask, ask_if_served, carried
from nagomi_tui.api.messages import ListSessions, Restart, SessionNamed, Stop, WholeSession
from nagomi_tui.commands import new_worktree, sessions
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json
from nagomi_tui.sessions.session import AT_WORK, Condition, has_ended
from nagomi_tui.system import files, paths
from nagomi_tui.system.console import confirm, failure, say, say_json, tr
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.words import nearest_name
from nagomi_tui.worktrees import creating, project, repository
from nagomi_tui.worktrees.project import Named
from nagomi_tui.worktrees.repository import Repository, Worktree
from nagomi_worker.runtime import files as lock_files

_PATIENCE: Final = 60.0
"""Seconds for which another `up` or `down` is waited for."""


def register(commands: Commands) -> None:
    starter = add(
        commands, "up", up, tr("start the sessions that a repository's nagomi.toml names")
    )
    ender = add(
        commands, "down", down, tr("stop the sessions that a repository's nagomi.toml names")
    )
    for parser in (starter, ender):
        parser.add_argument(
            "names", metavar="NAME", nargs="*", help=tr("only those (default: all of them)")
        )
    add_flag(ender, "--yes", help=tr("do not ask"))
    for parser in (starter, ender):
        add_json(parser)


def up(arguments: Namespace) -> None:
    """Start the sessions that are named, each unless it runs already."""
    with new_worktree.faults():
        repository, here = _here()
        rules = project.read(here.path)
    wanted = _chosen(arguments.names, rules.sessions, here)
    new_worktree.check_approved(repository, rules)
    told = []
    with _kept() as known:
        for name in wanted:
            row = _started(name, rules.sessions[name], here, known)
            told.append(row)
            if not arguments.json:
                sentence = (
                    "{number} {name}" if row["started"] else tr("{number} {name} runs already.")
                )
                say(sentence.format(**row))
    if arguments.json:
        say_json(told)


def down(arguments: Namespace) -> int:
    """Stop the sessions that are named; ask first if one of them works or waits for its user."""
    with new_worktree.faults():
        _, here = _here()
        rules = project.read(here.path)
    with _kept() as known:
        places = {
            name: os.fspath(_folder(one, here, make=False)) for name, one in rules.sessions.items()
        }
        started = {name for top, name in map(_split, known) if top == os.fspath(here.path)}
        running = {
            name: found
            for name in _chosen(
                arguments.names, dict.fromkeys((*rules.sessions, *sorted(started))), here
            )
            if (
                found := _running(
                    _key(here, name), name, rules.sessions.get(name), places.get(name, ""), known
                )
            )
        }
        busy = [
            f"{one.number} {one.name}"
            for one in running.values()
            if one.condition in AT_WORK or one.condition is Condition.ATTENTION
        ]
        question = tr(
            "At work, or waiting for you: {names}. Stop all the same?", names=", ".join(busy)
        )
        if busy and not confirm(question, yes=arguments.yes):
            return int(Exit.FAILED)
        for one in running.values():
            ask(Stop(id=0, session=one.session_id))
    if arguments.json:
        say_json(
            [
                {"name": name, "number": one.number, "session_id": one.session_id}
                for name, one in running.items()
            ]
        )
        return int(Exit.OK)
    for one in running.values():
        say(tr("{number} {name} is stopped.", number=one.number, name=one.name))
    if not running:
        say(tr("None of them runs."))
    return int(Exit.OK)


def _here() -> tuple[Repository, Worktree]:
    return repository.find("."), repository.at(".")


def _chosen(names: Sequence[str], known: Iterable[str], here: Worktree) -> list[str]:
    """Return the names that are meant, in the order of the file.

    Raises:
        CommandError: one is not there, or none is.
    """
    there = list(known)
    if not there:
        raise failure(
            "{path} names no sessions: [sessions.NAME] with `command` does.",
            path=here.path / "nagomi.toml",
        )
    for name in names:
        if name in there:
            continue
        if near := nearest_name(name, there):
            raise failure(
                "there is no session `{name}` in nagomi.toml; did you mean `{near}`?",
                name=name,
                near=near,
            )
        raise failure("there is no session `{name}` in nagomi.toml.", name=name)
    return [name for name in there if not names or name in names]


def _started(name: str, one: Named, here: Worktree, known: dict[str, str]) -> dict[str, object]:
    """Start a session unless it runs; return which it is.

    Raises:
        CommandError: it cannot be started.
    """
    folder = os.fspath(_folder(one, here, make=True))
    key = _key(here, name)
    if found := _running(key, name, one, folder, known):
        known[key] = found.session_id
        return _row(found, started=False)
    before = next((each for each in _listed() if each.session_id == known.get(key)), None)
    if (
        before is not None
        and (before.cwd, before.cmd) == (carried(folder), carried(one.command))
        and not one.guard
    ):
        return _row(ask(Restart(id=0, session=before.session_id), start=True), started=True)
    guard = sessions.GUARDS[0] if one.guard == "auto" else one.guard or None
    made = sessions.begin(
        Namespace(
            size="", character="", worker=sessions.LOCAL, cwd=folder, cmd=["--", one.command], guard=guard,
            name=name, env=[], agent=one.agent, worktree=None, start="", pr=0, with_changes=False,
            dry_run=False,
        )
    )  # fmt: skip
    assert made is not None
    begun = made[0]
    known[key] = begun.session_id
    return _row(begun, started=True)


def _row(one: SessionNamed | WholeSession, *, started: bool) -> dict[str, object]:
    return {
        "name": one.name, "number": one.number, "session_id": one.session_id, "started": started,
    }  # fmt: skip


def _folder(one: Named, here: Worktree, *, make: bool) -> Path:
    """Return the folder of a session; its worktree is made where there is none and `make`.

    Raises:
        CommandError: it is not there, or leads out of the repository.
    """
    top = here.path
    if one.worktree:
        with new_worktree.faults():
            trees = repository.find(here.path).worktrees()
        branch = f"{repository.HEADS}{one.worktree}"
        found = next((each.path for each in trees if each.branch == branch), None)
        if found is None and make:
            with new_worktree.faults():
                made = creating.make(new_worktree.wish_for(str(here.path), one.worktree))
                new_worktree.set_up(made)
            found = made.worktree.path
        top = found or top
    folder = top / one.folder
    if make and not os.path.isdir(folder):
        raise failure("there is no folder {folder}.", folder=folder)
    if not f"{os.path.realpath(folder)}/".startswith(f"{os.path.realpath(top)}/"):
        raise failure("the folder {folder} leads out of the repository.", folder=folder)
    return folder if one.folder else top


def _running(
    key: str, name: str, one: Named | None, folder: str, known: dict[str, str]
) -> WholeSession | None:
    """Return the session that stands for a name and has not ended."""
    alive = [each for each in _listed() if not has_ended(each)]
    for each in alive:
        if each.session_id == known.get(key):
            return each
    taken = set(known.values())
    for each in alive:  # one whose start was not noted any more
        what = (each.name, each.cmd, each.cwd)
        if (
            one
            and each.is_local
            and each.session_id not in taken
            and what == (name, carried(one.command), carried(folder))
        ):
            return each
    return None


def _listed() -> Sequence[WholeSession]:
    found = ask_if_served(ListSessions(id=0))
    return found.sessions if found else ()


def _key(here: Worktree, name: str) -> str:
    return json.dumps([os.fspath(here.path), name])


def _split(key: str) -> tuple[str, str]:
    top, name = json.loads(key)
    return top, name


@contextmanager
def _kept() -> Iterator[dict[str, str]]:
    """Yield the ids of sessions by worktree and name, and keep what has changed in it.

    One at a time holds them, so that two never start the same.

    Raises:
        CommandError: another command holds them, or they cannot be kept.
    """
    try:
        folder = paths.make_private(paths.state_folder())
        lock = lock_files.FileLock(folder / "named.lock")
        lock.take(patience=_PATIENCE)
    except (OSError, lock_files.Busy) as exc:
        raise failure(
            "the sessions of repositories cannot be looked up: {reason}", reason=exc
        ) from exc
    path = folder / "named.json"
    known: dict[str, str] = {}
    try:
        try:
            told = json.loads(files.read(path))
            for key, session_id in told.items():
                _split(key)
                known[key] = str(session_id)
        except (OSError, ValueError, TypeError, AttributeError):
            known = {}
        before = dict(known)
        try:
            yield known
        finally:
            if known != before:
                files.write(path, json.dumps(known).encode("ascii"))
    except OSError as exc:
        raise failure(
            "the sessions of repositories cannot be looked up: {reason}", reason=exc
        ) from exc
    finally:
        lock.release()
