"""The dialog that chooses the resident agent's mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from nagomi_tui.view.common.badge import MODES
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult


class AgentModeDialog(Dialog[str]):
    """Its result is a mode; 1, 2 and 3 choose one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(number), f"choose({number - 1})", show=False) for number in (1, 2, 3)
    ]
    DEFAULT_CSS = """
    AgentModeDialog OptionList, AgentModeDialog OptionList:focus {
        height: auto; border: none; background: $background; background-tint: $background 0%;
        padding: 0;
    }
    """

    def __init__(self, mode: str) -> None:
        super().__init__()
        self._mode = mode

    def compose(self) -> ComposeResult:
        """The modes, each with what it means."""
        options = OptionList(
            *(
                Option(
                    Content.from_markup(
                        "[$muted]$number[/] [bold]$word[/] $mark\n  $sentence",
                        number=str(number),
                        word=tr(word),
                        mark="●" if name == self._mode else "",
                        sentence=tr(sentence),
                    ),
                    id=name,
                )
                for number, (name, (word, sentence)) in enumerate(MODES.items(), 1)
            )
        )
        yield self.box(
            options, title=tr("What the agent may do by itself"), foot=tr("1 2 3 or Enter · Esc")
        )

    def on_mount(self) -> None:
        """Mark the mode that it is in."""
        options = self.query_one(OptionList)
        options.highlighted = list(MODES).index(self._mode) if self._mode in MODES else 0
        options.focus()

    def action_choose(self, at: int) -> None:
        """Choose by a number."""
        self.finish(list(MODES)[at])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Choose by Enter or a click."""
        self.finish(event.option.id)
