"""The judge of one session: takes events and ticks, and decides what is shown, without flicker."""

from __future__ import annotations

from typing import Final

import msgspec

from nagomi_tui.judge import account, evidence, line_rules, resolver
from nagomi_tui.judge.agent_rules import AT_REST
from nagomi_tui.judge.known import Finding, Known, Rulebook
from nagomi_tui.judge.program_rules import SAMPLE_LAG, at_prompt
from nagomi_tui.judge.screen_rules import ANY, ENDS, Asked, Looks, Manifest
from nagomi_tui.judge.shapes import Motion, has_field, role_prompt, word_prompt
from nagomi_tui.judge.verdict import BUSY, OVER, State
from nagomi_tui.judge.versions import Fit, Mismatch
from nagomi_tui.judge.written import Written, same_but_numbers

SETTLE: Final = 0.15
"""Seconds for which a new state must hold before it is shown: a dialog that a hook answers at once
is there for 80 ms."""

REMEMBERED: Final = "remembered"

REST: Final = 0.85
"""Seconds for which an agent must rest, besides `SETTLE`, whose turn was too quick to be shown."""

STALE: Final = 60.0
"""Age in seconds that is assumed for a screen that was there before the judge began."""

HOLD: Final = 1.0
"""Seconds for which a recalled state is kept while no sample of the processes has come."""

DWELL: Final = 0.3
"""Least seconds for which a state is shown, so that it can be read."""

TICK: Final = 1.0

AWAKE: Final = 2.0
"""Seconds after an event when no rule that counts from it can change its result any more."""


def is_interactive(command: str) -> bool:
    """Tell whether a shell's command line makes it show a prompt, and runs no script."""
    words = command.split()[1:]
    if any(word.startswith("-") and not word.startswith("--") and "c" in word for word in words):
        return False
    return "-i" in words or all(word.startswith("-") for word in words)


class Shown(msgspec.Struct, frozen=True):
    """What is shown of a session, since when, and in which turn."""

    finding: Finding
    since: float
    turn: int = 0

    @property
    def state(self) -> State:
        """The state that is shown."""
        return self.finding.state


class Change(msgspec.Struct, frozen=True):
    """The shown state has changed; `completed` says that a turn came to its end by it."""

    before: Shown
    after: Shown
    completed: bool


NO_PROFILE: Final = "generic"
"""Name of the rules for whatever has none of its own."""


class Judge:
    """Holds one session's evidence and what is shown of it."""

    def __init__(self, command: str, book: Rulebook, *, at: float) -> None:
        own = book.manifest(command)
        self.book = book
        self.known = Known(
            command=command,
            agent=own is not None and own.kind == "agent",
            shell=own is not None and own.kind == "shell" and is_interactive(command),
            now=at,
            changed_at=at,
        )
        begun = resolver.resolve(self.known, book)
        self.shown = Shown(begun, at)
        self._shown_first = begun
        """What was found when it was first shown; evidence for the same state may follow."""
        self._latest = begun
        self._latest_since = at
        self._fed_at = at
        self._held_until = float("-inf")
        self._read: tuple[object, ...] | None = None
        self._looks = Looks(None, None)
        self._prompted: tuple[str, Motion] | None = None
        self._fits: dict[str, Fit] = {}
        self._versions: dict[str, str] = {}
        self._written = Written()
        self._failed: tuple[Shown, evidence.View | None] | None = None
        """The failure that stands until the next turn but one, and the screen on which it came."""

    @property
    def agent(self) -> Manifest | None:
        """The rules of the agent in the foreground, its own ones though they may not fit."""
        return resolver.foreground_agent(self.known, self.book)

    @property
    def profile(self) -> str:
        """Name of the rules for what runs: those of the agent in the foreground, or of the command."""
        found = self.agent or self.book.manifest(self.known.command)
        return found.name if found is not None else NO_PROFILE

    @property
    def version(self) -> str:
        """The version of the agent in the foreground, as far as its banner was seen."""
        self._keep_version()
        return self._versions.get(self.agent.name, "") if self.agent else ""

    @property
    def mismatch(self) -> Mismatch | None:
        """Why the agent's own rules are taken not to fit any more; None while they do."""
        fit = self._fits.get(self.agent.name) if self.agent else None
        return fit.mismatch if fit else None

    def feed(self, event: evidence.Event) -> Change | None:
        """Take one event in; return the change of what is shown, if it brought one."""
        if isinstance(event, evidence.Typed | evidence.Corrected):
            self._compare(event)
        if isinstance(event, evidence.View) and self.known.prompt:
            event = msgspec.structs.replace(event, prompt=self.known.prompt)
        self.known.take(event)
        self._fed_at = self.known.now
        if isinstance(event, evidence.View | evidence.Foreground):
            self._written.look(self.known, sampled=isinstance(event, evidence.Foreground))
            self._remember_question()
            self._read_screen()
        if isinstance(event, evidence.Foreground):
            self.known.hosts_agent = self.agent is not None and not self.known.marks_itself
        if isinstance(event, evidence.Corrected):
            return self._correct()
        return self._judge(at_once=isinstance(event, evidence.Ended))

    def keep_failure(self) -> None:
        """Let the failure that is shown stand though a command that nobody asked for follows it."""
        if self.shown.state is State.FAILURE:
            self._failed = self.shown, self.known.closing

    @property
    def known_of_shown(self) -> Known:
        """What is known, with the end of the command that is shown."""
        if self._failed is None or self.shown.finding is not self._failed[0].finding:
            return self.known
        return msgspec.structs.replace(self.known, closing=self._failed[1])

    def recall(self, state: State, *, at: float) -> None:
        """Go on from the state that an earlier judge of this session has shown."""
        remembered = Finding(state=state, confidence=0.5, rule=REMEMBERED)
        self.shown = Shown(remembered, at, self.known.turn.number)
        self.known.changed_at = at - STALE
        self._latest, self._latest_since = remembered, at
        self._held_until = at + HOLD

    def tick(self, now: float) -> Change | None:
        """Apply the rules again because time has passed; return the change, or None."""
        self.known.now = max(self.known.now, now)
        screen = self.known.sources.get(evidence.Source.SCREEN)
        if screen and screen.last.expires is not None and screen.last.expires <= now:
            self._read = None
            self._read_screen()
        return self._judge()

    @property
    def wake_at(self) -> float:
        """Return when to call `tick` at the latest; infinity if time alone changes nothing."""
        now = self.known.now
        due = now + TICK if now < self._fed_at + AWAKE else float("inf")
        if (mark_at := account.mark_at(self.shown.finding, self.known, self.book)) > now:
            due = min(due, mark_at)
        if now < self._held_until:
            return min(due, self._held_until)
        if self._latest.state is not self.shown.state:
            due = min(due, self._showable_at())
        elif (back := self._came_back()) is not None:
            due = min(due, back + SETTLE)
        if self._latest.until is not None and self._latest.until > now:
            due = min(due, self._latest.until)
        ends = (held.last.expires for held in self.known.sources.values())
        return min([due, *(at for at in ends if at is not None and at > now)])

    def why(self) -> account.Reason:
        """Return the rule and the evidence behind what is shown, with their age."""
        return account.reason(self.shown.finding, self.shown.since, self.known.now)

    def _judge(self, *, at_once: bool = False) -> Change | None:
        change = self._change(at_once=at_once)
        self.known.mark = account.mark(self.shown.finding, self.known, self.book)
        return change

    def _change(self, *, at_once: bool) -> Change | None:
        found = self._resolve()
        for fit in self._fits.values():
            fit.shows(found.state, self.known.now)
        works_on = found.state in BUSY and self._latest.state in BUSY
        if found.state is not self._latest.state and (self.shown.state in BUSY or not works_on):
            # An agent that runs one quick tool after another is at work all the time.
            self._latest_since = self.known.now
        self._latest = found
        if at_once:
            return self._show(found, completed=True)
        if self.known.now < self._held_until and self.known.foreground is None:
            return None
        back = self._came_back()
        if found.state is self.shown.state:
            if back is not None and self.known.now >= back + SETTLE:
                return self._show(found, completed=True)
            self.shown = msgspec.structs.replace(self.shown, finding=found)
            return None
        if self.known.now < self._showable_at():
            return None
        return self._show(found, completed=back is not None)

    def _correct(self) -> Change:
        """Show the user's correction at once; it ends no turn."""
        self._latest, self._latest_since = resolver.resolve(self.known, self.book), self.known.now
        before = self.shown
        self.shown = Shown(self._latest, self.known.now, self.known.turn.number)
        return Change(before, self.shown, completed=False)

    def _resolve(self) -> Finding:
        """Look at the evidence; a turn that is remembered or shown as over stays over (N-70)."""
        found = resolver.resolve(self.known, self.book)
        turn = self.known.turn
        if (kept := self._stands(found)) is not None:
            return kept
        if found.rule == AT_REST and self.shown.state in OVER and turn.interrupted_at is None:
            # What told how it ended has scrolled away, or a menu covers it.
            return self.shown.finding if self.shown.since > (turn.command_at or 0.0) else found
        remembered = self.shown.finding.rule == REMEMBERED and self.shown.state in OVER
        if (
            remembered
            and found.state is State.UNKNOWN
            and self.known.turn.number == self.shown.turn
        ):
            return self.shown.finding
        return found

    def _stands(self, found: Finding) -> Finding | None:
        """Return the failure that stands while the command after it is over; None without one."""
        if self._failed is None:
            return None
        failed, known = self._failed[0], self.known
        if known.turn.number > failed.turn + 1 or known.correction or known.ended:
            self._failed = None
            return None
        return failed.finding if found.state in (*OVER, State.UNKNOWN) else None

    def _showable_at(self) -> float:
        return max(self._latest_since + SETTLE, self.shown.since + DWELL)

    def _came_back(self) -> float | None:
        """Return when a command or an agent's turn was over that was too quick to be shown."""
        turn, hooked = self.known.turn, self.known.held(evidence.Source.HOOK)
        if hooked and turn.number > self.shown.turn and hooked.last.at >= turn.started_at:
            said = hooked.last
            if said.says in (evidence.Says.SUCCEEDED, evidence.Says.FAILED) or said.kind == ENDS:
                return said.at
        if self._asks_anew():
            return self.known.asked_at
        if self._is_over_unseen():
            anew = _failed_anew(self._shown_first, self._latest)
            read_at = max((said.at for said in self._latest.because), default=0.0) if anew else 0.0
            return max(turn.worked_at or 0.0, self._latest_since, read_at) + REST
        entered = turn.command_at
        if not self.known.marked or entered is None or entered <= self.shown.since:
            return None
        told = (
            self.known.held(source) for source in (evidence.Source.SHELL, evidence.Source.EDITOR)
        )
        heard = [one for one in told if one]
        if not heard and at_prompt(self.known, self.book) and self.known.foreground:
            return self.known.foreground.at
        back = (one for one in heard if one.says not in evidence.AT_WORK and one.last.at >= entered)
        return next((one.last.at for one in back), None)

    def _asks_anew(self) -> bool:
        """Tell whether a question was answered, and the next one came before work could be shown."""
        turn, known = self.known.turn, self.known
        asks = self._latest.state is State.ATTENTION and self.shown.state is State.ATTENTION
        anew = turn.number > self.shown.turn and known.asked_at > turn.started_at
        return (
            asks and anew and known.question is not None and not resolver.in_agent(known, self.book)
        )

    def _is_over_unseen(self) -> bool:
        """Tell whether an agent was at work in a turn for less than it takes to be shown."""
        turn = self.known.turn
        worked = turn.worked_at is not None and turn.worked_at >= turn.started_at
        worked = worked or _failed_anew(self._shown_first, self._latest)
        over = self._latest.state in OVER and self.shown.state in OVER
        return (
            worked
            and over
            and turn.number > self.shown.turn
            and resolver.in_agent(self.known, self.book)
        )

    def _show(self, found: Finding, *, completed: bool) -> Change:
        before = self.shown
        self.shown = Shown(found, self.known.now, self.known.turn.number)
        self._shown_first = found
        stands = self._failed is not None and found is self._failed[0].finding
        completed = completed and found.state not in BUSY
        over = (completed or _completes(before, self.shown)) and not stands
        return Change(before, self.shown, over)

    def _read_screen(self) -> None:
        """Ask the screen rules of whatever is in the foreground, if anything they read changed."""
        view = self.known.view
        if view is None:
            return
        resting = resolver.shell_rests(self.known, self.book)
        self._recognise()
        manifest = resolver.foreground_manifest(self.known, self.book)
        if manifest is None or manifest.kind == "shell":
            # A shell that runs a script has no rules: what the script started is drawn.
            manifest = self.book.named("generic")
        manifest = None if resting else manifest
        if manifest is not None and manifest.kind == "program":
            view = _without_typed(self.known, view)
        raw = self.known.foreground is not None and not self.known.foreground.canonical
        read = (view.rows, view.lit, view.tints, view.title, manifest, view.cursor_y, raw)
        if read == self._read:
            return
        self._read = read
        fit = self._fit_of(manifest)
        if fit is not None and fit.mismatch is not None:
            manifest = self.book.named(ANY) or manifest
        if manifest is not self._looks.manifest:
            self._keep_version()
            version = self._versions.get(manifest.name, "") if manifest else ""
            self._looks = Looks(manifest, self.book.named(ANY), version=version)
        said = self._looks.read(view, self.known.now, self._asked(), keys=raw)
        if fit is not None and fit.mismatch is None:
            works = said is not None and said.says in evidence.AT_WORK
            turn, held = self.known.turn.number, self._looks.held
            fit.looked(view.at, turn, held=held, works=works)
        if manifest is not None and manifest.kind == "agent":
            account.note_retries(
                self.known, works=said is not None and said.says in evidence.AT_WORK
            )
        if said is None:
            self.known.forget(evidence.Source.SCREEN)
        else:
            self.known.take(said)

    def _asked(self) -> Asked:
        turn, shown = self.known.turn, self.shown
        return Asked(
            at=turn.started_at or None,
            typed_at=self.known.typed_at,
            answered=shown.state in OVER and shown.turn == turn.number,
            broken=turn.interrupted_at is not None,
        )

    def _fit_of(self, manifest: Manifest | None) -> Fit | None:
        """Return what is kept of an agent that has rules of its own, or None for anything else."""
        if manifest is None or manifest.kind != "agent" or manifest.name == ANY:
            return None
        if not any(rule.says in (*evidence.AT_WORK, evidence.Says.REST) for rule in manifest.rule):
            # Its rules name failures alone: that none of them holds says nothing of the others.
            return None
        return self._fits.setdefault(manifest.name, Fit())

    def _keep_version(self) -> None:
        if self._looks.version and self._looks.manifest is not None:
            self._versions[self._looks.manifest.name] = self._looks.version

    def _compare(self, event: evidence.Typed | evidence.Corrected) -> None:
        """See what the user does in the light of what is shown of an agent."""
        fit, view = self._fit_of(self.agent), self.known.view
        if fit is None or view is None:
            return
        if isinstance(event, evidence.Corrected):
            fit.corrected(event, self.shown.state)
        else:
            # Before its field was there it starts, whatever is pressed.
            field = has_field(view) or not self._looks.had_field
            fit.typed(event, self.shown.state, field=field)

    def _recognise(self) -> None:
        """Take a program of no known name for an agent where it shows a field to type in."""
        known = self.known
        seen, view = known.foreground, known.view
        if seen is None or view is None or seen.canonical or known.likely == seen.command:
            return
        if resolver.foreground_manifest(known, self.book) is not None:
            return
        prompt = role_prompt(view) or self._moves_behind_prompt(view, seen.command)
        if has_field(view) or prompt:
            known.likely, known.prompt = seen.command, prompt

    def _moves_behind_prompt(self, view: evidence.View, name: str) -> str:
        """Return the word or sign that such a program prompts with once something turns after it.

        Many programs read commands behind a word; what tells an agent is what turns meanwhile.
        """
        shown = word_prompt(view)
        if shown and not line_rules.is_repl(self.book.profile, shown, name):
            self._prompted = shown, Motion()
            return ""
        if self._prompted is None:
            return ""
        prompt, motion = self._prompted
        motion.take(view, begun=True)
        return prompt if motion.lasts(view.at) else ""

    def _remember_question(self) -> None:
        """Keep a question while an answer is typed behind it, row by row."""
        view = self.known.view
        if view is None:
            return
        line, held = self.known.own_line, self.known.question
        if held and held[0] == view.cursor_y and view.cursor_line.startswith(held[1].rstrip()):
            return
        asked = line_rules.asks(self.book.profile, line) or self._reads_behind(line)
        self.known.prompted = self._written.came_back(line)
        if asked and not self.known.prompted:
            if held is None or held[0] != view.cursor_y or not same_but_numbers(held[1], line):
                self.known.asked_at = view.at
            self.known.question = (view.cursor_y, line)
        elif not self._written.unanswered:
            self.known.question = None

    def _reads_behind(self, line: str) -> bool:
        """Tell whether a process was seen reading the terminal with the cursor behind words."""
        known, seen = self.known, self.known.foreground
        if (
            seen is None
            or seen.wait is not evidence.Wait.READ
            or not seen.canonical
            or not seen.echo
        ):
            return False
        if seen.aside or self._written.came_back(line):
            return False
        if line_rules.breaks_off(self.book.profile, line):
            return False
        late = known.changed_at > seen.at + SAMPLE_LAG
        prompts = (line_rules.is_prompt, line_rules.is_shell_prompt)
        prompted = any(shown(self.book.profile, line) for shown in prompts)
        return line_rules.has_words(line) and not late and not prompted


def _without_typed(known: Known, view: evidence.View) -> evidence.View:
    """Blank what the user has typed behind what a program has written on the cursor's line."""
    line, written = view.cursor_line, known.own_line
    if line == written or not line.startswith(written) or view.cursor_y >= len(view.rows):
        return view
    at = max(0, view.cursor_x - len(line) + len(written))
    rows, row = list(view.rows), view.rows[view.cursor_y]
    rows[view.cursor_y] = (row[:at].ljust(view.cursor_x) + row[view.cursor_x :]).rstrip()
    return msgspec.structs.replace(view, rows=tuple(rows), cursor_x=at)


def _completes(before: Shown, after: Shown) -> bool:
    """Tell whether a turn came to its end, or stands still because it needs the user."""
    if after.state in BUSY:
        return False
    if after.state is State.ATTENTION:
        return before.state is not State.ATTENTION
    if after.state in OVER:
        return before.state not in OVER or after.turn != before.turn
    return before.state in BUSY or before.state is State.ATTENTION


def _failed_anew(before: Finding, after: Finding) -> bool:
    """Tell whether a screen tells of another failure than the one that was shown."""
    words = [
        next((said.text for said in one.because if said.source is evidence.Source.SCREEN), "")
        for one in (before, after)
        if one.state is State.FAILURE
    ]
    return len(words) == 2 and all(words) and words[0] != words[1]
