"""`nagomi worktree`: lists, opens, merges and takes away the worktrees of a repository."""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nagomi_tui.api.command_client import ask
from nagomi_tui.api.launch import workers_left
from nagomi_tui.api.messages import ListSessions, Send, Stop
from nagomi_tui.commands import new_worktree, sessions
from nagomi_tui.commands.parser import Commands, Parser, add, add_flag, add_json, add_verbs
from nagomi_tui.settings.store import load
from nagomi_tui.system.console import complain, confirm, failure, say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.text.cells import printable
from nagomi_tui.text.words import Said, nearest_name, translatable
from nagomi_tui.worktrees import figures, git, merging, project, removing, repository
from nagomi_tui.worktrees.git import Fault
from nagomi_tui.worktrees.looks import Inside, dangers, inside, within
from nagomi_tui.worktrees.merging import Conflict, Preview
from nagomi_tui.worktrees.model import Figures, How, in_words, parts
from nagomi_tui.worktrees.removing import Unsafe
from nagomi_tui.worktrees.removing import remove as take_away
from nagomi_tui.worktrees.repository import Repository, Worktree, noted, short

if TYPE_CHECKING:
    from nagomi_tui.worktrees.requests import PullRequest


# --- `nagomi worktree`


def arrange(arguments: list[str]) -> list[str]:
    """Write the arguments so that argparse tells all of them apart.

    Behind the worktree of `open` it would take each option for a part of the command.
    """
    if arguments[:2] != ["worktree", "open"]:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    rest = arguments[2:end]
    if "--" in arguments and rest and not rest[0].startswith("-"):
        rest = [*rest[1:], rest[0]]
    return sessions.arrange([*arguments[:2], *rest, *arguments[end:]])


def register(commands: Commands) -> None:
    parser = add(commands, "worktree", show, tr("list, open, merge and take away git worktrees"))
    parser.set_defaults(json=False)
    verbs = add_verbs(parser)
    add_json(
        add(verbs, "list", show, tr("list this repository's worktrees, and which of them meet"))
    )
    opener = add(verbs, "open", open_, tr("start a session in a worktree"))
    opener.usage = "nagomi worktree open WORKTREE [OPTION…] [--] [CMD…]"
    opener.add_argument("which", metavar="WORKTREE", help=tr(_WHICH))
    sessions.add_options(opener)
    merger = add(verbs, "merge", merge, tr("merge a worktree's commits, then take it away"))
    _add_which(merger)
    merger.add_argument(
        "--into", metavar="BRANCH", default="", help=tr("where to (default: its base)")
    )
    how = merger.add_mutually_exclusive_group()
    add_flag(how, "--squash", help=tr("all commits become one"))
    add_flag(how, "--rebase", help=tr("its commits are put onto the target"))
    add_flag(merger, "--keep", help=tr("the worktree stays, also with uncommitted changes"))
    merger.add_argument("-m", "--message", default="", help=tr("the message of the commit"))
    add_flag(merger, "--hand-over", help=tr("have the agent in it resolve a conflict"))
    _add_care(merger)
    rebaser = add(
        verbs, "rebase", rebase, tr("put a worktree's commits onto its base as that is now")
    )
    _add_which(rebaser)
    rebaser.add_argument("--onto", metavar="REF", default="", help=tr("what to put them onto"))
    add_flag(rebaser, "--hand-over", help=tr("have the agent in it resolve a conflict"))
    add_json(rebaser)
    remover = add(verbs, "remove", remove, tr("take worktrees away of which nothing is lost"))
    remover.add_argument("which", metavar="WORKTREE", nargs="+", help=tr(_WHICH))
    add_flag(
        remover,
        "--force",
        help=tr("also with uncommitted and untracked files, and with those alone"),
    )
    add_flag(remover, "--branch", help=tr("delete the branch, too"))
    add_flag(
        remover, "--stop", help=tr("stop the sessions in it first, if nothing else is in the way")
    )
    add_flag(remover, "--dry-run", help=tr("only say what would be done"))
    # It asks nothing, but whoever knows it from `merge` and `gone` writes it here, too.
    add_flag(remover, "--yes", help=SUPPRESS)
    add_json(remover)
    tidier = add(
        verbs, "gone", gone, tr("take those away whose branch is merged or deleted at the remote")
    )
    add_flag(tidier, "--branch", help=tr("delete the branch, too"))
    _add_care(tidier)
    approver = add(
        verbs,
        "approve",
        approve,
        tr("read and approve what a repository runs in new worktrees, and before they go"),
    )
    _add_which(approver)
    undoer = add(verbs, "undo", undo, tr("bring back what was taken away"))
    undoer.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        default="",
        help=tr("the beginning of its folder's name (default: the last one)"),
    )
    add_json(undoer)


_WHICH: Final = translatable("its branch, its folder or that one's name")


def _add_which(parser: Parser) -> None:
    parser.add_argument("which", metavar="WORKTREE", nargs="?", default=".", help=tr(_WHICH))


def _add_care(parser: Parser) -> None:
    add_flag(parser, "--dry-run", help=tr("only say what would be done"))
    add_flag(parser, "--yes", help=tr("do not ask"))
    add_json(parser)


def _inside() -> tuple[Inside, ...]:
    """Return the sessions of this machine with their folders.

    Raises:
        Fault: they cannot be asked for.
    """
    try:
        return inside(ask(ListSessions(id=0)).sessions)
    except CommandError as exc:
        if exc.code == Exit.NOBODY and not workers_left():
            return ()
        raise Fault("{reason}", reason=exc) from exc


def _inside_or_none() -> tuple[Inside, ...]:
    """Return the sessions; none where they cannot be asked for, since nothing depends on it."""
    try:
        return _inside()
    except Fault:
        return ()


def _found(which: str) -> tuple[Repository, Worktree]:
    """Return the worktree that is meant, by its branch, its folder or that one's name.

    Raises:
        Fault: none is, or several are.
    """
    if which == "." or os.sep in which:
        git.check_answers(which)
    if (which == "." or os.sep in which) and os.path.isdir(which):
        return repository.find(which), repository.at(which)
    found = repository.find(".")
    trees = found.worktrees()
    for key in (
        lambda one: short(one.branch),
        lambda one: one.name,
        lambda one: os.fspath(one.path),
    ):
        meant = [one for one in trees if key(one) == which]
        if len(meant) == 1:
            return found, meant[0]
    known = [short(one.branch) or one.name for one in trees]
    if near := nearest_name(which, known):
        raise Fault(
            "There is no worktree `{name}`; did you mean `{near}`?",
            name=which,
            near=near,
        )
    raise Fault("There is no worktree `{name}`.", name=which)


def show(arguments: Namespace) -> None:
    """List the worktrees of this repository."""
    with new_worktree.faults():
        here = repository.find(".")
        found = figures.survey(here, _inside_or_none())
        asked = _pull_requests(here)
    if arguments.json:
        rows = [msgspec.to_builtins(one) for one in found]
        say_json([{**row, "request": asked.get(row["branch"])} for row in rows] if asked else found)
        return
    for one in found:
        request = asked.get(one.branch)
        say("  ".join([_row(one), *([_shown_request(request)] if request else [])]))
    told: set[str] = set()
    for one in found:
        for sentence in in_words(one, [met for met in one.meets if met.worktree not in told], tr):
            say(sentence)
        told.add(one.path)


def _pull_requests(repository: Repository) -> dict[str, PullRequest]:
    """Return the pull requests of branches, where the user has set that they are asked for."""
    if not load(aside=False).settings.worktree_requests:
        return {}
    from nagomi_tui.worktrees.requests import pull_requests

    return pull_requests(repository)


def _shown_request(one: PullRequest) -> str:
    from nagomi_tui.worktrees.requests import WORDS

    told = [tr(WORDS[word]) for word in (one.state, one.checks) if word in WORDS]
    return f"#{one.number} {', '.join([*told, *([tr('conflicts')] if one.conflicts else [])])}"


def _row(one: Figures) -> str:
    name = one.branch or one.commit[:8] or "-"
    return "  ".join((name, shown_folder(one.path), *parts(one, tr)))


def shown_folder(path: str) -> str:
    """Return a path as one types it from here, if that is shorter."""
    with contextlib.suppress(OSError, ValueError):
        path = min(path, os.path.relpath(path), key=len)
    return printable(path)


def open_(arguments: Namespace) -> None:
    """Start a session in a worktree."""
    with new_worktree.faults():
        _, worktree = _found(arguments.which)
    arguments.cwd = str(worktree.path)
    arguments.name = arguments.name or short(worktree.branch)
    arguments.worktree, arguments.worker = None, sessions.LOCAL
    arguments.start = arguments.pr = arguments.with_changes = arguments.dry_run = None
    sessions.new(arguments)


def merge(arguments: Namespace) -> int:
    """Merge a worktree's commits into its base, then take it away."""
    how: How = "squash" if arguments.squash else "rebase" if arguments.rebase else "merge"
    with new_worktree.faults():
        repository, worktree = _found(arguments.which)
        found = merging.preview(
            repository, worktree, into=arguments.into, how=how, keep=arguments.keep
        )
        if arguments.dry_run or not (arguments.json or arguments.yes):
            _say_preview(found, as_json=arguments.json)
        if arguments.dry_run:
            return int(Exit.FAILED if found.conflicts else Exit.OK)
        if not found.conflicts and not confirm(tr("Merge this?"), yes=arguments.yes):
            return int(Exit.FAILED)
        try:
            done = merging.merge(
                repository, worktree, into=arguments.into, how=how, keep=arguments.keep,
                message=arguments.message,
            )  # fmt: skip
        except merging.Conflict as exc:
            return _offer(arguments, worktree, exc)
        stays = () if arguments.keep else _taken_away(repository, worktree)
    told = {
        "commit": done.commit,
        "target": short(done.preview.target),
        "kept": arguments.keep or bool(stays),
        "why": stays,
    }
    if arguments.json:
        say_json(told)
        return int(Exit.OK)
    say(
        tr(
            "{branch} is merged into {target} ({commit}).",
            branch=worktree.title,
            target=told["target"],
            commit=done.commit[:8],
        )
    )
    if arguments.keep:
        return int(Exit.OK)
    if stays:
        say(
            tr(
                "The worktree {folder} stays: {reason}",
                folder=worktree.path,
                reason=" ".join(stays),
            )
        )
    else:
        say(
            tr(
                "The worktree {folder} is taken away; its branch stays. `nagomi worktree undo` brings it back.",
                folder=worktree.path,
            )
        )
    return int(Exit.OK)


def _say_preview(found: Preview, *, as_json: bool) -> None:
    values = {
        "target": short(found.target),
        "branch": found.worktree.title,
    }
    if as_json:
        say_json({
            **values, "how": found.how, "commits": list(found.subjects), "files": list(found.names),
            "added": found.added, "removed": found.removed, "conflicts": list(found.conflicts),
        })  # fmt: skip
        return
    say(
        tr(
            "{branch} into {target} (commits: {count}, files: {files}) +{added} −{removed}",
            count=len(found.subjects),
            files=len(found.names),
            added=found.added,
            removed=found.removed,
            **values,
        )
    )
    for subject in found.subjects[:20]:
        say(f"  {subject}")
    if found.conflicts:
        say(tr("They conflict in {names}.", names=", ".join(found.conflicts)))


def _taken_away(repository: Repository, worktree: Worktree) -> tuple[str, ...]:
    """Take a worktree away; return why it stays where it must."""
    try:
        _take_away(repository, worktree)
    except Unsafe as exc:
        return tuple(tr(one.message, **one.values) for one in exc.reasons)
    return ()


def _take_away(
    repository: Repository, worktree: Worktree, *, force: bool = False, branch: bool = False
) -> None:
    """Take a worktree away, after the repository's tear-down commands.

    Raises:
        Unsafe: something would be lost.
        CommandError: the tear-down has failed, or is not approved.
    """
    rules = project.read(worktree.path) if not worktree.missing else project.Rules()
    note = noted(worktree) if rules.teardown else None
    if note is not None and note.request:
        new_worktree.say_what_was_not_run(rules.teardown)
    elif rules.teardown:
        if reasons := dangers(worktree, _inside, force=force):
            raise Unsafe(worktree, reasons)
        name = tr("tear-down of {branch}", branch=short(worktree.branch) or worktree.name)
        new_worktree.run_lines(repository, rules, rules.teardown, str(worktree.path), name)
    take_away(repository, worktree.path, _inside, force=force, with_branch=branch)


def approve(arguments: Namespace) -> int:
    """Have the user read and approve the set-up and tear-down commands of a repository."""
    from nagomi_tui.commands.guard.project import user_only

    with new_worktree.faults():
        repository, worktree = _found(arguments.which)
        rules = project.read(worktree.path)
    if not rules.script:
        say(tr("This repository runs no commands in worktrees."))
        return int(Exit.OK)
    say(rules.script)
    user_only("nagomi worktree approve")
    if not confirm(tr("Approve exactly these lines?"), yes=False):
        return int(Exit.FAILED)
    project.approve(repository.common, rules)
    return int(Exit.OK)


def _offer(arguments: Namespace, worktree: Worktree, conflict: Conflict) -> int:
    """Say where two branches conflict, and have the agent of the worktree resolve it if that is wanted.

    Raises:
        CommandError: nobody is to resolve it, or it was refused.
    """
    inside = dict.fromkeys(one.number for one in within(worktree, _inside_or_none()))
    sentence = tr(conflict.said.message, **conflict.said.values)
    if arguments.json and not arguments.hand_over:
        say_json(
            {
                "conflicts": list(conflict.names),
                "target": conflict.target,
                "sessions": list(inside),
                "prompt": conflict.prompt,
            }
        )
        return int(Exit.FAILED)
    can_ask = sys.stdin is not None and sys.stdin.isatty() and not arguments.json
    if not inside or not (arguments.hand_over or can_ask):
        raise failure(
            "{sentence} `nagomi worktree merge --hand-over` has the agent of that worktree resolve it.",
            sentence=sentence,
        )
    complain(sentence)
    number = str(next(iter(inside)))
    if not confirm(tr("Have session {number} resolve it?", number=number), yes=arguments.hand_over):
        return int(Exit.FAILED)
    ask(Send(id=0, session=number, text=conflict.prompt))
    say(tr("Session {number} was asked to resolve it; merge again when it is done.", number=number))
    return int(Exit.FAILED)


def rebase(arguments: Namespace) -> int:
    """Put a worktree's commits onto its base."""
    with new_worktree.faults():
        repository, worktree = _found(arguments.which)
        try:
            onto = merging.rebase(repository, worktree, arguments.onto)
        except merging.Conflict as exc:
            return _offer(arguments, worktree, exc)
    if arguments.json:
        say_json({"branch": short(worktree.branch), "onto": onto})
    else:
        say(tr("{branch} stands on {onto} now.", branch=short(worktree.branch), onto=onto))
    return int(Exit.OK)


def remove(arguments: Namespace) -> int:
    """Take worktrees away, each only if nothing is lost with it."""
    told, code = [], int(Exit.OK)
    for which in arguments.which:
        with new_worktree.faults():
            repository, worktree = _found(which)
            reasons: tuple[Said, ...] = ()
            if arguments.dry_run:
                reasons = dangers(worktree, _inside, force=arguments.force)
            else:
                try:
                    if arguments.stop:
                        _stop_inside(worktree, force=arguments.force)
                    _take_away(repository, worktree, force=arguments.force, branch=arguments.branch)
                except Unsafe as exc:
                    reasons = exc.reasons
        why = [tr(one.message, **one.values) for one in reasons]
        told.append(
            {
                "worktree": str(worktree.path),
                "branch": short(worktree.branch),
                "removed": not (reasons or arguments.dry_run),
                "why": why,
            }
        )
        code = int(Exit.FAILED) if reasons else code
        if not arguments.json:
            _say_removed(worktree, why, arguments)
    if arguments.json:
        say_json(told)
    _clear()
    return code


def _stop_inside(worktree: Worktree, *, force: bool) -> None:
    """Stop the sessions in a worktree with which nothing else would be lost.

    Raises:
        Unsafe: something would be, and none was stopped.
        CommandError: one cannot be stopped.
    """
    inside = dict.fromkeys(one.number for one in within(worktree, _inside()))
    if inside and (reasons := dangers(worktree, _inside, force=force, inhabited=True)):
        raise Unsafe(worktree, reasons)
    for number in inside:
        ask(Stop(id=0, session=str(number)))


def _say_removed(worktree: Worktree, why: Sequence[str], arguments: Namespace) -> None:
    values = {"folder": worktree.path, "branch": worktree.title}
    if why:
        complain(tr("{folder} stays: {reason}", reason=" ".join(why), **values))
    elif arguments.dry_run:
        say(tr("{folder} would be taken away.", **values))
    elif arguments.branch:
        say(
            tr(
                "{folder} is taken away with the branch {branch}; `nagomi worktree undo` brings both back.",
                **values,
            )
        )
    else:
        say(
            tr(
                "{folder} is taken away; the branch {branch} stays. `nagomi worktree undo` brings it back.",
                **values,
            )
        )


def _clear() -> None:
    """Delete what was kept long enough; whether that works is no matter of this command."""
    with suppress(Fault):
        removing.clear(repository.find("."), load(aside=False).settings.worktree_days)


def gone(arguments: Namespace) -> None:
    """Take those away whose branch is merged or deleted at the remote."""
    with new_worktree.faults():
        here = repository.find(".")
        found = removing.gone(here, _inside)
    told: list[dict[str, Any]] = [
        {
            "worktree": str(one.worktree.path), "branch": short(one.worktree.branch),
            "gone": tr(one.why.message, **one.why.values), "removed": False,
            "why": [tr(reason.message, **reason.values) for reason in one.reasons],
        }
        for one in found
    ]  # fmt: skip
    free = [number for number, one in enumerate(found) if not one.reasons]
    if not arguments.json:
        for row in told:
            say(
                f"{row['branch']}  {shown_folder(row['worktree'])}  {' '.join([row['gone'], *row['why']])}"
            )
        if not found:
            say(tr("No branch is merged or deleted at the remote."))
    if (
        free
        and not arguments.dry_run
        and confirm(tr("Take {count} of them away?", count=len(free)), yes=arguments.yes)
    ):
        for number in free:
            worktree = found[number].worktree
            try:
                _take_away(here, worktree, branch=arguments.branch)
            except removing.Unsafe as exc:
                told[number]["why"] = [tr(one.message, **one.values) for one in exc.reasons]
            else:
                told[number]["removed"] = True
            if not arguments.json:
                _say_removed(worktree, told[number]["why"], arguments)
        _clear()
    if arguments.json:
        say_json(told)


def undo(arguments: Namespace) -> None:
    """Bring back what was taken away."""
    with new_worktree.faults():
        worktree = removing.undo(repository.find("."), arguments.name)
    if arguments.json:
        say_json({"worktree": str(worktree.path), "branch": short(worktree.branch)})
    else:
        say(tr("{folder} is back.", folder=worktree.path))
