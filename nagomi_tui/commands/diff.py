"""`nagomi diff`: what has changed in a session's folder, to be looked at, commented on and committed."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from functools import partial

from nagomi_tui.api.command_client import ask, named
from nagomi_tui.api.messages import Find, Send
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json
from nagomi_tui.hands.reviewing import review_of
from nagomi_tui.review.model import as_unified
from nagomi_tui.review.review import Page, Review
from nagomi_tui.review.snapshots import Since
from nagomi_tui.sessions.session import Session
from nagomi_tui.settings import store
from nagomi_tui.system.console import failure, say, say_json, tr
from nagomi_tui.system.git import GitFault
from nagomi_tui.system.outcome import CommandError, Exit
from nagomi_tui.text.cells import printable

_SINCE = ("uncommitted", "turn", "base")


def register(commands: Commands) -> None:
    parser = add(commands, "diff", diff, tr("review what has changed in a session's folder"))
    parser.add_argument(
        "target",
        nargs="?",
        default="",
        metavar="SESSION|FOLDER",
        help=tr("a session by number, name or id, or a folder; without it, this folder"),
    )
    parser.add_argument(
        "--since",
        choices=_SINCE,
        help=tr(
            "compare with the last commit, the beginning of the last turn, or the branch's base"
        ),
    )
    add_flag(parser, "--print", help=tr("print the changes, also to a terminal"))
    add_flag(parser, "--comments", help=tr("print the comments"))
    add_json(parser)


def diff(arguments: Namespace) -> int:
    """Show the review, or print what has changed where nobody could look at it."""
    folder, session = _meant(arguments.target)
    hand = session.worker_id if session and not session.is_local else ""
    review = review_of(folder, session.session_id if session else "", hand)
    shown = not (arguments.print or arguments.json or arguments.comments)
    try:
        if shown and sys.stdin.isatty() and sys.stdout.isatty():
            return _show(review, arguments.since, session)
        review.most_files = sys.maxsize
        page = review.load(arguments.since)
    except GitFault as exc:
        raise failure(exc.sentence, **exc.values) from exc
    finally:
        review.close()
    _print(page, arguments)
    return int(Exit.OK)


def _meant(target: str) -> tuple[str, Session | None]:
    """Return the folder that is meant, and the session where one is."""
    own = os.environ.get("NAGOMI_SESSION_ID", "")
    if target in ("", ".") and not own:
        return os.getcwd(), None
    if target and target != "." and os.path.isdir(target):
        return target, None
    try:
        found = ask(Find(id=0, session=named(target or ".")))
    except CommandError:
        if target:
            raise
        return os.getcwd(), None
    session = found.session
    return session.here if target != "" else os.getcwd(), session


def _show(review: Review, since: Since | None, session: Session | None) -> int:
    from nagomi_tui.view.review.app import ReviewApp

    app = ReviewApp(
        review,
        store.load().settings,
        name=session.name if session is not None else "",
        since=since,
        post=partial(_post, session) if session is not None else None,
        hand=session.worker_id if session is not None and not session.is_local else "",
    )
    app.run()
    return int(Exit.OK)


def _post(session: Session, text: str) -> str:
    """Send a text to the session, with all that may stand in the way of it; return what does."""
    try:
        ask(Send(id=0, session=session.session_id, text=text), timeout=10.0)
    except CommandError as exc:
        return str(exc)
    return ""


def _print(page: Page, arguments: Namespace) -> None:
    if arguments.json:
        say_json(_plain(page))
    elif arguments.comments:
        for one in page.notes.comments:
            say(f"{one.place}  {one.standing}")
            say("\n".join(f"  {printable(line)}" for line in one.text.split("\n")))
    else:
        for line in as_unified(page.loaded.changes):
            say(line)


def _plain(page: Page) -> dict[str, object]:
    loaded = page.loaded
    return {
        "root": str(loaded.place.root),
        "since": loaded.since,
        "against": loaded.against.name,
        "added": loaded.changes.added,
        "removed": loaded.changes.removed,
        "left_out": loaded.left_out,
        "under_way": loaded.under_way,
        "files": [
            {
                "path": one.name, "status": one.status, "kind": one.kind,
                "added": one.added, "removed": one.removed,
            }
            for one in loaded.changes.files
        ],
        "comments": [
            {
                "place": one.place, "side": one.side, "text": one.text, "standing": one.standing,
                "lines": one.lines,
            }
            for one in page.notes.comments
        ],
    }  # fmt: skip
