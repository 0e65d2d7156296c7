"""`nagomi hands`, `setup` and `copy`: lists hands, adds, tests and removes them, logs in there, copies a file."""

from __future__ import annotations

import os
import re
import shlex
import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from nagomi_tui.api.command_client import ask, ask_if_served, carried
from nagomi_tui.api.messages import Create, HandStanding, ListHands, ReachHand
from nagomi_tui.api.printing import machine_words
from nagomi_tui.commands.parser import Commands, Parser, add, add_flag, add_json, add_verbs
from nagomi_tui.hands import master, presets, registry
from nagomi_tui.hands.hand import BadHand, Hand
from nagomi_tui.hands.presets import brief, login_command, name_for
from nagomi_tui.sessions.session import LOCAL
from nagomi_tui.system.console import complain, confirm, failure, say, say_json, spoken, tr
from nagomi_tui.system.environment import terminal_width
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.cells import cells, fold, pad, printable

if TYPE_CHECKING:
    from nagomi_tui.hands.copying import End


@contextmanager
def in_order() -> Iterator[None]:
    """Turn faults of hands and of their file into errors of the command."""
    try:
        yield
    except BadHand as exc:
        raise failure(exc.message, Exit.USAGE, **exc.values) from exc


def _hand_named(name: str) -> Hand:
    """Return the hand of this name.

    Raises:
        CommandError: there is none, or their file cannot be read.
    """
    with in_order():
        return registry.load().meant(name)


def _add_name(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help=tr("its name"))


def _machine(standing: HandStanding) -> str:
    return machine_words(standing, spoken())


def reach(name: str) -> int:
    """Reach for a hand and say what was found; return the command's exit code."""
    found = ask(ReachHand(id=0, name=name), start=True)
    if found.reached:
        told = {"name": found.name, "pid": found.pid, "sessions": found.sessions}
        say(tr("{name} is there: worker {pid}, sessions: {sessions}.", **told))
        if words := _machine(found):
            say(words)
        if found.plain:
            sentence = tr(
                "Its worker runs without compiled modules, and slower; `nagomi hands install {name}` "
                "brings them.",
                name=found.name,
            )
            say(sentence)
    else:
        complain(found.fault)
    return int(Exit.OK if found.reached else Exit.FAILED)


def install(hand: Hand) -> int:
    """Install there, say what was done, and reach for the hand; return the command's exit code."""
    from nagomi_tui.hands import installing

    say(tr("Installing behind {name}; this may take minutes.", name=hand.name))
    with in_order():
        done = installing.install(hand, {})
    if done.half:
        told = {"name": hand.name, "by": done.by, "said": done.half}
        complain(tr("{by} behind {name} could not fetch all; the worker is slower: {said}", **told))
    else:
        say(tr("{by} behind {name} has installed it.", name=hand.name, by=done.by))
    return int(Exit.FAILED) if done.half else reach(hand.name)


def log_in(arguments: Namespace) -> int:
    """Let ssh ask on this terminal, else in a session's pane; then reach for the hand."""
    hand = _hand_named(arguments.name)
    with in_order():
        if arguments.pane or not (os.isatty(0) and os.isatty(1)):
            master.check(hand)
            _ask_in_pane(hand)
            return int(Exit.OK)
        if not master.log_in(hand):
            complain(tr("You are not logged in to {name}.", name=hand.name))
            return int(Exit.FAILED)
    return reach(hand.name)


def _ask_in_pane(hand: Hand) -> None:
    """Start a session that logs in, and say where it is."""
    name, folder = f"login-{hand.name}", os.path.expanduser("~")
    made = ask(Create(id=0, cmd=login_command(hand.name), cwd=folder, name=name), start=True)
    say(tr("ssh asks in session {number} ({name}).", number=made.number, name=made.name))


def log_out(arguments: Namespace) -> int:
    """End the ssh that has logged in, and with it what goes over it."""
    hand = _hand_named(arguments.name)
    if master.close(hand):
        return int(Exit.OK)
    complain(tr("You are not logged in to {name}.", name=hand.name))
    return int(Exit.FAILED)


_REST = "--option-of-kind"
"""Carries each word behind `--`, whatever it looks like."""


def register(commands: Commands) -> None:
    parser = add(commands, "hands", show, tr("other machines and containers that sessions run on"))
    parser.set_defaults(json=False)
    verbs = add_verbs(parser)
    add_json(add(verbs, "list", show, tr("list the hands, and how they stand")))
    _register_add(
        add(verbs, "add", put, tr("make a hand: ssh HOST, wsl DISTRO, docker CONTAINER …"))
    )
    tester = add(verbs, "test", test, tr("reach for a hand at once, and say what was found"))
    _add_name(tester)
    add_json(tester)
    remover = add(verbs, "remove", remove, tr("forget a hand"))
    _add_name(remover)
    add_flag(remover, "--yes", help=tr("do not ask"))
    opener = add(
        verbs, "login", log_in, tr("let ssh ask for a password, or about the host's key, and stay")
    )
    _add_name(opener)
    add_flag(opener, "--pane", help=tr("ask in a session of its own, not here"))
    _add_name(add(verbs, "logout", log_out, tr("end the ssh that has logged in")))
    told = tr("have uv or pip there install what its worker is faster with")
    _add_name(add(verbs, "install", lambda one: install(_hand_named(one.name)), told))
    namer = add(verbs, "rename", rename, tr("give a hand another name"))
    _add_name(namer)
    namer.add_argument("new", metavar="NEW", help=tr("its new name"))
    _register_folder(verbs)
    setter = add(commands, "setup", set_up, tr("make a hand, reach for it, and say what was found"))
    places = setter.add_mutually_exclusive_group(required=True)
    places.add_argument("--ssh", metavar="HOST", default="", help=tr("a host, as ssh knows it"))
    places.add_argument(
        "--wsl", metavar="DISTRO", nargs="?", const="",
        help=tr("a distribution of WSL (default: the one that WSL calls default)"),
    )  # fmt: skip
    add_flag(setter, "--yes", help=tr("do not ask"))


def _register_folder(verbs: Commands) -> None:
    layer = add(verbs, "folder", lay, tr("have sessions of a folder begin on a hand"))
    _add_name(layer)
    layer.add_argument("folder", metavar="FOLDER", help=tr("a folder of this machine"))
    layer.add_argument(
        "there", metavar="THERE", nargs="?", default="",
        help=tr("where it lies on the hand (default: where its sessions begin)"),
    )  # fmt: skip
    add_flag(layer, "--remove", help=tr("its sessions begin on this machine again"))


def arrange(arguments: list[str]) -> list[str]:
    """Write what follows `--` so that options of ours may stand before it, which argparse mixes up."""
    if arguments[:2] != ["hands", "add"] or "--" not in arguments:
        return arguments
    end = arguments.index("--")
    return arguments[:end] + [f"{_REST}={word}" for word in arguments[end + 1 :]]


def _register_add(parser: Parser) -> None:
    parser.usage = "nagomi hands add KIND TARGET [OPTION…] [-- OPTION-OF-KIND…]"
    parser.add_argument(
        "kind", metavar="KIND", choices=presets.KINDS, help=", ".join(presets.KINDS)
    )
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        default="",
        help=tr("host, distribution, container, pod or folder; a command stands behind `--`"),
    )
    parser.add_argument(_REST, dest="rest", action="append", default=[], help=SUPPRESS)
    parser.add_argument("--name", default="", help=tr("its name (default: the target)"))
    parser.add_argument(
        "--folder", default="", help=tr("where its sessions begin (default: the home folder there)")
    )
    parser.add_argument(
        "--env", metavar="NAME", action="append", default=[],
        help=tr("a variable that its sessions get from whoever starts them"),
    )  # fmt: skip
    parser.add_argument(
        "--most", metavar="N", type=int, default=0, help=tr("how many sessions may run there")
    )
    add_flag(parser, "--trusted", help=tr("let `nagomi` in its sessions reach all sessions, not only those there"))  # fmt: skip
    parser.add_argument(
        "--program", metavar="WORDS", default="", help=tr("the worker's command there")
    )
    add_flag(parser, "--install", help=tr("have uv or pip there install what its worker is faster with"))  # fmt: skip
    for option, long in (("-n", "namespace"), ("-c", "container"), (None, "context")):
        names = [name for name in (option, f"--{long}") if name]
        parser.add_argument(*names, dest=long, default="", help=tr("as for kubectl"))
    add_flag(parser, "--yes", help=tr("do not ask"))


def show(arguments: Namespace) -> int:
    """List the hands; those that cannot be understood are named on stderr."""
    with in_order():
        found = registry.load()
    for fault in found.faults:
        complain(tr(fault.message, **fault.values))
    standing = {one.name: one for one in _standings()}
    if arguments.json:
        say_json([_told(hand, standing.get(hand.name)) for hand in found.all])
    elif found.all:
        _say_table(found.all, standing)
    else:
        say(tr("There are no hands yet; `nagomi hands add` makes one."))
    return int(Exit.FAILED if found.faults else Exit.OK)


def _standings() -> Sequence[HandStanding]:
    """Return how the hands stand; nothing is started to find out."""
    found = ask_if_served(ListHands(id=0))
    return found.hands if found else ()


def _told(hand: Hand, standing: HandStanding | None) -> dict[str, object]:
    stands = standing or HandStanding(name="", kind="", command=(), reached=False)
    told = (
        "reached", "sessions", "fault", "host", "system", "cores", "load", "memory_mb", "free_mb",
    )  # fmt: skip
    return {
        "name": hand.name,
        "kind": hand.kind,
        "command": hand.command,
        "folder": hand.folder,
        "env": hand.env,
        "most": hand.most,
        "trusted": hand.trusted,
        "folders": hand.folders,
        **{name: getattr(stands, name) for name in told},
    }


def _say_table(hands: Sequence[Hand], standing: Mapping[str, HandStanding]) -> None:
    width = max((cells(hand.name) for hand in hands), default=0)
    words = {hand.name: _word(standing.get(hand.name)) for hand in hands}
    room = max((cells(word) for word in words.values()), default=0)
    for hand in hands:
        say(f"{pad(hand.name, width)}  {pad(words[hand.name], room)}  {brief(hand.command)}")
        for told in _details(hand, standing.get(hand.name)):
            _say_below(told, width + 2)


def _details(hand: Hand, found: HandStanding | None) -> Iterator[str]:
    """Yield what its machine is, which folders begin there, and why it is away."""
    if found and found.reached and (told := _machine(found)):
        yield told
    for here, there in hand.folders.items():
        yield f"{here} → {there or '~'}"
    if found and found.fault and not found.reached:
        yield found.fault


def _say_below(text: str, indent: int) -> None:
    """Say a line below a name, in several where a terminal is too narrow for it."""
    room = max(20, terminal_width() - indent)
    for line in fold(text, room) if sys.stdout.isatty() else [text]:
        say(f"{' ' * indent}{line}")


def _word(standing: HandStanding | None) -> str:
    if standing is None:
        return "-"
    if standing.reached:
        return tr("reached, sessions: {count}", count=standing.sessions)
    return tr("away") if standing.fault else tr("not asked yet")


def test(arguments: Namespace) -> int:
    """Reach for a hand, and say what was found."""
    hand = _hand_named(arguments.name)
    if arguments.json:
        found = ask(ReachHand(id=0, name=hand.name), start=True)
        say_json(_told(hand, found) | {"pid": found.pid, "seconds": found.seconds})
        return int(Exit.OK if found.reached else Exit.FAILED)
    return reach(hand.name)


def set_up(arguments: Namespace) -> int:
    """Make a hand unless there is one of this name, and say whether it can be reached."""
    kind, target = ("ssh", arguments.ssh) if arguments.ssh else ("wsl", arguments.wsl)
    name = name_for(kind, target)
    with in_order():
        known = registry.load().get(name)
    if known is None:
        wanted = Parser(prog="nagomi setup")
        _register_add(wanted)
        words = [kind, *([target] if target else []), *(["--yes"] if arguments.yes else [])]
        if code := put(wanted.parse_args(words)):
            return code
    return reach(name)


def put(arguments: Namespace) -> int:
    with in_order():
        hand = _made(arguments)
        told = {"name": hand.name, "command": brief(hand.command)}
        if not confirm(tr("Add the hand {name} ({command})?", **told), yes=arguments.yes):
            say(tr("Nothing was changed."))
            return int(Exit.FAILED)
        registry.add(hand)
    say(tr("{name} is a hand now: `nagomi new --worker {name}`.", name=hand.name))
    return install(hand) if arguments.install else int(Exit.OK)


def _made(arguments: Namespace) -> Hand:
    """Return the hand that was asked for.

    Raises:
        BadHand: there can be none like that.
    """
    target, words = carried(arguments.target), [carried(word) for word in arguments.rest]
    for option in ("namespace", "container", "context"):
        if value := getattr(arguments, option):
            if arguments.kind != "kubectl":
                raise failure("`--{option}` is for kubectl only.", Exit.USAGE, option=option)
            words.append(f"--{option}={carried(value)}")
    return Hand(
        name=carried(arguments.name) or presets.name_for(arguments.kind, target, words),
        kind=arguments.kind,
        command=presets.command(arguments.kind, target, words),
        program=_words(arguments.program),
        folder=carried(arguments.folder),
        env=tuple(carried(name) for name in arguments.env),
        most=arguments.most,
        trusted=arguments.trusted,
    )


def _words(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(carried(line)))
    except ValueError:
        raise failure("a quotation mark is missing in {line}.", Exit.USAGE, line=line) from None


def remove(arguments: Namespace) -> int:
    """Forget a hand; its worker there ends by itself once it holds no session."""
    hand = _hand_named(arguments.name)
    with in_order():
        count = sum(one.sessions for one in _standings() if one.name == arguments.name)
        told = {"name": arguments.name, "count": count}
        question = tr(
            "Forget the hand {name}? Sessions there that are laid aside then: {count}.", **told
        )
        if not confirm(question, yes=arguments.yes):
            say(tr("Nothing was changed."))
            return int(Exit.FAILED)
        registry.remove(arguments.name)
        if all(one.command != hand.command for one in registry.load().all):
            master.close(hand)
    return int(Exit.OK)


def rename(arguments: Namespace) -> None:
    """Give a hand another name."""
    with in_order():
        registry.rename(arguments.name, carried(arguments.new))


def lay(arguments: Namespace) -> None:
    """Have sessions of a folder begin on a hand, or on this machine again."""
    folder = carried(os.path.abspath(os.path.expanduser(arguments.folder)))
    there = None if arguments.remove else carried(arguments.there)
    with in_order():
        registry.lay(arguments.name, folder, there)


# --- `nagomi copy`

_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")


def register_copy(commands: Commands) -> None:
    parser = add(commands, "copy", copy, tr("copy a small file to a hand, or from there"))
    parser.add_argument(
        "source",
        metavar="HAND:FILE",
        help=tr("what to copy; without HAND, a file of this machine"),
    )
    parser.add_argument(
        "target", metavar="HAND:PATH", help=tr("the file that it becomes, or a folder for it")
    )
    add_flag(parser, "--force", help=tr("replace a file that is there"))


def copy(arguments: Namespace) -> None:
    """Copy a file, whole or not at all."""
    from nagomi_tui.hands import copying

    try:
        source, target = _end(carried(arguments.source)), _end(carried(arguments.target), bare=".")
        name = source.path.replace("\\", "/").rstrip("/").rpartition("/")[2]
        copied = copying.fetch(source, _progress(str(source)))
        copying.put(
            target, copied, name=name, force=arguments.force, progress=_progress(str(target))
        )
    except BadHand as exc:
        raise failure(exc.message, **exc.values) from exc
    finally:
        _clear()
    told = {"source": source, "target": target, "count": len(copied.data)}
    say(tr("{source} → {target}: {count} bytes.", **told))


def _end(named: str, *, bare: str = "") -> End:
    """Return what is meant by `HAND:PATH`, `:PATH` or `PATH`; a path begins with `./` to hold a colon.

    `bare` is the path where only the hand is named.
    """
    from nagomi_tui.hands.copying import End

    name, colon, path = named.partition(":")
    if not colon or "/" in name or _DRIVE.match(named):
        name, path = LOCAL, named
    path = path or colon and bare
    if not path:
        raise failure("`{named}` names no file.", Exit.USAGE, named=named)
    if name in ("", LOCAL):
        return End(None, os.path.expanduser(path))
    return End(registry.load().meant(name), path)


def _progress(name: str) -> Callable[[int, int], None]:
    """Return what shows how far a copy is, where somebody can see it."""
    shown = -1

    def tell(done: int, size: int) -> None:
        nonlocal shown
        percent = 100 * done // max(size, 1)
        if percent != shown and sys.stderr.isatty():
            shown = percent
            sys.stderr.write(f"\r\x1b[K{printable(name)} {percent} %")
            sys.stderr.flush()

    return tell


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
