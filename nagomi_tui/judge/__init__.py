"""Tells from output, processes and hooks whether a turn has ended, and how."""
