"""The input line of `nagomi chat`: keys, completion, masked history, marks between turns."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

from prompt_toolkit.application import get_app
from prompt_toolkit.application.run_in_terminal import in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output
from prompt_toolkit.shortcuts.prompt import PromptSession
from prompt_toolkit.styles import Style

from nagomi_tui.agent.talk.events import Status
from nagomi_tui.agent.turns.slash_commands import sentence_of
from nagomi_tui.judge.evidence import ANSWER, TOOL
from nagomi_tui.system import files
from nagomi_tui.text.cells import cells, cut, printable, wrap
from nagomi_tui.text.words import Words

Ask = Callable[[str], Awaitable[tuple[str, ...]]]
Beside: TypeAlias = Status | str
"""The state of the conversation; as long as none is open, a sentence in its place."""

MOST_FILES: Final = 50
_FILE: Final = re.compile(r"(?:^|\s)@(\S*)$")
_COMMAND: Final = re.compile(r"/[^\n]*")


def may_complete(text: str) -> bool:
    """Tell whether something could follow the text before the cursor."""
    return bool(_COMMAND.fullmatch(text) or _FILE.search(text))


class ChatCompleter(Completer):
    """Completes commands by asking the conversation, and file paths by reading the disk."""

    def __init__(self, ask: Ask, words: Words) -> None:
        self._ask = ask
        self._words = words

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
                yield _behind(text, line, self._words.gettext(sentence_of(line) or ""))


def _behind(text: str, line: str, sentence: str) -> Completion:
    """Return a completion that shows and replaces only the argument, to keep the menu narrow.

    `line` is the whole completed line; a command without an argument is replaced as a whole, and
    shown with its sentence.
    """
    start = text.find(" ") + 1
    return Completion(
        line[start:], start - len(text), display=line[start:], display_meta=sentence or None
    )


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


PROMPT: Final = "\x1b]133;A\x07"
INPUT: Final = "\x1b]133;B\x07"
_MOST_REPORTED: Final = 200


def at_work(tool: str = "") -> str:
    """Return the report that the agent thinks, or uses a tool (OSC 7501).

    Without it, only the words on the screen would tell whether the chat works or asks. It has to
    follow the switch to bracketed paste, which looks like the prompt of a program of its own.
    """
    return _report(f"state=working:kind={TOOL if tool else ANSWER}", tool)


def asking(question: str) -> str:
    """Return the report that the turn waits for the user's answer to a question."""
    return _report("state=blocked:kind=permission", question)


def _report(state: str, message: str) -> str:
    words = printable(message)[:_MOST_REPORTED].encode()
    said = f":msg={base64.b64encode(words).decode()}" if words else ""
    return f"\x1b]7501;{state}:app=nagomi{said}\x07"


ACCEPTED: Final = "\x1b]133;C\x07"

Outcome: TypeAlias = Literal["done", "cancelled", "failed"]

_STATUS: Final = {"done": 0, "failed": 1, "cancelled": 130}


def ended(outcome: Outcome) -> str:
    """Return the mark after the output of a turn or command, with an exit status as a shell's."""
    return f"\x1b]133;D;{_STATUS[outcome]}\x07"


_STYLE: Final = Style.from_dict(
    {
        "status": "ansibrightblack",
        "work": "bold",
        "sign": "bold",
        # prompt_toolkit skips a space without a style, and with it the mark before the space.
        "gap": "ansidefault",
        "placeholder": "ansibrightblack",
        "bottom-toolbar": "noinherit ansiyellow",
        "completion-menu": "noinherit reverse",
        "completion-menu.completion.current": "noinherit bold",
        "completion-menu.meta.completion": "noinherit reverse",
        "completion-menu.meta.completion.current": "noinherit bold",
    }
)
_ZERO_WIDTH: Final = "[ZeroWidthEscape]"
_MENU_ROWS: Final = 6
_LEAST_MODEL: Final = 8
"""Columns for the model's name, below which it is left out."""
_NARROW: Final = 30
"""In fewer columns than this, the state gets no line of its own; work mode still does."""


class Line:
    """Reads lines from the user, with the conversation's state above the prompt."""

    def __init__(
        self,
        beside: Callable[[], Beside],
        ask: Ask,
        history: History,
        *,
        placeholder: str,
        words: Words,
    ) -> None:
        self.note = ""
        """Text under the prompt, one sentence a line; empty for none."""
        self.keys: tuple[str, ...] = ()
        """What Alt+1, Alt+2 … begin to say for the user."""
        self._beside = beside
        self._placeholder = placeholder
        self._words = words
        self._marked = False
        self._session: PromptSession[str] = PromptSession(
            self._prompt,
            style=_STYLE,
            multiline=True,
            key_bindings=_bindings(lambda: self.keys),
            history=history,
            completer=ChatCompleter(ask, words),
            complete_while_typing=Condition(self._may_complete),
            placeholder=self._hint,
            prompt_continuation="  ",
            reserve_space_for_menu=_MENU_ROWS,
            enable_suspend=True,
        )
        self._session.app.after_render += self._note_marked
        self._session.app.ttimeoutlen = 0.1

    @property
    def input(self) -> Input:
        """The input that keys are read from."""
        return self._session.input

    @property
    def output(self) -> Output:
        """The output that prompts are drawn on."""
        return self._session.output

    async def ask(self) -> str:
        """Return the next line.

        Raises:
            EOFError: the user has ended the program, or the terminal is closed.
        """
        self._marked = False
        self._session.bottom_toolbar = self._note if self.note else None
        return await self._session.prompt_async(handle_sigint=False)

    def redraw(self) -> None:
        """Draw the prompt again, if it is shown, after the state or the note has changed."""
        self._session.bottom_toolbar = self._note if self.note else None
        self._session.app.invalidate()

    def run_above(self, write: Callable[[], None]) -> None:
        """Call what writes above the prompt, if it is shown, and draw the prompt again below."""
        if self._session.app.is_running:
            self._session.app.create_background_task(_in_terminal(write))

    def leave(self) -> None:
        """End the prompt, if it is shown, as if the user ended the program."""
        if self._session.app.is_running:
            self._session.app.exit(exception=EOFError)

    def _note(self) -> str:
        columns = self._session.output.get_size().columns
        lines = [part for line in self.note.splitlines() for part in wrap(line, columns)]
        return "\n".join(map(printable, lines))

    def _note_marked(self, _: object) -> None:
        self._marked = True

    def _may_complete(self) -> bool:
        return may_complete(self._session.default_buffer.document.text_before_cursor)

    def _hint(self) -> StyleAndTextTuples:
        return [] if self._session.app.is_done else [("class:placeholder", self._placeholder)]

    def _prompt(self) -> StyleAndTextTuples:
        """Return the state and the prompt sign; only the first drawing has the OSC 133 marks."""
        begins, ends = ("", "") if self._marked else (PROMPT, INPUT)
        columns = self._session.output.get_size().columns
        return [
            (_ZERO_WIDTH, begins),
            *_state(self._beside(), columns, self._words),
            ("class:sign", "❯"),
            (_ZERO_WIDTH, ends),
            ("class:gap", " "),
        ]


async def _in_terminal(write: Callable[[], None]) -> None:
    """Call `write` while the prompt is taken off the screen."""
    async with in_terminal():
        write()


def _state(status: Beside, columns: int, words: Words) -> StyleAndTextTuples:
    """Return a line with the conversation, the agent mode and the turns left of work mode."""
    if isinstance(status, str):
        return [] if columns < _NARROW else [("class:status", f"{cut(status, columns)}\n")]
    work = (
        words.say("work mode: {count} left", count=status.turns_left) if status.turns_left else ""
    )
    if columns < _NARROW:
        return [("class:work", f"{work}\n")] if work else []
    named = cut(printable(status.label or status.conversation), columns // 3)
    mode = words.gettext(status.mode)  # other front ends put these words into the catalog
    full = f"{100 * status.tokens // max(1, status.limit)} %" if status.tokens else ""
    room = columns - cells(" · ".join(filter(None, (named, mode, full, work)))) - 3
    model = cut(printable(status.model), room) if room >= _LEAST_MODEL else ""
    told = " · ".join(filter(None, (named, mode, model, full)))
    parts: StyleAndTextTuples = [("class:status", told)]
    if work:
        parts += [("class:status", " · "), ("class:work", work)]
    return [*parts, ("", "\n")]


def _bindings(keys_of: Callable[[], tuple[str, ...]]) -> KeyBindings:
    """Return the keys that differ from prompt_toolkit's.

    Alt+1 and so on put what `keys_of` returns into the input. Enter accepts, Alt+Enter begins a new line, Ctrl+C clears the input, and Ctrl+D on empty input
    ends the program.
    """
    keys = KeyBindings()

    @keys.add("enter")
    def _accept(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    def begin(event: KeyPressEvent, at: int) -> None:
        if at < len(said := keys_of()):
            event.current_buffer.document = Document(said[at])

    for at in range(9):
        keys.add("escape", str(at + 1))(partial(begin, at=at))

    @keys.add("c-c")
    @keys.add("<sigint>")
    def _clear(event: KeyPressEvent) -> None:
        event.current_buffer.reset()

    @keys.add("c-d", filter=Condition(lambda: not get_app().current_buffer.text))
    def _end(event: KeyPressEvent) -> None:
        event.app.exit(exception=EOFError)

    return keys


MOST: Final = 1000
"""Most entries to keep; a file with more than twice as many is cut to this number when read."""


class MaskedHistory(History):
    """A history file with one JSON string a line; errors in reading or writing it are ignored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        super().__init__()

    def load_history_strings(self) -> Iterable[str]:
        """Return the entries, the latest first."""
        try:
            lines = files.read(self._path).split(b"\n")
        except OSError:
            return []
        found = [text for line in lines if (text := _decoded(line))]
        if len(found) > 2 * MOST:
            self._shorten(found)
        return reversed(found[-MOST:])

    def store_string(self, string: str) -> None:
        """Append an entry whose secrets are masked."""
        # Imported here and not above, so that the prompt appears sooner.
        from nagomi_tui.masking import mask_lines

        masked = "\n".join(mask_lines(string.split("\n")))
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with files.append(self._path) as file:
                file.write(_encoded(masked))
        except OSError:
            return

    def _shorten(self, found: list[str]) -> None:
        try:
            files.write(self._path, b"".join(map(_encoded, found[-MOST:])))
        except OSError:
            return


def _encoded(text: str) -> bytes:
    return json.dumps(text).encode() + b"\n"


def _decoded(line: bytes) -> str:
    """Return the entry in a line of the file, or an empty string if the line is not valid."""
    try:
        text = json.loads(line)
    except ValueError:
        return ""
    return text if isinstance(text, str) else ""
