"""Evidence in, finding out: exit code, shell, agent, processes, text, silence, in this order."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.judge.agent_rules import judge_agent
from nagomi_tui.judge.evidence import Corrected, Ended, Evidence, Key, Says, Source, Wait
from nagomi_tui.judge.known import Finding, Known, Rulebook
from nagomi_tui.judge.program_rules import AWAITS_EVENTS, at_prompt, judge_program, judge_shell
from nagomi_tui.judge.questions import QuestionRule
from nagomi_tui.judge.screen_rules import ANY, Manifest
from nagomi_tui.judge.verdict import CTRL_C, State
from nagomi_tui.sessions.standing import exit_words

_SAYS: Final = {
    State.SUCCESS: Says.SUCCEEDED,
    State.FAILURE: Says.FAILED,
    State.ATTENTION: Says.WAITS,
    State.RUNNING: Says.RUNNING,
    State.THINKING: Says.THINKING,
    State.UNKNOWN: Says.REST,
}

BY_SIGNAL: Final = "exit-signal"
"""The rule of a command that a signal has ended, which nobody here had sent."""
BROKEN_OFF: Final = "interrupted"
"""The rule of a command that the user's Ctrl-C has ended."""


def resolve(known: Known, book: Rulebook) -> Finding:
    """Return the session's state at `known.now`, by the strongest evidence (X-20)."""
    if (said := known.correction) is not None:
        return _corrected(said)
    if known.ended is not None:
        return _ended(known, known.ended)
    if known.marked:
        resting = judge_shell(known, book)
        if resting is not None:
            return resting
    agent = in_agent(known, book)
    if agent or _reports(known):
        finding = judge_agent(known)
        if finding is not None:
            return finding
    finding = judge_program(known, book, agent=agent)
    return _unread(known, book, finding) if agent and _has_worked(known) else finding


def _unread(known: Known, book: Rulebook, finding: Finding) -> Finding:
    """Return how an agent stands whose screen no rule reads: once it is still it is done, or asks."""
    still_at = known.changed_at + book.profile.silence_seconds
    if finding.rule == AWAITS_EVENTS and known.now < still_at:
        return msgspec.structs.replace(finding, until=still_at)
    if finding.rule != AWAITS_EVENTS and finding.state is not State.UNKNOWN:
        return finding
    return msgspec.structs.replace(
        finding, state=State.SUCCESS, confidence=0.5, rule="rests-after-work", until=None
    )


def _has_worked(known: Known) -> bool:
    """Tell whether an agent was seen at work after it was asked something, and was not broken off."""
    turn = known.turn
    asked = turn.command_at is None or turn.command_at < turn.started_at
    return asked and turn.worked_at is not None and turn.interrupted_at is None


def in_agent(known: Known, book: Rulebook) -> bool:
    """Tell whether the foreground is an agent: the session's own, or one started in a shell."""
    return known.agent or foreground_agent(known, book) is not None


def foreground_agent(known: Known, book: Rulebook) -> Manifest | None:
    """Return the rules of the agent in the foreground, if it is one that there are rules for."""
    found = foreground_manifest(known, book)
    return found if found is not None and found.kind == "agent" else None


def _reports(known: Known) -> bool:
    """Tell whether some program tells its status, and none reads lines: such one asks by itself."""
    seen = known.foreground
    reads = seen is not None and seen.canonical and (seen.wait is Wait.READ or not seen.echo)
    return known.held(Source.STATUS) is not None and not reads


def foreground_manifest(known: Known, book: Rulebook) -> Manifest | None:
    """Return the rules for what is in the foreground now."""
    seen = known.foreground
    likely = seen is not None and known.likely == seen.command
    own = book.manifest(known.command)
    alone = not known.shell and own is not None and own.kind != "shell"
    if known.agent or alone or seen is None or (known.shell and seen.leader):
        return own or (book.named(ANY) if likely else None)
    named = (book.manifest(name) for name in seen.others)
    agent = next((found for found in named if found and found.kind == "agent"), None)
    here = book.manifest(seen.command) if known.shell else own
    return agent or here or (book.named(ANY) if likely else None)


def agent_questions(agent: Manifest, book: Rulebook) -> tuple[QuestionRule, ...]:
    """Return the rules for questions of an agent that is known to ask: its own, and those of all."""
    shared = book.named(ANY)
    return (*agent.question, *(shared.question if shared else ()))


def row_questions(book: Rulebook) -> tuple[QuestionRule, ...]:
    """Return the rules for questions of any program whose choices stand in one row."""
    shared = book.named("generic")
    return tuple(rule for rule in shared.question if rule.row) if shared else ()


def shell_rests(known: Known, book: Rulebook) -> bool:
    """Tell whether a shell's own prompt is what the screen shows."""
    return known.shell and at_prompt(known, book)


def _corrected(said: Corrected) -> Finding:
    """Return the state that the user has given, with full confidence."""
    evidence = Evidence(source=Source.USER, says=_SAYS[said.state], at=said.at, rule="you-said")
    return Finding(state=said.state, confidence=1.0, rule="you-said", because=(evidence,))


def _ended(known: Known, ended: Ended) -> Finding:
    state, rule = _exit_state(known, ended)
    told = exit_words(ended.code, ended.signal)
    text = f"exit {told}" if ended.signal is None else told
    says = Says.SUCCEEDED if ended.code == 0 else Says.FAILED
    exit_ = Evidence(source=Source.EXIT, says=says, at=ended.at, rule=rule, text=text)
    return Finding(state=state, confidence=1.0, rule=rule, because=(exit_,))


def _exit_state(known: Known, ended: Ended) -> tuple[State, str]:
    if ended.code == 0:
        return State.SUCCESS, "exit-0"
    if known.stopped:
        return State.UNKNOWN, "stopped-by-us"
    if ended.code == CTRL_C or known.turn.interrupted_by is Key.INTERRUPT:
        return State.UNKNOWN, BROKEN_OFF
    return State.FAILURE, "exit-code" if ended.signal is None else BY_SIGNAL
