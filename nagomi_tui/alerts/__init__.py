"""Sounds, speech, toasts of the desktop and the user's own command, in child processes that may hang or crash."""
