"""An agent's conversation by the agent's own id, and the command that goes on with just that one."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """What `claude --resume` and `codex resume` need to find a conversation again."""

    agent: str
    """`claude` or `codex`."""
    id: str
    """The agent's own id of it."""
    cwd: str = ""
    """Where the agent was when it told the id."""


class _Options(msgspec.Struct, frozen=True):
    """An agent's options, as its help of the version in the tests lists them."""

    resume: tuple[str, ...]
    """What stands behind the program's name to resume; the id follows at the end of it."""
    one: frozenset[str]
    """Options that take the next word."""
    many: frozenset[str]
    """Options that take every word up to the next option."""
    optional: frozenset[str]
    """Options that take the next word if it is no option."""
    dropped: frozenset[str]
    """Options that choose or feed a conversation, and go with their words."""
    elsewhere: frozenset[str]
    """Options and commands with which there is no conversation to go on with here."""


_AGENTS: Final = {
    "claude": _Options(
        resume=("--resume",),
        one=frozenset(
            [
                "--agent",
                "--agents",
                "--append-system-prompt",
                "--append-system-prompt-file",
                "--debug-file",
                "--effort",
                "--fallback-model",
                "--model",
                "-n",
                "--name",
                "--permission-mode",
                "--plugin-dir",
                "--plugin-url",
                "--remote-control-session-name-prefix",
                "--session-id",
                "--setting-sources",
                "--settings",
                "--system-prompt",
                "--system-prompt-file",
            ]
        ),
        many=frozenset(
            [
                "--add-dir",
                "--allowedTools",
                "--allowed-tools",
                "--betas",
                "--disallowedTools",
                "--disallowed-tools",
                "--file",
                "--mcp-config",
                "--tools",
            ]
        ),
        optional=frozenset(
            [
                "-d",
                "--debug",
                "--from-pr",
                "--prompt-suggestions",
                "--remote-control",
                "-r",
                "--resume",
            ]
        ),
        dropped=frozenset(
            [
                "-c",
                "--continue",
                "-r",
                "--resume",
                "--session-id",
                "--fork-session",
                "--from-pr",
                "--file",
            ]
        ),
        elsewhere=frozenset(
            ["-p", "--print", "--bg", "--background", "-w", "--worktree", "--tmux"]
        ),
    ),
    "codex": _Options(
        resume=("resume",),
        one=frozenset(
            [
                "-c",
                "--config",
                "--enable",
                "--disable",
                "--remote",
                "--remote-auth-token-env",
                "-m",
                "--model",
                "--local-provider",
                "-p",
                "--profile",
                "-s",
                "--sandbox",
                "-C",
                "--cd",
                "--add-dir",
                "-a",
                "--ask-for-approval",
            ]
        ),
        many=frozenset(["-i", "--image"]),
        optional=frozenset(),
        dropped=frozenset(["--last", "--all", "--include-non-interactive", "-i", "--image"]),
        elsewhere=frozenset(
            [
                "exec",
                "e",
                "review",
                "app-server",
                "cloud",
                "exec-server",
                "agents",
                "remote-control",
                "--worktree",
            ]
        ),
    ),
}
AGENTS: Final = frozenset(_AGENTS)

_WORD: Final = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""", re.DOTALL)
_QUOTED: Final = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_OPERATOR: Final = re.compile(r"[|&;<>()`\n]")


def heard(now: Conversation | None, agent: str, payload: Mapping[str, Any]) -> Conversation | None:
    """Return the conversation of a session after an event of its agent.

    One in which nothing was said yet cannot be resumed, so a start alone does not make one.
    """
    name, found = payload.get("hook_event_name"), payload.get("session_id")
    begins = payload.get("source") in ("startup", "clear")
    if agent not in AGENTS or not isinstance(found, str) or not _is_id(found):
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
    words = _WORD.findall(cmd)
    if conversation is None or not words or _OPERATOR.search(_QUOTED.sub("", cmd)):
        return None
    program = agent_of(cmd)
    if program != conversation.agent:
        return None
    options = _AGENTS[program]
    kept = []
    for option, values in _grouped(options, words[1:]):
        name = _plain(option).partition("=")[0]
        if name in options.elsewhere:
            return None
        if name.startswith("-") and name not in options.dropped:
            kept += [option, *values]
    if program == "codex":
        return " ".join([words[0], *options.resume, *kept, conversation.id])
    return " ".join([words[0], *options.resume, conversation.id, *kept])


def agent_of(cmd: str) -> str:
    """Return the agent that a command starts, or nothing."""
    first = _WORD.match(cmd.lstrip())
    program = _plain(first[0]).rpartition("/")[2] if first else ""
    return program if program in AGENTS else ""


def _grouped(options: _Options, words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each option with its words, and each other word alone, up to `--`."""
    at = 0
    while at < len(words) and words[at] != "--":
        name, at = _plain(words[at]), at + 1
        end = at + _count(options, name, [_plain(word) for word in words[at:]])
        yield words[at - 1], words[at:end]
        at = end


def _count(options: _Options, name: str, following: list[str]) -> int:
    """Return how many of the following words belong to the option."""
    if name in options.one:
        return 1
    free = next((i for i, w in enumerate(following) if w.startswith("-")), len(following))
    if name in options.many:
        return free
    if name in options.optional:
        return min(free, 1)
    return 0


def _plain(word: str) -> str:
    """Return the word as the shell would, without its quotes."""
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word


def _is_id(text: str) -> bool:
    """An id stands in a command later, so it must be nothing but an id."""
    return re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}", text) is not None
