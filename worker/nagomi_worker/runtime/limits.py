"""All limits of a worker, and the fault that tells a user what cannot be done."""

from __future__ import annotations

from typing import Final, NamedTuple

HOT_SECONDS: Final = 0.3
"""Seconds for which a session that was typed into is served first, by worker and orchestrator."""


class Grace(NamedTuple):
    """Seconds that processes get before the next signal of HUP, TERM and KILL."""

    hup: float = 0.3
    term: float = 0.5
    kill: float = 0.2
    give_up: float = 10.0
    """Seconds after which remaining processes are given up as impossible to kill: they hang in the
    kernel or are another user's."""


class Limits(NamedTuple):
    """All limits, with their defaults."""

    window: int = 64 * 1024
    """Bytes of a session's output that may be sent without being acknowledged."""
    alone_window: int = 512 * 1024
    """That window while no other session has printed for `alone_seconds`, or is out of credit, so
    that none is delayed."""
    alone_seconds: float = 0.05
    away_window: int = 1024 * 1024
    """Bytes of a session that are read in the `away_seconds` after the orchestrator has gone, which
    keeps the replay for its successor short."""
    away_seconds: float = 3.0
    rest_seconds: float = 0.03
    """Least seconds between reads of a session that prints little and was not typed into."""
    longest_rest: float = 1.0
    """Most seconds between such reads, where the orchestrator asks for longer."""
    crowd: int = 8
    """Sessions that must rest at a time for a longer rest to be taken: it saves little else."""
    rest_below: int = 4096
    """Value of `Pace` below which output counts as little: 57 KB a second."""
    flood_from: int = 256 * 1024
    """Value of `Pace` from which a session that prints alone floods: 3.6 MB a second."""
    reopen_seconds: float = 0.5
    """Seconds between reads of a terminal that the running command has closed."""
    fresh_seconds: float = 2.0
    """Age in seconds below which a terminal query may not have been answered yet."""
    unheard_seconds: float = 10.0
    """Seconds for which an orchestrator may have hung before it went: output of these seconds that
    it has not acknowledged counts as seen by nobody."""
    pack_seconds: float = 5.0
    """Seconds without output after which a session's output is compressed."""
    idle_seconds: float = 60.0
    """Seconds after which a resident worker with no session and no peer ends."""
    terminated_seconds: float = 0.5
    """Seconds for which an end by SIGTERM is not told: when a machine is shut down, the worker gets
    that signal, too."""
    linger_seconds: float = 1.0
    """Seconds that the peer has to take the last messages when the worker ends."""
    grace: Grace = Grace()


class WorkerFault(ValueError):
    """An order cannot be carried out; the message is for the user.

    `sentence` is the English sentence with named placeholders, which the orchestrator translates,
    and `values` are what stands in their place.
    """

    def __init__(self, sentence: str, **values: object) -> None:
        self.sentence = sentence
        self.values = {name: str(value) for name, value in values.items()}
        super().__init__(sentence.format(**self.values))
