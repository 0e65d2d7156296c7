"""Tells whether the user typed a prompt, and how full the context is at that moment."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from nagomi_tui.guard.decide import texts
from nagomi_tui.guard.decide.phrases import meaning
from nagomi_tui.guard.files import figures
from nagomi_tui.guard.hook import transcript
from nagomi_tui.guard.hook.client import has_terminal, runs_hook, session_start, started_by_agent
from nagomi_tui.guard.hook.door import OUTSIDE
from nagomi_tui.guard.hook.transcript import Fill

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config
    from nagomi_tui.guard.decide.state import State
    from nagomi_tui.guard.hook.payload import Payload

_ASK_SECONDS: Final = 0.7
_WRITTEN_BY: Final = frozenset([None, "user", "sdk"])
"""Values of `source` for prompts typed by the user; older clients send none (DB-6)."""
_WRAPPED: Final = re.compile(r"\s*<([a-z][\w-]*)\b[^>]*>.*</\1>\s*", re.DOTALL)
"""A text that is a single XML element, such as `<task-notification>`: clients send these."""
_OWN: Final = (
    "<task-notification",
    "<teammate-message",
    "<channel",
    "<system-reminder",
    "<cross-session",
)
"""How prompts begin that a client writes itself."""
_LARGE: Final = {"[1m]": 800_000}
"""Usable tokens by a mark in the model's name that stands for a large context."""


def why_not_typed(text: str, source: str | None, client: int, config: Config) -> str:
    """Return why a prompt does not count as typed by the user; empty if it does, or is a stop."""
    if meaning(text, config) == "stop":
        return ""
    if os.environ.get(OUTSIDE):
        return "in strict mode you approve in nagomi, by its keys or `nagomi guard approve`"
    if source not in _WRITTEN_BY:
        return f"the client sent it by itself ({source})"
    if text.lstrip().startswith(_OWN) or _WRAPPED.fullmatch(text):
        return "the client sent it by itself"
    if not runs_hook(client):
        return "the client that it names did not start this hook"
    if sign := started_by_agent(client):
        return f"an agent started this client: {sign}"
    if not has_terminal(client) and not config.nagomi.prompts_without_terminal:
        return "this client was started without a terminal"
    return _why_not_the_users_session(client) if meaning(text, config) else ""


def _why_not_the_users_session(client: int) -> str:
    """Return why nothing proves that the user started the session of a client; empty if they did.

    Whoever starts a session chooses the first prompt of an agent there, by its command line.
    """
    start = session_start(client)
    if start is None:
        return ""
    from nagomi_tui.api.client import Connection
    from nagomi_tui.api.messages import ListSessions

    try:
        with Connection.open(timeout=_ASK_SECONDS) as nagomi:
            sessions = nagomi.request(ListSessions(id=0), timeout=_ASK_SECONDS).sessions
    except Exception as exc:
        return f"nagomi cannot be asked who started this session: {exc}"
    known = {one.pid: one for one in sessions} | {one.session_id: one for one in sessions}
    found = known.get(start.pid) or known.get(start.named)
    if found is None or found.by_program:
        return "nothing proves that you started this session; approve in nagomi"
    return ""


def told_refused(text: str, fault: str, config: Config) -> tuple[str, ...]:
    """Return a notice for the user if a phrase was ignored since they did not type it."""
    if not fault or meaning(text, config) is None:
        return ()
    return (texts.NOT_TYPED.format(why=fault),)


def fill(payload: Payload, state: State, config: Config) -> Fill:
    """Return how full the context is; reads nothing if both warnings are switched off (D-49)."""
    wished = config.features.context_warnings
    if (wished.warn_85 or wished.warn_90) and (noted := figures.read(payload.session_id or "")):
        return Fill(noted.tokens, noted.limit)
    if not payload.transcript_path or not (wished.warn_85 or wished.warn_90):
        return Fill()
    limits, model = dict(config.nagomi.context_limits), state.own.model
    for mark, tokens in _LARGE.items():
        if mark in model:
            limits.setdefault(model.replace(mark, ""), tokens)
    return transcript.fill(payload.transcript_path, limits)
