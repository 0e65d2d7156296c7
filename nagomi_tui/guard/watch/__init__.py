"""Detects changes of a project in discussion: compares its files with an earlier snapshot."""
