"""Tells shell commands that only read from those that may write; whatever is not known writes."""

from nagomi_tui.guard.shell.analysis import Patterns, classify
from nagomi_tui.guard.shell.verdict import Verdict, Writes

__all__ = ["Patterns", "Verdict", "Writes", "classify"]
