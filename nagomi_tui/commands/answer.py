"""`nagomi next`, `answer`, `act`, `correct`, `why` and `trace`: what sessions ask, and how they are judged."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Final

import msgspec

from nagomi_tui.api import messages
from nagomi_tui.api.command_client import ask, carried, named
from nagomi_tui.api.printing import account, in_need
from nagomi_tui.commands.parser import Commands, add, add_flag, add_json, add_session, add_verb
from nagomi_tui.judge.questions import Question
from nagomi_tui.judge.verdict import NextAction, State
from nagomi_tui.system.console import complain, failure, say, say_json, spoken, tr, write
from nagomi_tui.system.outcome import Exit
from nagomi_tui.text.cells import printable, visible

STATES: Final = {
    "done": "success", "failed": "failure", "waits": "attention", "working": "running",
    "idle": "unknown",
    **{state: state for state in ("success", "failure", "attention", "running", "thinking", "unknown")},
}  # fmt: skip
"""States by the words of badges, and by those of JSON."""
_ASK_SECONDS: Final = 330.0


def register(commands: Commands) -> None:
    add_verb(commands, "next", show_next)
    _register_answer(commands)
    _register_act(commands)
    corrector = add_verb(commands, "correct", correct)
    add_session(corrector)
    corrector.add_argument("state", metavar="STATE", choices=tuple(STATES), help=", ".join(STATES))


def _register_answer(commands: Commands) -> None:
    answerer = add_verb(commands, "answer", answer)
    add_session(answerer)
    answerer.add_argument(
        "choice",
        metavar="CHOICE",
        nargs="?",
        help=tr("the key of one choice, such as 1, y or Enter (default: show the question)"),
    )
    add_json(answerer)


def _register_act(commands: Commands) -> None:
    actor = add_verb(commands, "act", act)
    add_session(actor)
    actor.add_argument(
        "step", metavar="N", nargs="?", type=int, help=tr("its number (default: show them)")
    )
    add_flag(actor, "--yes", help=tr("run it although it does more than read"))
    add_flag(actor, "--new", help=tr("run it in a session of its own"))
    add_json(actor)


def show_next(arguments: Namespace) -> int:
    """Print who has waited longest for the user; the exit code is 3 where nobody does."""
    found = ask(messages.NextWaiting(id=0)).session
    if arguments.json:
        say_json(found)
    else:
        write(in_need(found, spoken()))
    return int(Exit.OK if found else Exit.NO_SESSION)


def answer(arguments: Namespace) -> None:
    """Send one choice, or print the question with its choices."""
    session = named(arguments.session)
    if arguments.choice is None:
        _show_question(arguments, ask(messages.Asks(id=0, session=session)).question)
        return
    done = ask(messages.Answer(id=0, session=session, choice=carried(arguments.choice)))
    if arguments.json:
        say_json(done)
    elif not done.taken:
        raise failure("the answer was sent, but the question still stands there.")


def _show_question(arguments: Namespace, question: Question | None) -> None:
    if arguments.json:
        say_json(question)
    elif question is None:
        raise failure("it asks nothing that could be answered by a key.")
    else:
        for line in (*question.details, question.text):
            say(printable(line))
        for option in question.options:
            say(f"  - {printable(option)}")
        if question.options or not question.choices:
            say(tr("(It is answered on its own screen, with the arrow keys.)"))
        for choice in question.choices:
            key = "Enter" if choice.key == "enter" else choice.key
            say(f"  {printable(key)}  {printable(choice.label)}".rstrip())


def act(arguments: Namespace) -> None:
    """Run one of the next steps, or print them with their risk."""
    session = named(arguments.session)
    steps = steps_of(ask(messages.Asks(id=0, session=session)))
    if arguments.step is None:
        _show_steps(arguments, steps)
        return
    if not 1 <= arguments.step <= len(steps):
        raise failure("there is no step {number}.", Exit.USAGE, number=arguments.step)
    command = steps[arguments.step - 1].command
    order = messages.Act(
        id=0, session=session, command=command, sure=arguments.yes, anew=arguments.new
    )
    done = ask(order)
    if arguments.json:
        say_json(done)
    elif done.new:
        made = ask(messages.Find(id=0, session=done.session_id))
        say(f"{made.number} {made.name}")
        say(
            tr("It has this terminal's environment, and nothing that was set in the other session.")
        )


def steps_of(standing: messages.OpenStanding) -> list[NextAction]:
    """Return the next steps of the rules, then the model's, which are marked as such."""
    own = standing.verdict.next_actions
    advised = standing.advice.next_actions if standing.advice else ()
    known = {step.command for step in own}
    marked = [
        msgspec.structs.replace(step, title=f"LLM: {step.title}")
        for step in advised
        if step.command not in known
    ]
    return [*own, *marked]


def _show_steps(arguments: Namespace, steps: Sequence[NextAction]) -> None:
    if arguments.json:
        say_json(steps)
        return
    if not steps:
        say(tr("There is no next step to propose."))
    for number, step in enumerate(steps, 1):
        say(f"{number}  {printable(step.title)}  [{step.risk}]")
        say(f"   $ {printable(step.command)}")


def correct(arguments: Namespace) -> None:
    """Keep what the user says of a session."""
    ask(
        messages.Correct(
            id=0, session=named(arguments.session), state=State(STATES[arguments.state])
        )
    )


def register_why(commands: Commands) -> None:
    add_verb(commands, "why", why)


def why(arguments: Namespace) -> None:
    """Ask the session's judge and print its account."""
    found = ask(messages.Why(id=0, session=named(arguments.session)))
    if arguments.json:
        say_json(found)
    else:
        write(account(found, spoken()))


def register_trace(commands: Commands) -> None:
    tracer = add(commands, "trace", trace, tr("record what the judge of a session sees, masked"))
    add_session(tracer)
    tracer.add_argument(
        "action",
        metavar="on|off|status",
        choices=("on", "off", "status"),
        nargs="?",
        default="status",
        help=tr("what to do (default: status)"),
    )
    add_json(tracer)


def ask_judge(arguments: Namespace) -> int:
    """Print what the LLM judge says, or nagomi's own judgement where it gave no answer."""
    return advise(named(arguments.session), as_json=arguments.json)


def advise(session: str, *, as_json: bool = False) -> int:
    """Print what the LLM judge says of a session; return the exit code, 1 where it gave no answer."""
    answer = ask(messages.AskJudge(id=0, session=session), timeout=_ASK_SECONDS)
    if as_json:
        say_json(answer)
    else:
        _say_verdict(answer)
    return int(Exit.OK if answer.source == "llm" else Exit.FAILED)


def trace(arguments: Namespace) -> None:
    """Switch a session's trace, and say where it is."""
    stands = ask(messages.Trace(id=0, session=named(arguments.session), action=arguments.action))
    if arguments.json:
        say_json(stands)
    elif stands.on:
        say(tr("recording since {seconds:.0f} s: {path}", seconds=stands.seconds, path=stands.path))
    elif stands.path:
        say(tr("recorded: {path}", path=stands.path))
    else:
        say(tr("nothing is being recorded."))


def _say_verdict(answer: messages.Advised) -> None:
    """Print state and summary, evidence, and next actions with their risk."""
    verdict = answer.verdict
    whose = "LLM" if answer.source == "llm" else "nagomi"
    if answer.reason:
        complain(tr("the LLM judge gave no answer: {reason}.", reason=visible(answer.reason)))
    say(f"{whose}: {verdict.state} ({verdict.confidence:.2f})  {visible(verdict.summary)}")
    for line in verdict.evidence:
        say(f"  | {visible(line)}")
    for action in verdict.next_actions:
        say(f"  [{action.risk}] {visible(action.title)}: {visible(action.command)}")
