"""`nagomi guard config`: what the user sets for a guarded project."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from nagomi_tui.commands.guard import project
from nagomi_tui.commands.parser import Commands, add, add_json, add_verbs, no_choice
from nagomi_tui.guard.decide.documents import Config, plain, typed, unknown_keys
from nagomi_tui.guard.decide.readers import READERS
from nagomi_tui.system.console import failure, say, say_json, tr
from nagomi_tui.system.outcome import CommandError, Exit

if TYPE_CHECKING:
    Change = Callable[[Config], Config]


_KINDS: Final = {
    "go": "implementation_mode",
    "no": "discussion_mode",
    "create": "task_creation",
    "start": "task_startup",
    "complete": "task_completion",
    "compact": "context_compaction",
}
"""Short names of the kinds of phrases."""
_FEATURES: Final = {
    "branch_enforcement": ("features", "branch_enforcement"),
    "task_detection": ("features", "task_detection"),
    "auto_ultrathink": ("features", "auto_ultrathink"),
    "warn_85": ("features", "context_warnings", "warn_85"),
    "warn_90": ("features", "context_warnings", "warn_90"),
    "extrasafe": ("blocked_actions", "extrasafe"),
    "strict_phrases": ("nagomi", "strict_phrases"),
    "todos_required": ("nagomi", "todos_required"),
}
"""What is on or off, by name, and where it stands."""
_ICONS: Final = ("nerd_fonts", "emoji", "ascii")
_LISTS: Final = {
    "read": ("blocked_actions", "bash_read_patterns"),
    "write": ("blocked_actions", "bash_write_patterns"),
    "paths": ("blocked_actions", "discussion_allowed_paths"),
    "readers": ("nagomi", "read_tools"),
}
_GIT: Final = {
    "add": ("add_pattern", ("ask", "all")),
    "branch": ("default_branch", None),
    "commit": ("commit_style", ("conventional", "simple", "detailed")),
    "merge": ("auto_merge", ("auto", "ask")),
    "push": ("auto_push", ("auto", "ask")),
    "repo": ("has_submodules", ("super", "standard")),
}
_ENVIRONMENT: Final = {
    "os": ("os", ("linux", "macos", "windows")),
    "shell": ("shell", ("bash", "zsh", "fish", "powershell", "cmd")),
    "name": ("developer_name", None),
}
_YES: Final = frozenset({"true", "on", "yes", "1", "auto", "super"})
_NO: Final = frozenset({"false", "off", "no", "0", "ask", "standard"})
_SWITCHED: Final = ("auto_merge", "auto_push", "has_submodules")


def register(commands: Commands) -> None:
    parser = add(commands, "config", show, tr("show the guard's settings, or change them"))
    add_json(parser)
    parser.set_defaults(way=())
    parts = add_verbs(parser, "PART")
    _shown(parts, "show", tr("show all settings"), ())
    add_json(
        add(parts, "validate", validate, tr("tell whether the settings are as they should be"))
    )
    _register_phrases(parts)
    _register_choices(parts, "git", tr("how work is committed"), "git_preferences", _GIT)
    _register_choices(parts, "env", tr("whose machine it is"), "environment", _ENVIRONMENT)
    _register_features(parts)
    sentences = {
        "read": tr("shell commands that only read, by the words that they begin with"),
        "write": tr("shell commands that write, by the words that they begin with"),
        "paths": tr("files and folders that may be written in discussion"),
        "readers": tr("tools, such as those of MCP servers, that only read"),
    }
    for name, way in _LISTS.items():
        verbs = _part(parts, name, sentences[name], way)
        _item(verbs, "add", partial(change_item, _with_item), tr("add one"), way)
        _item(verbs, "remove", partial(change_item, _without_item), tr("take one away"), way)
    tools = ("blocked_actions", "implementation_only_tools")
    verbs = _part(parts, "tools", tr("tools that are always blocked in discussion"), tools)
    _item(verbs, "block", partial(change_item, _with_item), tr("add one"), tools)
    _item(verbs, "unblock", unblock, tr("take one away"), tools)


def show(arguments: Namespace) -> None:
    """Print the settings, or a part of them; of what can be switched, also what stands elsewhere."""
    config, way = project.config_now(), arguments.way
    value = _value_at(config, way)
    if way == ("features",):
        elsewhere = {name: at for name, at in _FEATURES.items() if at[:1] != way}
        value |= {name: _value_at(config, at) for name, at in elsewhere.items()}
    _print(value, as_json=arguments.json)


def validate(arguments: Namespace) -> None:
    """Tell whether the settings can be read, and which keys are not known."""
    unknown = unknown_keys(project.config_now())
    if arguments.json:
        say_json({"valid": True, "unknown": unknown})
    elif unknown:
        say(tr("These keys are not known, and are kept: {keys}", keys=", ".join(unknown)))
    else:
        say(tr("The settings are as they should be."))


def list_phrases(arguments: Namespace) -> None:
    """Print the phrases of one kind, or all."""
    kind = (_KINDS[arguments.kind],) if arguments.kind else ()
    found = _value_at(project.config_now(), ("trigger_phrases", *kind))
    _print(found, as_json=arguments.json)


def change_item(change: Callable[..., Config], arguments: Namespace) -> None:
    """Put an item into a list or take it out, as `change` does: a phrase, words, a file or a tool."""
    way, item = arguments.way, arguments.item
    if "kind" in arguments:
        way = (*way, _KINDS[arguments.kind])
    _change(arguments, way, lambda config: change(config, way, item))


def unblock(arguments: Namespace) -> None:
    """Take a tool off the list; one that is not known to only read stays refused in discussion."""
    change_item(_without_item, arguments)
    readers = (*READERS, *project.config_now().nagomi.read_tools)
    if arguments.item not in readers and not arguments.json:
        sentence = tr(
            "Discussion refuses {tool} all the same: no tool may run there that is not known to only read.",
            tool=arguments.item,
        )
        say(sentence)


def set_choice(arguments: Namespace) -> None:
    """Set one of git's or the environment's settings."""

    def change(config: Config) -> Config:
        is_switch = arguments.way[-1] in _SWITCHED
        return _with(
            config, arguments.way, _is_on(arguments.value) if is_switch else arguments.value
        )

    _change(arguments, arguments.way, change)


def set_feature(arguments: Namespace) -> None:
    """Switch something on or off, or choose the icons."""
    name, value = arguments.name, arguments.value
    if name in _FEATURES:
        way, fitting = _FEATURES[name], _is_on(value)
    elif value in _ICONS:
        way, fitting = ("features", name), value
    else:
        raise CommandError(no_choice(value, _ICONS), Exit.USAGE)
    _change(arguments, way, lambda config: _with(config, way, fitting))


def toggle_feature(arguments: Namespace) -> None:
    """Switch something over."""
    way = _FEATURES[arguments.name]
    _change(arguments, way, lambda config: _with(config, way, not _value_at(config, way)))


def _register_phrases(parts: Commands) -> None:
    way = ("trigger_phrases",)
    verbs = _part(parts, "phrases", tr("what the user says to begin something"), way, lists=False)
    listing = add(verbs, "list", list_phrases, tr("show them"))
    listing.add_argument("kind", nargs="?", choices=_KINDS)
    add_json(listing)
    for name, change, help in (
        ("add", _with_item, tr("add one")),
        ("remove", _without_item, tr("take one away")),
    ):
        verb = add(verbs, name, partial(change_item, change), help)
        verb.add_argument("kind", choices=_KINDS)
        verb.add_argument("item", metavar="PHRASE")
        add_json(verb)


def _register_choices(
    parts: Commands, name: str, help: str, section: str, known: dict[str, tuple[str, Any]]
) -> None:
    verbs = _part(parts, name, help, (section,))
    for verb, (field, choices) in known.items():
        parser = add(verbs, verb, set_choice, tr("set it"))
        parser.add_argument("value", metavar="VALUE", choices=choices)
        parser.set_defaults(way=(section, field))
        add_json(parser)


def _register_features(parts: Commands) -> None:
    verbs = _part(parts, "features", tr("what can be switched"), ("features",))
    setting = add(verbs, "set", set_feature, tr("set it"))
    setting.add_argument("name", choices=(*_FEATURES, "icon_style"))
    setting.add_argument("value", metavar="VALUE")
    toggle = add(verbs, "toggle", toggle_feature, tr("switch it over"))
    toggle.add_argument("name", choices=_FEATURES)
    add_json(setting)
    add_json(toggle)


def _part(
    parts: Commands, name: str, help: str, way: tuple[str, ...], *, lists: bool = True
) -> Commands:
    """Add a part of the settings, which shows itself where no verb follows."""
    parser = add(parts, name, show, help)
    parser.set_defaults(way=way)
    add_json(parser)
    verbs = add_verbs(parser)
    _shown(verbs, "show", tr("show them"), way)
    if lists:
        _shown(verbs, "list", tr("show them"), way)
    return verbs


def _shown(commands: Commands, name: str, help: str, way: tuple[str, ...]) -> None:
    parser = add(commands, name, show, help)
    parser.set_defaults(way=way)
    add_json(parser)


def _item(
    verbs: Commands, name: str, run: Callable[..., None], help: str, way: tuple[str, ...]
) -> None:
    parser = add(verbs, name, run, help)
    parser.add_argument("item", metavar="WORDS")
    parser.set_defaults(way=way)
    add_json(parser)


def _change(arguments: Namespace, way: tuple[str, ...], change: Change) -> None:
    """Change the settings, as only the user may, and print what stands there now."""
    project.user_only("nagomi guard config …")
    with project.changing_config() as editing:
        editing.config = change(editing.config)
        value = _value_at(editing.config, way)
    is_named = not arguments.json and not isinstance(value, list)
    _print({way[-1]: value} if is_named else value, as_json=arguments.json)


def _with(config: Config, way: Sequence[str], value: Any) -> Config:
    """Return the settings with one value set, which fits there."""
    raw = plain(config)
    place = raw
    for name in way[:-1]:
        place = place[name]
    place[way[-1]] = value
    return typed(raw, type(config))


def _value_at(config: Config, way: Sequence[str]) -> Any:
    """Return one value, as JSON has it."""
    found: Any = plain(config)
    for name in way:
        found = found[name]
    return found


def _with_item(config: Config, way: Sequence[str], item: str) -> Config:
    """Return the settings with an item at the end of a list.

    Raises:
        CommandError: it is empty, or there already.
    """
    before = _value_at(config, way)
    if not item.strip():
        raise failure("Nothing was added: the words are empty.", Exit.USAGE)
    if item in before:
        raise failure("`{item}` is in the list already.", Exit.USAGE, item=item)
    return _with(config, way, [*before, item])


def _without_item(config: Config, way: Sequence[str], item: str) -> Config:
    """Return the settings without an item of a list.

    Raises:
        CommandError: it is not there, or is the last phrase that stops agents.
    """
    before = _value_at(config, way)
    if item not in before:
        raise failure("`{item}` is not in the list.", Exit.USAGE, item=item)
    rest = [one for one in before if one != item]
    if not rest and way[-1] == _KINDS["no"]:
        raise failure(
            "`{item}` is the last phrase: without any, no prompt could stop agents.",
            Exit.USAGE,
            item=item,
        )
    return _with(config, way, rest)


def _is_on(word: str) -> bool:
    """Return whether a word means on.

    Raises:
        CommandError: it means neither.
    """
    if word.casefold() in _YES:
        return True
    if word.casefold() in _NO:
        return False
    raise CommandError(no_choice(word, ("on", "off")), Exit.USAGE)


def _print(value: Any, *, as_json: bool) -> None:
    if as_json:
        say_json(value)
    elif isinstance(value, dict):
        lines = "\n".join(_lines(value, ""))
        say(lines)
    elif isinstance(value, list):
        lines = "\n".join(map(str, value))
        say(lines or tr("(none)"))
    else:
        say(_said(value))


def _lines(value: dict[str, Any], way: str) -> list[str]:
    lines: list[str] = []
    for name, each in value.items():
        if isinstance(each, dict):
            lines += _lines(each, f"{way}{name}.")
        else:
            lines.append(f"{way}{name}: {_said(each)}")
    return lines


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return str(value)
