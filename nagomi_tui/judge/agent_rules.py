"""The rules for a coding agent, which weigh its signals, its hooks and its screen.

A status that the agent reports itself (OSC 7501) is complete. Otherwise its title tells at once
whether it works, but not why it rests; hooks tell why, but none comes after Escape and some
answers; the screen settles what both leave open.
"""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.judge.evidence import ANSWER, AT_WORK, DENIED, TOOL, WORK_LEFT, Says, Source
from nagomi_tui.judge.known import Finding, Held, Known, because
from nagomi_tui.judge.screen_rules import ANY, ENDS, FIELD_GONE, WITHOUT_FIELD
from nagomi_tui.judge.verdict import State

LAG: Final = 0.3
"""Seconds by which hook, title and screen may report the same moment differently."""

LATE: Final = 0.2
"""Seconds after the title's change for which a hook may still report how the turn ended."""

BEHIND: Final = 1.0
"""Seconds after a hook of work for which a title that rests may not have heard of it yet."""

BEGINNING: Final = 5.0
"""Seconds after a turn began in which a title may not know: a busy machine draws late."""

BROKEN: Final = 1.5
"""Seconds within which an agent comes to rest after Escape or Ctrl-C."""

DISPROOF: Final = 0.6
"""Seconds for which the screen must contradict a hook before the screen is believed."""

STILL: Final = 1.2
"""Seconds of stillness after which a turn that goes on without a field to type in asks."""

TAKES_UP: Final = 2.5
"""Seconds after a dialog within which an agent is seen to go on, by its shapes alone."""

SAME_END: Final = 5.0
"""Seconds by which a hook may tell the end of a turn before the agent's status does."""

BEGINS: Final = 1.5
"""Seconds after a turn's beginning within which a field that comes back is no end of it: its line
is written first, then the field is drawn again, and only then something begins to move."""

SHOWN: Final = 1.0
"""Seconds within which the screen shows why the agent asks for a login."""

AT_REST: Final = "at-rest"
"""The rule of an agent that rests while nothing tells how it came to."""

_ENDED: Final = frozenset({Says.SUCCEEDED, Says.FAILED, Says.INTERRUPTED})
_ABSENT: Final = frozenset({FIELD_GONE, WITHOUT_FIELD})
_OUTCOMES: Final = {Says.SUCCEEDED: State.SUCCESS, Says.FAILED: State.FAILURE}


def judge_agent(known: Known) -> Finding | None:
    """Return the agent's state, or None if it has given no signal."""
    if known.held(Source.STATUS):
        return _by_status(known)
    if title := known.held(Source.TITLE):
        if title.says in AT_WORK:
            return _spinning(known, title)
        if title.says is Says.WAITS:
            return _found(State.ATTENTION, 0.95, "title-calls", title)
        return _resting(known, title)
    if known.held(Source.HOOK):
        return _by_hook(known)
    return _by_screen(known)


def _by_status(known: Known) -> Finding | None:
    status, screen = known.sources[Source.STATUS], known.held(Source.SCREEN)
    whole = status.says in AT_WORK and status.last.kind in (ANSWER, TOOL)
    if screen and screen.says is Says.WAITS and screen.since > status.since and not whole:
        # It speaks of its turns, and not of what it asks beside them.
        return _found(State.ATTENTION, 0.85, "screen-asks", screen, status)
    if status.says in AT_WORK:
        return _at_work(known, "status", status)
    if status.says is Says.WAITS and status.last.kind == "auth":
        return _wants_login(known, status)
    if status.says is Says.WAITS:
        return _found(State.ATTENTION, 0.98, "status-blocked", status)
    if status.last.kind == WORK_LEFT and screen and screen.says is Says.FAILED:
        return _found(State.FAILURE, 0.9, "screen-failed", screen, status)
    if status.says in _OUTCOMES:
        hook = _agreeing(known, status.says, status.since)
        return _found(_OUTCOMES[status.says], 0.98, f"status-{status.says}", status, hook)
    # It calls itself idle as soon as the user types; the turn that is over stays over.
    if status.before and status.before.says in _OUTCOMES:
        hook = _agreeing(known, status.before.says, status.before.at)
        return _found(_OUTCOMES[status.before.says], 0.9, "status-after-turn", status, hook)
    return _found(State.UNKNOWN, 0.9, "status-idle", status)


def _agreeing(known: Known, outcome: Says, at: float) -> Held | None:
    """Return the hook that tells the same end of a turn: it has the agent's words, too."""
    hook = known.held(Source.HOOK)
    if hook is None or hook.says is not outcome or hook.last.at < at - SAME_END:
        return None
    return hook


def _wants_login(known: Known, status: Held) -> Finding:
    """A login is missing: the turn has failed by it where hooks or screen say so, or it waits."""
    told = (known.held(source) for source in (Source.HOOK, Source.SCREEN))
    if failed := next((one for one in told if one and one.says is Says.FAILED), None):
        return _found(State.FAILURE, 0.95, "status-auth", status, failed)
    worked = status.before is not None and status.before.says in AT_WORK
    if worked and known.now < status.since + SHOWN:
        found = _at_work(known, "status", status)
        return msgspec.structs.replace(found, until=status.since + SHOWN)
    return _found(State.ATTENTION, 0.98, "status-blocked", status)


def _spinning(known: Known, title: Held) -> Finding:
    hook = known.held(Source.HOOK)
    if hook and hook.says is Says.WAITS and title.last.at < hook.since + LAG:
        return _found(State.ATTENTION, 0.9, _asks(hook), hook, title)
    return _at_work(known, "title-spins", title)


def _resting(known: Known, title: Held) -> Finding:
    """The title is at rest: a dialog, an end, or an interruption that no hook told of.

    Progress at rest tells no more than the title does: Claude Code ends it at a dialog, too.
    """
    progress, hook = known.held(Source.PROGRESS), known.held(Source.HOOK)
    screen = known.held(Source.SCREEN)
    if progress and progress.says in AT_WORK:
        return _found(State.ATTENTION, 0.95, "rests-in-mid-turn", progress, title)
    if hook and hook.says is Says.WAITS:
        return _asked(known, title, hook)
    if screen and screen.says is Says.WAITS:
        return _found(State.ATTENTION, 0.9, "screen-asks", screen, title)
    if screen and _gave_way(known, screen):
        return _without_field(known, screen)
    if progress and progress.says is Says.REST:
        return _over(known, title)
    if hook and hook.says in AT_WORK:
        if screen and screen.says in AT_WORK:
            return _at_work(known, "screen-works", screen)
        if hook.last.at > title.since and known.now < (until := _spins_by(known, title, hook)):
            found = _at_work(known, "hook", hook)
            return msgspec.structs.replace(found, until=until)
    if _is_unseen(known, title) and (hook is None or hook.says in AT_WORK):
        found = _at_work(known, "title-spins", title)
        return msgspec.structs.replace(found, until=title.since + BEHIND)
    return _over(known, title)


def _is_unseen(known: Known, title: Held) -> bool:
    """Tell whether the title has come to rest and the screen does not bear it out yet: it may ask."""
    worked = title.before is not None and title.before.says in AT_WORK
    looked = known.view is None or known.view.at >= title.since
    seen = looked and known.says(Source.SCREEN) not in AT_WORK
    return (
        worked
        and not seen
        and known.now < title.since + BEHIND
        and not _was_broken_off(known, title)
    )


def _spins_by(known: Known, title: Held, hook: Held) -> float:
    """Return when the title must tell of the work that a hook tells of, or there is none."""
    behind = hook.last.at + BEHIND
    return max(behind, _drawn_by(known)) if known.turn.started_at >= title.since else behind


def _drawn_by(known: Known) -> float:
    """Return when an agent must have drawn that it is at the turn that has begun."""
    begun = known.turn.number and known.turn.interrupted_at is None
    return known.turn.started_at + BEGINNING if begun else 0.0


def _gave_way(known: Known, screen: Held) -> bool:
    """Tell whether an agent that worked has put something in its field's place, and no end is told."""
    gone = screen.last.rule == FIELD_GONE and screen.says in AT_WORK
    return gone and known.turn.interrupted_at is None and known.says(Source.HOOK) not in _ENDED


def _asks(hook: Held) -> str:
    """Return the rule by which a hook says that the user is needed."""
    return "guard-denied" if hook.last.rule == DENIED else "hook-asks"


def _asked(known: Known, title: Held, hook: Held) -> Finding:
    """A hook told of a dialog, and none tells that it was refused: progress or the screen do."""
    progress, screen = known.held(Source.PROGRESS), known.held(Source.SCREEN)
    shown = screen is not None and screen.says is Says.WAITS
    if progress and progress.since > hook.since + LAG and not shown:
        return _over(known, title)
    if screen and screen.since > hook.since and screen.says not in (Says.WAITS, *AT_WORK):
        return _found(State.UNKNOWN, 0.85, "dialog-gone", screen, title)
    return _found(State.ATTENTION, 0.97, _asks(hook), hook, title)


def _may_yet_tell(known: Known, title: Held) -> bool:
    """Tell whether a hook may yet come, since nobody broke the turn off."""
    broken = known.turn.interrupted_at is not None or known.says(Source.SCREEN) is Says.INTERRUPTED
    return not broken and known.now < title.since + LATE


def _over(known: Known, title: Held | None) -> Finding:
    """Nothing is going on: say how the turn ended."""
    hook, screen = known.held(Source.HOOK), known.held(Source.SCREEN)
    hook = None if hook and hook.last.kind == ENDS else hook
    if hook and hook.says in _OUTCOMES:
        return _found(_OUTCOMES[hook.says], 0.99, f"hook-{hook.says}", hook, title)
    if hook and title and hook.says in AT_WORK and _may_yet_tell(known, title):
        found = _at_work(known, "hook", hook)
        return msgspec.structs.replace(found, until=title.since + LATE)
    broken = title is not None and _was_broken_off(known, title)
    if hook and hook.says in AT_WORK and screen and screen.says is Says.FAILED and not broken:
        # The hook of this end is yet to come, or there is none.
        return _found(State.FAILURE, 0.8, "screen-failed", screen, title)
    if hook:
        rule = "not-begun" if hook.says is Says.REST else "interrupted"
        return _found(State.UNKNOWN, 0.85, rule, hook, title)
    if broken:
        return _found(State.UNKNOWN, 0.85, "interrupted", title)
    if screen and screen.says in _OUTCOMES and _was_asked(known):
        return _found(_OUTCOMES[screen.says], 0.8, f"screen-{screen.says}", screen, title)
    fresh = title is not None and title.before is None
    if screen and screen.last.kind == ENDS and known.turn.worked_at is not None and not fresh:
        return _found(State.SUCCESS, 0.6, "rests-after-work", screen, title)
    if known.turn.worked_at is None or screen is not None or fresh:
        return _found(State.UNKNOWN, 0.7, AT_REST, screen, title)
    return _found(State.SUCCESS, 0.6, "rests-after-work", title)


def _was_asked(known: Known) -> bool:
    """Tell whether anything was asked: a conversation that is resumed shows how its last turn ended."""
    turn = known.turn
    return turn.worked_at is not None or turn.started_at > (turn.command_at or 0.0)


def _was_broken_off(known: Known, title: Held) -> bool:
    """Tell whether the user's key ended the work: the screen may show an older end by then."""
    turn, at = known.turn, known.turn.halted_at
    earlier = at is not None and turn.worked_at is not None and at < turn.started_at
    return not earlier and _broken_off(title, at)


def _broken_off(rest: Held, at: float | None, within: float = BROKEN) -> bool:
    """Tell whether what says that the agent rests has done so since the user's key at `at`."""
    return at is not None and at >= rest.since - within


def _by_hook(known: Known) -> Finding | None:
    """There is no title: a screen that disagrees for long enough corrects the hooks."""
    hook, screen = known.sources[Source.HOOK], known.held(Source.SCREEN)
    if hook.last.kind == ENDS:
        # It only told that the turn is over, or stands still.
        return _by_screen(known) or _over(known, None)
    if screen and screen.since > hook.last.at and _disproves(known, screen, hook):
        if screen.says in AT_WORK and hook.says not in AT_WORK:
            return _at_work(known, "screen-works", screen)
        if screen.says not in (Says.WAITS, *AT_WORK) and hook.says in (Says.WAITS, *AT_WORK):
            state = _OUTCOMES.get(screen.says, State.UNKNOWN)
            return _found(state, 0.75, "screen-rests", screen, hook)
    if screen and screen.says is Says.WAITS and hook.says not in _OUTCOMES:
        return _found(State.ATTENTION, 0.9, "screen-asks", screen, hook)
    if hook.says is Says.WAITS:
        return _found(State.ATTENTION, 0.95, _asks(hook), hook)
    if hook.says in AT_WORK:
        return _at_work(known, "hook", hook)
    return _over(known, None)


def _disproves(known: Known, screen: Held, hook: Held) -> bool:
    """Tell whether the screen has contradicted the hooks for long enough, or beyond doubt."""
    before = screen.before
    gone = before and (before.says is Says.WAITS or before.at > hook.last.at)
    answered = hook.says is Says.WAITS and gone
    plain = answered or screen.says in (Says.INTERRUPTED, Says.FAILED)
    drawn = before and before.rule not in _ABSENT and before.at >= known.turn.started_at
    begins = hook.says in AT_WORK and screen.says is Says.REST and not drawn
    due = max(screen.since + DISPROOF, _drawn_by(known) if begins else 0.0)
    return bool(plain) or known.now >= due


def _by_screen(known: Known) -> Finding | None:
    screen, progress = known.held(Source.SCREEN), known.held(Source.PROGRESS)
    if screen is None:
        return None
    asks = screen.last.rule == WITHOUT_FIELD and known.question is not None
    if (asks or screen.last.rule == FIELD_GONE) and screen.says in AT_WORK:
        return _without_field(known, screen)
    if screen.says in AT_WORK:
        return _at_work(known, "screen-works", screen)
    if screen.says is Says.WAITS:
        return _found(State.ATTENTION, 0.85, "screen-asks", screen)
    if progress and progress.says in AT_WORK and progress.last.at >= screen.since:
        return _at_work(known, "progress", progress)
    if screen.says in _OUTCOMES and _was_asked(known):
        return _found(_OUTCOMES[screen.says], 0.75, f"screen-{screen.says}", screen)
    if (held := _goes_on(known, screen)) is not None and known.now < held[1]:
        found = _at_work(known, held[0], screen)
        return msgspec.structs.replace(found, until=held[1])
    if screen.last.kind == ENDS and screen.before and screen.before.says in _ENDED:
        # What told how the turn ended has scrolled away, or is covered.
        state = _OUTCOMES.get(screen.before.says, State.UNKNOWN)
        return _found(state, 0.6, f"screen-{screen.before.says}", screen)
    if screen.says is Says.REST and known.turn.worked_at is not None and screen.before:
        if _broken_off(screen, known.turn.interrupted_at):
            return _found(State.UNKNOWN, 0.7, "interrupted", screen)
        return _found(State.SUCCESS, 0.5, "rests-after-work", screen)
    return _found(State.UNKNOWN, 0.7, AT_REST, screen)


def _goes_on(known: Known, screen: Held) -> tuple[str, float] | None:
    """Return why and until when a rest by shape in mid-turn is not yet taken for the turn's end.

    What moves is not seen to move at once: a clock of seconds takes two of them.
    """
    turn, before = known.turn, screen.before
    broken = _broken_off(screen, turn.interrupted_at, TAKES_UP)
    shape = screen.last.rule.startswith(f"{ANY}:") and screen.last.kind == ENDS
    if turn.worked_at is None or before is None or broken or not shape:
        return None
    if before.says is Says.WAITS:
        return "dialog-answered", screen.since + TAKES_UP
    if before.says not in AT_WORK:
        return None
    if before.rule in _ABSENT and screen.since < turn.started_at + BEGINS:
        return "screen-works", screen.since + BEGINS
    return None


def _without_field(known: Known, screen: Held) -> Finding:
    """It worked, its field has given way to something, and all is still: that asks.

    One that shows its field at rest alone asks where the cursor stands behind a question.
    """
    asks_at = max(screen.since, known.changed_at) + STILL
    if known.now >= asks_at:
        return _found(State.ATTENTION, 0.6, "rests-without-a-field", screen)
    found = _at_work(known, "screen-works", screen)
    return msgspec.structs.replace(found, until=asks_at)


def _at_work(known: Known, rule: str, held: Held) -> Finding:
    """It works: on a tool (running) or on an answer (thinking), by whoever can tell."""
    if held.last.kind == TOOL:
        return _found(State.RUNNING, 0.95, f"{rule}-tool", held)
    hook, screen = known.held(Source.HOOK), known.held(Source.SCREEN)
    for other in (hook, screen):
        if other and other.says is Says.RUNNING:
            return _found(State.RUNNING, 0.95, f"{rule}-tool", held, other)
        if other and other is hook and other.says is Says.WAITS:
            return _found(State.RUNNING, 0.9, f"{rule}-allowed", held, other)
        if other and other.says in (Says.THINKING, Says.SUCCEEDED, Says.FAILED):
            break
    return _found(State.THINKING, 0.95, rule, held, hook)


def _found(state: State, confidence: float, rule: str, *held: Held | None) -> Finding:
    evidence = because(*(item.last for item in held if item))
    return Finding(state=state, confidence=confidence, rule=rule, because=evidence)
