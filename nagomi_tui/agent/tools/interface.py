"""The interface of a tool: its schema, whether it reads or acts, its deadline and output limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, TypeVar

import msgspec

from nagomi_tui.agent.providers.interface import ToolSchema
from nagomi_tui.system.decoding import from_builtins
from nagomi_tui.text.words import Said, translatable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MAX_OUTPUT: Final = 50_000
"""The longest result, in characters."""
_MISFIT: Final = translatable("The input of {tool} does not fit: {fault}.")


class ToolFault(Exception):
    """A tool cannot do what was asked of it.

    The message is nagomi's own sentence for the model. `data` is text from elsewhere about the
    fault, which the model gets marked as data; may be empty. `in_lines` is as with `Output`.
    """

    def __init__(self, sentence: str | Said, data: str = "", *, in_lines: bool = False) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence
        """The message as it can be said in the user's language."""
        self.data = data
        self.in_lines = in_lines


class Output(NamedTuple):
    """What a tool found or did.

    `said` is nagomi's own text, in English for the model. `data` came from elsewhere and may contain anything, so the model
    gets it marked as data; None if there is none.
    """

    said: str | Said
    data: str | None = None
    in_lines: bool = False
    """Whether the lines of `said` are kept; else it is one, whatever names there are in it."""
    session: str = ""
    """Id of the session that it made."""


class ToolResult(NamedTuple):
    """The result of one call; `text` is for the model, and `ok` is the opposite of `is_error`."""

    text: str
    ok: bool = True
    summary: str = ""
    """One line for the user, in their language."""
    session: str = ""
    """Id of the session that it made."""


class Plan(NamedTuple):
    """Exactly what an acting tool would do; nothing has been done yet."""

    title: str
    """One line for the user, in their language."""
    detail: str
    """The command, the text or the diff, exactly as it will take effect."""
    target: str
    """What a grant for the conversation covers, together with the tool's name: an id or a path."""
    act: Callable[[], Awaitable[Output]]
    """Carries out the plan; raises `ToolFault` if what the user was shown is no longer true."""
    risk: str = ""
    """`low`, `medium` or `high`, computed by nagomi and not told by the model; empty for none."""
    scope: str = ""
    """What a grant for the conversation covers, in the user's words; empty where there is none."""


class Given(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The input of a tool; its annotations are the schema that the model gets."""


_Given = TypeVar("_Given", bound=Given)


class Tool(ABC, Generic[_Given]):
    """A tool that the model may call: either a `Reader` or an `Actor`."""

    name: ClassVar[str]
    description: ClassVar[str]
    given: ClassVar[type[Given]]
    seconds: ClassVar[float] = 10.0
    """The deadline of each step, in seconds; the wait for the user's answer has none."""
    acts: ClassVar[bool]

    @property
    def schema(self) -> ToolSchema:
        """The name, description and input schema that the model gets."""
        return ToolSchema(
            name=self.name, description=self.description, parameters=_parameters(self.given)
        )

    def read_input(self, given: dict[str, Any]) -> _Given:
        """Return the model's input, checked against the schema.

        Raises:
            ToolFault: the input does not fit the schema.
        """
        try:
            checked: Any = from_builtins(given, self.given)
        except msgspec.ValidationError as exc:
            raise ToolFault(Said(_MISFIT, {"tool": self.name, "fault": exc})) from exc
        found: _Given = checked
        return found


class Reader(Tool[_Given]):
    """A tool that changes nothing."""

    acts = False

    @abstractmethod
    async def read(self, given: _Given) -> Output:
        """Return what the input asks for.

        Raises:
            ToolFault: that cannot be read.
        """


class Actor(Tool[_Given]):
    """A tool that changes something, once the user has agreed."""

    acts = True

    @abstractmethod
    async def plan(self, given: _Given) -> Plan:
        """Return what the tool would do, without doing anything.

        Raises:
            ToolFault: it could not be done.
        """


def _parameters(given: type[Given]) -> dict[str, Any]:
    """Return the JSON Schema of an input, which needs no references to other schemas."""
    (_,), components = msgspec.json.schema_components([given])
    schema: dict[str, Any] = components[given.__name__]
    schema.pop("title", None)
    schema.pop("description", None)
    return schema
