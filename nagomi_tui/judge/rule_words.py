"""What each rule of the judge means, in words, for `nagomi why`."""

from __future__ import annotations

from typing import Final

from nagomi_tui.sessions.session import translatable

_SAID: Final = {
    "you-said": translatable("You said so."),
    "exit-0": translatable("Its command ended with status 0."),
    "exit-code": translatable("Its command ended with a status other than 0."),
    "exit-signal": translatable("A signal ended its command."),
    "stopped-by-us": translatable("It was stopped because somebody asked."),
    "interrupted": translatable("It was broken off, which is no failure."),
    "shell-succeeded": translatable("The shell said that the command ended with status 0."),
    "shell-failed": translatable(
        "The shell said that the command ended with another status than 0."
    ),
    "shell-rest": translatable("The shell said that it shows its prompt."),
    "shell-interrupted": translatable("The shell said that the command was broken off."),
    "prompt-is-shown": translatable("The shell shows its prompt, and nothing was asked of it."),
    "prompt-is-back": translatable("The shell shows its prompt again."),
    "nothing-was-entered": translatable("Enter was pressed at an empty prompt."),
    "command-goes-on": translatable("The shell waits for the rest of the command."),
    "shell-has-not-come-back": translatable(
        "A command was entered, and the shell has not come back."
    ),
    "text-says-failed": translatable("Its output says that something failed."),
    "text-is-suspicious": translatable("Its output holds words that may mean trouble."),
    "time-limit-reached": translatable("The command ran into the time limit that it was given."),
    "status-untold": translatable("Only its status tells how it ended, and nobody told that."),
    "known-silent-failure": translatable("This command prints just that when it has failed."),
    "process-works": translatable(
        "A process in the foreground is at work, and does not wait for keys."
    ),
    "reads-a-secret": translatable("The terminal shows no typing: a password is asked for."),
    "reads-after-a-question": translatable("A process reads the terminal behind a question."),
    "reads-after-a-line": translatable(
        "A process reads the terminal behind words that it printed."
    ),
    "reads-the-terminal": translatable("A process reads the terminal."),
    "reads-but-asked-nothing": translatable("A process reads the terminal, but nothing was asked."),
    "at-its-own-prompt": translatable("A program shows its own prompt."),
    "its-prompt-after-an-exception": translatable(
        "A program shows its own prompt, and above it an exception."
    ),
    "editor-was-opened": translatable(
        "A program has opened an editor and waits for what is written there."
    ),
    "at-a-shell-prompt": translatable("The screen ends in a shell's prompt."),
    "full-screen-awaits-keys": translatable("A program that fills the screen waits for keys."),
    "full-screen-is-still": translatable("A program that fills the screen keeps still."),
    "awaits-keys-after-a-question": translatable("A program waits for a key behind a question."),
    "shows-a-menu": translatable("It shows a menu and waits for the arrow keys."),
    "awaits-events": translatable("A program waits for something, and not for the user."),
    "it-notified": translatable("It sent a notification and waits since."),
    "screen-asks": translatable("The screen shows a question."),
    "still-after-a-question": translatable("There is a question, and silence since."),
    "input-was-sent": translatable("Something was entered, and no answer has come yet."),
    "output": translatable("It printed something a moment ago."),
    "output-since": translatable("It has printed something since its processes were looked at."),
    "silence": translatable("It has been silent for a while, and nothing tells why."),
    "status": translatable("The agent itself says that it works."),
    "status-blocked": translatable("The agent itself says that it needs the user."),
    "status-auth": translatable(
        "The agent itself says that its turn failed because you are not logged in."
    ),
    "status-succeeded": translatable("The agent itself says that it is done."),
    "status-failed": translatable("The agent itself says that it failed."),
    "status-idle": translatable("The agent itself says that it rests."),
    "status-after-turn": translatable("The agent said how the turn ended, and rests since."),
    "title-spins": translatable("The terminal's title moves, as the agent does while it works."),
    "title-calls": translatable("The terminal's title asks for the user."),
    "hook": translatable("A hook of the agent said that it works."),
    "hook-asks": translatable("A hook of the agent said that it needs the user."),
    "guard-denied": translatable("The guard denied what the agent wanted to do."),
    "hook-succeeded": translatable("A hook of the agent said that its turn has ended."),
    "hook-failed": translatable("A hook of the agent said that its turn failed."),
    "rests-in-mid-turn": translatable(
        "The agent rests although its turn goes on: it needs the user."
    ),
    "rests-without-a-field": translatable(
        "The agent is in the middle of its turn and stands still without a field to type in."
    ),
    "rests-after-work": translatable("The agent has worked and rests now."),
    "not-begun": translatable("The agent has begun, and nothing was asked of it."),
    "at-rest": translatable("The agent rests."),
    "dialog-gone": translatable("The agent's question has gone from the screen."),
    "progress": translatable("The agent tells its terminal that it makes progress."),
    "screen-works": translatable("The screen shows that the agent works."),
    "screen-rests": translatable("The screen shows that the agent rests, whatever its hooks said."),
    "screen-succeeded": translatable("The screen shows that the agent's turn has ended."),
    "screen-failed": translatable("The screen shows that the agent's turn failed."),
    "screen-interrupted": translatable("The screen shows that the agent was broken off."),
    "remembered": translatable(
        "It was so when nagomi was replaced, and nothing has changed since."
    ),
    "worker-lost": translatable("The worker that held it has stopped."),
    "hand-away": translatable("The line to it is broken; nagomi goes on reaching for it."),
    "not-watched": translatable("It does not run, so nobody watches it."),
}
_ENDINGS: Final = {
    "-tool": translatable("A tool of it runs."),
    "-allowed": translatable("It was allowed to go on."),
}


def sentences(rule: str) -> tuple[str, ...]:
    """Return what a rule means, in one or two English sentences; none for an unknown one."""
    for ending, more in _ENDINGS.items():
        if rule.endswith(ending):
            said = _SAID.get(rule.removesuffix(ending))
            return (said, more) if said else (more,)
    said = _SAID.get(rule)
    return (said,) if said else ()
