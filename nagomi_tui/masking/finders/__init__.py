"""Finds secrets in a line, each by a sign of its own."""
