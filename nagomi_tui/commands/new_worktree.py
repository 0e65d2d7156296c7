"""The worktree that a new session begins in, as `nagomi new` makes it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nagomi_tui.api.command_client import ask, carried
from nagomi_tui.commands.parser import Parser, add_flag, number
from nagomi_tui.system.console import complain, failure, say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    from nagomi_tui.worktrees.creating import Made, Plan, Wish
    from nagomi_tui.worktrees.project import Rules
    from nagomi_tui.worktrees.repository import Repository


@contextmanager
def faults() -> Iterator[None]:
    """Say what cannot be done to a worktree as a command says it.

    Raises:
        CommandError: it cannot be done.
    """
    from nagomi_tui.worktrees.git import Fault

    try:
        yield
    except Fault as exc:
        raise failure(exc.said.message, **exc.said.values) from exc


def add_options(creator: Parser) -> None:
    """Let `nagomi new` begin in a worktree of its own."""
    creator.add_argument(
        "--worktree",
        metavar="BRANCH",
        nargs="?",
        const="",
        help=tr(
            "begin in a worktree of its own, on this branch or a new one (needs `--` without BRANCH)"
        ),
    )
    start = creator.add_mutually_exclusive_group()
    start.add_argument(
        "--from", metavar="REF", dest="start", default="", help=tr("what a new branch begins at")
    )
    start.add_argument(
        "--pr",
        metavar="N",
        type=number(int, 1, 10**9, tr("number of a pull request")),
        default=0,
        help=tr("begin at a pull request"),
    )
    add_flag(
        creator,
        "--with-changes",
        help=tr("take what is uncommitted and untracked here along into the worktree"),
    )
    add_flag(creator, "--dry-run", help=tr("only say which worktree would be made"))


def in_worktree(arguments: Namespace, folder: str) -> Made | None:
    """Make the worktree that a new session begins in; None where it was only to be said.

    Raises:
        CommandError: it cannot be made.
    """
    from nagomi_tui.worktrees import creating, project

    wish = _wish(arguments, folder)
    with faults():
        if not arguments.dry_run:
            made = creating.make(wish)
            if wish.request:
                if lines := project.read(made.worktree.path).setup:
                    say_what_was_not_run(lines)
            else:
                set_up(made)
            return made
        found = creating.plan(wish)
    if arguments.json:
        say_json(_plain(found))
    else:
        say("\n".join(_told(found)))
    return None


def say_what_was_not_run(lines: Sequence[str]) -> None:
    """Say that approved lines were left out: they run files, which here are somebody else's."""
    complain(
        tr(
            "Not run, as it would run what the pull request has changed: {lines}",
            lines="; ".join(lines),
        )
    )


def set_up(made: Made) -> None:
    """Run the repository's set-up commands in a new worktree.

    Raises:
        CommandError: they have failed; the worktree stays.
    """
    from nagomi_tui.worktrees import project
    from nagomi_tui.worktrees.repository import find

    folder = made.worktree.path
    rules = project.read(folder)
    if rules.setup or rules.plain:
        name = tr("set-up of {branch}", branch=made.branch)
        try:
            run_lines(find(folder), rules, rules.setup, str(folder), name)
        except CommandError:
            complain(tr("The worktree {folder} was made, and stays.", folder=folder))
            raise


def run_lines(
    repository: Repository, rules: Rules, lines: Sequence[str], folder: str, name: str
) -> None:
    """Run approved lines of a repository in a session that one can watch, and wait for its end.

    Raises:
        CommandError: they are not approved, or one has failed.
    """
    from nagomi_tui.api.messages import Create, Wait
    from nagomi_tui.worktrees.project import script_of

    check_approved(repository, rules)
    if not lines:
        return
    command = script_of(lines)
    begun = ask(Create(id=0, cmd=command, cwd=carried(folder), name=name), start=True)
    ended = ask(Wait(id=0, session=begun.session_id))
    if ended.exit_code != 0:
        raise failure(
            "the session {number} {name} has failed.", number=begun.number, name=begun.name
        )


def check_approved(repository: Repository, rules: Rules) -> None:
    """See that the user has approved what a repository has run.

    Raises:
        CommandError: they have not.
    """
    from nagomi_tui.worktrees import project

    if not project.is_approved(repository.common, rules):
        raise failure(project.UNAPPROVED)


def check_options(arguments: Namespace) -> bool:
    """Return whether a new session is to begin in a worktree.

    Raises:
        CommandError: an option was given that is for those alone.
    """
    if arguments.worktree is not None:
        return True
    given = {
        "--from": arguments.start, "--pr": arguments.pr,
        "--with-changes": arguments.with_changes, "--dry-run": arguments.dry_run,
    }  # fmt: skip
    for option, value in given.items():
        if value:
            raise failure("`{option}` goes with `--worktree`.", Exit.USAGE, option=option)
    return False


def _wish(arguments: Namespace, folder: str) -> Wish:
    words = [word for word in arguments.cmd if word != "--"]
    return wish_for(folder, carried(arguments.worktree))._replace(
        start=arguments.start,
        request=arguments.pr,
        with_changes=arguments.with_changes,
        name=carried(arguments.name) or " ".join(words).split("/")[-1].split(" ")[0],
    )


def wish_for(folder: str, branch: str) -> Wish:
    """Return what to ask for, to have a worktree of a branch at the place that is set."""
    from nagomi_tui.settings.store import load
    from nagomi_tui.worktrees.creating import Wish

    return Wish(folder, branch, place=load(aside=False).settings.worktree_place)


def _plain(found: Plan) -> dict[str, Any]:
    from nagomi_tui.worktrees.repository import short

    return {
        "worktree": str(found.folder),
        "branch": short(found.branch),
        "new_branch": found.is_new,
        "commit": found.commit,
        "base": short(found.base),
        "copied": list(found.copied),
        "changes": list(found.changed),
    }


def _told(found: Plan) -> Iterator[str]:
    """Yield sentences on a worktree that would be made."""
    from nagomi_tui.worktrees.repository import short

    values = {
        "folder": found.folder, "branch": short(found.branch), "commit": found.commit[:8],
        "base": short(found.base) or found.commit[:8],
    }  # fmt: skip
    yield tr("worktree: {folder}", **values)
    if found.is_new:
        yield tr("branch: {branch}, new at {base} ({commit})", **values)
    else:
        yield tr("branch: {branch}, as it is ({commit})", **values)
    if found.copied:
        yield tr("copied: {names}", names=", ".join(found.copied))
    if found.changed:
        yield tr("comes along: {names}", names=", ".join(found.changed))
