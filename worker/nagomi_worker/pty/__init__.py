"""Terminals, children and process trees of each operating system."""
