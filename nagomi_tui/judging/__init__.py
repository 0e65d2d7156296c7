"""Turns output, hooks and process samples into evidence for `core.judge`; loads its rules."""
