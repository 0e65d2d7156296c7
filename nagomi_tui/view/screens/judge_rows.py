"""What the judge's pane says, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec
from textual.content import Content
from textual.style import Style

from nagomi_tui.api.messages import EvidenceDetail
from nagomi_tui.judge.evidence import SOURCES
from nagomi_tui.judge.questions import Choice, Question
from nagomi_tui.judge.verdict import NextAction, Risk, State, Verdict, shorten
from nagomi_tui.sessions.session import Session
from nagomi_tui.sessions.standing import badge_words
from nagomi_tui.text.cells import cells, clock, cut, fold, pad, printable, visible
from nagomi_tui.text.words import translatable
from nagomi_tui.view.common.badge import happened
from nagomi_tui.view.common.translate import tr

CHOOSE: Final = "choose:"
ACT: Final = "act:"
CORRECT: Final = "correct:"
BEGIN_CORRECTING: Final = "begin_correcting"
ASK_MODEL: Final = "ask_model"
UNFOLD: Final = "unfold"
CLOSE: Final = "close"
_MOST_OF_TEXT: Final = 240
"""Characters that are shown of a piece of evidence; an agent may have given its whole answer."""
_MANY: Final = 5
"""Choices without words from which they share a line."""

NOT_WATCHED: Final = "not-watched"
"""The rule of a session that does not run; it cannot be corrected."""

CORRECT_KEY: Final = "V"
MODEL_KEY: Final = "L"
WHY_KEY: Final = "W"
_ACT_KEYS: Final = "ABCDEF"
_ASKABLE: Final = frozenset({State.FAILURE, State.ATTENTION, State.UNKNOWN})

_RISKS: Final = {
    Risk.LOW: ("▁", "success", translatable("low risk")),
    Risk.MID: ("▄", "warning", translatable("some risk")),
    Risk.HIGH: ("█", "error", translatable("high risk")),
}
_CORRECTIONS: Final = (
    State.SUCCESS, State.FAILURE, State.ATTENTION, State.RUNNING, State.THINKING, State.UNKNOWN,
)  # fmt: skip


class Line(NamedTuple):
    """A line of the pane; `key` is the key that does its `act`."""

    content: Content
    act: str = ""
    key: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    """Keys with their acts, where several stand in one line, each to be clicked."""

    @property
    def acts(self) -> tuple[tuple[str, str], ...]:
        """Keys that this line answers to, with what each does."""
        return self.beside or (((self.key, self.act),) if self.act else ())


def lines_of(
    session: Session,
    report: JudgeReport,
    *,
    width: int,
    now: float,
    correcting: bool,
    airy: bool = False,
    folded: bool = False,
    model: bool = False,
) -> list[Line]:
    """Return the pane's lines, the most pressing first.

    `airy` leaves room between its parts; `folded` says in one line why it stands so;
    `model` offers to ask the model.
    """
    parts = (
        list(_standing(session, report, now, width)),
        *(
            [list(_corrections(width))]
            if correcting
            else [
                list(_question(report, width)),
                list(_advice(report, width)),
                list(_steps(report, width)),
                list(_why_folded(report, width) if folded else _why(report, width)),
                list(_foot(report, model=model)),
            ]
        ),
    )
    gap = [Line(Content(""))] if airy else []
    lines: list[Line] = []
    for part in filter(None, parts):
        lines += [*(gap if lines else []), *part]
    return lines


# --- how it stands


def _standing(session: Session, report: JudgeReport, now: float, width: int) -> Iterator[Line]:
    verdict = report.verdict
    watched = verdict is not None and report.rule != NOT_WATCHED
    look = session.condition
    since = session.phase_since
    for_ = tr("for {time}", time=clock(max(0.0, now - since))) if since else ""
    sure = sureness(verdict.confidence) if verdict and watched else ""
    head = Content.styled(f"{look.shape} {badge_words(session, tr)}", f"bold ${look.color}")
    rest = [part for part in (for_, sure) if part]
    whole = _quiet(" · ".join(rest))
    if head.cell_length + 2 + whole.cell_length > width:
        yield Line(Content("\n").join([head, *map(_quiet, rest)]))
    else:
        yield Line(Content("  ").join([head, whole]))
    told = happened(session) if verdict is None else verdict.summary
    # The question itself says more.
    if told and report.question is None:
        yield Line(Content(printable(told)))


def sureness(confidence: float) -> str:
    """Return a confidence in words and per cent."""
    percent = round(confidence * 100)
    if confidence >= 0.9:
        return tr("sure, {percent} %", percent=percent)
    if confidence >= 0.7:
        return tr("fairly sure, {percent} %", percent=percent)
    return tr("a guess, {percent} %", percent=percent)


# --- the question


def _question(report: JudgeReport, width: int) -> Iterator[Line]:
    question = report.question
    if question is None:
        if report.draft:
            yield _heading(tr("Your draft"), width)
            yield Line(_quiet(printable(report.draft)))
        return
    yield _heading(tr("It asks"), width)
    for detail in question.details:
        yield Line(_quoted(printable(detail), width))
    if question.text:
        yield Line(Content.styled(printable(question.text), "bold"))
    for option in question.options:
        yield Line(_quoted(printable(option), width))
    if question.options or not question.choices:
        yield Line(_quiet(tr("answered on its own screen, with the arrow keys")))
    choices = choice_keys(question)
    bare = [key for key, choice in choices if choice.label == choice.key == key]
    if len(bare) >= _MANY:
        yield _beside(bare, width)
        choices = [(key, choice) for key, choice in choices if key not in bare]
    for key, choice in choices:
        yield Line(
            _keyed("Enter" if key == "enter" else key, _meaning(question, choice), width),
            f"{CHOOSE}{choice.key}",
            key,
        )


def _beside(keys: list[str], width: int) -> Line:
    """Return the keys of choices that no word explains, as those of `git add -p`, in few rows."""
    caps = [_cap(key, press=key) for key in keys]
    row = max(1, (width + 1) // (caps[0].cell_length + 1))
    rows = [Content(" ").join(caps[at : at + row]) for at in range(0, len(caps), row)]
    return Line(Content("\n").join(rows), beside=tuple((key, f"{CHOOSE}{key}") for key in keys))


def choice_keys(question: Question) -> list[tuple[str, Choice]]:
    """Return a key for each choice: its own, or a letter of its word that is still free."""
    keys: dict[str, Choice] = {}
    for choice in question.choices:
        own = choice.key if len(choice.key) == 1 or choice.key in ("enter", "escape") else ""
        letters = own and [own] or [letter for letter in choice.key.lower() if letter.isalnum()]
        free = next((letter for letter in letters if letter not in keys), "")
        if free:
            keys[free] = choice
    return list(keys.items())


def _meaning(question: Question, choice: Choice) -> str:
    if choice.key == "escape":
        return choice.label or tr("leave it")
    if choice.key != "enter":
        return printable(choice.label or choice.key)
    if not question.by_line:
        return choice.label or tr("go on")
    if question.typed:
        return tr("enter “{typed}”", typed=printable(question.typed))
    if question.default:
        return tr("enter nothing: that means {default}", default=printable(question.default))
    return tr("enter what is typed")


# --- the model


def _advice(report: JudgeReport, width: int) -> Iterator[Line]:
    if report.advice is None:
        return
    yield _heading(tr("What the model says"), width)
    look, sure = report.advice.state.condition, sureness(report.advice.confidence)
    word = (f"{look.shape} {tr(look.word)}", f"${look.color}")
    yield Line(Content.assemble(word, "  ", (sure, "$muted")))
    yield Line(_quoted(printable(report.advice.summary), width))


# --- next steps


def _steps(report: JudgeReport, width: int) -> Iterator[Line]:
    if not (actions := report.steps):
        return
    yield _heading(tr("What could be next"), width)
    for at, (key, action) in enumerate(zip(_ACT_KEYS, actions, strict=False)):
        shape, color, word = _RISKS[action.risk]
        title, command = printable(action.title), visible(action.command)
        if action in report.proposed:
            title = tr("agent: {reason}", reason=title)
        risk = Content.styled(f"{shape} {tr(word)}", f"${color}")
        ran = _quiet(_hung(f"$ {command}", 4, width))
        named = _keyed(key, title, width)
        whole = cells(named.plain.rpartition("\n")[2]) + 2 + risk.cell_length <= width
        head = Content("  " if whole else "\n    ").join([named, risk])
        yield Line(Content("\n    ").join([head, ran]), f"{ACT}{at}", key)


# --- why


def _why(report: JudgeReport, width: int) -> Iterator[Line]:
    if report.verdict is None:
        return
    yield _heading(tr("Why"), width)
    for sentence in report.meaning:
        yield Line(Content("\n".join(fold(sentence, width))))
    named = [_named(evidence.source) for evidence in report.evidence_detail]
    widest = max((cells(name) for name in named), default=0)
    ages = [_age(evidence.age_s) for evidence in report.evidence_detail]
    indent = widest + max((cells(age) for age in ages), default=0) + 3
    for evidence, source, age in zip(report.evidence_detail, named, ages, strict=True):
        text = shorten(printable(evidence.text or evidence.rule), _MOST_OF_TEXT)
        below = cells(text) > width - indent
        yield Line(
            Content.assemble(
                (pad(source, widest), "$secondary"),
                " ",
                (pad(age, indent - widest - 3), "$muted"),
                f"\n  {_hung(text, 2, width)}" if below else f"  {text}",
            )
        )
    shown = {evidence.text.strip() for evidence in report.evidence_detail}
    for line in report.verdict.evidence:
        if line.split(": ", 1)[-1] not in shown and line not in shown:
            yield Line(_quoted(printable(line), width))
    if report.rule:
        yield Line(_quiet(tr("rule {rule}", rule=report.rule)))


def _why_folded(report: JudgeReport, width: int) -> Iterator[Line]:
    """Yield one line that unfolds the rest: the first sentence on what the rule means."""
    if report.verdict is None:
        return
    said = next(iter(report.meaning), "") or report.rule
    cap, word = _cap(WHY_KEY), tr("Why")
    room = max(4, width - cap.cell_length - cells(word) - 4)
    why = Content.assemble(f"{word}  ", (cut(said, room), "$muted"))
    yield Line(Content(" ").join([cap, why]), UNFOLD, WHY_KEY)


def _named(source: str) -> str:
    return tr(SOURCES[source]) if source in SOURCES else source


def _age(seconds: float) -> str:
    if seconds < 60:
        return tr("{seconds} s ago", seconds=f"{max(0.0, seconds):4.1f}")
    return tr("{time} ago", time=f"{clock(seconds):>5}")


# --- correcting


def _corrections(width: int) -> Iterator[Line]:
    yield _heading(tr("How does it stand?"), width)
    for number, state in enumerate(_CORRECTIONS, 1):
        look = state.condition
        sign = (look.shape, f"${look.color}")
        line = Content.assemble(_cap(str(number)), " ", sign, f" {tr(look.word)}")
        yield Line(line, f"{CORRECT}{state}", str(number))
    yield Line(_quiet(tr("What you say is shown for the rest of this turn, and kept, masked.")))
    yield Line(_keyed("Esc", tr("leave it as it is"), width), BEGIN_CORRECTING, "escape")


def _foot(report: JudgeReport, *, model: bool) -> Iterator[Line]:
    if report.verdict is not None and report.rule != NOT_WATCHED:
        yield Line(_keyed(CORRECT_KEY, tr("correct this"), 40), BEGIN_CORRECTING, CORRECT_KEY)
        if report.asking:
            yield Line(_quiet(tr("The model is being asked …")))
        elif model and report.verdict.state in _ASKABLE:
            yield Line(_keyed(MODEL_KEY, tr("ask the model"), 40), ASK_MODEL, MODEL_KEY)
    yield Line(_keyed("Esc", tr("close"), 40), CLOSE, "escape")


# --- steps


def _heading(word: str, width: int) -> Line:
    rest = "─" * max(0, width - cells(word) - 1)
    return Line(Content.assemble((word, "$primary"), " ", (rest, "$frame")))


def _cap(key: str, *, press: str = "") -> Content:
    cap = Content.styled(f" {key} ", "bold $accent on $panel")
    return cap.stylize(Style.from_meta({"@click": ("press", (press,))})) if press else cap


def _keyed(key: str, text: str, width: int) -> Content:
    cap = _cap(key)
    return Content(" ").join([cap, Content(_hung(text, cap.cell_length + 1, width))])


def _quoted(text: str, width: int) -> Content:
    lines = (Content.assemble(("│", "$muted"), f" {line}") for line in fold(text, width - 2))
    return Content("\n").join(lines)


def _hung(text: str, indent: int, width: int) -> str:
    """Return the text folded, its lines below the first one indented."""
    return f"\n{' ' * indent}".join(fold(text, max(10, width - indent)))


def _quiet(text: str) -> Content:
    return Content.styled(text, "$muted")


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """How a session stands, why, what it asks, and what could be next."""

    verdict: Verdict | None = None
    rule: str = ""
    meaning: tuple[str, ...] = ()
    """Sentences on what the rule means."""
    evidence_detail: tuple[EvidenceDetail, ...] = ()
    question: Question | None = None
    draft: str = ""
    advice: Verdict | None = None
    """The model's verdict on this turn; None if it was not asked."""
    proposed: tuple[NextAction, ...] = ()
    """What the resident agent proposes for this turn."""
    asking: bool = False
    """Whether the model is being asked."""

    @property
    def steps(self) -> tuple[NextAction, ...]:
        """All next steps, those of the rules first; each command once."""
        own = self.verdict.next_actions if self.verdict else ()
        more = self.advice.next_actions if self.advice else ()
        found: dict[str, NextAction] = {}
        for action in (*own, *more, *self.proposed):
            found.setdefault(action.command, action)
        return tuple(found.values())
