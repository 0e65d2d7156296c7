"""What a prompt does to the guard: phrases that approve or stop, and approval outside of it."""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.documents import Config, Mode, Protocol, State, Todo, Windows
from nagomi_tui.guard.decide.events import Decision, Prompt
from nagomi_tui.guard.decide.protocols import Template, begun, no_template
from nagomi_tui.guard.decide.todos import closed

Meaning = Literal["stop", "compact", "complete", "start", "create", "implement"]

_COMMANDS: Final = (
    "/mode", "/state", "/config", "/add-trigger", "/remove-trigger", "/sessions", "/nagomi",
)  # fmt: skip
_NOT_SAID: Final = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"
    r"|^\s*>[^\n]*"
    r"|\"[^\"]*(?:\"|\Z)|“[^”]*(?:”|\Z)|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|«[^»]*(?:»|\Z)"
    r"|(?<!\w)'[^'\n]*'(?!\w)|‘[^’\n]*’(?!\w)"
    r"|<[^<>\n]*>"
    r"|(?<!\S)\S*[/\\]\S*|(?<!\S)\S+@\S+|\b\w+(?:\.\w+)+",
    re.DOTALL | re.MULTILINE,
)
"""Parts in which phrases do not count: code, quoted lines and texts, tags, URLs, paths, names."""
_CLAUSE: Final = re.compile(r"[^.!?;,\n。！？、，]+[.!?;,\n。！？、，]?")
_BEFORE: Final = re.compile(
    r"\b(?:not|never|no|none|cannot|without|before|until|unless|if|when|once|after|wait|stop|avoid"
    r"|\w+n['’]t|dont|doesnt)\b",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\W*(?:not?\b|yet\b|later\b|tomorrow\b|means?\b|is\b|was\b|does\b|would\b|could\b|should\b|if\b|when\b"
    r"|after\b|once\b|before\b|until\b|unless\b|しな|する(?:な|と|か|前)|は|って|とは|まだ|じゃな|ではな)",
    re.IGNORECASE,
)
_EDGE: Final = r"\w@#$%&+=~_-"


def phrase_matches(phrase: str, text: str) -> bool:
    """Tell whether a text contains a phrase; case counts only if the phrase is in capitals."""
    if not phrase:
        return False
    return phrase in text if phrase.isupper() else phrase.casefold() in text.casefold()


def is_command(text: str) -> bool:
    """Tell whether a prompt is a command to the guard, in which phrases do not count."""
    return text.lstrip().startswith(_COMMANDS)


def meaning(text: str, config: Config) -> Meaning | None:
    """Return the strongest phrase's meaning, None without one; a stop counts anywhere (DB-7)."""
    phrases, strict = config.trigger_phrases, config.nagomi.strict_phrases
    if any(phrase_matches(phrase, text) for phrase in phrases.discussion_mode):
        return "stop"
    if is_command(text):
        return None
    ranked: tuple[tuple[Meaning, tuple[str, ...]], ...] = (
        ("compact", phrases.context_compaction),
        ("complete", phrases.task_completion),
        ("start", phrases.task_startup),
        ("create", phrases.task_creation),
        ("implement", phrases.implementation_mode),
    )
    if not config.features.task_detection:
        ranked = ranked[-1:]
    says = phrase_matches if strict else is_said
    return next((what for what, any_of in ranked if any(says(one, text) for one in any_of)), None)


def is_said(phrase: str, text: str) -> bool:
    """Tell whether a phrase is meant: whole, not quoted, not negated, and not in a question."""
    if not phrase.strip():
        return False
    flags = 0 if phrase.isupper() else re.IGNORECASE
    start = rf"(?<![{_EDGE}])" if _is_word(phrase[0]) else ""
    end = rf"(?![{_EDGE}])" if _is_word(phrase[-1]) else ""
    found = re.compile(start + re.escape(phrase.strip()) + end, flags)
    own = _NOT_SAID.sub(" … ", text)
    return any(_is_meant(clause, found) for clause in _CLAUSE.findall(own))


def _is_meant(clause: str, phrase: re.Pattern[str]) -> bool:
    if clause.endswith(("?", "？")):
        return False
    denied = _BEFORE.search(clause)
    end = denied.start() if denied else len(clause)
    said = (at for at in phrase.finditer(clause) if at.start() <= end)
    return any(not _AFTER.match(clause, at.end()) for at in said)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_PROTOCOLS: Final[dict[Meaning, Protocol]] = {
    "compact": Protocol.COMPACT,
    "complete": Protocol.COMPLETE,
    "start": Protocol.START,
    "create": Protocol.CREATE,
}


def on_prompt(
    prompt: Prompt, state: State, config: Config, template: Template = no_template
) -> Decision:
    """Return what a prompt does to the state, and what the agent is told beside it.

    `template` returns the text of a protocol that the prompt begins.
    """
    if not prompt.typed:
        return Decision(state=state)
    state, told = _followed(meaning(prompt.text, config), state, config, template)
    state, warned = _warned(prompt, state, config)
    loop = [texts.ITERLOOP] if "iterloop" in prompt.text.casefold() else []
    said = (*told, *warned, *loop)
    if config.features.auto_ultrathink and not is_command(prompt.text):
        first, *rest = said or ("",)
        said = (f"{texts.ULTRATHINK}{first}", *rest)
    return Decision(state=state, context=said)


def stopped(state: State) -> State:
    """Return the state after an emergency stop; stashed todos stay stashed (X-17)."""
    return msgspec.structs.replace(
        state,
        mode=Mode.DISCUSSION,
        active_protocol=None,
        flags=msgspec.structs.replace(state.flags, bypass_mode=False),
        api=Windows(),
        todos=state.todos.with_active(()),
    )


def _followed(
    meant: Meaning | None, state: State, config: Config, template: Template
) -> tuple[State, list[str]]:
    if meant is None:
        return state, []
    if meant == "stop":
        return stopped(state), [texts.EMERGENCY]
    if meant == "implement":
        if state.mode is Mode.IMPLEMENTATION:
            return state, []
        return _activated(state), [texts.ACTIVATED]
    new, told = begun(_PROTOCOLS[meant], state, config, template)
    return new, [told]


def _activated(state: State) -> State:
    """Return the state in implementation; a newer proposal replaces todos that were kept."""
    kept, proposed = state.todos, state.own.proposal
    if proposed and tuple(todo.content for todo in kept.active) != proposed:
        kept = kept.with_active(())
    new = msgspec.structs.replace(state, mode=Mode.IMPLEMENTATION, todos=kept)
    return closed(new.proposing(proposed))


def _warned(prompt: Prompt, state: State, config: Config) -> tuple[State, list[str]]:
    """Return the state and the warnings of a full context, each once per session (DC-9)."""
    if not prompt.tokens or not prompt.limit:
        return state, []
    percent = 100 * prompt.tokens / prompt.limit
    wished, flags = config.features.context_warnings, state.flags
    values = {"n": prompt.tokens, "m": prompt.limit, "p": percent}
    if percent >= 90 and wished.warn_90 and not flags.context_90:
        flags = msgspec.structs.replace(flags, context_90=True)
        text = texts.WARNED_90
    elif percent >= 85 and wished.warn_85 and not (flags.context_85 or flags.context_90):
        flags = msgspec.structs.replace(flags, context_85=True)
        text = texts.WARNED_85
    else:
        return state, []
    return msgspec.structs.replace(state, flags=flags), [text.format(**values)]


class NotOffered(ValueError):
    """The todos to approve are not among those that can be approved now."""


def offered(state: State) -> tuple[str, ...]:
    """Return the todos that can be approved: the agent's proposal, or else the stored todos."""
    return state.own.proposal or tuple(todo.content for todo in state.todos.active)


def approved(state: State, todos: tuple[str, ...]) -> State:
    """Return the state after approving these todos, which are all or some of those offered.

    Completed todos stay completed. If nothing is offered, the agent may then set its todos itself,
    as after a phrase in a prompt.

    Raises:
        NotOffered: a todo is not offered, or the order differs.
    """
    choice = offered(state)
    if not _is_part(todos, choice) or (choice and not todos):
        raise NotOffered
    known = {todo.content: todo for todo in state.todos.active}
    active = tuple(known.get(content) or Todo(content=content) for content in todos)
    new = msgspec.structs.replace(
        state, mode=Mode.IMPLEMENTATION, todos=state.todos.with_active(active)
    )
    return closed(new.proposing(todos))


def discussed(state: State) -> State:
    """Return the state after going back to discussion; todos are kept for the next approval."""
    flags = msgspec.structs.replace(state.flags, bypass_mode=False)
    return msgspec.structs.replace(state, mode=Mode.DISCUSSION, flags=flags)


def go_ahead(todos: tuple[str, ...], config: Config) -> str:
    """Return the text to type into the agent's prompt after an approval.

    The todos are in the agent's words, so they are put in backticks, where the guard ignores
    phrases. If a phrase would count all the same, the todos are left out.
    """
    if not todos:
        return _GO
    listed = "\n".join(f"{number}. {_on_one_line(todo)}" for number, todo in enumerate(todos, 1))
    text = f"{_GO_WITH}\n```\n{listed}\n```"
    return _GO if meaning(text, config) is not None else text


_GO = "The user has approved your todos. Set them exactly as they were approved, and begin."
_GO_WITH = "The user has approved these todos. Set exactly these, in this order, and begin:"


def _is_part(some: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Tell whether all of `some` are in `whole`, in the same order."""
    rest = iter(whole)
    return all(one in rest for one in some)


def _on_one_line(text: str) -> str:
    """Return a text on one line."""
    return "".join(char if char.isprintable() else " " for char in text)
