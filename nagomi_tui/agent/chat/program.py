"""The loop of `nagomi chat`, whose conversation opens in the background.

A relative path on its line begins in the folder where the user started it.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

import anyio
from anyio.abc import TaskStatus

from nagomi_tui.agent.chat import line as marks
from nagomi_tui.agent.chat.shown import FOOTER_ROWS, Shown, show_exchange
from nagomi_tui.agent.chat.terminal import Keyboard, Terminal
from nagomi_tui.agent.providers.interface import TextPiece
from nagomi_tui.agent.talk import events
from nagomi_tui.agent.turns.slash_commands import is_command, is_end
from nagomi_tui.system import files
from nagomi_tui.system.platforms import WINDOWS
from nagomi_tui.text.cells import cells, printable, wrap
from nagomi_tui.text.words import Words

if TYPE_CHECKING:
    End = marks.Outcome | Literal["gone"]
    """How a line ended; `gone`: the agent's process went before it answered anything."""
    Open = Callable[[str], AbstractAsyncContextManager[events.Talk]]
    """Opens a conversation by its id; an empty id means the one named on the command line."""


async def exported(talk: events.Talk, line: str, words: Words) -> events.Reply:
    """Carry out a slash command; `/export FILE` writes to that file, but never overwrites one.

    `/folder PATH` names a folder as seen from here.
    """
    name, *rest = line.split(maxsplit=1)
    if name.casefold() == "/folder" and rest and rest[0].split()[0] != "off":
        return await talk.command(f"/folder {_from_here(rest[0].strip())}")
    if name.casefold() != "/export" or not rest:
        return await talk.command(line)
    reply = await talk.command("/export")
    text = "\n".join((*reply.lines, ""))
    return await anyio.to_thread.run_sync(_written, Path(rest[0].strip()), text, words)


def _from_here(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))


def _written(named: Path, text: str, words: Words) -> events.Reply:
    path = named.expanduser()
    if path.exists():
        refused = words.say("{path} is there already; choose another name.", path=path)
        return events.Reply(lines=(refused,), failed=True)
    try:
        files.write(path, text.encode())
    except OSError as exc:
        reason = exc.strerror or str(exc)
        refused = words.say("{path} cannot be written: {reason}.", path=path, reason=reason)
        return events.Reply(lines=(refused,), failed=True)
    return events.Reply(lines=(words.say("Written: {path}", path=path),))


class Held:
    """Opens a conversation in a task of its own, and closes it there in the end."""

    def __init__(
        self, conversation: AbstractAsyncContextManager[events.Talk], settled: Callable[[], None]
    ) -> None:
        """`settled` is called once the conversation is open or has failed to open."""
        self.talk: events.Talk | None = None
        self.fault: Exception | None = None
        """Why the conversation could not be opened or closed; None if nothing has failed."""
        self._conversation = conversation
        self._tell = settled
        self._settled = anyio.Event()
        self._over = anyio.Event()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hold the conversation until the end of the block; cancel an opening that still runs then.

        Raises:
            Exception: what the block raised, or else why opening or closing failed.
        """
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._hold)
            try:
                yield
            except Exception as exc:
                # Raised after the task group has ended, which would wrap it in an ExceptionGroup.
                self.fault = exc
            self._over.set()
            if not self._settled.is_set():
                tasks.cancel_scope.cancel()
        if self.fault is not None:
            raise self.fault

    async def opened(self) -> events.Talk | None:
        """Wait until the conversation is open; return None if it cannot be opened."""
        await self._settled.wait()
        return self.talk

    async def _hold(self) -> None:
        try:
            async with self._conversation as self.talk:
                self._settle()
                await self._over.wait()
        except Exception as exc:
            self.fault = self.fault or exc
            self._settle()

    def _settle(self) -> None:
        if not self._settled.is_set():
            self._settled.set()
            self._tell()


_IDLE: Final = 0.3
"""Seconds from the start until the modules for rendering are imported in the background."""


TICK: Final = 0.25
"""Seconds between two drawings of the footer."""
_SPINNER: Final = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TOKEN: Final = 3.5
"""Characters of a token, about."""


class Working:
    """The footer of a turn that runs: a spinner, its time and tokens, and what is typed meanwhile."""

    def __init__(self, shown: Shown, keyboard: Keyboard, words: Words) -> None:
        self._shown = shown
        self._keyboard = keyboard
        self._words = words
        self._began = time.monotonic()

    def lines(self, columns: int) -> list[str]:
        """Return the lines; none while a question waits for its key."""
        if self._keyboard.is_asking:
            return []
        took = time.monotonic() - self._began
        sign = _SPINNER[int(took / TICK) % len(_SPINNER)]
        tokens = round(self._shown.characters / _TOKEN)
        told = self._words.say("{seconds} s", seconds=int(took))
        parts = [f"{sign} {told}"]
        if tokens:
            parts.append(self._words.say("~{count} tokens", count=f"{tokens:,}"))
        parts.append(self._words.gettext("Ctrl+C ends the turn"))
        typed = printable(self._keyboard.typed)
        room = columns - 2
        return [" · ".join(parts), *([f"❯ {_end(typed, room)}"] if typed else ())]

    def column(self) -> int:
        """Return the column of the cursor in the output above."""
        return self._shown.column()


def _end(text: str, columns: int) -> str:
    """Return the end of a text that fits into so many columns."""
    while cells(text) > columns:
        text = text[max(1, len(text) // 20) :]
    return text


class Chat:
    """Runs conversations on one terminal."""

    _talk: events.Talk

    def __init__(self, open_talk: Open, history: Path, words: Words) -> None:
        self._open = open_talk
        self._words = words
        self._held: Held | None = None
        self._again = ""
        """The line that is carried out anew because the agent had gone."""
        self._said_unasked: list[str] = []
        self._was_greeted = False
        self._last: events.Exchange | None = None
        """The last words of the conversation that was opened, until they are shown."""
        self._line = marks.Line(
            self._beside,
            self._completions,
            marks.MaskedHistory(history),
            placeholder=words.gettext("Ask about your sessions · / for commands"),
            words=words,
        )
        self._terminal = Terminal(self._line.output)
        self._keyboard = Keyboard(self._line.input, self._line.output)

    async def run(self) -> None:
        """Run until the user ends the program.

        If the agent's process has ended, the next line opens the conversation again.
        """
        left, conversation = await self._opened("", "")
        while left:
            left, conversation = await self._opened(left, conversation)

    async def _opened(self, text: str, conversation: str) -> tuple[str, str]:
        """Open a conversation and carry out `text` and then the user's lines in it.

        Return the line to carry out once the conversation is opened again, or an empty string to
        end the program, and the conversation's id. The user can type while it is being opened.
        """
        self._held = held = Held(self._open(conversation), self._settled)
        async with held.held():
            text = await self._lines(text, held)
        return text, held.talk.status.conversation if held.talk else conversation

    def _settled(self) -> None:
        """Show at the prompt that the conversation is open; end the prompt if opening has failed."""
        talk = self._held and self._held.talk
        if talk:
            self._talk = talk
            talk.listen(self._unasked, self._greeted, self._line.redraw)
            self._line.note = talk.notice
            self._line.redraw()
            if not self._again and talk.last:
                self._last = talk.last
                self._line.run_above(self._show_unasked)
        else:
            self._line.leave()

    def _greeted(self, lines: tuple[str, ...], keys: tuple[str, ...]) -> None:
        """Show the greeting above the prompt, unless the user is at work already."""
        if not self._was_greeted:
            self._was_greeted = True
            self._line.keys = keys
            self._line.run_above(partial(self._show_greeting, lines))

    def _show_greeting(self, lines: tuple[str, ...]) -> None:
        columns = self._terminal.size()[0]
        for line in map(printable, lines):
            indent = line[: len(line) - len(line.lstrip())]
            for part in wrap(line.strip(), columns - len(indent)):
                self._terminal.line(indent + part, "2")

    def _unasked(self, text: str) -> None:
        """Show what the agent says of its own accord: above the prompt, or after the turn."""
        self._said_unasked.append(text)
        self._line.run_above(self._show_unasked)

    def _show_unasked(self) -> None:
        if last := self._last:
            self._last = None
            show_exchange(last, self._terminal)
            self._terminal.write("\r\n")
        said, self._said_unasked = self._said_unasked, []
        for text in said:
            self._terminal.line(printable(text), "33")

    def _beside(self) -> marks.Beside:
        if self._held and self._held.talk:
            return self._held.talk.status
        return self._words.gettext("the agent is being reached…")

    async def _completions(self, line: str) -> tuple[str, ...]:
        talk = self._held and self._held.talk
        try:
            return await talk.completions(line) if talk else ()
        except events.TalkFault:
            return ()  # the agent's process has ended; entering the line connects again

    async def _lines(self, text: str, held: Held) -> str:
        """Carry out lines until the input ends, and return an empty string.

        If the agent's process has ended, return the line that was not carried out.
        """
        while text or (text := await self._next(held)):
            outcome, goes_on = await self._carried(text, held)
            if outcome == "gone":
                self._again = text
                return text
            self._again = ""
            self._terminal.write(f"{marks.ended(outcome)}\r\n")
            if not goes_on:
                break
            text = ""
        return ""

    async def _carried(self, text: str, held: Held) -> tuple[End, bool]:
        """Carry out a line once the conversation is open; Ctrl+C cancels the wait for that.

        Return how the line ended, and whether to read another.
        """
        with anyio.CancelScope() as scope, self._keyboard.listening(scope.cancel):
            self._terminal.write(marks.at_work())
            talk = await held.opened()
        if scope.cancelled_caught:
            return "cancelled", True
        self._last = None  # said by now, the last words would stand below the new ones
        if talk is None:
            return "failed", False
        return ("gone", True) if talk.gone else await self._taken(text)

    async def _next(self, held: Held) -> str:
        """Return the next line that is not blank; an empty string if the program is to end."""
        text = ""
        while not text.strip():
            if held.fault:
                return ""
            self._show_unasked()
            try:
                text = await self._line.ask()
            except EOFError:
                return ""
        self._line.note = ""
        if is_end(text):
            return ""
        self._terminal.write(marks.ACCEPTED)
        return text

    async def _taken(self, text: str) -> tuple[End, bool]:
        """Carry out a line in the open conversation; return as `_carried` does."""
        if not is_command(text):
            return await self._turn(text), True
        try:
            reply = await exported(self._talk, text, self._words)
        except events.TalkFault as exc:
            self._terminal.line(str(exc), "31")
            return "failed", True
        self._show(reply)
        if reply.say:
            self._terminal.line(f"❯ {reply.say}", "2")
            return await self._turn(reply.say), True
        return ("failed" if reply.failed else "done"), not reply.ends

    def _show(self, reply: events.Reply) -> None:
        for line in reply.lines:
            self._terminal.reply(line)
        if reply.last:
            show_exchange(reply.last, self._terminal)

    async def _turn(self, text: str) -> End:
        """Run a turn and show it; Ctrl+C cancels it and keeps the text received so far."""
        below = FOOTER_ROWS if self._terminal.can_move else 0
        shown = Shown(self._terminal, self._words, below=below)
        working = Working(shown, self._keyboard, self._words)
        outcome: End = "cancelled"
        self._keyboard.on_typed = self._terminal.refresh
        with (
            anyio.CancelScope() as scope,
            self._keyboard.listening(scope.cancel),
            self._terminal.footed(working.lines, working.column),
        ):
            self._terminal.write(marks.at_work())
            shown.wait()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._tick)
                outcome = await self._events(text, shown)
                tasks.cancel_scope.cancel()
        if scope.cancelled_caught:
            shown.cancelled()
        return outcome

    async def _tick(self) -> None:
        """Draw the footer again and again, for its time and its spinner."""
        while True:
            await anyio.sleep(TICK)
            self._terminal.refresh()

    async def _events(self, text: str, shown: Shown) -> End:
        """Show a turn's events; once for one line, do not tell that the agent had gone before."""
        outcome: End = "failed"
        heard = False
        said = cast("AsyncGenerator[events.TurnEvent, None]", self._talk.say(text))
        try:
            async with aclosing(said):
                async for event in said:
                    heard = True
                    outcome = await self._event(event, shown) or outcome
        except events.TalkFault as exc:
            if self._talk.gone and not heard and not self._again:
                shown.stop_waiting()
                return "gone"
            shown.ended(events.TurnEnded("failed", str(exc)))
        return outcome

    async def _event(self, event: events.TurnEvent, shown: Shown) -> marks.Outcome | None:
        """Show one event; return the outcome if it is the turn's last event, else None."""
        match event:
            case TextPiece():
                shown.text(event.text)
            case events.ToolStarted():
                self._terminal.write(marks.at_work(event.summary or event.name))
                shown.tool_started(event)
            case events.ToolEnded():
                self._terminal.write(marks.at_work())
                shown.tool_ended(event)
            case events.Notice():
                shown.notice(event.text)
            case events.Acted():
                shown.acted(event)
            case events.Stage():
                shown.stage(event.text)
            case events.Question():
                await self._ask(event, shown)
            case events.TurnEnded():
                shown.ended(event)
                return event.outcome
        return None

    async def _ask(self, question: events.Question, shown: Shown) -> None:
        shown.question(question)
        self._terminal.write(marks.asking(question.title))
        choice: events.Choice | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._await_gone, tasks.cancel_scope)
            choice = await self._keyboard.choice(may_grant=bool(question.scope))
            tasks.cancel_scope.cancel()
        self._terminal.write(marks.at_work())
        if choice is not None:
            shown.answered(choice, question.scope)
        await self._talk.answer(question.id, choice or "no")

    async def _await_gone(self, scope: anyio.CancelScope) -> None:
        """Cancel the wait for an answer that nobody would get any more."""
        while True:
            await anyio.sleep(TICK)
            if self._talk.gone:
                scope.cancel()


async def _load_renderer() -> None:
    """Import the Markdown renderer and the masking of secrets after the prompt is shown."""
    await anyio.sleep(_IDLE)
    await anyio.to_thread.run_sync(_import_renderer, abandon_on_cancel=True)


def _import_renderer() -> None:
    import markdown_it  # noqa: F401
    import rich.markdown  # noqa: F401

    import nagomi_tui.masking  # noqa: F401


async def chat(open_talk: Open, history: Path, words: Words) -> int:
    """Run the program; return its exit code, 128 plus the number if a signal ended it.

    Raises:
        TalkFault: no conversation can be opened.
    """
    ended_by: list[int] = []
    fault = None
    async with anyio.create_task_group() as tasks:
        await tasks.start(_end_by_signal, tasks.cancel_scope, ended_by)
        tasks.start_soon(_load_renderer)
        try:
            await Chat(open_talk, history, words).run()
        except events.TalkFault as exc:
            fault = exc  # raised after the task group, which would wrap it in an ExceptionGroup
        tasks.cancel_scope.cancel()
    if fault is not None:
        raise fault
    return 128 + ended_by[0] if ended_by else 0


async def _end_by_signal(
    scope: anyio.CancelScope,
    ended_by: list[int],
    *,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """End the program in order on SIGTERM or SIGHUP, and note the signal's number.

    It has started once the signals are heeded: a prompt that is drawn before leaves a raw terminal.
    """
    if WINDOWS:
        task_status.started()
        return
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP) as signals:
        task_status.started()
        async for number in signals:
            ended_by.append(int(number))
            scope.cancel()


def run(open_talk: Open, history: Path, words: Words) -> int:
    """Run `chat` in a new event loop, and return the exit code."""
    return anyio.run(chat, open_talk, history, words)
