"""The tools that the table of verbs names, for the resident agent and for other agents alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Final

import msgspec

from nagomi_tui.agent.tools import session_actors, session_readers
from nagomi_tui.agent.tools.granted import ContextActor, ContextReader, ToolContext
from nagomi_tui.agent.tools.interface import Actor, Given, Output, Plan, Reader, Workplace
from nagomi_tui.api.verbs import VERBS, Tool, Verb, request_type
from nagomi_tui.text.cells import visible
from nagomi_tui.text.words import Said, translatable

_ANSWER: Final = translatable("nagomi's answer:")
_SAME: Final = translatable("exactly this, in this conversation")


_OWN: Final[tuple[type[ContextReader[Any] | ContextActor[Any]], ...]] = (
    session_readers.ListSessions, session_readers.ReadSession, session_readers.WaitForSession, session_readers.SearchHistory, session_readers.WhySession, session_readers.Remind,
    session_actors.SendToSession, session_actors.PressKeys, session_actors.AnswerSession, session_actors.StartSession, session_actors.RestartSession,
)  # fmt: skip
"""Those that the table does not describe whole."""


def verb_tools(
    context: ToolContext, verbs: Sequence[Verb] = VERBS
) -> tuple[Reader[Any] | Actor[Any], ...]:
    """Return the tool of each verb that has one."""
    own = [tool(context) for tool in _OWN]
    by_name = {tool.name: tool for tool in own}
    return tuple(
        by_name.get(verb.tool.name) or _made(verb, verb.tool, context)
        for verb in verbs
        if verb.tool is not None
    )


class VerbReader(ContextReader[Given]):
    """Makes a request that changes nothing, and tells its result."""

    verb: ClassVar[Verb]
    tool: ClassVar[Tool]

    async def read(self, given: Given) -> Output:
        return await _asked(self._workplace, self.verb, self.tool, msgspec.structs.asdict(given))


class VerbActor(ContextActor[Given]):
    """Makes a request once the user has agreed to it."""

    verb: ClassVar[Verb]
    tool: ClassVar[Tool]

    async def plan(self, given: Given) -> Plan:
        """Return the request: its session's command, and a line for each other field."""
        fields = msgspec.structs.asdict(given)
        values, lines, target = dict(fields), [], ""
        if "session" in fields:
            session = await self._workplace.find(fields["session"])
            fields["session"] = target = session.session_id
            values |= {"number": session.number, "name": session.name}
            lines.append(session.cmd)
        lines += [f"{name}: {value}" for name, value in fields.items() if name != "session"]
        return Plan(
            title=self._words.say(self.tool.consent, **values),
            detail="\n".join(map(visible, lines)),
            target="\0".join([target, *lines[bool(target) :]]),
            scope=self._words.gettext(_SAME),
            act=partial(_asked, self._workplace, self.verb, self.tool, fields),
        )


def _made(verb: Verb, tool: Tool, context: ToolContext) -> VerbReader | VerbActor:
    """Return a tool that the table describes whole."""
    base = VerbActor if tool.consent else VerbReader
    about = {
        "name": tool.name,
        "description": tool.description,
        "given": _given(verb, tool),
        "seconds": tool.seconds,
        "verb": verb,
        "tool": tool,
    }
    made: type[VerbReader | VerbActor] = type(verb.request, (base,), about)
    return made(context)


def _given(verb: Verb, tool: Tool) -> type[Given]:
    """Return the type of a tool's input: some of the fields of the request."""
    known = {one.name: one for one in msgspec.structs.fields(request_type(verb))}
    make: Any = msgspec.field
    fields = [
        (
            name,
            session_readers.SessionName if name == "session" else known[name].type,
            make(default=known[name].default, default_factory=known[name].default_factory),
        )
        for name in tool.fields
    ]
    made: Any = msgspec.defstruct(
        f"{verb.request}Given", fields, bases=(Given,), frozen=True, kw_only=True
    )
    found: type[Given] = made
    return found


async def _asked(workplace: Workplace, verb: Verb, tool: Tool, fields: dict[str, Any]) -> Output:
    found = await workplace.request(request_type(verb)(id=0, **fields), timeout=tool.seconds)
    told: dict[str, Any] = msgspec.to_builtins(found)
    if tool.answer:
        return Output(Said(tool.answer, told))
    return Output(Said(_ANSWER, {}), msgspec.json.encode(told).decode())
