"""What a tool is: a schema, the class read or act, limits on time and size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, TypeVar

import msgspec

from nagomi_tui.agent.providers.interface import ToolSchema

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

MAX_OUTPUT: Final = 50_000
"""The longest result, in characters."""


class ToolFault(Exception):
    """A tool cannot do what it was told.

    The message is a sentence of ours for the model; `data` is what others said about it.
    """

    def __init__(self, sentence: str, data: str = "") -> None:
        super().__init__(sentence)
        self.data = data


class Output(NamedTuple):
    """What a tool found or did.

    `said` is ours; `data` came from elsewhere and may say anything, so the model gets it fenced.
    """

    said: str
    data: str | None = None


class ToolResult(NamedTuple):
    """The answer to one call, as the model gets it; not `ok` is the API's `is_error`."""

    text: str
    ok: bool = True
    summary: str = ""
    """One line for the user."""


class Plan(NamedTuple):
    """What an acting tool would do, word for word; nothing was done yet."""

    title: str
    """One line for the user, in their language."""
    detail: str
    """The command, the text or the diff, exactly as it will take effect."""
    target: str
    """The target that a grant for the conversation covers, together with the tool's name."""
    act: Callable[[], Awaitable[Output]]
    """Carries out the plan, unless what the user was shown no longer holds."""
    risk: str = ""
    """`low`, `medium` or `high`, computed from what will be run; never told by the model."""


class Given(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The input of a tool; its annotations are the schema that the model gets."""


_Given = TypeVar("_Given", bound=Given)


class Tool(ABC, Generic[_Given]):
    """Something that the model may ask for; `Reader` and `Actor` are its two classes."""

    name: ClassVar[str]
    description: ClassVar[str]
    given: ClassVar[type[Given]]
    seconds: ClassVar[float] = 10.0
    """Deadline of each step that does not wait for the user."""
    acts: ClassVar[bool]

    @property
    def schema(self) -> ToolSchema:
        """Return the tool as the model is told of it."""
        return ToolSchema(
            name=self.name, description=self.description, parameters=_parameters(self.given)
        )

    def read_input(self, given: dict[str, Any]) -> _Given:
        """Return the checked input.

        Raises:
            ToolFault: it does not fit the schema.
        """
        try:
            checked: Any = msgspec.convert(given, self.given)
        except msgspec.ValidationError as exc:
            raise ToolFault(f"The input of {self.name} does not fit: {exc}.") from exc
        found: _Given = checked
        return found


class Reader(Tool[_Given]):
    """A tool that changes nothing."""

    acts = False

    @abstractmethod
    async def read(self, given: _Given) -> Output:
        """Return what was asked for.

        Raises:
            ToolFault: it cannot be had.
        """


class Actor(Tool[_Given]):
    """A tool that changes something, once the user has agreed."""

    acts = True

    @abstractmethod
    async def plan(self, given: _Given) -> Plan:
        """Return what would be done, having done nothing.

        Raises:
            ToolFault: it cannot be done.
        """


def _parameters(given: type[Given]) -> dict[str, Any]:
    """Return the JSON Schema of an input with nothing to look up elsewhere."""
    (_,), components = msgspec.json.schema_components([given])
    schema: dict[str, Any] = components[given.__name__]
    schema.pop("title", None)
    schema.pop("description", None)
    return schema
