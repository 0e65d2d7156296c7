"""Tells shell commands that only read from those that may write; whatever is not known writes."""

from nagomi_tui.guard.shell.classifier import classify
from nagomi_tui.guard.shell.patterns import Patterns
from nagomi_tui.guard.shell.verdict import Verdict, Writes

__all__ = ["Patterns", "Verdict", "Writes", "classify"]
