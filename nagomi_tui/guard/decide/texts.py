"""The guard's texts for agents, word for word as in its specification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nagomi_tui.guard.decide.documents import Todo

TOOL_BLOCKED: Final = (
    "[DAIC: Tool Blocked] You're in discussion mode. The {tool} tool is not allowed. "
    "You need to seek alignment first."
)
NO_TODOS: Final = (
    "[DAIC: Tool Blocked] There are no approved todos that are open. The {tool} tool is not allowed "
    "until the approved todos are set."
)
SHELL_BLOCKED: Final = (
    "[DAIC] Blocked write-like Bash command in Discussion mode. "
    "Only the user can activate implementation mode. "
    "Explain what you want to do and seek alignment and approval first."
)
ALLOWED_COMMANDS: Final = (
    "The user can view allowed commands with: nagomi guard config read list; add one with: "
    "nagomi guard config read add <pattern>; remove one with: nagomi guard config read remove <pattern>"
)
STATE_PROTECTED: Final = (
    "[Security] Direct modification of sessions-state.json is not allowed. This file should only be "
    "modified through the TodoWrite tool and approved commands."
)
GUARD_PROTECTED: Final = (
    "[Security] Direct modification of {path} is not allowed. It belongs to the guard, and only the "
    "user changes it."
)
GUARD_READ_PLAINLY: Final = (
    "[Security] {path} belongs to the guard. To look at it, use a plain command such as `cat`, `ls` or "
    "`grep` with its path in full, without variables, substitutions or patterns."
)
ACTIVATED: Final = """\
[DAIC: Implementation Mode Activated]
CRITICAL RULES:
- Convert your proposed todos to TodoWrite EXACTLY as written
- Do NOT add new todos - only implement approved items
- Do NOT remove todos - complete them or return to discussion
- Check off each todo as you complete it
- If you discover you need to change your approach, return to discussion mode using the API command
- Todo list defines your execution boundary
- When all todos are complete, you'll auto-return to discussion"""
EMERGENCY: Final = (
    "[DAIC: EMERGENCY STOP] All tools locked. You are now in discussion mode. "
    "Re-align with your pair programmer."
)
ULTRATHINK: Final = "[[ ultrathink ]]\n\n"
WARNED_90: Final = (
    "[90% WARNING] {n:,}/{m:,} tokens used ({p:.1f}%). CRITICAL: Run "
    "sessions/protocols/task-completion.md to wrap up this task cleanly!"
)
WARNED_85: Final = (
    "[Warning] Context window is {p:.1f}% full ({n:,}/{m:,} tokens). The danger zone is >90%. You "
    "will receive another warning when you reach 90% - don't panic but gently guide towards context "
    "compaction or task completion."
)
COMPLETE: Final = "[DAIC: Todos Complete] All todos completed."
DISCUSS: Final = (
    "You have returned to discussion mode. You may now discuss next steps with the user."
)
RESTORED: Final = """\
Your previous {n} todos have been restored:
{todos}
If these todos are no longer relevant, you should clear them using: nagomi guard todos clear
Note: You can only use this command immediately - it will be disabled after any other tool use."""
KEPT: Final = """\
[DAIC] These todos were put aside in an earlier session. They are restored, and need the user's approval:
{todos}"""
NOT_CLEARED: Final = (
    "[DAIC: Tool Blocked] The todos can be cleared only immediately after earlier ones were restored. "
    "To end the work at them, return to discussion: nagomi guard mode discussion"
)
PROPOSED: Final = """\
[DAIC: Proposal Recorded] {n} todos are proposed, and none is approved yet:
{todos}
The user approves them by saying: "{phrase}"
"""
NONE_APPROVED: Final = (
    "[DAIC] There are no approved todos. In discussion `nagomi todos set` records a proposal; once the "
    "user has approved, it sets the todos."
)
NO_SUCH_TODO: Final = "[DAIC] There is no todo {n}; they are numbered from 1 to {m}."
EMPTY_TODO: Final = '[DAIC] A todo needs words. The form is: nagomi todos set "first" "second"'
TOO_MANY_TODOS: Final = (
    "[DAIC] At most {most} todos of {longest:,} characters each are taken. Nothing was changed."
)
SAME_TODO: Final = "[DAIC] Two todos have the same words. Nothing was changed."
SUBAGENT_TODOS: Final = (
    "[DAIC: Tool Blocked] The approved todos belong to the agent that the user talks with; a subagent "
    "reports to it, and does not change them."
)
RITUAL: Final = "[SHAME RITUAL]"
"""What the message of an agent says that had changed approved todos."""
REMINDER: Final = "[Reminder] You're in implementation mode without approved todos."
ITERLOOP: Final = (
    "ITERLOOP: the user wants to go through the items one by one. Present one item, wait for the "
    "user's answer, and continue with the next only on the user's word."
)
SURROUNDINGS: Final = (
    "The user is {developer_name}; the machine runs {os}, with {shell} as its shell."
)
"""Told to a new session where the settings name them."""
MODE_IS: Final = "[nagomi guard] This project is in {mode} mode now."
NOT_TYPED: Final = (
    "[nagomi guard] The phrase in this prompt does not count, because {why}. "
    "Say it in a client that you have started in a terminal, or approve in nagomi."
)
FAILED: Final = (
    "[nagomi guard] Nothing could be decided, so no tool may run: {why}. "
    "Only the user can mend this; tell the user."
)
BUSY: Final = (
    "[nagomi guard] Nothing could be decided, so no tool may run: {why}. "
    "Try it again; if it stays so, tell the user."
)
FAILED_ELSEWHERE: Final = (
    "[nagomi guard] {event} could not be handled, and nothing was approved: {why}."
)
ISOLATED: Final = (
    "[DAIC: Tool Blocked] You're in discussion mode. A subagent in a worktree of its own makes a branch "
    "and a folder, and git's hooks run; start it without `isolation`."
)
SCHEDULED: Final = (
    '[Security] {tool} may not carry "{phrase}". Only the user says it, and not through a tool.'
)

_SHAME: Final = """\
[DAIC: Todo Change Blocked]
You attempted to modify the agreed-upon todo list without user approval.

ORIGINAL TODOS ({n} items):
{before}

PROPOSED TODOS ({m} items):
{after}

The original todos have been cleared and you have been returned to discussion mode.

YOUR NEXT MESSAGE MUST use this exact format:
---
[SHAME RITUAL]
I made a boo boo. I just tried to change the plan.

The todos you approved were:
{before}

I tried to change them by [adding/removing/modifying] them:
[Show the changes - use + for added items, - for removed items, -> for modifications]

This [seems fine/is unimportant | was a violation of the execution boundary].

If you approve of the change, you can let me cook by saying: "{phrase}"
Or, feel free to yell at me or redirect me like I'm a 5 year old child.
---"""


def shame(before: Sequence[str], after: Sequence[str], phrase: str) -> str:
    """Return the text for an agent that changed approved todos (DC-19)."""
    values = {"n": len(before), "m": len(after), "phrase": phrase}
    return _SHAME.format(**values, before=numbered(before), after=numbered(after))


def boxes(todos: Sequence[Todo]) -> str:
    """Return todos as a list of boxes to be ticked."""
    return "\n".join(f"□ {todo.content}" for todo in todos)


def numbered(lines: Sequence[str]) -> str:
    """Return the lines as a numbered list."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def protocol_todos(lines: Sequence[str]) -> str:
    """Return a protocol's todos, in the form in which the agent must adopt them (DC-16)."""
    head = "## Protocol Todos\n<!-- Use TodoWrite to add these todos exactly as written -->\n"
    return head + "\n".join(f"□ {line}" for line in lines)
