"""The decision on a prompt, the only event that can begin implementation (D-8, D-30…D-35)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.events import Decision, Prompt
from nagomi_tui.guard.decide.phrases import Meaning, is_command, meaning
from nagomi_tui.guard.decide.protocol_texts import Template, no_template
from nagomi_tui.guard.decide.protocols import begun
from nagomi_tui.guard.decide.state import Mode, Protocol, State, Windows
from nagomi_tui.guard.decide.todos import closed

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config

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
        mode=Mode.NO,
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
        if state.mode is Mode.GO:
            return state, []
        return _activated(state), [texts.ACTIVATED]
    new, told = begun(_PROTOCOLS[meant], state, config, template)
    return new, [told]


def _activated(state: State) -> State:
    """Return the state in implementation; a newer proposal replaces todos that were kept."""
    kept, proposed = state.todos, state.own.proposal
    if proposed and tuple(todo.content for todo in kept.active) != proposed:
        kept = kept.with_active(())
    return closed(msgspec.structs.replace(state, mode=Mode.GO, todos=kept))


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
