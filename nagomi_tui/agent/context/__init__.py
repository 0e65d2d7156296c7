"""Keeps requests within the model's context window, by token estimates and compaction."""
