"""Tells whether a shell command only reads; whatever is not known counts as a write."""

from nagomi_tui.shell.classifier import classify, plainly_reads
from nagomi_tui.shell.patterns import ANYWHERE, Patterns
from nagomi_tui.shell.words import Verdict, Writes

__all__ = ["ANYWHERE", "Patterns", "Verdict", "Writes", "classify", "plainly_reads"]
