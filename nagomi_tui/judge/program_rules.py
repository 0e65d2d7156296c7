"""The rules for any program in the foreground, and for the shell that started it."""

from __future__ import annotations

import re
from typing import Final

from nagomi_tui.judge import choices, line_rules
from nagomi_tui.judge.evidence import AT_WORK, Evidence, Foreground, Key, Says, Source, View, Wait
from nagomi_tui.judge.known import Finding, Known, Rulebook, because
from nagomi_tui.judge.screen_rules import ANY
from nagomi_tui.judge.shapes import shows_progress
from nagomi_tui.judge.verdict import State

STILL: Final = 0.8
"""Seconds without a change after which a screen without other evidence counts as at rest."""

ASKED: Final = 0.3
"""Seconds without a change after which text that can only be a question counts as one."""

AWAITS_EVENTS: Final = "awaits-events"
"""The rule of a program that reads keys while nothing says that it asks or rests."""

DRAWS: Final = 2.5
"""Seconds for which a program that fills the screen may be seen at work and still await keys: one
that watches something, as htop does, draws itself anew all the time."""

NOT_ENTERED: Final = "nothing-was-entered"

NO_TURNS: Final = frozenset({NOT_ENTERED, "prompt-is-shown", "command-goes-on"})
"""Rules by which a shell is at rest without having done anything."""

SUSPICIOUS: Final = "text-is-suspicious"
"""The rule that calls because of suspicious output alone: no program asks."""

_FRAME: Final = re.compile(r"^[\s│┃║|█▌▎]+|[\s│┃║|█▐▕]+$")
_BOX: Final = re.compile(r"^[\s─-╿]+|[\s─-╿]+$")
_ASKS: Final = re.compile(r"[?？](?: *[\[(<].*| {2,}.*)?$")
_KEYS: Final = re.compile(r"[•↑↓←→⏎↵]|(?i:\b(?:enter|space|esc|tab)\b)|<[^<>]{1,24}>")
"""Keys and buttons, as they stand below what a dialog asks."""
_SPOKEN: Final = re.compile(r"\w\w")
_REQUESTS: Final = re.compile(
    r"(?i)^\W*(?:please )?(?:enter|type|choose|select|pick|provide|specify|confirm)\b (?!to\b)\w"
)
_CHOICES: Final = re.compile(
    r"[?？]\s*[\[(]\w{1,3}(?:\W{1,2}(?:or )?\^?\w{1,8}){0,4}[\])]\s*$"
    r"|[?？]\s*[\[(]\w{1,3}(?:[,/|] ?[^\s,/|()\[\]]{1,8}){1,12}(?: or [^\s()\[\]]{1,8})?[\])]\s*$"
    r"|[\[(]\w{1,3}(?:\W{1,2}(?:or )?\^?\w{1,8}){1,4}[\])]\s*[?？:：]\s*$"
    r"|[\[(]\w[\])] ?\w[^?:]{0,60}[\[(]\w[\])] ?\w[^?:]{0,60}[?:]\s*$"
)
"""A question with the keys that answer it, as editors and pagers ask in their last row."""
_SENTENCE: Final = re.compile(
    r"^\W*[^\W\d_]\w*(?:\W+\w+){2,}\W*[?？]\s*$|[ぁ-んァ-ヶ一-龠가-힣]{3}[?？]\s*$"
)
"""A question of three words and more, or in a script that puts no blanks between them."""
_MESSAGE_ROWS: Final = 3
"""Rows at the bottom of a screen in which one of them is told."""
_FIELD: Final = re.compile(r"\[[ _.]{4,}\]|_{4,}")
_NOTED: Final = re.compile(r"^[\s\d│┃|~]*(?:#|;;?|//|--|HG:|JJ:)\s+(\w.{3,})")
"""A comment in a text, with what an editor may draw before each line."""
_OPENED: Final = re.compile(r'^"([^"]+)" (?:\[\w+\] ?)?\d+L, \d+|^\s*(?:GNU )?nano [\d.]+\s+(\S+)')
"""How vim and nano show which file is open."""
_COUNTED: Final = re.compile(r"^[\s│┃║|]*[><]?\s*\d+/\d+(?:\s|$)")
"""How many of all lines a finder shows."""
_PROMPTED: Final = re.compile(r"^[\s│┃║|]*(\w[^>❯›»:？?]*\w)\s*[>❯›»:？?]+ ")
"""Words of a finder's prompt."""
_APART: Final = " " * 4
"""What stands so far right of a message tells where one is in a text."""
_SHORT: Final = 3
_FEW: Final = 8
"""Most rows with words of a screen that shows one question."""
_EDGED: Final = re.compile(r"[─━═]{3}")
_EDGE: Final = re.compile(r"[▔▁─━═]{12,}")

SAMPLE_LAG: Final = 0.05
"""Seconds by which a sample of the processes may be older than the output it explains."""


def judge_program(known: Known, book: Rulebook, *, agent: bool = False) -> Finding:
    """Return the state of the program in the foreground, which may be an `agent` that gave no signal."""
    seen = known.foreground
    if seen is None or seen.at + SAMPLE_LAG < (known.turn.command_at or 0.0):
        return _unseen(known, book)
    if seen.canonical and not seen.echo:
        return _waiting(known, 0.95, "reads-a-secret", seen)
    if seen.wait is Wait.READ and seen.canonical:
        return _reading_aside(known, book, seen) if seen.aside else _reading(known, book, seen)
    if not seen.canonical and known.view is not None and _relays(known, book, seen):
        return _relayed(known, book, seen, known.view.cursor_line)
    polls = seen.canonical and (seen.polls or seen.watches)
    if polls and (found := _polling(known, book, seen)):
        return found
    waits = seen.sleeps or seen.watches
    if waits and not seen.canonical and _asks_above(known, book, beside=not seen.sleeps):
        return _waiting(known, 0.6, "awaits-keys-after-a-question", seen)
    if not agent and (asked := _popup_stands(known, book, seen)):
        return _finding(known, State.ATTENTION, 0.7, "screen-asks", seen, asked)
    if seen.wait is not Wait.NOTHING or (not agent and _only_draws(known, seen)):
        return _awaits_keys(known, book, seen, agent=agent)
    return _running(known, 0.9, "process-works", seen)


def _popup_stands(known: Known, book: Rulebook, seen: Foreground) -> str:
    """Return what a box asks that has stood for a while, by a program that looks for keys now and then."""
    view, looks = known.view, seen.sleeps and not seen.canonical
    if view is None or not looks or known.now < known.changed_at + STILL:
        return ""
    asked = choices.read_popup(view, lit=line_rules.shows_text(book.profile, seen.others))
    return asked if choices.can_only_ask(asked) else ""


def _only_draws(known: Known, seen: Foreground) -> bool:
    """Tell whether a program that fills the screen works as briefly as to draw itself anew."""
    full = known.view is not None and (known.view.alt_screen or known.drawn)
    return full and not seen.canonical and seen.at < known.awaited_keys_at + DRAWS


def judge_end(known: Known, book: Rulebook) -> Finding:
    """Return how a command ended whose exit status is unknown (N-76 to N-78, NB-18)."""
    view, turn = known.closing or known.view, known.turn
    spoken = view.lines_above if view else ()
    edited = known.held(Source.EDITOR) is not None and not known.entered_under
    if view and edited and _same_line(view.command, view.cursor_line, spoken):
        return _rests(known, 0.8, NOT_ENTERED)
    broken = turn.interrupted_at is not None and turn.interrupted_by is Key.INTERRUPT
    if broken or any(
        told(book.profile, spoken) for told in (line_rules.interrupted, line_rules.stopped)
    ):
        return _end(known, State.UNKNOWN, 0.85, "interrupted")
    command = view.command if view else ""
    reads = line_rules.only_reads(book.profile, command)
    told = line_rules.own_words(command, spoken) if reads else _since_rest(known, spoken)
    told = line_rules.after_tally(book.profile, told)
    found = line_rules.hits(book.profile, told)
    summary = line_rules.telling(book.profile, told)
    if any(hit.sure for hit in found):
        return _end(known, State.FAILURE, 0.75, "text-says-failed", summary)
    if limit := line_rules.ran_out_of_time(book.profile, command, _lasted(known)):
        return _end(known, State.FAILURE, 0.7, "time-limit-reached", limit)
    if line_rules.failed_silently(book.profile, command, spoken):
        printed = next((line.strip() for line in reversed(spoken) if line.strip()), "")
        return _end(known, State.FAILURE, 0.6, "known-silent-failure", printed)
    if line_rules.tells_nothing(book.profile, command, spoken):
        return _end(known, State.UNKNOWN, 0.5, "status-untold")
    if found:
        return _end(known, State.ATTENTION, 0.5, SUSPICIOUS, summary)
    return _end(known, State.SUCCESS, 0.6, "prompt-is-back")


def _since_rest(known: Known, spoken: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what stood there while the program waited for a key: it has gone on since."""
    rested = known.rested[:-1]
    return spoken[len(rested) :] if spoken[: len(rested)] == rested else spoken


def _unseen(known: Known, book: Rulebook) -> Finding:
    """Nobody can say what the processes do: screen and silence have to do (N-70, N-77)."""
    quiet, view = known.now - known.changed_at, known.view
    if view and quiet >= ASKED and line_rules.asks(book.profile, _question(known), strict=True):
        return _waiting(known, 0.7, "screen-asks")
    if view and quiet >= STILL:
        if view.alt_screen:
            return _rests(known, 0.6, "full-screen-is-still")
        if line_rules.is_prompt(book.profile, view.cursor_line):
            return _rests(known, 0.7, "at-its-own-prompt")
    limit = max(known.changed_at, known.turn.started_at) + book.profile.silence_seconds
    if known.foreground is None and known.question and known.now >= limit:
        return _waiting(known, 0.5, "still-after-a-question")
    soon = known.changed_at + (ASKED if quiet < ASKED else STILL)
    until = soon if quiet < STILL else limit
    if known.says(Source.EDITOR) is Says.RUNNING:
        return _running(known, 0.7, "shell-has-not-come-back", until=until)
    if known.now < limit:
        sent = known.turn.number and known.changed_at <= known.turn.started_at
        return _thinking(known, until) if sent else _running(known, 0.6, "output", until=until)
    if told := line_rules.telling(book.profile, _spoken(known)):
        return _candidate(known, State.ATTENTION, 0.5, SUSPICIOUS, told)
    return _candidate(known, State.UNKNOWN, 0.4, "silence", "")


def _reading(known: Known, book: Rulebook, seen: Foreground) -> Finding:
    """A process reads the terminal: after a question this is a call, else it just listens."""
    if known.question:
        return _waiting(known, 0.95, "reads-after-a-question", seen)
    if known.changed_at > seen.at + SAMPLE_LAG:
        return _running(known, 0.6, "output-since", seen)
    line = known.view.cursor_line if known.view else ""
    asks = seen.echo and line_rules.requests(book.profile, known.own_line, _spoken(known))
    if asks and not _repeats(known):
        return _waiting(known, 0.7, "reads-after-a-question", seen)
    if line_rules.is_prompt(book.profile, line):
        return _at_own_prompt(known, book, seen)
    if known.view is None:
        if known.now < seen.at + STILL:  # What it has asked may still be on its way.
            return _running(known, 0.6, "process-works", seen, until=seen.at + STILL)
        return _waiting(known, 0.7, "reads-the-terminal", seen)
    if line_rules.is_shell_prompt(book.profile, line):
        return _rests(known, 0.7, "at-a-shell-prompt", seen)
    if line_rules.breaks_off(book.profile, known.own_line):
        return _running(known, 0.6, "process-works", seen)
    if line.strip() and known.own_line.strip():
        if known.prompted or not line_rules.has_words(known.own_line):
            return _at_own_prompt(known, book, seen)
        return _waiting(known, 0.75, "reads-after-a-line", seen)
    return _rests(known, 0.6, "reads-but-asked-nothing", seen)


def _repeats(known: Known) -> bool:
    """Tell whether the last line is mostly the one above it, as a filter prints what was typed."""
    view = known.view
    if view is None or known.own_line.strip() or view.cursor_y < 2:
        return False
    typed, printed = (
        row.strip().casefold() for row in view.rows[view.cursor_y - 2 : view.cursor_y]
    )
    return len(typed) > max(_SHORT, len(printed) // 2) and typed in printed


def _reading_aside(known: Known, book: Rulebook, seen: Foreground) -> Finding:
    """A thread reads the terminal, perhaps beside the program's work: a question is what asks."""
    quiet = known.now - known.changed_at
    if known.question and quiet >= ASKED:
        return _waiting(known, 0.9, "reads-after-a-question", seen)
    if line_rules.is_prompt(book.profile, known.view.cursor_line if known.view else ""):
        return _at_own_prompt(known, book, seen)
    if known.question or line_rules.requests(book.profile, known.own_line, _spoken(known)):
        due = known.changed_at + (ASKED if known.question else STILL)
        if known.now >= due:
            return _waiting(known, 0.7, "reads-after-a-question", seen)
        return _running(known, 0.6, "output-since", seen, until=due)
    return _running(known, 0.8, "process-works", seen)


def _polling(known: Known, book: Rulebook, seen: Foreground) -> Finding | None:
    """Judge what waits for several things at once, lines of the terminal perhaps among them."""
    line, own = known.view.cursor_line if known.view else "", known.own_line
    strict = known.question is not None and line_rules.asks(
        book.profile, known.question[1], strict=True
    )
    if known.now < (known.asked_at if strict else known.changed_at) + ASKED:
        return None
    if strict:
        return _waiting(known, 0.8, "reads-after-a-question", seen)
    if own.strip() and line_rules.is_prompt(book.profile, line):
        return _at_own_prompt(known, book, seen)
    return _watching(known, book, seen) if seen.watches else None


def _watching(known: Known, book: Rulebook, seen: Foreground) -> Finding | None:
    """Judge what reads a line as soon as there is one: a server with hot keys does so, too."""
    due, said = known.changed_at + STILL, [one for one in _spoken(known) if one.strip()]
    if known.own_line.strip():
        if known.prompted:
            return _at_own_prompt(known, book, seen)
        asks = known.question is not None
        asks = asks or line_rules.requests(book.profile, known.own_line, tuple(said))
    else:
        asks = line_rules.asks_above(book.profile, said[-1:], beside=True)
    if not asks:
        return None
    if known.now < due:
        return _running(known, 0.6, "output-since", seen, until=due)
    return _waiting(known, 0.7, "reads-after-a-question", seen)


def _relays(known: Known, book: Rulebook, seen: Foreground) -> bool:
    """Tell whether the terminal shows another one's work, line by line."""
    if line_rules.is_multiplexer(book.profile, seen.command):
        return True
    full = known.view is not None and known.view.alt_screen
    return not full and line_rules.is_relay(book.profile, seen.command)


def _asks_above(known: Known, book: Rulebook, *, beside: bool) -> bool:
    """Tell whether what waits for a key has asked in the line above an empty one."""
    view = known.view
    if view is None or view.alt_screen or view.cursor_line.strip():
        return False
    still = known.changed_at + STILL
    return known.now >= still and line_rules.asks_above(
        book.profile, _said_above(known), beside=beside
    )


def _said_above(known: Known) -> list[str]:
    """Return the last line above the cursor's that holds anything."""
    return [one for one in _spoken(known) if one.strip()][-1:]


def _awaits_keys(known: Known, book: Rulebook, seen: Foreground, *, agent: bool) -> Finding:
    """The terminal is raw: an editor, a pager, a REPL, a dialog, or a server with hot keys."""
    view, screen = known.view, known.held(Source.SCREEN)
    shows_text = not agent and line_rules.shows_text(book.profile, seen.others)
    if view is None or view.alt_screen or shows_text or (known.drawn and not agent):
        return _full_screen(known, book, seen)
    if line_rules.finds_for_script(book.profile, seen.others):
        text = _picked_for(known, book, seen)
        return _finding(known, State.ATTENTION, 0.75, "finder-was-opened", seen, text)
    asked = "" if agent else choices.read_popup(view) or choices.read_open(view.rows, view.cursor_y)
    if asked:
        return _finding(known, State.ATTENTION, 0.85, "awaits-keys-after-a-question", seen, asked)
    if line_rules.is_prompt(book.profile, view.cursor_line) or _names_itself(known, seen):
        return _at_own_prompt(known, book, seen)
    if menu := choices.read_menu(view.rows, apart=not agent):
        return _finding(known, State.ATTENTION, 0.85, choices.ARROWS, seen, menu.text)
    if not agent and (menu := choices.read_lit(view)):
        return _finding(known, State.ATTENTION, 0.8, choices.ARROWS, seen, menu.text)
    asks = (
        screen is not None
        and screen.says is Says.WAITS
        and not screen.last.rule.startswith("generic:dialog")
    )
    if not asks and line_rules.is_editor_prompt(book.profile, view.cursor_line):
        return _rests(known, 0.85, "at-its-own-prompt", seen)
    if known.question:
        return _waiting(known, 0.85, "awaits-keys-after-a-question", seen)
    if asks and screen:
        text = _asked_on_screen(known, _question(known).strip() or screen.last.text)
        return _finding(known, State.ATTENTION, 0.8, "screen-asks", seen, text)
    notice = known.held(Source.NOTICE)
    if notice and notice.last.text and notice.last.at > known.turn.started_at:
        return _waiting(known, 0.6, "it-notified", seen)
    if line_rules.is_shell_prompt(book.profile, view.cursor_line):
        return _rests(known, 0.7, "at-a-shell-prompt", seen)
    words, said = known.own_line, _said_above(known)
    last = not any(row.strip() for row in view.rows[view.cursor_y + 1 :])
    alone = seen.wait is Wait.READ and not (seen.aside or seen.busy or agent)
    edits = not agent and _edits_line(known)
    # A line editor may begin with a draft of the answer behind what it asks.
    behind = words == f"{words.strip()} " or (edits and line_rules.has_words(words))
    if last and behind and not line_rules.breaks_off(book.profile, words):
        asks = line_rules.asks_above(book.profile, said)
        if agent or asks or line_rules.has_words(words):
            return _at_words(known, seen)
        if words.strip():
            return _rests(known, 0.7, "at-its-own-prompt", seen)
    if last and alone and not words.strip() and _asks_for_key(book, said):
        return _at_words(known, seen)
    if edits and not words.strip():
        return _rests(known, 0.7, "at-its-own-prompt", seen)
    if alone and (menu := choices.read_menu(_own_rows(view), asks=True)):
        # It does nothing but read: a menu below a few words of its own asks, whatever these say.
        return _finding(known, State.ATTENTION, 0.8, choices.ARROWS, seen, menu.text)
    return _running(known, 0.6, AWAITS_EVENTS, seen)


def _asks_for_key(book: Rulebook, said: list[str]) -> bool:
    """Tell whether these lines ask for a key with which the program goes on."""
    asks = line_rules.asks_above(book.profile, said)
    return asks and line_rules.requests(book.profile, "", tuple(said))


def _own_rows(view: View) -> tuple[str, ...]:
    """Return the rows below the command; none where it has scrolled away."""
    entered = view.command.strip()
    if not entered:
        return ()
    at = max((at for at, row in enumerate(view.rows) if row.strip() == entered), default=None)
    return () if at is None else view.rows[at + 1 :]


def _names_itself(known: Known, seen: Foreground) -> bool:
    """Tell whether the cursor's line is a prompt that begins with the program's own name."""
    words = known.own_line.rstrip()
    name, rest = words[: len(seen.command)], words[len(seen.command) :]
    behind = rest.startswith(" ") and rest.endswith((">", "#", "$"))
    return name == seen.command and (behind or rest in (":", ">", "#", "$"))


def _edits_line(known: Known) -> bool:
    """Tell whether a line editor has begun to read a line, though without a prompt, as in `bc -q`.

    It switches bracketed paste on for each line anew; what keeps it on, as agents do, tells nothing.
    """
    editor, turn = known.held(Source.EDITOR), known.turn
    begun = max(turn.started_at, turn.command_at or 0.0)
    return editor is not None and editor.says is Says.REST and editor.since >= begun


def _full_screen(known: Known, book: Rulebook, seen: Foreground) -> Finding:
    """A program fills the screen and awaits keys: it asks, shows how far its work is, or rests."""
    view, screen = known.view, known.held(Source.SCREEN)
    # What an editor or a pager shows is a text, which may hold any question.
    shows_text = line_rules.shows_text(book.profile, seen.others)
    if view is not None and (asked := choices.read_popup(view, lit=shows_text)):
        return _finding(known, State.ATTENTION, 0.8, "screen-asks", seen, asked)
    if screen and screen.says is Says.WAITS and not (shows_text and _in_text(screen.last.rule)):
        text = _asked_on_screen(known, screen.last.text)
        return _finding(known, State.ATTENTION, 0.8, "screen-asks", seen, text)
    # Before it draws its text, it asks in a line as any other does.
    drawn = known.drawn or (view is not None and view.alt_screen)
    if asked := _asked_at_cursor(known, book, shows_text=shows_text and drawn):
        return _finding(known, State.ATTENTION, 0.7, "screen-asks", seen, asked)
    if line_rules.waits_for_editor(book.profile, seen.others):
        text = _said_in_text(known)
        return _finding(known, State.ATTENTION, 0.75, "editor-was-opened", seen, text)
    if line_rules.finds_for_script(book.profile, seen.others):
        text = _picked_for(known, book, seen)
        return _finding(known, State.ATTENTION, 0.75, "finder-was-opened", seen, text)
    if view is not None and not shows_text:
        menu = choices.read_menu(view.rows, apart=True)
        if menu is not None and choices.can_only_ask(menu.text):
            return _finding(known, State.ATTENTION, 0.8, choices.ARROWS, seen, menu.text)
        if shows_progress(view.rows):
            return _running(known, 0.7, "full-screen-works", seen)
        if asked := _asked_alone(view):
            return _finding(known, State.ATTENTION, 0.7, "screen-asks", seen, asked)
    return _rests(known, 0.7, "full-screen-awaits-keys", seen)


def _asked_at_cursor(known: Known, book: Rulebook, *, shows_text: bool) -> str:
    """Return a question with the cursor behind it, which stands apart from any text that is shown:
    with its keys near the bottom, as a sentence in the very last row, or where little is shown."""
    view, words = known.view, known.own_line
    if view is None or view.cursor_y >= len(view.rows):
        return ""
    row = view.rows[view.cursor_y]
    behind = row.removeprefix(words.rstrip()) if row.startswith(words.rstrip()) else "-"
    if behind.strip() and not behind.startswith(_APART):
        return ""
    left = len(view.rows) - view.cursor_y
    asks = left <= _MESSAGE_ROWS and _CHOICES.search(words) is not None
    asks = asks or (left == 1 < len(view.rows) and _SENTENCE.search(words) is not None)
    if not asks and not shows_text:
        edge = view.cursor_y == 0 or left <= _MESSAGE_ROWS
        few = sum(_SPOKEN.search(one) is not None for one in view.rows) <= _FEW
        asks = (edge or few) and line_rules.asks(book.profile, words, strict=True)
    return words.strip() if asks else ""


def _asked_alone(view: View) -> str:
    """Return a question that has the screen to itself, with a choice that is lit or a field below."""
    said = [
        (at, words) for at, row in enumerate(view.rows) if (words := _FRAME.sub("", row).strip())
    ]
    worded = [(at, words) for at, words in said if _SPOKEN.search(words)]
    asked = [one for one in worded if _ASKS.search(one[1]) or _REQUESTS.search(one[1])]
    if len(worded) > _FEW:
        return ""
    lit = max((at for at, words in view.lit if len(words) > 1), default=-1)
    edge = sorted((at for at, words in said if _EDGE.search(words)), reverse=True)[1:2]
    below = max(lit, *edge) if edge else lit
    return next((_BOX.sub("", words) for at, words in reversed(asked) if at < below), "")


def _asked_on_screen(known: Known, told: str) -> str:
    """Return what a dialog or menu asks: the last line with a question mark, where it is not `told`.

    A menu without one is told by the line above its choices rather than by its keys.
    """
    rows = known.view.rows if known.view is not None else ()
    said = [words for row in rows if len(words := _FRAME.sub("", row).strip()) > _SHORT]
    said = [words for words in said if _SPOKEN.search(words)]
    asked = next((words for words in reversed(said) if _ASKS.search(words)), "")
    asked = asked or next((words for words in said if _REQUESTS.search(words)), "")
    mere = (
        _KEYS.search(told)
        or _FIELD.search(told)
        or len(told.strip(" │|<>")) <= _SHORT
        or not _SPOKEN.search(told)
    )
    if asked or not mere:
        return asked or told
    heads = [words for words in said if not _KEYS.search(words)]
    # The edge of a frame holds a title, and what is asked stands in the frame.
    return next((words for words in heads if not _EDGED.search(words)), (heads or [told])[0])


def _said_in_text(known: Known) -> str:
    """Return which file a program gives to an editor, and what that says of itself at first.

    Its lines may speak of anything, of failures too, and are not read.
    """
    rows = known.view.rows if known.view is not None else ()
    named = next((found[1] or found[2] for row in rows if (found := _OPENED.search(row))), "")
    noted = next((found[1].strip() for row in rows if (found := _NOTED.match(row))), "")
    return " · ".join(filter(None, (named.rpartition("/")[2], noted)))


def _picked_for(known: Known, book: Rulebook, seen: Foreground) -> str:
    """Return what is to be picked: the words before what is typed, a heading, or the script's name."""
    rows = known.view.rows if known.view is not None else ()
    at = next((at for at, row in enumerate(rows) if _COUNTED.match(row)), None)
    words = known.view.cursor_line if known.view is not None else ""
    if (found := _PROMPTED.match(words)) is not None:
        return found[1].strip()
    beside = () if at is None else [rows[one] for one in (at - 1, at + 1) if 0 <= one < len(rows)]
    heads = (_FRAME.sub("", row).strip() for row in beside)
    told = next((head for head in heads if _ASKS.search(head) or _REQUESTS.search(head)), "")
    return told or line_rules.script_of(book.profile, seen.others)


def _by_shape(rule: str) -> bool:
    return rule.startswith(("generic:dialog", f"{ANY}:"))


def _in_text(rule: str) -> bool:
    """Tell whether a rule may hold of a text that is shown; those of what an editor asks do not."""
    return rule.startswith(("generic:", f"{ANY}:")) and not rule.endswith("-asks")


def _at_own_prompt(known: Known, book: Rulebook, seen: Foreground) -> Finding:
    """A REPL or the like waits for its next command, and may have told that the last one failed."""
    spoken = _spoken(known)
    broken = known.turn.interrupted_by is Key.INTERRUPT or line_rules.interrupted(
        book.profile, spoken
    )
    told = "" if broken or not known.turn.number else line_rules.exception(book.profile, spoken)
    if told:
        return _finding(known, State.FAILURE, 0.7, "its-prompt-after-an-exception", seen, told)
    return _rests(known, 0.85, "at-its-own-prompt", seen)


def _at_words(known: Known, seen: Foreground) -> Finding:
    """The cursor stands behind words and a blank: where nothing moves they ask."""
    asks_at = known.changed_at + STILL
    if known.now >= asks_at:
        return _waiting(known, 0.55, "awaits-keys-after-a-question", seen)
    return _running(known, 0.6, AWAITS_EVENTS, seen, until=asks_at)


def _relayed(known: Known, book: Rulebook, seen: Foreground, line: str) -> Finding:
    """Another machine's work is shown: its line may end in any sign, so only plain words ask."""
    if line_rules.asks_remotely(book.profile, line):
        return _waiting(known, 0.8, "awaits-keys-after-a-question", seen)
    last = next(
        (row.strip() for row in reversed(known.view.rows if known.view else ()) if row.strip()), ""
    )
    full = line_rules.is_multiplexer(book.profile, seen.command)
    if full and line_rules.asks_remotely(book.profile, last):
        return _finding(known, State.ATTENTION, 0.7, "screen-asks", seen, last)
    for rests in (line_rules.is_prompt, line_rules.is_shell_prompt):
        if rests(book.profile, line):
            return _rests(known, 0.7, "at-a-shell-prompt", seen)
    screen = known.held(Source.SCREEN)
    if screen and screen.says is Says.WAITS and not _by_shape(screen.last.rule):
        text = _asked_on_screen(known, screen.last.text)
        return _finding(known, State.ATTENTION, 0.7, "screen-asks", seen, text)
    return _running(known, 0.6, AWAITS_EVENTS, seen)


def judge_shell(known: Known, book: Rulebook) -> Finding | None:
    """Return the state of a shell at its prompt; None while a command of it runs."""
    if marks := known.held(Source.SHELL):
        return _by_marks(known, marks.last, book)
    if not at_prompt(known, book):
        return None
    if known.turn.command_at is None:
        return _rests(known, 0.8, "prompt-is-shown", known.foreground)
    if known.view and line_rules.continues(book.profile, known.view.cursor_line):
        return _rests(known, 0.8, "command-goes-on", known.foreground)
    return judge_end(known, book)


def _by_marks(known: Known, mark: Evidence, book: Rulebook) -> Finding | None:
    if mark.says in AT_WORK:
        return None
    if mark.says is Says.SUCCEEDED and line_rules.stopped(book.profile, _spoken(known)):
        # fish has no status for it.
        return Finding(
            state=State.UNKNOWN, confidence=0.9, rule="shell-interrupted", because=(mark,)
        )
    states = {Says.SUCCEEDED: State.SUCCESS, Says.FAILED: State.FAILURE}
    state = states.get(mark.says, State.UNKNOWN)
    return Finding(state=state, confidence=0.99, rule=f"shell-{mark.says}", because=(mark,))


def at_prompt(known: Known, book: Rulebook) -> bool:
    """Tell whether the session's shell, and no program of it, has the terminal."""
    seen, view = known.foreground, known.view
    if editor := known.held(Source.EDITOR):
        fresh = seen is not None and seen.at > editor.last.at + SAMPLE_LAG
        if seen is not None and fresh:
            edits = editor.says is Says.REST or _edits(seen)
            return seen.leader and edits and not _asks_by_editor(known, book, editor.last.at)
        if editor.says is not Says.REST:
            return False
        if view is None:
            return True
        line = view.cursor_line
        known_one = line_rules.is_known_prompt(book.profile, line)
        others = known_one and not line_rules.continues(book.profile, line)
        return not view.alt_screen and not others
    if seen is not None:
        fresh = seen.at > (known.turn.command_at or float("-inf"))
        asks = line_rules.asks(book.profile, known.own_line, strict=True)
        return fresh and seen.leader and seen.wait is not Wait.NOTHING and not asks
    return view is not None and line_rules.is_shell_prompt(book.profile, view.cursor_line)


def _asks_by_editor(known: Known, book: Rulebook, at: float) -> bool:
    """Tell whether a line editor that began to read `at` that time has been given a question.

    What came to stand there later was printed by something in the background.
    """
    asked = known.question is not None and known.asked_at < at + STILL
    return asked and line_rules.asks(book.profile, known.own_line, strict=True)


def _edits(seen: Foreground) -> bool:
    """Tell whether it reads keys as a line editor does; a shell's `read` takes whole lines."""
    return seen.wait is not Wait.NOTHING and not seen.canonical


def _same_line(command: str, prompt: str, spoken: tuple[str, ...]) -> bool:
    """Tell whether Enter was pressed at an empty prompt."""
    return bool(command) and not spoken and command.rstrip() == prompt.rstrip()


def _lasted(known: Known) -> float:
    """Return for how many seconds the command ran, by the shell's line editor."""
    editor = known.held(Source.EDITOR)
    if known.turn.command_at is None or editor is None or editor.says is not Says.REST:
        return 0.0
    return editor.since - known.turn.command_at


def _spoken(known: Known) -> tuple[str, ...]:
    """Return the turn's lines without the one that the cursor stands on."""
    return known.view.lines_above if known.view else ()


def _question(known: Known) -> str:
    return known.question[1] if known.question else known.own_line


def _waiting(known: Known, confidence: float, rule: str, seen: Foreground | None = None) -> Finding:
    above = known.view.lines_above if known.view else ()
    asked = choices.with_words(_question(known).strip(), above)
    return _finding(known, State.ATTENTION, confidence, rule, seen, asked)


def _rests(known: Known, confidence: float, rule: str, seen: Foreground | None = None) -> Finding:
    return _finding(known, State.UNKNOWN, confidence, rule, seen)


def _thinking(known: Known, until: float) -> Finding:
    """Input was sent and nothing has come back yet (N-69)."""
    return _finding(known, State.THINKING, 0.5, "input-was-sent", None, until=until)


def _running(
    known: Known,
    confidence: float,
    rule: str,
    seen: Foreground | None = None,
    until: float | None = None,
) -> Finding:
    return _finding(known, State.RUNNING, confidence, rule, seen, until=until)


def _finding(
    known: Known,
    state: State,
    confidence: float,
    rule: str,
    seen: Foreground | None,
    text: str = "",
    until: float | None = None,
) -> Finding:
    evidence = None
    if seen is not None:
        says = Says.WAITS if seen.wait is not Wait.NOTHING else Says.RUNNING
        spoken = f"{seen.command}: {seen.wait}"
        evidence = Evidence(source=Source.PROCESS, says=says, at=seen.at, rule=rule, text=spoken)
    shown = _screen(known, rule, text) if text else None
    return Finding(
        state=state,
        confidence=confidence,
        rule=rule,
        because=because(evidence, shown),
        until=until,
    )


def _end(known: Known, state: State, confidence: float, rule: str, text: str = "") -> Finding:
    shown = _screen(known, rule, text) if text else None
    editor = known.held(Source.EDITOR)
    evidence = because(editor.last if editor else None, shown)
    return Finding(state=state, confidence=confidence, rule=rule, because=evidence)


def _candidate(known: Known, state: State, confidence: float, rule: str, text: str) -> Finding:
    """Return what silence makes probable, to be taken back when output resumes."""
    silent = Evidence(source=Source.SILENCE, says=Says.REST, at=known.changed_at, rule=rule)
    shown = _screen(known, rule, text) if text else None
    return Finding(
        state=state,
        confidence=confidence,
        rule=rule,
        because=because(silent, shown),
        confirmed=False,
    )


def _screen(known: Known, rule: str, text: str) -> Evidence:
    return Evidence(source=Source.TEXT, says=Says.WAITS, at=known.changed_at, rule=rule, text=text)
