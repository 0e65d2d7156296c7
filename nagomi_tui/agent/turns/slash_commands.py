"""The slash commands of the agent's chat: their table, what they do, and their completion."""

from __future__ import annotations

import shlex
import time
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import anyio.to_thread
import msgspec

from nagomi_tui.agent.conversations import entries
from nagomi_tui.agent.modes.modes import UNKNOWN
from nagomi_tui.agent.overlay import usage
from nagomi_tui.agent.talk.events import Reply, TalkFault
from nagomi_tui.agent.tools.interface import ToolFault
from nagomi_tui.api import messages
from nagomi_tui.api.messages.agent import MODES
from nagomi_tui.sessions.reminding import WORDS_LIMIT, BadWhen, split
from nagomi_tui.text.words import Words, nearest_name, translatable

if TYPE_CHECKING:
    from nagomi_tui.agent.turns.open_conversation import OpenConversation, ToolLine


Run: TypeAlias = "Callable[[OpenConversation, str], Awaitable[Reply]]"


class Command(msgspec.Struct, frozen=True):
    """A slash command: its name, its arguments, a sentence for the help, and its function."""

    name: str
    takes: str
    sentence: str
    run: Run

    @property
    def usage(self) -> str:
        """The command as it is typed, with its arguments."""
        return f"/{self.name} {self.takes}".rstrip()


COMMANDS: Final[list[Command]] = []
"""All commands, in the order of the help, in which their functions stand here."""


def _command(name: str, takes: str, sentence: str) -> Callable[[Run], Run]:
    """Have a function carry out a slash command."""

    def add(run: Run) -> Run:
        COMMANDS.append(Command(name, takes, sentence, run))
        return run

    return add


@_command("new", "[LABEL]", translatable("begin another conversation"))
async def new(chat: OpenConversation, label: str) -> Reply:
    """Begin a conversation with a label, or without one (S-26)."""
    begun = await chat.begin(label)
    line = chat.words.say("Begun: {name}", name=_name(begun))
    return Reply(lines=(line,), status=chat.status)


@_command("list", "", translatable("list the conversations, the latest first"))
async def list_all(chat: OpenConversation, argument: str) -> Reply:
    """List the conversations, the latest first, with the current one marked (SC-5)."""
    current = chat.status.conversation
    return Reply(lines=tuple(_line(entry, current, chat.words) for entry in chat.entries()))


def _line(entry: entries.Entry, current: str, words: Words) -> str:
    mark = words.gettext(translatable(" <-- current")) if entry.id == current else ""
    line = words.say(
        "{name}  msgs={count}  last={last}",
        name=_name(entry),
        count=entry.message_count,
        last=entry.last_active[:19],
    )
    return f"    {line}{mark}"


def _name(entry: entries.Entry) -> str:
    return f"{entry.id} ({entry.label})" if entry.label else entry.id


@_command(
    "switch", "NAME", translatable("go to a conversation, by the beginning of its id or label")
)
async def switch(chat: OpenConversation, name: str) -> Reply:
    """Open the only conversation whose id or label is, or begins with, `name` (S-27, SC-4)."""
    if not name:
        return _refused(chat.words.say("Usage: /switch <session_id>"))
    try:
        entry = await chat.switch(chat.find(name).id)
    except entries.NoConversation:
        return _refused(chat.words.say("Session not found: {name}", name=name))
    except entries.Ambiguous as exc:
        names = ", ".join(map(_name, exc.entries))
        return _refused(chat.words.say("Ambiguous prefix, matches: {names}", names=names))
    line = chat.words.say(
        "Now in {name}; messages: {count}.", name=_name(entry), count=entry.message_count
    )
    return Reply(
        lines=(line, *chat.notice.splitlines()), status=chat.status, last=chat.last_exchange()
    )


def _refused(line: str) -> Reply:
    return Reply(lines=(line,), failed=True)


def _misused(chat: OpenConversation, usage: str) -> Reply:
    return _refused(chat.words.say("Usage: {usage}", usage=usage))


BAR: Final = 30
"""The length of the bar of `/context`, in characters (S-28)."""
TOO_FEW: Final = 4
"""A history of this many messages or fewer is not summarised (SC-4)."""
_COLORS: Final = ((50.0, "\x1b[32m"), (80.0, "\x1b[33m"), (float("inf"), "\x1b[31m"))
_PLAIN: Final = "\x1b[39m"


@_command(
    "context",
    "[--show]",
    translatable("how full the model's window is; --show: what would be sent"),
)
async def context(chat: OpenConversation, argument: str) -> Reply:
    """Show used and available tokens as numbers and a bar (S-28, SC-6).

    With `--show`, show what the next request would send instead.
    """
    if argument == "--show":
        return Reply(lines=tuple((await chat.preview()).splitlines()))
    use = await chat.use()
    return Reply(
        lines=(
            chat.words.say(
                "Context usage: ~{tokens:,} / {limit:,} tokens", tokens=use.tokens, limit=use.limit
            ),
            bar(100 * use.tokens / use.limit),
            chat.words.say("Messages: {count}", count=use.messages),
        )
    )


def bar(percent: float) -> str:
    """Return a bar of `BAR` characters: green below 50 %, yellow below 80 %, else red."""
    filled = min(BAR, int(BAR * percent / 100))
    color = next(color for limit, color in _COLORS if percent < limit)
    return f"{color}[{'#' * filled}{'-' * (BAR - filled)}] {percent:.1f}%{_PLAIN}"


@_command("compact", "", translatable("have the older half summed up"))
async def compact(chat: OpenConversation, argument: str) -> Reply:
    """Have the model summarise the older half of the messages (S-29)."""
    use = await chat.use()
    if use.messages <= TOO_FEW:
        return _refused(chat.words.say("Too few messages to compact (need > 4)."))
    before, after = await chat.compact()
    line = chat.words.say(
        "Summed up: {before} → {after} messages in the next request; the record keeps them all.",
        before=before,
        after=after,
    )
    return Reply(lines=(line,), status=chat.status)


@_command(
    "work", "[N|status|off]", translatable("work mode for N turns (8), how many are left, or off")
)
async def work(chat: OpenConversation, argument: str) -> Reply:
    """Switch work mode on or off, or show how many turns of it are left (W-6)."""
    return _overlay(chat, f"/work {argument}")


@_command("normal", "", translatable("work mode off"))
async def normal(chat: OpenConversation, argument: str) -> Reply:
    """Switch work mode off."""
    return _overlay(chat, f"/normal {argument}")


def _overlay(chat: OpenConversation, line: str) -> Reply:
    lines = chat.work.command(line)
    if lines is None:
        return Reply(lines=(usage(chat.words.language),), failed=True)
    return Reply(lines=lines, status=chat.status)


@_command("mode", "[MODE]", translatable("the agent mode: calm, reserved or autonomous"))
async def mode(chat: OpenConversation, to: str) -> Reply:
    """Show the agent mode, or change it and tell each step's result."""
    if not to:
        stands = chat.status.mode
        means = next(told for name, (_, told) in MODES.items() if name == stands)
        line = f"{stands}: {chat.words.gettext(means)}"
        return Reply(lines=(line, *chat.allowance()))
    if to.casefold() not in MODES:
        return _misused(chat, f"/mode [{'|'.join(MODES)}]")
    lines = await chat.change_mode(to.casefold())
    return Reply(lines=lines, status=chat.status)


@_command(
    "grants", "[off [N]]", translatable("what you allowed for this conversation; off: take it back")
)
async def grants(chat: OpenConversation, argument: str) -> Reply:
    """List what the user granted for this conversation, or take back one of it, or all."""
    given, say = chat.grants(), chat.words
    word, _, number = argument.casefold().partition(" ")
    if word == "off":
        chosen = given if number in ("", "all") else _at(given, number)
        if not chosen:
            return _refused(say.say("There is no grant {number}.", number=number))
        for grant, _ in chosen:
            chat.revoke(grant)
        given = chat.grants()
    elif word:
        return _misused(chat, "/grants [off [N]]")
    if not given:
        return Reply(lines=(say.gettext("Nothing is granted; each act is asked for."),))
    again = say.gettext("asked again, since a text from outside was read")
    return Reply(
        lines=tuple(
            f"  {at} {grant.scope} ({grant.tool}{f': {again}' if stale else ''})"
            for at, (grant, stale) in enumerate(given, 1)
        )
        + (say.gettext("`/grants off N` takes one back, `/grants off` all."),)
    )


@_command(
    "folder",
    "[PATH|off [N]]",
    translatable("folders that it may read: list them, add one, take one back"),
)
async def folder(chat: OpenConversation, argument: str) -> Reply:
    """List the folders that the agent may read, let it read in one more, or take one back."""
    say, folders = chat.words, chat.folders
    word, _, which = argument.partition(" ")
    try:
        if word == "off":
            listed = folders.listed()
            named = tuple(one for one in listed if str(one[0]) == which.strip())
            chosen = listed if which.strip() in ("", "all") else named or _at(listed, which)
            if not chosen:
                return _refused(say.say("There is no folder {folder}.", folder=which))
            for path, _ in chosen:
                await anyio.to_thread.run_sync(folders.remove, path)
        elif argument:
            await anyio.to_thread.run_sync(folders.add, Path(argument))
    except ToolFault as exc:
        return _refused(say.told(exc.sentence))
    except OSError as exc:
        return _refused(say.say("That cannot be kept: {reason}.", reason=exc.strerror or exc))
    listed = folders.listed()
    if not listed:
        return Reply(lines=(say.gettext("No folder is granted; each is asked for once."),))
    kinds = {True: say.gettext("remembered"), False: say.gettext("in this conversation")}
    gone = say.gettext("not there any more")
    return Reply(
        lines=tuple(
            f"  {at} {path} ({kinds[kept] if path.is_dir() else gone})"
            for at, (path, kept) in enumerate(listed, 1)
        )
        + (say.gettext("`/folder off N` takes one back, `/folder off` all."),)
    )


@_command(
    "answer",
    "N [CHOICE]",
    translatable("what session N asks, or its answer, without asking the model"),
)
async def answer_session(chat: OpenConversation, argument: str) -> Reply:
    """Answer the question of a session, or show it; no model is asked."""
    session, _, choice = argument.partition(" ")
    if not session:
        return _misused(chat, "/answer <session> [<choice>]")
    return Reply(lines=await chat.answer(session, choice.strip()))


_REMINDS: Final = translatable("Reminder {said}")
_CANCELLED: Final = translatable("Cancelled: reminder {said}")
_NO_REMINDER: Final = translatable("No reminder is open; `/remind 20m stretch` sets one.")
_HOW_CANCELLED: Final = translatable("`/remind off N` cancels one, `/remind off` all.")


@_command(
    "remind",
    "[WHEN TEXT|off [N]]",
    translatable("reminders: list them, set one (20m stretch), cancel one"),
)
async def remind(chat: OpenConversation, argument: str) -> Reply:
    """List the open reminders, set one, or cancel one or all; no model is asked."""
    say = chat.words
    word, _, which = argument.partition(" ")
    if word in ("off", "cancel"):
        return await _cancel(chat, which.strip())
    if argument:
        try:
            when, told = split(_arguments(argument), time.time())
        except BadWhen:
            return _misused(chat, "/remind [20m|at 17:00|when 3 fails] [TEXT] | off [N]")
        set_so = messages.Remind(
            id=0, when=when, words=told[:WORDS_LIMIT], conversation=chat.status.conversation
        )
        return Reply(lines=(say.say(_REMINDS, said=(await chat.request(set_so)).said),))
    found = (await chat.request(messages.ListReminders(id=0))).open
    if not found:
        return Reply(lines=(say.gettext(_NO_REMINDER),))
    return Reply(lines=(*(f"  {one.said}" for one in found), say.gettext(_HOW_CANCELLED)))


async def _cancel(chat: OpenConversation, which: str) -> Reply:
    """Cancel the reminder with a number, or all."""
    plain = unicodedata.normalize("NFKC", which)
    if which in ("", "all"):
        found = (await chat.request(messages.ListReminders(id=0))).open
        numbers = [one.reminder.number for one in found]
    elif plain.isascii() and plain.isdigit():
        numbers = [int(plain)]
    else:
        return _misused(chat, "/remind off [N]")
    dropped = [await chat.request(messages.CancelReminder(id=0, number=one)) for one in numbers]
    lines = tuple(chat.words.say(_CANCELLED, said=one.said) for one in dropped)
    return Reply(lines=lines or (chat.words.gettext(_NO_REMINDER),))


def _arguments(line: str) -> list[str]:
    """Return the words of a line, those between quotes as one, as a shell has it."""
    try:
        return shlex.split(line)
    except ValueError:  # a quote that is an apostrophe
        return line.split()


_Item = TypeVar("_Item")


def _at(items: Sequence[_Item], number: str) -> tuple[_Item, ...]:
    """Return the item with this number, counted from 1; none if there is none."""
    plain = unicodedata.normalize("NFKC", number).strip()
    at = int(plain) if plain.isascii() and plain.isdigit() else 0
    return tuple(items[at - 1 : at]) if at else ()


TOOLS: Final = {
    "list_sessions": translatable("lists the sessions"),
    "read_session": translatable("reads a session's screen and lines"),
    "wait_for_session": translatable("waits for a session"),
    "search_history": translatable("searches what all sessions have printed"),
    "why_session": translatable("asks why a session stands as it does"),
    "send_to_session": translatable("types a text into a session"),
    "press_keys": translatable("presses keys in a session"),
    "answer_session": translatable("answers a session's question"),
    "start_session": translatable("starts a session"),
    "restart_session": translatable("starts a session's command again"),
    "stop_session": translatable("ends a session"),
    "guard_show": translatable("looks how a guard stands"),
    "guard_diff": translatable("looks what has changed in a guarded project"),
    "guard_discuss": translatable("puts a guarded project back into discussion"),
    "remind": translatable("reminds you of something"),
    "list_reminders": translatable("lists the reminders"),
    "cancel_reminder": translatable("drops a reminder"),
    "review_session": translatable("looks what has changed in a session's folder"),
    "read_file": translatable("reads a file"),
    "list_directory": translatable("lists a folder"),
    "search_files": translatable("searches files"),
    "get_current_time": translatable("looks at the clock"),
    "write_file": translatable("writes a file"),
    "edit_file": translatable("changes a file"),
    "git_diff": translatable("looks what has changed since a commit"),
    "git_log": translatable("looks at commits"),
    "remember": translatable("keeps a fact in mind"),
    "forget": translatable("forgets a fact"),
    "list_worktrees": translatable("lists the worktrees"),
    "merge_worktree": translatable("merges a worktree"),
}
"""What each tool does, for the user; what the model is told of it stands at the tool."""


@_command("tools", "", translatable("what the model may use"))
async def tools(chat: OpenConversation, argument: str) -> Reply:
    """List the tools: those that read, and those that ask before they act."""
    listed = chat.tools()
    width = max((len(tool.name) for tool in listed), default=0)
    return Reply(lines=tuple(_tool(chat, tool, width) for tool in listed))


def _tool(chat: OpenConversation, tool: ToolLine, width: int) -> str:
    say = chat.words.gettext
    kind = say("asks first") if tool.acts else say("reads")
    if tool.allowed:
        kind = say("allowed here")
    return f"  {tool.name:<{width}}  {say(TOOLS[tool.name])} ({kind})"


@_command("model", "[NAME]", translatable("show the model, or ask another one"))
async def model(chat: OpenConversation, name: str) -> Reply:
    """Show the model's name, or use another model from the next turn on."""
    if not name:
        return Reply(lines=(chat.status.model,))
    chat.model = name
    line = chat.words.say("From the next turn on {name} is asked.", name=name)
    return Reply(lines=(line,), status=chat.status)


@_command("cost", "", translatable("tokens and cost so far"))
async def cost(chat: OpenConversation, argument: str) -> Reply:
    """Show what this conversation used since it was opened, and what all of the agent's did today."""
    used, say = chat.usage, chat.words.say
    line = say(
        "Tokens: {input} in, {output} out; from the cache {cached}.",
        input=f"{used.input:,}",
        output=f"{used.output:,}",
        cached=f"{used.cache_read:,}",
    )
    price = "" if used.cost is None else f"${used.cost:.4f}"
    unknown = chat.words.gettext("What this model costs is not known.")
    return Reply(lines=(line, price or unknown, *_today(chat)))


_ROUTES: Final = {
    "chat": translatable("conversations"),
    "summary": translatable("summaries"),
    "ask": translatable("single questions"),
    "loop": translatable("by itself"),
}


def _today(chat: OpenConversation) -> Iterator[str]:
    """Yield what was spent today for each reason to ask the model, and what may be spent."""
    today, most, say = chat.today(), chat.day_limit, chat.words.say
    if today.routes:
        yield say("Today:")
    for route, name in _ROUTES.items():
        if spent := today.routes.get(route):
            yield say(
                "  {name}: {requests} requests, {tokens} tokens, {cost}",
                name=chat.words.gettext(name),
                requests=spent.requests,
                tokens=f"{spent.tokens:,}",
                cost="?" if spent.unpriced == spent.requests else f"${spent.cost:.4f}",
            )
    if most:
        yield say(
            "Together ${cost} of at most ${most} a day.", cost=f"{today.cost:.4f}", most=f"{most:g}"
        )
    if most and today.unpriced:
        yield say(UNKNOWN, count=today.unpriced, assumed=f"${today.assumed:.4f}")


@_command("export", "[FILE]", translatable("the conversation as Markdown, shown or into a file"))
async def export(chat: OpenConversation, file: str) -> Reply:
    """Return the conversation as Markdown; the front end writes it to `file`, if one is named."""
    return Reply(lines=tuple(chat.export().splitlines()))


@_command("retry", "", translatable("say the latest message again"))
async def retry(chat: OpenConversation, argument: str) -> Reply:
    """Have the front end send the user's latest message again."""
    text = chat.last_said()
    if not text:
        return _refused(chat.words.say("Nothing was said in this conversation yet."))
    return Reply(say=text)


@_command("help", "", translatable("this list"))
async def _help(chat: OpenConversation, argument: str) -> Reply:
    """List the commands in two columns."""
    width = max(len(command.usage) for command in _SHOWN)
    say = chat.words.gettext
    return Reply(
        lines=tuple(f"  {command.usage:<{width}}  {say(command.sentence)}" for command in _SHOWN)
    )


@_command("exit", "", translatable("end; so do quit, exit and Ctrl+D"))
@_command("quit", "", translatable("end; so do quit, exit and Ctrl+D"))
async def _leave(chat: OpenConversation, argument: str) -> Reply:
    return Reply(ends=True)


_SHOWN: Final = tuple(command for command in COMMANDS if command.name != "exit")
_BY_NAME: Final = {command.name: command for command in COMMANDS}


def is_command(line: str) -> bool:
    """Tell whether a line is a slash command, known or not; a path like `/etc/hosts` is not."""
    name, _ = _split(line)
    return name.startswith("/") and "/" not in name[1:] and "\n" not in line.strip()


def is_end(line: str) -> bool:
    """Tell whether a line is one of the bare words that end the program (SB-21)."""
    name, argument = _split(line)
    return not argument and name.casefold() in ("quit", "exit")


async def answer(chat: OpenConversation, line: str) -> Reply:
    """Carry out a line for which `is_command` holds; a fault becomes the answer's only line."""
    name, argument = _split(line)
    command = _BY_NAME.get(name[1:].casefold())
    if command is None:
        return Reply(lines=(unknown(chat.words, name[1:]),), failed=True)
    try:
        return await command.run(chat, argument)
    except TalkFault as exc:
        return Reply(lines=(str(exc),), failed=True)
    except entries.ConversationFault as fault:
        return Reply(lines=(fault.say(chat.words),), failed=True)


def unknown(words: Words, name: str) -> str:
    """Return the sentence for an unknown command, which names the nearest one (SB-21)."""
    if near := nearest_name(name.casefold(), _BY_NAME, likeness=0.5):
        return words.say(
            "There is no command /{name}. Was /{near} meant? /help lists all.",
            name=name,
            near=near,
        )
    return words.say("There is no command /{name}; /help lists all.", name=name)


def _split(line: str) -> tuple[str, str]:
    """Return the first word with full-width letters made ASCII (WB-5), and the rest unchanged."""
    name, *rest = line.split(maxsplit=1) or [""]
    return unicodedata.normalize("NFKC", name), "".join(rest).strip()


def sentence_of(line: str) -> str:
    """Return the sentence of a command without an argument, to be translated; empty for others."""
    command = _BY_NAME.get(line.removeprefix("/"))
    return command.sentence if command else ""


def completions(chat: OpenConversation, line: str) -> tuple[str, ...]:
    """Return whole lines that begin with `line`: command names, or a command with an argument."""
    name, space, argument = line.partition(" ")
    if not space:
        return tuple(f"/{one.name}" for one in COMMANDS if f"/{one.name}".startswith(line))
    return tuple(
        f"{name} {value}" for value in _values(chat, name) if value.startswith(argument.lstrip())
    )


def _values(chat: OpenConversation, name: str) -> tuple[str, ...]:
    match name:
        case "/switch":
            return tuple(entry.label or entry.id for entry in chat.entries())
        case "/mode":
            return tuple(MODES)
        case "/work":
            return ("status", "off")
        case "/context":
            return ("--show",)
        case _:
            return ()
