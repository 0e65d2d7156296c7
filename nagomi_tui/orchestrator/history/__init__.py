"""Stored transcripts, turns and verdicts, and searching them."""
