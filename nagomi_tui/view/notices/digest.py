"""The digest shown on attach: what finished, failed or waits since the last front end left."""

from __future__ import annotations

from typing import Final

from nagomi_tui.core.session.condition import NEEDS, WORDS
from nagomi_tui.core.text.text import printable
from nagomi_tui.view.common.translate import tr

_NAMES_AT_MOST: Final = 3


def digest_line(digest: tuple[tuple[str, str], ...]) -> str:
    """Return the sentence, or "" if nothing happened."""
    parts = []
    for one in dict.fromkeys((*NEEDS, *WORDS)):
        names = [printable(name) for name, told in digest if told == one]
        if names:
            parts.append(tr("{names}: {word}", names=_listed(names), word=tr(WORDS[one])))
    if not parts:
        return ""
    return tr("While you were away: {news}", news=tr(" · ").join(parts))


def agent_lines(digest: tuple[tuple[str, str], ...]) -> str:
    """Return what the resident agent wrote down meanwhile, one line for each entry."""
    return "\n".join(f"· {printable(line)}" for line, what in digest if what == "agent")


def _listed(names: list[str]) -> str:
    shown = tr(", ").join(names[:_NAMES_AT_MOST])
    if more := len(names) - _NAMES_AT_MOST:
        return tr("{names} and {count} more", names=shown, count=more) if more > 0 else shown
    return shown
