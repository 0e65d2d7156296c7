"""Commands on the model: its context window, its tools, its name and its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.agent.talk.events import Reply

if TYPE_CHECKING:
    from nagomi_tui.agent.turns.commands.desk import Desk, ToolLine

BAR: Final = 30
"""The length of the bar of `/context`, in characters (S-28)."""
TOO_FEW: Final = 4
"""A history of this many messages or fewer is not summarised (SC-4)."""
_COLORS: Final = ((50.0, "\x1b[32m"), (80.0, "\x1b[33m"), (float("inf"), "\x1b[31m"))
_PLAIN: Final = "\x1b[39m"


async def context(desk: Desk, argument: str) -> Reply:
    """Show used and available tokens as numbers and a bar (S-28, SC-6).

    With `--show`, show what the next request would send instead.
    """
    if argument == "--show":
        return Reply(lines=tuple((await desk.preview()).splitlines()))
    use = await desk.use()
    return Reply(
        lines=(
            f"Context usage: ~{use.tokens:,} / {use.limit:,} tokens",
            bar(100 * use.tokens / use.limit),
            f"Messages: {use.messages}",
        )
    )


def bar(percent: float) -> str:
    """Return a bar of `BAR` characters: green below 50 %, yellow below 80 %, else red."""
    filled = min(BAR, int(BAR * percent / 100))
    color = next(color for limit, color in _COLORS if percent < limit)
    return f"{color}[{'#' * filled}{'-' * (BAR - filled)}] {percent:.1f}%{_PLAIN}"


async def compact(desk: Desk, argument: str) -> Reply:
    """Have the model summarise the older half of the messages (S-29)."""
    use = await desk.use()
    if use.messages <= TOO_FEW:
        return Reply(lines=("Too few messages to compact (need > 4).",), failed=True)
    done = await desk.compact()
    line = desk.words.say(
        "Summed up: {before} → {after} messages in the next request; the record keeps them all.",
        before=done.before,
        after=done.after,
    )
    return Reply(lines=(line,), status=desk.status)


async def tools(desk: Desk, argument: str) -> Reply:
    """List the tools: those that read, and those that ask before they act."""
    listed = desk.tools()
    width = max((len(tool.name) for tool in listed), default=0)
    return Reply(lines=tuple(_tool(desk, tool, width) for tool in listed))


def _tool(desk: Desk, tool: ToolLine, width: int) -> str:
    say = desk.words.gettext
    kind = say("asks first") if tool.acts else say("reads")
    if tool.allowed:
        kind = say("allowed here")
    return f"  {tool.name:<{width}}  {tool.sentence} ({kind})"


async def model(desk: Desk, name: str) -> Reply:
    """Show the model's name, or use another model from the next turn on."""
    if not name:
        return Reply(lines=(desk.status.model,))
    desk.use_model(name)
    line = desk.words.say("From the next turn on {name} is asked.", name=name)
    return Reply(lines=(line,), status=desk.status)


async def cost(desk: Desk, argument: str) -> Reply:
    """Show the tokens used since the conversation was opened, and their cost in US$ if known."""
    used = desk.usage()
    line = desk.words.say(
        "Tokens: {input} in, {output} out; from the cache {cached}.",
        input=f"{used.input:,}",
        output=f"{used.output:,}",
        cached=f"{used.cache_read:,}",
    )
    price = "" if used.cost is None else f"${used.cost:.4f}"
    unknown = desk.words.gettext("What this model costs is not known.")
    return Reply(lines=(line, price or unknown))
