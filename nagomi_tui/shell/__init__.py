"""Tells whether a shell command only reads; whatever is not known counts as a write."""
