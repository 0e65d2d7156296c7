"""How commands choose sessions: by names, all that have ended, all, or those of which terms hold."""

from __future__ import annotations

from argparse import Namespace, _ActionsContainer
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.commands.parser import Parser, add_flag, add_session
from nagomi_tui.system.console import complain, failure, tr
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.text.words import nearest_name

if TYPE_CHECKING:
    from nagomi_tui.api.messages import WholeSession


def add_option(parser: _ActionsContainer) -> None:
    """Let a command, or one of its groups of options, choose sessions by terms."""
    parser.add_argument(
        "--where",
        metavar="TERM",
        action="append",
        default=[],
        help=tr(
            "those of which this holds, several times for all of it: is:ended, is:waits, is:unseen or "
            "another state, on:HAND (`nagomi hands` lists them), in:FOLDER"
        ),
    )


def add_selection(parser: Parser) -> None:
    """Let the command take several sessions, or a group of them."""
    add_session(parser, nargs="*")
    add_groups(parser)


def add_groups(parser: Parser) -> None:
    """Let the command take a group of sessions."""
    groups = parser.add_mutually_exclusive_group()
    add_flag(groups, "--ended", help=tr("all that have ended"))
    add_flag(groups, "--all", help=tr("all sessions"))
    add_option(groups)


def filtered(sessions: Iterable[WholeSession], terms: list[str]) -> tuple[WholeSession, ...]:
    """Return the sessions of which all terms hold.

    Raises:
        CommandError: a term says nothing, or names a hand that there is not.
    """
    from nagomi_tui.api.where import NAMES, BadTerm, meant_by

    try:
        tests = [meant_by(carried(term)) for term in terms]
    except BadTerm as exc:
        near = nearest_name(exc.term.removeprefix("is:"), NAMES)
        says = tr("`--where {term}` says nothing.", term=exc.term)
        if near:
            says += " " + tr("Did you mean `is:{meant}`?", meant=near)
        there = tr(
            "There are is:STATE with one of {states}, on:HAND and in:FOLDER.",
            states=", ".join(NAMES),
        )
        raise CommandError(f"{says} {there}", Exit.USAGE) from exc
    sessions = tuple(sessions)
    used = {session.worker_id for session in sessions}
    for kind, _, hand in (term.partition(":") for term in terms):
        if kind == "on" and hand not in used:
            _check_hand(hand)
    return tuple(one for one in sessions if all(test(one) for test in tests))


def _check_hand(name: str) -> None:
    """Refuse the name of a hand that does not exist, unless the file of hands is not in order.

    Raises:
        CommandError: there is none; the sentence names the nearest.
    """
    from nagomi_tui.hands import registry
    from nagomi_tui.hands.hand import BadHand
    from nagomi_tui.sessions.session import LOCAL

    if name == LOCAL:
        return
    try:
        hands = registry.load()
    except BadHand as exc:
        complain(tr(exc.message, **exc.values))
        return
    if hands.get(name):
        return
    for fault in hands.faults:
        complain(tr(fault.message, **fault.values))
    if not hands.faults:
        missing = registry.unknown(name, [hand.name for hand in hands.all], or_local=True)
        raise failure(missing.message, Exit.USAGE, **missing.values)


def _meant(arguments: Namespace) -> tuple[str, ...]:
    """Return the names or ids of the sessions that the command is about.

    Raises:
        CommandError: neither a session nor a group was named, or both were.
    """
    from nagomi_tui.api.messages import ListSessions
    from nagomi_tui.sessions.session import has_ended

    one_or_more = [arguments.session] if isinstance(arguments.session, str) else arguments.session
    given = tuple(named(one) for one in one_or_more if one)
    if bool(given) == bool(arguments.ended or arguments.all or arguments.where):
        raise failure(
            "name one or more sessions, or one of `--ended`, `--all` and `--where`.", Exit.USAGE
        )
    if given:
        return given
    found = filtered(ask(ListSessions(id=0)).sessions, arguments.where)
    return tuple(one.session_id for one in found if not arguments.ended or has_ended(one))


def each(arguments: Namespace, act: Callable[[str], object]) -> int:
    """Do something with each session that is meant; one that refuses holds up no other."""
    worst = int(Exit.OK)
    for session in _meant(arguments):
        try:
            act(session)
        except CommandError as exc:
            complain(str(exc))
            worst = max(worst, int(exc.code))
    return worst


def is_session(word: str) -> bool:
    """Tell whether the orchestrator knows a session by this word."""
    from nagomi_tui.api.messages import Find

    try:
        ask(Find(id=0, session=carried(word)))
    except CommandError:
        return False
    return True
