"""Sounds, speech, toasts of the desktop and the user's own command, in child processes that may hang or crash.

When one sounds is decided in `nagomi_tui/orchestrator/calling/`, by the rules in `calls.py`.
"""
