"""The text that `nagomi ls`, `next`, `why` and `hands` print, by command or orchestrator."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from nagomi_tui.judge.evidence import SOURCES
from nagomi_tui.judge.verdict import beside_state
from nagomi_tui.sessions.places import place_of, plainly
from nagomi_tui.sessions.session import GuardStanding
from nagomi_tui.sessions.standing import badge_words, changes_of, is_unseen
from nagomi_tui.text.cells import cells, clock, cut, cut_left, pad, printable
from nagomi_tui.text.words import Words, translatable

if TYPE_CHECKING:
    from nagomi_tui.api.messages import EvidenceDetail, HandStanding, Standing, WholeSession

_RISKS = {
    "low": translatable("it only looks"),
    "mid": translatable("it may change things"),
    "high": translatable("look twice"),
}


_NONE = translatable("No session.")
_NAME, _FOLDER, _TREE, _TOLD = 1, 5, 6, 7
"""Columns of `table` that are cut on a narrow terminal."""
_LEAST_TOLD = 28
"""Cells that are left for what a session asks or runs before its folder and name are cut."""
_LEAST = ((_TREE, 0), (_FOLDER, 14), (_NAME, 20), (_FOLDER, 0), (_NAME, 10))
"""How far the columns are cut for that, one after the other."""
_LEAST_FOLDER = 8
"""Cells below which a folder that needs more tells nothing."""
_UNSEEN = "*"


def table(found: Sequence[WholeSession], words: Words, *, width: int, home: str) -> str:
    """Return one line for each session, of at most so many cells unless `width` is 0.

    Folders below `home` are shown with `~`. A terminal, which has a width, is told where there is none,
    and what a session asks has room there before its folder and its name have.
    """
    if width and not found:
        return words.say(_NONE) + "\n"
    rows = [_row(session, words, home) for session in found]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    if width:
        _fit(widths, width)
    lines = []
    for row in rows:
        fitted = [*row]
        fitted[_NAME] = cut(row[_NAME], widths[_NAME])
        fitted[_FOLDER] = cut_left(row[_FOLDER], widths[_FOLDER])
        columns = [pad(text, most) for text, most in zip(fitted, widths, strict=True) if most]
        line = printable("  ".join(columns)).rstrip()
        lines.append(cut(line, width) if width else line)
    return "".join(f"{line}\n" for line in lines)


def _fit(widths: list[int], width: int) -> None:
    """Make the columns smaller that leave too little of `width` cells for the last one."""
    told = min(widths[_TOLD], _LEAST_TOLD)
    for column, least in _LEAST:
        used = sum(one + 2 for one in widths[:_TOLD] if one)
        lacking = used + told - width
        left = max(least, widths[column] - max(0, lacking))
        if column == _TREE and left < widths[column]:
            left = 0
        if column == _FOLDER and left < min(widths[column], _LEAST_FOLDER):
            left = 0
        widths[column] = min(widths[column], left)


def _row(session: WholeSession, words: Words, home: str) -> tuple[str, ...]:
    """Return number, name, condition, for how long, guard, folder, worktree, and what it asks or runs."""
    return (
        f"{session.number:>3}",
        session.name,
        badge_words(session, words.say) + _UNSEEN * is_unseen(session),
        f"{_lasting(session):>7}",
        words.gettext(translatable("not heard"))
        if session.guard_unheard
        else guard_words(session.guard, words, strict=session.strict, fault=session.strict_fault),
        place_of(session, home),
        " ".join([session.branch, *changes_of(session)]) if session.worktree else "",
        (session.waits and beside_state(session.summary)) or plainly(session.cmd),
    )


def _lasting(session: WholeSession) -> str:
    """Return for how long it has been so: since its phase began, or since it has ended."""
    since = session.ended_at or session.away_since or session.phase_since or session.started_at
    return "-" if since is None else clock(max(0.0, time.time() - since))


def guard_words(guard: GuardStanding | None, words: Words, *, strict: bool, fault: str = "") -> str:
    """Return how a guard stands: its mode, and how many todos are done; nothing without a guard.

    In strict mode a word says that the kernel holds the project, with a `!` if it does not (`fault`).
    """
    if guard is None:
        return ""
    modes = {
        "discussion": words.gettext(translatable("discuss")),
        "implementation": words.gettext(translatable("implement")),
    }
    unguarded = translatable("unguarded")
    mode = words.gettext(unguarded) if guard.bypassed else modes.get(guard.mode, guard.mode)
    if strict:
        mode += " " + words.gettext(translatable("strict")) + "!" * bool(fault)
    if guard.proposed and not guard.total:
        return f"{mode} ?{guard.proposed}"
    return f"{mode} {guard.done}/{guard.total}" if guard.total else mode


def in_need(session: WholeSession | None, words: Words) -> str:
    """Return who has waited longest for the user."""
    if session is None:
        return words.gettext(translatable("Nobody waits for you.")) + "\n"
    word = badge_words(session, words.say)
    told = (
        str(session.number),
        printable(session.name),
        word,
        printable(beside_state(session.summary)),
    )
    return "  ".join(part for part in told if part) + "\n"


def account(found: Standing, words: Words) -> str:
    """Return how a session stands, and what that is read from."""
    return "".join(f"{printable(line)}\n" for line in _account(found, words))


def _account(found: Standing, words: Words) -> Iterator[str]:
    verdict = found.verdict
    yield words.say(
        translatable("{name}: {state}, for {time}, certainty {percent} %"),
        name=found.name,
        state=words.gettext(found.condition.word),
        time=clock(found.age_s),
        percent=round(verdict.confidence * 100),
    )
    yield f"  {verdict.summary}"
    screen = translatable("A rule for its screen holds.")
    meaning = " ".join(found.meaning) or words.gettext(screen)
    yield words.say(translatable("Because: {meaning} ({rule})"), meaning=meaning, rule=found.rule)
    if found.evidence_detail:
        yield words.gettext(translatable("What that is read from:"))
    grounds = [_ground(ground, words) for ground in found.evidence_detail]
    widths = [max(map(cells, column)) for column in zip(*grounds, strict=True)]
    for source, age, text in grounds:
        yield f"  {pad(source, widths[0])}  {pad(age, widths[1])}  {text}"
    if verdict.next_actions:
        yield words.gettext(translatable("What you could do; nothing of it runs by itself:"))
    for action in verdict.next_actions:
        risk = words.gettext(_RISKS.get(action.risk, _RISKS["high"]))
        yield f"  {action.title} ({risk}): {action.command}"


def _ground(ground: EvidenceDetail, words: Words) -> tuple[str, str, str]:
    """Return source, age and text of a piece of evidence; of several lines the first tells."""
    text = ground.text.strip().split("\n")[0] or ground.says
    age = words.say(translatable("{seconds:g} s ago"), seconds=ground.age_s)
    return words.gettext(SOURCES.get(ground.source, ground.source)), age, text


_MB_IN_GB: Final = 1024


def machine_words(hand: HandStanding, words: Words) -> str:
    """Return host, system, load and free memory, as far as they are known."""
    parts = [part for part in (hand.host, hand.system) if part]
    if hand.load is not None and hand.cores:
        sentence = translatable("load {load} on {cores} cores")
        parts.append(words.say(sentence, load=f"{hand.load:.1f}", cores=hand.cores))
    if hand.memory_mb:
        sentence = translatable("{free} of {memory} GB free")
        free, memory = (f"{mb / _MB_IN_GB:.1f}" for mb in (hand.free_mb, hand.memory_mb))
        parts.append(words.say(sentence, free=free, memory=memory))
    return ", ".join(parts)


def standing_words(hand: HandStanding, words: Words) -> str:
    """Return a hand's name, its kind, and what its machine is, or that it is away."""
    if hand.reached:
        told = machine_words(hand, words)
    else:
        away, unasked = translatable("away"), translatable("not asked yet")
        told = words.gettext(away if hand.fault else unasked)
    return f"{hand.name}  {hand.kind}" + (f"  {told}" if told else "")
