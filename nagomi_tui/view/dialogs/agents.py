"""Dialogs on agents: the mode of the resident one, and the offer to let others tell their state."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from nagomi_tui.agents.hooks import files
from nagomi_tui.agents.registry import AGENTS
from nagomi_tui.api.messages import Agent
from nagomi_tui.api.messages.agent import MODES
from nagomi_tui.text.cells import printable, printable_lines, short_folder
from nagomi_tui.view.common.badge import hooks_offer
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.common.widgets import WordButton, is_whole
from nagomi_tui.view.dialogs.dialog import Dialog, OptionsDialog


class HooksDialog(Dialog[str]):
    """Its result is `write`, `later` or `never`; None if it was closed without an answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "answer('write')", show=False),
        Binding("l", "answer('later')", show=False),
        Binding("n", "answer('never')", show=False),
        Binding("w", "show_whole", show=False),
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll(-8)", show=False),
        Binding("pagedown", "scroll(8)", show=False),
    ]
    DEFAULT_CSS = """
    HooksDialog > .box { border: round $accent; border-title-color: $accent; }
    HooksDialog Static { height: auto; }
    HooksDialog .files { color: $primary; margin: 1 0; }
    HooksDialog VerticalScroll {
        display: none; height: auto; max-height: 10; margin-bottom: 1;
    }
    HooksDialog.-whole > .box { width: 96%; }
    HooksDialog.-whole VerticalScroll { display: block; }
    HooksDialog.-whole #whole, HooksDialog.-narrow #whole, HooksDialog.-narrow #never { display: none; }
    """

    def __init__(self, names: Sequence[str], changes: Sequence[files.Change]) -> None:
        super().__init__()
        self._agents = [AGENTS[name] for name in names]
        self._changes = changes

    def compose(self) -> ComposeResult:
        """What it is good for, which files change, and the answers."""
        whole = VerticalScroll(Static(Content("\n").join(self._whole()), id="diff"))
        whole.can_focus = False
        yield self.box(
            Static(tr("nagomi then knows at once when it works, asks or is done, and a restart goes on with its conversation.")),
            Static("\n".join(self._short()), classes="files"),
            whole,
            Static(" ".join(self._notes())),
            Horizontal(
                WordButton(tr("All of it (w)"), id="whole"),
                WordButton(tr("Never (n)"), id="never"),
                WordButton(tr("Later (l)"), id="later"),
                WordButton(tr("Write it (h)"), id="write", classes="-careful"),
                classes="buttons",
            ),
            title=hooks_offer(self._agents[0].name if len(self._agents) == 1 else ""),
            foot=tr("w all of it · n never · Esc"),
        )  # fmt: skip

    def _short(self) -> list[str]:
        home = os.path.expanduser("~")
        lines = []
        for change in self._changes:
            before, after = ((text or "").count("\n") for text in (change.before, change.after))
            path = printable(short_folder(str(change.path), home))
            if change.before is None:
                said = tr_count("a new file of {count} line", "a new file of {count} lines", after)
            else:
                more = after - before
                said = tr_count("{count} line more", "{count} lines more", more)
            lines.append(f"{path}  {said}")
        return lines

    def _notes(self) -> list[str]:
        notes = [tr("`nagomi hooks remove` takes it out again, to the byte.")]
        notes += [
            tr(
                "{agent} asks at its next start whether you trust these hooks; "
                "they work after that.",
                agent=agent.title,
            )
            for agent in self._agents
            if agent.hooks is not None and agent.hooks.asks_trust
        ]
        return notes

    def _whole(self) -> list[Content]:
        colors = {"+": "$success", "-": "$error", "@": "$muted"}
        return [
            Content.styled(printable(line), colors.get(line[:1], "$foreground"))
            for change in self._changes
            for line in files.diff(change)
        ]

    def on_mount(self) -> None:
        self.query_one("#later", WordButton).focus()

    def action_show_whole(self) -> None:
        """Show every line that would be written."""
        self.add_class("-whole")
        if self.focused is None or self.focused.id == "whole":
            self.query_one("#later", WordButton).focus()

    def on_word_button_pressed(self, event: WordButton.Pressed) -> None:
        if event.button.id == "whole":
            self.action_show_whole()
        else:
            self.finish(event.button.id)


class AgentModeDialog(OptionsDialog):
    """Its result is a mode; 1, 2 and 3 choose one at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(at), f"answer('{name}')", show=False) for at, name in enumerate(MODES, 1)),
        Binding("pageup", "turn(-1)", show=False, priority=True),
        Binding("pagedown", "turn(1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    AgentModeDialog VerticalScroll { height: auto; max-height: 40vh; margin-top: 1; }
    AgentModeDialog.-tight VerticalScroll { max-height: 8; margin-top: 0; }
    AgentModeDialog VerticalScroll > Static { height: auto; }
    """

    def __init__(self, agent: Agent, folder: Path) -> None:
        """`folder` is the agent's own."""
        super().__init__()
        self._agent = agent
        self._folder = folder

    def compose(self) -> ComposeResult:
        """The modes, each with what it means."""
        options = OptionList(*(Option(prompt, id=name) for name, prompt in self._modes()))
        yield self.box(
            options,
            VerticalScroll(Static(self._kept(), id="kept"), can_focus=False),
            title=tr("What nagomi's own agent may do by itself"),
            foot=tr("1 2 3 or Enter · PgUp PgDn notes · Esc"),
        )

    def stands(self, agent: Agent) -> None:
        """Show how the agent stands now."""
        self._agent = agent
        if not is_whole(self):
            return
        for name, prompt in self._modes():
            self.query_one(OptionList).replace_option_prompt(name, prompt)
        self.query_one("#kept", Static).update(self._kept())

    def _modes(self) -> Iterator[tuple[str, Content]]:
        for number, (name, (word, sentence)) in enumerate(MODES.items(), 1):
            mark = "●" if name == self._agent.mode else ""
            told = f" {mark}\n  {tr(sentence)}"
            yield name, Content.assemble((str(number), "$muted"), " ", (tr(word), "bold"), told)

    def _kept(self) -> Content:
        """Return its work mode, and the notes that it keeps for itself."""
        agent = self._agent
        turns = tr(
            "short and to the point, answers left: {count}; /normal ends it.",
            count=agent.work_turns,
        )
        off = tr("off; /work in the chat has the next answers short and to the point.")
        parts = [(tr("Work mode"), "", turns if agent.work_turns else off)]
        if inner := printable_lines(agent.inner.strip()):
            frozen = tr(" (they stand still in calm)")
            means = frozen if agent.mode == "calm" else tr(" (what it is thinking now)")
            parts.append((tr("Inner notes"), means, inner))
        if tracking := printable_lines(agent.tracking.strip()):
            means = tr(" (what it followed as it became reserved)")
            parts.append((tr("Tracking notes"), means, tracking))
        tasks = printable(short_folder(str(self._folder / "NEXT.md"), os.path.expanduser("~")))
        sentence = tr("Lines such as `- [ ] mend the login` in {path}; it reads them.", path=tasks)
        parts.append((tr("Its tasks, from you"), "", sentence))
        return Content("\n\n").join(
            Content.assemble((title, "$primary bold"), (means, "$muted"), f"\n{text}")
            for title, means, text in parts
        )

    def on_mount(self) -> None:
        at = list(MODES).index(self._agent.mode) if self._agent.mode in MODES else 0
        self.query_one(OptionList).highlighted = at
