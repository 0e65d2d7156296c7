"""A session as a value: its names, order, phase, shell and conversation."""
