"""The modes of the resident agent, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nagomi_tui.view.common.translate import tr
from nagomi_tui.words import translatable

if TYPE_CHECKING:
    from nagomi_tui.api.messages.agent import Mode

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


def mode_word(mode: str) -> str:
    """Return a mode's word; that of another version is its own name."""
    found = next((word for name, (word, _) in MODES.items() if name == mode), "")
    return tr(found) if found else mode
