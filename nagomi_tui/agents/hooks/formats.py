"""How agents keep hooks in files: groups in JSON, marked lines, files of their own, a status line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from nagomi_tui.agents.hooks import json_text, plan
from nagomi_tui.text.words import translatable


def groups_status(groups: plan.Groups, text: str) -> plan.Status:
    """Return whether the file holds the hooks, exactly as this version writes them."""
    top = _read(text)
    if top is None:
        return "absent"
    found = [(event, handler) for event, _, _, _, handler in _ours(top, groups.mark)]
    if not found:
        return "absent"
    wanted = {(event, json.dumps(handler)) for event, handler in groups.handlers.items()}
    there = [(event, json.dumps(json_text.plain(handler))) for event, handler in found]
    return "installed" if len(there) == len(wanted) and set(there) == wanted else "outdated"


def with_groups(groups: plan.Groups, text: str) -> tuple[str, list[json_text.Edit]]:
    """Return the text with our hooks appended to each event's list, and the edits that undo it."""
    top = _read(text)
    entries = {event: json.dumps({"hooks": [one]}) for event, one in groups.handlers.items()}
    if top is None:
        return json_text.apply(text, [json_text.Edit(0, len(text), _new_file(entries))])
    hooks = top.get("hooks")
    if hooks is None:
        (indent, unit), line = json_text.indentation(text, top), json_text.newline(text)
        lists = f",{line}".join(f'{indent}{unit}"{e}": [{v}]' for e, v in entries.items())
        block = f'"hooks": {{{line}{lists}{line}{indent}}}'
        return json_text.apply(text, [json_text.added(text, top, [block])])
    new = [f'"{event}": [{v}]' for event, v in entries.items() if hooks.get(event) is None]
    edits = [json_text.added(text, hooks, new)] if new else []
    there = ((hooks.get(event), entry) for event, entry in entries.items())
    edits += [_appended(text, node, entry) for node, entry in there if node is not None]
    return json_text.apply(text, edits)


def without_groups(text: str, mark: str) -> tuple[str, list[json_text.Edit]]:
    """Return the text without the hooks whose command holds `mark`, and the edits that undo it."""
    top = _read(text)
    if top is None or not any(_ours(top, mark)):
        return text, []
    hooks = top.get("hooks")
    assert hooks is not None and hooks.members is not None
    edits: list[json_text.Edit] = []
    emptied = []
    for number, (_, _, groups) in enumerate(hooks.members):
        inside, empty = _cleared(groups, mark)
        emptied += [number] if empty else []
        edits += [] if empty else inside
    if len(emptied) == len(hooks.members):
        names = [name for name, _, _ in top.members or ()]
        return json_text.apply(text, json_text.removed(top, [names.index("hooks")]))
    return json_text.apply(text, edits + json_text.removed(hooks, emptied))


def _cleared(groups: json_text.Node, mark: str) -> tuple[list[json_text.Edit], bool]:
    """Return the edits that remove our hooks from an event's list, and whether it gets empty."""
    edits: list[json_text.Edit] = []
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
            edits += json_text.removed(handlers, ours)
    return edits + json_text.removed(groups, emptied), bool(emptied) and len(emptied) == len(
        groups.parts
    )


def _ours(
    top: json_text.Node, mark: str
) -> Iterator[tuple[str, json_text.Node, json_text.Node, json_text.Node, json_text.Node]]:
    """Yield each hook of ours: its event, the event's list, the group, its handlers, the hook."""
    hooks = top.get("hooks")
    for event, _, groups in (hooks.members if hooks else None) or ():
        for group in groups.items or ():
            handlers = group.get("hooks")
            for handler in (handlers.items if handlers else None) or ():
                if handlers and _is_ours(handler, mark):
                    yield event, groups, group, handlers, handler


def _is_ours(handler: json_text.Node, mark: str) -> bool:
    words = [handler.get("command"), *((args.items or ()) if (args := handler.get("args")) else ())]
    return any(word and isinstance(word.value, str) and mark in word.value for word in words)


def _read(text: str) -> json_text.Node | None:
    """Return the file's JSON object; None if the file is empty.

    Raises:
        Unfit: the file is broken, or its `hooks` has another form.
    """
    if (top := plan.read_json(text)) is None:
        return None
    hooks = top.get("hooks")
    if top.members is None or (hooks and hooks.members is None):
        raise plan.Unfit(
            translatable("{path} does not hold hooks as expected. Nothing was changed.")
        )
    if any(groups.items is None for _, _, groups in (hooks.members if hooks else None) or ()):
        raise plan.Unfit(
            translatable("{path} does not hold hooks as expected. Nothing was changed.")
        )
    return top


def _new_file(entries: dict[str, str]) -> str:
    lines = ",\n".join(f'    "{event}": [{entry}]' for event, entry in entries.items())
    return f'{{\n  "hooks": {{\n{lines}\n  }}\n}}\n'


def _appended(text: str, groups: json_text.Node, entry: str) -> json_text.Edit:
    """Return the edit that appends a group to an event's list, in the list's layout of lines."""
    if not groups.parts:
        return json_text.Edit(groups.start + 1, groups.end - 1, entry)
    first, last = groups.parts[0][0], groups.parts[-1][1]
    if "\n" in text[groups.start : first]:
        return json_text.added(text, groups, [entry])
    return json_text.Edit(last, last, f", {entry}")


_BEGIN: Final = "# nagomi: these lines are its own; `nagomi hooks remove` takes them away\n"
_END: Final = "# nagomi: end\n"
_OURS: Final = re.compile(
    r"^# nagomi: these lines.*\n(?:.*\n)*?# nagomi: end(?:\n|\Z)", re.MULTILINE
)


def lines_status(lines: plan.Lines, text: str) -> plan.Status:
    """Return whether the file holds our lines, exactly as this version writes them.

    Raises:
        Unfit: the user has settings that do the same.
    """
    found = _OURS.search(text)
    _check(lines, _OURS.sub("", text))
    if found is None:
        return "absent"
    return "installed" if found[0] == _block(lines) else "outdated"


def with_lines(lines: plan.Lines, text: str) -> tuple[str, list[json_text.Edit]]:
    """Return the text with our lines at its end, and the edits that undo it.

    Raises:
        Unfit: the user has settings that do the same.
    """
    clean = without_lines(text)
    _check(lines, clean)
    ends = "" if not clean or clean.endswith("\n") else "\n"
    return json_text.apply(clean, [json_text.Edit(len(clean), len(clean), ends + _block(lines))])


def without_lines(text: str) -> str:
    return _OURS.sub("", text)


def _block(lines: plan.Lines) -> str:
    return f"{_BEGIN}{lines.text}{_END}"


def _check(lines: plan.Lines, text: str) -> None:
    if lines.taken and re.search(lines.taken, text, re.MULTILINE):
        raise plan.Unfit(
            translatable(
                "{path} names what is to be done at such a time already. Nothing was changed."
            )
        )


def own_file_status(file: plan.OwnFile, text: str) -> plan.Status:
    """Return whether the file is exactly as this version writes it; an empty one is "absent".

    Raises:
        Unfit: the file is not nagomi's.
    """
    if not text:
        return "absent"
    _check_own_file(text)
    return "installed" if text == file.text else "outdated"


def with_own_file(file: plan.OwnFile, text: str) -> tuple[str, list[json_text.Edit]]:
    """Return our file's text, and the edit that undoes the change.

    Raises:
        Unfit: there is a file already that is not nagomi's.
    """
    if text:
        _check_own_file(text)
    return file.text, [json_text.Edit(0, len(file.text), text)]


def without_own_file(text: str) -> str | None:
    """Return None: without our hooks there is no file.

    Raises:
        Unfit: the file is not nagomi's.
    """
    _check_own_file(text)
    return None


def _check_own_file(text: str) -> None:
    if plan.OURS not in text and plan.GUARD not in text:
        raise plan.Unfit(
            translatable("{path} is there already and is not of nagomi. Nothing was changed.")
        )


MARK: Final = "-m nagomi_tui guard statusline"
"""A status line whose command contains this is nagomi's, of any version and place."""


def status_line_status(line: plan.StatusLine, text: str) -> plan.Status:
    """Return whether the settings hold our status line; `foreign` if they hold another one."""
    top = _read_status_line(text)
    found = top.get(line.key) if top else None
    if found is None:
        return "absent"
    if not _is_our_status_line(found):
        return "outdated" if line.replaces else "foreign"
    return "installed" if json_text.plain(found) == line.entry else "outdated"


def with_line(line: plan.StatusLine, text: str) -> tuple[str, list[json_text.Edit]]:
    """Return the text with our status line in the place of any other, and the way back."""
    top, value = _read_status_line(text), json.dumps(line.entry, ensure_ascii=False)
    member = f'"{line.key}": {value}'
    if top is None:
        return json_text.apply(text, [json_text.Edit(0, len(text), f"{{\n  {member}\n}}\n")])
    found = top.get(line.key)
    if found is not None:
        return json_text.apply(text, [json_text.Edit(found.start, found.end, value)])
    return json_text.apply(text, [json_text.added(text, top, [member])])


def without_line(text: str, former: str) -> str:
    """Return the text without our status line.

    Args:
        text: the settings.
        former: the JSON of the status line that ours has replaced; blank if there was none.
    """
    top = _read_status_line(text)
    members = (top.members if top else None) or ()
    ours = [at for at, (_, _, value) in enumerate(members) if _is_our_status_line(value)]
    if top is None or not ours:
        return text
    if former.startswith("{"):
        return json_text.apply(
            text, [json_text.Edit(members[ours[0]][2].start, members[ours[0]][2].end, former)]
        )[0]
    return json_text.apply(text, json_text.removed(top, ours))[0]


def _is_our_status_line(value: json_text.Node) -> bool:
    command = value.get("command")
    return command is not None and isinstance(command.value, str) and MARK in command.value


def _read_status_line(text: str) -> json_text.Node | None:
    """Return the JSON object of the settings; None if the file is empty."""
    top = plan.read_json(text)
    if top is not None and top.members is None:
        raise plan.Unfit(plan.BROKEN, reason="{}")
    return top
