"""The client's status line: context, task, mode and branch, in three sets of icons (DC-36)."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

import msgspec

from nagomi_tui.guard.decide.documents import Mode

Style = Literal["nerd_fonts", "emoji", "ascii"]

LEAST_TOKENS: Final = 17_000
"""What a conversation takes before anything is said: system prompt and tools."""
_LIMIT: Final = 160_000
_LIMIT_1M: Final = 800_000
_SANE: Final = range(50_000, 20_000_001)
_BLOCKS: Final = 10
_GREEN, _ORANGE, _RED, _GRAY, _RESET = (
    "\x1b[38;5;114m", "\x1b[38;5;215m", "\x1b[38;5;203m", "\x1b[38;5;242m", "\x1b[0m",
)  # fmt: skip


class _Icons(NamedTuple):
    context: str
    task: str
    discussion: str
    implementation: str
    tasks: str
    branch: str
    edited: str
    ahead: str
    behind: str


_ICONS: Final[dict[Style, _Icons]] = {
    "nerd_fonts": _Icons(
        "\uf080 ", "\uf0ae ", "\uf27a ", "\uf0ad ", "\uf07c ", "\ue0a0 ", "✎", "↑", "↓"
    ),
    "emoji": _Icons("", "⚙️ ", "💬 ", "🛠️ ", "💼 ", "", "✎", "↑", "↓"),
    "ascii": _Icons("", "Task: ", "Mode: ", "Mode: ", "", "", "*", "+", "-"),
}


class Context(NamedTuple):
    """How full the context is, in tokens."""

    tokens: int
    limit: int

    @property
    def percent(self) -> float:
        """How full it is."""
        return min(100 * self.tokens / self.limit, 100.0)


class Tree(NamedTuple):
    """What git tells of the project."""

    branch: str = ""
    commit: str = ""
    """The beginning of the hash where there is no branch."""
    edited: int = 0
    ahead: int = 0
    behind: int = 0


class _Usage(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Window(msgspec.Struct, frozen=True):
    context_window_size: int | None = None
    used_percentage: float | None = None
    current_usage: _Usage | None = None


class _Model(msgspec.Struct, frozen=True):
    id: str | None = None
    display_name: str | None = None


class Told(msgspec.Struct, frozen=True):
    """What the client tells its status line."""

    session_id: str = ""
    cwd: str = ""
    model: _Model = msgspec.field(default_factory=_Model)
    context_window: _Window = msgspec.field(default_factory=_Window)


def context_of(told: Told) -> Context:
    """Return how full the context is; a size that cannot be is not believed (H-24, DB-25)."""
    window, usage = told.context_window, told.context_window.current_usage
    limit = window.context_window_size or 0
    if limit not in _SANE:
        names = f"{told.model.id} {told.model.display_name}".casefold()
        limit = _LIMIT_1M if "[1m]" in names else _LIMIT
    tokens = 0
    if usage is not None:
        tokens = sum(
            part or 0
            for part in (
                usage.input_tokens,
                usage.cache_creation_input_tokens,
                usage.cache_read_input_tokens,
            )
        )
    elif window.used_percentage is not None:
        tokens = int(limit * window.used_percentage / 100)
    return Context(max(tokens, LEAST_TOKENS), limit)


def rendered(
    context: Context, task: str | None, mode: Mode, tree: Tree | None, open_tasks: int, style: Style
) -> str:
    """Return the two lines; `tree` is None where the project is in no repository."""
    icons = _ICONS[style]
    above = [_context(context, icons, style), f"{icons.task}{task or 'No Task'}"]
    is_go = mode is Mode.IMPLEMENTATION
    icon = icons.implementation if is_go else icons.discussion
    below = [f"{icon}{'Implement' if is_go else 'Discuss'}"]
    if tree is not None:
        below.append(" ".join([f"{icons.edited} {tree.edited}", *_distance(tree, icons)]))
    below.append(f"{icons.tasks}{open_tasks} open")
    if tree is not None:
        below.append(f"{icons.branch}{tree.branch or f'@{tree.commit} [detached]'}")
    return "\n".join([" | ".join(above), " | ".join(below)])


def tree_of(porcelain: list[str]) -> Tree:
    """Return what `git status --porcelain=v2 --branch` told."""
    heads: dict[str, Any] = {}
    for line in porcelain:
        if line.startswith("# branch."):
            key, _, value = line.removeprefix("# branch.").partition(" ")
            heads[key] = value
    ahead, _, behind = str(heads.get("ab", "+0 -0")).partition(" ")
    branch = str(heads.get("head", ""))
    return Tree(
        branch="" if branch == "(detached)" else branch,
        commit=str(heads.get("oid", ""))[:7],
        edited=sum(line[:2] in ("1 ", "2 ", "u ") for line in porcelain),
        ahead=_number(ahead),
        behind=_number(behind),
    )


def _context(context: Context, icons: _Icons, style: Style) -> str:
    percent = context.percent
    colour = _GREEN if percent < 50 else _ORANGE if percent < 80 else _RED
    full = int(percent * _BLOCKS / 100)
    filled, empty = ("#", "-") if style == "ascii" else ("█", "░")
    bar = f"{colour}{filled * full}{_GRAY}{empty * (_BLOCKS - full)}{_RESET}"
    return (
        f"{icons.context}{bar} {percent:.1f}% ({context.tokens // 1000}k/{context.limit // 1000}k)"
    )


def _distance(tree: Tree, icons: _Icons) -> list[str]:
    ahead = f"{icons.ahead} {tree.ahead}" if tree.ahead else ""
    behind = f"{icons.behind} {tree.behind}" if tree.behind else ""
    return [both] if (both := ahead + behind) else []


def _number(signed: str) -> int:
    digits = signed.lstrip("+-")
    return int(digits) if digits.isdigit() else 0
