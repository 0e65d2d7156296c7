"""Slash commands: a table of what a line that begins with `/` does, without a model (W-6)."""
