"""Finds secrets in a line, each module by a sign of its own.

How the keys of a provider look is a row in `formats.py`.
"""
