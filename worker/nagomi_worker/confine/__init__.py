"""Holds a session's project by the kernel: what is read-only there, only the worker makes writable."""
