"""Reads single lines of a turn by the patterns of the generic profile (N-73 to N-79, NB-5)."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import Annotated, Final

import msgspec

from nagomi_tui.judge.patterns import compiled
from nagomi_tui.judge.verdict import shorten

TAIL_LINES: Final = 80
SILENCE_SECONDS: Final = 3.5
WIDEST: Final = 240
"""Most characters of a line that are read: patterns may be slow, and output hostile."""
_OVERLAP: Final = 60
_LONGEST: Final = 1200
"""Most characters of a whole line that are read at all."""
_WORD: Final = re.compile(r"[\w.-]+")
_SCRIPT: Final = re.compile(r"\w\.(?:sh|bash|zsh|ksh|fish|py|rb|pl|php|m?js|ts|lua)$")
"""A script that names its interpreter has its own name among the processes."""
_BESIDE: Final = re.compile(r"^[=!*#_─━═-]{3,} +| +[=!*#_─━═-]{3,}$|^[│┃║|] +")
"""A rule at either side of words, or a frame before them."""
_LISTED: Final = re.compile(r"\s*[\[(]?(?:\d{1,2}|\w)(?:[\])]|[.:](?= )) ?\S")
"""One of the choices that stand between what asks and the answer."""
_ANNOUNCES: Final = (":", "：")
"""The end of a line that announces the next one."""
_NAMED: Final = re.compile(r"\w(?: \[\w+\])?: +\S.*[:：]$")
"""Such a line that tells what has failed, too, as `AssertionError: Expected these to be equal:`."""
_LITTLE: Final = 6
"""Most lines of an output of which the first one with a label is told, too."""
_LABELLED: Final = re.compile(r"[^\W\d][\w .-]{0,30} ?(?:: +|：\s*)\S")
"""A line that begins with words and a colon, as `Fehler: Datei fehlt`."""
_STEPS: Final = 3
"""Most lines that are told of a row of them that announce each other."""
_POINTS: Final = re.compile(r"^\s*(?:-->|╭─\[|┌─) ?[\w./~-]+:\d+")
"""A place in a file, below what is wrong there."""
_MAKE_STOPS: Final = re.compile(r"^\S*make(?:\[\d+\])?: \*\*\* .*Error \d+")
_PLACE: Final = re.compile(r"\s*[\w./@~-]{1,120}\.\w{1,8}(?::\d+|\(\d+)")
"""A line of a file, before what is wrong there."""


_TIMED_OUT: Final = 124
"""With this status `timeout` ends where its limit was reached."""
_QUOTES: Final = " \t;&|\"'"
_TALLY_LINES: Final = 12
_COUNT: Final = re.compile(
    r"(?i)\b(?:failed|failures?|errors?|unreachable)\s*[=:]\s*(\d+)"
    r"|(?<![\d.])(\d+) (?:failed|failing|failures?|errors?)\b"
)


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Patterns and limits of the heuristic; the fields are those of `generic.toml`."""

    silence_seconds: float = SILENCE_SECONDS
    tail_lines: Annotated[int, msgspec.Meta(ge=1, le=1000)] = TAIL_LINES
    attention: str = ""
    """The regex of N-76: its words alone make a line suspicious."""
    harmless: tuple[str, ...] = ()
    """Patterns removed from a line before it is read: `0 errors`, paths, flags."""
    harmless_lines: tuple[str, ...] = ()
    """Lines that are left out whole."""
    heads: tuple[str, ...] = ()
    """Beginnings of lines that prove a failure, whatever is harmless behind them."""
    failures: tuple[str, ...] = ()
    """Patterns that prove a failure."""
    below: tuple[tuple[str, str], ...] = ()
    """A line, and one that proves a failure where it stands below that (both regexes)."""
    tallies: tuple[str, ...] = ()
    """Lines that count how much went well and how much failed."""
    sums: tuple[str, ...] = ()
    """Lines that say that something has failed, and not what."""
    sum_words: frozenset[str] = frozenset()
    """Words of which a line consists that says no more than that either."""
    interrupts: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    """What the terminal and shells say where the user stopped a job with Ctrl-Z."""
    questions: tuple[str, ...] = ()
    """The end of a line on which a program waits for an answer."""
    strict_questions: tuple[str, ...] = ()
    """Questions that are recognised even where nobody can say that the program reads."""
    remote_questions: tuple[str, ...] = ()
    """Questions that are recognised in what another machine writes."""
    break_hints: tuple[str, ...] = ()
    """Lines that tell by which key what goes on is broken off: nothing is asked."""
    requests: tuple[str, ...] = ()
    """Lines that ask for what is typed on the next one."""
    repls: tuple[str, ...] = ()
    """Names of programs that read commands behind a sign alone."""
    bare_prompts: tuple[str, ...] = ()
    """Prompts on which a program that reads whole lines asks, if words above say so."""
    relays: tuple[str, ...] = ()
    """Names of programs that show the work of another machine."""
    multiplexers: tuple[str, ...] = ()
    """Names of programs that show other terminals, and fill the screen by that."""
    pagers: tuple[str, ...] = ()
    """Names of programs that show texts and change nothing."""
    finders: tuple[str, ...] = ()
    """Names of programs by which one of many lines is picked."""
    scripts: tuple[str, ...] = ()
    """Names of programs that run scripts."""
    asking_above: tuple[str, ...] = ()
    """The end of a line that asks for a key, where the cursor stands in an empty line below."""
    asking_beside: tuple[str, ...] = ()
    """The end of a line that asks for a key, of a program that may work meanwhile and name its keys."""
    readers: tuple[str, ...] = ()
    """Command lines that print what files hold, and nothing of their own."""
    secrets: tuple[str, ...] = ()
    """The end of a line on which a password is asked for, wherever it is read."""
    prompts: tuple[str, ...] = ()
    """A line on which an interactive program is at rest."""
    word_prompts: tuple[str, ...] = ()
    """A line on which a program that nobody knows is at rest: a word and a sign."""
    editor_prompts: tuple[str, ...] = ()
    """A line on which a program is at rest that reads single keys, by a line editor of its own."""
    shell_prompts: tuple[str, ...] = ()
    time_limits: tuple[str, ...] = ()
    """Command lines that end another command after the seconds in group 1, and fail then."""
    exceptions: tuple[str, ...] = ()
    """Lines by which a REPL tells, above its next prompt, that what was entered has failed."""
    editors: tuple[str, ...] = ()
    """Names of editors."""
    editor_openers: tuple[str, ...] = ()
    """Names of programs that open an editor and wait for what is written there."""
    continuations: tuple[str, ...] = ()
    """The beginning of a line on which a shell waits for the rest of a command."""
    silent_failures: tuple[tuple[str, str], ...] = ()
    """A command line and its whole output (both regexes) that mean a status other than zero."""
    untold: tuple[str, ...] = ()
    """Command lines whose exit status alone says how they ended, unless they print something."""


class Hit(msgspec.Struct, frozen=True):
    """A line that points to a failure, how certainly, and where it stands in the lines read."""

    line: str
    sure: bool
    at: int = -1


@lru_cache(maxsize=64)
def hits(profile: Profile, lines: tuple[str, ...]) -> tuple[Hit, ...]:
    """Return the last lines that point to a failure, oldest first."""
    first = max(0, len(lines) - profile.tail_lines)
    open_heads = set[str]()
    found: list[Hit] = []
    for at in range(first, len(lines)):
        hit = read_line(profile, line := lines[at])
        if hit is None and any(_any((below,), line) for below in open_heads):
            hit = Hit(line.strip(), sure=True)
        if hit is not None:
            found.append(Hit(hit.line, hit.sure, at))
        open_heads.update(below for head, below in profile.below if _any((head,), line))
    return tuple(found)


def after_tally(profile: Profile, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return what follows the last lines if these count failures and find none; else all lines."""
    start = max(0, len(lines) - _TALLY_LINES)
    told = [at for at in range(start, len(lines)) if _any(profile.tallies, lines[at])]
    counts = [found for at in told for found in _COUNT.findall(lines[at])]
    if not told or any((one or other).strip("0") for one, other in counts):
        return lines
    return lines[told[0] :]


def read_line(profile: Profile, line: str) -> Hit | None:
    """Return what one line says by itself, or None; `0 errors` elsewhere hides nothing."""
    if len(line) > WIDEST:
        return _read_long(profile, line)
    if not line.strip() or _any(profile.harmless_lines, line):
        return None
    if _any(profile.heads, line):
        return Hit(line.strip(), sure=True)
    if _any(profile.failures, bare := _without(profile.harmless, line)):
        return Hit(line.strip(), sure=True)
    if profile.attention and compiled(profile.attention).search(bare):
        return Hit(line.strip(), sure=False)
    return None


def _read_long(profile: Profile, line: str) -> Hit | None:
    """Read a long line piece by piece; what it says is told from its beginning."""
    begins = range(0, min(len(line), _LONGEST), WIDEST - _OVERLAP)
    if _any(profile.harmless_lines, line[:WIDEST]):
        return None
    found = [hit for at in begins if (hit := read_line(profile, line[at : at + WIDEST]))]
    if not found:
        return None
    first = next((hit for hit in found if hit.sure), found[0])
    inside = first.line not in line[:WIDEST]
    return Hit(f"… {first.line}" if inside else line.strip(), sure=first.sure)


@lru_cache(maxsize=64)
def interrupted(profile: Profile, lines: tuple[str, ...]) -> bool:
    """Tell whether the terminal's echo shows that the user broke off the turn (NB-18)."""
    return any(_any(profile.interrupts, line) for line in lines[-profile.tail_lines :])


def stopped(profile: Profile, lines: tuple[str, ...]) -> bool:
    """Tell whether the turn's last words say that the user stopped its job."""
    return any(_any(profile.stops, line) for line in lines[-4:])


def asks(profile: Profile, line: str, *, strict: bool = False) -> bool:
    """Tell whether a program that wrote `line`, and stopped there, asks for an answer."""
    if not line.strip() or is_prompt(profile, line) or breaks_off(profile, line):
        return False
    return _any(profile.strict_questions if strict else profile.questions, line)


def has_words(line: str) -> bool:
    """Tell whether a line holds more than signs, of which none asks for anything by itself."""
    return any(map(str.isalnum, line))


def breaks_off(profile: Profile, line: str) -> bool:
    """Tell whether a line tells by which key what goes on is broken off."""
    return _any(profile.break_hints, line)


def asks_remotely(profile: Profile, line: str) -> bool:
    """Tell whether what another machine wrote, and stopped there, asks beyond doubt."""
    return _any(profile.remote_questions, line)


def is_relay(profile: Profile, name: str) -> bool:
    """Tell whether a program of this name shows the work of another machine."""
    return _any(profile.relays, name)


def is_multiplexer(profile: Profile, name: str) -> bool:
    """Tell whether a program of this name shows other terminals on the whole screen."""
    return _any(profile.multiplexers, name)


def shows_text(profile: Profile, names: tuple[str, ...]) -> bool:
    """Tell whether an editor or a pager is among these programs."""
    return any(_any((*profile.editors, *profile.pagers), name) for name in names)


def finds_for_script(profile: Profile, names: tuple[str, ...]) -> bool:
    """Tell whether a script, the first of these programs, has one opened that picks a line.

    Whoever opens such a program by hand looks for something, and is asked nothing.
    """
    named = bool(names) and _SCRIPT.search(names[0]) is not None
    scripted = named or (bool(names) and _any(profile.scripts, names[0]))
    return scripted and any(_any(profile.finders, name) for name in names[1:])


def asks_above(profile: Profile, said: list[str], *, beside: bool = False) -> bool:
    """Tell whether the last of these lines asks for a key, though its program works `beside`."""
    patterns = profile.asking_beside if beside else profile.asking_above
    return (
        bool(said) and _any(patterns, said[-1]) and not (beside and breaks_off(profile, said[-1]))
    )


def requests(profile: Profile, line: str, above: tuple[str, ...]) -> bool:
    """Tell whether the words above an empty line, or above a bare prompt, ask for an answer."""
    said = [one for one in above if one.strip()]
    if not line.strip():
        listed = len(list(takewhile(_LISTED.match, reversed(said))))
        above_list = said[-1 - listed : -listed] if listed > 1 else []
        return any(_any(profile.requests, one) for one in (*above_list, *said[-1:]))
    bare = _any(profile.bare_prompts, line)
    return bare and any(_any(profile.requests, one) for one in said[-4:])


def only_reads(profile: Profile, command: str) -> bool:
    """Tell whether a command line prints what files hold."""
    return _any(profile.readers, command.rstrip())


def own_words(command: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a reader of files says of itself: its name stands before it."""
    names = set(_WORD.findall(command)) | {"fatal", "error"}
    parted = ((line, *line.partition(":")) for line in lines)
    return tuple(line for line, name, colon, _ in parted if colon and name.strip() in names)


def exception(profile: Profile, told: tuple[str, ...]) -> str:
    """Return the last line by which a REPL tells that what was entered has failed, or nothing."""
    found = (line for line in reversed(told[-profile.tail_lines :]) if line.strip())
    return next((line.strip() for line in found if _any(profile.exceptions, line)), "")


def waits_for_editor(profile: Profile, names: tuple[str, ...]) -> bool:
    """Tell whether one of these processes has opened an editor that is among them."""
    edits = any(_any(profile.editors, name) for name in names)
    return edits and any(_any(profile.editor_openers, name) for name in names)


def asks_secret(profile: Profile, line: str) -> bool:
    """Tell whether a program that wrote `line`, and stopped there, asks for a password."""
    return _any(profile.secrets, line)


def script_of(profile: Profile, names: tuple[str, ...]) -> str:
    """Return the script that has opened a finder, by its name."""
    kinds = (*profile.scripts, *profile.finders)
    return next((name for name in names if not _any(kinds, name)), "")


def is_prompt(profile: Profile, line: str) -> bool:
    """Tell whether an interactive program rests on this line: nothing is asked."""
    return is_known_prompt(profile, line) or _any(profile.word_prompts, line)


def is_known_prompt(profile: Profile, line: str) -> bool:
    """Tell whether this is the prompt of a program that is known to read commands."""
    return _any(profile.prompts, line)


def is_repl(profile: Profile, line: str, name: str) -> bool:
    """Tell whether the program of this name is known to read commands on this line.

    A sign alone says nothing of one that is not known: it may be an agent's, too.
    """
    shows = any(
        _any(names, name) for names in (profile.repls, profile.relays, profile.multiplexers)
    )
    return is_known_prompt(profile, line) and (shows or bool(_WORD.search(line)))


def is_editor_prompt(profile: Profile, line: str) -> bool:
    """Tell whether a program that reads single keys rests on this line."""
    return _any(profile.editor_prompts, line)


def continues(profile: Profile, line: str) -> bool:
    """Tell whether a shell waits on this line for the rest of a command."""
    return _any(profile.continuations, line)


def is_shell_prompt(profile: Profile, line: str) -> bool:
    """Tell whether a shell has written this line as its prompt."""
    return not is_known_prompt(profile, line) and _any(profile.shell_prompts, line)


def failed_silently(profile: Profile, command: str, lines: tuple[str, ...]) -> bool:
    """Tell whether this command prints just this output when it ended badly."""
    output = "\n".join(line for line in lines if line.strip())
    return any(
        compiled(pattern).search(command[:WIDEST]) and compiled(printed).fullmatch(output)
        for pattern, printed in profile.silent_failures
    )


def tells_nothing(profile: Profile, command: str, lines: tuple[str, ...]) -> bool:
    """Tell whether only the status of this command could say how it ended."""
    return not any(line.strip() for line in lines) and _any(profile.untold, command)


def ran_out_of_time(profile: Profile, command: str, seconds: float) -> str:
    """Return the limit that this command line set and reached, in words, or nothing."""
    for pattern in profile.time_limits:
        found = compiled(pattern).search(command[:WIDEST])
        if found and seconds >= float(found[1]) - 0.05:
            return f"{found[0].strip()} ({seconds:.0f} s)"
    return ""


def time_limit(profile: Profile, command: str, status: int) -> str:
    """Return the limit that this command line set, in words, where its status says that it was reached."""
    told = (compiled(pattern).search(command[:WIDEST]) for pattern in profile.time_limits)
    reached = (found[0].strip(_QUOTES) for found in told if found and status == _TIMED_OUT)
    return next((f"{limit} (exit {status})" for limit in reached), "")


def telling(
    profile: Profile, lines: tuple[str, ...], last: tuple[str, ...] = (), command: str = ""
) -> str:
    """Return the one or two most informative lines of a turn's `lines` as a summary (N-78).

    Suspicious lines count only if there is no sure one, nor one that the failed `command` says of
    itself. A line that only sums up, such as `1 failed`, or announces the next one, counts only where
    no other tells what has failed; beside it stands what it may mean, such as a place in a file.
    Without any hit it is what was written `last`, and of a few lines the first with a label, which
    needs no known language. Rules beside words, as pytest draws them, are left out.
    """
    found = hits(profile, lines)
    sure = [hit for hit in found if hit.sure]
    if command and not sure:
        found = _own_hits(profile, command, lines) or found
    told = [hit for hit in sure or found if not _only_sums_up(profile, hit.line)]
    if told:
        ranked = _ends(told, found)
    elif found:
        hints = [hit.line for hit in found if not (hit.sure or _only_sums_up(profile, hit.line))]
        hints = hints or _places(profile, lines)
        closing = [hit.line for hit in sure or found]
        sums = [line for line in closing if not line.endswith(_ANNOUNCES)]
        announced = [_announced(lines, line) for line in closing if line not in sums][-1:]
        if sums and all(_only_sums_up(profile, line) for line in announced):
            announced = []
        ranked = hints[-1:] or announced
        ranked += sums[-1:] if ranked else sums[-2:]
    else:
        said = [line.strip() for line in last if line.strip()]
        said = [line for line in said if not _any(profile.harmless_lines, line)] or said
        labelled = [line for line in said if _LABELLED.match(line)] if len(said) <= _LITTLE else []
        ranked = [*labelled[:1], *said[-1:]]
    ranked = [_announced(lines, line) if _NAMED.search(line) else line for line in ranked]
    spoken = [_BESIDE.sub("", line.strip()) or line for line in ranked]
    return shorten(" / ".join(dict.fromkeys(spoken)))


def _own_hits(profile: Profile, command: str, lines: tuple[str, ...]) -> tuple[Hit, ...]:
    """Return the last lines that begin with the name of the program that says them."""
    said = enumerate(own_words(command, (line,)) for line in lines[-profile.tail_lines :])
    return tuple(Hit(line.strip(), False, at) for at, own in said for line in own)


def _places(profile: Profile, lines: tuple[str, ...]) -> list[str]:
    """Return lines that name a place in a file, or stand above one."""
    above = (lines[at - 1] for at, line in enumerate(lines) if at and _POINTS.match(line))
    pointed = [line.strip() for line in above if line.strip()]
    named = (line for line in lines if _PLACE.match(line))
    places = [line.strip() for line in named if not _any(profile.harmless_lines, line)]
    return pointed or places or _above_make(lines)


def _above_make(lines: tuple[str, ...]) -> list[str]:
    """Return the last line of the recipe that make says to have failed, as make tells no reason."""
    stops = (at for at, line in enumerate(lines) if _MAKE_STOPS.match(line))
    above = [line.strip() for line in lines[: next(stops, 0)] if line.strip()]
    return above[-1:]


def _announced(lines: tuple[str, ...], line: str) -> str:
    """Return a line that announces the next one, with what it announces."""
    told = line
    for _ in range(_STEPS):
        following = _after(lines, line)
        if not line.endswith(_ANNOUNCES) or not following:
            break
        told, line = f"{told} {following}", following
    return told


def _ends(told: list[Hit], found: tuple[Hit, ...]) -> list[str]:
    """Return the last two lines; where more follow each other the first of these, the cause."""
    places, first = {hit.at for hit in found}, told[-1].at
    while first - 1 in places:
        first -= 1
    begin = next(at for at, hit in enumerate(told) if hit.at >= first)
    return [told[min(begin, max(0, len(told) - 2))].line, told[-1].line]


def _only_sums_up(profile: Profile, line: str) -> bool:
    """Tell whether a line says that something has failed, but not what."""
    if (line.endswith(_ANNOUNCES) and not _NAMED.search(line)) or _any(profile.sums, line):
        return True
    words = (word.lower().strip("._") for word in _WORD.findall(line))
    plain = (word for word in words if word and not (word[0].isdigit() or word[0] == "-"))
    return all(word in profile.sum_words for word in plain)


def _after(lines: tuple[str, ...], line: str) -> str:
    """Return the next line that is not empty after the last one that reads so."""
    at = max((at for at, one in enumerate(lines) if one.strip() == line), default=len(lines))
    return next((one.strip() for one in lines[at + 1 :] if one.strip()), "")


def _without(patterns: tuple[str, ...], line: str) -> str:
    for pattern in patterns:
        line = compiled(pattern).sub(" ", line)
    return line


def _any(patterns: tuple[str, ...], line: str) -> bool:
    return any(compiled(pattern).search(line[-WIDEST:]) for pattern in patterns)
