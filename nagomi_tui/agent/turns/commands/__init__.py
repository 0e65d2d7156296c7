"""Slash commands: a table of them, and their functions; only `/compact` asks a model (W-6)."""
