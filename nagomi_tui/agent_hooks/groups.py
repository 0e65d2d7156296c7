"""Hooks as JSON groups, as in Claude Code: an object `hooks` with a list of groups per event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nagomi_tui.agent_hooks.json_text import (
    Edit,
    Node,
    added,
    apply,
    indentation,
    newline,
    plain,
    removed,
)
from nagomi_tui.agent_hooks.plan import GUARD, OURS, Unfit, read_json
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nagomi_tui.agent_hooks.plan import Groups, Status


def status(agent: Groups, text: str) -> Status:
    """Return whether the file holds the hooks, exactly as this version writes them.

    Raises:
        Unfit: the file is broken.
    """
    top = _read(text)
    if top is None:
        return "absent"
    found = [(event, handler) for event, _, _, _, handler in _ours(top, _mark(agent))]
    if not found:
        return "absent"
    wanted = {(event, json.dumps(handler)) for event, handler in agent.handlers.items()}
    there = [(event, json.dumps(plain(handler))) for event, handler in found]
    return "installed" if len(there) == len(wanted) and set(there) == wanted else "outdated"


def with_hooks(agent: Groups, text: str) -> tuple[str, list[Edit]]:
    """Return the text with our hooks appended to each event's list, and the edits that undo it.

    Raises:
        Unfit: the file is broken.
    """
    top = _read(text)
    entries = {event: json.dumps({"hooks": [one]}) for event, one in agent.handlers.items()}
    if top is None:
        return apply(text, [Edit(0, len(text), _new_file(entries))])
    hooks = top.get("hooks")
    if hooks is None:
        (indent, unit), line = indentation(text, top), newline(text)
        lists = f",{line}".join(f'{indent}{unit}"{e}": [{v}]' for e, v in entries.items())
        block = f'"hooks": {{{line}{lists}{line}{indent}}}'
        return apply(text, [added(text, top, [block])])
    new = [f'"{event}": [{v}]' for event, v in entries.items() if hooks.get(event) is None]
    edits = [added(text, hooks, new)] if new else []
    there = ((hooks.get(event), entry) for event, entry in entries.items())
    edits += [_appended(text, node, entry) for node, entry in there if node is not None]
    return apply(text, edits)


def without_hooks(text: str, mark: str) -> tuple[str, list[Edit]]:
    """Return the text without the hooks whose command holds `mark`, and the edits that undo it.

    Raises:
        Unfit: the file is broken.
    """
    top = _read(text)
    if top is None or not any(_ours(top, mark)):
        return text, []
    hooks = top.get("hooks")
    assert hooks is not None and hooks.members is not None
    edits: list[Edit] = []
    emptied = []
    for number, (_, _, groups) in enumerate(hooks.members):
        inside, empty = _cleared(groups, mark)
        emptied += [number] if empty else []
        edits += [] if empty else inside
    if len(emptied) == len(hooks.members):
        names = [name for name, _, _ in top.members or ()]
        return apply(text, removed(top, [names.index("hooks")]))
    return apply(text, edits + removed(hooks, emptied))


def _cleared(groups: Node, mark: str) -> tuple[list[Edit], bool]:
    """Return the edits that remove our hooks from an event's list, and whether it gets empty."""
    edits: list[Edit] = []
    emptied = []
    for number, group in enumerate(groups.items or ()):
        handlers = group.get("hooks")
        items = (handlers.items if handlers else None) or ()
        ours = [at for at, handler in enumerate(items) if _is_ours(handler, mark)]
        if handlers is None or not ours:
            continue
        if len(ours) == len(items):
            emptied.append(number)
        else:
            edits += removed(handlers, ours)
    return edits + removed(groups, emptied), bool(emptied) and len(emptied) == len(groups.parts)


def _ours(top: Node, mark: str) -> Iterator[tuple[str, Node, Node, Node, Node]]:
    """Yield each hook of ours: its event, the event's list, the group, its handlers, the hook."""
    hooks = top.get("hooks")
    for event, _, groups in (hooks.members if hooks else None) or ():
        for group in groups.items or ():
            handlers = group.get("hooks")
            for handler in (handlers.items if handlers else None) or ():
                if handlers and _is_ours(handler, mark):
                    yield event, groups, group, handlers, handler


def _mark(hooks: Groups) -> str:
    return GUARD if hooks.form == "guard" else OURS


def _is_ours(handler: Node, mark: str) -> bool:
    words = [handler.get("command"), *((args.items or ()) if (args := handler.get("args")) else ())]
    return any(word and isinstance(word.value, str) and mark in word.value for word in words)


def _read(text: str) -> Node | None:
    """Return the file's JSON object; None if the file is empty.

    Raises:
        Unfit: the file is broken, or its `hooks` has another form.
    """
    if (top := read_json(text)) is None:
        return None
    hooks = top.get("hooks")
    if top.members is None or (hooks and hooks.members is None):
        raise Unfit(translatable("{path} does not hold hooks as expected. Nothing was changed."))
    if any(groups.items is None for _, _, groups in (hooks.members if hooks else None) or ()):
        raise Unfit(translatable("{path} does not hold hooks as expected. Nothing was changed."))
    return top


def _new_file(entries: dict[str, str]) -> str:
    lines = ",\n".join(f'    "{event}": [{entry}]' for event, entry in entries.items())
    return f'{{\n  "hooks": {{\n{lines}\n  }}\n}}\n'


def _appended(text: str, groups: Node, entry: str) -> Edit:
    """Return the edit that appends a group to an event's list, in the list's layout of lines."""
    if not groups.parts:
        return Edit(groups.start + 1, groups.end - 1, entry)
    first, last = groups.parts[0][0], groups.parts[-1][1]
    if "\n" in text[groups.start : first]:
        return added(text, groups, [entry])
    return Edit(last, last, f", {entry}")
