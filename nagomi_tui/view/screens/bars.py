"""The top bar, with the name of the view, and the bottom bar, with keys, message and connection."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from nagomi_tui.sessions.session import Session
from nagomi_tui.sessions.standing import needs_user
from nagomi_tui.text.cells import cells, cut, printable
from nagomi_tui.view.common.badge import hooks_offer, mode_word
from nagomi_tui.view.common.translate import tr, tr_count
from nagomi_tui.view.common.widgets import ActionAsked, Chip
from nagomi_tui.view.keymap import bindings
from nagomi_tui.view.keymap.actions import BY_NAME
from nagomi_tui.view.screens.state import AppState, ViewName

_NARROW = 72
_HINTS = ("help", "zoom", "new", "detach")


class TopBar(Horizontal):
    """The name of the product, the views, and what the user can begin with (N-44)."""

    DEFAULT_CSS = """
    TopBar { height: 1; background: $background; padding: 0 1; }
    TopBar > .mark { width: auto; color: $accent; text-style: bold; padding-right: 2; }
    TopBar > .space { width: 1fr; }
    TopBar > Chip { color: $muted; }
    TopBar > Chip.-on { color: $foreground; text-style: $row-marked; background: $panel; }
    TopBar > #new { color: $foreground; }
    """

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self._state = state

    def compose(self) -> ComposeResult:
        yield Static("nagomi", classes="mark")
        yield Chip("view_run", id="run")
        yield Chip("view_chat", id="chat")
        yield Static(classes="space")
        yield Chip("new", id="new")
        yield Chip("settings", id="settings")

    def on_mount(self) -> None:
        self.show()

    def on_resize(self, event: events.Resize) -> None:
        self.show()

    def show(self) -> None:
        """Mark the view that is shown."""
        narrow = self.size.width < _NARROW
        words = {
            "run": tr("Overview"),
            "chat": tr("Chat"),
            "new": tr("＋") if narrow else tr("＋ New session"),
            "settings": tr("Settings"),
        }
        for name, word in words.items():
            self.query_one(f"#{name}", Chip).update(word)
        self.query_one("#run").set_class(self._state.view is ViewName.RUN, "-on")
        self.query_one("#chat").set_class(self._state.view is ViewName.CHAT, "-on")


class Left(Static):
    """The beginning of the bottom bar; its hints can be clicked."""

    DEFAULT_CSS = """
    Left { link-style: none; link-color: $muted; link-color-hover: $primary; link-style-hover: none;
        link-background-hover: $panel; }
    """

    def action_ask(self, action: str) -> None:
        """Ask for the action of the hint that was clicked."""
        self.post_message(ActionAsked(action))


class BottomBar(Horizontal):
    """Shows where keys go, how to reach the menu, how many sessions wait, and the connection."""

    DEFAULT_CSS = """
    BottomBar { height: 1; background: $surface; color: $muted; padding: 0 1; }
    BottomBar > Left { width: 1fr; height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    BottomBar > .count { width: auto; height: 1; }
    BottomBar > Chip { padding: 0; margin-left: 2; }
    BottomBar > #waiting { color: $accent; text-style: bold; }
    BottomBar > #waiting.-done { color: $success; }
    BottomBar > #skew { color: $warning; }
    """

    def __init__(self, state: AppState) -> None:
        super().__init__()
        self._state = state
        self.connected = True
        self.skewed = False
        self.dialog = False
        """Whether a dialog is open, so that no program gets the keys."""
        self.judging = False
        """Whether the judge's pane has the keys."""
        self.hidden_waiting = (0, 0)

    def compose(self) -> ComposeResult:
        yield Left()
        yield Chip("reload", id="skew")
        yield Chip("next_waiting", id="waiting")
        yield Chip("agent_mode", id="agent")
        yield Static(classes="count")

    def on_mount(self) -> None:
        self.show()

    def on_resize(self, event: events.Resize) -> None:
        self.show()

    def show(self) -> None:
        """Bring all texts of the bar up to date."""
        if not self.children:
            return  # the front end begins, or leaves
        skew = tr("new version: {key}", key=bindings.hint("reload")) if self.skewed else ""
        waiting, count = self._waiting(), self._count()
        if self._state.message:
            # The message goes before what is always there.
            room = self.size.width - cells(self._state.message) - cells(skew) - 6
            count = ""
            waiting = waiting if cells(waiting) <= room else ""
        agent = self._agent() if not self._state.message else ""
        chips = {"#skew": skew, "#waiting": waiting, "#agent": agent}
        for name, text in chips.items():
            self.query_one(name, Chip).update(text)
            self.query_one(name).display = bool(text)
        needed = any(needs_user(session) for session in self._state.waiting)
        self.query_one("#waiting").set_class(not needed, "-done")
        self.query_one(".count", Static).update(count)
        used = sum(cells(text) + 2 for text in chips.values() if text) + cells(count)
        self.query_one(Left).update(self._left(self.size.width - used))

    def _count(self) -> str:
        if not self.connected:
            return "  " + tr("coming back…")
        count = len(self._state.sessions)
        if self.size.width < _NARROW:
            return ""
        return "  " + tr_count("{count} session", "{count} sessions", count)

    def _agent(self) -> str:
        """Say in which mode the resident agent is, while it runs."""
        agent = self._state.agent
        if not agent.pid:
            return ""
        work = f" /work {agent.work_turns}" if agent.work_turns else ""
        return f"{'…' if agent.thinking else '○'} {tr('agent')}: {mode_word(agent.mode)}{work}"

    def _waiting(self) -> str:
        above, below = self.hidden_waiting
        if self._state.view is ViewName.RUN and not self._state.zoomed and above + below:
            arrow = "↑↓" if above and below else "↑" if above else "↓"
            words = f"{arrow} " + tr_count("{count} waits", "{count} wait", above + below)
            done = [one for one in self._state.waiting if not needs_user(one)]
            return "  ".join(part for part in (words, waiting_words(done)) if part)
        return waiting_words(self._state.waiting)

    def _left(self, room: int) -> Content:
        """Say where keys go first, then the message or how to reach the menu, as room allows."""
        target = self._target()
        if self._state.message:
            return self._with_message(target, room)
        if self._state.offered and not self.dialog:
            return self._offer(target, room)
        hints = {
            "palette": tr("{key} menu", key=bindings.leader()),
            **{name: f"{bindings.key(name)} {tr(BY_NAME[name].label)}" for name in _HINTS},
        }
        while hints and cells(target) + sum(cells(text) + 3 for text in hints.values()) > room:
            hints.popitem()
        first = cut(target, max(4, room - sum(cells(text) + 3 for text in hints.values())))
        clickable = "".join(f"   [@click=ask('{name}')]${name}[/]" for name in hints)
        return Content.from_markup(f"[$foreground]$first[/]{clickable}", first=first, **hints)

    def _offer(self, target: str, room: int) -> Content:
        """Ask whether the agent in front is to tell its state, with the key, and later or never."""
        key = bindings.hint("hooks")
        question = f"{hooks_offer(self._state.offered)} {key}"
        answers = {"hooks_later": tr("later"), "hooks_never": tr("never")}
        beside = sum(cells(word) + 3 for word in answers.values())
        if cells(question) + beside > room:
            question = f"{key} {tr(BY_NAME['hooks'].label)}"
        wide = cells(question) + beside
        if cells(target) + 3 + wide > room:
            target = ""
        if wide > room:
            answers = {}
        clickable = "".join(f" · [@click=ask('{name}')]${name}[/]" for name in answers)
        return Content.from_markup(
            f"[$foreground]$target[/][$accent][@click=ask('hooks')]$question[/][/]{clickable}",
            target=f"{target}   " if target else "", question=cut(question, max(4, room)), **answers,
        )  # fmt: skip

    def _with_message(self, target: str, room: int) -> Content:
        """The message takes the place of hints, and where it needs it that of the target."""
        message = self._state.message
        if cells(target) + 3 + cells(message) > room:
            target = ""
        shown = cut(message, max(4, room - cells(target) - 3))
        color = "$accent" if self._state.message_is_error else "$primary"
        gap = "   " if target else ""
        return Content.assemble((target, "$foreground"), gap, (shown, f"{color} bold"))

    def _target(self) -> str:
        current = self._state.current
        if self.dialog:
            return tr("keys → this dialog")
        if current is None:
            return tr("nobody here yet")
        name = printable(current.name)
        if self.judging:
            return tr("keys → judge of {name}", name=name)
        if self._state.view is ViewName.CHAT and not self._state.zoomed:
            if not self._state.keys_to_program:
                return tr("keys → prompt for {name}", name=name)
            return tr("keys → program {name}", name=name)
        return tr("keys → {name}", name=name)


def waiting_words(waiting: Sequence[Session]) -> str:
    """Return how many need their user, and how many are done and were not seen yet."""
    needs = sum(needs_user(session) for session in waiting)
    unseen = len(waiting) - needs
    parts = (
        "◆ " + tr_count("{count} waits for you", "{count} wait for you", needs) if needs else "",
        "✓ " + tr_count("{count} done", "{count} done", unseen) if unseen else "",
    )
    return "  ".join(part for part in parts if part)
