"""The dialog that starts a session: command, folder, name, guard, worktree, environment, agent, worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeVar

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static, TextArea

from nagomi_tui.agents.registry import AGENTS, GUARDED
from nagomi_tui.agents.resume import agent_of
from nagomi_tui.api.messages import Create, HandStanding
from nagomi_tui.sessions import places
from nagomi_tui.sessions.names import propose
from nagomi_tui.sessions.session import GUARD, LOCAL
from nagomi_tui.system.environment import line_of
from nagomi_tui.system.platforms import LINUX
from nagomi_tui.text.cells import printable, printable_lines, short_folder
from nagomi_tui.view.common.timers import from_git
from nagomi_tui.view.common.translate import tr
from nagomi_tui.view.common.widgets import Choice, WordButton
from nagomi_tui.view.dialogs.completion import (
    FindFar,
    Folders,
    OfferedHands,
    fitting,
    folders,
)
from nagomi_tui.view.dialogs.dialog import Ask, Dialog
from nagomi_tui.worktrees import creating, project
from nagomi_tui.worktrees.model import some
from nagomi_tui.worktrees.repository import find, short

if TYPE_CHECKING:
    Run = Callable[[Sequence[str], str, str, Callable[[str], object]], object]
    """Runs lines in a folder in a session of this name, and tells what is wrong once it has ended."""


_Value = TypeVar("_Value")
_OFFERED: Final = ("cmd", "cwd", "worker")
"""The fields for which something is offered."""
_LOWEST: Final = 15
_LOW: Final = 21
"""Rows of the screen that the fields need with what is offered, and those behind "More" too."""


_GIT_SECONDS: Final = 600.0
"""Longer than any step of making a worktree may take by itself."""


class _Asked(NamedTuple):
    """What a repository runs in its worktrees, and whether the user has approved it."""

    rules: project.Rules
    approved: bool


class NewSession(Dialog[bool]):
    """A form; a refusal is shown below it, and nothing typed is lost.

    It keeps still: what is offered, what is refused, and what an agent alone has, each have their rows
    whether they are shown or not.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "walk(1)", show=False),
        Binding("shift+tab", "walk(-1)", show=False),
    ]

    DEFAULT_CSS = """
    NewSession .row { height: 1; }
    NewSession .row.-until-agent { visibility: hidden; }
    NewSession.-guardable .guard, NewSession.-asks .message { visibility: visible; }
    NewSession .label { width: 18; margin-right: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    NewSession.-tight .label { width: 14; }
    NewSession Input:ansi, NewSession Input:focus, NewSession TextArea:ansi, NewSession TextArea:focus {
        border: none; border-left: outer $frame; padding: 0 1 0 0; height: 1; width: 1fr;
        background: $surface;
    }
    NewSession Input:focus, NewSession TextArea:focus { border-left: outer $primary; }
    NewSession #worktree { width: 1fr; }
    NewSession #branch, NewSession #base { display: none; }
    NewSession.-worktree #worktree { width: 24; }
    NewSession.-worktree #branch, NewSession.-worktree #base { display: block; }
    NewSession.-far .worktree { visibility: hidden; }
    NewSession #note { display: none; height: auto; color: $muted; }
    NewSession.-worktree #note { display: block; }
    NewSession.-worktree .below { height: auto; min-height: 6; }
    NewSession.-worktree.-low .below { min-height: 0; }
    NewSession .environment, NewSession TextArea:ansi, NewSession TextArea:focus { height: 3; }
    NewSession .below { height: 6; margin-top: 1; }
    NewSession.-tight .below { margin-top: 0; }
    NewSession.-low .below { height: auto; }
    NewSession OptionList, NewSession OptionList:focus {
        display: none; max-height: 5; padding: 0 1; margin: 0 1;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    NewSession OptionList.-open { display: block; }
    NewSession .more { display: none; height: auto; }
    NewSession.-more .more { display: block; }
    NewSession.-more #more { display: none; }
    """

    def __init__(
        self,
        *,
        shell: str,
        begins: places.Beginning,
        recent: tuple[str, ...],
        taken: frozenset[str],
        characters: Mapping[str, str],
        submit: Callable[[Create, Callable[[str], None]], None],
        find_folders: FindFar,
        run: Run,
        place: str,
    ) -> None:
        """`place` is the folder of worktrees, by the setting."""
        super().__init__()
        self._shell = shell
        self._worker, self._cwd = begins
        """Where the session runs that it was opened from."""
        self._begins_at: str | None = None
        """The hand that was filled in because the folder's sessions begin there."""
        self._hands = OfferedHands(find_folders)
        self._recent = recent
        self._taken = taken
        self._characters = characters
        """Names of the characters by their ids."""
        self._submit = submit
        self._run = run
        self._place = place
        self._named = False
        self._proposed_branch = ""
        self._proposed = ""
        self._looking = self._look_again = False
        """Whether git is asked what worktree would be made, and whether something was typed meanwhile."""
        self._asked = False
        """Whether the orchestrator was asked and has not answered yet."""

    def compose(self) -> ComposeResult:
        """Yield the fields that are always there, and those that are shown on demand."""
        home = os.path.expanduser("~")
        here = short_folder(self._cwd, home) if self._worker == LOCAL else self._cwd
        environment = TextArea(
            id="env", compact=False, show_line_numbers=False,
            placeholder=tr("NAME=value, one a line"),
        )  # fmt: skip
        characters = {"": tr("as set"), **self._characters}
        worker = Input(self._worker, suggester=self._workers(), id="worker")
        yield self.box(
            _row(tr("Command"), Input(placeholder=self._shell, suggester=SuggestFromList(self._recent), id="cmd")),
            _row(Static(id="where", classes="label"), Input(here, suggester=Folders(), id="cwd")),
            _row(tr("Name"), Input(id="name")),
            _row(tr("First message"), Input(id="message", placeholder=tr("none")), "message -until-agent"),
            _row(tr("Guard"), _guard_choice(), "guard -until-agent"),
            _row(tr("Worktree"), _worktree_fields(), "worktree"),
            Vertical(
                _row(tr("Environment"), environment, "environment"),
                _row(tr("Agent profile"), Input(id="agent", placeholder=tr("none"))),
                _row(tr("Worker"), worker),
                _row(tr("Character"), Choice(tuple(characters), "", id="character", names=characters)),
                classes="more",
            ),
            Vertical(
                Static(id="note"),
                *(OptionList(id=f"{field}-list") for field in _OFFERED),
                *(_fault(field) for field in (*_OFFERED, "branch", "env", "all")),
                classes="below",
            ),
            Horizontal(
                WordButton(tr("More …"), id="more"),
                WordButton(tr("Close"), id="close"),
                WordButton(tr("Start"), id="start"),
                classes="buttons",
            ),
            title=tr("New session"),
            foot=tr("Enter to start · ↓ to choose · Esc to close"),
        )  # fmt: skip

    def on_mount(self) -> None:
        self.query_one("#cmd").focus()
        self._say_where()
        self._propose()
        self._offer("cmd", "")

    def offer_hands(self, hands: tuple[HandStanding, ...]) -> None:
        """Offer these as the worker, and go where sessions of the folder begin.

        The fields may not be there yet, or be gone already.
        """
        self._hands.take(hands)
        for field in self.query("#worker").results(Input):
            field.suggester = self._workers()
            if self._begins_at is None and field.value == LOCAL:
                self._begin_at(field)

    def _workers(self) -> SuggestFromList:
        return SuggestFromList((LOCAL, *self._hands.names))

    def _begin_at(self, field: Input) -> None:
        """Begin on the hand that the folder has, unless the folder was written by the user."""
        folder = self.query_one("#cwd", Input)
        found = self._hands.beginning_of(self._cwd)
        if found is not None and folder.value == short_folder(self._cwd, os.path.expanduser("~")):
            self._begins_at = field.value = found.hand
            folder.value = found.folder
            self._show_more()

    def _show_more(self) -> None:
        self.add_class("-more")
        self.set_class(not self._roomy(), "-low")

    # --- what is typed

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what fits, and propose a name until the user has written one."""
        field = event.input.id or ""
        if field == "name":
            self._named = bool(event.value) and event.value != self._proposed
            self._propose_worktree()
            return
        self._complain(field, "")
        if event.input.has_focus:
            self._offer(field, event.value)
        if field == "worker":
            self._say_where()
        proposed = field == "branch" and event.value == self._proposed_branch
        if field in {"cwd", "worker", "branch", "base"} and not proposed:
            self._propose_worktree()
        if field in {"cmd", "cwd", "worker"} and not self._named:
            self._propose()
        if field == "cmd":
            agent = agent_of(event.value)
            self.set_class(agent in GUARDED, "-guardable")
            self.query_one("#agent", Input).value = agent
            known = AGENTS.get(agent)
            self.set_class(known is not None and known.first_message is not None, "-asks")

    def _say_where(self) -> None:
        """Say on which hand the folder is, and whose shell is started where no command is named."""
        local, hand = self._is_local(), self._hand()
        self.set_class(not local, "-far")
        self.query_one("#where", Static).update(
            tr("Folder") if local else tr("Folder on {name}", name=printable(hand))
        )
        shell = self._shell if local else tr("your shell there")
        self.query_one("#cmd", Input).placeholder = shell

    def _propose(self) -> None:
        shell = self._shell if self._is_local() else places.COMMAND
        command = places.plainly(self.query_one("#cmd", Input).value or shell)
        cwd = places.telling(self._folder() or "~", self._hand())
        self._proposed = propose(cwd=cwd, cmd=command, session_id="", taken=self._taken)
        self.query_one("#name", Input).value = self._proposed

    def _offer(self, field: str, typed: str) -> None:
        if field == "cwd" and not self._is_local():
            self._show(field, typed, ())
            self._hands.find(self._hand(), typed, partial(self._show, field, typed))
        elif field == "worker":
            self._show(field, typed, self._hands.fitting(typed))
        elif field in {"cmd", "cwd"}:
            known = fitting(typed, self._recent) if field == "cmd" else folders(typed)
            self._show(field, typed, known)

    def _show(self, field: str, typed: str, known: Sequence[str]) -> None:
        """Show what can be chosen below a field, unless something else was typed meanwhile."""
        if not self.display or self.query_one(f"#{field}", Input).value != typed:
            return
        offered = [entry for entry in known if entry.rstrip("/") != typed.rstrip("/")]
        options = self.query_one(f"#{field}-list", OptionList)
        options.clear_options()
        options.add_options(printable(entry) for entry in offered)
        faulty = bool(self.query(".fault.-open"))
        options.set_class(bool(offered) and self._roomy() and not faulty, "-open")

    def _roomy(self) -> bool:
        """Whether all fields and what is offered for one fit the screen."""
        return self.app.size.height >= (_LOW if self.has_class("-more") else _LOWEST)

    def on_resize(self) -> None:
        """Leave out the rows of what is offered on a low screen."""
        self.set_class(not self._roomy(), "-low")

    def on_descendant_focus(self) -> None:
        """Open only the list of the focused field; a button that is clicked stays where it is."""
        if isinstance(self.focused, WordButton):
            return
        for field in _OFFERED:
            options = self.query_one(f"#{field}-list", OptionList)
            if not (options.has_focus or self.query_one(f"#{field}").has_focus):
                options.remove_class("-open")

    def action_walk(self, by: int) -> None:
        """Complete what is typed, or go from field to field; lists are reached by the arrow."""
        if by > 0 and self._complete():
            return
        walk = self.focus_next if by > 0 else self.focus_previous
        if isinstance(walk(), OptionList):
            walk()

    def _complete(self) -> bool:
        """Write on what all that is offered for the focused field begins with; tell if that is more."""
        field = self.focused
        if not isinstance(field, Input) or field.id not in ("cwd", "worker"):
            return False
        options = self.query_one(f"#{field.id}-list", OptionList)
        offered = [str(one.prompt).split("  ")[0] for one in options.options]
        if not field.value or not offered:
            return False
        common = os.path.commonprefix(offered)
        if len(common) <= len(field.value) or not common.startswith(field.value):
            return False
        field.value = common
        field.cursor_position = len(common)
        return True

    def key_down(self) -> None:
        """Go from a field to the list below it."""
        focused = self.focused
        if focused is not None and (options := self.query(f"#{focused.id}-list")):
            if options.first().has_class("-open"):
                options.first().focus()
            else:
                self.focus_next()

    def key_up(self) -> None:
        if isinstance(self.focused, Input):
            self.focus_previous()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen command or folder."""
        field = (event.option_list.id or "").removesuffix("-list")
        entry = self.query_one(f"#{field}", Input)
        chosen = str(event.option.prompt)
        entry.value = chosen.split("  ")[0] if field == "worker" else chosen
        entry.focus()
        entry.cursor_position = len(entry.value)
        event.option_list.remove_class("-open")

    # --- starting

    def on_input_submitted(self) -> None:
        self._start()

    def on_choice_entered(self) -> None:
        """Start the session from here, too."""
        self._start()

    def on_word_button_pressed(self, event: WordButton.Pressed) -> None:
        if event.button.id == "close":
            self.finish(None)
        elif event.button.id == "more":
            self._show_more()
            self.query_one("#env").focus()
        else:
            self._start()

    def _hand(self) -> str:
        return self.query_one("#worker", Input).value.strip() or LOCAL

    def _is_local(self) -> bool:
        return self._hand() == LOCAL

    def _folder(self) -> str:
        """Return the folder; one on a hand as it was typed, since paths there are others."""
        if not self._is_local():
            return self.query_one("#cwd", Input).value.strip()
        return os.path.expanduser(self.query_one("#cwd", Input).value.strip() or "~")

    def _start(self) -> None:
        env = self._environment()
        if env is None or self._asked:
            return
        if self.has_class("-guardable") and (guard := self.query_one("#guard", Choice).value):
            env[GUARD] = guard
        self._asked = True
        local = self._is_local()
        request = Create(
            id=0,
            cmd=self._command() or (self._shell if local else ""),
            cwd=os.path.abspath(self._folder()) if local else self._folder(),
            env=env,
            name=self.query_one("#name", Input).value.strip() if self._named else "",
            agent=self.query_one("#agent", Input).value.strip(),
            character=str(self.query_one("#character", Choice).value),
            worker_id=self._hand(),
        )
        if self._worktree and not local:
            self._answered(tr("worktrees are made on this machine only, not on a hand."))
        elif self._worktree:
            self._note(tr("Making the worktree …"))
            self._in_thread(lambda: _make(self._wish()), partial(self._made, request))
        else:
            self._submit(request, self._answered)

    # --- a worktree of its own

    @property
    def _worktree(self) -> str:
        """Whether it begins in one: "", `new` or `changes`."""
        return str(self.query_one("#worktree", Choice).value)

    def on_choice_changed(self, event: Choice.Changed) -> None:
        """Say what would be made, where a worktree is wanted."""
        if event.choice.id == "worktree":
            self.set_class(bool(self._worktree), "-worktree")
            self._complain("branch", "")
            self._propose_worktree()

    def _wish(self) -> creating.Wish:
        branch = self.query_one("#branch", Input).value.strip()
        return creating.Wish(
            os.path.abspath(self._folder()),
            branch,
            start=self.query_one("#base", Input).value.strip(),
            beside=True,
            with_changes=self._worktree == "changes",
            name=self.query_one("#name", Input).value.strip(),
            place=self._place,
        )

    def _propose_worktree(self) -> None:
        """Look what would be made, once more if something was typed meanwhile."""
        if not (self._worktree and self._is_local()) or self._asked:
            return
        if self._looking:
            self._look_again = True
            return
        wish = self._wish()
        if wish.branch == self._proposed_branch:
            wish = wish._replace(branch="")
        self._looking = True
        self._in_thread(lambda: _look(wish), self._planned, self._not_planned)

    def _planned(self, found: tuple[creating.Plan, _Asked]) -> None:
        """Propose the branch, and say where the worktree begins and what is run there."""
        if self._asked:
            return
        plan, asked = found
        field = self.query_one("#branch", Input)
        if field.value.strip() in ("", self._proposed_branch) and not field.has_focus:
            self._proposed_branch = field.value = short(plan.branch)
        values = {"commit": plan.commit[:8], "base": short(plan.base) or plan.commit[:8]}
        self.query_one("#base", Input).placeholder = tr("from {base}", base=values["base"])
        lines = [
            tr("new at {base} ({commit})", **values)
            if plan.is_new
            else tr("the branch as it is ({commit})", **values)
        ]
        if plan.changed:
            lines.append(tr("comes along: {names}", names=some(plan.changed)))
        runs = asked.rules.setup if asked.approved else asked.rules.script.splitlines()
        if runs:
            state = tr("approved") if asked.approved else tr("you will be asked")
            lines.append(f"{tr('Run there:')} {'; '.join(runs)} ({state})")
        self._complain("branch", "")
        self._note("\n".join(lines))
        self._looked()

    def _not_planned(self, fault: str) -> None:
        if self._asked:
            return
        self._note("")
        self._complain("branch", fault)
        self._looked()

    def _looked(self) -> None:
        self._looking = False
        if self._look_again:
            self._look_again = False
            self._propose_worktree()

    def _note(self, text: str) -> None:
        self.query_one("#note", Static).update(printable_lines(text))

    def _made(self, request: Create, found: tuple[creating.Made, _Asked]) -> None:
        """Begin in the worktree that was made, after what the repository runs in it."""
        made, asked = found
        # It is there now, also if the session is refused.
        self.query_one("#cwd", Input).value = str(made.cwd)
        self.query_one("#worktree", Choice).value = ""
        self.remove_class("-worktree")
        request = replace(request, cwd=str(made.cwd), name=request.name or made.branch)
        if asked.approved:
            self._set_up(request, made, asked.rules)
        else:

            def answered(answer: bool | None) -> None:
                if not answer:
                    self._submit(request, self._answered)
                    return
                approve = partial(_approve, str(made.worktree.path), asked.rules)
                self._in_thread(approve, lambda _: self._set_up(request, made, asked.rules))

            question = "\n".join((
                tr("The worktree is made. This repository runs in new ones:"),
                *asked.rules.script.splitlines(),
                tr("Approve exactly these lines? Without that the session begins, and none of them is run."),
            ))  # fmt: skip
            self.app.push_screen(
                Ask(
                    tr("Set-up"), printable_lines(question),
                    yes=tr("Approve and run"), no=tr("Not now"),
                ),
                answered,
            )  # fmt: skip

    def _set_up(self, request: Create, made: creating.Made, rules: project.Rules) -> None:
        if not rules.setup:
            self._submit(request, self._answered)
            return
        folder = str(made.worktree.path)

        def ended(fault: str) -> None:
            if fault:
                stays = tr("The worktree {folder} was made, and stays.", folder=folder)
                self._answered(f"{fault} {stays}")
            else:
                self._submit(request, self._answered)

        self._run(rules.setup, folder, tr("set-up of {branch}", branch=made.branch), ended)

    def _in_thread(
        self,
        work: Callable[[], _Value],
        then: Callable[[_Value], object],
        refused: Callable[[str], object] | None = None,
    ) -> None:
        """Do something that blocks, and then something with its result, or with why there is none."""
        told = refused or self._answered
        self.run_worker(from_git(self, work, then, told, seconds=_GIT_SECONDS))

    def _command(self) -> str:
        """Return the command, with an agent's first message behind it."""
        command = self.query_one("#cmd", Input).value.strip()
        message = self.query_one("#message", Input).value.strip()
        agent = AGENTS.get(agent_of(command))
        if not message or agent is None or agent.first_message is None:
            return command
        return f"{command} {line_of([*agent.first_message, message])}"

    def _environment(self) -> dict[str, str] | None:
        env: dict[str, str] = {}
        for line in self.query_one("#env", TextArea).text.splitlines():
            name, equals, value = line.strip().partition("=")
            if not line.strip():
                continue
            if not equals or not name.isidentifier():
                self._show_more()
                self._complain("env", tr("“{line}” is not of the form NAME=value.", line=line))
                return None
            env[name] = value
        return env

    def _answered(self, fault: str) -> None:
        """Close the dialog, or show at its field what was refused."""
        if not fault:
            self.finish(True)
        elif self.display:
            self._asked = self._looking = False
            self._complain("all", fault)

    def _complain(self, field: str, fault: str) -> None:
        """Show what is wrong with a field in place of what is offered, or no longer."""
        self.complain("", "#all-fault")
        self.complain(fault, f"#{field}-fault")
        for options in self.query(OptionList) if fault else ():
            options.remove_class("-open")


def _worktree_fields() -> Horizontal:
    """Whether it begins in a worktree of its own, on which branch, and where that begins."""
    names = {"": tr("no"), "new": tr("one of its own"), "changes": tr("with my changes")}
    return Horizontal(
        Choice(tuple(names), "", id="worktree", names=names),
        Input(id="branch", placeholder=tr("branch")),
        Input(id="base", placeholder=tr("from here")),
        classes="row",
    )


def _look(wish: creating.Wish) -> tuple[creating.Plan, _Asked]:
    """Return what would be made, and what its repository runs, by the worktree that one is in."""
    found = creating.plan(wish)
    return found, _asked(str(found.origin.path)) if found.origin else _Asked(project.Rules(), True)


def _make(wish: creating.Wish) -> tuple[creating.Made, _Asked]:
    made = creating.make(wish)
    return made, _asked(str(made.worktree.path))


def _asked(folder: str) -> _Asked:
    rules = project.read(Path(folder))
    return _Asked(rules, project.is_approved(find(folder).common, rules))


def _approve(folder: str, rules: project.Rules) -> None:
    project.approve(find(folder).common, rules)


def _guard_choice() -> Choice:
    """The ways of guarding an agent, the strictest first; the kernel holds a project on Linux only."""
    if not LINUX:
        return Choice(
            ("", "hook"), "", id="guard", names={"": tr("no"), "hook": tr("discuss first")}
        )
    names = {"": tr("no"), "strict": tr("discuss first"), "hook": tr("by the hook alone")}
    return Choice(tuple(names), "", id="guard", names=names)


def _row(label: str | Static, field: Widget, classes: str = "") -> Horizontal:
    if isinstance(label, str):
        label = Static(label, classes="label")
    return Horizontal(label, field, classes=f"row {classes}")


def _fault(field: str) -> Static:
    return Static(id=f"{field}-fault", classes="fault")
