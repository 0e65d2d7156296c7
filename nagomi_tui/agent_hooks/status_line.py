"""The status line of a client, as an entry of its settings; one of the user's can be put back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Protocol

from nagomi_tui.agent_hooks.json_text import Edit, added, apply, plain, removed
from nagomi_tui.agent_hooks.plan import BROKEN, HookSet, Unfit, read_json

if TYPE_CHECKING:
    from nagomi_tui.agent_hooks.json_text import Node
    from nagomi_tui.agent_hooks.plan import Status

MARK: Final = "-m nagomi_tui guard statusline"
"""A status line whose command contains this is nagomi's, of any version and place."""


class Line(HookSet, Protocol):
    """The entry for a status line."""

    @property
    def key(self) -> str:
        """The key of the settings that holds it."""

    @property
    def entry(self) -> dict[str, Any]:
        """What stands there."""

    @property
    def replaces(self) -> bool:
        """Whether it takes the place of one that is not nagomi's."""


def status(line: Line, text: str) -> Status:
    """Return whether the settings hold our status line; `foreign` if they hold another one.

    Raises:
        Unfit: the file is broken.
    """
    top = _read(text)
    found = top.get(line.key) if top else None
    if found is None:
        return "absent"
    if not _is_ours(found):
        return "outdated" if line.replaces else "foreign"
    return "installed" if plain(found) == line.entry else "outdated"


def with_line(line: Line, text: str) -> tuple[str, list[Edit]]:
    """Return the text with our status line in the place of any other, and the way back.

    Raises:
        Unfit: the file is broken.
    """
    top, value = _read(text), json.dumps(line.entry, ensure_ascii=False)
    member = f'"{line.key}": {value}'
    if top is None:
        return apply(text, [Edit(0, len(text), f"{{\n  {member}\n}}\n")])
    found = top.get(line.key)
    if found is not None:
        return apply(text, [Edit(found.start, found.end, value)])
    return apply(text, [added(text, top, [member])])


def without_line(text: str, former: str) -> str:
    """Return the text without our status line.

    Args:
        text: the settings.
        former: the JSON of the status line that ours has replaced; blank if there was none.

    Raises:
        Unfit: the file is broken.
    """
    top = _read(text)
    members = (top.members if top else None) or ()
    ours = [at for at, (_, _, value) in enumerate(members) if _is_ours(value)]
    if top is None or not ours:
        return text
    if former.startswith("{"):
        return apply(text, [Edit(members[ours[0]][2].start, members[ours[0]][2].end, former)])[0]
    return apply(text, removed(top, ours))[0]


def _is_ours(value: Node) -> bool:
    command = value.get("command")
    return command is not None and isinstance(command.value, str) and MARK in command.value


def _read(text: str) -> Node | None:
    """Return the JSON object of the settings; None if the file is empty.

    Raises:
        Unfit: the file is broken.
    """
    top = read_json(text)
    if top is not None and top.members is None:
        raise Unfit(BROKEN, reason="{}")
    return top
