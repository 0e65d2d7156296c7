"""Stored transcripts, turns and verdicts, and searching them.

The scrollback that is shown, with its colours, is in the terminal engine (`nagomi_tui/terminal/`).
"""
