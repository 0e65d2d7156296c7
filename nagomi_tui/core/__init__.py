"""Values and rules: no I/O, clock, event loop or user interface."""
