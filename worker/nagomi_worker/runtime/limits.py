"""How much is read ahead of whom, and how long things take."""

from __future__ import annotations

from typing import NamedTuple


class Grace(NamedTuple):
    """Seconds that processes get before the next, harder signal."""

    hup: float = 0.3
    term: float = 0.5
    kill: float = 0.2
    give_up: float = 10.0
    """After so long what is left cannot be killed: it hangs in the kernel or is another user's."""


class Limits(NamedTuple):
    """The worker's figures in one place."""

    window: int = 64 * 1024
    """Bytes of a session that may be on their way without being acknowledged."""
    alone_window: int = 256 * 1024
    """The same while no other session has printed for `alone_seconds`: nobody's key waits."""
    alone_seconds: float = 0.5
    away_window: int = 1024 * 1024
    """For `away_seconds` after the orchestrator went: a short replay for its return."""
    away_seconds: float = 3.0
    rest_seconds: float = 0.03
    """A session that says a little at a time, and was not typed into, is read so often."""
    rest_below: int = 4096
    """What counts as a little, as `Pace` has it: 57 KB a second."""
    quiet_seconds: float = 0.05
    """After so long an unfinished character is given up."""
    reopen_seconds: float = 0.5
    """How often to look at a terminal that the running command has closed."""
    fresh_seconds: float = 2.0
    """A query that is younger was perhaps never answered."""
    unheard_seconds: float = 10.0
    """Nobody has seen what was printed so long before the orchestrator went, had it hung."""
    pack_seconds: float = 5.0
    """What a session printed is compressed after so long a silence."""
    idle_seconds: float = 60.0
    """A resident worker with no session and no peer ends after so long."""
    linger_seconds: float = 1.0
    """At the end, the last messages get so long to be taken."""
    grace: Grace = Grace()
