"""The dialog that chooses the resident agent's mode, and shows its work mode and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.text.cells import printable_lines
from nagomi_tui.view.common.badge import MODES
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.dialogs.dialog import Dialog

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from nagomi_tui.api.messages import Agent


class AgentModeDialog(Dialog[str]):
    """Its result is a mode; 1, 2 and 3 choose one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"choose({number - 1})", show=False) for number in (1, 2, 3)),
        Binding("pageup", "turn(-1)", show=False, priority=True),
        Binding("pagedown", "turn(1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    AgentModeDialog OptionList, AgentModeDialog OptionList:focus {
        height: auto; border: none; background: $background; background-tint: $background 0%;
        padding: 0;
    }
    AgentModeDialog VerticalScroll { height: auto; max-height: 12; margin-top: 1; scrollbar-size-vertical: 1; }
    AgentModeDialog.-tight VerticalScroll { max-height: 8; margin-top: 0; }
    AgentModeDialog VerticalScroll > Static { height: auto; }
    """

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self._agent = agent
        self._mode = agent.mode

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
            options,
            VerticalScroll(Static(self._kept()), can_focus=False),
            title=tr("What the agent may do by itself"),
            foot=tr("1 2 3 or Enter · PgUp PgDn notes · Esc"),
        )

    def _kept(self) -> Content:
        """Return its work mode, and the notes that it keeps for itself."""
        agent = self._agent
        turns = tr(
            "short and to the point, answers left: {count}; /normal ends it.",
            count=agent.work_turns,
        )
        off = tr("off; /work in the chat has the next answers short and to the point.")
        parts = [(tr("Work mode"), turns if agent.work_turns else off)]
        frozen = tr(" (they stand still in calm)") if agent.mode == "calm" else ""
        if agent.inner.strip():
            parts.append((tr("Inner notes") + frozen, printable_lines(agent.inner.strip())))
        if agent.tracking.strip():
            parts.append((tr("Tracking notes"), printable_lines(agent.tracking.strip())))
        return Content("\n\n").join(
            Content.from_markup("[$primary bold]$title[/]\n$text", title=title, text=text)
            for title, text in parts
        )

    def action_turn(self, pages: int) -> None:
        """Scroll the notes while the modes keep the keys."""
        notes = self.query_one(VerticalScroll)
        notes.scroll_relative(y=pages * max(1, notes.size.height - 1), animate=False)

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
