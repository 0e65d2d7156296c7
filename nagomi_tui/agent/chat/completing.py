"""Completion of slash commands with their arguments, and of file paths after an `@`."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from prompt_toolkit.completion import Completer, Completion

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    Ask = Callable[[str], Awaitable[tuple[str, ...]]]

MOST_FILES: Final = 50
_FILE: Final = re.compile(r"(?:^|\s)@(\S*)$")
_COMMAND: Final = re.compile(r"/[^\n]*")


def may_complete(text: str) -> bool:
    """Tell whether something could follow the text before the cursor."""
    return bool(_COMMAND.fullmatch(text) or _FILE.search(text))


class ChatCompleter(Completer):
    """Completes commands by asking the conversation, and file paths by reading the disk."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Return nothing: prompt_toolkit calls `get_completions_async` instead."""
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """Yield completions of the path or command that ends at the cursor."""
        text = document.text_before_cursor
        if found := _FILE.search(text):
            for path in _files(found[1]):
                yield Completion(path, -len(found[1]))
        elif _COMMAND.fullmatch(text):
            for line in await self._ask(text):
                yield _behind(text, line)


def _behind(text: str, line: str) -> Completion:
    """Return a completion that shows and replaces only the argument, to keep the menu narrow.

    `line` is the whole completed line; a command without an argument is replaced as a whole.
    """
    start = text.find(" ") + 1
    return Completion(line[start:], start - len(text), display=line[start:])


def _files(typed: str) -> list[str]:
    """Return at most `MOST_FILES` paths that begin with `typed`; folders end in a slash."""
    folder, name = os.path.split(typed)
    found = []
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            for entry in entries:
                if entry.name.startswith(name) and (name or not entry.name.startswith(".")):
                    slash = "/" if entry.is_dir() else ""
                    found.append(os.path.join(folder, entry.name) + slash)
    except OSError:
        return []
    return sorted(found)[:MOST_FILES]
