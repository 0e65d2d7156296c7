"""Whether the user has said one of the phrases (D-30, DB-6, DB-7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from nagomi_tui.guard.decide.config import Config

Meaning = Literal["stop", "compact", "complete", "start", "create", "implement"]

_COMMANDS: Final = (
    "/mode", "/state", "/config", "/add-trigger", "/remove-trigger", "/sessions", "/nagomi",
)  # fmt: skip
_NOT_SAID: Final = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`"
    r"|^\s*>[^\n]*"
    r"|\"[^\"]*(?:\"|\Z)|“[^”]*(?:”|\Z)|「[^」]*(?:」|\Z)|『[^』]*(?:』|\Z)|«[^»]*(?:»|\Z)"
    r"|(?<!\w)'[^'\n]*'(?!\w)|‘[^’\n]*’(?!\w)"
    r"|<[^<>\n]*>"
    r"|(?<!\S)\S*[/\\]\S*|(?<!\S)\S+@\S+|\b\w+(?:\.\w+)+",
    re.DOTALL | re.MULTILINE,
)
"""Parts in which phrases do not count: code, quoted lines and texts, tags, URLs, paths, names."""
_CLAUSE: Final = re.compile(r"[^.!?;,\n。！？、，]+[.!?;,\n。！？、，]?")
_BEFORE: Final = re.compile(
    r"\b(?:not|never|no|none|cannot|without|before|until|unless|if|when|once|after|wait|stop|avoid"
    r"|\w+n['’]t|dont|doesnt)\b",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\W*(?:not?\b|yet\b|later\b|tomorrow\b|means?\b|is\b|was\b|does\b|would\b|could\b|should\b|if\b|when\b"
    r"|after\b|once\b|before\b|until\b|unless\b|しな|する(?:な|と|か|前)|は|って|とは|まだ|じゃな|ではな)",
    re.IGNORECASE,
)
_EDGE: Final = r"\w@#$%&+=~_-"


def phrase_matches(phrase: str, text: str) -> bool:
    """Tell whether a text contains a phrase; case counts only if the phrase is in capitals."""
    if not phrase:
        return False
    return phrase in text if phrase.isupper() else phrase.casefold() in text.casefold()


def is_command(text: str) -> bool:
    """Tell whether a prompt is a command to the guard, in which phrases do not count."""
    return text.lstrip().startswith(_COMMANDS)


def meaning(text: str, config: Config) -> Meaning | None:
    """Return the strongest phrase's meaning, None without one; a stop counts anywhere (DB-7)."""
    phrases, strict = config.trigger_phrases, config.nagomi.strict_phrases
    if any(phrase_matches(phrase, text) for phrase in phrases.discussion_mode):
        return "stop"
    if is_command(text):
        return None
    ranked: tuple[tuple[Meaning, tuple[str, ...]], ...] = (
        ("compact", phrases.context_compaction),
        ("complete", phrases.task_completion),
        ("start", phrases.task_startup),
        ("create", phrases.task_creation),
        ("implement", phrases.implementation_mode),
    )
    if not config.features.task_detection:
        ranked = ranked[-1:]
    says = phrase_matches if strict else is_said
    return next((what for what, any_of in ranked if any(says(one, text) for one in any_of)), None)


def is_said(phrase: str, text: str) -> bool:
    """Tell whether a phrase is meant: whole, not quoted, not negated, and not in a question."""
    if not phrase.strip():
        return False
    flags = 0 if phrase.isupper() else re.IGNORECASE
    start = rf"(?<![{_EDGE}])" if _is_word(phrase[0]) else ""
    end = rf"(?![{_EDGE}])" if _is_word(phrase[-1]) else ""
    found = re.compile(start + re.escape(phrase.strip()) + end, flags)
    own = _NOT_SAID.sub(" … ", text)
    return any(_is_meant(clause, found) for clause in _CLAUSE.findall(own))


def _is_meant(clause: str, phrase: re.Pattern[str]) -> bool:
    if clause.endswith(("?", "？")):
        return False
    denied = _BEFORE.search(clause)
    end = denied.start() if denied else len(clause)
    said = (at for at in phrase.finditer(clause) if at.start() <= end)
    return any(not _AFTER.match(clause, at.end()) for at in said)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
