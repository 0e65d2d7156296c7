"""An agent's conversation by the agent's own id, and the command that goes on with just that one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nagomi_tui.agents.agent import Resume
from nagomi_tui.agents.registry import AGENTS


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent needs to find a conversation again."""

    agent: str
    """The agent's name in the registry."""
    id: str
    """The agent's own id of it."""
    cwd: str = ""
    """Where the agent was when it told the id."""


WORD: Final = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""", re.DOTALL)
"""A word of a command line, with its quotes."""
_QUOTED: Final = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}")
"""An id stands in a command later, so it must be nothing but an id."""
_OPERATOR: Final = re.compile(r"[|&;<>()`\n]")


def heard(now: Conversation | None, agent: str, payload: Mapping[str, Any]) -> Conversation | None:
    """Return the conversation of a session after an event of its agent.

    One in which nothing was said yet cannot be resumed, so a start alone does not make one.
    """
    name, found = payload.get("hook_event_name"), payload.get("session_id")
    begins = payload.get("source") in ("startup", "clear")
    if _resume(agent) is None or not isinstance(found, str) or not _ID.fullmatch(found):
        return now
    if payload.get("agent_id") or (now and now.agent == agent and now.id == found):
        return now
    if name == "SessionStart" and begins:
        return None
    if name == "SessionEnd":
        return now
    cwd = payload.get("cwd")
    return Conversation(agent=agent, id=found, cwd=cwd if isinstance(cwd, str) else "")


def resuming(cmd: str, conversation: Conversation | None) -> str | None:
    """Return the command that goes on with the conversation, or None where `cmd` cannot.

    Options stay as they were typed; the prompt that began the conversation is not said again.
    """
    words = WORD.findall(cmd)
    if conversation is None or not words or _OPERATOR.search(_QUOTED.sub("", cmd)):
        return None
    resume = _resume(conversation.agent)
    if resume is None or agent_of(cmd) != conversation.agent:
        return None
    kept = []
    for option, values in _grouped(resume, words[1:]):
        name = as_typed(option).partition("=")[0]
        if name in resume.elsewhere:
            return None
        if name.startswith("-") and name not in resume.dropped:
            kept += [option, *values]
    behind = [*kept, conversation.id] if resume.id_last else [conversation.id, *kept]
    return " ".join([words[0], *resume.words, *behind])


def agent_of(cmd: str) -> str:
    """Return the agent that a command starts, or nothing."""
    first = WORD.match(cmd.lstrip())
    program = as_typed(first[0]).rpartition("/")[2] if first else ""
    return program if program in AGENTS else ""


def _resume(agent: str) -> Resume | None:
    """Return how this agent resumes a conversation, or None if that is not known."""
    known = AGENTS.get(agent)
    return known.resume if known else None


def _grouped(resume: Resume, words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each option with its words, and each other word alone, up to `--`."""
    at = 0
    while at < len(words) and words[at] != "--":
        name, at = as_typed(words[at]), at + 1
        end = at + _count(resume, name, [as_typed(word) for word in words[at:]])
        yield words[at - 1], words[at:end]
        at = end


def _count(resume: Resume, name: str, following: list[str]) -> int:
    """Return how many of the following words belong to the option."""
    if name in resume.one:
        return 1
    free = next((i for i, w in enumerate(following) if w.startswith("-")), len(following))
    if name in resume.many:
        return free
    if name in resume.optional:
        return min(free, 1)
    return 0


def as_typed(word: str) -> str:
    """Return the word as the shell would, without its quotes."""
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word
