"""How agents keep hooks in files: groups in JSON, marked lines, files of their own, a status line.

Each form is a class with what is put into a file; what takes it out again needs only the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple, Protocol

from nagomi_tui.agents.hooks import json_text
from nagomi_tui.text.words import translatable

OURS: Final = "$NAGOMI_EVENT"
"""A hook whose command contains this is nagomi's, of any version."""
GUARD: Final = "nagomi-guard"
"""A hook with this in its command or arguments is the guard's, of any version."""

Status = Literal["installed", "outdated", "absent", "foreign"]
"""`foreign`: something else is there under our name, and stays."""


class Unfit(ValueError):
    """A file cannot take our hooks; `sentence` is for the user, with `{path}` to fill in.

    Whatever reads such a file raises it where the file is broken or cannot be read; docstrings name
    it only for other reasons.
    """

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence.format(path="it", **values))
        self.sentence = sentence
        self.values = values


BROKEN: Final = translatable("{path} is broken ({reason}); correct it first. Nothing was changed.")
_OTHER_FORM: Final = translatable("{path} does not hold hooks as expected. Nothing was changed.")


class Content(Protocol):
    """What is put into a file, in one of the forms."""

    @property
    def form(self) -> str:
        """The form's name, by which a note on the file tells how it is taken out."""

    def status(self, text: str) -> Status:
        """Return whether the file holds it, exactly as this version writes it."""

    def put_into(self, text: str) -> tuple[str, list[json_text.Edit]]:
        """Return the file's text with it, and the edits that undo that."""


def read_json(text: str) -> json_text.Node | None:
    """Return the JSON of a file; None if the file is empty."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    try:
        return json_text.parse(text)
    except json_text.BadText as exc:
        raise Unfit(BROKEN, reason=exc) from exc


# --- hooks in groups


class Groups(NamedTuple):
    """Hooks in JSON groups."""

    handlers: dict[str, dict[str, Any]]
    """The hook of each event, by the event's name."""
    mark: str = OURS
    """What their commands contain."""

    @property
    def form(self) -> str:
        return "guard" if self.mark == GUARD else "groups"

    def status(self, text: str) -> Status:
        top = _read_groups(text)
        found = [(event, handler) for event, handler in _ours(top, self.mark)] if top else []
        if not found:
            return "absent"
        wanted = {(event, json.dumps(handler)) for event, handler in self.handlers.items()}
        there = [(event, json.dumps(json_text.plain(handler))) for event, handler in found]
        return "installed" if len(there) == len(wanted) and set(there) == wanted else "outdated"

    def put_into(self, text: str) -> tuple[str, list[json_text.Edit]]:
        """Append our hooks to each event's list."""
        top = _read_groups(text)
        entries = {event: json.dumps({"hooks": [one]}) for event, one in self.handlers.items()}
        members = {event: f'"{event}": [{entry}]' for event, entry in entries.items()}
        hooks = top.get("hooks") if top else None
        if hooks is None:
            return json_text.with_object(text, top, "hooks", [*members.values()])
        new = [member for event, member in members.items() if hooks.get(event) is None]
        edits = [json_text.added(text, hooks, new)] if new else []
        there = ((hooks.get(event), entry) for event, entry in entries.items())
        edits += [_appended(text, node, entry) for node, entry in there if node is not None]
        return json_text.apply(text, edits)


def without_groups(text: str, mark: str) -> str:
    """Return the text without the hooks whose command holds `mark`."""
    top = _read_groups(text)
    if top is None or not any(_ours(top, mark)):
        return text
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
        return json_text.apply(text, json_text.removed(top, [names.index("hooks")]))[0]
    return json_text.apply(text, edits + json_text.removed(hooks, emptied))[0]


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


def _ours(top: json_text.Node, mark: str) -> Iterator[tuple[str, json_text.Node]]:
    """Yield each hook of ours with its event."""
    hooks = top.get("hooks")
    for event, _, groups in (hooks.members if hooks else None) or ():
        for group in groups.items or ():
            handlers = group.get("hooks")
            for handler in (handlers.items if handlers else None) or ():
                if _is_ours(handler, mark):
                    yield event, handler


def _is_ours(handler: json_text.Node, mark: str) -> bool:
    words = [handler.get("command"), *((args.items or ()) if (args := handler.get("args")) else ())]
    return any(word and isinstance(word.value, str) and mark in word.value for word in words)


def _read_groups(text: str) -> json_text.Node | None:
    """Return the file's JSON object; None if the file is empty."""
    if (top := read_json(text)) is None:
        return None
    hooks = top.get("hooks")
    events = (hooks.members if hooks else ()) if top.members is not None else None
    if events is None or any(groups.items is None for _, _, groups in events):
        raise Unfit(_OTHER_FORM)
    return top


def _appended(text: str, groups: json_text.Node, entry: str) -> json_text.Edit:
    """Return the edit that appends a group to an event's list, in the list's layout of lines."""
    if not groups.parts:
        return json_text.Edit(groups.start + 1, groups.end - 1, entry)
    first, last = groups.parts[0][0], groups.parts[-1][1]
    if "\n" in text[groups.start : first]:
        return json_text.added(text, groups, [entry])
    return json_text.Edit(last, last, f", {entry}")


# --- lines of our own

_BEGIN: Final = "# nagomi: these lines are its own; `nagomi hooks remove` takes them away\n"
_END: Final = "# nagomi: end\n"
_OURS: Final = re.compile(
    r"^# nagomi: these lines.*\n(?:.*\n)*?# nagomi: end(?:\n|\Z)", re.MULTILINE
)


class Lines(NamedTuple):
    """Lines among the agent's own."""

    text: str
    taken: str
    """A pattern of what does the same already; may be empty."""

    @property
    def form(self) -> str:
        return "lines"

    def status(self, text: str) -> Status:
        found = _OURS.search(text)
        self._check(without_lines(text))
        if found is None:
            return "absent"
        return "installed" if found[0] == self._block else "outdated"

    def put_into(self, text: str) -> tuple[str, list[json_text.Edit]]:
        """Put our lines to the file's end."""
        clean = without_lines(text)
        self._check(clean)
        ends = "" if not clean or clean.endswith("\n") else "\n"
        return json_text.apply(clean, [json_text.Edit(len(clean), len(clean), ends + self._block)])

    @property
    def _block(self) -> str:
        return f"{_BEGIN}{self.text}{_END}"

    def _check(self, text: str) -> None:
        """See that the user has no settings that do the same."""
        if self.taken and re.search(self.taken, text, re.MULTILINE):
            raise Unfit(
                translatable(
                    "{path} names what is to be done at such a time already. Nothing was changed."
                )
            )


def without_lines(text: str) -> str:
    return _OURS.sub("", text)


# --- a file of our own


class OwnFile(NamedTuple):
    """A whole file, whose text names `OURS` or `GUARD`."""

    text: str

    @property
    def form(self) -> str:
        return "file"

    def status(self, text: str) -> Status:
        if not text:
            return "absent"
        check_own_file(text)
        return "installed" if text == self.text else "outdated"

    def put_into(self, text: str) -> tuple[str, list[json_text.Edit]]:
        if text:
            check_own_file(text)
        return self.text, [json_text.Edit(0, len(self.text), text)]


def check_own_file(text: str) -> None:
    """See that a file is ours."""
    if OURS not in text and GUARD not in text:
        raise Unfit(
            translatable("{path} is there already and is not of nagomi. Nothing was changed.")
        )


# --- a status line

MARK: Final = "-m nagomi_tui guard statusline"
"""A status line whose command contains this is nagomi's, of any version and place."""


class StatusLine(NamedTuple):
    """The entry for a status line, below a key of the settings."""

    key: str
    entry: dict[str, Any]
    replaces: bool
    """Whether it takes the place of one that is not nagomi's."""

    @property
    def form(self) -> str:
        return "status_line"

    def status(self, text: str) -> Status:
        """Return `foreign` if the settings hold another one, which is to stay."""
        top = _read_status_line(text)
        found = top.get(self.key) if top else None
        if found is None:
            return "absent"
        if not _is_our_status_line(found):
            return "outdated" if self.replaces else "foreign"
        return "installed" if json_text.plain(found) == self.entry else "outdated"

    def put_into(self, text: str) -> tuple[str, list[json_text.Edit]]:
        """Put it into the place of any other."""
        top, value = _read_status_line(text), json.dumps(self.entry, ensure_ascii=False)
        member = f'"{self.key}": {value}'
        if top is None:
            return json_text.apply(text, [json_text.Edit(0, len(text), f"{{\n  {member}\n}}\n")])
        found = top.get(self.key)
        if found is not None:
            return json_text.apply(text, [json_text.Edit(found.start, found.end, value)])
        return json_text.apply(text, [json_text.added(text, top, [member])])


def without_status_line(text: str, former: str) -> str:
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
    top = read_json(text)
    if top is not None and top.members is None:
        raise Unfit(BROKEN, reason="{}")
    return top
