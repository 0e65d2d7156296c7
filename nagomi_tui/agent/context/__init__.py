"""Keeps a request within the model's window: estimates, overflow told from other errors, compaction."""
