"""Decides before a tool runs whether it may, and which files it may never touch.

It only looks at the text. A program that puts a path together by itself is not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.agents.registry import GUARDED
from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import Config, Mode, State
from nagomi_tui.guard.decide.events import Classify, Decision, ToolUse
from nagomi_tui.guard.decide.own_commands import OWN_TOOLS, passes, todo_command
from nagomi_tui.guard.decide.readers import READERS, SUBAGENTS
from nagomi_tui.guard.decide.todos import UNREADABLE, changed_by, proposed_otherwise
from nagomi_tui.shell.words import named

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.branches import CheckoutOf

_PROTECTED: Final = (
    ".git/hooks", ".git/config",
    *(name for agent in GUARDED.values() for name in agent.protected),
)  # fmt: skip
_NAMES: Final = (
    "sessions-state",
    "sessions-config",
    *_PROTECTED,
    *(name for agent in GUARDED.values() for name in agent.at_home),
)
_ELSEWHERE: Final = re.compile(r"\.seal\b|nagomi/guard\b|\.config/nagomi\b")
"""Where the user's settings are, and the seals of states, below the user's home."""
_FILES: Final = tuple(
    name.split("/")
    for name in (
        "sessions/sessions-state.json",
        "sessions/sessions-config.json",
        "sessions/sessions-state.lock",
        *_PROTECTED,
    )
)
_FOLDERS: Final = frozenset(parts[0] for parts in _FILES)
_MOVES: Final = named(
    "rm mv cd pushd rmdir ln chmod chown shred truncate unlink trash cp rsync install find"
)
_GIT_MOVES: Final = named("checkout restore clean mv")
_BEFORE: Final = re.compile(r"\w+=.*|sudo|env|command|builtin|exec|nohup|time|then|do|else|!|\{")
_EXPANDED: Final = re.compile(r"\$\([^()]*\)|`[^`]*`|\$\{[^{}]*\}|\$\w+|\{[^{}]*\}")


def own_file(given: str) -> str:
    """Return which of the guard's own files, or of their folders, a text names; empty if none."""
    bare = _bare(given)
    return switched(given) or next(_matched(bare), "") or next(_moved(bare), "")


def switched(given: str) -> str:
    """Return which file that switches the guard a text names, or its folder; empty if none.

    The folder `.git` and patterns in it are left out, as searches name them to pass it by.
    """
    bare = _bare(given)
    found = next((name for name in _NAMES if name in bare), "")
    if not found and (match := _ELSEWHERE.search(bare)):
        found = match[0]
    others = (name for name in (*_matched(bare), *_moved(bare)) if ".git" not in name.split("/"))
    return found or next(others, "")


def _bare(given: str) -> str:
    return re.sub(r"/(?:\./|/)+", "/", re.sub(r"['\"\\]", "", given.casefold()))


def _matched(bare: str) -> Iterator[str]:
    """Yield files that a pattern matches, if it says at least a part of their folder's name."""
    for word in re.split(r"[\s;&|()<>=]+", _EXPANDED.sub("*", bare)):
        if not re.search(r"[*?\[]", word):
            continue
        parts = word.split("/")
        for file in _FILES:
            for at in range(len(parts) - len(file) + 1):
                tried = parts[at : at + len(file)]
                if tried[0].strip("*?") and all(map(fnmatchcase, file, tried)):
                    yield "/".join(file)


def _moved(bare: str) -> Iterator[str]:
    """Yield folders of the guard's files that are entered, moved or written into as a whole."""
    for command in re.split(r"[;&|\n()]+", bare):
        words = command.split()
        while words and _BEFORE.fullmatch(words[0]):
            words.pop(0)
        head = words[0].rpartition("/")[2] if words else ""
        if head in _MOVES or head == "git" and not _GIT_MOVES.isdisjoint(words):
            yield from filter(_is_folder, words[1:])


def _is_folder(word: str) -> bool:
    path = word.removeprefix("./").rstrip("/")
    last = path.rpartition("/")[2]
    return last in _FOLDERS and (last == path or last[0] == "." or path[0] in "/~$")


_SAYING: Final = frozenset(["CronCreate", "RemoteTrigger", "ScheduleWakeup", "SendMessage"])
"""Tools whose input later becomes a prompt, to this agent or another one."""
_CLEAR: Final = re.compile(r"(?:sessions(?:/bin/sessions)?|nagomi guard) todos clear")


def before_tool(
    use: ToolUse,
    state: State,
    config: Config,
    classify: Classify,
    *,
    bypassed: bool = False,
    checkout_of: CheckoutOf | None = None,
    runs: Classify | None = None,
) -> Decision:
    """Return whether a tool may run, and if not, why.

    Args:
        bypassed: whether this is a continuous integration (D-29); the guard's own files are
            protected there, too.
        checkout_of: tells which branch a file is on; None where branches do not matter.
        runs: the classifier in discussion while the kernel holds the project; None where it does not.
    """
    clears = _CLEAR.fullmatch(use.command.strip()) is not None
    open_window = state.api.todos_clear
    state = _window_closed(state)
    if reason := _protected(use, classify):
        return Decision(state=state, denied=reason)
    if bypassed or state.flags.bypass_mode:
        return Decision(state=state)
    if use.agent_id and todo_command(use.command)[:1] in (("set",), ("start",), ("done",)):
        return Decision(state=state, denied=texts.SUBAGENT_TODOS)
    if clears:
        return _cleared(state, allowed=open_window)
    if use.tool in SUBAGENTS and use.input.get("isolation") and state.mode is Mode.DISCUSSION:
        return Decision(state=state, denied=texts.ISOLATED)
    if phrase := _carried(use, config):
        return Decision(state=state, denied=texts.SCHEDULED.format(tool=use.tool, phrase=phrase))
    if state.mode is Mode.DISCUSSION:
        return Decision(state=state, denied=_denied_in_discussion(use, config, runs or classify))
    done = _in_implementation(use, state, config, classify)
    if done.denied or checkout_of is None or not use.targets:
        return done
    from nagomi_tui.guard.decide.branches import edits_elsewhere

    return edits_elsewhere(use, done, config, checkout_of)


def _carried(use: ToolUse, config: Config) -> str:
    """Return a phrase that a tool would send to an agent as the user's; else empty (DB-6)."""
    if use.tool not in _SAYING:
        return ""
    from nagomi_tui.guard.decide.prompt import phrase_matches

    phrases = config.trigger_phrases
    elevating = (
        *phrases.implementation_mode,
        *phrases.task_creation,
        *phrases.task_startup,
        *phrases.task_completion,
        *phrases.context_compaction,
    )
    given = str(use.input)
    return next((one for one in elevating if phrase_matches(one, given)), "")


def _window_closed(state: State) -> State:
    """Withdraw the permission to clear todos, which any tool ends before it runs (D-59, DB-11)."""
    if not state.api.todos_clear:
        return state
    api = msgspec.structs.replace(state.api, todos_clear=False)
    return msgspec.structs.replace(state, api=api)


def _cleared(state: State, *, allowed: bool) -> Decision:
    """Clear the todos; that ends their approval, so that the agent cannot set others instead."""
    if not allowed:
        return Decision(state=state, denied=texts.NOT_CLEARED)
    new = msgspec.structs.replace(
        state, mode=Mode.DISCUSSION, active_protocol=None, todos=state.todos.with_active(())
    )
    return Decision(state=new, context=(texts.DISCUSS,))


def _protected(use: ToolUse, classify: Classify) -> str:
    """Return why a tool may not write the guard's files; empty if it does not (DC-21, DB-16).

    A command that is told to read, and names what switches the guard, has to be a plain one, too:
    there a fault in telling would cost most.
    """
    for target in use.targets:
        if target.place == "protected":
            return _security(target.relative or target.path)
    if use.targets or use.tool in READERS or _is_own(use):
        return ""
    named = own_file(use.command or str(use.input)) or use.within
    if not named:
        return ""
    if not use.command or classify(use.command).verdict != "read":
        return _security(named)
    switch = switched(use.command) or use.within
    if switch:
        from nagomi_tui.shell.classifier import plainly_reads

        if not plainly_reads(use.command):
            return texts.GUARD_READ_PLAINLY.format(path=switch)
    return ""


def _is_own(use: ToolUse) -> bool:
    return use.tool in OWN_TOOLS or passes(use.command)


def _security(name: str) -> str:
    if "sessions-state" in name:
        return texts.STATE_PROTECTED
    return texts.GUARD_PROTECTED.format(path=name)


def _denied_in_discussion(use: ToolUse, config: Config, classify: Classify) -> str:
    blocked = config.blocked_actions
    if use.tool not in blocked.implementation_only_tools:
        if _is_own(use):
            return ""
        if use.command:
            judged = classify(use.command)
            return "" if judged.verdict == "read" else _shell_blocked(judged.reason)
        if use.tool in READERS or use.tool in config.nagomi.read_tools:
            return ""
    if _is_allowed_path(use, blocked.discussion_allowed_paths):
        return ""
    return texts.TOOL_BLOCKED.format(tool=use.tool)


def _is_allowed_path(use: ToolUse, allowed: tuple[str, ...]) -> bool:
    """Tell whether a tool writes only files that are writable in discussion (DB-30).

    A client's plan is: its plan mode is a discussion.
    """
    folders = [one.strip("/").removeprefix("./") for one in allowed]
    return bool(use.targets) and all(
        target.place == "plan"
        or (
            target.place == "inside"
            and any(
                target.relative == one or target.relative.startswith(f"{one}/") for one in folders
            )
        )
        for target in use.targets
    )


def _shell_blocked(reason: str) -> str:
    return f"{texts.SHELL_BLOCKED}\nReason: {reason}\n{texts.ALLOWED_COMMANDS}"


def _in_implementation(use: ToolUse, state: State, config: Config, classify: Classify) -> Decision:
    after = changed_by(use, state)
    if after is not None:
        return _approval_withdrawn(state, after, config)
    if not use.agent_id and (differs := proposed_otherwise(use, state)):
        return Decision(state=state, context=(differs,), notices=(differs,))
    if config.nagomi.todos_required and not _has_open(state) and _writes(use, config, classify):
        return Decision(state=state, denied=texts.NO_TODOS.format(tool=use.tool))
    return Decision(state=state)


def _approval_withdrawn(state: State, after: tuple[str, ...], config: Config) -> Decision:
    """Withdraw the approval of an agent that changes its todos, and take the change as its proposal.

    (D-25…D-28)
    """
    before = tuple(todo.content for todo in state.todos.active)
    phrase = next(iter(config.trigger_phrases.implementation_mode), "yert")
    proposed = () if after == UNREADABLE else after
    new = msgspec.structs.replace(state, mode=Mode.DISCUSSION, todos=state.todos.with_active(()))
    new = new.proposing(proposed, recorded=bool(proposed))
    return Decision(state=new, denied=texts.shame(before, after, phrase))


def _has_open(state: State) -> bool:
    return any(todo.status != "completed" for todo in state.todos.active)


def _writes(use: ToolUse, config: Config, classify: Classify) -> bool:
    if use.tool in config.blocked_actions.implementation_only_tools:
        return True
    if _is_own(use):
        return False
    if use.command:
        return classify(use.command).verdict == "write"
    return use.tool not in READERS and use.tool not in config.nagomi.read_tools
