"""Conversations on disk: JSON Lines that are appended to and replayed, their index and their locks."""
