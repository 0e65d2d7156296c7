"""Sounds, speech, desktop toasts and the user's own command, all in child processes.

Audio libraries hang for half a minute, crash, or print on the screen. In a child process that gets
lines of JSON, with a deadline for each, none of that matters.
"""
