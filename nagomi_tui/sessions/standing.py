"""How a session stands, and the words and face for it, said once for all who tell of sessions."""

from __future__ import annotations

from collections.abc import Callable
from signal import Signals
from typing import Final

from nagomi_tui.sessions.session import Condition, Session, translatable

_KILLS: Final = frozenset(
    {"SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV", "SIGSYS", "SIGTERM", "SIGTRAP"}
)
"""Signals that end a command which did not ask for it; other codes above 128 are a program's own."""


HAS_ENDED: Final = translatable("It has ended.")


def signal_name(number: int) -> str:
    """Return a signal's name, such as SIGSEGV; its number where this system has none for it."""
    try:
        return Signals(number).name
    except ValueError:
        return f"signal {number}"


def exit_words(code: int | None, signal: int | None) -> str:
    """Return what ended a command: the signal's name, or its exit code, as "SIGSEGV", "2".

    A shell tells of a signal by 128 and its number: 139 is "139, SIGSEGV".
    """
    if signal is not None:
        return signal_name(signal)
    name = signal_name((code or 0) - 128)
    return f"{code}, {name}" if name in _KILLS else str(code)


def badge_words(session: Session, say: Callable[..., str]) -> str:
    """Return the word for how a session stands, and behind "failed" what its command ended with."""
    word = say(session.condition.word)
    if session.condition is not Condition.ENDED_EARLY:
        return word
    return f"{word} ({exit_words(session.exit_code, session.signal)})"


WAS_STOPPED: Final = translatable("It was stopped.")
HAS_FAILED: Final = translatable("It failed ({code}).")


def ending(session: Session, say: Callable[..., str]) -> str:
    """Return a plain sentence on how a session ended (N-139), or "" if there is none."""
    match session.condition:
        case Condition.LOST:
            return say(translatable("The worker stopped, and this session with it."))
        case Condition.AWAY:
            away = translatable("{worker} cannot be reached; it runs on there.")
            return say(away, worker=session.worker_id)
        case Condition.SAVED:
            return say(
                translatable("It does not run since nagomi or the machine was started anew.")
            )
        case Condition.ENDED_WELL:
            return say(HAS_ENDED)
        case Condition.STOPPED:
            return say(WAS_STOPPED)
        case Condition.ENDED_EARLY:
            told = exit_words(session.exit_code, session.signal)
            return say(HAS_FAILED, code=told)
        case _:
            return ""


def needs_user(session: Session) -> bool:
    """Return whether a session waits for more than to be seen: it asks, or has failed."""
    return session.waits and session.condition.needs_user


def is_unseen(session: Session) -> bool:
    """Return whether its user has not looked at a session since it was done, or has failed."""
    return session.waits and session.condition is not Condition.ATTENTION


def changes_of(session: Session) -> list[str]:
    """Return what has changed in a session's worktree, the most telling first; nothing without one."""
    tree, told = session.worktree, list[str]()
    if tree is None:
        return told
    if tree.files:
        told.append(f"+{tree.added} −{tree.removed}")
    if tree.meets:
        told.insert(0, "⚠")
    if tree.ahead or tree.behind:
        told.append(
            " ".join(
                f"{sign}{count}" for sign, count in (("↑", tree.ahead), ("↓", tree.behind)) if count
            )
        )
    if (request := tree.request) is not None:
        sign = _REQUEST_SIGNS.get(request.state) or _REQUEST_SIGNS.get(request.checks, "")
        told.append(f"#{request.number}{sign}{'⚠' if request.conflicts else ''}")
    return [*told, *(f":{port}" for port in tree.ports.values())]


_REQUEST_SIGNS: Final = {
    "merged": "⇒", "closed": "⊘", "draft": "~", "passed": "✓", "failed": "✗", "running": "…",
}  # fmt: skip
"""What stands behind the number of a pull request: how it has ended, else how its checks stand."""
