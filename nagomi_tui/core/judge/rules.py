"""What each rule of the judge means, in words, for `nagomi why`."""

from __future__ import annotations

from typing import Final


def mark(sentence: str) -> str:
    """Name a sentence for the catalog."""
    return sentence


_SAID: Final = {
    "you-said": mark("You said so."),
    "exit-0": mark("Its command ended with status 0."),
    "exit-code": mark("Its command ended with a status other than 0."),
    "stopped-by-us": mark("It was stopped because somebody asked."),
    "interrupted": mark("It was broken off, which is no failure."),
    "shell-succeeded": mark("The shell said that the command ended with status 0."),
    "shell-failed": mark("The shell said that the command ended with another status than 0."),
    "shell-rest": mark("The shell said that it shows its prompt."),
    "shell-interrupted": mark("The shell said that the command was broken off."),
    "prompt-is-shown": mark("The shell shows its prompt, and nothing was asked of it."),
    "prompt-is-back": mark("The shell shows its prompt again."),
    "nothing-was-entered": mark("Enter was pressed at an empty prompt."),
    "command-goes-on": mark("The shell waits for the rest of the command."),
    "shell-has-not-come-back": mark("A command was entered, and the shell has not come back."),
    "text-says-failed": mark("Its output says that something failed."),
    "text-is-suspicious": mark("Its output holds words that may mean trouble."),
    "time-limit-reached": mark("The command ran into the time limit that it was given."),
    "status-untold": mark("Only its status tells how it ended, and nobody told that."),
    "known-silent-failure": mark("This command prints just that when it has failed."),
    "process-works": mark("A process in the foreground is at work, and does not wait for keys."),
    "reads-a-secret": mark("The terminal shows no typing: a password is asked for."),
    "reads-after-a-question": mark("A process reads the terminal behind a question."),
    "reads-after-a-line": mark("A process reads the terminal behind words that it printed."),
    "reads-the-terminal": mark("A process reads the terminal."),
    "reads-but-asked-nothing": mark("A process reads the terminal, but nothing was asked."),
    "at-its-own-prompt": mark("A program shows its own prompt."),
    "at-a-shell-prompt": mark("The screen ends in a shell's prompt."),
    "full-screen-awaits-keys": mark("A program that fills the screen waits for keys."),
    "full-screen-is-still": mark("A program that fills the screen keeps still."),
    "awaits-keys-after-a-question": mark("A program waits for a key behind a question."),
    "shows-a-menu": mark("It shows a menu and waits for the arrow keys."),
    "awaits-events": mark("A program waits for something, and not for the user."),
    "it-notified": mark("It sent a notification and waits since."),
    "screen-asks": mark("The screen shows a question."),
    "still-after-a-question": mark("There is a question, and silence since."),
    "input-was-sent": mark("Something was entered, and no answer has come yet."),
    "output": mark("It printed something a moment ago."),
    "output-since": mark("It has printed something since its processes were looked at."),
    "silence": mark("It has been silent for a while, and nothing tells why."),
    "status": mark("The agent itself says that it works."),
    "status-blocked": mark("The agent itself says that it needs the user."),
    "status-auth": mark(
        "The agent itself says that its turn failed because you are not logged in."
    ),
    "status-succeeded": mark("The agent itself says that it is done."),
    "status-failed": mark("The agent itself says that it failed."),
    "status-idle": mark("The agent itself says that it rests."),
    "status-after-turn": mark("The agent said how the turn ended, and rests since."),
    "title-spins": mark("The terminal's title moves, as the agent does while it works."),
    "title-calls": mark("The terminal's title asks for the user."),
    "hook": mark("A hook of the agent said that it works."),
    "hook-asks": mark("A hook of the agent said that it needs the user."),
    "hook-succeeded": mark("A hook of the agent said that its turn has ended."),
    "hook-failed": mark("A hook of the agent said that its turn failed."),
    "rests-in-mid-turn": mark("The agent rests although its turn goes on: it needs the user."),
    "rests-after-work": mark("The agent has worked and rests now."),
    "not-begun": mark("The agent has begun, and nothing was asked of it."),
    "at-rest": mark("The agent rests."),
    "dialog-gone": mark("The agent's question has gone from the screen."),
    "screen-works": mark("The screen shows that the agent works."),
    "screen-rests": mark("The screen shows that the agent rests, whatever its hooks said."),
    "screen-succeeded": mark("The screen shows that the agent's turn has ended."),
    "screen-failed": mark("The screen shows that the agent's turn failed."),
    "screen-interrupted": mark("The screen shows that the agent was broken off."),
    "remembered": mark("It was so when nagomi was replaced, and nothing has changed since."),
    "worker-lost": mark("The worker that held it has stopped."),
    "not-watched": mark("It does not run, so nobody watches it."),
}
_ENDINGS: Final = {
    "-tool": mark("A tool of it runs."),
    "-allowed": mark("It was allowed to go on."),
}


def sentences(rule: str) -> tuple[str, ...]:
    """Return what a rule means, in one or two English sentences; none for an unknown one."""
    for ending, more in _ENDINGS.items():
        if rule.endswith(ending):
            said = _SAID.get(rule.removesuffix(ending))
            return (said, more) if said else (more,)
    said = _SAID.get(rule)
    return (said,) if said else ()
