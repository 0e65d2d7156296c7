"""Messages about the resident agent: its start, what it tells of itself, what front ends hear."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from nagomi_tui.api.messages.base import Message, Nothing, Request, Result
from nagomi_tui.judge.verdict import NextAction
from nagomi_tui.text.words import translatable

Mode: TypeAlias = Literal["calm", "reserved", "autonomous"]
"""What the resident agent may do by itself."""
MODES: Final[dict[Mode, tuple[str, str]]] = {
    "calm": (translatable("calm"), translatable("Answers when it is spoken to, and does no more.")),
    "reserved": (
        translatable("reserved"),
        translatable("Follows what goes on, keeps notes, speaks when spoken to."),
    ),
    "autonomous": (
        translatable("autonomous"),
        translatable("Follows what goes on, says what matters, proposes next steps."),
    ),
}
"""Each mode's word, and the sentence that says what it means."""


class AgentAddress(Result, frozen=True, kw_only=True):
    """Where the resident agent listens; only its user reaches it there."""

    socket: str
    """Path of its Unix socket."""
    pid: int


class StartAgent(Request[AgentAddress], frozen=True, kw_only=True, tag="start_agent"):
    """Have the resident agent run; answered as soon as it listens, at once where it does already."""


class AgentMode(Request[Nothing], frozen=True, kw_only=True, tag="agent_mode"):
    """Have the resident agent go over to a mode; it is started for that where it does not run.

    Answered when it has been told. `agent` tells the mode that it is in.
    """

    mode: Mode


class AgentOrder(Message, frozen=True, kw_only=True, tag="agent_order"):
    """Tell the resident agent which mode its user wants."""

    mode: Mode


class AgentTold(Message, frozen=True, kw_only=True, tag="agent_told"):
    """The resident agent tells how it stands; whoever says this is the agent from then on."""

    pid: int
    mode: str = "calm"
    """`calm`, `reserved` or `autonomous`."""
    says: str = ""
    """A sentence of its own accord, for the balloon of the character."""
    said_at: float = 0.0
    """When it said that, in seconds since the epoch."""
    thinking: bool = False
    """It waits for its model."""
    work_turns: int = 0
    """Turns left of work mode in the open conversation that was used last; 0 while it is off."""
    inner: str = ""
    """Its inner notes, masked; in calm they stand still."""
    tracking: str = ""
    """What it was following when it became reserved, masked."""


class ProposedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A command for a session, and why; its risk is read from the command by whoever shows it."""

    session: str
    command: str
    reason: str = ""


class AgentThought(Message, frozen=True, kw_only=True, tag="agent_thought"):
    """The resident agent tells what it thought of its own accord; nothing of it is run."""

    says: str = ""
    """A sentence that the user is called with, if they are elsewhere."""
    digest: tuple[str, ...] = ()
    """What happened while the user was away, for when they are back."""
    steps: tuple[ProposedStep, ...] = ()


class Proposed(Message, frozen=True, kw_only=True, tag="proposed"):
    """Steps that the resident agent proposes for a session, as long as it is in this turn."""

    session: str
    turn: int
    steps: tuple[NextAction, ...]


class Agent(AgentTold, frozen=True, kw_only=True, tag="agent"):
    """How the resident agent stands, as it told last; `pid` is 0 while it does not run."""

    pid: int = 0


AgentFromClient: TypeAlias = StartAgent | AgentMode | AgentTold | AgentThought
AgentToClient: TypeAlias = Agent | AgentOrder | Proposed
