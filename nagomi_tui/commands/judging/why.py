"""`nagomi why`: a session's state, and the rule and evidence behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nagomi_tui.commands.parser import add, add_json, add_session
from nagomi_tui.commands.resident import ask, named
from nagomi_tui.commands.speech import say, say_json, tr

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from nagomi_tui.api.messages import EvidenceDetail, Standing
    from nagomi_tui.commands.parser import Commands


def register(commands: Commands) -> None:
    """Add the command of this group."""
    asker = add(commands, "why", why, tr("say how a session stands, and what that is read from"))
    add_session(asker)
    add_json(asker)


def why(arguments: Namespace) -> None:
    """Ask the session's judge and print its account."""
    from nagomi_tui.api.messages import Why
    from nagomi_tui.core.text.text import printable

    found = ask(Why(id=0, session=named(arguments.session)))
    if arguments.json:
        say_json(found)
        return
    for line in _lines(found):
        say(printable(line))


def _lines(found: Standing) -> Iterator[str]:
    from nagomi_tui.core.session.condition import WORDS
    from nagomi_tui.core.text.text import clock

    verdict = found.verdict
    standing = tr(
        "{name}: {state}, for {time}, sure to {percent} %",
        name=found.name,
        state=tr(WORDS[found.condition]),
        time=clock(found.age_s),
        percent=round(verdict.confidence * 100),
    )
    yield standing
    yield f"  {verdict.summary}"
    meaning = " ".join(found.meaning) or tr("A rule for its screen holds.")
    yield tr("Because: {meaning} ({rule})", meaning=meaning, rule=found.rule)
    if found.evidence_detail:
        yield tr("What that is read from:")
    for ground in found.evidence_detail:
        yield _ground(ground)
    if verdict.next_actions:
        yield tr("What you could do; nothing of it runs by itself:")
    for action in verdict.next_actions:
        yield f"  {action.title} ({_risk(action.risk)}): {action.command}"


def _ground(ground: EvidenceDetail) -> str:
    """Return one piece of evidence; its text may have several lines, of which the first tells."""
    text = ground.text.strip().split("\n")[0] or ground.says
    age = tr("{seconds:g} s ago", seconds=ground.age_s)
    return f"  {ground.source:<8} {age:<12} {text}"


def _risk(risk: str) -> str:
    return {"low": tr("it only looks"), "mid": tr("it may change things")}.get(
        risk, tr("look twice")
    )
