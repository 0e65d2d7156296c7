"""The base class of all dialogs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.text.cells import cells, fitting_items
from nagomi_tui.text.key_names import ALONE_SECONDS, BEHIND_SECONDS
from nagomi_tui.view.common.timers import SETTLE_SECONDS, TerminalFocus
from nagomi_tui.view.common.widgets import LaidOut, WordButton

if TYPE_CHECKING:
    Submit: TypeAlias = Callable[[str, Callable[[str], None]], None]
    """Takes the line, and who hears what is wrong with it: an empty text for nothing."""
    Other: TypeAlias = tuple[str, Callable[[], object]]
    """Words and what is done by them."""

Result = TypeVar("Result")
_CORNERS: Final = 6
"""Columns of a frame's edge beside its foot."""


class DialogBox(Vertical):
    """The frame of a dialog, which no notice lies over."""

    foot = ""
    """The keys, of which those are shown that there is room for."""

    def on_resize(self) -> None:
        """Tell that it takes other cells, as when a line more is shown in it."""
        self.fit_foot()
        self.post_message(LaidOut())

    def fit_foot(self) -> None:
        self.border_subtitle = fitting_items(self.foot, self.outer_size.width - _CORNERS)


class Dialog(ModalScreen[Result | None], inherit_bindings=False):
    """A dialog over the main screen; its result is None when the user closed it."""

    _opened_at = float("inf")
    _early: Timer | None = None
    """Runs while another key may show that the one before it was part of a word."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False),
        Binding("tab", "app.focus_next", show=False),
        Binding("shift+tab", "app.focus_previous", show=False),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; background: transparent; }
    Dialog > .box {
        width: 72; max-width: 100%; height: auto; max-height: 100%;
        background: $background; border: round $primary; padding: 1 2;
        border-title-color: $primary; border-title-style: bold;
        border-subtitle-color: $muted; overflow-y: auto; scrollbar-size-vertical: 1;
    }
    Dialog.-tight > .box { padding: 0 1; }
    Dialog Input, Dialog TextArea {
        border: round $frame; background: $background; color: $foreground;
        padding: 0 1; height: 3;
    }
    Dialog Input:ansi, Dialog TextArea:ansi { border: round $frame; background: $background; color: $foreground; }
    Dialog Input:focus, Dialog TextArea:focus { border: round $primary; background: $background; background-tint: $background 0%; }
    Dialog OptionList, Dialog OptionList:focus {
        height: auto; border: none; padding: 0; background: $background;
        background-tint: $background 0%; scrollbar-size-vertical: 1;
    }
    Dialog VerticalScroll { scrollbar-size-vertical: 1; }
    Dialog OptionList > .option-list--option-highlighted,
    Dialog OptionList:focus > .option-list--option-highlighted {
        background: $panel; color: $foreground; text-style: $option-marked;
    }
    Dialog .label { color: $muted; height: 1; }
    Dialog .fault { color: $error; height: auto; display: none; }
    Dialog .fault.-open { display: block; }
    Dialog .buttons { height: 1; width: 1fr; align-horizontal: right; margin-top: 1; }
    Dialog.-tight .buttons { margin-top: 0; }
    """

    def box(self, *widgets: object, title: str, foot: str = "") -> Vertical:
        """Return the dialog with its title."""
        self._fit()  # before it is drawn for the first time, or it would jump
        made = DialogBox(*widgets, classes="box")  # type: ignore[arg-type]
        made.border_title = title
        made.foot = made.border_subtitle = foot
        return made

    def _fit(self) -> None:
        """Drop the dialog's margins on a low screen."""
        self.set_class(self.app.size.height < 26 or self.app.size.width < 64, "-tight")
        self.set_class(self.app.size.width < 64, "-narrow")

    def on_resize(self) -> None:
        self._fit()
        self.call_after_refresh(self.post_message, LaidOut())

    def action_scroll(self, lines: int) -> None:
        """Scroll what is told in it, while something else keeps the keys."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_turn(self, pages: int) -> None:
        """Scroll it by pages, of which one line stays."""
        self.action_scroll(pages * max(1, self.query_one(VerticalScroll).size.height - 1))

    def action_close(self) -> None:
        self.finish(None)

    def on_screen_resume(self) -> None:
        """Give the frame the keys where nothing in it takes any: keys are held until something does."""
        self._opened_at = time.monotonic()
        if not self.focus_chain:
            for box in self.query(DialogBox):
                box.can_focus = True
                box.focus()

    def on_key(self) -> None:
        if self._early is not None:
            self._early.stop()

    def action_answer(self, result: Result) -> None:
        if result:
            self._act_alone(lambda: self.finish(result))
        else:
            self.finish(result)

    def action_alone(self, action: str) -> None:
        """Carry out another action of the dialog, as one does that answers."""
        self._act_alone(getattr(self, f"action_{action}"))

    def _act_alone(self, act: Callable[[], object]) -> None:
        """Do what a key is for; one typed before the dialog could be read counts if it begins no word."""
        if time.monotonic() >= self._opened_at + BEHIND_SECONDS:
            act()
        else:
            self._early = self.set_timer(ALONE_SECONDS, act)

    def complain(self, fault: str, where: str = ".fault") -> None:
        """Show what is wrong, or no longer if ""; the dialog may have gone meanwhile."""
        for shown in self.query(where).results(Static) if self.is_attached else ():
            shown.update(fault)
            shown.set_class(bool(fault), "-open")

    def finish(self, result: Result | None) -> None:
        """Close it with a result; an answer that comes after it was closed changes nothing."""
        if self.is_current:
            self.dismiss(result)


class OptionsDialog(Dialog[str]):
    """Its result is the id of the option that was chosen by Enter or a click, or what a key chooses."""

    def on_mount(self) -> None:
        """Give the options the keys, where there are any."""
        for options in self.query(OptionList):
            options.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.finish(self.result_of(event.option, event.option_index))

    def result_of(self, option: Option, at: int) -> str | None:
        """Return what the option at this place stands for."""
        return option.id


_ASK_COLUMNS: Final = 56
_AROUND_BUTTON: Final = 5
"""Cells beside the word of a button: its own blanks, and one to the next."""
_AROUND_BOX: Final = 6
"""Cells of a dialog's frame, and the blanks within."""


class Ask(Dialog[bool]):
    """A question with yes and no: y for yes; n, Escape and Enter for no, which is marked.

    So a key too many, or one typed for something else, does nothing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "other", show=False),
        Binding("y", "answer(True)", show=False),
        Binding("n", "answer(False)", show=False),
        Binding("left,right,up,down", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    Ask > .box { width: 56; border: round $accent; border-title-color: $accent; }
    Ask .question { height: auto; }
    Ask.-narrow #other { display: none; }
    """

    def __init__(
        self, title: str, question: str, *, yes: str, no: str, other: Other | None = None,
        sudden: bool = False,
    ) -> None:  # fmt: skip
        """`other` is what can be done instead, by h.

        One that comes up by itself, `sudden`, takes no yes before it can have been read.
        """
        super().__init__()
        self._readable_at = time.monotonic() + (SETTLE_SECONDS if sudden else 0.0)
        self._other = other
        self._title = title
        self._question = question
        self._yes = yes
        self._no = no
        self._terminal_focus: TerminalFocus | None = None

    def compose(self) -> ComposeResult:
        yield self.box(
            Static(self._question, classes="question"),
            Horizontal(
                *([WordButton(f"{self._other[0]} (h)", id="other")] if self._other else []),
                WordButton(f"{self._no} (n)", id="no"),
                WordButton(f"{self._yes} (y)", id="yes", classes="-careful"),
                classes="buttons",
            ),
            title=self._title,
        )

    def on_mount(self) -> None:
        """Mark no; be as wide as the answers are."""
        self._terminal_focus = TerminalFocus(self)
        self.query_one("#no", WordButton).focus()
        answers = sum(cells(str(one.content)) + _AROUND_BUTTON for one in self.query(WordButton))
        self.query_one(".box").styles.width = max(_ASK_COLUMNS, answers + _AROUND_BOX)

    def finish(self, result: bool | None) -> None:
        if not result or time.monotonic() >= self._readable_at:
            super().finish(result)

    def action_other(self) -> None:
        if self._other is not None and self.is_current:
            self.finish(None)
            self._other[1]()

    def on_word_button_pressed(self, event: WordButton.Pressed) -> None:
        """Answer by a click or Enter; not by the click that gave the terminal its focus."""
        if self._terminal_focus is not None and self._terminal_focus.came_now:
            return
        if event.button.id == "other":
            self.action_other()
        else:
            self.finish(event.button.id == "yes")


class LineDialog(Dialog[bool]):
    """Closes when the line was accepted; a refusal is shown in `.fault`, and nothing typed is lost."""

    def __init__(self, line: str, submit: Submit) -> None:
        super().__init__()
        self.line = line
        """The text at first."""
        self._submit = submit

    def wrong(self, line: str) -> str:
        """Return what is wrong with a line before the orchestrator is asked, or ""."""
        return ""

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = event.value.strip()
        if fault := self.wrong(line):
            self._answered(fault)
        else:
            self._submit(line, self._answered)

    def _answered(self, fault: str) -> None:
        if fault:
            self.complain(fault)
        else:
            self.finish(True)
