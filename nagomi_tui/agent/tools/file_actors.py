"""Tools that write files, after the user has seen the diff and agreed."""

from __future__ import annotations

import difflib
from functools import partial
from typing import TYPE_CHECKING, Annotated, ClassVar, Final

from msgspec import Meta

from nagomi_tui.agent.tools import opening
from nagomi_tui.agent.tools.file_readers import PathOf, in_thread, text_in
from nagomi_tui.agent.tools.guarded import check_write
from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, ToolFault
from nagomi_tui.core.masking import REDACTED
from nagomi_tui.core.text.plain import visible
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.tools.granted import Granted, Place
    from nagomi_tui.words import Words

_MOST_TEXT: Final = 256 * 1024
_WRITES: Final = translatable("Write {path}")
_MAKES: Final = translatable("Make the file {path}")

_Text = Annotated[str, Meta(max_length=_MOST_TEXT)]


class WriteGiven(Given, frozen=True, kw_only=True):
    """A file's new content."""

    path: PathOf
    text: Annotated[_Text, Meta(description="All that the file will hold.")]


class EditGiven(Given, frozen=True, kw_only=True):
    """A text in a file, and the text that replaces it."""

    path: PathOf
    old: Annotated[_Text, Meta(min_length=1, description="Text that stands there exactly once.")]
    new: Annotated[_Text, Meta(description="Text that takes its place.")]


class _Changes:
    """Plans the change of a file's content."""

    def __init__(self, granted: Granted, words: Words) -> None:
        self._granted = granted
        self._words = words

    def place(self, path: str) -> Place:
        """Return the place of a file to write, which need not exist yet.

        Raises:
            ToolFault: the path may not be written, or a project's guard denies it.
        """
        place = self._granted.writable(path)
        check_write(place.path)
        return place

    def plan(self, place: Place, before: opening.Content | None, text: str) -> Plan:
        """Return the plan with the whole diff; `before` is None for a new file.

        Raises:
            ToolFault: nothing would change, or a secret would be overwritten by its mask.
        """
        old = "" if before is None else text_in(place, before)
        if before is not None and text == old:
            raise ToolFault(f"{place.path} holds just that already.")
        if text.count(REDACTED) > old.count(REDACTED):
            raise ToolFault(
                f"{REDACTED} stands for a secret that you were not shown, and would overwrite it. "
                "Use edit_file on other parts."
            )
        title = _MAKES if before is None else _WRITES
        return Plan(
            title=self._words.say(title, path=visible(str(place.path))),
            detail=difference(str(place.path), old, text, new=before is None),
            target=str(place.path),
            act=partial(self._write, place, text, before),
        )

    async def _write(self, place: Place, text: str, before: opening.Content | None) -> Output:
        try:
            await in_thread(partial(check_write, place.path))
            await in_thread(partial(opening.write, place, text.encode(), before))
        except ToolFault as exc:
            if isinstance(exc.__cause__, FileExistsError):
                raise ToolFault(
                    f"{place.path} was changed while the user was asked; nothing was written. "
                    "Read it again first."
                ) from exc
            raise
        return Output(f"{place.path} is written.")


class WriteFile(Actor[WriteGiven]):
    """Writes a whole file, new or existing."""

    name: ClassVar = "write_file"
    description: ClassVar = (
        "Write a whole UTF-8 text file in the workspace or in a folder that the user has granted. "
        "The user sees the difference and is asked. The folder must exist."
    )
    given: ClassVar = WriteGiven

    def __init__(self, granted: Granted, words: Words) -> None:
        self._changes = _Changes(granted, words)

    async def plan(self, given: WriteGiven) -> Plan:
        """Return the plan, whose detail is the diff."""
        return await in_thread(partial(self._plan, given))

    def _plan(self, given: WriteGiven) -> Plan:
        place = self._changes.place(given.path)
        try:
            before = opening.read(place)
        except FileNotFoundError:
            opening.entries(place.above)
            before = None
        return self._changes.plan(place, before, given.text)


class EditFile(Actor[EditGiven]):
    """Replaces one part of a file."""

    name: ClassVar = "edit_file"
    description: ClassVar = (
        "Replace a text that stands exactly once in a file of the workspace or of a folder that "
        "the user has granted. The user sees the difference and is asked."
    )
    given: ClassVar = EditGiven

    def __init__(self, granted: Granted, words: Words) -> None:
        self._changes = _Changes(granted, words)

    async def plan(self, given: EditGiven) -> Plan:
        """Return the plan, whose detail is the diff."""
        return await in_thread(partial(self._plan, given))

    def _plan(self, given: EditGiven) -> Plan:
        place = self._changes.place(given.path)
        before = opening.read(place)
        old = text_in(place, before)
        if (count := old.count(given.old)) != 1:
            raise ToolFault(f"The old text stands {count} times in {place.path}, not once.")
        return self._changes.plan(place, before, old.replace(given.old, given.new))


def difference(path: str, old: str, new_text: str, *, new: bool) -> str:
    """Return the unified diff with control characters escaped, so that nothing in it is hidden."""
    lines = difflib.unified_diff(
        _lines(old), _lines(new_text), "/dev/null" if new else path, path, lineterm=""
    )
    shown = (part for line in lines for part in line.split("\n"))
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in shown)


def _lines(text: str) -> list[str]:
    """Return the lines; a last one without a line feed is marked as diff does."""
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file"]
